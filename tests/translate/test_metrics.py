"""The metrics that stand at a translation's head, against those that they stand for; and random numbers
drawn alike on both sides of a comparison."""

import numpy as np
import pytest
import torch

pytest.importorskip("libcst")
from ms2torch import Tensor, ops, train
from ms2torch._core.random.random_streams import Stream
from ms2torch.translate import translate_source
from ms2torch.translate.helpers import loops, metrics
from ms2torch.translate.program import _drawn
from ms2torch.translate.whole import disable_randomness

_RANDOM = np.random.RandomState(0)
_SCORES = [(_RANDOM.rand(8, 3).astype(np.float32), _RANDOM.randint(0, 3, 8)) for _ in range(3)]
_ONE_HOT = [(scores, np.eye(3, dtype=np.float32)[label]) for scores, label in _SCORES]
_BINARY = [(_RANDOM.rand(8).astype(np.float32), _RANDOM.randint(0, 2, 8)) for _ in range(2)]
_CLASSES = [(_RANDOM.randint(0, 2, 8), _RANDOM.randint(0, 2, 8)) for _ in range(2)]
_MASKS = [(_RANDOM.rand(4, 2, 3), _RANDOM.randint(0, 2, (4, 2, 3)).astype(float)) for _ in range(2)]


def _over(metric, batches, kind):
    for batch in batches:
        metric.update(*map(kind, batch))
    return metric


@pytest.mark.parametrize(
    ("name", "arguments", "batches"),
    [
        *[("ConfusionMatrix", (3, how), _SCORES) for how in ("no_norm", "target", "prediction", "all")],
        ("ConfusionMatrix", (2, "no_norm", 0.3), _BINARY),
        ("ConfusionMatrix", (4, "target"), _CLASSES),
        ("Fbeta", (2,), _SCORES),
        ("Fbeta", (0.5,), _ONE_HOT),
        ("Dice", (), _MASKS),
        ("Perplexity", (), _SCORES),
        ("Perplexity", (1,), _SCORES),
    ],
)
def test_metrics(name, arguments, batches):
    theirs = _over(getattr(train, name)(*arguments), batches, Tensor).eval()
    ours = _over(getattr(metrics, name)(*arguments), batches, torch.tensor).eval()
    assert type(ours) is type(theirs)
    np.testing.assert_allclose(ours, theirs, rtol=1e-6)


@pytest.mark.parametrize("name", ["Recall", "Precision", "F1"])
def test_the_mean_over_classes(name):
    theirs = _over(getattr(train, name)(), _SCORES, Tensor)
    ours = _over(getattr(loops, name)(), _SCORES, torch.tensor)
    np.testing.assert_allclose(ours.eval(average=True), theirs.eval(average=True), rtol=1e-6)


def test_metrics_without_a_rule_stay():
    made = translate_source("from mindspore import nn\na, b = nn.Accuracy('multilabel'), nn.Fbeta(beta=2)\n")
    assert "a, b = ms2torch.nn.Accuracy('multilabel'), Fbeta(beta=2)" in made.text
    assert [s.name for s in made.sites if not s.settled] == ["mindspore.nn.Accuracy"]


def test_numbers_are_drawn_alike_on_both_sides(monkeypatch):
    for name in ("rand", "randn", "rand_like", "randn_like"):
        monkeypatch.setattr(torch, name, getattr(torch, name))
    for name in ("normal", "uniform"):
        monkeypatch.setattr(Stream, name, getattr(Stream, name))
    x = torch.zeros(2, 3)

    def drawn(side):
        disable_randomness(["numbers"])
        given = Tensor(x) if side is ops else x
        made = [side.randn(2, 3), side.randn((2, 3)), side.rand_like(given), side.randn_like(given)]
        return [t.asnumpy() if side is ops else t.numpy() for t in made]

    ours, theirs = drawn(ops), drawn(torch)
    for one, two in zip(ours, theirs, strict=True):
        np.testing.assert_array_equal(one, two)
    assert not np.array_equal(ours[0], ours[1]) and not np.array_equal(ours[0], ours[3])


@pytest.mark.parametrize(
    ("name", "found"),
    [("ops.standard_normal", ["numbers"]), ("mint.rand_like", ["numbers"]), ("ops.normalize", [])],
)
def test_who_draws_numbers(name, found):
    assert _drawn({"facts": {"a.py": [[1, 2, [f"mindspore.{name}"]]]}}) == found
