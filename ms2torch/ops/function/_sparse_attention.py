"""Attention to a part of the keys: compressed, selected block by block, or chosen for each query.

Its kernels are Ascend's; they follow MindSpore's documentation and, where that is silent, what the makers
of the kernels publish of them. Sequences are joined ("TND") and told by their ends, or stand in rows
("BSND").
"""

from __future__ import annotations

from itertools import pairwise

import torch

from ms2torch._core.errors import final, unsupported
from ms2torch._core.operators.registry import op

from ._flash_attention import ahead, integers

__all__ = ["lightning_indexer", "nsa_compress", "nsa_compress_attention", "nsa_select_attention",
           "ring_attention_update", "sparse_flash_attention"]

_LARGEST = 9223372036854775807
_MASKED = -40000.0          # what a masked score is lowered by
_FIRST = 23333.0            # the importance of a block that topk_mask wants


@op(primitive="NsaCompress")
def nsa_compress(input, weight, compress_block_size, compress_stride, *, actual_seq_len):
    """Sums of ``compress_block_size`` positions, weighted by ``weight`` (block, N), every
    ``compress_stride``.

    MindSpore: ``mindspore.ops.nsa_compress``. ``input`` is (T, N, D); the joined sequences end at
    ``actual_seq_len`` and no window passes their ends.

    Unlike on Ascend, float32 is taken, too. TypeError unless both have one dtype, RuntimeError for shapes,
    sizes and ends that do not fit.
    """
    _same_dtype("NsaCompress", input=input, weight=weight)
    size, stride = compress_block_size, compress_stride
    _need("NsaCompress", {
        "input must be 3-D and weight 2-D": input.ndim == 3 and weight.ndim == 2,
        "weight must have compress_block_size rows and input's heads": (
            tuple(weight.shape) == (size, *input.shape[1:2])),
        "the size of a head must be a multiple of 16, at most 256": (
            input.shape[-1] % 16 == 0 and input.shape[-1] <= 256),
        "there must be 1 to 128 heads": 1 <= input.shape[1] <= 128,
        "compress_block_size must be a multiple of 16, at most 128": size % 16 == 0 and 16 <= size <= 128,
        "compress_stride must be a multiple of 16, at most compress_block_size": (
            stride % 16 == 0 and 16 <= stride <= size)})
    parts = [input[start:end].unfold(0, size, stride)
             for start, end in _sequences("NsaCompress", actual_seq_len, len(input)) if end - start >= size]
    if not parts:
        return input.new_empty(0, *input.shape[1:])
    return torch.einsum("tndb,bn->tnd", torch.cat(parts).float(), weight.float()).to(input.dtype)


@op(primitive="NsaCompressAttention")
def nsa_compress_attention(
    query, key, value, scale_value, head_num, compress_block_size, compress_stride, select_block_size,
    select_block_count, *, topk_mask=None, atten_mask=None, actual_seq_qlen, actual_cmp_seq_kvlen,
    actual_sel_seq_kvlen,
):
    """Attention to compressed keys, and the blocks of keys that matter most to it.

    MindSpore: ``mindspore.ops.nsa_compress_attention``: the result (T1, N1, D2); Int32 numbers (T1, N2,
    ``select_block_count``) of the blocks with the largest weights of their windows, all heads of a key
    together, the first of equal ones first; largest scores and sums, Float32 (T1, N1, 8). ``atten_mask`` is
    true where a compressed key is not seen, ``topk_mask`` where a block counts before all others.

    Unlike on Ascend, float32 is taken, too. TypeError and RuntimeError for inputs that do not fit together.
    """
    name = "NsaCompressAttention"
    _same_dtype(name, query=query, key=key, value=value)
    blocks, windows = select_block_size // compress_stride, compress_block_size // compress_stride
    _need(name, {
        "head_num must be the heads of query": query.ndim == 3 and head_num == query.shape[1],
        "the heads of query must be a multiple of those of key": query.shape[1] % key.shape[1] == 0,
        "compress_block_size must be at least compress_stride, and select_block_size at least it and a "
        "multiple of compress_stride": (compress_stride <= compress_block_size <= select_block_size
                               and select_block_size % compress_stride == 0)})
    parts = []
    for rows, columns, chosen in zip(_sequences(name, actual_seq_qlen, len(query)),
                                     _sequences(name, actual_cmp_seq_kvlen, len(key)),
                                     _sequences(name, actual_sel_seq_kvlen, None), strict=True):
        selectable = chosen[1] - chosen[0]
        if select_block_count > selectable:
            raise final(RuntimeError(f"For '{name}', select_block_count must be at most the {selectable} "
                                     f"blocks of each sequence, but got {select_block_count}."))
        q, k, v = query[slice(*rows)], key[slice(*columns)], value[slice(*columns)]
        scores = _scores(q, k, scale_value)
        if atten_mask is not None:
            scores = scores + atten_mask[:len(q), :len(k)] * _MASKED
        weights, *seen = _weighed(scores)
        important = weights.unflatten(0, (key.shape[1], -1)).sum(1) @ _windows(
            len(k), selectable, blocks, windows, weights)
        if topk_mask is not None:
            important = important.masked_fill(topk_mask[:len(q), :selectable].bool(), _FIRST)
        order = important.detach().sort(dim=-1, descending=True, stable=True).indices.transpose(0, 1)
        parts.append((_mixed(weights, v), order[..., :select_block_count].int(), *seen))
    return tuple(map(torch.cat, zip(*parts, strict=True)))


