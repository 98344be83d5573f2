"""Private operators that compute forward: what MindSpore's own networks and tests build on."""

from __future__ import annotations

import math

import torch

from ms2torch._core.operators.registry import OPS
from ms2torch.ops.function._linalg_solve import eigenpairs

from .pooling import _regions


def _unchanged(input, is_dynamic_rank=False):
    """The input itself: its sizes always vary here."""
    if not isinstance(is_dynamic_rank, bool):
        raise TypeError("For 'ConvertToDynamic', the type of 'is_dynamic_rank' should be 'bool', but got "
                        f"type '{type(is_dynamic_rank).__name__}'.")
    if not isinstance(input, torch.Tensor):
        from ms2torch._core.checks.calls import type_description

        raise TypeError("For 'ConvertToDynamic', input[0] should be Tensor, but got "
                        f"{type_description(input)}.")
    return input


def _clip_by_norm(x, clip_norm, axis=None):
    """x * clip_norm / max(norm along ``axis``, clip_norm), in Float32. (MindSpore's CPU kernel mixes up the
    norms of single axes.)"""
    if not isinstance(x, torch.Tensor) or not isinstance(clip_norm, torch.Tensor):
        raise TypeError("For 'ClipByNorm', the input args must be tensor.")
    axes = (axis,) if isinstance(axis, int) else tuple(axis or range(x.ndim))
    if any(not -x.ndim <= a < x.ndim for a in axes):
        raise ValueError(f"The value in attribute `axis` should be within [-{x.ndim}, {x.ndim}) range.")
    x, clip_norm = x.float(), clip_norm.float()
    norm = (x * x).sum(axes, keepdim=True).sqrt()
    return x * clip_norm / torch.maximum(norm, clip_norm)


def _fractional_avg_pool(x, pooling_ratio, pseudo_random=False, overlapping=False, deterministic=False,
                         seed=0, seed2=0):
    """Means over regions of random sizes of (N, H, W, C), and the regions' bounds along both axes.

    Sizes that the ratio divides give equal regions; elsewhere the bounds are drawn by torch's generator, not
    by MindSpore's.
    """
    if not isinstance(pooling_ratio, list):
        raise TypeError("For 'FractionalAvgPool', the type of 'pooling_ratio' should be 'list', but got type "
                        f"'{type(pooling_ratio).__name__}'.")
    draw = torch.Generator().manual_seed(seed ^ (seed2 << 32)) if deterministic or seed or seed2 else None
    rows, columns = (_bounds(x.shape[d], math.floor(x.shape[d] / pooling_ratio[d]), pseudo_random, draw)
                     for d in (1, 2))
    wide = x if x.is_floating_point() else x.double()
    regions = [_regions(torch.tensor(bounds), size, overlapping)
               for bounds, size in ((rows, x.shape[1]), (columns, x.shape[2]))]
    means = [torch.stack([wide[:, a:b, c:d].mean((1, 2)) for c, d in regions[1]], 1) for a, b in regions[0]]
    return torch.stack(means, 1).to(x.dtype), torch.tensor(rows), torch.tensor(columns)


def _bounds(size: int, count: int, pseudo_random: bool, draw) -> list[int]:
    """Where ``count`` regions of ``size`` elements begin, and the end of the last."""
    least, more = divmod(size, count)
    if not more:
        return list(range(0, size + 1, least))
    if not pseudo_random:
        widths = torch.tensor([least + 1] * more + [least] * (count - more))
        widths = widths[torch.randperm(count, generator=draw)].tolist()
        return [0, *torch.tensor(widths).cumsum(0).tolist()]
    ratio = size / count
    most = min((least + 2) / ratio - 1, (size + 1 - least) / ratio - (count - 1))
    shift = float(torch.rand((), generator=draw)) * most
    return [0, *(math.ceil(ratio * (i + shift)) - 1 for i in range(1, count)), size]


def _equal_sum(x, y):
    """A sum without broadcasting."""
    if x.shape != y.shape:
        one, other = (f"[{''.join(f'{size},' for size in t.shape)}]" for t in (x, y))
        raise ValueError(f"For primitive[AddV2], the input_shape: {one} must be equal to {other}")
    return x + y


def _offsets(*parts, N=None, axis=0):
    """Where each of the tensors begins in their concatenation, one row each."""
    parts = parts[0] if isinstance(parts[0], (tuple, list)) else parts
    rank, total, rows = parts[0].ndim, 0, []
    for part in parts:
        rows.append([total if d == axis % rank else 0 for d in range(rank)])
        total += part.shape[axis]
    return torch.tensor(rows)


def _offsets_of_shapes(axis, shapes):
    """`_offsets` of shapes that are given as tensors, one tensor each."""
    total, found = shapes[0].new_zeros(()), []
    for shape in shapes:
        offset = torch.zeros_like(shape)
        offset[int(axis)] = total
        total = total + shape[int(axis)]
        found.append(offset)
    return tuple(found)


def _tridiagonal_solution(diagonals, rhs, partial_pivoting=True):
    """x of A x = rhs; ``diagonals`` are A's upper (its last element unused), main and lower (its first)."""
    upper, main, lower = diagonals.unbind(-2)
    matrix = torch.diag_embed(main)
    matrix = matrix + torch.diag_embed(upper[..., :-1], 1) + torch.diag_embed(lower[..., 1:], -1)
    return torch.linalg.solve(matrix, rhs)


