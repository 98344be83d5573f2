"""Gradients of some rows of a table: what a sparse look-up gives in graph mode.

Optimizers that leave the other rows alone (FTRL, LazyAdam) ask for the rows; for everybody else such a
gradient is a Tensor like any other, whose dense form is made when it is first read. What leaves the graph is
a tuple of indices, values and the table's shape, as MindSpore hands it out.
"""

from __future__ import annotations

import torch

from ms2torch._core import mode
from ms2torch._core.random import graph_streams
from ms2torch._core.tensor.tensor import Tensor, wrap


class RowGradient(Tensor):
    """The gradient of a table that was looked up sparsely (MindSpore's RowTensor).

    ``indices``, ``values`` and ``dense_shape`` are the rows as they were looked up, duplicates included.
    """

    __slots__ = ()

    @property
    def _t(self) -> torch.Tensor:
        self._t = dense = self.__dict__["_sparse"].to_dense()
        return dense

    @_t.setter
    def _t(self, value) -> None:
        self.__dict__.pop("_sparse", None)
        self.__class__ = Tensor
        self._t = value

    @property
    def indices(self) -> Tensor:
        return wrap(self.__dict__["_sparse"]._indices()[0].int())

    @property
    def values(self) -> Tensor:
        return wrap(self.__dict__["_sparse"]._values())

    @property
    def dense_shape(self) -> tuple[int, ...]:
        return tuple(self.__dict__["_sparse"].shape)

    def rows(self) -> tuple[torch.Tensor, torch.Tensor]:
        """The rows that were looked up and their gradients, duplicates included."""
        found = self.__dict__["_sparse"]
        return found._indices()[0], found._values()


def as_gradient(g: torch.Tensor) -> Tensor:
    """The Tensor around a gradient that autograd gave."""
    if g.layout is torch.strided:
        return wrap(g)
    out = RowGradient.__new__(RowGradient)
    out.__dict__["_sparse"] = g
    if graph_streams.here.call is not None:
        graph_streams.here.call.leaving.append(_outside)
    return out


def as_gradients(raw: list) -> list[Tensor]:
    """`as_gradient` of each."""
    strided = torch.strided
    return [wrap(g) if g.layout is strided else as_gradient(g) for g in raw]


def _outside(result):
    """A graph's ``result`` as its caller gets it."""
    if result.__class__ is RowGradient:
        return result.indices, result.values, result.dense_shape
    if result.__class__ in (tuple, list):
        return result.__class__(map(_outside, result))
    return {key: _outside(x) for key, x in result.items()} if result.__class__ is dict else result


def coalesce(rows: torch.Tensor, values: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """Each row once, with the sum of its gradients."""
    rows, places = torch.unique(rows, return_inverse=True)
    return rows, values.new_zeros((len(rows), *values.shape[1:])).index_add_(0, places, values)


def densify(grads: list) -> list:
    """Gradients without sparse ones among them."""
    return [g if g.layout is torch.strided else g.to_dense() for g in grads]


def applicable() -> bool:
    """Whether a look-up's gradient may be one of rows: in graph mode, of first order, where the engine takes
    it."""
    opened = mode.differentiation
    return mode.graph and opened is not None and opened.takes_rows and opened.outer is None
