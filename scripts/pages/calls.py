"""Runs short calls of MindSpore's names and says what they print: in whichever MindSpore this Python has.

    python calls.py < jobs > answers

A job is a line of JSON, ``[name, call]``; an answer ``[name, call, text, shapes]``, where text is what the
call's value prints. A call may have statements above it, each on lines of its own. One that raises has no
answer, and a name has two at most. Calls take their operands from ``OPERANDS``, whose text the pages show.
Needs nothing but numpy and ``mindspore``.
"""

from __future__ import annotations

import ast
import itertools
import json
import os
import resource
import sys
import tempfile
from functools import cache

HEADER = """\
import numpy as np
import mindspore as ms
import mindspore.numpy as mnp
from mindspore import Tensor, mint, nn, ops"""
# What else a call may name, with the line that imports it.
MODULES = {
    **{
        name: f"from mindspore.dataset import {name}" for name in ("audio", "text", "transforms", "vision")
    },
    "ds": "import mindspore.dataset as ds",
    "train": "from mindspore import train",
    "initializer": "from mindspore.common.initializer import initializer",
    "msp": "import mindspore.scipy as msp",
    "optim": "from mindspore.experimental import optim",
    "bijector": "import mindspore.nn.probability.bijector as bijector",
    "distribution": "import mindspore.nn.probability.distribution as distribution",
    "rewrite": "from mindspore import rewrite",
}
OPERANDS = {
    "x": "Tensor([[0.5, -1.0, 2.0], [1.5, 0.25, -0.5]])",
    "y": "Tensor([[2.0, 1.0, 0.5], [1.0, 3.0, 2.0]])",
    "p": "Tensor([[0.5, 0.25, 0.75], [0.9, 0.1, 0.3]])",
    "v": "Tensor([3.0, 1.0, 2.0])",
    "m": "Tensor([[2.0, 1.0], [1.0, 3.0]])",
    "i": "Tensor([2, 0, 1])",
    "j": "Tensor([[1, 0, 1], [0, 2, 2]])",
    "b": "Tensor([[True, False, True], [False, False, True]])",
    "c": "Tensor(np.array([1 + 2j, 0.5 - 1j]), ms.complex64)",
    "t": "Tensor(np.arange(12, dtype=np.float32).reshape(2, 2, 3))",
    "image": "Tensor(np.arange(32, dtype=np.float32).reshape(1, 2, 4, 4))",
    "volume": "Tensor(np.arange(64, dtype=np.float32).reshape(1, 1, 4, 4, 4))",
    "labels": "Tensor([2, 0])",
    "kernel": "Tensor(np.linspace(-1, 1, 16, dtype=np.float32).reshape(2, 2, 2, 2))",
    "boxes": "Tensor([[0.0, 0.0, 2.0, 2.0], [1.0, 1.0, 3.0, 3.0]])",
    "w": "ms.Parameter(Tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]), name='w')",
    "coo": "ms.COOTensor(Tensor([[0, 1], [1, 2]]), Tensor([0.5, 2.0]), (2, 3))",
    "csr": "ms.CSRTensor(Tensor([0, 1, 2], ms.int32), Tensor([1, 2], ms.int32), Tensor([0.5, 2.0]), (2, 3))",
    "net": "nn.Dense(3, 2, weight_init='ones')",
    "picture": "np.arange(0, 240, 5, dtype=np.uint8).reshape(4, 4, 3)",
    "small": "np.arange(12, dtype=np.uint8).reshape(2, 2, 3)",
    "frame": "np.linspace(0, 1, 12, dtype=np.float32).reshape(2, 2, 3)",
    "planes": "np.linspace(0, 1, 12, dtype=np.float32).reshape(3, 2, 2)",
    "batch": "np.arange(24, dtype=np.uint8).reshape(2, 2, 2, 3)",
    "wave": "np.sin(np.arange(6, dtype=np.float32))",
    "waves": "np.sin(np.arange(64, dtype=np.float32)).reshape(2, 32)",
    "spectrum": "np.linspace(0.1, 1, 12, dtype=np.float32).reshape(1, 3, 4)",
    "complexes": "np.linspace(0.1, 1, 24, dtype=np.float32).reshape(1, 3, 4, 2)",
    "level": "np.array([3, 128, 250], np.int32)",
}
SHAPES = {
    "x": "(2, 3)",
    "y": "(2, 3)",
    "p": "(2, 3)",
    "v": "(3,)",
    "m": "(2, 2)",
    "i": "(3,)",
    "j": "(2, 3)",
    "b": "(2, 3)",
    "c": "(2,)",
    "t": "(2, 2, 3)",
    "image": "(1, 2, 4, 4)",
    "volume": "(1, 1, 4, 4, 4)",
    "labels": "(2,)",
    "kernel": "(2, 2, 2, 2)",
    "boxes": "(2, 4)",
    "w": "(2, 3)",
    "coo": "(2, 3)",
    "csr": "(2, 3)",
    "picture": "(4, 4, 3)",
    "small": "(2, 2, 3)",
    "frame": "(2, 2, 3)",
    "planes": "(3, 2, 2)",
    "batch": "(2, 2, 2, 3)",
    "wave": "(6,)",
    "waves": "(2, 32)",
    "spectrum": "(1, 3, 4)",
    "complexes": "(1, 3, 4, 2)",
    "level": "(3,)",
}
# Of a printed value, in characters; of answers to one name; seconds for a name.
MOST, ENOUGH, SECONDS = 700, 2, 5


