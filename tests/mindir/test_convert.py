"""ms2torch convert: MindIR files as torch.export's programs and as ONNX."""

import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import torch

import ms2torch
from ms2torch import nn, ops
from ms2torch._core.torch_private import EXPORTS
from ms2torch.mindir import command
from ms2torch.mindir.command import main

DATA = Path(__file__).with_name("recorded")


exports = pytest.mark.skipif(not EXPORTS, reason="torch 2.6 exports")


def convert(*arguments):
    return main([str(a) for a in arguments])


@exports
def test_torch_exports_program_runs_without_us_and_for_any_number_of_rows(tmp_path, capsys):
    out = tmp_path / "net.pt2"
    assert convert(DATA / "open_rows.mindir", "-o", out) == 0
    assert "the outputs agree" in capsys.readouterr().out
    code = (
        "import sys, numpy, torch; a = numpy.load(sys.argv[2]); x = torch.tensor(a['in0']);"
        "net = torch.export.load(sys.argv[1]).module(); y = net(x).detach().numpy();"
        "print(abs(y - a['out0']).max() < 1e-6, net(torch.ones(11, 4)).shape[0], 'ms2torch' in sys.modules)"
    )
    command = [sys.executable, "-c", code, out, DATA / "open_rows.npz"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.stdout.split() == ["True", "11", "False"], done.stderr


@exports
def test_torch_exports_program_takes_images_of_any_size(tmp_path):
    assert convert(DATA / "open_sizes.mindir", "-o", tmp_path / "net.pt2") == 0
    net, arrays = torch.export.load(tmp_path / "net.pt2").module(), np.load(DATA / "open_sizes.npz")
    assert np.allclose(net(torch.tensor(arrays["in0"])).detach().numpy(), arrays["out0"], atol=1e-6)
    assert net(torch.ones(5, 2, 9, 4)).shape == (5, 3)


@exports
def test_onnx(tmp_path, capsys):
    pytest.importorskip("onnxscript")
    reference = pytest.importorskip("onnx.reference")
    assert convert(DATA / "mlp.mindir", "-o", tmp_path / "net.onnx") == 0
    arrays = np.load(DATA / "mlp.npz")
    evaluator = reference.ReferenceEvaluator(str(tmp_path / "net.onnx"))
    (result,) = evaluator.run(None, {evaluator.input_names[0]: arrays["in0"]})
    assert np.allclose(result, arrays["out0"], atol=1e-6)


@exports
def test_a_graph_that_branches_on_values_is_told_in_a_line(tmp_path, capsys):
    assert convert(DATA / "branch.mindir", "-o", tmp_path / "net.pt2") == 1
    said = capsys.readouterr().err
    assert "it branches on values of its inputs" in said and len(said.splitlines()) == 1
    assert not any(tmp_path.iterdir())


@pytest.mark.parametrize(("arguments", "words"), [
    (["mlp.mindir", "-o", "x.zip"], ".pt2 or .onnx"), (["none.mindir", "-o", "x.pt2"], "does not exist"),
    (["encrypted.mindir", "-o", "x.pt2"], "may be encrypted"),
    (["mlp.mindir", "-o", "no/x.pt2"], "no such folder"),
    (["mlp.npz", "-o", "x.pt2"], "should end with"), (["mlp.mindir", "-o", "old.onnx"], "--force"),
    (["mlp.mindir", "-o", "x.pt2", "--input", "a"], "a shape is"),
    (["mlp.mindir", "-o", "x.pt2", "--input", "2,4", "--input", "2"], "takes 1 inputs"),
])  # fmt: skip
def test_bad_input_is_one_line(tmp_path, arguments, words, capsys, monkeypatch):
    for name in ("mlp.mindir", "encrypted.mindir", "mlp.npz"):
        shutil.copy(DATA / name, tmp_path)
    (tmp_path / "old.onnx").write_bytes(b"")
    monkeypatch.chdir(tmp_path)
    if "--input" in arguments and not EXPORTS:
        words = "too old to export"
    assert convert(*arguments) == 2
    said = capsys.readouterr().err
    assert words in said and len(said.splitlines()) == 1 and (tmp_path / "old.onnx").read_bytes() == b""


def test_a_size_that_is_open_is_told_in_words(capsys):
    class Sizes(nn.Cell):
        def construct(self, x):
            return ops.mul(x, x.shape[0] * 4)

    auto = torch.export.Dim.AUTO
    with pytest.raises(Exception, match="SymInt") as error:
        torch.export.export(
            ms2torch.to_torch(Sizes()), (torch.ones(2),), dynamic_shapes={"args": ({0: auto},)}
        )
    assert command._cannot(error.value) is None
    assert "a size that is open in the file" in capsys.readouterr().err
