"""One layer of a transformer: of an encoder, of a decoder."""

from __future__ import annotations

import numpy as np

from ms2torch import _checkparam as check
from ms2torch._core.tensor import dtype as mstype
from ms2torch._core.tensor.tensor import Tensor, wrap
from ms2torch.common.parameter import Parameter
from ms2torch.nn.cell import Cell

from ._attention import MultiHeadAttention
from ._parts import FeedForward
from .layers import (
    _FLOATS,
    _args_type_validator_check,
    _check_input_dtype,
    _check_past_none_input_none,
    _LayerNorm,
    _valid_type_checks,
    _valid_value_checks,
)
from .moe import _check_moe_config, default_moe_config
from .op_parallel_config import MoEParallelConfig, OpParallelConfig, _check_config, default_dpmp_config


def _check_parallel_sizes(own: str, parallel_config, **sizes) -> None:
    parts = parallel_config.model_parallel
    for name, size in sizes.items():
        if size % parts:
            raise ValueError(
                f"For '{own}', the class variable '{name}' must be divisibled by the "
                f"'parallel_config.model_parallel', but got the {name} is {size} and "
                f"parallel_config.model_parallel is {parts}."
            )


def _layer_checks(own: str) -> dict:
    """The checks that all layers and stacks of layers share."""
    return {
        "hidden_size": check.check_positive_int,
        "num_heads": check.check_positive_int,
        "ffn_hidden_size": check.check_positive_int,
        "attention_dropout_rate": check.check_non_negative_float,
        "hidden_dropout_rate": check.check_non_negative_float,
        "post_layernorm_residual": check.check_bool,
        "layernorm_compute_type": _valid_value_checks(_FLOATS, own),
        "softmax_compute_type": _valid_value_checks(_FLOATS, own),
        "param_init_type": _valid_value_checks(_FLOATS, own),
        "use_past": check.check_bool,
    }


_ONE_LAYER = [OpParallelConfig, MoEParallelConfig]


class _Layer(Cell):
    """What encoder and decoder layers share."""

    def _check_call(self, floats: dict, init_reset, batch_valid_length) -> None:
        for name, x in floats.items():
            if x is not None:
                _check_input_dtype(x.dtype, name, _FLOATS, self.cls_name)
        _check_past_none_input_none(
            self.use_past,
            "init_reset",
            self.cls_name,
            True,
            isinstance(init_reset, Tensor),
            init_reset is True,
        )
        _check_past_none_input_none(
            self.use_past,
            "batch_valid_length",
            self.cls_name,
            None,
            isinstance(batch_valid_length, Tensor),
            batch_valid_length is None,
        )
        if self.use_past:
            _check_input_dtype(init_reset.dtype, "init_reset", [mstype.bool_], self.cls_name)
            _check_input_dtype(batch_valid_length.dtype, "batch_valid_length", [mstype.int32], self.cls_name)

    def _half(self, x) -> Tensor:
        return wrap(x._t.half())


class TransformerEncoderLayer(_Layer):
    """Self-attention and a feed-forward block (``mindspore.nn.transformer.TransformerEncoderLayer``).

    ``construct(x, input_mask=None, init_reset=True, batch_valid_length=None)`` gives the output in ``x``'s
    shape and the attention's keys and values. Normalised before each block, or after it with
    ``post_layernorm_residual``. With ``use_past`` keys and values stay in the parameters ``key_past`` and
    ``value_past`` from call to call; ``init_reset`` (a bool Tensor) false forgets them.
    """

    @_args_type_validator_check(
        seq_length=check.check_positive_int,
        parallel_config=_valid_type_checks(_ONE_LAYER, "TransformerEncoderLayer"),
        **_layer_checks("TransformerEncoderLayer"),
    )
    def __init__(
        self,
        batch_size,
        hidden_size,
        ffn_hidden_size,
        num_heads,
        seq_length,
        attention_dropout_rate=0.1,
        hidden_dropout_rate=0.1,
        post_layernorm_residual=False,
        layernorm_compute_type=mstype.float32,
        softmax_compute_type=mstype.float32,
        param_init_type=mstype.float32,
        hidden_act="gelu",
        use_past=False,
        moe_config=default_moe_config,
        parallel_config=default_dpmp_config,
    ):
        super().__init__()
        if batch_size or use_past:
            check.check_positive_int(batch_size)
        _check_config(parallel_config)
        _check_parallel_sizes(
            "TransformerEncoderLayer",
            parallel_config,
            num_heads=num_heads,
            hidden_size=hidden_size,
            ffn_hidden_size=ffn_hidden_size,
        )
        _check_moe_config(moe_config, parallel_config)
        self.batch_size, self.use_past, self.use_moe = batch_size, use_past, False
        self.seq_length, self.hidden_size = seq_length, hidden_size
        self.layernorm1 = _LayerNorm((hidden_size,)).to_float(layernorm_compute_type)
        self.layernorm2 = _LayerNorm((hidden_size,)).to_float(layernorm_compute_type)
        self.attention = MultiHeadAttention(
            batch_size=batch_size,
            src_seq_length=seq_length,
            tgt_seq_length=seq_length,
            hidden_size=hidden_size,
            num_heads=num_heads,
            hidden_dropout_rate=hidden_dropout_rate,
            attention_dropout_rate=attention_dropout_rate,
            softmax_compute_type=softmax_compute_type,
            param_init_type=param_init_type,
            use_past=use_past,
            parallel_config=parallel_config,
        )
        self.output = FeedForward(hidden_size, ffn_hidden_size, hidden_dropout_rate, hidden_act,
                                  param_init_type=param_init_type, parallel_config=parallel_config)
        self.post_layernorm_residual, self.dtype = post_layernorm_residual, mstype.float16
        self.key_past = self.value_past = None
        if use_past:
            size = hidden_size // num_heads
            keys, values = (
                (batch_size, num_heads, size, seq_length),
                (batch_size, num_heads, seq_length, size),
            )
            self.key_past = Parameter(Tensor(np.zeros(keys), mstype.float16), name="key_past")
            self.value_past = Parameter(Tensor(np.zeros(values), mstype.float16), name="value_past")

    def construct(self, x, input_mask=None, init_reset=True, batch_valid_length=None):
        self._check_call({"x": x, "input_mask": input_mask}, init_reset, batch_valid_length)
        shape, after = x._t.shape, self.post_layernorm_residual
        x = wrap(x._t.reshape(-1, shape[-1]))
        inside = self._half(x if after else self.layernorm1(x))
        if self.use_past:
            for past in (self.key_past, self.value_past):
                past.set_data(wrap(past._t * init_reset._t.half()))
        attention, present = self.attention(
            inside, inside, inside, input_mask, self.key_past, self.value_past, batch_valid_length
        )
        x = wrap((inside if after else x)._t + attention._t)
        normed = self._half(self.layernorm2(x))
        fed = self.output(normed)
        if self.use_past:
            self.key_past.set_data(present[0])
            self.value_past.set_data(present[1])
        output = wrap((normed if after else x)._t + fed._t)
        if after:
            output = self.layernorm1(output)
        return wrap(output._t.reshape(shape)), present


