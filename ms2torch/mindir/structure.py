"""What a MindIR graph computes beside operators on Tensors: sizes, numbers, texts, tuples, lists, errors."""

from __future__ import annotations

import builtins
import math
import operator

import torch

from ms2torch._core.tensor.dtype import to_torch
from ms2torch._core.tensor.tensor import Tensor

from .graph import U

# MindSpore's numbers of dtypes, where one is an argument.
NUMBERED = {
    30: "bool_",
    32: "int8",
    33: "int16",
    34: "int32",
    35: "int64",
    37: "uint8",
    38: "uint16",
    39: "uint32",
    40: "uint64",
    42: "float16",
    43: "float32",
    44: "float64",
    45: "bfloat16",
    51: "complex64",
    52: "complex128",
}


_FEW = 64


class OpenSizes(Tensor):
    """A Tensor of open sizes and known numbers while a program is exported; what makes numbers of it gets
    them. ``sizes`` is None once it has been written to."""

    __slots__ = ("sizes",)


def number_tensor(value, dtype=None) -> Tensor:
    """A Tensor of numbers, or of open sizes."""
    dtype = numbered_dtype(dtype)
    if not _open(value):
        return Tensor(value, dtype)
    whole = _stacked(value)
    made = OpenSizes(whole if dtype is None else whole.to(to_torch(dtype)))
    made.sizes = value
    return made


def with_sizes(op: str, values: list, result):
    """The result of an operator on open sizes, which remembers what these have become."""
    if op not in _ON_SIZES or type(result) is not Tensor or not any(_open(_known(v)) for v in values):
        return result
    plain = [_known(v) if isinstance(v, Tensor) else v for v in values]
    if None in plain:
        return result
    made = OpenSizes(result._t)
    if op == "Cast":
        made.sizes = _each(torch.sym_float if result._t.is_floating_point() else torch.sym_int, plain[0])
    else:
        made.sizes = _each(_ON_SIZES[op], *plain)
    return made


def _each(compute, *values):
    """Element by element; a number goes with every element."""
    count = max((len(v) for v in values if isinstance(v, (tuple, list))), default=0)
    if not count:
        return compute(*values)
    rows = [v if isinstance(v, (tuple, list)) else [v] * count for v in values]
    return tuple(compute(*row) for row in zip(*[r * count if len(r) == 1 else r for r in rows], strict=True))


def _truncated(a, b):
    whole = torch.sym_int(a / b)
    return torch.sym_float(whole) if any(isinstance(v, (float, torch.SymFloat)) for v in (a, b)) else whole


_ON_SIZES = {
    "Cast": None, "Mul": operator.mul, "Muls": operator.mul, "Add": operator.add, "Adds": operator.add,
    "Sub": operator.sub, "Subs": operator.sub, "Div": operator.truediv, "RealDiv": operator.truediv,
    "Divs": operator.truediv, "FloorDiv": operator.floordiv, "TruncateDiv": _truncated, "Floor": math.floor,
}  # fmt: skip


def numbered_dtype(number):
    """The dtype of MindSpore's number for it."""
    import ms2torch as ms

    return getattr(ms, NUMBERED[number]) if number in NUMBERED else number


def constant(value: torch.Tensor) -> Tensor:
    """A file's constant while a program is exported."""
    made = OpenSizes(torch.ops.aten.lift_fresh.default(value))
    made.sizes = value.tolist() if value.numel() <= _FEW else None
    return made


def _known(x):
    return x.sizes if isinstance(x, OpenSizes) else None


def _open(value) -> bool:
    if isinstance(value, (tuple, list)):
        return any(map(_open, value))
    return isinstance(value, (torch.SymInt, torch.SymFloat, torch.SymBool))


def _stacked(value) -> torch.Tensor:
    if isinstance(value, (tuple, list)):
        return torch.stack([_stacked(v) for v in value])
    dtype = torch.float32 if isinstance(value, (float, torch.SymFloat)) else torch.int64
    return torch.scalar_tensor(value, dtype=dtype)


def _number(x):
    if not isinstance(x, Tensor):
        return x
    known = _known(x)
    return x.item() if known is None else known


def _numbers(x):
    known = _known(x)
    return tuple(x.asnumpy().tolist() if known is None else known)


def _same(x, *_):
    return x


def _getitem(values, at):
    return values[int(at)]


def _with_item(values, at, value):
    return type(values)([*values[: int(at)], value, *values[int(at) + 1 :]])


