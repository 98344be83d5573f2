"""Parts of Parameters: what a graph reads of one (``self.w[0]``, ``self.w.T``) is a value, which later writes
to the Parameter do not reach."""

from __future__ import annotations

import ast
import types

from torch.nn import Module

from ms2torch._core.tensor.tensor import Tensor
from ms2torch.common.parameter import Parameter
from ms2torch.language.trees import base_of

# Functions and methods whose result shares memory with what they are given.
# fmt: off
_SHARING = frozenset({
    "broadcast_to", "chunk", "diagonal", "dsplit", "expand", "expand_as", "expand_dims", "flatten", "hsplit",
    "moveaxis", "movedim", "narrow", "permute", "ravel", "reshape", "reshape_as", "select", "split",
    "squeeze", "swapaxes", "swapdims", "t", "tensor_split", "transpose", "unbind", "unsqueeze", "unstack",
    "view", "view_as", "vsplit",
})
# fmt: on
_ATTRIBUTES = frozenset({"T", "mT", "H", "mH"})


def apart(value, base):
    """``value``, which was read of ``base``, over memory of its own where that is a Parameter."""
    if not isinstance(base, Parameter):
        return value
    if isinstance(value, Tensor):
        return value.copy()
    return value.__class__(map(Tensor.copy, value)) if value.__class__ in (tuple, list) else value


def source_of(node):
    """The expression whose memory the value of ``node`` shares, by its look; None for other expressions."""
    base = None
    if isinstance(node, ast.Subscript) or (isinstance(node, ast.Attribute) and node.attr in _ATTRIBUTES):
        base = node.value
    elif isinstance(node, ast.Call):
        func, name = node.func, getattr(node.func, "attr", getattr(node.func, "id", "")).lower()
        if name in _SHARING:
            whole = node.args[0] if node.args else None
            base = whole if whole is not None and _is_plain(whole) else getattr(func, "value", None)
    return base if base is not None and _is_plain(base) else None


def _is_plain(node) -> bool:
    """Whether an expression may be evaluated twice: a name, an attribute of one, an item by a number."""
    if isinstance(node, ast.Subscript):
        return isinstance(node.slice, (ast.Constant, ast.Name)) and _is_plain(node.value)
    if isinstance(node, ast.Attribute):
        return isinstance(node.value, (ast.Name, ast.Attribute)) and _is_plain(node.value)
    return isinstance(node, ast.Name)


class Values:
    """What names outside of a function hold, and attributes of ``self`` and of the Cells in it."""

    def __init__(self, owner, self_name: str | None, outer) -> None:
        self.owner, self.self_name, self._outer = owner, self_name, outer

    def of(self, node):
        """The value of a name or an attribute; None if unknown."""
        if not isinstance(node, ast.Attribute):
            return self._outer(node)
        own = isinstance(node.value, ast.Name) and node.value.id == self.self_name
        holder = self.owner if own else self.of(node.value)
        if not isinstance(holder, Module) or isinstance(getattr(type(holder), node.attr, None), property):
            return self._outer(node)
        return getattr(holder, node.attr, None)


class Parts:
    """Whether a function, or another method of its class, writes to Parameters of which it reads parts."""

    def __init__(self, function, owner, values, definition) -> None:
        self.owner, self.value_of = owner, values.of
        read = [base for node in ast.walk(function)
                if isinstance(getattr(node, "ctx", ast.Load()), ast.Load)
                and (base := source_of(node)) is not None and self.may_be(base)]
        self.any = bool(read) and (
            self._writes(function) or any(map(self._writes, self._methods(definition))))

    def may_be(self, node) -> bool:
        """Whether an expression is a Parameter, or a local name, which may be one."""
        base = base_of(node)
        if isinstance(base, ast.Name):
            value = self.value_of(base)
            return value is None or self._holds(value)
        return self._holds(self.value_of(base))

    @staticmethod
    def _holds(value) -> bool:
        if isinstance(value, (tuple, list)) and value:
            value = value[0]
        return isinstance(value, Parameter)

    def _methods(self, definition):
        """The other methods of the class, as trees."""
        for cls in type(self.owner).__mro__ if self.owner is not None else ():
            if not cls.__module__.startswith("ms2torch"):
                methods = [m for m in vars(cls).values() if isinstance(m, types.FunctionType)]
                yield from filter(None, (definition(m.__code__) for m in methods))

    def _writes(self, function) -> bool:
        return any(map(self._is_write, ast.walk(function)))

    def _is_write(self, node) -> bool:
        if isinstance(node, ast.Call):
            name = getattr(node.func, "attr", getattr(node.func, "id", "")).lower()
            return name.startswith(("assign", "scatter_")) or self._is_optimizer(node.func)
        if isinstance(node, (ast.Subscript, ast.Attribute)) and isinstance(node.ctx, ast.Store):
            base = base_of(node)
            return not isinstance(base, ast.Name) and self._holds(self.value_of(base))
        return False

    def _is_optimizer(self, func) -> bool:
        from ms2torch.nn.optim.optimizer import Optimizer

        return isinstance(func, ast.Attribute) and isinstance(self.value_of(func), Optimizer)
