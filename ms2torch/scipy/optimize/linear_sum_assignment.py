"""The assignment problem (``mindspore.scipy.optimize.linear_sum_assignment``)."""

from __future__ import annotations

import math
import sys

import numpy as np
import torch

from ms2torch._core.operators.lowering import lowered
from ms2torch._core.tensor.tensor import Tensor, lower

__all__ = ["linear_sum_assignment"]

_NO_LIMIT = Tensor(sys.maxsize)


@lowered
def linear_sum_assignment(cost_matrix, maximize, dimension_limit=_NO_LIMIT):
    """Rows and columns matched so that the sum of their costs is least, or with ``maximize`` largest.

    Two Int64 Tensors: row numbers, rising, and the column of each; -1 fills them up to the matrix' smaller
    size where ``dimension_limit`` cuts off columns. TypeError unless the costs are a Tensor of bools,
    integers or floats, ``maximize`` a bool and the limit an Int64 Tensor. Computed on the host (O(n^3)).
    """
    costs, limit = cost_matrix.double().numpy(force=True), int(lower(dimension_limit))
    size = min(costs.shape)
    costs = costs[:, : min(limit, costs.shape[1])]
    if maximize:
        costs = -costs
    pairs = [(i, j) for j, i in _matched(costs.T)] if costs.shape[0] > costs.shape[1] else _matched(costs)
    pairs = sorted(pairs) + [(-1, -1)] * (size - len(pairs))
    rows, columns = torch.tensor(pairs, dtype=torch.int64, device=cost_matrix.device).reshape(-1, 2).T
    return rows.clone(), columns.clone()


def _matched(costs: np.ndarray) -> list[tuple[int, int]]:
    """(row, column) of every row, by shortest augmenting paths; there are no more rows than columns."""
    n, m = costs.shape
    u, v = np.zeros(n + 1), np.zeros(m + 1)
    row_of = np.zeros(m + 1, dtype=int)  # counted from 1; 0 is none
    for i in range(1, n + 1):
        row_of[0], at = i, 0
        least, before = np.full(m + 1, math.inf), np.zeros(m + 1, dtype=int)
        used = np.zeros(m + 1, dtype=bool)
        while True:
            used[at] = True
            free = ~used[1:]
            reduced = costs[row_of[at] - 1] - u[row_of[at]] - v[1:]
            better = free & (reduced < least[1:])
            least[1:][better], before[1:][better] = reduced[better], at
            nearest = 1 + int(np.argmin(np.where(free, least[1:], math.inf)))
            step = least[nearest]
            u[row_of[used]] += step
            v[used] -= step
            least[~used] -= step
            at = nearest
            if row_of[at] == 0:
                break
        while at:
            row_of[at], at = row_of[before[at]], before[at]
    return [(int(row) - 1, j) for j, row in enumerate(row_of[1:]) if row]
