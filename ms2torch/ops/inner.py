"""Operators on the gradient's way: stop_gradient, InsertGradientOf."""

from __future__ import annotations

from ms2torch._checkparam import check_hook_fn
from ms2torch._core import mode
from ms2torch._core.checks.error_wrappers import wrap_class
from ms2torch._core.gradient.custom import from_hook, observe_gradients
from ms2torch._core.gradient.functions import with_gradient_of
from ms2torch._core.operators.registry import Primitive, op
from ms2torch._core.tensor.tensor import Tensor, wrap
from ms2torch._core.torch_private import is_transforming


@op(primitive="StopGradient")
def stop_gradient(value):
    """``value`` as a constant: no gradient flows through it (``mindspore.ops.stop_gradient``; torch's
    ``detach``)."""
    return _stopped(value)


@op(on_tensors=True)
def stop_gradient_(input):
    """Makes ``input`` a constant from here on (``mindspore.ops.stop_gradient_``)."""
    if not isinstance(input, Tensor):
        raise TypeError("For 'stop_gradient_', the type of 'input' must be Tensor, but got "
                        f"{type(input).__name__}.")
    input._t = input._t.detach()


def _stopped(value):
    if isinstance(value, (tuple, list)):
        return type(value)(_stopped(v) for v in value)
    return value.detach() if hasattr(value, "detach") else value


@wrap_class
class InsertGradientOf(Primitive):
    """Passes its input on; the gradient on its way back goes through ``f(gradient)`` (a result of None keeps
    it)."""

    def __init__(self, f) -> None:
        super().__init__("InsertGradientOf")
        self.init_attrs = {"f": f}
        self.attrs = {"f": f, "side_effect_backprop": True, "side_effect_backprop_mem": True}
        self.f = f

    def __call__(self, x: Tensor) -> Tensor:
        def see(gradient):
            result = self.f(wrap(gradient))
            return gradient if result is None else result._t

        if not isinstance(x, Tensor) or not x._t.requires_grad:
            return x
        return wrap(with_gradient_of(x._t, see))


@wrap_class
class HookBackward(Primitive):
    """Passes its inputs on; ``hook_fn`` is called with the tuple of their gradients, and a result replaces
    them. In graph mode it is not called.

    TypeError where ``hook_fn`` is not callable, or compiled.
    """

    def __init__(self, hook_fn, cell_id="") -> None:
        super().__init__("HookBackward")
        check_hook_fn(hook_fn)
        self.hook_fn = hook_fn
        self.cell_id = cell_id

    def __call__(self, *inputs):
        def see(gradients):
            result = self.hook_fn(tuple(map(wrap, gradients)))
            if result is None:
                return gradients
            several = isinstance(result, tuple) and len(result) in (1, len(gradients))
            name = getattr(self.hook_fn, "__name__", type(self.hook_fn).__name__)
            return tuple(from_hook(g, name)._t for g in (result if several else (result,)))

        if mode.graph or is_transforming() or not any(x._t.requires_grad for x in inputs):
            return inputs[0] if len(inputs) == 1 else inputs
        passed = observe_gradients(inputs, see)
        return passed[0] if len(passed) == 1 else passed
