"""``x += y`` in a graph changes a Tensor under all its names; index writes make a new one under one name."""
import mindspore as ms
import numpy as np
from mindspore import nn, ops

from tests.reference.graphs import graph
from tests.reference.judge import case
from tests.reference.networks import t


def add(x):
    x += 1.5
    return x


def sub(x):
    x -= 1
    return x


def mul(x):
    x *= 3
    return x


def div(x):
    x /= 2
    return x


def floor_div(x):
    x //= 2
    return x


def mod(x):
    x %= 2
    return x


def power(x):
    x **= 2
    return x


@case(mode="GRAPH", each={
    "change": [add, sub, mul, div, floor_div, mod, power], "dtype": [np.float32, np.int32, np.float16, np.int8]})
def test_result_and_argument(change, dtype):
    x = ms.Tensor(np.array([3, 2], dtype))
    return ms.jit(change)(x), x


@graph
def test_alias(x):
    y = x
    y += 1.0
    return x, y


@graph
def test_alias_of_a_result(x):
    h = x * 2
    y = h
    y += h
    return h, y


@graph
def test_index_write_of_an_alias(x):
    h = x * 2
    y = h
    y[0] = 9.0
    return h, y


@graph
def test_part(m):
    v = m[0]
    v += 10.0
    return m, v


@graph
def test_reshaped(m):
    v = m.reshape(-1)
    v += 10.0
    return m, v


@graph
def test_viewed(m):
    v = m.view(-1)
    v -= 10.0
    return m, v


@graph
def test_element_of_a_list(x):
    a = [x, x * 2]
    b = a[0]
    b += 1.0
    return a[0], a[1], b


@graph
def test_two_names_of_a_tuple(x):
    y, z = (x, x)
    y -= 1.0
    return y * z


@graph(raises=True)
def test_more_axes(x, m):
    x += m
    return x


@graph(raises=True)
def test_longer_axes(m):
    h = m[:, :1]
    h += m
    return h


@graph
def test_numbers_and_tuples(x):
    n, pair = 0, (1, 2)
    n += 2
    n *= 3
    pair += (3,)
    return x * n, pair


@graph
def test_in_a_loop(x):
    for k in range(3):
        x += k
    return x


def _inner(x):
    x += 2.0
    return x


@graph
def test_in_a_function_that_is_called(x):
    _inner(x)
    return x


class Net(nn.Cell):
    """Changes its argument and what it computed."""

    def __init__(self):
        super().__init__()
        self.w = ms.Parameter(t([2.0, 3.0]), name="w")
        self.kept = t([1.0, 2.0])

    def construct(self, x):
        w = self.w * 1
        w += 1.0
        x += w
        return (w * x).sum()


class Constant(Net):
    def construct(self, x):
        kept = self.kept
        kept += 1.0
        return kept * x


class Weight(Net):
    def construct(self, x):
        w = self.w
        w += 1.0
        return (w * x).sum()


@case(mode="GRAPH", each={"kind": [Net, Constant, Weight]})
def test_cell(kind):
    net, x = kind(), t([1.0, 2.0])
    return net(x), net(x), net.w, net.kept, x


@case(mode="GRAPH")
def test_gradient():
    net, x = Net(), t([1.0, 2.0])
    return ms.value_and_grad(net, 0, net.trainable_params())(x), x


@case(mode="GRAPH")
def test_gradient_of_a_function():
    def body(x):
        y = ops.exp(x)
        y += x
        return (y * x).sum()

    x = t([1.0, 2.0])
    return ms.grad(body)(x), x


@case(mode="GRAPH")
def test_train_cell():
    net, x = Net(), t([1.0, 2.0])
    step = nn.TrainOneStepCell(net, nn.SGD(net.trainable_params(), 0.1))
    return [step(x) for _ in range(3)], net.w, x


@case(mode="PYNATIVE", each={"change": [add, mul]})
def test_pynative_leaves_the_argument(change):
    x = t([1.0, 2.0])
    y = x
    return change(x), x, y


# ---- what the caller's Tensor is after a graph that writes -------------------------------------------------


def part_of_a_view(x):
    x.view(-1)[0] = 9.0
    return x


def part_of_a_view_more(x):
    x.reshape(-1)[0] += 9.0
    return x


def part_of_a_part(x):
    x[0][1] = 9.0
    return x


def two_names(x):
    y = x
    y[0] = 9.0
    return x + y


def view_first(x):
    y = x.view(-1)
    x[0] = 9.0
    return y + x.view(-1)


def squeezed(x):
    y = ops.expand_dims(x, 0).squeeze(0)
    y[0] = 9.0
    y += 1.0
    return x + y


def swapped(x):
    y = x.swapaxes(0, 1)
    y += 1.0
    return y


def chunks(x):
    a, b = x.chunk(2, 0)
    a[0] = 9.0
    b += 1.0
    return a + b + x


def in_a_list(x):
    parts = [x, x]
    parts[0][0] = 9.0
    return x + parts[0] + parts[1]


def more_in_a_list(x):
    parts = [x, x * 2]
    parts[0] += 1.0
    parts[1][0] += 5.0
    return x + parts[0] + parts[1]


def in_a_tuple(x):
    both = (x, 1)
    both[0][0] = 9.0
    return x


def in_a_dict(x):
    both = {"a": x}
    both["a"][0] = 9.0
    return x


