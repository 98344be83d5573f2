"""Mathematical Primitives and functions that few programs use."""

from __future__ import annotations

import torch

from ms2torch._core.errors import said
from ms2torch._core.operators.registry import REQUIRED, op, primitive

from ._array_shape import ints


@primitive("Bincount")
def _bincount(array, size, weights):
    """The weights of the numbers from 0 to ``size`` - 1, added up (``mindspore.ops.Bincount``)."""
    size = int(size)
    kept = (array >= 0) & (array < size)
    if weights.numel() == 0:
        weights = torch.ones(array.shape, dtype=weights.dtype, device=array.device)
    return torch.zeros(size, dtype=weights.dtype, device=array.device).index_add(
        0, array[kept].long(), weights[kept]
    )


@primitive("CompareAndBitpack")
def _compare_and_bitpack(x, threshold):
    """Whether each element exceeds the threshold, eight of them in a UInt8
    (``mindspore.ops.CompareAndBitpack``)."""
    bits = (x > threshold).to(torch.uint8).unflatten(-1, (-1, 8))
    places = torch.tensor([128, 64, 32, 16, 8, 4, 2, 1], dtype=torch.uint8, device=x.device)
    return (bits * places).sum(-1, dtype=torch.uint8)


@primitive("MatrixSolveLs", init={"fast": True})
def _matrix_solve_ls(matrix, rhs, l2, fast=True):
    """The least squares of matrix @ x - rhs and ``l2`` times x (``mindspore.ops.MatrixSolveLs``)."""
    if not fast:
        return torch.linalg.lstsq(matrix, rhs).solution
    rows, columns = matrix.shape[-2:]
    adjoint = matrix.mH
    size = min(rows, columns)
    ridge = torch.eye(size, dtype=matrix.dtype, device=matrix.device) * l2.to(matrix.dtype)
    if rows >= columns:
        return torch.linalg.solve(adjoint @ matrix + ridge, adjoint @ rhs)
    return adjoint @ torch.linalg.solve(matrix @ adjoint + ridge, rhs)


@primitive("Median", init={"global_median": False, "axis": 0, "keep_dims": False, "ignore_nan": False})
def _median(x, global_median=False, axis=0, keep_dims=False, ignore_nan=False):
    """The median along ``axis``, or of all, the lower of two, and its place (``mindspore.ops.Median``)."""
    if global_median:
        value = torch.nanmedian(x) if ignore_nan else torch.median(x)
        return value, torch.zeros((), dtype=torch.int64, device=x.device)
    return tuple((torch.nanmedian if ignore_nan else torch.median)(x, axis, keep_dims))


@primitive("Svd", init={"full_matrices": False, "compute_uv": True})
def _svd(input, full_matrices=False, compute_uv=True):
    """Singular values, and the vectors on both sides (``mindspore.ops.Svd``); their signs are free."""
    if not compute_uv:
        nothing = torch.zeros(1, dtype=input.dtype, device=input.device)
        return torch.linalg.svdvals(input), nothing, nothing.clone()
    u, s, vh = torch.linalg.svd(input, full_matrices)
    return s, u, vh.mH


@primitive("TridiagonalMatMul")
def _tridiagonal_matmul(superdiag, maindiag, subdiag, rhs):
    """The product of a matrix with three diagonals and ``rhs`` (``mindspore.ops.TridiagonalMatMul``).

    The diagonals are (..., 1, M): the last of the upper and the first of the lower one do not count.
    """
    for name, diagonal in (("superdiag", superdiag), ("maindiag", maindiag), ("subdiag", subdiag)):
        if diagonal.ndim < 2:
            raise said(
                ValueError(
                    f"For primitive[TridiagonalMatMul], the dimension of '{name}' must be greater "
                    f"than or equal to 2 , but got {diagonal.ndim}."
                )
            )
    upper, main, lower = superdiag.mT, maindiag.mT, subdiag.mT
    below = torch.nn.functional.pad(rhs[..., 1:, :], (0, 0, 0, 1))
    above = torch.nn.functional.pad(rhs[..., :-1, :], (0, 0, 1, 0))
    return main * rhs + upper * below + lower * above


@primitive("RaggedRange", init={"Tsplits": REQUIRED})
def _ragged_range(starts, limits, deltas, Tsplits=None):
    """Ranges in a row: where each begins, and all their numbers (``mindspore.ops.RaggedRange``)."""
    count = max(t.numel() for t in (starts, limits, deltas))
    rows = [
        torch.arange(float(a), float(b), float(d), device=starts.device).to(starts.dtype)
        if (b - a) * d > 0
        else starts.new_empty(0)
        for a, b, d in zip(
            *(t.reshape(-1).expand(count).tolist() for t in (starts, limits, deltas)), strict=True
        )
    ]
    sizes = torch.tensor([0, *(r.numel() for r in rows)], device=starts.device)
    return sizes.cumsum(0).to(Tsplits.torch), torch.cat(rows)


