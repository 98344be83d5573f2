"""When a forward pass is recorded, reused for the gradient, and dropped.

Programs write `loss = net(x)` and then `grad(net, weights)(x)`, and MindSpore runs the network once for both.
How often it ran is counted three ways: by a Python counter in construct (PyNative only: a graph has no
Python), by an `assign_add` in construct, and by what a second run would change: statistics and dropout masks.
"""
import mindspore as ms
import numpy as np
from mindspore import nn, ops

from tests.reference.judge import case, data
from tests.reference.networks import Counting, Dropped, Net, Normalised, Step, gradients, now, sens, t

# one forward for both

@case
def test_forward_then_gradient_runs_once():
    net = Net()
    net.set_grad()
    x = t(2.0)
    return net(x), gradients(net)(x, sens()), net.runs


@case
def test_without_set_grad_it_runs_twice():
    net = Net()
    x = t(2.0)
    return net(x), gradients(net)(x, sens()), net.runs


@case
def test_in_a_train_cell_it_runs_once():
    net = Net()
    step = Step(net)
    return step(t(2.0)), net.runs, step(t(4.0)), net.runs


@case
def test_in_a_train_cell_without_set_grad_it_runs_twice():
    net = Net()
    return Step(net, set_grad=False)(t(2.0)), net.runs


@case(each={"set_grad": [True, False]}, mode="GRAPH")
def test_graph_mode_counts_once_with_and_without_set_grad(set_grad):
    net = Counting()
    step = Step(net, set_grad)
    first = step(t(2.0)), now(net.count)
    return first, step(t(4.0)), now(net.count)


@case
def test_pynative_counts_once_in_a_parameter():
    net = Counting()
    step = Step(net)
    first = step(t(2.0)), now(net.count)
    return first, step(t(4.0)), now(net.count)


@case(mode="BOTH")
def test_batch_norm_statistics_move_once():
    net = Normalised()
    step = Step(net)
    step.set_train()
    out = step(ms.Tensor(data((4, 2))))
    return out, now(net.bn.moving_mean), now(net.bn.moving_variance)


@case
def test_batch_norm_statistics_move_twice_without_set_grad():
    net = Normalised()
    step = Step(net, set_grad=False)
    step.set_train()
    step(ms.Tensor(data((4, 2))))
    return now(net.bn.moving_mean), now(net.bn.moving_variance)


@case(mode="GRAPH")
def test_batch_norm_statistics_move_once_in_a_graph_without_set_grad():
    net = Normalised()
    step = Step(net, set_grad=False)
    step.set_train()
    step(ms.Tensor(data((4, 2))))
    return now(net.bn.moving_mean), now(net.bn.moving_variance)


@case(mode="BOTH")
def test_loss_and_gradient_share_the_dropout_mask():
    net = Dropped()
    step = Step(net)
    step.set_train()
    loss, (_, (dw,)) = step(ms.Tensor(np.ones(64, np.float32)))
    same = abs(float(now(loss)) - float((now(dw) * now(net.w)).sum())) < 1e-4
    return bool(same), bool((now(dw) == 0).any())


@case
def test_two_dropout_masks_without_set_grad():
    net = Dropped()
    step = Step(net, set_grad=False)
    step.set_train()
    loss, (_, (dw,)) = step(ms.Tensor(np.ones(64, np.float32)))
    return bool(abs(float(now(loss)) - float((now(dw) * now(net.w)).sum())) < 1e-4)


@case(mode="GRAPH")
def test_at_a_graph_s_top_gradients_are_another_graph_also_with_set_grad():
    ms.set_seed(1)
    net, dropped = Counting(), Dropped()
    found = []
    for each in (net, dropped):
        each.set_grad().set_train()
        x = ms.Tensor(data((64,)))
        found += [(each(x), ms.grad(each)(x)) for _ in range(2)]
    return found, now(net.count)


