"""Lists, Tensors and names outside of a function that it writes to: a graph writes to what is its own.

``LIST.append(x)`` or ``LIST[0] = x`` of a global list, of one in the closure, ``self.items[0] = x``: the
rest of the function sees the change, nobody else does. The same with Tensors that are no Parameters;
where the function also assigns ``self.buffer``, nobody sees what it writes to ``self.buffer[0]``.
What is assigned to a name that ``global`` declares is computed and dropped; whoever reads
the name sees what it was.
"""

from __future__ import annotations

import ast

from ms2torch._core.tensor.tensor import Tensor
from ms2torch.common.parameter import Parameter
from ms2torch.language.containers import CHANGING, OF_DICTS
from ms2torch.language.trees import base_of, copied, placed, root_of

_PREFIX = "_graph_own_"
_PARTED = (list, Tensor)


def _is(value, kind) -> bool:
    return isinstance(value, kind) and not isinstance(value, Parameter)


def taken_in(node: ast.FunctionDef, self_name: str | None, value_of, moves) -> bool:
    """Have ``node`` write to copies of its own; whether there was something to change. ``value_of`` tells
    what an outer name or an attribute of ``self`` holds, ``moves`` whether an index hangs on what ``node``
    sets: by such a one an attribute's Tensor itself is written."""
    declared = {name for n in ast.walk(node) if isinstance(n, ast.Global) for name in n.names}
    local = {n.id for n in ast.walk(node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
    local |= {n.arg for n in ast.walk(node) if isinstance(n, ast.arg)}
    stored_attributes = {n.attr for n in ast.walk(node)
                         if isinstance(n, ast.Attribute) and isinstance(n.ctx, ast.Store)}
    moving = {base.attr for n in ast.walk(node) if isinstance(n, ast.Subscript) and moves(n.slice)
              and isinstance(base := base_of(n), ast.Attribute)}
    held, lost = {}, set()
    for target, kind in _written(node):
        if isinstance(target, ast.Name) and target.id not in local and _is(value_of(target), kind):
            held[target.id] = target
        elif isinstance(target, ast.Attribute) and getattr(target.value, "id", None) == self_name is not None:
            value = value_of(target)
            if target.attr in moving and _is(value, Tensor):
                continue
            if target.attr not in stored_attributes and _is(value, _PARTED):
                held[f"{self_name}.{target.attr}"] = target
            elif _is(value, Tensor):
                lost.add(ast.unparse(target))
        elif isinstance(target, ast.Attribute) and _is(value_of(target), Tensor):      # of a Cell in this one
            lost.add(ast.unparse(target))
    if not held and not lost and not declared & local:
        return False
    own = _Own(held, declared & local, self_name, lost)
    starts = [placed(ast.Assign([ast.Name(_name(key), ast.Store())], _read(target)), node.body[0])
              for key, target in held.items()]
    node.body = [*starts, *map(own.visit, node.body)]
    return True


def _written(node):
    """What stands under the subscripts that ``node`` stores to, and outer names whose list or dict a method
    changes; each with what it must be."""
    for n in ast.walk(node):
        if isinstance(n, ast.Subscript) and isinstance(n.ctx, ast.Store):
            yield base_of(n), _PARTED
        elif (isinstance(n, ast.Call) and isinstance(n.func, ast.Attribute) and n.func.attr in CHANGING
                and root_of(n.func.value) is not None):
            yield root_of(n.func.value), (list, dict) if n.func.attr in OF_DICTS else list


def _read(target):
    if isinstance(target, ast.Name):
        return ast.Name(target.id, ast.Load())
    return ast.Attribute(ast.Name(target.value.id, ast.Load()), target.attr, ast.Load())


def _name(key: str) -> str:
    return _PREFIX + key.replace(".", "_")


class _Own(ast.NodeTransformer):
    """Puts a function's own names in the place of outer ones."""

    def __init__(self, held: dict, dropped: set, self_name: str | None, lost: set) -> None:
        self.held, self.dropped, self.self_name, self.lost = held, dropped, self_name, lost

    def visit_Name(self, node):
        own = node.id in (self.dropped if isinstance(node.ctx, ast.Store) else self.held)
        return placed(ast.Name(_name(node.id), node.ctx), node) if own else node

    def visit_Attribute(self, node):
        key = f"{self.self_name}.{node.attr}"
        if isinstance(node.value, ast.Name) and node.value.id == self.self_name and key in self.held:
            return placed(ast.Name(_name(key), node.ctx), node)
        return self.generic_visit(node)

    def visit_Assign(self, node):
        """``self.buffer[0] = x`` beside ``self.buffer = y``: computed, and seen by nobody."""
        node.targets = [self._unseen(target) for target in node.targets]
        return self.generic_visit(node)

    def _unseen(self, target):
        if isinstance(target, (ast.Tuple, ast.List)):
            target.elts = list(map(self._unseen, target.elts))
            return target
        return placed(ast.Name(_PREFIX + "unseen", ast.Store()), target) if self._is_lost(target) else target

    def _is_lost(self, target) -> bool:
        base = base_of(target)
        return isinstance(target, ast.Subscript) and isinstance(base, ast.Attribute) and (
            ast.unparse(base) in self.lost)

    def visit_AugAssign(self, node):
        """``counter += 1`` of a global name reads it."""
        if self._is_lost(node.target):
            part = copied(node.target)
            part.ctx = ast.Load()
            return placed(ast.Assign([self._unseen(node.target)], ast.BinOp(part, node.op, node.value)), node)
        if isinstance(node.target, ast.Name) and node.target.id in self.dropped:
            value = placed(ast.BinOp(ast.Name(node.target.id, ast.Load()), node.op, node.value), node)
            return self.visit(placed(ast.Assign([node.target], value), node))
        return self.generic_visit(node)
