"""What a name means by API generation: a call that tells is taken so, ``--api`` settles the rest, else 2.10.

What older releases computed is given by their documentation (defaults, argument orders) and by numpy.
"""

from __future__ import annotations

import inspect
import operator
import re
from pathlib import Path

import numpy as np
import pytest

import ms2torch as ms
from ms2torch import Tensor, context, nn, ops
from ms2torch._core import mode
from ms2torch._naming import generation, generations, surface
from ms2torch.common.initializer import random_normal
from ms2torch.ops import _earlier_arguments

ROOT = Path(__file__).resolve().parents[1]
X = np.arange(12, dtype=np.float32).reshape(2, 6)
OLD, NEW = "1.5", "2.10"


@pytest.fixture
def api():
    """Choose a generation for one test."""
    before = mode.graph
    yield generation.set_api
    generation.set_api(None)
    mode.graph = before


def numbers(result):
    if isinstance(result, tuple):
        return [numbers(r) for r in result]
    return result.asnumpy().tolist()


def raises(call, kind, words):
    with pytest.raises(kind, match=re.escape(words)):
        call()


# ---- the table ---------------------------------------------------------------------------------------------


def test_every_change_is_asked_for_and_every_question_is_in_the_table():
    asked = set()
    for path in (ROOT / "ms2torch").rglob("*.py"):
        text = path.read_text()
        asked.update(re.findall(r"generations\.(?:has_old_meaning|has_new_meaning)\(\"([\w.]+)\"\)", text))
        if path.name not in ("generation.py", "generations.py", "context.py"):
            assert "generation.is_before(" not in text, f"{path} asks for a release; give the name a row"
    assert asked == set(generations.CHANGES)


@pytest.mark.parametrize("name", generations.CHANGES)
def test_a_change_turns_at_its_release(api, name):
    major, minor = generations.CHANGES[name].release
    last = {(2, 0): "1.10"}.get((major, minor), f"{major}.{minor - 1}")
    assert not generations.has_old_meaning(name) and not generations.has_new_meaning(name)
    api(last)
    assert generations.has_old_meaning(name) and not generations.has_new_meaning(name)
    api(f"{major}.{minor}")
    assert not generations.has_old_meaning(name) and generations.has_new_meaning(name)


def test_check_tells_of_ambiguous_calls_alone(api, tmp_path, monkeypatch):
    from ms2torch.scan import program as check

    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.py").write_text("from mindspore import ops\nops.split(1, 0, output_num=2)\n")
    (finding,) = check.scan("a.py")[0]
    assert finding.kind == "api" and "before 2.0: split(x, axis, output_num)" in finding.text
    assert check.scan("a.py", api="1.5")[0] == []
    calls = {"max(x, 1)": 1, "min(x)": 1, "max(x, keep_dims=True)": 0, "max(x, 1, keepdims=True)": 0,
             "norm(x, 1)": 1, "norm(x, 1, p=2)": 0, "norm(x)": 0, "norm(x, axis=1)": 0,
             "dropout(x, 0.5)": 1, "dropout(x, training=True)": 0, "dropout(x, p=0.5, seed0=1)": 0,
             "split(x, 2)": 1, "split(x, 1, 3)": 1, "split(x, 2, axis=1)": 0,
             "split(x, axis=1, output_num=3)": 1,
             "std(x, 1)": 1, "std(x, 1, unbiased=True)": 0, "std(x, ddof=1)": 0}
    for call, findings in calls.items():
        (tmp_path / "b.py").write_text(f"from mindspore import ops, Tensor\nx = Tensor([1.0])\nops.{call}\n")
        assert len(check.scan("b.py")[0]) == findings, call
    (tmp_path / "b.py").write_text("from mindspore import Tensor\nTensor([[1.0]]).item(0)\n")
    assert {finding.kind for finding in check.scan("b.py")[0]} == {"api", "argument"}
    generation.set_api("2.0")
    assert check.scan("b.py", api="2.0")[0] == []


# ---- one name after the other ------------------------------------------------------------------------------


