"""What older Primitives say to inputs that their signatures cannot make ready: wrong counts, values that are
no Tensor and no number, dtypes without a common one, and what is written to of a lower dtype."""

import mindspore as ms
import mindspore.numpy as mnp
import numpy as np
from mindspore import Parameter, Tensor, mint, nn, ops

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
        made = call(*inputs)
        for one in made if isinstance(made, (tuple, list)) else (made,):
            one.asnumpy()                   # (what is computed behind one's back fails then)
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


@case(each={"batch": [0, 2]})
def test_max_pools_of_empty_batches(batch):
    row, image, room = (Tensor(np.ones((batch, 2, *(4,) * n), np.float32)) for n in (1, 2, 3))
    return [told(nn.MaxPool2d(2, 2), image), told(nn.MaxPool2d(2, 1, pad_mode="same"), image),
            told(nn.MaxPool2d(2, 1, pad_mode="pad", padding=1), image), told(ops.MaxPool(2, 2), image),
            told(nn.MaxPool1d(2), row), told(nn.MaxPool1d(9), row), told(ops.MaxPool3D(2), room),
            told(ops.max_pool2d, image, 2), told(nn.AvgPool2d(2), image)]


@case(each={"dtype": [ms.bfloat16, ms.complex64, ms.complex128, ms.float16]})
def test_dtypes_unknown_to_numpy(dtype):
    x = Tensor(np.array([[1.0, 2.0, 3.0]], np.float32))
    y = x.astype(dtype)
    pairs = [(x, y), (y, x), (y, 2), (y, 2.5), (y, True)] if dtype != ms.float16 else []
    return [[told(f, *pair) for pair in pairs] for f in (mnp.fmod, mnp.gcd, mnp.heaviside, mnp.lcm)] + \
        [told(mnp.cross, x, y), told(mnp.where, x > 1, y, 2)] + \
        [told(f, y) for f in (mnp.sin, mnp.arccos, mnp.tanh) if dtype != ms.complex64]


@case(each={"dtype": [ms.int8, ms.complex64]})
def test_shapes_before_dtypes_or_after(dtype):
    a, b = (Tensor(np.ones(shape), dtype) for shape in ((2, 3), (4, 5)))
    found = [told(call, a, b) for call in (ops.Polar(), ops.NextAfter(), ops.Fmax(), ops.Lcm(), ops.DivNoNan(),
                                           ops.Xdivy(), ops.igamma)]
    return [*found, told(ops.Betainc(), a, b, b), told(ops.matrix_band_part, a, (1, 2), 1)]
