"""Singular matrices, places and shapes that lie outside, and arguments that stand for another kind."""

import mindspore as ms
import mindspore.numpy as mnp
import numpy as np
from mindspore import Parameter, Tensor, mint, ops
from mindspore.scipy import linalg

from tests.reference.judge import case

SINGULAR = {
    "zeros": np.zeros((3, 3), np.float32),
    "rank 1": np.array([[1, 2, 3], [2, 4, 6], [3, 6, 9]], np.float32),
    "an empty column": np.array([[0, 2, 3], [0, 5, 6], [0, 8, 9]], np.float64),
    "above the diagonal": np.array([[0, 1, 3], [0, 0, 6], [0, 0, 0]], np.float32),
    "two blocks": np.array([[1, 1, 1, 1], [1, 1, 1, 1], [0, 0, 2, 1], [0, 0, 2, 1]], np.float32),
    "complex": np.array([[1, 2], [2, 4]], np.complex64),
    "one of two": np.array([[[1, 2], [2, 4]], [[1, 0], [0, 2]]], np.float64),
}


@case(each={"given": list(SINGULAR)})
def test_inverse_of_singular(given):
    return ops.inverse(Tensor(SINGULAR[given]))


@case
def test_gradient_of_the_inverse_of_singular():
    weights = Tensor(np.float32([[1, 2], [3, 4]]))
    return ms.grad(lambda x: (ops.inverse(x) * weights).sum())(Tensor(np.float32([[1, 2], [2, 4]])))


@case
def test_inverses_of_singular_by_other_names():
    x = Tensor(np.float32([[1, 2], [2, 4]]))
    return x.inverse(), ops.MatrixInverse(True)(x), linalg.inv(x), linalg.lu_factor(x), ops.cond(x, 1)


@case(each={"given": [[[0, 0], [0, 0]], [[1, 0], [1, 0]], [[0, 0], [2, 2]]], "upper": [False, True]})
def test_cholesky_inverse_of_singular(given, upper):
    return ops.cholesky_inverse(Tensor(np.float64(given)), upper)


@case(each={"name": ["SegmentMax", "SegmentMin", "SegmentSum", "SegmentMean", "SegmentProd"], "ids": [(1, 0, 2), (-1, 0, 2)]},
      raises=True)
def test_segments_out_of_order(name, ids):
    return getattr(ops, name)()(Tensor(np.ones((3, 2), np.float32)), Tensor(np.array(ids, np.int64)))


@case(raises=True)
def test_negative_paddings():
    return ops.SpaceToBatchND([2, 2], [[-1, 0], [0, 1]])(Tensor(np.ones((1, 1, 3, 3), np.float32)))


@case(each={"indices": [((-1, 0), (1, 1)), ((0, 0), (1, 4))]}, raises=True)
def test_sparse_places_outside(indices):
    return ops.SparseToDense()(Tensor(np.array(indices, np.int32)), Tensor(np.float32([1, 2])), (3, 3))


@case(each={"shape": [(0, 2), (2, 0)]}, raises=True)
def test_integers_of_no_element(shape):
    return ops.NonDeterministicInts(ms.int32)(Tensor(np.array(shape)))


@case(each={"shape": [(0,), (2, 0), (-2,)]}, raises=True)
def test_gammas_of_no_element(shape):
    return ops.random_gamma(Tensor(np.array(shape, np.int32)), Tensor(np.float32([1, 2])))


@case
def test_gammas_without_a_distribution():
    return ops.random_gamma(Tensor(np.int32([3])), Tensor(np.float32([0, -1])))


@case(each={"name": ["lu", "lu_factor", "eigh", "cholesky", "inv", "det", "cho_factor"]}, raises="should be Tensor, but got")
def test_matrices_are_no_parameters(name):
    return getattr(linalg, name)(Parameter(Tensor(np.eye(2, dtype=np.float32)), name="w"))