def test_split(api):
    x = Tensor(X)
    parts = [X[:, :2].tolist(), X[:, 2:4].tolist(), X[:, 4:].tolist()]
    for choice in (None, NEW):
        api(choice)
        assert numbers(ops.split(x, 2, 1)) == numbers(x.split(2, 1)) == parts
        assert numbers(ops.split(x, axis=1, output_num=3)) == parts
    api(OLD)
    assert numbers(ops.split(x, 1, 3)) == numbers(ops.split(x, axis=1, output_num=3)) == parts
    assert numbers(x.split(1, 3)) == parts
    assert numbers(ops.Split(1, 3)(x)) == parts
    for whole in (x.split(1), x.split(0), x.split(), x.split(axis=1), ops.split(x, 1), ops.split(x),
                  ops.split(x, axis=1)):
        assert numbers(whole) == [X.tolist()]                            # output_num is 1 by default
    for choice in (None, OLD):
        api(choice)
        for y in (x.split(1, output_num=3), ops.split(x, 1, output_num=3),
                  ops.split(input_x=x, axis=1, output_num=3)):
            assert numbers(y) == parts


def test_dropout_takes_the_kept_share_first_in_every_release(api):
    ones = Tensor(np.ones(20_000, np.float32))
    for choice in (None, OLD, NEW):
        api(choice)
        for layer, kept in (
            (nn.Dropout(0.9), 0.9),
            (nn.Dropout(keep_prob=0.9), 0.9),
            (nn.Dropout(p=0.1), 0.9),
            (nn.Dropout(), 0.5),
        ):
            y = layer.set_train()(ones).asnumpy()
            assert abs((y != 0).mean() - kept) < 0.02
            np.testing.assert_allclose(y[y != 0], 1 / kept, rtol=1e-6)


def test_dropout_gives_the_mask_too(api):
    x = Tensor(np.full((100, 200), 3, np.float32))

    def both(result, kept):
        y, mask = (r.asnumpy() for r in result)
        assert y.shape == mask.shape == x.shape and abs(mask.mean() - kept) < 0.02
        np.testing.assert_allclose(y, mask * 3 / kept, rtol=1e-6)
        return mask.tolist()

    for choice in (None, OLD):
        api(choice)
        both(ops.dropout(x, p=0.25, seed0=0), 0.75)
        masks = [both(ops.dropout(x=x, p=0.2, seed0=1, seed1=2), 0.8) for _ in range(2)]
        assert masks[0] == masks[1]
        assert both(ops.dropout(x, seed1=3), 0.5) != both(ops.dropout(x, seed1=4), 0.5)
    assert both(ops.dropout(x, 0.2, 1, 2), 0.8) == both(ops.Dropout(0.8, 1, 2)(x), 0.8)
    both(ops.dropout(x), 0.5)
    for choice in (None, NEW):
        api(choice)
        assert ops.dropout(x, 0.5).shape == x.shape
        raises(lambda: ops.dropout(x, 0.5, 1), TypeError, "'training' must be a bool, but got int")
        assert numbers(ops.dropout(x, 0.5, False)) == numbers(x)


def test_tensor_max(api):
    x = Tensor(X)
    api(OLD)
    assert numbers(x.max(1)) == numbers(x.max(axis=1)) == [5.0, 11.0]
    assert numbers(x.min(0)) == X[0].tolist()
    for choice in (None, NEW):
        api(choice)
        assert numbers(x.max(axis=1)) == [5.0, 11.0]
        assert numbers(x.max(1)) == numbers(x.max(dim=1)) == [[5.0, 11.0], [5, 5]]
        assert numbers(x.max(axis=1, return_indices=True)) == [[5.0, 11.0], [5, 5]]


