"""The translation of a program beside the program itself, in one process: modules, objects, weights.

A `Twins` imports translated files under the names that the originals have, without putting them in their
place, and makes of a Cell of the original the Module that stands for it: by the class of its name, with the
same arguments, and with the Cell's weights.
"""

from __future__ import annotations

import argparse
import ast
import copy
import importlib
import os
import sys
import types
from collections.abc import Iterable
from contextlib import contextmanager, suppress
from enum import Enum
from functools import partial
from importlib.machinery import PathFinder, SourceFileLoader
from importlib.util import spec_from_loader

import numpy as np
import torch

from ms2torch._core.tensor import dtype as dtypes
from ms2torch._core.tensor.tensor import lift, lower
from ms2torch.common.initializer import Initializer, initializer
from ms2torch.common.parameter import Parameter, ParameterTuple
from ms2torch.common.tensor import Tensor
from ms2torch.difftest.pairing import LEAVES, UNCOUNTED, by_shape
from ms2torch.migrate.to_torch import to_torch
from ms2torch.nn.cell import Cell
from ms2torch.nn.optim import Optimizer
from ms2torch.ops.primitive import Primitive

from .instances import Instance

# What of MindSpore's an object of the program's may hold.
_HELD = (dtypes.Type, Tensor, Initializer)


class Unpaired(Exception):
    """No twin can be made of something; the message says of what, and why."""


TRAINS = "it trains: the whole program proves it"
LOWERED = "it is told from outside to compute in half precision: the whole program proves it"

