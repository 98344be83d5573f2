"""What ``print`` writes from inside a graph: every item on lines of its own."""

from __future__ import annotations

from ms2torch._core import mode
from ms2torch._core.tensor import printing as _printing
from ms2torch._core.tensor.tensor import Tensor


def print_(*items, **keywords):
    """``print`` in a graph: an item a line, Tensors with shape, dtype and value, numbers as C++'s."""
    for name in keywords:
        raise RuntimeError(f"Got an unexpected keyword argument '{name}'")
    if mode.tracing is not None:
        mode.tracing.refuse_print()
    if any(map(_is_pythons, items)):
        print(*map(_pythons, items), flush=True)
        return
    texts = [line for item in items for line in lines(item)]
    if texts:
        print("\n".join(texts), flush=True)


def _is_pythons(item) -> bool:
    """Whether something is no value of a graph, or holds one: Python prints all that stands beside it."""
    if isinstance(item, dict):
        item = (*item.values(),)
    if isinstance(item, (tuple, list)):
        return any(map(_is_pythons, item))
    kind = type(item)
    return kind.__module__.partition(".")[0] not in _OF_A_GRAPH and not (
        callable(item) or hasattr(kind, "__ms_class__"))


_OF_A_GRAPH = frozenset({"builtins", "mindspore", "ms2torch", "torch"})


def _pythons(item):
    """An item as Python prints it: a dict is the tuple of its values."""
    item = item.value if isinstance(item, Known) else item
    return tuple(item.values()) if isinstance(item, dict) else item


def print_text(*items, _made_of, **keywords):
    """``print`` where a text is made of ``_made_of``: with a Tensor or None among it Python prints all."""
    if any(v is None or isinstance(v, Tensor) for v in _made_of) or _made_of is ALWAYS:
        for name in keywords:
            raise RuntimeError(f"Got an unexpected keyword argument '{name}'")
        print(*items, flush=True)
    else:
        print_(*items, **keywords)


# What a text made by ``%`` is made of: Python makes it in any case.
ALWAYS = ("%",)


def tensor_text(t) -> str:
    """A Tensor as graphs print it: repr's numbers without commas, a number alone where it has no shape."""
    if t.ndim == 0:
        return _number(t.item())
    head, _, values = _printing.to_repr(t).partition("value=")
    return f"{head}value={values.lstrip(' ').replace(',', '')}"


class Known:
    """Something printed that the compiler knows when it makes the graph."""

    __slots__ = ("value",)

    def __init__(self, value) -> None:
        self.value = value


def shown(value, is_known: bool):
    """``value`` as ``print`` gets it: told that it is a constant where that has a form of its own."""
    return Known(value) if is_known and isinstance(value, (Tensor, tuple, list, dict)) else value


def _known_text(t) -> str:
    """A constant Tensor as graphs print it: its numbers in parentheses."""
    if t.ndim == 0 or t.numel() == 0:
        return tensor_text(t)
    values = _printing.to_repr(t).partition("value=")[2].lstrip(" \n")[:-1]
    return values.replace("[", "(").replace("]", ")")


def constant_text(value) -> str:
    """A value as MindSpore's messages show it: ``str`` with its Tensors as graphs print them."""
    if isinstance(value, Tensor):
        return tensor_text(value._t)
    if isinstance(value, dict):
        return "{" + ", ".join(f"{k!r}: {constant_text(v)}" for k, v in value.items()) + "}"
    return repr(value)


def lines(item, known: bool = False) -> list:
    """The lines of one item, of a constant if ``known``."""
    if item.__class__ is Known:
        item, known = item.value, True
    if isinstance(item, Tensor):
        return [_known_text(item._t) if known else tensor_text(item._t)]
    if isinstance(item, dict):
        item = tuple(item.values())
    if isinstance(item, (tuple, list)):
        if item and all(isinstance(v, (int, float)) for v in item):
            form = _exponent if any(isinstance(v, float) for v in item) else str
            return ["(" + ", ".join(form(v) for v in item) + ")"]
        return [line for v in item for line in _parts(v, _holds_tensor(item), known)]
    return [_number(item) if isinstance(item, (bool, int, float)) else str(item)]


def _parts(item, among_tensors: bool, known: bool) -> list:
    """The lines of what stands in a sequence; ``among_tensors``: the sequence is not constant."""
    if not isinstance(item, (tuple, list)):
        return lines(item, known)
    if among_tensors and item and all(isinstance(v, (int, float)) for v in item):
        from ms2torch.common.tensor import Tensor as made

        return [tensor_text(made(list(item))._t)]
    return [line for v in item for line in _parts(v, among_tensors, known)]


def _holds_tensor(items) -> bool:
    return any(isinstance(v, (Tensor, Known)) or (isinstance(v, (tuple, list)) and _holds_tensor(v))
               for v in items)


def _number(value) -> str:
    """A number as a C++ stream writes it: six digits, booleans as 1 and 0."""
    return f"{value:g}" if isinstance(value, float) else str(int(value))


def _exponent(value) -> str:
    return f"{value: .8e}"