def test_max_and_min(api):
    x = Tensor(np.array([0.0, 0.4, 0.6, 0.7, 0.1], np.float32))          # the example of 1.8 and of 2.0
    rows = Tensor(X)
    for choice in (None, OLD):
        api(choice)
        assert numbers(ops.max(x, keep_dims=True)) == [[3], [np.float32(0.7)]]
        assert numbers(ops.max(rows, axis=1, keep_dims=False)) == [[5, 5], [5.0, 11.0]]
        assert numbers(ops.min(rows, axis=1, keep_dims=True)) == [[[0], [0]], [[0.0], [6.0]]]
    assert numbers(ops.max(x)) == [3, np.float32(0.7)] and numbers(ops.min(x)) == [0, 0.0]
    assert numbers(ops.max(rows)) == [[1] * 6, X[1].tolist()]
    assert numbers(ops.max(rows, 1, True)) == [[[5], [5]], [[5.0], [11.0]]]
    for choice in (None, NEW):
        api(choice)
        assert numbers(ops.max(x)) == numbers(ops.max(x, keepdims=True)) == [np.float32(0.7), 0]
        assert numbers(ops.min(rows, 1)) == [[0.0, 6.0], [0, 0]]


def test_median(api):
    x = Tensor(np.array([[0.57, 0.11, 0.21], [0.38, 0.50, 0.57], [0.36, 0.16, 0.44]], np.float32))
    down = [np.array([0.38, 0.16, 0.44], np.float32).tolist(), [1, 2, 2]]  # the example of 1.9 and of 2.0
    across = [np.array([0.21, 0.50, 0.36], np.float32).tolist(), [2, 1, 0]]
    for choice in (None, OLD):
        api(choice)
        assert numbers(x.median(global_median=False, axis=0, keep_dims=False)) == down
        assert numbers(x.median(global_median=False, axis=1)) == across
        assert x.median(axis=1, keep_dims=True)[0].shape == (3, 1)
        assert numbers(x.median(global_median=True)[0]) == np.float32(0.38)
    assert numbers(x.median()) == down and numbers(x.median(axis=-1)) == across
    raises(lambda: x.median(False), TypeError, "median(bool)")
    for choice in (None, NEW):
        api(choice)
        assert numbers(x.median()) == numbers(x.median(1)) == numbers(ops.median(x)) == across
        assert numbers(x.median(axis=0)) == down
        raises(lambda: x.median(False), TypeError, "median(bool)")


def test_norm(api):
    x = Tensor(np.arange(1.0, 9.0, dtype=np.float32).reshape(2, 2, 2))   # the example of 1.8
    wanted, ones = [np.sqrt(84), np.sqrt(120)], X.sum(1).tolist()
    for choice in (None, OLD):
        api(choice)
        for y in (ops.norm(x, [0, 1], p=2), x.norm([0, 1], p=2), ops.norm(x, axis=(0, 1), p=2),
                  ops.norm(input_x=x, axis=[0, 1], epsilon=1e-12)):
            np.testing.assert_allclose(y.asnumpy(), wanted, rtol=1e-6)
        assert numbers(ops.norm(Tensor(X), 1, p=1)) == numbers(ops.norm(Tensor(X), axis=1, p=1)) == ones
        assert numbers(ops.norm(Tensor(X), axis=(0, 1), p=1)) == X.sum()
        assert ops.norm(Tensor(X), axis=1, keep_dims=True).shape == (2, 1)
    assert numbers(ops.norm(Tensor(X), 1, 1, True)) == [[n] for n in ones]
    np.testing.assert_allclose(Tensor(X).norm(1).asnumpy(), np.linalg.norm(X, axis=1), rtol=1e-6)
    api(NEW)
    assert numbers(ops.norm(Tensor(X), 1)) == np.linalg.norm(X, 1)
    raises(lambda: ops.norm(x, [0, 1]), TypeError, "pow")


def test_std(api):
    x = Tensor(np.array([[1, 2, 3], [-1, 1, 4]], np.float32))            # the example of 1.9
    wanted = [[1.0, 2.5166116], [2.0, 1.3333334]]
    for choice in (None, OLD):
        api(choice)
        np.testing.assert_allclose(numbers(ops.std(x, 1, unbiased=True, keep_dims=False)), wanted, rtol=1e-6)
        spread, mean = ops.std(x, axis=[0, 1], unbiased=False, keep_dims=True)
        assert spread.shape == mean.shape == (1, 1)
        np.testing.assert_allclose(spread.asnumpy()[0, 0], x.asnumpy().std(), rtol=1e-6)
    np.testing.assert_allclose(numbers(ops.std(x, 1)), wanted, rtol=1e-6)
    np.testing.assert_allclose(numbers(ops.std(x, 1, True, False)), wanted, rtol=1e-6)
    np.testing.assert_allclose(ops.std(x, 1, False)[0].asnumpy(), x.asnumpy().std(1), rtol=1e-6)
    for choice in (None, NEW):
        api(choice)
        np.testing.assert_allclose(ops.std(x, 1).asnumpy(), x.asnumpy().std(1), rtol=1e-6)


