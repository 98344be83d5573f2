"""Attention for inference: of whole prompts, of one more token, and of keys and values kept in blocks.

Its kernels are Ascend's; they follow MindSpore's documentation of them.
"""

from __future__ import annotations

import torch

from ms2torch._core.errors import final, unsupported
from ms2torch._core.operators.registry import op, primitive

from ._flash_attention import ahead, attend, for_heads, headed, integers, laid_out, outside

__all__ = ["fused_infer_attention_score", "incre_flash_attention", "prompt_flash_attention"]

_LARGEST = 2147483647
_PACKED = 2048          # rows and columns of the mask that stands for a triangle of any size


@op(primitive="PromptFlashAttention", init={
    "num_heads": 1, "scale_value": 1.0, "pre_tokens": _LARGEST, "next_tokens": 0, "input_layout": "BSH",
    "num_key_value_heads": 0, "sparse_mode": 0, "inner_precise": 1})
def prompt_flash_attention(
    query, key, value, attn_mask=None, actual_seq_lengths=None, actual_seq_lengths_kv=None, pse_shift=None,
    deq_scale1=None, quant_scale1=None, deq_scale2=None, quant_scale2=None, quant_offset2=None, num_heads=1,
    scale_value=1.0, pre_tokens=_LARGEST, next_tokens=0, input_layout="BSH", num_key_value_heads=0,
    sparse_mode=0, inner_precise=1,
):
    """softmax(scale_value * query @ key^T + pse_shift) @ value of whole prompts.

    MindSpore: ``mindspore.ops.prompt_flash_attention``, ``PromptFlashAttention``.

    ``input_layout`` is "BSH" or "BNSD"; keys and values have ``num_key_value_heads``. ``attn_mask`` (S, S),
    (B, S, S) or (B, 1, S, S) is true where a key is not seen. ``sparse_mode`` 1 takes it as it is, 0 within
    ``pre_tokens`` behind and ``next_tokens`` ahead (0 by default); 2 and 3 see no later position, counted
    from the first or the last one, 4 those within ``pre_tokens`` and ``next_tokens`` of the last one's:
    their mask is the triangle of 2048 x 2048. What lies beyond ``actual_seq_lengths`` and
    ``actual_seq_lengths_kv`` is neither asked nor seen. Rows that see nothing are zeros.

    Unlike on Ascend, float32 is taken, too. NotImplementedError for quantized forms.
    """
    name = "PromptFlashAttention"
    _unquantised(name, query, key, deq_scale1=deq_scale1, quant_scale1=quant_scale1, deq_scale2=deq_scale2,
                 quant_scale2=quant_scale2, quant_offset2=quant_offset2)
    one = _Inference(name, query, key, value, num_heads, num_key_value_heads, input_layout, ("BSH", "BNSD"))
    one.take(pse_shift, attn_mask, scale_value)
    one.see(sparse_mode, pre_tokens, next_tokens, actual_seq_lengths, actual_seq_lengths_kv)
    return one.attended()


@op(primitive="IncreFlashAttention", init={
    "num_heads": 1, "input_layout": "BSH", "scale_value": 1.0, "num_key_value_heads": 0, "block_size": 0,
    "inner_precise": 1})
