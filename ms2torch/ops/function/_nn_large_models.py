"""What large language models train with: attention in one call, root mean square norms, rotated positions."""

from __future__ import annotations

from itertools import accumulate

import torch
import torch.nn.functional as F

from ms2torch._core.errors import final, unsupported
from ms2torch._core.operators.registry import REQUIRED, op, primitive

_LARGEST = 2147483647
_LAYOUTS = ("BSH", "BNSD", "SBH", "BSND", "TND")


@op(primitive="RmsNorm", init={"epsilon": 1e-6})
def rms_norm(x, gamma, epsilon=1e-6):
    """``x`` over its root mean square, times ``gamma``, and the reciprocal of the root, Float32.

    MindSpore: ``mindspore.ops.rms_norm``, ``RmsNorm``; the last axes are those of ``gamma``.
    """
    return _normed(x, gamma, epsilon)


def _normed(x, gamma, epsilon):
    dims = tuple(range(x.ndim - gamma.ndim, x.ndim))
    wide = x.float()
    scale = torch.rsqrt(wide.square().mean(dims, keepdim=True) + epsilon)
    return (wide * scale * gamma.float()).to(x.dtype), scale


@op
def add_rms_norm(x1, x2, gamma, epsilon=1e-6):
    """The `rms_norm` of a sum, the reciprocal of its root, and the sum (``mindspore.ops.add_rms_norm``)."""
    if x1.shape != x2.shape:
        raise final(RuntimeError(
            f"For 'AddRmsNorm', the shapes of 'x1' and 'x2' must be the same, but got "
            f"{tuple(x1.shape)} and {tuple(x2.shape)}."))
    total = x1 + x2
    return *_normed(total, gamma, epsilon), total


@op
def add_layer_norm(x1, x2, gamma, beta, epsilon=1e-5, additional_output=False):
    """Layer normalisation of a sum, its mean and reciprocal deviation, and the sum.

    MindSpore: ``mindspore.ops.add_layer_norm``. The sum is given whether it is asked for or not.
    """
    total = x1 + x2
    dims = tuple(range(total.ndim - gamma.ndim, total.ndim))
    wide = total.float()
    mean = wide.mean(dims, keepdim=True)
    scale = torch.rsqrt(wide.var(dims, unbiased=False, keepdim=True) + epsilon)
    return ((wide - mean) * scale * gamma + beta).to(x1.dtype), mean, scale, total


@op(primitive="Swiglu")
def swiglu(input, dim=-1):
    """SiLU of the first half along ``dim`` times the second half (``mindspore.ops.swiglu``)."""
    if not -input.ndim <= dim < input.ndim:
        raise ValueError(f"For primitive[Swiglu], the dim must be in [-{input.ndim},{input.ndim}), but got "
                         f"{dim}.")
    if input.shape[dim] % 2:
        raise ValueError("For 'Swiglu', the dimension specified by 'dim' must be divisible by 2, but got "
                         f"x_shape[dim]: {input.shape[dim]} .")
    gate, value = input.chunk(2, dim)
    return F.silu(gate) * value


@op(primitive="RotaryPositionEmbedding")
def rotary_position_embedding(x, cos, sin, mode=0):
    """``x * cos + rotated * sin`` of a 4-D tensor (``mindspore.ops.rotary_position_embedding``).

    ``mode`` 0 rotates the halves of the last axis (GPT-NeoX), 1 its neighbours (GPT-J).
    """
    if mode not in (0, 1):
        raise ValueError(f"For 'RotaryPositionEmbedding', 'mode' must be 0 or 1, but got {mode}.")
    if mode == 0:
        first, second = x.chunk(2, -1)
        rotated = torch.cat((-second, first), -1)
    else:
        rotated = torch.stack((-x[..., 1::2], x[..., ::2]), -1).flatten(-2)
    return x * cos + rotated * sin


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
    and 3 see no later position, counted from the first or the last one. The heads of ``key`` may be fewer.
    The result has the layout of ``query``. Dropout takes a ``drop_mask`` of bits.

    Unlike on Ascend, float32 is taken, too. NotImplementedError for ``sparse_mode`` 4 and more and for
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
    out, scores = _attention(query, key, value, head_num, real_shift, drop_mask, padding_mask, attn_mask,
                             prefix, actual_seq_qlen, actual_seq_kvlen, keep_prob, scale_value, pre_tokens,
                             next_tokens, inner_precise, input_layout, sparse_mode, True)
    largest = scores.amax(-1, keepdim=True)
    total = (scores - largest).exp().sum(-1, keepdim=True)
    shape = (*scores.shape[:-1], 8)
    return largest.expand(shape), total.expand(shape), query.new_empty(0), out


