"""Tiny models of a library against what Hugging Face's give on PyTorch (`judge`).

    python -m ms2torch scripts/third_party/building.py LIBRARY JUDGED OUT [NAME ...]

For each model that JUDGED has and the library too, OUT gets a line: the name and, for each step, ``ok`` or
what went wrong. Steps: ``load`` (the checkpoint that Hugging Face wrote), ``forward``, ``gradient``, ``step``
(SGD), ``generate`` (greedy, with the key-value cache: the same tokens), ``back`` (saved by the library, read
by Hugging Face's class). Numbers may differ by 1e-4 of the largest. Models that OUT names are left out.
"""

from __future__ import annotations

import faulthandler
import importlib.util
import os
import sys
import tempfile
import traceback
import warnings
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parent))
import formers
import judge

STEPS = ("load", "forward", "gradient", "step", "generate", "back")
TOLERANCE = 1e-4


# Names in MindSpore's layers and in torch's; where a library saves the former, Hugging Face needs the latter.
NAMES = {
    "embedding_table": "weight",
    "gamma": "weight",
    "beta": "bias",
    "moving_mean": "running_mean",
    "moving_variance": "running_var",
}


def _named(item):
    path, _, leaf = item[0].rpartition(".")
    return f"{path}.{NAMES[leaf]}" if leaf in NAMES else item[0], item[1]


class MindONE:
    """mindone.transformers and mindone.diffusers: Cells with Hugging Face's checkpoints."""

    def __init__(self) -> None:
        import mindspore

        self.ms = mindspore
        mindspore.set_context(mode=mindspore.PYNATIVE_MODE)

    def find(self, row):
        import importlib

        part = "diffusers" if row["kind"] == "diffusers" else "transformers"
        return getattr(importlib.import_module(f"mindone.{part}"), row["name"], None)

    def load(self, cls, folder):
        return cls.from_pretrained(str(folder)).set_train(False)

    def tensor(self, value):
        return value.item() if value.ndim == 0 else self.ms.Tensor(value)

    def call(self, given):
        return {key: self.tensor(value) for key, value in given.items()}

    def norms(self, norms):
        return norms

    def tolerance(self):
        return TOLERANCE

    def weights(self, model):
        return model.trainable_params()

    def value_and_grad(self, loss, weights):
        return self.ms.value_and_grad(loss, None, weights)()

    def step(self, weights, grads):
        self.ms.nn.SGD(weights, judge.RATE)(tuple(grads))

    def tokens(self, model, given):
        return model.generate(given, max_new_tokens=6, do_sample=False)

    def back(self, model, row, folder, call):
        """What Hugging Face's class makes of what the library saved, in several files with an index."""
        import torch
        from safetensors.torch import load_file

        model.save_pretrained(folder, max_shard_size="200KB")
        saved = {k: v for file in Path(folder).glob("*.safetensors") for k, v in load_file(file).items()}
        theirs = judge.made(row)
        shapes = {key: value.shape for key, value in theirs.state_dict().items()}
        saved = {key: value for key, value in map(_named, saved.items()) if "inv_freq" not in key}
        saved = {key: value.reshape(shapes.get(key, value.shape)) for key, value in saved.items()}
        if row["kind"] == "diffusers":
            theirs.load_state_dict(saved)
        else:
            theirs = type(theirs).from_pretrained(None, config=theirs.config, state_dict=saved).eval()
        with torch.no_grad():
            return judge.first(theirs(**judge.tensors(call))).numpy()


class MindNLP(MindONE):
    """mindnlp.transformers of 0.4.1: its own modules over MindSpore's operators."""

    def find(self, row):
        import mindnlp.transformers

        return None if row["kind"] == "diffusers" else getattr(mindnlp.transformers, row["name"], None)

    def load(self, cls, folder):
        return cls.from_pretrained(str(folder), attn_implementation="eager").eval()

    def weights(self, model):
        return [w for w in model.parameters() if w.requires_grad]

    def value_and_grad(self, loss, weights):
        from mindnlp.core.autograd import value_and_grad

        return value_and_grad(loss, weights, attach_grads=False)()

    def step(self, weights, grads):
        for weight, grad in zip(weights, grads, strict=True):
            weight.assign_value(weight - judge.RATE * grad)

    back = None


