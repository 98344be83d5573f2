"""Training steps with loss scaling (``mindspore.nn.wrap.loss_scale``).

The state machines are MindSpore's; unscaling and the overflow check are torch.amp's fused kernel.
"""

from __future__ import annotations

import torch

from ms2torch._core import mode
from ms2torch._core.checks.calls import wrong_inputs
from ms2torch._core.errors import asked
from ms2torch._core.gradient.amp import non_finite, unscale_and_check
from ms2torch._core.operators.registry import PRIMITIVES
from ms2torch._core.tensor import dtype as _dtype
from ms2torch._core.tensor.tensor import Tensor, wrap
from ms2torch.common.parameter import Parameter
from ms2torch.nn.cell import Cell
from ms2torch.ops.composite.base import HyperMap, MultitypeFuncGraph
from ms2torch.ops.function.parameter_func import assign

from .cell_wrapper import TrainOneStepCell
from .grad_reducer import loss_and_gradients


def _assign(variable, value: torch.Tensor) -> None:
    """Write ``value``, which must have the shape of ``variable``, a Parameter or Tensor."""
    old = variable._t
    if value.ndim != old.ndim and value.numel() == old.numel():
        raise asked(RuntimeError("For 'Assign', the 'x' and 'y' must have the same dimension, but got the "
                                 f"dimension of 'x': {old.ndim} and the dimension of 'y': {value.ndim}"))
    if variable.__class__ is Tensor or value.shape != old.shape:
        assign(variable, wrap(value))
    else:
        variable._assign(value)


class DynamicLossScaleUpdateCell(Cell):
    """Halves the loss scale at an overflow, raises it after a window without one.

    ``(loss_scale Parameter, overflow)`` to overflow. On overflow: scale / factor, not below 1. After
    ``scale_window`` steps since the last change: scale * factor (not bounded above, unlike
    ``amp.DynamicLossScaler`` and torch's GradScaler).
    """

    _never_recorded = True

    def __init__(self, loss_scale_value, scale_factor, scale_window) -> None:
        super().__init__()
        self.scale_window = Tensor(scale_window, dtype=_dtype.int32)
        self.scale_factor = Tensor(scale_factor, dtype=_dtype.float32)
        self.loss_scale_value = loss_scale_value
        self.cur_iter = Parameter(Tensor(1, dtype=_dtype.int32), name="current_iterator_step")
        self.last_overflow_iter = Parameter(Tensor(0, dtype=_dtype.int32), name="last_overflow_iterator_step")
        self.minimum_loss_scale = Tensor(1.0, dtype=_dtype.float32)

    def get_loss_scale(self) -> float:
        """The scale to start with."""
        return self.loss_scale_value

    def construct(self, loss_scale, overflow):
        if not isinstance(overflow, Tensor):
            raise wrong_inputs("Select", condition=overflow, input=self.minimum_loss_scale,
                               other=self.minimum_loss_scale)
        if not isinstance(loss_scale, Tensor):
            raise wrong_inputs("Assign", variable=loss_scale, value=self.minimum_loss_scale)
        over = overflow._t
        if over.dtype is not torch.bool:
            raise asked(TypeError("Select CPU operator[Select] fail! Unsupported data type!\n'overflow' must "
                                  f"be Bool, but got {overflow.dtype}."))
        if over.ndim and over.numel() == 1 and not loss_scale.ndim:     # (as steps give it)
            over = over.reshape(())
        scale, factor = loss_scale._t, self.scale_factor._t
        now, last = self.cur_iter._t, self.last_overflow_iter._t
        lowered = torch.where(
            over, torch.maximum(scale * factor.reciprocal(), self.minimum_loss_scale._t), scale
        )
        grow = self.scale_window._t <= now - last
        _assign(self.last_overflow_iter, torch.where(over | grow, now, last))
        _assign(loss_scale, torch.where(grow & ~over, lowered * factor, lowered))
        self.cur_iter._assign(now + 1)
        return overflow


class FixedLossScaleUpdateCell(Cell):
    """Keeps the loss scale; a step that overflows is skipped. ``(loss_scale, overflow)`` to overflow."""

    _never_recorded = True

    def __init__(self, loss_scale_value) -> None:
        super().__init__()
        self.loss_scale_value = loss_scale_value

    def get_loss_scale(self) -> float:
        """The scale."""
        return self.loss_scale_value

    def construct(self, _, overflow):
        return overflow


