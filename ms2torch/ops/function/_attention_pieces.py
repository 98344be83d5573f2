"""The pieces of MindSpore's attention over several heads, which packages import to put their own together.

All are private names of ``mindspore.ops.function.nn_func``; `nn.MultiheadAttention` here does not need them.
"""

from __future__ import annotations

import torch
import torch.nn.functional as F

from ms2torch._core.errors import unsupported
from ms2torch._core.operators.lowering import lowered
from ms2torch._core.operators.registry import PRIMITIVES
from ms2torch._core.random.random_streams import stream_of_call
from ms2torch._core.tensor.dtype import float32
from ms2torch._core.tensor.tensor import lower, wrap

from ._nn_attention import attention
from .linalg_func import matmul

_BATCHED = {2: "unbatched", 3: "batched"}


def _check_qkv_shape(query_ndim: int, key_ndim: int, value_ndim: int) -> bool:
    """Whether the three are batched; ValueError unless all are 2-d or all 3-d."""
    if query_ndim not in _BATCHED:
        raise ValueError("The `query` should be unbatched 2D or batched 3D tensor, "
                         f"but got `query` with {query_ndim}D.")
    if key_ndim != query_ndim or value_ndim != query_ndim:
        raise ValueError(f"For {_BATCHED[query_ndim]} `query`, the `key` and `value` must be {query_ndim}D "
                         f"tensor, but got `key` with {key_ndim}D and `value` with {value_ndim}D.")
    return query_ndim == 3


def _check_kpm_shape(query_ndim: int, kmp_ndim: int) -> None:
    """ValueError unless a padding mask has one dimension less than the query."""
    if query_ndim in _BATCHED and kmp_ndim != query_ndim - 1:
        raise ValueError(f"For {_BATCHED[query_ndim]} `query`, the `key_padding_mask` must be `None` or "
                         f"{query_ndim - 1}D, but got `key_padding_mask` with {kmp_ndim}D.")


def _check_attn_mask_shape(query_ndim, query_shape, key_shape, attn_mask_ndim, attn_mask_shape,
                           num_heads) -> None:
    """ValueError for an attention mask that is neither (L, S) nor one for each head."""
    if query_ndim in _BATCHED and attn_mask_ndim not in (2, 3):
        raise ValueError(f"For {_BATCHED[query_ndim]} `query`, the `attn_mask` must be `None`, 2-D or 3-D, "
                         f"but got `attn_mask` with{attn_mask_ndim}D.")
    wanted = (num_heads, query_shape[0], key_shape[0])
    if query_ndim == 2 and attn_mask_ndim == 3 and tuple(attn_mask_shape) != wanted:
        raise ValueError(f"The shape of `attn_mask` must to be {wanted}, but got {attn_mask_shape}.")


def linear(x, w, b):
    """``x`` times the transposed ``w``, plus ``b``."""
    y = matmul(x, w.swapaxes(-1, -2))
    return y if b is None else y + b


def _in_projection(q, k, v, w_q, w_k, w_v, b_q=None, b_k=None, b_v=None):
    """Query, key and value through their own weights, whose shapes are checked."""
    width = q.shape[-1]
    for name, x, w in (("query", q, w_q), ("key", k, w_k), ("value", v, w_v)):
        if w.shape != (width, x.shape[-1]):
            raise ValueError(f"Expecting {name} weights shape of {(width, x.shape[-1])}, but got {w.shape}")
    for name, b in (("query", b_q), ("key", b_k), ("value", b_v)):
        if b is not None and b.shape != (width,):
            raise ValueError(f"Expecting {name} bias shape of {(width,)}, but got {b.shape}")
    return linear(q, w_q, b_q), linear(k, w_k, b_k), linear(v, w_v, b_v)


def _in_projection_packed(q, k, v, w, b, k_is_v, q_is_k):
    """The same through one weight (3E, E); a product for all three where they are one tensor."""
    if k_is_v and q_is_k:
        return linear(q, w, b).tensor_split(3, axis=-1)
    biases = (None, None, None) if b is None else b.tensor_split(3)
    return tuple(linear(x, *own) for x, *own in zip((q, k, v), w.tensor_split(3), biases, strict=True))


