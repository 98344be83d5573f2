"""Small functions of graph mode's language as cases: value and printed lines, or the error."""

import contextlib
import ctypes
import functools
import inspect
import os
import sys
import tempfile

import mindspore as ms
import numpy as np

from tests.reference.encoding import encode
from tests.reference.judge import case

# What a graph function is called with, by the name of its parameter.
INPUTS = {
    "x": lambda: ms.Tensor(np.array([1.0, 2.0, 3.0], np.float32)),
    "y": lambda: ms.Tensor(np.array([3.0, 1.0, 2.0], np.float32)),
    "z": lambda: ms.Tensor(2.5, ms.float32),
    "m": lambda: ms.Tensor(np.arange(6, dtype=np.float32).reshape(2, 3)),
    "n": lambda: ms.Tensor(3, ms.int32),
    "b": lambda: ms.Tensor(True),
    "i": lambda: 2,
    "f": lambda: 1.5,
    "t": lambda: (1, 2, 3),
    "xs": lambda: [INPUTS["x"](), INPUTS["y"]()],
    "d": lambda: {"a": INPUTS["x"](), "b": INPUTS["y"]()},
}


def graph(function=None, **options):
    """Decorator: a function that a graph is made of, called with INPUTS, as a case."""
    if function is None:
        return functools.partial(graph, **options)
    names = list(inspect.signature(function).parameters)

    @functools.wraps(function)
    def run():
        with written() as text:
            value = shown(ms.jit(function)(*[INPUTS[name]() for name in names]))
        return (value, text[0]) if text[0] else value

    return case(run, mode="GRAPH", **options)


@contextlib.contextmanager
def written():
    """Collects what is written to standard output, by Python or by C: a list with one string at the end."""
    text, before, kept = [], sys.stdout, os.dup(1)
    before.flush()
    with tempfile.TemporaryFile() as file:
        os.dup2(file.fileno(), 1)
        sys.stdout = os.fdopen(os.dup(1), "w", 1)
        try:
            yield text
        finally:
            sys.stdout.close()
            sys.stdout = before
            ctypes.CDLL(None).fflush(None)
            os.dup2(kept, 1)
            os.close(kept)
            file.seek(0)
            text.append(file.read().decode())


def shown(value):
    """A value, or its class and text where a case cannot hold it."""
    try:
        encode(value)
    except TypeError:
        if isinstance(value, (tuple, list)):
            return type(value)([shown(v) for v in value])
        return type(value).__name__, str(value)
    return value
