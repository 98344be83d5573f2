"""Inputs of layers that MindSpore refuses by their rank, dtype or sizes, and its words for what Python refuses."""

import mindspore as ms
import mindspore.numpy as mnp
import numpy as np
from mindspore import Tensor, mint, nn, ops

from tests.reference.judge import case
from tests.reference.test_wrong_calls import T, said


def called(layer, *inputs):
    ms.set_context(pynative_synchronize=True)
    return said(layer, inputs, {})


@case()
def test_ranks():
    layers = (nn.LPPool2d(2, 1), nn.Conv1d(2, 2, 1), nn.AvgPool1d(1, 1, ceil_mode=True), mint.nn.GroupNorm(2, 2),
              nn.MaxPool1d(1, 1, return_indices=True, pad_mode="pad"))
    return [[called(layer, T(*(2,) * rank)) for rank in (1, 3, 4)] for layer in layers]


@case(each={"dtype": [ms.int8, ms.int32, ms.bool_, ms.complex64]})
def test_dtypes(dtype):
    x = T(1, 2, 4).astype(dtype)
    return (called(nn.AvgPool1d(2, 1, ceil_mode=True), x), called(mint.nn.GroupNorm(2, 2), x),
            called(nn.ReLU(), x.astype(ms.complex128)))


@case()
def test_cells_of_another_dtype():
    x, h = T(3, 4), T(3, 2)
    return [called(cell, a, b) for cell in (nn.GRUCell(4, 2), nn.RNNCell(4, 2))
            for a, b in ((x.astype(ms.float16), h), (x, h.astype(ms.float16)))]


@case()
def test_ctc_loss():
    loss, logits, labels, lengths = nn.CTCLoss(), T(5, 2, 4), Tensor([[1, 2], [1, 1]], ms.int32), Tensor([5, 5], ms.int32)
    two = Tensor([2, 2], ms.int32)
    return (called(loss, logits.astype(ms.int16), labels.astype(ms.int16), lengths, two),
            called(loss, T(1, 5, 2, 4), labels, lengths, two), called(loss, logits, labels, two[:1], two),
            called(loss, logits, labels, lengths, two[:1]), called(loss, logits, labels, lengths, 2))


@case()
def test_sizes_when_they_are_made():
    return (said(nn.MaxPool3d, (2,), {"pad_mode": "pad", "dilation": (3, 3)}),
            said(nn.AvgPool3d, ((3, 3, 3, 3),), {}), said(nn.AvgPool3d, (2, (3, 3)), {}),
            said(nn.AvgPool1d, ((3, 3),), {}), said(ops.Dropout2D, (2,), {}), said(ops.Dropout3D, (-1,), {}),
            said(nn.AdaptiveAvgPool3d, (((1, 1, 1),),), {}), said(nn.AdaptiveAvgPool3d, ((1, [1], 1),), {}),
            said(ops.Bucketize, ([0.5, 1],), {}), said(ops.Bucketize, ([np.float64(0.5), None],), {}))


@case()
def test_arguments_given_twice():
    x = T(2, 3)
    functions = (mnp.amax, mnp.nansum, mnp.argmin, mnp.cumsum, mnp.ptp)
    return ([said(f, (x, 0, 1), {"axis": 1}) for f in functions], said(mnp.diag, (x, 1), {"k": 1}),
            said(nn.Recall, (1, 2, 3), {}), said(nn.Precision, (), {"unknown": 1}),
            said(nn.MeanSurfaceDistance, (1, 2, 3), {}), called(nn.AdaptiveAvgPool2d(2)))


@case()
def test_axes_of_products():
    axes = (2, ([1, 0], [0, 1]), ([0, 1], [0, 1]), ([1, 0], [1, 0]), ((1,), (0, 0)), [[1], [0], [1]], -1, 3, ([5], [0]))
    words = [said(f, (T(3, 4), T(4, 3), axis), {}) for f in (ops.tensor_dot, mnp.tensordot) for axis in axes]
    return words, [ops.tensor_dot(T(3, 4), T(4, 3), axis) for axis in axes[1:4]], mnp.tensordot(T(3, 4), T(4, 2), 1)


@case()
def test_shapes_and_kinds_of_arrays():
    x = T(2, 3)
    return (said(mnp.clip, (x, T(2), None), {}), said(mnp.cross, (T(2, 3), T(4, 3)), {}),
            said(mnp.choose, (Tensor([0, 1, 0]), [T(2), T(2)]), {}), said(mnp.cumsum, (x, "a"), {}),
            said(mnp.nancumsum, (x, [1]), {}), said(nn.Dense(1, 1).to_float, (ms.int8,), {}),
            [said(f, (x.astype(ms.bfloat16),), {}) for f in (mnp.diag, mnp.diagflat, mnp.cbrt, mnp.zeros_like)],
            said(mnp.unravel_index, (Tensor([5], ms.uint32), (3, 4)), {}))


@case(each={"dtype": [ms.int8, ms.uint16, ms.int64, ms.bool_, ms.complex64]})
def test_one_window_alone_is_a_mean(dtype):
    x = Tensor(np.array([[[1, 2, 3, 5, 7, 9]]])).astype(dtype)
    layers = [nn.AvgPool1d(*given) for given in ((6, 1), (5, 2, "same"), (3, 4), (7, 1))]
    return [layer(x) if (answer := called(layer, x)) == "value" else answer for layer in layers]


@case()
def test_differences_of_unsigned_numbers():
    return nn.ImageGradients()(Tensor(np.array([[[[1, 2], [3, 5]]]])).astype(ms.uint32))


@case()
def test_sizes_of_products():
    return (called(nn.GRUCell(4, 2), T(3, 5), T(3, 2)), called(nn.RNNCell(4, 2), T(3, 4), T(3, 3)),
            said(mnp.multi_dot, ([T(2, 3), T(3, 2), T(3, 2)],), {}), said(mnp.multi_dot, ([T(2, 3), T(4, 2)],), {}),
            said(mnp.tile, (T(2, 3), (2, -3)), {}), said(mnp.tile, (T(2, 3), -1), {}),
            said(mnp.moveaxis, (T(2, 3), 0, (1, 1)), {}), said(mnp.result_type, (), {}),
            [said(nn.MaxPool3d, ((2, 2),), {"return_indices": x, "pad_mode": "pad"}) for x in (True, False)])
