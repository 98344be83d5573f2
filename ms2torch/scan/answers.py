"""What ms2torch answers for a dotted MindSpore name: asked of ms2torch itself, once for each name."""

from __future__ import annotations

import ast
import csv
import importlib
import inspect
import sys
import textwrap
from enum import Enum
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import NamedTuple

from ms2torch._naming import surface

from .evaluate import UNKNOWN

DATA = Path(__file__).parent / "data"
_NEAR = 0.8


class Answer(NamedTuple):
    """What stands under a name: the name as far as it is looked at, the object, and what is wrong.

    ``kind`` is empty for a name that is here, else one of `findings.KINDS`.
    """

    name: str
    found: object
    kind: str = ""
    text: str = ""


def suggestion(name: str, known) -> str:
    """`` Did you mean X?`` where a known name is near, else nothing."""
    hidden = name.startswith("_")
    found = surface.nearest(name, [other for other in known if hidden or not other.startswith("_")], _NEAR)
    return f" Did you mean {found}?" if found else ""


@cache
def look_up(path: str) -> Answer:
    """The answer for ``mindspore.a.b``; a name behind an object is that object's, and out of sight."""
    parent, _, leaf = path.rpartition(".")
    if not parent:
        return Answer(path, importlib.import_module("ms2torch"))
    base = look_up(parent)
    if base.kind or base.name != parent:
        return base
    if isinstance(base.found, type) and not leaf.startswith("__"):
        found = inspect.getattr_static(base.found, leaf, None)
        if inspect.isfunction(found) or isinstance(found, (staticmethod, classmethod)):
            return _judged(path, getattr(base.found, leaf))
        if _is_enumeration(base.found) and not hasattr(base.found, leaf):
            hint = suggestion(leaf, [n for n in dir(base.found) if not n.startswith("_")])
            return Answer(path, None, "never", f"{base.found.__name__} has no such member.{hint}")
        return base
    # `mindspore.common.tensor` is a function, and the module of its name has Tensor.
    module = base.found if isinstance(base.found, ModuleType) else sys.modules.get(surface.our_name(parent))
    if module is None or leaf.startswith("__"):
        return base
    try:
        found = getattr(module, leaf)
    except AttributeError:
        try:
            found = importlib.import_module(surface.our_name(path))
        except ImportError:
            hint = suggestion(leaf, surface.names(parent))
            return Answer(path, None, "never", f"MindSpore has no such name.{hint}")
    return _judged(path, found)


def _is_enumeration(cls: type) -> bool:
    """Whether a class is a list of constants: an Enum, or one like ``ops.ReduceOp``."""
    members = {n: v for n, v in vars(cls).items() if not n.startswith("_")}
    return issubclass(cls, Enum) or (cls.__mro__[1:] == (object,) and bool(members)
                                     and all(isinstance(v, (str, int, list)) for v in members.values()))


def _judged(path: str, found) -> Answer:
    if isinstance(found, surface.Missing):
        kind, reason, instead = surface.status(found._full)
        text = f"{kind}: {reason.removeprefix(f'{kind}, ')} Instead: {instead}"
        return Answer(path, found, "refused" if kind == "unsupported" else kind, text)
    if refusal := getattr(found, "__refused__", None):
        return Answer(path, found, "refused", "unsupported: {} Instead: {}".format(*refusal))
    return Answer(path, found)


def is_available(path: str) -> bool:
    """Whether ms2torch has the name, so that ``hasattr`` says yes and an import works."""
    return not look_up(path).kind


@cache
def constant(path: str):
    """The dtype, member of an enumeration, number or word that a name stands for; UNKNOWN for others."""
    from ms2torch.common.dtype import Type

    answer = look_up(path)
    here = answer.name == path and not answer.kind
    if not here and answer.kind == "" and isinstance(answer.found, type) and issubclass(answer.found, Enum):
        return answer.found.__members__.get(path.removeprefix(f"{answer.name}."), UNKNOWN)
    return answer.found if here and isinstance(answer.found, (Type, Enum, str, int, float)) else UNKNOWN


class Names:
    """What ``dir`` of a MindSpore name holds, as far as ``in`` asks."""

    def __init__(self, path: str) -> None:
        self.path = path

    def __contains__(self, name: str) -> bool:
        answer = look_up(f"{self.path}.{name}")
        return not answer.kind and (answer.name != self.path or hasattr(answer.found, name))


# ---- what a function does before anything else ---------------------------------------------------------


