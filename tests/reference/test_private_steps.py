"""Private operators of transforms, factorisations, ragged and sparse tensors, and layers' gradients."""

import mindspore as ms
import numpy as np
from mindspore import Tensor, ops
from mindspore.ops import auto_generate as generated
from mindspore.ops.operations import _grad_ops as grads
from mindspore.ops.operations import _inner_ops as inner
from mindspore.ops.operations import _sequence_ops as sequences
from mindspore.ops.operations import nn_ops, other_ops, sparse_ops

from tests.reference.judge import case, data


def f(*shape):
    return Tensor(data(shape))


def whole(*values):
    return Tensor(np.array(values, np.int64))


def waves(*shape):
    return Tensor((data(shape) + 1j * data(shape, seed=1)).astype(np.complex64))


TRANSFORMS = {
    "DCT": lambda: (generated.DCT()(f(2, 4)), generated.DCT()(f(2, 4), 2, 6, 0, "ortho")),
    "IDCT": lambda: (generated.IDCT()(f(2, 4)), generated.IDCT()(f(2, 4), 2, 3, -1, "ortho")),
    "DCTN": lambda: (generated.DCTN()(f(2, 4)), generated.DCTN()(f(2, 4), 2, (2, 3), (0, 1), "ortho"),
                     generated.DCTN()(f(2, 4), 2, (3,))),
    "IDCTN": lambda: (generated.IDCTN()(f(2, 4)), generated.IDCTN()(f(2, 4), 2, None, (1,))),
    "IRFFTDouble": lambda: [generated.IRFFTDouble()(waves(2, 3), n, -1) for n in (4, 5)],
    "FFTOrtho": lambda: [generated.FFTOrtho()(f(2, 4), axes, forward) for axes in ((1,), (0, 1), (-1,), None)
                         for forward in (True, False)],
    "FFTShapeCopy": lambda: [generated.FFTShapeCopy()(f(2, 4), size) for size in ((2, 3), (3, 5), (1, 6))],
    "LuUnpackGrad": lambda: [grads.LuUnpackGrad(True, True)(f(*lower), f(*upper), f(*both)) for lower, upper, both in (
        ((2, 2), (2, 2), (2, 2)), ((3, 2), (2, 2), (3, 2)), ((2, 2), (2, 3), (2, 3)), ((2, 3, 2), (2, 2, 2), (2, 3, 2)))],
    "ScaleAndTranslateGrad": lambda: [
        grads.ScaleAndTranslateGrad(kind, antialias)(f(1, *size, 2), f(1, 4, 3, 2), Tensor(np.float32([0.5, 0.7])),
                                                     Tensor(np.float32([0.2, 0])))
        for kind in ("lanczos3", "triangle") for antialias in (True, False) for size in ((2, 2), (3, 3))],
    "Conv3DBackpropInput": lambda: [
        nn_ops.Conv3DBackpropInput(1, 2)(f(1, 1, 2, 2, 2), f(1, 1, 2, 2, 2), (1, 1, 3, 3, 3)),
        nn_ops.Conv3DBackpropInput(2, 2, pad_mode="pad", pad=1, stride=2)(f(2, 1, 2, 2, 2), f(1, 2, 2, 2, 2), (1, 1, 3, 3, 3)),
        nn_ops.Conv3DBackpropInput(2, 2, pad_mode="same", stride=2)(f(2, 1, 2, 2, 2), f(1, 2, 2, 2, 2), (1, 1, 3, 3, 3))],
}


@case(each={"name": list(TRANSFORMS)})
def test_steps_of_transforms(name):
    return TRANSFORMS[name]()


@case(each={"driver": [None, "gels", "gelsy", "gelsd", "gelss"]}, rtol=1e-4, atol=1e-5,
      reason="both are LAPACK's least squares in Float32, by other blocks")
def test_least_squares(driver):
    return [generated.LstsqV2()(f(*a), f(*b), driver) for a, b in (((3, 2), (3, 1)), ((4, 3), (4,)), ((2, 3), (2, 2)))]


SPARSE = {
    "SparseSliceGrad": lambda: [
        grads.SparseSliceGrad()(f(1), whole([0, 1], [1, 2]), whole(0, 0), whole([0, 1])),
        grads.SparseSliceGrad()(f(2), whole([0, 1], [1, 2], [2, 2]), whole(1, 0), whole([0, 2], [1, 2]))],
    "SparseFillEmptyRows": lambda: [
        sparse_ops.SparseFillEmptyRows()(whole([0, 1], [2, 2]), f(2), whole(3, 3), Tensor(np.float32(9))),
        sparse_ops.SparseFillEmptyRows()(whole([2, 1], [0, 2], [2, 0]), f(3), whole(4, 3), Tensor(np.float32(9)))],
    "SparseFillEmptyRowsGrad": lambda: [grads.SparseFillEmptyRowsGrad()(whole(0, 2), f(3)),
                                        grads.SparseFillEmptyRowsGrad()(whole(2, 2, 0), f(4))],
    "RaggedTensorToSparse": lambda: [
        sparse_ops.RaggedTensorToSparse(ms.int64)((whole(0, 1, 3),), f(3)),
        sparse_ops.RaggedTensorToSparse(ms.int64)((whole(0, 2, 3), whole(0, 1, 1, 4)), f(4)),
        sparse_ops.RaggedTensorToSparse(ms.int64)((whole(0, 1, 3),), f(3, 2)),
        sparse_ops.RaggedTensorToSparse(ms.int32)((Tensor(np.int32([0, 1, 3])),), f(3))],
}


