"""Attention and Transformer layers (``mindspore.nn.layer.transformer``)."""

from __future__ import annotations

import copy
import math

import torch
import torch.nn.functional as F

from ms2torch._core.errors import asked
from ms2torch._core.random.random_streams import stream_of_call
from ms2torch._core.tensor.dtype import float32
from ms2torch._core.tensor.tensor import Tensor, wrap
from ms2torch.common.initializer import HeUniform, Uniform, XavierNormal, XavierUniform, initializer
from ms2torch.common.parameter import Parameter
from ms2torch.ops.function._nn_activation import gelu, relu
from ms2torch.ops.function._nn_attention import attention

from ..cell import Cell
from ._late import refused_when_called
from .activation import GELU, ReLU
from .basic import Dense, Dropout
from .container import CellList
from .normalization import LayerNorm

__all__ = ["MultiheadAttention", "Transformer", "TransformerDecoder", "TransformerDecoderLayer",
           "TransformerEncoder", "TransformerEncoderLayer"]


class MultiheadAttention(Cell):
    """Attention with several heads (``mindspore.nn.MultiheadAttention``), as torch's.

    ``construct(query, key, value, key_padding_mask=None, need_weights=True, attn_mask=None,
    average_attn_weights=True)`` over (L, N, E), or (N, L, E) where ``batch_first``. Gives ``(output,
    weights)``, or ``(output,)`` without ``need_weights``. True in a mask forbids. ValueError where the heads
    do not divide ``embed_dim``.
    """

    def __init__(self, embed_dim, num_heads, dropout=0.0, has_bias=True, add_bias_kv=False,
                 add_zero_attn=False, kdim=None, vdim=None, batch_first=False, dtype=float32) -> None:
        super().__init__()
        self.embed_dim, self.num_heads = embed_dim, num_heads
        self.kdim = embed_dim if kdim is None else kdim
        self.vdim = embed_dim if vdim is None else vdim
        self._qkv_same_embed_dim = self.kdim == embed_dim and self.vdim == embed_dim
        self.dropout, self.batch_first, self.add_zero_attn = dropout, batch_first, add_zero_attn
        self.head_dim = embed_dim // num_heads
        if self.head_dim * num_heads != embed_dim:
            raise ValueError("The init argument 'embed_dim' must be divisible by 'num_heads'.")
        self.dtype = dtype = float32 if dtype is None else dtype
        self.in_proj_weight = self.q_proj_weight = self.k_proj_weight = self.v_proj_weight = None
        if self._qkv_same_embed_dim:
            shapes = {"in_proj_weight": (3 * embed_dim, embed_dim)}
        else:
            shapes = {"q_proj_weight": (embed_dim, embed_dim), "k_proj_weight": (embed_dim, self.kdim),
                      "v_proj_weight": (embed_dim, self.vdim)}
        for name, shape in shapes.items():
            setattr(self, name, Parameter(initializer(XavierUniform(), shape, dtype), name))
        self.in_proj_bias = None
        if has_bias:
            self.in_proj_bias = Parameter(initializer("zeros", 3 * embed_dim, dtype), "in_proj_bias")
        self.out_proj = Dense(embed_dim, embed_dim, HeUniform(math.sqrt(5)),
                              Uniform(1 / math.sqrt(embed_dim)), has_bias=has_bias, dtype=dtype)
        try:
            1 - dropout
        except TypeError as err:
            refused_when_called(self, TypeError, str(err))
        self.bias_k = self.bias_v = None
        if add_bias_kv:
            self.bias_k = Parameter(initializer(XavierNormal(), (1, 1, embed_dim), dtype), "bias_k")
            self.bias_v = Parameter(initializer(XavierNormal(), (1, 1, embed_dim), dtype), "bias_v")

    def construct(self, query, key, value, key_padding_mask=None, need_weights=True, attn_mask=None,
                  average_attn_weights=True):
        batched = self._is_batched(query, key, value)
        q, k, v = query._t, key._t, value._t
        if key_padding_mask is not None:
            padding = key_padding_mask._t
            if padding.dtype is not torch.bool and not padding.is_floating_point():
                raise ValueError("only bool and floating types of key_padding_mask are supported")
        if not batched:
            q, k, v = q.unsqueeze(1), k.unsqueeze(1), v.unsqueeze(1)
        elif self.batch_first:
            q, k, v = q.transpose(0, 1), k.transpose(0, 1), v.transpose(0, 1)
        mask = attn_mask._t if attn_mask is not None else None
        padding = None if key_padding_mask is None else key_padding_mask._t.reshape(k.shape[1], -1)
        y, weights = self._attend(q, k, v, mask, padding, need_weights)
        if not batched:
            y = y.squeeze(1)
        elif self.batch_first:
            y = y.transpose(0, 1)
        if not need_weights:
            return (wrap(y),)
        if average_attn_weights:
            weights = weights.mean(1)
        return wrap(y), wrap(weights if batched else weights.squeeze(0))

    @staticmethod
    def _is_batched(query, key, value) -> bool:
        """Whether there are samples; ValueError where the ranks are not 2, or 3, of all."""
        rank = query.ndim
        if rank not in (2, 3):
            raise asked(ValueError("The `query` should be unbatched 2D or batched 3D tensor, but got "
                                   f"`query` with {rank}D."))
        if not key.ndim == value.ndim == rank:
            kind = "batched" if rank == 3 else "unbatched"
            raise asked(ValueError(f"For {kind} `query`, the `key` and `value` must be {rank}D tensor, "
                                   f"but got `key` with {key.ndim}D and `value` with {value.ndim}D."))
        return rank == 3

    def _attend(self, q, k, v, mask, padding, need_weights: bool):
        """Projected attention over (L, N, E): the output and the weights (N, heads, L, S) or None."""
        bias = None if self.in_proj_bias is None else self.in_proj_bias._t
        q, k, v = self._project(q, k, v, bias)
        if self.bias_k is not None:
            batch = k.shape[1]
            k = torch.cat([k, self.bias_k._t.expand(1, batch, -1)])
            v = torch.cat([v, self.bias_v._t.expand(1, batch, -1)])
            mask, padding = _longer(mask), _longer(padding)
        if self.add_zero_attn:
            zeros = k.new_zeros((1, *k.shape[1:]))
            k, v = torch.cat([k, zeros]), torch.cat([v, zeros])
            mask, padding = _longer(mask), _longer(padding)
        rate = self.dropout if self.training else 0.0
        stream = stream_of_call(0, "dropout") if rate else None
        y, weights = attention(q, k, v, self.num_heads, mask, padding, rate, stream, need_weights)
        out = self.out_proj
        return F.linear(y, out.weight._t, None if out.bias is None else out.bias._t), weights

    def _project(self, q, k, v, bias):
        width = self.embed_dim
        if self._qkv_same_embed_dim:
            weight = self.in_proj_weight._t
            if q is k and k is v:
                return F.linear(q, weight, bias).chunk(3, -1)
            weights = weight.split(width)
        else:
            weights = (self.q_proj_weight._t, self.k_proj_weight._t, self.v_proj_weight._t)
            for name, x, w in (("key", k, weights[1]), ("value", v, weights[2])):
                if x.shape[-1] != w.shape[-1]:
                    raise asked(ValueError(f"Expecting {name} weights shape of ({width}, {x.shape[-1]}), but "
                                           f"got {tuple(w.shape)}"))
        biases = (None, None, None) if bias is None else bias.split(width)
        return [F.linear(x, w, b) for x, w, b in zip((q, k, v), weights, biases, strict=True)]


