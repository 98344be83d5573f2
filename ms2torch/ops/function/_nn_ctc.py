"""Connectionist temporal classification: the loss of label sequences without an alignment."""

from __future__ import annotations

import re
from itertools import pairwise

import numpy as np
import torch
import torch.nn.functional as F

from ms2torch._core import torch_private
from ms2torch._core.checks.core_words import abstract
from ms2torch._core.checks.words import renderings
from ms2torch._core.errors import final
from ms2torch._core.operators.registry import op, primitive
from ms2torch._core.tensor.dtype import from_torch

__all__ = ["ctc_loss"]


@op
def ctc_loss(log_probs, targets, input_lengths, target_lengths, blank=0, reduction="mean",
             zero_infinity=False):
    """CTC of log-probabilities (T, N, C): ``(loss, log_alpha)`` (``mindspore.ops.ctc_loss``)."""
    each, log_alpha, counts = _ctc(log_probs, targets, input_lengths, target_lengths, blank, zero_infinity)
    if reduction == "mean" and not isinstance(target_lengths, torch.Tensor):
        raise final(AttributeError("'tuple' object has no attribute 'astype'"))     # (not so of the others)
    if reduction == "mean":
        each = (each / counts.to(each.device).clamp_min(1)).mean()
    elif reduction == "sum":
        each = each.sum()
    return each, log_alpha


def _ctc(log_probs, targets, input_lengths, target_lengths, blank, zero_infinity):
    """Each sequence's loss, log_alpha (-inf beyond its lengths) and target length."""
    for name, given in (("input_lengths", input_lengths), ("target_lengths", target_lengths)):
        _need_integers(name, given)
    lengths = [torch.as_tensor(n).long() for n in (input_lengths, target_lengths)]
    log_probs, targets, blank = _with_all_labels(log_probs, targets.long(), lengths[1], blank)
    each, log_alpha = torch_private.ctc_loss(
        log_probs, targets, lengths[0].tolist(), lengths[1].tolist(), blank, zero_infinity)
    # torch leaves that memory as it was.
    ends = [n.to(log_alpha.device)[:, None] for n in (lengths[0], 2 * lengths[1] + 1)]
    times, states = (torch.arange(n, device=log_alpha.device) < end
                     for n, end in zip(log_alpha.shape[1:], ends, strict=True))
    log_alpha = torch.where(times[:, :, None] & states[:, None], log_alpha.detach(), float("-inf"))
    if zero_infinity:
        each = torch.where(torch.isinf(each), 0.0, each)
    return each, log_alpha, lengths[1]


def _need_integers(name: str, given) -> None:
    """TypeError unless ``given`` is a Tensor of Int32 or Int64 or a tuple of whole numbers."""
    if isinstance(given, torch.Tensor):
        if given.dtype in (torch.int32, torch.int64):
            return
        allowed, got = "Tensor[Int32], Tensor[Int64]", f"Tensor[{from_torch(given.dtype)._text}]"
    elif isinstance(given, tuple):
        wrong = [n for n in given if isinstance(n, bool) or not isinstance(n, (int, np.integer))]
        if not wrong:
            return
        allowed, got = "Int32, Int64", renderings(wrong[0])["kind"]
    else:
        told = abstract(given)
        kind = re.search("Abstract[A-Za-z]*", told)[0]
        raise final(TypeError(f"For primitive[CTCLossV2], the input {kind} "
                              f"must be a tuple or a tensor with all Int elements, but got {told}."))
    raise final(TypeError(f"For primitive[CTCLossV2], the input argument[{name}] must be a type of "
                          f"{{{allowed}}}, but got {got}."))


