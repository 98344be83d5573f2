"""Parts of transformers: the feed-forward block, the mask of a text, the embedding."""

from __future__ import annotations

import numpy as np
import torch.nn.functional as F

from ms2torch import _checkparam as check
from ms2torch._core.tensor import dtype as mstype
from ms2torch._core.tensor.tensor import Tensor, wrap
from ms2torch.common.initializer import initializer
from ms2torch.common.parameter import Parameter
from ms2torch.nn.cell import Cell
from ms2torch.nn.layer.basic import Dropout

from ._settings import EmbeddingOpParallelConfig, default_embedding_parallel_config
from .layers import (
    _FLOATS,
    _args_type_validator_check,
    _check_experts,
    _check_input_dtype,
    _Linear,
    _valid_type_checks,
    _valid_value_checks,
)
from .op_parallel_config import MoEParallelConfig, OpParallelConfig, _check_config, default_dpmp_config


class FeedForward(Cell):
    """Two dense layers in float16 with an activation between, then dropout
    (``mindspore.nn.transformer.FeedForward``): (..., hidden_size) to float16 of the same shape.

    ValueError where ``model_parallel`` does not divide the sizes or the rate is outside [0, 1), TypeError for
    another activation than a name or a Cell class and for inputs other than float16 and float32.
    """

    @_args_type_validator_check(
        hidden_size=check.check_positive_int,
        ffn_hidden_size=check.check_positive_int,
        dropout_rate=check.check_non_negative_float,
        param_init_type=_valid_value_checks(_FLOATS, "FeedForward"),
        parallel_config=_valid_type_checks([OpParallelConfig, MoEParallelConfig], "FeedForward"),
    )
    def __init__(
        self,
        hidden_size,
        ffn_hidden_size,
        dropout_rate,
        hidden_act="gelu",
        expert_num=1,
        expert_group_size=None,
        param_init_type=mstype.float32,
        parallel_config=default_dpmp_config,
    ):
        super().__init__()
        _check_experts(expert_num)
        if hidden_act is None or not (isinstance(hidden_act, str) or issubclass(hidden_act, Cell)):
            raise TypeError(
                f"For FeedForward cell, the hidden_act should str type or nn.Cell type, but got {hidden_act}."
            )
        _check_config(parallel_config)
        parts = parallel_config.model_parallel
        if ffn_hidden_size % parts:
            raise ValueError(
                "For 'FeedForward', the class variable 'ffn_hidden_size' must be a multiple of thenum of "
                f"model parallel, but got the ffn_hidden_size is {ffn_hidden_size} and the num of model "
                f"parallel is {parts}."
            )
        if hidden_size % parts:
            raise ValueError(
                "For 'FeedForward', the class variable 'hidden_size' must be a multiple of the num of model "
                f"parallel, but got the hidden_size is {hidden_size} and the num of model "
                f"parallel is {parts}."
            )
        if dropout_rate < 0 or dropout_rate >= 1:
            raise ValueError(
                "For 'FeedForward', the class variable 'dropout_rate' must be in the range [0, 1.0), "
                f"but got the value : {dropout_rate}."
            )
        self.mapping = _Linear(
            hidden_size,
            ffn_hidden_size,
            activation=hidden_act,
            transpose_b=False,
            param_init_type=param_init_type,
        )
        self.projection = _Linear(
            ffn_hidden_size, hidden_size, transpose_b=False, param_init_type=param_init_type
        )
        self.dropout = Dropout(p=dropout_rate)
        self.dropout_3d = Dropout(p=dropout_rate)
        self.dropout_4d = Dropout(p=dropout_rate)

    def construct(self, x):
        _check_input_dtype(x.dtype, "x", _FLOATS, self.cls_name)
        output = self.projection(self.mapping(wrap(x._t.half())))
        if output.ndim == 3:
            return self.dropout_3d(output)
        return self.dropout(output) if output.ndim == 2 else self.dropout_4d(output)


class AttentionMask(Cell):
    """The mask of a text that is read from left to right (``mindspore.nn.transformer.AttentionMask``).

    ``construct(input_mask (batch, length))``, non-zero at tokens, gives float32 (batch, length, length): 1
    where a token may look at itself or an earlier one.
    """

    @_args_type_validator_check(
        seq_length=check.check_positive_int,
        parallel_config=_valid_type_checks([OpParallelConfig], "AttentionMask"),
    )
    def __init__(self, seq_length, parallel_config=default_dpmp_config) -> None:
        super().__init__()
        self.seq_length = seq_length
        self.lower_triangle_mask = Tensor(np.tril(np.ones((seq_length, seq_length))), mstype.float32)

    def construct(self, input_mask):
        _check_input_dtype(input_mask.dtype, "input_mask", _FLOATS, self.cls_name)
        token = (input_mask._t != 0).float()
        return wrap(token[:, :, None] * token[:, None] * self.lower_triangle_mask._t)


class VocabEmbedding(Cell):
    """An embedding that also gives its table (``mindspore.nn.transformer.VocabEmbedding``).

    ``construct(ids)`` of int32 gives ``(vectors (..., embedding_size), table)``.
    """

    @_args_type_validator_check(
        vocab_size=check.check_positive_int,
        embedding_size=check.check_positive_int,
        parallel_config=_valid_type_checks([EmbeddingOpParallelConfig], "VocabEmbedding"),
    )
    def __init__(
        self,
        vocab_size,
        embedding_size,
        parallel_config=default_embedding_parallel_config,
        param_init="normal",
    ):
        super().__init__()
        _check_config(parallel_config)
        self.vocab_size, self.embedding_size = vocab_size, embedding_size
        self.embedding_table = Parameter(
            initializer(param_init, [vocab_size, embedding_size]),
            name="embedding_table",
            parallel_optimizer=False,
        )
        if not parallel_config.vocab_emb_dp and vocab_size % parallel_config.model_parallel:
            raise ValueError(
                f"The vocab size of the embedding {vocab_size} must be a multiple of "
                f"parallel_config.model_parallel {parallel_config.model_parallel}."
            )

    def construct(self, input_ids):
        _check_input_dtype(input_ids.dtype, "input_ids", [mstype.int32], self.cls_name)
        table = self.embedding_table._t
        return wrap(F.embedding(input_ids._t, table)), wrap(table)
