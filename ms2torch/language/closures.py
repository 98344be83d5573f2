"""Functions inside a graph's function: they see the values of its names at their definition."""

from __future__ import annotations

import ast
import types

from ms2torch.language.containers import CHANGING
from ms2torch.language.trees import PREFIX, placed

_LOOPS = (ast.For, ast.While, ast.ListComp, ast.GeneratorExp, ast.DictComp)
_SCOPES = (ast.FunctionDef, ast.Lambda)


def frozen(function):
    """``function`` with the values that its closure has now; a name that has none yet stays without."""
    if not isinstance(function, types.FunctionType) or not function.__closure__:
        return function
    cells = []
    for cell in function.__closure__:
        try:
            cells.append(types.CellType(cell.cell_contents))
        except ValueError:
            cells.append(types.CellType())
    made = types.FunctionType(function.__code__, function.__globals__, function.__name__,
                              function.__defaults__, tuple(cells))
    made.__kwdefaults__, made.__qualname__ = function.__kwdefaults__, function.__qualname__
    made.__dict__.update(function.__dict__)
    for cell, old in zip(cells, function.__closure__, strict=True):
        if _content(old) is function:       # it calls itself
            cell.cell_contents = made
    return made


def take_in(function, names: set) -> None:
    """Give the tree of an inner ``function`` the values that ``names`` have around it, which its statements
    bind anew: what it changes in a list or a dict is a list or a dict of its own."""
    for name in sorted(n for n in names if not n.startswith(PREFIX)):
        function.args.kwonlyargs.append(placed(ast.arg(name), function))
        function.args.kw_defaults.append(placed(ast.Name(name, ast.Load()), function))


def _content(cell):
    try:
        return cell.cell_contents
    except ValueError:
        return None


class Late:
    """Which functions inside ``function`` read a name that is bound anew after they were made."""

    def __init__(self, function) -> None:
        self.late: set[int] = set()
        stores: list[tuple] = []        # (name, line, loops around)
        inner: list[tuple] = []         # (node, loops around)
        self._walk(function, (), stores, inner, True)
        for node, loops in inner:
            reads = {n.id for n in ast.walk(node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)}
            reads -= {a.arg for a in ast.walk(node.args) if isinstance(a, ast.arg)}
            last = getattr(node, "end_lineno", node.lineno)
            if any(name in reads and (line > last or set(around) & set(loops))
                   for name, line, around in stores if line != node.lineno or isinstance(node, ast.Lambda)):
                self.late.add(id(node))
            of_loops = {n.id for loop in loops for n in ast.walk(loop)
                        if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
            if reads & of_loops - {getattr(node, "name", None)}:
                self.late.add(id(node))

    def of(self, node) -> bool:
        return id(node) in self.late

    def _walk(self, node, loops, stores, inner, outermost=False) -> None:
        if isinstance(node, _SCOPES) and not outermost:
            inner.append((node, loops))
            if isinstance(node, ast.FunctionDef):
                stores.append((node.name, node.lineno, loops))
        if isinstance(node, _LOOPS):
            loops = (*loops, node)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            stores.append((node.id, node.lineno, loops))
        if (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)
                and isinstance(node.func.value, ast.Name) and node.func.attr in CHANGING):
            stores.append((node.func.value.id, node.lineno, loops))
        for child in ast.iter_child_nodes(node):
            self._walk(child, loops, stores, inner)
