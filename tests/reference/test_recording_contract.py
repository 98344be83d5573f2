"""When a forward pass is recorded, reused for the gradient, and dropped.

Programs write `loss = net(x)` and then `grad(net, weights)(x)`, and MindSpore runs the network once for both. How often it ran
is counted three ways: by a Python counter in construct (PyNative only: a graph runs no Python), by an `assign_add`
in construct, and by what a second run would change: BatchNorm statistics and dropout masks.
PyNative's backward pass mixes old and new values when something changes in between; GRAPH_MODE computes with what is there, and
is the judge of those cases.
"""
import mindspore as ms
import numpy as np
from mindspore import nn, ops

from tests.reference.judge import case, data


def t(*values):
    return ms.Tensor(np.array(values if len(values) > 1 else values[0], np.float32))


class Net(nn.Cell):
    """w * x * x, counting its runs in Python."""

    def __init__(self, w=3.0):
        super().__init__()
        self.w = ms.Parameter(t(w), name="w")
        self.runs = 0

    def construct(self, x):
        self.runs += 1
        return self.w * x * x


class Counting(nn.Cell):
    """w * x * x, counting its runs in a Parameter, which a graph can do too."""

    def __init__(self, w=3.0):
        super().__init__()
        self.w = ms.Parameter(t(w), name="w")
        self.count = ms.Parameter(t(0.0), name="count", requires_grad=False)

    def construct(self, x):
        ops.assign_add(self.count, t(1.0))
        return self.w * x * x


class Plain(nn.Cell):
    """w * x * x"""

    def __init__(self, w):
        super().__init__()
        self.w = ms.Parameter(t(w), name="w")

    def construct(self, x):
        return self.w * x * x


class Step(nn.Cell):
    """A user's train cell: forward, then gradients of the same call."""

    def __init__(self, network, set_grad=True):
        super().__init__(auto_prefix=False)
        self.network = network
        if set_grad:
            self.network.set_grad()
        self.weights = ms.ParameterTuple(network.trainable_params())
        self.grad = ops.GradOperation(get_all=True, get_by_list=True, sens_param=True)

    def construct(self, *inputs):
        loss = self.network(*inputs)
        sens = ops.ones_like(loss)
        return loss, self.grad(self.network, self.weights)(*inputs, sens)


class Normalised(nn.Cell):
    """BatchNorm with statistics that move all the way: a second update would show."""

    def __init__(self):
        super().__init__()
        self.bn = nn.BatchNorm1d(2, momentum=0.5)

    def construct(self, x):
        return (self.bn(x) * x).sum()


class Dropped(nn.Cell):
    """A loss whose gradient with respect to w is the dropped input itself."""

    def __init__(self):
        super().__init__()
        self.dropout = nn.Dropout(p=0.5)
        self.w = ms.Parameter(ms.Tensor(data((64,), seed=1)), name="w")

    def construct(self, x):
        return (self.dropout(x) * self.w).sum()


def sens():
    return t(1.0)


def now(tensor):
    """A copy: asnumpy shares memory, and weights move."""
    return tensor.asnumpy().copy()


def gradients(net):
    return ops.GradOperation(get_all=True, get_by_list=True, sens_param=True)(net, net.trainable_params())


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
    w = now(net.w)
    return bool(abs(float(now(loss)) - float((dw.asnumpy() * w).sum())) < 1e-4), bool((dw.asnumpy() == 0).any())


@case
def test_two_dropout_masks_without_set_grad():
    net = Dropped()
    step = Step(net, set_grad=False)
    step.set_train()
    loss, (_, (dw,)) = step(ms.Tensor(np.ones(64, np.float32)))
    return bool(abs(float(now(loss)) - float((dw.asnumpy() * now(net.w)).sum())) < 1e-4)


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


@case(judge="GRAPH", reason="PyNative keeps a recording per input for ever; here the next forward drops the last one")
def test_two_forwards_then_the_gradient_of_the_first():
    net = Counting()
    net.set_grad()
    a, b = t(2.0), t(5.0)
    return net(a), net(b), gradients(net)(a, sens()), now(net.count)


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


