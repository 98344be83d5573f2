"""Operators over processes, in one process: a group of one. (The real ones need a launcher.)"""

import numpy as np
import pytest

import ms2torch as ms
from ms2torch import Tensor, ops

X = np.arange(6, dtype=np.float32).reshape(2, 3)


@pytest.mark.parametrize(
    "operator",
    [ops.AllReduce(), ops.AllReduce(ops.ReduceOp.MAX),
     ops.AllReduce(ops.ReduceOp.PROD, group="nccl_world_group"),
     ops.AllGather(), ops.ReduceScatter(ops.ReduceOp.SUM), ops.operations.AllReduce()],
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


def test_a_group_that_nobody_created():
    with pytest.raises(RuntimeError, match="The group a does not exist"):
        ops.AllReduce(group="a")(Tensor(X))


@pytest.mark.parametrize(
    ("make", "text"),
    [(lambda: ops.AllReduce(1), "For 'AllReduce', the 'op' must be str, but got int."),
     (lambda: ops.AllReduce(group=1), "For 'AllReduce', the 'group' must be str, but got int."),
     (lambda: ops.AllGather(group=1),
      "For 'AllGather', the type of 'group' should be 'str', but got type 'int'."),
     (lambda: ops.Broadcast("a"),
      "For 'Broadcast', the type of 'root_rank' should be 'int', but got type 'str'."),
     (lambda: ops.Broadcast(0)(Tensor(X)),
      "For primitive[Broadcast], the input[0] should be a Tuple, but got Tensor[Float32]."),
     (lambda: ops.Broadcast(0)([Tensor(X)]),
      "For primitive[Broadcast], the input[0] should be a Tuple, but got List[Tensor[Float32]].")],
)
def test_wrong_kinds_of_arguments_in_the_real_ones_words(make, text):
    with pytest.raises(TypeError) as error:
        make()
    assert str(error.value) == text
