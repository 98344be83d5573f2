"""Parts that a graph reads and writes: of Parameters, of Tensors outside of it, several in one statement."""
from collections import OrderedDict

import mindspore as ms
import numpy as np
from mindspore import nn, ops

from tests.reference.graphs import graph
from tests.reference.judge import case

OUTER = ms.Tensor([1.0, 1.0, 1.0])


# ---- what is read of a Parameter is a value


class Weights(nn.Cell):
    def __init__(self):
        super().__init__()
        self.w = ms.Parameter(ms.Tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]), name="w")


class Views(Weights):
    def construct(self, x):
        a, b, c, d = self.w.T, self.w.transpose(1, 0), ops.reshape(self.w, (3, 2)), ops.transpose(self.w, (1, 0))
        e, f, g, h = self.w.flatten(), ops.split(self.w, 1), self.w[0], self.w
        i = h[1]
        self.w[0, 0] = 50.0
        return a, b, c, d, e, f, g, i


class ItemThenSum(Weights):
    def construct(self, x):
        a, b = self.w[0], self.w.reshape(6, 1)
        self.w += x
        return a, b


class ItemBetweenAssigns(Weights):
    def construct(self, x):
        a = self.w[0]
        self.w = self.w * x
        b = self.w[0]
        self.lower(x)
        return a, b

    def lower(self, x):
        ops.assign_sub(self.w, self.w * x)


class ItemOfAMethod(Weights):
    def row(self):
        return self.w[0]

    def construct(self, x):
        a = self.row()
        self.w[0] = 7.0
        return a, self.row()


class Exchanged(Weights):
    def construct(self, x):
        self.w[0], self.w[1] = self.w[1], self.w[0]
        return self.w * 1


class PartsOfParts(Weights):
    def construct(self, x):
        a = self.w[0]
        self.w[0][1] = 5.0
        self.w[0][2] += 5.0
        self.w[1, 2] += 7.0
        self.w[1:][0] = 100.0
        self.w[:, 0] *= 3.0
        return self.w * 1, a, self.w.T


class BothAssigned(Weights):
    def __init__(self):
        super().__init__()
        self.b, self.n = ms.Parameter(ms.Tensor([[7.0] * 3] * 2), name="b"), 1

    def construct(self, x):
        self.w, self.b = self.b, self.w
        self.n, self.b = 5, self.b + x
        return self.w * 1, self.b * 1, self.n


@case(mode="GRAPH", each={"cell": [Views, ItemThenSum, ItemBetweenAssigns, ItemOfAMethod, Exchanged,
                                  PartsOfParts, BothAssigned]})
def test_of_parameters(cell):
    net = cell()
    return net(ms.Tensor([10.0, 20.0, 30.0])), net.w.asnumpy()


# ---- what a graph writes of what it sets in ``self`` is its own


class Queue(nn.Cell):
    def __init__(self):
        super().__init__()
        self.q = ms.Parameter(ms.Tensor(np.zeros((2, 3), np.float32)), name="q")
        self.place, self.state = 0, ms.Tensor([9.0, 9.0, 9.0])


class Columns(Queue):
    def construct(self, x):
        self.q[:, self.place : self.place + 1] = x[1]
        self.place = self.place + 1
        return self.q * 1


class Column(Queue):
    def construct(self, x):
        self.q[:, self.place] = x[1:]
        self.place = self.place + 1
        return self.q.T


class OfTheState(Queue):
    def construct(self, x):
        self.state = self.state + x
        self.q[0] = self.state
        self.q[1, 1] = self.state[0]
        return self.q * 1


class OfANumber(Queue):
    def construct(self, x):
        self.q[1] = x * self.place + 5.0
        self.q[0, 0] += x[1] * self.place + 5.0
        self.place += 1
        return self.q * 1


class BesideTheState(Queue):
    def construct(self, x):
        self.state = x * 3
        self.q[0] = x
        return self.q * 1


@case(mode="GRAPH", each={"cell": [Columns, Column, OfTheState, OfANumber, BesideTheState]})
def test_own_to_the_graph(cell):
    net, x = cell(), ms.Tensor([1.0, 2.0, 3.0])
    return net(x), net.q.asnumpy(), net(x), net.q.asnumpy()


class Step(nn.Cell):
    def __init__(self, net, optimizer):
        super().__init__()
        self.net, self.optimizer, self.weights = net, optimizer, net.trainable_params()
        self.grad = ops.GradOperation(get_by_list=True)

    def construct(self, x):
        before, flat = self.weights[0][0], self.weights[0].reshape(-1)
        self.optimizer(self.grad(self.net, self.weights)(x))
        return before, flat


@case(mode="GRAPH")
def test_before_the_optimizer():
    net = nn.Dense(3, 1, weight_init="ones", bias_init="zeros")
    return Step(net, nn.SGD(net.trainable_params(), 0.1))(ms.Tensor([[1.0, 2.0, 3.0]])), net.weight.asnumpy()


@case(mode="GRAPH")
def test_of_a_given_parameter():
    @ms.jit
    def run(p, x):
        a, b = p[0], p.reshape(3, 1)
        ops.assign_add(p, x)
        return a, b, p * 1

    weight = ms.Parameter(ms.Tensor([1.0, 2.0, 3.0]), name="weight")
    return run(weight, ms.Tensor([1.0, 2.0, 3.0])), weight.asnumpy()