class TransformerDecoderLayer(_Layer):
    """Self-attention, attention to an encoder's output and a feed-forward block
    (``mindspore.nn.transformer.TransformerDecoderLayer``).

    ``construct(hidden_stats, decoder_mask, encoder_output=None, memory_mask=None, init_reset=True,
    batch_valid_length=None)`` gives the output and the keys and values of both attentions. ValueError with
    ``use_past``.
    """

    @_args_type_validator_check(
        src_seq_length=check.check_positive_int,
        tgt_seq_length=check.check_positive_int,
        parallel_config=_valid_type_checks(_ONE_LAYER, "TransformerDecoderLayer"),
        **_layer_checks("TransformerDecoderLayer"),
    )
    def __init__(
        self,
        hidden_size,
        ffn_hidden_size,
        num_heads,
        batch_size,
        src_seq_length,
        tgt_seq_length,
        attention_dropout_rate=0.1,
        hidden_dropout_rate=0.1,
        post_layernorm_residual=False,
        use_past=False,
        layernorm_compute_type=mstype.float32,
        softmax_compute_type=mstype.float32,
        param_init_type=mstype.float32,
        hidden_act="gelu",
        moe_config=default_moe_config,
        parallel_config=default_dpmp_config,
    ):
        super().__init__()
        _check_moe_config(moe_config, parallel_config)
        if batch_size or use_past:
            check.check_positive_int(batch_size)
        _check_config(parallel_config)
        _check_parallel_sizes(
            "TransformerDecoderLayer",
            parallel_config,
            num_heads=num_heads,
            hidden_size=hidden_size,
            ffn_hidden_size=ffn_hidden_size,
        )
        if use_past:
            raise ValueError(f"The {self.cls_name} does not support use_past=True.")
        self.batch_size, self.use_past, self.use_moe = batch_size, use_past, False
        self.src_seq_length, self.tgt_seq_length = src_seq_length, tgt_seq_length
        self.hidden_size, self.softmax_compute_type = hidden_size, softmax_compute_type
        self.layernorm1 = _LayerNorm((hidden_size,)).to_float(layernorm_compute_type)
        self.layernorm2 = _LayerNorm((hidden_size,)).to_float(layernorm_compute_type)

        def attention(source, target):
            return MultiHeadAttention(
                batch_size,
                source,
                target,
                hidden_size,
                num_heads,
                hidden_dropout_rate,
                attention_dropout_rate,
                softmax_compute_type=softmax_compute_type,
                param_init_type=param_init_type,
                parallel_config=parallel_config,
            )

        self.attention = attention(tgt_seq_length, tgt_seq_length)
        self.cross_attention = attention(tgt_seq_length, src_seq_length)
        self.cross_attention_layernorm = _LayerNorm((hidden_size,)).to_float(layernorm_compute_type)
        self.output = FeedForward(hidden_size, ffn_hidden_size, hidden_dropout_rate, hidden_act,
                                  param_init_type=param_init_type, parallel_config=parallel_config)
        self.post_layernorm_residual, self.dtype = post_layernorm_residual, mstype.float16

    def construct(
        self,
        hidden_stats,
        decoder_mask,
        encoder_output=None,
        memory_mask=None,
        init_reset=True,
        batch_valid_length=None,
    ):
        floats = {
            "hidden_states": hidden_stats,
            "attention_mask": decoder_mask,
            "encoder_output": encoder_output,
            "memory_mask": memory_mask,
        }
        self._check_call(floats, init_reset, batch_valid_length)
        shape, after = hidden_stats._t.shape, self.post_layernorm_residual
        x = wrap(hidden_stats._t.reshape(-1, shape[-1]))
        inside = self._half(self.layernorm1(x))
        attention, present = self.attention(inside, inside, inside, decoder_mask)
        x = wrap((inside if after else x)._t + attention._t)
        if encoder_output is not None:
            middle, memory = self._half(self.cross_attention_layernorm(x)), self._half(encoder_output)
            attention, crossed = self.cross_attention(middle, memory, memory, memory_mask)
            present += crossed
            x = wrap((middle if after else x)._t + attention._t)
        normed = self._half(self.layernorm2(x))
        output = (normed if after else x)._t + self.output(normed)._t
        return wrap(output.reshape(shape)), present
