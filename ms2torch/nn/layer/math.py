"""Mathematical layers (``mindspore.nn.layer.math``)."""

from __future__ import annotations

import re

import numpy as np
import torch

from ms2torch import _checkparam as check
from ms2torch._core.checks.refusals import translate
from ms2torch._core.errors import asked
from ms2torch._core.tensor.dtype import float16, float32, int32
from ms2torch._core.tensor.tensor import Tensor, wrap
from ms2torch.ops.function import _gamma
from ms2torch.ops.function._math_reduce import log_sum_exp

from ..cell import Cell
from ._plain import PlainCell

__all__ = ["CosineSimilarity", "DiGamma", "IGamma", "LBeta", "LGamma", "MatDet", "MatInverse", "MatMul",
           "Moments", "Range", "ReduceLogSumExp"]

_FLOATS = [float16, float32]


class ReduceLogSumExp(Cell):
    """log(sum(exp(x))) along ``axis`` (``mindspore.nn.ReduceLogSumExp``)."""

    def __init__(self, axis, keep_dims=False) -> None:
        super().__init__()
        check.check_value_type("axis", axis, [int, list, tuple], self.cls_name)
        check.check_value_type("keep_dims", keep_dims, [bool], self.cls_name)
        self.axis, self.keep_dims = axis, keep_dims

    def construct(self, x):
        t = x._t
        axis = self.axis if isinstance(self.axis, int) else tuple(self.axis) or tuple(range(t.ndim))
        return wrap(log_sum_exp(t, axis, self.keep_dims))


class Range(Cell):
    """The numbers from ``start`` to below ``limit`` (``mindspore.nn.Range``); one argument is the limit.

    Int32, or Float32 where an argument is a float. ``construct()`` takes nothing.
    """

    def __init__(self, start, limit=None, delta=1) -> None:
        super().__init__()
        if delta == 0:
            raise ValueError(f"For '{self.cls_name}', the 'delta' can not be zero.")
        data = np.arange(start, limit, delta)
        self.ms_dtype = float32 if data.dtype == np.float64 else int32
        self.result_tensor = Tensor(data, self.ms_dtype)

    def construct(self):
        return self.result_tensor


class _Special(PlainCell):
    """A function of float16 and float32 Tensors."""

    _formula = None

    def _of(self, **inputs):
        """The result for inputs by their names in MindSpore's error."""
        for name, x in inputs.items():
            check.check_type_name(name, x.dtype, _FLOATS, self.cls_name)
        return wrap(self._formula(*[x._t for x in inputs.values()]))

    def construct(self, x):
        return self._of(x=x)


class LGamma(_Special):
    """log|gamma(x)| (``mindspore.nn.LGamma``)."""

    _formula = staticmethod(torch.lgamma)


class DiGamma(_Special):
    """The derivative of LGamma (``mindspore.nn.DiGamma``)."""

    _formula = staticmethod(torch.digamma)


class IGamma(_Special):
    """The regularised lower incomplete gamma function of (a, x) (``mindspore.nn.IGamma``)."""

    _formula = staticmethod(_gamma.igamma)              # which has both derivatives

    def __init__(self) -> None:
        super().__init__()
        self.lgamma = LGamma()

    def construct(self, a, x):
        return self._of(a=a, x=x)


class LBeta(_Special):
    """log of the beta function of (x, y) (``mindspore.nn.LBeta``)."""

    _formula = staticmethod(lambda x, y: torch.lgamma(x) + torch.lgamma(y) - torch.lgamma(x + y))

    def __init__(self) -> None:
        super().__init__()
        self.lgamma = LGamma()

    def construct(self, x, y):
        return self._of(x=x, y=y)


class MatInverse(_Special):
    """The inverse of symmetric positive matrices (``mindspore.nn.MatInverse``)."""

    _formula = staticmethod(lambda a: torch.cholesky_inverse(torch.linalg.cholesky(a)))

    def __init__(self) -> None:
        super().__init__()
        self.matmul = MatMul()

    def construct(self, a):
        return self._of(input_a=a)