# ---- Tensors outside of a graph stay as they are


class Buffer(nn.Cell):
    def __init__(self):
        super().__init__()
        self.buffer = ms.Tensor(np.zeros(3, np.float32))


class Written(Buffer):
    def construct(self, x):
        self.buffer[1:] = x[1:]
        y = self.buffer * 2
        self.buffer[0] = x[2]
        return y, self.buffer


class WrittenInALoop(Buffer):
    def construct(self, x):
        for i in range(3):
            self.buffer[i] = x[i] * i
        return self.buffer.sum(), self.buffer + x


class WrittenElsewhere(Buffer):
    def put(self, value):
        self.buffer[0] = value

    def construct(self, x):
        self.put(x[1])
        return self.buffer + x


class WrittenUnderACondition(Buffer):
    def construct(self, x):
        if x.sum() > 2:
            self.buffer[0] = x[0]
        return self.buffer + x


class AddedTo(Buffer):
    def construct(self, x):
        self.buffer[0] += x[1]
        self.buffer[0] += x[1]
        return self.buffer


class AssignedThenWritten(Buffer):
    def construct(self, x):
        self.buffer = self.buffer + x
        self.buffer[0] = 100.0
        return self.buffer


class WrittenThenAssigned(Buffer):
    def construct(self, x):
        self.buffer[0] = 100.0
        y = self.buffer * 1
        self.buffer[0] += 3.0
        self.buffer = self.buffer + x
        return y, self.buffer


class Outer(nn.Cell):
    def __init__(self, inner):
        super().__init__()
        self.inner = inner

    def construct(self, x):
        self.inner.buffer[0] = 5.0
        a = self.inner.w[0]
        self.inner.w[0] = 9.0
        return self.inner.buffer * 2, self.inner(x), a


class Inner(Buffer):
    def __init__(self):
        super().__init__()
        self.w = ms.Parameter(ms.Tensor([1.0, 2.0, 3.0]), name="w")

    def construct(self, x):
        return self.buffer + self.w * x


@case(mode="GRAPH")
def test_of_another_cell():
    net = Outer(Inner())
    return net(ms.Tensor([1.0, 2.0, 3.0])), net.inner.buffer, net.inner.w.asnumpy()


@case(mode="GRAPH", each={"cell": [Written, WrittenInALoop, WrittenElsewhere, WrittenUnderACondition, AddedTo,
                                  AssignedThenWritten, WrittenThenAssigned]})
def test_of_an_attribute(cell):
    net, x = cell(), ms.Tensor([1.0, 2.0, 3.0])
    return net(x), net(x), net.buffer


@case(mode="GRAPH")
def test_of_a_global():
    @ms.jit
    def run(x):
        OUTER[0] = 5
        y = x + OUTER
        OUTER[1] += 1
        return y, OUTER

    x = ms.Tensor([1.0, 2.0, 3.0])
    return run(x), run(x), OUTER


# ---- several places in one statement


@graph
def test_items_exchanged(x, m):
    x[0], x[1] = x[1], x[0]
    m[0], m[1] = m[1], m[0]
    x[2], y = 9, x[2]
    return x, m, y


@graph
def test_parts_of_what_is_made(m):
    r = m * 1
    r[0, 0], r[1, 1] = r[1, 1], r[0, 0]
    a = r[0]
    a[0], b = 5, a[0]
    return r, a, b


def exchanged(v):
    v[0], v[2] = v[2], v[0]
    return v


@graph
def test_in_a_function(x):
    return exchanged(x), x


@graph
def test_of_lists_and_dicts(x):
    items, named = [1, 2, 3], {"a": 1, "b": 2}
    items[0], items[1] = items[1], items[0]
    named["a"], named["b"] = named["b"], named["a"]
    (p, items[2]), q = (7, 8), 9
    return items, named, p, q


@graph
def test_parts_of_slices(m):
    items, r, named = [1, 2, 3], m * 1, {"a": m * 2}
    m[1:][0] = 7
    m[0:1][0][1] = 8
    m[1:][0] += 9
    m[1][1:] = 10
    items[1:][0] = 5
    r[1:][0], items[0] = 7, 6
    named["a"][1:][0] = 5
    return m, items, r, named


# ---- beside these


@case(mode="GRAPH")
def test_ordered_dicts_that_are_given():
    run = ms.jit(_changed)
    return [type(v).__name__ for v in run(OrderedDict(a=ms.Tensor([1.0]), b=1))]


def _changed(d):
    d["c"] = 1
    return d, {"k": d}


@graph
def test_none_and_truth_in_f_strings():
    return f"{None} {1 / 3} {True}", f"{1 / 3} {True}"


@graph
def test_copies_of_lists_and_dicts(x):
    named, items = {"l": [1, 2]}, [[1, 2], [3]]
    one, other = named.copy(), items.copy()
    one["l"].append(3)
    other[0].append(3)
    other[1][0] = 5
    other.append(4)
    return named, one, items, other


@graph(raises=True)
def test_the_item_of_several(x):
    return x.item()


@graph
def test_none_in_f_strings_that_are_printed(x):
    print(f"{None}", f"{x.shape[0]} {None} {2.5} {True}", f"{True and False} {1.0}")
    return x
