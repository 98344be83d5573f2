"""Which files belong together: those that import one another. A folder may hold many programs, each with a
``train.py`` and a ``dataset.py`` of its own.

Imports may be made of strings. Files that nothing imports, and that are no scripts, belong to the nearest
program.
"""

from __future__ import annotations

import ast
import os
from collections.abc import Iterable, Iterator
from pathlib import PurePath


def programs_of(sources: dict[str, str]) -> list[dict[str, str]]:
    """The files by path, in groups."""
    named: dict[str, list[str]] = {}
    for path in sources:
        named.setdefault(module_name(path), []).append(path)
    group = {path: {path} for path in sources}
    for path, text in sources.items():
        for imported in _imported(path, text, named):
            if group[imported] is not group[path]:
                group[path] |= group[imported]
                group.update(dict.fromkeys(group[imported], group[path]))
    every = list({id(one): one for one in group.values()}.values())
    scripts = [one for one in every if any("__main__" in sources[path] for path in one)]
    for one in every if scripts else ():
        if one not in scripts:
            max(scripts, key=lambda other: max(_near(a, b) for a in one for b in other)).update(one)
    return [{path: sources[path] for path in sources if path in one} for one in scripts or [set(sources)]]


def module_name(path: str) -> str:
    """A module's own name, a package's for its ``__init__``."""
    place = PurePath(path)
    return place.parent.name if place.stem == "__init__" else place.stem


def _imported(path: str, text: str, named: dict[str, list[str]]) -> Iterator[str]:
    """What a file imports: of several of a name, those whose folders' names agree; then the nearest."""
    for names in _names(ast.parse(text)):
        for last in range(len(names), 0, -1):
            found = [one for one in named.get(names[last - 1], ()) if one != path]
            if found:
                yield max(found, key=lambda one: (_agreeing(one, names[:last]), _near(one, path)))


def _names(tree: ast.Module) -> Iterator[list[str]]:
    """The modules that imports name, in parts; of ``from a import b`` both may be one."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found = [part.name.split(".") for part in node.names]
        elif isinstance(node, ast.ImportFrom):
            found = [[*(node.module or "").split("."), part.name] for part in node.names]
        else:
            continue
        yield from (names for names in found if names[0] != "mindspore")


def _agreeing(path: str, names: Iterable[str]) -> int:
    place = PurePath(path)
    folders = [*(place.parent if place.stem == "__init__" else place.with_suffix("")).parts]
    pairs = zip(reversed(folders), reversed(list(names)), strict=False)
    count = 0
    for one, two in pairs:
        if one != two:
            break
        count += 1
    return count


def _near(one: str, two: str) -> int:
    return len(os.path.commonpath([os.path.dirname(one), os.path.dirname(two)]))
