"""Rows, images and volumes at another size: ``interpolate``."""

from __future__ import annotations

import math
from typing import NamedTuple

import torch
import torch.nn.functional as F

from ms2torch._core.checks.kernel_dtypes import must_be, not_selected, not_supported
from ms2torch._core.errors import final, unsupported
from ms2torch._core.operators.registry import op
from ms2torch._core.operators.spelling import spelled
from ms2torch._core.tensor.dtype import from_torch

from ._math_axis import unseen
from ._nn_adaptive_pool import adaptive_avg_pool1d, adaptive_avg_pool2d, adaptive_avg_pool3d
from ._nn_image import by_scales, resized_bicubic, resized_linear

__all__ = ["interpolate", "upsample"]


class _Mode(NamedTuple):
    """What MindSpore's ``interpolate`` takes in a mode."""

    # The operator that computes it, by the rank.
    ranks: dict[int, str]
    # The ranks that take a scale as it is; elsewhere it must become a size (``recompute_scale_factor``).
    scaled: tuple[int, ...] = ()
    aligned: bool = False


_NEAREST = "ResizeNearestNeighborV2"
_MEANS = {3: "AdaptiveAvgPool1D", 4: "AdaptiveAvgPool2D", 5: "AdaptiveAvgPool3D"}
_MODES = {
    "nearest": _Mode({3: _NEAREST, 4: _NEAREST, 5: "UpsampleNearest3D"}, scaled=(5,)),
    "linear": _Mode({3: "ResizeLinear1D"}, aligned=True),
    "bilinear": _Mode({4: "ResizeBilinearV2"}, aligned=True),
    "bicubic": _Mode({4: "ResizeBicubic"}, aligned=True),
    "area": _Mode(_MEANS, scaled=(3, 4, 5)),
    "nearest-exact": _Mode({3: _NEAREST, 4: _NEAREST}),
    "trilinear": _Mode({5: "UpsampleTrilinear3D"}, scaled=(5,), aligned=True),
}
_FLOATS = ("Float16", "Float32", "Float64")
_SIGNED_AND_BYTES = (torch.int8, torch.int16, torch.int32, torch.int64, torch.uint8)


@unseen("sizes", "scales", "coordinate_transformation_mode", "roi")
@op
@spelled(x="input")
def interpolate(input, size=None, scale_factor=None, mode="nearest", align_corners=None,
                recompute_scale_factor=None, *, sizes=None, scales=None, coordinate_transformation_mode=None,
                roi=None):
    """Resizes the dimensions after (N, C) (``mindspore.ops.interpolate``).

    ``size`` is an int or one a dimension; ``scale_factor`` a float or one a dimension, which "nearest" and
    "trilinear" of 5 dimensions and "area" take as it is: elsewhere ``recompute_scale_factor=True`` makes it a
    size. Unlike torch "bicubic" has a = -0.5 and forgets what lies outside the image, unless corners are
    aligned; "area" of 3 dimensions wants sizes that divide the input's. TypeError or ValueError for all else.

    Before 2.0 they were ``sizes``, ``scales`` (of all dimensions) and ``coordinate_transformation_mode``,
    "align_corners" by default: taken by those names. ``roi``, which those positions do not read, as None.
    """
    if roi is not None:
        raise unsupported("mindspore.ops.interpolate(roi=)", "it belongs to 'tf_crop_and_resize'.",
                          "use ops.crop_and_resize.")
    if sizes is not None or scales is not None:
        return _before_2_0(input, sizes, scales, mode, coordinate_transformation_mode)
    rank = input.ndim
    if size is not None and scale_factor is not None:
        raise _refused("'size' and 'scale_factor' cannot be set simultaneously")
    if size is not None:
        size = _one_each(size, "size", int, rank)
    elif scale_factor is not None:
        scale_factor = _one_each(scale_factor, "scale_factor", float, rank)
    else:
        raise _refused("'size' and 'scale_factor' cannot be both empty")
    known = _MODES.get(mode) if isinstance(mode, str) else None
    if known is None:
        raise _refused(f"'mode' must be in '{list(_MODES)}', but got {mode}")
    if rank not in known.ranks:
        raise _refused(f"{mode} only support '{list(known.ranks)}'D, but got {rank}D")
    if mode == "area" and size is None:
        recompute_scale_factor = True
    if recompute_scale_factor:
        _need_bool(recompute_scale_factor, "recompute_scale_factor")
        if size is not None:
            raise _refused("it is incorrect to set 'recompute_scale_factor' to True after specifying an "
                           "explicit 'size'.")
        size = tuple(math.floor(n * s) for n, s in zip(input.shape[2:], scale_factor, strict=True))
        scale_factor = None
    elif scale_factor is not None and rank not in known.scaled:
        raise _refused("'scale_factor' option cannot currently be set with the mode = "
                       f"{mode} and dim = {rank}D.")
    if align_corners is not None:
        _need_bool(align_corners, "align_corners")
        if not known.aligned:
            raise _refused("'align_corners' option cannot currently be set with the mode = "
                           f"{mode}, and dim = {rank}D")
    return _resized(input, size, scale_factor, mode, bool(align_corners) if known.aligned else None)


