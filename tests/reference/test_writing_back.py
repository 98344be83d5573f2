"""Element assignment to what was read from a Tensor, and to what operators gave: who sees it."""

import mindspore as ms
from mindspore import nn, ops

from tests.reference.judge import case, data

ROWS, COLUMNS = [0, 2], [1, 1]


class Chains(nn.Cell):
    def construct(self, x, i, j):
        a, b, c = x * 1, x * 1, x * 1
        a[i, j][:, 0] = 1.0
        b[i][j] = 2.0
        c[i][0][1] = 3.0
        return a, b, c


class Named(nn.Cell):
    def construct(self, x, i):
        x = x * 1
        part = x[i]
        part[0] = 2.0
        return x, part


@case(mode="BOTH")
def test_a_chain_of_indices_writes_into_the_first_tensor():
    return Chains()(ms.Tensor(data((3, 4, 1))), ms.Tensor(ROWS, ms.int32), ms.Tensor(COLUMNS, ms.int32))


@case(mode="BOTH")
def test_a_part_under_a_name_of_its_own_writes_back_in_pynative_alone():
    return Named()(ms.Tensor(data((3, 4))), ms.Tensor(ROWS, ms.int32))


@case
def test_longer_chains():
    i, j, k = ms.Tensor(ROWS, ms.int32), ms.Tensor(COLUMNS, ms.int32), ms.Tensor(data((3, 4, 1)))
    d, e, f = k * 1, k * 1, k * 1
    d[1:][i[:1]][0] = 4.0
    e[e > 0][0] = 5.0
    f[i, j][:, 0] += 6.0
    return d, e, f


@case
def test_a_part_writes_back_whole():
    i, x = ms.Tensor(ROWS, ms.int32), ms.Tensor(data((3, 4)))
    part = x[i]
    part[0] = 2.0
    x[0] = 9.0
    part[1, 0] = 4.0
    flat = x[i].view(-1)
    flat[0] = 7.0
    copied = x[i].copy()
    copied[0] = 8.0
    part += 1.0
    return x, part


@case
def test_gradients_flow_through_what_was_written_back():
    i = ms.Tensor(ROWS, ms.int32)

    def f(x):
        y = x * 1
        y[i][0] = 2 * y[1]
        y[1][i] = 5 * y[2, 0]
        return (y * y).sum()

    return ms.grad(f)(ms.Tensor(data((3, 4))))


@case(raises="Can not modify tensor id of input tensor")
def test_writing_into_a_view_of_what_is_differentiated():
    def f(x):
        y = x[0:2]
        y[0] = 1.0
        return y.sum()

    return ms.grad(f)(ms.Tensor(data((3, 4))))


NAMES = ["Identity", "stop_gradient", "dropout", "dropout2d", "reshape", "deepcopy", "nn.Identity"]


@case(each={"name": NAMES})
def test_who_shares_memory_with_its_input(name):
    x = ms.Tensor(data((1, 1, 2, 2)))
    give = {
        "Identity": ops.Identity(),
        "stop_gradient": ops.stop_gradient,
        "dropout": lambda x: ops.dropout(x, p=0.0),
        "dropout2d": lambda x: ops.dropout2d(x, p=0.0),
        "reshape": lambda x: ops.reshape(x, (1, 1, 2, 2)),
        "deepcopy": ops.deepcopy,
        "nn.Identity": nn.Identity(),
    }
    y = give[name](x)
    y[0, 0, 0, 0] = 5.0
    return x, y


@case(raises=True)
def test_identity_of_a_number():
    return ops.Identity()(5)
