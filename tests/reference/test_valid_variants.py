"""Calls that differ from documented ones in the kind of an argument, and that MindSpore takes all the same, and others."""

import mindspore as ms
import numpy as np
from mindspore import Tensor, mint, nn, ops
from mindspore import numpy as mnp

from tests.reference.judge import case, data


def times(x, y):
    return x * y


@case(each={"value": [0.5, np.float32(-2), np.float64(0.25)]})
def test_log_sigmoid_of_a_number(value):
    return nn.LogSigmoid()(value)


@case(each={"spread": ["linspace", "logspace", "geomspace"], "axis": [[0], (0,), [1], [-1]]})
def test_the_axis_of_numbers_alone_in_a_sequence(spread, axis):
    return getattr(mnp, spread)(Tensor([1.0, 2.0]), Tensor([3.0, 4.0]), 3, axis=axis)


@case(each={"mode": ["constant", "reflect", "linear_ramp", "empty"],
            "width": [(0.0, 1), ((0.0, 0), (1, 0.0)), [0.0]]})
def test_no_width_as_a_fraction(mode, width):
    return mnp.pad(Tensor(data((2, 3))), width, mode).shape


@case(each={"flag": [0, 2, None, "a", Tensor(True), Tensor([False])]})
def test_what_is_true_for_a_flag_that_python_reads(flag):
    x = Tensor(data((3, 4)))
    return ops.argmin(x, 1, keepdims=flag), ops.combinations(x[0], 2, flag)


@case(each={"dtype": [ms.float16, ms.float32], "columns": [(), (1,)]}, rtol=5e-3, reason="halves")
def test_least_squares_of_a_vector(dtype, columns):
    return ops.lstsq(Tensor(data((3, 2))).astype(dtype), Tensor(np.ones((3, *columns))).astype(dtype))


@case(each={"axes": [(0,), [1]]})
def test_vmap_where_the_one_result_has_an_axis_in_a_sequence(axes):
    return ms.vmap(mnp.sin, 0, axes)(Tensor(data((2, 3)))), ms.vmap(mint.sin, 0, axes)(Tensor(data((2, 3))))


@case(each={"position": [0, 1, (0, 1)]})
def test_jacobian_of_nothing(position):
    return ms.jacfwd(times, position)(Tensor(np.zeros((0, 3), np.float32)), Tensor([1.0, 2.0, 3.0]))


@case(raises="must be int or tuple", each={"transform": ["jacfwd", "jacrev"], "position": [None, [0]]})
def test_no_position_of_a_jacobian(transform, position):
    return getattr(ms, transform)(times, position)(Tensor([1.0]), Tensor([2.0]))


@case(raises="NoneType")
def test_no_lock():
    target = ms.Parameter(Tensor([1.0, 2.0]), name="target")
    return ops.scatter_nd_mul(target, Tensor([[0]], ms.int32), Tensor([2.0]), None)


@case(raises="the input type must be one of", each={"dtype": [np.float32(1), np.int64(3)]})
def test_a_number_of_numpys_is_no_dtype(dtype):
    return ops.cumsum(Tensor([[1.0, 0.0]]), 1, dtype=dtype)


@case(raises="The truth value of an array")
def test_a_number_of_numpys_is_no_dtype_of_a_count():
    return ops.count_nonzero(Tensor([[1.0, 0.0]]), dtype=np.float32(1))


@case(raises="doesn't support", each={"dtype": ["int32", np.float32, int]})
def test_what_is_no_dtype_of_a_count(dtype):
    return ops.count_nonzero(Tensor([[1.0, 0.0]]), dtype=dtype)


@case(each={"name": ["logical_and", "logical_or"], "value": [np.float64(0.5), np.float64(0)]})
def test_logic_of_a_double_of_numpys(name, value):
    function = getattr(mnp, name)
    return function(value, Tensor([True, False])), function(Tensor([[True], [False]]), value), function(value, value)


@case(each={"shape": [[], 2.0, np.int64(2), np.array([2, 3])]})
def test_fill_without_a_size(shape):
    return ops.fill(ms.float32, shape, 1)


@case(raises="input[1] must be tensor", each={"dims": [[2, 3], 2, 2.0, np.array([2, 3])]})
def test_fill_primitive_of_no_tuple(dims):
    return ops.Fill()(ms.float32, dims, 1)


@case(raises=True, each={"name": ["InplaceAdd", "InplaceSub", "InplaceUpdate"],
                         "indices": [(0, (1,)), (ms.float32,), (True, 1), (1, "a")]})
def test_places_that_are_no_numbers(name, indices):
    return getattr(ops, name)(indices)
