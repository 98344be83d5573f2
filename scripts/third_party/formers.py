"""Models of MindFormers 1.3 with the weights of Hugging Face's classes: their configurations and names.

MindFormers keeps an attention's three products apart and stores most matrices the other way round.
``FAMILIES`` says so in rules ``(pattern, name there)``, the first that matches. A rule's name may end in
``.T`` (transposed), or hold ``{columns}`` or ``{heads}`` where one weight becomes three: cut along the last
axis, or by head. ``rounds`` says where a model's code casts to Float16 or takes the other GELU whatever its
configuration says: there 1e-3 of the largest number is asked for, elsewhere 1e-4.
"""

from __future__ import annotations

import importlib
import re
from pathlib import Path
from typing import NamedTuple

import numpy as np

MODELS = "mindformers.models"
FULL = {"compute_dtype": "float32", "param_init_type": "float32"}


class Family(NamedTuple):
    """Where a model's class and configuration are, what the latter is given, and the rules."""

    module: str
    model: str
    config: str
    given: dict
    rules: tuple
    rounds: str = ""

    @property
    def tolerance(self) -> float:
        return 1e-3 if self.rounds else 1e-4


def _llama(**more) -> Family:
    given = {
        **FULL,
        "hidden_size": 32,
        "num_layers": 2,
        "num_heads": 4,
        "n_kv_heads": 2,
        "intermediate_size": 64,
        "max_position_embedding": 64,
        "fused_rms_norm": False,
        "block_size": 16,
        "num_blocks": 16,
        **more,
    }
    rules = (
        (r"model\.embed_tokens\.weight", "model.tok_embeddings.embedding_weight"),
        (r"(.*)\.self_attn\.([qkvo])_proj\.(.*)", r"\1.attention.w\2.\3"),
        (r"(.*)\.mlp\.gate_proj\.(.*)", r"\1.feed_forward.w1.\2"),
        (r"(.*)\.mlp\.down_proj\.(.*)", r"\1.feed_forward.w2.\2"),
        (r"(.*)\.mlp\.up_proj\.(.*)", r"\1.feed_forward.w3.\2"),
        (r"(.*)\.input_layernorm\.(.*)", r"\1.attention_norm.\2"),
        (r"(.*)\.post_attention_layernorm\.(.*)", r"\1.ffn_norm.\2"),
        (r"model\.norm\.(.*)", r"model.norm_out.\1"),
        (r"(lm_head\.weight)", r"\1"),
    )
    return Family("llama", "LlamaForCausalLM", "LlamaConfig", given, rules)


