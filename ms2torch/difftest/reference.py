"""The real MindSpore beside ms2torch: an interpreter of its own, found, installed, and run with adaptations.

    ms2torch reference where                 which interpreter is used, and its versions
    ms2torch reference install               make an environment with MindSpore from PyPI
    ms2torch reference run train.py [...]    run a script on it, adapted to a CPU and to its release
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent
VERSION = "2.10.0"
# Pythons that MindSpore's wheels exist for, the preferred first.
PYTHONS = ("3.11", "3.12", "3.10")
_MARK = "installed.json"
_ASK = """\
import importlib.metadata as m, json, platform
def version(name):
    try:
        return m.version(name)
    except m.PackageNotFoundError:
        return None
found = {name: version(name) for name in ("mindspore", "numpy")}
print(json.dumps({"python": platform.python_version(), **found}))
"""


class NoReference(RuntimeError):
    """There is no real MindSpore to run; the message says what to do."""


def folders() -> list[Path]:
    """Where ``install`` may have put the environment: ``.reference`` here, then the user's cache folder."""
    cache = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return [Path.cwd() / ".reference", Path(cache) / "ms2torch" / "reference"]


def find(given: str | os.PathLike | None = None) -> str:
    """The reference's interpreter: ``given``, else ``MS2TORCH_REFERENCE_PYTHON``, else what ``install`` made.

    Raises NoReference if there is none or if it has no MindSpore.
    """
    named = given or os.environ.get("MS2TORCH_REFERENCE_PYTHON")
    if named:
        source = "--reference-python" if given else "MS2TORCH_REFERENCE_PYTHON"
        path = shutil.which(os.fspath(named))
        if path is None:
            raise NoReference(f"{source} is {named}, which is no interpreter")
        if versions(path)["mindspore"] is None:
            raise NoReference(f"{source} is {named}, which has no MindSpore; "
                              f"there: pip install mindspore=={VERSION} 'numpy<2'")
        return path
    for folder in folders():
        python = _python_of(folder)
        if python.exists() and ((folder / _MARK).exists() or versions(str(python))["mindspore"] is not None):
            return str(python)
    raise NoReference("the real MindSpore is not here: run ms2torch reference install (about 3 GB on disk), "
                      "or name its interpreter by --reference-python or MS2TORCH_REFERENCE_PYTHON")


def versions(python: str) -> dict[str, str | None]:
    """``python``, ``mindspore`` and ``numpy`` of an interpreter; None for what it lacks. Imports neither."""
    done = subprocess.run([python, "-c", _ASK], env=environment(), capture_output=True, text=True)
    if done.returncode:
        raise NoReference(f"{python} does not run: {done.stderr.strip().splitlines()[-1:]}")
    return json.loads(done.stdout)


def environment() -> dict[str, str]:
    """The environment for the reference's process: this one less what makes ``mindspore`` mean ms2torch."""
    ours = ("MS2TORCH_INSTALL", "MS2TORCH_API", "PYTHONHOME")
    kept = {k: v for k, v in os.environ.items() if k not in ours}
    site = str(HERE.parent / "shim" / "site")
    paths = [p for p in kept.pop("PYTHONPATH", "").split(os.pathsep) if p and p != site]
    if paths:
        kept["PYTHONPATH"] = os.pathsep.join(paths)
    kept.setdefault("GLOG_v", "3")  # its warnings about missing device libraries drown a program's output
    return kept


def _python_of(folder: Path) -> Path:
    return folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")


def install(folder: Path | None = None, base: str | None = None, version: str = VERSION) -> str:
    """Make a virtual environment with MindSpore and numpy below 2 in it, from PyPI; the interpreter's path.

    ``base`` is the Python to make it from. An environment that is there already is kept if it has that
    version. Raises NoReference with pip's own words if something fails; nothing half made is left.
    """
    folder = folder or folders()[1]
    python = _python_of(folder)
    mark = folder / _MARK
    if mark.exists() and python.exists() and versions(str(python))["mindspore"] == version:
        return str(python)
    base = base or _base()
    if folder.exists():
        if not (folder / "pyvenv.cfg").exists() and any(folder.iterdir()):
            raise NoReference(f"{folder} is something else than an environment; choose --into FOLDER")
        shutil.rmtree(folder)
    folder.parent.mkdir(parents=True, exist_ok=True)
    try:
        _step(f"making {folder}", [base, "-m", "venv", str(folder)])
        wanted = [f"mindspore=={version}", "numpy<2"]
        _step(f"installing {wanted[0]} from PyPI", [str(python), "-m", "pip", "install", "--quiet",
                                                     "--disable-pip-version-check", *wanted])
        _step("asking it for a sum", [str(python), "-c", "import mindspore as m; print(m.Tensor([1.0]) + 1)"])
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise
    mark.write_text(json.dumps(versions(str(python))))
    return str(python)


