"""``--check`` finds what will fail, with file and line, and runs nothing."""

import pytest

from ms2torch.shim import check

from .run import launched

PROGRAM = """\
import mindspore as ms
from mindspore import nn, ops, context
import mindspore.ops.operations as P
from mindspore.nothing import x
from mindspore import Tensr
from mindspore.rewrite import SymbolTree
import helper
raise SystemExit("the program was run")
try:
    from mindspore import not_there
except ImportError:
    not_there = None
O = ops.operations
context.set_context(mode=ms.GRAPH_MODE, device_targer="GPU")
def shadowed(ms):
    return ms.no_such_name
class Net(nn.Cell):
    def __init__(self):
        self.dense = nn.Dense(3, 4, has_bia=True)
        self.lost = nn.Lineear(3)
        self.op = O.NoSuchOp()
        self.tree = SymbolTree()
        self.x = ms.Tensor([1], ms.float32).whatever(unknown=1)
"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    (tmp_path / "train.py").write_text(PROGRAM)
    (tmp_path / "helper.py").write_text(
        "from mindspore import ops\nfrom pkg import inner\n\nops.no_such_function(1)\n"
    )
    (tmp_path / "pkg").mkdir()
    (tmp_path / "pkg" / "__init__.py").write_text("")
    (tmp_path / "pkg" / "inner.py").write_text("from . import deep\nimport mindspore.nn as n\nn.Cell\n")
    (tmp_path / "pkg" / "deep.py").write_text("from mindspore.nn import *\nDense(1, 2, nothing=3)\n")
    (tmp_path / "fine.py").write_text("import mindspore as ms\nprint(ms.Tensor([1, 2], ms.float32))\n")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_what_fails_is_found_with_file_and_line(folder):
    findings, _, files = check.scan("train.py")
    assert files == 5
    fails = {(f.path, f.line, f.name) for f in findings if f.kind == check.FAILS}
    assert fails == {
        ("train.py", 4, "mindspore.nothing"),
        ("train.py", 5, "mindspore.Tensr"),
        ("train.py", 14, "mindspore.context.set_context"),
        ("train.py", 19, "mindspore.nn.Dense"),
        ("train.py", 20, "mindspore.nn.Lineear"),
        ("train.py", 21, "mindspore.ops.operations.NoSuchOp"),
        ("train.py", 22, "mindspore.rewrite.SymbolTree"),
        ("helper.py", 4, "mindspore.ops.no_such_function"),
        ("pkg/deep.py", 2, "mindspore.nn.Dense"),
    }


def test_the_text_names_the_argument_and_the_near_match(folder):
    texts = {
        f.line: f.text for f in check.scan("train.py")[0] if f.path == "train.py" and f.kind == check.FAILS
    }
    assert texts[14] == "does not take the argument 'device_targer'. Did you mean 'device_target'?"
    assert texts[5] == "MindSpore has no such name. Did you mean Tensor?"
    assert texts[22].startswith("unsupported: ")


def test_an_api_generation_settles_what_differs_between_releases(folder):
    (folder / "old.py").write_text("import mindspore.ops as ops\nops.split(x, axis=0, output_num=2)\n")
    kinds = [f.kind for f in check.scan("old.py")[0]]
    assert check.API in kinds
    assert check.API not in [f.kind for f in check.scan("old.py", "1.5")[0]]


def test_what_is_to_know_is_said_once_for_a_file(folder):
    (folder / "old.py").write_text("import mindspore.nn as nn\nnn.Dense(2, 3)\nnn.Dense(2, 3)\n")
    (finding,) = check.scan("old.py")[0]
    assert finding[1:4] == (2, check.API, "mindspore.nn.Dense")


def test_plain_lines_and_exit_codes(folder):
    code, out, err = launched("--check", "train.py", cwd=folder)
    assert code == 1
    assert "train.py:19: fails: mindspore.nn.Dense: does not take the argument 'has_bia'" in out
    assert "the program was run" not in out + err
    code, out, _ = launched("--check", "fine.py", cwd=folder)
    assert (code, out) == (0, "fine.py: 2 MindSpore names in 1 files; 0 would fail, 0 to know about.\n")


def test_a_syntax_error_and_a_wrong_path(folder, capsys):
    (folder / "bad.py").write_text("x = 1\ndef f(:\n")
    assert check.main(["bad.py"]) == 1
    assert "bad.py:2: fails: SyntaxError: invalid syntax" in capsys.readouterr().out
    assert check.main(["missing.py"]) == 2