def _longer(mask):
    """A mask for one key more, which may be seen."""
    return None if mask is None else F.pad(mask, (0, 1))


def _activation(given, layer: Cell):
    """What a layer's ``activation`` argument stands for: relu or gelu, by name, function or Cell."""
    layer.activation1 = given
    if isinstance(given, str):
        if given not in ("relu", "gelu"):
            raise ValueError(f"The activation must be relu/gelu, but get {given}")
        return relu if given == "relu" else gelu
    if isinstance(given, Cell):
        if not isinstance(given, (ReLU, GELU)):
            raise ValueError("The argument 'activation' must be nn.ReLU or nn.GELU instance, but get "
                             f"{given}.")
    elif not callable(given):
        raise ValueError("The argument 'activation' must be str, callable or Cell instance, but get "
                         f"{given}.")
    elif given is not relu and given is not gelu:
        raise ValueError(f"The argument 'activation' must be ops.relu or ops.gelu instance, but get {given}.")
    return given


class _Layer(Cell):
    """What the encoder and decoder layers share."""

    _attentions = ("self_attn",)

    def __init__(self, d_model: int, nhead: int, dim_feedforward: int = 2048, dropout: float = 0.1,
                 activation="relu", layer_norm_eps: float = 1e-5, batch_first: bool = False,
                 norm_first: bool = False, dtype=float32) -> None:
        super().__init__()
        for name in self._attentions:
            setattr(self, name, MultiheadAttention(d_model, nhead, dropout, batch_first=batch_first,
                                                   dtype=dtype))
        self.dense1 = Dense(d_model, dim_feedforward, HeUniform(math.sqrt(5)),
                            Uniform(1 / math.sqrt(d_model)), dtype=dtype)
        self.dropout = Dropout(p=dropout)
        self.dense2 = Dense(dim_feedforward, d_model, HeUniform(math.sqrt(5)),
                            Uniform(1 / math.sqrt(dim_feedforward)), dtype=dtype)
        self.norm_first = norm_first
        blocks = range(1, len(self._attentions) + 2)
        for i in blocks:
            setattr(self, f"norm{i}", LayerNorm((d_model,), epsilon=layer_norm_eps, dtype=dtype))
        for i in blocks:
            setattr(self, f"dropout{i}", Dropout(p=dropout))
        self.activation = _activation(activation, self)
        self.d_model, self.nhead, self.dim_feedforward = d_model, nhead, dim_feedforward
        self.dropout_num, self.layernorm_eps = dropout, layer_norm_eps
        self.batch_first, self.dtype = batch_first, dtype

    def like(self) -> tuple:
        """The arguments that make another such layer."""
        return (self.d_model, self.nhead, self.dim_feedforward, self.dropout_num, self.activation1,
                self.layernorm_eps, self.batch_first, self.norm_first, self.dtype)

    def _add(self, x, block, norm: Cell):
        """x + block(x), normalised before or after."""
        if self.norm_first:
            return wrap(x._t + block(norm(x))._t)
        return norm(wrap(x._t + block(x)._t))

    def _sa_block(self, x, attn_mask, key_padding_mask):
        return self.dropout1(self.self_attn(x, x, x, key_padding_mask, False, attn_mask)[0])

    def _forward_block(self, x):
        return self.dense2(self.dropout(self.activation(self.dense1(x))))