def _with_all_labels(log_probs, targets, counts, blank):
    """``(log_probs, targets, blank)`` whose labels are all classes. Both kernels look a label outside
    [0, C) up in the memory beside its row, and torch's gradient writes there: here it is a class of its own,
    of the log-probabilities that stand there, 0 beyond them. ValueError for labels beyond 64 C."""
    if targets.ndim == 2:       # what pads the rows is no label
        places = torch.arange(targets.shape[1], device=targets.device)
        targets = targets.where(places < counts.to(targets.device)[:, None], 0)
    classes = log_probs.shape[-1]
    least, most = torch.stack(targets.aminmax()).tolist() if targets.numel() else (0, 0)
    if least >= 0 and most < classes:
        return log_probs, targets, blank
    if max(-least, most) > 64 * classes:
        raise ValueError(f"For 'ctc_loss', the targets must be in [0, {classes}), but got "
                         f"{least if least < 0 else most}.")
    low, high = min(least, 0), max(most + 1, classes)
    flat = F.pad(log_probs.reshape(-1), (-low, high - classes))
    rows = torch.arange(0, log_probs.numel(), classes, device=flat.device)[:, None]
    wide = flat[rows + torch.arange(high - low, device=flat.device)]
    return wide.reshape(*log_probs.shape[:-1], -1), targets - low, blank - low


@primitive("CTCLossV2", init={"blank": 0, "reduction": "none", "zero_infinity": False})
def _ctc_loss_v2(log_probs, targets, input_lengths, target_lengths, blank=0, reduction="none",
                 zero_infinity=False):
    """Each sequence's CTC of log-probabilities (T, N, C) and log_alpha (``mindspore.ops.CTCLossV2``)."""
    if reduction != "none":
        raise ValueError("For 'CTCLossV2', the 'reduction' must be str and must be in '['none']', but got "
                         f"'{reduction}'.")
    if not 0 <= blank < log_probs.shape[-1]:
        raise ValueError(f"For primitive[CTCLossV2], the blank must be in [0,{log_probs.shape[-1]}), but got "
                         f"{blank}.")
    return _ctc(log_probs, targets, input_lengths, target_lengths, blank, zero_infinity)[:2]


@primitive("CTCLoss", init={"preprocess_collapse_repeated": False, "ctc_merge_repeated": True,
                            "ignore_longer_outputs_than_inputs": False})
def _ctc_loss(x, labels_indices, labels_values, sequence_length, preprocess_collapse_repeated=False,
              ctc_merge_repeated=True, ignore_longer_outputs_than_inputs=False):
    """CTC of logits (T, N, C) with sparse labels, the last class blank: losses and gradients
    (``mindspore.ops.CTCLoss``). A sequence's labels end at the first value outside [0, C - 1); one that
    cannot be aligned has an infinite loss and a gradient of zeros.
    """
    blank, lengths = x.shape[-1] - 1, sequence_length.tolist()
    _check_shapes(x, labels_indices, labels_values, lengths)
    if x.dtype is torch.float16:
        found = _ctc_loss.kernel(
            x.float(), labels_indices, labels_values, sequence_length, preprocess_collapse_repeated,
            ctc_merge_repeated, ignore_longer_outputs_than_inputs)
        return tuple(t.half() for t in found)
    labels = _labels(labels_indices, labels_values, x.shape[1], blank, preprocess_collapse_repeated)
    for length, row in zip(lengths, labels, strict=True):
        if length < len(row) and not ignore_longer_outputs_than_inputs:
            raise RuntimeError("For 'CTCLoss, input time(sequence length) must be greater than output size("
                               f"label length), but got sequence length: {length} and label length: "
                               f"{len(row)}")
    needed = [len(row) + ctc_merge_repeated * sum(a == b for a, b in pairwise(row)) for row in labels]
    aligned = torch.tensor([need <= length for need, length in zip(needed, lengths, strict=True)],
                           device=x.device)
    counts = [len(row) for row in labels]
    targets = torch.zeros(len(labels), max(counts), dtype=torch.long, device=x.device)
    for row, values in zip(targets, labels, strict=True):
        row[:len(values)] = torch.tensor(values)

    def losses(logits):
        log_probs = torch.log_softmax(logits, -1)
        if ctc_merge_repeated:
            return F.ctc_loss(log_probs, targets, lengths, counts, blank, "none", zero_infinity=True)
        return torch.where(aligned, _unmerged(log_probs, targets, lengths, counts, blank), 0)

    with torch.enable_grad():
        again = x.detach().requires_grad_()
        gradient, = torch.autograd.grad(losses(again).sum(), again)
    return torch.where(aligned, losses(x), float("inf")), gradient


