"""mindspore.experimental.optim: five steps of each, their state, groups, weight decay, schedulers."""

import mindspore as ms
import numpy as np
from mindspore import Parameter, Tensor, nn, ops
from mindspore.experimental import optim
from mindspore.experimental.optim import lr_scheduler

from tests.reference.judge import case
from tests.reference.optimizers import gradients, grouped, parameters, run, weights
from tests.reference.test_wrong_calls import said

PLAIN = {
    "SGD": lambda p, **k: optim.SGD(p, lr=0.1, **k),
    "SGD momentum": lambda p, **k: optim.SGD(p, lr=0.1, momentum=0.9, dampening=0.3, **k),
    "SGD nesterov": lambda p, **k: optim.SGD(p, lr=0.1, momentum=0.9, nesterov=True, **k),
    "Adam": lambda p, **k: optim.Adam(p, 0.1, **k),
    "Adam betas": lambda p, **k: optim.Adam(p, 0.1, (0.8, 0.9), 1e-2, **k),
    "Adam amsgrad": lambda p, **k: optim.Adam(p, 0.1, (0.9, 0.5), amsgrad=True, **k),
    "AdamW": lambda p, **k: optim.AdamW(p, 0.1, **k),
    "AdamW betas": lambda p, **k: optim.AdamW(p, 0.1, (0.8, 0.9), 1e-2, **k),
    "AdamW amsgrad": lambda p, **k: optim.AdamW(p, 0.1, (0.9, 0.5), amsgrad=True, **k),
    "Adadelta": lambda p, **k: optim.Adadelta(p, 0.5, 0.7, 1e-3, **k),
    "Adagrad": lambda p, **k: optim.Adagrad(p, 0.1, 0.2, initial_accumulator_value=0.1, **k),
    "Adamax": lambda p, **k: optim.Adamax(p, 0.1, eps=1e-2, **k),
    "ASGD": lambda p, **k: optim.ASGD(p, 0.1, 0.01, 0.6, **k),
    "ASGD averaging": lambda p, **k: optim.ASGD(p, 0.1, 0.01, 0.6, 2.0, **k),
    "NAdam": lambda p, **k: optim.NAdam(p, 0.1, momentum_decay=0.1, **k),
    "RAdam": lambda p, **k: optim.RAdam(p, 0.1, (0.9, 0.99), **k),
    "RMSprop": lambda p, **k: optim.RMSprop(p, 0.1, **k),
    "RMSprop momentum": lambda p, **k: optim.RMSprop(p, 0.1, 0.9, momentum=0.5, **k),
    "RMSprop centered": lambda p, **k: optim.RMSprop(p, 0.01, 0.9, 0.1, centered=True, **k),
    "Rprop": lambda p, **k: optim.Rprop(p, 0.1, (0.4, 1.5), (0.05, 0.12), **k),
}
KINDS = ["SGD momentum", "Adam", "AdamW", "Adadelta", "Adagrad", "Adamax", "ASGD", "NAdam", "RAdam",
         "RMSprop momentum", "Rprop"]
DECAYING = [k for k in KINDS if k != "Rprop"]


@case(each={"name": [n for n in PLAIN if n != "RAdam"]})
def test_five_steps(name):
    return run(PLAIN[name](parameters()))


@case(rtol=1e-5, reason="the rectification is computed in float32, where powers differ in the last digit")
def test_rectified_steps():
    return run(PLAIN["RAdam"](parameters()), 8)


@case(each={"name": ["AdamW", "NAdam", "RAdam"]})
def test_default_betas_over_the_length_that_radam_rectifies_from(name):
    """0.999 of 32 bits: 1 - beta, powers and the length of RAdam's mean, weights and states."""
    return run(getattr(optim, name)(parameters(), 0.1), 9)


@case(each={"name": DECAYING})
def test_weight_decay(name):
    return weights(PLAIN[name](parameters(), weight_decay=0.1), steps=3)


@case(each={"name": [k for k in KINDS if k not in ("NAdam", "RAdam")]})
def test_maximize(name):
    return weights(PLAIN[name](parameters(), maximize=True), steps=2)


