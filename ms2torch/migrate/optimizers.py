"""Optimizers on the other side: MindSpore's over torch's parameters, and torch's for what takes gradients."""

from __future__ import annotations

import torch

from ms2torch._core.tensor.tensor import lift
from ms2torch.common.parameter import Parameter
from ms2torch.nn.optim._groups import with_torchs
from ms2torch.nn.optim.optimizer import Optimizer


class OptimizerOfTorch(torch.optim.Optimizer):
    """A torch optimizer whose step is that of a MindSpore optimizer, which was made over torch's parameters.

    Its one group shows the rate; one that is written there counts where MindSpore's is one number. Decay is
    MindSpore's own. ``state_dict`` has MindSpore's names.
    """

    def __init__(self, optimizer: Optimizer) -> None:
        self.mindspore = optimizer
        super().__init__([p._of_torch for p in optimizer.parameters], {"lr": self._rate()})

    def _rate(self) -> float:
        found = self.mindspore.get_lr()
        return float(found[0] if isinstance(found, tuple) else found)

    @torch.no_grad()
    def step(self, closure=None) -> None:
        """Move the parameters by their ``grad``; one without a ``grad`` has a gradient of zeros."""
        group, rate = self.param_groups[0], self.mindspore.learning_rate
        parameters = group["params"]
        if isinstance(rate, Parameter) and group["lr"] != float(rate._rest):
            rate._rest.fill_(group["lr"])
        gradients = [torch.zeros_like(p) if p.grad is None else p.grad for p in parameters]
        self.mindspore(lift(tuple(gradients)))
        for p in self.mindspore.parameters:
            p._of_torch_follows()
        group["lr"] = self._rate()

    def state_dict(self) -> dict[str, torch.Tensor]:
        return {name: p._rest.detach() for name, p in self._state()}

    @torch.no_grad()
    def load_state_dict(self, state_dict: dict[str, torch.Tensor]) -> None:
        for name, p in self._state():
            p._rest.copy_(state_dict[name])

    def _state(self):
        return [(name, p) for name, p in self.mindspore.parameters_and_names() if p._of_torch is None]


class OptimizerOverTorchs(Optimizer):
    """An optimizer of torch's as one of MindSpore's: called with gradients, in its parameters' order."""

    def __init__(self, optimizer: torch.optim.Optimizer) -> None:
        grouped = [p for group in optimizer.param_groups for p in group["params"]]
        order = [p for p in getattr(optimizer, "order", grouped) if p.requires_grad]
        super().__init__(self._rate_of(optimizer), with_torchs(order))
        self._hidden = (optimizer, order)  # no children

    @staticmethod
    def _rate_of(optimizer: torch.optim.Optimizer) -> float:
        rate = optimizer.param_groups[0]["lr"]
        return float(rate) if not callable(rate) else 0.0

    def show_rate(self) -> None:
        """Let ``learning_rate`` be the first group's."""
        self.learning_rate._rest.fill_(self._rate_of(self._hidden[0]))

    def take_rate(self) -> None:
        """Where ``learning_rate`` is another one by now, the groups have it."""
        rate, optimizer = float(self.learning_rate._rest), self._hidden[0]
        if abs(rate - self._rate_of(optimizer)) > 1e-6 * abs(rate):
            for group in optimizer.param_groups:
                group["lr"] = rate

    def construct(self, gradients):
        optimizer, order = self._hidden
        scale = 1.0 / getattr(optimizer, "loss_scale", 1.0)
        for p, g in zip(order, gradients, strict=True):
            p.grad = g._t.detach() * scale
        optimizer.step()
        return True
