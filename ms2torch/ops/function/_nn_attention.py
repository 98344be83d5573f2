"""Attention over several heads."""

from __future__ import annotations

import torch
import torch.nn.functional as F

from ._nn_dropout import dropped


def _forbidden(mask, dtype: torch.dtype):
    """A mask to add to the scores: -inf where a bool mask forbids."""
    if mask is None or mask.is_floating_point():
        return mask
    return torch.zeros(mask.shape, dtype=dtype, device=mask.device).masked_fill_(mask.bool(), float("-inf"))


def attention(q, k, v, heads: int, mask, padding, rate: float, stream, need_weights: bool):
    """Scaled dot-product attention of projected q (L, N, E) and k, v (S, N, E).

    ``mask`` is (L, S) or (N * heads, L, S), ``padding`` (N, S); True forbids, floats are added. ``stream``
    draws dropout masks of ``rate``. Gives the output (L, N, E) and the weights (N, heads, L, S), None unless
    wanted.
    """
    length, batch, width = q.shape
    q, k, v = (x.reshape(x.shape[0], batch, heads, -1).permute(1, 2, 0, 3) for x in (q, k, v))
    bias = _forbidden(mask, q.dtype)
    if bias is not None and bias.ndim == 3:
        bias = bias.reshape(batch, heads, *bias.shape[1:]) if bias.shape[0] != 1 else bias.unsqueeze(0)
    if padding is not None:
        hidden = _forbidden(padding, q.dtype)[:, None, None, :]
        bias = hidden if bias is None else bias + hidden
    weights = None
    if not need_weights and not rate:
        y = F.scaled_dot_product_attention(q, k, v, bias)
    else:
        scores = (q * q.shape[-1] ** -0.5) @ k.transpose(-2, -1)
        weights = torch.softmax(scores if bias is None else scores + bias, -1)
        if rate:
            flat = weights.reshape(-1, *weights.shape[2:])
            mask = stream.dropout_mask(flat.shape, 1.0 - rate)
            weights = dropped(flat, mask, 1.0 - rate).reshape(weights.shape)
        y = weights @ v
    return y.permute(2, 0, 1, 3).reshape(length, batch, width), weights