def test_dtypes_of_integers(api):
    def of(values, dtype):
        return Tensor(np.array(values, dtype))

    def shown(*results):
        return [(str(r.dtype), r.asnumpy().tolist()) for r in results]

    ints, halves, mask = of([7, -9, 0], "int32"), of([1.5, 2], "float16"), of([True, False, True], "bool")

    def quotients():
        return shown(ints / 2, ops.div(ints, of([2], "int8")), ops.Div()(ints, ints * 0),
                     2 / of([7], "int32"), of([True], "bool") / 2, ints / 2.0, ints.div(2),
                     ms.numpy.true_divide(ints, 2))

    def sums():
        return shown(of([100, 100], "int8").sum(), ops.sum(of([7, 9], "uint8")), mask.sum(), ints.sum(0),
                     of([4, 4], "int8").prod())

    def beside():
        whole = Tensor(np.float32(2))
        return shown(halves * whole, ops.div(halves, whole), halves + whole,
                     ops.mul(of([1], "int8"), Tensor(2)), ops.clamp(ints, 1.5, 3), ints.clip(1.5, 3))

    def wheres():
        return shown(ops.where(mask, ints, 1.5), ints.where(mask, 1.5))

    half_way = [3.5, -4.5, 0.0]                                          # what 2.0.0 and 2.10 gave
    for choice in (OLD, "2.0"):
        api(choice)
        assert quotients() == [
            ("Int32", [3, -4, 0]), ("Int32", [3, -4, 0]), ("Int32", [2**31 - 1, -2**31, 0]), ("Int32", [0]),
            ("Int64", [0]), ("Float32", half_way), ("Int32", [3, -4, 0]), ("Float32", half_way)]
        assert sums() == [("Int8", -56), ("UInt8", 16), ("Int32", 2), ("Int32", -2), ("Int8", 16)]
        assert wheres() == [("Int32", [7, 1, 0])] * 2
        assert shown(ops.histc(of([1, 2, 1], "float32"), 4, 0.0, 3.0)) == [("Int32", [0, 2, 1, 0])]
        assert ops.scalar_cast(2.7, ms.int32) == ops.ScalarCast()(2.7, ms.int8) == 2
    for choice in (OLD, "2.7"):
        api(choice)
        assert beside() == [("Float32", [3, 4]), ("Float32", [0.75, 1]), ("Float32", [3.5, 4]),
                            ("Int64", [2]), ("Int32", [3, 1, 1]), ("Int32", [3, 1, 1])]
    for choice in (None, "2.7", NEW):
        api(choice)
        assert quotients()[0] == quotients()[1] == ("Float32", half_way)
        assert [dtype for dtype, _ in sums()] == ["Int64"] * 5
        assert wheres() == [("Float32", [7, 1.5, 0])] * 2
        raises(lambda: ops.scalar_cast(2.7, ms.int32), ValueError, "For 'ScalarCast', the supported type")
    for choice in (None, NEW):
        api(choice)
        assert beside() == [("Float16", [3, 4]), ("Float16", [0.75, 1]), ("Float32", [3.5, 4]), ("Int8", [2]),
                            ("Float32", [3, 1.5, 1.5]), ("Float32", [3, 1.5, 1.5])]