class TrainOneStepWithLossScaleCell(TrainOneStepCell):
    """A training step with loss scaling (``mindspore.nn.TrainOneStepWithLossScaleCell``).

    ``scale_sense``: a loss-scale update Cell, a Tensor of shape () or (1,), or a loss-scale manager. Gives
    (loss, overflow, scale). A step whose gradients overflow does not update. The pieces
    (``start_overflow_check``, ``get_overflow_status``, ``process_loss_scale``) serve subclasses. Unlike the
    real one on CPU, it runs on any device.
    """

    def __init__(self, network, optimizer, scale_sense) -> None:
        super().__init__(network, optimizer, sens=None)
        self.hyper_map = HyperMap()
        self.loss_scaling_manager = None
        self.base = Tensor(1, _dtype.float32)
        self.less_equal = PRIMITIVES["LessEqual"]()    # subclasses use these names
        self.is_distributed = False
        if not isinstance(scale_sense, (Cell, Tensor)) and hasattr(scale_sense, "get_update_cell"):
            value = scale_sense.get_loss_scale()
            self.loss_scaling_manager = scale_sense.get_update_cell()
            self.scale_sense = Parameter(Tensor(float(value), dtype=_dtype.float32), name="scale_sense")
        elif isinstance(scale_sense, Cell):
            self.loss_scaling_manager = scale_sense
            self.scale_sense = Parameter(
                Tensor(float(scale_sense.get_loss_scale()), dtype=_dtype.float32), name="scale_sense"
            )
        elif isinstance(scale_sense, Tensor):
            if scale_sense.shape not in ((1,), ()):
                raise ValueError(
                    "For 'TrainOneStepWithLossScaleCell', the shape of 'scale_sense' must be (1,) or (), "
                    f"but got {scale_sense.shape}."
                )
            self.scale_sense = Parameter(scale_sense, name="scale_sense")
        else:
            raise TypeError(
                "For 'TrainOneStepWithLossScaleCell', the 'scale_sense' must be Cell or Tensor, but got "
                f"'scale_sense' type: {type(scale_sense)}."
            )

    def construct(self, *inputs):
        # The scale that this step used is what is returned, also when the step changes it.
        used = wrap(self.scale_sense._t.clone())
        started = []

        def sensitivity(loss):
            started.extend(self.start_overflow_check(loss, used))
            return wrap(started[1]._t.to(loss._t.dtype).reshape(()).expand_as(loss._t))

        reduced = loss_and_gradients(self, inputs, sensitivity)
        if reduced is not None:     # several processes: reduced while the backward pass ran
            loss, grads = reduced
        else:
            loss = self.network(*inputs)
            grads = self.grad(self.network, self.weights)(*inputs, sensitivity(loss))
        status, scale = started[-2:]
        over = unscale_and_check(grads, scale._t)
        if reduced is None and self.reducer_flag:
            grads = self.grad_reducer(grads)     # an overflow of one process reaches all in the sum
        else:
            self.__dict__["_checked"] = (grads, over)
        cond = self.get_overflow_status(status, grads)
        overflow = self.process_loss_scale(cond)
        if mode.tracing is not None:
            mode.tracing.update(self.optimizer, grads, unless=overflow)
        elif not overflow:
            self.optimizer(grads)
        return loss, cond, scale

    def set_sense_scale(self, sens) -> None:
        """Set the scale to a Tensor's value; TypeError for anything else."""
        if not isinstance(sens, Tensor):
            raise TypeError(
                "For 'TrainOneStepWithLossScaleCell', the type of 'sens' must be Tensor, "
                f"but got {type(sens)}"
            )
        self.scale_sense.set_data(sens)

    def start_overflow_check(self, pre_cond, compute_input):
        """(status, compute_input): begins the check; there is no device flag to clear here."""
        # Made where it is needed: copying it there would make CUDA wait.
        return wrap(torch.zeros(8, dtype=torch.int32, device=self.scale_sense._rest.device)), compute_input

    def get_overflow_status(self, status, compute_output) -> Tensor:
        """Whether anything in ``compute_output`` is nan or infinite, a Bool Tensor."""
        checked = self.__dict__.pop("_checked", None)
        if checked is not None and checked[0] is compute_output:
            return wrap(checked[1])
        return wrap(non_finite(compute_output))

    def process_loss_scale(self, overflow):
        """Let the manager update the scale; returns ``overflow``."""
        if self.loss_scaling_manager is not None:
            return self.loss_scaling_manager(self.scale_sense, overflow)
        return overflow


# ---- gradients gathered over micro batches ----------------------------------------------------------------
# The gathered gradient is unscaled, given, and its Parameter starts again from zero.

grad_scale = MultitypeFuncGraph("grad_scale")
shard_grad_scale = MultitypeFuncGraph("shard_grad_scale")


@grad_scale.register("Tensor", "Tensor")
@shard_grad_scale.register("Tensor", "Tensor")
def tensor_grad_scale(scale, grad):
    """One gradient, unscaled."""
    return wrap(grad._t * scale._t.reciprocal().to(grad._t.dtype))


_grad_scale = grad_scale


@grad_scale.register("Tensor", "Tensor", "Tensor")
def tensor_grad_scale_pipeline(scale, grad, accu_grad):
    """The accumulated gradient, unscaled; the last one is already in it."""
    unscaled = wrap(accu_grad._t * scale._t.reciprocal())
    assign(accu_grad, wrap(torch.zeros_like(accu_grad._t)))
    return unscaled


@shard_grad_scale.register("Tensor", "Tensor", "Tensor")
def tensor_shard_grad_scale_pipeline(scale, grad, accu_grad):
    """One gradient, unscaled, where each device holds a share of them."""
    assign(accu_grad, wrap(torch.zeros_like(accu_grad._t)))
    return wrap(grad._t * scale._t.reciprocal())
