"""What MindSpore's own tests showed to differ: a short case of our own for each cause."""

import os
import re

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import Parameter, Tensor, log, nn, ops
from mindspore.dataset import transforms
from mindspore.nn.probability.distribution._utils.utils import CheckTensor, CheckTuple, set_param_type
from mindspore.numpy.utils_const import _canonicalize_axis, _infer_out_shape
from mindspore.ops._grad_experimental import grad_math_ops as shapes
from mindspore.ops._grad_experimental.grad_array_ops import _generate_inverse_index
from mindspore.ops.operations.sparse_ops import SparseCountSparseOutput

from tests.reference.judge import case


class SparseTimesDense(nn.Cell):
    def __init__(self, *adjoint):
        super().__init__()
        self.multiply = nn.SparseTensorDenseMatmul(*adjoint)

    def construct(self, indices, values, dense):
        return self.multiply(indices, values, (4, 3), dense)


@case(each={"kind": [np.int32, np.float32], "adjoint": [(False, False), (False, True), (True, False)]})
def test_gradients_of_a_sparse_product(kind, adjoint):
    shape = {(False, False): (3, 2), (False, True): (2, 3), (True, False): (4, 2)}[adjoint]
    indices = Tensor(np.array([[0, 0], [1, 1], [2, 2], [3, 1]], np.int64))
    dense = Tensor(np.arange(shape[0] * shape[1]).reshape(shape).astype(kind))
    return ops.GradOperation(get_all=True)(SparseTimesDense(*adjoint))(
        indices, Tensor(np.array([1, 2, 3, 4], kind)), dense)[1:]


@case
def test_means_over_the_edge_are_of_sums():
    whole = Tensor(np.arange(72).reshape(1, 3, 2, 3, 4).astype(np.float32))
    plane = Tensor(np.arange(36).reshape(1, 1, 6, 6).astype(np.float32))
    made = (ops.AvgPool3D((2, 2, 3), 1, "same", count_include_pad=False)(whole),
            ops.AvgPool(3, 2, "same")(plane))
    return [[float(v).hex() for v in m.asnumpy().ravel()] for m in made]


@case(each={"kind": [np.int16, np.int32, np.int64, np.float32], "ignore_nan": [True, False]})
def test_the_median_of_nothing(kind, ignore_nan):
    return ops.Median(True, ignore_nan=ignore_nan)(Tensor(np.zeros((2, 0), kind)))[0]


@case(each={"kind": [np.uint16, np.uint32, np.uint64, np.int64], "how": ["Min", "Max"]})
def test_segments_without_elements(kind, how):
    values = Tensor(np.array([[0, np.iinfo(kind).max], [2, 3], [4, 5]], kind))
    made = getattr(ops, f"UnsortedSegment{how}")()(values, Tensor(np.array([0, 2, 0], np.int32)), 4)
    return made.asnumpy().astype(str).tolist()


@case(each={"kind": [np.int8, np.uint8, np.int32, np.int64]})
def test_places_divided_by_zero(kind):
    x = Parameter(Tensor(np.array([-7, 7, 0, -1, 5]).astype(kind)), name="x")
    places = Tensor(np.arange(5).reshape(5, 1).astype(np.int32))
    return ops.ScatterNdDiv(False)(x, places, Tensor(np.array([0, 0, 0, 2, -2]).astype(kind))).asnumpy().tolist()


@case(each={"rows": [[[1, 2], [3, 1]], [[1, 2], [8, 1]], [[1, 7], [3, 1]]], "weights": [[1, 2], [1, 2, 3]]})
def test_counts_of_a_sparse_tensor_that_is_wrong(rows, weights):
    try:
        made = SparseCountSparseOutput()(
            Tensor(rows, ms.int64), Tensor([0, 2], ms.int64), Tensor([4, 3], ms.int64), Tensor(weights, ms.int64))
        return [m.asnumpy().tolist() for m in made]
    except RuntimeError as error:
        return str(error).splitlines()[0]


@ms.jit
def unknown(x):
    return ops.Softmax()(x=x)


@ms.jit
def wrong(x):
    return ops.ReduceSum()(x, ax=1)


