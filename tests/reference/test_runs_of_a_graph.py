"""How often a network runs that one graph calls and differentiates: once where both are asked of the same
variables, else for the call and for each gradient.
"""
import mindspore as ms
from mindspore import nn, ops

from tests.reference.judge import case
from tests.reference.networks import now, t

OUTSIDE = t(1.0, 2.0)


class Counted(nn.Cell):
    """w * x, by the first of ``scales`` where there are some; counts its runs."""

    def __init__(self):
        super().__init__()
        self.w = ms.Parameter(t(1.0, 2.0), name="w")
        self.count = ms.Parameter(t(0.0), name="count", requires_grad=False)

    def construct(self, x, scales=None):
        ops.assign_add(self.count, t(1.0))
        h = x * self.w
        if scales is not None:
            h = h * scales[0]
        return h.sum()


class Asking(nn.Cell):
    """Calls its network and asks for the gradient of it by its weights."""

    def __init__(self, network):
        super().__init__()
        self.network, self.weights = network, ms.ParameterTuple(network.trainable_params())
        self.by_weights = ops.GradOperation(get_by_list=True)
        self.by_input = ops.GradOperation()
        self.pair, self.held = (t(2.0, 2.0), t(1.0, 1.0)), t(3.0, 4.0)


class Passed(Asking):
    def construct(self, x, scales):
        return self.network(x, scales), self.by_weights(self.network, self.weights)(x, scales)


class Written(Asking):
    def construct(self, x, scales):
        both = (x, x)
        if scales is None:
            return self.network(x, (x, x)), self.by_weights(self.network, self.weights)(x, (x, x))
        return self.network(x, both), self.by_weights(self.network, self.weights)(x, both)


class OfItems(Asking):
    def construct(self, x, scales):
        return self.network(scales[0]), self.by_weights(self.network, self.weights)(scales[0])


class Held(Asking):
    def construct(self, x, scales):
        return self.network(self.held), self.by_weights(self.network, self.weights)(self.held)


class HeldPair(Asking):
    def construct(self, x, scales):
        return self.network(x, self.pair), self.by_weights(self.network, self.weights)(x, self.pair)


class Global(Asking):
    def construct(self, x, scales):
        return self.network(OUTSIDE), self.by_weights(self.network, self.weights)(OUTSIDE)


class Twice(Asking):
    def construct(self, x, scales):
        return (self.network(x), self.by_input(self.network)(x), self.by_weights(self.network, self.weights)(x))


class TwiceOtherwise(Asking):
    def construct(self, x, scales):
        slope = ops.grad(self.network)(x, scales)
        return self.network(x, scales), slope, self.by_weights(self.network, self.weights)(x, scales)


@case(each=[{"asking": c} for c in (Passed, Written, OfItems, Held, HeldPair, Global, Twice, TwiceOtherwise)],
      mode="GRAPH")
def test_beside_a_tuple_from_outside(asking):
    net = Counted()
    asked = asking(net)
    return [(asked(t(1.0, 2.0), (t(3.0, 4.0), t(1.0, 1.0))), now(net.count)) for _ in range(2)]


@case(each=[{"asking": c} for c in (Passed, Written, TwiceOtherwise)], mode="GRAPH")
def test_without_one(asking):
    net = Counted()
    asked = asking(net)
    return [(asked(t(1.0, 2.0), None), now(net.count)) for _ in range(2)]


@case(each={"made": [tuple, list]}, mode="GRAPH")
def test_with_what_is_mutable(made):
    net = Counted()
    asked = Passed(net)
    scales = ms.mutable(made((t(3.0, 4.0), t(1.0, 1.0))))
    return [(asked(t(1.0, 2.0), scales), now(net.count)) for _ in range(2)]


@case(each={"made": [tuple, list, ms.mutable]}, mode="BOTH")
def test_a_train_cell(made):
    net = Counted()
    step = nn.TrainOneStepCell(net, nn.SGD(net.trainable_params(), 0.1))
    return [(step(t(1.0, 2.0), made((t(3.0, 4.0),))), now(net.count)) for _ in range(2)]


@case(mode="GRAPH")
def test_a_function_over_a_tensor_from_outside():
    net, held = Counted(), t(1.0, 2.0)
    weights, by_weights = ms.ParameterTuple(net.trainable_params()), ops.GradOperation(get_by_list=True)

    @ms.jit
    def asked(x):
        return net(held) + net(x), by_weights(net, weights)(held)

    return [(asked(t(3.0, 4.0)), now(net.count)) for _ in range(2)]


class Adversaries(nn.Cell):
    """Two networks, each called and differentiated once."""

    def __init__(self, one, other):
        super().__init__()
        self.one, self.other, self.gradient = one, other, ops.GradOperation(get_by_list=True)
        self.of_one, self.of_other = (ms.ParameterTuple(net.trainable_params()) for net in (one, other))

    def construct(self, x):
        first, slope = self.one(x), self.gradient(self.one, self.of_one)(x)
        second, other_slope = self.other(x), self.gradient(self.other, self.of_other)(x)
        return first, slope, second, other_slope


@case(mode="BOTH")
def test_two_networks():
    one, other = Counted(), Counted()
    asked = Adversaries(one, other)
    return [(asked(t(1.0, 2.0)), now(one.count), now(other.count)) for _ in range(2)]
