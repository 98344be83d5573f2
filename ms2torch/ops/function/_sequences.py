"""Sequences of tokens: ranges in a row, distances, decoding (``mindspore.ops``)."""

from __future__ import annotations

import torch

from ms2torch._core.errors import final
from ms2torch._core.operators.registry import REQUIRED, op, primitive

from ._array_shape import ints

__all__ = ["ctc_greedy_decoder"]


@primitive("RaggedRange", init={"Tsplits": REQUIRED})
def _ragged_range(starts, limits, deltas, Tsplits=None):
    """Ranges in a row: where each begins, and all their numbers (``mindspore.ops.RaggedRange``)."""
    count = max(t.numel() for t in (starts, limits, deltas))
    if not deltas.all():
        raise final(ValueError("For RaggedRange, requires input delta != 0."))
    rows = [
        torch.arange(a, b, d, dtype=starts.dtype, device=starts.device)
        if (b - a) * d > 0
        else starts.new_empty(0)
        for a, b, d in zip(
            *(t.reshape(-1).expand(count).tolist() for t in (starts, limits, deltas)), strict=True
        )
    ]
    sizes = torch.tensor([0, *(r.numel() for r in rows)], device=starts.device)
    return sizes.cumsum(0).to(Tsplits.torch), torch.cat(rows)


@primitive("EditDistance", init={"normalize": True})
def _edit_distance(
    hypothesis_indices,
    hypothesis_values,
    hypothesis_shape,
    truth_indices,
    truth_values,
    truth_shape,
    normalize=True,
):
    """Levenshtein's distance between sequences, which are the last axis of two sparse tensors.

    ``normalize`` divides by the truth's length. MindSpore: ``mindspore.ops.EditDistance``.
    """

    def rows(indices, values):
        found = {}
        for place, value in zip(indices.tolist(), values.tolist(), strict=True):
            found.setdefault(tuple(place[:-1]), []).append(value)
        return found

    ours, truths = rows(hypothesis_indices, hypothesis_values), rows(truth_indices, truth_values)
    shape = [max(a, b) for a, b in zip(ints(hypothesis_shape)[:-1], ints(truth_shape)[:-1], strict=True)]
    out = torch.zeros(shape, dtype=torch.float32)
    for place in {*ours, *truths}:
        a, b = ours.get(place, []), truths.get(place, [])
        distance = float(_levenshtein(a, b))
        if normalize:
            distance = distance / len(b) if b else (float("inf") if a else 0.0)
        out[place] = distance
    return out.to(hypothesis_values.device)


def _levenshtein(a, b) -> int:
    row = list(range(len(b) + 1))
    for i, x in enumerate(a, 1):
        corner, row[0] = row[0], i
        for j, y in enumerate(b, 1):
            corner, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, corner + (x != y))
    return row[-1]


def _greedy(inputs, sequence_length, merge_repeated):
    steps, batch, classes = inputs.shape
    for n, length in enumerate(sequence_length.tolist()):
        if length > steps:
            raise final(RuntimeError(f"For 'CTCGreedyDecoder', sequence_length[{n}] {length} should be less "
                                     f"than {steps}."))
    scores, best = inputs.max(2)
    indices, values, longest, total = [], [], 0, []
    for n in range(batch):
        length, last, found = int(sequence_length[n]), -1, []
        for t in range(length):
            label = int(best[t, n])
            if label != classes - 1 and not (merge_repeated and label == last):
                found.append(label)
            last = label
        indices += [(n, i) for i in range(len(found))]
        values += found
        longest = max(longest, len(found))
        total.append(-scores[:length, n].sum())
    made = [
        torch.tensor(x, dtype=torch.int64, device=inputs.device) for x in (indices, values, (batch, longest))
    ]
    return made[0].reshape(-1, 2), made[1], made[2], torch.stack(total)[:, None]


@op
def ctc_greedy_decoder(inputs, sequence_length, merge_repeated=True):
    """The likeliest class of each step, without blanks (the last class) and repetitions.

    ``inputs`` (T, N, C). Places, values and shape of a sparse (N, L), and the negated sums of the scores.
    MindSpore: ``mindspore.ops.ctc_greedy_decoder``.
    """
    return _greedy(inputs, sequence_length, merge_repeated)


@primitive("CTCGreedyDecoder", init={"merge_repeated": True})
def _ctc_greedy_decoder(inputs, sequence_length, merge_repeated=True):
    """The likeliest class of each step, without blanks (the last class) and, merged, repetitions."""
    return _greedy(inputs, sequence_length, merge_repeated)


@primitive("NoRepeatNGram", init={"ngram_size": 1})
def _no_repeat_ngram(state_seq, log_probs, ngram_size=1):
    """``log_probs`` with the lowest float where a token would repeat a row of ``ngram_size`` tokens.

    ``state_seq`` (batch, beam, length), ``log_probs`` (batch, beam, vocabulary). MindSpore:
    ``mindspore.ops.NoRepeatNGram``.
    """
    if state_seq.shape[-1] < ngram_size:
        return log_probs.clone()
    rows = state_seq.unfold(-1, ngram_size, 1)
    last = state_seq[..., state_seq.shape[-1] - ngram_size + 1 :]
    repeated = (rows[..., :-1] == last[..., None, :]).all(-1)
    tokens = torch.where(repeated, rows[..., -1], 0).long()
    times = torch.zeros_like(log_probs).scatter_add(-1, tokens, repeated.to(log_probs.dtype))
    return torch.where(times > 0, torch.finfo(log_probs.dtype).min, log_probs)
