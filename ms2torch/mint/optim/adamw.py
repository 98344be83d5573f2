"""AdamW (``mindspore.mint.optim.AdamW``)."""

from __future__ import annotations

from functools import partial

from ms2torch import _checkparam as validator
from ms2torch._core.tensor import dtype as _dtype
from ms2torch._core.tensor.tensor import Tensor
from ms2torch.common.parameter import Parameter, ParameterTuple
from ms2torch.experimental.optim.adam import adam_options
from ms2torch.experimental.optim.adamw import adamw_kernel
from ms2torch.experimental.optim.optimizer import Optimizer


def checked_options(name, lr, betas, eps, weight_decay, amsgrad, maximize, kinds=(tuple,)) -> dict:
    """The defaults of Adam's family under mint, which takes floats alone; TypeError and ValueError in
    MindSpore's words."""
    validator.check_value_type("betas", betas, list(kinds), name)
    validator.check("betas size", len(betas), "", [2], validator.IN, name)
    for key, value in (
        ("betas[0]", betas[0]),
        ("betas[1]", betas[1]),
        ("eps", eps),
        ("weight_decay", weight_decay),
        ("lr", lr),
    ):
        validator.check_value_type(key, value, [float], name)
    validator.check_value_type("amsgrad", amsgrad, [bool], name)
    validator.check_value_type("maximize", maximize, [bool], name)
    return adam_options(lr, betas, eps, weight_decay, amsgrad, maximize)


class _AdamW(Optimizer):
    """What AdamW and FusedAdamW have in common."""

    _adds_decay = False
    _betas = (tuple,)

    def __init__(
        self,
        params,
        lr=1e-3,
        betas=(0.9, 0.999),
        eps=1e-8,
        weight_decay=1e-2,
        amsgrad=False,
        *,
        maximize=False,
    ) -> None:
        super().__init__(
            params,
            checked_options(
                type(self).__name__, lr, betas, eps, weight_decay, amsgrad, maximize, self._betas
            ),
        )
        self.exp_avg = self.parameters.clone(prefix="exp_avg", init="zeros")
        self.exp_avg_sq = self.parameters.clone(prefix="exp_avg_sq", init="zeros")
        self.state_step = Parameter(Tensor([-1], _dtype.float32), "state_step")

    def add_param_group(self, param_group: dict) -> None:
        super().add_param_group(param_group)
        group = self.param_groups[-1]
        if group["amsgrad"]:
            group["max_exp_avg_sq"] = ParameterTuple(group["params"]).clone("max_exp_avg_sq", init="zeros")

    def construct(self, gradients):
        largest = [
            p
            for group in self.param_groups
            for p in group.get("max_exp_avg_sq", [self.state_step] * len(group["params"]))
        ]
        kernel = partial(adamw_kernel, self._counted(self.state_step) + 1)
        return self._update(gradients, kernel, self.exp_avg, self.exp_avg_sq, largest)


class AdamW(_AdamW):
    """torch's AdamW. State: ``exp_avg.*``, ``exp_avg_sq.*``, ``state_step`` (-1 before the first step).

    Groups with ``amsgrad`` keep ``max_exp_avg_sq`` among their options.
    """
