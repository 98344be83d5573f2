"""The operators under mindspore.scipy."""

import mindspore as ms
import numpy as np
from mindspore import Tensor
from mindspore.scipy import ops, ops_wrapper, utils

from tests.reference.judge import case

A = np.array([[1.0, 2.0], [3.0, 5.0]])
FLOATS = [ms.float32, ms.float64]


def refused(call):
    try:
        return call()
    except (TypeError, ValueError) as error:
        return f"{type(error).__name__}: {str(error).splitlines()[0]}"


@case(each={"dtype": FLOATS, "vectors": [True, False]})
def test_eig(dtype, vectors):
    a = Tensor(np.stack([A, A.T]), dtype)
    values, found = ops.Eig(vectors)(a)
    if not vectors:
        return np.sort(values.asnumpy().real, -1), str(values.dtype), found.shape, str(found.dtype)
    residue = a.asnumpy() @ found.asnumpy() - found.asnumpy() * values.asnumpy()[:, None]    # A v = w v
    return np.sort(values.asnumpy().real, -1), str(found.dtype), found.shape, bool(np.abs(residue).max() < 1e-5)


@case(each={"dtype": [ms.float16, *FLOATS]})
def test_lu(dtype):
    return ops.LU()(Tensor(A, dtype))


@case(each={"dtype": FLOATS, "settings": [{}, {"lower": True}, {"lower": True, "trans": "T"}, {"trans": "C"},
                                          {"unit_diagonal": True}]})
def test_solve_triangular(dtype, settings):
    solve = ops.SolveTriangular(**settings)
    return solve(Tensor(A, dtype), Tensor(A[:, :1], dtype)), solve(Tensor(A, dtype), Tensor(A[0], dtype))


@case(each={"maximize": [True, False], "limit": [1, 2, 3]})
def test_linear_sum_assignment(maximize, limit):
    costs = Tensor(np.array([[4.0, 1.0, 3.0], [2.0, 0.0, 5.0]]))
    return ops.LinearSumAssignment()(costs, Tensor(limit), maximize)


@case
def test_wrappers():
    a = Tensor(A, ms.float32)
    return (ops_wrapper.matrix_set_diag(a, Tensor([7.0, 8.0])), ops_wrapper.matrix_set_diag(a, Tensor([7.0]), k=1),
            ops_wrapper.matrix_set_diag(a, Tensor([[7.0, 0.0], [8.0, 9.0]]), (0, 1), "LEFT_RIGHT"),
            utils._nd_transpose(Tensor(np.arange(8).reshape(2, 2, 2))))


@case
def test_refusals():
    a, costs = Tensor(A), Tensor(np.ones((2, 2, 2)))
    assign = ops.LinearSumAssignment()
    return [refused(call) for call in (
        lambda: ops.Eig(1), lambda: ops.Eig()(A), lambda: ops.Eig()(Tensor(A, ms.int32)), lambda: ops.Eig()(a[0]),
        lambda: ops.Eig()(Tensor(np.ones((2, 3)))), lambda: assign(a, 1, True),
        lambda: assign(a, Tensor(1), Tensor(True)), lambda: assign(costs, Tensor(1), True))]


@case
def test_texts():
    return [repr(one) for one in (ops.Eig(), ops.Eig(False), ops.LU(), ops.LinearSumAssignment())]
