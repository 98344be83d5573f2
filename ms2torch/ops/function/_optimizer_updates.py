"""Primitives of optimizers: one step on a weight and its states, which they write in place.

A definition gives the new values of its first arguments, the weight and its states; ``_update`` writes them.
The sparse ones change the rows that ``indices`` names; the fused ones first add the gradients of equal rows.
"""

from __future__ import annotations

import functools
import inspect

import torch

from ms2torch._core.operators.registry import REQUIRED, primitive
from ms2torch._core.tensor.tensor import lower, wrap
from ms2torch._core.torch_private import is_batched

from . import _row_checks
from ._writing import write

_LOCK = {"use_locking": False}


def _update(name: str, states: int, init=None, all_states=True, call=None):
    """Register a step: ``states`` arguments are written, and given back (or the first of them alone).

    ``call`` is the order in which the Primitive is given the step's arguments, where it has its own.
    """
    def register(step):
        names = list(inspect.signature(step).parameters)
        sparse = name in _row_checks.DEMANDS

        @functools.wraps(step)
        def kernel(*args, **fixed):
            if call and len(args) == len(call):
                args = tuple(args[i] for i in call)
            raw = lower(args)
            if sparse and len(raw) > names.index("indices"):
                _row_checks.check(name, dict(zip(names, raw, strict=False)), states)
            if raw[0].dtype is not torch.float16:       # then nothing is computed in half precision
                raw = [t.to(raw[0].dtype) if getattr(t, "dtype", None) is torch.float16 else t for t in raw]
            changed = step(*raw, **fixed)
            given = [write(state, lambda old, new=new: new.to(old.dtype, copy=True))
                     for state, new in zip(args[:states], changed, strict=True)]
            return tuple(given) if all_states and states > 1 else given[0]

        if call:                                 # errors name the arguments in the Primitive's order
            takes = list(inspect.signature(step).parameters.values())
            takes[:len(call)] = [takes[call.index(i)] for i in range(len(call))]
            kernel.__signature__ = inspect.Signature(takes)
        primitive(name, init=init or {}, on_tensors=True)(kernel)
        return step

    return register


def _mean(old, new, decay):
    return decay * old + (1 - decay) * new


def _shrunk(x, rate, l1, l2):
    """The proximal step of l1 and l2 penalties."""
    return torch.sign(x) * torch.relu(x.abs() - rate * l1) / (1 + rate * l2)


def _root(x):
    return x.sqrt() if isinstance(x, torch.Tensor) else x ** 0.5


# ---- Adam and kin ------------------------------------------------------------------------------------------

_NESTEROV = {"use_locking": False, "use_nesterov": False}


def _moments(m, v, beta1, beta2, grad):
    return _mean(m, grad, beta1), _mean(v, grad * grad, beta2)


def _adam_step(m, v, powers, lr, beta1, epsilon, grad, use_nesterov):
    rate = lr * _root(1 - powers[1]) / (1 - powers[0])
    return rate * (_mean(m, grad, beta1) if use_nesterov else m) / (v.sqrt() + epsilon)


@_update("Adam", 3, _NESTEROV)
def _adam(var, m, v, beta1_power, beta2_power, lr, beta1, beta2, epsilon, grad, use_locking=False,
          use_nesterov=False):
    """One step of Adam (``mindspore.ops.Adam``)."""
    m, v = _moments(m, v, beta1, beta2, grad)
    return var - _adam_step(m, v, (beta1_power, beta2_power), lr, beta1, epsilon, grad, use_nesterov), m, v


@_update("AdamWeightDecay", 3, _LOCK)
def _adam_weight_decay(var, m, v, lr, beta1, beta2, epsilon, decay, gradient, use_locking=False):
    """One step of Adam without bias correction, with decoupled decay (``mindspore.ops.AdamWeightDecay``)."""
    m, v = _moments(m, v, beta1, beta2, gradient)
    return var - lr * (m / (v.sqrt() + epsilon) + decay * var), m, v


@_update("FusedCastAdamWeightDecay", 3, _LOCK)
def _fused_cast_adam(var, m, v, lr, beta1, beta2, epsilon, decay, gradient, global_norm, use_locking=False):
    """`AdamWeightDecay` of half-precision gradients over ``global_norm``, computed in Float32.

    (``mindspore.ops.FusedCastAdamWeightDecay``.) A norm below 1e-10 counts as 1.
    """
    norm = torch.where(global_norm < 1e-10, torch.ones_like(global_norm), global_norm)
    wide, m, v = _adam_weight_decay(var.float(), m, v, lr, beta1, beta2, epsilon, decay,
                                    gradient.float() / norm)
    return wide.to(var.dtype), m, v


