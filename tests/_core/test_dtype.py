"""Dtypes, their conversions and promotion, compared with MindSpore 2.10.0 (promotion_record.json)."""

import copy
import json
import operator
import pickle
from pathlib import Path

import numpy as np
import pytest
import torch

from ms2torch._core.tensor import dtype
from ms2torch.common import dtype as mstype
from tests._core.tensor_cases import DTYPES, NUMBERS, OPERATORS

RECORD = json.loads(Path(__file__).with_name("promotion_record.json").read_text())["cases"]
SHORT_UNSIGNED = ("uint16", "uint32", "uint64")


def ones(name):
    return torch.tensor([1, 1]).to(getattr(dtype, name).torch)


# ---- promotion --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("a", DTYPES)
def test_two_tensors_promote_as_in_mindspore(a):
    for b in DTYPES:
        try:
            left, right = dtype.promote(ones(a), ones(b) if a == b else ones(b)[0])
            assert left.dtype is right.dtype
            found = str(dtype.from_torch(left.dtype))
        except TypeError as error:
            found = {"error": ["TypeError", str(error)]}
        assert found == RECORD[f"{a} {b}"], (a, b)


def test_equal_dtypes_pass_untouched():
    a, b = torch.ones(2), torch.ones(2)
    assert dtype.promote(a, b)[0] is a and dtype.promote(a, b)[1] is b


def subtract(a, b):
    # torch.sub refuses bools; MindSpore's bool - bool is not equal.
    return a ^ b if b is True and a.dtype is torch.bool else a - b


def _lacks_kernel(text: str) -> bool:
    """Whether the real MindSpore has no CPU kernel for these dtypes, which other devices have."""
    return "Select CPU operator" in text or "the input argument[x] must be a type of" in text


COMPUTE = {"add": operator.add, "sub": subtract, "mul": operator.mul, "truediv": operator.truediv}


@pytest.mark.parametrize("name", OPERATORS)
@pytest.mark.parametrize("a", [d for d in DTYPES if d not in SHORT_UNSIGNED])
def test_a_tensor_and_a_number_promote_as_in_mindspore(name, a):
    x = torch.tensor([1, 3]).to(getattr(dtype, a).torch)
    for number, value in NUMBERS.items():
        for left in (False, True):
            theirs = RECORD[f"{name} {a} {number}{' left' if left else ''}"]
            if "error" in theirs and _lacks_kernel(theirs["error"][1]):
                continue
            try:
                t, scalar = dtype.promote_scalar(x, value)
                out = COMPUTE[name](scalar, t) if left else COMPUTE[name](t, scalar)
            except (TypeError, RuntimeError) as error:
                # Mul and Div of 2**63 lose MindSpore's own RuntimeError on its way through Python.
                expected = theirs["error"][0].replace("SystemError", "RuntimeError")
                assert type(error).__name__ == expected, (number, left)
                continue
            assert str(dtype.from_torch(out.dtype)) == theirs[0], (number, left)
            close(out, theirs[1], a)


def close(ours, theirs, name):
    """Exact, but for the last bit of complex division."""
    ours = (ours.float() if ours.dtype is torch.bfloat16 else ours).tolist()
    theirs = [v == "True" if v in ("True", "False") else complex(v) for v in theirs]
    if name.startswith("complex"):
        np.testing.assert_allclose(ours, theirs, rtol=1e-7)
    else:
        np.testing.assert_array_equal(ours, theirs)


def test_numbers_are_rounded_before_they_are_used():
    assert dtype.promote_scalar(torch.ones(1, dtype=torch.float64), 0.1)[1] == float(np.float32(0.1))
    assert dtype.promote_scalar(torch.ones(1, dtype=torch.float16), 0.1)[1] == float(np.float16(0.1))
    assert dtype.promote_scalar(torch.ones(1, dtype=torch.bfloat16), 0.1)[1] == 0.10009765625
    for zero in (0.0, -0.0):
        scalar = dtype.promote_scalar(torch.ones(1, dtype=torch.float16), zero)[1]
        assert scalar == 0 and np.signbit(scalar) == np.signbit(zero)


@pytest.mark.parametrize("a", SHORT_UNSIGNED)
def test_short_unsigned_tensors_take_bools_and_refuse_numbers(a):
    x = ones(a)
    assert dtype.promote_scalar(x, True)[0] is x and dtype.promote_scalar(x, True)[1] == 1
    for number in ("2", "1.5"):
        with pytest.raises(TypeError) as raised:
            dtype.promote_scalar(x, NUMBERS[number])
        assert [raised.type.__name__, str(raised.value)] == RECORD[f"add {a} {number}"]["error"]
        t, scalar = dtype.promote_scalar(x, NUMBERS[number], loose=True)
        assert scalar == NUMBERS[number] and t.dtype is (x.dtype if number == "2" else torch.float32)


