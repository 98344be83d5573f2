"""Names that PyTorch has alike: ``mint``, and the optimizers and schedules of ``experimental.optim``.

Their functions and classes are torch's by name and by argument, so that no table of them is kept: a call gets
torch's function, what torch takes by name alone gets its name, and classes and places become int64.
"""

from __future__ import annotations

import importlib
import inspect
from functools import cache

import libcst as cst

from ..rewriting.inferred import resolve
from ..rewriting.templates import code
from ..translation import site_of

# Where MindSpore has them, where torch has them, and how that is written.
_HOMES = {
    "mindspore.mint.nn.functional": ("torch.nn.functional", "F"),
    "mindspore.mint.nn": ("torch.nn", "nn"),
    "mindspore.mint.linalg": ("torch.linalg", "torch.linalg"),
    "mindspore.mint.special": ("torch.special", "torch.special"),
    "mindspore.mint.optim": ("torch.optim", "torch.optim"),
    "mindspore.mint": ("torch", "torch"),
    "mindspore.experimental.optim.lr_scheduler": ("torch.optim.lr_scheduler", "torch.optim.lr_scheduler"),
    "mindspore.experimental.optim": ("torch.optim", "torch.optim"),
}
_ELSEWHERE = {
    "mindspore.mint.gelu": "torch.nn.functional.gelu",
    "mindspore.mint.silu": "torch.nn.functional.silu",
    "mindspore.mint.nn.functional.flatten": "torch.flatten",
    "mindspore.mint.nn.functional.sigmoid_": "torch.sigmoid_",
    "mindspore.mint.optim.FusedAdamW": "torch.optim.AdamW",
}
# Which argument are classes or places, of any integers in MindSpore and of int64 in torch.
PLACES = {
    "cross_entropy": "target",
    "nll_loss": "target",
    "gather": "index",
    "scatter": "index",
    "scatter_add": "index",
    "one_hot": "tensor",
}


@cache
def counterpart(path: str) -> str | None:
    """How torch's thing of the same name is written; None for a name that is not alike."""
    home, _, leaf = path.rpartition(".")
    if path in _ELSEWHERE:
        return _ELSEWHERE[path].replace("torch.nn.functional", "F")
    if home not in _HOMES or leaf.startswith("_") or not callable(resolve(path)):
        return None
    module, written = _HOMES[home]
    found = getattr(importlib.import_module(module), leaf, None)
    return f"{written}.{leaf}" if callable(found) else None


@cache
def _order(path: str) -> tuple[str, ...] | None:
    """The names of what torch takes, in order; None where that is not told."""
    home, _, leaf = path.rpartition(".")
    full = _ELSEWHERE.get(path) or f"{_HOMES[home][0]}.{leaf}"
    module, _, leaf = full.rpartition(".")
    try:
        parameters = inspect.signature(getattr(importlib.import_module(module), leaf)).parameters.values()
    except (TypeError, ValueError):
        return None
    if any(p.kind in (p.VAR_POSITIONAL, p.VAR_KEYWORD) for p in parameters):
        return None
    return tuple(p.name for p in parameters)


def written(call) -> cst.BaseExpression:
    """A call of torch's function or class with the arguments of MindSpore's."""
    ours = tuple(inspect.signature(resolve(call.name)).parameters)
    theirs = _order(call.name)
    leaf = call.name.rpartition(".")[2]
    args = []
    for i, arg in enumerate(call.updated.args):
        name = arg.keyword.value if arg.keyword else ours[i] if i < len(ours) and not arg.star else ""
        if name and theirs is not None and name not in theirs:
            call.refuse(f"its {name}= has no counterpart")
        if name and not arg.keyword and theirs is not None and theirs[i : i + 1] != (name,):
            plain = cst.AssignEqual(cst.SimpleWhitespace(""), cst.SimpleWhitespace(""))
            arg = arg.with_changes(keyword=cst.Name(name), equal=plain)
        if name and name == PLACES.get(leaf) and _is_short(call, i):
            arg = arg.with_changes(value=as_int64(arg.value))
        args.append(arg)
    return call.updated.with_changes(func=cst.parse_expression(counterpart(call.name)), args=args)


def _is_short(call, i: int) -> bool:
    """Whether an argument may be of other integers than int64, for all that a run told."""
    fact = call.rewriter.reading.facts.at(*site_of(call.node))
    known = fact.arguments[i] if fact is not None and i < len(fact.arguments) else None
    dtype = getattr(known, "dtype", "") or ""
    return "Float" not in dtype and dtype != "Int64"


def as_int64(value: cst.BaseExpression) -> cst.BaseExpression:
    """``value.long()``."""
    return value if code(value).endswith(".long()") else cst.Call(cst.Attribute(value, cst.Name("long")))