@primitive("AdamNoUpdateParam", init=_NESTEROV, on_tensors=True)
def _adam_no_update(m, v, beta1_power, beta2_power, lr, beta1, beta2, epsilon, gradient, use_locking=False,
                    use_nesterov=False):
    """The change that Adam would make; only its states are written (``mindspore.ops.AdamNoUpdateParam``)."""
    first, second, *rest = lower((m, v, beta1_power, beta2_power, lr, beta1, beta2, epsilon, gradient))
    power1, power2, lr, beta1, beta2, epsilon, grad = rest
    new = _moments(first, second, beta1, beta2, grad)
    change = -_adam_step(*new, (power1, power2), lr, beta1, epsilon, grad, use_nesterov)
    for state, value in zip((m, v), new, strict=True):
        write(state, lambda old, value=value: value)
    return wrap(change)


def _amsgrad(var, m, v, vhat, beta1_power, beta2_power, lr, beta1, beta2, epsilon, grad):
    m, v = _moments(m, v, beta1, beta2, grad)
    vhat = torch.maximum(vhat, v)
    rate = lr * _root(1 - beta2_power) / (1 - beta1_power)
    return var - rate * m / (vhat.sqrt() + epsilon), m, v, vhat


@_update("ApplyAdamWithAmsgrad", 4, {"beta1": 0.9, "beta2": 0.999, "epsilon": 1e-8, "use_locking": False})
def _amsgrad_v1(var, m, v, vhat, beta1_power, beta2_power, lr, grad, beta1=0.9, beta2=0.999, epsilon=1e-8,
                use_locking=False):
    """One step of AMSGrad (``mindspore.ops.operations.ApplyAdamWithAmsgrad``)."""
    return _amsgrad(var, m, v, vhat, beta1_power, beta2_power, lr, beta1, beta2, epsilon, grad)


@_update("ApplyAdamWithAmsgradV2", 4, _LOCK)
def _amsgrad_v2(var, m, v, vhat, beta1_power, beta2_power, lr, beta1, beta2, epsilon, grad,
                use_locking=False):
    """One step of AMSGrad (``mindspore.ops.ApplyAdamWithAmsgradV2``)."""
    return _amsgrad(var, m, v, vhat, beta1_power, beta2_power, lr, beta1, beta2, epsilon, grad)


@_update("ApplyAdaMax", 3)
def _ada_max(var, m, v, beta1_power, lr, beta1, beta2, epsilon, grad):
    """One step of AdaMax (``mindspore.ops.ApplyAdaMax``)."""
    m, v = _mean(m, grad, beta1), torch.maximum(beta2 * v, grad.abs())
    return var - lr / (1 - beta1_power) * m / (v + epsilon), m, v


# ---- squared gradients -------------------------------------------------------------------------------------


@_update("ApplyAdadelta", 3)
def _adadelta(var, accum, accum_update, lr, rho, epsilon, grad):
    """One step of Adadelta (``mindspore.ops.ApplyAdadelta``)."""
    accum = _mean(accum, grad * grad, rho)
    change = (accum_update + epsilon).sqrt() * (accum + epsilon).rsqrt() * grad
    return var - lr * change, accum, _mean(accum_update, change * change, rho)


def _adagrad(var, accum, lr, grad, epsilon, update_slots):
    accum = accum + grad * grad if update_slots else accum
    return var - lr * grad / (accum.sqrt() + epsilon), accum


@_update("ApplyAdagrad", 2, {"update_slots": True})
def _adagrad_v1(var, accum, lr, grad, update_slots=True):
    """One step of Adagrad (``mindspore.ops.ApplyAdagrad``)."""
    return _adagrad(var, accum, lr, grad, 0.0, update_slots)


@_update("ApplyAdagradV2", 2, {"epsilon": REQUIRED, "update_slots": True})
def _adagrad_v2(var, accum, lr, grad, epsilon, update_slots=True):
    """One step of Adagrad with ``epsilon`` beside the root (``mindspore.ops.ApplyAdagradV2``)."""
    return _adagrad(var, accum, lr, grad, epsilon, update_slots)


@_update("ApplyAdagradDA", 3, _LOCK, all_states=False)
def _adagrad_da(var, gradient_accumulator, gradient_squared_accumulator, grad, lr, l1, l2, global_step,
                use_locking=False):
    """One step of Adagrad by dual averages (``mindspore.ops.ApplyAdagradDA``)."""
    total, squares = gradient_accumulator + grad, gradient_squared_accumulator + grad * grad
    shrunk = torch.sign(total) * torch.relu(total.abs() - l1 * global_step)
    return -lr * shrunk / (l2 * global_step * lr + squares.sqrt()), total, squares


