"""What MindSpore gives for singular matrices, which torch refuses: asked for only where torch has refused."""

from __future__ import annotations

import numpy as np
import torch


def inverted(x):
    """The inverse of each matrix. Of a singular one, the solution over its first ``rank`` pivots, which are
    the greatest elements of what is left each time; zeros in the other rows."""
    try:
        return torch.linalg.inv(x)
    except torch.linalg.LinAlgError:
        matrices = x.detach().reshape(-1, *x.shape[-2:]).cpu().numpy()
        found = np.stack([_by_full_pivots(m) for m in matrices])
        found = torch.from_numpy(found).to(x.device).reshape(x.shape)
        # MindSpore's gradient is that of an inverse, over what it gave.
        return found - found @ (x - x.detach()) @ found if x.requires_grad else found


def _by_full_pivots(a):
    """P a Q = L U, solved for the identity over the pivots that count."""
    a, n = a.copy(), len(a)
    rows, columns, pivots = np.arange(n), np.arange(n), np.zeros(n)
    for k in range(n):
        column, row = np.unravel_index(np.abs(a[k:, k:]).T.argmax(), (n - k, n - k))
        pivots[k] = abs(a[k + row, k + column])
        if not pivots[k]:
            break
        a[[k, k + row]], rows[[k, k + row]] = a[[k + row, k]], rows[[k + row, k]]
        a[:, [k, k + column]], columns[[k, k + column]] = a[:, [k + column, k]], columns[[k + column, k]]
        a[k + 1:, k] /= a[k, k]
        a[k + 1:, k + 1:] -= np.outer(a[k + 1:, k], a[k, k + 1:])
    rank = int((pivots > pivots.max(initial=0) * np.finfo(a.dtype).eps * n).sum())
    found = np.eye(n, dtype=a.dtype)[rows]
    for k in range(n):
        found[k + 1:] -= np.outer(a[k + 1:, k], found[k]) if pivots[k] else 0
    for k in range(rank - 1, -1, -1):
        found[k] = (found[k] - a[k, k + 1:rank] @ found[k + 1:rank]) / a[k, k]
    found[rank:] = 0
    out = np.empty_like(found)
    out[columns] = found
    return out


def inverted_by_rows(x):
    """The inverse of each matrix. Of a singular one, what elimination gives that divides by its zeros."""
    try:
        return torch.linalg.inv(x)
    except torch.linalg.LinAlgError:
        packed, pivots, _ = torch.linalg.lu_factor_ex(x)
        order, lower, upper = torch.lu_unpack(packed, pivots)
        left = torch.linalg.solve_triangular(lower, order.mT.contiguous(), upper=False, unitriangular=True)
        found = [None] * x.shape[-1]
        for k in range(x.shape[-1] - 1, -1, -1):
            row = left[..., k, :]
            for j in range(k + 1, x.shape[-1]):
                row = row - upper[..., k, j, None] * found[j]
            found[k] = row / upper[..., k, k, None]
        return torch.stack(found, -2)
