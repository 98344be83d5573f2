"""Spellings of array operators that older releases had and 2.10 refuses; numpy knows what they mean."""
import numpy as np
import pytest

import ms2torch as ms
from ms2torch import Tensor, ops
from ms2torch._naming import generation

X = np.arange(12, dtype=np.float32).reshape(2, 6)
IMAGE = np.arange(4, dtype=np.float32).reshape(2, 2)


@pytest.fixture
def api_1_5():
    generation.set_api("1.5")
    yield
    generation.set_api(None)


def same(given, expected):
    assert isinstance(given, Tensor)
    np.testing.assert_array_equal(given.asnumpy(), expected)
    assert given.asnumpy().dtype == np.asarray(expected).dtype


OLD = {
    "split by output_num": (lambda: ops.split(Tensor(X), axis=1, output_num=2)[1], X[:, 3:]),
    "split of input_x": (lambda: ops.split(input_x=Tensor(X), axis=0, output_num=2)[1], X[1:]),
    "concat of input_x": (lambda: ops.concat(input_x=(Tensor(X), Tensor(X)), axis=1), np.hstack((X, X))),
    "tile by multiples": (lambda: ops.tile(Tensor(X), multiples=(2, 1)), np.tile(X, (2, 1))),
    "transpose by input_perm": (lambda: ops.transpose(Tensor(X), input_perm=(1, 0)), X.T),
    "ones of a type": (lambda: ops.ones((2,), type=ms.int32), np.ones(2, np.int32)),
    "zeros of a shape": (lambda: ops.zeros(shape=(2,), dtype=ms.int32), np.zeros(2, np.int32)),
    "linspace to stop": (lambda: ops.linspace(0, stop=1, num=3), np.linspace(0, 1, 3, dtype=np.float32)),
    "unbind along an axis": (lambda: ops.unbind(Tensor(X), axis=1)[2], X[:, 2]),
    "clip_by_value to min and max": (lambda: ops.clip_by_value(Tensor(X), min=1.0, max=4.0), X.clip(1, 4)),
    "dot of x1 and x2": (lambda: ops.dot(x1=Tensor(X), x2=Tensor(X.T)), X @ X.T),
    "conv2d in groups": (lambda: ops.conv2d(Tensor(X.reshape(1, 2, 2, 3)), ops.ones((2, 1, 2, 3)), group=2),
                         X.reshape(1, 2, 6).sum(-1).reshape(1, 2, 1, 1)),
    "avg_pool2d by strides": (lambda: ops.avg_pool2d(Tensor(X.reshape(1, 1, 2, 6)), 2, strides=2),
                              X.reshape(2, 3, 2).mean((0, 2)).reshape(1, 1, 1, 3)),
    "uniform from low to high": (lambda: ops.uniform((2,), low=Tensor(3.0), high=Tensor(3.0)),
                                 np.full(2, 3, np.float32)),
    "bernoulli of x": (lambda: ops.bernoulli(x=Tensor(X), p=1.0), np.ones_like(X)),
    "Dropout of the share that goes": (lambda: ops.Dropout(p=0.0)(Tensor(X))[0], X),
    "where of x and y": (lambda: ops.where(Tensor(X > 3), x=Tensor(X), y=0.0), np.where(X > 3, X, 0)),
    "pad by pairs": (lambda: ops.pad(Tensor(IMAGE), ((1, 0), (0, 2))), np.pad(IMAGE, ((1, 0), (0, 2)))),
    "repeat along an axis": (lambda: Tensor(X).repeat(2, axis=1), np.repeat(X, 2, 1)),
    "composite.ones_like of a tuple": (lambda: ops.composite.ones_like((Tensor(X), Tensor(IMAGE)))[1],
                                       np.ones_like(IMAGE)),
    "Pack": (lambda: ops.Pack(1)((Tensor(X), Tensor(X))), np.stack((X, X), 1)),
    "Unpack": (lambda: ops.Unpack(1)(Tensor(X))[2], X[:, 2]),
    "GatherV2": (lambda: ops.GatherV2()(Tensor(X), Tensor([3, 0], ms.int32), 1), X[:, [3, 0]]),
    "scalar_to_array": (lambda: ops.scalar_to_array(3), np.array(3)),
    "ScalarToArray": (lambda: ops.ScalarToArray()(2.5), np.array(2.5, np.float32)),
}


@pytest.mark.parametrize("name", OLD)
def test_old_spelling(name):
    call, expected = OLD[name]
    same(call(), expected)


def test_split_takes_axis_and_number_before_2_0(api_1_5):
    parts = ops.split(Tensor(X), 1, 3)
    assert len(parts) == 3
    same(parts[2], X[:, 4:])


def test_split_takes_size_and_axis_today():
    parts = ops.split(Tensor(X), 2, 1)
    assert len(parts) == 3
    same(parts[0], X[:, :2])


def test_repeat_is_numpys_before_2_5(api_1_5):
    same(Tensor(X).repeat(2, 1), np.repeat(X, 2, 1))


def test_tensors_of_one_dtype_only():
    with pytest.raises(RuntimeError, match=r"Concat.*'Float32', 'Int32'"):
        ops.concat((Tensor(X), Tensor(X, ms.int32)))


def test_print_shows_tensors_as_their_repr(capsys):
    ops.Print()("loss", Tensor([1.5, 2.0]), 3)
    assert capsys.readouterr().out == (
        "loss\nTensor(shape=[2], dtype=Float32, value= [ 1.50000000e+00,  2.00000000e+00])\n3\n")


def test_random_primitives_differ_without_a_seed():
    assert not np.array_equal(ops.StandardNormal()((8,)).asnumpy(), ops.StandardNormal()((8,)).asnumpy())


@pytest.mark.parametrize("n", [10, 10_000])
def test_topk_of_long_and_short_axes(n):
    values = np.random.RandomState(0).permutation(n).astype(np.float32)
    top, places = ops.topk(Tensor(values), 3)
    same(top, np.sort(values)[::-1][:3])
    same(places, np.argsort(values)[::-1][:3].astype(np.int32))
