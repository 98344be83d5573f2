"""Transformers of MindSpore 1.3 to 2.7 (``mindspore.nn.transformer``, ``mindspore.parallel._transformer``).

They run data-parallel: settings of model parallelism are checked and kept, weights are whole on every device.
"""

from __future__ import annotations

from ms2torch import _checkparam as check
from ms2torch._core.tensor import dtype as mstype
from ms2torch._core.tensor.tensor import Tensor
from ms2torch.nn.cell import Cell
from ms2torch.nn.layer.container import CellList

from ._attention import MultiHeadAttention
from ._one_layer import TransformerDecoderLayer, TransformerEncoderLayer, _layer_checks
from ._parts import AttentionMask, FeedForward, VocabEmbedding
from ._settings import (
    EmbeddingOpParallelConfig,
    TransformerOpParallelConfig,
    TransformerRecomputeConfig,
    default_transformer_config,
    default_transformer_recompute_config,  # noqa: F401
)
from .layers import (
    _args_type_validator_check,
    _valid_type_checks,
)
from .moe import _check_moe_config, default_moe_config
from .op_parallel_config import _check_config

__all__ = [
    "AttentionMask",
    "EmbeddingOpParallelConfig",
    "FeedForward",
    "MultiHeadAttention",
    "Transformer",
    "TransformerDecoder",
    "TransformerDecoderLayer",
    "TransformerEncoder",
    "TransformerEncoderLayer",
    "TransformerOpParallelConfig",
    "TransformerRecomputeConfig",
    "VocabEmbedding",
]


