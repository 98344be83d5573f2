"""None for an argument that may only be left out, Tensors for numbers and for sizes."""

import mindspore as ms
import numpy as np
from mindspore import Tensor, mint, ops

from tests.reference.judge import case
from tests.reference.test_wrong_calls import said

X = Tensor(np.arange(6).reshape(2, 3).astype(np.float32))
I = Tensor(np.array([2], np.int32))  # noqa: E741


def told(*calls):
    ms.set_context(pynative_synchronize=True)
    return [said(call, (), {}) for call in calls]


@case(each={"name": ["max", "min"]})
def test_none_in_extremes(name):
    f = getattr(mint, name)
    return told(lambda: f(X, None), lambda: f(X, dim=None), lambda: f(X, keepdim=False), lambda: f(X, other=None),
                lambda: f(X, keepdim=None), lambda: f(X, dim=None, keepdim=False), lambda: f(X, 0, None),
                lambda: f(X, dim=0, keepdim=None), lambda: f(X), lambda: f(X, dim=0), lambda: f(X, X),
                lambda: f(X, 0, dim=0), lambda: f(2, dim=None))


@case
def test_none_in_other_forms():
    where, some = mint.where, mint.any
    return told(lambda: some(X, None), lambda: some(X, dim=None), lambda: some(X, 0, None), lambda: some(X),
                lambda: where(X, None, None), lambda: where(X, None), lambda: where(X, input=None),
                lambda: where(X > 1, X, None), lambda: where(X, other=None), lambda: where(X, other=X),
                lambda: X.to(other=None), lambda: X.to(other=X), lambda: X.to(other=X, copy=None),
                lambda: X.slice_scatter(X, 1, step=None), lambda: ops.slice_scatter(X, X, 1, step=None),
                lambda: X.max(None), lambda: X.max(0, None), lambda: X.max(None, None))


@case
def test_a_tensor_for_an_axis():
    zero = Tensor(0)
    return told(lambda: mint.linalg.norm(X, dim=zero), lambda: ops.norm(X, dim=zero), lambda: X.norm(dim=zero),
                lambda: ops.cosine_similarity(X, X, dim=zero), lambda: mint.linalg.matrix_norm(X, dim=zero),
                lambda: ops.aminmax(X, axis=Tensor([0])), lambda: ops.aminmax(X, axis=Tensor(5)),
                lambda: ops.aminmax(X, axis=Tensor(0.0)), lambda: ops.aminmax(X, axis=Tensor(True)))


@case
def test_a_tensor_for_a_number():
    return told(lambda: ops.fftfreq(Tensor(0)), lambda: ops.rfftfreq(Tensor(-2)), lambda: ops.fftfreq(Tensor(2)),
                lambda: mint.nn.functional.softplus(X, beta=Tensor(0)),
                lambda: mint.nn.functional.softplus(X, beta=Tensor(1)),
                lambda: ops.zeta(I, 2), lambda: ops.zeta(I, 0.5), lambda: ops.zeta(X.astype(ms.float16), 2),
                lambda: ops.max(X, 0, initial=Tensor(2.0)), lambda: X.max(axis=0, initial=Tensor(2.0)),
                lambda: X.max(initial=Tensor([2.0])), lambda: ops.amax(X, 0, initial=Tensor([2.0, 1.0])),
                lambda: ops.max(X, 0, where=Tensor([True, False, True])), lambda: ops.amin(X, 0, initial=1, where=X))


@case
def test_extremes_from_tensors():
    return (X.max(initial=Tensor(2.0)), X.min(initial=Tensor(20)), X.max(axis=(0, 1), initial=Tensor(9.0)),
            X.max(None, initial=Tensor(2.0)), ops.amax(X, 0, initial=Tensor([4.0])),
            ops.aminmax(X, axis=Tensor(0)), X.aminmax(axis=Tensor(1), keepdims=True),
            ops.aminmax(X, axis=np.int64(0)), ops.max(X, 0, initial=1, where=0), ops.amax(X, 0, initial=1, where=1),
            ops.amax(X, 0, initial=1, where=[True, False, True]))


@case
def test_variance_by_the_names_of_torch():
    ints, doubles = X.astype(ms.int32), X.astype(ms.float64)
    return told(lambda: ints.var(dim=0), lambda: ints.var(correction=1), lambda: ints.var(keepdim=True),
                lambda: doubles.var(dim=0), lambda: (X > 1).var(dim=0), lambda: ints.var(0), lambda: ints.std(dim=0))


@case
def test_sizes_of_empty():
    f = mint.empty
    return [f(size=(2, 3)).shape, f(size=[2]).shape, f(2, Tensor(3)).shape, f((2, Tensor([3]))).shape,
            f(np.int64(2), 2).shape, f(Tensor(2)).shape, f([]).shape, f(2, device="CPU").shape], told(
        lambda: f(size=2), lambda: f(2, size=(2,)), lambda: f(size=(2.0,)), lambda: f(size=None), lambda: f(None),
        lambda: f(2.0), lambda: f((2.0,)), lambda: f(2, 2.0), lambda: f(Tensor([2, 3])), lambda: f((2,), ms.int32),
        lambda: f((True,)), lambda: f(2, True), lambda: f(2, device=1), lambda: f(2, device="abc"),
        lambda: f(2, pin_memory=1), lambda: f(2, pin_memory=None), lambda: f(2, foo=1), lambda: f(2, (3,)))


@case
def test_sizes_of_random_numbers():
    normal, laplace, real = ops.standard_normal, ops.standard_laplace, ops.UniformReal()
    low, high = Tensor(1, ms.int32), Tensor(3, ms.int32)
    return [normal(Tensor(2)).shape, real(Tensor(2)).shape, real(Tensor([[2, 3]])).shape, normal(Tensor(0)).shape,
            ops.UniformInt()(Tensor(2), low, high).shape, ops.uniform(Tensor(2), low, high, dtype=ms.int32).shape,
            ops.random_poisson(I, -X)], told(
        lambda: normal(Tensor(2.0)), lambda: normal(X), lambda: normal(Tensor([[2]])), lambda: normal(Tensor(True)),
        lambda: normal(I.astype(ms.int8)), lambda: normal(Tensor(-2)), lambda: laplace(Tensor(2)),
        lambda: laplace(Tensor([[2]])), lambda: laplace(X[0]), lambda: laplace(I.astype(ms.int8)),
        lambda: real(Tensor(2.0)), lambda: real(I.astype(ms.int8)), lambda: ops.gamma(I, X + 1, X + 1),
        lambda: ops.Gamma()(I, X + 1, X + 1), lambda: ops.poisson(I, X + 1), lambda: ops.poisson((0,), X + 1),
        lambda: ops.Poisson()((2, 0), X + 1), lambda: ops.random_poisson(Tensor(2), X))


@case(each={"alpha": [-1.0, 0.0, float("nan")], "beta": [1.0, 0.0]})
def test_a_distribution_of_no_positive_parameter(alpha, beta):
    calls = (lambda: ops.gamma((2,), Tensor(alpha), Tensor(beta)), lambda: ops.poisson((2,), Tensor([alpha])),
             lambda: ops.Gamma()((2,), Tensor([alpha]), Tensor([beta])))
    return [one.split(":")[0] for one in told(*calls)]              # (the real one has no words)
