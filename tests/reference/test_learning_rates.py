"""Learning rates: schedules and lists, their formulas, arguments that raise."""

import mindspore as ms
from mindspore import Tensor, nn
from mindspore.nn.learning_rate_schedule import LearningRateSchedule

from tests.reference.judge import case

SCHEDULES = {
    "exponential": lambda: nn.ExponentialDecayLR(0.1, 0.9, 4),
    "exponential stair": lambda: nn.ExponentialDecayLR(0.1, 0.9, 4, is_stair=True),
    "natural": lambda: nn.NaturalExpDecayLR(0.1, 0.3, 4),
    "natural stair": lambda: nn.NaturalExpDecayLR(0.1, 0.3, 4, True),
    "inverse": lambda: nn.InverseDecayLR(0.1, 0.5, 4),
    "inverse stair": lambda: nn.InverseDecayLR(0.1, 0.5, 4, True),
    "cosine": lambda: nn.CosineDecayLR(0.01, 0.1, 10),
    "cosine to zero": lambda: nn.CosineDecayLR(0.0, 1.0, 7),
    "polynomial": lambda: nn.PolynomialDecayLR(0.1, 0.01, 10, 0.5),
    "polynomial on": lambda: nn.PolynomialDecayLR(0.1, 0.0, 5, 2.0, update_decay_steps=True),
    "warm up": lambda: nn.WarmUpLR(0.1, 4),
}


@case(each={"name": list(SCHEDULES)})
def test_schedule(name):
    schedule = SCHEDULES[name]()
    return [schedule(Tensor(step, ms.int32)) for step in (0, 1, 3, 4, 5, 9, 10, 11, 1000)]


@case(each={"name": list(SCHEDULES)}, mode="GRAPH")
def test_schedule_in_graph_mode(name):
    return SCHEDULES[name]()(Tensor(3, ms.int32))


@case(each={"name": list(SCHEDULES)})
def test_kinds_of_step(name):
    schedule = SCHEDULES[name]()
    return [schedule(step) for step in (Tensor([3], ms.int32), Tensor(3, ms.int64), Tensor([0.5]), 3, 3.0)]


class WarmThenCosine(LearningRateSchedule):
    """What model folders write: two schedules, chosen by the step."""

    def __init__(self):
        super().__init__()
        self.warm_steps = 3
        self.warm = nn.WarmUpLR(0.1, 3)
        self.cosine = nn.CosineDecayLR(0.001, 0.1, 8)

    def construct(self, global_step):
        if global_step < self.warm_steps:
            return self.warm(global_step)
        return self.cosine(global_step - self.warm_steps)


@case
def test_schedule_of_schedules():
    schedule = WarmThenCosine()
    return [schedule(Tensor(step, ms.int32)) for step in (0, 2, 3, 7, 20)], repr(nn.WarmUpLR(0.1, 3))


@case(raises=True)
def test_base_schedule():
    LearningRateSchedule()(Tensor(1))


LISTS = {
    "piecewise": lambda: nn.piecewise_constant_lr([2, 5, 10], [0.1, 0.05, 0.01]),
    "piecewise tuple": lambda: nn.piecewise_constant_lr((3,), (0.1,)),
    "exponential": lambda: nn.exponential_decay_lr(0.1, 0.9, 12, 2, 2),
    "exponential stair": lambda: nn.exponential_decay_lr(0.1, 0.9, 12, 2, 2, True),
    "natural": lambda: nn.natural_exp_decay_lr(0.1, 0.9, 12, 2, 2),
    "natural stair": lambda: nn.natural_exp_decay_lr(0.1, 0.9, 12, 2, 2, True),
    "inverse": lambda: nn.inverse_decay_lr(0.1, 0.5, 12, 2, 2),
    "inverse stair": lambda: nn.inverse_decay_lr(0.1, 0.5, 12, 2, 2, True),
    "cosine": lambda: nn.cosine_decay_lr(0.01, 0.1, 12, 2, 4),
    "polynomial": lambda: nn.polynomial_decay_lr(0.1, 0.01, 12, 2, 4, 0.5),
    "polynomial on": lambda: nn.polynomial_decay_lr(0.1, 0.01, 14, 2, 3, 2.0, update_decay_epoch=True),
    "warm up": lambda: nn.warmup_lr(0.1, 12, 2, 4),
}


@case(each={"name": list(LISTS)})
def test_list(name):
    return LISTS[name]()


BAD = {
    "steps": lambda: nn.ExponentialDecayLR(0.1, 0.9, 4.0),
    "no steps": lambda: nn.InverseDecayLR(0.1, 0.9, 0),
    "rate": lambda: nn.NaturalExpDecayLR(1, 0.9, 4),
    "negative rate": lambda: nn.ExponentialDecayLR(-0.1, 0.9, 4),
    "decay": lambda: nn.ExponentialDecayLR(0.1, "0.9", 4),
    "stair": lambda: nn.ExponentialDecayLR(0.1, 0.9, 4, 1),
    "cosine min": lambda: nn.CosineDecayLR(0, 0.1, 4),
    "cosine max": lambda: nn.CosineDecayLR(0.1, 0.1, 4),
    "cosine steps": lambda: nn.CosineDecayLR(0.0, 0.1, True),
    "polynomial end": lambda: nn.PolynomialDecayLR(0.1, 0, 4, 1.0),
    "polynomial power": lambda: nn.PolynomialDecayLR(0.1, 0.0, 4, 1),
    "polynomial rate": lambda: nn.PolynomialDecayLR(0.0, 0.0, 4, 1.0),
    "warm up": lambda: nn.WarmUpLR(1, 4),
    "warm up steps": lambda: nn.WarmUpLR(0.1, -4),
    "milestones": lambda: nn.piecewise_constant_lr([5, 2], [0.1, 0.2]),
    "milestone": lambda: nn.piecewise_constant_lr([0], [0.1]),
    "milestone type": lambda: nn.piecewise_constant_lr(5, [0.1]),
    "piecewise rates": lambda: nn.piecewise_constant_lr([5], [1]),
    "piecewise sizes": lambda: nn.piecewise_constant_lr([5], [0.1, 0.2]),
    "list steps": lambda: nn.exponential_decay_lr(0.1, 0.9, 1.0, 2, 2),
    "list rate": lambda: nn.exponential_decay_lr(1, 0.9, 4, 2, 2),
    "list stair": lambda: nn.inverse_decay_lr(0.1, 0.9, 4, 2, 2, 1),
    "list cosine": lambda: nn.cosine_decay_lr(0.2, 0.1, 4, 2, 2),
    "list cosine min": lambda: nn.cosine_decay_lr(0, 0.1, 4, 2, 2),
    "list polynomial": lambda: nn.polynomial_decay_lr(0.1, 0.0, 4, 2, 2, 1),
    "list warm up": lambda: nn.warmup_lr(-0.1, 4, 2, 2),
}


@case(each={"name": list(BAD)}, raises=True)
def test_bad_arguments(name):
    BAD[name]()


@case(each={"step": [1, [1], [1, 2]]})
def test_listed_rates_have_the_shape_of_the_step(step):
    weight = ms.Parameter(Tensor([1.0, 2.0]), name="w")
    return nn.Momentum([weight], [0.5, 0.25, 0.125], 0.9).learning_rate(Tensor(step, ms.int32))
