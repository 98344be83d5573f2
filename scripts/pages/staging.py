"""Lays a language's pages out as the generator wants them: the repository's documents, in their own folders.

A document's twin in Chinese has the same address, so the two languages differ by their first folder alone.
A link to a file of the repository takes that file along; one to what no site has becomes plain words.
"""

from __future__ import annotations

import posixpath
import re
import shutil
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
ALONE = (
    "README.md",
    "SUPPORT.md",
    "ARCHITECTURE.md",
    "CONTRIBUTING.md",
    "CHANGELOG.md",
    "scripts/versions.md",
    "scripts/benchmarks/RESULTS.md",
    "scripts/third_party/RESULTS.md",
    "scripts/public_cells/RESULTS.md",
    "scripts/mutants/RESULTS.md",
    "scripts/mutants/TRIALS.md",
    "scripts/fuzz/RESULTS.md",
    "scripts/sweep/RESULTS.md",
    "tests/reference/README.md",
    "ms2torch/difftest/FORMAT.md",
)
FENCE = re.compile(r"(^```.*?^```)", re.S | re.M)
CODE = re.compile(r"`[^`\n]+`")
LINK = re.compile(r"(!?)\[((?:[^\[\]]|\[[^\]]*\])*)\]\(([^)\s]+)\)")
SWITCH = re.compile(r"(?: · )?\[(?:中文|English)\]\([^)]+\)(?: · )?")
# What a link may take along.
SHOWN = (".py", ".svg", ".md", ".png", ".ipynb")


def documents() -> list[str]:
    """The English documents, by their paths in the repository."""
    guide = (p.relative_to(ROOT).as_posix() for p in (ROOT / "migration_guide").rglob("*.md"))
    return [*ALONE, *sorted(p for p in guide if ".zh" not in p and not re.search(r"/text\.\w\w\.md$", p))]


def twin(path: str, language: str) -> str:
    """The file that holds a document in a language: the English one where there is no other."""
    chinese = path.removesuffix(".md") + ".zh-CN.md"
    return chinese if language == "zh" and (ROOT / chinese).exists() else path


def stage(folder: Path, language: str) -> None:
    """Write the documents, and the files that they show, under ``folder``."""
    for path in documents():
        text = (ROOT / twin(path, language)).read_text(encoding="utf-8")
        target = folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        if language == "zh":
            text = joined(text)
        text = mended(text, posixpath.dirname(path), folder)
        # Beside a lesson's script lies the notebook that notebooks.py makes.
        text = re.sub(r"\]\(lesson\.py\)", r"\g<0> · [Notebook](lesson.ipynb)", text, count=1)
        target.write_text(text, encoding="utf-8")


def mended(text: str, home: str, folder: Path) -> str:
    """A document's text with its links as they are on the site."""
    text = re.sub(r"\n\n\n+", "\n\n", SWITCH.sub(_dot, text, count=1)) if text.count("\n") else text
    parts = FENCE.split(text)
    for at in range(0, len(parts), 2):
        # Code stands aside meanwhile: what looks like a link in it is none, and a link's words may be code.
        kept: list[str] = CODE.findall(parts[at])
        plain = CODE.sub("\0", listed(parts[at]))
        linked = LINK.sub(lambda m: _link(m, home, folder), plain)
        parts[at] = re.sub("\0", lambda m: kept.pop(0), linked)  # noqa: B023
    return "".join(parts)


def joined(text: str) -> str:
    """Chinese lines of one paragraph without the blank that a line's end would leave between them."""
    parts = FENCE.split(text)
    parts[::2] = [
        re.sub(r"(?<=[\u3000-\u9fff\uff00-\uffef])\n(?=[\u3000-\u9fff\uff00-\uffef])", "", p)
        for p in parts[::2]
    ]
    return "".join(parts)


def listed(text: str) -> str:
    """A list right below a line of prose, with the blank line that Markdown's older readers want."""
    return re.sub(
        r"(^(?![ \t]*(?:[-*]|\d+\.) |\|)[^\n]*\S[^\n]*\n)(?=(?:[-*]|\d+\.) )", r"\1\n", text, flags=re.M
    )


def _dot(match: re.Match) -> str:
    return " · " if match.group().startswith(" ·") and match.group().endswith("· ") else ""


def _link(match: re.Match, home: str, folder: Path) -> str:
    mark, words, target = match.groups()
    if "://" in target or target.startswith("#"):
        return match.group()
    path, hash_, anchor = target.partition("#")
    path = posixpath.normpath(posixpath.join(home, path)).replace(".zh-CN.md", ".md")
    if path not in documents():
        source = ROOT / path
        if not (source.is_file() and source.suffix in SHOWN):
            return words
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(source, folder / path)
    return f"{mark}[{words}]({posixpath.relpath(path, home or '.')}{hash_}{anchor})"
