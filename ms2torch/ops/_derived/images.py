"""Gradients of resizing and sampling: the forward definitions are linear in the image."""

from __future__ import annotations

import torch
import torch.nn.functional as F

from ms2torch._core.tensor.dtype import from_torch
from ms2torch.ops.function._nn_image import by_scales, resized_bilinear, resized_nearest, sampled

from .pull import forward, like_shape, pull, shape


def _nearest(grads, size, align_corners=False, half_pixel_centers=False):
    wide = grads if grads.is_floating_point() or grads.itemsize < 4 else grads.double()
    image = wide.new_zeros(*grads.shape[:2], *shape(size))
    return pull(
        wide, lambda t: resized_nearest(t, grads.shape[2:], align_corners, half_pixel_centers), image
    ).to(grads.dtype)


def _upsampled(x, output_size=None, scales=None, align_corners=None, *, mode):
    if output_size is None:
        return by_scales(x, [float(s) for s in scales], mode, align_corners)
    return F.interpolate(x, shape(output_size), None, mode, align_corners)


def _upsample(mode: str, aligned: bool = True):
    """The pair of forward computation and gradient of one mode."""
    if not aligned:
        return (
            lambda x, output_size=None, scales=None: _upsampled(x, output_size, scales, mode=mode),
            lambda dy, input_size, output_size=None, scales=None: like_shape(
                input_size, dy, lambda t: _upsampled(t, output_size, scales, mode=mode)
            ),
        )
    return (
        lambda x, output_size=None, scales=None, align_corners=False: _upsampled(
            x, output_size, scales, align_corners, mode=mode
        ),
        lambda dy, input_size, output_size=None, scales=None, align_corners=False: like_shape(
            input_size, dy, lambda t: _upsampled(t, output_size, scales, align_corners, mode=mode)
        ),
    )


def _sampled(
    grad,
    input_x,
    grid,
    interpolation_mode="bilinear",
    padding_mode="zeros",
    align_corners=False,
    output_mask=(1, 1),
):
    return pull(
        grad, lambda x, g: sampled(x, g, interpolation_mode, padding_mode, align_corners), input_x, grid
    )


def _roi_align(dy, rois, xdiff_shape, pooled_height=1, pooled_width=1, spatial_scale=1.0, sample_num=2):
    return like_shape(
        xdiff_shape,
        dy,
        lambda t: forward("ROIAlign")(t, rois, pooled_height, pooled_width, spatial_scale, sample_num),
    )


def _scaled(grads, original_image, scale, translation, kernel_type="lanczos3", antialias=True):
    size = torch.tensor(grads.shape[1:3])
    return pull(
        grads,
        lambda t: forward("ScaleAndTranslate")(t, size, scale, translation, kernel_type, antialias),
        original_image,
    )


_BY_WORD = {"nearest": "nearest", "linear": "bilinear", "cubic": "bicubic"}
_INTEGERS = ("Int16", "Int32", "Int64", "Int8", "UInt8")
_WHERE = ("align_corners", "half_pixel")


def _resized_as_onnx(x, roi, scales, sizes, coordinate_transformation_mode="half_pixel", mode="nearest"):
    """(N, C, H, W) at the size ``sizes``, by ONNX's words; neither ``roi`` nor ``scales`` counts."""
    for name, word, words in (("coordinate_transformation_mode", coordinate_transformation_mode, _WHERE),
                              ("mode", mode, tuple(_BY_WORD))):
        if not isinstance(word, str):
            raise TypeError(f"For 'ResizeV2', the type of '{name}' should be 'str', but got type "
                            f"'{type(word).__name__}'.")
        if word not in words:
            raise ValueError(f"For 'ResizeV2', the '{name}' must be str and must be in '{list(words)}', but "
                             f"got '{word}'.")
    nearest, aligned = mode == "nearest", coordinate_transformation_mode == "align_corners"
    floats = ("Float16", "Float32", "Float64")
    for name, value, dtypes in (("x", x, sorted((*floats, *_INTEGERS)) if nearest else floats),
                                ("roi", roi, ("Float32",)), ("scales", scales, ("Float32",)),
                                ("sizes", sizes, ("Int32", "Int64"))):
        if from_torch(value.dtype)._text not in dtypes:
            listed = ", ".join(f"Tensor[{d}]" for d in dtypes)
            raise TypeError(f"For primitive[ResizeV2], the input argument[{name}] must be a type of "
                            f"{{{listed}}}, but got Tensor[{from_torch(value.dtype)._text}].")
    for name, value, rank in (("x", x, 4), ("sizes", sizes, 1)):
        if value.ndim != rank:
            raise ValueError(f"For primitive[ResizeV2], the dim of {name} must be equal to {rank}, but got "
                             f"{value.ndim}.")
    if nearest and aligned:
        raise ValueError("For 'ResizeV2', coordinate_transformation_mode must be 'half_pixel' when mode = "
                         "'nearest', but got align_corners.")
    size = sizes.tolist()
    if len(size) != 4:
        raise ValueError("For 'ResizeV2', the length of 'sizes' must be 4.")
    if mode != "cubic" and size[2] != 1:
        raise ValueError("For 'ResizeV2', sizes[2] must be 1, when mode='nearest' or 'linear'.")
    if min(size[2:]) < 1:
        raise ValueError("For 'ResizeV2', the value of 'sizes' must be greater than 0.")
    if size[:2] != list(x.shape[:2]):
        raise ValueError("For 'ResizeV2', sizes[0] and sizes[1] must be the same as the shape[0] and "
                         "shape[1] of x.")
    if not x.numel():
        return x.new_zeros(size)
    wide = x if x.is_floating_point() else x.double()          # (torch resizes no other integers)
    return F.interpolate(wide, size[2:], mode=_BY_WORD[mode],
                         align_corners=None if nearest else aligned).to(x.dtype)


