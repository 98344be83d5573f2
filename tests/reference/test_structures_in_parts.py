"""Functions of `ops.functional` that read and make sparse tensors, tuples, lists and shapes."""

import mindspore as ms
import numpy as np
from mindspore import Tensor
from mindspore.ops import functional as F

from tests.reference.judge import case


@case()
def test_parts_of_sparse_tensors():
    coo = ms.COOTensor(Tensor([[0, 1], [1, 2]], ms.int32), Tensor([1.0, 2.0]), (3, 4))
    csr = ms.CSRTensor(Tensor([0, 1, 2], ms.int32), Tensor([0, 1], ms.int32), Tensor([1.0, 2.0]), (2, 4))
    return ([F.coo_tensor_get_indices(coo), F.coo_tensor_get_values(coo), F.coo_tensor_get_dense_shape(coo)],
            [F.csr_tensor_get_indptr(csr), F.csr_tensor_get_indices(csr), F.csr_tensor_get_values(csr),
             F.csr_tensor_get_dense_shape(csr)])


@case()
def test_shapes():
    pairs = [((2, 3), (3,)), ((1,), (1,)), ((2, 1, 3), (4, 1)), ((1, 1), (2, 3)), ((1,), ()), ((1, 3), (3,))]
    reduced = [F.reduced_shape((2, 3), (1,)), F.reduced_shape((2, 3), ()), F.reduced_shape((2, 3, 4), (0, -1))]
    return [F.broadcast_gradient_args(x, y) for x, y in pairs], reduced


@case()
def test_tuples_lists_and_tensors():
    x = Tensor(np.arange(6).reshape(2, 3), ms.float32)
    return (F.tuple_div((4, 6), (2, 3)), F.list_setitem([1, 2, 3], 1, 9), F.list_setitem([1, 2, 3], -1, 9),
            F.switch(True, 1, 2), F.is_tensor_bool_cond(Tensor(True)), F.reshape_(x, (3, 2)), F.tensor_expm1(x),
            F.tensor_range(Tensor(0), Tensor(5), Tensor(1)), F.make_slice(1, 2, 3) == slice(1, 2, 3))


@case(raises=True)
def test_a_remainder():
    return F.tuple_div((4, 7), (2, 3))
