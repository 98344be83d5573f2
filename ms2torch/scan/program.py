"""One program: a script and the modules that it imports from its own folder."""

from __future__ import annotations

import os
from pathlib import Path

from . import judging, sources
from .findings import Finding, Read


def scan(script: str, api: str | None = None) -> tuple[list[Finding], int, int]:
    """All findings in a script and its local modules; how many MindSpore names and files were looked at."""
    reads = read_program(Path(script).resolve(), api)
    findings = sorted(f for read in reads for f in read.findings)
    return findings, len({name for read in reads for name in read.names}), len(reads)


def read_program(script: Path, api: str | None = None) -> list[Read]:
    """What a script and the modules of its folder give, each read once."""
    todo, seen, found = [(script, True)], set(), []
    while todo:
        path, main = todo.pop(0)
        if path in seen:
            continue
        seen.add(path)
        text = sources.read(path)[0].text
        reads, imported = _one(os.path.relpath(path), text, script.parent, path, main, api)
        found.append(reads)
        todo += [(file, False) for file in imported]
    return judging.without_written(found)


def command(code: str, api: str | None = None) -> list[Read]:
    """The same for ``-c code``."""
    here = Path.cwd()
    read, imported = _one("<command>", code, here, here / "<command>", True, api)
    return judging.without_written([read, *(r for file in imported for r in read_program(file, api))])


def _one(shown: str, text, root: Path, path: Path, main: bool, api: str | None) -> tuple[Read, list[Path]]:
    def installed(name: str) -> bool:
        return sources.has_module(name, root) if sources.is_local(root, name) else sources.is_installed(name)

    reader, read = judging.judge(shown, text, api=api, main=main, installed=installed)
    if reader is None:
        return read, []
    imported = []
    for module in reader.modules:
        for name in (module.name, *(f"{module.name}.{part}".strip(".") for part in module.parts)):
            imported += _local_files(root, path, name, module.level)
    return read, imported


def _local_files(root: Path, file: Path, name: str, level: int) -> list[Path]:
    """The files of the program's folder that an import of ``name`` runs, itself and its packages'."""
    base = root
    if level:
        base = file.parent
        for _ in range(level - 1):
            base = base.parent
    found = []
    for part in name.split(".") if name else []:
        base = base / part
        if (base / "__init__.py").is_file():
            found.append(base / "__init__.py")
        elif base.with_suffix(".py").is_file():
            found.append(base.with_suffix(".py"))
    return found