@case(each={"way": ["jit", "method", "functional"]}, mode="BOTH")
def test_a_marked_function_that_differentiates_runs_once(way):
    net, x = Counting().set_train(), t(2.0)
    make, weights = ops.GradOperation(get_by_list=True), ms.ParameterTuple(net.trainable_params())
    of_weights = ms.grad(net, None, weights)

    @ms.jit
    def step(x):
        return net(x), make(net, weights)(x)

    @ms.jit
    def functional_step(x):
        return net(x), of_weights(x)

    class Trainer:
        def __init__(self):
            self.net, self.make, self.weights = net, make, weights

        @ms.jit
        def step(self, x):
            return self.net(x), self.make(self.net, self.weights)(x)

    run = {"jit": step, "method": Trainer().step, "functional": functional_step}[way]
    return run(x), now(net.count), run(x), now(net.count)


@case(each={"gradients_of": [1, 2]}, mode="BOTH")
def test_a_network_that_a_graph_calls_twice_runs_again_for_gradients(gradients_of):
    class Two(Step):
        def construct(self, x, y):
            values = self.network(x), self.network(y)
            first = self.grad(self.network, self.weights)(x, sens())
            if gradients_of == 1:
                return values, first
            return values, first, self.grad(self.network, self.weights)(y, sens())

    net = Counting()
    return Two(net, set_grad=False)(t(2.0), t(4.0)), now(net.count)


@case(each={"factor": [2, 2.5, True]}, mode="GRAPH")
def test_a_constant_among_the_arguments_keeps_a_graph_s_gradient_apart(factor):
    class Scaled(Counting):
        def construct(self, x, factor):
            ops.assign_add(self.count, t(1.0))
            return self.w * x * factor

    net = Scaled()
    step = nn.TrainOneStepCell(net, nn.SGD(net.trainable_params(), 0.1))
    return step(t(2.0), factor), now(net.count), step(t(4.0), t(2.0)), now(net.count)


@case
def test_several_steps_run_once_each():
    net = Net()
    net.set_grad()
    counts, values = [], []
    for value in (2.0, 3.0, 4.0):
        x = t(value)
        values.append((net(x), gradients(net)(x, sens())))
        counts.append(net.runs)
    return counts, values


@case
def test_value_and_grad_after_a_forward():
    net = Net()
    net.set_grad()
    x = t(2.0)
    return net(x), ms.value_and_grad(net, 0, net.trainable_params())(x), net.runs


@case
def test_functional_grad_after_a_forward():
    net = Net()
    net.set_grad()
    x = t(2.0)
    return net(x), ms.grad(net, 0, net.trainable_params())(x), net.runs


@case
def test_value_and_grad_of_a_function_runs_once():
    net = Net()
    net.set_grad()

    def forward(x):
        return net(x)

    return ms.value_and_grad(forward, 0, net.trainable_params())(t(2.0)), net.runs


@case
def test_a_function_around_the_network_is_another_forward():
    net = Net()
    net.set_grad()

    def forward(x):
        return net(x)

    x = t(2.0)
    return net(x), ms.grad(forward, 0, net.trainable_params())(x), net.runs


# which call a recording answers

@case
def test_an_equal_copy_of_the_input_runs_again():
    net = Net()
    net.set_grad()
    return net(t(2.0)), gradients(net)(t(2.0), sens()), net.runs


@case
def test_another_input_runs_again():
    net = Net()
    net.set_grad()
    return net(t(2.0)), gradients(net)(t(5.0), sens()), net.runs


@case
def test_a_recording_serves_one_gradient():
    net = Net()
    net.set_grad()
    x = t(2.0)
    net(x)
    return gradients(net)(x, sens()), gradients(net)(x, sens()), net.runs


@case
def test_forward_after_the_gradient_runs():
    net = Net()
    net.set_grad()
    x = t(2.0)
    return net(x), gradients(net)(x, sens()), net(x), net.runs


@case
def test_two_forwards_then_the_gradient_of_the_second():
    net = Net()
    net.set_grad()
    a, b = t(2.0), t(5.0)
    return net(a), net(b), gradients(net)(b, sens()), net.runs


@case
def test_two_forwards_then_the_gradient_of_the_first():
    net = Net()
    net.set_grad()
    a, b = t(2.0), t(5.0)
    return net(a), net(b), gradients(net)(a, sens()), net.runs


class Scaled(nn.Cell):
    def __init__(self):
        super().__init__()
        self.w = ms.Parameter(t(3.0), name="w")
        self.runs = 0

    def construct(self, x, k):
        self.runs += 1
        return self.w * x * x * k


