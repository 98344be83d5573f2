"""How MindSpore's errors name a value that they refuse: its Python type, its kind to the compiler, to the
parser of calls, itself."""

from __future__ import annotations

import gc
import re

import numpy as np
import torch

from ms2torch._core.checks.calls import (
    class_text,
    compiled_name,
    describe,
    is_tensor_class,
    object_name,
    type_description,
    type_name,
)
from ms2torch._core.tensor.dtype import Type
from ms2torch._core.tensor.tensor import Tensor, lift, wrap


def renderings(value) -> dict[str, str]:
    """Each way in which an error may name ``value``, by the name of its hole in a template."""
    raw = value._t if isinstance(value, Tensor) else value
    cls = "<class 'abc.Parameter'>" if isinstance(raw, torch.nn.Parameter) else \
        "<class 'mindspore.common.tensor.Tensor'>" if isinstance(raw, torch.Tensor) else class_text(raw)
    for ours, public in _CLASSES:
        cls = cls.replace(ours, public)
    word = type_description(raw)
    return {
        "cls": cls.replace("ms2torch.", "mindspore."),
        "type": type_name(raw),
        "object": object_name(raw),
        "compiled": compiled_name(raw).replace("'numpy.bool'", "'numpy.bool_'"),
        "kind": word,
        "word": word[7:-1] if isinstance(raw, torch.Tensor) else word,
        "call": describe(raw),
        "value": _printed(raw)[:200],
        "repr": repr(_whole(raw)) if isinstance(raw, torch.Tensor) and _printed(raw) else
        shown(raw) if isinstance(raw, (tuple, list)) else repr(raw),
        **shapes(tuple(raw.shape) if isinstance(raw, (torch.Tensor, np.ndarray)) else ()),
        "of": kind_of(raw),
        "typed": f"<class 'mindspore._c_expression.typing.{_own_type(raw)}'>",
    }


def shown(value) -> str:
    """A value as it prints, numbers of numpy's without their types (as before numpy 2)."""
    value = _whole(value) if isinstance(value, torch.nn.Parameter) else lift(value)
    if isinstance(value, (tuple, list)):
        inside = ", ".join([repr(v) if isinstance(v, (str, np.ndarray)) else shown(v) for v in value])
        return f"[{inside}]" if isinstance(value, list) else f"({inside}{',' * (len(value) == 1)})"
    return str(value) if isinstance(value, (str, np.ndarray, np.generic)) else repr(value)


def _whole(raw: torch.Tensor) -> Tensor:
    """The Tensor over ``raw``; the Parameter itself, which prints its name, where one holds it."""
    holders = gc.get_referrers(raw) if isinstance(raw, torch.nn.Parameter) else ()
    return next((p for p in holders if isinstance(p, Tensor) and p.__class__ is not Tensor), wrap(raw))


def _printed(raw) -> str:
    """A value as it prints; nothing for tensors and arrays of more than two numbers."""
    if isinstance(raw, np.ndarray):
        return str(raw) if raw.size <= 2 else ""
    if isinstance(raw, torch.Tensor):
        known = raw.__class__ in (torch.Tensor, torch.nn.Parameter)  # an exporter's have no values
        return str(_whole(raw)) if known and raw.numel() <= 2 and not raw.is_meta else ""
    return shown(raw) if isinstance(raw, (tuple, list)) else str(raw)


# Classes by the names that MindSpore's have; numpy's bool is that of the releases which MindSpore runs on.
_CLASSES = (("<class 'torch.Tensor'>", "<class 'mindspore.common.tensor.Tensor'>"),
            ("<class 'torch.nn.parameter.Parameter'>", "<class 'abc.Parameter'>"),
            ("<class 'mindspore.common.parameter.Parameter'>", "<class 'abc.Parameter'>"),
            ("<class 'ms2torch._core.tensor.dtype.", "<class 'mindspore._c_expression.typing."),
            ("<class 'numpy.bool'>", "<class 'numpy.bool_'>"), ("<class 'ms2torch.", "<class 'mindspore."))
# In Python's own errors.
_QUOTED = re.compile(r"'(Bool|Int|UInt|Float|BFloat|Complex|TensorType|numpy\.bool)'")
_OPERANDS = re.compile(r"unsupported operand type|bad operand type|'.{1,4}' not supported between|"
                       r"'\w+' object (?:is|cannot|does)")


