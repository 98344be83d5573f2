"""What MindSpore's own tests showed to differ: a short case of our own for each cause."""

import numpy as np
from mindspore import Tensor, nn, ops

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
