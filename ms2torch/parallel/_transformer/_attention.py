"""Attention with several heads, and with a memory of earlier tokens."""

from __future__ import annotations

import math

import torch

from ms2torch import _checkparam as check
from ms2torch._core.tensor import dtype as mstype
from ms2torch._core.tensor.tensor import Tensor, wrap
from ms2torch.nn.cell import Cell
from ms2torch.nn.layer.activation import Softmax
from ms2torch.nn.layer.basic import Dropout

from .layers import (
    _FLOATS,
    _args_type_validator_check,
    _check_input_dtype,
    _check_past_none_input_none,
    _Linear,
    _valid_type_checks,
    _valid_value_checks,
)
from .op_parallel_config import OpParallelConfig, _check_config, default_dpmp_config


class MultiHeadAttention(Cell):
    """Attention of ``num_heads`` heads (``mindspore.nn.transformer.MultiHeadAttention``).

    ``construct(query, key, value, attention_mask, key_past=None, value_past=None, batch_valid_length=None)``
    takes (batch, length, hidden_size) or (batch * length, hidden_size) and a mask (batch, src, tgt), or
    (batch, heads, src, tgt), with 1 where a query may look; it gives the output in the query's shape and
    dtype, and the keys (batch, heads, size, tgt) and values (batch, heads, tgt, size). The layers compute in
    ``compute_dtype``, the softmax in ``softmax_compute_type``.

    With ``use_past`` the first call (``is_first_iteration``) keeps keys and values of ``batch_valid_length``
    tokens; later ones take one token each and add its key and value to ``key_past`` and ``value_past``.
    TypeError and ValueError for bad arguments and inputs.
    """

    @_args_type_validator_check(
        hidden_size=check.check_positive_int,
        num_heads=check.check_positive_int,
        src_seq_length=check.check_positive_int,
        tgt_seq_length=check.check_positive_int,
        attention_dropout_rate=check.check_non_negative_float,
        hidden_dropout_rate=check.check_non_negative_float,
        compute_dtype=_valid_value_checks(_FLOATS, "MultiHeadAttention"),
        softmax_compute_type=_valid_value_checks(_FLOATS, "MultiHeadAttention"),
        param_init_type=_valid_value_checks(_FLOATS, "MultiHeadAttention"),
        parallel_config=_valid_type_checks([OpParallelConfig], "MultiHeadAttention"),
        use_past=check.check_bool,
    )
    def __init__(
        self,
        batch_size,
        src_seq_length,
        tgt_seq_length,
        hidden_size,
        num_heads,
        hidden_dropout_rate=0.1,
        attention_dropout_rate=0.1,
        compute_dtype=mstype.float16,
        softmax_compute_type=mstype.float32,
        param_init_type=mstype.float32,
        use_past=False,
        parallel_config=default_dpmp_config,
    ):
        super().__init__()
        if batch_size:
            check.check_positive_int(batch_size)
        _check_config(parallel_config)
        for name, rate in (
            ("hidden_dropout_rate", hidden_dropout_rate),
            ("attention_dropout_rate", attention_dropout_rate),
        ):
            if rate < 0 or rate >= 1:
                raise ValueError(
                    f"For 'MultiHeadAttention', the class variable '{name}' must be in range [0, 1.0), but "
                    f"got the value : {rate}."
                )
        if hidden_size % num_heads:
            raise ValueError(
                "For 'MultiHeadAttention', the class variable 'hidden_size' must be a multiple of "
                f"'num_heads', but got the hidden_size is {hidden_size} and the num_heads is {num_heads}."
            )
        if num_heads % parallel_config.model_parallel:
            raise ValueError(
                "For 'MultiHeadAttention', the class variable 'num_heads' must be a multiple of "
                f"'parallel_config.model_parallel', but got the num_heads is {num_heads} and the "
                f"parallel_config.model_parallel  is {parallel_config.model_parallel}."
            )
        self.src_seq_length, self.tgt_seq_length = src_seq_length, tgt_seq_length
        self.hidden_size, self.batch_size, self.use_past = hidden_size, batch_size, use_past
        self.n_head, self.size_per_head = num_heads, hidden_size // num_heads
        self.is_first_iteration = True
        self.dtype, self.softmax_dtype = compute_dtype, softmax_compute_type
        kinds = {"compute_dtype": compute_dtype, "param_init_type": param_init_type}
        self.projection = _Linear(hidden_size, hidden_size, transpose_b=False, **kinds)
        self.dropout = Dropout(p=hidden_dropout_rate)
        self.prob_dropout = Dropout(p=attention_dropout_rate)
        self.softmax = Softmax().to_float(softmax_compute_type)
        self.softmax_3d = Softmax().to_float(softmax_compute_type)
        self.dense1 = _Linear(hidden_size, hidden_size, **kinds)
        self.dense2 = _Linear(hidden_size, hidden_size, **kinds)
        self.dense3 = _Linear(hidden_size, hidden_size, **kinds)

    def construct(
        self,
        query_tensor,
        key_tensor,
        value_tensor,
        attention_mask,
        key_past=None,
        value_past=None,
        batch_valid_length=None,
    ):
        self._check_inputs(
            query_tensor, key_tensor, value_tensor, attention_mask, key_past, value_past, batch_valid_length
        )
        shape, kind = query_tensor._t.shape, query_tensor._t.dtype
        one = self.use_past and not self.is_first_iteration
        source, target = (1, 1) if one else (self.src_seq_length, self.tgt_seq_length)
        batch = shape[0] // source if len(shape) == 2 and not one else shape[0]

        def heads(dense, x, length):
            y = dense(wrap(x._t.reshape(-1, x._t.shape[-1]).to(self.dtype.torch)))._t
            return y.reshape(batch, length, self.n_head, self.size_per_head).transpose(1, 2)

        query = heads(self.dense1, query_tensor, source)
        key = heads(self.dense2, key_tensor, target).transpose(2, 3)
        value = heads(self.dense3, value_tensor, target)
        mask = None if attention_mask is None else attention_mask._t
        if mask is not None and mask.ndim == 3:
            mask = mask[:, None]
        present = key, value
        if self.use_past:
            places = torch.arange(self.src_seq_length, device=key.device)
            if self.is_first_iteration:
                valid = (places < batch_valid_length._t.reshape(-1, 1)).to(key.dtype)
                present = key * valid[:, None, None], value * valid[:, None, :, None]
            else:
                # The new token goes where the first key's row still has its first zero.
                filled = (key_past._t[:, :1, :1] != 0).sum((1, 2, 3))[:, None]
                here = (filled == places).to(key.dtype)
                key = key_past._t + key * here[:, None, None]
                value = value_past._t + value * here[:, None, :, None]
                present = key, value
                if mask is not None:
                    last = (key[:, :1, :1] != 0).sum((1, 2, 3)) - 1
                    mask = (places <= last[:, None]).int()[:, None, None]
        output = self.projection(self._attend(query, key, value, mask))
        output = self.dropout(output)._t
        return wrap(output.reshape(shape).to(kind)), tuple(map(wrap, present))

    def _attend(self, query, key, value, mask) -> Tensor:
        """The weighted values, heads merged: (batch * length, hidden_size)."""
        factor = torch.tensor(math.sqrt(math.sqrt(self.size_per_head)), dtype=query.dtype)
        scores = (query / factor) @ (key / factor)
        kind = scores.dtype
        scores = scores.to(self.softmax_dtype.torch)
        if mask is not None:
            scores = (1 - mask.to(scores.dtype)) * -10000.0 + scores
        weights = self.softmax(wrap(scores))._t.to(kind)
        weights = self.prob_dropout(wrap(weights))._t
        y = (weights @ value).transpose(1, 2)
        return wrap(y.reshape(-1, self.hidden_size))

    def _check_inputs(self, query, key, value, mask, key_past, value_past, batch_valid_length) -> None:
        own = self.cls_name
        for name, x in (("query_tensor", query), ("key_tensor", key), ("value_tensor", value)):
            _check_input_dtype(x.dtype, name, _FLOATS, own)
        if mask is not None:
            _check_input_dtype(mask.dtype, "attention_mask", _FLOATS, own)
        past = (
            ("key_past", key_past, mstype.float16),
            ("value_past", value_past, mstype.float16),
            ("batch_valid_length", batch_valid_length, mstype.int32),
        )
        for name, x, _ in past:
            _check_past_none_input_none(self.use_past, name, own, None, isinstance(x, Tensor), x is None)
        for name, x, kind in past if self.use_past else ():
            _check_input_dtype(x.dtype, name, [kind], own)
