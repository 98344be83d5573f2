"""One example: operands, a call, and what it gives. Runs on either side; knows no torch.

A case is text: it is what both sides execute, and what a person pastes.
"""

from __future__ import annotations

import linecache
import re
import sys
import types
from dataclasses import dataclass, field

import numpy as np

from tests.reference.encoding import encode, plain

HEADER = ("import numpy as np", "import mindspore as ms", "from numpy import inf, nan",
          "import mindspore.numpy as mnp", "from mindspore import Tensor, mint, nn, ops")


@dataclass(frozen=True)
class Case:
    """``setup`` makes the operands, ``steps`` are statements before the ``call``, which uses them. ``wrt``
    names what is differentiated by, ``net`` the Cell whose trainable parameters are."""

    setup: tuple[str, ...]
    call: str
    wrt: tuple[str, ...] = ()
    steps: tuple[str, ...] = ()
    net: str = ""
    facts: dict = field(default_factory=dict, compare=False)

    def source(self) -> str:
        """A program of a few lines that shows the case in either framework."""
        takes = ", ".join(self.wrt)
        lines = [*HEADER, *self.setup, *self.steps, f"def f({takes}): return {self.call}",
                 f"print(f({takes}))"]
        if self.net:
            lines.append(f"print(ms.grad(f, {tuple(range(len(self.wrt))) or None}, {self.net}"
                         f".trainable_params())({takes}))    # the fuzzer weighs the outputs, see WEIGHTS")
        elif self.wrt:
            lines.append(f"print(ms.grad(f, {tuple(range(len(self.wrt)))})({takes}))"
                         "    # the fuzzer weighs the outputs, see WEIGHTS")
        return "\n".join(lines)

    def asked(self) -> list:
        """What `run` takes."""
        return [self.setup, self.call, self.wrt, self.steps, self.net]


def run(setup, call, wrt, steps=(), net="", move=None) -> dict:
    """What a case gives here: {"value", "gradient"}, or "error" / "gradient error" with type and text.

    ``move`` changes each operand of ``wrt`` before it is used.
    """
    names = vars(sys.modules.setdefault("case", types.ModuleType("case")))
    names.clear()
    names["__name__"] = "case"
    exec("\n".join(HEADER), names)
    try:
        with np.errstate(over="ignore"):         # 1e30 as a float16 is meant to be infinite
            exec("\n".join(setup), names)
            for name in wrt if move else ():
                names[name] = move(names[name])
    except Exception as err:
        return {"error": ["Setup", f"{type(err).__name__}: {err}"]}
    try:
        exec(_with_source("\n".join(steps)), names)
        exec(f"def f({', '.join(wrt)}): return {call}", names)
        output = names["f"](*(names[n] for n in wrt))
        found = {"value": encode(output)}
    except Exception as err:
        return {"error": _said(err)}
    if wrt or net:
        try:
            found.update(_gradient(names, output, wrt, net))
        except Exception as err:
            found["gradient error"] = _said(err)
    return found


def _with_source(text):
    """Code of which MindSpore's compiler finds the text, for what ``vmap`` and ``jvp`` take."""
    linecache.cache["case.py"] = (len(text), None, text.splitlines(keepends=True), "case.py")
    return compile(text, "case.py", "exec")


def _gradient(names, output, wrt, net) -> dict:
    import mindspore as ms
    from mindspore import Tensor

    trained = names[net].trainable_params() if net else []
    outputs = output if isinstance(output, (tuple, list)) else (output,)
    floats = [i for i, o in enumerate(outputs) if isinstance(o, Tensor) and "Float" in str(o.dtype)]
    if not floats or not (wrt or trained):
        return {}
    weights = tuple(_weights(Tensor, outputs[i]) for i in floats)
    function = names["f"]
    if isinstance(output, (tuple, list)):
        def function(*args):
            results = names["f"](*args)
            return tuple(results[i] for i in floats) if len(floats) > 1 else results[floats[0]]
    derive = ms.ops.GradOperation(get_all=bool(wrt), get_by_list=bool(trained), sens_param=True)
    derived = derive(function, ms.ParameterTuple(trained)) if trained else derive(function)
    inputs = tuple(names[n] for n in wrt)
    return {"gradient": encode(derived(*inputs, weights if len(floats) > 1 else weights[0]))}


# What outputs are weighed with: uneven, and the same in every dtype.
WEIGHTS = "np.round(64 * np.cos(np.arange(n))) / 64"


def _weights(Tensor, output):
    weights = eval(WEIGHTS, {"np": np, "n": int(np.prod(output.shape))})
    return Tensor(weights.reshape(output.shape).astype(np.float32)).astype(output.dtype)


def _said(err: BaseException) -> list[str]:
    blocks = re.split(r"\n*-{20,}\n", plain(str(err)))          # headings stand between two rules of dashes
    text = next((b for b in blocks if b.strip() and not b.strip().endswith(("failed:", "developers)"))), "")
    return [type(err).__name__, " ".join(text.split())[:400]]
