"""How deeply nested lists and tuples may be that a graph hands out, and what joins sparse tensors."""

import mindspore as ms
from mindspore import ops

from tests.reference.judge import case


@ms.jit
def six():
    return [[[[[(8,)]]]]], 1 == 2


@ms.jit
def six_alone():
    return [[[[[(8,)]]]]]


@ms.jit
def inside():
    made = [[[[[[[8]]]]]]]
    made[0][0][0][0][0][0][0] = 9
    return made[0]


@ms.jit
def seven():
    made = ([1], [[[[[[9]]]]]])
    return made


@ms.jit
def passed(x):
    return x


@ms.jit
def in_dicts():
    return {"a": [[[[[[[1]]]]]]]}, [[[{"a": [[[[1]]]]}]]]


@ms.jit
def around(x):
    return [[[[[[[x]]]]]]]


@ms.jit
def beside(x):
    return x, [[[[[[1]]]]]], ((((((x,),),),),))


@case
def test_as_deep_as_may_be():
    return six_alone(), inside(), in_dicts(), beside(ms.Tensor(1)), passed([[[[[[1]]]]]])


@case(raises=True, each={"function": [six, seven]})
def test_deeper_constants(function):
    function()


@case(raises=True, each={"given": [[[[[[[[1]]]]]]], ((((((((1,),),),),),),),)]})
def test_deeper_arguments(given):
    passed(given)


@case(raises=True)
def test_deeper_tensors():
    around(ms.Tensor(1))


def _sparse(dtype, shape):
    return ms.COOTensor(ms.Tensor([[0, 1], [0, 2]]), ms.Tensor([1, 2], dtype), shape)


@case(raises=True, mode="BOTH", each={"other": ["float32", "int64"]})
def test_sparse_tensors_of_two_dtypes_are_not_joined(other):
    ops.coo_concat((_sparse(ms.int32, (3, 4)), _sparse(getattr(ms, other), (3, 5))), 1)


@case(raises=True, mode="BOTH", each={"axis": [1.0, True]})
def test_sparse_tensors_are_joined_along_an_int(axis):
    ops.coo_concat((_sparse(ms.int32, (3, 4)), _sparse(ms.int32, (3, 5))), axis)
