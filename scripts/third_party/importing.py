"""Import every module of a library, and say of each that fails what it lacks.

    python -m ms2torch scripts/third_party/importing.py FOLDER OUT PACKAGE ...

Modules share one process, as they do in a program. OUT gets a line a module: its name, ``ok`` or the kind of
failure, and what was missing. Modules that OUT names already are left out, so that the caller can go on after
one that ends the process.

The kinds are ``third`` (another package is missing, or has another version), ``refused`` (MindSpore has the
name, ms2torch says that it has not and why), ``own`` (a fault of the library itself, or of the machine it
asks for), ``ours`` (everything else: what ms2torch has to mend).
"""

from __future__ import annotations

import importlib
import os
import re
import sys
import traceback
import warnings
from pathlib import Path


def modules(folder: Path, package: str) -> list[str]:
    """All modules of ``package`` by their files, without those that are scripts by their name."""
    found = []
    for file in sorted((folder / package).rglob("*.py")):
        parts = file.relative_to(folder).with_suffix("").parts
        if parts[-1] == "__init__":
            parts = parts[:-1]
        if all(p.isidentifier() for p in parts) and parts[-1] not in ("__main__", "setup", "conftest"):
            found.append(".".join(parts))
    return found


def kind(error: BaseException, roots: set[str]) -> str:
    """Who has to mend what an import raised."""
    while error.__cause__ is not None:  # lazy packages wrap what a module of theirs raised
        error = error.__cause__
    frames = traceback.extract_tb(error.__traceback__)
    text = str(error)
    if isinstance(error, NotImplementedError) and "ms2torch" in text:
        return "refused" if "not supported" in text else "ours"
    if isinstance(error, AttributeError) and re.match(r"module 'mindspore[.\w]*' has no attribute", text):
        return "own"  # MindSpore never had the name (`surface.lookup`)
    if re.search(r"'Tensor' (object )?has no attribute", text):
        return "ours"  # an attribute of another release
    named = getattr(error, "name", None) or ""
    asked = named.partition(".")[0] or next(iter(re.findall(r"'(mindspore|ms2torch)[.\w]*'", text)), "")
    if asked in ("mindspore", "ms2torch") or "ms2torch" in text:
        return "ours"
    if isinstance(error, ImportError):
        return "own" if asked in roots else "third"
    if isinstance(error, SystemExit | SyntaxError):
        return "own"
    last = frames[-1].filename if frames else ""
    if isinstance(error, TypeError) and any(f"/{r}/" in last for r in roots):
        return "ours"  # a class over Tensor or Cell that cannot be made
    return "ours" if "/ms2torch/" in last else "own" if any(f"/{r}/" in last for r in roots) else "third"


def missing(error: BaseException) -> str:
    """One line: the error's type and words."""
    while error.__cause__ is not None:
        error = error.__cause__
    lines = [line.strip() for line in str(error).splitlines() if line.strip()] or [""]
    return f"{type(error).__name__}: {lines[0][:200]}"


def main(folder: Path, out: Path, packages: list[str]) -> None:
    sys.path.insert(0, str(folder))
    warnings.simplefilter("ignore")
    done = {line.partition("\t")[0] for line in out.read_text().splitlines()} if out.exists() else set()
    with out.open("a", buffering=1) as log:
        for name in (m for package in packages for m in modules(folder, package)):
            if name in done:
                continue
            place = log.tell()
            log.write(f"{name}\town\tended the process\n")
            log.flush()
            sys.argv[:] = [name]
            try:
                importlib.import_module(name)
                row = "ok", ""
            except (KeyboardInterrupt, GeneratorExit):
                raise
            except BaseException as error:
                row = kind(error, set(packages)), missing(error)
                if os.environ.get("TRACE"):
                    traceback.print_exc()
            log.seek(place)
            log.truncate()
            log.write("\t".join((name, *row)) + "\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3:])
    sys.stdout.flush()
    os._exit(0)  # what a library left running does not keep the process
