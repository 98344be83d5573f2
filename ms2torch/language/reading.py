"""From a function to the copy of it that follows graph mode's language.

``copy_of`` reads a function's source once. Where nothing in it differs from Python the answer is the function
itself. Otherwise it is a copy: compiled from the changed syntax tree with the same file, lines, columns,
globals, closure and defaults, so that tracebacks, debuggers and coverage show the user's lines. What the
copy needs beside them comes in through its closure.
"""

from __future__ import annotations

import ast
import collections
import copy
import functools
import inspect
import linecache
import re
import sys
import types
from dataclasses import dataclass, field
from pathlib import Path

from ms2torch._core.errors import final
from ms2torch.language import names, refusals
from ms2torch.language.rewriting import Rewriting
from ms2torch.language.stated import stated

_OURS = __name__.partition(".")[0]
_PACKAGE = str(Path(__file__).resolve().parents[1])
# Packages whose functions are not compiled in MindSpore either, or are the engine itself.
FOREIGN = frozenset({_OURS, "mindspore", "torch", "numpy", "scipy"}) | getattr(
    sys, "stdlib_module_names", frozenset()
)


@dataclass
class Reading:
    """What is known of one function, read for one class of ``self``."""

    function: types.FunctionType
    copy: object  # the function itself where nothing differs
    seen: dict
    cells: list = field(default_factory=list)

    def serves(self, other) -> bool:
        """Whether ``other``, of the same source, reads like this one."""
        return _same_surroundings(self.function, other) and all(
            other.__globals__.get(name) is value for name, value in self.seen.items())


_readings: dict = {}


def copy_of(function: types.FunctionType, owner=None):
    """``function``, or its copy in graph mode's language.

    ``owner`` is the object that is its ``self``: what its methods and attributes are decides what differs.
    """
    function = undecorated(function)
    key = _key(function, owner)
    found = _readings.get(key)
    if found is None or (found.function is not function and not found.serves(function)):
        found = _readings[key] = Reading(function, function, _globals_of(function))
        _read(found, owner)
    return found.copy if found.function is function else _again(found, function)


def undecorated(function: types.FunctionType) -> types.FunctionType:
    """What the decorators of a program wrapped (``functools.wraps``): MindSpore compiles its source."""
    inner = function
    while inner.__class__ is types.FunctionType and not _is_ours(inner):
        function, inner = inner, inner.__dict__.get("__wrapped__")
    return function


def _is_ours(function: types.FunctionType) -> bool:
    return function.__code__.co_filename.startswith(_PACKAGE)


def _key(function, owner) -> tuple:
    """Functions that one piece of source makes again and again (a lambda in a loop) are read once."""
    return function.__code__, type(owner) if owner is not None else None


# What a function sees in its closure decides what its source means, but for things like these.
_TOLD = (types.FunctionType, types.MethodType, int, float, str, tuple, list, dict, set, type(None), type)


def _same_surroundings(one, other) -> bool:
    return one.__globals__ is other.__globals__ and all(
        a is b or (type(a) is type(b) and not isinstance(a, _TOLD))
        for a, b in zip(_closed_over(one), _closed_over(other), strict=True))


def _globals_of(function) -> dict:
    """The global values by which the source of ``function`` is told."""
    known, found = function.__globals__, {}
    for name in _names_in(function.__code__):
        value = known.get(name)
        if isinstance(value, _TOLD):
            found[name] = value
    return found


@functools.lru_cache(512)
def _names_in(code) -> tuple:
    inner = [_names_in(c) for c in code.co_consts if isinstance(c, types.CodeType)]
    return tuple(dict.fromkeys((*code.co_names, *(n for names in inner for n in names))))


def _closed_over(function) -> list:
    return [_content(cell) for cell in function.__closure__ or ()]


def _content(cell):
    try:
        return cell.cell_contents
    except ValueError:      # not assigned yet
        return None


