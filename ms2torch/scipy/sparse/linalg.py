"""Iterative solvers (``mindspore.scipy.sparse.linalg``, 1.6 to 1.10), which need of a matrix its products.

Each gives the solution, in the shape of ``b``, and an Int32 Tensor: 0 where the residual's norm came to
``max(tol * norm(b), atol)``, else the number of iterations (-1 where `bicgstab` broke down). The loops ask
for that norm once per iteration, on the host.

Gradients are those of the solution itself, by another solve with the transposed matrix, not those of the
iterations; they are as exact as both solves.
"""

from __future__ import annotations

from collections.abc import Callable

import torch

from ms2torch._core.errors import unsupported
from ms2torch._core.tensor import dtype as _dtype
from ms2torch._core.tensor.tensor import Tensor, wrap
from ms2torch.common.sparse_tensor import CSRTensor

__all__ = ["bicgstab", "cg", "gmres"]

Product = Callable[[torch.Tensor], torch.Tensor]


class _AtTheSolution(torch.autograd.Function):
    """Adds nothing; the gradient of what is missing to the right side is a solve with the transposed
    matrix."""

    @staticmethod
    def forward(ctx, missing, transposed):
        ctx.transposed = transposed
        return torch.zeros_like(missing)

    @staticmethod
    def backward(ctx, gradient):
        return ctx.transposed(gradient), None


def _product(operator, kind: torch.dtype) -> Product:
    """What multiplies with an ``A`` or ``M``, in the dtype ``kind``."""
    if operator is None:
        return lambda v: v
    if isinstance(operator, Tensor):
        matrix = operator._t.to(kind)
        return lambda v: matrix @ v
    if isinstance(operator, CSRTensor):
        rows = operator.astype(_dtype.from_torch(kind))
        return lambda v: rows.mv(wrap(v[:, None]))._t[:, 0]
    return lambda v: operator(wrap(v))._t


def _transposed(name: str, operator, kind: torch.dtype) -> Product:
    if isinstance(operator, (Tensor, CSRTensor)):
        dense = operator.to_dense() if isinstance(operator, CSRTensor) else operator
        matrix = dense._t.detach().to(kind).mT
        return lambda v: matrix @ v
    if name == "cg":                                    # its matrix is its own transpose
        return _product(operator, kind)
    raise unsupported(f"the gradient of mindspore.scipy.sparse.linalg.{name} with a function for A",
                      "its transpose is not known.", "give A as a Tensor.")


def _checked(name: str, A, b, x0, M) -> None:
    """TypeError and ValueError for arguments of other kinds and shapes."""
    _of_a_kind(name, "A", A, (Tensor, CSRTensor), "['Tensor', 'CSRTensor', 'function']")
    _of_a_kind(name, "M", M, (Tensor, CSRTensor, type(None)), "['Tensor', 'CSRTensor', 'function']")
    for what, value in (("b", b), ("x0", b if x0 is None else x0)):
        if not isinstance(value, Tensor):
            raise TypeError(f"For '{name}', the type of '{what}' should be Tensor, but got '{value}' with "
                            f"type {type(value).__name__}.")
    if b.ndim not in (1, 2) or (b.ndim == 2 and b.shape[1] != 1):
        raise ValueError(f"For '{name}', the shape of 'b' should be like (N,) or (N, 1), but got {b.shape}.")
    if x0 is not None and (x0.shape, x0.dtype) != (b.shape, b.dtype):
        raise ValueError(f"For '{name}', 'x0' and 'b' should have the same shape and dtype, but got "
                         f"{x0.shape} {x0.dtype} and {b.shape} {b.dtype}.")
    if isinstance(A, (Tensor, CSRTensor)):
        if A.dtype != b.dtype:
            raise TypeError(f"For '{name}', the data type of 'A' and 'b' should be the same, but got the "
                            f"data type of 'A' is {A.dtype} and the data type of 'b' is {b.dtype}.")
        if A.shape[0] != b.shape[0]:
            raise ValueError(f"For '{name}', the last two dimensions of 'A' and 'b' should be matched, but "
                             f"got shape of {tuple(A.shape)} and {b.shape}.")


def _of_a_kind(name: str, what: str, operator, kinds: tuple, told: str) -> None:
    if not (isinstance(operator, kinds) or callable(operator)):
        raise TypeError(f"For '{name}', the type of '{what}' should be one of {told}, but got '{operator}' "
                        f"with type {type(operator).__name__}.")
    if isinstance(operator, (Tensor, CSRTensor)):
        shape = tuple(operator.shape)
        if len(shape) != 2 or shape[0] != shape[1]:
            raise ValueError(f"For '{name}', the matrix '{what}' should be a square matrix like (N, N), but "
                             f"got {shape}.")


def _of_type(name: str, kind: type, **given) -> None:
    for what, value in given.items():
        if type(value) is not kind:
            raise TypeError(f"For '{name}', the type of '{what}' should be {kind.__name__}, but got "
                            f"'{value}' with type {type(value).__name__}.")


def _not_given(name: str, **given) -> None:
    for what, value in given.items():
        if value is not None:
            raise ValueError(f"For '{name}', currently only case {what}=None of '{name}' is implemented.")


def _solve(name: str, run, A, b, x0, M):
    """The solution by ``run(product, preconditioner, b, x0)``, which gives it and the count of its
    failure."""
    right = b._t.reshape(-1)
    if not right.is_floating_point():
        right = right.double()
    kind = right.dtype
    product, before = _product(A, kind), _product(M, kind)
    start = torch.zeros_like(right) if x0 is None else x0._t.reshape(-1).to(kind)
    with torch.no_grad():
        x, count = run(product, before, right, start)
    if torch.is_grad_enabled():
        missing = right - product(x)
        if missing.requires_grad:
            def back(gradient):
                # (a preconditioner is one of A, not of its transpose)
                first = before if name == "cg" else _product(None, kind)
                return run(_transposed(name, A, kind), first, gradient, torch.zeros_like(gradient))[0]

            x = x + _AtTheSolution.apply(missing, back)
    return wrap(x.reshape(b.shape)), Tensor(count, _dtype.int32)


