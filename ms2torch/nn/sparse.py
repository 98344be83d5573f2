"""Layers between sparse tensors and dense ones (``mindspore.nn.sparse``)."""

from __future__ import annotations

from ms2torch._core.operators.registry import PRIMITIVES
from ms2torch.nn.cell import Cell
from ms2torch.ops.function import array_func as _array_func  # noqa: F401  (registers the primitives)

__all__ = ["SparseTensorDenseMatmul", "SparseToDense"]


class SparseToDense(Cell):
    """The dense Tensor of a COOTensor (``mindspore.nn.SparseToDense``)."""

    def __init__(self) -> None:
        super().__init__()
        self.sparse_to_dense = PRIMITIVES["SparseToDense"]()

    def construct(self, sparse_tensor):
        return self.sparse_to_dense(sparse_tensor.indices, sparse_tensor.values, sparse_tensor.shape)


class SparseTensorDenseMatmul(Cell):
    """A sparse matrix, given as places, values and shape, times a dense one, each adjoint if asked."""

    def __init__(self, adjoint_st=False, adjoint_dt=False) -> None:
        super().__init__()
        self.adj_st, self.adj_dt = adjoint_st, adjoint_dt
        self.sparse_dense_matmul = PRIMITIVES["SparseTensorDenseMatmul"](adjoint_st, adjoint_dt)

    def construct(self, indices, values, sparse_shape, dense):
        return self.sparse_dense_matmul(indices, values, sparse_shape, dense)