class MatDet(_Special):
    """The determinant of symmetric positive matrices (``mindspore.nn.MatDet``)."""

    _formula = staticmethod(torch.linalg.det)

    def construct(self, a):
        return self._of(input_a=a)


class MatMul(Cell):
    """Matrix product with broadcasting batches (``mindspore.nn.MatMul``); either side may come transposed."""

    def __init__(self, transpose_x1=False, transpose_x2=False) -> None:
        super().__init__()
        for name, value in (("transpose_x1", transpose_x1), ("transpose_x2", transpose_x2)):
            check.check_value_type(name, value, [bool], self.cls_name)
        self.transpose_x1, self.transpose_x2 = transpose_x1, transpose_x2

    def construct(self, x1, x2):
        a, b = x1._t, x2._t
        if self.transpose_x1 and a.ndim > 1:
            a = a.mT
        if self.transpose_x2 and b.ndim > 1:
            b = b.mT
        inner = (a.shape[-1], b.shape[-2] if b.ndim > 1 else b.shape[0])
        if inner[0] != inner[1]:
            raise ValueError(f"For '{self.cls_name}', the column of matrix dimensions of 'x1' must be equal "
                             f"to the row of matrix dimensions of 'x2', but got 'x1_col' {inner[0]} and "
                             f"'x2_row' {inner[1]}.")
        try:
            return wrap(torch.matmul(a, b))
        except RuntimeError as err:
            raise translate(err, "MatMul", (a, b), torch.matmul) from None


class CosineSimilarity(Cell):
    """Cosine of the angle between x1 and x2 along ``dim`` (``mindspore.nn.CosineSimilarity``)."""

    def __init__(self, dim=1, eps=1e-08) -> None:
        super().__init__()
        self.dim, self.eps = dim, eps

    def construct(self, x1, x2):
        for name, x in (("x1", x1), ("x2", x2)):
            if not isinstance(x, Tensor):
                raise TypeError(f"For 'CosineSimilarity', '{name}' must be a tensor, but got {type(x)}")
        a, b = x1._t, x2._t
        lengths = ((a * a).sum(self.dim) * (b * b).sum(self.dim)).clamp_min(self.eps * self.eps).sqrt()
        return wrap((a * b).sum(self.dim) / lengths)


def _no_mean(err: Exception, axis, rank: int) -> Exception:
    for i in axis if isinstance(axis, tuple) else (axis,):
        if not -rank <= i < rank:
            return asked(ValueError(f"For primitive[ReduceMean], the axis value must be in [-{rank},{rank}), "
                                    f"but got {i}."))
    twice = re.match(r"dim (\d+) appears multiple", str(err))
    return asked(RuntimeError(f"dim={twice[1]} appears multiple times in the list of dims")) if twice else err


class Moments(Cell):
    """Mean and (biased) variance along ``axis``, all axes by default (``mindspore.nn.Moments``)."""

    def __init__(self, axis=None, keep_dims=None) -> None:
        super().__init__()
        axis = () if axis is None else axis
        for i, item in enumerate(axis if isinstance(axis, tuple) else ()):
            check.check_value_type(f"axis[{i}]", item, [int], self.cls_name)
        self.axis = check.check_value_type("axis", axis, [int, tuple], self.cls_name)
        keep_dims = False if keep_dims is None else keep_dims
        self.keep_dims = check.check_value_type("keep_dims", keep_dims, [bool], self.cls_name)

    def construct(self, x):
        check.check_type_name("input x", x.dtype, _FLOATS, self.cls_name)
        t = x._t.to(torch.float32)
        axis = self.axis if isinstance(self.axis, int) else self.axis or tuple(range(t.ndim))
        try:
            mean = t.mean(axis, keepdim=True)
        except (IndexError, RuntimeError) as err:
            raise _no_mean(err, axis, t.ndim) from None
        # The mean is a constant to the variance's gradient.
        variance = (t - mean.detach()).square().mean(axis, keepdim=True)
        if not self.keep_dims:
            mean, variance = mean.squeeze(axis), variance.squeeze(axis)
        return wrap(mean.to(x._t.dtype)), wrap(variance.to(x._t.dtype))
