"""The minimal repro computes what it says, and tells by a numeric gradient which side is wrong."""

import runpy

import numpy as np
import pytest

import ms2torch
from ms2torch.difftest import making, repro
from ms2torch.difftest.finding import Finding

X = np.array([[0.5, -1.0, 2.0, 0.25]], np.float32)


class Events:
    made = {}

    @staticmethod
    def array(key):
        return None


def ran(tmp_path, capsys, finding, records, optimizers=None):
    """What the repro prints, run in this process."""
    script = repro.write(str(tmp_path), finding, [{"kind": "tensor", **r} for r in records], Events(),
                         optimizers)
    try:
        runpy.run_path(script)
    finally:
        ms2torch.uninstall()
    return capsys.readouterr().out


def record(stage, where, role, array, index=0):
    return {"stage": stage, "where": where, "role": role, "index": index, "call": 0, "array": array}


@pytest.mark.parametrize("code, slope", [
    ("mint.mul(inputs[0], inputs[0])", 2 * X),
    ("mint.nn.functional.relu(inputs[0])", (X > 0) * 1.0),
    ("mint.split(inputs[0], 2, -1)", np.array([[1.0, 1.0, 0.0, 0.0]])),
])
@pytest.mark.parametrize("wrong", ["nothing", "the reference"])
def test_a_gradient_of_mint_operators(tmp_path, capsys, monkeypatch, code, slope, wrong):
    """The reference gives the slope, or something else; an output without a sensitivity counts nothing."""
    reference = slope if wrong == "nothing" else slope + np.array([[0.0, 1.37, 0.0, 0.0]])
    monkeypatch.setattr(Events, "made", {"net/f#0": {"code": code, "training": True, "parameters": []}})
    finding = Finding(1, "backward", "net/f", "value", 1.0, 0.0, role="grad_input", cell="net",
                      op="mint.f", original="net/f")
    size = 2 if "split" in code else 4
    said = ran(tmp_path, capsys, finding, [
        record("forward", "net/f", "input", X), record("backward", "net/f", "grad_input", reference),
        record("backward", "net/f", "grad_output", np.ones((1, size), np.float32))])
    difference = float(said.split("greatest difference: ")[1].split()[0])
    assert difference == pytest.approx(0.0 if wrong == "nothing" else 1.37)
    assert said.strip().endswith("the reference is wrong") == (wrong == "the reference")


def test_a_numeric_gradient_says_that_ms2torch_is_wrong(tmp_path, capsys, monkeypatch):
    source = """class F(nn.Cell):
    def construct(self, x):
        return x * x

    def bprop(self, x, out, dout):
        return (3 * x * dout,)"""
    monkeypatch.setattr(Events, "made", {"f": {"code": "F()", "source": source, "training": True,
                                               "parameters": []}})
    finding = Finding(1, "backward", "f", "value", 1.0, 0.0, role="grad_input", cell="f")
    said = ran(tmp_path, capsys, finding, [
        record("forward", "f", "input", X), record("backward", "f", "grad_input", 2 * X),
        record("backward", "f", "grad_output", np.ones_like(X))])
    assert said.strip().endswith("ms2torch is wrong")


def test_an_optimizers_step_is_computed(tmp_path, capsys):
    """Momentum by hand: m = 0.9 m + g, w -= 0.1 m."""
    weight, gradient, moment = (np.array(v, np.float32) for v in ([1.0, 2.0], [0.5, -1.0], [1.0, 1.0]))
    finding = Finding(2, "parameter", "fc.w", "value", 1.0, 0.0, role="value")
    records = [record("initial", "fc.w", "value", weight), record("gradient", "fc.w", "value", gradient),
               record("initial", "moments.fc.w", "state", moment),
               record("parameter", "fc.w", "value", weight),
               record("learning_rate", "learning_rate", "value", np.float32(0.1))]
    said = ran(tmp_path, capsys, finding, records, {0: {"class": "Momentum", "settings": {"momentum": 0.9}}})
    here = said.split("here:\n")[1].split("\n")[0]
    assert np.allclose(np.fromstring(here.strip("[]"), sep=" "), weight - 0.1 * (0.9 * moment + gradient))
    assert "nothing is computed" not in (tmp_path / "repro.py").read_text()


@pytest.mark.parametrize("name, spelled", [
    ("mint.nn.linear", "mint.nn.functional.linear(x)"), ("numpy.sum", "ms.numpy.sum(x)"),
    ("mint.split", "mint.split(x)"), ("Tensor.sum", "x.sum()"), ("ops.exp", "ops.exp(x)"),
])
def test_operators_are_spelled_as_the_repro_finds_them(name, spelled):
    assert making.call_expression(name, (making.Word("x"),), {}) == spelled