def _get_lambda_func(total_layer=None):
    """The function that gives each block its pipeline stage, fusion tag and recomputation.

    It takes ``(network, layer_id, offset, parallel_config, layers)``; ``total_layer`` stands in for
    ``layers``. ValueError for fewer layers than stages.
    """

    def configure(network, layer_id, offset, parallel_config, layers) -> None:
        layers, stages = total_layer or layers, parallel_config.pipeline_stage
        if layers < stages:
            raise ValueError(f"layers {layers} must be larger than pipeline stage {stages}")
        network.pipeline_stage = min((layer_id + offset) // max(layers // stages, 1), stages - 1)
        group = max(layers // parallel_config.gradient_aggregation_group, 1)
        network.set_comm_fusion((layer_id + offset) // group + 1)
        again = parallel_config.recompute
        if again if isinstance(again, bool) else again.recompute:
            network.recompute()

    return configure


class _Stack(Cell):
    """Layers one after the other, in ``blocks``."""

    def _stack(self, layer, count, lambda_func, offset, moe_config, parallel_config, **arguments) -> None:
        _check_config(parallel_config)
        _check_moe_config(moe_config, parallel_config)
        self.use_moe, self.num_layers = False, count
        self.aux_loss = Tensor(0.0, mstype.float32)
        self.blocks = CellList()
        configure = lambda_func or _get_lambda_func()
        for i in range(count):
            block = layer(moe_config=moe_config, parallel_config=parallel_config.dp_mp_config, **arguments)
            configure(block, layer_id=i, layers=count, offset=offset, parallel_config=parallel_config)
            self.blocks.append(block)

    def _through(self, hidden_states, *others):
        presents = ()
        for block in self.blocks:
            hidden_states, present = block(hidden_states, *others)
            presents += (present,)
        return hidden_states, presents


class TransformerEncoder(_Stack):
    """``num_layers`` encoder layers (``mindspore.nn.transformer.TransformerEncoder``).

    ``construct(hidden_states, attention_mask, init_reset=True, batch_valid_length=None)`` gives the output
    and a tuple with the keys and values of every layer.
    """

    @_args_type_validator_check(
        num_layers=check.check_positive_int,
        seq_length=check.check_positive_int,
        offset=check.check_non_negative_int,
        parallel_config=_valid_type_checks([TransformerOpParallelConfig], "TransformerEncoder"),
        **_layer_checks("TransformerEncoder"),
    )
    def __init__(
        self,
        batch_size,
        num_layers,
        hidden_size,
        ffn_hidden_size,
        seq_length,
        num_heads,
        attention_dropout_rate=0.1,
        hidden_dropout_rate=0.1,
        hidden_act="gelu",
        post_layernorm_residual=False,
        layernorm_compute_type=mstype.float32,
        softmax_compute_type=mstype.float32,
        param_init_type=mstype.float32,
        lambda_func=None,
        offset=0,
        use_past=False,
        moe_config=default_moe_config,
        parallel_config=default_transformer_config,
    ):
        super().__init__()
        self._stack(
            TransformerEncoderLayer,
            num_layers,
            lambda_func,
            offset,
            moe_config,
            parallel_config,
            hidden_size=hidden_size,
            batch_size=batch_size,
            ffn_hidden_size=ffn_hidden_size,
            seq_length=seq_length,
            attention_dropout_rate=attention_dropout_rate,
            hidden_dropout_rate=hidden_dropout_rate,
            layernorm_compute_type=layernorm_compute_type,
            softmax_compute_type=softmax_compute_type,
            num_heads=num_heads,
            hidden_act=hidden_act,
            post_layernorm_residual=post_layernorm_residual,
            param_init_type=param_init_type,
            use_past=use_past,
        )

    def construct(self, hidden_states, attention_mask, init_reset=True, batch_valid_length=None):
        return self._through(hidden_states, attention_mask, init_reset, batch_valid_length)


class TransformerDecoder(_Stack):
    """``num_layers`` decoder layers (``mindspore.nn.transformer.TransformerDecoder``).

    ``construct(hidden_states, attention_mask, encoder_output=None, memory_mask=None, init_reset=True,
    batch_valid_length=None)`` gives the output and a tuple with the keys and values of every layer.
    """

    @_args_type_validator_check(
        num_layers=check.check_positive_int,
        src_seq_length=check.check_positive_int,
        tgt_seq_length=check.check_positive_int,
        offset=check.check_non_negative_int,
        parallel_config=_valid_type_checks([TransformerOpParallelConfig], "TransformerDecoder"),
        **_layer_checks("TransformerDecoder"),
    )
    def __init__(
        self,
        num_layers,
        batch_size,
        hidden_size,
        ffn_hidden_size,
        src_seq_length,
        tgt_seq_length,
        num_heads,
        attention_dropout_rate=0.1,
        hidden_dropout_rate=0.1,
        post_layernorm_residual=False,
        layernorm_compute_type=mstype.float32,
        softmax_compute_type=mstype.float32,
        param_init_type=mstype.float32,
        hidden_act="gelu",
        lambda_func=None,
        use_past=False,
        offset=0,
        moe_config=default_moe_config,
        parallel_config=default_transformer_config,
    ):
        super().__init__()
        self._stack(
            TransformerDecoderLayer,
            num_layers,
            lambda_func,
            offset,
            moe_config,
            parallel_config,
            hidden_size=hidden_size,
            batch_size=batch_size,
            ffn_hidden_size=ffn_hidden_size,
            src_seq_length=src_seq_length,
            tgt_seq_length=tgt_seq_length,
            attention_dropout_rate=attention_dropout_rate,
            hidden_dropout_rate=hidden_dropout_rate,
            num_heads=num_heads,
            layernorm_compute_type=layernorm_compute_type,
            softmax_compute_type=softmax_compute_type,
            hidden_act=hidden_act,
            use_past=use_past,
            param_init_type=param_init_type,
            post_layernorm_residual=post_layernorm_residual,
        )

    def construct(
        self,
        hidden_states,
        attention_mask,
        encoder_output=None,
        memory_mask=None,
        init_reset=True,
        batch_valid_length=None,
    ):
        return self._through(
            hidden_states, attention_mask, encoder_output, memory_mask, init_reset, batch_valid_length
        )


class Transformer(Cell):
    """Encoder and decoder (``mindspore.nn.transformer.Transformer``).

    ``construct(encoder_inputs, encoder_masks, decoder_inputs=None, decoder_masks=None, memory_mask=None,
    init_reset=True, batch_valid_length=None)`` gives the last output, and the keys and values of the
    encoder's and the decoder's layers, None for what is not there.
    """

    @_args_type_validator_check(
        batch_size=check.check_positive_int,
        src_seq_length=check.check_positive_int,
        tgt_seq_length=check.check_positive_int,
        encoder_layers=check.check_positive_int,
        decoder_layers=check.check_non_negative_int,
        parallel_config=_valid_type_checks([TransformerOpParallelConfig], "Transformer"),
        **_layer_checks("Transformer"),
    )
    def __init__(
        self,
        hidden_size,
        batch_size,
        ffn_hidden_size,
        src_seq_length,
        tgt_seq_length,
        encoder_layers=3,
        decoder_layers=3,
        num_heads=2,
        attention_dropout_rate=0.1,
        hidden_dropout_rate=0.1,
        hidden_act="gelu",
        post_layernorm_residual=False,
        layernorm_compute_type=mstype.float32,
        softmax_compute_type=mstype.float32,
        param_init_type=mstype.float32,
        lambda_func=None,
        use_past=False,
        moe_config=default_moe_config,
        parallel_config=default_transformer_config,
    ):
        super().__init__()
        _check_config(parallel_config)
        if decoder_layers and use_past:
            raise ValueError(f"The {self.cls_name} with encoder and decoder does not support use_past=True.")
        _check_moe_config(moe_config, parallel_config)
        self.batch_size, self.hidden_size, self.use_past = batch_size, hidden_size, use_past
        self.src_seq_length, self.tgt_seq_length = src_seq_length, tgt_seq_length
        self.use_moe, self.aux_loss = False, Tensor(0.0, mstype.float32)
        shared = {
            "batch_size": batch_size,
            "hidden_size": hidden_size,
            "ffn_hidden_size": ffn_hidden_size,
            "num_heads": num_heads,
            "attention_dropout_rate": attention_dropout_rate,
            "hidden_dropout_rate": hidden_dropout_rate,
            "hidden_act": hidden_act,
            "post_layernorm_residual": post_layernorm_residual,
            "layernorm_compute_type": layernorm_compute_type,
            "softmax_compute_type": softmax_compute_type,
            "param_init_type": param_init_type,
            "lambda_func": lambda_func or _get_lambda_func(encoder_layers + decoder_layers),
            "use_past": use_past,
            "moe_config": moe_config,
            "parallel_config": parallel_config,
        }
        self.encoder = TransformerEncoder(num_layers=encoder_layers, seq_length=src_seq_length, **shared)
        self.decoder = None
        if decoder_layers:
            self.decoder = TransformerDecoder(
                num_layers=decoder_layers,
                src_seq_length=src_seq_length,
                tgt_seq_length=tgt_seq_length,
                offset=encoder_layers,
                **shared,
            )

    def construct(
        self,
        encoder_inputs,
        encoder_masks,
        decoder_inputs=None,
        decoder_masks=None,
        memory_mask=None,
        init_reset=True,
        batch_valid_length=None,
    ):
        output, encoded = self.encoder(encoder_inputs, encoder_masks, init_reset, batch_valid_length)
        decoded = None
        if self.decoder is not None:
            output, decoded = self.decoder(
                decoder_inputs, decoder_masks, output, memory_mask, init_reset, batch_valid_length
            )
        return output, encoded, decoded
