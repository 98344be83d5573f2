"""What is translated, and where to: files, folders and notebooks, read before anything is written."""

from __future__ import annotations

import ast
import io
import os
import shutil
import tempfile
import tokenize
from dataclasses import dataclass, field
from importlib.util import decode_source
from pathlib import Path

from ms2torch._core.errors import BadInput
from ms2torch.scan import judging
from ms2torch.scan.sources import files

from .notebooks import Notebook

# How the folder begins in which OUT is made before it gets its name.
DRAFT = ".ms2torch-"
_LEFT = ("__pycache__", ".*", "*.pyc")


@dataclass
class Source:
    """One file that is read: its real path, its Python, and the notebook that this is from; the encoding and
    the line ends that it has; its place below the folder, which a link may have too."""

    path: str
    text: str
    notebook: Notebook | None = None
    mindspore: bool = False
    encoding: str = "utf-8"
    line_end: str = "\n"
    place: Path = Path()

    def written(self, text: str) -> bytes:
        """The file with another text."""
        if self.notebook is not None:
            return self.notebook.written(text)
        return text.replace("\n", self.line_end).encode(self.encoding)


@dataclass
class Project:
    """``sources`` by real path; ``root`` is the file or folder that was named, ``out`` where the result
    goes."""

    root: Path
    out: Path
    sources: dict[str, Source] = field(default_factory=dict)

    def target(self, path: str, base: Path | None = None) -> Path:
        """Where a source's translation is, in OUT or in another place that will be OUT."""
        base = base or self.out
        if self.root.is_file():
            return base
        return base / self.sources[path].place


def read(root: str, out: str, force: bool = False) -> Project:
    """Everything that is to be translated. BadInput."""
    place, target = Path(root), Path(out)
    if not root or not place.exists():
        raise BadInput(f"can't open {root!r}: no such file or folder")
    if place.is_file() and (out.endswith(os.sep) or not target.suffix):
        target = target / place.name
    elif place.is_file() and target.suffix != place.suffix:
        raise BadInput(f"{out!r} has to end in {place.suffix or '.py'}, as {root!r} does")
    _may_write(target, place, force)
    project = Project(place, target)
    if place.is_file():
        if place.suffix not in (".py", ".ipynb"):
            raise BadInput(f"{root!r} is no Python file and no notebook")
        found = [place]
    else:
        found = [f for f in files(place) if target.resolve() not in f.resolve().parents]
    for file in found:
        try:
            source = source_of(file)
        except BadInput:
            if place.is_dir() and _goes_along(file):
                continue
            raise
        if place.is_dir():
            source.place = file.relative_to(place)
        project.sources.setdefault(source.path, source)
    if not any(s.mindspore for s in project.sources.values()):
        raise BadInput(f"there is no MindSpore in {root!r}: nothing to translate")
    return project


def _may_write(target: Path, place: Path, force: bool) -> None:
    shown = str(target)
    if target.resolve() == place.resolve():
        raise BadInput(f"{shown!r} is the source itself: -o names another place")
    if target.resolve() in place.resolve().parents:
        raise BadInput(f"{shown!r} has the source in it: -o names another place")
    if os.path.lexists(target) and not force:
        raise BadInput(f"{shown!r} exists: nothing is overwritten without --force")
    if target.exists() and target.is_dir() != place.is_dir():
        raise BadInput(f"{shown!r} is a {'folder' if target.is_dir() else 'file'}, {str(place)!r} is not")
    parent = _existing(target)
    if not parent.is_dir():
        raise BadInput(f"can't write {shown!r}: {str(parent)!r} is no folder")
    try:
        os.rmdir(tempfile.mkdtemp(prefix=DRAFT, dir=parent))
    except OSError as error:
        raise BadInput(f"can't write {shown!r}: {error.strerror}") from None


def _existing(target: Path) -> Path:
    """The nearest folder above a path that there is."""
    parent = target.absolute().parent
    while not os.path.lexists(parent):
        parent = parent.parent
    return parent


def source_of(file: Path) -> Source:
    """One file, whatever its encoding and line ends. BadInput."""
    path = os.path.realpath(file)
    if os.path.exists(path) and not os.path.isfile(path):  # (a pipe's reader would wait)
        raise BadInput(f"can't read {str(file)!r}: it is no file")
    try:
        raw = Path(path).read_bytes()
    except OSError as error:
        raise BadInput(f"can't read {str(file)!r}: {error.strerror}") from None
    notebook, encoding = None, "utf-8"
    try:
        if file.suffix == ".ipynb":
            notebook = Notebook(raw)
            text = notebook.source
        else:
            text = decode_source(raw)
            encoding = tokenize.detect_encoding(io.BytesIO(raw).readline)[0]
        tree = judging.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        finding = judging.unreadable(str(file), error, raw)
        raise BadInput(f"{finding.path}:{finding.line}: {finding.text}") from None
    line_end = "\r\n" if b"\r\n" in raw[: raw.find(b"\n") + 1] else "\n"
    return Source(path, text, notebook, _uses_mindspore(tree), encoding, line_end)


def _goes_along(file: Path) -> bool:
    """Whether a file that is no Python of this release has nothing to translate: OUT gets it as it is."""
    try:
        return b"mindspore" not in file.read_bytes()
    except OSError:
        return False


def _uses_mindspore(tree: ast.AST) -> bool:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and not node.level:
            names = [node.module or ""]
        else:
            continue
        if any(name.partition(".")[0] == "mindspore" for name in names):
            return True
    return False


# ---- writing -----------------------------------------------------------------------------------------------


class Draft:
    """``with Draft(project) as draft:`` the output in a place beside OUT; `settle` makes it OUT at once."""

    def __init__(self, project: Project) -> None:
        self.project = project

    def __enter__(self) -> Draft:
        parent = _existing(self.project.out)
        self.folder = Path(tempfile.mkdtemp(prefix=DRAFT, dir=parent))
        self.place = self.folder / self.project.out.name
        if self.project.root.is_dir():
            try:
                self._copy()
            except BaseException:
                self.__exit__()
                raise
        return self

    def _copy(self) -> None:
        """What is beside the sources comes along, but for pipes and sockets."""
        skipped = shutil.ignore_patterns(*_LEFT)
        out = self.project.out.resolve()

        def ignore(folder, names):
            paths = {name: Path(folder, name) for name in names}
            own = {n for n, p in paths.items() if p.resolve() in (out, self.folder.resolve())}
            special = {n for n, p in paths.items() if not (p.is_symlink() or p.is_file() or p.is_dir())}
            return skipped(folder, names) | own | special

        shutil.copytree(self.project.root, self.place, symlinks=True, ignore=ignore)

    def write(self, path: str, text: str) -> None:
        """Put a translated file in its place."""
        target = self.project.target(path, self.place)
        if target.is_symlink():
            target.unlink()
        target.write_bytes(self.project.sources[path].written(text))

    def settle(self) -> None:
        """Give the whole its name."""
        out = self.project.out
        out.parent.mkdir(parents=True, exist_ok=True)
        old = self.folder / "before"
        if out.is_dir():  # a file is replaced in one step
            os.replace(out, old)
        try:
            os.replace(self.place, out)
        except OSError:
            if os.path.lexists(old):
                os.replace(old, out)
            raise

    def __exit__(self, *_) -> None:
        shutil.rmtree(self.folder, ignore_errors=True)