def incre_flash_attention(
    query, key, value, attn_mask=None, actual_seq_lengths=None, pse_shift=None, dequant_scale1=None,
    quant_scale1=None, dequant_scale2=None, quant_scale2=None, quant_offset2=None, antiquant_scale=None,
    antiquant_offset=None, block_table=None, num_heads=1, input_layout="BSH", scale_value=1.0,
    num_key_value_heads=0, block_size=0, inner_precise=1, kv_padding_size=None,
):
    """Attention of one token's query (B, 1, H) or (B, N, 1, D) to keys and values in a list.

    MindSpore: ``mindspore.ops.incre_flash_attention``, ``IncreFlashAttention``: `prompt_flash_attention` of
    which each row sees the first ``actual_seq_lengths`` positions, or the last ones before
    ``kv_padding_size``, but for those that ``attn_mask`` (B, S), (B, 1, S) or (B, 1, 1, S) hides. With
    ``block_table`` (B, blocks) keys and values are (blocks, ``block_size``, H), or (blocks, N,
    ``block_size``, D) in "BNSD".

    Unlike on Ascend, float32 is taken, too. NotImplementedError for quantized forms and lists of more than
    one.
    """
    name = "IncreFlashAttention"
    key, value = (_only(name, t) for t in (key, value))
    _unquantised(name, query, key, dequant_scale1=dequant_scale1, quant_scale1=quant_scale1,
                 dequant_scale2=dequant_scale2, quant_scale2=quant_scale2, quant_offset2=quant_offset2,
                 antiquant_scale=antiquant_scale, antiquant_offset=antiquant_offset)
    one = _Inference(name, query, key, value, num_heads, num_key_value_heads, input_layout, ("BSH", "BNSD"),
                     block_table, block_size, actual_seq_lengths)
    one.take(pse_shift, _rows(attn_mask), scale_value)
    one.see(1, 0, 0, None, actual_seq_lengths, None, kv_padding_size)
    return one.attended()


@op
def fused_infer_attention_score(
    query, key, value, *, pse_shift=None, atten_mask=None, actual_seq_lengths=None,
    actual_seq_lengths_kv=None, dequant_scale1=None, quant_scale1=None, dequant_scale2=None,
    quant_scale2=None, quant_offset2=None, antiquant_scale=None, antiquant_offset=None,
    key_antiquant_scale=None, key_antiquant_offset=None, value_antiquant_scale=None,
    value_antiquant_offset=None, block_table=None, query_padding_size=None, kv_padding_size=None,
    key_shared_prefix=None, value_shared_prefix=None, actual_shared_prefix_len=None, num_heads=1,
    scale=1.0, pre_tokens=_LARGEST, next_tokens=_LARGEST, input_layout="BSH", num_key_value_heads=0,
    sparse_mode=0, inner_precise=1, block_size=0, antiquant_mode=0, key_antiquant_mode=0,
    value_antiquant_mode=0, softmax_lse_flag=False,
):
    """`prompt_flash_attention`, or `incre_flash_attention` where ``query`` has one position.

    MindSpore: ``mindspore.ops.fused_infer_attention_score``. A second result is the logarithm of the sum of
    exp(score), Float32 (B, N, S, 1), with ``softmax_lse_flag``, and otherwise one zero. ``input_layout``
    may be "BSND" and "BNSD_BSND", too: heads before positions on the way in, behind them on the way out.
    ``query_padding_size`` and ``kv_padding_size`` count positions behind the last one that counts: with
    lengths, sequences end there; ``pre_tokens`` and ``next_tokens`` of ``sparse_mode`` 0 then tell nothing.

    Unlike on Ascend, float32 is taken, too. NotImplementedError for quantized forms, shared prefixes, and for
    blocks of keys where ``query`` has more than one position.
    """
    return _fused_infer_attention_score(
        query, key, value, pse_shift, atten_mask, actual_seq_lengths, actual_seq_lengths_kv, dequant_scale1,
        quant_scale1, dequant_scale2, quant_scale2, quant_offset2, antiquant_scale, antiquant_offset,
        block_table, query_padding_size, kv_padding_size, key_antiquant_scale, key_antiquant_offset,
        value_antiquant_scale, value_antiquant_offset, key_shared_prefix, value_shared_prefix,
        actual_shared_prefix_len, num_heads, scale, pre_tokens, next_tokens, input_layout,
        num_key_value_heads, sparse_mode, inner_precise, block_size, antiquant_mode, softmax_lse_flag,
        key_antiquant_mode, value_antiquant_mode)


