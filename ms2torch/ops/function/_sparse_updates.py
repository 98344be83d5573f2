"""Optimizer steps on some rows of a weight, as Primitives: the dense step, on the rows of ``indices``."""

from __future__ import annotations

import torch

from ms2torch._core.operators.primitive_factory import REQUIRED

from . import _optimizer_updates as dense
from ._optimizer_updates import _LOCK, _in_turn, _update


@_update("SparseApplyAdagrad", 2, {"lr": REQUIRED, "update_slots": True, "use_locking": False})
def _adagrad(var, accum, grad, indices, lr, update_slots=True, use_locking=False):
    """Adagrad without an epsilon (``mindspore.ops.operations.SparseApplyAdagrad``)."""
    kinds = (torch.float16, torch.float32)
    if var.dtype not in kinds or accum.dtype not in kinds:
        from ms2torch._core.tensor.dtype import from_torch

        name, wrong = ("var", var) if var.dtype not in kinds else ("accum", accum)
        raise TypeError(f"For primitive[SparseApplyAdagrad], the input argument[{name}] must be a type of "
                        f"{{Tensor[Float16], Tensor[Float32]}}, but got Tensor[{from_torch(wrong.dtype)}].")

    def step(var, accum, grad):
        accum = accum + grad * grad if update_slots else accum
        return var - lr * grad * accum.rsqrt(), accum

    return _in_turn((var, accum), grad, indices, step)


@_update("SparseApplyAdadelta", 3, {"epsilon": REQUIRED, "use_locking": False})
def _adadelta(var, accum, accum_update, lr, rho, grad, indices, epsilon, use_locking=False):
    """Adadelta (``mindspore.ops.SparseApplyAdadelta``)."""
    return _in_turn((var, accum, accum_update), grad, indices, lambda var, accum, accum_update, grad:
                    dense._adadelta(var, accum, accum_update, lr, rho, epsilon, grad))


@_update("SparseApplyMomentum", 2, {"use_locking": False, "use_nesterov": False}, all_states=False)
def _momentum(var, accum, lr, grad, indices, momentum, use_locking=False, use_nesterov=False):
    """Momentum (``mindspore.ops.operations.nn_ops.SparseApplyMomentum``)."""
    return _in_turn((var, accum), grad, indices, lambda var, accum, grad: dense._momentum(
        var, accum, lr, grad, momentum, use_nesterov))


@_update("SparseApplyProximalGradientDescent", 1, _LOCK)
def _proximal_gradient_descent(var, alpha, l1, l2, grad, indices, use_locking=False):
    """A proximal gradient step (``mindspore.ops.operations.nn_ops.SparseApplyProximalGradientDescent``)."""
    return _in_turn((var,), grad, indices, lambda var, grad: dense._proximal_gradient_descent(
        var, alpha, l1, l2, grad))


@_update("SparseApplyAdagradDA", 3, _LOCK, all_states=False)
def _adagrad_da(var, grad_accum, grad_square_accum, grad, indices, lr, l1, l2, global_step,
                use_locking=False):
    """Adagrad by dual averages (``mindspore.ops.operations.nn_ops.SparseApplyAdagradDA``)."""
    return _in_turn((var, grad_accum, grad_square_accum), grad, indices,
                    lambda *s: dense._adagrad_da(*s, lr, l1, l2, global_step))


@_update("SparseApplyCenteredRMSProp", 4, _LOCK, all_states=False)
def _centered_rms_prop(var, mg, ms, mom, lr, rho, momentum, epsilon, grad, indices, use_locking=False):
    """RMSProp with centred squares (``mindspore.ops.operations.nn_ops.SparseApplyCenteredRMSProp``)."""
    return _in_turn((var, mg, ms, mom), grad, indices,
                    lambda *s: dense._centered_rms_prop(*s, lr, rho, momentum, epsilon))