def operands(call: str) -> list[str]:
    """The operands that a call names and does not make."""
    named = _free(call)
    return [name for name in OPERANDS if name in named]


def modules(call: str) -> list[str]:
    """The lines that import what a call names, beyond the header's."""
    named = _free("\n".join([*source(call), call]))
    return [line for name, line in MODULES.items() if name in named]


def source(call: str) -> list[str]:
    """The lines that a call needs above itself."""
    return [f"{name} = {OPERANDS[name]}" for name in operands(call)]


@cache
def _free(text: str) -> frozenset[str]:
    """The names that a text reads and does not bind."""
    nodes = list(ast.walk(ast.parse(text)))
    read = {n.id for n in nodes if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)}
    bound = {n.id for n in nodes if isinstance(n, ast.Name) and not isinstance(n.ctx, ast.Load)}
    return frozenset(read - bound - {n.arg for n in nodes if isinstance(n, ast.arg)})


def parted(call: str) -> tuple[str, str]:
    """The statements above a call's last expression, and that expression."""
    lines, last = call.split("\n"), ast.parse(call).body[-1]
    return "\n".join(lines[: last.lineno - 1]), "\n".join(lines[last.lineno - 1 :])


def answer(names: dict, call: str) -> tuple[str | None, str]:
    """What the value of a call prints, and the shapes of its Tensors."""
    here = ran(names, call)
    if here is None:
        return None, ""
    value = here["printed"]
    try:
        shapes = ", ".join(str(tuple(v.shape)) for v in _tensors(value, here["Tensor"]))
        text = f"{value}".rstrip()
    except Exception:
        return None, ""
    return (text if text and len(text) < MOST and " at 0x" not in text else None), shapes


def ran(names: dict, call: str) -> dict | None:
    """The names after a call, in a folder of its own; ``printed`` is its value. None if it raises."""
    # MindSpore asks functions for their module, and where it compiles them for their source.
    here, back = {**names, "__name__": "__main__"}, os.getcwd()
    with tempfile.TemporaryDirectory() as folder:
        file = os.path.join(folder, "session.py")
        text = "\n".join([*modules(call), "ms.set_seed(1)", *source(call), call]) + "\n"
        try:
            os.chdir(folder)
            with open(file, "w", encoding="utf-8") as opened:
                opened.write(text)
            *above, last = ast.parse(text).body
            exec(compile(ast.Module(above, []), file, "exec"), here)
            here["printed"] = eval(compile(ast.Expression(last.value), file, "eval"), here)
        except Exception:
            return None
        finally:
            os.chdir(back)
    return here


def _tensors(value, kind) -> list:
    if isinstance(value, kind):
        return [value]
    return [t for v in value for t in _tensors(v, kind)] if isinstance(value, (tuple, list)) else []


def main() -> None:
    """Answer the jobs of standard input, each name in a process of its own: a crash loses that one."""
    out = os.dup(1)
    os.dup2(2, 1)
    names: dict = {}
    exec(HEADER, names)
    for _, jobs in itertools.groupby(list(map(json.loads, sys.stdin)), key=lambda job: job[0]):
        child = os.fork()
        if not child:
            answers, found = os.fdopen(out, "w"), 0
            resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))
            for name, call in jobs:
                text, shapes = answer(names, call)
                if text is not None and (text, shapes) == answer(names, call):  # no draw without a seed
                    print(json.dumps([name, call, text, shapes]), file=answers, flush=True)
                    found += 1
                if found == ENOUGH:
                    break
            os._exit(0)
        os.waitpid(child, 0)


if __name__ == "__main__":
    main()
