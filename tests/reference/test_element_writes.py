"""Parameters written element by element while gradients are taken, and what of it is left."""
import mindspore as ms
from mindspore import nn, ops

from tests.reference.judge import case, data


class Bank(nn.Cell):
    """A bank that is read, written and read again."""

    def __init__(self, trains):
        super().__init__()
        self.w = ms.Parameter(ms.Tensor(data((2, 3), seed=1)), name="w")
        self.bank = ms.Parameter(ms.Tensor(data((2, 3), seed=5)), name="bank", requires_grad=trains)
        self.rows = ms.Tensor([1, 0], ms.int32)
        self.mask = ms.Tensor([[True, False, True], [False, True, False]])


class Row(Bank):
    def construct(self, x):
        before = (self.bank * 2.0 + self.w).sum()
        self.bank[0] = (self.w * x)[1]
        return before + (self.bank * self.bank).sum()


class Element(Bank):
    def construct(self, x):
        before = (self.bank * 2.0 + self.w).sum()
        self.bank[0, 1] = (self.w * x).sum()
        return before + (self.bank * self.bank).sum()


class Column(Bank):
    def construct(self, x):
        before = (self.bank * 2.0 + self.w).sum()
        self.bank[:, 0] = (self.w * x)[:, 1]
        return before + (self.bank * self.bank).sum()


class Rows(Bank):
    def construct(self, x):
        before = (self.bank * 2.0 + self.w).sum()
        self.bank[self.rows] = self.w * x
        return before + (self.bank * self.bank).sum()


class Slice(Bank):
    def construct(self, x):
        before = (self.bank * 2.0 + self.w).sum()
        self.bank[0:1] = (self.w * x)[0:1]
        return before + (self.bank * self.bank).sum()


class Whole(Bank):
    def construct(self, x):
        before = (self.bank * 2.0 + self.w).sum()
        self.bank[:] = self.w * x
        return before + (self.bank * self.bank).sum()


class Masked(Bank):
    def construct(self, x):
        before = (self.bank * 2.0 + self.w).sum()
        self.bank[self.mask] = 3.0
        return before + (self.bank * self.bank * self.w).sum()


class Scaled(Bank):
    def construct(self, x):
        before = (self.bank * 2.0 + self.w).sum()
        self.bank[1] *= 2.0
        return before + (self.bank * self.w * x).sum()


class ScaledSlice(Bank):
    def construct(self, x):
        before = (self.bank * 2.0 + self.w).sum()
        self.bank[1:] *= 2.0
        return before + (self.bank * self.w * x).sum()


class Unread(Bank):
    def construct(self, x):
        before = (self.bank + self.w * x).sum()
        self.bank[0:1] = ops.stop_gradient(self.w)[0:1]
        return before


KINDS = [Row, Element, Column, Rows, Slice, Whole, Masked, Scaled, ScaledSlice, Unread]


@case(each={"kind": KINDS}, mode="BOTH")
def test_the_write_is_not_differentiated(kind):
    """In a graph a slice or a mask makes a new value, which is differentiated and leaves the Parameter alone.
    """
    x, found = ms.Tensor(data((2, 3), seed=2)), []
    for trains in (True, False):
        net = kind(trains)
        ask = ms.value_and_grad(net, 0, [net.w, net.bank])
        found.append(([net(x), ask(x), ask(x)], net.bank))
    step = nn.TrainOneStepCell(net, nn.SGD(net.trainable_params(), 0.1))
    return found, [step(x), step(x)], net.w, net.bank
