"""The sources of a program or a code base: scripts, notebooks, folders, and which modules lie among them."""

from __future__ import annotations

import ast
import importlib.util
import json
import os
import re
import sys
from collections.abc import Iterator
from functools import cache
from importlib.machinery import PathFinder
from pathlib import Path
from typing import NamedTuple

SUFFIXES = (".py", ".ipynb")
_SKIPPED = frozenset(("__pycache__", "node_modules"))
_PROVIDED = frozenset(("mindspore", "moxing"))  # what the launcher brings along


class Source(NamedTuple):
    """One piece of Python: how its place is shown, and its text."""

    shown: str
    text: bytes | str


def files(root: Path) -> Iterator[Path]:
    """Every script and notebook below a folder, in order. Hidden folders are left out, and what only has such
    a name: a pipe, whose reader would wait, a link to nothing."""
    for folder, names, found in os.walk(root):
        names[:] = sorted(n for n in names if not n.startswith(".") and n not in _SKIPPED)
        for name in sorted(found):
            if name.endswith(SUFFIXES) and os.path.isfile(place := os.path.join(folder, name)):
                yield Path(place)


def read(path: Path, shown: str | None = None) -> list[Source]:
    """The Python of a file: one source, or one for all code cells of a notebook. OSError, ValueError."""
    shown = shown or str(path)
    text = path.read_bytes()
    if path.suffix != ".ipynb":
        return [Source(shown, text)]
    return _cells(text, shown)


class NotebookError(ValueError):
    """A notebook that is none."""


def _cells(text: bytes, shown: str) -> list[Source]:
    try:
        cells = [cell for cell in json.loads(text)["cells"] if cell["cell_type"] == "code"]
        sources = ["".join(cell["source"]) for cell in cells]
    except (ValueError, KeyError, TypeError) as error:
        raise NotebookError(f"no notebook: {type(error).__name__}: {error}") from None
    return [Source(shown, "\n".join(without_magics(source) for source in sources) + "\n")]


def cell_starts(path: Path) -> list[int]:
    """The line on which each code cell of a notebook starts, in the text that `read` gives."""
    found, line = [], 1
    for cell in json.loads(path.read_bytes())["cells"]:
        if cell["cell_type"] == "code":
            found.append(line)
            line += "".join(cell["source"]).count("\n") + 1
    return found


_MAGIC = re.compile(r"^(\s*)(?:(.*?=\s*)(?=[%!])|(?=[%!?]))[%!?]{1,2}.*$|^(\s*)[\w.]+\?{1,2}\s*$")
# A magic that runs what follows it, and its options.
_RUNS = re.compile(r"^(\s*)%(?:time|timeit|prun|memit)(?:\s+-\w+(?:\s*\d+)?)*\s+(\S.*)$")
_PYTHON_CELLS = ("%%time", "%%timeit", "%%capture", "%%prun")


def without_magics(cell: str) -> str:
    """A cell's text with its magics and shell commands taken out, line by line; what %time runs stays."""
    if cell.lstrip().startswith("%%") and not cell.lstrip().startswith(_PYTHON_CELLS):
        return "\n" * cell.count("\n")
    lines = []
    for line in cell.split("\n"):
        match = _MAGIC.match(line)
        if match is None or line.lstrip().startswith("%%"):
            lines.append("" if line.lstrip().startswith("%%") else line)
        elif (runs := _RUNS.match(line)) and _is_statement(runs[2]):
            lines.append(runs[1] + runs[2])
        elif match.group(2):
            lines.append(f"{match.group(1)}{match.group(2)}None")
        else:
            lines.append(f"{match.group(1) or match.group(3) or ''}pass")
    return "\n".join(lines)


def _is_statement(text: str) -> bool:
    try:
        return bool(ast.parse(text).body)
    except (SyntaxError, ValueError):
        return False


@cache
def is_installed(name: str) -> bool:
    """Whether the module of a dotted name can be imported here, as far as that shows without importing it."""
    package = name.partition(".")[0]
    if package in _PROVIDED:
        return True
    if package not in sys.builtin_module_names and package not in sys.modules:
        try:
            if importlib.util.find_spec(package) is None:
                return False
        except (ImportError, ValueError):
            return True
    return has_module(name)


@cache
def has_module(name: str, folder: Path | None = None) -> bool:
    """Whether the package of a dotted name, in a folder or installed here, has that module. True where the
    package is none of files, or its own lines speak of such a name and may make the module."""
    places: list[str] = [*([str(folder)] if folder else ()), *sys.path]
    spec = None
    for part in name.split("."):
        inner = PathFinder.find_spec(part, places)
        if inner is None:
            return spec is None or name in sys.modules or _speaks_of(spec.origin, part)
        if inner.submodule_search_locations is None:
            return True
        spec, places = inner, list(inner.submodule_search_locations)
    return True


def _speaks_of(file: str | None, part: str) -> bool:
    if file is None:
        return False
    try:
        text = Path(file).read_text(encoding="utf-8", errors="replace")
    except OSError:
        return True
    return re.search(rf"\b({re.escape(part)}|__path__|sys\.modules|meta_path)\b", text) is not None


def is_local(folder: Path, name: str) -> bool:
    """Whether a folder has a module or package of that name."""
    place = folder / name.partition(".")[0]
    return place.is_dir() or place.with_suffix(".py").is_file() or any(folder.glob(f"{place.name}.*.so"))


def module_file(name: str) -> Path | None:
    """The file that ``python -m name`` runs, found without importing anything."""
    places: list[str] | None = [os.getcwd(), *sys.path[1:]]
    spec = None
    for part in name.split("."):
        spec = PathFinder.find_spec(part, places)
        if spec is None:
            return None
        places = list(spec.submodule_search_locations or [])
    if spec.submodule_search_locations is not None:
        spec = PathFinder.find_spec("__main__", places)
    return Path(spec.origin) if spec is not None and spec.origin and spec.origin.endswith(".py") else None
