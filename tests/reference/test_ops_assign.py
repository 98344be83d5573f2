"""Writing to Parameters inside networks, with and without gradients."""
import mindspore as ms
from mindspore import Parameter, Tensor, nn, ops

from tests.reference.judge import case, data


class Moving(nn.Cell):
    """w * x, keeping a moving mean of x and the rows that it saw last."""

    def __init__(self):
        super().__init__()
        self.w = Parameter(Tensor(data((3,))), name="w")
        self.mean = Parameter(Tensor(0.5, ms.float32), name="mean", requires_grad=False)
        self.steps = Parameter(Tensor(0, ms.int32), name="steps", requires_grad=False)
        self.table = Parameter(Tensor(data((4, 3))), name="table", requires_grad=False)
        self.one = Tensor(1, ms.int32)

    def construct(self, x):
        ops.assign_add(self.steps, self.one)
        ops.scatter_update(self.table, Tensor([1], ms.int32), x.reshape(1, 3))
        mean = ops.assign(self.mean, self.mean * 0.9 + x.mean() * 0.1)
        return (self.w * x * x).sum() + mean


@case(mode="BOTH")
def test_writes_in_construct_last():
    net = Moving()
    outputs = [net(Tensor(data((3,), seed=k))) for k in (1, 2)]
    return outputs, net.mean, net.steps, net.table


@case
def test_writes_in_construct_last_under_gradients():
    net = Moving()
    step = ms.value_and_grad(net, 0, (net.w,))
    results = [step(Tensor(data((3,), seed=k))) for k in (1, 2)]
    return results, net.mean, net.steps, net.table


@case
def test_the_old_value_is_kept_by_who_took_it():
    p = Parameter(Tensor(data((3,))), name="p")
    before = p.value()
    ops.assign(p, Tensor(data((3,), seed=1)))
    return before, p


@case
def test_a_difference_to_the_value_before():
    p = Parameter(Tensor(data((3,))), name="p")
    before = p.value()
    ops.assign_add(p, Tensor(data((3,), seed=1)))
    return p, before + 0


class Writing(nn.Cell):
    """Writes x * x into p; uses what the operator returns, or p afterwards."""

    def __init__(self, how, read):
        super().__init__()
        self.p = Parameter(Tensor([2.0, 3.0], ms.float32), name="p")
        self.first = Tensor([0], ms.int32)
        self.how, self.read = how, read

    def write(self, x):
        if self.how == "assign":
            return ops.assign(self.p, x)
        if self.how == "assign_add":
            return ops.assign_add(self.p, x)
        if self.how == "assign_sub":
            return ops.assign_sub(self.p, x)
        if self.how == "scatter_update":
            return ops.scatter_update(self.p, self.first, x[:1])
        return ops.index_add(self.p, self.first, x[:1], 0)

    def construct(self, x):
        written = self.write(x * x)
        if self.read == "parameter":
            return (self.p * self.p * x).sum()
        return (written * written * x).sum()


@case(each={"how": ["assign", "assign_add", "assign_sub", "scatter_update", "index_add"],
            "read": ["result", "parameter"]}, mode="BOTH")
def test_gradients_of_a_write(how, read):
    net = Writing(how, read)
    return ms.value_and_grad(net, 0, (net.p,))(Tensor([5.0, 7.0], ms.float32)), net.p
