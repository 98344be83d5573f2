"""The way that ``minimize`` and ``line_search`` take: every length of a step shows in where they are."""

import numpy as np
from mindspore import Tensor, ops
from mindspore.scipy.optimize import line_search, minimize

from tests.reference.judge import case

CLOSE = {"rtol": 5e-4, "atol": 2e-5, "reason": "lengths are numbers in double precision here, of single in MindSpore"}


def valley(x):
    return (100.0 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2).sum()


@case(each={"method": ["BFGS", "LBFGS"], "rounds": [1, 3]}, **CLOSE)
def test_first_rounds(method, rounds):
    found = minimize(valley, Tensor(np.zeros(2, np.float32)), method=method, options={"maxiter": rounds})
    return found.x, found.fun, found.jac, found.nfev, found.njev, found.nit, found.status, found.success


@case(each=[{}, {"old_fval": 3.0}, {"old_fval": 2.5, "old_old_fval": 3.1}], **CLOSE)
def test_a_step(**known):
    known = {**known, "gfk": Tensor([2.0, 2.0])} if known else {}
    found = line_search(lambda x: (x ** 2).sum() + 1.0, Tensor(np.ones(2, np.float32)),
                        Tensor(np.array([-4.0, -8.0], np.float32)), **known)
    return found.failed, found.a_k, found.f_k, found.g_k, found.status


def waves(x):
    return (ops.sin(3 * x) + x * x * 0.1).sum()


@case(each={"method": ["BFGS", "LBFGS"], "start": [0.3, 1.9]}, **CLOSE)
def test_the_rounds_to_the_end_are_counted(method, start):
    found = minimize(waves, Tensor(np.array([start, -0.2], np.float32)), method=method)
    return found.nit, found.nfev, found.success, found.status


@case(each={"method": ["BFGS", "LBFGS"]}, **CLOSE)
def test_a_search_that_fails_does_not_move(method):
    found = minimize(lambda x: ops.abs(x).sum(), Tensor(np.array([0.13, -0.13, 0.64], np.float32)), method=method)
    return found.x, found.success, found.status


@case(each=[{"up": [-1.0, 0.0]}, {"up": [1.0, 2.0]}], **CLOSE)
def test_no_step(up):
    return tuple(line_search(valley, Tensor(np.zeros(2, np.float32)), Tensor(np.array(up, np.float32)), maxiter=3))


@case(each={"rounds": [1, 3]}, **CLOSE)
def test_a_line_without_an_end(rounds):
    found = line_search(lambda x: -x.sum(), Tensor(np.ones(2, np.float32)), Tensor(np.ones(2, np.float32)), maxiter=rounds)
    return tuple(found)
