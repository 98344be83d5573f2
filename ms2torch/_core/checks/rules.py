"""What MindSpore's Primitives ask of their inputs: rules.tsv, which scripts/sweep_errors.py reads off the
real one. A Primitive's lines stand in the order in which it asks; "late" is what it asks after shapes.

A rule is read when a call has failed, so that good calls pay nothing. Where the kernel would take what
MindSpore refuses, the Primitive stands in guards.py: its inputs are looked at before they are computed with.
"""

from __future__ import annotations

import operator
import re
from functools import cache
from pathlib import Path
from typing import NamedTuple

import torch

from ms2torch._core.checks.calls import dtype_name, type_description, type_name
from ms2torch._core.checks.words import renderings
from ms2torch._core.devices import device
from ms2torch._core.operators.signatures import converted, signature_error

_COMPARED = {">": operator.gt, ">=": operator.ge, "<": operator.lt, "<=": operator.le, "==": operator.eq,
             "=": operator.eq}
_CLASSES = {"int": int, "float": float, "bool": bool, "list": list, "tuple": tuple}
_NOWHERE = 1000                  # the position of an input that is known by its name alone
_NUMBERS = ("Float", "Int", "UInt", "Complex")
# Inputs that may be None.
_OPTIONAL = {"BCEWithLogitsLoss": ("weight", "pos_weight"), "MultiMarginLoss": ("weight",)}
# What stands before a rule that MindSpore asks after it has looked at shapes.
_LATE = "late "


class Rule(NamedTuple):
    """``inputs``: (position, name) of those that it is about; ``right``: what is asked of them."""

    kind: str
    inputs: tuple[tuple[int, str], ...]
    right: str


@cache
def _lines() -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for line in Path(__file__).with_suffix(".tsv").read_text(encoding="utf-8").splitlines()[1:]:
        name, _, rest = line.partition("\t")
        found.setdefault(name, []).append(rest)
    return found


@cache
def _rules(name: str) -> list[Rule]:
    found = []
    for line in _lines().get(name, ()):
        kind, inputs, right = line.split("\t")
        if kind != "attribute":
            places = (place.replace("+", " ").split(":") for place in inputs.split())
            found.append(Rule(kind, tuple((int(k) if k != "?" else _NOWHERE, n) for k, n in places), right))
    return found


def asks_for_tensors(name: str) -> bool:
    """Whether a Primitive has words of its own for what is no Tensor."""
    return any(rule.kind in ("tensor", "same") for rule in _rules(name))


@cache
def _attributes(name: str) -> dict[str, list[str]]:
    """What is asked of each attribute, kinds before ranges."""
    found: dict[str, list[str]] = {}
    for line in _lines().get(name, ()):
        kind, called, right = line.split("\t")
        if kind == "attribute":
            asked = found.setdefault(called, [])
            asked.insert(0 if right.startswith("should") else len(asked), right)
    return found


def check_attributes(name: str, given: dict) -> None:
    """TypeError and ValueError for attributes that a Primitive's constructor refuses."""
    asked = _attributes(name)
    if not asked:
        return
    for called, value in given.items():
        for right in asked.get(called, ()):
            if wrong := _attribute(name, called, right, value):
                raise wrong


def _attribute(name: str, called: str, right: str, value) -> Exception | None:
    held = type_name(value)
    if right.startswith("should be a"):
        return None if value is None or isinstance(value, str) else TypeError(
            f"For '{name}', the input '{called}' {right}, but got {type(value)}.")
    if right.startswith("should be"):
        types = re.findall(r"'(\w+)'", right)
        if not types:                                   # '[int, tuple of int]'
            kinds = right.partition("[")[2].partition("]")[0].split(", ")
            fits = value is None or any(_of_kind(value, k) for k in kinds)
            return None if fits else TypeError(
                f"For '{name}', the type of '{called}' {right}, but got {renderings(value)['cls']}.")
        classes = (held,) if held in ("bool", "bool_") else [base.__name__ for base in type(value).__mro__]
        if not set(types).isdisjoint(classes):
            return None
        return TypeError(f"For '{name}', the type of '{called}' {right}, but got type '{held}'.")
    if right == "must be a bool":
        return None if isinstance(value, bool) else TypeError(
            f"For '{name}', the '{called}' {right}, but got {held}.")
    number = (int, float) if "float" in right.split()[:3] else int
    fits = isinstance(value, number) and not isinstance(value, bool)
    limit = re.search(r"must ([<>=]+) ([-\d.]+)$", right)
    if not limit:
        return None if fits else TypeError(f"For '{name}', the '{called}' {right}, but got '{held}'")
    if fits and _COMPARED[limit[1]](value, float(limit[2])):
        return None
    return (ValueError if fits else TypeError)(
        f"For '{name}', the '{called}' {right}, but got '{value}' with type '{held}'.")


def _of_kind(value, kind: str) -> bool:
    """As MindSpore's own constructors look: bools are ints, and of a sequence the class alone counts."""
    if kind == "Tensor":
        return isinstance(getattr(value, "_t", value), torch.Tensor)
    return isinstance(value, _CLASSES[kind.partition(" of ")[0]])


def form_of_valid_calls(name: str, names) -> str | None:
    """How MindSpore writes the valid calls of a Primitive whose arguments are called so, where it does."""
    for rule in _rules(name):
        if rule.kind == "call" and set(re.findall(r"(\w+)=<", rule.right)) <= set(names):
            return rule.right
    return None