def _check_mask(mask) -> None:
    if mask is not None and mask._t.dtype is not torch.bool and not mask._t.is_floating_point():
        raise AssertionError("only bool and floating types of key_padding_mask are supported")


class TransformerEncoderLayer(_Layer):
    """Self-attention and a feed-forward block (``mindspore.nn.TransformerEncoderLayer``).

    ``construct(src, src_mask=None, src_key_padding_mask=None)``.
    """

    def construct(self, src, src_mask=None, src_key_padding_mask=None):
        _check_mask(src_key_padding_mask)
        x = self._add(src, lambda y: self._sa_block(y, src_mask, src_key_padding_mask), self.norm1)
        return self._add(x, self._ff_block, self.norm2)

    def _ff_block(self, x):
        return self.dropout2(self._forward_block(x))


class TransformerDecoderLayer(_Layer):
    """Self-attention, attention to the memory and a feed-forward block
    (``mindspore.nn.TransformerDecoderLayer``).

    ``construct(tgt, memory, tgt_mask=None, memory_mask=None, tgt_key_padding_mask=None,
    memory_key_padding_mask=None)``.
    """

    _attentions = ("self_attn", "multihead_attn")

    def construct(self, tgt, memory, tgt_mask=None, memory_mask=None, tgt_key_padding_mask=None,
                  memory_key_padding_mask=None):
        x = self._add(tgt, lambda y: self._sa_block(y, tgt_mask, tgt_key_padding_mask), self.norm1)
        x = self._add(x, lambda y: self._mha_block(y, memory, memory_mask, memory_key_padding_mask),
                      self.norm2)
        return self._add(x, self._ff_block, self.norm3)

    def _mha_block(self, x, mem, attn_mask, key_padding_mask):
        return self.dropout2(self.multihead_attn(x, mem, mem, key_padding_mask, False, attn_mask)[0])

    def _ff_block(self, x):
        return self.dropout3(self._forward_block(x))


