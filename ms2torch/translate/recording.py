"""A program's run, watched: what each of its call sites resolved to, with which arguments, how often.

The files that are to be translated are compiled with an eye in them (`instrument`); everything else runs as
it is. Nothing of the program's is kept: a value is described when it is seen (`facts`).
"""

from __future__ import annotations

import ast
import builtins
import os
import sys
import threading
from contextlib import suppress
from importlib.machinery import PathFinder, SourceFileLoader
from types import CodeType, ModuleType

import numpy as np
import torch

from ms2torch._core.tensor import dtype as dtypes
from ms2torch.common.parameter import Parameter
from ms2torch.common.tensor import Tensor
from ms2torch.nn.cell import Cell
from ms2torch.nn.optim.optimizer import Optimizer
from ms2torch.ops.primitive import Primitive

from . import instrument
from .facts import Fact, Facts, Kind, plain
from .instrument import CALLEE, READ, RECEIVER, RESULT, STAR, STARS, Site
from .naming import Names

# From so many calls of a site on, only every so manyth is looked at; all are counted.
_MANY, _EVERY = 1000, 64
_NOTHING = object()


class _Pending:
    """A call of which the callee is seen, and not the result."""

    __slots__ = ("arguments", "callee", "keywords", "name", "number", "receiver", "starred")

    def __init__(self, number: int) -> None:
        self.number, self.receiver, self.name, self.callee = number, _NOTHING, "", ""
        self.arguments: list[Kind] = []
        self.keywords: dict[str, Kind] = {}
        self.starred = False


class Recorder:
    """The eye, and what it saw: ``facts[path]``."""

    def __init__(self) -> None:
        self.sites: list[Site] = []
        self.counts: list[int] = []
        self.facts: dict[str, Facts] = {}
        self.names = Names()
        self._own = threading.local()
        self._files: dict[str, tuple[str, frozenset[Site]]] = {}

    # ---- compiling

    def compile(self, source: str | bytes, path: str) -> CodeType:
        """The code of a file, with the eye in it."""
        tree = ast.parse(source, path)
        text = decoded(source)
        first = len(self.sites)
        tree = instrument.Instrument(path, text, self.sites).whole(tree)
        self._files[path] = text, frozenset(self.sites[first:])
        return compile(tree, path, "exec", dont_inherit=True)

    def copied(self, tree: ast.AST, path: str, mode: str, **how) -> CodeType:
        """The code of a function's copy, which graph mode made."""
        if path in self._files:
            text, sites = self._files[path]
            tree = instrument.Instrument(path, text, self.sites, sites).visit(tree)
            ast.fix_missing_locations(tree)
        return compile(tree, path, mode, **how)

    # ---- seeing

    def seen(self, number: int, slot, value):
        """Look at a value on its way; give it back."""
        with suppress(Exception):  # what cannot be described is not: the program must not notice
            self._seen(number, slot, value)
        return value

    def _seen(self, number: int, slot, value) -> None:
        stack = self._own.__dict__.setdefault("stack", [])
        counts = self.counts
        while len(counts) <= number:
            counts.extend([0] * (len(self.sites) - len(counts)))
        if counts[number] > _MANY and counts[number] % _EVERY:
            if slot in (RESULT, READ) and isinstance(slot, str):
                counts[number] += 1
                self._count(number)
            return
        if slot == RECEIVER:
            pending = _Pending(number)
            pending.receiver = value
            stack.append(pending)
            return
        if slot in (CALLEE, READ):
            if not (stack and stack[-1].number == number and stack[-1].receiver is not _NOTHING):
                stack.append(_Pending(number))
            pending = stack[-1]
            self._named(pending, value, slot == CALLEE)
            if slot == CALLEE:
                return
        else:
            at = next((i for i in range(len(stack) - 1, -1, -1) if stack[i].number == number), None)
            if at is None:
                if slot == RESULT:
                    counts[number] += 1
                    self._count(number)
                return
            del stack[at + 1 :]  # calls that raised
            pending = stack[at]
        if slot in (RESULT, READ):
            stack.pop()
            counts[number] += 1
            self._add(pending, value, slot == RESULT)
        elif slot == STAR:
            pending.starred = True
            pending.arguments += [self.kind(v) for v in value] if isinstance(value, (list, tuple)) else []
        elif slot == STARS:
            pending.starred = True
            pending.keywords.update({k: self.kind(v) for k, v in value.items()})
        elif isinstance(slot, int):
            pending.arguments.append(self.kind(value))
        else:
            pending.keywords[slot] = self.kind(value)

    def _named(self, pending: _Pending, value, called: bool) -> None:
        """Say what is called or read, and let go of what it belongs to."""
        names, receiver, pending.receiver = self.names, pending.receiver, _NOTHING
        attribute = self.sites[pending.number].name
        if isinstance(receiver, super):
            receiver = getattr(value, "__self__", receiver)
        pending.name = names.of(value)
        if called and not pending.name and (made := names.of(type(value))):
            pending.name = f"{made}()"
        if receiver is not _NOTHING and not isinstance(receiver, ModuleType):
            method = names.of_member(receiver, attribute, value)
            if isinstance(receiver, Optimizer):  # whose methods have rules of their own
                method = method.replace("mindspore.nn.Cell.", "mindspore.nn.Optimizer.")
            pending.name = method or pending.name
            if method or not called:
                pending.arguments.append(self.kind(receiver))
        pending.callee = "" if pending.name else _python_name(value)

    def _add(self, pending: _Pending, value, called: bool) -> None:
        site = self.sites[pending.number]
        if not called and not pending.name and not pending.arguments:
            return  # another package's attribute
        if not called and pending.arguments and not pending.name:
            return  # an attribute of the program's own objects
        fact = Fact(
            pending.name,
            tuple(pending.arguments),
            pending.keywords,
            1,
            self.kind(value),
            pending.callee,
            pending.starred,
        )
        self.facts.setdefault(site.path, Facts()).add((site.line, site.column), fact)

    def _count(self, number: int) -> None:
        site = self.sites[number]
        facts = self.facts.get(site.path)
        if facts is not None and (known := facts.get((site.line, site.column))) is not None:
            facts[site.line, site.column] = known._replace(calls=known.calls + 1)

    def kind(self, value) -> Kind:
        """The description of a value."""
        if isinstance(value, Tensor):
            if isinstance(value, Parameter):
                return Kind("Parameter", str(value.dtype), tuple(value.shape), value.name)
            return Kind("Tensor", str(value.dtype), tuple(value.shape))
        if isinstance(value, np.ndarray):
            return Kind("ndarray", str(value.dtype), value.shape)
        if isinstance(value, torch.Tensor):
            return Kind("torch.Tensor", str(value.dtype).removeprefix("torch."), tuple(value.shape))
        if isinstance(value, (Cell, Primitive)):
            return Kind(
                "Cell" if isinstance(value, Cell) else "Primitive",
                value=self.names.of(type(value)) or _python_name(type(value)),
            )
        if isinstance(value, type):
            return Kind("class", value=self.names.of(value) or _python_name(value))
        if isinstance(value, dtypes.Type):
            return Kind("dtype", value=f"mindspore.{str(value).lower()}")
        if made := self.names.of(type(value)):
            return Kind(type(value).__name__, value=made)
        if callable(value):
            return Kind("function", value=self.names.of(value) or _python_name(value))
        return Kind("None" if value is None else type(value).__name__, value=plain(value))


