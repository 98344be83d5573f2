"""str and repr of tensors, compared with those of MindSpore 2.10.0 (printing_record.json)."""

import json
from pathlib import Path

import numpy as np
import pytest
import torch

from ms2torch._core.tensor import dtype, printing
from tests._core.tensor_cases import printed_arrays

RECORD = json.loads(Path(__file__).with_name("printing_record.json").read_text())["cases"]
ARRAYS = {name: (kind, array) for name, kind, array in printed_arrays()}


@pytest.mark.parametrize("name", ARRAYS)
def test_prints_as_mindspore(name):
    kind, array = ARRAYS[name]
    t = torch.from_numpy(np.array(array)).to(getattr(dtype, kind).torch if array.size else None)
    assert [printing.to_str(t), printing.to_repr(t)] == RECORD[name]


def test_all_recorded_arrays_are_compared():
    assert set(ARRAYS) == set(RECORD)


def test_str_follows_numpys_print_options_and_repr_does_not():
    t = torch.arange(10) / 3                # figures of MindSpore 2.10.0
    with np.printoptions(precision=2, threshold=5, linewidth=30, suppress=True):
        assert printing.to_str(t) == "[0.   0.33 0.67 ... 2.33 2.67\n 3.  ]"
        assert printing.to_str(t.bfloat16()) == (
            "[0.000000 0.333984 0.667969\n ... 2.328125 2.671875\n 3.000000]")
        assert printing.to_repr(t[:3]).endswith("[ 0.00000000e+00,  3.33333343e-01,  6.66666687e-01])")


@pytest.mark.parametrize(("value", "text"), [
    (3.0, "3.0"), (1e-7, "1e-07"), (1 / 3, "0.33333334"), (123456789.0, "123456790.0"), (1e16, "1e+16")])
def test_numbers_without_dimension_print_as_documented(value, text):
    assert printing.to_str(torch.tensor(value)) == text


def test_a_tensor_with_a_gradient_a_conjugate_and_a_view_print_their_values():
    x = torch.ones(2, requires_grad=True)
    assert printing.to_str(x * 2) == "[2. 2.]"
    assert printing.to_str(torch.tensor([1 + 2j]).conj()) == "[1.-2.j]"
    assert printing.to_str(torch.tensor([1 + 2j]).conj().imag) == "[-2.]"
    assert printing.to_str(torch.arange(6).reshape(2, 3).T[1:]) == "[[1 4]\n [2 5]]"
