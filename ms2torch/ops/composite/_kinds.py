"""The kinds that MultitypeFuncGraph chooses by: names that functions are registered for, the kinds of an
argument, and how an error tells both."""

from __future__ import annotations

import inspect
import re

import numpy as np

from ms2torch._core.errors import final
from ms2torch._core.tensor import dtype
from ms2torch._core.tensor.tensor import Tensor

_NUMBERS = re.compile(r"(?:Int|int|UInt|uint|Float|float|BFloat|bfloat|Complex|complex|HiFloat|hifloat)\d*"
                      r"|[Bb]ool|[Ff]loat8_?\w+")
_NAMES = frozenset((
    "Tensor", "Number", "String", "None", "Tuple", "List", "Dictionary", "Function", "TypeType", "Slice",
    "Ellipsis", "RowTensor", "COOTensor", "CSRTensor", "MapTensor", "Undetermined", "Problem", "Keyword",
    "EnvType", "UMonad", "IOMonad",
    "Ref", "RefKey", "IndexedSlices", "SparseTensor", "Class"))     # these of earlier releases
_OF_CLASSES = {int: np.int64, float: np.float64, bool: np.bool_, complex: np.complex128}
_SPARSE = ("RowTensor", "COOTensor", "CSRTensor", "MapTensor")
_TOLD = {"string": "string_", "tuple": "tuple_", "list": "list_", "none": "type_none",
         "typetype": "type_type", "dictionary": "Dictionary"}


def registered(kind) -> str:
    """The name that ``register`` was given; TypeError or RuntimeError for what is no kind to MindSpore."""
    if isinstance(kind, dtype.Type):
        return str(kind)
    if not isinstance(kind, str):
        raise TypeError("For 'MultitypeFuncGraph', register only support str or "
                        f"<class 'mindspore._c_expression.typing.Type'>, but got 'type_input': {kind}.")
    head, _, inside = kind.partition("[")
    if kind not in _NAMES and not _NUMBERS.fullmatch(kind) and not (
            inside.endswith("]") and head in ("Tensor", "List", "Tuple", "Function")):
        raise final(RuntimeError(f"Unsupported type name: {kind}!"))
    return kind


def of(obj, graph: bool) -> tuple[str, ...]:
    """The names, in small letters, that an argument answers to, its own first; ``graph``: in a graph, which
    takes Python's floats for Float32. NotImplementedError for what has no kind."""
    kind = type(obj)
    if issubclass(kind, Tensor):
        return (f"tensor[{str(obj.dtype).lower()}]", "tensor", "ref")
    if obj is None:
        return ("none",)
    if kind is type and obj in _OF_CLASSES:
        return ("typetype",) if graph else _number(np.dtype(_OF_CLASSES[obj]).name)
    if issubclass(kind, (bool, np.bool_)):
        return ("bool", "number")
    if issubclass(kind, np.generic):
        return _number(obj.dtype.name)
    if issubclass(kind, int):
        return _number("int64")
    if issubclass(kind, float):
        return ("float32", *_number("float64")) if graph else _number("float64")
    if issubclass(kind, complex):
        return _number("complex128")
    for plain, name in ((str, "string"), (tuple, "tuple"), (list, "list"), (dtype.Type, "typetype")):
        if issubclass(kind, plain):
            return (name,)
    if graph and (name := {dict: "dictionary", slice: "slice", type(...): "ellipsis"}.get(kind)):
        return (name,)
    if kind.__name__ in _SPARSE:
        return (kind.__name__.lower(), "indexedslices" if kind.__name__ == "RowTensor" else "sparsetensor",
                *(() if graph else ("tensor",)))
    if not callable(obj) or inspect.isclass(obj) or kind.__name__ == "MultitypeFuncGraph":
        name = str(kind).replace("ms2torch.", "mindspore.")
        raise final(NotImplementedError(f"The python type {name} cannot be converted to MindSpore type."))
    return ("function",)


def _number(name: str) -> tuple[str, ...]:
    return (name, name.rstrip("0123456789"), "number")


def told(entries, kinds) -> str:
    """Which functions there are, and the kinds of a call that none of them takes."""
    known = ", ".join(f"(({_names(names)}), {fn!r})" for names, fn in entries)
    return f"Got (sigs, fn): [{known}], and (dtype, args): ({_names(k[0] for k in kinds)})"


def _names(names) -> str:
    told = [f"mindspore.{_TOLD.get(n.lower(), n.lower())}" for n in names]
    return ", ".join(told) + ("," if len(told) == 1 else "")