def test_transposed_convolution_without_output_padding(api):
    x = Tensor(np.ones((1, 2, 3, 3), np.float32))
    api(OLD)
    old = nn.Conv2dTranspose(2, 3, 3, 2, "pad", 1, 1, 1, True, "ones", "ones")
    api(NEW)
    new = nn.Conv2dTranspose(2, 3, 3, 2, "pad", 1, 0, 1, 1, True, "ones", "ones")
    assert numbers(old(x)) == numbers(new(x)) and new(x).shape == (1, 3, 5, 5)


def test_tensor_bernoulli(api):
    x = Tensor(np.ones(10_000, np.float32))
    for choice in (OLD, "2.0"):
        api(choice)
        assert abs(x.bernoulli(0.3).asnumpy().mean() - 0.3) < 0.02
        assert abs(x.bernoulli(p=0.3, seed=5).asnumpy().mean() - 0.3) < 0.02
        assert abs(x.bernoulli().asnumpy().mean() - 0.5) < 0.02
    for choice in (None, NEW):
        api(choice)
        assert x.bernoulli().asnumpy().all()
        raises(lambda: x.bernoulli(0.3), TypeError, "takes 1 positional argument but 2 were given")


def test_tensor_item(api):
    x = Tensor(np.arange(6).reshape(2, 3))
    for choice in (OLD, "2.0"):
        api(choice)
        for y in (x.item(5), x.item((1, 2)), x.item(index=-1)):
            assert isinstance(y, Tensor) and y.shape == () and numbers(y) == 5
        assert isinstance(Tensor([3]).item(), Tensor)
    for choice in (None, NEW):
        api(choice)
        assert isinstance(Tensor([3]).item(), int)
        raises(lambda: x.item(5), TypeError, "Tensor.item() takes 1 positional argument but 2 were given")


def test_what_bce_loss_reduces(api):
    p, y = np.array([[0.1, 0.2], [0.5, 0.75]], np.float32), np.array([[0, 1], [0, 0]], np.float32)
    each = -np.log(np.where(y == 1, p, 1 - p))
    for choice, wanted in ((None, each.mean()), (OLD, each), (NEW, each.mean())):
        api(choice)
        np.testing.assert_allclose(nn.BCELoss()(Tensor(p), Tensor(y)).asnumpy(), wanted, rtol=1e-6)
        np.testing.assert_allclose(nn.BCELoss(reduction="sum")(Tensor(p), Tensor(y)).asnumpy(), each.sum(),
                                   rtol=1e-6)


def test_what_loading_parameters_gives(api):
    net = nn.Dense(2, 3)
    loaded = {"bias": ms.Parameter(Tensor(np.zeros(3, np.float32)), name="bias"),
              "other": ms.Parameter(Tensor([1.0]), name="other")}
    both = ["weight"], ["other"]
    for choice, wanted in ((None, both), (OLD, both[0]), (NEW, both)):
        api(choice)
        assert ms.load_param_into_net(net, loaded) == wanted


def test_repeat(api):
    x = Tensor(X)
    assert numbers(x.repeat(2, 1)) == np.tile(X, (2, 1)).tolist()
    assert numbers(x.repeat(2, axis=1)) == np.repeat(X, 2, 1).tolist()
    api(OLD)
    assert numbers(x.repeat(repeats=2, axis=None)) == np.repeat(X, 2).tolist()
    assert numbers(x.repeat(repeats=[1, 2], axis=0)) == np.repeat(X, [1, 2], 0).tolist()
    assert numbers(x.repeat(2, 1)) == np.repeat(X, 2, 1).tolist()


def test_pad_by_pairs(api):
    x, pairs = Tensor(X), ((1, 0), (0, 2))
    for choice in (None, OLD):
        api(choice)
        assert numbers(ops.pad(x, pairs)) == np.pad(X, pairs).tolist()
    api(NEW)
    raises(lambda: ops.pad(x, pairs), TypeError, "paddings value must be tuple of int or list of int")
    assert numbers(ops.pad(x, (0, 2, 1, 0))) == np.pad(X, pairs).tolist()