def _windows(columns: int, selectable: int, blocks: int, windows: int, like):
    """How often the weight of each compressed key counts for each block: the windows that overlap it."""
    counts = like.new_zeros(columns, selectable)
    at = torch.arange(1, selectable + 1, device=like.device) * blocks
    for back in range(blocks + windows - 1):
        source = at - back
        inside = (source >= 0) & (source < columns)
        times = min(back + 1, blocks + windows - 1 - back, windows, blocks)
        counts[source[inside], inside.nonzero().flatten()] = times
    return counts


@op(primitive="NsaSelectAttention")
def nsa_select_attention(
    query, key, value, topk_indices, scale_value, head_num, select_block_size, select_block_count, *,
    atten_mask=None, actual_seq_qlen, actual_seq_kvlen,
):
    """Attention of each query (T1, N1, D1) to the blocks of keys that ``topk_indices`` (T1, N2, count) names.

    MindSpore: ``mindspore.ops.nsa_select_attention``: the result (T1, N1, D2), and largest scores and sums,
    Float32 (T1, N1, 8). Blocks are counted in each joined sequence; one that is named twice counts twice.

    Unlike on Ascend, float32 and blocks of any size are taken, too. NotImplementedError for ``atten_mask``;
    TypeError and RuntimeError for inputs that do not fit together.
    """
    name = "NsaSelectAttention"
    if atten_mask is not None:
        raise unsupported("mindspore.ops.nsa_select_attention(atten_mask)",
                          "MindSpore documents that it does nothing yet.",
                          "topk_indices of what may be seen.")
    _same_dtype(name, query=query, key=key, value=value)
    _need(name, {
        "head_num must be the heads of query": query.ndim == 3 and head_num == query.shape[1],
        "the heads of query must be a multiple of those of key": query.shape[1] % key.shape[1] == 0,
        "query and key must have heads of one size, and value no larger ones": (
            query.shape[-1] == key.shape[-1] >= value.shape[-1]),
        "topk_indices must have select_block_count blocks for each query and head of key": (
            tuple(topk_indices.shape) == (len(query), key.shape[1], select_block_count))})
    parts = []
    for rows, columns in zip(_sequences(name, actual_seq_qlen, len(query)),
                             _sequences(name, actual_seq_kvlen, len(key)), strict=True):
        q, k, v = query[slice(*rows)], key[slice(*columns)], value[slice(*columns)]
        chosen = topk_indices[slice(*rows)].transpose(0, 1).long()
        counts = _counted(name, chosen, len(k) // select_block_size + 1, select_block_size)[..., :len(k)]
        weights, *seen = _weighed(_scores(q, k, scale_value), counts)
        parts.append((_mixed(weights, v), *seen))
    return tuple(map(torch.cat, zip(*parts, strict=True)))


@op(primitive="LightningIndexer")
def lightning_indexer(
    query, key, weights, *, actual_seq_lengths_query=None, actual_seq_lengths_key=None, block_table=None,
    layout_query="BSND", layout_key="BSND", sparse_count=2048, sparse_mode=3, pre_tokens=_LARGEST,
    next_tokens=_LARGEST, return_value=False,
):
    """The ``sparse_count`` keys with the largest sums of weights * relu(query @ key^T) over the heads.

    MindSpore: ``mindspore.ops.lightning_indexer``: Int32 indices (B, S1, 1, count) or (T1, 1, count), largest
    first and -1 where there are fewer keys, and their values (-inf there) with ``return_value``, else
    nothing. ``sparse_mode`` 3 sees no later position, counted from the last one. Lengths are counts for
    "BSND" and "PA_BSND", whose keys stand in blocks that ``block_table`` names, and ends for "TND".

    Unlike on Ascend, float32 and any number of heads are taken, too. NotImplementedError for other
    ``pre_tokens`` and ``next_tokens``, and for the values of keys in blocks.
    """
    name = "LightningIndexer"
    _same_dtype(name, query=query, key=key, weights=weights)
    if return_value and layout_key == "PA_BSND":
        raise unsupported("mindspore.ops.lightning_indexer(return_value)",
                          "MindSpore documents values for keys in rows alone.",
                          'layout_key="BSND" or "TND".')
    pairs = _pairs(name, query, key, layout_query, layout_key, actual_seq_lengths_query,
                   actual_seq_lengths_key, block_table, sparse_mode, pre_tokens, next_tokens)
    shape = (*query.shape[:-2], 1, sparse_count)
    flat, weigh = query.flatten(0, -3), weights.flatten(0, -2)
    found = torch.full((len(flat), sparse_count), -1, dtype=torch.int32, device=query.device)
    values = torch.full_like(found, -torch.inf, dtype=query.dtype)
    for rows, (k,) in pairs(key):
        scores = _scores(flat[slice(*rows)], k, 1.0).relu()
        total = (scores * weigh[slice(*rows)].T[..., None].to(scores.dtype)).sum(0)
        count = min(sparse_count, len(k))
        hidden = _later(*total.shape, sparse_mode, total.device)
        best = total.masked_fill(hidden, -torch.inf).sort(dim=-1, descending=True, stable=True)
        unseen = (~hidden).sum(-1, keepdim=True) <= torch.arange(count, device=total.device)
        found[slice(*rows), :count] = best.indices[:, :count].int().masked_fill(unseen, -1)
        values[slice(*rows), :count] = best.values[:, :count].to(values.dtype)
    values = values.reshape(shape) if return_value else query.new_empty(0)
    return found.reshape(shape), values


@op(primitive="SparseFlashAttention")
def sparse_flash_attention(
    query, key, value, sparse_indices, scale_value, *, block_table=None, actual_seq_lengths_query=None,
    actual_seq_lengths_kv=None, query_rope=None, key_rope=None, sparse_block_size=1, layout_query="BSND",
    layout_kv="BSND", sparse_mode=3, pre_tokens=_LARGEST, next_tokens=_LARGEST, attention_mode=0,
    return_softmax_lse=False,
):
    """Attention to the keys that ``sparse_indices`` names: softmax(scale * [q, q_rope] @ [k, k_rope]^T) @ v.

    MindSpore: ``mindspore.ops.sparse_flash_attention``: the result as ``query``, and with
    ``return_softmax_lse`` largest scores and sums, Float32 (B, 1, S1, N1) or (1, T1, N1), else nothing.
    Indices (B, S1, 1, count) or (T1, 1, count) are of blocks of ``sparse_block_size`` keys and end at the
    first -1; what is named twice counts twice. Layouts, lengths and ``sparse_mode`` are those of
    `lightning_indexer`.

    Unlike on Ascend, float32 and sizes of any kind are taken, too. NotImplementedError for ``attention_mode``
    other than 2 and for other ``pre_tokens`` and ``next_tokens``; RuntimeError for layouts and block sizes
    that MindSpore does not know.
    """
    name = "SparseFlashAttention"
    _same_dtype(name, query=query, key=key, value=value)
    if attention_mode != 2 or query_rope is None or key_rope is None:
        raise unsupported("mindspore.ops.sparse_flash_attention(attention_mode)",
                          "MindSpore documents the mode 2 alone, with query_rope and key_rope.",
                          "attention_mode=2.")
    _need(name, {"sparse_block_size must be a power of 2 from 1 to 128": sparse_block_size in (
        1 << n for n in range(8))})
    pairs = _pairs(name, query, key, layout_query, layout_kv, actual_seq_lengths_query, actual_seq_lengths_kv,
                   block_table, sparse_mode, pre_tokens, next_tokens)
    wide = torch.cat((query, query_rope), -1).flatten(0, -3)
    out = query.new_zeros(len(wide), query.shape[-2], value.shape[-1])
    largest = total = wide.new_zeros(len(wide), query.shape[-2], dtype=torch.float32)
    named = sparse_indices.flatten(0, -3)
    for rows, (k, v) in pairs(torch.cat((key, key_rope), -1), value):
        blocks = -(-len(k) // sparse_block_size)
        chosen = named[slice(*rows)].transpose(0, 1).long()
        chosen = chosen.masked_fill((chosen == -1).cumsum(-1) > 0, blocks)
        counts = _counted(name, chosen, blocks + 1, sparse_block_size)[..., :len(k)]
        counts = counts.masked_fill(_later(*counts.shape[1:], sparse_mode, counts.device), 0)
        weights, top, added = _weighed(_scores(wide[slice(*rows)], k, scale_value), counts)
        at = torch.arange(*rows, device=query.device)
        out = out.index_copy(0, at, _mixed(weights, v))
        largest, total = (old.index_copy(0, at, new[..., 0])
                          for old, new in ((largest, top), (total, added)))
    out = out.reshape(*query.shape[:-1], -1)
    if not return_softmax_lse:
        return out, *(query.new_empty(0, dtype=torch.float32) for _ in range(2))
    return out, *(t.reshape(*query.shape[:-2], 1, -1).transpose(-2, -3) for t in (largest, total))


@op(primitive="RingAttentionUpdate")
def ring_attention_update(
    prev_attn_out, prev_softmax_max, prev_softmax_sum, cur_attn_out, cur_softmax_max, cur_softmax_sum,
    actual_seq_qlen=None, layout="SBH",
):
    """Two attentions to parts of the keys as one to both, by their largest scores and sums.

    MindSpore: ``mindspore.ops.ring_attention_update``: the result and its largest scores and sums. Results
    are (S, B, H) and what is known of their scores (B, N, S, 8) with ``layout`` "SBH", (T, N, D) and (T, N,
    8) with "TND", which needs ``actual_seq_qlen``. RuntimeError where MindSpore documents one.
    """
    name = "RingAttentionUpdate"
    _need(name, {
        "layout must be 'SBH' or 'TND'": layout in ("SBH", "TND"),
        "actual_seq_qlen must be given with layout 'TND'": layout == "SBH" or actual_seq_qlen is not None,
        "heads must be of a multiple of 64 with layout 'TND'": (
            layout == "SBH" or not prev_attn_out.shape[-1] % 64)})
    if layout == "TND":
        ends = integers(actual_seq_qlen)
        _need(name, {f"actual_seq_qlen must rise from 0 to {len(prev_attn_out)}": (
            ends == sorted(ends) and ends[:1] == [0] and ends[-1] == len(prev_attn_out))})
    largest = torch.maximum(prev_softmax_max, cur_softmax_max)
    before, now = ((s * torch.exp(m - largest)) for m, s in (
        (prev_softmax_max, prev_softmax_sum), (cur_softmax_max, cur_softmax_sum)))
    total = before + now

    def share(part, out):
        found = (part / total)[..., :1]
        if layout == "TND":
            return out.float() * found
        found = found.permute(2, 0, 1, 3)
        return (out.float().unflatten(-1, (found.shape[2], -1)) * found).flatten(-2)

    out = share(before, prev_attn_out) + share(now, cur_attn_out)
    return out.to(prev_attn_out.dtype), largest, total


def _need(name: str, conditions: dict[str, bool]) -> None:
    """RuntimeError with the first sentence that does not hold."""
    for sentence, holds in conditions.items():
        if not holds:
            raise final(RuntimeError(f"For '{name}', {sentence}."))


def _same_dtype(name: str, **tensors) -> None:
    if len({t.dtype for t in tensors.values()}) > 1:
        raise TypeError(f"For '{name}', {', '.join(tensors)} must have one dtype, but got "
                        f"{', '.join(str(t.dtype) for t in tensors.values())}.")


def _sequences(name: str, ends, rows: int | None) -> list[tuple[int, int]]:
    """Where each joined sequence begins and ends, of ``rows`` in all."""
    found = integers(ends)
    _need(name, {f"the ends of sequences must rise to {rows}, but got {found}": (
        bool(found) and found == sorted(found) and found[0] >= 0 and rows in (None, found[-1]))})
    return list(pairwise([0, *found]))


def _scores(q, k, scale: float):
    """scale * q @ k^T of (S1, N1, D) and (S2, N2, D) as (N1, S1, S2), at least Float32."""
    wide = torch.promote_types(q.dtype, torch.float32)
    q, k = (t.transpose(0, 1).to(wide) for t in (q, k))
    together = q.unflatten(0, (len(k), -1))                 # the heads that share a key's are one matrix
    return (together.flatten(1, 2) @ k.mT).unflatten(1, together.shape[1:3]).flatten(0, 1) * scale


def _weighed(scores, counts=None):
    """The softmax of (N1, S1, S2) scores, each key ``counts`` times (N2, S1, S2); zeros where none counts.
    The
    largest score of each row and the sum of exp(score - largest), (S1, N1, 8), go with it."""
    if counts is not None:
        counts = counts.repeat_interleave(len(scores) // len(counts), 0)
        scores = scores.masked_fill(counts == 0, -torch.inf)
    largest = scores.detach().amax(-1, keepdim=True)
    weights = (scores - largest.masked_fill(largest == -torch.inf, 0)).exp()
    weights = weights if counts is None else weights * counts
    total = weights.sum(-1, keepdim=True)
    told = (t.float().transpose(0, 1).expand(*total.shape[1::-1], 8) for t in (largest, total))
    return weights / total.masked_fill(total == 0, 1), *told


def _mixed(weights, v):
    """weights @ v as (S1, N1, D) in the dtype of ``v``."""
    together = weights.unflatten(0, (v.shape[1], -1))
    mixed = together.flatten(1, 2) @ v.transpose(0, 1).to(weights.dtype)
    return mixed.unflatten(1, together.shape[1:3]).flatten(0, 1).transpose(0, 1).to(v.dtype)


def _counted(name: str, chosen, blocks: int, size: int):
    """How often each key is among the blocks that ``chosen`` (N2, S1, count) names: (N2, S1, blocks *
    size)."""
    _need(name, {f"indices must be from 0 to {blocks - 1}": not chosen.numel() or (
        0 <= int(chosen.min()) <= int(chosen.max()) < blocks)})
    counts = torch.zeros(*chosen.shape[:-1], blocks, device=chosen.device)
    counts.scatter_add_(-1, chosen, torch.ones_like(chosen, dtype=counts.dtype))
    return counts.repeat_interleave(size, -1)


def _later(rows: int, columns: int, sparse_mode: int, device):
    """True where a key is later than its query, both counted from the last one; nowhere in mode 0."""
    distance = ahead(rows, columns, device)
    return distance > columns - rows if sparse_mode == 3 else torch.zeros_like(distance, dtype=torch.bool)


def _pairs(name, query, key, layout_query, layout_key, lengths, key_lengths, table, sparse_mode, pre, next_):
    """A function that gives, for each sequence, where its queries stand among all, and its keys (S2, 1, D) of
    each tensor that it is given."""
    _need(name, {
        "layout_query must be 'BSND' or 'TND'": layout_query in ("BSND", "TND"),
        "layout of keys must be 'BSND', 'TND' or 'PA_BSND'": layout_key in ("BSND", "TND", "PA_BSND"),
        "layouts of query and key must be one unless keys stand in blocks": (
            layout_key in (layout_query, "PA_BSND")),
        "sparse_mode must be 0 or 3": sparse_mode in (0, 3),
        "keys must have one head": key.shape[-2] == 1,
        "ends of the queries' sequences must be given with 'TND'": (
            layout_query != "TND" or lengths is not None),
        "lengths of the keys must be given with 'TND' and 'PA_BSND'": (
            layout_key == "BSND" or key_lengths is not None),
        "block_table must be given with 'PA_BSND'": layout_key != "PA_BSND" or table is not None})
    if pre != _LARGEST or next_ != _LARGEST:
        raise unsupported(f"mindspore.ops.{name}(pre_tokens, next_tokens)",
                          "MindSpore documents their defaults alone.", "leave them out.")
    if layout_query == "TND":
        asked = _sequences(name, lengths, len(query))
    else:
        size = query.shape[1]
        counts = [size] * len(query) if lengths is None else integers(lengths)
        asked = [(size * i, size * i + count) for i, count in enumerate(counts)]

    def keys_of(tensor, i):
        if layout_key == "TND":
            return tensor[slice(*_sequences(name, key_lengths, len(tensor))[i])]
        if layout_key == "BSND":
            return tensor[i] if key_lengths is None else tensor[i, :int(key_lengths[i])]
        count = int(key_lengths[i])
        return tensor[table[i, :-(-count // tensor.shape[1])].long()].flatten(0, 1)[:count]

    return lambda *tensors: ((rows, [keys_of(t, i) for t in tensors]) for i, rows in enumerate(asked))
