"""Optimizers and initialisers of a program's own, which translate gives a base at the file's head."""

import ast

import numpy as np
import pytest
import torch

import ms2torch as ms
from ms2torch.translate import translate_source
from ms2torch.translate.facts import Fact, Facts
from ms2torch.translate.translation import site_of
from tests.translate.test_rules import HEAD, assert_same, both

OWN_OPTIMIZER = """
from functools import partial
from mindspore import Parameter
from mindspore.nn.learning_rate_schedule import LearningRateSchedule

move = ops.MultitypeFuncGraph("move")


@move.register("Number", "Tensor", "Tensor", "Tensor", "Tensor")
def _move(keep, rate, weight, gradient, moment):
    ops.assign(moment, keep * moment + gradient)
    return ops.assign(weight, weight - rate * moment)


class Falling(LearningRateSchedule):
    def __init__(self, start):
        super().__init__()
        self.start = start

    def construct(self, global_step):
        return self.start / (1.0 + ops.cast(global_step, ms.float32))


class Own(nn.Optimizer):
    def __init__(self, params, learning_rate=0.1, keep=0.9, weight_decay=0.0, loss_scale=1.0):
        super(Own, self).__init__(learning_rate, params, weight_decay, loss_scale)
        self.keep = keep
        self.unused = P.Print()
        self.moments = self.parameters.clone(prefix="moments", init="zeros")

    def construct(self, gradients):
        gradients = self.scale_grad(self.decay_weight(self.flatten_gradients(gradients)))
        rates = self.get_lr()
        if not self.is_group_lr:
            rates = [rates] * len(self.parameters)
        self.assignadd(self.global_step, self.global_step_increase_tensor)
        return self.hyper_map(partial(move, self.keep), rates, self.parameters, gradients, self.moments)


layer, norm = nn.Dense(3, 2), nn.LayerNorm((2,))
p = layer.trainable_params() + norm.trainable_params()
optimizer = Own(%s)


def step(gradients):
    return optimizer(gradients)
"""


@pytest.mark.parametrize("given", [
    "p", "p, 0.1, weight_decay=0.1, loss_scale=8.0", "p, [0.3, 0.2, 0.1, 0.1]", "p, Falling(0.2), 0.5",
    "[{'params': p[:1], 'lr': 0.5, 'weight_decay': 0.2}, {'params': p[1:]}], Falling(0.3)",
])  # fmt: skip
def test_an_optimizer_of_the_programs_own(given):
    ours, theirs, translation = both(OWN_OPTIMIZER % given)
    assert [site for site in translation.sites if not site.settled] == []
    random = np.random.RandomState(4)
    pairs = list(zip(ours["p"], [*theirs["layer"].parameters(), *theirs["norm"].parameters()], strict=True))
    for mine, other in pairs:
        value = random.randn(*mine.shape).astype(np.float32)
        mine.set_data(ms.Tensor(value))
        other.data.copy_(torch.tensor(value))
    for _ in range(4):
        gradients = [random.randn(*mine.shape).astype(np.float32) for mine, _ in pairs]
        ours["step"](tuple(map(ms.Tensor, gradients)))
        theirs["step"](tuple(map(torch.tensor, gradients)))
    for mine, other in pairs:
        assert_same(mine.asnumpy(), other.numpy(force=True), given)


LION = """
import numpy as np
from mindspore import Tensor
from mindspore.nn.optim.optimizer import Optimizer, opt_init_args_register

move = ops.MultitypeFuncGraph("move")


@move.register("Tensor", "Tensor", "Tensor", "Tensor", "Tensor", "Bool")
def _move(rate, decay, weight, moment, gradient, decays):
    update = ops.sign(moment * 0.9 + gradient * 0.1)
    if decays:
        update = update + decay * weight
    ops.assign(weight, weight - rate * update)
    return ops.assign(moment, moment * 0.99 + gradient * 0.01)


class Lion(Optimizer):
    @opt_init_args_register
    def __init__(self, params, learning_rate=0.1, weight_decay=0.0):
        super().__init__(learning_rate, params, weight_decay)
        self.moments = self.parameters.clone(prefix="lion_m", init="zeros")
        self.hyper_map = ops.HyperMap()

    def construct(self, gradients):
        gradients = self.gradients_centralization(gradients)
        together = ops.partial(move, self.get_lr(), self.get_weight_decay())
        return self.hyper_map(together, self.parameters, self.moments, gradients, self.decay_flags)


layer, norm = nn.Dense(3, 2), nn.LayerNorm((2,))
p = layer.trainable_params() + norm.trainable_params()
optimizer = Lion(p, 0.05, 0.1)


def step(gradients):
    return optimizer(gradients)
"""


