"""Operators over processes, in one process: a group of one. (The real ones need a launcher.)"""

import numpy as np
import pytest

import ms2torch as ms
from ms2torch import Tensor, ops

X = np.arange(6, dtype=np.float32).reshape(2, 3)


@pytest.mark.parametrize(
    "operator",
    [ops.AllReduce(), ops.AllReduce(ops.ReduceOp.MAX), ops.AllReduce(ops.ReduceOp.PROD, group="a"),
     ops.AllGather(), ops.ReduceScatter(ops.ReduceOp.SUM), ops.operations.AllReduce(), ops.Broadcast(0)],
    ids=str,
)
def test_a_group_of_one_gives_its_own_values_in_new_memory(operator):
    x = Tensor(X)
    out = operator(x)
    np.testing.assert_array_equal(out.asnumpy(), X)
    out[0, 0] = 9.0
    np.testing.assert_array_equal(x.asnumpy(), X)


def test_gradients_pass():
    gradient = ms.grad(lambda x: (ops.AllReduce()(x) * x).sum())(Tensor(X))
    np.testing.assert_array_equal(gradient.asnumpy(), 2 * X)


def test_broadcast_takes_a_tuple_and_the_only_rank():
    (out,) = ops.Broadcast(0)((Tensor(X),))
    np.testing.assert_array_equal(out.asnumpy(), X)
    with pytest.raises(ValueError, match="one process"):
        ops.Broadcast(1)((Tensor(X),))


def test_a_reduction_that_does_not_exist():
    with pytest.raises(RuntimeError, match="invalid reduction 'mean'"):
        ops.AllReduce("mean")(Tensor(X))
