"""Each lesson as a Jupyter notebook, made from its script's cells and its text."""

from __future__ import annotations

import json
from pathlib import Path

from scripts import build_guide

# A lesson stands in its folder of a clone, and its commands are those of the clone's root.
FIRST = """import os
import sys

import ms2torch

ms2torch.install()
__file__ = os.path.abspath("lesson.py")
sys.path.insert(0, os.path.dirname(__file__))
os.chdir("../..")"""


def notebook(folder: Path, language: str) -> dict:
    """A lesson's notebook (format 4.5): the prose as Markdown, its cells as code, checks included."""
    source = build_guide.cells((folder / "lesson.py").read_text(encoding="utf-8"))
    made, prose, order = [code(FIRST)], [], list(source)
    shown: list[str] = []

    def run(upto: str | None) -> None:
        """Add the cells up to one, in the script's order, so that the notebook runs as the script does."""
        while order and (upto is None or upto in order):
            name = order.pop(0)
            if source[name].strip():
                made.append(code(source[name].strip("\n"), name))
            shown.append(name)

    def close() -> None:
        if text := "\n".join(prose).strip():
            made.append({"cell_type": "markdown", "metadata": {}, "source": text})
        prose.clear()

    for line in (folder / f"text.{language}.md").read_text(encoding="utf-8").splitlines():
        match build_guide.block(line):
            case None:
                prose.append(line)
            case ("file", path):
                prose.extend(["```python", (folder / path).read_text(encoding="utf-8").rstrip(), "```"])
            case ("plot", text):
                name = text.partition("|")[0].strip()
                close()
                run(name)
                made.append(code("figure"))
            case (_, name):
                close()
                run(name)
    close()
    run(None)
    for number, cell in enumerate(made):
        cell["id"] = f"cell{number}"
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    return {
        "cells": made,
        "metadata": {"kernelspec": kernel, "language_info": {"name": "python"}},
        "nbformat": 4,
        "nbformat_minor": 5,
    }


def code(text: str, name: str = "") -> dict:
    """A cell of code; the script's cells keep their names."""
    metadata = {"name": name} if name else {}
    return {"cell_type": "code", "metadata": metadata, "execution_count": None, "outputs": [], "source": text}


def scripts(folder: Path, language: str) -> list[tuple[str, str]]:
    """(name, source) of the code cells of a lesson's notebook, in their order."""
    cells = notebook(folder, language)["cells"]
    return [(c["metadata"].get("name", ""), c["source"]) for c in cells if c["cell_type"] == "code"]


def write(folder: Path, language: str = "en") -> None:
    """Put every lesson's notebook beside its page under ``folder``."""
    for lesson in build_guide.lessons():
        target = folder / "migration_guide" / lesson.name / "lesson.ipynb"
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(
            json.dumps(notebook(lesson, language), ensure_ascii=False, indent=1) + "\n", encoding="utf-8"
        )