@_update("ApplyRMSProp", 3, _LOCK, all_states=False)
def _rms_prop(var, mean_square, moment, learning_rate, grad, decay, momentum, epsilon, use_locking=False):
    """One step of RMSProp (``mindspore.ops.ApplyRMSProp``)."""
    return _rms_prop_step(var, mean_square, moment, learning_rate, grad, decay, momentum, epsilon)


def _rms_prop_step(var, mean_square, moment, learning_rate, grad, decay, momentum, epsilon):
    mean_square = _mean(mean_square, grad * grad, decay)
    moment = momentum * moment + learning_rate * grad * (mean_square + epsilon).rsqrt()
    return var - moment, mean_square, moment


@_update("ApplyCenteredRMSProp", 4, _LOCK, all_states=False)
def _centered_rms_prop(var, mean_gradient, mean_square, moment, grad, learning_rate, decay, momentum, epsilon,
                       use_locking=False):
    """One step of RMSProp with centred squares (``mindspore.ops.ApplyCenteredRMSProp``)."""
    mean_gradient, mean_square = _mean(mean_gradient, grad, decay), _mean(mean_square, grad * grad, decay)
    spread = mean_square - mean_gradient * mean_gradient + epsilon
    moved = momentum * moment + learning_rate * grad * spread.rsqrt()
    spreads = spread > 0                    # else neither the weight nor its moment moves
    return (torch.where(spreads, var - moved, var), mean_gradient, mean_square,
            torch.where(spreads, moved, moment))


def _ftrl(var, accum, linear, grad, lr, l1, l2, lr_power):
    grown = accum + grad * grad
    old, new = accum ** -lr_power, grown ** -lr_power
    linear = linear + grad - (new - old) / lr * var
    kept = (torch.sign(linear) * l1 - linear) / (new / lr + 2 * l2)
    return torch.where(linear.abs() > l1, kept, torch.zeros_like(var)), grown, linear


@_update("ApplyFtrl", 3, _LOCK, all_states=False)
def _ftrl_v1(var, accum, linear, grad, lr, l1, l2, lr_power, use_locking=False):
    """One step of FTRL (``mindspore.ops.ApplyFtrl``)."""
    return _ftrl(var, accum, linear, grad, lr, l1, l2, lr_power)


# ---- plain and proximal ------------------------------------------------------------------------------------


@_update("ApplyGradientDescent", 1)
def _gradient_descent(var, alpha, delta):
    """``var - alpha * delta`` (``mindspore.ops.ApplyGradientDescent``)."""
    return (var - alpha * delta,)


@_update("ApplyProximalGradientDescent", 1)
def _proximal_gradient_descent(var, alpha, l1, l2, delta):
    """A proximal gradient step (``mindspore.ops.ApplyProximalGradientDescent``)."""
    return (_shrunk(var - alpha * delta, alpha, l1, l2),)


def _proximal_adagrad(var, accum, lr, l1, l2, grad):
    accum = accum + grad * grad
    rate = lr * accum.rsqrt()
    return _shrunk(var - rate * grad, rate, l1, l2), accum


@_update("ApplyProximalAdagrad", 2, _LOCK)
def _proximal_adagrad_v1(var, accum, lr, l1, l2, grad, use_locking=False):
    """A proximal step of Adagrad (``mindspore.ops.ApplyProximalAdagrad``)."""
    return _proximal_adagrad(var, accum, lr, l1, l2, grad)


@_update("ApplyAddSign", 2)
def _add_sign(var, m, lr, alpha, sign_decay, beta, grad):
    """A step that is longer where gradient and momentum agree (``mindspore.ops.ApplyAddSign``)."""
    m = _mean(m, grad, beta)
    return var - lr * (alpha + sign_decay * torch.sign(grad) * torch.sign(m)) * grad, m


@_update("ApplyPowerSign", 2)
def _power_sign(var, m, lr, logbase, sign_decay, beta, grad):
    """`ApplyAddSign` with an exponential in place of the sum (``mindspore.ops.ApplyPowerSign``)."""
    m = _mean(m, grad, beta)
    return var - lr * torch.exp(logbase * sign_decay * torch.sign(grad) * torch.sign(m)) * grad, m


@_update("ApplyMomentum", 2, {"use_nesterov": False, "use_locking": False, "gradient_scale": 1.0},
         all_states=False)