def _fused_infer_attention_score(
    query, key, value, pse_shift=None, attn_mask=None, actual_seq_lengths=None, actual_seq_lengths_kv=None,
    dequant_scale1=None, quant_scale1=None, dequant_scale2=None, quant_scale2=None, quant_offset2=None,
    antiquant_scale=None, antiquant_offset=None, block_table=None, query_padding_size=None,
    kv_padding_size=None, key_antiquant_scale=None, key_antiquant_offset=None, value_antiquant_scale=None,
    value_antiquant_offset=None, key_shared_prefix=None, value_shared_prefix=None,
    actual_shared_prefix_len=None, num_heads=1, scale_value=1.0, pre_tokens=_LARGEST, next_tokens=_LARGEST,
    input_layout="BSH", num_key_value_heads=0, sparse_mode=0, inner_precise=1, block_size=0, antiquant_mode=0,
    softmax_lse_flag=False, key_antiquant_mode=0, value_antiquant_mode=0,
):
    """`fused_infer_attention_score` with its options first (``FusedInferAttentionScore``)."""
    name = "FusedInferAttentionScore"
    key, value = (_only(name, t) for t in (key, value))
    _unquantised(name, query, key, dequant_scale1=dequant_scale1, quant_scale1=quant_scale1,
                 dequant_scale2=dequant_scale2, quant_scale2=quant_scale2, quant_offset2=quant_offset2,
                 antiquant_scale=antiquant_scale, antiquant_offset=antiquant_offset,
                 key_antiquant_scale=key_antiquant_scale, key_antiquant_offset=key_antiquant_offset,
                 value_antiquant_scale=value_antiquant_scale, value_antiquant_offset=value_antiquant_offset)
    _reserved(name, key_shared_prefix=key_shared_prefix, value_shared_prefix=value_shared_prefix,
              actual_shared_prefix_len=actual_shared_prefix_len)
    one = _Inference(name, query, key, value, num_heads, num_key_value_heads, input_layout,
                     ("BSH", "BNSD", "BSND", "BNSD_BSND"), block_table, block_size, actual_seq_lengths_kv)
    if one.q.shape[2] == 1:
        one.take(pse_shift, _rows(attn_mask), scale_value)
        one.see(1, 0, 0, None, actual_seq_lengths_kv, None, kv_padding_size)
    else:
        if block_table is not None:
            _reserved(name, block_table=block_table)
        one.take(pse_shift, attn_mask, scale_value)
        one.see(sparse_mode, pre_tokens, next_tokens, actual_seq_lengths, actual_seq_lengths_kv,
                query_padding_size, kv_padding_size)
    return one.attended(), one.logarithms() if softmax_lse_flag else query.new_zeros(1, dtype=torch.float32)


primitive("FusedInferAttentionScore", init={
    "num_heads": 1, "scale_value": 1.0, "pre_tokens": _LARGEST, "next_tokens": _LARGEST,
    "input_layout": "BSH", "num_key_value_heads": 0, "sparse_mode": 0, "inner_precise": 1, "block_size": 0,
    "antiquant_mode": 0, "softmax_lse_flag": False, "key_antiquant_mode": 0, "value_antiquant_mode": 0,
})(_fused_infer_attention_score)


