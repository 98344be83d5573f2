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


def squares():
    return ops.square(ms.Tensor(data((3, 4), seed=3)))


def written(change):
    t = squares()
    change(t)
    return t


def element_of_row(t):
    t[0] = t[0, 0]


def row_to_all(t):
    t[:] = t[1]


def element_in_row(t):
    t[0, 1:3] = t[0, 2]


def element_to_all(t):
    t[...] = t[1, 1]


def row_by_list(t):
    t[[0, 2]] = t[0]


def element_of_view(t):
    t.view(4, 3)[0] = t[0, 0]


def column_to_row(t):
    t[0] = t.T[0][:1]


def copied(t):
    t.copy_(t[0])


def itself(t):
    t[0:2] = t[0:2]


@case(each={"change": [element_of_row, row_to_all, element_in_row, element_to_all, row_by_list, element_of_view,
                       column_to_row, copied, itself]})
def test_a_part_of_itself(change):
    return written(change)