_X = np.arange(6, dtype=np.float32).reshape(2, 3)
_REFUSED = {
    "get_grad of a list": lambda: ops.get_grad([(0, Tensor(_X))], 0),
    "resize by numpy's int": lambda: Tensor(_X).resize(np.int64(3), np.int64(2)),
    "resize by a Tensor of one": lambda: Tensor(_X).resize(Tensor(np.int32([6]))),
    "dot of one against many": lambda: mnp.dot(Tensor(_X[:, :1]), Tensor(np.ones((3, 1), np.float32))),
    "inner of unlike": lambda: mnp.inner(Tensor(_X), Tensor(_X[:, :2])),
    "logit by a Tensor": lambda: Tensor(_X).logit(Tensor(0.1)),
}


@case(each={"call": list(_REFUSED)}, raises=True)
def test_other_kinds_refused(call):
    return _REFUSED[call]()


@case(raises="must be Tensor but got External")
def test_identities_of_arrays():
    return ops.IdentityN()((Tensor(_X), _X))


_TAKEN = {
    "cov by a fraction": lambda: ops.cov(Tensor(_X), correction=1.5),
    "cov by two": lambda: ops.cov(Tensor(_X), correction=(1, 2)),
    "cov by one in a tuple": lambda: Tensor(_X).cov(correction=(1,)),
    "tile": lambda: Tensor(_X).tile(Tensor(2)),
    "new_zeros": lambda: Tensor(_X).new_zeros(Tensor(2)),
    "new_ones": lambda: Tensor(_X).new_ones(Tensor(2)),
    "sum from a Tensor": lambda: Tensor(_X).sum(initial=Tensor(2.0)),
    "segments of complex numbers": lambda: ops.unsorted_segment_min(Tensor(_X.astype(np.complex64)), Tensor([0, 1]), 2),
    "runs of complex numbers": lambda: ops.UniqueConsecutive(True, True)(Tensor(np.array([1j, 1j, 2, 1j], np.complex64))),
    **{f"AvgPool by {word}": lambda word=word: ops.AvgPool(2, 1, word)(Tensor(_X.reshape(1, 1, 2, 3)))
       for word in ("nearest", "mean", "none", "reflect")},
}


@case(each={"call": list(_TAKEN)})
def test_other_kinds_taken(call):
    return _TAKEN[call]()


_ONE = Tensor(0)
_PLAIN = {
    "flatten from": lambda x: x.flatten(start_dim=_ONE),
    "flatten to": lambda x: x.flatten(end_dim=_ONE),
    "gather": lambda x: x.gather(Tensor([0, 1]), axis=_ONE),
    "isclose rtol": lambda x: x.isclose(x, rtol=_ONE),
    "isclose atol": lambda x: x.isclose(x, atol=_ONE),
    "norm": lambda x: mint.norm(x, p=_ONE),
    "normalize": lambda x: mint.nn.functional.normalize(x, p=Tensor(2.0)),
    "softmax": lambda x: mint.nn.functional.softmax(x, dim=_ONE),
    "vector_norm": lambda x: mint.linalg.vector_norm(x, ord=_ONE),
    "elu": lambda x: mint.nn.functional.elu(x, alpha=_ONE),
    "round": lambda x: mint.round(x, decimals=0.0),
    "diag": lambda x: x.diag(diagonal=0.0),
    "trapz": lambda x: ops.trapz(x, dx=True),
    "gather by a bool": lambda x: ops.gather(Tensor([0, 1]), Tensor([0, 1]), True),
    "empty of nothing": lambda x: mint.empty(dtype=ms.int32),
    **{f"{name} {correction}": lambda x, name=name, correction=correction: getattr(mint, name)(x, correction=correction)
       for name in ("std", "var", "std_mean", "var_mean") for correction in (True, 0.0)},
}


@case(each={"call": list(_PLAIN)}, raises=True)
def test_plain_numbers_alone(call):
    return _PLAIN[call](Tensor(_X))
