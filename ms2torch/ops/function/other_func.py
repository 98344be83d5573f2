"""Order of evaluation, and the order of experts (``mindspore.ops.function.other_func``)."""

from __future__ import annotations

import torch

from ms2torch._core.operators.registry import op

__all__ = ["depend", "moe_init_routing_v2"]


@op(primitive="Depend", on_tensors=True)
def depend(value, expr):
    """``value``; ``expr`` has run before, as Python runs what is written first.

    (``mindspore.ops.depend``.)
    """
    return value


@op(primitive="ControlDepend", init=("depend_mode",), on_tensors=True)
def control_depend(src, dst, depend_mode=0):
    """Orders two operators in a graph, in r1.0; here they already run in the order of Python.

    (``mindspore.ops.ControlDepend``.)
    """


@op(on_tensors=True)
def load(value, u=None):
    """The value of a Parameter at this point of a graph."""
    return value.value() if hasattr(value, "value") else value


@op(primitive="MoeInitRoutingV2")
def moe_init_routing_v2(x, expert_idx, active_num, expert_capacity, expert_num, drop_pad_mode,
                        expert_tokens_count_or_cumsum_flag, expert_tokens_before_capacity_flag):
    """Tokens (rows, H) in the order of their experts (rows, K), where each choice went, and what experts got.

    MindSpore: ``mindspore.ops.moe_init_routing_v2``: the tokens, all or the first ``active_num``; Int32
    places, one for each choice; how many tokens each expert got, or how many up to it (the flag 2 or 1).
    With ``drop_pad_mode`` 1 each expert has ``expert_capacity`` rows: choices beyond them go to -1, rows
    without one are zeros, and the fourth result is how many there were before. ValueError for other modes
    and flags.

    Unlike on Ascend, which leaves memory as it was, counts that are not asked for are zeros.
    """
    for name, value, allowed in (
            ("drop_pad_mode", drop_pad_mode, (0, 1)),
            ("expert_tokens_count_or_cumsum_flag", expert_tokens_count_or_cumsum_flag, (0, 1, 2))):
        if value not in allowed:
            raise ValueError(f"For 'MoeInitRoutingV2', '{name}' must be one of {allowed}, but got {value}.")
    experts, choices = expert_idx.flatten().long(), expert_idx.shape[1]
    order = torch.argsort(experts, stable=True)
    places = torch.argsort(order)
    counts = torch.bincount(experts, minlength=expert_num)[:expert_num].int()
    nothing = torch.zeros_like(counts)
    if not drop_pad_mode:
        kept = order[:active_num] if active_num else order
        told = (nothing, counts.cumsum(0, dtype=torch.int32), counts)[expert_tokens_count_or_cumsum_flag]
        return x.index_select(0, kept // choices), places.int(), told, nothing
    slots = places - (counts.cumsum(0) - counts)[experts]
    kept = slots < expert_capacity
    places = (experts * expert_capacity + slots).masked_fill(~kept, -1)
    tokens = x.index_select(0, kept.nonzero().flatten() // choices)
    found = x.new_zeros(expert_num * expert_capacity, x.shape[1]).index_copy(0, places[kept], tokens)
    found = found.reshape(expert_num, expert_capacity, -1)
    return found, places.int(), nothing, counts if expert_tokens_before_capacity_flag else nothing