_T5, _PART = r"(..coder)\.block\.(\d+)\.layer", r"t5_model.tfm_\1.blocks.\2."
_BLOCK = r"bert_encoder.encoder.blocks.\1."
_SMALL = {"hidden_size": 32, "num_layers": 2, "num_heads": 4}
FAMILIES = {
    "LlamaForCausalLM": _llama(rms_norm_eps=1e-6),
    "MistralForCausalLM": _llama(rms_norm_eps=1e-6),
    "Qwen2ForCausalLM": _llama(rms_norm_eps=1e-6, qkv_has_bias=True),
    "GPT2LMHeadModel": Family(
        "gpt2",
        "GPT2LMHeadModel",
        "GPT2Config",
        {**FULL, **_SMALL, "max_position_embeddings": 64},
        (
            (r"transformer\.wte\.weight", "backbone.embedding.word_embedding.embedding_table"),
            (r"transformer\.wpe\.weight", "backbone.embedding.position_embedding.embedding_table"),
            (r"transformer\.ln_f\.(.*)", r"backbone.layernorm.\1"),
            (r"transformer\.h\.(\d+)\.ln_([12])\.(.*)", r"backbone.blocks.\1.layernorm\2.\3"),
            (
                r"transformer\.h\.(\d+)\.attn\.c_attn\.weight",
                r"backbone.blocks.\1.attention.{columns}.weight.T",
            ),
            (r"transformer\.h\.(\d+)\.attn\.c_attn\.bias", r"backbone.blocks.\1.attention.{columns}.bias"),
            (r"transformer\.h\.(\d+)\.attn\.c_proj\.(.*)", r"backbone.blocks.\1.attention.projection.\2"),
            (r"transformer\.h\.(\d+)\.mlp\.c_fc\.(.*)", r"backbone.blocks.\1.output.mapping.\2"),
            (r"transformer\.h\.(\d+)\.mlp\.c_proj\.(.*)", r"backbone.blocks.\1.output.projection.\2"),
        ),
    ),
    "BloomForCausalLM": Family(
        "bloom",
        "BloomLMHeadModel",
        "BloomConfig",
        {**FULL, **_SMALL},
        (
            (r"transformer\.word_embeddings\.weight", "embedding.word_embedding.embedding_table"),
            (r"transformer\.word_embeddings_layernorm\.(.*)", r"embedding.norm.\1"),
            (r"transformer\.(ln_f\..*)", r"\1"),
            (r"transformer\.h\.(\d+)\.input_layernorm\.(.*)", r"blocks.\1.layernorm1.\2"),
            (r"transformer\.h\.(\d+)\.post_attention_layernorm\.(.*)", r"blocks.\1.layernorm2.\2"),
            (
                r"transformer\.h\.(\d+)\.self_attention\.query_key_value\.(.*)",
                r"blocks.\1.attention.{heads}.\2",
            ),
            (r"transformer\.h\.(\d+)\.self_attention\.dense\.(.*)", r"blocks.\1.attention.projection.\2.T"),
            (r"transformer\.h\.(\d+)\.mlp\.dense_h_to_4h\.(.*)", r"blocks.\1.output.mapping.\2.T"),
            (r"transformer\.h\.(\d+)\.mlp\.dense_4h_to_h\.(.*)", r"blocks.\1.output.projection.\2.T"),
        ),
        "its embedding is cast to Float16",
    ),
    "BertModel": Family(
        "bert",
        "BertModel",
        "BertConfig",
        {
            "compute_dtype": "float32",
            "hidden_size": 32,
            "num_hidden_layers": 2,
            "num_attention_heads": 4,
            "intermediate_size": 64,
            "max_position_embeddings": 64,
            "batch_size": 2,
            "hidden_dropout_prob": 0.0,
            "attention_probs_dropout_prob": 0.0,
        },
        (
            (r"embeddings\.word_embeddings\.weight", "word_embedding.embedding_table"),
            (
                r"embeddings\.position_embeddings\.weight",
                "embedding_postprocessor.full_position_embedding.embedding_table",
            ),
            (
                r"embeddings\.token_type_embeddings\.weight",
                "embedding_postprocessor.token_type_embedding.embedding_table",
            ),
            (r"embeddings\.LayerNorm\.(.*)", r"embedding_postprocessor.layernorm.\1"),
            (r"pooler\.dense\.(.*)", r"dense.\1"),
            (r"encoder\.layer\.(\d+)\.attention\.self\.(q)uery\.(.*)", _BLOCK + r"attention.dense<\2>.\3"),
            (r"encoder\.layer\.(\d+)\.attention\.self\.(k)ey\.(.*)", _BLOCK + r"attention.dense<\2>.\3"),
            (r"encoder\.layer\.(\d+)\.attention\.self\.(v)alue\.(.*)", _BLOCK + r"attention.dense<\2>.\3"),
            (r"encoder\.layer\.(\d+)\.attention\.output\.dense\.(.*)", _BLOCK + r"attention.projection.\2.T"),
            (r"encoder\.layer\.(\d+)\.attention\.output\.LayerNorm\.(.*)", _BLOCK + r"layernorm2.\2"),
            (r"encoder\.layer\.(\d+)\.intermediate\.dense\.(.*)", _BLOCK + r"output.mapping.\2.T"),
            (r"encoder\.layer\.(\d+)\.output\.dense\.(.*)", _BLOCK + r"output.projection.\2.T"),
            (r"encoder\.layer\.(\d+)\.output\.LayerNorm\.(.*)", _BLOCK + r"layernorm1.\2"),
        ),
        "its GELU is the one by tanh",
    ),
    "T5ForConditionalGeneration": Family(
        "t5",
        "T5ForConditionalGeneration",
        "T5Config",
        {
            **FULL,
            **_SMALL,
            "d_kv": 8,
            "d_ff": 64,
            "start_token_id": 0,
            "max_decode_length": 7,
            "batch_size": 2,
            "hidden_dropout_rate": 0.0,
            "attention_dropout_rate": 0.0,
            "embedding_dropout_prob": 0.0,
        },
        (
            (r"shared\.weight", "t5_model.tfm_embedding_lookup.embedding_table"),
            (r"(..coder)\.final_layer_norm\.weight", r"t5_model.\1_layernorm.weight"),
            (
                r"(..coder)\.block\.0\.layer\.0\.SelfAttention\.relative_attention_bias\.weight",
                r"t5_model.tfm_\1.blocks.0.attention.bias_generator.embeddings_table",
            ),
            (_T5 + r"\.0\.SelfAttention\.([qkv])(.*)", _PART + r"attention.dense<\3>\4"),
            (_T5 + r"\.0\.SelfAttention\.o(.*)", _PART + r"attention.projection\3.T"),
            (_T5 + r"\.1\.EncDecAttention\.([qkv])(.*)", _PART + r"cross_attention.dense<\3>\4"),
            (_T5 + r"\.1\.EncDecAttention\.o(.*)", _PART + r"cross_attention.projection\3.T"),
            (_T5 + r"\.\d\.DenseReluDense\.wi(.*)", _PART + r"output.mapping\3.T"),
            (_T5 + r"\.\d\.DenseReluDense\.wo(.*)", _PART + r"output.projection\3.T"),
            (_T5 + r"\.0\.layer_norm(.*)", _PART + r"layernorm1\3"),
            (r"(encoder)\.block\.(\d+)\.layer\.1\.layer_norm(.*)", _PART + r"layernorm2\3"),
            (r"(decoder)\.block\.(\d+)\.layer\.1\.layer_norm(.*)", _PART + r"cross_attention_layernorm\3"),
            (r"(decoder)\.block\.(\d+)\.layer\.2\.layer_norm(.*)", _PART + r"layernorm2\3"),
        ),
        "its feed-forward layers cast to Float16",
    ),
}
_PLACES = {"q": "1", "k": "2", "v": "3"}