def _again(reading: Reading, function):
    """The copy of ``function``, whose source ``reading`` has read in another one."""
    copy = reading.copy
    if copy is reading.function:
        return function
    if "_graph_refuses" in copy.__dict__:
        return copy
    cells = dict(zip(copy.__code__.co_freevars, copy.__closure__, strict=True))
    cells.update(zip(function.__code__.co_freevars, function.__closure__ or (), strict=True))
    return _made(copy.__code__, function, cells)


def is_read(function) -> bool:
    """Whether MindSpore would compile ``function`` from its source."""
    if function.__class__ is not types.FunctionType or hasattr(function, "_graph_source"):
        return False
    return (function.__module__ or "").partition(".")[0] not in FOREIGN


def _read(reading: Reading, owner) -> None:
    function = reading.function
    node = definition(function.__code__) if is_read(function) else None
    if node is None:
        return
    forward = _Forward(reading, owner)
    if owner is not None and not _has_self(node.args):
        reading.copy = _without_self(function)
        forward.fill(reading.copy)
        return
    try:
        refusals.check(node)
        names.check(node, function, owner)
    except Exception as error:
        reading.copy = _refusing(function, error)
        forward.fill(reading.copy)
        return
    rewriting = Rewriting(function, owner, forward)
    changed = rewriting.visit_function(copy.deepcopy(node))
    if rewriting.differs or getattr(node, "is_stated", False):
        reading.copy = _compiled(function, changed, rewriting.needs)
    forward.fill(reading.copy)


class _Forward:
    """Finds what other functions read as; a function still being read gets its cell filled at its end."""

    def __init__(self, reading: Reading, owner) -> None:
        self.reading, self.owner = reading, owner

    def __call__(self, function, owner=None):
        """(whether it differs, the cell that holds it)."""
        known = _readings.get(_key(function, owner))
        if known is not None and known.copy is function and known.cells is not None:
            cell = types.CellType(function)
            known.cells.append(cell)
            return True, cell
        other = copy_of(function, owner)
        return other is not function, types.CellType(other)

    @staticmethod
    def definition(code):
        return definition(code)

    def fill(self, made) -> None:
        for cell in self.reading.cells:
            cell.cell_contents = made
        self.reading.cells = None


def _refusing(function, error: Exception):
    """A function that raises what MindSpore's compiler says of ``function``."""

    @functools.wraps(function)
    def refused(*args, **kwargs):
        raise final(type(error)(*error.args))

    refused._graph_source, refused._graph_refuses = function, True
    return refused


def _has_self(args: ast.arguments) -> bool:
    return [a.arg for a in (*args.posonlyargs, *args.args)][:1] == ["self"]


def _without_self(function):
    """A method whose first argument has another name than "self": MindSpore's compiler does not bind it."""
    takes = inspect.signature(function)
    plain = all(p.default is p.empty and p.kind is p.POSITIONAL_OR_KEYWORD for p in takes.parameters.values())

    @functools.wraps(function)
    def unbound(owner, *args, **kwargs):
        try:
            takes.bind(owner, *args, **kwargs)
        except TypeError:
            return function(owner, *args, **kwargs)         # that is told of before anything is compiled
        try:
            given = takes.bind(*args, **kwargs)
        except TypeError as error:
            if plain and not kwargs:
                raise final(TypeError(
                    f"The parameters number of the function is {len(takes.parameters)}, but the number of "
                    f"provided arguments is {len(args)}.")) from None
            missing = re.search("'(.+)'", str(error))
            raise final(RuntimeError(f"Miss argument input for parameter:{missing and missing[1]}")) from None
        return copy_of(function)(*given.args, **given.kwargs)

    unbound._graph_source, unbound._graph_refuses = function, True
    return unbound


# ---- source ------------------------------------------------------------------------------------------------


