"""``ms2torch scan`` reads whole code bases: what is found, where, and what bad input gives."""

import json
import os
import signal
import subprocess
import sys

import pytest

from ms2torch.scan import _sharing, codebase, command, sources

FILES = {
    "a/train.py": "import mindspore as ms\nfrom a import helper\nms.FlopsUtilizationCollector(1)\nms.nope\n",
    "a/helper.py": "from mindspore import ops\ntry:\n    ops.nope()\nexcept AttributeError:\n    pass\n",
    "a/plain.py": "import nothing_that_is_here\n",
    "a/old.py": "import mindspore\nprint 'x'\n",
    "a/broken.py": "import mindspore\ndef f(:\n",
    "a/.hidden/x.py": "import mindspore\nmindspore.nope\n",
    "b/late.py": "import mindspore as ms\nms.FlopsUtilizationCollector('y')\n",
    "b/note.ipynb": json.dumps(
        {
            "cells": [
                {"cell_type": "markdown", "source": ["mindspore"]},
                {
                    "cell_type": "code",
                    "source": ["%matplotlib inline\n", "!pip install mindspore\n", "import mindspore as ms"],
                },
                {"cell_type": "code", "source": "files = !ls\n\nms.nope"},
                {"cell_type": "code", "source": "%%bash\nls $HOME"},
            ]
        }
    ),
    "b/torn.ipynb": "{mindspore",
}


@pytest.fixture
def folder(tmp_path, monkeypatch):
    for name, text in FILES.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_findings_files_and_lines(folder, capsys):
    assert command.scan(["a", "b", "--json", "out.json"]) == 1
    found = json.loads((folder / "out.json").read_text())
    assert found["files"] == 8 and found["lines"] == 24
    assert {(f["path"], f["line"], f["kind"], f["name"]) for f in found["findings"]} == {
        ("a/train.py", 3, "refused", "mindspore.FlopsUtilizationCollector"),
        ("a/train.py", 4, "never", "mindspore.nope"),
        ("a/helper.py", 3, "guarded", "mindspore.ops.nope"),
        ("a/old.py", 2, "syntax", "SyntaxError"),
        ("a/broken.py", 2, "syntax", "SyntaxError"),
        ("b/late.py", 2, "refused", "mindspore.FlopsUtilizationCollector"),
        ("b/note.ipynb", 6, "never", "mindspore.nope"),
        ("b/torn.ipynb", 1, "syntax", "NotebookError"),
    }
    texts = {f["path"]: f["text"] for f in found["findings"]}
    assert texts["b/note.ipynb"].endswith("(line 3 of code cell 2)")
    assert texts["a/old.py"].startswith("Python 2") and not texts["a/broken.py"].startswith("Python 2")
    first = found["obstacles"][0]
    assert (first["name"], first["sites"], first["files"], first["alone"]) == ("SyntaxError", 2, 2, 2)
    assert "8 files, 24 lines" in capsys.readouterr().out


def test_what_translate_settles_and_what_is_made_for_a_device(folder):
    (folder / "net.py").write_text(
        "from mindspore import nn, ops\n"
        "net = nn.Dense(2, 3)\n"
        "flags = ops.NPUAllocFloatStatus()()\n"
        "y = ops.nope(net)\n"
    )  # fmt: skip
    command.scan(["net.py", "--json", "out.json"])
    found = json.loads((folder / "out.json").read_text())
    assert found["translate"]["uses"] == 3 and found["translate"]["rules"] in (1, 2)
    assert ("device", 3) in {(f["kind"], f["line"]) for f in found["findings"]}


def test_another_name_of_what_is_refused_is_refused(tmp_path):
    text = "from mindspore.parallel.nn import FixedSparseAttention\nFixedSparseAttention(1, 2, 3, 4)\n"
    (tmp_path / "a.py").write_text(text)
    assert {(f.kind, f.line) for f in codebase.scan([str(tmp_path)]).findings} == {("refused", 2)}


def test_in_parallel_it_is_the_same(folder, monkeypatch):
    monkeypatch.setattr(codebase, "_MANY", 1)
    assert codebase.scan(["."], jobs=2) == codebase.scan(["."], jobs=1)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@pytest.mark.parametrize("end", ["exits", "is killed", "hangs"])
def test_what_a_process_does_not_finish_is_done_all_the_same(end, monkeypatch):
    monkeypatch.setattr(_sharing, "_TIMES", 0)
    monkeypatch.setattr(_sharing, "_SECONDS", 0.1)
    parent = os.getpid()

    def square(x):
        if x == 3 and os.getpid() != parent:
            {
                "exits": lambda: os._exit(1),
                "is killed": lambda: os.kill(os.getpid(), signal.SIGKILL),
                "hangs": signal.pause,
            }[end]()
        return x * x

    assert _sharing.shared(square, range(7), 3) == [x * x for x in range(7)]
    with pytest.raises(ZeroDivisionError):
        _sharing.shared(lambda x: 1 / (x - 3), range(7), 3)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
