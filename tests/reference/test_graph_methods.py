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


class Nameless(nn.Cell):
    """The compiler binds what is called "self", nothing else."""

    def construct(this, x):
        return x + 1


class WithDefault(nn.Cell):
    def construct(this, x, y=2):
        return x + y


class Helped(nn.Cell):
    def helper(this, x):
        return x * 2

    def construct(self, x):
        return self.helper(x)


@case(raises="of the function is 2, but the number of provided arguments is 1.", mode="GRAPH",
      each={"of": [Nameless, Helped]})
def test_a_first_argument_of_another_name_is_not_the_cell(of):
    return of()(ms.Tensor([1.0]))


@case(raises=True, mode="GRAPH")
def test_beside_a_default_the_missing_argument_is_named():
    return WithDefault()(ms.Tensor([1.0]))


@case(each={"of": [Nameless, WithDefault, Helped]})
def test_outside_of_graphs_it_is(of):
    return of()(ms.Tensor([1.0]))


@case(mode="GRAPH")
def test_what_such_a_method_is_given_begins_with_its_first_argument():
    return WithDefault()(ms.Tensor([1.0]), ms.Tensor([1.0]))
