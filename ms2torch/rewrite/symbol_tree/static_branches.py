"""Branches whose condition is known before the network runs."""

from __future__ import annotations

import ast

from ..node import CellContainer, ControlFlow, NodeManager

__all__ = ["settle"]


def settle(tree) -> None:
    """Put the branch that is taken in the place of each ``if`` whose condition is known."""
    _settle(tree, tree)


def _settle(tree, block) -> None:
    for node in block.nodes():
        if isinstance(node, CellContainer) or not isinstance(node, NodeManager):
            continue
        if node.get_node_manager() is None:                # its other half was settled
            continue
        _settle(tree, node)
        code = node.get_ast()
        if isinstance(node, ControlFlow) and isinstance(code, ast.If):
            test = _condition(tree, block, node)
            if test is not None:
                _choose(tree, block, node, test)


def _condition(tree, block, node):
    """What a condition is, where it is known: of names of the module and of ``self``."""
    try:
        return bool(_value(tree, node.get_ast().test, block.nodes()[: block.nodes().index(node)]))
    except Exception:
        return None


def _value(tree, code: ast.expr, before: list):
    """What an expression is; LookupError for what is not known before the network runs."""
    local = {}
    for name in {one.id for one in ast.walk(code) if isinstance(one, ast.Name)}:
        place = next((k for k in range(len(before) - 1, -1, -1)
                      if name in map(str, before[k].get_targets())), None)
        if place is not None and isinstance(before[place].get_ast(), ast.Assign):
            local[name] = _value(tree, before[place].get_ast().value, before[:place])
        elif place is not None or name in tree.settable:
            raise LookupError(name)
    called = [one.func for one in ast.walk(code) if isinstance(one, ast.Call)]
    if any("self" in ast.unparse(one) for one in called):
        raise LookupError("self")                          # may change something
    text = ast.parse(ast.unparse(code), mode="eval")
    return eval(compile(text, "<rewrite>", "eval"), dict(tree.world), {"self": tree.network, **local})


def _choose(tree, block, node, test: bool) -> None:
    halves = [one for one in (node, node.other) if one is not None]
    taken = next((one for one in halves if one.is_orelse is not test), None)
    at, body = block.node_list.index(node), block.get_manager_ast()
    place = next(k for k, one in enumerate(body) if one is node.get_ast())
    for one in halves:
        block.node_list.remove(one)
        one.set_node_manager(None)
    members = taken.nodes() if taken is not None else []
    body[place : place + 1] = list(taken.get_manager_ast()) if taken is not None else []
    for k, one in enumerate(members):
        one.set_node_manager(block)
        block.node_list.insert(at + k, one)
    tree.change(block)