def cg(A, b, x0=None, *, tol=1e-5, atol=0.0, maxiter=None, M=None, callback=None):
    """The x of ``A x = b`` by conjugate gradients (``mindspore.scipy.sparse.linalg.cg``).

    ``A`` is a symmetric positive definite Tensor or CSRTensor (N, N), or a function that gives its products;
    ``b`` (N,) or (N, 1); ``M`` is about the inverse of ``A``, likewise. At most ``maxiter`` steps, 10 N by
    default. TypeError and ValueError for other kinds and shapes, ValueError for a ``callback``.
    """
    _checked("cg", A, b, x0, M)
    most = 10 * b.size if maxiter is None else maxiter
    _of_type("cg", float, tol=tol, atol=atol)
    _of_type("cg", int, maxiter=most)
    _not_given("cg", callback=callback)

    def run(product, before, b, x):
        limit, steps = max(tol * float(b.norm()), atol), 0
        r = b - product(x)
        z = p = before(r)
        rho = r @ z
        while steps < most and float(r.norm()) > limit:
            q = product(p)
            alpha = rho / (p @ q)
            x, r = x + alpha * p, r - alpha * q
            z, last = before(r), rho
            rho = r @ z
            p, steps = z + rho / last * p, steps + 1
        return x, steps if float(r.norm()) > limit else 0

    return _solve("cg", run, A, b, x0, M)


def bicgstab(A, b, x0=None, *, tol=1e-5, atol=0.0, maxiter=None, M=None):
    """The x of ``A x = b`` by stabilised biconjugate gradients (``mindspore.scipy.sparse.linalg.bicgstab``).

    Arguments as `cg` has; ``A`` need not be symmetric.
    """
    _checked("bicgstab", A, b, x0, M)
    most = 10 * b.shape[0] if maxiter is None else maxiter

    def run(product, before, b, x):
        limit = max(tol * float(b.norm()), atol)
        shadow = r = b - product(x)
        v = p = torch.zeros_like(r)
        rho = alpha = omega = torch.ones_like(r[0])
        for _ in range(most):
            last, rho = rho, shadow @ r
            if float(rho) == 0 or float(omega) == 0:
                return x, 0 if float(r.norm()) <= limit else -1
            p = r + rho / last * (alpha / omega) * (p - omega * v)
            ahead = before(p)
            v = product(ahead)
            alpha = rho / (shadow @ v)
            s, x = r - alpha * v, x + alpha * ahead
            if float(s.norm()) <= limit:
                return x, 0
            ahead = before(s)
            t = product(ahead)
            omega = (t @ s) / (t @ t)
            x, r = x + omega * ahead, s - omega * t
            if float(r.norm()) <= limit:
                return x, 0
        return x, most

    return _solve("bicgstab", run, A, b, x0, M)


def gmres(A, b, x0=None, *, tol=1e-5, restart=20, maxiter=None, M=None, callback=None, restrt=None, atol=0.0,
          callback_type=None, solve_method="batched"):
    """The x of ``A x = b`` by the smallest residual over ``restart`` powers of A, again and again
    (``mindspore.scipy.sparse.linalg.gmres``).

    Arguments as `cg` has; ``A`` need not be symmetric; ``maxiter`` counts restarts. ``solve_method`` is
    "batched" or "incremental", which here compute the same. ValueError for ``callback``, ``callback_type``
    and ``restrt``.
    """
    _checked("gmres", A, b, x0, M)
    most = 10 * b.size if maxiter is None else maxiter
    _of_type("gmres", float, tol=tol)
    _of_type("gmres", int, restart=restart, maxiter=most)
    _of_type("gmres", str, solve_method=solve_method)
    _not_given("gmres", callback=callback, restrt=restrt, callback_type=callback_type)
    if solve_method not in ("incremental", "batched"):
        raise ValueError(f"solve_method should be in ('incremental' or 'batched'), but got {solve_method}.")
    size = min(restart, b.size)

    def run(product, before, b, x):
        limit, steps = max(tol * float(b.norm()), atol), 0
        r = before(b - product(x))
        while steps < most and float(r.norm()) > limit:
            x = x + _smallest_residual(product, before, r, size)
            r, steps = before(b - product(x)), steps + 1
        return x, steps if float(r.norm()) > limit else 0

    return _solve("gmres", run, A, b, x0, M)


def _smallest_residual(product: Product, before: Product, r: torch.Tensor, size: int) -> torch.Tensor:
    """The step over ``size`` powers of the matrix (Arnoldi's basis) that leaves the least of ``r``."""
    norm = r.norm()
    basis = [r / norm]
    heights = r.new_zeros(size + 1, size)
    for k in range(size):
        v = before(product(basis[k]))
        scale = v.norm()
        for _ in range(2):                              # once more for what rounding left
            for i, q in enumerate(basis):
                share = q @ v
                heights[i, k] += share
                v = v - share * q
        heights[k + 1, k] = rest = v.norm()
        if float(rest) <= torch.finfo(r.dtype).eps * float(scale):
            size = k + 1
            break
        basis.append(v / rest)
    right = r.new_zeros(size + 1)
    right[0] = norm
    weights = torch.linalg.lstsq(heights[: size + 1, :size].double(), right.double()[:, None]).solution[:, 0]
    return torch.stack(basis[:size], 1) @ weights.to(r.dtype)
