"""Layers that rearrange, pad, mask and measure Tensors; at home in ``mindspore.nn.layer.basic``."""

from __future__ import annotations

import math

import numpy as np
import torch

from ms2torch import _checkparam as check
from ms2torch._core.checks.calls import describe
from ms2torch._core.checks.refusals import wrong_dtype
from ms2torch._core.errors import asked
from ms2torch._core.tensor.construct import filled
from ms2torch._core.tensor.dtype import Number, float32
from ms2torch._core.tensor.tensor import Tensor, wrap
from ms2torch.ops.function._array_pad import _pairs
from ms2torch.ops.function._nn_image import patches
from ms2torch.ops.function._nn_interpolate import interpolate

from ..cell import Cell
from ._late import is_number
from ._parts import primitive
from ._plain import PlainCell

__all__ = ["ClipByNorm", "L1Regularizer", "MatrixDiag", "MatrixDiagPart", "MatrixSetDiag", "Norm", "OneHot",
           "Pad", "Roll", "Tril", "Triu", "Unflatten", "Unfold", "Upsample"]


class L1Regularizer(Cell):
    """scale * sum(|weights|) (``mindspore.nn.L1Regularizer``)."""

    def __init__(self, scale) -> None:
        super().__init__()
        check.check_value_type("scale", scale, [int, float], self.cls_name)
        if scale <= 0:
            raise ValueError(f"For '{self.cls_name}', the 'scale' must be greater than 0, but got {scale}.")
        if math.isinf(scale) or math.isnan(scale):
            raise ValueError(f"For '{self.cls_name}', the 'scale' can not be INF or NAN, but got {scale}.")
        self.scale = scale

    def construct(self, weights):
        if not isinstance(weights.dtype, Number):
            raise TypeError(f"For '{self.cls_name}', the dtype of 'weights' must be a number, "
                            f"but got {weights.dtype}.")
        total = weights._t.abs().sum()
        if total.dtype in (torch.float16, torch.bfloat16):
            total = total.float()
        return wrap(self.scale * total)


class ClipByNorm(Cell):
    """x scaled down to the norm ``clip_norm`` along ``axis``, all axes by default; Float16 becomes Float32
    (``mindspore.nn.ClipByNorm``)."""

    def __init__(self, axis=None) -> None:
        super().__init__()
        if axis is not None:
            check.check_value_type("axis", axis, [int, tuple, list], "ClipByNorm")
        self.axis = axis

    def construct(self, x, clip_norm):
        if not isinstance(x, Tensor) or not isinstance(clip_norm, Tensor):
            raise TypeError("For 'ClipByNorm', the input args must be tensor.")
        t, bound = x._t, clip_norm._t
        if t.dtype is torch.float16:
            t = t.float()
        axis = self.axis
        if axis is None or (isinstance(axis, (tuple, list)) and not axis):
            axis = tuple(range(t.ndim))
        norm = t.square().sum(axis, keepdim=True).sqrt()
        return wrap(t * bound / torch.maximum(norm, bound.to(t.dtype)))


class Norm(Cell):
    """Euclidean norm along ``axis``, all axes by default (``mindspore.nn.Norm``)."""

    def __init__(self, axis=(), keep_dims=False) -> None:
        super().__init__()
        check.check_value_type("keep_dims", keep_dims, [bool], self.cls_name)
        self.axis, self.keep_dims = axis, keep_dims

    def construct(self, x):
        t = x._t
        axis = self.axis if isinstance(self.axis, int) else tuple(self.axis) or tuple(range(t.ndim))
        return wrap(t.square().sum(axis, keepdim=self.keep_dims).sqrt())

    def extend_repr(self) -> str:
        return f"axis={self.axis}, keep_dims={self.keep_dims}"


