"""Conditions that a comment states, which a graph's compiler takes in their place."""
from mindspore import Tensor, jit, nn

from tests.reference.judge import case


@jit
def behind(x):
    if x == 7:  # @jit.cond: True
        return x + 1
    return x


@jit
def above(x):
    # @jit.cond: False
    if x == 2:
        return x + 1
    return x


@jit
def two_lines_above(x):
    # @jit.cond: False
    # of another kind
    if x == 2:
        return x + 1
    return x


@jit
def several_lines(x):
    if (x == 7 and  # @jit.cond: True
            x == 8):
        return x + 1
    return x


@jit
def within(x):
    if x == 2:  # @jit.cond: True
        y = x + 1
        # @jit.cond: False
        return y
    return x


@jit
def chained(x):
    if x == 7:
        return x + 1
    elif x == 8:  # @jit.cond: True
        return x + 2
    return x


@jit
def another_word(x):
    if x == 7:  # @jit.cond: true
        return x + 1
    return x


@jit
def loop(x):
    y = 0
    while x < 5:  # @jit.cond: False
        x = x + 1
        y = y + 1
    return y


class Net(nn.Cell):
    def construct(self, x):
        if x == 7:  # @jit.cond: True
            return x + 1
        return x


@case()
def test_stated_conditions():
    x = Tensor(2)
    functions = (behind, above, two_lines_above, several_lines, within, chained, another_word, loop)
    return [f(x) for f in functions], Net()(x), jit(Net())(x)
