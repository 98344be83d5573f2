"""Cells that no run made: the classes of a program's files, made with what their signatures say.

Files are imported without what they do (`twins.definitions`). A class whose arguments all have defaults is
made with these, one that wants numbers with small ones, one that wants a network or a loss with Cells that
were made before. Inputs are what these were called with, and what the shapes of parameters say, until the
original takes some.
"""

from __future__ import annotations

import ast
import importlib.util
import inspect
import itertools
import os
import sys
import time
import types

import torch

from ms2torch import nn
from ms2torch._core.tensor.tensor import wrap
from ms2torch.nn.cell import Cell
from ms2torch.nn.layer.rnns import _RNNBase

from .instances import Called, Instance, Instances, depth
from .twins import asked_of_others, definitions

_NUMBERS = (8, 16, 4, 3)
# Last words of the names of arguments that are Cells; other sides of images; how long a class is tried: in
# time that this thread computes, for a machine that is busy otherwise must not change what is found.
_NETWORKS = frozenset(
    (
        *("net", "network", "model", "backbone", "encoder", "decoder", "teacher", "student"),
        *("generator", "discriminator", "actor", "critic"),
    )
)
_LOSSES = frozenset(("loss", "criterion", "fn"))
_LENGTHS = ("len", "lens", "length", "lengths")
_SIDES = (16, 28, 64)
_TRIES, _MAKINGS, _SECONDS = 400, 12, 3.0

Made = dict[type, list[Instance]]


def instances(sources: dict[str, str], seen: Instances) -> Made:
    """Instances of the classes of some files, each called once; parts before wholes."""
    seen.install()
    made: Made = {}
    left, before = _classes(sources), -1
    while len(made) > before:  # what is made of others waits for them
        before = len(made)
        for cls in left:
            if found := _instance(cls, made, seen):
                made[cls] = [found]
        left = [cls for cls in left if cls not in made]
    seen.watching = False
    return dict(sorted(made.items(), key=lambda item: depth(item[1][0].cell)))


def _instance(cls: type, made: Made, seen: Instances) -> Instance | None:
    """One of a class, with a call in both modes; None where none was found in time."""
    until = time.thread_time() + _SECONDS
    for cell in itertools.islice(_makings(cls, made), _MAKINGS):
        seen.watching = False
        called = _called(cell, made, until)
        seen.watching = True
        if called is not None:
            found = seen.made[id(cell)]
            found.calls = {training: called._replace(training=training) for training in (False, True)}
            return found
        if time.thread_time() > until:
            break
    return None


def _classes(sources: dict[str, str]) -> list[type]:
    """The classes of Cells that files define, in their order."""
    found, asked = [], asked_of_others(sources.values())
    del sys.argv[1:]  # a file may read its settings from a command line
    for path, text in sources.items():
        module = _module(path, text, asked)
        if module is not None:
            here = [v for v in vars(module).values() if isinstance(v, type)]
            own = [v for v in here if v.__module__ == module.__name__]
            found += [v for v in own if issubclass(v, Cell)]
    return found


def _module(path: str, text: str, asked: frozenset[str]) -> types.ModuleType | None:
    """A file as a module, without what it does; None where that fails."""
    name = _module_name(path)
    if name in sys.modules:
        return sys.modules[name]
    folder = path
    for _ in range(name.count(".") + 1):
        folder = os.path.dirname(folder)
    if folder not in sys.path:
        sys.path.insert(0, folder)
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec) if spec else types.ModuleType(name)
    module.__file__ = path
    sys.modules[name] = module
    try:
        tree, _ = definitions(ast.parse(text), asked)
        exec(compile(tree, path, "exec", dont_inherit=True), vars(module))
    except (Exception, SystemExit):
        sys.modules.pop(name, None)
        return None
    return module


def _module_name(path: str) -> str:
    """The dotted name by which a file is imported: with the packages that it lies in."""
    parts, folder = [os.path.splitext(os.path.basename(path))[0]], os.path.dirname(path)
    while os.path.isfile(os.path.join(folder, "__init__.py")):
        parts.insert(0, os.path.basename(folder))
        folder = os.path.dirname(folder)
    if parts[-1] == "__init__" and len(parts) > 1:
        parts.pop()
    return ".".join(parts)


def _makings(cls: type, made: Made):
    """Instances, with numbers and Cells for the arguments that have no defaults."""
    try:
        needed = _needed(cls.__init__)
    except (TypeError, ValueError):
        return
    cells = [found[0].cell for found in made.values()][::-1]
    choices = [_choices(name, cells) for name in needed]
    given = itertools.product(*choices) if needed else ()
    for arguments in itertools.chain(given, ([n] * len(needed) for n in (_NUMBERS if needed else (0,)))):
        try:
            yield cls(*(8 if a is None else a for a in arguments))
        except Exception:
            continue


