"""Attention in one call, over every layout of heads, positions and features: training's kernel of Ascend."""

from __future__ import annotations

from itertools import accumulate

import torch
import torch.nn.functional as F

from ms2torch._core.errors import final, unsupported
from ms2torch._core.operators.registry import REQUIRED, op, primitive
from ms2torch.common.generator import default_generator

__all__ = ["flash_attention_score", "speed_fusion_attention"]

_LARGEST = 2147483647
_LAYOUTS = ("BSH", "BNSD", "SBH", "BSND", "TND")


@op
def flash_attention_score(
    query, key, value, head_num, real_shift=None, drop_mask=None, padding_mask=None, attn_mask=None,
    prefix=None, actual_seq_qlen=None, actual_seq_kvlen=None, keep_prob=1.0, scalar_value=1.0,
    pre_tokens=_LARGEST, next_tokens=_LARGEST, inner_precise=0, input_layout="BSH", sparse_mode=0,
):
    """softmax(scalar_value * query @ key^T + real_shift) @ value.

    MindSpore: ``mindspore.ops.flash_attention_score``.

    ``input_layout`` says where batch (B), heads (N), positions (S) and features (D; H is N * D) are; "TND"
    joins sequences that end at ``actual_seq_qlen`` and ``actual_seq_kvlen``. ``attn_mask`` is true where a
    key is not seen; ``sparse_mode`` 0 and 1 take it whole (0 within ``pre_tokens`` and ``next_tokens``), 2
    and 3 see no later position, counted from the first or the last one, 4 those within ``pre_tokens`` and
    ``next_tokens`` of the last one's. The heads of ``key`` may be fewer. The result has the layout of
    ``query``. Dropout takes a ``drop_mask`` of bits.

    Unlike on Ascend, float32 is taken, too. NotImplementedError for ``sparse_mode`` 5 and more and for
    masks that Ascend packs.
    """
    return _attention(query, key, value, head_num, real_shift, drop_mask, padding_mask, attn_mask, prefix,
                      actual_seq_qlen, actual_seq_kvlen, keep_prob, scalar_value, pre_tokens, next_tokens,
                      inner_precise, input_layout, sparse_mode)[0]


@primitive("FlashAttentionScore", init={
    "head_num": REQUIRED, "keep_prob": 1.0, "scale_value": 1.0, "pre_tokens": _LARGEST,
    "next_tokens": _LARGEST, "inner_precise": 0, "input_layout": "BSH", "sparse_mode": 0})
def _flash_attention_score(
    query, key, value, real_shift=None, drop_mask=None, padding_mask=None, attn_mask=None, prefix=None,
    actual_seq_qlen=None, actual_seq_kvlen=None, head_num=None, keep_prob=1.0, scale_value=1.0,
    pre_tokens=_LARGEST, next_tokens=_LARGEST, inner_precise=0, input_layout="BSH", sparse_mode=0,
):
    """``flash_attention_score`` as the last of four results (``FlashAttentionScore``).

    The first two are the largest score of each row and the sum of exp(score - largest), (B, N, S, 8) Float32;
    the third is empty, as on Ascend.
    """
    if input_layout == "TH":
        if not (real_shift is drop_mask is padding_mask is prefix is None and keep_prob == 1):
            raise unsupported("mindspore.ops.FlashAttentionScore(input_layout='TH')",
                              "its scores are shifted, dropped and padded on Ascend only.",
                              'input_layout="BSH", one sequence in each row, or attn_mask alone.')
        out = _joined_rows(query, key, value, head_num, attn_mask, actual_seq_qlen, actual_seq_kvlen,
                           scale_value)
        return query.new_empty(0), query.new_empty(0), query.new_empty(0), out
    out, found = _attention(query, key, value, head_num, real_shift, drop_mask, padding_mask, attn_mask,
                            prefix, actual_seq_qlen, actual_seq_kvlen, keep_prob, scale_value, pre_tokens,
                            next_tokens, inner_precise, input_layout, sparse_mode, True)
    return *found, query.new_empty(0), out