# something changes between the forward and the gradient

MIXED = "PyNative's backward pass mixes old and new values (36 where the new weights give 60)"


@case(judge="GRAPH", reason=MIXED, each={"by": ["set_data", "assign", "assign_value", "assign_add", "copy"]})
def test_a_weight_changed_in_between(by):
    net = Counting(3.0)
    net.set_grad()
    x = t(2.0)
    loss = net(x)
    if by == "set_data":
        net.w.set_data(t(15.0))
    elif by == "assign":
        ops.assign(net.w, t(15.0))
    elif by == "assign_value":
        net.w.assign_value(t(15.0))
    elif by == "assign_add":
        ops.assign_add(net.w, t(12.0))
    else:
        net.w[...] = 15.0
    return loss, ms.grad(net, 0, net.w)(x)


@case(judge="GRAPH", reason=MIXED)
def test_an_optimizer_step_in_between():
    net = Counting(3.0)
    net.set_grad()
    step = nn.SGD(net.trainable_params(), 1.0)
    x = t(2.0)
    loss = net(x)
    step((t(-12.0),))
    return loss, ms.grad(net, 0, net.w)(x)


@case(judge="GRAPH", reason=MIXED)
def test_an_input_changed_in_between():
    net = Counting(3.0)
    net.set_grad()
    x = t(2.0, 3.0)
    loss = net(x)
    x[0] = 10.0
    return loss, ms.grad(net, 0, net.w)(x)


class UpdatesInBetween(nn.Cell):
    """Forward, an update, and only then the gradient."""

    def __init__(self, network):
        super().__init__(auto_prefix=False)
        self.network = network
        self.network.set_grad()
        self.weights = ms.ParameterTuple(network.trainable_params())
        self.grad = ops.GradOperation(get_all=True, get_by_list=True)
        self.optimizer = nn.SGD(self.weights, 1.0)

    def construct(self, x):
        loss = self.network(x)
        loss = ops.depend(loss, self.optimizer((t(-12.0),)))
        return loss, self.grad(self.network, self.weights)(x)


class Twice(nn.Cell):
    """Updates the weights in the middle of a step."""

    def __init__(self, network):
        super().__init__(auto_prefix=False)
        self.network = network
        self.network.set_grad()
        self.weights = ms.ParameterTuple(network.trainable_params())
        self.grad = ops.GradOperation(get_all=True, get_by_list=True)
        self.optimizer = nn.SGD(self.weights, 1.0)

    def construct(self, x):
        first = self.network(x)
        grads = self.grad(self.network, self.weights)(x)
        first = ops.depend(first, self.optimizer((t(-12.0),)))
        second = self.network(x)
        return first, grads, second, self.grad(self.network, self.weights)(x)


@case(mode="GRAPH")
def test_an_update_between_forward_and_gradient_of_one_graph():
    """One graph shares the forward pass, so the gradient is that of the loss: 12, where two graphs give 60."""
    return UpdatesInBetween(Plain(3.0))(t(2.0))


@case(mode="BOTH")
def test_an_update_between_two_full_passes_of_one_step():
    return Twice(Plain(3.0))(t(2.0))


@case
def test_the_output_keeps_its_value_when_weights_change():
    net = Net()
    net.set_grad()
    x = t(2.0)
    loss = net(x)
    gradients(net)(x, sens())
    net.w.set_data(t(100.0))
    return loss


