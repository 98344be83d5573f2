"""Cases of one line each: an expression that both sides evaluate.

`lines(text)` splits a table; `evaluate(line)` gives the value, running first what stands before ";;".
"""
import mindspore as ms
import numpy as np
from mindspore import Parameter, Tensor, nn, ops

from tests.reference.judge import data


def T(shape, dtype="float32", seed=0):
    """Normals, small integers or bools of a shape."""
    return Tensor(data(shape, dtype, seed))


def A(values, dtype="int32"):
    return Tensor(np.array(values, dtype))


def I(*values, dt="int32"):  # noqa: E743
    return A(values, dt)


def _floats(x):
    return isinstance(x, Tensor) and str(x.dtype).startswith(("Float", "BFloat"))


def g(function, *args):
    """What `function` gives, and its gradients by all float arguments under uneven sensitivities."""
    def weighed(*args):
        outputs = function(*args)
        total = 0
        for k, out in enumerate(outputs if isinstance(outputs, (tuple, list)) else (outputs,)):
            if _floats(out):
                weights = np.cos(np.arange(out.size) + k).reshape(out.shape).astype(np.float32)
                total = total + (out.astype(ms.float32) * Tensor(weights)).sum()
        return total

    return function(*args), ms.grad(weighed, tuple(i for i, x in enumerate(args) if _floats(x)))(*args)


NAMES = {"ms": ms, "np": np, "ops": ops, "nn": nn, "Tensor": Tensor, "Parameter": Parameter,
         "T": T, "A": A, "I": I, "g": g}


def lines(text):
    return [line.strip() for line in text.strip().splitlines()]


def evaluate(line):
    *before, last = line.split(";;")
    names = dict(NAMES)
    for statement in before:
        exec(statement.strip(), names)
    return eval(last.strip(), names)
