"""In a graph: the words of axes, indices and calls that a Tensor or a function lacks."""
import functools

import mindspore as ms
import numpy as np
from mindspore import Tensor, nn, ops
from mindspore.ops import functional as F

from tests.reference.graphs import graph
from tests.reference.judge import case


@graph(raises=True)
def test_axis_of_mean(x):
    return x.mean(axis=2)


@graph(raises=True)
def test_axis_of_mean_as_a_function(x):
    return ops.mean(x, 2)


@graph(raises=True)
def test_axis_of_std(x):
    return x.std(2)


@graph(raises=True)
def test_axis_of_cumsum(x):
    return x.cumsum(2)


@graph(raises=True)
def test_axis_of_repeat_interleave(x):
    return ops.repeat_interleave(x, 2, 3)


@graph(raises=True)
def test_axis_of_stack(x):
    return ops.stack((x, x), axis=5)


@graph(raises=True)
def test_axis_of_the_stack_primitive(x):
    return ops.Stack(-4)((x, x))


@graph(raises=True)
def test_axis_of_expand_dims(x):
    return ops.expand_dims(x, 4)


@graph(raises=True)
def test_axis_of_expand_dims_of_a_matrix(m):
    return m.expand_dims(-5)


@graph(raises=True)
def test_axis_of_the_expand_dims_primitive(x):
    return ops.ExpandDims()(x, 4)


@graph(raises=True)
def test_axis_of_unsqueeze(x):
    return ops.unsqueeze(x, 4)


@graph(raises=True)
def test_axis_of_squeeze(m):
    return m.squeeze(3)


@graph(raises=True)
def test_axis_of_unbind(x):
    return ops.unbind(x, 3)


@graph(raises=True)
def test_axis_of_unstack(m):
    return ops.unstack(m, -4)


@graph(raises=True)
def test_index_that_is_a_float(x):
    return x[1.5]


@graph(raises=True)
def test_index_of_floats(x, y):
    return x[y]


@graph(raises=True)
def test_index_behind_a_new_axis(x):
    return x[None, 3]


@case(mode="GRAPH", raises=True)
def test_an_argument_that_lacks_beside_one_too_many():
    @ms.jit
    def f(a, b):
        return a + b

    return f(Tensor([1.0]), c=1)


@case(mode="GRAPH", raises=True)
def test_a_keyword_only_argument_that_lacks_beside_one_too_many():
    @ms.jit
    def f(a, *, k):
        return a + k

    return f(Tensor([1.0]), q=1)


@case(mode="GRAPH", raises="Function in output is not supported")
def test_partial_out():
    @ms.jit
    def f(x):
        return x, F.partial(ops.add, x)

    return f(Tensor([1.0]))


@case(mode="GRAPH", raises="Function in output is not supported")
def test_partial_of_functools_out():
    @ms.jit
    def f(x):
        return functools.partial(ops.add, x)

    return f(Tensor([1.0]))


@graph(raises=True)
def test_complex_number_written_out(x):
    return x * 1j


@case(mode="BOTH", each={"name": ["cells", "phase", "helper", "kept", "train", "type"]})
def test_child_named_as_something_of_the_class(name):
    class Net(nn.Cell):
        kept = None

        def helper(self):
            return self

    net = Net()
    net.plain = 1
    net.plain = nn.Dense(2, 2)
    try:
        setattr(net, name, nn.ReLU())
    except KeyError as error:
        return str(error)
    return np.array([name in dict(net.name_cells())])