def _momentum(variable, accumulation, learning_rate, gradient, momentum, use_nesterov=False,
              use_locking=False, gradient_scale=1.0):
    """One step of Momentum (``mindspore.ops.ApplyMomentum``)."""
    moved = momentum * accumulation + gradient
    change = gradient + momentum * moved if use_nesterov else moved
    return variable - learning_rate * change, moved


@_update("SGD", 3, {"dampening": 0.0, "weight_decay": 0.0, "nesterov": False}, all_states=False,
         call=(0, 3, 5, 1, 2, 4))
def _sgd(parameters, accum, stat, gradient, learning_rate, momentum, dampening=0.0, weight_decay=0.0,
         nesterov=False):
    """One step of SGD; a positive ``stat`` says that it is the first (``mindspore.ops.SGD``)."""
    gradient = gradient + weight_decay * parameters
    moved = torch.where(stat > 0, gradient, momentum * accum + (1 - dampening) * gradient)
    change = gradient + momentum * moved if nesterov else moved
    return parameters - learning_rate * change, moved, torch.where(stat > 0, torch.zeros_like(stat), stat)


# ---- rows --------------------------------------------------------------------------------------------------


def _of_rows(states, grad, indices, step):
    """``states`` with the rows that ``indices`` names replaced by what ``step(*states, grad)`` makes of them
    and of the sums of their gradients."""
    grad, indices = grad.to(states[0].dtype), indices.long()
    if _batched(*states, grad, indices):
        # Under vmap nobody knows how many rows there are: all are computed, the named ones taken.
        total = torch.zeros_like(states[0] + grad.sum() + indices.sum(), dtype=grad.dtype)
        named = torch.zeros_like(total).index_add(0, indices, torch.ones_like(grad)) > 0
        return _where(named, states, step, total.index_add(0, indices, grad))
    rows, where = torch.unique(indices, return_inverse=True)
    total = torch.zeros(rows.numel(), *grad.shape[1:], dtype=grad.dtype, device=grad.device)
    changed = step(*(state[rows] for state in states), total.index_add(0, where, grad))
    return tuple(state.index_copy(0, rows, new.to(state.dtype))
                 for state, new in zip(states, changed, strict=True))


def _in_turn(states, grad, indices, step):
    """`_of_rows` where a row that is named again is changed again, in the order of ``indices``, not once by
    the sum. (Which comes first is left to MindSpore's threads there.)"""
    grad, indices = grad.to(states[0].dtype), indices.long()
    if _batched(*states, grad, indices):
        for row, change in zip(indices, grad, strict=True):
            here = torch.arange(states[0].shape[0], device=grad.device) == row
            here = here.reshape(-1, *[1] * change.ndim)
            states = _where(here, states, step, change.expand(states[0].shape))
        return states
    order = torch.argsort(indices, stable=True)
    _, counts = torch.unique_consecutive(indices[order], return_counts=True)
    first = torch.repeat_interleave(counts.cumsum(0) - counts, counts)
    turn = torch.arange(order.numel(), device=order.device) - first
    for number in range(int(counts.max()) if order.numel() else 0):
        now = order[turn == number]
        states = _of_rows(states, grad[now], indices[now], step)
    return states


def _batched(*tensors) -> bool:
    return any(map(is_batched, tensors))


def _where(here, states, step, grad):
    changed = step(*states, grad)
    return tuple(torch.where(here, new.to(state.dtype), state)
                 for state, new in zip(states, changed, strict=True))


@_update("FusedSparseAdam", 3, _NESTEROV)
def _sparse_adam(var, m, v, beta1_power, beta2_power, lr, beta1, beta2, epsilon, grad, indices,
                 use_locking=False, use_nesterov=False):
    """`Adam` with a gradient that is zero outside of some rows (``mindspore.ops.FusedSparseAdam``).

    With ``use_nesterov`` the other rows of ``var`` rest.
    """
    grad = torch.zeros_like(var).index_add(0, indices.long(), grad.to(var.dtype))
    moved, m, v = _adam(var, m, v, beta1_power, beta2_power, lr, beta1, beta2, epsilon, grad,
                        use_nesterov=use_nesterov)
    if use_nesterov:
        rows = torch.unique(indices.long())
        moved = var.index_copy(0, rows, moved[rows])
    return moved, m, v


@_update("FusedSparseLazyAdam", 3, _NESTEROV)
def _lazy_adam(var, m, v, beta1_power, beta2_power, lr, beta1, beta2, epsilon, grad, indices,
               use_locking=False, use_nesterov=False):
    """`Adam` on some rows alone (``mindspore.ops.FusedSparseLazyAdam``)."""
    return _of_rows((var, m, v), grad, indices, lambda var, m, v, grad: _adam(
        var, m, v, beta1_power, beta2_power, lr, beta1, beta2, epsilon, grad, use_nesterov=use_nesterov))