@pytest.mark.parametrize("choice", [None, OLD, NEW])
def test_names_that_went_stay(api, choice):
    api(choice)
    x = Tensor(X)
    assert numbers(ops.TensorAdd()(x, x)) == (X + X).tolist()
    assert numbers(ops.tensor_add(x, 1.0)) == (X + 1).tolist()
    image = Tensor(np.array([[[[0.0, 1.0], [2.0, 3.0]]]], np.float32))
    corners = np.array([[0.0, 0.5, 1.0], [1.0, 1.5, 2.0], [2.0, 2.5, 3.0]])
    for resized in (ops.ResizeBilinear((3, 3), True)(image),
                    nn.ResizeBilinear()(image, size=(3, 3), align_corners=True)):
        np.testing.assert_allclose(resized.asnumpy()[0, 0], corners)
    assert numbers(x.clip(xmin=2, xmax=4)) == numbers(x.clip(2, max=4)) == X.clip(2, 4).tolist()
    assert ops.multinomial(inputs=x, num_sample=3).shape == (2, 3)
    noise = Tensor(np.ones((3, 400), np.float32))
    random_normal(noise.shape, 1, 2, noise)
    assert abs(noise.asnumpy().mean()) < 0.1 and abs(noise.asnumpy().std() - 1) < 0.1


