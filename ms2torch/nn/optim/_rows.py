"""A step for the rows of a table that were looked up (``EmbeddingLookup(sparse=True)`` in graph mode).

The other rows keep their values; which state they keep, and what a row that was looked up twice gets, is each
optimizer's own. Where ``optimizer.target = "CPU"`` was set, the gradients of a row arrive summed.
"""

from __future__ import annotations

import torch

from ._undo import by_rows


@by_rows
def add_all(kernel, rows, values, param, state, rate) -> None:
    """Each look-up computes its change from the row as it was, and all changes are added (LazyAdam)."""
    parts = [t[rows] for t in (param, *state)]
    before = parts[0].clone()
    kernel(parts[:1], [values], *[[part] for part in parts[1:]], rate, 0.0)
    param.index_add_(0, rows, parts[0] - before)
    for t, part in zip(state, parts[1:], strict=True):
        t.index_copy_(0, rows, part)


@by_rows
def in_turn(kernel, rows, values, param, state, rate) -> None:
    """One look-up of a row after the other (FTRL)."""
    order = torch.argsort(rows, stable=True)
    rows, values = rows[order], values[order]
    first = torch.searchsorted(rows, rows)
    turn = torch.arange(len(rows), device=rows.device) - first
    for n in range(int(turn.max()) + 1 if len(rows) else 0):
        now = turn == n
        parts = [t[rows[now]] for t in (param, *state)]
        kernel(parts[:1], [values[now]], *[[part] for part in parts[1:]], rate, 0.0)
        for t, part in zip((param, *state), parts, strict=True):
            t.index_copy_(0, rows[now], part)


def moments(hyper, correction, nesterov: bool, kernel, rows, values, param, state, rate) -> None:
    """Adam: all moments decay, those of the rows grow by each look-up, and every row moves."""
    (beta1, beta2, eps), (first, second) = hyper, state[:2]
    first.mul_(beta1).index_add_(0, rows, values, alpha=1 - beta1)
    second.mul_(beta2).index_add_(0, rows, values * values, alpha=1 - beta2)
    ahead = (first * beta1).index_add_(0, rows, values, alpha=1 - beta1) if nesterov else first
    param.addcdiv_(ahead, second.sqrt() + eps, value=-rate * correction)
