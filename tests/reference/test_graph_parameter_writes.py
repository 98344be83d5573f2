"""Parameters that a graph writes after a slice of them, and under another name; numbers that it computes with."""
import mindspore as ms
import numpy as np
from mindspore import nn, ops

from tests.reference.graphs import graph
from tests.reference.judge import case


class Queue(nn.Cell):
    def __init__(self):
        super().__init__()
        self.q = ms.Parameter(ms.Tensor([1.0, 2.0, 3.0]), name="q")


class SliceThenAssignAdd(Queue):
    def construct(self, x):
        self.q[1:] = x[1:]
        return self.q * 2 + ops.assign_add(self.q, x)


class SliceThenTwo(Queue):
    def construct(self, x):
        self.q[1:] = x[1:]
        ops.assign_sub(self.q, x)
        ops.assign_add(self.q, x * 3)
        return self.q * 2


class SliceThenAssign(Queue):
    def construct(self, x):
        self.q[1:] = x[1:]
        ops.assign(self.q, x)
        return self.q * 2


class SliceThenSet(Queue):
    def construct(self, x):
        self.q[1:] = x[1:]
        self.q = x * 3
        return self.q * 2


class SliceThenProduct(Queue):
    def construct(self, x):
        self.q[1:] = x[1:]
        self.q *= x
        return self.q * 2


class SumThenSlice(Queue):
    def construct(self, x):
        self.q += x
        self.q[0:1] = x[0:1]
        return self.q * 2


class AnotherName(Queue):
    def construct(self, x):
        out = self.q
        out += x
        out *= x
        return out


class AnotherNameInALoop(Queue):
    def construct(self, x):
        out = self.q
        for _ in range(3):
            out += x
        return out * self.q


@case(mode="GRAPH", each={"cell": [SliceThenAssignAdd, SliceThenTwo, SliceThenAssign, SliceThenSet,
                                  SliceThenProduct, SumThenSlice, AnotherName, AnotherNameInALoop]})
def test_written(cell):
    """The result and the gradients of ``cell``, and its Parameter after either."""
    x, net, other = ms.Tensor([10.0, 20.0, 30.0]), cell(), cell()
    out = net(x)
    gradients = ms.grad(other, 0, other.trainable_params())(x)
    return type(out).__name__, out, net.q.asnumpy(), gradients, other.q.asnumpy()


@graph
def test_two_numbers():
    return [f(1, 2) for f in (ops.add, ops.sub, ops.mul, ops.div, ops.floor_div, ops.maximum)]


@graph
def test_a_number_and_a_float():
    return ops.add(1, 2.0), ops.div(1, 2.0), ops.div(1.0, 2.0), ops.div(True, 2), ops.add(True, 2)


@case(mode="GRAPH")
def test_scopes_of_what_is_recomputed():
    net = nn.SequentialCell(nn.Dense(2, 2), nn.SequentialCell(nn.ReLU(), nn.Dense(2, 2)))
    net[1].recompute()
    return [np.array([str(c.get_scope()), str(c.get_flags())]) for _, c in net.cells_and_names()]


class Keeps(nn.Cell):
    def __init__(self, dtype, shape):
        super().__init__()
        self.kept = ms.Parameter(ms.Tensor(np.ones(shape), dtype), name="kept")

    def construct(self, x):
        self.kept = x
        return self.kept * 1


@case(mode="GRAPH", each={"dtypes": [(ms.float32, ms.int32), (ms.float32, ms.float16), (ms.int64, ms.int32),
                                     (ms.float32, ms.bool_)]})
def test_what_a_parameter_takes(dtypes):
    net = Keeps(dtypes[0], (2,))
    return net(ms.Tensor([1, 0], dtypes[1])), net.kept.asnumpy()


@case(mode="GRAPH", raises=True, each={"dtypes": [(ms.float32, ms.float64), (ms.int32, ms.float32),
                                                  (ms.float16, ms.float32), (ms.bool_, ms.int64)]})
def test_dtypes_that_a_parameter_does_not_take(dtypes):
    return Keeps(dtypes[0], (2,))(ms.Tensor([1, 0], dtypes[1]))


@case(mode="GRAPH", raises=True, each={"shapes": [((2,), (3,)), ((2,), (1, 2)), ((2,), ()), ((1,), ()), ((), (1,))]})
def test_shapes_that_a_parameter_does_not_take(shapes):
    return Keeps(ms.float32, shapes[0])(ms.Tensor(np.ones(shapes[1]), ms.float32))


@case(mode="GRAPH", raises=True, each={"value": [None, [1.0, 2.0]]})
def test_what_a_parameter_does_not_take(value):
    return Keeps(ms.float32, (2,))(value)