@cache
def statements_of(function) -> tuple[ast.stmt, ...]:
    """The statements of a function's source, without its docstring; none where there is no source."""
    try:
        tree = ast.parse(textwrap.dedent(inspect.getsource(inspect.unwrap(function))))
    except (OSError, TypeError, SyntaxError):
        return ()
    found = getattr(tree.body[0], "body", [])
    docstring = bool(found) and isinstance(found[0], ast.Expr) and isinstance(found[0].value, ast.Constant)
    return tuple(found[docstring:])


def constructor(cls: type):
    """The function that a call of the class runs: its ``__init__`` or ``__new__``; None for object's."""
    for base in cls.__mro__[:-1]:
        for name in ("__init__", "__new__"):
            if name in vars(base):
                found = vars(base)[name]
                return getattr(found, "__func__", found)
    return None


def refusal(statement: ast.stmt) -> ast.Call | None:
    """The ``unsupported(...)`` that a statement raises, if that is what it does."""
    raised = statement.exc if isinstance(statement, ast.Raise) else None
    if isinstance(raised, ast.Call) and getattr(raised.func, "id", "") == "unsupported":
        return raised
    return None


# ---- facts on file -------------------------------------------------------------------------------------


class Fact(NamedTuple):
    """A fact about a supported name: the calls concerned (`calls.is_concerned`), its kind, and what it is."""

    when: str
    kind: str
    text: str


def _rows(file: str):
    with open(DATA / file, newline="", encoding="utf-8") as source:
        yield from csv.DictReader(source, delimiter="\t")


@cache
def _facts() -> dict[str, list[Fact]]:
    from ms2torch._naming.generations import CHANGES

    found: dict[str, list[Fact]] = {}
    for row in _rows("attention.tsv"):
        found.setdefault(row["name"], []).append(Fact(row["when"], row["kind"], row["text"]))
    for name, change in CHANGES.items():
        if change.when:
            found.setdefault(name, []).append(Fact(change.when, "api", by_release(change)))
    return found


def by_release(change) -> str:
    """Both meanings of a name, a row of `generations.CHANGES`, in words."""
    release = "{}.{}".format(*change.release)
    return f"before {release}: {change.before}; since {release}: {change.since}. --api settles it."


@cache
def _fact_leaves() -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for name in _facts():
        found.setdefault(name.rpartition(".")[2], []).append(name)
    return found


def facts(path: str, found) -> list[Fact]:
    """The facts about what stands under a name, by whichever of its names they are on file."""
    leaves = {path.rpartition(".")[2], getattr(found, "__name__", "")}
    names = {name for leaf in leaves for name in _fact_leaves().get(leaf, ())}
    return [fact for name in sorted(names) if look_up(name).found is found for fact in _facts()[name]]


@cache
def _keywords() -> dict[str, tuple[str, ...]]:
    """By name, what a function with ``**kwargs`` takes, with ! behind what it needs; of one whose signature
    tells nothing of it, what it needs alone, with its older names: ``tensors|input_x!``."""
    return {row["name"]: tuple(row["takes"].split()) for row in _rows("keywords.tsv")}


def keywords(found) -> frozenset[str] | None:
    """The keywords that a function with ``**kwargs`` takes and refuses others; None where it takes any."""
    name = getattr(found, "__name__", "")
    if name in _SETTERS:
        module, tables = _SETTERS[name]
        module = importlib.import_module(module)
        return frozenset(key for table in tables for key in getattr(module, table))
    takes = [name for key in _listed(found) or () for name in key.rstrip("!").split("|")]
    return frozenset(takes) if takes else None


def required_arguments(found) -> list[list[str]]:
    """What a function needs that its signature does not tell, in its order; each with its older names."""
    return [key[:-1].split("|") for key in _listed(found) or () if key.endswith("!")]


def _listed(found) -> tuple[str, ...] | None:
    ending = f".{getattr(found, '__name__', '')}"
    return next((takes for full, takes in _keywords().items()
                 if full.endswith(ending) and look_up(full).found is found), None)


# Functions of settings: where the tables of all that they take are.
_SETTERS = {
    "set_context": ("ms2torch._context_settings", ("SETTINGS", "ACCEPTED", "REMOVED")),
    "set_auto_parallel_context": ("ms2torch.parallel._auto_parallel_context", ("_SETTINGS",)),
    "set_ps_context": ("ms2torch.parallel._ps_context", ("_DEFAULTS",)),
}


@cache
def first_release() -> dict[str, tuple[int, int]]:
    """For names that public programs use: the first release that had them, where that is not 1.0."""
    return {row["name"]: tuple(map(int, row["since"].split("."))) for row in _rows("since.tsv")}
