"""Replay buffers in Parameters, which MindSpore had until 2.6: by their documentation, and by a deque."""

from collections import deque

import numpy as np
import pytest

import ms2torch as ms
from ms2torch import Parameter, Tensor, nn, ops

SHAPES, TYPES = [(4,), (2,), (1,), (4,)], [ms.float32, ms.int32, ms.int32, ms.float32]
EXP = ([2, 2, 2, 2], [0, 0], [0], [3, 3, 3, 3])


def documented():
    """The buffer of MindSpore's documentation, with five rows."""
    values = (np.arange(400).reshape(100, 4), np.arange(200).reshape(100, 2), np.ones((100, 1)),
              np.arange(400).reshape(100, 4))
    tensors = map(Tensor, values, TYPES)
    buffer = [Parameter(tensor, name=f"b{i}") for i, tensor in enumerate(tensors)]
    return buffer, Parameter(Tensor(5, ms.int32), name="count"), Parameter(Tensor(0, ms.int32), name="head")


def test_what_its_documentation_shows():
    buffer, count, head = documented()
    got = ops.BufferGetItem(100, SHAPES, TYPES)(buffer, count, head, 3)
    assert [t.asnumpy().tolist() for t in got] == [[12, 13, 14, 15], [6, 7], [1], [12, 13, 14, 15]]
    assert [t.dtype for t in got] == TYPES
    append = ops.BufferAppend(100, SHAPES, TYPES)
    assert append(buffer, [Tensor(e, t) for e, t in zip(EXP, TYPES, strict=True)], count, head) is None
    append(buffer, [Tensor([e, e], t) for e, t in zip(EXP, TYPES, strict=True)], count, head)
    assert (int(count), int(head)) == (8, 0)
    rows = [[16, 17, 18, 19], *[[2] * 4] * 3, [32, 33, 34, 35]]
    np.testing.assert_array_equal(buffer[0].asnumpy()[4:9], rows)
    sampled = ops.BufferSample(100, 5, SHAPES, TYPES)(buffer, count, head)
    assert [t.shape for t in sampled] == [(5, *shape) for shape in SHAPES]


@pytest.mark.parametrize("graph", [False, True])
def test_first_in_first_out(graph):
    """Rows and batches, up to more than there is room for, against Python's deque."""
    class Net(nn.Cell):
        def __init__(self):
            super().__init__()
            self.rows = ms.ParameterTuple([Parameter(Tensor(np.zeros((5, 2)), ms.float32), name="rows"),
                                           Parameter(Tensor(np.zeros((5,)), ms.int64), name="marks")])
            self.count = Parameter(Tensor(0, ms.int32), name="count")
            self.head = Parameter(Tensor(0, ms.int32), name="head")
            self.append = ops.BufferAppend(5, [(2,), ()], [ms.float32, ms.int64])
            self.get = ops.BufferGetItem(5, [(2,), ()], [ms.float32, ms.int64])

        def construct(self, rows, marks):
            self.append(self.rows, (rows, marks), self.count, self.head)
            return self.get(self.rows, self.count, self.head, -1)

    net, there, at = Net(), deque(maxlen=5), 0
    call = ms.jit(net.construct) if graph else net
    for batch in (None, 2, None, 3, 1, 4, None, 7, 5, None):
        marks = np.arange(at, at + (batch or 1))
        at += len(marks)
        there.extend(marks.tolist())
        rows = np.stack([marks, -marks], 1).astype(np.float32)
        given = (rows, marks) if batch else (rows[0], marks[0])
        last = call(Tensor(given[0]), Tensor(given[1]))
        assert (int(last[1]), last[0].asnumpy().tolist()) == (marks[-1], [marks[-1], -marks[-1]])
        assert int(net.count) == len(there)
        for index in range(-len(there), len(there)):
            row, mark = net.get(net.rows, net.count, net.head, index)
            assert int(mark) == there[index] == row.asnumpy()[0] == -row.asnumpy()[1]
        with pytest.raises(IndexError, match=r"out of range: \[-"):
            net.get(net.rows, net.count, net.head, len(there))