@case(raises="its name 'same' already exists.", each={"where": ["names", "list", "called", "argument"]})
def test_two_parameters_of_one_name_in_a_graph(where):
    one, other = (ms.Parameter(ms.Tensor([v]), name="same") for v in (1.0, 2.0))
    both = [one, other]

    def inner():
        return other * 2

    def names():
        return one + other

    def of_list():
        return both[0] + both[1]

    def called():
        return one + inner()

    class Net(nn.Cell):
        def __init__(self):
            super().__init__()
            self.own = one

        @ms.jit
        def construct(self, x):
            return self.own + x
    if where == "argument":
        return Net()(other)
    return ms.jit({"names": names, "list": of_list, "called": called}[where])()


class HandsOut(Queue):
    def __init__(self, how):
        super().__init__()
        self.how = how
        self.both = ms.ParameterTuple([ms.Parameter(ms.Tensor([v]), name=f"p{v}") for v in (4.0, 5.0)])

    def construct(self, x):
        if self.how == "alone":
            return self.q
        if self.how == "in a tuple":
            return x, self.q
        if self.how == "in a list":
            return [self.q]
        if self.how == "in a dict":
            return {"q": self.q}
        if self.how == "all":
            return self.both
        self.q += x
        return self.q


def told(value):
    if isinstance(value, dict):
        return {k: told(v) for k, v in value.items()}
    if isinstance(value, (tuple, list)):
        return type(value).__name__, [told(v) for v in value]
    return type(value).__name__, value.asnumpy()


@case(mode="GRAPH", each={"how": ["in a tuple", "in a list", "in a dict", "all", "after a write"]})
def test_what_a_graph_hands_out_of_a_parameter(how):
    """The value at its end: what the Parameter becomes after it does not show."""
    net = HandsOut(how)
    before = net(ms.Tensor([1.0, 1.0, 1.0]))
    net.q.set_data(ms.Tensor([7.0, 8.0, 9.0]))
    return told(before), told(net(ms.Tensor([1.0, 1.0, 1.0])))


class PassesOn(Queue):
    def construct(self, x):
        mine = self.q
        return mine


@case(mode="GRAPH")
def test_a_graph_that_is_a_parameter():
    net = PassesOn()
    given = ms.Parameter(ms.Tensor([1.0]), name="given")

    @ms.jit
    def passed(x):
        return x
    return net(ms.Tensor([1.0])) is net.q, passed(given) is given


class Reads(Queue):
    def construct(self, x, of):
        if of == "name":
            return self.q.name
        if of == "in a condition":
            return x * 2 if self.q.requires_grad else x
        if of == "in a text":
            return f"{self.q.layerwise_parallel}"
        return [p.name for p in (self.q,)]


@case(mode="GRAPH", raises="is not supported in 'construct' or function with @jit decorator",
      each={"of": ["name", "in a condition", "in a text", "in a list"]})
def test_what_no_graph_reads_of_a_parameter(of):
    return Reads()(ms.Tensor([1.0]), of)


class Pointed(nn.Cell):
    def __init__(self, how):
        super().__init__()
        self.how, self.place, self.fixed = how, 0, 1
        self.rows = ms.Parameter(ms.Tensor(np.zeros((3, 2)), ms.float32), name="rows", requires_grad=False)

    def construct(self, x):
        if self.how == "an attribute":
            self.rows[self.place] = x
        if self.how == "a name for it":
            place = self.place
            self.rows[place] = x
        if self.how == "what follows from it":
            self.rows[self.place + 1] = x
        if self.how == "a part":
            self.rows[self.place, 0] = 5.0
        if self.how == "a sum":
            self.rows[self.place] += x
        if self.how == "one that stays":
            self.rows[self.fixed] = x
        self.place = (self.place + 1) % 2
        return self.rows * 2


@case(mode="GRAPH", each={"how": ["an attribute", "a name for it", "what follows from it", "a part", "a sum",
                                  "one that stays"]})
def test_parts_by_an_attribute_that_moves(how):
    """A row by an attribute that `construct` itself sets is the graph's own."""
    net = Pointed(how)
    first, second = net(ms.Tensor([1.0, 2.0])), net(ms.Tensor([3.0, 4.0]))
    return first, second, net.rows, net.place


class SetsThenAssigns(Queue):
    def construct(self, x):
        kept = x * 2
        self.q = kept
        ops.assign(self.q, x)
        return kept, self.q * 1


@case(mode="GRAPH")
def test_what_was_assigned_keeps_its_value():
    net = SetsThenAssigns()
    return net(ms.Tensor([1.0, 2.0, 3.0])), net.q