@case(each={"name": KINDS})
def test_groups(name):
    decay = {} if name == "Rprop" else {"weight_decay": 0.2}
    optimizer = PLAIN[name](grouped(lr=0.01, **decay))
    return run(optimizer, 3), repr(optimizer), optimizer.group_start_id, [p.name for p in optimizer.lrs]


@case(each={"name": KINDS})
def test_changing_the_rate(name):
    optimizer = PLAIN[name](parameters())
    first = weights(optimizer, 1)
    ops.assign(optimizer.lrs[0], Tensor(0.01))
    second = weights(optimizer, 1)
    optimizer.param_groups[0]["lr"] = 0.2
    return first, second, weights(optimizer, 2)


class Plain(optim.Optimizer):
    """An optimizer as programs write it."""

    def __init__(self, params, lr):
        super().__init__(params, {"lr": lr})

    def construct(self, gradients):
        for number, group in enumerate(self.param_groups):
            start = self.group_start_id[number]
            for i, param in enumerate(group["params"]):
                ops.assign(param, param - gradients[start + i] * group["lr"])
        return True


@case
def test_a_group_more():
    optimizer = Plain(parameters(), 0.1)
    optimizer.add_param_group({"params": Parameter(Tensor([1.0, 2.0]), name="more"), "lr": 0.5})
    params = optimizer.parameters
    done = optimizer(gradients(params, 1))
    return done, [(p.name, np.array(p.asnumpy())) for p in params], repr(optimizer), type(params).__name__


@case(raises="The tuples in HyperMap should have the same length.")
def test_a_group_without_state():
    optimizer = optim.Adam(parameters(), 0.1)
    optimizer.add_param_group({"params": Parameter(Tensor([1.0, 2.0]), name="more")})
    optimizer(gradients(optimizer.parameters, 1))


REFUSED = {
    "rate": lambda: optim.Adam(parameters(), -0.1),
    "rate's kind": lambda: optim.SGD(parameters(), lr=[0.1]),
    "tensor rate": lambda: Plain(parameters(), Tensor([0.1])),
    "decay": lambda: optim.AdamW(parameters(), weight_decay=-1.0),
    "beta": lambda: optim.Adam(parameters(), betas=(0.9, 1.0)),
    "betas": lambda: optim.Adamax(parameters(), betas=(1.0, 0.9)),
    "epsilon": lambda: optim.Adagrad(parameters(), eps=0.0),
    "momentum": lambda: optim.SGD(parameters(), 0.1, momentum=-1.0),
    "nesterov": lambda: optim.SGD(parameters(), 0.1, nesterov=True),
    "etas": lambda: optim.Rprop(parameters(), etas=(0.5, 1.0)),
    "lambd": lambda: optim.ASGD(parameters(), lambd=1),
    "none": lambda: optim.SGD(None, 0.1),
    "empty": lambda: optim.SGD([], 0.1),
    "set": lambda: optim.SGD([{"params": set(parameters())}], 0.1),
    "shape": lambda: optim.Adam(parameters(), 0.1)(tuple(gradients(parameters(), 1)[::-1])),
}


@case(each={"what": [k for k in REFUSED if k != "shape"]}, raises=True)
def test_refused(what):
    REFUSED[what]()


@case(raises="the var_shape")
def test_a_gradient_of_another_shape():
    REFUSED["shape"]()


@case
def test_training_a_network():
    net = nn.Dense(4, 3, weight_init="ones")
    optimizer = optim.AdamW(net.trainable_params(), lr=0.05)
    schedule = lr_scheduler.StepLR(optimizer, 2, 0.5)
    x, y = Tensor([[1.0, 2, 3, 4]]), Tensor([[0.0, 1, 2]])

    def forward(x, y):
        return ops.mse_loss(net(x), y)

    step = ms.value_and_grad(forward, None, optimizer.parameters)
    losses = []
    for _ in range(5):
        loss, grads = step(x, y)
        optimizer(grads)
        schedule.step()
        losses.append(loss)
    return losses, schedule.get_last_lr(), net.weight.value()


