"""What is fuzzed, a line each: how the operands are drawn, and the spellings of the call.

Elementwise operators of one and two operands come from the registry, with all their spellings; the rest stand
in ``tables/``, a file a kind: ``name | part ; part ; ...``. A part is

    x := array()         a draw, with the vocabulary of `inputs.Draws` and the names before it
    > v = f(x)           a statement of the program before the call
    ops.f(x, {a})        a spelling of the call, with drawn values in braces; ~ before it: not differentiated
    nn.F({a}) @ x        a Cell made with a seed, trained or not, and called: its weights are differentiated too

A name with ``<a b/B>`` stands for a line each, with a and b for ``<>``, and what is behind a stroke for ``<2>``.
"""

from __future__ import annotations

import inspect
import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
from hypothesis import strategies as st

from scripts.fuzz import inputs, optimizers
from scripts.fuzz.case import Case
from scripts.fuzz.inputs import Draws, Operand

TABLES = Path(__file__).with_name("tables")
# What the programs of a kind import, besides `case.HEADER`.
IMPORTS = {"vision": ("from mindspore.dataset import vision", "from mindspore.dataset.vision import Border, ConvertMode, Inter"),
           "audio": ("from mindspore.dataset import audio",), "text": ("from mindspore.dataset import text, transforms",),
           "sparse": ("from mindspore import COOTensor, CSRTensor",)}
PLAIN = ("vision", "audio", "text")      # nothing to differentiate

# One operand of any shape. Left out: what has no numbers to compare, or another contract for its operand.
NOT_UNARY = frozenset(["view_as_real", "t", "fliplr", "flipud", "argwhere", "numel", "is_floating_point", "is_complex", "msort", "inverse", "logdet", "diag", "slogdet", "det", "matrix_exp", "trace", "unique", "deepcopy", "tuple_to_array", "population_count", "rank", "scalar_to_array", "shape", "size", "dyn_shape", "atleast_1d", "atleast_2d", "atleast_3d", "vstack", "is_tensor", "shape_mul", "hstack", "dstack", "column_stack", "row_stack", "tuple_len", "list_len", "tuple_reversed", "dict_len", "scalar_log", "scalar_uadd", "scalar_usub", "bool_not", "isconstant", "typeof", "accumulate_n", "addn", "dtype", "is_nonzero", "ravel", "adjoint", "imag", "real", "conj", "angle", "isreal", "block_diag", "cartesian_prod", "make_list", "make_range", "make_tuple", "print_", "trace", "in_dict", "not_in_dict"])
NOT_BINARY = frozenset(["view_as", "inner", "kron", "expand_as", "type_as", "matmul", "dot", "igamma", "igammac", "zeta", "multiply_no_nan", "polar", "gcd", "lcm", "vecdot", "is_", "is_not", "in_dict", "not_in_dict"])
_OTHER_KINDS = ("coo_", "csr_", "scalar_", "string_", "bool_")      # of sparse tensors and plain values
_ONE, _OTHER = {"input", "x", "input_x"}, {"other", "y", "exponent"}

