"""What Parameters, described inputs and a Cell's own gradients take and refuse; who shares memory."""
import mindspore as ms
import numpy as np
from mindspore import nn, ops

from tests.reference.judge import case
from tests.reference.networks import t

CONTENTS = {
    "int": 3, "long": 2 ** 40, "float": 1.5, "ints": [1, 2], "bools": [True, False], "float64": np.float64(2.0),
    "array": np.array([1, 2], np.int16),
}
NO_CONTENTS = {
    "bool": True, "str": "a", "None": None, "tuple": (1, 2), "dict": {}, "complex": 1 + 2j, "bytes": b"a",
    "int64": np.int64(3),
}


@case(each={"kind": list(CONTENTS)})
def test_parameter(kind):
    return ms.Parameter(CONTENTS[kind]).value()


@case(each={"kind": list(NO_CONTENTS)}, raises=True)
def test_no_parameter(kind):
    return ms.Parameter(NO_CONTENTS[kind])


@case(each={"flag": ["requires_grad", "layerwise_parallel", "parallel_optimizer"], "later": [False, True]},
      raises=True)
def test_flags(flag, later):
    if later:
        return setattr(ms.Parameter(t([1.0])), flag, 1)
    return ms.Parameter(t([1.0]), **{flag: 1})


FLATTENINGS = {
    "ops": ops.flatten, "nn": lambda x: nn.Flatten()(x), "primitive": lambda x: ops.Flatten()(x),
    "method": lambda x: x.flatten(), "reshape": lambda x: x.reshape(-1),
}


@case(each={"by": list(FLATTENINGS)})
def test_who_shares_memory(by):
    x = t([[1.0, 2.0], [3.0, 4.0]])
    y = FLATTENINGS[by](x)
    x[0, 0] = 9.0
    return x, y


class Net(nn.Cell):
    def construct(self, x, y=None):
        return x * 2


def unknown(*shape):
    return ms.Tensor(shape=list(shape), dtype=ms.float32)


ROW = t([[1.0, 2.0]])
DESCRIBED = {
    "fits": ((unknown(None, 2),), (ROW,)),
    "rank": ((ms.Tensor(shape=None, dtype=ms.float32),), (ROW,)),
    "fixed": ((ROW,), (ROW,)),
    "size": ((unknown(None, 3),), (ROW,)),
    "axes": ((unknown(None),), (ROW,)),
    "dtype": ((unknown(None, 2),), (ms.Tensor([[1.0, 2.0]], ms.float16),)),
    "more": ((unknown(None, 2),), (ROW, ROW)),
    "fewer": ((unknown(None, 2), unknown(None)), (ROW,)),
    "number": ((unknown(None, 2),), (3.0,)),
    "constant": ((3,), (ROW,)),
}


def called(kind):
    net = Net()
    net.set_inputs(*DESCRIBED[kind][0])
    return net(*DESCRIBED[kind][1])


@case(each={"kind": ["fits", "rank", "fixed"]}, mode="GRAPH")
def test_described_inputs(kind):
    return called(kind)


@case(each={"kind": ["size", "axes", "dtype", "more", "fewer", "number", "constant"]}, mode="GRAPH", raises=True)
def test_other_inputs(kind):
    return called(kind)


@case(each={"kind": ["size", "dtype", "more", "number"]})
def test_pynative_does_not_look(kind):
    return called(kind)


def own(bprop):
    net = type("Own", (nn.Cell,), {"construct": lambda self, x, y: x * y, "bprop": bprop})()
    return ms.grad(net, (0, 1))(t([1.0, 2.0]), t([3.0, 4.0]))


@case(raises=True)
def test_bprop_gives_none():
    return own(lambda self, x, y, out, dout: None)


@case(raises=True)
def test_bprop_gives_text():
    return own(lambda self, x, y, out, dout: ("a", dout))


@case(raises=True)
def test_bprop_gives_numbers():
    return own(lambda self, x, y, out, dout: (1.0, 2.0))


class Short(nn.Cell):
    def construct(self, x, y):
        return x * y

    def bprop(self, x, y, dout):
        return dout, dout


class Single(Short):
    def bprop(self, *given):
        return given[-1], given[-1]


class Bare(Short):
    def bprop(self, x, y, out, dout):
        return dout


class More(Short):
    def bprop(self, x, y, out, dout):
        return dout, dout, dout


@case(each={"kind": [Short, Single, Bare]}, mode="GRAPH", raises="bprop")
def test_bprop_of_a_graph(kind):
    return ms.grad(kind(), (0, 1))(t([1.0, 2.0]), t([3.0, 4.0]))


class OfAParameter(Short):
    def __init__(self):
        super().__init__()
        self.weight = ms.Parameter(t(3.0), name="weight")

    def bprop(self, x, y, out, dout):
        return self.weight * dout, dout


@case(mode="GRAPH", raises="bprop")
def test_bprop_of_a_graph_reads_a_parameter():
    return ms.grad(OfAParameter(), (0, 1))(t([1.0, 2.0]), t([3.0, 4.0]))


class OfOneName(OfAParameter):
    def __init__(self):
        super().__init__()
        self.sum = ms.Parameter(t(3.0), name="sum")

    def bprop(self, x, y, out, dout):
        return dout.sum() * x, dout


@case(mode="GRAPH")
def test_bprop_of_a_graph_calls_what_a_parameter_is_called():
    return ms.grad(OfOneName(), (0, 1))(t([1.0, 2.0]), t([3.0, 4.0]))


@case(mode="GRAPH")
def test_bprop_of_a_graph_gives_more():
    return ms.grad(More(), (0, 1))(t([1.0, 2.0]), t([3.0, 4.0]))
