"""BiDense (``mindspore.nn.layer.dense``)."""

from __future__ import annotations

import math

from ms2torch import _checkparam as check
from ms2torch._core.tensor.dtype import float32
from ms2torch._core.tensor.tensor import Tensor, wrap
from ms2torch.common.initializer import Uniform, initializer
from ms2torch.common.parameter import Parameter
from ms2torch.ops.function._linalg_solve import bidense

from ..cell import Cell
from ._parts import bias_of

__all__ = ["BiDense"]


class BiDense(Cell):
    """``input1 @ weight[k] @ input2 + bias`` for every output k (``mindspore.nn.BiDense``; torch's Bilinear).
    """

    def __init__(self, in1_channels, in2_channels, out_channels, weight_init=None, bias_init=None,
                 has_bias=True, dtype=float32) -> None:
        super().__init__()
        for name, value in (("in1_channels", in1_channels), ("in2_channels", in2_channels),
                            ("out_channels", out_channels)):
            setattr(self, name, check.check_positive_int(value, name, self.cls_name))
        self.has_bias = check.check_bool(has_bias, "has_bias", self.cls_name)
        bound = 1 / math.sqrt(in1_channels)
        shape = [out_channels, in1_channels, in2_channels]
        if isinstance(weight_init, Tensor) and weight_init.shape != tuple(shape):
            raise ValueError(f"For '{self.cls_name}', weight init shape error. The shape of 'weight_init' "
                             f"must be {tuple(shape)}, but got {weight_init.shape}.")
        init = Uniform(bound) if weight_init is None else weight_init
        self.weight = Parameter(initializer(init, shape, dtype=dtype), "weight")
        self.bias = None
        if has_bias:
            init = Uniform(bound) if bias_init is None else bias_init
            self.bias = Parameter(initializer(init, [out_channels], dtype=dtype), name="bias")

    def construct(self, input1, input2):
        bias = self.bias if self.has_bias else None
        if bias is None and self.has_bias:
            bias_of(self, "bias" in self._params)
        return wrap(bidense.kernel(input1._t, input2._t, self.weight._t, None if bias is None else bias._t))

    def extend_repr(self) -> str:
        text = (f"in1_channels={self.in1_channels}, in2_channels={self.in2_channels}, "
                f"output_channels={self.out_channels}")
        return f"{text}, has_bias={self.has_bias}" if self.has_bias else text
