"""Descent in few dimensions (``mindspore.boost.dim_reduce``)."""

from __future__ import annotations

import numpy as np
import torch

from ms2torch._core.errors import unsupported
from ms2torch._core.tensor.tensor import wrap
from ms2torch.common import dtype as mstype
from ms2torch.common.parameter import Parameter, ParameterTuple
from ms2torch.common.tensor import Tensor
from ms2torch.nn.cell import Cell
from ms2torch.ops import functional as F

__all__ = ["DimReduce"]


class DimReduce(Cell):
    """A quasi-Newton step along principal components of the weights, and momentum across them
    (``mindspore.boost.DimReduce``). ``(loss, gradients, loss_scale, weights, copies, *inputs)`` to ``loss``.

    ``pca_mat_local``: the components (n_components, size of all weights). ``optimizer`` subtracts what it is
    given, as ``nn.SGD`` of rate 1. The step is ``rho`` to the power 0 or 1, the first at which the loss of
    ``network`` falls by ``sigma`` times what the gradient promises, else 0; ``gamma`` and ``alpha`` are of
    the momentum. ``copies``: Parameters like ``weights``. NotImplementedError for ``rank_size`` above 1.
    """

    def __init__(self, network, optimizer, weight, pca_mat_local, n_components, rho, gamma, alpha, sigma,
                 rank, rank_size) -> None:
        super().__init__()
        if rank_size > 1:
            raise unsupported("mindspore.boost.DimReduce(rank_size=)", "its components are shared out over "
                              "Ascend devices.", "rank_size 1 with all components.")
        self.network, self.optimizer, self.rank, self.rank_size = network, optimizer, rank, rank_size
        self.gamma, self.alpha, self.sigma, self.n_components = gamma, alpha, sigma, n_components
        self.float_type, self.epsilon, self.max_search_time = mstype.float32, 1e-20, 2
        self.rho_list = [Tensor(rho ** i, mstype.float32) for i in range(2)] + [Tensor(0, mstype.float32)]
        sizes = np.cumsum([p.size for p in weight])[:-1]
        self.pca_list_local = tuple(Tensor(part, mstype.float32)
                                    for part in np.split(np.asarray(pca_mat_local), sizes, 1)[:len(weight)])
        for name in ("gk_last", "bk", "sk", "gk_last_back", "bk_back"):
            start = np.eye(n_components) if name.startswith("bk") else np.zeros([n_components, 1])
            setattr(self, name, Parameter(Tensor(start, mstype.float32), name=name))
        self.gk_last_init = Parameter(Tensor(False), name="gk_last_init")
        weights = ParameterTuple(weight)
        for name in ("grad_res_momentum", "grad_proj_init", "dn_init"):
            setattr(self, name, weights.clone(prefix=name, init="zeros"))

    def construct(self, loss, old_grad, loss_scale, weight, weight_clone, *inputs):
        parts = [part._t for part in self.pca_list_local]
        gk = sum(part @ (g._t.float() / loss_scale._t).reshape(-1, 1)
                 for part, g in zip(parts, old_grad, strict=True))
        F.assign(self.gk_last_back, self.gk_last)
        F.assign(self.bk_back, self.bk)
        dk = self._direction(gk)
        ahead = [(part.T @ dk).reshape(g.shape) for part, g in zip(parts, old_grad, strict=True)]
        along = [(part.T @ gk).reshape(g.shape) for part, g in zip(parts, old_grad, strict=True)]
        rho = self._line_search(gk, dk, ahead, loss, weight, weight_clone, *inputs)
        deltas = []
        for momentum, g, part, step in zip(self.grad_res_momentum, old_grad, along, ahead, strict=True):
            F.assign(momentum, wrap(self.gamma * momentum._t + g._t - part))
            deltas.append(wrap(self.alpha * momentum._t - rho._t * step))
        self.optimizer(tuple(deltas))
        _copy(weight_clone, weight)
        return loss

    def _direction(self, gk: torch.Tensor) -> torch.Tensor:
        """The quasi-Newton direction, by what gradient and step were before."""
        if bool(self.gk_last_init):
            y, s = gk - self.gk_last._t, self.sk._t
            g = (y.T @ s).squeeze()
            if g > self.epsilon:
                t = torch.eye(len(gk), device=gk.device) - y / g @ s.T
                F.assign(self.bk, wrap(t.T @ self.bk._t @ t + s / g @ s.T))
        else:
            F.assign(self.gk_last_init, Tensor(True))
        F.assign(self.gk_last, wrap(gk))
        return -(self.bk._t @ gk)

    def _line_search(self, gk, dk, ahead, loss, weight, weight_clone, *inputs):
        """The first of the steps that does enough, or 0; the weights are as before."""
        for rho in self.rho_list[:-1]:
            self.optimizer(tuple(wrap(-rho._t * step) for step in ahead))
            found = self.network(*inputs)
            enough = loss._t + self.sigma * rho._t * (gk.T @ dk).squeeze() > found._t
            _copy(weight, weight_clone)
            if enough:
                F.assign(self.sk, wrap(rho._t * dk))
                return rho
        F.assign(self.gk_last, self.gk_last_back)
        F.assign(self.bk, self.bk_back)
        return self.rho_list[-1]


def _copy(variables, values) -> None:
    for variable, value in zip(variables, values, strict=True):
        F.assign(variable, value)