class _Inference:
    """One call: its query, keys and values as (B, N, S, D), and which of them see which."""

    def __init__(self, name, query, key, value, heads, kv_heads, layout, layouts, table=None, block_size=0,
                 lengths=None) -> None:
        if layout not in layouts:
            raise ValueError(f"For '{name}', 'input_layout' must be one of {layouts}, but got {layout!r}.")
        if not query.dtype == key.dtype == value.dtype:
            raise TypeError(f"For '{name}', query, key and value must have one dtype, but got {query.dtype}, "
                            f"{key.dtype}, {value.dtype}.")
        if heads <= 0 or kv_heads < 0 or heads % (kv_heads or heads):
            raise final(RuntimeError(
                f"For '{name}', num_heads must be greater than 0 and divisible by num_key_value_heads, but "
                f"got {heads} and {kv_heads}."))
        self.name = name
        inner, _, self.layout = layout.partition("_")
        self.layout = self.layout or inner
        kv_heads = kv_heads or heads
        self.q = headed(query, heads, inner, query)
        if table is None:
            self.k, self.v = (headed(t, kv_heads, inner, key) for t in (key, value))
        else:
            self.k, self.v = (_from_blocks(name, t, table, block_size, lengths, kv_heads)
                              for t in (key, value))
        widths = (self.q.shape[1], self.k.shape[1], self.v.shape[1])
        if widths != (heads, kv_heads, kv_heads) or self.q.shape[-1] != self.k.shape[-1]:
            raise final(RuntimeError(
                f"For '{name}', query, key and value must have {heads}, {kv_heads} and {kv_heads} heads of "
                f"one size, but got {widths} of {self.q.shape[-1]} and {self.k.shape[-1]} in the layout "
                f"{layout!r}."))
        self.rows, self.columns = self.q.shape[2], self.k.shape[2]
        self.hidden, self.asked, self.causal = None, None, False

    def take(self, shift, mask, scale: float) -> None:
        """The position code, the mask and the scale; TypeError and RuntimeError for wrong ones."""
        self.scale, self.shift, self.mask = scale, shift, mask
        if shift is not None:
            if shift.dtype != self.q.dtype:
                raise TypeError(f"For '{self.name}', pse_shift must be {self.q.dtype} as query, but got "
                                f"{shift.dtype}.")
            self.shift = shift[..., :self.rows, :self.columns]
        if mask is not None and mask.dtype not in (torch.bool, torch.int8, torch.uint8, torch.float16):
            raise TypeError(f"For '{self.name}', attn_mask must be bool, int8 or uint8, but got "
                            f"{mask.dtype}.")

    def see(self, mode, pre_tokens, next_tokens, lengths, lengths_kv, padding=None, padding_kv=None) -> None:
        """Which keys each query sees. Sequences have ``lengths`` and end ``padding`` positions before the
        last."""
        if mode not in range(5):
            raise final(RuntimeError(f"For '{self.name}', sparse_mode must be 0, 1, 2, 3 or 4, but got "
                                     f"{mode}."))
        wanted = (_PACKED, _PACKED) if mode > 1 else (self.rows, self.columns)
        mask, self.mask = self.mask, None
        if (mode > 1) if mask is None else mask.shape[-2:] != wanted:
            raise final(RuntimeError(
                f"For '{self.name}' with sparse_mode {mode}, attn_mask must end in the shape {wanted}, but "
                f"got {None if mask is None else tuple(mask.shape)}."))
        whole = lengths is None and lengths_kv is None
        if whole and (mode == 2 or (mode == 3 and self.rows == self.columns)) and self.shift is None:
            self.causal = True
            return
        q, self.asked = self._positions(lengths, self.rows, padding)
        k, counted = self._positions(lengths_kv, self.columns, padding_kv)
        hidden = None if counted is None else ~counted[:, None, None, :]
        if mode > 1 or (mode == 0 and mask is not None and padding is padding_kv is None):
            distance = ahead(self.rows, self.columns, self.q.device) + (k - q)[:, None, None, None]
            if mode > 2:
                more = _counts(lengths_kv, self.columns, k) - _counts(lengths, self.rows, q)
                distance = distance - more[:, None, None, None]
            later = distance > 0 if mode in (2, 3) else outside(distance, pre_tokens, next_tokens)
            hidden = later if hidden is None else hidden | later
        if mode < 2 and mask is not None:
            mask = (mask if mask.ndim != 3 else mask[:, None]) != 0
            hidden = mask if hidden is None else hidden | mask
        self.hidden = hidden

    def _positions(self, lengths, size: int, padding):
        """By how much each sequence's positions lie before those of the tensor, and which of them count."""
        batch, device = len(self.q), self.q.device
        if lengths is None:
            return torch.zeros(1, dtype=torch.int64, device=device), None
        given = integers(lengths)
        if len(given) != 1 and len(given) < batch:
            raise ValueError(f"For '{self.name}', actual sequence lengths must be 1 or {batch} numbers, but "
                             f"got {len(given)}.")
        counts = torch.tensor((given * batch)[:batch], device=device)
        starts = torch.zeros_like(counts)
        if padding is not None:
            starts = size - max(int(padding), 0) - counts
        at = torch.arange(size, device=device) - starts[:, None]
        return -starts, (at >= 0) & (at < counts[:, None]) & (starts >= 0)[:, None]

    def attended(self):
        """The result in its layout; zeros where nothing is asked or seen."""
        out = attend(self.q, self.k, self.v, self.scale, self.shift, self.hidden, self.causal)
        if self.asked is not None:
            out = out.masked_fill(~self.asked[:, None, :, None], 0)
        return laid_out(out, self.layout)

    def logarithms(self):
        """log(sum(exp(score))) of each row, Float32 (B, N, S, 1)."""
        k, = for_heads(self.q, self.k)
        scores = (self.q @ k.mT).float() * self.scale
        if self.shift is not None:
            scores = scores + self.shift.float()
        hidden = ahead(self.rows, self.columns, k.device) > 0 if self.causal else self.hidden
        scores = scores if hidden is None else scores.masked_fill(hidden, -torch.inf)
        return scores.logsumexp(-1, keepdim=True)


