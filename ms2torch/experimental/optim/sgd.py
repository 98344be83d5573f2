"""SGD (``mindspore.experimental.optim.SGD``)."""

from __future__ import annotations

import torch

from ms2torch import _checkparam as validator
from ms2torch._core.tensor.tensor import Tensor
from ms2torch.nn.optim._sgd import sgd
from ms2torch.nn.optim._undo import atomic

from .optimizer import Optimizer


class SGD(Optimizer):
    """v = momentum * v + (1 - dampening) * g (v = g at the first step); p -= lr * v, or of g + momentum * v.

    As torch's SGD. State: ``accum.*``, ``stat.*`` (1 until the first step).
    """

    _adds_decay = False

    def __init__(
        self, params, lr, momentum=0, dampening=0, weight_decay=0.0, nesterov=False, *, maximize=False
    ) -> None:
        name = type(self).__name__
        validator.check_value_type("lr", lr, [float, int, Tensor], name)
        if lr < 0.0:
            raise ValueError(f"Invalid learning rate: {lr}")
        validator.check_value_type("momentum", momentum, [int, float], name)
        if momentum < 0.0:
            raise ValueError(f"Invalid momentum value: {momentum}")
        momentum = float(momentum)
        validator.check_value_type("nesterov", nesterov, [bool], name)
        validator.check_value_type("maximize", maximize, [bool], name)
        super().__init__(
            params,
            {
                "lr": lr,
                "momentum": momentum,
                "dampening": dampening,
                "weight_decay": weight_decay,
                "nesterov": nesterov,
                "maximize": maximize,
                "grad_centralization": False,
            },
        )
        for group in self.param_groups:
            validator.check_value_type("dampening", group["dampening"], [int, float], name)
            group["dampening"] = float(group["dampening"])
        if nesterov and (momentum <= 0.0 or dampening != 0.0):
            raise ValueError(
                "For 'SGD', if 'nesterov' is true, 'momentum' must be > 0.0 and 'dampening' must "
                f"equal to 0.0, but got 'momentum' {momentum}, 'dampening' {dampening}"
            )
        self.accum = self.parameters.clone(prefix="accum", init="zeros")
        self.stat = self.parameters.clone(prefix="stat", init="ones")

    def construct(self, gradients):
        return self._update(gradients, self._kernel, self.accum, self.stat)

    @atomic
    def _kernel(self, group, params, grads, moments, stat, rate) -> None:
        momentum, decay = float(group["momentum"]), group["weight_decay"]
        if not momentum:
            sgd(0.0, 0.0, False, False, params, grads, rate, decay)
            return
        state = stat[0].data_ptr(), stat[0]._version
        known = self.__dict__.setdefault("_begun", {})
        # ``stat`` is 1 before the first step, also when it came from a checkpoint.
        first = known.get(id(stat[0])) != state and bool(stat[0].any())
        if first:
            for t in stat:
                self._save_number(t, 1.0)
            torch._foreach_zero_(stat)
        sgd(momentum, group["dampening"], group["nesterov"], first, params, grads, moments, rate, decay)
        known[id(stat[0])] = stat[0].data_ptr(), stat[0]._version