def test_lstm_cell_was_a_layer_with_packed_weights_before_1_6(api):
    rng = np.random.RandomState(0)
    x, h, c = (rng.randn(*s).astype(np.float32) for s in ((3, 2, 2), (1, 2, 4), (1, 2, 4)))
    w = rng.uniform(-1, 1, 16 * (2 + 4 + 1)).astype(np.float32)
    api(OLD)
    layer = nn.LSTMCell(2, 4, has_bias=True, batch_first=False, dropout=0, bidirectional=False)
    out, hn, cn, _, _ = layer(Tensor(x), Tensor(h), Tensor(c), Tensor(w.reshape(-1, 1, 1)))

    def sigmoid(v):
        return 1 / (1 + np.exp(-v))

    w_in, w_hidden, bias = w[:32].reshape(16, 2), w[32:96].reshape(16, 4), w[96:]
    state, cell = h[0], c[0]
    for t in range(3):
        i, f, g, o = np.split(x[t] @ w_in.T + state @ w_hidden.T + bias, 4, 1)
        cell = sigmoid(f) * cell + sigmoid(i) * np.tanh(g)
        state = sigmoid(o) * np.tanh(cell)
        np.testing.assert_allclose(out.asnumpy()[t], state, rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(hn.asnumpy()[0], state, rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(cn.asnumpy()[0], cell, rtol=1e-5, atol=1e-6)
    for choice in (None, NEW, "1.6"):
        api(choice)
        h1, c1 = nn.LSTMCell(2, 4)(Tensor(x[0]), (Tensor(h[0]), Tensor(c[0])))
        assert h1.shape == c1.shape == (2, 4)
        if choice is not None:
            raises(lambda: nn.LSTMCell(2, 4, dropout=0), ValueError, "old MindSpore version(<1.6)")
    api(None)
    inputs = Tensor(x), Tensor(h), Tensor(c), Tensor(w.reshape(-1, 1, 1))
    for layer in (nn.LSTMCell(2, 4, dropout=0), nn.LSTMCell(2, 4, True, False, 0, False)):
        np.testing.assert_array_equal(layer(*inputs)[0].asnumpy(), out.asnumpy())


def test_a_number_first_in_a_comparison(api):
    x = Tensor(np.array([1.0, 2.0], np.float32))
    for choice in (None, OLD):
        api(choice)
        assert numbers(ops.Equal()(2, x)) == [False, True]
        assert numbers(ops.Less()(1.5, x)) == [False, True]
    api(NEW)
    raises(lambda: ops.Equal()(2, x), TypeError, 'Failed calling Equal with "Equal()(input=int,')
    raises(lambda: ops.Less()(1.5, x), TypeError, '"Less()(input=<Tensor>, other=<bool, Number, Tensor>)"')
    assert numbers(ops.Greater()(2, x)) == [True, False]  # these four take one in 2.10 too
    assert numbers(operator.lt(1.5, x)) == [False, True]


@pytest.mark.parametrize("choice", [None, OLD, NEW])
def test_interpolate_by_sizes_and_by_scales(api, choice):
    api(choice)
    image = Tensor(np.array([[[[0.0, 1.0], [2.0, 3.0]]]], np.float32))
    corners = [[0.0, 0.5, 1.0], [1.0, 1.5, 2.0], [2.0, 2.5, 3.0]]
    for form in ({"sizes": (3, 3)}, {"sizes": (3, 3), "coordinate_transformation_mode": "align_corners"},
                 {"size": (3, 3), "align_corners": True}, {"scales": (1.0, 1.0, 1.5, 1.5)}):
        np.testing.assert_allclose(ops.interpolate(image, mode="bilinear", **form).asnumpy()[0, 0], corners)
    assert "sizes" not in inspect.signature(ops.interpolate).parameters  # mindcv asks
    half = ops.interpolate(image, sizes=(4, 4), coordinate_transformation_mode="half_pixel", mode="bilinear")
    np.testing.assert_allclose(half.asnumpy()[0, 0, 0], [0.0, 0.25, 0.75, 1.0])
    raises(lambda: ops.interpolate(image, sizes=(4, 4)), ValueError, "'mode' must be 'linear'")
    row = ops.interpolate(Tensor(np.array([[[0.0, 1.0]]], np.float32)), sizes=(3,))
    np.testing.assert_allclose(row.asnumpy()[0, 0], [0.0, 0.5, 1.0])
    raises(lambda: ops.interpolate(image, sizes=(4, 4), coordinate_transformation_mode="asymmetric"),
           NotImplementedError, "coordinate_transformation_mode='asymmetric'")


@pytest.mark.parametrize("choice", [None, OLD, NEW])
def test_logsumexp_by_axis_and_by_dim(api, choice):
    api(choice)
    wanted = np.log(np.exp(X).sum(1))
    for y in (ops.logsumexp(Tensor(X), axis=1), ops.logsumexp(Tensor(X), dim=1), ops.logsumexp(Tensor(X), 1)):
        np.testing.assert_allclose(y.asnumpy(), wanted, rtol=1e-6)
    assert ops.logsumexp(Tensor(X), axis=1, keep_dims=True).shape == (2, 1)


@pytest.mark.parametrize("choice", [None, OLD, NEW])
def test_embedding_lookup_takes_a_cache_size_by_name_and_in_its_old_place(api, choice):
    api(choice)
    head = (4, 3, "normal", "CPU", "batch_slice", None, None, True)
    for layer in (nn.EmbeddingLookup(4, 3, vocab_cache_size=0), nn.EmbeddingLookup(*head, 0),
                  nn.EmbeddingLookup(*head, ms.float32)):
        assert layer.embedding_table.dtype == ms.float32
        assert layer(Tensor([0, 3], ms.int32)).shape == (2, 3)
    assert nn.EmbeddingLookup(*head, ms.float16).embedding_table.dtype == ms.float16


def test_the_default_mode(api):
    from ms2torch.shim.alias import _set_api

    # (1.0.0 and 2.0.0 were run; the guides of 1.2 and 1.3 name the mode.)
    for choice, wanted in (("1.0", ms.PYNATIVE_MODE), ("1.2", ms.PYNATIVE_MODE), ("1.3", ms.GRAPH_MODE),
                           ("1.10", ms.GRAPH_MODE), ("2.0", ms.PYNATIVE_MODE), (NEW, ms.PYNATIVE_MODE)):
        _set_api(choice)
        assert context.get_context("mode") == wanted


@pytest.mark.parametrize("choice", [None, OLD, NEW])
def test_paths_of_every_release_import(api, choice):
    import importlib

    api(choice)
    for full in (
        "dataset.vision.c_transforms.Resize",
        "dataset.vision.py_transforms.ToTensor",
        "dataset.transforms.c_transforms.TypeCast",
        "dataset.transforms.py_transforms.Compose",
        "dataset.vision.Resize",
        "dataset.transforms.TypeCast",
        "train.model.Model",
        "nn.loss.loss._Loss",
    ):
        path, _, name = full.rpartition(".")
        found = getattr(importlib.import_module(f"ms2torch.{path}"), name)
        assert isinstance(found, type) and not isinstance(found, surface.Missing)


@pytest.mark.parametrize("choice", [None, OLD, NEW])
def test_checkparam_of_both_kinds(api, choice):
    api(choice)
    from ms2torch import _checkparam
    from ms2torch._checkparam import Rel, Validator, check_positive_int

    assert check_positive_int(3, "n", "Net") == 3
    assert Validator.check_positive_int(3, "n", "Net") == 3
    assert Validator.check_int(3, 0, Rel.GE, "n", "Net") == 3
    assert (Validator.EQ, Validator.INC_LEFT) == (_checkparam.EQ, _checkparam.INC_LEFT)
    assert _checkparam.check_int(3, 0, Rel.GE, "n", "Net") == 3
    for checked in (Validator, _checkparam):
        raises(lambda of=checked: of.check_positive_int(0, "n", "Net"), ValueError, "For 'Net', the 'n'")


def test_where_layers_start_from(api):
    for choice in (None, NEW):
        api(choice)
        for cell, fan_in in ((nn.Dense(100, 300), 100), (nn.Conv2d(10, 300, 3, has_bias=True), 90)):
            weight, bound = cell.weight.asnumpy(), 1 / np.sqrt(fan_in)
            assert 0.98 * bound < abs(weight).max() <= bound
            assert 0 < abs(cell.bias.asnumpy()).max() <= bound
    for choice in (OLD, "2.0"):
        api(choice)
        for cell in (nn.Dense(100, 300), nn.Conv2d(10, 300, 3, has_bias=True)):
            weight = cell.weight.asnumpy()
            assert abs(weight.std() / 0.01 - 1) < 0.05 and abs(weight.mean()) < 3e-4
            assert not cell.bias.asnumpy().any()


def test_what_an_optimizer_counts_and_shows(api):
    def made():
        return nn.SGD([ms.Parameter(Tensor([1.0]), name="w")], 0.1, weight_decay=0.5)

    assert isinstance(made().weight_decay, Tensor)
    api(OLD)
    assert made().weight_decay == 0.5 and isinstance(made().weight_decay, float)


# ---- names of arguments ------------------------------------------------------------------------------------

EARLIER = {
    "softmax": (lambda: ops.softmax(x=Tensor(X), axis=0), lambda: ops.softmax(Tensor(X), axis=0)),
    "select": (lambda: ops.select(cond=Tensor(X) > 3, x=Tensor(X), y=Tensor(-X)),
               lambda: ops.select(Tensor(X) > 3, Tensor(X), Tensor(-X))),
    "matmul": (lambda: ops.functional.matmul(x1=Tensor(X), x2=Tensor(X.T)),
               lambda: ops.matmul(Tensor(X), Tensor(X.T))),
    "less": (lambda: ops.less(x=Tensor(X), y=Tensor(X)), lambda: ops.less(Tensor(X), Tensor(X))),
    "mul": (lambda: Tensor(X).mul(value=Tensor(X)), lambda: Tensor(X) * Tensor(X)),
    "prod": (lambda: Tensor(X).prod(axis=1, keep_dims=True), lambda: Tensor(X).prod(1, True)),
    "tile": (lambda: Tensor(X).tile(multiples=(2, 1)), lambda: Tensor(X).tile((2, 1))),
}


@pytest.mark.parametrize("name", EARLIER)
def test_names_of_arguments_of_a_chosen_earlier_release(api, name):
    earlier, now = EARLIER[name]
    with pytest.raises(TypeError):
        earlier()
    api("2.0")
    assert numbers(earlier()) == numbers(now())
    api("2.10")
    with pytest.raises(TypeError):
        earlier()


def test_each_earlier_name_of_an_argument_means_one_of_now():
    for owner, table in ((ops, _earlier_arguments.FUNCTIONS), (Tensor, _earlier_arguments.METHODS)):
        for name, names in table.items():
            takes = inspect.signature(getattr(owner, name)).parameters
            assert takes.keys() >= set(names.values()), name
            assert takes.keys().isdisjoint(names), name
