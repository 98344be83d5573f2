"""``mindspore._c_expression.amp``: strategies of mixed precision, entered and left."""

from __future__ import annotations

import enum
from dataclasses import dataclass

from torch.overrides import TorchFunctionMode

from ms2torch._core.errors import unsupported
from ms2torch._core.operators import autocast
from ms2torch.common import dtype as _dtype

__all__ = ["AmpLevel", "AmpStrategy", "PrimCastStrategy", "PrimCastStrategyInfo", "create_amp_strategy",
           "get_curr_amp_strategy", "get_prim_cast_strategy_info", "pop_amp_strategy", "push_amp_strategy"]

_entered: list = []                                        # (strategy, what computes by it)
_WIDEST = {"AddN", "Addcdiv", "Addcmul", "BiasAdd", "Concat", "Cross", "Dot", "GridSampler2D",
           "GridSampler3D"}


_TAKES = """The following argument types are supported:
    1. (arg0: mindspore::amp::AmpLevel, arg1: mindspore._c_expression.typing.Type, arg2: list[tuple[str, \
list[int]]], arg3: list[tuple[str, list[int]]]) -> mindspore::amp::AmpStrategy"""


class AmpLevel(enum.Enum):
    """How much is cast."""

    AmpO0 = 0
    AmpO1 = 1
    AmpO2 = 2
    AmpO3 = 3
    AmpAuto = 4


class PrimCastStrategy(enum.Enum):
    """What a strategy does to an operator's inputs."""

    AmpIgnore = 0
    AmpDoCast = 1
    AmpSetDtype = 2
    AmpSetDtypeOpt = 3
    AmpAutoPromote = 4


@dataclass
class PrimCastStrategyInfo:
    """What is done to an operator's inputs: cast to ``dtype``, those at ``arg_pos``, all for none."""

    strategy: PrimCastStrategy = PrimCastStrategy.AmpIgnore
    dtype: object = _dtype.float32
    arg_pos: tuple | list = ()


class AmpStrategy:
    """A level, the low dtype, and the operators that compute in it or in Float32."""

    def __init__(self, level, dtype, white_list, black_list) -> None:
        self._level, self._dtype = level, dtype
        self._white, self._black = [list(map(_pair, given)) for given in (white_list, black_list)]

    def get_amp_level(self) -> AmpLevel:
        """The level."""
        return self._level

    def get_amp_dtype(self):
        """The low dtype."""
        return self._dtype

    def get_white_list(self) -> list:
        """What computes in the low dtype: pairs of an operator's name and the places of its arguments."""
        return self._white

    def get_black_list(self) -> list:
        """What computes in Float32: pairs of an operator's name and the places of its arguments."""
        return self._black

    def made(self):
        """What computes by it while it is entered."""
        from ms2torch.train import amp

        if self._level is AmpLevel.AmpO0:
            return autocast.autocast_off()
        ours = {name for text in (amp._AUTO_WHITE, amp._AUTO_BLACK) for name in text.split()}
        if self._level is AmpLevel.AmpAuto and {name for name, _ in (*self._white, *self._black)} == ours:
            return autocast.Autocast(self._dtype.torch)
        return _Refused()


class _Refused(TorchFunctionMode):
    def __torch_function__(self, func, types, args=(), kwargs=None):
        raise unsupported("mindspore._c_expression.amp.push_amp_strategy",
                          "nothing is computed by lists of a program's own, or by this level.",
                          "amp.auto_mixed_precision(net, level, dtype).")


def _pair(given) -> tuple:
    if not isinstance(given, (tuple, list)) or len(given) != 2 or not isinstance(given[0], str):
        raise ValueError(given)
    return given[0], list(given[1])


def create_amp_strategy(level, dtype, white_list, black_list) -> AmpStrategy:
    """A strategy: its lists are of pairs ``(name, places of arguments)``."""
    try:
        if not isinstance(level, AmpLevel):
            raise TypeError(level)
        return AmpStrategy(level, dtype, white_list, black_list)
    except (TypeError, ValueError):
        shown = ", ".join(map(repr, (level, dtype, white_list, black_list)))
        raise TypeError(f"create_amp_strategy(): incompatible function arguments. {_TAKES}\n\nInvoked with: "
                        f"{shown}") from None


def get_prim_cast_strategy_info(strategy, name) -> PrimCastStrategyInfo:
    """What a strategy does to the inputs of the operator of a name."""
    level, low = strategy.get_amp_level(), strategy.get_amp_dtype()
    white, black = dict(strategy.get_white_list()), dict(strategy.get_black_list())
    if level is AmpLevel.AmpO3 or (level is AmpLevel.AmpO2 and name not in black):
        return PrimCastStrategyInfo(PrimCastStrategy.AmpDoCast, low, [])
    if level in (AmpLevel.AmpO1, AmpLevel.AmpAuto) and name in white:
        return PrimCastStrategyInfo(PrimCastStrategy.AmpDoCast, low, white[name])
    if level in (AmpLevel.AmpO2, AmpLevel.AmpAuto) and name in black:
        return PrimCastStrategyInfo(PrimCastStrategy.AmpDoCast, _dtype.float32, black[name])
    if level is AmpLevel.AmpAuto and name in _WIDEST:
        return PrimCastStrategyInfo(PrimCastStrategy.AmpAutoPromote, _dtype.float32, [])
    return PrimCastStrategyInfo(arg_pos=[])


def push_amp_strategy(level, dtype, white_list, black_list) -> None:
    """Compute by this strategy until `pop_amp_strategy`.

    AmpO0 casts nothing, AmpAuto by MindSpore's own lists. Under other levels and lists a computation is a
    NotImplementedError.
    """
    strategy = create_amp_strategy(level, dtype, white_list, black_list)
    made = strategy.made()
    made.__enter__()
    _entered.append((strategy, made))


def get_curr_amp_strategy() -> AmpStrategy | None:
    """The strategy of the last `push_amp_strategy`."""
    return _entered[-1][0] if _entered else None


def pop_amp_strategy() -> None:
    """Compute as before the last `push_amp_strategy`."""
    if _entered:
        _entered.pop()[1].__exit__(None, None, None)