class MindTorch(MindNLP):
    """MindNLP 0.5.1: Hugging Face's transformers themselves, over mindtorch in torch's place."""

    def __init__(self) -> None:
        super().__init__()
        import mindnlp  # noqa: F401
        import mindtorch

        self.torch = mindtorch

    def find(self, row):
        import importlib

        part = "diffusers" if row["kind"] == "diffusers" else "transformers"
        return getattr(importlib.import_module(part), row["name"], None)

    def load(self, cls, folder):
        if cls.__module__.startswith("diffusers"):  # (else Tensors take Parameters' places)
            return cls.from_pretrained(str(folder), low_cpu_mem_usage=False).eval()
        return super().load(cls, folder)

    def tensor(self, value):
        return value.item() if value.ndim == 0 else self.torch.tensor(value)

    def value_and_grad(self, loss, weights):
        from mindtorch.autograd import value_and_grad

        return value_and_grad(loss, weights)(), [weight.grad for weight in weights]


class MindFormers(MindONE):
    """mindformers to 1.6: classes of its own, filled by `formers`; their gradients are judged by one norm."""

    back = None

    def __init__(self) -> None:
        super().__init__()
        self.ms.set_context(device_target="Ascend")     # where alone MindSpore's BatchMatMul broadcasts

    def find(self, row):
        family = formers.FAMILIES.get(row["name"])
        here = family and importlib.util.find_spec(f"{formers.MODELS}.{family.module}")
        return row["name"] if here else None

    def load(self, name, folder):
        self.name, self.arrays = name, formers.weights(name, folder)
        return self._made(10)

    def _made(self, length, **more):
        model = formers.made(self.name, length, **more)
        formers.fill(model, self.arrays)
        return model.set_train(False)

    def call(self, given):
        return formers.call(self.name, given)

    def norms(self, norms):
        return np.sqrt((norms**2).sum(keepdims=True))

    def tolerance(self):
        return formers.FAMILIES[self.name].tolerance

    def tokens(self, model, given):
        """By a model of its own: with the cache where it consists of pages, else without."""
        llama = formers.FAMILIES[self.name].module == "llama"
        given = given.asnumpy()
        model = self._made(given.shape[1] + 6, use_past=llama, batch_size=len(given))
        found = model.generate(given, max_length=given.shape[1] + 6, do_sample=False, use_past=llama)
        return self.ms.Tensor(np.array(found, np.int64))


class MindFormersCore(MindFormers):
    """mindformers of 1.7 and later: models on its parallel core, with Hugging Face's weights by the library's
    own conversion. Its attention casts to Float16. It generates by classes of its own, which are not
    tried here."""

    tokens = None
    # By a model's name: its package, and what its configuration is given or not.
    _OWN = {"Qwen3ForCausalLM": ("qwen3", {}),
            "Qwen3MoeForCausalLM": ("qwen3_moe", {"moe_grouped_gemm": True, "routed_scaling_factor": 1.0})}
    _UNKNOWN = ("architectures", "dtype", "transformers_version", "use_cache", "model_type", "layer_types",
                "sliding_window", "use_sliding_window", "max_window_layers", "bos_token_id",
                "num_local_experts", "shared_expert_intermediate_size")

    def __init__(self) -> None:
        from mindformers import build_context

        build_context({"use_parallel": False, "use_legacy": False, "parallel": {},
                       "context": {"mode": "GRAPH_MODE", "device_target": "Ascend"}})
        super().__init__()

    def find(self, row):
        package = self._OWN.get(row["name"], ("",))[0]
        home = f"mindformers.models.{package}.modeling_{package}_train"
        return (row["name"], package) if package and importlib.util.find_spec(home) else None

    def load(self, found, folder):
        import importlib
        import json
        import threading

        from safetensors.numpy import load_file

        name, package = found
        home = f"mindformers.models.{package}"
        config = json.loads((folder / "config.json").read_text())
        config = {key: value for key, value in config.items() if key not in self._UNKNOWN}
        for kind in ("compute", "params", "layernorm_compute", "softmax_compute", "rotary"):
            config[f"{kind}_dtype"] = "float32"
        config.update(self._OWN[name][1], seq_length=np.load(f"{folder}.npz")["in.input_ids"].shape[1],
                      untie_embeddings_and_output_weights=not config["tie_word_embeddings"])
        configured, modelled = (importlib.import_module(f"{home}.{part}") for part in (
            f"configuration_{package}", f"modeling_{package}_train"))
        config = getattr(configured, name.replace("ForCausalLM", "Config"))(**config)
        model = getattr(modelled, f"Training{name}")(config)
        weights = {k: v for file in folder.glob("*.safetensors") for k, v in load_file(file).items()}
        weights = model.convert_weight_dict(weights, condition=threading.Condition(), qkv_dict={})
        parameters = {p.name: p for p in model.get_parameters()}
        for key, value in weights.items():
            parameters[key].set_data(self.ms.Tensor(value))
        return model.set_train(False)

    def call(self, given):
        tokens = self.ms.Tensor(given["input_ids"].astype(np.int32))
        return {"input_ids": tokens, "labels": tokens, "loss_mask": self.ms.ops.ones(tokens.shape)}

    def tolerance(self):
        return 2e-3         # (three products of 11 bits in each layer)


