"""Pickles of Tensors and Parameters hold numpy's arrays, as MindSpore's do."""

import pickle
import pickletools
import sys

import numpy as np
import pytest
import torch

import ms2torch as ms

# What numpy has no type for is pickled by torch, which under Python 3.13 can do so from 2.6 on.
BFLOAT16 = pytest.param(ms.bfloat16, marks=pytest.mark.skipif(
    torch.__version__ < "2.6" and sys.version_info >= (3, 13), reason="torch 2.5 pickles none here"))
DTYPES = (ms.float32, BFLOAT16, ms.float16, ms.bool_, ms.complex64, ms.uint16, ms.int64)


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_pickled_values_come_back(dtype):
    t = ms.Tensor(np.arange(6).reshape(2, 3), dtype)
    for value in (t, t.T, t[0, 0], ms.Parameter(t, name="w", requires_grad=False)):
        for protocol in (2, 5):
            back = pickle.loads(pickle.dumps(value, protocol))
            assert (type(back), back.dtype, back.shape) == (type(value), value.dtype, value.shape)
            assert back.torch().equal(value.torch())
    assert pickle.loads(pickle.dumps(ms.Parameter(t, name="w", requires_grad=False))).name == "w"


def test_a_pickle_needs_no_torch_of_its_reader():
    written = pickletools.genops(pickle.dumps(ms.Tensor([1.0]), 2))
    assert not any(isinstance(arg, str) and arg.startswith("torch") for _, arg, _ in written)
