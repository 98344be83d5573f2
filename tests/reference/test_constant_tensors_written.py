"""Constant Tensors (of a Cell, global, in a closure) that a graph writes to by element: the function's own."""
import mindspore as ms
from mindspore import nn

from tests.reference.judge import case
from tests.reference.networks import t

GLOBAL = ms.Tensor([1.0, 2.0], ms.float32)


class Constant(nn.Cell):
    def __init__(self):
        super().__init__()
        self.c = t(2.0, 2.0)
        self.m = t([1.0, 1.0], [2.0, 2.0])


class TwoElements(Constant):
    def construct(self, x):
        self.c[0] = x[0]
        self.c[1] = self.c[0] * 2
        return self.c * x


class ReadElsewhere(Constant):
    def construct(self, x):
        self.c[0] = x[0]
        return self.product(x)

    def product(self, x):
        return self.c * x


class WrittenElsewhere(Constant):
    def construct(self, x):
        self.write(x)
        return self.c * x

    def write(self, x):
        self.c[0] = x[1]


class UnderAnotherName(Constant):
    def construct(self, x):
        before = self.c
        self.c[0] = 9.0
        return before * x, self.c * x


class RowOfRow(Constant):
    def construct(self, x):
        self.m[0][1] = x[0]
        return self.m * x


class Augmented(Constant):
    def construct(self, x):
        self.m[0, 1] += x[0]
        self.c[0] += 1.0
        return self.m * x * self.c


class InALoop(Constant):
    def construct(self, x):
        for i in range(2):
            self.c[i] = x[i] * i
        return self.c * x


class InABranch(Constant):
    def construct(self, x):
        if x[0] > 0:
            self.c[0] = x[1]
        return self.c * x


class Global(Constant):
    def construct(self, x):
        GLOBAL[0] = x[0] * 5.0
        return GLOBAL * x


class ByACounter(Constant):
    def __init__(self):
        super().__init__()
        self.k = 0

    def construct(self, x):
        self.c[self.k] = x[0]
        self.k = 1
        return self.c * x


KINDS = [TwoElements, ReadElsewhere, WrittenElsewhere, UnderAnotherName, RowOfRow, Augmented, InALoop, InABranch, Global]


@case(each={"kind": KINDS}, mode="GRAPH")
def test_what_a_graph_writes_to_a_constant_is_its_own(kind):
    net, x = kind(), t(1.0, 3.0)
    return net(x), net(x), ms.grad(net)(x), net.c, net.m, GLOBAL


@case(mode="BOTH")
def test_what_a_marked_function_writes_to_a_captured_tensor_is_its_own():
    captured, x = t(1.0, 2.0), t(1.0, 3.0)

    @ms.jit
    def written(x):
        before = captured
        captured[0] = x[1]
        return captured * x, before

    return written(x), written(x), captured


@case(mode="GRAPH")
def test_one_construct_writes_to_a_constant_here_and_a_parameter_there():
    constant, trained, x = TwoElements(), TwoElements(), t(1.0, 3.0)
    trained.c = ms.Parameter(t(3.0, 3.0), name="c")
    return constant(x), trained(x), constant(x), constant.c, trained.c


@case(mode="GRAPH")
def test_a_constant_written_by_what_construct_sets_is_written():
    net, x = ByACounter(), t(1.0, 3.0)
    return net(x), net(x), net.c