@ms.jit
def partly(x):
    return ops.Partial()(ops.ReduceSum(keep_dims=True), axis=(1,))(x=x)


@ms.jit
def pooled(x, size):
    return ops.AvgPool(size, pad_mode="VALID", strides=size)(x)


@case(each={"call": ["unknown", "wrong"]}, raises=True)
def test_a_name_that_an_operator_of_a_graph_does_not_have(call):
    return globals()[call](Tensor([[1.0, 2.0]]))


@case
def test_names_of_a_partly_given_operator():
    return partly(Tensor([[1.0, 2.0]]))


@case
def test_an_operator_made_of_a_mutable_number():
    return pooled(Tensor(np.arange(16).reshape(1, 1, 4, 4).astype(np.float32)), ms.mutable(2))


def told(call, *args):
    try:
        return call(*args)
    except (TypeError, ValueError) as error:
        return f"{type(error).__name__}: {error}"


@case
def test_helpers_of_shapes_and_axes():
    return ([told(_infer_out_shape, *s) for s in [((5,), (6, 1), (7, 1, 5), (8, 1, 6, 1)), ((2,), (3,))]],
            [told(_canonicalize_axis, *a) for a in [(-1, 2), ((0, -1), 3), (2, 2), ((0, 0), 2), ((0,), 2)]],
            [_generate_inverse_index((2, 3, 4, 5), *a) for a in [(0,), (2,), (-1,), (2, 1), (3, 1), (3, 2)]],
            shapes._fft_rank_offset((2, 3, 4), 2), shapes._rfft_reshape((2, 3, 4), (2, 3)),
            shapes._rfft_tile_reshape((2, 3, 4)), shapes._rfft_last_term_shape((2, 3, 4), (2, 3)))


@case
def test_what_a_distribution_checks():
    half, whole = Tensor(1.0, ms.float16), Tensor(1)
    kinds = [{"a": half, "b": 1.0}, {"a": whole}, {"a": None}, {"a": np.array(1.0, np.float64), "b": np.array(1.0)},
             {"a": half, "b": whole}, {"a": np.array(1, np.int32), "b": half}]
    return ([str(told(set_param_type, k, ms.float16)) for k in kinds],
            [told(CheckTuple(), v, "input") for v in ((1,), [1], "t", 3)],
            [told(CheckTensor(), v, "input") for v in (half, (1,), 3)])


@case(each={"cut": [[], [-6], slice(-1, -5, -1), slice(3, 0, -2), slice(10, 0, -1)], "kind": ["i8", "U1"]})
def test_slices_in_a_pipeline(cut, kind):
    rows = ds.NumpySlicesDataset([np.arange(1, 6).astype(kind)], column_names="a", shuffle=False)
    try:
        return [row["a"].tolist() for row in rows.map(transforms.Slice(cut)).create_dict_iterator(
            num_epochs=1, output_numpy=True)]
    except RuntimeError as error:
        return re.search(r"\[ERROR\] (.*)", str(error))[1]


@case
def test_what_is_in_a_tensor():
    values = Tensor([1, 2])
    return [given in values for given in (1, 3, 1.0, Tensor(1), Tensor([3]), np.array(1), np.int64(1), [1], "a")]


@case(mode="BOTH")
def test_an_optimizer_under_to_float():
    layer = nn.Dense(2, 2, weight_init="ones")
    step = nn.TrainOneStepCell(nn.WithLossCell(layer, nn.MSELoss()),
                               nn.Momentum(layer.trainable_params(), 0.1, 0.9)).to_float(ms.float16)
    step.set_train()
    x = Tensor(np.array([[1, 2], [3, 4]], np.float32))
    step(x, x)
    return layer.weight.dtype, layer.weight.value()


@case
def test_a_log_that_is_put_away_is_made_anew():
    log.warning("one")
    before, level = log.get_level(), "GLOG_v"
    given = os.environ.get(level)
    log.GLOBAL_LOGGER = None
    os.environ[level] = "3" if before != "3" else "1"
    found = log.get_level() != before, sorted(log._get_env_config())
    os.environ.pop(level)
    os.environ.update({} if given is None else {level: given})
    log.GLOBAL_LOGGER = None                # what comes after has its own level
    return found