@functools.lru_cache(64)
def _functions(lines: tuple) -> dict[int, list]:
    """The functions of a file by the lines on which they begin, with their decorators and without."""
    found = collections.defaultdict(list)
    try:
        tree = stated(ast.parse("".join(lines)), lines)
    except (SyntaxError, ValueError):
        return found
    for node in ast.walk(tree):
        if isinstance(node, (ast.FunctionDef, ast.Lambda)):
            for line in {_first_line(node), node.lineno}:
                found[line].append(node)
    return found


def definition(code: types.CodeType):
    """The syntax tree that ``code`` was compiled from; None without source, or if in doubt."""
    kind = ast.Lambda if code.co_name == "<lambda>" else ast.FunctionDef
    found = [
        n
        for n in _functions(tuple(linecache.getlines(code.co_filename))).get(code.co_firstlineno, ())
        if isinstance(n, kind)                                      # (a copy begins below its decorators)
        and getattr(n, "name", "<lambda>") == code.co_name
        and [a.arg for a in (*n.args.posonlyargs, *n.args.args)] == list(code.co_varnames[: code.co_argcount])
    ]
    return found[0] if len(found) == 1 else None


def _first_line(node) -> int:
    return min([node.lineno, *(d.lineno for d in getattr(node, "decorator_list", ()))])


# ---- compiling ---------------------------------------------------------------------------------------------


def _compiled(function: types.FunctionType, node, needs: dict):
    """The function that ``node`` defines, with ``function``'s surroundings and ``needs`` in its closure."""
    code = function.__code__
    lambda_ = isinstance(node, ast.Lambda)
    if lambda_:
        body = ast.Expr(node)
    else:
        node.decorator_list, node.returns, node.args.defaults, node.args.kw_defaults = (
            [],
            None,
            [ast.Constant(None) for _ in node.args.defaults],
            [d and ast.Constant(None) for d in node.args.kw_defaults],
        )
        body = node
    owner = function.__qualname__.split(".")[-2:-1]
    if owner and owner[0].isidentifier():  # a class around it, for names like __this
        body = ast.ClassDef(
            owner[0], [], [], [body], [], **({"type_params": []} if sys.version_info >= (3, 12) else {})
        )
    around = dict.fromkeys((*code.co_freevars, *needs))
    outer = ast.parse(f"def factory({', '.join(around)}): pass")
    outer.body[0].body = [body]
    if body.__class__ is not ast.Expr and body.name not in around:  # (a method, a recursion: the module's)
        outer.body[0].body.insert(0, ast.Global([body.name]))
    ast.copy_location(body, node)
    ast.fix_missing_locations(outer)
    made = _find(
        compiler(outer, code.co_filename, "exec", dont_inherit=True, flags=code.co_flags & _FUTURE),
        code.co_name,
        code.co_firstlineno,
    )
    if hasattr(code, "co_qualname"):
        made = made.replace(co_qualname=code.co_qualname)
    cells = dict(zip(code.co_freevars, function.__closure__ or (), strict=True))
    cells.update(needs)
    return _made(made, function, cells)


def _made(code: types.CodeType, function: types.FunctionType, cells: dict):
    """A function of ``code`` that is ``function`` in all else."""
    result = types.FunctionType(code, function.__globals__, function.__name__, function.__defaults__,
                                tuple(cells[n] for n in code.co_freevars))
    result.__kwdefaults__ = function.__kwdefaults__
    result.__dict__.update(function.__dict__)
    result.__module__, result.__qualname__, result.__doc__ = (
        function.__module__,
        function.__qualname__,
        function.__doc__,
    )
    result.__annotations__ = function.__annotations__
    result._graph_source = function
    return result


_FUTURE = 0x1FF0000
# What makes the copy's tree its code; ms2torch translate puts in one that watches its calls.
compiler = compile


def _find(code: types.CodeType, name: str, line: int):
    for const in code.co_consts:
        if isinstance(const, types.CodeType):
            if const.co_name == name:
                return const
            found = _find(const, name, line)
            if found is not None:
                return found
    return None
