"""The documentation site: examples print what MindSpore printed, links lead somewhere. That each notebook
runs is tests/test_guide.py's: the guide's pages are made of what its cells print."""

import re
from pathlib import Path

import pytest

import ms2torch
from scripts import build_guide
from scripts.pages import calls, chinese, docstrings, examples, notebooks, reference, staging

ROOT = Path(__file__).resolve().parents[1]
LESSONS = build_guide.lessons()


def test_every_example_prints_what_mindspore_printed():
    ms2torch.install()
    try:
        names = {}
        exec(calls.HEADER, names)
        rows = examples.table().values()
        wrong = [e for e in rows if not examples.alike(e.text, calls.answer(names, e.call)[0] or "nothing")]
    finally:
        ms2torch.uninstall()
    assert not wrong, [(e.call, e.text) for e in wrong[:5]]
    assert len(rows) > 2000


def test_every_example_can_be_shown():
    for words in reference.WORDS.values():
        assert all(reference.shown(name, words, 2) for name in (*examples.table(), *examples.unjudged()))


def test_what_the_real_one_does_not_answer_runs_here():
    for name, call in examples.unjudged().items():
        assert reference.example(name).text, call


def test_every_page_has_an_example_or_says_why_not():
    pages = [e for entries in reference.entries().values() for e in entries if e.status == "here"]
    bare = [e.name for e in pages if not reference.example(e.name)]
    assert [name for name in bare if examples.reason(name) is None] == []
    patterns = examples.reasons()
    assert [p.pattern for p, why in patterns if not any(p.fullmatch(name) for name in bare)] == []


def test_every_page_says_what_its_name_does():
    pages = [e for entries in reference.entries().values() for e in entries if e.status == "here"]
    assert [e.name for e in pages if not docstrings.doc(e.found)] == []


def test_printed_texts_are_alike_in_all_but_last_digits():
    assert examples.alike("[1.0000001 2.]", "[1.       2.]")
    assert not examples.alike("[1.001 2.]", "[1. 2.]")
    assert not examples.alike("(1, 2)", "(1, 2, 3)")


@pytest.mark.parametrize("lesson", LESSONS, ids=lambda p: p.name)
def test_a_notebook_has_its_scripts_cells_in_their_order(lesson):
    script = [
        c.strip("\n") for c in build_guide.cells((lesson / "lesson.py").read_text(encoding="utf-8")).values()
    ]
    for language in build_guide.LANGUAGES:
        made = notebooks.notebook(lesson, language)
        code = [c["source"] for c in made["cells"] if c["cell_type"] == "code" and c["source"] != "figure"]
        assert code == [notebooks.FIRST, *(c for c in script if c.strip())]
        assert made["nbformat"] == 4 and all(c["metadata"].keys() <= {"name"} for c in made["cells"])
        assert len({c["id"] for c in made["cells"]}) == len(made["cells"])


def test_links_that_no_site_has_become_words(tmp_path):
    text = "[a](SUPPORT.md#x) [b](scripts/test.sh) [`c`](README.zh-CN.md) `[d](e)` [f](https://g)"
    said = staging.mended(text, "", tmp_path)
    assert said == "[a](SUPPORT.md#x) b [`c`](README.md) `[d](e)` [f](https://g)"


def test_a_share_of_the_site_builds_without_a_warning_and_needs_no_network(tmp_path, capsys):
    pytest.importorskip("material", reason="the site needs MkDocs: pip install ms2torch[docs]")
    pytest.importorskip("jieba", reason="the Chinese search needs it: pip install ms2torch[docs]")
    from scripts import build_site

    assert build_site.main(["--only", "mindspore.amp", "--out", str(tmp_path)]) == 0, capsys.readouterr().err
    for language in build_site.LANGUAGES:
        page = (tmp_path / language / "api/mindspore.amp/all_finite.html").read_text(encoding="utf-8")
        assert not re.findall(r"<(?:script|link|img)[^>]*(?:src|href)=\"?https?:", page)
        other = next(other for other in build_site.LANGUAGES if other != language)
        assert f'href="../../../{other}/api/mindspore.amp/all_finite.html"' in page
        assert (tmp_path / language / "search/search_index.js").exists()


def test_every_paragraph_of_the_reference_has_its_chinese():
    """scripts/make_chinese.py brings the catalogue up to the docstrings; what is new is to be translated."""
    shown, chinese_ = reference.texts(reference.entries()), chinese.translations()
    assert [(name, text) for text, name in shown.items() if text not in chinese_][:5] == []
    assert [text for text in chinese_ if text not in shown][:5] == []


def test_chinese_paragraphs_name_the_same_code_in_chinese_signs():
    code, half = re.compile(r"``.+?``"), re.compile(r"[\u4e00-\u9fff][,;:!?](?!\S*``)|[,;:][\u4e00-\u9fff]")
    pairs = chinese.translations().items()
    assert [pair for pair in pairs if set(code.findall(pair[0])) != set(code.findall(pair[1]))][:5] == []
    assert [said for _, said in pairs if half.search(said)][:5] == []
