"""How MindSpore's core, in C++, prints a value, and the abstract that its compiler has of one."""

from __future__ import annotations

import numpy as np
import torch

from ms2torch._core.checks.calls import class_text, dtype_name, type_description
from ms2torch._core.tensor.dtype import Type
from ms2torch._core.tensor.tensor import Tensor, wrap


def core(value) -> str:
    """``true``, ``1.23457e+08``, ``(1, (2))``, ``class 'int'``, ``PythonObject(type: <class 'set'>, ..)``."""
    value = _plain(value)
    if isinstance(value, torch.Tensor):
        shape = ", ".join(map(str, value.shape))
        return f"Tensor(shape=[{shape}], dtype={dtype_name(value.dtype)}, value={wrap(value)})"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float):
        return f"{value:g}"
    if isinstance(value, bytes):
        return value.decode("utf8", "replace")
    if isinstance(value, (tuple, list)):
        inside = ", ".join(map(core, value))
        return f"({inside})" if isinstance(value, tuple) else f"[{inside}]"
    if isinstance(value, type):
        return _class(value)
    if isinstance(value, slice):
        return f"Slice[{' : '.join(map(core, (value.start, value.stop, value.step)))}]"
    if isinstance(value, Type):
        return value._text
    kind = type_description(value)
    if kind == "Func" and hasattr(value, "construct"):
        home = f"{type(value).__module__}.{type(value).__name__}".replace("ms2torch.", "mindspore.")
        return f"{home.replace('.', '_')}_construct_1"
    return f"PythonObject(type: {class_text(value)}, value: {value})" if kind == "External" else str(value)


def abstract(value, inner: str = "") -> str:
    """``AbstractScalar(Type: Int64, Value: 1, Shape: NoShape)``; ``inner`` stands before the elements of a
    sequence inside one."""
    value = _plain(value)
    if isinstance(value, torch.Tensor):
        shape = ", ".join(map(str, value.shape))
        return (f"AbstractTensor(shape: ({shape}), element: AbstractScalar(Type: {dtype_name(value.dtype)}, "
                "Value: ValueAny, Shape: NoShape), value_ptr: 0x0, value: ValueAny)")
    if isinstance(value, (tuple, list)):
        told = (abstract(v, inner + "    ") for v in value)
        inside = ", ".join(f"\n{inner}element[{k}]: {v}" for k, v in enumerate(told))
        kind = "Tuple" if isinstance(value, tuple) else "List"
        return f"\n{inner}Abstract{kind}{{{inside}, dynamic_len:0, is dyn arg:0}}\n"
    if value is None or value is ...:
        return f"Abstract{type(value).__name__.removesuffix('Type').capitalize()}(Value: {value})"
    if isinstance(value, slice):
        return f"AbstractSlice[{' : '.join(map(abstract, (value.start, value.stop, value.step)))}]"
    if isinstance(value, dict):
        pairs = ", ".join(f"({abstract(k)}: {abstract(v)})" for k, v in value.items())
        return f"AbstractDictionary{{ {pairs}{' ' * bool(pairs)}}}"
    if isinstance(value, Type):
        return f"AbstractType(Value: {core(value)})"
    if (kind := type_description(value)) == "Func" and hasattr(value, "construct"):
        return f"FuncGraphAbstractClosure: FuncGraph: {core(value)}; Context: <Dummy Context>"
    return f"AbstractScalar(Type: {kind}, Value: {core(value)}, Shape: NoShape)"


def _plain(value):
    """A number of numpy's as Python's, a Tensor as torch's."""
    return value.item() if isinstance(value, np.generic) else value._t if isinstance(value, Tensor) else value


def _class(value: type) -> str:
    home = value.__module__.replace("ms2torch.", "mindspore.").replace("_core.tensor.", "common.")
    return f"class '{value.__name__ if home == 'builtins' else f'{home}.{value.__name__}'}'"