def _attention(query, key, value, head_num, real_shift, drop_mask, padding_mask, attn_mask, prefix, ends_q,
               ends_k, keep_prob, scale, pre_tokens, next_tokens, inner_precise, layout, sparse_mode,
               scored=False):
    """The result in the layout of ``query`` and, if asked for, the `_statistics` of its scores."""
    if layout not in _LAYOUTS:
        raise ValueError(f"For 'FlashAttentionScore', 'input_layout' must be one of {_LAYOUTS}, but got "
                         f"{layout!r}.")
    if not query.dtype == key.dtype == value.dtype:
        raise TypeError("For 'FlashAttentionScore', query, key and value must have one dtype, but got "
                        f"{query.dtype}, {key.dtype}, {value.dtype}.")
    if attn_mask is not None and attn_mask.dtype not in (torch.bool, torch.uint8):
        raise TypeError("For 'FlashAttentionScore', attn_mask must be bool or uint8, but got "
                        f"{attn_mask.dtype}.")
    if padding_mask is not None or prefix is not None or sparse_mode not in range(5):
        raise unsupported("mindspore.ops.flash_attention_score(padding_mask, prefix, sparse_mode=5 to 8)",
                          "these masks exist on Ascend only.", "sparse_mode=1 and the whole attn_mask.")
    options = attn_mask, keep_prob, scale, pre_tokens, next_tokens, sparse_mode, scored
    if layout != "TND":
        q, k, v = (headed(t, head_num, layout, query) for t in (query, key, value))
        out, found = _whole(q, k, v, real_shift, drop_mask, *options)
        return laid_out(out, layout), found
    if real_shift is not None or drop_mask is not None or ends_q is None or ends_k is None:
        raise unsupported(
            "mindspore.ops.flash_attention_score(input_layout='TND')",
            "joined sequences need actual_seq_qlen and actual_seq_kvlen, without real_shift and drop_mask.",
            'input_layout="BNSD", one sequence in each row.')
    parts, seen, last_q, last_k = [], [], 0, 0
    for q_end, k_end in zip(integers(ends_q), integers(ends_k), strict=True):
        q, k, v = (t[a:b].transpose(0, 1)[None] for t, a, b in
                   ((query, last_q, q_end), (key, last_k, k_end), (value, last_k, k_end)))
        out, found = _whole(q, k, v, None, None, *options)
        parts.append(out[0].transpose(0, 1))
        seen.append([t[0].transpose(0, 1) for t in found or ()])
        last_q, last_k = q_end, k_end
    return torch.cat(parts), [torch.cat(each) for each in zip(*seen, strict=True)]


