"""Windows and regions of images: volumes in patches, position-sensitive pooling, gradients of crops."""

from __future__ import annotations

import math

import torch
import torch.nn.functional as F

from ms2torch._core.errors import final
from ms2torch._core.tensor.dtype import from_torch
from ms2torch.ops.function._deformable import read_at_offsets
from ms2torch.ops.function._image_regions import crop_and_resize_kernel

from .pull import like_shape, pull


def _volume_patches(x, kernel_size, strides, padding):
    """Every window of (N, C, D, H, W) as channels, the window's elements before the channels."""
    kernel, step = kernel_size[2:], strides[2:]
    if padding.upper() == "SAME":
        pads = []
        for size, k, s in zip(reversed(x.shape[2:]), reversed(kernel), reversed(step), strict=True):
            extra = max((math.ceil(size / s) - 1) * s + k - size, 0)
            pads += [extra // 2, extra - extra // 2]
        x = F.pad(x, pads)
    windows = x.unfold(2, kernel[0], step[0]).unfold(3, kernel[1], step[1]).unfold(4, kernel[2], step[2])
    n, c, *out = windows.shape[:5]
    return windows.permute(0, 5, 6, 7, 1, 2, 3, 4).reshape(n, math.prod(kernel) * c, *out)


def _pair(of):
    """Height and width, of a number, of two, or of four with 1, 1 in front."""
    return (of, of) if isinstance(of, int) else tuple(of[-2:])


def _dilated(x, filter, stride, dilation, pad_mode="SAME", data_format="NCHW"):
    """The maximum over a window of the image plus a filter; the border that "same" adds is 0."""
    (kh, kw), (sh, sw), (dh, dw) = filter.shape[1:], _pair(stride), _pair(dilation)
    reach = (dw * (kw - 1) + 1, dh * (kh - 1) + 1)
    if pad_mode.upper() == "SAME":
        pads = []
        for size, k, s in zip(reversed(x.shape[2:]), reach, (sw, sh), strict=True):
            extra = max((math.ceil(size / s) - 1) * s + k - size, 0)
            pads += [extra // 2, extra - extra // 2]
        x = F.pad(x, pads)
    windows = x.unfold(2, reach[1], sh).unfold(3, reach[0], sw)[..., ::dh, ::dw]
    return (windows + filter[:, None, None]).amax((-2, -1))


def _kept_boxes(boxes, scores, max_output_size, iou_threshold, score_threshold):
    """Places of boxes by falling score, but for those that overlap with one before by too much."""
    corners = boxes.float().reshape(-1, 2, 2)
    low, high = corners.amin(1), corners.amax(1)
    area = (high - low).prod(-1)
    common = (torch.minimum(high[:, None], high) - torch.maximum(low[:, None], low)).clamp(min=0).prod(-1)
    over = common > iou_threshold * (area[:, None] + area - common)
    kept: list[int] = []
    for place in torch.argsort(scores, descending=True, stable=True).tolist():
        if len(kept) >= max_output_size or scores[place] <= score_threshold:
            break
        if not over[place, kept].any():
            kept.append(place)
    return torch.tensor(kept, dtype=torch.int32, device=boxes.device)


def _crop_gradient_of_image(grads, boxes, box_index, image_size, T=None, method="bilinear"):
    image = torch.zeros(image_size.tolist())
    gradient = pull(grads.float(), lambda t: crop_and_resize_kernel(
        t, boxes, box_index, grads.shape[1:3], method), image)
    return gradient if T is None else gradient.to(T.torch)


def _crop_gradient_of_boxes(grads, images, boxes, box_index, method="bilinear"):
    return pull(grads.float(), lambda b: crop_and_resize_kernel(
        images, b, box_index, grads.shape[1:3], method), boxes)


def _with_contrast(images, contrast_factor):
    """The distance from each channel's mean over (height, width), scaled."""
    wide = images.float()
    mean = wide.mean((-3, -2), keepdim=True)
    return ((wide - mean) * contrast_factor.float() + mean).to(images.dtype)


def _mean_of_bins(features, rois, spatial_scale, group_size, output_dim):
    """Means of ``group_size`` by ``group_size`` bins of regions, each bin of a channel of its own.

    ``rois`` (batch, 5, count) are (batch index, x1, y1, x2, y2) in pixels of the image, of which ``features``
    is ``spatial_scale`` times the size. The result is (batch * count, output_dim, group_size, group_size).
    """
    name = "For 'PSROIPooling', the "
    batch, channels, bins = *features.shape[:2], group_size * group_size
    if batch != rois.shape[0]:
        raise final(RuntimeError(f"{name}batch number of input 'features' and 'rois' must be equal, but got: "
                                 f"{batch} and {rois.shape[0]}respectively."))
    if channels != bins * output_dim:
        raise final(RuntimeError(
            f"{name}second dimension({channels}) of the input 'features' is illegal, it is not equal to "
            f"group_size({group_size}) * group_size({group_size}) * output_dim({output_dim})."))
    return _means(features, _boxes(rois), spatial_scale, group_size, output_dim)


def _boxes(rois) -> list[list[float]]:
    return rois.transpose(1, 2).reshape(-1, 5).double().tolist()


def _means(features, boxes, spatial_scale, group_size, output_dim):
    height, width = features.shape[2:]
    found = []
    for index, *corners in boxes:
        left, top, right, bottom = (_rounded(c * spatial_scale) for c in corners)
        image = features[int(index)].reshape(output_dim, group_size, group_size, height, width)
        rows, columns = _bins(top, bottom, group_size, height), _bins(left, right, group_size, width)
        means = [image[:, i, j, a:b, c:d].sum((1, 2)) / max((b - a) * (d - c), 1)
                 for i, (a, b) in enumerate(rows) for j, (c, d) in enumerate(columns)]
        found.append(torch.stack(means, 1).reshape(output_dim, group_size, group_size))
    return torch.stack(found)


def _rounded(x: float) -> int:
    """The nearest whole number, a half away from zero."""
    return int(math.copysign(math.floor(abs(x) + 0.5), x))


def _bins(begin: int, end: int, count: int, size: int) -> list[tuple[int, int]]:
    """Whole pixels, of ``size``, that ``count`` equal parts from ``begin`` to ``end`` touch."""
    step = max(end - begin, 0.1) / count
    edges = [(math.floor(begin + k * step), math.ceil(begin + (k + 1) * step)) for k in range(count)]
    return [(min(max(first, 0), size), min(max(last, 0), size)) for first, last in edges]


def _check_bins(made) -> None:
    """The errors of attributes that these operators refuse."""
    name, size = f"For '{made.name}', the ", getattr(made, "input_size", ())
    if not isinstance(size, (int, tuple)):
        raise TypeError(f"{name}type of 'input_size' should be one of '['int', 'tuple']', but got type "
                        f"'{type(size).__name__}'.")
    sizes = size if isinstance(size, tuple) else (size, size)
    asked = [("spatial_scale", made.spatial_scale, float), ("group_size", made.group_size, int),
             ("output_dim", made.output_dim, int)]
    asked += [(f"input_size[{k}]", n, int) for k, n in enumerate(sizes)]
    for what, value, kind in asked:
        if type(value) is not kind:
            raise TypeError(f"{name}'{what}' must be {kind.__name__}, but got '{type(value).__name__}'")
        if value <= 0:
            raise ValueError(f"{name}'{what}' must be {kind.__name__} and must > 0, but got '{value}' with "
                             f"type '{kind.__name__}'.")


def _gradient_of_bins(x, rois, input_size, spatial_scale, group_size, output_dim):
    for name, t in (("x", x), ("rois", rois)):
        if t.dtype is not torch.float32:
            raise final(TypeError(f"For primitive[PSROIPoolingGrad], the input argument[{name}] must be a "
                                  f"type of {{Tensor[Float32]}}, but got Tensor[{from_torch(t.dtype)}]."))
    if x.shape[1] != output_dim:
        raise final(ValueError("For 'PSROIPoolingGrad', the channel of input feature is invalid, got: "
                               f"{x.shape[1]}, must be equal to output_dim: {output_dim}."))
    if x.numel() != rois.shape[0] * rois.shape[2] * output_dim * group_size * group_size:
        raise final(RuntimeError(f"For 'PSROIPoolingGrad', a gradient of shape {tuple(x.shape)} is not of "
                                 f"{rois.shape[0] * rois.shape[2]} regions of {group_size} by {group_size}."))
    input_size = input_size if isinstance(input_size, tuple) else (input_size, input_size)
    shape = (rois.shape[0], group_size * group_size * output_dim, *input_size)
    boxes = _boxes(rois)
    return like_shape(shape, x, lambda t: _means(t, boxes, spatial_scale, group_size, output_dim))


_mean_of_bins.check_attributes = _gradient_of_bins.check_attributes = _check_bins


def _shifted(x, offsets, strides, pads, ksize, dilations=(1, 1, 1, 1), data_format="NCHW",
             deformable_groups=1, modulated=True):
    """What a deformable convolution multiplies with its kernel: each window of ``ksize`` beside the next."""
    if modulated is not True:
        raise ValueError("For 'DeformableOffsets', The modulated must be set to True.")
    last = data_format == "NHWC"
    if last:
        x, offsets = x.permute(0, 3, 1, 2), offsets.permute(0, 3, 1, 2)
        strides, dilations = ((1, 1, *of[1:3]) for of in (strides, dilations))
    (n, channels), (kh, kw), (height, width) = x.shape[:2], ksize, offsets.shape[2:]
    if channels % deformable_groups:
        raise ValueError("For 'DeformableOffsets', 'C_in' of input 'x' shape must be divisible by "
                         f"'deformable_groups', but got 'C_in' of input 'x' shape: {channels}, and "
                         f"'deformable_groups': {deformable_groups}.")
    if offsets.shape[1] != 3 * kh * kw * deformable_groups:
        raise ValueError("For 'DeformableOffsets', 'C_in' of input 'offsets' shape must be equal to 3 * "
                         "kernel_height * kernel_width * deformable_groups, but got 'C_in' of input "
                         f"'offsets' shape: {offsets.shape[1]}, kernel_height: {kh}, kernel_width: {kw}, "
                         f"deformable_groups: {deformable_groups}.")
    read = read_at_offsets(x, offsets, ksize, strides, pads, dilations, deformable_groups)
    read = read.reshape(n, channels, kh, kw, height, width).permute(0, 1, 4, 2, 5, 3)
    read = read.reshape(n, channels, height * kh, width * kw)
    return read.permute(0, 2, 3, 1) if last else read


def _gradient_of_shifted(out_backprop, input, offsets, strides, pads, kernel_size, dilations=(1, 1, 1, 1),
                         data_format="NCHW", deformable_groups=1, modulated=True):
    return pull(out_backprop, lambda x, o: _shifted(x, o, strides, pads, kernel_size, dilations, data_format,
                                                    deformable_groups, modulated), input, offsets)


ROWS = {
    "AdjustContrastv2": _with_contrast,
    "CropAndResizeGradBoxes": _crop_gradient_of_boxes,
    "CropAndResizeGradImage": _crop_gradient_of_image,
    "DeformableOffsets": _shifted,
    "DeformableOffsetsGrad": _gradient_of_shifted,
    "Dilation2D": _dilated,
    "ExtractVolumePatches": _volume_patches,
    "NonMaxSuppressionV3": _kept_boxes,
    "PSROIPooling": _mean_of_bins,
    "PSROIPoolingGrad": _gradient_of_bins,
}
