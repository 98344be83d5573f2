"""Steps of optimizers: updates of float16 to the bit, groups whose rate is zero."""

import mindspore as ms
from mindspore import nn

from tests.reference.judge import case
from tests.reference.optimizers import parameters, run

HALVES = {
    "SGD": lambda p, decay: nn.SGD(p, 0.1, weight_decay=decay),
    "SGD momentum": lambda p, decay: nn.SGD(p, 0.1, momentum=0.9, weight_decay=decay),
    "SGD nesterov": lambda p, decay: nn.SGD(p, 0.1, momentum=0.9, nesterov=True, weight_decay=decay),
    "Momentum": lambda p, decay: nn.Momentum(p, 0.1, 0.9, weight_decay=decay),
}


@case(each={"name": list(HALVES), "decay": [0.0, 0.1]}, rtol=0, atol=0, reason="to the bit")
def test_an_update_of_float16_rounds_once(name, decay):
    return run(HALVES[name](parameters(ms.float16), decay), steps=3)


@case(each={"name": ["Momentum", "Adam"]})
def test_a_group_whose_rate_is_zero_rests(name):
    one, two = parameters(shapes={"one": (2,), "two": (2,)})
    groups = [{"params": [one], "lr": 0.0}, {"params": [two]}]
    return run(nn.Momentum(groups, 0.1, 0.9) if name == "Momentum" else nn.Adam(groups, 0.1), steps=2)


@case(each={"nesterov": [True, False]})
def test_the_largest_moment_looks_no_step_ahead(nesterov):
    return run(nn.Adam(parameters(), 0.1, 0.8, 0.9, 1e-3, use_nesterov=nesterov, use_amsgrad=True), steps=4)
