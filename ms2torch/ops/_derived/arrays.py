"""Gradients of slicing, padding and gathering, and what rearranges arrays under a name of its own."""

from __future__ import annotations

import torch
import torch.nn.functional as F

from ms2torch._core.tensor.dtype import to_torch

from .pull import forward, like_shape, pull, put_back, shape


def _sliced(dy, x, begin, size):
    place = tuple(
        slice(b, b + (n if n >= 0 else x.shape[i] - b))
        for i, (b, n) in enumerate(zip(shape(begin), shape(size), strict=True))
    )
    return put_back(dy.to(x.dtype), x.shape, lambda t: t[place])


def _strided(
    dy,
    shapex,
    begin,
    end,
    strides,
    begin_mask=0,
    end_mask=0,
    ellipsis_mask=0,
    new_axis_mask=0,
    shrink_axis_mask=0,
):
    return put_back(
        dy,
        shape(shapex),
        lambda t: forward("strided_slice")(
            t,
            shape(begin),
            shape(end),
            shape(strides),
            begin_mask,
            end_mask,
            ellipsis_mask,
            new_axis_mask,
            shrink_axis_mask,
        ),
    )


def _padded(mode: str, dims: int):
    """Forward and gradient of padding of the last ``dims`` dimensions."""

    def pad(input, padding):
        return F.pad(input, shape(padding), mode)

    return pad, lambda grad_output, input, padding: pull(grad_output, lambda t: pad(t, padding), input)


def _mirror(dy, paddings, mode="REFLECT"):
    pairs = paddings.tolist()
    sizes = [n - sum(pair) for n, pair in zip(dy.shape, pairs, strict=True)]
    return like_shape(sizes, dy, lambda t: forward("mirror_pad")(t, pairs, mode))


