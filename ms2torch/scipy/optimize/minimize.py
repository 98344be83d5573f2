"""Minima of functions of one vector (``mindspore.scipy.optimize.minimize``)."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
import torch

from ms2torch._core.checks.calls import compiled_name, object_name, type_description
from ms2torch._core.errors import unsupported
from ms2torch._core.tensor.tensor import Tensor, wrap
from ms2torch.ops.function.grad_func import grad

from .line_search import search, slope

__all__ = ["minimize"]


class OptimizeResults(NamedTuple):
    """Where a minimum is, and how it was found.

    ``status``: 0 converged, 1 too many rounds, 3 and 5 the search along a line failed.
    """

    x: Tensor
    success: bool
    status: int
    fun: float
    jac: Tensor
    hess_inv: Tensor | None
    nfev: int
    njev: int
    nit: int


class _Inverse:
    """An estimate of the Hessian's inverse, as a matrix (BFGS)."""

    def __init__(self, x: torch.Tensor, size: int) -> None:
        self.matrix = torch.eye(len(x), dtype=x.dtype, device=x.device)

    def times(self, gradient: torch.Tensor) -> torch.Tensor:
        """The estimate times a gradient."""
        return self.matrix @ gradient

    def learn(self, moved: torch.Tensor, changed: torch.Tensor) -> None:
        """Take in how the gradient ``changed`` where x ``moved``."""
        rho = 1 / (changed @ moved)
        if torch.isfinite(rho):
            left = torch.eye(len(moved), dtype=moved.dtype) - rho * torch.outer(moved, changed)
            self.matrix = left @ self.matrix @ left.T + rho * torch.outer(moved, moved)


class _Remembered:
    """The same of the latest ``size`` steps alone (L-BFGS)."""

    matrix = None

    def __init__(self, x: torch.Tensor, size: int) -> None:
        self.steps: deque = deque(maxlen=size)

    def times(self, gradient: torch.Tensor) -> torch.Tensor:
        taken, vector = [], gradient
        for moved, changed in reversed(self.steps):
            taken.append(moved @ vector / (moved @ changed))
            vector = vector - taken[-1] * changed
        if self.steps:
            moved, changed = self.steps[-1]
            vector = (moved @ changed) / (changed @ changed) * vector
        for (moved, changed), rate in zip(self.steps, reversed(taken), strict=True):
            vector = vector + (rate - changed @ vector / (moved @ changed)) * moved
        return vector

    def learn(self, moved: torch.Tensor, changed: torch.Tensor) -> None:
        if changed @ moved > 1e-10:
            self.steps.append((moved, changed))
        else:
            self.steps.clear()


def _descend(estimate, f, jac, x0: Tensor, maxiter=None, norm=float("inf"), gtol=1e-5, line_search_maxiter=10,
             history_size=20) -> OptimizeResults:
    x, rounds, status = x0._t, 0, 0
    inverse = estimate(x, history_size)
    maxiter = 200 * x.numel() if maxiter is None else maxiter
    value, gradient, calls = float(f(wrap(x))), jac(wrap(x))._t, 1
    value_before = value + float(torch.linalg.vector_norm(gradient)) / 2
    done = bool(torch.linalg.vector_norm(gradient, norm) < gtol)
    while not done and rounds < maxiter:
        direction = -inverse.times(gradient)
        found = search(f, jac, x, direction, value, gradient, maxiter=line_search_maxiter,
                       value_before=value_before)
        calls += found.nfev
        moved = 0 * direction if found.failed else found.a_k * direction
        changed = found.g_k._t - gradient
        value_before = value
        x, value, gradient = x + moved, found.f_k, found.g_k._t
        done = bool(torch.linalg.vector_norm(gradient, norm) < gtol)
        if found.failed:
            status = 5 if found.status == 3 else 3
            break
        inverse.learn(moved, changed)
        rounds += not done                      # (MindSpore does not count the last one)
    status = status or (0 if done else 1)
    matrix = None if inverse.matrix is None else wrap(inverse.matrix)
    return OptimizeResults(wrap(x), done and status == 0, status, value, wrap(gradient), matrix, calls, calls,
                           rounds)


def _check(f, x0, bfgs: bool) -> None:
    """What MindSpore says of a start that is no vector of floats."""
    if not isinstance(x0, Tensor):
        if not bfgs:
            raise TypeError(f"For 'Size', input must be a Tensor, but got: {type_description(x0)}.")
        if not isinstance(x0, (bool, int, float, list, tuple)) or isinstance(x0, np.generic):
            raise TypeError("Expect input to be array like.")
        raise AttributeError(f"{object_name(x0)} has no attribute 'shape'")
    if not x0.ndim:
        if not bfgs:
            f(x0)                               # (which may refuse it itself)
        raise IndexError("tuple index out of range") if bfgs else ValueError(
            "MatMul inputs should have the same dimension size and equal to 2.")
    if x0.ndim == 1 and not x0._t.is_floating_point():
        slope(x0._t, x0._t)


def minimize(func, x0, args=(), method=None, jac=None, hess=None, hessp=None, bounds=None, constraints=(),
             tol=None, callback=None, options=None) -> OptimizeResults:
    """Where ``func(x, *args)``, a number, is least near the vector ``x0``
    (``mindspore.scipy.optimize.minimize``).

    ``method``: "BFGS" or "LBFGS"; ``jac``: the gradient function, made of ``func`` without one. ``options``:
    ``maxiter``, ``gtol`` (how small the largest of the gradient has to be), ``norm``,
    ``line_search_maxiter``, ``history_size`` of LBFGS. The arguments after ``jac`` have no effect, as in
    MindSpore. ValueError for other methods; "LAGRANGE", which MindSpore has on GPU alone, is not supported.
    """
    if method is None:
        raise ValueError("You must specify a solver.")
    if not isinstance(args, tuple):
        raise TypeError(f"args argument to mindspore.scipy.optimize.minimize must be a tuple, got {args}")
    kind = {"bfgs": _Inverse, "lbfgs": _Remembered}.get(method.lower())
    if method.lower() == "lagrange":
        raise unsupported("mindspore.scipy.optimize.minimize(method='LAGRANGE')",
                          "MindSpore has it on GPU alone.",
                          "'BFGS' of the function with a penalty, or scipy.optimize on asnumpy().")
    if kind is None:
        raise ValueError(f"Method {method} not recognized")

    def f(x):
        return func(x, *args)

    _check(f, x0, kind is _Inverse)
    if options is not None and not isinstance(options, Mapping):
        name = method.lower()
        raise TypeError(f"mindspore.scipy.optimize._{name}.minimize_{name}() argument after ** must be a "
                        f"mapping, not {compiled_name(options)[1:-1]}")
    gradient = grad(f) if jac is None else lambda x: jac(x, *args)
    return _descend(kind, f, gradient, x0, **(options or {}))
