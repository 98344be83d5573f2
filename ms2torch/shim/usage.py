"""``--report``: at the end of a program, which MindSpore APIs it called, how often, and how long they took.

Every Python call of the main thread is watched (``sys.setprofile``), so the program runs slower; the numbers
that it computes are untouched. An API counts where the program calls it, also from inside its own Cells; what
ms2torch calls for itself does not. A class counts where an object of it, or of the program's own subclass, is
made. Its time is without that of other APIs that the program calls inside it.
"""

from __future__ import annotations

import atexit
import importlib
import inspect
import json
import os
import sys
import sysconfig
import time
from pathlib import Path
from types import FunctionType

from ms2torch._naming import surface

_OURS = str(Path(__file__).resolve().parents[1]) + os.sep
_LIBRARIES = tuple({sysconfig.get_path(k) + os.sep for k in ("stdlib", "platstdlib", "purelib", "platlib")})
_MODULES = (
    "mindspore",
    "mindspore.nn",
    "mindspore.ops",
    "mindspore.common.initializer",
    "mindspore.mint",
    "mindspore.mint.nn",
    "mindspore.mint.nn.functional",
    "mindspore.mint.optim",
    "mindspore.numpy",
    "mindspore.train",
    "mindspore.dataset",
    "mindspore.dataset.transforms",
    "mindspore.dataset.vision",
    "mindspore.communication",
    "mindspore.amp",
)
_CALLED = ("construct", "__call__", "__init__", "__new__")
# Python's operators, which are methods of Tensors.
_OPERATORS_NAMES = """
add radd sub rsub mul rmul truediv rtruediv matmul pow neg getitem setitem eq ne lt le gt ge iadd
isub imul floordiv mod and or invert
"""
_OPERATORS = frozenset(_OPERATORS_NAMES.split())
_NOTHING, _PROGRAM = 0, 1
_CELL = "mindspore.nn.Cell"
# What a program's own classes derive from: making one of these calls no API.
_BASES = (_CELL, "mindspore.ops.Primitive", "mindspore.ops.PrimitiveWithInfer")
_MADE = ("", "made", 0)
_SHOWING = ("__repr__", "__str__")


class Usage:
    """Counts calls by name and form: ``rows[name, form] = [calls, seconds]``."""

    def __init__(self) -> None:
        self.names, self.classes = _public_code()
        self.rows: dict[tuple[str, str], list] = {}
        self.began = time.perf_counter()
        self._stack: list = []
        self._files: dict[str, bool] = {}

    def _of_program(self, file: str) -> bool:
        if file not in self._files:
            self._files[file] = not file.startswith((_OURS, *_LIBRARIES, "<frozen"))
        return self._files[file]

    def __call__(self, frame, event: str, arg) -> None:
        stack = self._stack
        if event == "call":
            code = frame.f_code
            inside = bool(stack) and stack[-1] is not _PROGRAM
            public = self.names.get(id(code))
            if public is not None:
                public = None if inside else self._called(public, frame)
                stack.append([public, time.perf_counter(), 0.0] if public else _NOTHING)
            elif self._of_program(code.co_filename):
                stack.append(_PROGRAM)
            else:
                stack.append(_NOTHING if inside or code.co_name in _SHOWING else _PROGRAM)
        elif event == "return" and stack:
            ended = stack.pop()
            if ended.__class__ is list:
                self._count(*ended)

    def _called(self, public: tuple[str, str, int], frame) -> tuple[str, str, int] | None:
        """The name of what is called: a layer's for a call of a Cell, the class's for an object that is made;
        None for the program's own Cells."""
        if public is _MADE:
            caller = frame.f_back.f_code
            if caller.co_flags & inspect.CO_GENERATOR and caller.co_filename.startswith(_OURS):
                return None  # an iterator's own, which the program's loop goes on with
            made = type(frame.f_locals.get(frame.f_code.co_varnames[0]))
            name = next((self.classes[c] for c in made.__mro__ if c in self.classes), _CELL)
            return None if name in _BASES else (name, "made", 0)
        if public[0] != _CELL:
            return public
        cls = type(frame.f_locals.get("self"))
        code = getattr(getattr(cls, "construct", None), "__code__", None)
        if code is None or (id(code) not in self.names and self._of_program(code.co_filename)):
            return None
        # By its class: several layers share one code, and some have it of a class without a public name.
        name = next((self.classes[c] for c in cls.__mro__ if c in self.classes), _CELL)
        return None if name == _CELL else (name, "layer", 0)

    def _count(self, name: tuple[str, str, int], start: float, inner: float) -> None:
        spent = time.perf_counter() - start
        row = self.rows.setdefault(name[:2], [0, 0.0])
        row[0] += 1
        row[1] += spent - inner
        for entry in reversed(self._stack):
            if entry.__class__ is list:
                entry[2] += spent
                break

    def report(self) -> dict:
        """All rows, what took longest first."""
        whole = time.perf_counter() - self.began
        rows = [
            {"name": name, "form": form, "calls": calls, "seconds": spent, "share": spent / whole}
            for (name, form), (calls, spent) in self.rows.items()
        ]
        return {"seconds": whole, "apis": sorted(rows, key=lambda row: -row["seconds"])}


