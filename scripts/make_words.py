"""The words that arguments take (``pad_mode="same"``), as MindSpore lists them: ms2torch/scan/data/words.tsv.

    python scripts/make_words.py REFERENCE_PYTHON

Each public name that has an example on the site is called with a word that nothing takes, an argument at a
time, on the real MindSpore. A row is kept if the error lists what is taken.
"""

from __future__ import annotations

import ast
import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))
TABLE = ROOT / "ms2torch" / "scan" / "data" / "words.tsv"
WRONG = "no such word"
# What MindSpore's error lists of these is not all that it takes.
INCOMPLETE = {
    ("mindspore.common.initializer.HeNormal", "nonlinearity"),
    ("mindspore.common.initializer.HeUniform", "nonlinearity"),
}
_LISTED = re.compile(
    r"(?:in|of|support|be|either)\s*:?\s*'?[\[({]?\s*((?:'[\w-]*'(?:[\],)}]|\s|or|and)*){2,})"
)
# Words whose default is none, or of what has no example of its own.
FURTHER = {
    ("mindspore.nn.Dense", "activation"): "nn.Dense(3, 2, activation=WRONG)",
    ("mindspore.nn.get_activation", "name"): "nn.get_activation(WRONG)",
    ("mindspore.nn.RNN", "nonlinearity"): "nn.RNN(3, 2, nonlinearity=WRONG)",
    ("mindspore.nn.RNNCell", "nonlinearity"): "nn.RNNCell(3, 2, nonlinearity=WRONG)",
    ("mindspore.nn.Conv1d", "pad_mode"): "nn.Conv1d(3, 2, 3, pad_mode=WRONG)",
    ("mindspore.nn.Conv1dTranspose", "pad_mode"): "nn.Conv1dTranspose(3, 2, 3, pad_mode=WRONG)",
    ("mindspore.nn.Pad", "mode"): "nn.Pad(((1, 1), (1, 1)), mode=WRONG)",
    ("mindspore.nn.NLLLoss", "reduction"): "nn.NLLLoss(reduction=WRONG)",
    ("mindspore.nn.BCEWithLogitsLoss", "reduction"): "nn.BCEWithLogitsLoss(reduction=WRONG)(p, p)",
    ("mindspore.ops.gelu", "approximate"): "ops.gelu(x, approximate=WRONG)",
    ("mindspore.ops.mse_loss", "reduction"): "ops.mse_loss(x, y, reduction=WRONG)",
    ("mindspore.ops.nll_loss", "reduction"): "ops.nll_loss(x, labels, reduction=WRONG)",
    ("mindspore.ops.binary_cross_entropy", "reduction"): "ops.binary_cross_entropy(p, p, reduction=WRONG)",
    ("mindspore.Model", "amp_level"): "ms.Model("
    "net, nn.MSELoss(), nn.SGD(net.trainable_params()), amp_level=WRONG)",
    ("mindspore.amp.build_train_network", "level"): "ms.amp.build_train_network("
    "net, nn.SGD(net.trainable_params()), nn.MSELoss(), level=WRONG)",
    ("mindspore.set_context", "device_target"): "ms.set_context(device_target=WRONG)",
    ("mindspore.set_device", "device_target"): "ms.set_device(WRONG)",
    ("mindspore.set_auto_parallel_context", "parallel_mode"): "ms.set_auto_parallel_context("
    "parallel_mode=WRONG)",
    ("mindspore.EarlyStopping", "mode"): "ms.train.EarlyStopping(mode=WRONG)",
    ("mindspore.ReduceLROnPlateau", "mode"): "ms.train.ReduceLROnPlateau(mode=WRONG)",
    ("mindspore.save_checkpoint", "format"): "ms.save_checkpoint(net, 'a', format=WRONG)",
    ("mindspore.export", "file_format"): "ms.export(net, x, file_name='a', file_format=WRONG)",
    ("mindspore.Accuracy", "eval_type"): "ms.train.Accuracy(WRONG)",
    ("mindspore.Tensor.astype", "dtype"): "x.astype(WRONG)",
    ("mindspore.jit", "capture_mode"): "ms.jit(lambda a: a, capture_mode=WRONG)",
}
# Arguments of datasets that say which part is read, and what they need beside.
PARTS = ("usage", "task", "name", "image_set", "release")
NEEDED = {"dataset_dir": ".", "dataset_file": __file__, "dataset_files": __file__,
          "annotation_file": __file__, "name": "byclass", "release": "release1"}