def numbers(count):
    rows = [Parameter(Tensor(np.arange(50), ms.int64), name="rows")]
    return rows, Parameter(Tensor(count, ms.int32), name="count"), Parameter(Tensor(0, ms.int32), name="head")


def test_a_seed_gives_the_rows_of_the_cxx_generator():
    """std::uniform_int_distribution over std::mt19937: words below the largest multiple of what there is,
    divided. The words are numpy's."""
    words = np.random.RandomState(7).randint(0, 2**32, size=200, dtype=np.uint64)
    share = (2**32 - 1) // 50
    expected = [int(w) // share for w in words if w < share * 50]
    sample = ops.BufferSample(50, 8, [()], [ms.int64], seed=7)
    drawn = [sample(*numbers(50))[0].asnumpy() for _ in range(10)]
    assert np.concatenate(drawn).tolist() == expected[:80]


def test_samples_are_rows_that_are_there():
    sample = ops.BufferSample(50, 8, [()], [ms.int64], 3, True)
    for _ in range(20):
        drawn = sample(*numbers(10))[0].asnumpy().tolist()
        assert len(set(drawn)) == 8 and set(drawn) <= set(range(10))
    sample = ops.BufferSample(50, 40, [()], [ms.int64])
    drawn = sample(*numbers(3))[0].asnumpy()                # more than there are: with repetition
    assert set(drawn.tolist()) == {0, 1, 2}
    with pytest.raises(ValueError, match="larger than the 3 rows"):
        ops.BufferSample(50, 4, [()], [ms.int64], 0, True)(*numbers(3))
    with pytest.raises(ValueError, match="larger than the 0 rows"):
        sample(*numbers(0))


def test_wrong_buffers():
    buffer, count, head = documented()
    for wrong in (lambda: ops.BufferAppend(0, SHAPES, TYPES), lambda: ops.BufferSample(4, 5, SHAPES, TYPES)):
        with pytest.raises(ValueError, match="but got"):
            wrong()
    append = ops.BufferAppend(100, SHAPES, TYPES)
    exp = [Tensor(e, t) for e, t in zip(EXP, TYPES, strict=True)]
    with pytest.raises(ValueError, match="length of 'exp'"):
        append(buffer, exp[:3], count, head)
    with pytest.raises(TypeError, match=r"dtype of 'exp\[1\]'"):
        append(buffer, [exp[0], exp[1].float(), *exp[2:]], count, head)
    with pytest.raises(ValueError, match=r"shape of 'exp\[0\]'"):
        append(buffer, [Tensor([1.0, 2.0]), *exp[1:]], count, head)
    with pytest.raises(ValueError, match="100, 4"):
        append([Parameter(Tensor(np.zeros((99, 4)), ms.float32)), *buffer[1:]], exp, count, head)
    assert int(count) == 5


def test_a_row_goes_to_a_buffer_that_a_gradient_reads():
    """What a network computed with before keeps its value; the row is there for who reads after."""
    rows = [Parameter(Tensor(np.ones((3, 2)), ms.float32), name="rows")]
    count, head = Parameter(Tensor(0, ms.int32), name="count"), Parameter(Tensor(0, ms.int32), name="head")
    append = ops.BufferAppend(3, [(2,)], [ms.float32])
    weight = Parameter(Tensor(2.0), name="weight")

    def forward(x):
        before = (rows[0] * weight).sum()
        append(rows, [x], count, head)
        return before + (rows[0] * weight).sum()

    value, gradient = ms.value_and_grad(forward, None, [weight])(Tensor([4.0, 5.0]))
    assert (float(value), float(gradient[0] if isinstance(gradient, tuple) else gradient)) == (38.0, 19.0)
    assert int(count) == 1 and rows[0].asnumpy().tolist() == [[4, 5], [1, 1], [1, 1]]