# schedulers

def by_epoch(epoch):
    return 0.9 ** epoch


SCHEDULERS = {
    "StepLR": lambda o: lr_scheduler.StepLR(o, 2, 0.5),
    "LinearLR": lambda o: lr_scheduler.LinearLR(o, 0.25, 0.75, 4),
    "ExponentialLR": lambda o: lr_scheduler.ExponentialLR(o, 0.7),
    "PolynomialLR": lambda o: lr_scheduler.PolynomialLR(o, 4, 2.0),
    "ConstantLR": lambda o: lr_scheduler.ConstantLR(o, 0.25, 3),
    "MultiStepLR": lambda o: lr_scheduler.MultiStepLR(o, [2, 4, 4], 0.5),
    "LambdaLR": lambda o: lr_scheduler.LambdaLR(o, [by_epoch, lambda e: 1 / (e + 1)]),
    "MultiplicativeLR": lambda o: lr_scheduler.MultiplicativeLR(o, by_epoch),
    "CosineAnnealingLR": lambda o: lr_scheduler.CosineAnnealingLR(o, 3, 0.01),
    "CosineAnnealingWarmRestarts": lambda o: lr_scheduler.CosineAnnealingWarmRestarts(o, 2, 2, 0.01),
    "warm restarts": lambda o: lr_scheduler.CosineAnnealingWarmRestarts(o, 2, 1, 0.01),
    "CyclicLR": lambda o: lr_scheduler.CyclicLR(o, 0.01, 0.1, 2, 3),
    "CyclicLR triangular2": lambda o: lr_scheduler.CyclicLR(o, [0.01, 0.02], [0.1, 0.3], 2, mode="triangular2"),
    "CyclicLR exp_range": lambda o: lr_scheduler.CyclicLR(o, 0.01, 0.1, 2, mode="exp_range", gamma=0.9),
    "CyclicLR scale_fn": lambda o: lr_scheduler.CyclicLR(o, 0.01, 0.1, 2, scale_fn=lambda x: 0.5 ** x),
    "SequentialLR": lambda o: lr_scheduler.SequentialLR(
        o, [lr_scheduler.ConstantLR(o, 0.1, 2), lr_scheduler.ExponentialLR(o, 0.9)], [3]),
}


@case(each={"name": list(SCHEDULERS)}, rtol=0, atol=0, reason="rates are those of single precision, bit for bit")
def test_rates(name):
    optimizer = optim.SGD(grouped(lr=0.3), lr=0.1)
    schedule = SCHEDULERS[name](optimizer)
    rates = [schedule.get_last_lr()]
    for _ in range(8):
        schedule.step()
        rates.append(schedule.get_last_lr())
    return rates, schedule.last_epoch.value(), schedule.last_epoch.name


@case(each={"name": ["StepLR", "LinearLR", "ExponentialLR", "PolynomialLR", "ConstantLR", "CosineAnnealingLR",
                     "warm restarts", "MultiplicativeLR"]}, rtol=0, atol=0, reason="rates are those of single precision, bit for bit")
def test_going_to_an_epoch(name):
    optimizer = optim.SGD(grouped(lr=0.3), lr=0.1)
    schedule = SCHEDULERS[name](optimizer)
    rates = []
    for epoch in (3, 1, 7):
        schedule.step(epoch)
        rates.append([rate.value() for rate in optimizer.lrs])
    return rates


@case(each={"factor": [0.1, 0.7]}, rtol=0, atol=0, reason="rates are those of single precision, bit for bit")
def test_plateau_rounds_as_single_precision(factor):
    optimizer = optim.SGD(grouped(lr=0.3), lr=0.1)
    schedule = lr_scheduler.ReduceLROnPlateau(optimizer, factor=factor, patience=0)
    for _ in range(4):
        schedule.step(1.0)
    return schedule.get_last_lr()