@lowered
def _inner_pad(x, padding, value=None):
    """Padding of the last dimensions, for bools too."""
    return F.pad(x, tuple(padding), value=value)


def _inner_dropout(x, p, training):
    """Dropout while training; ``x`` itself otherwise."""
    return PRIMITIVES["Dropout"](1 - p)(x)[0] if 0 < p <= 1 and training else x


def multi_head_attention_forward(query, key, value, embed_dim_to_check, num_heads, in_proj_weight,
                                 in_proj_bias, bias_k, bias_v, add_zero_attn, dropout_p, out_proj_weight,
                                 out_proj_bias, training=True, key_padding_mask=None, attn_mask=None,
                                 use_separate_proj_weight=False, q_proj_weight=None, k_proj_weight=None,
                                 v_proj_weight=None, static_k=None, static_v=None, average_attn_weights=True,
                                 is_causal=False, k_is_v=False, q_is_k=False, dtype=float32):
    """Attention over several heads of query (L, N, E), key and value (S, N, E), or without N.

    Gives the output (L, N, E) and the weights (N, L, S), (N, heads, L, S) without ``average_attn_weights``.
    True in a mask forbids, floats are added to the scores.
    """
    if static_k is not None or static_v is not None or is_causal:
        raise unsupported("mindspore.ops.function.nn_func.multi_head_attention_forward", "static_k, static_v "
                          "and is_causal are not built", "pass key, value and an attn_mask of triu.")
    batched = _check_qkv_shape(query.ndim, key.ndim, value.ndim)
    width = query.shape[-1]
    if key_padding_mask is not None:
        _check_kpm_shape(query.ndim, key_padding_mask.ndim)
    if attn_mask is not None:
        _check_attn_mask_shape(query.ndim, query.shape, key.shape, attn_mask.ndim, attn_mask.shape, num_heads)
    if width != embed_dim_to_check:
        raise ValueError(f"The `embed_dim` should be {embed_dim_to_check}, but got {width}.")
    if width % num_heads:
        raise ValueError(f"The `embed_dim` {width} can not be divisible by `num_heads` {num_heads}.")
    if use_separate_proj_weight:
        biases = (None, None, None) if in_proj_bias is None else in_proj_bias.tensor_split(3)
        projected = _in_projection(query, key, value, q_proj_weight, k_proj_weight, v_proj_weight, *biases)
    else:
        if key.shape != value.shape:
            raise ValueError(f"The shape of `key` {key.shape} does not match `value` {value.shape}.")
        projected = _in_projection_packed(query, key, value, in_proj_weight, in_proj_bias, k_is_v, q_is_k)
    q, k, v = (x._t if batched else x._t.unsqueeze(1) for x in projected)
    mask, padding = lower(attn_mask), lower(key_padding_mask)
    if padding is not None:
        padding = padding.reshape(k.shape[1], -1)
    if (bias_k is None) != (bias_v is None):
        raise ValueError("The bias_k and bias_v should be ``None``at the same time.")
    more = [(bias_k._t, bias_v._t)] if bias_k is not None else []
    more += [(k.new_zeros(width), v.new_zeros(width))] if add_zero_attn else []
    for another_k, another_v in more:
        k = torch.cat([k, another_k.expand(1, *k.shape[1:])])
        v = torch.cat([v, another_v.expand(1, *v.shape[1:])])
        mask, padding = (x if x is None else F.pad(x, (0, 1)) for x in (mask, padding))
    rate = dropout_p if training else 0.0
    stream = stream_of_call(0, "dropout") if rate else None
    y, weights = attention(q, k, v, num_heads, mask, padding, rate, stream, True)
    y = linear(wrap(y), out_proj_weight, out_proj_bias)
    weights = wrap(weights.mean(1) if average_attn_weights else weights)
    return (y, weights) if batched else (y.squeeze(1), weights.squeeze(0))
