"""Primitives under names that MindSpore keeps for old programs (``mindspore.ops.deprecated``), and forms that
are no operators."""

from __future__ import annotations

from ms2torch._core.operators.registry import OPS, PRIMITIVES, Primitive, method, primitive

from . import _nn_activation  # noqa: F401  (it registers GeLU and softmax)


@method(name="softmax")
def _softmax_method(input, axis, dtype=None):
    """Softmax along ``axis``, which has no default here (``mindspore.Tensor.softmax``)."""
    return OPS["softmax"].kernel(input, axis, dtype=dtype)


@primitive("Gelu")
def _gelu(x):
    """GELU by tanh, under the name of r1.0 (``mindspore.ops.Gelu``)."""
    return PRIMITIVES["GeLU"].kernel(x)


class identity(Primitive):
    """Gives back what it gets (``mindspore.ops.operations.identity``)."""

    def __init__(self) -> None:
        super().__init__("identity")
        self.add_prim_attr("side_effect_propagate", 1)

    def __call__(self, x):
        return x