@op(primitive="LuUnpack", init=("unpack_data", "unpack_pivots"))
def lu_unpack(LU_data, LU_pivots, unpack_data=True, unpack_pivots=True):
    """The permutation and both triangles of a packed LU decomposition (``mindspore.ops.lu_unpack``).

    The tuple is (pivots, L, U), with None for what is not asked for.
    """
    p, lower, upper = torch.lu_unpack(LU_data, LU_pivots.to(torch.int32), unpack_data, unpack_pivots)
    return p if unpack_pivots else None, *((lower, upper) if unpack_data else (None, None))


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
    _, batch, classes = inputs.shape
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
    return _greedy(inputs, sequence_length, merge_repeated)


@primitive("DataFormatDimMap", init={"src_format": "NHWC", "dst_format": "NCHW"})
def _data_format_dim_map(input_x, src_format="NHWC", dst_format="NCHW"):
    """Numbers of axes in one format as those in the other (``mindspore.ops.DataFormatDimMap``)."""
    places = torch.tensor([src_format.index(c) for c in dst_format], device=input_x.device)
    return places[input_x.long() % len(src_format)].to(input_x.dtype)


@primitive("DataFormatVecPermute", init={"src_format": "NHWC", "dst_format": "NCHW"})
def _data_format_vec_permute(input_x, src_format="NHWC", dst_format="NCHW"):
    """Values for the axes of a format in the order of another (``mindspore.ops.DataFormatVecPermute``)."""
    return input_x[[src_format.index(c) for c in dst_format]]


@primitive("NoRepeatNGram", init={"ngram_size": 1})
def _no_repeat_ngram(state_seq, log_probs, ngram_size=1):
    """``log_probs`` with the lowest float where a token would repeat a row of ``ngram_size`` tokens.

    ``state_seq`` (batch, beam, length), ``log_probs`` (batch, beam, vocabulary). MindSpore:
    ``mindspore.ops.NoRepeatNGram``.
    """
    out = log_probs.clone()
    if state_seq.shape[-1] < ngram_size:
        return out
    rows = state_seq.unfold(-1, ngram_size, 1)
    last = state_seq[..., state_seq.shape[-1] - ngram_size + 1 :]
    repeated = (rows[..., :-1] == last[..., None, :]).all(-1)
    for place in repeated.nonzero().tolist():
        token = rows[(*place, -1)]
        out[place[0], place[1], token] = torch.finfo(out.dtype).min
    return out


@primitive("SubAndFilter")
def _sub_and_filter(input_x, max_num, offset):
    """``input_x`` - ``offset`` where that is in [0, max_num), and the places
    (``mindspore.ops.SubAndFilter``)."""
    shifted = input_x - offset
    kept = (shifted >= 0) & (shifted < max_num)
    return shifted[kept], kept.nonzero().reshape(-1).to(input_x.dtype)


@op
def sparse_segment_mean(x, indices, segment_ids):
    """Means of the rows ``indices`` of ``x`` that share a segment; zeros for one without rows.

    MindSpore: ``mindspore.ops.sparse_segment_mean``.
    """
    rows, segments = x[indices.long()], segment_ids.long()
    count = int(segments[-1]) + 1
    total = torch.zeros(count, *x.shape[1:], dtype=x.dtype, device=x.device).index_add(0, segments, rows)
    size = torch.bincount(segments, minlength=count).clamp(min=1).to(x.dtype)
    return total / size.reshape(-1, *(1,) * (x.ndim - 1))


@op
def isnan_ext(tensor):
    """Whether each element is not a number (``mindspore.ops.isnan_ext``)."""
    return torch.isnan(tensor)


__all__ = ["ctc_greedy_decoder", "isnan_ext", "lu_unpack", "sparse_segment_mean"]


@primitive("Betainc")
def _betainc(a, b, x):
    """The regularized incomplete beta function I_x(a, b), without gradients for a and b
    (``mindspore.ops.Betainc``)."""
    a, b, x = torch.broadcast_tensors(*(t.double() for t in (a, b, x)))
    # The continued fraction converges fast below the mean; above it, I_x(a, b) = 1 - I_{1 - x}(b, a).
    low = x < (a + 1) / (a + b + 2)
    p, q, z = torch.where(low, a, b), torch.where(low, b, a), torch.where(low, x, 1 - x)
    beta = torch.lgamma(p) + torch.lgamma(q) - torch.lgamma(p + q)
    front = torch.exp(p * z.log() + q * torch.log1p(-z) - beta) / p
    result = torch.where(low, front / _fraction(p, q, z), 1 - front / _fraction(p, q, z))
    return torch.where(x <= 0, 0.0, torch.where(x >= 1, 1.0, result)).to(torch.float32)


def _fraction(a, b, x, terms: int = 200):
    """The continued fraction of the incomplete beta function, from its last term up."""
    value = torch.ones_like(x)
    for m in range(terms, 0, -1):
        odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
        even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
        value = 1 + even / (1 + odd / value)
    return 1 - (a + b) * x / (a + 1) / value


@primitive("SplitWithSize")
def _split_with_size(input, split_size, dim=0):
    """The parts of the given sizes along ``dim`` (``mindspore.ops.auto_generate.SplitWithSize``)."""
    return tuple(torch.split(input, list(ints(split_size)), dim))
