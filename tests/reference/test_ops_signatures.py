"""What older Primitives say to inputs that their signatures cannot make ready: wrong counts, values that are
no Tensor and no number, dtypes without a common one, and what is written to of a lower dtype."""

import mindspore as ms
import mindspore.numpy as mnp
import numpy as np
from mindspore import Parameter, Tensor, mint, ops

from tests.reference.judge import case

VALUES = {
    "None": None, "word": "a", "pair": (1, 2), "list of one": [2.5], "tensors": [Tensor(np.ones(2, np.int8))],
    "array": np.ones(2), "dtype": ms.float32, "dict": {}, "complex": 1j,
    "uint16": Tensor(np.ones((2, 2), np.uint16)), "float64": Tensor(np.ones((2, 2), np.float64)),
    "int": 2, "float": 1.5, "bool": True,
}


def told(call, *inputs):
    """The class and the text of the error of a call."""
    try:
        call(*inputs)
        return "taken"
    except Exception as err:
        return type(err).__name__, str(err).split("\n")[0]


def ones(dtype=ms.float32):
    return Parameter(Tensor(np.ones((2, 2)), dtype), name="p")


@case(each={"value": list(VALUES)})
def test_values_that_are_not_made_ready(value):
    x, index = VALUES[value], Tensor([0, 1], ms.int32)
    return [told(ops.ScatterAdd(), ones(), index, x),
            told(ops.scatter_max, ones(), index, x),
            told(ops.ScatterNdSub(), x, Tensor([[0]], ms.int32), Tensor(np.ones((1, 2), np.float32))),
            told(ops.IndexAdd(0), ones(), index, x),
            told(ops.SparseApplyFtrl(0.1, 0.1, 0.1, -0.5), ones(), ones(), ones(), x, index),
            told(ops.Hypot(), Tensor(np.ones((2, 2), np.float32)), x),
            told(ops.SquaredDifference(), x, Tensor(np.ones((2, 2), np.int32)))]


@case
def test_counts_of_inputs():
    p, some = ones(), []
    for made in (ops.ApplyMomentum(), ops.ScatterAdd(), ops.Adam(), ops.BitwiseXor(), ops.ApplyAdagradDA(),
                 ops.Mod(), ops.SparseApplyRMSProp(0.9, 0.1, 0.1), ops.FusedSparseFtrl(0.1, 0.1, 0.1, -0.5)):
        some += [told(made, *[p] * count) for count in (0, 1, 2, 11) if count != 2 or made.name not in (
            "BitwiseXor", "Mod")]
    return some


@case(each={"dtype": [ms.float16, ms.float64, ms.int8, ms.uint16]})
def test_dtypes_of_what_is_written(dtype):
    p, q = ones(), ones(dtype)
    return [told(ops.ApplyMomentum(), q, p, 0.1, p, 0.9), told(ops.ApplyMomentum(), p, q, 0.1, p, 0.9),
            told(ops.ApplyAdaMax(), p, p, q, 0.9, 0.1, 0.9, 0.9, 1e-8, p),
            told(ops.ScatterUpdate(), q, Tensor([0, 1], ms.int32), p),
            told(ops.ApplyFtrl(), q, q, q, q, 0.1, 0.0, 0.0, -0.5),
            told(ops.SparseApplyAdagradV2(0.1, 0.1), p, p, q, Tensor([0, 1], ms.int32))]


WRONG = {"int": 2, "float": 1.5, "bool": True, "None": None, "pair": (1, 2), "word": "a", "array": np.ones((3, 3))}


@case(each={"value": list(WRONG)})
def test_what_the_parser_says_of_functions(value):
    x, v = Tensor(np.ones((3, 3), np.float32)), WRONG[value]
    calls = [(ops.atan2, x, Tensor(np.ones(3)) if value in ("int", "float", "bool") else v),
             (ops.lerp, x, x, "a" if value == "float" else v),
             (ops.cross, x, v), (ops.mm, x, v), (ops.det, v), (ops.polar, v, x),
             (ops.isclose, v, x), (ops.gather_elements, x, 0, v), (ops.searchsorted, v, x),
             (ops.binary_cross_entropy_with_logits, x, v, x, x), (mint.special.round, v)]
    return [[said.split(". The valid")[0].rstrip(".") for said in told(*call)] for call in calls]


@case(each={"axes": [(0, 0), (1, -1), (1, 1, 1)]})
def test_an_axis_twice(axes):
    x = Tensor(np.arange(6).reshape(2, 3).astype(np.float32))
    return [told(f, x, axes) for f in (ops.std, ops.var, mnp.amax, mnp.amin, mnp.ptp, Tensor.ptp, ops.mean)]


@case(each={"dtype": [ms.int16, ms.float64, ms.complex64, ms.uint8]})
def test_which_input_of_a_wrong_dtype_is_told(dtype):
    one, some = Tensor(np.ones(()), dtype), Tensor(np.ones((2, 2)), dtype)
    p = Parameter(some, name="p")
    return [told(ops.ApplyAdagradDA(), p, p, p, some, one, one, one, one),
            told(ops.ApplyAdamWithAmsgrad(), p, p, p, p, one, one, one, some),
            told(ops.OneHot(), some, 3, one, one), told(ops.MultiMarginLoss(), some, some, some),
            told(ops.ScatterNdMax(), p, some, some), told(ops.Complex(), some, some),
            told(ops.FusedSparseFtrl(0.1, 0.1, 0.1, -0.5), p, p, p, some, some),
            told(ops.SparseApplyRMSProp(0.9, 0.1, 0.1), p, p, p, 0.1, some, some)]