def _cross_entropies(features, labels):
    """The loss of every row, and its gradient by ``features``."""
    logs = features.log_softmax(-1)
    rows = labels.long()[..., None]
    return -logs.gather(-1, rows)[..., 0], logs.exp().scatter_add(-1, rows, -torch.ones_like(logs))


def _spread_over_groups(input, per_group_size, group_num):
    """Numbers in turn over ``group_num`` groups of ``per_group_size``."""
    return input % group_num * per_group_size + input // group_num


def _reduced_by_broadcasting(x, y):
    """Along which axes the gradients of both operands of such shapes are summed."""
    x, y = (v.tolist() if isinstance(v, torch.Tensor) else list(v) for v in (x, y))
    rank = max(len(x), len(y))
    x, y = ([1] * (rank - len(v)) + v for v in (x, y))
    if any(a != b and 1 not in (a, b) for a, b in zip(x, y, strict=True)):
        raise RuntimeError("Can not broadcast inputs[0] and inputs[1].")
    return tuple(torch.tensor([i for i, (a, b) in enumerate(zip(own, other, strict=True)) if a == 1 != b],
                              dtype=torch.int64) for own, other in ((x, y), (y, x)))


def _distorted_box(image_size, bounding_boxes, min_object_covered, seed=0, seed2=0,
                   aspect_ratio_range=(0.75, 1.33), area_range=(0.05, 1.0), max_attempts=100,
                   use_image_if_no_bounding_boxes=False):
    """A random part of an image that covers enough of a box: its begin, its size, and itself as a box.

    Its area, its ratio of width and height, and its place are drawn by torch's generator, not by MindSpore's.
    """
    if min_object_covered.ndim != 1:
        raise ValueError("For primitive[SampleDistortedBoundingBoxV2], the min_object_covered dimension must "
                         f"be equal to 1, but got {min_object_covered.ndim}.")
    height, width = image_size.tolist()[:2]
    boxes, least = bounding_boxes.reshape(-1, 4).tolist(), float(min_object_covered)
    if not boxes and not use_image_if_no_bounding_boxes:
        raise ValueError("For 'SampleDistortedBoundingBoxV2', batch or N in bounding_boxes whose shape is "
                         "[batch, N, 4] equals 0, which means no bounding boxes provided as input. Set "
                         "use_image_if_no_bounding_boxes to True to take the whole image.")
    for top, left, bottom, right in boxes:
        for what, low, high in (("x", left, right), ("y", top, bottom)):
            if low >= high:
                raise RuntimeError(f"For 'SampleDistortedBoundingBoxV2', {what}_min of bounding box must be "
                                   f"less than {what}_max, got: [{low:g}] and [{high:g}].")
    boxes = [[a * n for a, n in zip(box, (height, width) * 2, strict=True)]
             for box in boxes or [[0.0, 0.0, 1.0, 1.0]]]
    draw = torch.Generator()
    draw.manual_seed(seed ^ (seed2 << 32)) if seed or seed2 else draw.seed()
    y, x, tall, wide = 0, 0, height, width
    for _ in range(max_attempts):
        ratio, area = (low + (high - low) * torch.rand((), generator=draw).item()
                       for low, high in (aspect_ratio_range, area_range))
        h = round(math.sqrt(area * height * width / ratio))
        w = round(h * ratio)
        if not (0 < h <= height and 0 < w <= width):
            continue
        at = [int(torch.randint(0, n + 1, (), generator=draw)) for n in (height - h, width - w)]
        if not any(_covered((*at, at[0] + h, at[1] + w), box) >= least for box in boxes):
            continue
        (y, x), tall, wide = at, h, w
        break
    box = [[[y / height, x / width, (y + tall) / height, (x + wide) / width]]]
    return image_size.new_tensor([y, x, 0]), image_size.new_tensor([tall, wide, -1]), torch.tensor(box)


def _covered(part, box) -> float:
    """How much of a box lies in a part of the image."""
    size = [min(part[i + 2], box[i + 2]) - max(part[i], box[i]) for i in (0, 1)]
    area = (box[2] - box[0]) * (box[3] - box[1])
    return size[0] * size[1] / area if min(size) > 0 and area else 0.0


ROWS = {
    "AddV2": _equal_sum,
    "ClipByNorm": _clip_by_norm,
    "ConcatOffset": _offsets,
    "ConcatOffsetV1": _offsets_of_shapes,
    "ConvertToDynamic": _unchanged,
    "Eigh": lambda a, compute_eigenvectors=True, lower=True: eigenpairs(a, compute_eigenvectors, lower),
    "DynamicBroadcastGradientArgs": _reduced_by_broadcasting,
    "DynamicBroadcastTo": lambda x, shape: x.broadcast_to(tuple(shape)),
    "FastGelu": OPS["fast_gelu"].kernel,
    "FractionalAvgPool": _fractional_avg_pool,
    "MapUniform": _spread_over_groups,
    "NuclearNorm": lambda x, dim=None, keepdim=False: torch.linalg.matrix_norm(
        x, "nuc", tuple(dim or (-2, -1)), keepdim),
    "RangeV2": lambda start, limit, delta, maxlen=1_000_000: torch.arange(
        start.item(), limit.item(), delta.item(), dtype=start.dtype),
    "ReLUV3": lambda x: x.relu(),
    "SampleDistortedBoundingBoxV2": _distorted_box,
    "SelfAdjointEig": lambda x, compute_v=True: tuple(torch.linalg.eigh(x)),
    "SparseSoftmaxCrossEntropyWithLogitsV2": _cross_entropies,
    "TridiagonalSolve": _tridiagonal_solution,
}