def made(name: str, length: int, **more):
    """The model of a row for texts of ``length`` tokens, with its own first weights."""
    family = FAMILIES[name]
    home = importlib.import_module(f"{MODELS}.{family.module}.{family.module}")
    config = getattr(importlib.import_module(f"{MODELS}.{family.module}"), family.config)
    given = {"vocab_size": 99, "pad_token_id": 0, "eos_token_id": 98, "seq_length": length}
    return _in_full(getattr(home, family.model)(config(**{**given, **family.given, **more})))


def _in_full(model):
    """The model with what its layers compute in Float16 whatever the configuration says in Float32."""
    import mindspore as ms

    for _, cell in model.cells_and_names():
        for name, value in list(vars(cell).items()):
            if value is ms.float16:
                setattr(cell, name, ms.float32)
    return model


def call(name: str, given: dict) -> dict:
    """The arguments that the model takes for what Hugging Face's was given."""
    import mindspore as ms

    tokens = {key: ms.Tensor(value.astype(np.int32)) for key, value in given.items()}
    seen = {key: ms.ops.ones(value.shape, ms.float32) for key, value in tokens.items()}
    if name == "BertModel":
        return {**tokens, "token_type_ids": tokens["input_ids"] * 0, "input_mask": seen["input_ids"]}
    if name.startswith("T5"):
        return {
            **tokens,
            "attention_mask": seen["input_ids"],
            "decoder_attention_mask": seen["decoder_input_ids"],
        }
    return tokens


def weights(name: str, folder: Path) -> dict[str, np.ndarray]:
    """The checkpoint that Hugging Face wrote, by MindFormers' names."""
    from safetensors.numpy import load_file

    found = {}
    for file in Path(folder).glob("*.safetensors"):
        for key, value in load_file(file).items():
            found.update(_renamed(FAMILIES[name].rules, key, value))
    return found


def _renamed(rules, key: str, value: np.ndarray):
    for pattern, to in rules:
        match = re.fullmatch(pattern, key)
        if match is None:
            continue
        new = re.sub("<([qkv])>", lambda m: _PLACES[m[1]], match.expand(to))
        for part, array in _parts(new, value):
            if part.endswith(".T"):
                part, array = part.removesuffix(".T"), array.T
            yield part, np.ascontiguousarray(array)
        return


def _parts(name: str, value: np.ndarray):
    if "{columns}" in name:
        pieces = np.split(value, 3, -1)
    elif "{heads}" in name:
        by_head = value.reshape(4, 3, -1, *value.shape[1:])
        pieces = [by_head[:, i].reshape(-1, *value.shape[1:]) for i in range(3)]
    else:
        return [(name, value)]
    return [(re.sub(r"\{\w+\}", f"dense{i + 1}", name), piece) for i, piece in enumerate(pieces)]


_LEAVES = {"weight": "gamma", "bias": "beta"}


def fill(model, arrays: dict[str, np.ndarray]) -> list[str]:
    """Set the weights; the names that were left over or missing."""
    import mindspore as ms

    own = {p.name: p for p in model.get_parameters()}
    lacking = set(own)
    for key, value in arrays.items():
        stem, _, leaf = key.rpartition(".")
        name = key if key in own else f"{stem}.{_LEAVES.get(leaf, leaf)}"
        if name not in own or own[name].shape != value.shape:
            raise KeyError(f"{key}{value.shape} is not {name}{own[name].shape if name in own else ''}")
        own[name].set_data(ms.Tensor(value))
        lacking.discard(name)
    return sorted(lacking)
