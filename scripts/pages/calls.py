"""Runs short calls of MindSpore's names and says what they print: in whichever MindSpore this Python has.

    python calls.py < jobs > answers

A job is a line of JSON, ``[name, call]``; an answer ``[name, call, text, shapes]``, where text is what the
call's value prints. A call that raises has none, and a name has two at most. The calls take their operands
from ``OPERANDS``, whose text the pages show. Needs nothing but numpy and ``mindspore``.
"""

from __future__ import annotations

import io
import itertools
import json
import os
import signal
import sys

HEADER = """\
import numpy as np
import mindspore as ms
import mindspore.numpy as mnp
from mindspore import Tensor, mint, nn, ops"""
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
}
# Of a printed value, in characters; of answers to one name; seconds for a name.
MOST, ENOUGH, SECONDS = 700, 2, 20


def operands(call: str) -> list[str]:
    """The operands whose names stand in a call."""
    import re

    return [name for name in OPERANDS if re.search(rf"(?<![\w.\"']){name}\b(?! ?=[^=])", call)]


def source(call: str) -> list[str]:
    """The lines that a call needs above itself."""
    return [f"{name} = {OPERANDS[name]}" for name in operands(call)]


def answer(names: dict, call: str) -> tuple[str | None, str]:
    """What the value of a call prints, and the shapes of its Tensors."""
    here = dict(names)
    try:
        exec("\n".join(["ms.set_seed(1)", *source(call)]), here)
        value = eval(call, here)
        shapes = ", ".join(str(tuple(v.shape)) for v in _tensors(value, here["Tensor"]))
        out = io.StringIO()
        print(value, file=out)
        text = out.getvalue().rstrip()
    except Exception:
        return None, ""
    return (text if text and len(text) < MOST and " at 0x" not in text else None), shapes


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
            signal.alarm(SECONDS)
            for name, call in jobs:
                text, shapes = answer(names, call)
                if text is not None:
                    print(json.dumps([name, call, text, shapes]), file=answers, flush=True)
                    found += 1
                if found == ENOUGH:
                    break
            os._exit(0)
        os.waitpid(child, 0)


if __name__ == "__main__":
    main()
