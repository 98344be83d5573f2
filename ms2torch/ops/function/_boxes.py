"""Operators on bounding boxes (x1, y1, x2, y2), whose corners are pixels: a box is one wider than x2 - x1."""

from __future__ import annotations

import math

import torch

from ms2torch._core.errors import asked
from ms2torch._core.operators.registry import REQUIRED, op, primitive


def _area(boxes):
    return (boxes[..., 2] - boxes[..., 0] + 1) * (boxes[..., 3] - boxes[..., 1] + 1)


def _overlap(a, b):
    """The common area of every box of ``a`` with every one of ``b``."""
    low = torch.maximum(a[:, None, :2], b[None, :, :2])
    high = torch.minimum(a[:, None, 2:4], b[None, :, 2:4])
    return (high - low + 1).clamp(min=0).prod(-1)


@op(primitive="IOU", init={"mode": "iou"})
def iou(anchor_boxes, gt_boxes, mode="iou"):
    """The overlap of every ``gt_boxes`` with every ``anchor_boxes``, over the union (``mindspore.ops.iou``).

    Or, with ``mode`` "iof", over the area of the former. A row for each of ``gt_boxes``; the derivative is 0.
    """
    if mode not in ("iou", "iof"):
        raise KeyError(f"For 'IOU', only 'iou' or 'iof' are supported, but got 'mode': {mode}.")
    anchor_boxes, gt_boxes = anchor_boxes.detach(), gt_boxes.detach()
    common, given = _overlap(gt_boxes, anchor_boxes), _area(gt_boxes)[:, None]
    return common / (given if mode == "iof" else given + _area(anchor_boxes)[None] - common)


@op(primitive="CheckValid")
def check_valid(bboxes, img_metas):
    """Which boxes lie within an image of (height, width, scale) (``mindspore.ops.check_valid``)."""
    height, width = img_metas[0] * img_metas[2], img_metas[1] * img_metas[2]
    x1, y1, x2, y2 = bboxes.unbind(-1)
    return (x1 >= 0) & (y1 >= 0) & (x2 <= width - 1) & (y2 <= height - 1)


def _centres(boxes):
    corner, size = boxes[..., :2], boxes[..., 2:] - boxes[..., :2] + 1
    return corner + (size - 1) * 0.5, size


@op(primitive="BoundingBoxEncode", init=("means", "stds"))
def bounding_box_encode(anchor_box, groundtruth_box, means=(0.0, 0.0, 0.0, 0.0), stds=(1.0, 1.0, 1.0, 1.0)):
    """Shift and logarithmic growth from anchors to boxes, normalised (``ops.bounding_box_encode``)."""
    centre, size = _centres(anchor_box)
    to_centre, to_size = _centres(groundtruth_box)
    deltas = torch.cat(((to_centre - centre) / size, torch.log(to_size / size)), -1)
    return (deltas - deltas.new_tensor(means)) / deltas.new_tensor(stds)


def _decoded(anchor_box, deltas, max_shape, means, stds, wh_ratio_clip):
    deltas = deltas * deltas.new_tensor(stds) + deltas.new_tensor(means)
    limit = abs(math.log(wh_ratio_clip))
    centre, size = _centres(anchor_box)
    new_size = size * torch.exp(deltas[..., 2:].clamp(-limit, limit))
    new_centre = centre + size * deltas[..., :2]
    end = deltas.new_tensor([max_shape[1], max_shape[0]])
    corners = (new_centre - new_size * 0.5 + 0.5, new_centre + new_size * 0.5 - 0.5)
    return torch.cat([torch.minimum(c.clamp(min=0), end) for c in corners], -1)


@op
def bounding_box_decode(anchor_box, deltas, max_shape, means=(0.0, 0.0, 0.0, 0.0), stds=(1.0, 1.0, 1.0, 1.0),
                        wh_ratio_clip=0.016):
    """The inverse of ``bounding_box_encode``, cut to an image of ``max_shape`` (height, width)."""
    return _decoded(anchor_box, deltas, max_shape, means, stds, wh_ratio_clip)


@primitive("BoundingBoxDecode", init={"max_shape": REQUIRED, "means": (0.0, 0.0, 0.0, 0.0),
                                      "stds": (1.0, 1.0, 1.0, 1.0), "wh_ratio_clip": 0.016})
def _bounding_box_decode(anchor_box, deltas, max_shape, means=(0.0, 0.0, 0.0, 0.0), stds=(1.0, 1.0, 1.0, 1.0),
                         wh_ratio_clip=0.016):
    """The inverse of BoundingBoxEncode, cut to an image of ``max_shape`` (height, width)."""
    return _decoded(anchor_box, deltas, max_shape, means, stds, wh_ratio_clip)


@primitive("NMSWithMask", init={"iou_threshold": 0.5})
def _nms_with_mask(bboxes, iou_threshold=0.5):
    """Boxes (x1, y1, x2, y2, score) by falling score, their places then, and which no better one hides."""
    boxes = bboxes[_by_falling_score(bboxes[:, 4])]
    common, area = _plain_overlap(boxes), (boxes[:, 2:4] - boxes[:, :2]).prod(-1)
    close = common / (area[:, None] + area[None] - common) > iou_threshold
    kept = [True] * len(boxes)
    for i, row in enumerate(close.tolist()):
        if kept[i]:
            for j in range(i + 1, len(kept)):
                kept[j] = kept[j] and not row[j]
    places = torch.arange(len(boxes), dtype=torch.int32, device=boxes.device)
    return boxes, places, torch.tensor(kept, dtype=torch.bool, device=boxes.device)


