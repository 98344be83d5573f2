"""Operators in the private modules of ``mindspore.ops.operations`` that libraries and MindSpore's tests call."""
import mindspore as ms
import numpy as np
from mindspore.ops.operations import _embedding_cache_ops as caches
from mindspore.ops.operations import _grad_ops as gradients
from mindspore.ops.operations import array_ops as arrays
from mindspore.ops.operations import image_ops as images
from mindspore.ops.operations import linalg_ops as linear
from mindspore.ops.operations import math_ops as maths
from mindspore.ops.operations import nn_ops as layers

from tests.reference.judge import case


def i(*values):
    return ms.Tensor(np.array(values, np.int32))


def f(*values):
    return ms.Tensor(np.array(values, np.float32))


def number(value, dtype=np.float32):
    return ms.Tensor(dtype(value))


def counted(*shape):
    return ms.Tensor(np.arange(np.prod(shape)).reshape(shape).astype(np.float32))


X = [[1, 2, 3], [4, 5, 6]]
VOLUME = (1, 2, 3, 3, 3)

CALLS = {
    "AddV2": lambda: maths.AddV2()(f(*X), f(*X)),
    "ConcatOffset": lambda: gradients.ConcatOffset(2, 1)((f(*X), f(*X))),
    "ConcatOffsetV1": lambda: arrays.ConcatOffsetV1()(number(1, np.int32), (i(1, 2, 3), i(1, 5, 3), i(1, 4, 3))),
    "TridiagonalSolve": lambda: maths.TridiagonalSolve()(f([1, 2, 0], [4, 5, 6], [0, 7, 8]), f([1], [2], [3])),
    "SparseSoftmaxCrossEntropyWithLogitsV2": lambda: layers.SparseSoftmaxCrossEntropyWithLogitsV2()(
        f(*X), i(0, 2)),
    "ExtractVolumePatches": lambda: arrays.ExtractVolumePatches(
        [1, 1, 2, 2, 2], [1, 1, 1, 1, 1], "VALID")(counted(*VOLUME)),
    "ExtractVolumePatches, padded": lambda: arrays.ExtractVolumePatches(
        [1, 1, 2, 2, 2], [1, 1, 2, 2, 2], "SAME")(counted(*VOLUME)),
    "MapUniform": lambda: caches.MapUniform()(i(*range(8)), number(4, np.int32), number(2, np.int32)),
    "NuclearNorm": lambda: layers.NuclearNorm()(f(*X)),
    "Eigh": lambda: linear.Eigh(False)(f([2, 1], [1, 3])),
    "CropAndResizeGradImage": lambda: images.CropAndResizeGradImage(ms.float32)(
        f([[[1], [1]], [[1], [1]]]), f([0, 0, 0.5, 0.5]), i(0), i(1, 4, 4, 1)),
    "CropAndResizeGradBoxes": lambda: images.CropAndResizeGradBoxes()(
        f([[[1], [1]], [[1], [1]]]), counted(1, 4, 4, 1), f([0.1, 0, 0.5, 0.6]), i(0)),
    "AdjustContrastv2": lambda: images.AdjustContrastv2()(counted(2, 2, 3), number(2)),
    "RangeV2": lambda: arrays.RangeV2()(number(0, np.int32), number(5, np.int32), number(2, np.int32)),
}


@case(each={"name": list(CALLS)})
def test_private_primitives(name):
    return CALLS[name]()


def parameters(*values):
    return [ms.Parameter(ms.Tensor(np.full((3, 2), value, np.float32)), name=f"p{n}")
            for n, value in enumerate(values)]


ROWS = f([1, 0.5], [1, 2]), i(0, 2)
UPDATES = {
    "SparseApplyAdagrad": lambda p: layers.SparseApplyAdagrad(0.1)(*p[:2], *ROWS),
    "SparseApplyMomentum": lambda p: layers.SparseApplyMomentum()(
        *p[:2], number(0.1), *ROWS, number(0.9)),
    "SparseApplyProximalGradientDescent": lambda p: layers.SparseApplyProximalGradientDescent()(
        p[0], number(0.1), number(0.1), number(0.2), *ROWS),
    "SparseApplyAdagradDA": lambda p: layers.SparseApplyAdagradDA()(
        *p[:3], *ROWS, number(0.1), number(0.1), number(0.1), number(2, np.int64)),
    "SparseApplyCenteredRMSProp": lambda p: layers.SparseApplyCenteredRMSProp()(
        *p, number(0.1), number(0.9), number(0.9), number(0.01), *ROWS),
}


@case(each={"name": list(UPDATES)})
def test_steps_on_rows(name):
    held = parameters(1, 1, 3, 1)
    return UPDATES[name](held), [p.asnumpy() for p in held]