def _public_code() -> tuple[dict[int, tuple[str, str, int]], dict[type, str]]:
    """The code of every public function, method and class, by identity: its MindSpore name and its form; and
    the names of the classes."""
    found: dict[int, tuple[str, str, int]] = {}
    classes: dict[type, str] = {}

    def add(function, name: str, form: str) -> None:
        function = getattr(function, "__func__", function)
        if form not in ("function", "method"):
            function = inspect.unwrap(function)  # the wrappers of classes are one code for all
        code = getattr(function, "__code__", None)
        # What goes by several names is shown by its own; a method that is a function too, as the function.
        fits = 2 * name.endswith(f".{getattr(function, '__name__', '')}") + (form != "method")
        if code is not None and (id(code) not in found or fits > found[id(code)][2]):
            found[id(code)] = (name, form, fits)

    for path in _MODULES:
        module = importlib.import_module("ms2torch" + path.removeprefix("mindspore"))
        known = surface.names(path)
        for name, value in sorted(vars(module).items()):
            if name not in known or not getattr(value, "__module__", "").startswith(
                ("ms2torch", "mindspore")
            ):
                continue
            if isinstance(value, type):
                _add_class(add, f"{path}.{name}", value)
                if value not in classes or name == value.__name__ != classes[value].rpartition(".")[2]:
                    classes[value] = f"{path}.{name}"
            elif isinstance(value, FunctionType):
                add(value, f"{path}.{name}", "function")
    for cls in classes:
        for base in cls.__mro__[:-1]:
            code = getattr(inspect.unwrap(vars(base).get("__init__")), "__code__", None)
            if code is not None:
                found.setdefault(id(code), _MADE)
                break
    return found, classes


def _add_class(add, name: str, cls: type) -> None:
    from ms2torch.nn.cell import Cell
    from ms2torch.ops.primitive import Primitive

    runs = issubclass(cls, (Cell, Primitive))
    for member, value in vars(cls).items():
        if not inspect.isfunction(value) and not isinstance(value, (staticmethod, classmethod)):
            continue
        if member in _CALLED:
            if member.startswith("__") and member != "__call__":
                continue
            add(value, name, "layer" if issubclass(cls, Cell) else "primitive" if runs else "call")
        elif not member.startswith("_") or member.strip("_") in _OPERATORS:
            add(value, f"{name}.{member}", "method")


def start(file: str) -> None:
    """Watch from now on; at exit the report goes to stderr, or as JSON into ``file`` unless that is ``-``."""
    usage = Usage()
    sys.setprofile(usage)

    def end() -> None:
        sys.setprofile(None)
        found = usage.report()
        if file == "-":
            _show(found)
        else:
            Path(file).write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")

    atexit.register(end)


def _show(found: dict) -> None:
    names = {row["name"] for row in found["apis"]}
    lines = [
        f"[ms2torch] {len(names)} APIs in {found['seconds']:.2f} s; what they took, without the program's "
        "own code:"
    ]
    widest = max(map(len, names), default=0)
    for row in found["apis"]:
        lines.append(
            f"{row['name']:{widest}}  {row['form']:9}  {row['calls']:>9,} calls  "
            f"{row['seconds']:>9.3f} s  {row['share']:6.1%}"
        )
    print("\n".join(lines), file=sys.stderr)