# Wider than torch.testing's: {dtype: (rtol, atol)}, with the reason.
TOLERANCES = {
    # Its CPU kernels round to half after every step, and their exponential is 3 ulp off.
    "*": {"float16": (4e-3, 1e-3), "float32": (5e-6, 1e-5)},
    # Its CPU kernel of tanh is a rational approximation, 5e-5 off; the derivative 1 - y * y doubles that.
    **{name: {"float32": (1e-4, 2e-4)} for name in ("tanh", "tanhshrink", "gelu", "activations", "nn activations",
                                                    "sparse tanh", "nn.Dense")},
    # The same tanh, in their gates.
    **{name: {"float32": (1e-4, 5e-4)} for name in ("recurrent layers", "recurrent cells", "layers with norms",
                                                    "other layers", "mint functions")},
    **{name: {"float32": (1e-4, 5e-4), "float16": (1e-2, 5e-3)}
       for name in ("recurrent", "recurrent with lengths", "cells of recurrences", "nn.Transformer")},
    # Log-probabilities of halves: differences of numbers up to 10, which MindSpore rounds one by one.
    "cross_entropy": {"float16": (1e-2, 4e-3)},
    # Filters, delays and envelopes go through float32.
    "audio": {"float64": (1e-5, 2e-6), "float32": (1e-4, 1e-5)},
    # IGamma's series is in float32, its derivative's too.
    "igamma": {"float32": (1e-4, 1e-5), "float64": (1e-4, 1e-6)},
    "special functions as layers": {"float32": (1e-4, 1e-5)},
    # Frames are turned and put together in float32.
    "sounds of speech": {"float64": (1e-4, 2e-4), "float32": (1e-4, 2e-4)},
    # Rates, decays and 1 - beta are float32 whatever the parameters are.
    **{kind: {"float64": (2e-5, 1e-6), "float32": (1e-5, 1e-5)} for kind in ("optimizers", "updates")},
    # Positions between pixels are float32.
    **{name: {"float64": (2e-6, 2e-6)} for name in ("grid_sample", "GridSampler3D",
                                                    "upsample", "resizing", "affine_grid", "Betainc", "cdist")},
    # Sums of probabilities and singular values are Float32, whatever comes in.
    **{name: {"float64": (2e-5, 1e-5)} for name in ("CTCLossV2", "nn.CTCLoss", "log_softmax")},
    "cond": {"float64": (2e-6, 2e-6)},
    "matrix_norm": {"float64": (2e-6, 2e-6)},
    # Its CPU kernels compute Float64 with functions, or sums, of Float32, and LayerNorm's round mean and
    # variance to Float16.
    **{name: {"float64": (1e-6, 1e-6)} for name in ("softplus", "digamma", "lgamma", "std", "var")},
    "mish": {"float32": (1e-4, 2e-4), "float64": (1e-6, 1e-6)},
    "LayerNorm": {"float64": (1e-5, 1e-5), "float16": (2e-2, 5e-3)},
    "nn.LayerNorm": {"float64": (1e-5, 1e-5)},
    # A channel of equal values: rounding, multiplied by 1 / sqrt(epsilon), where 0 is right.
    **{name: {"float32": (5e-6, 1e-4)} for name in ("BatchNorm layers", "nn.BatchNorm1", "nn.BatchNorm2",
                                                    "nn.BatchNorm3", "nn.Conv2d")},
    # torch's Bessel functions differ from the true ones in the seventh digit (difftest/departures.tsv).
    **{f"bessel_{name}": {"float64": (2e-6, 2e-6)} for name in ("j0", "j1", "y0", "y1")},
}


@dataclass(frozen=True)
class Line:
    """A line of the tables: what is drawn, what is run before the call, and the spellings of the call."""

    kind: str
    name: str
    parts: tuple[str, ...]

    @property
    def draws(self) -> list[tuple[str, str]]:
        return [(m[1], m[2]) for m in map(_DRAW.fullmatch, self.parts) if m]

    @property
    def steps(self) -> list[str]:
        return [part[1:].strip() for part in self.parts if part.startswith(">")]

    @property
    def spellings(self) -> list[str]:
        return [part for part in self.parts if not part.startswith(">") and not _DRAW.fullmatch(part)]


_DRAW = re.compile(r"(\w+) := (.*)")


@cache
def table() -> dict[str, Line]:
    """All lines by name; the elementwise operators from the registry come first."""
    found = {name: Line("elementwise", name, tuple(parts)) for name, parts in _registered().items()}
    for path in sorted(TABLES.glob("*.txt")):
        for line in path.read_text(encoding="utf-8").splitlines():
            if line.strip() and not line.startswith("#"):
                for name, parts in _expanded(line):
                    if name in found:
                        raise ValueError(f"{path.name}: {name} has two lines")
                    found[name] = Line(path.stem, name, parts)
    return found


