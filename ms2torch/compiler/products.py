"""Sums of products as one product: a weight that a step uses many times (an RNN's, a shared layer's) gets its
gradient as one product of matrices over all uses, not as a sum of many small ones.

``a1 @ b1 + a2 @ b2 + ...`` is ``cat(a1, a2, ...) @ cat(b1, b2, ...)``, and a sum of sums over rows is the sum
over all rows. Other orders of the same additions: what a compiler may choose, and `comparing` measures.
"""

from __future__ import annotations

import torch
from torch.fx import GraphModule, Node

aten = torch.ops.aten
# Fewer uses than this are left as they are.
FEWEST = 4
_NOTHING = (aten.detach.default, aten.alias.default)


def joined(gm: GraphModule) -> None:
    """Rewrite ``gm`` in place."""
    rows: dict[tuple, Node] = {}
    found = False
    written = _written(gm)
    for top in [n for n in gm.graph.nodes if _is_sum(n) and not any(_is_sum(u) for u in n.users)]:
        leaves = _leaves(top)
        if len(leaves) < FEWEST:
            continue
        for kind in (_product, _row_sum):
            parts = [kind(leaf) for leaf in leaves]
            if (all(parts) and len({p[0] for p in parts}) == 1
                    and not any(_memory(x) in written for p in parts for x in p[1:])):
                with gm.graph.inserting_before(top):
                    new = kind.join(gm.graph, rows, top, parts)
                top.replace_all_uses_with(new)
                found = True
                break
    if found:
        gm.graph.eliminate_dead_code()
        gm.graph.lint()
        gm.recompile()


def _value(node):
    """The tensor without data that stands for what a node gives; None where it gives something else."""
    value = node.meta.get("val") if isinstance(node, Node) else None
    return value if isinstance(value, torch.Tensor) else None


def _memory(node: Node):
    return _value(node).untyped_storage()._cdata


def _written(gm: GraphModule) -> set:
    """The memory that something in the graph writes to: what stands there cannot be read later."""
    found = set()
    for node in gm.graph.nodes:
        arguments = getattr(getattr(node.target, "_schema", None), "arguments", ())
        for given, argument in zip(node.args, arguments, strict=False):
            if argument.alias_info is not None and argument.alias_info.is_write:
                found |= {_memory(n) for n in (given if isinstance(given, (list, tuple)) else [given])
                          if _value(n) is not None}
    return found


def _is_sum(node: Node) -> bool:
    if node.target is not aten.add.Tensor or node.kwargs or len(node.args) != 2:
        return False
    values = [_value(n) for n in (node, *node.args)]
    return all(v is not None for v in values) and len({(v.shape, v.dtype) for v in values}) == 1


def _leaves(top: Node) -> list[Node]:
    """What is added up, first to last; sums that others read too are leaves."""
    found, waiting = [], [top]
    while waiting:
        node = waiting.pop()
        if node is top or (_is_sum(node) and len(node.users) == 1):
            waiting += reversed(node.args)
        else:
            found.append(node)
    return found


def _plain(node: Node) -> Node:
    """``node`` without transpositions that undo each other; another Node where one is left over."""
    while True:
        inner = node
        while inner.target in _NOTHING:
            inner = inner.args[0]
        if inner.target is aten.t.default:
            below = inner.args[0]
            while below.target in _NOTHING:
                below = below.args[0]
            if below.target is aten.t.default:
                node = below.args[0]
                continue
        return inner


def _product(leaf: Node):
    """(shape of a term, rows of the first factor transposed, rows of the second): ``first.T @ second``."""
    node = _plain(leaf)
    if node.target is not aten.mm.default:
        return None
    first, second = map(_plain, node.args)
    if first.target is not aten.t.default or _value(second) is None or _value(first.args[0]) is None:
        return None
    return tuple(_value(node).shape), first.args[0], second


def _join_products(graph, rows, top, parts):
    first, second = (_rows(graph, rows, [p[i] for p in parts]) for i in (1, 2))
    return _like(graph.call_function(aten.mm.default, (_like(
        graph.call_function(aten.t.default, (first,)), _value(first).t()), second)), _value(top))


_product.join = _join_products


def _row_sum(leaf: Node):
    """(shape, rows): the sum of the rows, as a vector or one row."""
    node = _plain(leaf)
    if node.target is aten.view.default:
        node = _plain(node.args[0])
    if node.target is not aten.sum.dim_IntList or list(node.args[1]) != [0] or node.kwargs:
        return None
    of = _plain(node.args[0])
    return (tuple(_value(leaf).shape), of) if _value(of) is not None and _value(of).ndim == 2 else None


def _join_sums(graph, rows, top, parts):
    of = _rows(graph, rows, [p[1] for p in parts])
    total = _like(graph.call_function(aten.sum.dim_IntList, (of, [0])), _value(of).sum([0]))
    return _like(graph.call_function(aten.view.default, (total, list(_value(top).shape))), _value(top))


_row_sum.join = _join_sums


def _rows(graph, known: dict, parts: list[Node]) -> Node:
    """All rows of ``parts``, one matrix; made once for those who share it."""
    key = tuple(parts)
    if key not in known:
        known[key] = _like(graph.call_function(aten.cat.default, (parts,)),
                           torch.cat([_value(p) for p in parts]))
    return known[key]


def _like(node: Node, value) -> Node:
    node.meta["val"] = value
    return node
