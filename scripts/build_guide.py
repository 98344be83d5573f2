"""Make the migration guide's pages from its lessons: python scripts/build_guide.py [--check] [LESSON ...]

A lesson is a folder of ``migration_guide/`` with a script and two texts:

    lesson.py      runs alone: python -m ms2torch migration_guide/02_gradients/lesson.py
    text.en.md     what README.md is made of
    text.zh.md     what README.zh-CN.md is made of

``lesson.py`` is divided into named cells by lines ``# %% name``. They run in order as the lesson's notebook
(pages/notebooks.py), in a process of the lesson's own. A text takes in what they say and print:

    {{code name}}            the cell's source
    {{output name}}          what it printed
    {{run name}}             both
    {{table name}}           what it printed, as Markdown
    {{plot name | caption}}  the figure that it left in ``figure``, saved as name.svg
    {{file path}}            a file, relative to the lesson's folder
    {{expression}}           in prose: its value after the last cell, so that prose cannot go stale

Cells whose names begin with ``check`` hold assertions on what the lesson states and appear on no page; every
other cell is on both pages, or on one where its name ends in ``.en`` or ``.zh``. ``--check`` writes nothing;
it fails when a script or an assertion fails or a page is not what its lesson gives now. Floats may differ by
0.2 % there (another CPU's last digits, grown over some steps); all else is equal.
"""

from __future__ import annotations

import argparse
import ast
import contextlib
import io
import json
import linecache
import math
import os
import re
import subprocess
import sys
import types
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
GUIDE = ROOT / "migration_guide"
LANGUAGES = {"en": "README.md", "zh": "README.zh-CN.md"}
CELL = re.compile(r"^# %%(.*)\n", re.M)
PIECE = re.compile(r"\{\{(.+?)\}\}")
NUMBER = re.compile(r"(?<![\w.])[-+]?\d+(?:\.\d*)?(?:[eE][-+]?\d+)?")


def lessons() -> list[Path]:
    """Folders of all lessons, in reading order."""
    return sorted(p.parent for p in GUIDE.glob("[0-9][0-9]_*/lesson.py"))


def cells(source: str) -> dict[str, str]:
    """The script's cells by name; what stands above the first is ``head``."""
    parts = CELL.split(source)
    names = ["head", *(name.strip() for name in parts[1::2])]
    if len(set(names)) < len(names):
        raise ValueError(f"two cells of one name: {sorted({n for n in names if names.count(n) > 1})}")
    return dict(zip(names, [parts[0], *parts[2::2]], strict=True))


def expressions(folder: Path) -> list[str]:
    """The Python expressions in the prose of both texts."""
    found = []
    for language in LANGUAGES:
        for line in (folder / f"text.{language}.md").read_text(encoding="utf-8").splitlines():
            if not block(line):
                found += PIECE.findall(line)
    return sorted(set(found))


def block(line: str) -> tuple[str, str] | None:
    """(kind, name) where a line of a text takes in a cell or a file."""
    match = re.fullmatch(r"\{\{(code|output|run|table|plot|file) (.+?)\}\}", line.strip())
    return (match.group(1), match.group(2)) if match else None


def execute(folder: Path) -> dict:
    """Run a lesson in this process: what each cell printed, its figure as SVG, the values for the prose."""
    import lesson_commands

    import ms2torch

    with lesson_commands.forked():
        ms2torch.install()
        return _executed(folder)


def _executed(folder: Path) -> dict:
    """Run the cells of the lesson's notebook, as a kernel does that was started in the lesson's folder."""
    from scripts.pages import notebooks

    main = types.ModuleType("__main__")
    sys.modules["__main__"], sys.argv = main, [str(folder / "lesson.py")]
    os.chdir(folder)
    found: dict = {"output": {}, "figure": {}, "value": {}}
    drawn = None
    for number, (name, text) in enumerate(notebooks.scripts(folder, "en")):
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(_compiled(text, f"<cell {number}>"), main.__dict__)
        if not name:  # what the notebook adds to the script
            continue
        found["output"][name] = printed.getvalue()
        figure = main.__dict__.get("figure")
        if figure is not drawn:
            found["figure"][name], drawn = svg(figure), figure
    for text in expressions(folder):
        value = eval(compile(ast.parse(text, mode="eval"), text, "eval"), main.__dict__)
        found["value"][text] = str(value)
    return found