LIBRARIES = {**dict.fromkeys(("mindformers-1.7", "mindformers-1.8", "mindformers-1.9", "mindformers-2."),
                             MindFormersCore),
             "mindone": MindONE, "mindnlp-0.4.1": MindNLP, "mindnlp-0.5.1": MindTorch,
             **dict.fromkeys(("mindformers-1.3.2", "mindformers-1.6"), MindFormers)}


def array(tensor) -> np.ndarray:
    if hasattr(tensor, "detach"):
        tensor = tensor.detach()
    return tensor.asnumpy() if hasattr(tensor, "asnumpy") else tensor.numpy()


def differs(ours: np.ndarray, theirs: np.ndarray, tolerance: float = TOLERANCE) -> str:
    """``ok``, or by how much of the largest number the two differ."""
    ours = ours.reshape(theirs.shape) if ours.size == theirs.size else ours
    if ours.shape != theirs.shape:
        return f"shape {ours.shape} for {theirs.shape}"
    far = float(np.abs(ours - theirs).max() / (np.abs(theirs).max() + 1e-30)) if ours.size else 0.0
    return "ok" if far <= tolerance else f"differs by {far:.1e}"


def tried(library, row: dict, judged: Path) -> dict[str, str]:
    """What each step came to, as far as the steps before it let it."""
    known = np.load(judged / f"{row['name']}.npz")
    found = {} if "tokens" in known.files else {"generate": "-"}
    if library.tokens is None:
        found["generate"] = "-"
    if library.back is None:
        found["back"] = "-"
    given = {key[3:]: known[key] for key in known.files if key.startswith("in.")}
    state: dict = {}

    def load():
        state["model"] = library.load(library.find(row), judged / row["name"])
        state["call"] = library.call(given)
        return "ok"

    def run():
        return judge.first(state["model"](**state["call"]))

    def forward():
        return differs(array(run()), known["output"], library.tolerance())

    def gradient():
        weights = state["weights"] = library.weights(state["model"])
        _, state["grads"] = library.value_and_grad(lambda: (run() ** 2).mean(), weights)
        norms = np.sort([np.linalg.norm(array(g)) for g in state["grads"]])[::-1]
        norms = library.norms(norms[norms > 0])
        theirs = library.norms(known["gradients"])
        if len(norms) != len(theirs) and abs(len(norms) - len(theirs)) <= 0.5 * len(theirs):
            # Rounding leaves a weight that the output does not depend on with zero, or with almost zero.
            norms, theirs = (np.pad(n, (0, max(len(norms), len(theirs)) - len(n))) for n in (norms, theirs))
        return differs(norms, theirs, library.tolerance())

    def step():
        library.step(state["weights"], state["grads"])
        return differs(array(run()), known["after"], library.tolerance())

    def generate():
        tokens = array(library.tokens(state["model"], state["call"][state["model"].main_input_name]))
        theirs = known["tokens"]
        same = any(np.array_equal(tokens, t) for t in (theirs, theirs[:, -tokens.shape[1] :]))
        return "ok" if same else f"tokens {tokens.tolist()} for {theirs.tolist()}"

    def back():
        with tempfile.TemporaryDirectory() as folder:
            return differs(library.back(state["model"], row, folder, given), known["after"])

    for name, do in (
        ("load", load),
        ("forward", forward),
        ("generate", generate),
        ("gradient", gradient),
        ("step", step),
        ("back", back),
    ):
        if name in found:
            continue
        try:
            found[name] = do()
        except Exception as error:
            if os.environ.get("TRACE"):
                traceback.print_exc()
            found[name] = f"{type(error).__name__}: {str(error)[:160]}".replace("\n", " ").replace("\t", " ")
            if name == "load":
                break
    return found


def main(name: str, judged: Path, out: Path, wanted: list[str]) -> None:
    warnings.simplefilter("ignore")
    faulthandler.enable()
    done = {line.partition("\t")[0] for line in out.read_text().splitlines()} if out.exists() else set()
    library = LIBRARIES[name]()
    with out.open("a", buffering=1) as log:
        for row in judge.rows(*wanted):
            if row["name"] in done or not (judged / f"{row['name']}.npz").exists() or not library.find(row):
                continue
            place = log.tell()
            log.write("\t".join((row["name"], "ended the process")) + "\n")
            found = tried(library, row, judged)
            log.seek(place)
            log.truncate()
            log.write("\t".join((row["name"], *(found.get(step, "") for step in STEPS))) + "\n")


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3]), sys.argv[4:])
    sys.stdout.flush()
    os._exit(0)