# ---- the objects ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("one", "text", "shown"), [
    (mstype.bool_, "Bool", "bool"), (mstype.int8, "Int8", "int8"), (mstype.uint64, "UInt64", "uint64"),
    (mstype.float16, "Float16", "float16"), (mstype.bfloat16, "BFloat16", "bfloat16"),
    (mstype.complex128, "Complex128", "complex128"), (mstype.qint4x2, "Int4", "int4"),
    (mstype.float8_e4m3fn, "Float8E4M3FN", "float8_e4m3fn"), (mstype.hifloat8, "HiFloat8", "hifloat8"),
    (mstype.string, "String", "string_"), (mstype.number, "Number", "number"),
    (mstype.int_, "Int", "int"),
    (mstype.float_, "Float", "float"), (mstype.uint, "UInt", "uint"), (mstype.list_, "List", "list_"),
    (mstype.tuple_, "Tuple", "tuple_"), (mstype.type_none, "None", "type_none"),
    (mstype._null, "Null", "Null"), (mstype.tensor_type, "Tensor", "tensor"),
    (mstype.function, "Func", "function"),
    (mstype.TensorType(mstype.float32), "Tensor[Float32]", "tensor[float32]"),
    (mstype.Tuple([mstype.float32, mstype.int8, mstype.int8]), "Tuple[Float32,Int8*2]", "tuple_"),
    (mstype.Tuple([mstype.Tuple([mstype.int8]), mstype.int8]), "Tuple[Tuple[Int8],Int8]", "tuple_"),
    (mstype.csr_tensor, "CSRTensor", "CSRTensor"), (mstype.env_type, "Object:EnvType", "env_type")])
def test_prints_and_is_one_object(one, text, shown):
    assert (str(one), repr(one)) == (text, f"mindspore.{shown}")
    assert pickle.loads(pickle.dumps(one)) is one
    assert copy.copy(one) is one and copy.deepcopy([one])[0] is one
    assert isinstance(one, mstype.Type)


def test_equality_is_with_dtypes_alone():
    assert mstype.Int(8) == mstype.int8 and mstype.Float() == mstype.float_ and mstype.Bool() == mstype.bool_
    assert mstype.float32 != "Float32" and mstype.float32 != "float32" and mstype.float32 != np.float32
    assert mstype.float32 != mstype.float64 and mstype.TensorType(mstype.float32) != mstype.tensor_type
    assert {mstype.float32: 1}[mstype.Float(32)] == 1
    assert mstype.single is mstype.float is mstype.float32 and mstype.long is mstype.intp is mstype.int64


def test_kinds():
    assert isinstance(mstype.float16, mstype.Float) and not isinstance(mstype.bfloat16, mstype.Float)
    assert not isinstance(mstype.bool_, mstype.Int)
    assert mstype._issubclass_(mstype.int32, mstype.int_)
    assert not mstype._issubclass_(mstype.int32, mstype.float_)
    assert mstype._issubclass_(mstype.bool_, mstype.number)
    assert not mstype._issubclass_(1, mstype.number)
    assert mstype._issubclass_(mstype.TensorType(mstype.int8), mstype.tensor_type)


@pytest.mark.parametrize(("one", "expected"), [
    ("bool_", (1, False, False, False)), ("int8", (1, True, False, False)),
    ("uint16", (2, False, False, False)), ("bfloat16", (2, True, True, False)),
    ("complex64", (8, True, False, True)), ("qint4x2", (1, True, False, False)),
    ("number", (1, False, False, False)), ("float_", (1, True, True, False))])
def test_properties(one, expected):
    one = getattr(mstype, one)
    assert (one.itemsize, one.is_signed, one.is_floating_point, one.is_complex) == expected


def test_real_and_complex_counterparts():
    assert mstype.complex64.to_real() is mstype.float32 and mstype.int8.to_real() is mstype.int8
    assert mstype.bfloat16.to_complex() is mstype.complex64
    with pytest.raises(TypeError, match=r"^Cannot convert type float16 to complex type\.$"):
        mstype.float16.to_complex()
    with pytest.raises(TypeError, match=r"^Cannot convert type int to real type\.$"):
        mstype.int_.to_real()


def test_widths_that_do_not_exist():
    with pytest.raises(RuntimeError, match=r"^For Int type only support number of 8bits, 16bits, 32bits and "
                                           "64bits, but got 7bits$"):
        mstype.Int(7)
    with pytest.raises(RuntimeError, match=r"^For Float type only support number of 16bits, 32bits and "
                                           "64bits, but got 33bits$"):
        mstype.Float(33)
    with pytest.raises(TypeError, match="No constructor defined!"):
        mstype.Type()


# ---- conversions ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", DTYPES)
def test_to_torch_and_back(name):
    one = getattr(mstype, name)
    assert dtype.from_torch(dtype.to_torch(one)) is one
    assert dtype.to_torch(one.torch) is one.torch
    if name != "bfloat16":
        assert dtype.to_torch(mstype.dtype_to_nptype(one)) is one.torch
        assert torch.from_numpy(np.zeros(1, mstype.dtype_to_nptype(one))).dtype is one.torch


