"""Ranks, signs and kinds that single operators refuse, in their words."""

import mindspore as ms
import mindspore.numpy as mnp
import numpy as np
from mindspore import Parameter, Tensor, ops

from tests.reference.judge import case
from tests.reference.test_arguments_left_out import told
from tests.reference.test_wrong_sizes import I, T


@case
def test_ranks():
    return told(lambda: ops.InplaceAdd((0, 1))(T(1, 3, 2), T(1, 2, 2)), lambda: ops.InplaceAdd((0, 1))(T(3, 2), T(1, 2, 2)),
                lambda: ops.InplaceSub((0, 1))(T(3, 2), T(2, 3)), lambda: ops.InplaceUpdate((0, 1))(T(3, 2), T(2, 3)),
                lambda: ops.IndexAdd(1)(Parameter(T(3)), I(0), T(1, 2)), lambda: ops.searchsorted(T(1, 3), T(2, 3)),
                lambda: ops.searchsorted(T(2, 3), T(3)), lambda: ops.Lstsq()(T(3, 2), T(1, 2, 2)),
                lambda: ops.random_poisson(I(-2, -2), T(1)), lambda: ops.RandomPoisson()(2, T(1)),
                lambda: ops.SpaceToBatchND([2, 2], [0, 1]), lambda: ops.BatchToSpaceND([2, 2], [0, 1]),
                lambda: ops.inner(T(2, 3), T(2, 4)), lambda: T(2, 2).sum_to_size(Tensor([2, 2])),
                lambda: T(2, 2).sum_to_size(None), lambda: T(2, 2).sum_to_size(Tensor(2)),
                lambda: mnp.take_along_axis(T(2, 3), I(0, 1, dtype=np.int64), None),
                lambda: mnp.take_along_axis(T(2, 3), I([0, 1], dtype=np.int64), None))


@case
def test_diagonals_and_factors():
    one = Tensor(-1, ms.int32)
    return told(lambda: ops.MatrixDiagV3()(T(2, 2), I(1, -1), one, one, Tensor(0.0)),
                lambda: ops.matrix_diag(T(2, 2), I(1, -1)), lambda: ops.MatrixDiagPartV3()(T(2, 2), I(1, -1), Tensor(0.0)),
                lambda: ops.matrix_set_diag(T(2, 2), T(2, 2), I(1, -1)), lambda: ops.cholesky(-T(2, 2)),
                lambda: ops.Cholesky()(-T(2, 2) @ T(2, 2)))


@case
def test_kinds():
    x = T(2, 3)
    return told(lambda: ops.ParallelConcat()(x), lambda: ops.ParallelConcat()(np.ones((1, 2))), lambda: ops.Pdist(2),
                lambda: ops.dropout2d(T(1, 1, 2, 2), (0.5, 0.5)), lambda: ops.dropout3d(T(1, 1, 1, 2, 2), [0.5]),
                lambda: ops.AdaptiveAvgPool2D(-0.5), lambda: ops.affine_grid(T(1, 2, 3), [1, 3, 2, 3]),
                lambda: ops.mse_loss(x, True), lambda: ops.mse_loss(x, x, "a"), lambda: x.itemset(),
                lambda: ops.Assert()(True), lambda: ops.Assert()(), lambda: ops.topk(x, 2, 1.0), lambda: ops.topk(x, 2, 0.0))


@case
def test_nothing_of_complex_numbers():
    calls = lambda: ops.imag(T(0)), lambda: ops.real(Tensor([1j])[:0])  # noqa: E731
    return [one.split(":")[0] for one in told(*calls)]              # (the real one has no words)


@case(each={"call": [
    "any(keepdim=True)", "any(axis=0, keepdim=True)", "any((0, 1), keepdim=True)",
    "repeat_interleave(ms.Tensor(0))", "repeat_interleave([0, 0], 0)", "tril(ms.Tensor(0))", "norm(False)",
    "norm(True, 0)"]})
def test_methods(call):
    x = T(2, 3)
    return told(lambda: eval(f"x.{call}", {"ms": ms, "x": x}))