def _attention(query, key, value, head_num, real_shift, drop_mask, padding_mask, attn_mask, prefix, ends_q,
               ends_k, keep_prob, scale, pre_tokens, next_tokens, inner_precise, layout, sparse_mode,
               scored=False):
    """The result in the layout of ``query`` and, if asked for, the scores in Float32."""
    if layout not in _LAYOUTS:
        raise ValueError(f"For 'FlashAttentionScore', 'input_layout' must be one of {_LAYOUTS}, but got "
                         f"{layout!r}.")
    if not query.dtype == key.dtype == value.dtype:
        raise TypeError("For 'FlashAttentionScore', query, key and value must have one dtype, but got "
                        f"{query.dtype}, {key.dtype}, {value.dtype}.")
    if attn_mask is not None and attn_mask.dtype not in (torch.bool, torch.uint8):
        raise TypeError("For 'FlashAttentionScore', attn_mask must be bool or uint8, but got "
                        f"{attn_mask.dtype}.")
    if padding_mask is not None or prefix is not None or sparse_mode not in (0, 1, 2, 3):
        raise unsupported("mindspore.ops.flash_attention_score(padding_mask, prefix, sparse_mode=4 to 8)",
                          "these masks exist on Ascend only.", "sparse_mode=1 and the whole attn_mask.")
    options = attn_mask, keep_prob, scale, pre_tokens, next_tokens, sparse_mode, scored
    if layout != "TND":
        q, k, v = (_headed(t, head_num, layout, query) for t in (query, key, value))
        out, scores = _whole(q, k, v, real_shift, drop_mask, *options)
        return _laid_out(out, layout), scores
    if real_shift is not None or drop_mask is not None or scored or ends_q is None or ends_k is None:
        raise unsupported(
            "mindspore.ops.flash_attention_score(input_layout='TND')",
            "joined sequences need actual_seq_qlen and actual_seq_kvlen; the function alone takes them, "
            "without real_shift and drop_mask.",
            'input_layout="BNSD", one sequence in each row.')
    parts, last_q, last_k = [], 0, 0
    for q_end, k_end in zip(_integers(ends_q), _integers(ends_k), strict=True):
        q, k, v = (t[a:b].transpose(0, 1)[None] for t, a, b in
                   ((query, last_q, q_end), (key, last_k, k_end), (value, last_k, k_end)))
        parts.append(_whole(q, k, v, None, None, *options)[0][0].transpose(0, 1))
        last_q, last_k = q_end, k_end
    return torch.cat(parts), None


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
    found = [rows] if given is None else _integers(given)
    found = list(accumulate(found)) if sum(found) == rows else found
    if found[-1] != rows:
        raise ValueError("For 'FlashAttentionScore', actual_seq_qlen and actual_seq_kvlen must be lengths "
                         f"or ends of sequences of {rows} rows in all, but got {_integers(given)}.")
    return found


def _integers(ends) -> list[int]:
    return ends.tolist() if isinstance(ends, torch.Tensor) else list(ends)


def _headed(t, head_num, layout, query):
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


def _laid_out(t, layout):
    if layout == "BNSD":
        return t
    if layout == "SBH":
        return t.permute(2, 0, 1, 3).flatten(-2)
    t = t.transpose(1, 2)
    return t if layout == "BSND" else t.flatten(-2)


def _whole(q, k, v, shift, drop_mask, attn_mask, keep_prob, scale, pre_tokens, next_tokens, sparse_mode,
           scored):
    """Attention of (B, N, S, D) tensors, and its scores if asked for."""
    heads, rows, columns = q.shape[1], q.shape[2], k.shape[2]
    if heads % k.shape[1]:
        raise final(RuntimeError(
            f"For 'FlashAttentionScore', head_num {heads} must be divisible by the key's "
            f"heads, {k.shape[1]}."))
    if k.shape[1] != heads:
        k, v = (t.repeat_interleave(heads // k.shape[1], 1) for t in (k, v))
    if shift is not None and shift.shape[-2] != rows:
        raise unsupported("mindspore.ops.flash_attention_score(real_shift of 1024 rows)",
                          "Ascend packs it so.", "real_shift of shape (B, N, S1, S2).")
    causal_for_torch = sparse_mode == 2 or (sparse_mode == 3 and rows == columns)
    if causal_for_torch and shift is None and drop_mask is None and not scored:
        return F.scaled_dot_product_attention(q, k, v, is_causal=True, scale=scale), None
    hidden = _hidden(attn_mask, rows, columns, pre_tokens, next_tokens, sparse_mode, q.device)
    if drop_mask is None and not scored:
        mask = shift if hidden is None else ~hidden
        if shift is not None and hidden is not None:
            mask = shift.masked_fill(hidden, -torch.inf)
        return F.scaled_dot_product_attention(q, k, v, attn_mask=mask, scale=scale), None
    scores = (q @ k.transpose(-1, -2)).float() * scale
    if shift is not None:
        scores = scores + shift.float()
    if hidden is not None:
        scores = scores.masked_fill(hidden, -torch.inf)
    weights = scores.softmax(-1)
    if drop_mask is not None:
        weights = weights * _bits(drop_mask, weights) / keep_prob
    return weights.to(v.dtype) @ v, scores


def _hidden(attn_mask, rows, columns, pre_tokens, next_tokens, sparse_mode, device):
    """True where a key is not seen, or None."""
    if sparse_mode in (0, 1):
        if attn_mask is None:
            return None
        hidden = attn_mask.bool()
        if sparse_mode == 0 and (pre_tokens < rows or next_tokens < columns):
            ahead = torch.arange(columns, device=device) - torch.arange(rows, device=device)[:, None]
            hidden = hidden | (ahead > next_tokens) | (ahead < -pre_tokens)
        return hidden
    later = 1 if sparse_mode == 2 else 1 + columns - rows
    return torch.ones(rows, columns, dtype=torch.bool, device=device).triu(later)


def _bits(mask, like):
    """The bits of a mask of bytes, one for each of ``like``'s elements, least significant first."""
    bits = mask.unsqueeze(-1) >> torch.arange(8, dtype=torch.uint8, device=mask.device)
    return (bits & 1).reshape(like.shape)
