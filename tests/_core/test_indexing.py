"""Reading and writing by index, compared with MindSpore 2.10.0 (indexing_record.json), and in gradients."""

import json
from pathlib import Path

import numpy as np
import pytest
import torch

from ms2torch._core.tensor import dtype, indexing
from tests._core.tensor_cases import DTYPES, index_cases, parse, start

RECORD = json.loads(Path(__file__).with_name("indexing_record.json").read_text())["cases"]

# Where MindSpore 2.10.0 on CPU fails itself: numpy's answer is expected.
DEFECTS = {
    **dict.fromkeys((
        "x[(0,[0,2],slice(None,None,-1))]", "x[[0,1], ::-1]", "x[[0,1], :, ::-1]", "x[:, ::-1, [0,2]]",
        "x[T([0,1]), 3:0:-1]", "x[::-1, True]", "x[True, ::-1]", "f: x[::-1] = 3", "f: x[1::-1] = 3",
        "f: x[:,::-1] = 3", "f: x[...,::-1] = T(np.arange(4.))", "f: x[...,::-2] = [1,2]",
        "f: x[::-1] = T(np.arange(24.).reshape(2,3,4))",
        "f: x[(slice(None,None,-1),[0,2])] = T(np.arange(4.))",
    ), "backward slices that are written, or stand beside index tensors"),
    "f: x[[False,False]] = 1": "writes everywhere",
    "x[T([0,1],int8)]": "no CPU kernel for int8 indices", "f: x[T([1],int8)] = 1": "no CPU kernel",
    "f: x[T([1],int16)] = 1": "no CPU kernel", "f: x[T([],int64)] = 5": "numpy's own error comes out",
    "bf: x[0] = 1.00390625": "no bfloat16 on CPU",
}
# Errors of the same type whose text differs: MindSpore broadcasts to a shape that is not the result's.
OTHER_WORDS = {
    "f: x[[0,1],[0,2]] = [5,6]", "f: x[T(X>5)] = [1,2]", "f: x[T([0,1]),0] = T([1.,2,3])",
}
# A mask beside more indices than dimensions: RuntimeError about an internal index there, as any surplus here.
OTHER_ERROR = {"f: x[T(X>5),0] = 1": (IndexError, "too many indices")}


def tensor(data, kind=None):
    t = torch.tensor(np.array(data, np.complex128)) if isinstance(data, complex) else torch.tensor(data)
    if t.dtype is torch.complex64:
        t = t.to(torch.complex128)
    return t if kind is None else t.to(kind.torch)


NAMES = {name: getattr(dtype, name) for name in DTYPES} | {"T": tensor}


def asked(case):
    kind, index, value = parse(case, NAMES)
    x = tensor(start(kind))
    return (x.bfloat16() if kind == "bf" else x), index, value


def numbers(t):
    return [str(v) for v in (t.float() if t.dtype is torch.bfloat16 else t).reshape(-1).tolist()]


def answer(case):
    x, index, value = asked(case)
    try:
        if value:
            indexing.setitem(x, index, value[0])
            return numbers(x)
        out = indexing.getitem(x, index)
    except Exception as error:
        return {"error": [type(error).__name__, str(error)[:400]]}
    before = out.clone()
    x[0:2] = -5.0
    return [list(out.shape), numbers(before), bool((out != before).any())]


@pytest.mark.parametrize("case", [c for c in RECORD if c not in {*DEFECTS, *OTHER_ERROR, *OTHER_WORDS}])
def test_indexes_as_mindspore(case):
    """Values, shapes, whether the result shares memory; for wrong indices the error's type and text."""
    assert answer(case) == RECORD[case]


@pytest.mark.parametrize("case", DEFECTS)
def test_where_mindspore_fails_numpy_is_followed(case):
    x, index, value = asked(case)
    array, index = numpy(x.float()), numpy(index)
    if not value:
        expected = [list(array[index].shape), numbers(torch.tensor(array[index])), False]
    else:
        array[index] = numpy(value[0])
        expected = numbers(torch.tensor(array).to(x.dtype))
    assert answer(case) == expected != RECORD[case]


def numpy(obj):
    if isinstance(obj, torch.Tensor):
        return obj.numpy().copy()
    return tuple(numpy(i) for i in obj) if isinstance(obj, tuple) else obj