def test_an_optimizer_that_asks_its_base_what_decays():
    ours, theirs, translation = both(LION)
    assert [site for site in translation.sites if not site.settled] == []
    random = np.random.RandomState(5)
    pairs = list(zip(ours["p"], [*theirs["layer"].parameters(), *theirs["norm"].parameters()], strict=True))
    for mine, other in pairs:
        other.data.copy_(torch.tensor(mine.asnumpy()))
    for _ in range(3):
        gradients = [random.randn(*mine.shape).astype(np.float32) for mine, _ in pairs]
        ours["step"](tuple(map(ms.Tensor, gradients)))
        theirs["step"](tuple(map(torch.tensor, gradients)))
    for mine, other in pairs:
        assert_same(mine.asnumpy(), other.numpy(force=True), mine.name)


def test_an_initialiser_of_the_programs_own():
    ours, theirs, translation = both("""
from mindspore.common.initializer import Initializer, _assignment, _calculate_fan_in_and_fan_out


class Ramp(Initializer):
    def __init__(self, top=1.0):
        super().__init__()
        self.top = top

    def _initialize(self, arr):
        fan_in, fan_out = _calculate_fan_in_and_fan_out(arr.shape)
        _assignment(arr, np.linspace(0, self.top * fan_in / fan_out, arr.size).reshape(arr.shape))


conv = nn.Conv2d(2, 3, 2, weight_init=Ramp(2.0))
stack = nn.SequentialCell(nn.Dense(4, 3, weight_init=Ramp()), nn.ReLU())
alone = initializer(Ramp(), (3, 2), ms.float32)
""")
    assert [site for site in translation.sites if not site.settled] == []
    for name in ("conv.weight", "stack[0].weight", "alone"):
        mine, other = (eval(name, space) for space in (ours, theirs))
        mine = mine.init_data() if name == "alone" else mine
        assert_same(mine.asnumpy(), other.numpy(force=True), name)


def test_a_run_that_tells_an_optimizers_inherited_methods_changes_nothing():
    source = HEAD + OWN_OPTIMIZER % "p"
    facts = Facts()
    for node in ast.walk(ast.parse(source)):
        name = getattr(getattr(node, "func", None), "attr", "")
        if isinstance(node, ast.Call) and name in ("decay_weight", "scale_grad", "get_lr"):
            facts.add(site_of(node), Fact(f"mindspore.nn.Optimizer.{name}"))
    assert len(facts) == 3
    assert translate_source(source, facts=facts).text == translate_source(source).text


_COUNTING = """
import numpy as np
import mindspore as ms
from mindspore import Parameter, Tensor, nn


class Base(nn.Cell):
    def __init__(self):
        super().__init__()
        self.counter = Parameter(Tensor(0, ms.int32), name="counter", requires_grad=False)
        self.total = Parameter(Tensor(0.0), name="total", requires_grad=False)


class Net(Base):
    def __init__(self):
        super().__init__()
        self.w = Parameter(Tensor([1.0, 2.0]), name="w")

    def construct(self, x):
        self.counter += 1
        self.total = self.total + x.sum()
        self.w -= 0.5 * x
        return x * self.counter


net = Net()
net(Tensor([1.0, 3.0]))
found = [net(Tensor([1.0, 1.0])), net.counter.value(), net.total.value(), net.w.value()]
found = [np.array(x.asnumpy()).tolist() for x in found]
"""


def test_what_is_assigned_to_a_parameter_is_its_value():
    text = translate_source(_COUNTING).text
    lines = ("self.counter += 1", "self.total.data = self.total + x.sum()", "self.w.data -= 0.5 * x")
    assert all(f"        {line}\n" in text for line in lines) and "ms2torch" not in text
    there, here = {"__name__": "there"}, {"__name__": "here"}
    exec(text, there)
    exec(_COUNTING.replace("mindspore", "ms2torch"), here)
    assert there["found"] == here["found"] == [[2.0, 2.0], 2, 6.0, [0.0, 0.0]]
