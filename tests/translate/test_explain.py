"""``ms2torch explain``: names, lines of a file, and bad input."""

import os

import pytest

pytest.importorskip("libcst")
from ms2torch.translate import explain


def test_a_name_has_its_form_its_differences_and_its_evidence(capsys):
    assert explain.main(["nn.BatchNorm2d"]) == 0
    said = capsys.readouterr().out
    assert "nn.BatchNorm2d(num_features, eps, momentum=1 - momentum)" in said and "what stays" in said
    assert explain.main(["mindspore.nn.Embedding", "--zh"]) == 0
    assert "得到" in capsys.readouterr().out


def test_a_rule_that_is_a_definition_says_so(capsys):
    assert explain.main(["Tensor.orgqr"]) == 0
    assert "torch.orgqr(input, input2)" in capsys.readouterr().out


def test_a_line_names_all_that_stands_there(tmp_path, capsys):
    program = tmp_path / "a.py"
    program.write_text("from mindspore import nn\n\nnet = nn.SequentialCell(nn.Dense(2, 2), nn.ReLU())\n")
    assert explain.main([f"{program}:3"]) == 0
    said = capsys.readouterr().out
    assert all(name in said for name in ("nn.Sequential(", "nn.Linear(", "nn.ReLU()"))
    assert explain.main([f"{program}:2"]) == 1
    assert explain.main([f"{program}:4"]) == 2
    program.write_text("from mindspore import nn\n\nnet = nn.Dense(\n    2,\n    2,\n)\n")
    assert explain.main([f"{program}:5"]) == 0      # within a call of several lines
    assert explain.main(["ms.nn.Dense"]) == 0


@pytest.mark.parametrize("start", [b"\xef\xbb\xbf", b"# coding: latin-1\n\n# \xe9\n", b""])
def test_a_file_may_have_any_encoding_and_line_ends(tmp_path, capsys, start):
    program = tmp_path / "a.py"
    program.write_bytes(start + b"import mindspore as ms\r\nx = ms.ops.relu(y)\r\n")
    assert explain.main([f"{program}:{2 + start.count(10)}"]) == 0
    assert "relu" in capsys.readouterr().out


def test_a_pipe_is_no_file(tmp_path, capsys):
    os.mkfifo(tmp_path / "a.py")
    assert explain.main([f"{tmp_path / 'a.py'}:1"]) == 2
    assert "it is no file" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("what", "code"),
    [("nn.Foo", 1), ("mindspore", 1), ("mindspore.nn", 1), ("absent.py:3", 2), ("a.py:x", 2),
     ("absent.py", 2), ("", 2)],
)
def test_bad_input_is_one_line(what, code, capsys):
    assert explain.main([what]) == code
    said = capsys.readouterr()
    assert len((said.out + said.err).splitlines()) == 1


def test_a_bare_name_is_told_where_it_is(capsys):
    assert explain.main(["Dense"]) == 1
    assert capsys.readouterr().out.endswith("Which is meant: mindspore.nn.Dense, mindspore.ops.Dense?\n")
    assert explain.main(["nothing"]) == 1
    assert "Which" not in capsys.readouterr().out