def _copies(kind: type[_Layer], layer: Cell, count: int) -> CellList:
    """``count`` equal layers of ``kind`` with the attributes of ``layer``, which may be of a program's own
    class: new weights, drawn once, as MindSpore does."""
    first = kind(*_Layer.like(layer))
    return CellList([copy.deepcopy(first) for _ in range(count)])


class TransformerEncoder(Cell):
    """``num_layers`` layers like ``encoder_layer``, then ``norm`` (``mindspore.nn.TransformerEncoder``)."""

    def __init__(self, encoder_layer, num_layers, norm=None) -> None:
        super().__init__()
        self.layers = _copies(TransformerEncoderLayer, encoder_layer, num_layers)
        self.num_layers = num_layers
        self.norm = norm

    def construct(self, src, src_mask=None, src_key_padding_mask=None):
        _check_mask(src_key_padding_mask)
        for layer in self.layers:
            src = layer(src, src_mask=src_mask, src_key_padding_mask=src_key_padding_mask)
        return src if self.norm is None else self.norm(src)


class TransformerDecoder(Cell):
    """``num_layers`` layers like ``decoder_layer``, then ``norm`` (``mindspore.nn.TransformerDecoder``)."""

    def __init__(self, decoder_layer, num_layers, norm=None) -> None:
        super().__init__()
        self.layers = _copies(TransformerDecoderLayer, decoder_layer, num_layers)
        self.num_layers = num_layers
        self.norm = norm

    def construct(self, tgt, memory, tgt_mask=None, memory_mask=None, tgt_key_padding_mask=None,
                  memory_key_padding_mask=None):
        for layer in self.layers:
            tgt = layer(tgt, memory, tgt_mask=tgt_mask, memory_mask=memory_mask,
                        tgt_key_padding_mask=tgt_key_padding_mask,
                        memory_key_padding_mask=memory_key_padding_mask)
        return tgt if self.norm is None else self.norm(tgt)


class Transformer(Cell):
    """Encoder and decoder (``mindspore.nn.Transformer``): ``(src, tgt)`` and masks to the decoder's output.

    Matrices are drawn again at the end, from Xavier's uniform distribution. ValueError where the width of
    ``src`` or ``tgt`` is not ``d_model``.
    """

    def __init__(self, d_model: int = 512, nhead: int = 8, num_encoder_layers: int = 6,
                 num_decoder_layers: int = 6, dim_feedforward: int = 2048, dropout: float = 0.1,
                 activation="relu", custom_encoder=None, custom_decoder=None, layer_norm_eps: float = 1e-5,
                 batch_first: bool = False, norm_first: bool = False, dtype=float32) -> None:
        super().__init__()
        arguments = (d_model, nhead, dim_feedforward, dropout, activation, layer_norm_eps, batch_first,
                     norm_first, dtype)
        if custom_encoder is None:
            layer = TransformerEncoderLayer(*arguments)
            custom_encoder = TransformerEncoder(layer, num_encoder_layers,
                                                LayerNorm((d_model,), epsilon=layer_norm_eps, dtype=dtype))
        self.encoder = custom_encoder
        if custom_decoder is None:
            layer = TransformerDecoderLayer(*arguments)
            custom_decoder = TransformerDecoder(layer, num_decoder_layers,
                                                LayerNorm((d_model,), epsilon=layer_norm_eps, dtype=dtype))
        self.decoder = custom_decoder
        for param in self.get_parameters():
            if param.ndim > 1:
                param.set_data(initializer("xavier_uniform", param.shape, param.dtype))
        self.d_model, self.nhead, self.batch_first = d_model, nhead, batch_first

    def construct(self, src: Tensor, tgt: Tensor, src_mask=None, tgt_mask=None, memory_mask=None,
                  src_key_padding_mask=None, tgt_key_padding_mask=None, memory_key_padding_mask=None):
        if src.shape[-1] != self.d_model or tgt.shape[-1] != self.d_model:
            raise ValueError("The number of features for 'src' and 'tgt' must be equal to `d_model`.")
        memory = self.encoder(src, src_mask=src_mask, src_key_padding_mask=src_key_padding_mask)
        return self.decoder(tgt, memory, tgt_mask=tgt_mask, memory_mask=memory_mask,
                            tgt_key_padding_mask=tgt_key_padding_mask,
                            memory_key_padding_mask=memory_key_padding_mask)