def by_a_loop(x):
    for i in range(2):
        x[i, 0] = 9.0
    return x


def by_a_loop_more(x):
    for _ in range(2):
        x += 1.0
    return x


def by_a_loop_of_tensors(x):
    while x.sum() < 20:
        x += 1.0
    return x


def by_a_branch(x):
    if x.sum() > 0:
        x[0] = 9.0
    return x


def by_a_branch_more(x):
    if x.sum() > 0:
        x += 1.0
    return x


def by_another_branch(x):
    if x.sum() < 0:
        x += 1.0
    return x


def poke(t):
    t[0] = 9.0
    return t


def grow(t):
    t += 1.0
    return t


def by_a_call(x):
    poke(x)
    return x


def by_a_call_more(x):
    grow(x)
    return x


def by_a_call_of_a_view(x):
    poke(x.view(-1))
    grow(x.view(-1))
    return x


def by_a_method(x):
    x.add_(1.0)
    return x * 2


def by_assign(x):
    x.copy_(ops.ones_like(x))
    return x * 2


@case(mode="GRAPH", each={"write": [
    part_of_a_view, part_of_a_view_more, part_of_a_part, two_names, view_first, squeezed, swapped, chunks, in_a_list,
    more_in_a_list, in_a_tuple, in_a_dict, by_a_loop, by_a_loop_more, by_a_loop_of_tensors, by_a_branch,
    by_a_branch_more, by_another_branch, by_a_call, by_a_call_more, by_a_call_of_a_view, by_a_method, by_assign]})
def test_the_callers_tensor(write):
    def made():
        return t([[1.0, 2.0], [3.0, 4.0]])

    class Inner(nn.Cell):
        def construct(self, x):
            return write(x)

    class Outer(nn.Cell):
        def __init__(self):
            super().__init__()
            self.inner = Inner()

        def construct(self, x):
            return self.inner(x)

    x, y, z = made(), made(), made()
    return ms.jit(write)(x), x, Outer()(y), y, ms.grad(Outer())(z), z


# ---- methods that write, on parts and views: functions that Cells of one class hold ------------------------


def add_to_a_view(x):
    x.view(-1).add_(1.0)
    return x


def add_to_a_row(x):
    x[0].add_(1.0)
    return x


def add_to_a_transpose(x):
    y = x.T
    y.add_(1.0)
    return x


def add_to_a_row_by_name(x):
    h = x * 1
    row = h[0]
    row.add_(t([1.0, 1.0]))
    return h + row


def add_to_the_whole(x):
    row = x[0]
    x.add_(1.0)
    return row + x


def add_in_a_tuple(x):
    both = (x, x)
    both[0].add_(t([[1.0, 1.0], [1.0, 1.0]]))
    return x


class Holding(nn.Cell):
    def __init__(self, write):
        super().__init__()
        self.write = write
        self.w = ms.Parameter(t([2.0, 3.0]), name="w")

    def construct(self, x):
        y = self.write(x)
        return (y * y * self.w).sum()


def forward_gradient_and_step(write):
    """What comes out, and what the caller's Tensor is then."""
    x, y, z = (t([[1.0, 2.0], [3.0, 4.0]]) for _ in range(3))
    net = Holding(write)
    train = nn.TrainOneStepCell(net, nn.SGD(net.trainable_params(), 0.1)).set_train()
    return net(x), x, ms.value_and_grad(net, 0, net.trainable_params())(y), y, train(z), z, net.w


@case(mode="GRAPH", each={"write": [add_to_a_view, add_to_a_row, add_to_a_transpose, add_to_a_row_by_name,
                                    add_to_the_whole, add_in_a_tuple, grow, part_of_a_part]})
def test_a_method_writes_what_it_is_called_on(write):
    return forward_gradient_and_step(write)


def assign_to_the_argument(x):
    ops.assign(x, x * 2)
    return x


def add_to_the_argument(x):
    ops.assign_add(x, x * 2)
    return x


def subtract_from_the_argument(x):
    ops.assign_sub(x, x * 3)
    return x


def assign_twice(x):
    ops.assign(x, x * 2)
    ops.assign(x, x + 1)
    return x


def assign_to_a_result(x):
    h = x * 1
    ops.assign(h, h * 3)
    return h


def what_assign_gives(x):
    return ops.assign(x, x * 3)


def assign_what_was_read(x):
    y = x * 2
    ops.assign(x, ops.zeros_like(x))
    return y + x


@case(mode="BOTH", each={"write": [
    assign_to_the_argument, add_to_the_argument, subtract_from_the_argument, assign_twice, assign_to_a_result,
    what_assign_gives, assign_what_was_read]})
def test_an_argument_that_is_assigned_to(write):
    return forward_gradient_and_step(write)


@case(mode="GRAPH", each={"how": ["sum", "method", "in a tuple", "in a dict"]})
def test_an_argument_that_changes_and_is_returned(how):
    """What one call returned is left alone by the next, which changes the argument again."""
    @ms.jit
    def changed(x):
        if how == "method":
            x.add_(1)
        else:
            x += 1
        if how == "in a tuple":
            return x, [x]
        return {"x": x} if how == "in a dict" else x
    x = ms.Tensor([1.0, 2.0])
    first = changed(x)
    return first, changed(x), x
