"""One example: operands, a call of an operator, and what it gives. Runs on either side; knows no torch.

A case is text: it is what both sides execute, and what a person pastes.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

import numpy as np

from tests.reference.encoding import encode, plain

HEADER = ("import numpy as np", "import mindspore as ms", "from numpy import inf, nan",
          "import mindspore.numpy as mnp", "from mindspore import Tensor, mint, nn, ops")


@dataclass(frozen=True)
class Case:
    """``setup`` makes the operands, ``call`` uses them, ``wrt`` names those that it is differentiated by."""

    setup: tuple[str, ...]
    call: str
    wrt: tuple[str, ...] = ()
    facts: dict = field(default_factory=dict, compare=False)

    def source(self) -> str:
        """A program of a few lines that shows the case in either framework."""
        takes = ", ".join(self.wrt)
        lines = [*HEADER, *self.setup, f"def f({takes}): return {self.call}", f"print(f({takes}))"]
        if self.wrt:
            lines.append(f"print(ms.grad(f, {tuple(range(len(self.wrt)))})({takes}))"
                         "    # the fuzzer weighs the outputs with cos(arange(n))")
        return "\n".join(lines)


def run(setup, call, wrt) -> dict:
    """What a case gives here: {"value", "gradient"}, or "error" / "gradient error" with type and text."""
    import mindspore as ms
    from mindspore import Tensor

    names: dict = {"__name__": "case"}
    exec("\n".join(HEADER), names)
    try:
        with np.errstate(over="ignore"):         # 1e30 as a float16 is meant to be infinite
            exec("\n".join(setup), names)
    except Exception as err:
        return {"error": ["Setup", f"{type(err).__name__}: {err}"]}
    try:
        exec(f"def f({', '.join(wrt)}): return {call}", names)
        output = names["f"](*(names[n] for n in wrt))
        found = {"value": encode(output)}
    except Exception as err:
        return {"error": _said(err)}
    if not wrt:
        return found
    outputs = output if isinstance(output, (tuple, list)) else (output,)
    floats = [i for i, o in enumerate(outputs) if isinstance(o, Tensor) and "Float" in str(o.dtype)]
    if not floats:
        return found
    weights = tuple(_weights(Tensor, outputs[i]) for i in floats)
    inputs = tuple(names[n] for n in wrt)
    function = names["f"]
    if isinstance(output, (tuple, list)):
        def function(*args):
            results = names["f"](*args)
            return tuple(results[i] for i in floats) if len(floats) > 1 else results[floats[0]]
    try:
        derive = ms.ops.GradOperation(get_all=True, sens_param=True)
        found["gradient"] = encode(derive(function)(*inputs, weights if len(floats) > 1 else weights[0]))
    except Exception as err:
        found["gradient error"] = _said(err)
    return found


def _weights(Tensor, output):
    count = int(np.prod(output.shape))
    return Tensor(np.cos(np.arange(count)).reshape(output.shape).astype(np.float32)).astype(output.dtype)


def _said(err: BaseException) -> list[str]:
    blocks = re.split(r"\n*-{20,}\n", plain(str(err)))          # headings stand between two rules of dashes
    text = next((b for b in blocks if b.strip() and not b.strip().endswith(("failed:", "developers)"))), "")
    return [type(err).__name__, " ".join(text.split())[:400]]