@pytest.mark.parametrize("case", OTHER_WORDS)
def test_a_value_of_the_wrong_shape_is_a_value_error(case):
    assert answer(case)["error"][0] == RECORD[case]["error"][0] == "ValueError"
    assert answer(case)["error"][1].startswith(RECORD[case]["error"][1].partition(" target shape")[0])


@pytest.mark.parametrize(("case", "error"), OTHER_ERROR.items())
def test_too_many_indices(case, error):
    x, index, value = asked(case)
    with pytest.raises(error[0], match=error[1]):
        indexing.setitem(x, index, *value)


def test_every_case_has_a_record():
    assert set(index_cases()) == set(RECORD)


@pytest.mark.parametrize("index", [
    1, (0, slice(None, None, -1)), torch.tensor([1, 0]), (slice(None), [0, 2]), (0, torch.tensor([0, 2])),
    torch.tensor([[True, False, True, False], [False, True, False, False]]), (slice(None, None, -1), [0, 2])])
def test_writing_is_differentiated(index):
    """d/dx and d/dv of sum(y * y) after y[index] = v: 2x outside what was written, 2v inside."""
    x = torch.arange(1.0, 9).reshape(2, 4).requires_grad_()
    v = torch.tensor(3.0, requires_grad=True)
    y = x * 1
    indexing.setitem(y, index, v)
    (y * y).sum().backward()
    written = torch.zeros(2, 4)
    indexing.setitem(written, index, 1)
    assert written.sum() > 0
    assert torch.equal(x.grad, torch.where(written > 0, 0.0, 2 * x.detach()))
    assert v.grad == 6 * written.sum()


@pytest.mark.parametrize("index", [
    (slice(None), slice(None, None, -1)), (0, slice(None), [0, 2]), torch.tensor(1)])
def test_reading_is_differentiated(index):
    """d/dx of sum(w * x[index] ** 2) is 2 w x where x was read."""
    x = torch.arange(1.0, 25).reshape(2, 3, 4).requires_grad_()
    out = indexing.getitem(x, index)
    w = torch.arange(1.0, out.numel() + 1).reshape(out.shape)
    (w * out * out).sum().backward()
    places = indexing.getitem(torch.arange(24).reshape(2, 3, 4), index)
    expected = torch.zeros(24).index_add(0, places.reshape(-1), (2 * w * out).detach().reshape(-1))
    assert torch.equal(x.grad.reshape(-1), expected)


@pytest.mark.skipif(torch.__version__ < "2.13", reason="torch 2.12 does not trace what Tensors are made of")
def test_a_compiled_function_indexes_in_one_graph():
    def f(x, i):
        y = indexing.getitem(x, (slice(None), 0, i))
        indexing.setitem(y, 0, 3.0)
        return indexing.getitem(y, slice(None, None, -1)) + indexing.getitem(x, [0, 1])[:, 0, :2]

    x, i = torch.arange(24.0).reshape(2, 3, 4), torch.tensor([0, 2])
    compiled = torch.compile(f, fullgraph=True, backend="eager")(x.clone(), i)
    assert torch.equal(compiled, torch.tensor([[12.0, 15.0], [15.0, 16.0]]))


@pytest.mark.cuda
@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a CUDA device")
@pytest.mark.parametrize("index", [
    (0, slice(None), [0, 2]), (slice(None, None, -1), [0, 2]), (True, 0), [True, False], torch.tensor([1, 0]),
    torch.tensor(1), torch.tensor([False, True]), (torch.tensor([True, False]), 0)])
def test_indexes_on_cuda_as_on_the_cpu(index):
    x = torch.arange(24.0).reshape(2, 3, 4)
    on_cuda = torch.utils._pytree.tree_map(lambda i: i.cuda() if isinstance(i, torch.Tensor) else i, index)
    y = x.cuda()
    assert torch.equal(indexing.getitem(y, on_cuda).cpu(), indexing.getitem(x, index))
    for value in (-1.5, [-1, -2, -3, -4]):
        indexing.setitem(x, index, value)
        indexing.setitem(y, on_cuda, value)
        assert torch.equal(y.cpu(), x)