def _compiled(text: str, name: str):
    """A cell's code; tracebacks, and graph mode, find its lines under ``name``."""
    linecache.cache[name] = len(text), None, text.splitlines(keepends=True), name
    return compile(text, name, "exec")


def svg(figure) -> str:
    """The figure as an SVG, the same each time: text stays text, ids are not random, there is no date."""
    import matplotlib

    text = io.StringIO()
    with matplotlib.rc_context({"svg.hashsalt": "ms2torch", "svg.fonttype": "none"}):
        figure.savefig(text, format="svg", metadata={"Date": None}, bbox_inches="tight")
    return re.sub(r"[ \t]+$", "", text.getvalue(), flags=re.M)


def run(folder: Path) -> dict:
    """``execute`` in a process of its own. What the lesson says on stderr is shown if it fails."""
    settings = {"OMP_NUM_THREADS": "1", "PYTHONPATH": str(ROOT), "MS2TORCH_DEVICE": "cpu", "LANG": "C.UTF-8"}
    command = [sys.executable, __file__, "--execute", str(folder)]
    environment = {**os.environ, **settings}
    done = subprocess.run(
        command, capture_output=True, text=True, encoding="utf-8", cwd=ROOT, env=environment, timeout=300
    )
    if done.returncode:
        raise RuntimeError(f"{folder.name}/lesson.py failed:\n{done.stderr}")
    return json.loads(done.stdout.splitlines()[-1])


def fence(text: str, kind: str) -> str:
    return f"```{kind}\n{text.strip(chr(10)).rstrip()}\n```"


def page(folder: Path, language: str, found: dict) -> str:
    """The page in one language."""
    source = cells((folder / "lesson.py").read_text(encoding="utf-8"))
    shown, lines = {"head"}, []
    for line in (folder / f"text.{language}.md").read_text(encoding="utf-8").splitlines():
        match block(line):
            case None:
                lines.append(PIECE.sub(lambda m: found["value"][m.group(1)], line))
            case ("file", path):
                lines.append(fence((folder / path).read_text(encoding="utf-8"), "python"))
            case (kind, text):
                name, _, caption = (part.strip() for part in text.partition("|"))
                shown.add(name)
                if kind in ("code", "run"):
                    lines.append(fence(source[name], "python"))
                if kind == "run":
                    lines.append("")
                if kind in ("output", "run"):
                    lines.append(fence(found["output"][name], "text"))
                if kind == "table":
                    lines.append(found["output"][name].strip())
                if kind == "plot":
                    lines.append(f"![{caption}]({name}.svg)")
    elsewhere = tuple(f".{other}" for other in LANGUAGES if other != language)
    unseen = [n for n in source if n not in shown and not n.startswith("check") and not n.endswith(elsewhere)]
    if unseen:
        raise ValueError(f"{folder.name}/text.{language}.md does not show the cells {unseen}")
    return "\n".join([*head(folder, language), *lines, "", *foot(folder, language)]) + "\n"


def head(folder: Path, language: str) -> list[str]:
    other = LANGUAGES["zh" if language == "en" else "en"]
    made = f"<!-- Made by scripts/build_guide.py from lesson.py and text.{language}.md: edit those. -->"
    index, switch = ("Guide", "中文") if language == "en" else ("迁移指南", "English")
    script = "The script of this page" if language == "en" else "本页的脚本"
    links = f"[{index}](../{LANGUAGES[language]}) · [{switch}]({other}) · [{script}](lesson.py)"
    return [made, "", links, ""]


def title(folder: Path, language: str) -> str:
    return (folder / f"text.{language}.md").read_text(encoding="utf-8").splitlines()[0].lstrip("# ")


