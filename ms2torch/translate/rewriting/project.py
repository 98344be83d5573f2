"""What the files of a program tell each other: classes that one defines and others descend from or make, and
what its functions give."""

from __future__ import annotations

import ast
from typing import NamedTuple

from . import modes, pipelines
from .inferred import PLAIN, Class, Const, Function, Many, Of, OwnOf, Plain, Seq, is_tensor
from .programs import module_name
from .reading import Reading

# A class may descend from another file's, which descends from a third one's.
_PASSES = 3


class Project(NamedTuple):
    """Classes and functions by ``file.Name``, by ``Name`` where one file alone has it; files' names and
    texts; what classes ask of a base that stands in another file."""

    classes: dict[str, Class] = {}
    functions: dict[str, Function] = {}
    files: frozenset[str] = frozenset()
    asked: frozenset[str] = frozenset()
    texts: tuple[str, ...] = ()

    def named(self, file: str, name: str) -> Class | Function | None:
        """What stands under a name in a file, or in one that it passes on; "" is a package's own."""
        for known in (f"{file}.{name}", name) if file in self.files or not file else ():
            if found := self.classes.get(known) or self.functions.get(known):
                return found
        return None

    def also_as(self, names: dict[str, str]) -> Project:
        """The same, with some of them under other names too."""

        def both(known: dict) -> dict:
            parts = [(*key.rpartition("."), one) for key, one in known.items()]
            return known | {file + dot + names[name]: one for file, dot, name, one in parts if name in names}

        return self._replace(classes=both(self.classes), functions=both(self.functions))


def project_of(sources: dict[str, str]) -> Project:
    """A program's."""
    trees = {module_name(path): ast.parse(text) for path, text in sources.items()}
    project = Project(files=frozenset(trees))
    for _ in range(_PASSES if len(sources) > 1 else 0):
        before = _summary(project)
        project = _read(trees, project)
        if before == _summary(project):
            break
    return project._replace(texts=tuple(sources.values()))


def _summary(project: Project) -> tuple:
    """What another reading would find again once the files know all of each other."""
    roots = {name: cls.root() for name, cls in project.classes.items()}
    return roots, {name: type(function.returns) for name, function in project.functions.items()}


def _read(trees: dict[str, ast.Module], project: Project) -> Project:
    classes: dict[str, Class] = {}
    functions: dict[str, Function] = {}
    several, asked, known = set(), set(), {}
    for file, tree in trees.items():
        reading = Reading(tree, project=project)
        own = reading.classes
        for node in tree.body:
            if node in own:
                cls = _told(own[node], known, reading)
                several |= {node.name} & (classes.keys() | functions.keys())
                classes[f"{file}.{node.name}"] = classes[node.name] = cls
            elif node in reading.functions:
                function = _given(reading.functions[node], known, reading)
                several |= {node.name} & (classes.keys() | functions.keys())
                functions[f"{file}.{node.name}"] = functions[node.name] = function
        for cls in own.values():
            if isinstance(cls.base, Class) and cls.base.node not in own:
                parts = [n for n in ast.walk(cls.node) if isinstance(n, ast.Attribute)]
                asked |= {n.attr for n in parts if _is_self(n.value)}
    for name in several:
        classes.pop(name, None)
        functions.pop(name, None)
    made = Project(classes, functions, project.files, frozenset(asked))
    for file, tree in trees.items():
        for key, found in _renamed(file, tree, made).items():
            (classes if isinstance(found, Class) else functions)[key] = found
    return made


def _renamed(file: str, tree: ast.Module, project: Project) -> dict[str, Class | Function]:
    """What a file passes on under another name (``from .net import build as make``), by ``file.Name``."""
    found = {}
    for node in tree.body:
        for part in node.names if isinstance(node, ast.ImportFrom) else ():
            one = project.named((node.module or "").rpartition(".")[2], part.name) if part.asname else None
            if one is not None:
                found[f"{file}.{part.asname}"] = one
    return found


def _is_self(node: ast.expr) -> bool:
    return isinstance(node, ast.Name) and node.id == "self"


def _told(cls: Class, known: dict[Class, Class], reading: Reading) -> Class:
    """A class as other files see it: without the operators that it makes, whose calls are told in its own."""
    if cls.differs is not None:
        return cls  # another file's already
    if cls not in known:
        base = _told(cls.base, known, reading) if isinstance(cls.base, Class) else cls.base
        held = {name: _plain(inferred) for name, inferred in cls.attributes.items()}
        known[cls] = Class(
            cls.node, base, held, cls.functions, cls.weights, modes.depends_on_mode(reading, cls)
        )
    return known[cls]


def _given(function: Function, known: dict[Class, Class], reading: Reading) -> Function:
    """A function as other files see it: what a call of it gives."""
    given = _seen(function.returns, known, reading)
    return Function(function.node, [], None, {}, given, modes.within(reading, function.node, set()))


def _seen(inferred, known: dict[Class, Class], reading: Reading):
    """What a function gives, as other files see it."""
    if isinstance(inferred, OwnOf):
        return OwnOf(_told(inferred.cls, known, reading))
    if isinstance(inferred, Many):
        return Many(tuple(_seen(part, known, reading) for part in inferred.items))
    if isinstance(inferred, Seq):
        return type(inferred)(_seen(inferred.item, known, reading))
    if isinstance(inferred, Of) and inferred.cls in (pipelines.BATCHED, "mindspore.Model"):
        return inferred if inferred.cls == pipelines.BATCHED else Of(inferred.cls)
    return PLAIN if isinstance(inferred, Const) and inferred.value is not None else _plain(inferred)


def _plain(inferred):
    if isinstance(inferred, Of):
        return Of(inferred.cls) if is_tensor(inferred) or inferred.cls.startswith("mindspore.nn.") else None
    return inferred if isinstance(inferred, (Plain, Seq)) else None
