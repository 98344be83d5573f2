"""The migration guide is true: its scripts run, its pages are what they print, its links lead somewhere."""

import ast
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
GUIDE = ROOT / "migration_guide"
LESSONS = sorted(p.parent for p in GUIDE.glob("[0-9]*/lesson.py"))
PAGES = sorted(p for p in [*GUIDE.rglob("README*.md"), *ROOT.glob("README*.md")])

sys.path.insert(0, str(ROOT / "scripts"))
import build_guide  # noqa: E402

sys.path.pop(0)


@pytest.mark.parametrize("lesson", LESSONS, ids=lambda p: p.name)
def test_a_page_is_what_its_script_prints(lesson):
    pytest.importorskip("matplotlib", reason="the plots need it: pip install ms2torch[examples]")
    pytest.importorskip("sklearn", reason="the digits come with scikit-learn: pip install ms2torch[examples]")
    command = [sys.executable, ROOT / "scripts/build_guide.py", "--check", lesson.name]
    done = subprocess.run(command, capture_output=True, text=True, env={**os.environ, "OMP_NUM_THREADS": "1"})
    assert done.returncode == 0, done.stderr


def anchors(page: Path) -> set[str]:
    """The anchors that a page's headings have on a code host."""
    text = re.sub(r"```.*?```", "", page.read_text(encoding="utf-8"), flags=re.S)
    titles = re.findall(r"^#+ (.*)$", text, re.M)
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


@pytest.mark.parametrize("page", PAGES, ids=lambda p: str(p.relative_to(ROOT)))
def test_every_link_leads_somewhere(page):
    text = re.sub(r"```.*?```", "", page.read_text(encoding="utf-8"), flags=re.S)
    for target in re.findall(r"\]\(([^)\s]+)\)", text):
        if "://" in target:
            continue
        path, _, anchor = target.partition("#")
        there = (page.parent / path) if path else page
        assert there.exists(), target
        if anchor:
            assert anchor in anchors(there), target


def test_the_index_leads_to_every_lesson_in_both_languages():
    for index in ("README.md", "README.zh-CN.md"):
        text = (GUIDE / index).read_text(encoding="utf-8")
        assert [p.name for p in LESSONS if f"]({p.name}/{index})" not in text] == []


def test_both_languages_show_the_same():
    for lesson in LESSONS:
        shown = []
        for language in ("en", "zh"):
            lines = (lesson / f"text.{language}.md").read_text(encoding="utf-8").splitlines()
            blocks = [build_guide.block(line) for line in lines]
            shown.append([(k, n.split(" |")[0].removesuffix(f".{language}")) for k, n in filter(None, blocks)])
        assert shown[0] == shown[1], lesson.name


def test_tensorflow_is_for_reading_only():
    ast.parse((GUIDE / "05_three_frameworks/in_tensorflow.py").read_text(encoding="utf-8"))
    assert not any("import tensorflow" in (p / "lesson.py").read_text(encoding="utf-8") for p in LESSONS)


@pytest.mark.parametrize("one, other, equal", [
    ("loss 1.0001", "loss 1.0002", True),
    ("loss 1.001", "loss 1.012", False),
    ("12 steps", "13 steps", False),
    ("[1. 2.]\n", "[1.   2.]", True),
    ("below 1e-5: True", "below 1e-5: False", False),
])
def test_staleness_forgives_last_digits_alone(one, other, equal):
    assert build_guide.same(one, other) is equal


def test_a_wrong_number_fails_the_check(tmp_path):
    """A lesson whose assertion fails, and one whose page says another number."""
    lesson = tmp_path / "01_wrong"
    lesson.mkdir()
    (lesson / "text.en.md").write_text("# 1\n\n{{run say}}\n\n{{2 + 3}}\n", encoding="utf-8")
    (lesson / "text.zh.md").write_text("# 1\n\n{{run say}}\n\n{{2 + 3}}\n", encoding="utf-8")
    (lesson / "lesson.py").write_text("# %% say\nprint(41)\n", encoding="utf-8")
    script = tmp_path / "build.py"
    source = (ROOT / "scripts/build_guide.py").read_text(encoding="utf-8")
    script.write_text(source.replace('ROOT / "migration_guide"', f"Path({str(tmp_path)!r})")
                      .replace("Path(__file__).resolve().parents[1]", f"Path({str(ROOT)!r})")
                      .replace("path.relative_to(ROOT)", "path"), encoding="utf-8")

    def build(*arguments):
        return subprocess.run([sys.executable, script, *arguments], capture_output=True, text=True)

    assert build().returncode == 0
    page = lesson / "README.md"
    assert "```text\n41\n```" in page.read_text(encoding="utf-8") and "\n5\n" in page.read_text(encoding="utf-8")
    page.write_text(page.read_text(encoding="utf-8").replace("41", "42"), encoding="utf-8")
    stale = build("--check")
    assert stale.returncode == 1 and "README.md is stale" in stale.stderr
    (lesson / "lesson.py").write_text("# %% say\nprint(41)\n# %% check say\nassert 1 == 2\n", encoding="utf-8")
    failed = build("--check")
    assert failed.returncode == 1 and "AssertionError" in failed.stderr
