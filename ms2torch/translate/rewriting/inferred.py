"""What is inferred of an expression: a MindSpore name, an instance, a class of the file, a plain value."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field
from functools import cache
from typing import NamedTuple

from ms2torch._naming import surface
from ms2torch.scan.answers import look_up


class Ref(str):
    """A MindSpore name, in the shortest of its spellings."""

    __slots__ = ()


class File(str):
    """Another file of the program, by its name."""

    __slots__ = ()


class Of(NamedTuple):
    """An instance of a MindSpore class; the call that made it, where that is told."""

    cls: str
    call: ast.Call | None = None


class Const(NamedTuple):
    """A value that is told."""

    value: object


class Seq(NamedTuple):
    """A list, tuple or iterator of one kind of things."""

    item: object


class Dict(Seq):
    """A dict: ``item`` is what its values are."""

    __slots__ = ()


class Many(NamedTuple):
    """A tuple whose parts are told."""

    items: tuple


class Gradient(NamedTuple):
    """A gradient function: of what, whether it gives the value too, the call that made it."""

    of: object
    value: bool
    call: ast.Call
    aux: bool = False
    weights: bool = True


class Plain(NamedTuple):
    """What is no Tensor and no Cell: ``array`` for numpy's, else a number, a text, a shape."""

    kind: str


class Mixed:
    """What is one function at one time and another at another: a call of it is nobody's."""


MIXED = Mixed()
# What stands in the call of a dataset's source for the ``shuffle`` that its pipeline has.
BUFFER = "shuffle(buffer_size)"
# And for the calls of ``map`` that gave its columns other names.
RENAMED = "map(output_columns)"
TENSOR, PARAMETER = Of("mindspore.Tensor"), Of("mindspore.Parameter")
ARRAY, PLAIN, SHAPE, DTYPE = Plain("array"), Plain("plain"), Plain("shape"), Plain("dtype")


@dataclass(eq=False)
class Function:
    """A function of the file: what is inferred of its arguments from its calls, and of its result."""

    node: ast.FunctionDef | ast.Lambda
    scopes: list
    owner: Class | None = None
    arguments: dict[str, object] = field(default_factory=dict)
    returns: object = None
    # Of another file's function: whether what it makes computes something else while training.
    differs: bool | None = None
    # Defaults that stand where a call leaves an argument out.
    omitted: dict[str, object] = field(default_factory=dict)


@dataclass(eq=False)
class Class:
    """A class of the file: its base (a `Ref` or a `Class`), what each ``self.x`` is, its functions."""

    node: ast.ClassDef
    base: object = None
    attributes: dict[str, object] = field(default_factory=dict)
    functions: dict[str, Function] = field(default_factory=dict)
    # The attributes that are Parameters, whatever is assigned to them later.
    weights: set[str] = field(default_factory=set)
    # Of another file's class: whether its layers compute something else while training.
    differs: bool | None = None

    def root(self) -> str:
        """The MindSpore class that it descends from, or nothing."""
        base = self.base
        while isinstance(base, Class):
            base = base.base
        return base if isinstance(base, Ref) else ""

    @property
    def is_cell(self) -> bool:
        return is_cell(self.root())

    def function(self, name: str) -> Function | None:
        cls = self
        while isinstance(cls, Class):
            if name in cls.functions:
                return cls.functions[name]
            cls = cls.base
        return None

    def attribute(self, name: str):
        cls = self
        while isinstance(cls, Class):
            if cls.attributes.get(name) is not None:
                return cls.attributes[name]
            cls = cls.base
        return None

    def has_weight(self, name: str) -> bool:
        """Whether it, or a class of the program that it descends from, makes that attribute a Parameter."""
        return name in self.weights or (isinstance(self.base, Class) and self.base.has_weight(name))


class OwnOf(NamedTuple):
    """An instance of a class of the file."""

    cls: Class


class Bound(NamedTuple):
    """A function of an instance."""

    function: Function
    owner: object


def is_tensor(inferred) -> bool:
    return isinstance(inferred, Of) and inferred.cls in ("mindspore.Tensor", "mindspore.Parameter")


@cache
def resolve(path: str):
    """The object under a MindSpore name; None where there is none."""
    answer = look_up(path)
    return answer.found if answer.name == path and not answer.kind else None


@cache
def is_a(path: str, base: str) -> bool:
    """Whether a MindSpore class descends from another."""
    cls, other = (resolve(path), resolve(base)) if path else (None, None)
    return isinstance(cls, type) and isinstance(other, type) and issubclass(cls, other)


def is_cell(path: str) -> bool:
    return is_a(path, "mindspore.nn.Cell")


def is_layer(inferred) -> bool:
    """Whether what is inferred is a Cell: one of MindSpore's or one of the program's own."""
    if isinstance(inferred, OwnOf):
        return inferred.cls.is_cell
    return isinstance(inferred, Of) and is_cell(inferred.cls)


_HOMES = (
    "mindspore",
    "mindspore.nn",
    "mindspore.ops",
    "mindspore.dataset",
    "mindspore.common.initializer",
    "mindspore.train",
    "mindspore.amp",
    "mindspore.dataset.vision",
    "mindspore.dataset.transforms",
    "mindspore.communication",
)


# Other homes of what mindspore.ops has, whose functions are objects of their own.
_SPELLINGS = ("mindspore.ops.functional", "mindspore.ops.operations", "mindspore.ops.composite")


@cache
def shortest_name(path: str) -> Ref:
    """The name by which the rules know what stands under a MindSpore name."""
    parent, _, leaf = path.rpartition(".")
    thing = resolve(path)
    if thing is None or parent in _HOMES[:4] or parent.startswith("mindspore.mint"):
        return Ref(path)
    if parent in _SPELLINGS and hasattr(resolve("mindspore.ops"), leaf):
        return Ref(f"mindspore.ops.{leaf}")
    for home in _HOMES:
        if _may_have(home, leaf) and getattr(resolve(home), leaf, None) is thing:
            return Ref(f"{home}.{leaf}")
    return Ref(path)


def _may_have(home: str, leaf: str) -> bool:
    """Whether it is worth asking: a module that has no such name looks for the one that was meant."""
    full = f"{home}.{leaf}"
    known = full in surface._aliases() or full in surface._removed() or leaf in surface.names(home)
    return known or leaf in vars(resolve(home))


def lineage(path: str) -> list[str]:
    """A MindSpore class and those that it descends from, as the rules name them."""
    thing = resolve(path) if path else None
    if not isinstance(thing, type):
        return [path] if path else []
    names = [path]
    for base in thing.__mro__[1:]:
        module = base.__module__
        if not module.startswith(("ms2torch.", "mindspore.")) or module.startswith("ms2torch._core"):
            continue
        names.append(shortest_name(f"{module.replace('ms2torch', 'mindspore', 1)}.{base.__name__}"))
    return names
