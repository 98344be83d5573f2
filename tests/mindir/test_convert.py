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
@pytest.mark.parametrize(("name", "options", "words"), [
    ("mlp", ["--input", "7,4"], "it takes input_data [7, 4]"), ("halves", [], "the outputs agree"),
])  # fmt: skip
def test_what_is_said_of_a_program_is_so(tmp_path, capsys, name, options, words):
    assert convert(DATA / f"{name}.mindir", "-o", tmp_path / "net.pt2", *options) == 0
    assert words in capsys.readouterr().out


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


def recorded(name):
    """Inputs and outputs of the real one."""
    arrays = np.load(DATA / f"{name}.npz")
    return ([torch.tensor(arrays[k]) for k in arrays if k.startswith(kind)] for kind in ("in", "out"))


def flat(value):
    return list(value) if isinstance(value, (tuple, list)) else [value]


def agrees(net, name):
    inputs, expected = recorded(name)
    outputs = flat(net(*inputs))
    assert len(outputs) == len(expected)
    for one, two in zip(outputs, expected, strict=True):
        assert one.shape == two.shape and np.allclose(one.detach().numpy(), two.numpy(), atol=5e-6)


@exports
@pytest.mark.parametrize("name", ["branch", "early", "loop", "nested", "left", "returned"])
def test_branches_and_loops_on_values_become_torchs(tmp_path, name):
    """torch.cond and torch.while_loop; other values go other ways."""
    assert convert(DATA / f"{name}.mindir", "-o", tmp_path / "net.pt2") == 0
    net = torch.export.load(tmp_path / "net.pt2").module()
    agrees(net, name)
    run = ms2torch.to_torch(nn.GraphCell(ms2torch.load(str(DATA / f"{name}.mindir"))))
    (x, *rest), _ = recorded(name)
    for turn, by in enumerate((-3, -1, 1, 3)):
        given = x + by, *(n - n + turn for n in rest)
        for one, two in zip(flat(net(*given)), flat(run(*given)), strict=True):
            assert torch.allclose(one.double(), two.double(), atol=1e-5)


@exports
@pytest.mark.parametrize(("name", "shapes"), [
    ("open_words", [(1, 3), (7, 9)]), ("open_scales", [(1, 1, 6, 10), (3, 1, 32, 20)]),
])  # fmt: skip
def test_sizes_that_the_graph_computes_with_stay_open(tmp_path, capsys, name, shapes):
    assert convert(DATA / f"{name}.mindir", "-o", tmp_path / "net.pt2") == 0
    assert "any" in (said := capsys.readouterr().out) and "of 3 sizes: the outputs agree" in said
    net = torch.export.load(tmp_path / "net.pt2").module()
    agrees(net, name)
    run = ms2torch.to_torch(nn.GraphCell(ms2torch.load(str(DATA / f"{name}.mindir"))))
    for shape in shapes:
        x = torch.zeros(shape, dtype=torch.int32) if name == "open_words" else torch.randn(shape)
        for one, two in zip(flat(net(x)), flat(run(x)), strict=True):
            assert one.shape == two.shape and torch.allclose(one, two, atol=1e-5)


@exports
def test_a_size_that_torch_fixes_is_asked_for(tmp_path, capsys):
    out = tmp_path / "net.pt2"
    assert convert(DATA / "open_places.mindir", "-o", out) == 1
    said = capsys.readouterr().err
    assert "fixes dimension 1 of x" in said and "--input" in said and len(said.splitlines()) == 1
    assert not any(tmp_path.iterdir())
    assert convert(DATA / "open_places.mindir", "-o", out, "--input", "2,5,3") == 0
    assert "x [any, 5 (fixed), 3]" in capsys.readouterr().out
    agrees(torch.export.load(out).module(), "open_places")


@exports
@pytest.mark.parametrize("name", ["open_steps", "open_both_ways"])
def test_a_recurrent_layer_takes_any_number_of_steps(tmp_path, capsys, name):
    assert convert(DATA / f"{name}.mindir", "-o", tmp_path / "net.pt2") == 0
    assert "x [any, any, 3]" in capsys.readouterr().out
    net = torch.export.load(tmp_path / "net.pt2").module()
    agrees(net, name)
    run = ms2torch.to_torch(nn.GraphCell(ms2torch.load(str(DATA / f"{name}.mindir"))))
    for shape in [(1, 1, 3), (3, 17, 3)]:
        x = torch.randn(shape)
        assert torch.allclose(net(x), run(x), atol=1e-6)


@exports
def test_a_loop_that_writes_to_a_parameter_is_refused_in_a_line(tmp_path, capsys):
    """``while i < k: assign_add(self.n, 2); i += 1; if x.sum() > 100: break``."""
    assert convert(DATA / "counted.mindir", "-o", tmp_path / "net.pt2") == 1
    said = capsys.readouterr().err
    assert "writes to a Parameter" in said and len(said.splitlines()) == 1 and not any(tmp_path.iterdir())


@exports
@pytest.mark.parametrize("name", ["open_scales", "open_both_ways", "early", "loop", "nested", "left"])
def test_onnx_with_open_sizes_and_branches(tmp_path, name):
    pytest.importorskip("onnxscript")
    reference = pytest.importorskip("onnx.reference")
    assert convert(DATA / f"{name}.mindir", "-o", tmp_path / "net.onnx") == 0
    evaluator = reference.ReferenceEvaluator(str(tmp_path / "net.onnx"))
    inputs, expected = recorded(name)
    outputs = evaluator.run(None, dict(zip(evaluator.input_names, (t.numpy() for t in inputs), strict=True)))
    for one, two in zip(outputs, expected, strict=True):
        assert one.shape == two.shape and np.allclose(one, two, atol=5e-6)


@pytest.mark.parametrize(("arguments", "words"), [
    (["mlp.mindir", "-o", "x.zip"], ".pt2 or .onnx"), (["none.mindir", "-o", "x.pt2"], "does not exist"),
    (["encrypted.mindir", "-o", "x.pt2"], "may be encrypted"),
    (["mlp.mindir", "-o", "no/x.pt2"], "no such folder"),
    (["mlp.npz", "-o", "x.pt2"], "should end with"), (["mlp.mindir", "-o", "old.onnx"], "--force"),
    (["mlp.mindir", "-o", "x.pt2", "--input", "a"], "a shape is"),
    (["mlp.mindir", "-o", "x.pt2", "--input", "0,4"], "a shape is"),
    (["mlp.mindir", "-o", "x.pt2", "--input", "2,4", "--input", "2"], "takes 1 inputs"),
    (["mlp.mindir", "-o", "x.pt2", "--input", "2"], "1 dimensions, the file has 2"),
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


@exports
def test_an_open_size_is_a_number_to_operators():
    class Sizes(nn.Cell):
        def construct(self, x):
            return ops.mul(x, x.shape[0] * 4) + x.shape[0]

    dims = {"args": ({0: torch.export.Dim.AUTO},)}
    net = torch.export.export(ms2torch.to_torch(Sizes()), (torch.ones(2),), dynamic_shapes=dims).module()
    assert net(torch.ones(3)).tolist() == [15, 15, 15]
