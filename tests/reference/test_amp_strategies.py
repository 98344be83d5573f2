"""Strategies of mixed precision as MindSpore's compiled core keeps them."""

import mindspore as ms
from mindspore._c_expression.amp import (
    AmpLevel,
    create_amp_strategy,
    get_curr_amp_strategy,
    get_prim_cast_strategy_info,
    pop_amp_strategy,
    push_amp_strategy,
)

from tests.reference.judge import case

WHITE, BLACK = [("Abs", [0]), ("Conv2D", [0, 1])], [("LayerNorm", [0]), ("BatchNorm", [])]
LEVELS = ["AmpO0", "AmpO1", "AmpO2", "AmpO3", "AmpAuto"]


def told(strategy):
    if strategy is None:
        return None
    return (strategy.get_amp_level().name, str(strategy.get_amp_dtype()), strategy.get_white_list(),
            strategy.get_black_list())


@case(each={"level": LEVELS})
def test_what_is_cast(level):
    strategy = create_amp_strategy(getattr(AmpLevel, level), ms.bfloat16, WHITE, BLACK)
    found = [get_prim_cast_strategy_info(strategy, name) for name in
             ("Abs", "Conv2D", "LayerNorm", "BatchNorm", "Pad", "MatMul", "Concat", "AddN", "Dot")]
    return told(strategy), [(one.strategy.name, str(one.dtype), list(one.arg_pos)) for one in found]


@case
def test_entered_and_left():
    found = [told(get_curr_amp_strategy())]
    push_amp_strategy(AmpLevel.AmpAuto, ms.float16, WHITE, BLACK)
    push_amp_strategy(AmpLevel.AmpO1, ms.bfloat16, BLACK, WHITE)
    found.append(told(get_curr_amp_strategy()))
    for _ in range(3):
        pop_amp_strategy()
        found.append(told(get_curr_amp_strategy()))
    return found


@case(raises=True, each={"wrong": [(3, []), (AmpLevel.AmpAuto, ["a"])]})
def test_refused(wrong):
    return create_amp_strategy(wrong[0], ms.float16, wrong[1], [])
