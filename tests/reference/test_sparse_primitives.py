"""Operators over sparse tensors (indices, values, shape) and sparse matrices (five tensors in compressed rows)."""
import importlib

import mindspore as ms
import numpy as np

from tests.reference.judge import case

sparse = importlib.import_module("mindspore.ops.operations.sparse_ops")
gradients = importlib.import_module("mindspore.ops.operations._sparse_grad_ops")


def i(*values):
    return ms.Tensor(np.array(values, np.int32))


def long(*values):
    return ms.Tensor(np.array(values, np.int64))


def f(*values):
    return ms.Tensor(np.array(values, np.float32))


def number(value):
    return ms.Tensor(np.float32(value))


def matrix():
    return i(3, 4), i(0, 5), i(0, 2, 3, 5), i(0, 2, 3, 0, 1), f(1, 2, 3, 4, 5)


def batches():
    return i(2, 2, 3), i(0, 3, 6), i(0, 2, 3, 0, 1, 3), i(0, 2, 1, 1, 0, 2), f(1, 2, 3, 4, 5, 6)


def other():
    return i(3, 4), i(0, 2), i(0, 1, 1, 2), i(1, 0), f(7, -4)


def dense(*shape):
    return ms.Tensor(np.arange(np.prod(shape)).reshape(shape).astype(np.float32))


def first():
    return long([0, 0], [1, 2], [2, 1]), f(1, 2, 3), long(3, 4)


def second():
    return long([0, 1], [1, 2], [2, 1]), f(5, -2, 7), long(3, 4)


MATRICES = {
    "to coordinates": lambda op: op.CSRSparseMatrixToSparseTensor()(*matrix()),
    "batches to coordinates": lambda op: op.CSRSparseMatrixToSparseTensor()(*batches()),
    "to dense": lambda op: op.CSRSparseMatrixToDense()(*batches()),
    "transposed": lambda op: op.SparseMatrixTranspose()(*matrix()),
    "batches transposed": lambda op: op.SparseMatrixTranspose(conjugate=True)(*batches()),
    "softmax": lambda op: op.SparseMatrixSoftmax(ms.float32)(*matrix()),
    "counted": lambda op: op.SparseMatrixNNZ()(*batches()),
    "sum": lambda op: op.SparseMatrixAdd()(*matrix(), *other(), number(1), number(2)),
    "product": lambda op: op.SparseMatrixMatMul()(*matrix(), dense(4, 2)),
    "product of batches": lambda op: op.SparseMatrixMatMul()(*batches(), dense(2, 3, 2)),
    "adjoint": lambda op: op.SparseMatrixMatMul(adjoint_x1=True)(*matrix(), dense(3, 2)),
    "transposed output": lambda op: op.SparseMatrixMatMul(transpose_x2=True, transpose_output=True)(
        *matrix(), dense(2, 4)),
    "of coordinates": lambda op: op.SparseTensorToCSRSparseMatrix()(
        i([0, 0, 1], [0, 1, 2], [1, 0, 1]), f(1, 2, 3), i(2, 2, 3)),
    "of dense": lambda op: op.DenseToCSRSparseMatrix()(dense(2, 3), i([0, 0], [0, 2], [1, 1])),
}


@case(each={"what": list(MATRICES)})
def test_sparse_matrices(what):
    return MATRICES[what](sparse)


TENSORS = {
    "sum": lambda op: op.SparseAdd()(*first(), *second(), number(0)),
    "sum over a threshold": lambda op: op.SparseAdd()(*first(), *second(), number(6)),
    "gradient of a sum": lambda op: gradients.SparseAddGrad()(
        f(1, 2, 3, 4), first()[0], second()[0], long([0, 0], [0, 1], [1, 2], [2, 1])),
    "in order": lambda op: op.SparseReorder()(long([2, 1], [0, 0], [1, 2]), f(1, 2, 3), long(3, 4)),
    "minimum": lambda op: op.SparseSparseMinimum()(*first(), *second()),
    "maximum": lambda op: op.SparseSparseMaximum()(*first(), *second()),
    "plus dense": lambda op: op.SparseDenseCwiseAdd()(*first(), dense(3, 4)),
    "times a row": lambda op: op.SparseDenseCwiseMul()(*first(), dense(4)),
    "times dense, and plus": lambda op: op.SparseAddmm()(*first(), dense(4, 2), dense(3, 2), f(1), f(2)),
    "plus a product": lambda op: op.Sspaddmm()(
        long([0, 1], [0, 1]), f(1, 2), long(3, 3), long([0, 1], [2, 2]), f(3, 4), long(3, 3), dense(3, 3),
        number(1), number(1)),
    "joined": lambda op: op.SparseConcat(1)([first()[0], second()[0]], [first()[1], second()[1]],
                                            [first()[2], second()[2]]),
    "softmax": lambda op: op.SparseSoftmax()(long([0, 0], [0, 2], [2, 1]), f(1, 2, 3), long(3, 4)),
    "filled": lambda op: op.SparseToDenseV2()(first()[0], first()[2], first()[1], number(-1)),
    "segments": lambda op: op.SparseSegmentSum()(dense(4, 3), i(0, 2, 3), i(0, 0, 1)),
    "numbered segments": lambda op: op.SparseSegmentSumWithNumSegments()(
        dense(4, 3), i(0, 2, 3, 1), i(0, 0, 1, 3), i(5)),
    "means": lambda op: op.SparseSegmentMeanWithNumSegments()(dense(4, 3), i(0, 2, 3, 1), i(0, 0, 1, 3), i(5)),
    "by roots": lambda op: op.SparseSegmentSqrtN()(dense(4, 3), i(0, 2, 3), i(0, 0, 1)),
    "numbered roots": lambda op: op.SparseSegmentSqrtNWithNumSegments()(
        dense(4, 3), i(0, 2, 3, 1), i(0, 0, 1, 3), i(5)),
    "counts": lambda op: op.SparseCountSparseOutput()(
        long([0, 0], [0, 1], [1, 0]), i(2, 2, 4), long(2, 3), f(1, 1, 1)),
}


@case(each={"what": list(TENSORS)})
def test_sparse_tensors(what):
    return TENSORS[what](sparse)


@case(each={"operation": ["a-b", "b-a", "intersection", "union"]})
def test_sets(operation):
    return sparse.DenseToDenseSetOperation(operation)(i([1, 2, 3], [4, 5, 6]), i([2, 3, 9], [4, 4, 4]))