# Statements of a script that define something: those a module may run without running the program.
_DEFINE = (ast.Import, ast.ImportFrom, ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
_SIMPLE = (
    ast.Constant, ast.Name, ast.Load, ast.Store, ast.Tuple, ast.List, ast.Dict, ast.Set, ast.BinOp,
    ast.UnaryOp, ast.operator, ast.unaryop, ast.Attribute, ast.Subscript, ast.Lambda, ast.arguments,
    ast.arg, ast.keyword,
)  # fmt: skip


def definitions(tree: ast.Module, asked: frozenset[str] = frozenset()) -> tuple[ast.Module, set[str]]:
    """A script without what it does: imports, functions, classes, constants, and what defining these needs;
    and the names left out. ``asked`` are names that others import."""
    needed = {name for node in tree.body for name in _at_definition(node)} | asked
    for node in reversed(tree.body):
        if needed & _assigned(node):
            needed |= _names(node, ast.Load) - _names_of_comprehensions(node)
    kept, left = [], set()
    for node in tree.body:
        imports = isinstance(node, ast.Try) and all(isinstance(n, _DEFINE) for n in node.body)
        if isinstance(node, _DEFINE) or _is_simple(node) or imports or needed & _assigned(node):
            kept.append(node)
        else:
            left |= _names(node, ast.Store)
    return ast.Module(kept, []), left


def asked_of_others(texts: Iterable[str]) -> frozenset[str]:
    """The names that files import from others, a program's settings among them."""
    imports = (n for text in texts for n in ast.walk(ast.parse(text)) if isinstance(n, ast.ImportFrom))
    return frozenset(part.name for n in imports for part in n.names)


def _names(node: ast.AST, context: type) -> set[str]:
    return {n.id for n in ast.walk(node) if isinstance(n, ast.Name) and isinstance(n.ctx, context)}


def _names_of_comprehensions(node: ast.AST) -> set[str]:
    inner = (n.target for n in ast.walk(node) if isinstance(n, ast.comprehension))
    return {name for target in inner for name in _names(target, ast.Store)}


def _assigned(node: ast.stmt) -> set[str]:
    """The names that an assignment binds; those of its comprehensions are their own."""
    if not isinstance(node, (ast.Assign, ast.AnnAssign)):
        return set()
    targets = node.targets if isinstance(node, ast.Assign) else [node.target]
    return {name for target in targets for name in _names(target, ast.Store)}


def _at_definition(node: ast.AST) -> set[str]:
    """The names that a definition looks up: in decorators, defaults, bases, a class's lines."""
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
        defaults = [d for d in (*node.args.defaults, *node.args.kw_defaults) if d is not None]
        return {n for part in (*node.decorator_list, *defaults) for n in _names(part, ast.Load)}
    if isinstance(node, ast.ClassDef):
        outer = (*node.decorator_list, *node.bases, *node.keywords)
        found = {n for part in outer for n in _names(part, ast.Load)}
        return found | {n for part in node.body for n in _at_definition(part)}
    return (
        _names(node, ast.Load)
        if isinstance(node, (ast.Assign, ast.AnnAssign)) and _is_simple(node)
        else set()
    )


def _is_simple(node: ast.stmt) -> bool:
    if isinstance(node, ast.Expr):
        return isinstance(node.value, ast.Constant)
    if not isinstance(node, (ast.Assign, ast.AnnAssign)) or node.value is None:
        return False
    return all(isinstance(n, _SIMPLE) or _is_partial(n) for n in ast.walk(node.value))


def _is_partial(node: ast.AST) -> bool:
    """A function some of whose arguments are given: ``partial(nn.init.normal_, std=0.02)``."""
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "partial"


class Twins:
    """Twins of the objects of a program. ``texts`` are the translated files by real path; ``expression``
    gives the PyTorch object for a public MindSpore name, or None. With ``bare`` no module does more than
    define."""

    def __init__(
        self, texts: dict[str, str], made: dict[int, Instance], names, expression, bare: bool = False
    ) -> None:
        self.texts, self.made, self.names, self.expression, self.bare = texts, made, names, expression, bare
        self.modules: dict[str, types.ModuleType] = {}
        self._known: dict[int, torch.nn.Module] = {}
        self._left: set[str] = set()
        self._looking: set[int] = set()
        self._main = sys.modules["__main__"]
        self._originals = {
            name: os.path.realpath(module.__file__)
            for name, module in list(sys.modules.items())
            if getattr(module, "__file__", None) and os.path.realpath(module.__file__) in texts
        }
        with self.inside():
            for name, path in self._originals.items():
                if name == "__main__":
                    self.modules[name] = self._script(path)
                else:
                    importlib.import_module(name)
        if "__main__" in self.modules:
            self._carry_globals()

    # ---- modules

    @contextmanager
    def inside(self):
        """In here the program's names import as translated."""
        originals = {name: sys.modules.pop(name) for name in self._originals if name in sys.modules}
        sys.modules.update(self.modules)
        sys.meta_path.insert(0, self)
        try:
            yield
        finally:
            sys.meta_path.remove(self)
            self.modules.update({n: sys.modules[n] for n in self._originals if n in sys.modules})
            for name in self._originals:
                sys.modules.pop(name, None)
            sys.modules.update(originals)

    def find_spec(self, fullname: str, path=None, target=None):
        """Of the import system."""
        spec = PathFinder.find_spec(fullname, path, target)
        if spec is None and fullname in self._originals:  # a notebook is no module that Python finds
            spec = spec_from_loader(fullname, SourceFileLoader(fullname, self._originals[fullname]))
            spec.origin = self._originals[fullname]
        if spec is None or spec.origin is None or os.path.realpath(spec.origin) not in self.texts:
            return None
        tree = ast.parse(self.texts[os.path.realpath(spec.origin)])
        if self.bare:
            tree = definitions(tree, asked_of_others(self.texts.values()))[0]

        class Loader(SourceFileLoader):
            def get_code(self, fullname: str) -> types.CodeType:
                return compile(tree, f"{self.path} (translated)", "exec", dont_inherit=True)

        spec.loader, spec.cached = Loader(fullname, spec.origin), None
        return spec

    def _script(self, path: str) -> types.ModuleType:
        """The program itself, without what it does; what it had computed for its globals is carried over."""
        module = types.ModuleType("__main__")
        module.__file__ = path
        tree, left = definitions(ast.parse(self.texts[path]))
        sys.modules["__main__"] = module
        for node in tree.body:
            if self.bare or not self._carried(node, vars(self._main), vars(module)):
                code = compile(ast.Module([node], []), f"{path} (translated)", "exec", dont_inherit=True)
                exec(code, vars(module))
        self._left = left
        return module

    def _carried(self, node: ast.stmt, original: dict, space: dict) -> bool:
        """Whether what an assignment computes is plain data, which is carried over and not computed again."""
        if not isinstance(node, ast.Assign) or _is_simple(node):
            return False
        names = [target.id for target in node.targets if isinstance(target, ast.Name)]
        if len(names) < len(node.targets) or not all(is_plain(original.get(n, node)) for n in names):
            return False
        space.update({name: self.carry(original[name]) for name in names})
        return True

    def _carry_globals(self) -> None:
        """Give the script's functions the globals that the program had computed."""
        original = vars(self._main)
        for name in self._left & original.keys():
            with suppress(Exception):  # who needs it will say so
                vars(self.modules["__main__"])[name] = self.carry(original[name])

    def named(self, module: str, qualname: str, what: str):
        """The translated function or class of a module."""
        found = self.modules.get(module)
        for part in qualname.split("."):
            found = getattr(found, part, None)
        if found is None:
            raise Unpaired(f"{what} {qualname} cannot be reached from outside")
        return found

    # ---- objects

    def of(self, cell: Cell) -> torch.nn.Module:
        """The Module that stands for a Cell."""
        if id(cell) not in self._known:
            self._known[id(cell)] = self._made(cell)
        return self._known[id(cell)]

    def _made(self, cell: Cell) -> torch.nn.Module:
        instance = self.made.get(id(cell))
        if instance is None or instance.cell is not cell:
            if isinstance(cell, Optimizer):
                raise Unpaired(TRAINS)
            if type(cell).__module__.partition(".")[0] not in ("ms2torch", "mindspore"):
                raise Unpaired(f"it is given a {type(cell).__name__}, of which the making was not seen")
            made = to_torch(cell)
            return made if tensors(made) else _OfMindSpore(made)
        cls = self.named(type(cell).__module__, type(cell).__qualname__, "class")
        if not (isinstance(cls, type) and issubclass(cls, torch.nn.Module)):
            raise Unpaired(f"{type(cell).__name__} is no Module in the translation")
        if issubclass(cls, Cell):
            raise Unpaired(f"{type(cell).__name__} is still a Cell")
        return cls(*self.carry(instance.arguments), **self.carry(instance.keywords))

    def carry(self, value):
        """What the translation has where the original has ``value``."""
        if isinstance(value, Parameter):
            shared = self._shared(value)
            if shared is not None:
                return shared
            return torch.nn.Parameter(value._t.detach().clone(), requires_grad=value.requires_grad)
        if isinstance(value, torch.Tensor):
            return value
        if isinstance(value, Tensor):
            return value._t.detach().clone()
        if isinstance(value, Cell):
            return self.of(value)
        if isinstance(value, dtypes.Type):
            return dtypes.to_torch(value)
        if isinstance(value, dict):
            return {self.carry(k): self.carry(v) for k, v in value.items()}
        if isinstance(value, ParameterTuple):
            return [self.carry(p) for p in value]
        if isinstance(value, (list, tuple, set)) and type(value) in (list, tuple, set):
            return type(value)(self.carry(v) for v in value)
        if value is None or isinstance(value, (bool, int, float, str, bytes, np.ndarray, np.generic, Enum)):
            return value
        if isinstance(value, types.GeneratorType):
            raise Unpaired("it is given a generator, which has been used up")
        if isinstance(value, (type, types.FunctionType, types.BuiltinFunctionType)):
            return self._named_thing(value)
        if isinstance(value, Initializer):
            return partial(_start, value)
        if isinstance(value, Primitive):
            return lambda *args, **kwargs: lower(value(*lift(args), **lift(kwargs)))
        held = {k: v for k, v in getattr(value, "__dict__", {}).items() if isinstance(v, _HELD)}
        if held and type(value).__module__.partition(".")[0] not in ("ms2torch", "torch"):
            value = copy.copy(value)  # a program's settings, which may have MindSpore's dtypes
            vars(value).update({k: self.carry(v) for k, v in held.items()})
        return value

    def _shared(self, value: Parameter) -> torch.nn.Parameter | None:
        """The twin's own parameter for one that a Cell was given of another."""
        for instance in list(self.made.values()):
            given = [*instance.arguments, *instance.keywords.values()]
            if id(instance) in self._looking or any(one is value for one in given):
                continue
            names = [n for n, p in instance.cell.parameters_and_names() if p._rest is value._rest]
            if names:
                self._looking.add(id(instance))
                try:
                    twin = self.of(instance.cell)
                finally:
                    self._looking.discard(id(instance))
                other = pair_parameters(instance.cell, twin)[0].get(names[0])
                return dict(twin.named_parameters()).get(other)
        return None

    def _named_thing(self, value):
        """A class or function: the program's translated one, or PyTorch's for MindSpore's."""
        name = self.names.of(value)
        if name:
            found = self.expression(name)
            if found is not None:
                return found
            if isinstance(value, type) and issubclass(value, Cell):
                return lambda *args, **kwargs: to_torch(value(*args, **kwargs))
            return lambda *args, **kwargs: lower(value(*lift(args), **lift(kwargs)))
        if getattr(value, "__module__", None) in self._originals:
            return self.named(value.__module__, value.__qualname__, "it is given")
        return value


class _OfMindSpore(torch.nn.Module):
    """A loss of MindSpore's, or what else has no parameters, that a Cell is given. A translation hands it
    classes in int64, as PyTorch's want them."""

    def __init__(self, layer: torch.nn.Module) -> None:
        super().__init__()
        self.layer = layer

    def forward(self, *args, **kwargs):
        return self.layer(*map(_as_int32, args), **{name: _as_int32(x) for name, x in kwargs.items()})


def _as_int32(x):
    return x.int() if isinstance(x, torch.Tensor) and x.dtype is torch.int64 else x


def _start(how: Initializer, tensor: torch.Tensor) -> torch.Tensor:
    """Fill a tensor as PyTorch's initialisers do, by one of MindSpore's."""
    with torch.no_grad():
        return tensor.copy_(lower(initializer(how, tuple(tensor.shape))))


def is_plain(value) -> bool:
    """Whether a value is data, alike on both sides."""
    if isinstance(value, dict):
        return all(map(is_plain, value.values()))
    if isinstance(value, (list, tuple)):
        return all(map(is_plain, value))
    if isinstance(value, argparse.Namespace):
        return is_plain(vars(value))
    return value is None or isinstance(value, (bool, int, float, str, np.ndarray, np.generic, dtypes.Type))


# ---- weights -----------------------------------------------------------------------------------------------


def tensors(module: torch.nn.Module) -> dict[str, torch.Tensor]:
    """Parameters and buffers by name."""
    found = {**dict(module.named_parameters()), **dict(module.named_buffers())}
    return {name: t for name, t in found.items() if name.rpartition(".")[2] not in UNCOUNTED}


def pair_parameters(cell: Cell, twin: torch.nn.Module) -> tuple[dict[str, str], list[str], list[str]]:
    """Names of the Cell's parameters to names of the Module's; what of each side has no partner."""
    unused = _unused(cell)
    lists = {name for name, one in twin.named_modules() if isinstance(one, torch.nn.ParameterList)}
    if not lists:
        unused |= _listed_alone(cell)
    left = {name: tuple(p.shape) for name, p in cell.parameters_and_names() if name not in unused}
    # A list's parameters as the ones of the layer that has the list: MindSpore has no layer for a list.
    real = {_beside(name, lists): name for name in tensors(twin)}
    right = {name: tuple(tensors(twin)[real[name]].shape) for name in real}
    found: dict[str, str] = {}
    for name, shape in left.items():
        path, _, leaf = name.rpartition(".")
        renamed = f"{path}.{LEAVES.get(leaf, leaf)}".lstrip(".")
        other = next((n for n in (name, renamed) if n in right and alike(shape, right[n])), None)
        if other is not None:
            found[name] = other
    rest = _left(left, found.keys()), _left(right, found.values())
    found.update({a: b for a, b, _ in by_shape(*rest)})
    right = {name: shape for name, shape in right.items() if real[name] not in _given_to_losses(twin)}
    alone = [n for n in left if n not in found], [real[n] for n in right if n not in found.values()]
    return {a: real[b] for a, b in found.items()}, *alone


def _given_to_losses(module: torch.nn.Module) -> set[str]:
    """Weights of classes that PyTorch's losses hold: buffers there, constants in MindSpore."""
    home = torch.nn.CrossEntropyLoss.__module__
    losses = [(path, one) for path, one in module.named_modules() if type(one).__module__ == home]
    return {f"{path}.{name}".lstrip(".") for path, loss in losses for name, _ in loss.named_buffers()}


def _beside(name: str, lists: set[str]) -> str:
    """``cross.w.0`` as ``cross.w0``, where ``cross.w`` is a list."""
    path, _, leaf = name.rpartition(".")
    return path + leaf if path in lists else name


def _unused(cell: Cell) -> set[str]:
    """Parameters that compute nothing: the moving statistics of instance norms, counts of batches."""
    norms = [name for name, one in cell.cells_and_names() if type(one).__name__.startswith("InstanceNorm")]
    moving = {f"{name}.{leaf}".lstrip(".") for name in norms for leaf in ("moving_mean", "moving_variance")}
    names = (name for name, _ in cell.parameters_and_names())
    return moving | {name for name in names if name.rpartition(".")[2] in UNCOUNTED}


def _listed_alone(cell: Cell) -> set[str]:
    """The names of Parameters that only a ParameterTuple of a Cell, or of one inside it, holds: a plain list
    in the Module, where they were not made for it."""
    listed, held = set(), set()
    for _, one in cell.cells_and_names():
        tuples = (v for v in vars(one).values() if isinstance(v, ParameterTuple))
        pairs = {(p.name, id(p)) for v in tuples for p in v}
        for name, p in one.parameters_and_names(expand=False):
            (listed if (name, id(p)) in pairs else held).add(id(p))
    return {name for name, p in cell.parameters_and_names() if id(p) in listed - held}


def alike(one: tuple[int, ...], two: tuple[int, ...]) -> bool:
    """Whether two shapes are the same but for ones."""
    return [n for n in one if n != 1] == [n for n in two if n != 1]


def _left(shapes: dict[str, tuple], done) -> list[dict]:
    return [{"name": name, "shape": shape} for name, shape in shapes.items() if name not in done]


def weights_of(cell: Cell) -> dict[str, torch.Tensor]:
    """Copies of the Cell's weights."""
    unused = _unused(cell)
    found = {name: p._t for name, p in cell.parameters_and_names() if name not in unused}
    return {name: t.detach().clone() for name, t in found.items()}


def load_weights(values: dict[str, torch.Tensor], twin: torch.nn.Module, pairs: dict[str, str]) -> None:
    """Give the Module these weights."""
    theirs = tensors(twin)
    with torch.no_grad():
        for name, other in pairs.items():
            theirs[other].copy_(values[name].reshape(theirs[other].shape))
