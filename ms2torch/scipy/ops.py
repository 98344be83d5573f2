"""The operators under `mindspore.scipy` (``mindspore.scipy.ops``)."""

from __future__ import annotations

import torch

from ms2torch._core.checks.calls import type_description
from ms2torch._core.checks.error_wrappers import wrap_class
from ms2torch._core.checks.refusals import wrong_dtype
from ms2torch._core.operators.registry import Primitive
from ms2torch._core.tensor.tensor import Tensor, wrap
from ms2torch.scipy.linalg import solve_triangular
from ms2torch.scipy.optimize import linear_sum_assignment

__all__ = ["LU", "Eig", "LinearSumAssignment", "SolveTriangular"]

_EIG = (torch.float32, torch.float64, torch.complex64, torch.complex128)
_COSTS = (torch.bool, torch.int8, torch.int16, torch.int32, torch.int64, torch.uint8, torch.uint16,
          torch.uint32, torch.uint64, torch.float16, torch.float32, torch.float64)


class SolveTriangular:
    """The x of a x = b for a triangle a (``mindspore.scipy.ops.SolveTriangular``); ``trans`` "T" and "C":
    of a^T x = b and a^H x = b. `mindspore.scipy.linalg.solve_triangular` with its settings made first.
    """

    def __init__(self, lower: bool = False, unit_diagonal: bool = False, trans: str = "N") -> None:
        self.lower, self.unit_diagonal, self.trans = lower, unit_diagonal, trans

    def __call__(self, a: Tensor, b: Tensor) -> Tensor:
        return solve_triangular(a, b, self.trans, self.lower, self.unit_diagonal)


@wrap_class
class Eig(Primitive):
    """Eigenvalues (..., N) and eigenvectors (..., N, N) of square matrices, complex
    (``mindspore.scipy.ops.Eig``); without ``compute_v`` a 0 stands for the vectors.

    TypeError but for Float32, Float64 and the complex dtypes; ValueError for what is not square.
    """

    def __init__(self, compute_v=True) -> None:
        super().__init__("Eig")
        if not isinstance(compute_v, bool):
            raise TypeError("For 'Eig', the type of 'compute_v' should be 'bool', but got type "
                            f"'{type(compute_v).__name__}'.")
        self.init_attrs = self.attrs = {"compute_v": compute_v}
        self.compute_v = compute_v

    def __call__(self, a: Tensor) -> tuple[Tensor, Tensor]:
        if not isinstance(a, Tensor):
            raise TypeError(f'Failed calling Eig with "Eig(compute_v=bool)(x={type(a)})".')
        if a._t.dtype not in _EIG:
            raise wrong_dtype("Eig", "x", a._t.dtype, _EIG)
        if a.ndim < 2:
            raise ValueError(f"For Eig, x should be at lease 2, but got a {a.ndim}-D Tensor.")
        rows, columns = a.shape[-2:]
        if rows != columns:
            raise ValueError(f"For Eig, x should be square(squares), but got {rows}  {columns} "
                             "matrix(matrices).")
        if not self.compute_v:
            values = torch.linalg.eigvals(a._t)
            return wrap(values), wrap(values.new_zeros(()))
        return tuple(map(wrap, torch.linalg.eig(a._t)))


@wrap_class
class LU(Primitive):
    """L and U in one matrix, the row that each row was swapped with, and the permutation of all swaps, both
    Int32 (``mindspore.scipy.ops.LU``), of (..., N, N) floats; Float16 is computed in Float32.
    """

    def __init__(self) -> None:
        super().__init__("LU")

    def __call__(self, x: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        t = x._t
        if not t.is_floating_point():
            raise TypeError(f"For 'LU', the input must be a Tensor of floats, but got {x.dtype}.")
        packed, pivots, _ = torch.linalg.lu_factor_ex(t.float() if t.dtype is torch.float16 else t)
        permutation = torch.lu_unpack(packed, pivots, unpack_data=False)[0].mT
        return wrap(packed.to(t.dtype)), wrap(pivots - 1), wrap(permutation.to(torch.int32))


@wrap_class
class LinearSumAssignment(Primitive):
    """`mindspore.scipy.optimize.linear_sum_assignment` (``mindspore.scipy.ops.LinearSumAssignment``) of
    ``cost_matrix``, ``dimension_limit`` (an Int64 Tensor) and ``maximize``.
    """

    def __init__(self) -> None:
        super().__init__("LinearSumAssignment")

    def __call__(self, cost_matrix: Tensor, dimension_limit: Tensor, maximize: bool) -> tuple[Tensor, Tensor]:
        if not isinstance(dimension_limit, Tensor):
            raise TypeError("For Primitive[LinearSumAssignment], the type of input argument[dimension_limit] "
                            f"must be Tensor but got {type_description(dimension_limit)}.")
        if cost_matrix._t.dtype not in _COSTS:
            raise wrong_dtype("LinearSumAssignment", "cost_matrix", cost_matrix._t.dtype, _COSTS)
        if cost_matrix.ndim != 2:
            raise ValueError("For primitive[LinearSumAssignment], the cost_matrix rank must be equal to 2, "
                             f"but got {cost_matrix.ndim}.")
        if not isinstance(maximize, bool):
            raise TypeError("For primitive[LinearSumAssignment], the input argument[maximize] must be a type "
                            f"of {{Bool}}, but got {type_description(maximize)}.")
        return linear_sum_assignment(cost_matrix, maximize, dimension_limit)