def foot(folder: Path, language: str) -> list[str]:
    """Links to the lessons before and after."""
    order = lessons()
    place = order.index(folder)
    links = []
    for step, arrow in ((-1, "← {}"), (1, "{} →")):
        if 0 <= place + step < len(order):
            near = order[place + step]
            links.append(f"[{arrow.format(title(near, language))}](../{near.name}/{LANGUAGES[language]})")
    return ["---", "", " · ".join(links)] if links else []


def same(text: str, other: str, slack: float = 1e-6, allowed: float = 0.0) -> bool:
    """Whether two texts are equal but for blanks and near floats; ``allowed`` is a share of the numbers."""
    if NUMBER.sub("#", " ".join(text.split())) != NUMBER.sub("#", " ".join(other.split())):
        return False
    pairs = list(zip(NUMBER.findall(text), NUMBER.findall(other), strict=True))
    return sum(not near(a, b, slack) for a, b in pairs) <= allowed * len(pairs)


def near(a: str, b: str, slack: float) -> bool:
    """Equal, or two floats within 0.2 % or ``slack``."""
    integers = a.lstrip("+-").isdigit() and b.lstrip("+-").isdigit()
    return a == b or (not integers and math.isclose(float(a), float(b), rel_tol=2e-3, abs_tol=slack))


def creator(text: str) -> str:
    found = re.search(r"Matplotlib v[\d.]+", text)
    return found.group() if found else ""


_APART = re.compile(r"\S+ of their way apart")
_HASHED = re.compile(r"\b[a-z][0-9a-f]{10}\b")    # what an SVG calls a shape: of its coordinates' last digits


def stale(path: Path, text: str) -> bool:
    """Whether a file is not what its lesson gives now; no verdict on another matplotlib's SVG."""
    if not path.exists():
        return True
    # How far the ends of training lie apart are last digits, another machine's own.
    old, text = (_APART.sub("apart", t) for t in (path.read_text(encoding="utf-8"), text))
    if path.suffix == ".svg":
        old, text = (_HASHED.sub("shape", t) for t in (old, text))
        # One point on paper, and a bar or two of a histogram, may move.
        return creator(old) == creator(text) and not same(old, text, slack=1.0, allowed=0.02)
    return not same(old, text)


def made(folder: Path) -> dict[Path, str]:
    """Every file that the lesson gives, with its text."""
    found = run(folder)
    files = {folder / name: page(folder, language, found) for language, name in LANGUAGES.items()}
    return files | {folder / f"{name}.svg": text for name, text in found["figure"].items()}


def main(argv: list[str] | None = None) -> int:
    """Build or check; 1 when a lesson fails or a page is stale."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("lessons", nargs="*", help="numbers or folders of lessons; default: all")
    parser.add_argument("--check", action="store_true", help="write nothing; fail where a page is stale")
    parser.add_argument("--execute", metavar="FOLDER", help=argparse.SUPPRESS)
    options = parser.parse_args(argv)
    if options.execute:
        print(json.dumps(execute(GUIDE / options.execute)))
        return 0
    wanted = tuple(Path(name).name.zfill(2) for name in options.lessons)
    chosen = [folder for folder in lessons() if not wanted or folder.name.startswith(wanted)]
    failures = 0
    for folder in chosen:
        try:
            files = made(folder)
        except (RuntimeError, ValueError, KeyError, SyntaxError, subprocess.TimeoutExpired) as error:
            print(f"{folder.name}: {error}", file=sys.stderr)
            failures += 1
            continue
        old = [path for path, text in files.items() if stale(path, text)]
        if options.check:
            for path in old:
                name = path.relative_to(GUIDE)
                print(f"{name} is stale: python scripts/build_guide.py {folder.name[:2]}", file=sys.stderr)
            failures += bool(old)
        else:
            for path in old:
                path.write_text(files[path], encoding="utf-8")
        print(f"{folder.name}: {len(files)} files, {len(old)} {'stale' if options.check else 'written'}")
    return min(failures, 1)


if __name__ == "__main__":
    sys.exit(main())