def worker() -> None:
    """Answer jobs of standard input with what an error says, in whichever MindSpore this Python has."""
    from scripts.pages import calls

    out = os.dup(1)
    os.dup2(2, 1)
    names: dict = {}
    exec(calls.HEADER, names)
    with os.fdopen(out, "w") as answers:
        for line in sys.stdin:
            name, word, call = json.loads(line)
            here = dict(names)
            above, last = calls.parted(call)
            try:
                exec("\n".join([*calls.modules(call), *calls.source(call), above]), here)
                eval(last, here)
                said = None
            except Exception as error:
                said = f"{type(error).__name__}: {error}"
            print(json.dumps([name, word, said]), file=answers, flush=True)


def jobs():
    """(name, argument, call) for each argument whose default is a word."""
    from scripts.pages import examples
    from tests.signatures import theirs

    for name, example in examples.table().items():
        signature = theirs().get(name, "").partition(" call")[0]
        for word in re.findall(r"(\w+)='[^']*'", signature):
            call = asked(example.call, name.rpartition(".")[2], word)
            if call is not None and (name, word) not in INCOMPLETE:
                yield name, word, call
    for (name, word), call in FURTHER.items():
        yield name, word, call.replace("WRONG", repr(WRONG))
    for name, signature in theirs().items():
        if re.fullmatch(r"mindspore\.dataset\.\w+Dataset", name):
            for word in PARTS:
                if re.search(rf"\b{word}\b", signature):
                    needed = {w: v for w, v in NEEDED.items() if re.search(rf"[(, ]{w}[,)]", signature)}
                    given = ", ".join(f"{w}={v!r}" for w, v in {**needed, word: WRONG}.items())
                    yield name, word, f"ms.dataset.{name.rpartition('.')[2]}({given})"


def asked(call: str, leaf: str, word: str) -> str | None:
    """The call with the argument's wrong word; None where the name is not called in it."""
    tree = ast.parse(call)
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and getattr(node.func, "attr", getattr(node.func, "id", "")) == leaf:
            node.keywords = [k for k in node.keywords if k.arg != word]
            node.keywords.append(ast.keyword(word, ast.Constant(WRONG)))
            return ast.unparse(tree)
    return None


def listed(said: str | None) -> list[str]:
    """The words that an error lists."""
    found = _LISTED.search(" ".join((said or "").split()))
    return re.findall(r"'([\w-]*)'", found.group(1)) if found else []


def main(python: str) -> None:
    """Write the table."""
    from tests.signatures import theirs

    environment = {**os.environ, "GLOG_v": "4", "PYTHONPATH": ""}
    asks = "".join(json.dumps(job) + "\n" for job in jobs())
    with tempfile.TemporaryDirectory() as folder:  # where what the calls write goes
        ran = subprocess.run([python, __file__, "worker"], input=asks, stdout=subprocess.PIPE, cwd=folder,
                             stderr=subprocess.DEVNULL, text=True, env=environment)
    rows = []
    for line in ran.stdout.splitlines():
        name, word, said = json.loads(line)
        words, default = listed(said), re.search(rf"\b{word}='([^']*)'", theirs().get(name, ""))
        if words and (default is None or default.group(1).lower() in map(str.lower, words)):
            rows.append("\t".join([name, word, " ".join(words)]))
    TABLE.write_text("\n".join(sorted(set(rows))) + "\n", encoding="utf-8")
    print(f"{len(rows)} arguments")


if __name__ == "__main__":
    worker() if sys.argv[1:] == ["worker"] else main(*sys.argv[1:])