def _base() -> str:
    """A Python that MindSpore has wheels for."""
    own = f"{sys.version_info.major}.{sys.version_info.minor}"
    if own in PYTHONS:
        return sys.executable
    for number in PYTHONS:
        path = shutil.which(f"python{number}")
        if path:
            return path
    raise NoReference(f"MindSpore {VERSION} has wheels for Python {', '.join(PYTHONS)}, and this is {own}; "
                      "name one by --python")


def _step(what: str, command: list[str]) -> None:
    """Run one step of the installation, with its name and a clock on a terminal."""
    from rich.console import Console

    console = Console(stderr=True)
    with console.status(what) if console.is_terminal else _said(what):
        done = subprocess.run(command, env=environment(), capture_output=True, text=True)
    if done.returncode:
        said = (done.stderr or done.stdout).strip().splitlines()[-12:]
        raise NoReference("\n".join([f"{what} failed:", *said]))


class _said:
    """A line on standard error in place of a moving status."""

    def __init__(self, what: str) -> None:
        print(f"ms2torch: {what}", file=sys.stderr)

    def __enter__(self) -> None:
        pass

    def __exit__(self, *error) -> None:
        pass


def parser() -> argparse.ArgumentParser:
    """The options of ``ms2torch reference``."""
    from ms2torch.cli import Parser

    found = Parser(prog="ms2torch reference", description="The real MindSpore beside ms2torch.")
    verbs = found.add_subparsers(dest="verb", required=True)
    where = verbs.add_parser("where", help="which interpreter is used")
    making = verbs.add_parser("install", help="make an environment with MindSpore from PyPI")
    making.add_argument("--into", type=Path, metavar="FOLDER", help="default: the user's cache folder")
    making.add_argument("--python", help="the Python to make it from")
    making.add_argument("--version", default=VERSION, help=f"default: {VERSION}")
    running = verbs.add_parser("run", help="run a script on it")
    running.add_argument("--no-adapter", dest="adapter", action="store_false", help="without adaptations")
    for verb in (where, running):
        verb.add_argument("--reference-python", metavar="PYTHON", help="the reference's interpreter")
    running.add_argument("script", nargs=argparse.REMAINDER, metavar="train.py [arguments]")
    return found


def main(argv: list[str]) -> int:
    """``ms2torch reference ...``; the exit code, which for ``run`` is the program's own."""
    p = parser()
    options = p.parse_args(argv)
    if options.verb == "run" and not options.script:
        p.error("run: which script?")
    if options.verb == "run" and options.script[0][:1] != "-" and not Path(options.script[0]).exists():
        p.error(f"can't open file {os.path.abspath(options.script[0])!r}: no such file")
    try:
        if options.verb == "install":
            print(install(options.into, options.python, options.version))
            return 0
        python = find(options.reference_python)
        if options.verb == "where":
            has = versions(python)
            print(f"{python}: MindSpore {has['mindspore']}, Python {has['python']}, numpy {has['numpy']}")
            return 0
        return run(python, options.script, options.adapter)
    except NoReference as error:
        print(f"ms2torch reference: {error}", file=sys.stderr)
        return 2


def run(python: str, script: list[str], adapter: bool = True) -> int:
    """Run a script on the reference in this terminal; its exit code. Does not return where a process can be
    replaced by another."""
    command = [python, *([str(HERE / "recorder" / "adapter")] if adapter else []), *script]
    if os.name == "posix":
        sys.stdout.flush()
        os.execve(python, command, environment())
    return subprocess.run(command, env=environment()).returncode