def refusal(name: str, values, names=(), of_tensors=False, late=True, written=()) -> Exception | None:
    """MindSpore's error for a Primitive called with these inputs (torch tensors and plain values), or None;
    ``names`` are what they are called here. ``of_tensors``: only what is asked of tensors' dtypes; without
    ``late`` only what is asked before shapes are; ``written``: the places of Parameters."""
    if not of_tensors or all(isinstance(v, torch.Tensor) for v in values):
        if wrong := signature_error(name, values):
            return wrong
        values = converted(name, values)
    for rule in _rules(name):
        kind = rule.kind.removeprefix(_LATE)
        if (of_tensors and kind not in ("same", "alike", "dtype")) or (
                kind != rule.kind and not (late and _broadcast(values))):
            continue
        if names and any(called in names for _, called in rule.inputs):
            rule = rule._replace(inputs=tuple(
                (names.index(called) if called in names else place, called) for place, called in rule.inputs))
        if of_tensors and not all(isinstance(v, torch.Tensor) for _, _, v in _asked(rule, values)):
            continue
        if name in _OPTIONAL and any(called in _OPTIONAL[name] and value is None
                                     for _, called, value in _asked(rule, values)):
            continue
        if found := _JUDGES.get(kind, _fits)(name, rule, values):
            return _of_reference(found) if rule.inputs and rule.inputs[0][0] in written else found
    return None


def _broadcast(values) -> bool:
    """Whether the shapes of tensors fit each other; what does not is told before what is late."""
    shapes = {v.shape for v in values if isinstance(v, torch.Tensor)}
    try:
        if len(shapes) > 1:             # (torch's function costs more than many an operator)
            torch.broadcast_shapes(*shapes)
    except RuntimeError:
        return False
    return True


def _of_reference(err: Exception) -> Exception:
    """``err`` about a Parameter, which the compiler's words are a reference for."""
    return type(err)(re.sub(r"but got (Tensor\[\w+\])\.$", r"but got Ref[\1].", str(err)))


def _fits(name, rule, values) -> None:
    return None


def _asked(rule: Rule, values):
    return [(place, called, values[place]) for place, called in rule.inputs if place < len(values)]


def _tensor(name, rule, values):
    for _, called, value in _asked(rule, values):
        if not isinstance(value, torch.Tensor):
            return TypeError(f"For Primitive[{name}], the type of input argument[{called}] must be Tensor "
                             f"but got {type_description(value)}.")
    return None


def _same(name, rule, values):
    asked = _asked(rule, values)
    for _, called, value in asked:
        if not isinstance(value, torch.Tensor):
            names = ", ".join(n for _, n in rule.inputs)
            return TypeError(f"The primitive[{name}]'s input arguments[{names}] must be all tensor and those "
                             f"type must be same. But got input argument[{called}]:"
                             f"{type_description(value)}\nValid type list: {{{_listed(rule.right)}}}.")
    return _alike(name, rule, values) or _dtype(name, rule._replace(inputs=rule.inputs[:1]), values)


def _alike(name, rule, values):
    asked = [(called, value) for _, called, value in _asked(rule, values) if isinstance(value, torch.Tensor)]
    if len({value.dtype for _, value in asked}) > 1:
        lines = "".join(f"\nname:[{called}]:{type_description(value)}." for called, value in asked)
        return TypeError(f"For primitive[{name}], the input type must be same.{lines}")
    return None


def _type(name, rule, values):
    for _, called, value in _asked(rule, values):
        found = type_description(value)
        wanted = rule.right.replace("Tensor[", "").replace("]", "").split(", ")
        word = found[7:-1] if isinstance(value, torch.Tensor) else found
        if not _among(word, wanted) and found.partition("[")[0] not in wanted:
            told = found if "Tensor[" in rule.right else word
            return TypeError(f"For primitive[{name}], the input argument[{called}] must be a type of "
                             f"{{{rule.right}}}, but got {told}.")
    return None


def _dtype(name, rule, values):
    for _, called, value in _asked(rule, values):
        if isinstance(value, torch.Tensor) and not lists(_allowed(rule.right), value.dtype):
            told = type_description(value)
            if isinstance(value, torch.nn.Parameter) and not name.startswith("Bitwise"):
                told = f"Ref[{told}]"           # (all but the operators of the newest kind say so)
            return TypeError(f"For primitive[{name}], the input argument[{called}] must be a type of "
                             f"{{{_listed(rule.right)}}}, but got {told}.")
    return None


def lists(allowed, dtype: torch.dtype) -> bool:
    """Whether ``dtype`` is ``allowed``: by a CPU's list, where elsewhere bfloat16 is right if float16 is."""
    return dtype in allowed or (dtype is torch.bfloat16 and torch.float16 in allowed
                                and not device.has_cpu_kernels())


_JUDGES = {"tensor": _tensor, "same": _same, "alike": _alike, "dtype": _dtype,
           "type": _type}


@cache
def _allowed(right: str) -> frozenset:
    wanted = right.split(", ")
    dtypes = (d for d in vars(torch).values() if isinstance(d, torch.dtype))
    return frozenset(d for d in dtypes if _among(dtype_name(d), wanted))


def _among(word: str, wanted: list[str]) -> bool:
    """Whether a type's name is listed, itself or by its family: Float32 by Float, any number by Number."""
    family = re.sub(r"\d+$", "", word)
    return word in wanted or family in wanted or (family in _NUMBERS and "Number" in wanted)


def _listed(right: str) -> str:
    return re.sub(r"\w+", r"Tensor[\g<0>]", right)
