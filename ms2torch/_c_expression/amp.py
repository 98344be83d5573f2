"""``mindspore._c_expression.amp``: strategies of mixed precision, entered and left."""

from __future__ import annotations

from enum import Enum

from ms2torch._core.errors import unsupported
from ms2torch._core.operators import autocast

__all__ = ["AmpLevel", "create_amp_strategy", "pop_amp_strategy", "push_amp_strategy"]

_entered: list = []


class AmpLevel(Enum):
    AmpO0 = 0
    AmpO1 = 1
    AmpO2 = 2
    AmpO3 = 3
    AmpAuto = 4


def create_amp_strategy(level, dtype, white_list, black_list):
    """What computes by the strategy while it is entered: AmpO0 casts nothing, AmpAuto by MindSpore's own
    lists, of pairs ``(name, arguments)``. NotImplementedError for the other levels and lists."""
    from ms2torch.train import amp

    if level is AmpLevel.AmpO0:
        return autocast.autocast_off()
    ours = {name for text in (amp._AUTO_WHITE, amp._AUTO_BLACK) for name in text.split()}
    if level is not AmpLevel.AmpAuto or {name for name, _ in (*white_list, *black_list)} != ours:
        raise unsupported(
            "mindspore._c_expression.amp.create_amp_strategy",
            "it is MindSpore's compiled core",
            "amp.auto_mixed_precision(net, level, dtype).",
        )
    return autocast.Autocast(dtype.torch)


def push_amp_strategy(level, dtype, white_list, black_list) -> None:
    """Compute by this strategy until `pop_amp_strategy`."""
    strategy = create_amp_strategy(level, dtype, white_list, black_list)
    strategy.__enter__()
    _entered.append(strategy)


def pop_amp_strategy() -> None:
    """Compute as before the last `push_amp_strategy`."""
    _entered.pop().__exit__(None, None, None)
