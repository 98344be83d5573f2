"""Padding, and the operators that trade space for depth, batch or columns."""

from __future__ import annotations

import math

import numpy as np
import torch
import torch.nn.functional as F

from ms2torch._core.errors import final
from ms2torch._core.operators.arithmetic import SIGNED
from ms2torch._core.operators.registry import REQUIRED, op, primitive
from ms2torch._core.operators.spelling import spelled
from ms2torch._naming import generations

from ._array_shape import ints
from ._nn_image import unfold
from ._nn_windows import check_columns

_MODES = {"constant": "constant", "reflect": "reflect", "replicate": "replicate", "edge": "replicate",
          "circular": "circular"}


# ---- padding ---------------------------------------------------------------------------------------------


@op
@spelled(paddings="padding")
def pad(input_x, padding, mode="constant", value=None):
    """``input_x`` with elements added around it, the last axis first as in torch (``mindspore.ops.pad``).

    ``padding`` (left, right, top, bottom, ...), negative to cut; ``mode`` "constant" with ``value``,
    "reflect", "replicate" or "circular". A pair for each axis in a tuple, the form before 2.0, pads with
    zeros.
    """
    padding = ints(padding)
    if len(padding) and isinstance(padding[0], (tuple, list)):
        if generations.has_new_meaning("mindspore.ops.pad"):
            raise TypeError("For 'pad', the paddings value must be tuple of int or list of int, "
                            f"but got {padding}")
        return _pairs(input_x, tuple(padding))
    if len(padding) % 2:
        raise ValueError(f"For 'pad', the size of padding must be divisible by 2, but got {len(padding)}")
    if mode not in _MODES:
        raise ValueError("For 'PadV3', the 'mode' must be str and must be in '['constant', 'reflect', "
                         f"'edge', 'circular']', but got '{mode}'.")
    if not len(padding):
        return input_x.clone()
    if mode == "constant":
        if len(padding) > 2 * input_x.ndim:
            raise ValueError("For 'PadV3' constant mode, paddings length too large for input dims, the pad "
                             f"dims must be less than or equal to {input_x.ndim}")
        if isinstance(value, (list, tuple)) and len(value) == 1:
            value = value[0]
        value = value.item() if isinstance(value, torch.Tensor) else value
        return something(_constant(input_x, list(padding), 0 if value is None else value))
    if mode == "reflect":
        _reflected(input_x.shape, padding)
    if signed := SIGNED.get(input_x.dtype):             # torch's kernels move none of these
        return F.pad(input_x.view(signed), list(padding), _MODES[mode]).view(input_x.dtype)
    try:
        return something(F.pad(input_x, list(padding), _MODES[mode]))
    except NotImplementedError:
        size = len(padding)
        if input_x.ndim == size // 2 + 2:
            raise
        raise ValueError(f"For primitive[PadV3], the input dims when padding's size equal {size} must be "
                         f"equal to {size // 2 + 2}, but got {input_x.ndim}.") from None


def _constant(x, padding, value):
    if isinstance(value, complex):                      # torch's value is a real number
        return torch.complex(F.pad(x.real, padding, "constant", value.real),
                             F.pad(x.imag, padding, "constant", value.imag))
    return F.pad(x, padding, "constant", value)


