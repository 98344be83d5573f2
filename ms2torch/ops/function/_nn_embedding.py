"""Embedding tables as operators."""

from __future__ import annotations

import torch
import torch.nn.functional as F

from ms2torch._core.operators.registry import op, primitive


@op(mint=True)
def embedding(input, weight, padding_idx=None, max_norm=None, norm_type=2.0, scale_grad_by_freq=False):
    """Rows of ``weight`` by index (``mindspore.ops.embedding``); arguments as torch's."""
    return F.embedding(input, weight, padding_idx, max_norm, norm_type, scale_grad_by_freq)


@primitive("EmbeddingLookup")
def _embedding_lookup(input_params, input_indices, offset):
    """Rows ``input_indices - offset``; zeros where there is none (``mindspore.ops.EmbeddingLookup``)."""
    at = input_indices.long() - int(offset)
    inside = (at >= 0) & (at < input_params.shape[0])
    rows = input_params[torch.where(inside, at, 0)]
    return rows.masked_fill(~inside.reshape(*inside.shape, *[1] * (rows.ndim - inside.ndim)), 0)


@primitive("SubAndFilter")
def _sub_and_filter(input_x, max_num, offset):
    """``input_x`` - ``offset`` where that is in [0, max_num), and the places
    (``mindspore.ops.SubAndFilter``)."""
    max_num, offset = (n[0] if isinstance(n, (list, tuple)) else n for n in (max_num, offset))
    shifted = input_x - offset
    kept = (shifted >= 0) & (shifted < max_num)
    return shifted[kept], kept.nonzero().reshape(-1).to(input_x.dtype)