def test_pipes_and_links_to_nothing_are_no_files(folder):
    os.mkfifo("b/pipe.py")
    os.symlink("nowhere", "b/link.py")
    assert codebase.scan(["b"]).files == 3


def test_a_baseline_leaves_what_is_known(folder, capsys):
    assert command.scan(["b", "--write-baseline", "base.json"]) == 1
    assert command.scan(["b", "--baseline", "base.json"]) == 0
    text = (folder / "b" / "late.py").read_text()
    (folder / "b" / "late.py").write_text("\n\n" + text)  # lines moved
    assert command.scan(["b", "--baseline", "base.json"]) == 0
    (folder / "b" / "late.py").write_text(text + "ms.FlopsUtilizationCollector('z')\n")
    capsys.readouterr()
    assert command.scan(["b", "--baseline", "base.json"]) == 1
    assert "b/late.py:3: refused: mindspore.FlopsUtilizationCollector" in capsys.readouterr().out


def test_a_page_needs_nothing_else(folder):
    assert command.scan(["a", "--html", "out.html"]) == 1
    page = (folder / "out.html").read_text()
    assert "mindspore.FlopsUtilizationCollector" in page and "http" not in page.replace("http-equiv", "")


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (["nowhere"], 2, "no such file or folder"),
        (["a", "--baseline", "nowhere"], 2, "can't read 'nowhere': No such file"),
        (["a", "--baseline", "a/plain.py"], 2, "is no baseline"),
        (["a", "--json", "nowhere/out.json"], 2, "nowhere/out.json"),
        (["a", "--write-baseline", "base.json", "--html", "a"], 2, "is a folder"),
        (["a/plain.py"], 0, "No MindSpore here: 1 file, 1 line read."),
    ],
)
def test_bad_input_is_one_line(folder, capsys, arguments, code, words):
    assert command.scan(arguments) == code
    out, err = capsys.readouterr()
    assert words in (err if code else out) and len((err or out).splitlines()) == 1


@pytest.mark.parametrize("name", ["train", "train.pyw", "train.txt"])
def test_a_script_may_have_any_name(tmp_path, capsys, name):
    (tmp_path / name).write_text("import mindspore as ms\nms.FlopsUtilizationCollector('a')\n")
    assert command.scan([str(tmp_path / name)]) == 1
    assert f"{name}:2: refused: mindspore.FlopsUtilizationCollector" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("cell", "python"),
    [
        ("%time x = f()", "x = f()"),
        ("  %timeit -n 10 -r3 f(x)", "  f(x)"),
        ("%time", "pass"),
        ("%%time\nx = 1", "\nx = 1"),
        ("if a:\n    !ls", "if a:\n    pass"),
        ("x = %timeit -o f()", "x = None"),
        ("len?", "pass"),
        ("a % b\nx = a % b", "a % b\nx = a % b"),
        ("%%html\n<b>", "\n"),
    ],
)
def test_magics_are_taken_out(cell, python):
    assert sources.without_magics(cell) == python


def test_a_report_that_cannot_be_written_leaves_what_was_there(tmp_path):
    resource = pytest.importorskip("resource")
    (tmp_path / "a.py").write_text("import mindspore as ms\n" + "ms.ops.exp(ms.nothing)\n" * 99)
    (tmp_path / "s.json").write_text("old")

    def full():
        resource.setrlimit(resource.RLIMIT_FSIZE, (512, 512))

    command = [sys.executable, "-B", "-m", "ms2torch", "scan", "a.py", "--json", "s.json"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, preexec_fn=full)
    assert done.returncode == 2 and "s.json" in done.stderr
    assert [(p.name, p.read_text()) for p in tmp_path.iterdir() if p.name != "a.py"] == [("s.json", "old")]


def test_a_file_that_is_no_text_is_told_and_one_that_names_its_encoding_is_read(tmp_path):
    (tmp_path / "zeros.py").write_bytes(b"x = 1\0\n")
    (tmp_path / "bytes.py").write_bytes(b'x = "\xff\xfe"\n')
    (tmp_path / "latin.py").write_bytes(b'# -*- coding: latin-1 -*-\nx = "\xe9"\n')
    found = codebase.scan([str(tmp_path)]).findings
    assert [os.path.basename(f.path) for f in found] == ["bytes.py", "zeros.py"]
    assert all(f.kind == "syntax" and f.text.startswith("It could not be read") for f in found)