def _joined_rows(query, key, value, head_num, attn_mask, ends_q, ends_k, scale):
    """The layout "TH" of inference: joined sequences, heads side by side. Its mask is what is not 0: of all
    rows and columns, or 128 of each, which stand for a triangle of any size. It is told the sequences'
    lengths or their ends."""
    q, k, v = (t.unflatten(-1, (-1, query.shape[-1] // head_num)) for t in (query, key, value))
    ends_q = _ends(ends_q, len(q))
    ends_k = ends_q if ends_k is None else _ends(ends_k, len(k))
    mask, sparse_mode = None if attn_mask is None else attn_mask != 0, 1
    if mask is not None and mask.shape == (128, 128) and torch.equal(mask, torch.ones_like(mask).triu(1)):
        mask, sparse_mode = None, 3
    elif mask is not None and (len(ends_q) > 1 or mask.shape[-2:] != (len(q), len(k))):
        raise unsupported("mindspore.ops.FlashAttentionScore(input_layout='TH', attn_mask)",
                          f"what a mask of shape {tuple(mask.shape)} says of {len(ends_q)} joined sequences "
                          "is known on Ascend only.",
                          "128 x 128 values, not 0 above the diagonal, or one sequence and its whole mask.")
    out, _ = _attention(q, k, v, head_num, None, None, None, mask, None, ends_q, ends_k, 1.0, scale, _LARGEST,
                        _LARGEST, 0, "TND", sparse_mode)
    return out.flatten(-2)


def _ends(given, rows: int) -> list[int]:
    found = [rows] if given is None else integers(given)
    found = list(accumulate(found)) if sum(found) == rows else found
    if found[-1] != rows:
        raise ValueError("For 'FlashAttentionScore', actual_seq_qlen and actual_seq_kvlen must be lengths "
                         f"or ends of sequences of {rows} rows in all, but got {integers(given)}.")
    return found


def integers(ends) -> list[int]:
    return ends.tolist() if isinstance(ends, torch.Tensor) else list(ends)


def headed(t, head_num, layout, query):
    """(B, N, S, D) of a tensor of any layout but TND."""
    if layout == "BNSD":
        return t
    if layout == "BSND":
        return t.transpose(1, 2)
    if query.shape[-1] % head_num:
        raise final(RuntimeError(
            f"For 'FlashAttentionScore', the hidden size {query.shape[-1]} must be divisible "
            f"by head_num {head_num}."))
    t = t.unflatten(-1, (-1, query.shape[-1] // head_num))
    return t.transpose(1, 2) if layout == "BSH" else t.permute(1, 2, 0, 3)


def laid_out(t, layout):
    if layout == "BNSD":
        return t
    if layout == "SBH":
        return t.permute(2, 0, 1, 3).flatten(-2)
    t = t.transpose(1, 2)
    return t if layout == "BSND" else t.flatten(-2)


def _whole(q, k, v, shift, drop_mask, attn_mask, keep_prob, scale, pre_tokens, next_tokens, sparse_mode,
           scored):
    """Attention of (B, N, S, D) tensors and, if asked for, the `_statistics` of its scores."""
    rows, columns = q.shape[2], k.shape[2]
    if shift is not None and shift.shape[-2] != rows:
        raise unsupported("mindspore.ops.flash_attention_score(real_shift of 1024 rows)",
                          "Ascend packs it so.", "real_shift of shape (B, N, S1, S2).")
    causal = sparse_mode == 2 or (sparse_mode == 3 and rows == columns)
    plain = drop_mask is None and not scored
    hidden = None if causal and plain and shift is None else _hidden(
        attn_mask, rows, columns, pre_tokens, next_tokens, sparse_mode, q.device)
    if plain:
        return attend(q, k, v, scale, shift, hidden, causal), None
    k, v = for_heads(q, k, v)
    scores = (q @ k.mT).float() * scale
    if shift is not None:
        scores = scores + shift.float()
    if hidden is not None:
        scores = scores.masked_fill(hidden, -torch.inf)
    weights = scores.softmax(-1)
    if drop_mask is not None:
        weights = weights * _bits(drop_mask, weights) / keep_prob
    return weights.to(v.dtype) @ v, _statistics(scores) if scored else None


def attend(q, k, v, scale: float, shift=None, hidden=None, causal: bool = False):
    """softmax(scale * q @ k^T + shift) @ v of (B, N, S, D) tensors, without the keys that are ``hidden``
    (or, if nothing is, with ``causal``, those behind the row's number); zeros where all of them are."""
    k, v = for_heads(q, k, v)
    mask = shift if hidden is None else ~hidden
    if shift is not None and hidden is not None:
        mask = torch.where(hidden, -torch.inf, shift)
    return F.scaled_dot_product_attention(q, k, v, mask, is_causal=causal and mask is None, scale=scale)


def for_heads(q, *shared):
    """Keys and values, each repeated for the heads of ``q`` that share it."""
    heads, fewer = q.shape[1], shared[0].shape[1]
    if heads % fewer:
        raise final(RuntimeError(
            f"For 'FlashAttentionScore', head_num {heads} must be divisible by the key's heads, {fewer}."))
    return shared if fewer == heads else [t.repeat_interleave(heads // fewer, 1) for t in shared]


def _hidden(attn_mask, rows, columns, pre_tokens, next_tokens, sparse_mode, device):
    """True where a key is not seen, or None."""
    if sparse_mode in (0, 1):
        if attn_mask is None:
            return None
        hidden = attn_mask.bool()
        if sparse_mode == 0 and (pre_tokens < rows or next_tokens < columns):
            hidden = hidden | outside(ahead(rows, columns, device), pre_tokens, next_tokens)
        return hidden
    distance = ahead(rows, columns, device) - (0 if sparse_mode == 2 else columns - rows)
    return outside(distance, pre_tokens, next_tokens) if sparse_mode == 4 else distance > 0


def ahead(rows: int, columns: int, device):
    """How far each key (column) is ahead of each query (row)."""
    return torch.arange(columns, device=device) - torch.arange(rows, device=device)[:, None]


def outside(distance, pre_tokens: int, next_tokens: int):
    """True where a key is more than ``pre_tokens`` behind or ``next_tokens`` ahead."""
    return (distance > next_tokens) | (distance < -pre_tokens)


def _bits(mask, like):
    """The bits of a mask of bytes, one for each of ``like``'s elements, least significant first."""
    bits = mask.unsqueeze(-1) >> torch.arange(8, dtype=torch.uint8, device=mask.device)
    return (bits & 1).reshape(like.shape)


def _statistics(scores):
    """The largest score of each row and the sum of exp(score - largest), as Ascend gives them: eight
    times."""
    largest = scores.amax(-1, keepdim=True)
    total = (scores - largest).exp().sum(-1, keepdim=True)
    return tuple(t.expand(*t.shape[:-1], 8) for t in (largest, total))


@op
def speed_fusion_attention(
    query, key, value, head_num, input_layout, *, pse=None, padding_mask=None, atten_mask=None, scale=1.0,
    keep_prob=1.0, pre_tokens=_LARGEST, next_tokens=_LARGEST, inner_precise=0, prefix=None,
    actual_seq_qlen=None, actual_seq_kvlen=None, sparse_mode=0, gen_mask_parallel=True, sync=False,
    pse_type=1, q_start_idx=None, kv_start_idx=None,
):
    """`flash_attention_score` and what a gradient needs of it.

    MindSpore: ``mindspore.ops.speed_fusion_attention``: the result, the largest score of each row and the sum
    of exp(score - largest), Float32 of (B, N, S, 8) or (T, N, 8), an empty tensor, the seed and the offset of
    the default generator, which goes on by 12, and 0, the elements that were dropped out of. ``pse`` is added
    to query @ key^T before ``scale`` (``pse_type`` 1), or behind it (0).

    Unlike on Ascend, float32 is taken, too. NotImplementedError for dropout, which Ascend draws inside, and
    for the position codes that it makes inside (``pse_type`` 2 and 3); ValueError for others.
    """
    return _speed_fusion_attention(
        query, key, value, head_num, input_layout, *map(torch.tensor, default_generator._step()), pse,
        padding_mask, atten_mask, scale, keep_prob, pre_tokens, next_tokens, inner_precise, prefix,
        actual_seq_qlen, actual_seq_kvlen, sparse_mode, gen_mask_parallel, sync, pse_type)


def _speed_fusion_attention(
    query, key, value, head_num, input_layout, seed, offset, pse=None, padding_mask=None, atten_mask=None,
    scale=1.0, keep_prob=1.0, pre_tokens=_LARGEST, next_tokens=_LARGEST, inner_precise=0, prefix=None,
    actual_seq_qlen=None, actual_seq_kvlen=None, sparse_mode=0, gen_mask_parallel=True, sync=False,
    pse_type=1, q_start_idx=None, kv_start_idx=None,
):
    """`speed_fusion_attention` of a given seed and offset (``SpeedFusionAttention``)."""
    if pse_type not in range(4):
        raise ValueError(f"For 'SpeedFusionAttention', 'pse_type' must be 0, 1, 2 or 3, but got {pse_type}.")
    if keep_prob != 1 or pse_type > 1:
        raise unsupported("mindspore.ops.speed_fusion_attention(keep_prob, pse_type=2 or 3)",
                          "what Ascend's kernel draws and makes inside is documented nowhere.",
                          "ops.flash_attention_score with a drop_mask and a real_shift.")
    shift = pse * scale if pse is not None and pse_type == 1 else pse
    out, found = _attention(
        query, key, value, head_num, shift, None, padding_mask, atten_mask, prefix, actual_seq_qlen,
        actual_seq_kvlen, 1.0, scale, pre_tokens, next_tokens, inner_precise, input_layout, sparse_mode, True)
    return out, *found, query.new_empty(0), seed, offset, torch.zeros((), dtype=torch.int64)


primitive("SpeedFusionAttention")(_speed_fusion_attention)
