"""Inference with keys and values kept in blocks: writing them, attending to them, rotating positions.

MindSpore has these on Ascend alone; they follow its documentation and how MindFormers calls them.
"""

from __future__ import annotations

import torch

from ms2torch._core.errors import unsupported


def _flat(cache):
    """The slots of (blocks, block size, ...): one row each."""
    return cache.detach().reshape(cache.shape[0] * cache.shape[1], -1)


def _store(key, value=None, key_cache=None, value_cache=None, slot_mapping=None):
    """Writes each token's key and value to its slot of the caches, none to a negative one. Gives ``key``."""
    slots = slot_mapping.flatten().long()
    used = slots >= 0
    for new, cache in ((key, key_cache), (value, value_cache)):
        if new is not None and cache is not None:
            rows = new.reshape(len(slots), -1)
            cache.detach().view(cache.shape[0] * cache.shape[1], -1)[slots[used]] = rows[used].to(cache.dtype)
    return key


def _update(var, indices, updates, axis, reduce="none"):
    """Writes ``updates`` into ``var`` (B, N, S, D) from the place on that ``indices`` has for each row."""
    axis = int(axis) % var.ndim
    for row, start in enumerate(indices.flatten().tolist()):
        var.detach()[row].narrow(axis - 1, start, updates.shape[axis]).copy_(updates[row])
    return var


def _attend(
    query,
    key_cache,
    value_cache=None,
    block_tables=None,
    context_lens=None,
    antiquant_scale=None,
    antiquant_offset=None,
    attn_mask=None,
    q_seq_lens=None,
    alibi_mask=None,
    head_num=1,
    scale_value=1.0,
    kv_head_num=1,
    kv_cache_quant_mode="DEFAULT",
    mask_mode="MASK_DEFAULT",
    mla_v_dim=0,
):
    """Attention of each sequence's queries to the first ``context_lens`` keys in its blocks.

    A sequence has one query, or ``q_seq_lens`` of them, which are its last positions. ``alibi_mask`` is added
    to the scores, and ``attn_mask``, which has a row for each query. The result has the shape of ``query``,
    of ``mla_v_dim`` features a head where values lie in the keys.
    """
    one_each = attn_mask is None or (attn_mask.is_floating_point() and attn_mask.ndim == 2 and len(attn_mask)
                                     in (1, query.numel() // query.shape[-1]))
    if antiquant_scale is not None or antiquant_offset is not None or not one_each:
        raise unsupported(
            "mindspore.ops.auto_generate.PagedAttention(antiquant_scale, antiquant_offset, attn_mask)",
            "quantized caches and packed masks exist on Ascend only.",
            "caches of floats, a row of attn_mask for each query; they see no later position by themselves.",
        )
    tokens = query.reshape(
        -1,
        head_num,
        query.shape[-1] // head_num if query.ndim != 3 or query.shape[1] != head_num else query.shape[-1],
    )
    counts = [1] * len(block_tables) if q_seq_lens is None else q_seq_lens.flatten().tolist()
    keys = _flat(key_cache)
    values = keys if value_cache is None else _flat(value_cache)
    size, at, parts = key_cache.shape[1], 0, []
    for row, (count, length) in enumerate(zip(counts, context_lens.flatten().tolist(), strict=False)):
        blocks = block_tables[row, : -(-length // size)].long()
        slots = (blocks[:, None] * size + torch.arange(size, device=blocks.device)).flatten()[:length]
        k, v = (t[slots].unflatten(-1, (kv_head_num, -1)).transpose(0, 1) for t in (keys, values))
        if mla_v_dim:
            v = v[..., :mla_v_dim]
        k, v = (t.repeat_interleave(head_num // kv_head_num, 0) for t in (k, v))
        scores = (tokens[at : at + count].transpose(0, 1) @ k.mT).float() * scale_value
        if attn_mask is not None:
            mask = attn_mask if len(attn_mask) == 1 else attn_mask[at : at + count]
            scores = scores + mask[:, :length].float()
        if alibi_mask is not None:
            scores = scores + alibi_mask[row, :, :count, :length].float()
        later = torch.ones(count, length, dtype=torch.bool, device=scores.device).triu(1 + length - count)
        weights = scores.masked_fill(later, -torch.inf).softmax(-1)
        parts.append((weights.to(v.dtype) @ v).transpose(0, 1))
        at += count
    found = torch.cat(parts)
    return found.reshape(*query.shape[:-1], -1)


def _attend_with_bias(
    query,
    key_cache,
    value_cache,
    block_tables,
    context_lens,
    antiquant_scale=None,
    antiquant_offset=None,
    alibi_mask=None,
    head_num=1,
    scale_value=1.0,
    kv_head_num=1,
    kv_cache_quant_mode="DEFAULT",
):
    return _attend(
        query,
        key_cache,
        value_cache,
        block_tables,
        context_lens,
        antiquant_scale,
        antiquant_offset,
        None,
        None,
        alibi_mask,
        head_num,
        scale_value,
        kv_head_num,
    )


def _rotate(query, key, cos, sin, position_ids, cos_format=0):
    """Query and key with their positions rotated in, half against half of each head.

    ``cos`` and ``sin`` have a row for each token, or for each position: sequences then begin at the first one
    and have the lengths ``position_ids`` where they are joined.
    """
    if cos_format not in (0, 2):
        raise unsupported(
            f"mindspore.ops.ApplyRotaryPosEmb(cos_format={cos_format})",
            "its layout of cos and sin is Ascend's own.",
            "cos_format=2, which rotates halves.",
        )
    width = cos.shape[-1]
    if query.ndim == 4:
        raise unsupported(
            "mindspore.ops.ApplyRotaryPosEmb(query of 4 dimensions)",
            "its layout is not documented.",
            "join heads and features in the last dimension.",
        )
    rows = query.numel() // query.shape[-1]
    cos, sin = (t.reshape(-1, width) for t in (cos, sin))
    if len(cos) != rows:
        lengths = [query.shape[1]] * query.shape[0] if query.ndim == 3 else position_ids.flatten().tolist()
        places = torch.cat([torch.arange(n, device=cos.device) for n in lengths])
        cos, sin = cos[places], sin[places]

    def turned(t):
        heads = t.reshape(rows, -1, width)
        first, second = heads.chunk(2, -1)
        rotated = torch.cat((-second, first), -1)
        return (heads * cos.unsqueeze(1) + rotated * sin.unsqueeze(1)).to(t.dtype).reshape(t.shape)

    return turned(query), turned(key)


ROWS = {
    "ReshapeAndCache": _store,
    "KVCacheScatterUpdate": _update,
    "PagedAttention": _attend,
    "PagedAttentionMask": _attend_with_bias,
    "ApplyRotaryPosEmb": _rotate,
}
