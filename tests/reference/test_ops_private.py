"""Private operators that MindSpore's own programs and tests build on, and sparse steps that refuse their input."""

import mindspore as ms
from mindspore import ops
from mindspore.ops._utils.arg_dtype_cast import ListToTuple, TupleToList
from mindspore.ops.operations import _inner_ops, nn_ops

from tests.reference.judge import case, data


@case(each={"rank": [False, True]})
def test_convert_to_dynamic(rank):
    x = ms.Tensor(data((2, 3)))
    convert = _inner_ops.ConvertToDynamic(rank)
    return convert(x), ms.grad(lambda x: convert(x) * 2)(x)


@case(each={"limit": [0.5, 500.0]})
def test_clip_by_norm_as_a_primitive(limit):
    x = ms.Tensor(data((3, 4)))
    clip = _inner_ops.ClipByNorm()
    return clip(x, ms.Tensor(limit)), ms.grad(lambda x: clip(x, ms.Tensor(limit)))(x)


@case(each={"overlapping": [False, True], "dtype": [ms.float32, ms.int32]})
def test_fractional_average_of_equal_regions(overlapping, dtype):
    x = ms.Tensor(data((1, 4, 6, 2)) * 10, dtype)
    return nn_ops.FractionalAvgPool(pooling_ratio=[1.0, 2.0, 3.0, 1.0], overlapping=overlapping)(x)


@case()
def test_sequences_of_one_another():
    return ListToTuple()([1, ms.Tensor(2)]), TupleToList()((1, 2.5))


ROWS = {
    "FusedSparseAdam": lambda: (ops.FusedSparseAdam(), 3, [ms.Tensor(0.9)] * 6),
    "FusedSparseFtrl": lambda: (ops.FusedSparseFtrl(0.1, 0.0, 0.0, -0.5), 3, []),
    "FusedSparseProximalAdagrad": lambda: (ops.FusedSparseProximalAdagrad(), 2, [ms.Tensor(0.1)] * 3),
    "SparseApplyFtrl": lambda: (ops.SparseApplyFtrl(0.1, 0.0, 0.0, -0.5), 3, []),
    "SparseApplyAdagradV2": lambda: (ops.SparseApplyAdagradV2(0.1, 1e-6), 2, []),
}


@case(each={"name": list(ROWS), "wrong": ["state", "rows", "columns", "rank", "indices", "dtype", "list"]},
      raises="For")
def test_sparse_steps_refuse(name, wrong):
    step, states, numbers = ROWS[name]()
    shapes = [(3, 2)] * states
    if wrong == "state":
        shapes[1] = (3, 1)
    weights = [ms.Parameter(ms.Tensor(data(shape)), name=f"p{i}") for i, shape in enumerate(shapes)]
    grad = ms.Tensor(data({"rows": (2, 2), "columns": (3, 1), "rank": ()}.get(wrong, (3, 2))))
    indices = ms.Tensor([[0], [1], [2]] if wrong == "indices" else [0, 1, 2], ms.int32)
    if wrong == "dtype":
        indices = indices.astype(ms.float32)
    step(*weights, *numbers, [[1.0, 2.0]] if wrong == "list" else grad, indices)


@case(each={"index": [0, 1], "axis": [0, -1]})
def test_select_view(index, axis):
    return _inner_ops.SelectView()(ms.Tensor([[1, 2, 3], [4, 5, 6]]), index, axis)