@pytest.mark.parametrize(("given", "expected"), [
    (int, "Int64"), (float, "Float64"), (bool, "Bool"), (complex, "Complex128"), ("float", "Float64"),
    ("int", "Int64"), ("Float32", "Float32"), ("FLOAT32", "Float32"), ("bool_", "Bool"), ("half", "Float16"),
    ("double", "Float64"), (np.float64, "Float64")])
def test_what_astype_accepts(given, expected):
    assert str(dtype.from_torch(dtype.to_torch(given))) == expected      # astype(given) of MindSpore 2.10.0


@pytest.mark.parametrize("wrong", ["foo", None, 1, mstype.int_, mstype.string, mstype.tensor_type, dict])
def test_what_is_no_dtype_is_a_type_error(wrong):
    with pytest.raises(TypeError):
        dtype.to_torch(wrong)


def test_numbers_that_torch_lacks_name_a_way_out():
    with pytest.raises(NotImplementedError, match=r"mindspore.int4: .* Instead: int8"):
        dtype.to_torch(mstype.qint4x2)


@pytest.mark.parametrize(("given", "expected"), [
    (int, "Int64"), (float, "Float64"), (bool, "Bool"), (complex, "Complex128"), (str, "String"),
    (list, "List"), (tuple, "Tuple"), (type(None), "None"), (np.float16, "Float16"),
    (np.dtype("int8"), "Int8"),
    (np.str_, "String"), (mstype.int8, "Int8")])
def test_pytype_to_dtype(given, expected):
    assert str(mstype.pytype_to_dtype(given)) == expected


@pytest.mark.parametrize(("given", "error", "text"), [
    (np.complex64, NotImplementedError,
     "The python type <class 'numpy.complex64'> cannot be converted to MindSpore type."),
    ("int32", TypeError, "For 'pytype_to_dtype', the argument 'obj' must be a python type object,such as "
                         "int, float, str, etc. But got type <class 'str'>.")])
def test_pytype_to_dtype_refuses(given, error, text):
    with pytest.raises(error) as raised:
        mstype.pytype_to_dtype(given)
    assert str(raised.value) == text


def test_get_py_obj_dtype():
    import ms2torch as ms

    given = [1, 1.0, True, "s", [1], None, np.int8(1), lambda: 1, int, ms.float32, ms.Tensor([1.0])]
    assert [repr(mstype.get_py_obj_dtype(v))[10:] for v in given] == [
        "int64", "float64", "bool", "string_", "list_", "type_none", "int8", "function", "int64", "type_type",
        "tensor[float32]"]
    with pytest.raises(NotImplementedError, match="cannot be converted to MindSpore type"):
        mstype.get_py_obj_dtype({})


def test_dtype_to_pytype():
    found = [mstype.dtype_to_pytype(getattr(mstype, n))
             for n in ("bool_", "int_", "uint16", "bfloat16", "complex64", "string", "tuple_", "type_none")]
    assert found == [bool, int, int, float, complex, str, tuple, type(None)]
    for one in (mstype.number, mstype.qint4x2, mstype.tensor_type):
        with pytest.raises(KeyError):
            mstype.dtype_to_pytype(one)
        with pytest.raises(KeyError):
            mstype.dtype_to_nptype(one)


def test_type_size_in_bytes():
    names = ("bool_", "int16", "bfloat16", "complex128", "qint4x2", "int_", "string", "tensor_type")
    assert [mstype.type_size_in_bytes(getattr(mstype, n)) for n in names] == [1, 2, 2, 16, 1, 1, 0, 0]
    with pytest.raises(TypeError):
        mstype.type_size_in_bytes(1)


def test_quant_dtypes_have_a_value_method():
    assert (str(mstype.QuantDtype.INT8), mstype.QuantDtype.INT8.value()) == ("INT8", 7)
    assert [q.value() for q in mstype.QuantDtype] == [*range(16), *range(100, 116)]


def test_groups():
    assert mstype.number_type == mstype.all_types[1:] and len(mstype.all_types) == 19
    assert mstype.float_type[3:] == (
        mstype.bfloat16, mstype.float8_e4m3fn, mstype.float8_e5m2, mstype.hifloat8)
    assert mstype.uint_type == (mstype.uint8, mstype.uint16, mstype.uint32, mstype.uint64)


def test_packages_may_show_dtypes_otherwise(monkeypatch):
    """As MindNLP's stand-in for torch does; what operators take does not hang on it."""
    from ms2torch import Tensor, ops

    monkeypatch.setattr(mstype.Type, "__str__", mstype.Type.__repr__)
    found = ops.Polar()(Tensor([2.0]), Tensor([0.0]))
    assert found.asnumpy().tolist() == [2 + 0j]