def _expanded(line: str):
    """The lines that a line stands for: each name with its parts."""
    name, _, rest = line.partition("|")
    family = re.search(r"<(.+?)>", name)
    for one in family[1].split() if family else [""]:
        first, _, second = one.partition("/")
        text = rest.replace("<>", first).replace("<2>", second)
        called = name.replace(family[0], first) if family else name
        yield called.strip(), tuple(part.strip() for part in text.split(" ; "))


def _registered() -> dict[str, list[str]]:
    from ms2torch import ops  # noqa: F401  (fills the registry)
    from ms2torch._core.operators.registry import OPS

    found = {}
    for name, definition in sorted(OPS.items()):
        if name != definition.name or name.startswith(_OTHER_KINDS):
            continue
        takes = list(inspect.signature(definition.kernel).parameters)
        if len(takes) == 1 and takes[0] in _ONE | {"inputs"} and name not in NOT_UNARY:
            found[name] = ["x := array()", *_spellings(definition, "x")]
        elif len(takes) == 2 and takes[0] in _ONE and takes[1] in _OTHER and name not in NOT_BINARY:
            found[name] = ["x := array()", "y := second(x)", *_spellings(definition, "x, {y}")]
    return found


def _spellings(definition, operands) -> list[str]:
    forms = [f"ops.{definition.name}({operands})"]
    if definition.primitive is not None:
        forms.append(f"ops.{definition.primitive.__name__}()({operands})")
    if definition.name in definition.methods:
        forms.append(f"x.{definition.name}({operands[3:]})")
    return forms


def cases(name: str):
    """The strategy that draws cases of a line."""
    line = table()[name]
    spellings, steps = line.spellings, line.steps

    @st.composite
    def one(draw):
        draws = Draws(draw)
        names = _vocabulary(draws)
        operands = []
        for variable, expression in line.draws:
            value = eval(expression, names)
            names[variable] = value
            if isinstance(value, Operand):
                value.name = variable
                operands.append(value)

        def filled(template):
            return re.sub(r"\{(.*?)\}(?!\})", lambda m: str(eval(m[1], names)), template)

        call, before = filled(draw(st.sampled_from(spellings))), [filled(step) for step in steps]
        if line.kind == "optimizers":
            return optimizers.case(draws, call, before)
        plain, net = call.startswith("~") or line.kind in PLAIN, ""
        if " @ " in call:
            made, _, given = call.lstrip("~ ").rpartition(" @ ")
            before = ["ms.set_seed(1)", *before, f"net = {made}", f"net.set_train({draws.flag()})"]
            call, net = f"net({given})", "" if plain else "net"
        program = "\n".join([*before, call])
        used = [o for o in operands if re.search(rf"\b{o.name}\b", program)]
        wrt = () if plain else tuple(o.name for o in used if "float" in o.dtype and re.search(rf"\b{o.name}\b", call))
        setup = (*IMPORTS.get(line.kind, ()), *(f"{o.name} = {o.text}" for o in used))
        return Case(setup, call.lstrip("~ "), wrt, tuple(before), net, _facts(used))

    return one()


def _vocabulary(draws: Draws) -> dict:
    words = {w: getattr(draws, w) for w in dir(draws) if not w.startswith("_")}
    kinds = {k: getattr(inputs, k) for k in ("FLOATS", "INTS", "ANY", "WHOLE", "F32")}
    return {"np": np, **words, **kinds}


def _facts(operands) -> dict:
    return {"dtypes": tuple(o.dtype for o in operands), "shapes": tuple(o.shape for o in operands),
            "special": any(o.special for o in operands), "empty": any(0 in o.shape for o in operands),
            "view": any(o.view for o in operands), "scalar": any(not o.shape for o in operands)}
