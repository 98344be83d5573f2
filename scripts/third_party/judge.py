"""What Hugging Face's models give on PyTorch: the judge of the tiny models.

    python scripts/third_party/judge.py FOLDER [NAME ...]

For every row of ``models.tsv``, FOLDER/NAME/ is a checkpoint by Hugging Face (safetensors in several
files with an index), FOLDER/NAME.npz what the model was given and what came out: the output, the norm of each
weight's gradient, the output after one step of SGD, the tokens of greedy generation. No ms2torch here.
"""

from __future__ import annotations

import json
import sys
import zlib
from pathlib import Path

import numpy as np

RATE = 0.01
TABLE = Path(__file__).with_name("models.tsv")


def rows(*wanted: str) -> list[dict]:
    """The models: name, package, class, inputs, whether it generates, what its configuration differs in."""
    found = []
    for line in TABLE.read_text().splitlines():
        if line.startswith("#"):
            continue
        cls, kind, config = line.split("\t")
        found.append({"name": cls, "kind": kind, **_read(kind, json.loads(config))})
    return [row for row in found if not wanted or row["name"] in wanted]


TEXT = {
    "vocab_size": 99,
    "hidden_size": 32,
    "intermediate_size": 64,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "head_dim": 8,
    "max_position_embeddings": 64,
    "pad_token_id": 0,
    "bos_token_id": 1,
    "eos_token_id": 98,
}
IMAGE = {
    "hidden_size": 32,
    "intermediate_size": 64,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "image_size": 32,
    "patch_size": 8,
    "num_channels": 3,
}
SEQ2SEQ = {
    "vocab_size": 99,
    "d_model": 32,
    "encoder_layers": 2,
    "decoder_layers": 2,
    "encoder_attention_heads": 4,
    "decoder_attention_heads": 4,
    "encoder_ffn_dim": 64,
    "decoder_ffn_dim": 64,
    "max_position_embeddings": 64,
    "pad_token_id": 0,
    "bos_token_id": 1,
    "eos_token_id": 98,
    "decoder_start_token_id": 2,
    "forced_eos_token_id": None,
}
SPEECH = {
    "hidden_size": 32,
    "intermediate_size": 64,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "conv_dim": [16, 16],
    "conv_kernel": [8, 4],
    "conv_stride": [4, 2],
    "num_conv_pos_embeddings": 16,
    "num_conv_pos_embedding_groups": 2,
    "mask_time_prob": 0.0,
    "mask_feature_prob": 0.0,
    "vocab_size": 32,
}
# Tokens, time steps, classes and positions, masks, nothing but fours.
RANGES = {"i": (3, 98), "t": (1, 100), "c": (0, 8), "one": (1, 2), "four": (4, 5)}
BASE = {"causal": TEXT, "text": TEXT, "seq2seq": SEQ2SEQ, "image": IMAGE, "speech": SPEECH, "diffusers": {}}
INPUTS = {
    "causal": {"input_ids": ["i", 2, 10]},
    "text": {"input_ids": ["i", 2, 10]},
    "seq2seq": {"input_ids": ["i", 2, 10], "decoder_input_ids": ["i", 2, 7]},
    "image": {"pixel_values": ["f", 2, 3, 32, 32]},
    "speech": {"input_values": ["f", 2, 400]},
    "diffusers": {},
}


def _read(kind: str, config: dict) -> dict:
    inputs = {**INPUTS[kind], **config.pop("inputs", {})}
    inputs = {key: value for key, value in inputs.items() if value != "drop"}
    config = {key: value for key, value in {**BASE[kind], **config}.items() if value != "leave"}
    return {"inputs": inputs, "config": config}


def given(row: dict) -> dict[str, np.ndarray]:
    """The inputs of a row: integers in a range, or normal numbers; a plain number is a value."""
    noise = np.random.RandomState(zlib.crc32(row["name"].encode()))
    made = {}
    for name, spec in row["inputs"].items():
        if not isinstance(spec, list):
            made[name] = np.array(spec)
        elif spec[0] == "bool":
            made[name] = np.ones(spec[1:], bool)
        elif spec[0] in RANGES:
            made[name] = noise.randint(*RANGES[spec[0]], spec[1:])
        else:
            made[name] = noise.randn(*spec[1:]).astype(np.float32)
    return made


def with_weights(model):
    """The model with numbers that make every layer matter: scaled to the fan, where training starts small."""
    import torch

    torch.manual_seed(1)
    for weight in model.parameters():
        if weight.is_floating_point():
            noise = torch.randn(weight.shape)
            with torch.no_grad():
                if weight.ndim > 1:
                    weight.copy_(noise / max(1, weight[0].numel()) ** 0.5)
                else:
                    weight.add_(0.1 * noise)
    return model.eval()


def made(row: dict):
    """The model of a row, in Hugging Face's library."""
    import diffusers
    import transformers

    if row["kind"] == "diffusers":
        return with_weights(getattr(diffusers, row["name"])(**row["config"]))
    cls = getattr(transformers, row["name"])
    config = cls.config_class(**row["config"])
    config._attn_implementation = "eager"
    return with_weights(cls(config))


def loaded(model, folder: Path):
    """The model again, from its checkpoint: a class may make anew what it does not save, or tie weights."""
    kind = {} if type(model).__module__.startswith("diffusers") else {"attn_implementation": "eager"}
    return type(model).from_pretrained(folder, **kind).eval()


def first(output):
    """The main output: the logits, the last hidden states or the sample."""
    return output[0] if not hasattr(output, "ndim") else output


def tensors(arrays: dict) -> dict:
    import torch

    return {k: v.item() if v.ndim == 0 else torch.tensor(v) for k, v in arrays.items()}


def facts(row: dict, folder: Path) -> dict[str, np.ndarray]:
    """What the npz of a row holds; writes the checkpoint."""
    import torch

    arrays = given(row)
    call = tensors(arrays)
    model = made(row)
    model.save_pretrained(folder, max_shard_size="200KB", safe_serialization=True)
    model = loaded(model, folder)
    output = first(model(**call))
    weights = [w for w in model.parameters() if w.requires_grad]
    # From the graph's leaves: what the output does not depend on has no gradient.
    grads = torch.autograd.grad((output.float() ** 2).mean(), weights, allow_unused=True)
    found = {f"in.{k}": v for k, v in arrays.items()}
    found["output"] = output.detach().numpy()
    found["gradients"] = np.sort([g.norm().item() for g in grads if g is not None and g.any()])[::-1]
    if row["kind"] in ("causal", "seq2seq"):
        with torch.no_grad():
            tokens = model.generate(call[model.main_input_name], max_new_tokens=6, do_sample=False)
        found["tokens"] = tokens.numpy()
    with torch.no_grad():
        for weight, g in zip(weights, grads, strict=True):
            if g is not None:
                weight -= RATE * g
        found["after"] = first(model(**call)).numpy()
    return found


def main(folder: Path, wanted: list[str]) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for row in rows(*wanted):
        out = folder / f"{row['name']}.npz"
        if out.exists() and not wanted:
            continue
        try:
            np.savez(out, **facts(row, folder / row["name"]))
            print(row["name"], "ok", flush=True)
        except Exception as error:
            print(row["name"], type(error).__name__, str(error)[:300].replace("\n", " "), flush=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2:])