def decoded(source: str | bytes) -> str:
    """A file's text as Python reads it."""
    if isinstance(source, str):
        return source
    from importlib.util import decode_source

    return decode_source(source)


def _python_name(value) -> str:
    made = not hasattr(value, "__qualname__")
    named = type(value) if made else value
    module = getattr(named, "__module__", None) or "builtins"
    return f"{module}.{getattr(named, '__qualname__', '')}{'()' if made else ''}"


# ---- where it is put in ------------------------------------------------------------------------------------


class _Loader(SourceFileLoader):
    """Compiles a file with the eye; no byte code is read or kept."""

    recorder: Recorder

    def get_code(self, fullname: str) -> CodeType:
        path = self.get_filename(fullname)
        return self.recorder.compile(self.get_data(path), path)


class Watch:
    """``with Watch(files):`` the modules of these files are watched; ``recorder.facts`` is what was seen."""

    def __init__(self, files: list[str]) -> None:
        self.files = {os.path.realpath(file) for file in files}
        self.recorder = Recorder()
        self.loader = type("Loader", (_Loader,), {"recorder": self.recorder})

    def find_spec(self, fullname: str, path=None, target=None):
        """Of the import system."""
        spec = PathFinder.find_spec(fullname, path, target)
        if spec is None or spec.origin is None or os.path.realpath(spec.origin) not in self.files:
            return None
        spec.loader = self.loader(spec.loader.name, spec.loader.path)
        spec.cached = None
        return spec

    def compiled(self, source: str | bytes, path: str, mode: str, **how) -> CodeType:
        """For the launcher: the code of the script."""
        if os.path.realpath(path) in self.files:
            return self.recorder.compile(source, path)
        return compile(source, path, mode, **how)

    def __enter__(self) -> Watch:
        from ms2torch.language import reading
        from ms2torch.shim import launcher

        setattr(builtins, instrument.EYE, self.recorder.seen)
        sys.meta_path.insert(0, self)
        launcher.compiler, reading.compiler = self.compiled, self.recorder.copied
        return self

    def __exit__(self, *_) -> None:
        from ms2torch.language import reading
        from ms2torch.shim import launcher

        sys.meta_path.remove(self)
        launcher.compiler = reading.compiler = compile
