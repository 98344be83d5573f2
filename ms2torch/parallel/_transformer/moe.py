"""Mixtures of experts (``mindspore.parallel._transformer.moe``): their configuration; one expert works."""

from __future__ import annotations

from ms2torch import _checkparam as check

from .layers import _check_experts

__all__ = ["MoEConfig"]


class MoEConfig:
    """How many experts there are and how tokens are spread over them. ValueError for values out of range.

    With more than one expert the layers raise NotImplementedError.
    """

    def __init__(
        self,
        expert_num=1,
        capacity_factor=1.1,
        aux_loss_factor=0.05,
        num_experts_chosen=1,
        expert_group_size=None,
        group_wise_a2a=False,
        comp_comm_parallel=False,
        comp_comm_parallel_degree=2,
    ):
        check.check_positive_int(expert_num, "expert_num")
        check.check_positive_float(capacity_factor, "capacity_factor")
        check.check_positive_float(aux_loss_factor, "aux_loss_factor")
        check.check_positive_int(num_experts_chosen, "num_experts_chosen")
        check.check_bool(group_wise_a2a, "group_wise_a2a")
        check.check_bool(comp_comm_parallel, "comp_comm_parallel")
        check.check_positive_int(comp_comm_parallel_degree, "comp_comm_parallel_degree")
        if expert_group_size is not None:
            check.check_positive_int(expert_group_size, "expert_group_size")
        if capacity_factor < 1.0:
            raise ValueError(
                f"'capacity_factor' must be equal to or greater than 1.0, but got {capacity_factor}."
            )
        if aux_loss_factor >= 1.0:
            raise ValueError(f"'aux_loss_factor' must be less than 1.0, but got {aux_loss_factor}.")
        if num_experts_chosen > expert_num:
            raise ValueError(
                f"'num_experts_chosen' must not be larger than 'expert_num', but got {num_experts_chosen}."
            )
        self.expert_num, self.capacity_factor = expert_num, capacity_factor
        self.aux_loss_factor, self.num_experts_chosen = aux_loss_factor, num_experts_chosen
        self.expert_group_size, self.group_wise_a2a = expert_group_size, group_wise_a2a
        self.comp_comm_parallel = comp_comm_parallel
        self.comp_comm_parallel_degree = comp_comm_parallel_degree


default_moe_config = MoEConfig()


def _check_moe_config(moe_config=None, parallel_config=None) -> None:
    """TypeError for another class, NotImplementedError for several experts."""
    if not isinstance(moe_config, MoEConfig):
        raise TypeError(
            f"'moe_config' must be an instance of MoEConfig, but got {type(moe_config).__name__}."
        )
    _check_experts(moe_config.expert_num)