def _counts(lengths, size: int, like):
    if lengths is None:
        return torch.full_like(like, size)
    return torch.tensor((integers(lengths) * len(like))[:len(like)], device=like.device)


def _from_blocks(name, cache, table, block_size, lengths, heads):
    """(B, N, S, D) of blocks (blocks, size, H) or (blocks, N, size, D), in the order of each row of
    ``table``."""
    if lengths is None or block_size <= 0:
        raise final(RuntimeError(f"For '{name}', block_table needs actual sequence lengths of the keys and a "
                                 f"block_size greater than 0, but got {lengths} and {block_size}."))
    if cache.ndim == 3:
        cache = cache.unflatten(-1, (heads, -1)).transpose(1, 2)
    needed = -(-max(integers(lengths)) // block_size)
    blocks = table[:, :needed].long()
    counts = torch.tensor((integers(lengths) * len(table))[:len(table)], device=table.device)
    used = torch.arange(blocks.shape[1], device=table.device) * block_size < counts[:, None]
    return cache[blocks.where(used, 0)].transpose(1, 2).flatten(2, 3)


def _rows(mask):
    """The mask of one row, (B, S) and the like, as (B, 1, 1, S)."""
    return mask if mask is None else mask.reshape(len(mask), 1, 1, -1)


def _only(name, tensors):
    if isinstance(tensors, torch.Tensor):
        return tensors
    if len(tensors) != 1:
        raise unsupported(f"mindspore.ops.{name}(key, value)",
                          "what a list of several says is not documented.",
                          "one tensor in the list, with actual sequence lengths.")
    return tensors[0]


def _unquantised(name, query, key, **given) -> None:
    """NotImplementedError for the integer formats."""
    found = [argument for argument, value in given.items() if value is not None]
    found += [argument for argument, t in (("query", query), ("key", key)) if not t.is_floating_point()]
    if found:
        raise unsupported(f"mindspore.ops.{name}({', '.join(found)})",
                          "it computes in the integer formats of Ascend.", "dequantize first.")


def _reserved(name, **given) -> None:
    for argument, value in given.items():
        if value is not None:
            raise unsupported(f"mindspore.ops.{name}({argument})",
                              "MindSpore documents that it does nothing here yet.",
                              "join the keys and values beforehand.")