def _with_slices(x, value, begin, end, strides):
    """A copy of ``x`` with ``value`` in a part of it."""
    x = x.copy()
    x[tuple(map(slice, begin, end, strides))] = value
    return x


def _shape(x):
    return tuple(x.shape)


def _slice(values, start, stop, step):
    return values[slice(start, stop, step)]


def _raise(kind, *texts):
    """The program's own error. The last input is what it ran after."""
    made = getattr(builtins, kind, None) if isinstance(kind, str) else None
    if not (isinstance(made, type) and issubclass(made, Exception)):
        made = RuntimeError
    raise made(*(t for t in texts if isinstance(t, (str, int, float))))


STRUCTURE = {
    "MakeTuple": lambda *values: values, "RealMakeTuple": lambda *values: values,
    "make_list": lambda *values: list(values), "MakeList": lambda *values: list(values),
    "TupleGetItem": _getitem, "ListGetItem": _getitem, "RealTupleGetItem": _getitem, "list_getitem": _getitem,
    "tuple_setitem": _with_item, "list_setitem": _with_item, "TupleSetItem": _with_item,
    "Load": _same, "Depend": _same, "StopGradient": _same, "Identity": _same, "UpdateState": lambda *_: U,
    "TensorCopySlices": _with_slices, "TensorMove": lambda x: x.copy(),
    "Contiguous": _same, "return": _same, "Return": _same, "Shape": _shape,
    "TensorShape": lambda x: number_tensor(_shape(x)),
    "TensorToScalar": _number, "TensorToTuple": _numbers, "TensorToList": lambda x: list(_numbers(x)),
    "sequence_len": len, "SequenceLen": len, "MonadNode": lambda *_: U,
    "InSequence": lambda a, values: a in values, "SequenceAdd": operator.add, "SequenceMul": operator.mul,
    "SequenceSlice": _slice, "SequenceEqual": operator.eq, "SequenceMax": max, "SequenceMin": min,
    "SequenceCount": lambda values, a: values.count(a),
    "SequenceIndex": lambda values, a, *_: values.index(a),
    "ListAppend": lambda values, a: [*values, a], "make_range": lambda *bounds: tuple(range(*bounds)),
    "is_": lambda a, b: a is b or (isinstance(a, bool) and isinstance(b, bool) and a == b),
    "string_concat": operator.add, "string_mul": operator.mul, "string_not": operator.not_,
    "string_in": lambda a, b: a in b, "StringUpper": str.upper, "StringLower": str.lower,
    "JoinedStr": lambda *parts: "".join(map(str, parts)), "raise": _raise,
    "bool_not": operator.not_, "bool_and": lambda a, b: a and b, "bool_or": lambda a, b: a or b,
    "bool_eq": operator.eq, "ScalarBool": bool, "ScalarCast": _same,
    "ScalarUsub": operator.neg, "ScalarUadd": _same, "ScalarFloor": math.floor, "ScalarTrunc": math.trunc,
    "ScalarLog": math.log, "ScalarAbs": abs, "ScalarMax": max, "ScalarMin": min,
}  # fmt: skip
STRUCTURE["is_not"] = lambda a, b: not STRUCTURE["is_"](a, b)
for _name in ("not", "and", "or"):
    STRUCTURE[f"Bool{_name.title()}"] = STRUCTURE[f"bool_{_name}"]
for _name in ("TupleToTensor", "ListToTensor", "ScalarToTensor"):
    STRUCTURE[_name] = number_tensor
for _name, _compute in (
    ("Add", operator.add), ("Sub", operator.sub), ("Mul", operator.mul), ("Div", operator.truediv),
    ("FloorDiv", operator.floordiv), ("Mod", operator.mod), ("Pow", operator.pow),
):  # fmt: skip
    STRUCTURE[f"Scalar{_name}"] = _compute
for _name, _compute in (
    ("eq", operator.eq), ("ne", operator.ne), ("lt", operator.lt), ("gt", operator.gt), ("le", operator.le),
    ("ge", operator.ge),
):  # fmt: skip
    STRUCTURE[f"Scalar{_name.title()}"] = STRUCTURE[f"string_{_name}"] = _compute
    for _kind in ("tuple", "list"):
        STRUCTURE[f"{_kind}_{'equal' if _name == 'eq' else _name}"] = _compute
for _kind in ("tuple", "list"):
    STRUCTURE[f"{_kind}_greater_than"] = operator.gt
    STRUCTURE[f"{_kind}_greater_equal"] = operator.ge
