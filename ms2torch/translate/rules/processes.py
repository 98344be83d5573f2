"""What processes tell each other: reductions and gatherings, which gradients go back through."""

from __future__ import annotations

from .table import VALUES, Rule, add, rule

_ALONE = "a program that runs alone gets its own tensor back"
_ALONE_ZH = "单独运行的程序得到自己的张量"
for _name in ("SUM", "MAX", "MIN"):
    add(Rule(f"mindspore.ops.ReduceOp.{_name}", f"torch.distributed.ReduceOp.{_name}"), VALUES)
_OPS = {"sum": "SUM", "max": "MAX", "min": "MIN"}


@rule("ops.AllReduce", "reduced(x, op), at the head", _ALONE, _ALONE_ZH)
def all_reduce(call):
    _of_all(call)
    told = call.value("op")
    if "op" in call and isinstance(told, str):
        if told not in _OPS:
            call.refuse("only sums and extremes have a rule")
        call.put("op", f"torch.distributed.ReduceOp.{_OPS[told]}")
    call.helper("reduced")
    return "reduced({input_x}, {op?})" if "op" in call and "SUM" not in call.text("op") else "reduced({input_x})"


@rule("ops.AllGather", "gathered(x), at the head", _ALONE, _ALONE_ZH)
def all_gather(call):
    _of_all(call)
    call.helper("gathered")
    return "gathered({input_x})"


def _of_all(call) -> None:
    """Refuse a group that is not all processes."""
    group = call.value("group")
    if not (isinstance(group, str) and group.endswith("_world_group")):
        call.refuse("its group= has no rule")
