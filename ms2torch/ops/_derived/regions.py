"""Windows and regions of images: volumes in patches, position-sensitive pooling, gradients of crops."""

from __future__ import annotations

import math

import torch
import torch.nn.functional as F

from ms2torch.ops.function._image_regions import crop_and_resize_kernel

from .pull import pull


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


ROWS = {
    "AdjustContrastv2": _with_contrast,
    "CropAndResizeGradBoxes": _crop_gradient_of_boxes,
    "CropAndResizeGradImage": _crop_gradient_of_image,
    "ExtractVolumePatches": _volume_patches,
}