@case(each={"name": list(SPARSE)})
def test_steps_of_sparse_tensors(name):
    return SPARSE[name]()


@case(each={"training": [True, False], "shape": [(2, 3, 2, 2), (1, 1, 2, 2, 4)], "half": [False, True]})
def test_instance_norm_v2(training, shape, half):
    channels = (*shape[:2], 1, 1, *shape[4:])
    x, gamma, beta = f(*shape), f(*channels), Tensor(data(channels, seed=1))
    x = x.astype(ms.float16) if half else x
    mean, variance = Tensor(data(channels, seed=2)), Tensor(data(channels, seed=3) ** 2 + 1)
    out, saved_mean, saved_scale = nn_ops.InstanceNormV2(training, 0.1, 1e-3)(x, gamma, beta, mean, variance)
    dy = Tensor(data(shape, seed=4)).astype(x.dtype)
    return (out, saved_mean, saved_scale, mean, variance,
            grads.InstanceNormV2Grad(training, 1e-3)(dy, x, gamma, mean, variance, saved_mean, saved_scale))


@case(rtol=1e-4, atol=1e-5, reason="the real one sums the probabilities' logarithms in Float32")
def test_gradient_of_ctc_loss_v2():
    x = ops.log_softmax(f(5, 2, 4))
    labels, lengths, counts = Tensor(np.int32([[1, 2], [2, 2]])), Tensor(np.int32([5, 3])), Tensor(np.int32([2, 1]))
    found = ops.CTCLossV2(0, "none", False)(x, labels, lengths, counts)
    return nn_ops.CTCLossV2Grad(0, "none", False)(Tensor(np.float32([2, 1])), x, labels, lengths, counts, *found)


SMALL = {
    "axes of gradients": lambda: [inner.DynamicBroadcastGradientArgs()(a, b) for a, b in (
        ((2, 3), (1, 3)), ((2, 3), (3,)), ((), (2, 3)), ((2, 1, 3), (1, 4, 1)), ((1,), (1, 1)))],
    "broadcast": lambda: (inner.DynamicBroadcastTo()(f(1, 3), (2, 3)), inner.DynamicBroadcastTo()(f(1, 3), whole(2, 3))),
    "tiles": lambda: (inner.TileSize()((1, 2), (2, 2), 2), inner.TileSize()((3, 1), (3, 6), 2),
                      inner.TileSize()((2,), (2, 2, 4), 3)),
    "without": lambda: (sequences.ListAppendAndInsertGrad()([1, 2, 3], -1),
                        sequences.ListAppendAndInsertGrad()([1, 2, 3], 1)),
    "cast": lambda: (inner.MixedPrecisionCast()(ms.float16, f(2)), inner.MixedPrecisionCast()(ms.float16, (f(2), f(3))),
                     inner.MixedPrecisionCast()(ms.float16, whole(2))),
    "same": lambda: (inner.SameTypeShape()(f(2), f(2)), inner.Format()("{} a", 1), other_ops.Load()(f(2)),
                     inner.IsParameter()(ms.Parameter(f(2))), inner.IsParameter()(f(2)),
                     inner.ErrorOnDynamicShapeInput()((2, 3))),
}


@case(each={"name": list(SMALL)})
def test_small_steps(name):
    return SMALL[name]()


@case(each={"mode": ["nearest", "linear", "cubic"], "where": ["half_pixel", "align_corners"], "sizes": [(4, 2), (3, 7)]})
def test_gradients_of_resized_images(mode, where, sizes):
    large, small = sizes
    rows = 2 if mode == "cubic" else 1
    return grads.ResizeV2Grad(where, mode)(f(1, 2, rows, large), Tensor([0.0]), Tensor([1.0, 1.0, 1.0, 2.0]),
                                           whole(1, 2, rows, small))


@case
def test_distorted_boxes():
    """A part that no attempt finds is the whole image; what is drawn has the area and the ratio asked for."""
    box = Tensor(np.array([[[0.1, 0.2, 0.5, 0.8]]], np.float32))
    whole_image = other_ops.SampleDistortedBoundingBoxV2(7, 0, (5.0, 6.0), (0.99, 1.0), 3)(
        whole(100, 100, 1), box, Tensor([0.3]))
    begin, size, part = other_ops.SampleDistortedBoundingBoxV2(1, 3, (0.8, 1.25), (0.2, 0.9))(
        whole(640, 480, 3), box, Tensor([0.3]))
    (top, left, _), (tall, wide, _) = begin.asnumpy().tolist(), size.asnumpy().tolist()
    near = np.allclose(part.asnumpy()[0, 0], [top / 640, left / 480, (top + tall) / 640, (left + wide) / 480])
    return (*whole_image, near, 0.19 < tall * wide / (640 * 480) < 0.91, 0.79 < wide / tall < 1.26)