class OneHot(Cell):
    """Indices as rows of ``on_value`` and ``off_value`` in ``dtype`` (``mindspore.nn.OneHot``).

    The new dimension of size ``depth`` is ``axis``; indices out of range give rows of ``off_value``.
    """

    def __init__(self, axis=-1, depth=1, on_value=1.0, off_value=0.0, dtype=float32) -> None:
        super().__init__()
        self.axis, self.depth, self.dtype = axis, depth, dtype
        self.on_value, self.off_value = on_value, off_value

    onehot = primitive("OneHot", "axis")

    def construct(self, indices):
        t = indices._t
        if isinstance(self.axis, bool) or not isinstance(self.axis, (int, np.integer)):
            raise TypeError(f'Failed calling OneHot with "OneHot(axis={describe(self.axis)})(indices=Tensor, '
                            'depth=int, on_value=Tensor, off_value=Tensor)".')
        if t.dtype is not torch.int32 and t.dtype is not torch.int64:
            raise wrong_dtype("OneHot", "indices", t.dtype, (torch.int32, torch.int64))
        hot = t.unsqueeze(-1) == torch.arange(self.depth, device=t.device)
        on, off = (v._t.to(t.device, self.dtype.torch) if isinstance(v, Tensor)
                   else filled(v, self.dtype.torch, t.device) for v in (self.on_value, self.off_value))
        return wrap(torch.where(hot, on, off).movedim(-1, self.axis))


class Pad(Cell):
    """Pads every dimension by its (before, after) pair (``mindspore.nn.Pad``), the first dimension first.

    ``mode`` is "CONSTANT" (zeros), "REFLECT", or "SYMMETRIC", which repeats the edge.
    """

    def __init__(self, paddings, mode="CONSTANT") -> None:
        super().__init__()
        check.check_string(mode, ["CONSTANT", "REFLECT", "SYMMETRIC"], "mode", self.cls_name)
        if not isinstance(paddings, tuple):
            raise TypeError(f"For '{self.cls_name}', the type of 'paddings' must be tuple, "
                            f"but got {type(paddings).__name__}.")
        for item in paddings:
            if len(item) != 2:
                raise ValueError(f"For '{self.cls_name}', the dimension of 'paddings' must be (n, 2), "
                                 f"but got {paddings}.")
        if len(paddings) > 4:
            raise ValueError(f"For '{self.cls_name}', only 'paddings' up to 4 dims is supported, but got "
                             f"{len(paddings)}.")
        self.mode, self.paddings = mode, paddings
        self._mode = mode

    def construct(self, x):
        if (self.mode == "CONSTANT") is not (self._mode == "CONSTANT"):
            operator, takes = ("Pad", 1) if self._mode == "CONSTANT" else ("MirrorPad", 2)
            raise asked(ValueError(f"For primitive[{operator}], the input number must be equal to {takes}, "
                                   f"but got {3 - takes}."))
        if self.mode == "CONSTANT":
            return wrap(_pairs(x._t, self.paddings))
        if x.ndim != len(self.paddings):
            raise ValueError("For 'MirrorPad', paddings.shape[0] must equal to input's rank, but got "
                             f"{len(self.paddings)}.\n")
        return self._mirror(x, Tensor(self.paddings))

    _mirror = primitive("MirrorPad", "_mode")


class Unfold(Cell):
    """Windows of (N, C, H, W) as channels (``mindspore.nn.Unfold``): (N, kh * kw * C, out_h, out_w).

    ``ksizes``, ``strides`` and ``rates`` are [1, rows, columns, 1]; ``padding`` is "valid" or "same".
    """

    def __init__(self, ksizes, strides, rates, padding="valid") -> None:
        super().__init__()
        for label, value in (("ksize", ksizes), ("stride", strides), ("rate", rates)):
            self._check(label, value, ksizes)
        check.check_string(padding.upper(), ["VALID", "SAME"], "padding", "ExtractImagePatches")
        self._arguments = [(v[0], v[3], v[1], v[2]) for v in (ksizes, strides, rates)]
        self.padding = padding

    extract_image_patches = primitive("ExtractImagePatches", all="_patch_arguments")

    @property
    def _patch_arguments(self) -> dict:
        return dict(zip(("ksizes", "strides", "rates"), self._arguments, strict=True), padding=self.padding)

    def _check(self, label: str, value, ksizes) -> None:
        name = self.cls_name
        check.check_value_type(f"{label}s", ksizes, [tuple, list], name)
        if not hasattr(value, "__len__"):
            raise asked(TypeError(f"object of type '{type(value).__name__}' has no len()"))
        if len(value) != 4 or value[0] != 1 or value[3] != 1:
            raise ValueError(f"For '{name}' the format of '{label}s' must be [1, {label}_row, {label}_col, "
                             f"1], but got {value}.")
        if not all(isinstance(v, int) and v >= 1 for v in value[1:3]):
            raise ValueError(f"For '{name}' the {label}_row and {label}_col in '{label}s' must be an "
                             "positive integer "
                             f"number, but got {label}_row is {value[1]}, {label}_col is {value[2]}")

    def construct(self, input_x):
        return wrap(patches(input_x._t, *self._arguments, self.padding))


