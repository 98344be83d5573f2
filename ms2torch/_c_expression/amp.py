"""``mindspore._c_expression.amp``: levels of mixed precision, which packages name in default arguments."""

from __future__ import annotations

from enum import Enum

from ms2torch._core.errors import unsupported

__all__ = ["AmpLevel", "create_amp_strategy"]


class AmpLevel(Enum):
    AmpO0 = 0
    AmpO1 = 1
    AmpO2 = 2
    AmpO3 = 3
    AmpAuto = 4


def create_amp_strategy(level, dtype, white_list, black_list):
    """Not built: strategies are put on a Cell by ``amp.auto_mixed_precision`` here."""
    raise unsupported("mindspore._c_expression.amp.create_amp_strategy", "it is MindSpore's compiled core",
                      "amp.auto_mixed_precision(net, level, dtype).")