def _by_falling_score(scores):
    """The order of scores, equal ones as MindSpore's bitonic sorting leaves them."""
    if scores.unique().numel() == scores.numel():
        return scores.argsort(descending=True)
    count, width = scores.numel(), 1 << (scores.numel() - 1).bit_length()
    keys = torch.cat((scores.float(), scores.new_full((width - count,), float("inf"), dtype=torch.float32)))
    order = places = torch.arange(width, device=scores.device)
    block = 2
    while block <= width:
        stride = block // 2
        while stride:
            here, there = keys, keys[places ^ stride]
            first, rising = (places & stride) == 0, (places & block) == 0
            swaps = torch.where(first == rising, here > there, here < there)
            keys = torch.where(swaps, there, here)
            order = torch.where(swaps, order[places ^ stride], order)
            stride //= 2
        block *= 2
    return order[:count].flip(0)


def _plain_overlap(boxes):
    low = torch.maximum(boxes[:, None, :2], boxes[None, :, :2])
    high = torch.minimum(boxes[:, None, 2:4], boxes[None, :, 2:4])
    return (high - low).clamp(min=0).prod(-1)


def _greedy(order, overlapping, most: int) -> list[int]:
    """The first numbers of ``order`` that do not overlap an earlier one, at most ``most``."""
    kept: list[int] = []
    for i in order:
        if len(kept) >= most:
            break
        if not any(overlapping(i, j) for j in kept):
            kept.append(i)
    return kept


@primitive("NonMaxSuppressionWithOverlaps")
def _nms_with_overlaps(overlaps, scores, max_output_size, overlap_threshold, score_threshold):
    """Boxes by falling score, but those that overlap a chosen one, as given; their numbers, Int32.

    MindSpore: ``mindspore.ops.NonMaxSuppressionWithOverlaps``.
    """
    order = [i for i in scores.argsort(descending=True, stable=True).tolist() if scores[i] > score_threshold]
    kept = _greedy(order, lambda i, j: bool(overlaps[i, j] > overlap_threshold), int(max_output_size))
    return torch.tensor(kept, dtype=torch.int32, device=overlaps.device)


def _union_shares(boxes):
    """The overlap of each two of (N, 4) boxes, given by any two opposite corners, over their union."""
    low, high = torch.minimum(boxes[:, :2], boxes[:, 2:]), torch.maximum(boxes[:, :2], boxes[:, 2:])
    area = (high - low).prod(1)
    sides = torch.minimum(high[:, None], high[None]) - torch.maximum(low[:, None], low[None])
    common = sides.clamp(min=0).prod(2)
    union = area[:, None] + area[None] - common
    return torch.where((area[:, None] > 0) & (area[None] > 0), common / union, 0.0)


@primitive("CombinedNonMaxSuppression", init={"pad_per_class": False, "clip_boxes": True})
def _combined_nms(boxes, scores, max_output_size_per_class, max_total_size, iou_threshold, score_threshold,
                  pad_per_class=False, clip_boxes=True):
    """Non-maximum suppression for each class of (N, boxes, classes or 1, 4), the best of all classes.

    Boxes, scores, classes, padded with zeros, and how many are valid. MindSpore:
    ``mindspore.ops.CombinedNonMaxSuppression``.
    """
    per_class, total = int(max_output_size_per_class), int(max_total_size)
    for name, number in (("max_output_size_per_clas", per_class), ("max_total_size", total)):
        if number < 1:
            raise asked(ValueError(f"For primitive[CombinedNonMaxSuppression], the {name} must be greater "
                                   f"than 0, but got {number}."))
    if not 0 <= float(iou_threshold) <= 1:
        raise asked(ValueError("For CombinedNonMaxSuppression, iou_threshold must be in [0,1], but got "
                               f"{float(iou_threshold):g}."))
    classes = scores.shape[2]
    size = min(total, per_class * classes) if pad_per_class else total
    found = [boxes.new_zeros(len(boxes), size, 4), boxes.new_zeros(len(boxes), size),
             boxes.new_zeros(len(boxes), size)]
    valid = torch.zeros(len(boxes), dtype=torch.int32, device=boxes.device)
    for n in range(len(boxes)):
        chosen = []
        for c in range(classes):
            own, score = boxes[n, :, min(c, boxes.shape[2] - 1)], scores[n, :, c]
            shares = _union_shares(own)
            order = score.argsort(descending=True, stable=True).tolist()
            order = [i for i in order if score[i] > score_threshold]
            kept = _greedy(order, lambda i, j, shares=shares: bool(shares[i, j] > iou_threshold), per_class)
            chosen += [(float(score[i]), c, own[i]) for i in kept]
        chosen = sorted(chosen, key=lambda x: -x[0])[:size]
        valid[n] = len(chosen)
        for k, (score, c, box) in enumerate(chosen):
            found[0][n, k], found[1][n, k], found[2][n, k] = box.clamp(0, 1) if clip_boxes else box, score, c
    return *found, valid