@case(each={"first": [2, 2.0], "second": [2, 3, 2.0]})
def test_scalars_among_the_arguments_count_by_value(first, second):
    net = Scaled()
    net.set_grad()
    x = t(2.0)
    return net(x, first), ms.grad(net, 0, net.trainable_params())(x, second)


@case
def test_tuples_among_the_arguments():
    class Pair(nn.Cell):
        def __init__(self):
            super().__init__()
            self.w = ms.Parameter(t(3.0), name="w")
            self.runs = 0

        def construct(self, x, pair):
            self.runs += 1
            return self.w * x * pair[0] * pair[0]

    net = Pair()
    net.set_grad()
    x, pair = t(2.0), (t(4.0), t(5.0))
    return net(x, pair), ms.grad(net, 0, net.trainable_params())(x, pair), net.runs


@case
def test_integer_inputs():
    class Picked(nn.Cell):
        def __init__(self):
            super().__init__()
            self.table = ms.Parameter(ms.Tensor(data((4, 2))), name="table")
            self.runs = 0

        def construct(self, index):
            self.runs += 1
            return (ops.gather(self.table, index, 0) ** 2).sum()

    net = Picked()
    net.set_grad()
    index = ms.Tensor([1, 1, 3], ms.int32)
    return net(index), ms.grad(net, None, net.trainable_params())(index), net.runs


@case
def test_some_weights_only():
    class Two(nn.Cell):
        def __init__(self):
            super().__init__()
            self.w = ms.Parameter(t(3.0), name="w")
            self.v = ms.Parameter(t(7.0), name="v")
            self.runs = 0

        def construct(self, x):
            self.runs += 1
            return self.w * x * x + self.v * x

    net = Two()
    net.set_grad()
    x = t(2.0)
    return net(x), ms.grad(net, None, net.v)(x), net.runs


@case
def test_an_inner_cell_called_directly():
    class Outer(nn.Cell):
        def __init__(self):
            super().__init__()
            self.inner = Net()

        def construct(self, x):
            return self.inner(x) * 2

    net = Outer()
    net.set_grad()
    x = t(2.0)
    return net(x), gradients(net)(x, sens()), net.inner.runs


@case
def test_two_networks_do_not_disturb_each_other():
    one, two = Net(3.0), Net(5.0)
    one.set_grad()
    two.set_grad()
    x = t(2.0)
    values = one(x), two(x)
    return values, gradients(one)(x, sens()), gradients(two)(x, sens()), one.runs, two.runs


@case
def test_set_grad_false_stops_recording():
    net = Net()
    net.set_grad()
    net.set_grad(False)
    x = t(2.0)
    return net(x), gradients(net)(x, sens()), net.runs


class Returning(Step):
    """A train cell that also hands out a Parameter that it counts in."""

    def __init__(self, net):
        super().__init__(net)
        self.steps = ms.Parameter(t(0.0), name="steps")

    def construct(self, x):
        out = super().construct(x)
        ops.assign_add(self.steps, t(1.0))
        return out, self.steps


@case(mode="GRAPH")
def test_a_graph_hands_out_parameters_as_tensors_of_their_last_values():
    step = Returning(Net())
    first = step(t(2.0))[1]
    step(t(2.0))
    return type(first).__name__, first


class Penalised(nn.Cell):
    """A loss whose construct differentiates its network, before or beside a plain call."""

    def __init__(self, network, beside):
        super().__init__()
        self.network, self.beside, self.gradient = network, beside, ops.GradOperation()

    def construct(self, x):
        slope = self.gradient(self.network)(x)
        return (slope * slope).sum() + (self.network(x) if self.beside else 0.0)


@case(each={"beside": [False, True]})
def test_a_loss_that_differentiates_runs_once(beside):
    net = Counting()
    loss = Penalised(net, beside)
    step = nn.TrainOneStepCell(loss, nn.SGD(loss.trainable_params(), 0.01))
    return [(step(t(2.0)), now(net.count)) for _ in range(2)], now(net.w)


@case(mode="GRAPH")
def test_a_loss_that_differentiates_runs_once_in_a_graph():
    net = Counting()
    loss = Penalised(net, False)
    step = nn.TrainOneStepCell(loss, nn.SGD(loss.trainable_params(), 0.01))
    return [(step(t(2.0)), now(net.count)) for _ in range(2)], now(net.w)
