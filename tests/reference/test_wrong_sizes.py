"""Sizes of windows and columns, starts of searches, shapes and bytes that MindSpore refuses."""

import mindspore as ms
import numpy as np
from mindspore import Tensor, ops
from mindspore.scipy import fft, optimize

from tests.reference.judge import case
from tests.reference.test_arguments_left_out import told


def T(*shape):
    return Tensor((np.arange(np.prod(shape)).reshape(shape) % 5 / 4).astype(np.float32))


def I(*values, dtype=np.int32):  # noqa: E743
    return Tensor(np.array(values, dtype))


@case(each={"name": ["col2im", "fold"]})
def test_columns(name):
    f, size = getattr(ops, name), I(3, 3)
    x = T(1, 4, 4, 1) if name == "col2im" else T(1, 4, 4)
    few, good = (T(1, 4, 3, 4), T(1, 1, 4, 4)) if name == "col2im" else (T(1, 4, 1), T(1, 4, 4))
    return told(lambda: f(x, size, 2, 1, 0, -1), lambda: f(x, size, 2, 1, -1, 1), lambda: f(x, size, 2, -1, 0, 1),
                lambda: f(x, size, -2, 1, 0, 1), lambda: f(x, size, (2, 0), 1, 0, 1), lambda: f(few, size, 2, 1, 0, 1),
                lambda: f(good, I(-3, 3), 2, 1, 0, 1), lambda: f(good, size, 2, 1, 0, 1))


@case
def test_columns_of_the_operator():
    make, x, size = ops.Col2Im, T(1, 4, 4, 1), I(3, 3)
    return told(lambda: make(2, 1, -1, 1), lambda: make(2, 1, (0, -1), 1), lambda: make((2, 1), -1, 0, 1),
                lambda: make((2, -1), 1, 0, 1), lambda: make(2, 1, 0, -1), lambda: make([2, 2], 1, 0, (1, 0)),
                lambda: make(2, 1, 0, 1)(x, size), lambda: make(2, 1, 0, 1)(T(1, 4, 3, 4), size),
                lambda: make(2, 1, 0, 1)(x, I(-3, 3)))


@case
def test_windows_in_volumes():
    x, places = T(1, 1, 4, 4, 4), Tensor(np.arange(8).reshape(1, 1, 2, 2, 2))
    most, mean, back = ops.max_pool3d, ops.avg_pool3d, lambda *a: ops.max_unpool3d(T(1, 1, 2, 2, 2), places, *a)
    return told(lambda: most(x, -2), lambda: most(x, 2, 1, 3), lambda: most(x, 2, -1), lambda: most(x, 2, 1, -1),
                lambda: most(x, (2, 0, 1)), lambda: mean(x, 2, 0), lambda: mean(x, 0), lambda: mean(x, -1),
                lambda: mean(x, (1, -1, 1)), lambda: mean(x, 2, -1), lambda: back(2, -2), lambda: back(1, 1, 1),
                lambda: back(0), lambda: back(2, 2, -1))


@case
def test_grids_diagonals_and_solutions():
    grid, theta = ops.affine_grid, T(1, 2, 3)
    volume = ops.GridSampler3D()
    return told(lambda: grid(T(3, 2, 3), (1, 3, 2, 3)), lambda: ops.AffineGrid()(T(3, 2, 3), (1, 3, 2, 3)),
                lambda: grid(theta, (-1, 3, 2, 3)), lambda: grid(T(1, 3, 2), (1, 3, 2, 3)),
                lambda: grid(theta, (1, 3, 2)), lambda: volume(T(1, 2, 2, 2, 2), T(1, 2, 2, 3)),
                lambda: volume(T(1, 2, 2, 2, 2), T(2, 2, 1, 1, 3)), lambda: ops.trace(T(4)),
                lambda: ops.matrix_set_diag(T(3, 4), T(3, 3), I(-1, 2)), lambda: ops.Lstsq()(T(4, 3), T(3, 2)),
                lambda: ops.Lstsq()(T(4, 3), T(3)), lambda: ops.lu_unpack(T(3, 3), I(1, 2)),
                lambda: ops.SpaceToDepth(2)(T(1, 1, 3, 2)), lambda: ops.SpaceToDepth(2)(T(1, 1, 2, 3)),
                lambda: ops.SegmentMean()(T(0, 3), I(dtype=np.int64)), lambda: ops.BiasAdd()(T(2), Tensor(1.0)),
                lambda: ops.linspace(Tensor([1]), T(1), 3), lambda: ops.linspace(Tensor(1), Tensor(2.0), 3),
                lambda: fft.dct(T(3), axis=1), lambda: fft.dct(T(2, 3), axis=2), lambda: fft.idct(T(2, 3), axis=-3)), (
        grid(theta, (1, 3, 0, 3)).shape, ops.affine_grid(T(1, 2, 3), (1, 1, 2, 2)))


@case
def test_starts_of_searches():
    def f(x):
        return (x * x).sum()

    x, least, along = T(2), optimize.minimize, optimize.line_search
    both = [lambda v=v, m=m: least(f, v, method=m) for m in ("BFGS", "LBFGS")
            for v in (np.ones(2, np.float32), [1.0], 2.0, None, Tensor(2.0), I(2), T(2, 2))]
    return told(*both, lambda: along(f, x, T(3)), lambda: along(f, x, I(1, 2)), lambda: along(f, I(1, 2), I(1, 2)),
                lambda: along(f, 2.0, x), lambda: along(f, [1.0], x), lambda: along(f, x, 2), lambda: along(f, x, None),
                lambda: along(f, x, [1.0]), lambda: along(f, x, "a"), lambda: along(f, x, Tensor(2.0)),
                lambda: along(f, x.astype(ms.float64), -x), lambda: along(f, T(2, 2), -T(2, 2)))


@case
def test_shapes_to_resize_to():
    x = T(2, 3)
    return [x.resize(np.int64(7)), x.resize(2, 2), x.resize((4, 2)), x.resize()], told(
        lambda: x.resize(1.0), lambda: x.resize(7.0), lambda: x.resize(6.0), lambda: x.resize(2, 2.0),
        lambda: x.resize(2, 4.0), lambda: x.resize(np.int64(2)), lambda: x.resize((1, 2), 2), lambda: x.resize([1], 2),
        lambda: x.resize(2, (1, 2)), lambda: x.resize(-2), lambda: x.resize(2, True), lambda: x.resize(True),
        lambda: x.resize(None), lambda: x.resize("a"), lambda: x.resize(Tensor([2])), lambda: x.resize(2, -0.5))


@case
def test_shapes_of_bytes():
    data, f = T(3).get_bytes(), Tensor.convert_bytes_to_tensor
    return told(lambda: f(data, [3], ms.float32), lambda: f(data, 3, ms.float32), lambda: f(data, (3.0,), ms.float32),
                lambda: f(), lambda: f(data), lambda: f(data, (3,)), lambda: f(data, (3,), ms.float32, 1),
                lambda: f(data, (2,), ms.float32), lambda: f(data, (), ms.float32))


@case
def test_arguments_as_their_defaults():
    """Errors name all that was given by position, as it is by itself or not."""
    x = T(2, 3)
    return told(lambda: x.flatten(True, -1), lambda: x.narrow(0, 0, None), lambda: x.argmax(True, False),
                lambda: x.sort(True, False), lambda: ms.mint.topk(x, True, -1, True, True),
                lambda: x.topk(True, -1, True, True), lambda: x.scatter_add(0, None, x))
