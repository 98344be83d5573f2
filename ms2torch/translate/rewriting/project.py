"""What the files of a program tell each other: classes that one defines and others descend from or make."""

from __future__ import annotations

import ast
import re
from pathlib import PurePath
from typing import NamedTuple

from . import modes
from .inferred import Class, Of, Plain, Seq, is_tensor
from .reading import Reading

_STEPS = re.compile(r"(?<!self)\.global_step\b")
# A class may descend from another file's, which descends from a third one's.
_PASSES = 3


class Project(NamedTuple):
    """Classes by ``file.Name``, by ``Name`` where one file alone has it; files' names; what classes ask of a
    base that stands in another file; whether any file has norms with moving statistics, and whether any
    asks an optimizer for its steps."""

    classes: dict[str, Class] = {}
    files: frozenset[str] = frozenset()
    asked: frozenset[str] = frozenset()
    moving: bool = False
    counts: bool = False

    def class_named(self, file: str, name: str) -> Class | None:
        return self.classes.get(f"{file}.{name}") or self.classes.get(name)

    def also_as(self, names: dict[str, str]) -> Project:
        """The same, with some classes under other names too."""
        parts = [(*key.rpartition("."), cls) for key, cls in self.classes.items()]
        others = {file + dot + names[name]: cls for file, dot, name, cls in parts if name in names}
        return self._replace(classes=self.classes | others)


def project_of(sources: dict[str, str]) -> Project:
    """A program's; nothing where it has one file."""
    trees = {_stem(path): ast.parse(text) for path, text in sources.items()}
    project = Project(files=frozenset(trees))
    for _ in range(_PASSES if len(sources) > 1 else 0):
        before = {name: cls.root() for name, cls in project.classes.items()}
        project = _read(trees, project)
        if before == {name: cls.root() for name, cls in project.classes.items()}:
            break
    moving = any("BatchNorm" in text for text in sources.values())
    return project._replace(moving=moving, counts=any(map(_STEPS.search, sources.values())))


def _stem(path: str) -> str:
    place = PurePath(path)
    return place.parent.name if place.stem == "__init__" else place.stem


def _read(trees: dict[str, ast.Module], project: Project) -> Project:
    classes: dict[str, Class] = {}
    several, asked, known = set(), set(), {}
    for file, tree in trees.items():
        reading = Reading(tree, project=project)
        own = reading.classes
        for node in tree.body:
            if node in own:
                cls = _told(own[node], known, reading)
                several |= {node.name} & classes.keys()
                classes[f"{file}.{node.name}"] = classes[node.name] = cls
        for cls in own.values():
            if isinstance(cls.base, Class) and cls.base.node not in own:
                parts = [n for n in ast.walk(cls.node) if isinstance(n, ast.Attribute)]
                asked |= {n.attr for n in parts if _is_self(n.value)}
    for name in several:
        del classes[name]
    return Project(classes, project.files, frozenset(asked))


def _is_self(node: ast.expr) -> bool:
    return isinstance(node, ast.Name) and node.id == "self"


def _told(cls: Class, known: dict[Class, Class], reading: Reading) -> Class:
    """A class as other files see it: without the operators that it makes, whose calls are told in its own."""
    if cls.differs is not None:
        return cls  # another file's already
    if cls not in known:
        base = _told(cls.base, known, reading) if isinstance(cls.base, Class) else cls.base
        held = {name: _plain(inferred) for name, inferred in cls.attributes.items()}
        known[cls] = Class(cls.node, base, held, cls.functions, modes.depends_on_mode(reading, cls))
    return known[cls]


def _plain(inferred):
    if isinstance(inferred, Of):
        return Of(inferred.cls) if is_tensor(inferred) or inferred.cls.startswith("mindspore.nn.") else None
    return inferred if isinstance(inferred, (Plain, Seq)) else None