class Tril(PlainCell):
    """The lower triangle, zeros above the diagonal ``k`` (``mindspore.nn.Tril``)."""

    def construct(self, x, k=0):
        return wrap(torch.tril(x._t, k))


class Triu(PlainCell):
    """The upper triangle, zeros below the diagonal ``k`` (``mindspore.nn.Triu``)."""

    def construct(self, x, k=0):
        return wrap(torch.triu(x._t, k))


class MatrixDiag(PlainCell):
    """Matrices with the last dimension as diagonal (``mindspore.nn.MatrixDiag``)."""

    def construct(self, input_x):
        return wrap(torch.diag_embed(input_x._t))


class MatrixDiagPart(PlainCell):
    """The diagonals of matrices (``mindspore.nn.MatrixDiagPart``)."""

    def construct(self, input_x):
        return wrap(torch.diagonal(input_x._t, dim1=-2, dim2=-1))


class MatrixSetDiag(PlainCell):
    """Matrices with another diagonal (``mindspore.nn.MatrixSetDiag``)."""

    def construct(self, input_x, diagonal):
        return wrap(torch.diagonal_scatter(input_x._t, diagonal._t, dim1=-2, dim2=-1))


class Roll(Cell):
    """Elements moved on by ``shift`` along ``axis``, around the end (``mindspore.nn.Roll``)."""

    def __init__(self, shift, axis) -> None:
        super().__init__()
        for name, value in (("shift", shift), ("axis", axis)):
            check.check_value_type(name, value, [int, tuple, list], self.cls_name)
        shifts, axes = ([one] if isinstance(one, int) else one for one in (shift, axis))
        if len(shifts) != len(axes):
            raise ValueError(f"For '{self.cls_name}', the shape of 'shift' and the shape of 'axis' must be "
                             f"the same, but got the length of 'shift' {len(shifts)} and the length of "
                             f"'axis' {len(axes)}.")
        for one in axes:
            if not is_number(one):
                raise TypeError(f"For 'Roll', the 'axis' must be 'int',  but got '{type(one).__name__}'.")
        self.shift, self.axis = shift, axis

    def construct(self, input_x):
        if not isinstance(input_x, Tensor):
            raise asked(TypeError("For primitive[Shape], the input argument must be Tensor, but got "
                                  f"{type(input_x)}."))
        t = input_x._t
        for axis in (self.axis,) if isinstance(self.axis, int) else self.axis:
            if not -t.ndim <= axis < t.ndim:
                raise ValueError(f"For 'Roll', the 'axis' must be in range of [{-t.ndim}, {t.ndim}), but "
                                 f"got {axis} with type 'int'.")
        return wrap(torch.roll(t, self.shift, self.axis))


class Unflatten(Cell):
    """Splits the dimension ``axis`` into ``unflattened_size`` (``mindspore.nn.Unflatten``)."""

    def __init__(self, axis, unflattened_size) -> None:
        super().__init__()
        check.check_is_int(axis, "axis", self.cls_name)
        check.check_value_type("unflattened_size", unflattened_size, (list, tuple), self.cls_name)
        self.axis, self.unflattened_size = axis, tuple(unflattened_size)

    def construct(self, input_x):
        return wrap(input_x._t.unflatten(self.axis, self.unflattened_size))


class Upsample(Cell):
    """Resizes the dimensions after (N, C) (``mindspore.nn.Upsample``); arguments as torch's."""

    def __init__(self, size=None, scale_factor=None, mode="nearest", align_corners=None,
                 recompute_scale_factor=None) -> None:
        super().__init__()
        self.size, self.scale_factor, self.mode = size, scale_factor, mode
        self.align_corners, self.recompute_scale_factor = align_corners, recompute_scale_factor

    def construct(self, x):
        return interpolate(x, self.size, self.scale_factor, self.mode, self.align_corners,
                           self.recompute_scale_factor)