_FTRL = {"lr": REQUIRED, "l1": REQUIRED, "l2": REQUIRED, "lr_power": REQUIRED, "use_locking": False}


@_update("FusedSparseFtrl", 3, _FTRL)
def _fused_ftrl(var, accum, linear, grad, indices, lr, l1, l2, lr_power, use_locking=False):
    """`ApplyFtrl` on some rows alone (``mindspore.ops.FusedSparseFtrl``)."""
    return _of_rows((var, accum, linear), grad, indices, lambda *s: _ftrl(*s, lr, l1, l2, lr_power))


@_update("FusedSparseProximalAdagrad", 2, _LOCK)
def _fused_proximal_adagrad(var, accum, lr, l1, l2, grad, indices, use_locking=False):
    """`ApplyProximalAdagrad` on some rows alone (``mindspore.ops.FusedSparseProximalAdagrad``)."""
    return _of_rows((var, accum), grad, indices, lambda var, accum, grad: _proximal_adagrad(
        var, accum, lr, l1, l2, grad))


@_update("SparseApplyProximalAdagrad", 2, _LOCK)
def _sparse_proximal_adagrad(var, accum, lr, l1, l2, grad, indices, use_locking=False):
    """`ApplyProximalAdagrad` on some rows alone (``mindspore.ops.SparseApplyProximalAdagrad``)."""
    return _in_turn((var, accum), grad, indices, lambda var, accum, grad: _proximal_adagrad(
        var, accum, lr, l1, l2, grad))


@_update("SparseApplyFtrl", 3, _FTRL)
def _sparse_ftrl(var, accum, linear, grad, indices, lr, l1, l2, lr_power, use_locking=False):
    """`ApplyFtrl` on some rows alone (``mindspore.ops.SparseApplyFtrl``), but for those beyond."""
    if not _batched(indices):
        inside = (indices >= 0) & (indices < var.shape[0])
        grad, indices = grad[inside], indices[inside]
    return _in_turn((var, accum, linear), grad, indices, lambda *s: _ftrl(
        *(x.float() for x in s), lr, l1, l2, lr_power))


@_update("SparseApplyAdagradV2", 2, {"lr": REQUIRED, "epsilon": REQUIRED, "use_locking": False,
                                     "update_slots": True})
def _sparse_adagrad_v2(var, accum, grad, indices, lr, epsilon, use_locking=False, update_slots=True):
    """Adagrad on some rows, ``epsilon`` under the root (``mindspore.ops.SparseApplyAdagradV2``)."""
    def step(var, accum, grad):
        accum = accum + grad * grad if update_slots else accum
        return var - lr * grad * (accum + epsilon).rsqrt(), accum

    return _in_turn((var, accum), grad, indices, step)


@_update("SparseApplyRMSProp", 3, {"rho": REQUIRED, "momentum": REQUIRED, "epsilon": REQUIRED,
                                   "use_locking": False})
def _sparse_rms_prop(var, ms, mom, lr, grad, indices, rho, momentum, epsilon, use_locking=False):
    """`ApplyRMSProp` on some rows alone (``mindspore.ops.SparseApplyRMSProp``)."""
    def step(var, ms, mom, grad):
        wide = ms.float(), mom.float(), lr, grad.float(), rho, momentum, epsilon
        _, changed, mom = _rms_prop_step(0, *wide)
        return var - mom.to(var.dtype), torch.where(grad == 0, ms, changed.to(ms.dtype)), mom

    return _in_turn((var, ms, mom), grad, indices, step)


@primitive("FusedWeightScaleApplyMomentum", on_tensors=True)
def _fused_momentum(weight_decay, loss_scale, variable, accumulation, learning_rate, gradient, momentum):
    """Momentum of (gradient + weight_decay * variable) * loss_scale, the reciprocal of the scale.

    MindSpore: ``mindspore.ops.FusedWeightScaleApplyMomentum``, which has no kernel for the CPU; the order is
    that of the optimizers.
    """
    decay, scale, var, accum, lr, grad, keep = lower(
        (weight_decay, loss_scale, variable, accumulation, learning_rate, gradient, momentum))
    moved = keep * accum + (grad + decay * var) * scale
    write(accumulation, lambda old: moved.to(old.dtype))
    return write(variable, lambda old: (old - lr * moved).to(old.dtype))
