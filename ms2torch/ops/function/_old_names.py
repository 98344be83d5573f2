"""Primitives under names that MindSpore keeps for old programs (``mindspore.ops.deprecated``), and forms that
are no operators."""

from __future__ import annotations

from ms2torch._core.operators.registry import OPS, PRIMITIVES, Primitive, method, primitive

from . import _array_index, _nn_activation  # noqa: F401  (they register one_hot, GeLU and softmax)


@method(name="softmax")
def _softmax_method(input, axis, dtype=None):
    """Softmax along ``axis``, which has no default here (``mindspore.Tensor.softmax``)."""
    return OPS["softmax"].kernel(input, axis, dtype=dtype)


@method(name="one_hot")
def _one_hot_method(indices, depth, on_value, off_value, axis=-1):
    """`ops.one_hot` of this Tensor (``mindspore.Tensor.one_hot``, 1.8)."""
    return OPS["one_hot"].kernel(indices, depth, on_value, off_value, axis)


@method(name="to_tensor", on_tensors=True)
def _to_tensor_method(self, slice_index=None, shape=None, opt_shard_group=None):
    """`Tensor.init_data` under its name of 1.2 to 1.10 (``mindspore.Tensor.to_tensor``)."""
    return self.init_data(slice_index, shape, opt_shard_group)


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
