"""How a network is to be quantised (``mindspore.compression.quant.quantizer``)."""

from __future__ import annotations

from abc import ABC, abstractmethod
from enum import Enum

from ms2torch._core.errors import unsupported


class OptimizeOption(Enum):
    """Ways to quantise: QAT learns with rounded numbers, LEARNED_SCALE learns ranges too."""

    QAT = "QAT"
    LEARNED_SCALE = "LEARNED_SCALE"

    def __str__(self) -> str:
        return self.value


class Quantizer(ABC):
    """Base of what turns a network into a quantised one. NotImplementedError for LEARNED_SCALE."""

    def __init__(self, optimize_option=OptimizeOption.QAT) -> None:
        options = optimize_option if isinstance(optimize_option, (list, tuple)) else [optimize_option]
        for option in options:
            if not isinstance(option, OptimizeOption):
                raise TypeError(
                    f"The type of arg 'optimize_option' should be OptimizeOption, but got {option!r}."
                )
        if OptimizeOption.LEARNED_SCALE in options:
            raise unsupported(
                "mindspore.compression.quant.OptimizeOption.LEARNED_SCALE",
                "ranges that are trained are not supported.",
                "OptimizeOption.QAT.",
            )
        self.optimize_option = options

    @abstractmethod
    def quantize(self, network):
        """The quantised network."""
