"""What the caller's Tensor is after a graph that wrote to it where another Tensor decides what is written."""
import mindspore as ms
from mindspore import nn, ops

from tests.reference.judge import case


def while_of_another(x, n):
    while n < 5:
        n = n + 1
        x += 1.0
    return x


def while_of_both(x, n):
    while n + x.sum() < 5:
        n = n + 1
        x += 1.0
    return x


def while_with_continue(x, n):
    while n < 5:
        n = n + 1
        if x > 1:
            x += 1.0
            continue
        x += 2.0
    return x


def read_before(x, n):
    m = x * 2
    while m < n + 5:
        m = m + 1
        x += 1.0
    return x


def written_before(x, n):
    x += 1.0
    while n < 5:
        n = n + 1
        x += 1.0
    return x


def written_after_a_while(x, n):
    while n < 5:
        n = n + 1
    x += 1.0
    return x + n


def written_after_an_if(x, n):
    if n < 5:
        n = n + 1
    x += 1.0
    return x + n


def written_in_an_if_and_after(x, n):
    if n < 5:
        x += 1.0
    x += 1.0
    return x + n


def shape_is_no_read(x, n):
    n = n + x.ndim
    if n < 5:
        x += 1.0
    return x


def second_while_reads(x, n):
    while n < 5:
        n = n + 1
        x += 1.0
    while x < 10:
        x += 1.0
    return x


def another_name(x, n):
    y = x
    if n < 5:
        y -= 1.0
    return x


def method_in_an_if(x, n):
    if n < 5:
        x.add_(1.0)
    return x


def assigned_in_an_if(x, n):
    if n < 5:
        ops.assign(x, x + 1)
    return x


def returned_early(x, n):
    if n < 5:
        x += 1.0
        return x
    x += 2.0
    return x


def in_a_for(x, n):
    for _ in range(3):
        if n < 5:
            n = n + 1
            x += 1.0
    return x


def after_a_constant_condition(x, n):
    if n.ndim == 0:
        x += 1.0
    return x


def in_a_function_inside(x, n):
    def inner(y):
        if n < 5:
            y += 1.0
        return y
    return inner(x)


@case(mode="GRAPH", each={"write": [
    while_of_another, while_of_both, while_with_continue, read_before, written_before, written_after_a_while,
    written_after_an_if, written_in_an_if_and_after, shape_is_no_read, second_while_reads, another_name,
    method_in_an_if, assigned_in_an_if, returned_early, in_a_for, after_a_constant_condition,
    in_a_function_inside]})
def test_the_callers_tensor_under_another(write):
    class Inner(nn.Cell):
        def construct(self, x, n):
            return write(x, n)

    class Outer(nn.Cell):
        def __init__(self):
            super().__init__()
            self.inner = Inner()

        def construct(self, x, n):
            return self.inner(x, n)

    def made():
        return ms.Tensor([-2.0], ms.float32)

    n, x, y, z = ms.Tensor(1.0), made(), made(), made()
    jitted = ms.jit(write)
    return jitted(x, n), x, jitted(x, n), x, Outer()(y, n), y, ms.grad(Outer())(z, n), z, n


@case(mode="GRAPH")
def test_a_loop_of_a_parameter_leaves_the_argument():
    class Net(nn.Cell):
        def __init__(self):
            super().__init__()
            self.loop = ms.Parameter(ms.Tensor(1, ms.float32), name="loop")

        def construct(self, x):
            while self.loop < 5:
                self.loop += 1
                if x > 1:
                    x += 1
                    continue
                x += 1
            return x

    net, x = Net(), ms.Tensor([-2.0], ms.float32)
    return net(x), x, net(x), x, net.loop.value()
