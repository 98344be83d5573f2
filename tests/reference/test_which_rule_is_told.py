"""Calls that break several of MindSpore's rules: the one that it asks first is told."""

import mindspore as ms
import numpy as np
from mindspore import Parameter, Tensor, mint, ops

from tests.reference.judge import case
from tests.reference.test_kinds_of_plain_arguments import X, told


def F(*shape):
    return Tensor((np.arange(np.prod(shape)).reshape(shape) % 5 / 4).astype(np.float32))


def of(dtype, *numbers):
    return Tensor(np.array(numbers or (1, 2))).astype(dtype)


@case()
def test_dtypes_of_several_inputs():
    line, pair = F(2), F(2, 2)
    return ([told(ops.MatrixSolve(), pair.astype(dtype), pair) for dtype in (ms.int64, ms.uint32, ms.bfloat16)],
            [told(ops.MatrixSolveLs(), pair, pair.astype(dtype), Tensor(0.0, ms.float64))
             for dtype in (ms.int64, ms.float16)],
            [told(ops.LinSpace(), Tensor(1, dtype), Tensor(2, ms.float32), 3) for dtype in (ms.int16, ms.float16)],
            [told(ops.BoundingBoxDecode(max_shape=(9, 9)), F(2, 4), F(2, 4).astype(dtype))
             for dtype in (ms.float64, ms.int16)],
            told(ops.ListDiff(), of(ms.int32), of(ms.int16)), told(ops.LeftShift(), of(ms.bool_), of(ms.bool_)),
            [told(ops.matrix_solve, pair.astype(dtype), pair.astype(dtype)) for dtype in (ms.uint8, ms.int32)],
            [told(ops.TensorScatterUpdate(), pair, of(ms.float32, [0, 0]), of(ms.float64, 1))],
            told(ops.softmin, line.astype(ms.uint64)), told(ops.dist, of(ms.uint64), of(ms.uint64)))


@case()
def test_dtypes_that_have_none_in_common():
    half, whole, small = F(2), of(ms.int32), of(ms.uint16)
    return ([told(getattr(mint, name), small, half) for name in ("add", "sub", "mul", "div")],
            [told(getattr(half, name), small) for name in ("add", "sub", "remainder")],
            [told(mint.floor_divide, small, whole), told(mint.clamp, half, small)])


@case()
def test_shapes_and_kinds():
    x, rows = X(), Parameter(F(2, 2), name="rows")
    at = Tensor([[0], [1]], ms.int32)
    return ([told(getattr(ops, name), rows, [at, at], x) for name in ("scatter_nd_min", "scatter_nd_add")],
            told(ops.index_add, rows, [at], x, 0), told(ops.frac, [1.0, 2.0]),
            [told(ops.group_norm, F(1, 4, 2, 2), (2, 2)), told(ops.full_like, x, (1., 1.)), told(ops.t, True)],
            [told(ops.grid_sample, F(1, 2, 3, 3), F(2, 2, 2)), told(ops.grid_sample, F(2, 3, 3), F(1, 2, 2, 2))],
            [told(ops.CholeskySolve(), F(4, 2), F(3, 3)), told(ops.MatrixTriangularSolve(), F(3, 4), F(3, 2))],
            [told(ops.MatrixTriangularSolve(), F(3, 3), F(4, 2)), told(ops.inverse, F(2, 3))],
            [told(ops.IndexFill(), F(2, 2), 0, Tensor([[0]], ms.int32), 1.0), told(ops.vstack, ())],
            [told(ops.batch_to_space_nd, F(4, 1, 2, 2), [2, 2], [[0, 0]]), told(ops.Conv2D, 1, 2, pad_mode="SAME")],
            [told(ops.dsplit, F(2, 2, 2), 0), told(ops.vecdot, x, x, axis=4)])
