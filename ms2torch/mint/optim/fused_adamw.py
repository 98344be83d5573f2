"""FusedAdamW (``mindspore.mint.optim.FusedAdamW``)."""

from __future__ import annotations

from ms2torch.common.parameter import ParameterTuple

from .adamw import _AdamW


class FusedAdamW(_AdamW):
    """AdamW with one kernel for a group, which every optimizer has here; ``add_param_group`` makes state too.

    With ``amsgrad``, ``max_exp_avg_sq.*`` is part of the state. ValueError where groups differ in
    ``amsgrad``.
    """

    _betas = (tuple, list)

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
        params = list(params) if params is not None else params
        flags = [bool(g.get("amsgrad", amsgrad)) for g in params or () if isinstance(g, dict)]
        if len(set(flags)) > 1:
            raise ValueError(
                f"FusedAdamW does not support mixed amsgrad across param_groups. Found amsgrad "
                f"flags per group: {flags}. Please keep amsgrad consistent."
            )
        self.global_amsgrad = flags[0] if flags else bool(amsgrad)
        super().__init__(params, lr, betas, eps, weight_decay, amsgrad, maximize=maximize)
        if self.global_amsgrad:
            self.max_exp_avg_sq = ParameterTuple(p for g in self.param_groups for p in g["max_exp_avg_sq"])

    def add_param_group(self, param_group: dict) -> None:
        late = hasattr(self, "exp_avg")
        given = bool(param_group.get("amsgrad", self.defaults["amsgrad"]))
        if late and given != self.global_amsgrad:
            raise ValueError(
                "FusedAdamW does not support mixed amsgrad across param_groups. Init amsgrad="
                f"{self.global_amsgrad}, but new group amsgrad={given}. Please keep amsgrad "
                "consistent for all groups."
            )
        super().add_param_group(param_group)
        if late:
            new = ParameterTuple(self.param_groups[-1]["params"])
            self.exp_avg = ParameterTuple(self.exp_avg + new.clone("exp_avg", init="zeros"))
            self.exp_avg_sq = ParameterTuple(self.exp_avg_sq + new.clone("exp_avg_sq", init="zeros"))