def _pad_v3(x, paddings, mode="reflect", paddings_contiguous=True):
    flat = shape(paddings)
    if not paddings_contiguous:
        half = len(flat) // 2
        flat = tuple(n for pair in zip(flat[:half], flat[half:], strict=True) for n in pair)
    sizes = list(x.shape)
    for i in range(len(flat) // 2):
        sizes[-1 - i] -= flat[2 * i] + flat[2 * i + 1]
    kind = {"edge": "replicate", "reflect": "reflect", "circular": "circular"}[mode]
    return like_shape(sizes, x, lambda t: F.pad(t, flat, kind))


def _embedding(grad, indices, num_weights, padding_idx=None, scale_grad_by_freq=False):
    flat = indices.long().flatten()
    rows = grad.reshape(len(flat), -1)
    if scale_grad_by_freq:
        rows = rows / torch.bincount(flat, minlength=num_weights)[flat].unsqueeze(1).to(rows.dtype)
    if padding_idx is not None and padding_idx != -1:
        rows = torch.where((flat == padding_idx).unsqueeze(1), 0, rows)
    return rows.new_zeros(num_weights, rows.shape[1]).index_add(0, flat, rows)


def _repeated(input, repeats, dim):
    """Sums the parts that each element was repeated into."""
    repeats = torch.as_tensor(repeats, device=input.device).flatten().long()
    if len(repeats) == 1:
        return input.unflatten(dim, (-1, int(repeats))).sum(dim % input.ndim + 1)
    place = torch.repeat_interleave(torch.arange(len(repeats), device=input.device), repeats)
    sizes = [len(repeats) if i == dim % input.ndim else n for i, n in enumerate(input.shape)]
    return input.new_zeros(sizes).index_add(dim, place, input)


def _masked(input, mask, grad):
    wide = torch.broadcast_shapes(input.shape, mask.shape)
    found = torch.zeros(wide, dtype=input.dtype, device=input.device).masked_scatter(
        mask.expand(wide), grad.to(input.dtype)
    )
    return found.sum_to_size(input.shape)


def _reduced(dim: int, index, src, input, reduce):
    if reduce in ("none", None, 0):
        return input.scatter(dim, index.long(), src)
    if not isinstance(src, torch.Tensor):
        src = torch.full_like(index, src, dtype=input.dtype)
    return input.scatter_reduce(
        dim, index.long(), src, {"add": "sum", "multiply": "prod", 1: "sum", 2: "prod"}[reduce]
    )


def _written(value):
    """A row that writes its result into the first tensor."""

    def compute(input, *args):
        return input.copy_(value(input, *args))

    return compute


def _sliced_ext(input, dim, start, end, step):
    start, end = (n + input.shape[dim] * (n < 0) for n in (int(start), min(int(end), input.shape[dim])))
    return input[(slice(None),) * (dim % input.ndim) + (slice(start, end, int(step)),)]


def _unique(input, sorted=True, return_inverse=False, return_counts=False):
    return torch.unique(input, sorted, True, True) if return_counts else torch.unique(input, sorted, True)


def _copied_slices(x, value, begin, end, strides):
    out = x.clone()
    out[tuple(slice(*part) for part in zip(shape(begin), shape(end), shape(strides), strict=True))] = value
    return out


def _transposed_product(input, weight, perm_in, perm_out, transpose_a=False, transpose_b=False):
    left, right = input.permute(shape(perm_in)), weight.mT if transpose_b else weight
    return ((left.mT if transpose_a else left) @ right).permute(shape(perm_out))


def _to(input, dtype=None):
    return input if dtype is None else input.to(to_torch(dtype))


_MIRRORED = {
    f"{kind}Pad{n}D{ending}": _padded(mode, n)[bool(ending)]
    for kind, mode in (("Reflection", "reflect"), ("Replication", "replicate"))
    for n in (1, 2, 3)
    for ending in ("", "Grad")
}

ROWS = {
    "SliceGrad": _sliced,
    "StridedSliceGrad": _strided,
    "FlattenGrad": lambda x, sizes: x.reshape(shape(sizes)),
    "MirrorPadGrad": _mirror,
    "PadV3Grad": _pad_v3,
    **_MIRRORED,
    "ConstantPadND": lambda input, padding, value=0.0: F.pad(input, shape(padding), value=value),
    "EmbeddingDenseBackward": _embedding,
    "RepeatInterleaveGrad": _repeated,
    "MaskedSelectGrad": _masked,
    "GatherDGradV2": lambda x, dim, index, dout: torch.zeros_like(x).scatter_add(
        int(dim), index.long(), dout
    ),
    "UniqueGrad": lambda dy, y: dy[0][y.long()],
    "SliceExt": _sliced_ext,
    "SliceExtView": _sliced_ext,
    "Scatter": lambda input, dim, index, src, reduce="none": _reduced(dim, index, src, input, reduce),
    "ScatterValue": lambda input, dim, index, src, reduce="none": _reduced(dim, index, src, input, reduce),
    "InplaceScatterSrc": _written(lambda input, dim, index, src: _reduced(dim, index, src, input, None)),
    "InplaceScatterSrcReduce": _written(
        lambda input, dim, index, src, reduce: _reduced(dim, index, src, input, reduce)
    ),
    "InplaceScatterValue": _written(
        lambda input, dim, index, value: _reduced(dim, index, value, input, None)
    ),
    "InplaceScatterValueReduce": _written(
        lambda input, dim, index, value, reduce: _reduced(dim, index, value, input, reduce)
    ),
    "InplaceIndexAddExt": _written(
        lambda input, dim, index, source, alpha=1: input.index_add(dim, index.long(), source, alpha=alpha)
    ),
    "InplaceAddr": _written(
        lambda input, vec1, vec2, beta=1, alpha=1: torch.addr(input, vec1, vec2, beta=beta, alpha=alpha)
    ),
    "InplaceElu": _written(lambda input, alpha=1.0: F.elu(input, alpha)),
    "InplaceHardtanh": _written(lambda input, min_val=-1, max_val=1: F.hardtanh(input, min_val, max_val)),
    "InplaceReLU": _written(torch.relu),
    "InplaceSiLU": _written(F.silu),
    "InplaceThreshold": _written(lambda input, threshold, value: F.threshold(input, threshold, value)),
    "InplaceMatmulAdd": lambda x, weight, C: C.add_(x.mT @ weight),
    "InplaceStopGradient": lambda input: input.detach(),
    "Detach": lambda x, sync=False: x.detach(),
    "AsStrided": lambda input, size, stride, storage_offset=0: torch.as_strided(
        input, shape(size), shape(stride), storage_offset
    ),
    "Copy": lambda input: input.clone(),
    "CopyToDevice": lambda x, sync=False: x,
    "CopyToHost": lambda x, sync=False: x,
    "ToDevice": lambda input, device=None, dtype=None, non_blocking=False, copy=False: _to(input, dtype),
    "ToDtype": lambda input, dtype=None, non_blocking=False, copy=False: _to(input, dtype),
    "ToOther": lambda input, other, non_blocking=False, copy=False: input.to(other.dtype),
    "SelectView": lambda input_tensor, input_indices, axis: input_tensor.select(axis, input_indices),
    "ViewDtype": lambda input, dtype: input.view(to_torch(dtype)),
    "TransposeView": lambda input, input_perm: input.permute(shape(input_perm)),
    "Arange": lambda start, end, step, dtype=None: forward("arange")(start, end, step, dtype=dtype),
    "Empty": lambda size, dtype=None, device=None, pin_memory=False: torch.empty(
        shape(size), dtype=_torch(dtype)
    ),
    "FillScalar": lambda size, fill_value, dtype=None: torch.full(
        shape(size), fill_value, dtype=_torch(dtype, None)
    ),
    "FillTensor": lambda size, fill_value, dtype=None: (
        fill_value.expand(shape(size)).clone().to(_torch(dtype, fill_value.dtype))
    ),
    "EinsumExt": lambda equation, operands: torch.einsum(equation, *operands),
    "InnerIndex": lambda input, indices: input[tuple(indices)],
    "InnerNonZero": lambda input: torch.nonzero(input),
    "InnerUnique": lambda input, sorted=True, return_inverse=False: torch.unique(input, sorted, True),
    "Unique2": _unique,
    "UniqueDim": lambda input, sorted, return_inverse, dim: torch.unique(input, sorted, True, True, dim=dim),
    "UnstackExtView": lambda input, dim=0: torch.unbind(input, dim),
    "TensorCopySlices": _copied_slices,
    "TupleToTensor": lambda input_tuple, dtype=None: torch.tensor(input_tuple, dtype=_torch(dtype, None)),
    "ScalarCast": lambda x, dtype: torch.tensor(x).to(to_torch(dtype)).item(),
    "TransposeBatchMatmulTranspose": _transposed_product,
}


def _torch(dtype, default=torch.float32):
    return default if dtype is None else to_torch(dtype)