def _resized_as_onnx_grad(grads, roi, scales, original_size, coordinate_transformation_mode="half_pixel",
                          mode="nearest"):
    """The gradient of an image of ``original_size`` that ``ResizeV2`` made as large as ``grads``."""
    size, aligned = shape(original_size), coordinate_transformation_mode == "align_corners"
    if mode != "cubic" and size[2] != 1:
        raise ValueError("For 'ResizeV2Grad', original_size[2] must be 1, when mode='nearest' or 'linear'.")
    return pull(grads, lambda t: F.interpolate(t, grads.shape[2:], mode=_BY_WORD[mode],
                                               align_corners=None if mode == "nearest" else aligned),
                grads.new_zeros(size))


_MODES = {
    "Nearest1D": ("nearest", False),
    "Nearest2D": ("nearest", False),
    "Nearest3D": ("nearest", False),
    "Linear1D": ("linear", True),
    "Bilinear2D": ("bilinear", True),
    "Bicubic2D": ("bicubic", True),
    "Trilinear3D": ("trilinear", True),
}

ROWS = {
    "ResizeBilinearGrad": lambda grads, image, align_corners=False, half_pixel_centers=False: pull(
        grads, lambda t: resized_bilinear(t, grads.shape[2:], align_corners, half_pixel_centers), image
    ),
    "ResizeBicubicGrad": lambda grads, image, align_corners=False, half_pixel_centers=False: pull(
        grads,
        lambda t: forward("ResizeBicubic")(t, grads.shape[2:], align_corners, half_pixel_centers),
        image,
    ),
    "ResizeNearestNeighborGrad": lambda grads, size, align_corners=False, half_pixel_centers=False: _nearest(
        grads, size, align_corners
    ),
    "ResizeNearestNeighborV2Grad": _nearest,
    "ResizeLinear1DGrad": lambda grads, x, coordinate_transformation_mode="align_corners": pull(
        grads, lambda t: forward("ResizeLinear1D")(t, grads.shape[2:], coordinate_transformation_mode), x
    ),
    "ResizeV2": _resized_as_onnx,
    "ResizeV2Grad": _resized_as_onnx_grad,
    "GridSampler2DGrad": _sampled,
    "GridSampler3DGrad": _sampled,
    "ScaleAndTranslateGrad": _scaled,
    "AffineGridGrad": lambda y_grad, x_size, align_corners=False: pull(
        y_grad,
        lambda t: F.affine_grid(t, shape(x_size), align_corners),
        y_grad.new_zeros(y_grad.shape[0], len(shape(x_size)) - 2, len(shape(x_size)) - 1),
    ),
    "ROIAlignGrad": _roi_align,
    **{f"Upsample{name}": _upsample(*mode)[0] for name, mode in _MODES.items()},
    **{f"Upsample{name}Grad": _upsample(*mode)[1] for name, mode in _MODES.items()},
    "Col2ImGrad": lambda input, kernel_size, dilation=1, padding=0, stride=1: F.unfold(
        input, kernel_size, dilation, padding, stride
    ),
    "Col2ImExt": lambda input, output_size, kernel_size, dilation=1, padding=0, stride=1: F.fold(
        input, shape(output_size), kernel_size, dilation, padding, stride
    ),
    "Im2ColExt": lambda input, kernel_size, dilation=1, padding=0, stride=1: F.unfold(
        input, kernel_size, dilation, padding, stride
    ),
}