def _choices(name: str, cells: list[Cell]) -> list:
    """The Cells that an argument of this name may be; [None] for what is a number."""
    last = name.rpartition("_")[2]
    if last in _LOSSES:
        own = [cell for cell in cells if "loss" in type(cell).__name__.lower()]
        return [*own, nn.MSELoss(), nn.CrossEntropyLoss()]
    return cells or [None] if last in _NETWORKS and name != "d_model" else [None]


def _needed(function) -> list[str]:
    parameters = list(inspect.signature(function).parameters.values())[1:]
    return [p.name for p in parameters if p.default is p.empty and p.kind is p.POSITIONAL_OR_KEYWORD]


def _called(cell: Cell, made: Made, until: float) -> Called | None:
    """A call that the Cell takes."""
    try:
        names = _needed(type(cell).construct)
    except (TypeError, ValueError):
        return None
    count = len(names)
    different: dict[tuple, torch.Tensor] = {}
    for tensor in itertools.chain(_known(cell, made), _candidates(cell)):
        different.setdefault((tensor.shape, tensor.dtype), tensor)
    candidates = list(different.values())
    same = [(c,) * count for c in candidates]
    cell.set_train(False)
    for inputs in itertools.islice(itertools.chain(same, _mixed(candidates, count)), _TRIES):
        inputs = [_as_named(name, tensor) for name, tensor in zip(names, inputs, strict=True)]
        given = [wrap(t.clone()) for t in inputs]
        try:
            cell(*given)
        except Exception:
            if time.thread_time() > until:
                break
            continue
        return Called(False, tuple(t.clone().requires_grad_(t.is_floating_point()) for t in inputs), {})
    return None


def _as_named(name: str, tensor: torch.Tensor) -> torch.Tensor:
    """An input as its name says that it is: lengths are at least 1."""
    is_length = name.lower().endswith(_LENGTHS) and not tensor.is_floating_point()
    return tensor.clamp(min=1) if is_length else tensor


def _mixed(candidates: list[torch.Tensor], count: int):
    """Candidates for several arguments, the likely ones among each other first."""
    likely = [*candidates[:1], *sorted(candidates[1:], key=lambda tensor: tensor.dim() > 1)]
    few = range(min(len(likely), int(_TRIES ** (1 / max(count, 1))) + 1))
    for at in sorted(itertools.product(few, repeat=count), key=lambda at: (max(at, default=0), sum(at))):
        yield tuple(likely[i] for i in at)


def _known(cell: Cell, made: Made):
    """What the parts of a Cell were called with."""
    parts = {type(part) for _, part in cell.cells_and_names()}
    for cls, found in made.items():
        if cls in parts:
            for value in found[0].calls[False].arguments:
                yield value.detach()


def _candidates(cell: Cell):
    """Inputs that a first layer of some shape would take."""
    draw = torch.Generator().manual_seed(0)
    for part in (part for _, part in cell.cells_and_names() if isinstance(part, _RNNBase)):
        batch, layers = 2 if part.batch_first else 5, part.num_layers * (1 + part.bidirectional)
        yield torch.randn((2, 5, next(iter(part.get_parameters())).shape[-1]), generator=draw)
        yield torch.randn((layers, batch, part.hidden_size), generator=draw)
        yield torch.randint(1, 3, (batch,), generator=draw, dtype=torch.int32)
    shapes = [tuple(p.shape) for _, p in cell.parameters_and_names()]
    rows = min((shape[0] for shape in shapes if len(shape) == 2), default=2)
    for shape in shapes:
        if len(shape) == 4:
            yield torch.randn((2, shape[1], 32, 32), generator=draw)
        elif len(shape) == 3:
            yield torch.randn((2, shape[1], 16), generator=draw)
        elif len(shape) == 2:
            yield torch.randn((2, shape[1]), generator=draw)
            yield torch.randn((2, 5, shape[1]), generator=draw)
            yield torch.randint(0, rows, (2, 5), generator=draw, dtype=torch.int32)
        elif len(shape) == 1:
            yield torch.randn((2, shape[0], 8, 8), generator=draw)
            yield torch.randn((2, shape[0]), generator=draw)
    for shape in ((2, 8), (2, 3, 8, 8), (2, 8, 16), (2,), (2, 2)):
        yield torch.randn(shape, generator=draw)
    yield torch.randint(0, min(rows, 2), (2,), generator=draw, dtype=torch.int32)
    for shape in shapes:
        if len(shape) == 4:
            yield torch.randn((2, shape[0], 32, 32), generator=draw)
            for side in _SIDES:
                yield torch.randn((2, shape[1], side, side), generator=draw)
