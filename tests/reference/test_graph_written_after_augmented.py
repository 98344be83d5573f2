"""An element that is written after ``x += y`` in a graph: every name of the Tensor sees it, the caller's too;
but by a slice or a mask the name means a new Tensor.
"""
import mindspore as ms

from tests.reference.judge import case
from tests.reference.networks import t


def argument(x):
    x += 1
    x[0] = 5.0
    return x


def two_names(x):
    y = x * 2
    z = y
    z += x
    z[1] = 50.0
    return y, z


def named_later(x):
    y = x * 2
    y += x
    y[1] = 50.0
    z = y
    z[0] = 7.0
    return y, z


def named_before(x):
    y = x * 2
    z = y
    y += x
    z[1] = 50.0
    return y, z


def by_a_method(x):
    y = x * 2
    y.add_(x)
    z = y
    z[1] = 50.0
    return y, z


def in_a_loop(x):
    y = x * 2
    z = y
    for i in range(2):
        z += x
        z[i] = 50.0
    return y, z


def in_a_branch(x):
    y = x * 2
    z = y
    if x.sum() > 1:
        z += x
    z[0] = 50.0
    return y, z


def of_a_row(x):
    y = x.reshape(1, 2) * 2
    z = y
    z += x
    z[0][1] = 50.0
    z[0, 0] = 40.0
    return y, z


def a_row_and_a_column(x):
    y = x.reshape(1, 2) * 2
    z = y
    z += x
    z[0] = x
    z[0, :] = x * 5
    return y, z


def by_tensors(x):
    y = x * 2
    z = y
    z -= x
    z[ms.Tensor(1, ms.int32)] = 50.0
    z[[0]] = 40.0
    return y, z


def augmented_element(x):
    y = x * 2
    z = y
    z += x
    z[0] += 50.0
    return y, z


def by_a_slice(x):
    y = x * 2
    z = y
    z += x
    z[0:1] = 50.0
    return y, z


def by_a_mask(x):
    y = x * 2
    z = y
    z += x
    z[z > 5] = 50.0
    return y, z


def by_everything(x):
    y = x * 2
    z = y
    z += x
    z[...] = 50.0
    return y, z


def another_name_is_written(x):
    y = x * 2
    z = y
    z += x
    w = z
    y[0] = 50.0
    return y, z, w


WRITTEN = (argument, two_names, named_later, named_before, by_a_method, in_a_loop, in_a_branch, of_a_row,
           a_row_and_a_column, by_tensors, augmented_element, by_a_slice, by_a_mask, by_everything,
           another_name_is_written)


@case(each=[{"body": body} for body in WRITTEN], mode="GRAPH")
def test_an_element(body):
    x = t(1.0, 2.0)
    return ms.jit(body)(x), x
