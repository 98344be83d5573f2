"""Transformers' names: those of MindSpore Transformers (MindFormers) and of Hugging Face.

MindONE's models keep Hugging Face's names, so the plain rules are enough for them. A family is a table of
patterns; ``*`` is one part of a name that stays as it is (a layer's number).
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple

from .making import Make

# MindFormers 1.x: Llama, Qwen2, Mistral, InternLM2, Yi, ... (LlamaForCausalLM and what derives from it)
_LLAMA = """
model.tok_embeddings.embedding_weight       model.embed_tokens.weight
model.layers.*.attention.wq.                model.layers.*.self_attn.q_proj.
model.layers.*.attention.wk.                model.layers.*.self_attn.k_proj.
model.layers.*.attention.wv.                model.layers.*.self_attn.v_proj.
model.layers.*.attention.wo.                model.layers.*.self_attn.o_proj.
model.layers.*.feed_forward.w1.             model.layers.*.mlp.gate_proj.
model.layers.*.feed_forward.w2.             model.layers.*.mlp.down_proj.
model.layers.*.feed_forward.w3.             model.layers.*.mlp.up_proj.
model.layers.*.attention_norm.              model.layers.*.input_layernorm.
model.layers.*.ffn_norm.                    model.layers.*.post_attention_layernorm.
model.norm_out.                             model.norm.
lm_head.                                    lm_head.
"""
# MindFormers' later core: Qwen2, Qwen3, GLM-4, DeepSeek-V3, ... (mcore)
_MCORE = """
embedding.word_embeddings.                          model.embed_tokens.
decoder.layers.*.self_attention.linear_q.           model.layers.*.self_attn.q_proj.
decoder.layers.*.self_attention.linear_k.           model.layers.*.self_attn.k_proj.
decoder.layers.*.self_attention.linear_v.           model.layers.*.self_attn.v_proj.
decoder.layers.*.self_attention.linear_proj.        model.layers.*.self_attn.o_proj.
decoder.layers.*.self_attention.linear_q_down_proj. model.layers.*.self_attn.q_a_proj.
decoder.layers.*.self_attention.linear_q_up_proj.   model.layers.*.self_attn.q_b_proj.
decoder.layers.*.self_attention.linear_kv_down_proj. model.layers.*.self_attn.kv_a_proj_with_mqa.
decoder.layers.*.self_attention.linear_kv_up_proj.  model.layers.*.self_attn.kv_b_proj.
decoder.layers.*.self_attention.q_layernorm.        model.layers.*.self_attn.q_norm.
decoder.layers.*.self_attention.k_layernorm.        model.layers.*.self_attn.k_norm.
decoder.layers.*.self_attention.kv_layernorm.       model.layers.*.self_attn.kv_a_layernorm.
decoder.layers.*.mlp.gating.                        model.layers.*.mlp.gate_proj.
decoder.layers.*.mlp.hidden.                        model.layers.*.mlp.up_proj.
decoder.layers.*.mlp.linear_fc2.                    model.layers.*.mlp.down_proj.
decoder.layers.*.mlp.shared_experts.gating.         model.layers.*.mlp.shared_experts.gate_proj.
decoder.layers.*.mlp.shared_experts.hidden.         model.layers.*.mlp.shared_experts.up_proj.
decoder.layers.*.mlp.shared_experts.linear_fc2.     model.layers.*.mlp.shared_experts.down_proj.
decoder.layers.*.mlp.experts.*.gating.              model.layers.*.mlp.experts.*.gate_proj.
decoder.layers.*.mlp.experts.*.hidden.              model.layers.*.mlp.experts.*.up_proj.
decoder.layers.*.mlp.experts.*.linear_fc2.          model.layers.*.mlp.experts.*.down_proj.
decoder.layers.*.mlp.router.weight                  model.layers.*.mlp.gate.weight
decoder.layers.*.mlp.router.expert_bias             model.layers.*.mlp.gate.e_score_correction_bias
decoder.layers.*.input_layernorm.                   model.layers.*.input_layernorm.
decoder.layers.*.pre_mlp_layernorm.                 model.layers.*.post_attention_layernorm.
decoder.final_layernorm.                            model.norm.
output_layer.                                       lm_head.
"""
# MindFormers 1.x: GLM-2 to GLM-4 with the names of ChatGLM's own files
_GLM = """
transformer.embedding.embedding_weight      transformer.embedding.word_embeddings.weight
transformer.encoder.                        transformer.encoder.
transformer.output_layer.                   transformer.output_layer.
"""
# MindFormers 1.x: GPT-2; the attention's three matrices are one on the other side, turned
_GPT2 = """
backbone.embedding.word_embedding.embedding_table      wte.weight
backbone.embedding.position_embedding.embedding_table  wpe.weight
backbone.blocks.*.layernorm1.gamma          h.*.ln_1.weight
backbone.blocks.*.layernorm1.beta           h.*.ln_1.bias
backbone.blocks.*.layernorm2.gamma          h.*.ln_2.weight
backbone.blocks.*.layernorm2.beta           h.*.ln_2.bias
backbone.blocks.*.attention.projection.     h.*.attn.c_proj.
backbone.blocks.*.output.mapping.           h.*.mlp.c_fc.
backbone.blocks.*.output.projection.        h.*.mlp.c_proj.
backbone.layernorm.gamma                    ln_f.weight
backbone.layernorm.beta                     ln_f.bias
"""


class Family(NamedTuple):
    """One library's names beside Hugging Face's, and by which name of its own a file is known."""

    title: str
    known_by: str
    there: str
    table: str
    # (MindSpore's names, Hugging Face's name, steps before they are joined)
    joined: tuple = ()


_ATTENTION = tuple(f"backbone.blocks.*.attention.dense{i}." for i in (1, 2, 3))
FAMILIES = {
    "mindformers": Family(
        "MindFormers (Llama)",
        r"(^|\.)tok_embeddings\.embedding_weight$|\.feed_forward\.w1\.",
        r"(^|\.)embed_tokens\.weight$",
        _LLAMA,
    ),
    "mcore": Family(
        "MindFormers (mcore)",
        r"^decoder\.layers\.\d+\.self_attention\.linear_",
        r"(^|\.)embed_tokens\.weight$",
        _MCORE,
    ),
    "glm": Family(
        "MindFormers (GLM)",
        r"^transformer\.embedding\.embedding_weight$",
        r"^transformer\.embedding\.word_embeddings\.weight$",
        _GLM,
    ),
    "gpt2": Family(
        "MindFormers (GPT-2)",
        r"^backbone\.blocks\.\d+\.attention\.dense1\.",
        r"(^|\.)h\.\d+\.attn\.c_attn\.",
        _GPT2,
        (
            (tuple(f"{n}weight" for n in _ATTENTION), "h.*.attn.c_attn.weight", ("t",), 1),
            (tuple(f"{n}bias" for n in _ATTENTION), "h.*.attn.c_attn.bias", (), 0),
        ),
    ),
}


def family_of(names: Iterable[str]) -> str | None:
    """The family of a MindSpore file, by its names."""
    names = list(names)
    for key, family in FAMILIES.items():
        if any(re.search(family.known_by, name) for name in names):
            return key
    return None


def name_patterns(family: Family, to_torch: bool) -> list[tuple[re.Pattern, str]]:
    """(pattern, replacement) in the wanted direction; a row whose end is a dot stands for all below."""
    found = []
    for line in family.table.split("\n"):
        if line.strip():
            ours, theirs = line.split()
            found.append(_pattern(*((ours, theirs) if to_torch else (theirs, ours))))
    return found


def _pattern(left: str, right: str) -> tuple[re.Pattern, str]:
    text = re.escape(left).replace(r"\*", r"([^.]+)")
    numbers = iter(range(1, 9))
    replacement = re.sub(r"\*", lambda _: rf"\g<{next(numbers)}>", right)
    return re.compile("^" + text + ("" if left.endswith(".") else "$")), replacement


def renamed(name: str, table: list[tuple[re.Pattern, str]]) -> str | None:
    """The name on the other side; None where no row has it."""
    for pattern, replacement in table:
        if pattern.match(name):
            return pattern.sub(replacement, name)
    return None


def joined_tensors(family: Family, entries, to_torch: bool) -> list[Make]:
    """The tensors that are several on one side and one on the other."""
    found = []
    for ours, theirs, steps, axis in family.joined:
        for name in entries:
            pattern, _ = _pattern(ours[0] if to_torch else theirs, "")
            match = pattern.match(name)
            if not match:
                continue
            here = [_filled(n, match) for n in ours]
            there = _filled(theirs, match)
            if to_torch and all(n in entries for n in here):
                found.append(Make(there, tuple(here), (*steps, f"join {axis}"), "joined"))
            elif not to_torch and entries[name].shape[axis] % len(ours) == 0:
                length = entries[name].shape[axis] // len(ours)
                found += [
                    Make(n, (there,), (f"part {axis} {i * length} {(i + 1) * length}", *steps), "parted")
                    for i, n in enumerate(here)
                ]
    return found


def _filled(name: str, match: re.Match) -> str:
    parts = iter(match.groups())
    return re.sub(r"\*", lambda _: next(parts), name)
