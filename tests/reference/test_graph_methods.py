"""Methods of other Cells than the one under way, which a graph takes in as it does a ``construct``."""

import mindspore as ms
import numpy as np
from mindspore import nn

from tests.reference.judge import case


class Actor(nn.Cell):
    """What reinforcement learning keeps in a Cell: attributes, and methods that fill what they hold."""

    def __init__(self):
        super().__init__(auto_prefix=False)
        self.masks = ms.Tensor(np.zeros((3, 1), np.bool_))
        self.done = ms.Tensor([True])
        self.zero = ms.Tensor(np.zeros(3, np.float32))

    def act(self, place):
        masks = self.masks
        masks[place] = self.done
        return masks

    def count(self, values):
        total = self.zero
        total[0] = values.sum()
        for value in values:
            total[1:] = total[1:] + value
        return total

    def through(self, place):
        return self.act(place)


class Learner(nn.Cell):
    def __init__(self):
        super().__init__(auto_prefix=False)
        self.actor = Actor()
        self.act = self.actor.act           # kept under a name of its own

    @ms.jit
    def one(self, place):
        return self.actor.act(place)

    @ms.jit
    def other(self, place):
        return self.act(place)

    @ms.jit
    def further(self, place):
        return self.actor.through(place)

    @ms.jit
    def counted(self, values):
        return self.actor.count(values)


class Trainer:
    """No Cell itself."""

    def __init__(self):
        self.learner = Learner()

    @ms.jit
    def one(self, place):
        return self.learner.actor.act(place)

    @ms.jit
    def other(self, place):
        return self.learner.act(place)


def twice(call, actor, given):
    """What two calls give, and what the Cell holds after each."""
    return [(call(given).asnumpy(), actor.masks.asnumpy(), actor.zero.asnumpy()) for _ in range(2)]


@case(each={"way": ["one", "other", "further", "counted"]})
def test_a_method_of_a_child(way):
    net = Learner()
    given = ms.Tensor([1.0, 2.0, 4.0]) if way == "counted" else ms.Tensor(1)
    return twice(getattr(net, way), net.actor, given)


@case(each={"way": ["one", "other"]})
def test_a_method_that_a_trainer_calls(way):
    trainer = Trainer()
    return twice(getattr(trainer, way), trainer.learner.actor, ms.Tensor(2))


@case
def test_a_method_of_a_cell_outside():
    actor = Actor()

    @ms.jit
    def call(place):
        return actor.act(place)
    return twice(call, actor, ms.Tensor(0))