@case
def test_alternating_optimizers_as_gans_have_them():
    """The generator's loss runs through a discriminator whose weights move between the two steps."""
    generator, discriminator = Net(3.0), Net(0.5)

    class Through(nn.Cell):
        def __init__(self):
            super().__init__(auto_prefix=False)
            self.generator, self.discriminator = generator, discriminator

        def construct(self, x):
            return self.discriminator(self.generator(x))

    whole = Through()
    whole.set_grad()
    discriminator.set_grad()
    g_step = nn.SGD(generator.trainable_params(), 0.001)
    d_step = nn.SGD(discriminator.trainable_params(), 0.001)
    history = []
    for value in (1.0, 2.0):
        x = t(value)
        loss = discriminator(x)
        d_step(ms.grad(discriminator, None, discriminator.trainable_params())(x))
        both = whole(x)
        g_step(ms.grad(whole, None, generator.trainable_params())(x))
        history.append((loss, both, now(generator.w), now(discriminator.w)))
    return history


# evaluation, errors

@case
def test_evaluation_between_steps():
    net = Normalised()
    step = Step(net)
    step.set_train()
    x = ms.Tensor(data((4, 2)))
    first = step(x)
    net.set_train(False)
    evaluated = [net(x) for _ in range(3)]
    net.set_train(True)
    return first, evaluated, step(x), now(net.bn.moving_mean), now(net.bn.moving_variance)


@case
def test_gradient_after_evaluation_of_the_same_input():
    net = Net()
    net.set_grad()
    net.set_train(False)
    x = t(2.0)
    return net(x), gradients(net)(x, sens())


@case
def test_an_exception_in_the_forward_leaves_things_working():
    class Fails(nn.Cell):
        def __init__(self):
            super().__init__()
            self.w = ms.Parameter(t(3.0), name="w")
            self.broken = True

        def construct(self, x):
            y = self.w * x * x
            if self.broken:
                raise KeyError("mine")
            return y

    net = Fails()
    net.set_grad()
    x = t(2.0)
    try:
        net(x)
    except KeyError as error:
        seen = str(error)
    net.broken = False
    return seen, net(x)


@case
def test_outputs_are_plain_values():
    net = Net()
    net.set_grad()
    total = t(0.0)
    for value in (1.0, 2.0, 3.0):
        x = t(value)
        total += net(x)
        gradients(net)(x, sens())
    return total, net.runs


# the built-in train cells

class Regression(nn.Cell):
    def __init__(self):
        super().__init__()
        self.fc = nn.Dense(3, 1, weight_init=t([[2.0, 3.0, 4.0]]), has_bias=False)
        self.runs = 0

    def construct(self, x):
        self.runs += 1
        return self.fc(x)


@case
def test_train_one_step_cell_runs_once_a_step():
    net = Regression()
    step = nn.TrainOneStepCell(nn.WithLossCell(net, nn.MSELoss()), nn.SGD(net.trainable_params(), 0.1))
    step.set_train()
    x, y = t([[1.0, 2.0, 3.0]]), t([[19.0]])
    return [(step(x, y), now(net.fc.weight), net.runs) for _ in range(2)]


@case
def test_train_one_step_cell_with_sens():
    net = Regression()
    step = nn.TrainOneStepCell(nn.WithLossCell(net, nn.MSELoss()), nn.SGD(net.trainable_params(), 0.1), sens=2.0)
    return step(t([[1.0, 2.0, 3.0]]), t([[19.0]])), now(net.fc.weight), net.runs


@case(mode="BOTH")
def test_users_train_cell_of_the_gradient_guide():
    class Train(nn.Cell):
        def __init__(self, network, optimizer):
            super().__init__(auto_prefix=False)
            self.network = network
            self.network.set_grad()
            self.optimizer = optimizer
            self.weights = self.optimizer.parameters
            self.grad = ops.GradOperation(get_by_list=True)

        def construct(self, x, y):
            loss = self.network(x, y)
            grads = self.grad(self.network, self.weights)(x, y)
            self.optimizer(grads)
            return loss

    net = nn.Dense(3, 1, weight_init=t([[2.0, 3.0, 4.0]]), has_bias=False)
    step = Train(nn.WithLossCell(net, nn.MSELoss()), nn.SGD(net.trainable_params(), 0.1))
    x, y = t([[1.0, 2.0, 3.0]]), t([[19.0]])
    return [(step(x, y), now(net.weight)) for _ in range(2)]