def _check_shapes(x, indices, values, lengths) -> None:
    """MindSpore's errors for CTCLoss."""
    if x.ndim != 3:
        raise ValueError(f"For primitive[CTCLoss], the inputs rank must be equal to 3, but got {x.ndim}.")
    if indices.shape[1] != 2:
        raise ValueError("For primitive[CTCLoss], the label_indices second dim must be equal to 2, but got "
                         f"{indices.shape[1]}.")
    if len(indices) != len(values):
        raise ValueError("For 'CTCLoss', the first dim of 'label_indices' and 'label_value' must be same, "
                         f"but got 'label_indices':{len(indices)}, 'label_value': {len(values)}.")
    if len(lengths) != x.shape[1]:
        raise ValueError("For 'CTCLoss', input batch_size must be same with 'sequence_length' batch_size, "
                         f"but got input batch_size:{x.shape[1]}, 'sequence_length' batch_size: "
                         f"{len(lengths)}.")
    for length in lengths:
        if length == 0:
            raise RuntimeError(f"For 'CTCLoss, the 'sequence_length' must be greater than 0, but got "
                               f"{length}.")
        if not 0 < length <= len(x):
            raise RuntimeError("For 'CTCLoss, the 'max_time'(the 1st dimension value of 'probs') must be "
                               f"greater than or equal to 'sequence_length', but got 'max_time': {len(x)} "
                               f"and 'sequence_length': {length}")


def _labels(indices, values, batch: int, blank: int, collapse: bool) -> list[list[int]]:
    """Each sequence's labels up to the first that is none, without repetitions if ``collapse``."""
    counts = [0] * batch
    for row, _ in indices.tolist():
        if not 0 <= row < batch:
            raise RuntimeError("For 'CTCLoss, 'index' must be less than the length of 'label', but got "
                               f"'index': {row} and the length of 'label': {batch}")
        counts[row] += 1
    rows = [part.tolist() for part in values.split(counts)]        # in their order, whatever the indices say
    for row in rows:
        end = next((k for k, value in enumerate(row) if not 0 <= value < blank), len(row))
        for k, value in enumerate(row[end:], end):
            if 0 <= value < blank:
                raise RuntimeError(f"For 'CTCLoss', the value of labels_values[{k}] must be in the range of "
                                   f"[0, num_classes), but got {value}")
        row[end:] = []
        if collapse:
            row[:] = [value for k, value in enumerate(row) if k == 0 or value != row[k - 1]]
    return rows


def _unmerged(log_probs, targets, lengths, counts, blank):
    """Losses where a label that comes twice in a row is two labels: only the blank stays where it is."""
    states = F.pad(targets[:, :, None], (1, 0), value=blank).flatten(1)
    states = F.pad(states, (0, 1), value=blank)                       # blank, label, blank, ..., blank
    never = -1e30                                                     # -inf would make nan of gradients
    stays = torch.where(states == blank, 0.0, never)
    skips = torch.where(states == blank, never, 0.0)
    scores = log_probs.gather(2, states.expand(len(log_probs), *states.shape))
    alpha = torch.where(torch.arange(states.shape[1], device=states.device) < 2, scores[0], never)
    ends = torch.as_tensor(lengths, device=states.device)[:, None]
    for t in range(1, len(scores)):
        before = torch.stack((alpha + stays, F.pad(alpha, (1, 0), value=never)[:, :-1],
                              F.pad(alpha, (2, 0), value=never)[:, :-2] + skips))
        alpha = torch.where(t < ends, before.logsumexp(0) + scores[t], alpha)
    last = 2 * torch.as_tensor(counts, device=states.device)[:, None]
    ways = alpha.gather(1, torch.cat((last, (last - 1).clamp_min(0)), 1))
    return -torch.where(last.flatten() > 0, ways.logsumexp(1), ways[:, 0])
