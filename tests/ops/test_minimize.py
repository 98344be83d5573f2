"""Minima of functions of a vector: those that mathematics and MindSpore's documentation name."""

import numpy as np
import pytest

from ms2torch import Tensor
from ms2torch.scipy.optimize import line_search, minimize


def vector(*values):
    return Tensor(np.array(values, np.float32))


def square(x):
    return (x**2).sum() + x[0]


def himmelblau(p):
    x, y = p
    return (x**2 + y - 11) ** 2 + (x + y**2 - 7) ** 2


def rosenbrock(x, scale=100):
    return scale * (x[1] - x[0] ** 2) ** 2 + (1 - x[0]) ** 2


@pytest.mark.parametrize("method", ["BFGS", "lbfgs"])
@pytest.mark.parametrize(("function", "at", "value"), [
    (square, [-0.5, 0], -0.25), (himmelblau, [3, 2], 0), (rosenbrock, [1, 1], 0)])
def test_minima(function, at, value, method):
    found = minimize(function, vector(0, 0), method=method, options={"gtol": 1e-6, "maxiter": None})
    np.testing.assert_allclose(found.x.asnumpy(), at, rtol=1e-5, atol=1e-5)
    assert (found.success, found.status) == (True, 0)
    assert abs(found.fun - value) < 1e-6
    assert (found.hess_inv is None) == (method == "lbfgs")


def test_rounds_and_arguments():
    found = minimize(rosenbrock, vector(0.5, 0.5), (10,), "BFGS", options={"maxiter": 1})
    assert (found.success, found.status, found.nit) == (False, 1, 1)
    given = minimize(square, vector(1, 2), method="BFGS", jac=lambda x: 2 * x + vector(1, 0))
    np.testing.assert_allclose(given.x.asnumpy(), [-0.5, 0], atol=1e-5)


def test_a_step_satisfies_wolfes_conditions():
    x, p = vector(0, 0), vector(14, 22)                 # down the gradient of himmelblau
    found = line_search(himmelblau, x, p)
    start = float(himmelblau(x))
    slope = -(14.0**2 + 22.0**2)
    assert not found.failed
    assert found.f_k <= start + 1e-4 * found.a_k * slope
    assert abs(float((found.g_k * p).sum())) <= -0.9 * slope
    documented = line_search(lambda x: x[0] ** 2 - x[1] ** 3, vector(1, 1), vector(-1, -1))
    assert documented.a_k == 1.0


@pytest.mark.parametrize(("given", "kind", "words"), [
    ({}, ValueError, "You must specify a solver."), ({"method": "x"}, ValueError, "not recognized"),
    ({"args": 3, "method": "BFGS"}, TypeError, "must be a tuple, got 3"),
    ({"method": "LAGRANGE"}, NotImplementedError, "GPU alone")])
def test_refused(given, kind, words):
    with pytest.raises(kind, match=words):
        minimize(square, vector(1), **given)