def _reflected(shape, padding) -> None:
    for i in range(min(len(padding) // 2, len(shape))):
        axis, (before, after) = len(shape) - 1 - i, padding[2 * i:2 * i + 2]
        if max(before, after) >= shape[axis]:
            raise ValueError("For 'PadV3' reflect mode, Padding size must be less than the corresponding "
                             f"input dimension, but got: padding ({before},{after}) at dimension {axis} of "
                             f"input:[{shape[axis]}]")


def something(padded):
    """``padded``, which MindSpore refuses to be empty."""
    if not padded.numel():
        raise ValueError("For primitive[PadV3], the output size must be greater than 0, but got 0.")
    return padded


def _pairs(x, paddings):
    if len(paddings) != x.ndim:
        raise ValueError("For 'Pad', the length of 'paddings' must be equal to the rank of 'input_x', "
                         f"but got {len(paddings)} vs {x.ndim}")
    for i, (a, b) in enumerate(paddings):
        if a < 0 or b < 0:
            raise ValueError(f"For 'Pad', all elements of 'paddings' must be >= 0, but got paddings[{i}][0] "
                             f"= {a}, paddings[{i}][1] = {b}")
    return F.pad(x, [n for pair in reversed(paddings) for n in pair])


@primitive("Pad", init=("paddings",))
def _pad(input_x, paddings):
    """Zeros around ``input_x``: a pair (before, after) for each axis."""
    if not isinstance(paddings, tuple):
        raise TypeError(f"For 'Pad', the type of 'paddings' should be 'tuple', but got type "
                        f"'{type(paddings).__name__}'.")
    return _pairs(input_x, paddings)


@op
def mirror_pad(input_x, paddings, mode):
    """Mirrored around each axis, with the edge ("SYMMETRIC") or without it ("REFLECT")."""
    return _mirrored(input_x, paddings, mode)


@primitive("MirrorPad", init={"mode": "REFLECT"})
def _mirror_pad(input_x, paddings, mode="REFLECT"):
    """Mirrored around each axis, with the edge ("SYMMETRIC") or without it ("REFLECT")."""
    return _mirrored(input_x, paddings, mode)


def _mirrored(x, paddings, mode):
    if mode not in ("REFLECT", "SYMMETRIC"):
        raise ValueError("For 'MirrorPad', the 'mode' should be str and must be in '['REFLECT', "
                         f"'SYMMETRIC']', but got '{mode}' with type '{type(mode).__name__}'.")
    for axis, (before, after) in enumerate(ints(paddings)):
        n = x.shape[axis]
        if max(before, after) > n - (mode == "REFLECT"):
            raise ValueError("For 'MirrorPad', paddings must be no greater than the dimension size: "
                             f"[{before}], [{after}] not less than [{n}]")
        if before or after:
            places = np.pad(np.arange(n), (before, after), mode=mode.lower())
            x = torch.index_select(x, axis, torch.from_numpy(places).to(x.device))
    return x


@primitive("PadV3", init={"mode": "constant", "paddings_contiguous": True})
def _pad_v3(x, paddings, constant_values=None, mode="constant", paddings_contiguous=True):
    """Padded as ``ops.pad`` does, from the last axis on, by ``paddings``."""
    if mode == "constant" and constant_values is None:
        raise ValueError("For primitive[PadV3], the input number must be equal to 3, but got 2.")
    if mode != "constant" and constant_values is not None:
        raise ValueError("For 'PadV3', the input[constant_value] is only valid when the attribute[mode] is "
                         f"`constant`. DO NOT set it in [{mode}] mode.")
    paddings = list(ints(paddings))
    if not paddings_contiguous:
        half = len(paddings) // 2
        paddings = [paddings[i + side * half] for i in range(half) for side in (0, 1)]
    if mode != "constant" and x.ndim < 3:
        raise ValueError("For primitive[PadV3], the input dims for edge, reflect or circular mode must be "
                         f"greater than or equal to 3, but got {x.ndim}.")
    return pad.kernel(x, paddings, mode, constant_values)


@op(primitive="Padding", init=("pad_dim_size",))
def padding(x, pad_dim_size=8):
    """The last axis, of size 1, filled up with zeros to ``pad_dim_size`` (``mindspore.ops.padding``)."""
    if x.shape[-1] != 1:
        raise ValueError(f"For 'Padding', the last dimension of 'x' must be 1, but got: {x.shape[-1]}.")
    return F.pad(x, (0, pad_dim_size - 1))


# ---- space and depth -------------------------------------------------------------------------------------


@primitive("SpaceToDepth", init=("block_size",))
def _space_to_depth(input_x, block_size):
    """Blocks of ``block_size`` x ``block_size`` as channels: (block row, block column, old channel)."""
    n, c, h, w = input_x.shape
    b = block_size
    if h % b or w % b:
        raise ValueError(f"For 'SpaceToDepth', the shape of x must be divisible by 'block_size' {b}, but got "
                         f"x_shape: {list(input_x.shape)}.")
    blocks = input_x.reshape(n, c, h // b, b, w // b, b)
    return blocks.permute(0, 3, 5, 1, 2, 4).reshape(n, c * b * b, h // b, w // b)


@primitive("DepthToSpace", init=("block_size",))
def _depth_to_space(input_x, block_size):
    """The inverse of ``SpaceToDepth``."""
    n, c, h, w = input_x.shape
    b = block_size
    if c % (b * b):
        raise ValueError(
            "For DepthToSpace, the square of block_size must be smaller than the input channel, but got the "
            f"block_size is {b}, and the input channel is {c}.")
    blocks = input_x.reshape(n, b, b, c // (b * b), h, w)
    return blocks.permute(0, 3, 4, 1, 5, 2).reshape(n, c // (b * b), h * b, w * b)


@op
def space_to_batch_nd(input_x, block_size, paddings):
    """Blocks of the last axes as batches, after padding with zeros (``mindspore.ops.space_to_batch_nd``)."""
    return _space_to_batch(input_x, block_size, paddings)


@primitive("SpaceToBatchND", init=("block_shape", "paddings"))
def _space_to_batch_nd(input_x, block_shape, paddings):
    """Blocks of the last axes as batches, after padding with zeros."""
    for n in (n for pair in paddings for n in pair):
        if n < 0:
            raise final(ValueError("For 'SpaceToBatchND', the 'paddings element' must be int and must >= 0, "
                                   f"but got '{n}' with type 'int'."))
    return _space_to_batch(input_x, block_shape, paddings)


@primitive("SpaceToBatch", init=("block_size", "paddings"))
def _space_to_batch_2d(input_x, block_size, paddings):
    """Square blocks of the last two axes as batches, after padding with zeros."""
    if input_x.ndim != 4:
        raise final(ValueError("For primitive[SpaceToBatch], the x rank must be equal to 4, but got "
                               f"{input_x.ndim}."))
    for axis, (n, pair) in enumerate(zip(input_x.shape[2:], paddings, strict=False), 2):
        if (n + sum(pair)) % block_size:
            raise final(ValueError(f"For SpaceToBatch, the x_shape[{axis}] plus paddings must be divisible "
                                   f"by 'block_size', but got padded value: {n + sum(pair)}, and "
                                   f"block_size: {block_size}"))
    return _space_to_batch(input_x, block_size, paddings)


def _space_to_batch(x, block, paddings):
    block = [block] * len(paddings) if isinstance(block, int) else list(block)
    x = F.pad(x, [n for pair in reversed(paddings) for n in pair])
    m, lead = len(block), x.shape[1:x.ndim - len(block)]
    for b, n in zip(block, x.shape[-m:], strict=True):
        if n % b:
            raise final(RuntimeError("For 'SpaceToBatchND', padded shape should be divisible by block_size, "
                                     f"but got padded shape: {n}, block_size: {b}"))
    shape = [x.shape[0], *lead]
    for b, n in zip(block, x.shape[-m:], strict=True):
        shape += [n // b, b]
    k = 1 + len(lead)
    order = [*(k + 2 * i + 1 for i in range(m)), *range(k), *(k + 2 * i for i in range(m))]
    return x.reshape(shape).permute(order).reshape(-1, *lead, *(shape[k + 2 * i] for i in range(m)))


@op
def batch_to_space_nd(input_x, block_shape, crops):
    """The inverse of ``space_to_batch_nd``, then ``crops`` cut off (``mindspore.ops.batch_to_space_nd``)."""
    return _batch_to_space(input_x, block_shape, crops)


@primitive("BatchToSpaceND", init=("block_shape", "crops"))
def _batch_to_space_nd(input_x, block_shape, crops):
    """The inverse of SpaceToBatchND, then ``crops`` cut off."""
    return _batch_to_space(input_x, block_shape, crops)


@primitive("BatchToSpace", init=("block_size", "crops"))
def _batch_to_space_2d(input_x, block_size, crops):
    """The inverse of SpaceToBatch, then ``crops`` cut off."""
    return _batch_to_space(input_x, block_size, crops)


def _check_blocks(x, block, crops, space) -> None:
    """ValueError for blocks that the batch does not hold, and for crops that leave nothing."""
    for b in block:
        if b < 1:
            raise ValueError(f"For 'BatchToSpaceND', the block_shape element should be >= : 1, but got {b}.")
    for crop in (c for pair in crops for c in pair):
        if crop < 0:
            raise ValueError("For 'BatchToSpaceND', the 'crops element' must be int and must >= 0, but got "
                             f"'{crop}' with type 'int'.")
    for n, b, pair in zip(space, block, crops, strict=True):
        if n * b <= sum(pair):
            raise ValueError("For primitive[BatchToSpaceND], the attribute[x block shape prod] must be "
                             f"greater than {sum(pair)}, but got {n * b}.")
    count = math.prod(block)
    if x.shape[0] % count:
        raise ValueError(
            "For 'BatchToSpaceND', the first dim of 'input_x' must be divisible by 'block_shape_prod'. But "
            f"got first dim of 'input_x': {x.shape[0]}, 'block_shape_prod' as the product of block shapes "
            f"with value: {count}, and block shapes being: [const vector]{{{', '.join(map(str, block))}}}.")


def _batch_to_space(x, block, crops):
    block = [block] * len(crops) if isinstance(block, int) else list(block)
    m, lead, space = len(block), x.shape[1:x.ndim - len(block)], x.shape[x.ndim - len(block):]
    _check_blocks(x, block, crops, space)
    batch = x.shape[0] // math.prod(block)
    k = m + 1 + len(lead)
    order = [*range(m, k)]
    for i in range(m):
        order += [k + i, i]
    merged = x.reshape(*block, batch, *lead, *space).permute(order)
    full = merged.reshape(batch, *lead, *(n * b for n, b in zip(space, block, strict=True)))
    index = [slice(None)] * (1 + len(lead))
    index += [slice(a, n - b) for (a, b), n in zip(crops, full.shape[-m:], strict=True)]
    return full[tuple(index)]


@op
def channel_shuffle(x, groups):
    """The channels of groups dealt out in turn (``mindspore.ops.channel_shuffle``)."""
    return _dealt(x, groups)


@primitive("ChannelShuffle", init=("group",))
def _channel_shuffle(x, group):
    """The channels of groups dealt out in turn."""
    return _dealt(x, group)


def _dealt(x, groups):
    if x.ndim < 4:
        raise TypeError(f"For ChannelShuffle, expect input with > 3 dims, but got {x.ndim}.")
    n, c, *rest = x.shape
    return x.reshape(n, groups, c // groups, *rest).transpose(1, 2).reshape(x.shape)


# ---- columns ---------------------------------------------------------------------------------------------


@primitive("Im2Col", init={"ksizes": REQUIRED, "strides": 1, "dilations": 1, "pads": 0})
def _im2col(x, ksizes, strides=1, dilations=1, pads=0):
    """The patches of each channel: (N, C, kernel elements, places)."""
    columns = unfold.kernel(x, ksizes, dilations, pads, strides)
    return columns.reshape(x.shape[0], x.shape[1], -1, columns.shape[-1])


@primitive("Col2Im", init={"kernel_size": REQUIRED, "dilation": 1, "padding": 0, "stride": 1})
def _col2im(x, output_size, kernel_size, dilation=1, padding=0, stride=1):
    """Patches (N, C, kernel elements, places) summed back into images."""
    size = tuple(ints(output_size))
    check_columns("Col2Im", kernel_size, dilation, padding, stride, size, x)
    n, c, k, places = x.shape
    return F.fold(x.reshape(n, c * k, places), size, kernel_size, dilation, padding, stride)


@op(method=True)
def col2im(input_x, output_size, kernel_size, dilation, padding_value, stride):
    """Patches (N, C, kernel elements, places) summed back into images (``mindspore.ops.col2im``)."""
    return _col2im.kernel(input_x, output_size, kernel_size, dilation, padding_value, stride)