def with_public_classes(err: Exception, values=()) -> Exception:
    """``err`` with MindSpore's names for the classes that its text names, in a call that gave ``values``."""
    if len(err.args) == 1 and isinstance(text := err.args[0], str):
        if "'type'" in text and _has_tensor_class(values):
            text = text.replace("<class 'type'>", _META).replace("'type'", "'_TensorMeta'")
        if "tensor(" in text:                           # (a kernel's words print what it was given)
            for value in values:
                if isinstance(value, (torch.Tensor, tuple, list)) and (printed := str(value)) in text:
                    text = text.replace(printed, str(lift(value)))
        if err.__class__ is AttributeError and err.name == "_t":        # (a Tensor's own, here)
            text = f"{object_name(err.obj)} has no attribute 'dtype'"
        elif isinstance(getattr(err, "obj", None), Type) and not text.startswith("'mindspore."):
            text = f"'mindspore._c_expression.typing.{text.removeprefix(chr(39))}"
        elif err.__class__ is TypeError and _OPERANDS.match(text):
            text = _QUOTED.sub(_public_class, text)
        if text.startswith("'numpy.bool' object"):
            text = text.replace("bool", "bool_", 1)
        if "<class '" in text:
            for ours, public in _CLASSES:
                text = text.replace(ours, public)
        if text is not err.args[0]:
            err.args = (text,)
    return err


_META = "<class 'mindspore.common.tensor._TensorMeta'>"


def _has_tensor_class(values) -> bool:
    return any(_has_tensor_class(v) if isinstance(v, (tuple, list)) else is_tensor_class(v) for v in values)


def told_of_numpys(err: Exception, names, values) -> Exception:
    """``err`` about a call that got Python's numbers for numpy's among ``values``, in the words for these."""
    text = err.args[0] if len(err.args) == 1 and isinstance(err.args[0], str) else ""
    for name, value in zip(names, values, strict=False):
        if text and isinstance(value, np.generic):
            number = value.item()
            kind = describe(number)
            hits = list(re.finditer(rf"(?<!\w){name}={kind}\b", text)) or \
                list(re.finditer(rf"(?<!\w)\w+={kind}\b", text))[-1:]     # (of another name there)
            if hits:
                end = hits[0].end()
                text = text[: end - len(kind)] + describe(value) + text[end:]
            text = text.replace(class_text(number), class_text(value))
            for before in ("type", "got"):
                text = text.replace(f"{before} '{type_name(number)}'", f"{before} '{type_name(value)}'")
    if text:
        err.args = (text,)
    return err


def _public_class(found) -> str:
    return "'numpy.bool_'" if found[1] == "numpy.bool" else f"'mindspore._c_expression.typing.{found[1]}'"


def shapes(sizes: tuple[int, ...]) -> dict[str, str]:
    """The ways in which errors print a shape."""
    return {
        "shape": str(list(sizes)),
        "tuple": str(sizes),
        "vector": f"[const vector]{{{', '.join(map(str, sizes))}}}",
        "dims": f"[{''.join(f'{n},' for n in sizes)}]",
        "rank": str(len(sizes)),
    }


# MindSpore's own types by the classes of values; bool stands before int, its base.
_OWN_TYPES = ((type(None), "TypeNone"), ((bool, np.bool_), "Bool"), ((int, np.integer), "Int"),
              ((float, np.floating), "Float"), ((str, bytes), "String"), (list, "List"), (tuple, "Tuple"),
              (dict, "Dict"), (slice, "Slice"), (type(...), "TypeEllipsis"),
              ((Type, torch.dtype, type), "TypeType"))


def _own_type(value) -> str:
    """The name of MindSpore's own type for a value that is no Tensor."""
    if (name := type(value).__name__) in ("COOTensor", "CSRTensor"):
        return f"{name}Type"
    if type_description(value) == "Func":
        return "Function"
    return next((word for kinds, word in _OWN_TYPES if isinstance(value, kinds)), "Type")


def kind_of(value) -> str:
    """The word by which the tables call a value's kind."""
    if isinstance(value, torch.Tensor):
        return "Tensor"
    if isinstance(value, np.ndarray):
        return "numpy"
    if isinstance(value, (Type, torch.dtype)):
        return "dtype"
    if value is None:
        return "None"
    for told in (bool, int, float, complex, str, list, tuple, dict):
        if isinstance(value, told):
            return told.__name__
    return "object"
