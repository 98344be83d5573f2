"""Deformable convolution (``mindspore.ops.deformable_conv2d``)."""

from __future__ import annotations

import torch

from ms2torch._core.operators.registry import op

__all__ = ["deformable_conv2d"]


def _at(x, rows, columns):
    """Pixels of (N, C, H, W) at whole places (N, K), zero outside: (N, C, K)."""
    height, width = x.shape[2:]
    inside = (rows >= 0) & (rows < height) & (columns >= 0) & (columns < width)
    place = rows.clamp(0, height - 1) * width + columns.clamp(0, width - 1)
    found = x.flatten(2).gather(2, place.long()[:, None].expand(-1, x.shape[1], -1))
    return found * inside[:, None]


def _bilinear(x, rows, columns):
    top, left = rows.detach().floor(), columns.detach().floor()
    down, right = (rows - top)[:, None], (columns - left)[:, None]
    above = _at(x, top, left) * (1 - right) + _at(x, top, left + 1) * right
    below = _at(x, top + 1, left) * (1 - right) + _at(x, top + 1, left + 1) * right
    return above * (1 - down) + below * down


def read_at_offsets(x, offsets, kernel_size, strides, padding, dilations, groups):
    """Each window's elements (N, C, kh * kw, H', W'), read where ``offsets`` tells and scaled by it."""
    if x.dtype is torch.float16:        # places in half precision would be coarse
        x, offsets = x.float(), offsets.float()
        return read_at_offsets(x, offsets, kernel_size, strides, padding, dilations, groups).half()
    n, channels = x.shape[:2]
    kh, kw = kernel_size
    out_h, out_w = offsets.shape[2:]
    shifts = offsets.reshape(n, 3, groups, kh * kw, out_h, out_w)
    grid = torch.meshgrid(torch.arange(kh, device=x.device) * dilations[2],
                          torch.arange(kw, device=x.device) * dilations[3], indexing="ij")
    rows = torch.arange(out_h, device=x.device) * strides[2] - padding[0]
    columns = torch.arange(out_w, device=x.device) * strides[3] - padding[2]
    rows = grid[0].reshape(-1, 1, 1) + rows[:, None]
    columns = grid[1].reshape(-1, 1, 1) + columns[None]
    read = []
    for group, part in enumerate(x.chunk(groups, 1)):
        along_x, along_y, factor = shifts[:, :, group].unbind(1)
        values = _bilinear(part, (rows + along_y).flatten(1), (columns + along_x).flatten(1))
        read.append(values * factor.flatten(1)[:, None])
    return torch.cat(read, 1).reshape(n, channels, kh * kw, out_h, out_w)


@op
def deformable_conv2d(x, weight, offsets, kernel_size, strides, padding, bias=None, dilations=(1, 1, 1, 1),
                      groups=1, deformable_groups=1, modulated=True):
    """Convolution that reads each pixel at an offset of its own (``mindspore.ops.deformable_conv2d``).

    ``offsets`` (N, 3 * deformable_groups * kh * kw, H', W') holds shifts along x, shifts along y and the
    factors of what is read. ``strides`` and ``dilations`` are those of (N, C, H, W), ``padding`` is (top,
    bottom, left, right).
    """
    n, channels = x.shape[:2]
    kh, kw = kernel_size
    out_h, out_w = offsets.shape[2:]
    patches = read_at_offsets(x, offsets, kernel_size, strides, padding, dilations, deformable_groups)
    patches = patches.reshape(n, groups, channels // groups * kh * kw, out_h * out_w)
    kernels = weight.reshape(groups, weight.shape[0] // groups, -1)
    result = torch.einsum("gok,ngkp->ngop", kernels, patches).reshape(n, -1, out_h, out_w)
    return result if bias is None else result + bias[None, :, None, None]