def _resized(t, size, scale, mode: str, align_corners):
    rank = t.ndim
    if mode == "area":
        mean = {3: adaptive_avg_pool1d, 4: adaptive_avg_pool2d, 5: adaptive_avg_pool3d}[rank]
        if rank > 3 and not t.is_floating_point() and not (rank == 5 and t.dtype in _SIGNED_AND_BYTES):
            allowed = _FLOATS if rank == 4 else (*_FLOATS, "Int16", "Int32", "Int64", "Int8", "UInt8")
            raise final(TypeError(must_be(*allowed)(_MEANS[rank], from_torch(t.dtype))))
        return mean.kernel(t, size[0] if rank == 3 else size)
    if not (t.is_floating_point() or (t.dtype is torch.uint8 and mode in ("nearest", "nearest-exact"))):
        raise final(TypeError((not_selected if rank < 5 else not_supported)(_MODES[mode].ranks[rank])))
    if mode == "linear":
        return resized_linear(t, size, align_corners)
    if mode == "bicubic":
        return resized_bicubic(t, size, align_corners, not align_corners)
    return F.interpolate(t, size, None, mode, align_corners) if scale is None else by_scales(
        t, scale, mode, align_corners)


def _before_2_0(input, sizes, scales, mode: str, how):
    how = how or "align_corners"
    if how not in ("align_corners", "half_pixel"):
        raise unsupported(f"mindspore.ops.interpolate(coordinate_transformation_mode={how!r})",
                          "torch has no such positions.", "use 'align_corners' or 'half_pixel'.")
    mode = "linear" if mode == "nearest" and input.ndim == 3 else mode      # that form's default
    if mode != {3: "linear", 4: "bilinear"}.get(input.ndim):
        raise ValueError("For 'interpolate' by sizes or scales, 'mode' must be 'linear' for 3 dimensions "
                         f"or 'bilinear' for 4, but got {mode} for {input.ndim}.")
    scale = None if scales is None else tuple(float(s) for s in scales[2:])
    return F.interpolate(input, sizes, scale, mode, how == "align_corners")


def _one_each(given, name: str, kind: type, rank: int) -> tuple:
    """``given`` for each dimension after the first two; TypeError or ValueError for what is not > 0."""
    if not isinstance(given, (tuple, list)):
        _need_positive(given, name, kind)
        return (given,) * (rank - 2)
    for k, item in enumerate(given):
        _need_positive(item, f"{name}[{k}]", kind)
    if len(given) != rank - 2:
        raise _refused(f"'input' and '{name}' must have the same spatial dimensions, but got 'input' is "
                       f"{rank - 2}D, '{name}' is {len(given)}D")
    return tuple(given)


def _need_positive(item, name: str, kind: type) -> None:
    got = type(item).__name__
    if not isinstance(item, kind):
        raise _refused(f"the '{name}' must be {kind.__name__}, but got '{got}'", TypeError)
    if isinstance(item, bool) or item <= 0:
        raise _refused(f"the '{name}' must be {kind.__name__} and must > 0, but got '{item}' with type "
                       f"'{got}'.", TypeError if isinstance(item, bool) else ValueError)


def _need_bool(given, name: str) -> None:
    if not isinstance(given, bool):
        raise _refused(f"the '{name}' must be a bool, but got {type(given).__name__}.", TypeError)


def _refused(text: str, kind: type = ValueError) -> Exception:
    return final(kind(f"For 'interpolate', {text}"))


@op
def upsample(input, size=None, scale_factor=None, mode="nearest", align_corners=None,
             recompute_scale_factor=None):
    """The same as ``interpolate`` (``mindspore.ops.upsample``)."""
    return interpolate.kernel(input, size, scale_factor, mode, align_corners, recompute_scale_factor)
