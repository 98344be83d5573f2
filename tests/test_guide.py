"""The migration guide is true: its scripts run, its pages are what they print, its links lead somewhere."""

import ast
import importlib.util
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from ms2torch._core.torch_private import EXPORTS

ROOT = Path(__file__).resolve().parents[1]
GUIDE = ROOT / "migration_guide"
LESSONS = sorted(p.parent for p in GUIDE.glob("[0-9]*/lesson.py"))
NEEDS = {"11_torch_frameworks": ("lightning", "accelerate", "transformers", "torchmetrics")}
PAGES = sorted(p for p in [*GUIDE.rglob("README*.md"), *GUIDE.glob("readers/*.md"), *ROOT.glob("README*.md")])

sys.path.insert(0, str(ROOT / "scripts"))
import build_guide  # noqa: E402

sys.path.pop(0)


@pytest.mark.parametrize("lesson", LESSONS, ids=lambda p: p.name)
def test_a_page_is_what_its_script_prints(lesson):
    for package in ("matplotlib", "sklearn", *NEEDS.get(lesson.name, ())):
        if importlib.util.find_spec(package) is None:
            pytest.skip(f"{package} is not installed: pip install ms2torch[examples,frameworks]")
    if lesson.name == "10_moving_out" and not EXPORTS:
        pytest.skip("torch 2.6 exports")
    if lesson.name == "01_first_run" and sys.version_info >= (3, 13):
        pytest.skip("Python 3.13 shows the lines of -c in a traceback, which the page has")
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
    for target in re.findall(r"\]\(([^)\s]+)\)", re.sub(r"`[^`\n]*`", "", text)):
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
            blocks = filter(None, (build_guide.block(line) for line in lines))
            shown.append([(kind, name.split(" |")[0].removesuffix(f".{language}")) for kind, name in blocks])
        assert shown[0] == shown[1], lesson.name


def test_tensorflow_is_for_reading_only():
    ast.parse((GUIDE / "05_three_frameworks/in_tensorflow.py").read_text(encoding="utf-8"))
    assert not any("import tensorflow" in (p / "lesson.py").read_text(encoding="utf-8") for p in LESSONS)


@pytest.mark.parametrize(
    "one, other, equal",
    [
        ("loss 1.0001", "loss 1.0002", True),
        ("loss 1.001", "loss 1.012", False),
        ("12 steps", "13 steps", False),
        ("[1. 2.]\n", "[1.   2.]", True),
        ("below 1e-5: True", "below 1e-5: False", False),
    ],
)
def test_staleness_forgives_last_digits_alone(one, other, equal):
    assert build_guide.same(one, other) is equal


def test_a_wrong_number_fails_the_check(tmp_path, monkeypatch, capsys):
    """A page that says another number than its lesson, and a lesson whose assertion fails."""
    lesson = tmp_path / "01_wrong"
    lesson.mkdir()
    for language in ("en", "zh"):
        (lesson / f"text.{language}.md").write_text("# 1\n\n{{run say}}\n\n{{n + 3}}\n", encoding="utf-8")
    (lesson / "lesson.py").write_text("# %% say\nn = 2\nprint(41)\n", encoding="utf-8")
    monkeypatch.setattr(build_guide, "GUIDE", tmp_path)
    found = build_guide.run(lesson)
    assert found == {"output": {"say": "41\n"}, "figure": {}, "value": {"n + 3": "5"}}

    with monkeypatch.context() as ran:
        ran.setattr(build_guide, "run", lambda folder: found)
        assert build_guide.main([]) == 0
        page = lesson / "README.md"
        text = page.read_text(encoding="utf-8")
        assert "```text\n41\n```" in text and "\n5\n" in text
        assert build_guide.main(["--check"]) == 0
        page.write_text(text.replace("41", "42"), encoding="utf-8")
        assert build_guide.main(["--check"]) == 1
        assert "README.md is stale" in capsys.readouterr().err

    (lesson / "lesson.py").write_text("# %% say\nn = 2\n# %% check say\nassert n == 3\n", encoding="utf-8")
    assert build_guide.main(["--check"]) == 1
    assert "AssertionError" in capsys.readouterr().err
