"""Where expressions stand, and what is told of values that are one or another."""

from __future__ import annotations

import ast

from . import results
from .inferred import (
    ARRAY,
    MIXED,
    PARAMETER,
    PLAIN,
    SHAPE,
    TENSOR,
    Bound,
    Class,
    Const,
    Dict,
    Function,
    Many,
    Of,
    OwnOf,
    Plain,
    Ref,
    Seq,
    is_a,
    is_cell,
    is_tensor,
    resolve,
    shortest_name,
)


def span_of(node: ast.AST) -> tuple:
    """Where an expression stands: line and column of its two ends."""
    return node.lineno, node.col_offset, node.end_lineno, node.end_col_offset


def parameters(node) -> list[str]:
    """The names of a function's arguments but for ``*args`` and ``**kwargs``."""
    return [a.arg for a in (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs)]


def is_static(node) -> bool:
    return any(getattr(d, "id", "") == "staticmethod" for d in getattr(node, "decorator_list", []))


def is_number(value) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def item_of(inferred):
    """What is in a sequence; a dict's keys."""
    if isinstance(inferred, Dict):
        return PLAIN
    if isinstance(inferred, Seq):
        return inferred.item
    if isinstance(inferred, Many):
        found_one = None
        for part in inferred.items:
            found_one = join(found_one, part)
        return found_one
    if is_tensor(inferred):
        return TENSOR
    if isinstance(inferred, Of) and is_a(inferred.cls, "mindspore.dataset.Dataset"):
        return Seq(TENSOR)
    return inferred if isinstance(inferred, Plain) else None


def join(*inferences):
    """What is told of a value that is one or another; what is not told does not count."""
    found_one = None
    for inferred in inferences:
        is_none = inferred is None or (isinstance(inferred, Const) and inferred.value is None)
        if is_none or inferred == found_one or found_one is MIXED:
            continue
        if found_one is None:
            found_one = inferred
        elif inferred is MIXED or _are_functions(found_one, inferred):
            found_one = MIXED
        elif is_tensor(found_one) and is_tensor(inferred):
            found_one = TENSOR
        elif TENSOR in (found_one, inferred) or PARAMETER in (found_one, inferred):
            other = inferred if is_tensor(found_one) else found_one
            found_one = TENSOR if isinstance(other, (Plain, Const)) else found_one
        elif isinstance(found_one, Of) and isinstance(inferred, Of) and found_one.cls == inferred.cls:
            found_one = Of(inferred.cls)
        elif isinstance(found_one, Seq) and isinstance(inferred, Seq):
            kind = Dict if isinstance(found_one, Dict) and isinstance(inferred, Dict) else Seq
            found_one = kind(join(found_one.item, inferred.item))
        elif (
            isinstance(found_one, Many)
            and isinstance(inferred, Many)
            and len(found_one.items) == len(inferred.items)
        ):
            found_one = Many(tuple(map(join, found_one.items, inferred.items)))
        elif isinstance(found_one, (Plain, Const)) and isinstance(inferred, (Plain, Const)):
            found_one = PLAIN
    return found_one


def _are_functions(one, other) -> bool:
    """Whether two things are called, of which one at least is an operator of MindSpore's."""

    def is_operator(thing) -> bool:
        if isinstance(thing, Ref):
            return callable(resolve(thing))
        return isinstance(thing, Of) and is_a(thing.cls, "mindspore.ops.Primitive")

    called = (Ref, Of, OwnOf, Class, Function, Bound)
    both = all(isinstance(thing, called) and not is_tensor(thing) for thing in (one, other))
    same = isinstance(one, Of) and isinstance(other, Of) and one.cls == other.cls
    return both and not same and (is_operator(one) or is_operator(other))


def operator_type(left, right):
    """What Python's operators give."""
    if is_tensor(left) or is_tensor(right):
        return TENSOR
    for inferred in (left, right):
        if isinstance(inferred, (Seq, Many)):
            return Seq(item_of(inferred))
    kinds = {w.kind for w in (left, right) if isinstance(w, Plain)}
    if kinds - {"plain", "shape", "dtype"}:
        return ARRAY
    plain = all(isinstance(w, (Plain, Const)) for w in (left, right))
    return (SHAPE if "shape" in kinds else PLAIN) if plain else None


def inherited(cls: Class, name: str):
    """What a class of the file has from a MindSpore class."""
    root = cls.root()
    if is_a(root, "mindspore.nn.TrainOneStepCell"):
        node = cls.node
        made = ast.parse("GradOperation(get_by_list=True, sens_param=True)").body[0].value
        known = {
            "weights": Seq(PARAMETER),
            "grad": Of("mindspore.ops.GradOperation", made),
            "optimizer": Of("mindspore.nn.Optimizer"),
            "sens": PLAIN,
            "scale_sense": TENSOR,
            "hyper_map": Of("mindspore.ops.HyperMap", ast.parse("HyperMap()").body[0].value),
        }
        if name in ("network", "optimizer"):
            function = cls.function("__init__")
            given = function.arguments.get(name) if function is not None else None
            return given or known.get(name)
        return known.get(name) if node else None
    if name == "parameters" and is_a(root, "mindspore.nn.Optimizer"):
        return Seq(PARAMETER)
    return PARAMETER if is_cell(root) and name in results._WEIGHTS else None


def of_kind(kind):
    """What a run told of a value, as inference would say it."""
    if kind.type in ("Tensor", "Parameter"):
        return PARAMETER if kind.type == "Parameter" else TENSOR
    if kind.type in ("ndarray",):
        return ARRAY
    return PLAIN if kind.type in ("int", "float", "str", "bool") else None


def annotations_of(node: ast.FunctionDef) -> list[ast.expr]:
    """What a function says of its arguments and of what it gives."""
    hints = [a.annotation for a in ast.walk(node.args) if isinstance(a, ast.arg)]
    return [hint for hint in (*hints, node.returns) if hint is not None]


def path_got(node: ast.expr, infer) -> Ref | None:
    """The name that ``getattr(ops, "exp")`` says, which is that of ``ops.exp``."""
    if not isinstance(node, ast.Call) or getattr(node.func, "id", "") != "getattr" or len(node.args) != 2:
        return None
    owner, name = infer(node.args[0]), getattr(node.args[1], "value", None)
    return Ref(shortest_name(f"{owner}.{name}")) if isinstance(owner, Ref) and isinstance(name, str) else None


def is_rate(node: ast.expr | None) -> bool:
    """Whether it is a rate or a decay of a group, Tensors in MindSpore and numbers in PyTorch."""
    if not isinstance(node, ast.Subscript):
        return False
    if isinstance(node.slice, ast.Constant) and node.slice.value in ("lr", "initial_lr", "weight_decay"):
        owner = ast.unparse(node.value)  # not a batch of low resolution
        return "group" in owner or owner in ("g", "pg")
    return isinstance(node.value, ast.Call) and getattr(node.value.func, "attr", "") == "get_last_lr"
