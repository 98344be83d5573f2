"""What a graph says of an axis that a Tensor lacks: its own operators look while it is compiled, before
PyNative's would."""

from __future__ import annotations

import ast
import re

from ms2torch._core.tensor.tensor import Tensor

_RANGE = re.compile(r"[Ii]n (?:the )?range of \[-(\d+), ?(\d+)\), but got (-?\d+)")
_WORDS = {
    ("expand_dims", "unsqueeze", "ExpandDims"):
        lambda size, axis: "ExpandDimserror: axis value invalid. axis: "
                           f"{axis + size if axis < 0 else axis}, input dims: {size - 1}",
    ("squeeze", "Squeeze"):
        lambda size, axis: f"dim value error. dim:{axis}, dim value should be in [-{size}, {size}).",
    ("unbind", "unstack", "Unstack"):
        lambda size, axis: "For primitive[Unstack], the axis value must be in "
                           f"[-{size},{size}), but got {axis}.",
}
_BY_NAME = {name: tell for names, tell in _WORDS.items() for name in names}


def of_axis(text: str, place) -> ValueError | None:
    """The error of an axis, which PyNative tells by ``text``, in a graph's words; None for other errors."""
    func = getattr(place.node, "func", None)
    found = _RANGE.search(text)
    tell = _BY_NAME.get(_name(func))
    if found and tell:
        size, axis = int(found[2]), int(found[3])
        return ValueError(tell(size, axis))
    if found and text.startswith("The 'axis' must be in the range"):
        return ValueError(f"'{text}'")          # (raised by Python that the compiler ran)
    stacked = re.search(r"the Stack axis must be in \[-(\d+),(\d+)\], but got (-?\d+)", text)
    if stacked:
        low, high, axis = stacked.groups()
        return ValueError(f"For 'Stack', the 'axis' must be in range of [-{low}, {high}], but got {axis} "
                          "with type 'int'.")
    if text.startswith("For primitive[MeanExt]") and isinstance(func, ast.Attribute) and isinstance(
            place.value(func.value), Tensor):
        return ValueError(text.replace("MeanExt", "ReduceMean", 1))
    return None


def _name(func) -> str | None:
    """The name of the function, method or Primitive that is called."""
    while isinstance(func, ast.Call):
        func = func.func
    return func.id if isinstance(func, ast.Name) else getattr(func, "attr", None)