@case(each={"call": [
    "ops.searchsorted(x, x, side='left', right=True)", "ops.searchsorted(x, x, sorter=ms.Tensor([0, 1, 2], ms.int32))",
    "ops.bucketize(x, [[1.0]])", "ops.max(x, 0, where=0)", "numpy.amax(x, where=False)", "numpy.amax(x, where=[True, False])",
    "numpy.roll(x[:0], 1)", "numpy.repeat(x, 0)", "ops.Asinh()(b'a')", "ops.Gather()(x, b'a', 0)", "ops.Neg()(b'a')"]})
def test_functions(call):
    return told(lambda: eval(call, {"ms": ms, "ops": ops, "numpy": ms.numpy, "x": T(2, 3)[0]}))


@case(each={"call": [
    "ops.amax(x, 0, where=0)", "ops.amin(x, where=[True, False])", "ops.amax(x, 0, initial=9.0, where=0)",
    "ops.max(x, 0, where=1)", "x.amax(where=False)", "numpy.amax(x, 0, initial=9.0, where=0)",
    "ops.bucketize(x, [[0.1, 0.5], [0.2, 0.9]])", "ops.bucketize(x, [[0.1, 0.5], [0.2, 0.9]], right=True)",
    "ops.norm(x, ord=True)", "ops.norm(x, False, 0)", "ops.norm(x, ms.Tensor(1))", "ops.norm(x, ms.Tensor(1.0), 0)",
    "x.ptp(True)", "x.ptp((False,), True)", "ops.cosine_similarity(x, x + 1, dim=None)",
    "ops.cosine_similarity(x, x + 1, dim=(0, 1))", "x.astype(ms.bool_).any(dim=0, keepdim=True)"]})
def test_unusual_and_right(call):
    return eval(call, {"ms": ms, "ops": ops, "numpy": ms.numpy, "x": T(2, 3)})


@case(each={"call": [
    "ops.Bincount()(I(1, 2), ms.Tensor(0, ms.int32), x)", "ops.iou(x, x)", "ops.CheckValid()(T(2, 8), T(4))",
    "ops.CombinedNonMaxSuppression()(T(1, 2, 1, 4), T(1, 2, 1), I(0)[0], I(1)[0], ms.Tensor(0.5), ms.Tensor(0.0))",
    "x.itemset(True, 3.0)", "ops.Assert()(ms.Tensor(True), x)", "numpy.take(x[:0], I(0))", "numpy.take(x, I(0), mode='raise')",
    "numpy.correlate(x, x[:0])", "numpy.hstack([[x], [x]])", "numpy.column_stack([[1, 2], [3, 4]])",
    "numpy.digitize(x, [[1, 2], [3, 4]])", "ops.matrix_band_part(x, 1, 1)", "ops.cummin(x, (0, 0))",
    "ops.AffineGrid()(T(3, 2, 1), (1, 1, 2, 2))", "ops.inplace_index_add(Parameter(T(4, 3)), I(0, 1), T(4, 3), 0)",
    "x.matmul(ms.Tensor(1.0))", "ops.AvgPool(ms.Tensor(0), 1)", "ops.KLDivLoss(ms.Tensor(0))", "ops.MirrorPad(ms.Tensor(3))",
    "ops.RandomCategorical(True)", "ops.RandomCategorical(ms.Tensor(0))", "ops.std(x, ms.Tensor(0))", "numpy.choose(I(0)[0], [x, x])",
    "ops.RandomCategorical()(0, 2, 1)", "ops.logspace(ms.Tensor(0), ms.Tensor(2.0), 5)", "numpy.choose(I(0, 1, 0), ms.Tensor(1))", "ops.BCEWithLogitsLoss(1)"]})
def test_sizes_of_other_calls(call):
    names = {"ms": ms, "ops": ops, "numpy": ms.numpy, "x": T(3), "I": I, "T": T, "Parameter": Parameter}
    return told(lambda: eval(call, names))
