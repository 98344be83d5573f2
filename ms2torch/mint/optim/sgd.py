"""SGD (``mindspore.mint.optim.SGD``)."""

from __future__ import annotations

from functools import partial

from ms2torch import _checkparam as validator
from ms2torch._core.tensor import dtype as _dtype
from ms2torch._core.tensor.tensor import Tensor
from ms2torch.common.parameter import Parameter
from ms2torch.experimental.optim.optimizer import Optimizer
from ms2torch.nn.optim._sgd import sgd


class SGD(Optimizer):
    """torch's SGD. The rate of a group is its option ``lr_float``, which no scheduler changes (MindSpore
    2.10).

    State: ``momentum_buf.*``, ``step_t``.
    """

    _adds_decay = False

    def __init__(
        self, params, lr, momentum=0, dampening=0, weight_decay=0, nesterov=False, *, maximize=False
    ) -> None:
        name = type(self).__name__
        validator.check_value_type("lr", lr, [float, int, bool, Tensor], name)
        for key, value in (("momentum", momentum), ("weight_decay", weight_decay), ("dampening", dampening)):
            validator.check_value_type(key, value, [float, int, bool], name)
        validator.check_value_type("nesterov", nesterov, [bool], name)
        validator.check_value_type("maximize", maximize, [bool], name)
        for what, value in (
            ("learning rate", lr),
            ("momentum value", momentum),
            ("weight_decay value", weight_decay),
        ):
            if value < 0.0:
                raise ValueError(f"Invalid {what}: {value}")
        params = list(params)
        for group in params:
            if isinstance(group, dict) and group.get("lr"):
                group["lr_float"] = group["lr"]
        super().__init__(
            params,
            {
                "lr": lr,
                "momentum": momentum,
                "weight_decay": weight_decay,
                "dampening": dampening,
                "nesterov": nesterov,
                "maximize": maximize,
                "lr_float": lr,
            },
        )
        if nesterov and (momentum <= 0.0 or dampening != 0.0):
            raise ValueError(
                "For 'SGD', if 'nesterov' is true, 'momentum' must be > 0.0 and 'dampening' must "
                f"equal to 0.0, but got 'momentum' {momentum}, 'dampening' {dampening}"
            )
        self.momentum_buf = self.parameters.clone(prefix="momentum_buf", init="zeros")
        self.step_t = Parameter(Tensor(0, _dtype.int32), "step_t")

    def construct(self, gradients):
        first = self._counted(self.step_t) == 1
        return self._update(gradients, partial(_sgd, first), self.momentum_buf)


def _sgd(first, group, params, grads, moments, _) -> None:
    momentum, rest = float(group["momentum"]), (float(group["lr_float"]), float(group["weight_decay"]))
    if momentum:
        sgd(momentum, float(group["dampening"]), group["nesterov"], first, params, grads, moments, *rest)
    else:
        sgd(0.0, 0.0, False, False, params, grads, *rest)
