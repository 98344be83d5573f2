"""Cells that no run made: the classes of a program's files, made with what their signatures say.

Files are imported without what they do (`twins.definitions`). A class whose arguments all have defaults is
made with these, one that wants numbers with small ones; inputs are made up from the shapes of its
parameters, until the original takes some.
"""

from __future__ import annotations

import ast
import importlib.util
import inspect
import itertools
import os
import sys
import types

import torch

from ms2torch._core.tensor.tensor import wrap
from ms2torch.nn.cell import Cell

from .instances import Called, Instance, Instances
from .twins import definitions

_NUMBERS = (8, 16, 4, 3)
_TRIES = 60


def instances(sources: dict[str, str], seen: Instances) -> dict[type, list[Instance]]:
    """Instances of the classes of some files, each called once; parts before wholes."""
    seen.install()
    made: dict[type, list[Instance]] = {}
    for cls in _classes(sources):
        cell = _made(cls)
        if cell is None:
            continue
        instance = seen.made[id(cell)]
        seen.watching = False
        called = _called(cell)
        seen.watching = True
        if called is not None:
            for training in (False, True):
                instance.calls[training] = called._replace(training=training)
            made[cls] = [instance]
    seen.watching = False
    return made


def _classes(sources: dict[str, str]) -> list[type]:
    """The classes of Cells that files define, in their order."""
    found = []
    for path, text in sources.items():
        module = _module(path, text)
        if module is not None:
            here = [v for v in vars(module).values() if isinstance(v, type)]
            own = [v for v in here if v.__module__ == module.__name__]
            found += [v for v in own if issubclass(v, Cell)]
    return found


def _module(path: str, text: str) -> types.ModuleType | None:
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
        tree, _ = definitions(ast.parse(text))
        exec(compile(tree, path, "exec", dont_inherit=True), vars(module))
    except Exception:
        del sys.modules[name]
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


def _made(cls: type) -> Cell | None:
    """An instance, with numbers for the arguments that have no defaults."""
    try:
        needed = _needed(cls.__init__)
    except (TypeError, ValueError):
        return None
    for number in _NUMBERS if needed else (0,):
        try:
            return cls(*[number] * len(needed))
        except Exception:
            continue
    return None


def _needed(function) -> list[str]:
    parameters = list(inspect.signature(function).parameters.values())[1:]
    return [p.name for p in parameters if p.default is p.empty and p.kind is p.POSITIONAL_OR_KEYWORD]


def _called(cell: Cell) -> Called | None:
    """A call that the Cell takes."""
    try:
        count = len(_needed(type(cell).construct))
    except (TypeError, ValueError):
        return None
    candidates = list(_candidates(cell))
    same = [(c,) * count for c in candidates]
    cell.set_train(False)
    for inputs in itertools.islice(
        itertools.chain(same, itertools.product(candidates, repeat=count)), _TRIES
    ):
        given = [wrap(t.clone()) for t in inputs]
        try:
            cell(*given)
        except Exception:
            continue
        return Called(False, tuple(t.requires_grad_(t.is_floating_point()) for t in inputs), {})
    return None


def _candidates(cell: Cell):
    """Inputs that a first layer of some shape would take."""
    draw = torch.Generator().manual_seed(0)
    for _, p in cell.parameters_and_names():
        shape = tuple(p.shape)
        if len(shape) == 4:
            yield torch.randn((2, shape[1], 32, 32), generator=draw)
        elif len(shape) == 3:
            yield torch.randn((2, shape[1], 16), generator=draw)
        elif len(shape) == 2:
            yield torch.randn((2, shape[1]), generator=draw)
            yield torch.randn((2, 5, shape[1]), generator=draw)
            yield torch.randint(0, shape[0], (2, 5), generator=draw, dtype=torch.int32)
        elif len(shape) == 1:
            yield torch.randn((2, shape[0], 8, 8), generator=draw)
            yield torch.randn((2, shape[0]), generator=draw)
    for shape in ((2, 8), (2, 3, 8, 8), (2, 8, 16)):
        yield torch.randn(shape, generator=draw)