@case(each={"mode": ["min", "max"], "threshold_mode": ["rel", "abs"]})
def test_plateau(mode, threshold_mode):
    optimizer = optim.SGD(grouped(lr=0.3), lr=0.1)
    schedule = lr_scheduler.ReduceLROnPlateau(optimizer, mode, 0.5, 1, 0.1, threshold_mode, 1, [0.0, 0.04])
    rates = []
    for metric in (1.0, 0.95, 1.05, 1.2, 1.0, 0.5, 0.9, 0.9, 0.8, 0.2):
        schedule.step(Tensor(metric))
        rates.append((schedule.get_last_lr(), schedule.best.value(), schedule.wait.value(),
                      schedule.cooldown_counter.value()))
    return rates, schedule.last_epoch.value(), schedule.in_cooldown()


class Halving(lr_scheduler.LRScheduler):
    """A scheduler as programs write it."""

    def get_lr(self):
        if self.last_epoch == 0:
            return [lr * 1.0 for lr in self._last_lr]
        return [lr * 0.5 for lr in self._last_lr]


@case
def test_a_scheduler_of_ones_own():
    optimizer = optim.Adam(parameters(), 0.1)
    schedule = Halving(optimizer)
    for _ in range(3):
        schedule.step()
    return schedule.get_last_lr(), schedule.base_lrs, schedule.groups_num


BAD = {
    "no optimizer": lambda: lr_scheduler.StepLR(nn.SGD(parameters()), 2),
    "gamma": lambda: lr_scheduler.StepLR(optim.SGD(parameters(), 0.1), 2, 1),
    "resume": lambda: lr_scheduler.StepLR(optim.SGD(parameters(), 0.1), 2, last_epoch=3),
    "epoch": lambda: lr_scheduler.StepLR(optim.SGD(parameters(), 0.1), 2, last_epoch=-2),
    "linear": lambda: lr_scheduler.LinearLR(optim.SGD(parameters(), 0.1), 2.0),
    "lambdas": lambda: lr_scheduler.LambdaLR(optim.SGD(parameters(), 0.1), [by_epoch, by_epoch]),
    "plateau": lambda: lr_scheduler.ReduceLROnPlateau(optim.SGD(parameters(), 0.1), "mean"),
    "restarts": lambda: lr_scheduler.CosineAnnealingWarmRestarts(optim.SGD(parameters(), 0.1), 0),
    "cycle": lambda: lr_scheduler.CyclicLR(optim.SGD(parameters(), 0.1), 0.1, 0.2, mode="round"),
    "milestones": lambda: lr_scheduler.SequentialLR(*_two()),
}


def _two():
    optimizer = optim.SGD(parameters(), 0.1)
    return optimizer, [lr_scheduler.ExponentialLR(optimizer, 0.9)], [1]


@case(each={"what": list(BAD)}, raises=True)
def test_refused_schedulers(what):
    BAD[what]()


@case(each={"made": ["StepLR", "CosineAnnealingLR"]})
def test_schedules_of_no_epoch(made):
    schedule = getattr(lr_scheduler, made)(optim.SGD(parameters(), lr=0.1), 0)
    found = []
    for _ in range(3):
        schedule.step()
        found.append([float(rate.asnumpy()) for rate in schedule.get_last_lr()])
    return found


@case
def test_what_an_optimizer_has_not_is_not_read_of_groups():
    one, two = parameters(shapes={"one": (2,), "two": (2,)})
    return run(optim.RAdam([{"params": [one], "maximize": True}, {"params": [two]}], lr=0.1), steps=3)


@case(each={"name": ["SGD", "Adam", "Adadelta", "ASGD"]})
def test_what_is_no_parameter_is_told_last(name):
    made, (one, *_) = getattr(optim, name), parameters()
    given = ("a", [1], [one, 1], {"a": 1}, [{"params": [1]}], Tensor([[1.0]]), [])
    return [said(made, (params,), {"lr": 0.1, **more}) for params in given for more in ({}, {"lr": -1.0}, {"lr": "a"}, {"weight_decay": -1.0})]


@case
def test_a_power_beyond_floats():
    return run(optim.ASGD(parameters(), lr=0.1, alpha=2 ** 31), steps=2)
