"""Numbers of numpy's, Tensors for numbers, and operands of the wrong dtype, rank or kind."""

import mindspore as ms
import mindspore.numpy as mnp
import numpy as np
from mindspore import Parameter, Tensor, ops

from tests.reference.judge import case
from tests.reference.test_arguments_left_out import told
from tests.reference.test_wrong_sizes import I, T


@case
def test_numbers_of_numpys():
    """numpy's float64 is a float, and told as one."""
    x, one = T(2, 3), np.float64(1)
    return told(lambda: x.std(dim=one), lambda: x.sum(dim=one), lambda: x.tile((one, one)), lambda: x.nansum(axis=one),
                lambda: x.scatter(one, I([0], dtype=np.int64), x), lambda: x.argmin(dim=one), lambda: ops.amin(x, one),
                lambda: ops.ifft2(x, (one, one)), lambda: ops.irfft(x, one), lambda: ops.eye(2, one),
                lambda: mnp.argmin(x, axis=one), lambda: mnp.fft.fft(x, one), lambda: ms.mint.mean(x, one),
                lambda: ops.ReduceProd()(x, one), lambda: ops.eye(np.int64(2)), lambda: mnp.tile(x, range(1, 3)))


@case
def test_a_tensor_with_axes_for_a_number():
    x, two, one = T(2, 3), Tensor([-1, -1]), Tensor([1.0])
    return told(lambda: ops.irfft(x, dim=two), lambda: mnp.fft.fft(x, axis=two), lambda: ops.rfft(x, two),
                lambda: mnp.fft.fftfreq(4, d=one), lambda: ops.rfftfreq(4, one), lambda: ops.cumsum(x, Tensor([1])),
                lambda: x.resize(two), lambda: x.resize(Tensor(8.0)), lambda: x.resize(Tensor(2.0)),
                lambda: x.resize(2, Tensor(2.0)), lambda: x.resize(ms.float32))


@case
def test_assignments_that_do_not_convert():
    a, b, c = T(2), Tensor([1, 2], ms.uint16), Tensor([1, 2], ms.uint64)
    return told(lambda: ops.assign(Parameter(a), b), lambda: ops.assign(Parameter(b), a),
                lambda: ops.assign_sub(Parameter(c), I(1, 2)), lambda: ops.AssignAdd()(Parameter(I(1, 2)), c))


@case
def test_means_of_windows():
    one, two, flat = ops.avg_pool1d, ops.avg_pool2d, T(4)
    return told(lambda: one(flat, 2), lambda: two(flat, 2), lambda: two(T(0, 1, 4, 4), 2),
                lambda: ops.avg_pool3d(T(0, 1, 4, 4, 4), 2), lambda: one(T(0, 2, 4), 2), lambda: ops.lp_pool1d(T(1, 2, 4), 2, 0),
                lambda: ops.lp_pool1d(T(1, 2, 4), 2, 2, -1), lambda: ops.lp_pool2d(T(1, 2, 4, 4), 2, 2, -1),
                lambda: ops.conv1d(T(1, 1, 4), T(1, 1, 2), padding=1, pad_mode="same"),
                lambda: ops.conv1d(T(1, 1, 4), T(1, 1, 2), padding=(1,), pad_mode="valid"),
                lambda: ops.conv1d(T(1, 1, 4).astype(ms.float64), T(1, 1, 2), bias=T(1)))


@case
def test_operands_of_other_kinds():
    x, flat, square = T(2, 3), T(3), T(2, 2)
    return told(lambda: ops.div("a", flat, rounding_mode="trunc"), lambda: ops.div([flat], flat, rounding_mode="floor"),
                lambda: ops.div(flat, None, rounding_mode="floor"), lambda: x.max(axis=0.5, return_indices=True),
                lambda: x.min(axis=0.5), lambda: x.max(axis=True), lambda: x.max(dim=0.5), lambda: ops.eye(True, 2),
                lambda: ops.eye(Tensor([1]), 2), lambda: ops.eye(Tensor(1.0)), lambda: ops.topk(flat, (1, 1)),
                lambda: ops.topk(flat, (1.0,)), lambda: ops.histc(flat, bins=(1, 1)), lambda: ops.random_poisson(2, flat),
                lambda: ops.random_poisson((2,), flat), lambda: ops.slice_scatter(x, x, 1, (1, 1)),
                lambda: ops.slice_scatter(x, x, 2, 0, 1), lambda: I(0, 1).choose(np.array([1, 2])),
                lambda: I(0, 1).choose("a"), lambda: ops.clip_by_global_norm(np.ones(2, np.float32)),
                lambda: ops.stack(np.ones((2, 2), np.float32)), lambda: ops.cartesian_prod(flat, x),
                lambda: ops.meshgrid(x, flat), lambda: ops.block_diag(T(1, 2, 2)), lambda: ops.block_diag(flat, True),
                lambda: ops.diff(flat, prepend=1), lambda: ops.diff(flat, append=[1]),
                lambda: ops.dropout1d(T(1, 2, 2), (1, 1)), lambda: ops.baddbmm(T(1, 2, 2), T(1, 2, 3), True),
                lambda: ops.baddbmm(T(1, 2, 2), 2, T(1, 3, 2)), lambda: mnp.isposinf(Tensor([1j])),
                lambda: mnp.isneginf(Tensor([1j])), lambda: ops.normal(([2], [2]), flat, flat),
                lambda: ops.pad(square, [[1], [0]]), lambda: ops.Dropout3D()(Tensor(np.ones((1, 1, 2, 2, 2), np.uint16))),
                lambda: ops.RandomPoisson()(I([2]), flat), lambda: ops.RandomPoisson()(Tensor(2, ms.int32), flat))
