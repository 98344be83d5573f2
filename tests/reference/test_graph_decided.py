"""Conditions on a Cell's attributes: which of them MindSpore decides before anything runs."""
import mindspore as ms
from mindspore import nn, ops

from tests.reference.graphs import INPUTS, graph
from tests.reference.judge import case


class Given(nn.Cell):
    def __init__(self):
        super().__init__()
        self.n = 2
        self.names = ["a"]
        self.empty = []
        self.text = "mean"
        self.cell = nn.ReLU()
        self.w = ms.Parameter(ms.Tensor([1.0]))
        self.shape = (1, 2)


class IfText(Given):
    def construct(self, x):
        if self.text == "mean":
            m = x
        return m


class IfIn(Given):
    def construct(self, x):
        if "a" in self.names:
            m = x
        return m


class IfLen(Given):
    def construct(self, x):
        if len(self.names) == 1:
            m = x
        return m


class IfList(Given):
    def construct(self, x):
        if self.names:
            m = x
        return m


class IfIndex(Given):
    def construct(self, x):
        if self.shape[0] == 1:
            m = x
        return m


class IfCell(Given):
    def construct(self, x):
        if self.cell is not None:
            m = x
        return m


class IfParameter(Given):
    def construct(self, x):
        if self.w is not None:
            m = x
        return m


class IfMixed(Given):
    def construct(self, x):
        if self.n == x.shape[0] - 1:
            m = x
        return m


class IfOr(Given):
    def construct(self, x):
        if self.n == 3 or self.text == "mean":
            m = x
        return m


class IfArithmetic(Given):
    def construct(self, x):
        if self.n + 1 == 3:
            m = x
        return m


class IfChained(Given):
    def construct(self, x):
        if 1 < self.n < 3:
            m = x
        return m


class IfTwoSelves(Given):
    def construct(self, x):
        if self.n == self.shape:
            m = x
        else:
            m = x + 1
        return m


class IfTraining(Given):
    def construct(self, x):
        if self.training:
            m = x
        if self.training:
            x = m
        return x


class IfElif(Given):
    def construct(self, x):
        if self.text == "sum":
            m = x
        elif self.text == "mean":
            m = x + 1
        return m


class IfGlobalNone(Given):
    def construct(self, x):
        k = self.n
        if k == 2:
            m = x
        return m


DECIDED = [IfText, IfCell, IfParameter, IfOr, IfTwoSelves, IfTraining, IfElif]
NOT_DECIDED = [IfIn, IfLen, IfList, IfIndex, IfMixed, IfArithmetic, IfChained, IfGlobalNone]


@case(mode="GRAPH", each={"kind": DECIDED})
def test_decided(kind):
    return kind()(INPUTS["x"]())


@case(mode="GRAPH", each={"kind": NOT_DECIDED}, raises=True)
def test_not_decided(kind):
    return kind()(INPUTS["x"]())
