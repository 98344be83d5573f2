"""Arguments that a form of an operation has, and others of the same operation have not; and what is said where
one of several forms is meant."""

import mindspore as ms
import numpy as np
from mindspore import Tensor, mint, ops
from mindspore.mint.nn import functional

from tests.reference.judge import case
from tests.reference.test_wrong_calls import T, said

_NAMES = ("axis", "keep_dims", "keepdims")


@case(each={"name": ["sum", "mean", "prod", "argmax", "argmin", "logsumexp", "all", "any", "max", "amax", "var",
                     "median", "norm", "softmax", "cumsum", "cumprod", "unbind", "stack", "cat", "sort", "topk"]})
def test_mint_has_torchs_names_alone(name):
    """Those of ``mindspore.ops``, which older releases had, are refused."""
    function = getattr(mint, name)
    given = ((T(2, 3), T(2, 3)),) if name in ("stack", "cat") else (T(2, 3),)
    return [said(function, given, {keyword: 0}) for keyword in _NAMES]


@case()
def test_other_names_of_single_arguments():
    """... as of some functions that release by release were called otherwise."""
    return (said(mint.isclose, (T(2),), {"x2": T(2)}), said(mint.where, (T(2) > 0,), {"x": T(2), "y": T(2)}),
            ops.sum(T(2, 3), dim=0), ops.logsumexp(T(2, 3), 0), mint.sum(T(2, 3), dim=0, keepdim=True))


_CALLS = {"0": lambda: ((), {}), "1": lambda: ((object,), {}), "2": lambda: ((T(2), object), {}),
          "3": lambda: ((T(2), 0, object), {}), "objects": lambda: ((object, object, object), {}),
          "3 of Tensors": lambda: ((T(2), T(2), T(2)), {}), "4": lambda: ((T(2), 0, True, object), {}),
          "5": lambda: ((object,) * 5, {}), "unknown": lambda: ((), {"foo": 1}),
          "2 and unknown": lambda: ((T(2), object), {"foo": 1}), "3 and unknown": lambda: ((T(2), 0, 7), {"foo": 1})}


@case(each={"call": list(_CALLS), "name": ["max", "min", "any", "where", "lerp"]})
def test_which_form_of_a_function_is_meant(call, name):
    """The one that takes as many arguments, where only one does."""
    args, named = _CALLS[call]()
    return said(getattr(mint, name), args, named)


@case(each={"call": list(_CALLS), "name": ["max", "min", "mean", "sum", "argsort", "sort", "gather", "addcdiv",
                                           "count_nonzero"]})
def test_which_form_of_a_method_is_meant(call, name):
    args, named = _CALLS[call]()
    return said(getattr(Tensor([[1.0, 2.0]], ms.float32), name), args, named)


def _values():
    """What is no dtype in MindSpore, although older releases or torch may take it for one."""
    return {"Python's": float, "numpy's class": np.float32, "numpy's dtype": np.dtype("float32"),
            "a word": "float32", "a number": 1, "a class": object}


_WITH_A_DTYPE = {
    "ops.sum": lambda v: ops.sum(T(2, 2), dtype=v), "ops.prod": lambda v: ops.prod(T(2, 2), dtype=v),
    "ops.cumprod": lambda v: ops.cumprod(T(2, 2), 0, dtype=v), "ops.norm": lambda v: ops.norm(T(2, 2), dtype=v),
    "ops.matrix_norm": lambda v: ops.matrix_norm(T(2, 2), dtype=v),
    "ops.vector_norm": lambda v: ops.vector_norm(T(2, 2), dtype=v),
    "ops.softmax": lambda v: ops.softmax(T(2, 2), dtype=v), "ops.softmin": lambda v: ops.softmin(T(2), dtype=v),
    "ops.fftfreq": lambda v: ops.fftfreq(3, dtype=v), "ops.rfftfreq": lambda v: ops.rfftfreq(3, dtype=v),
    "ops.full": lambda v: ops.full((2,), 1, dtype=v), "ops.full_like": lambda v: ops.full_like(T(2), 1, dtype=v),
    "ops.ones_like": lambda v: ops.ones_like(T(2), dtype=v), "ops.arange": lambda v: ops.arange(3, dtype=v),
    "ops.zeros_like": lambda v: ops.zeros_like(T(2), dtype=v), "ops.rand": lambda v: ops.rand(2, dtype=v),
    "ops.randn": lambda v: ops.randn(2, dtype=v), "ops.rand_like": lambda v: ops.rand_like(T(2), dtype=v),
    "ops.randint": lambda v: ops.randint(0, 3, (2,), dtype=v), "ops.randperm": lambda v: ops.randperm(3, dtype=v),
    "ops.hann_window": lambda v: ops.hann_window(3, dtype=v), "ops.logspace": lambda v: ops.logspace(0, 1, 2, dtype=v),
    "ops.hamming_window": lambda v: ops.hamming_window(3, dtype=v),
    "ops.kaiser_window": lambda v: ops.kaiser_window(3, dtype=v),
    "mint.sum": lambda v: mint.sum(T(2, 2), dtype=v), "mint.mean": lambda v: mint.mean(T(2, 2), dtype=v),
    "mint.prod": lambda v: mint.prod(T(2, 2), dtype=v), "mint.softmax": lambda v: mint.softmax(T(2), 0, dtype=v),
    "mint.cumprod": lambda v: mint.cumprod(T(2), 0, dtype=v), "F.softmax": lambda v: functional.softmax(T(2), 0, v),
    "Tensor.sum": lambda v: T(2).sum(dtype=v), "Tensor.mean": lambda v: T(2).mean(dtype=v),
    "Tensor.trace": lambda v: T(2, 2).trace(dtype=v),
    "random_categorical": lambda v: T(2, 2).random_categorical(1, dtype=v)}


@case(each={"name": list(_WITH_A_DTYPE)})
def test_what_is_no_dtype(name):
    """... numpy's and Python's are none, although ``Tensor.astype`` takes them."""
    found = {}
    for what, value in _values().items():
        found[what] = said(_WITH_A_DTYPE[name], (value,), {})
    return found


@case(each={"name": ["argsort", "min", "select", "topk", "add", "sum", "reshape", "abs", "mul", "squeeze", "tile"]})
def test_methods_taken_off_the_class_and_given_nothing(name):
    return said(getattr(Tensor, name), (), {}), said(getattr(Tensor, name), (), {"dim": 1})


@case()
def test_axes_out_of_range():
    x, line = T(2, 2), T(3, 3)
    return (said(mint.swapaxes, (x, 0, 2), {}), said(mint.swapaxes, (x, -3, 0), {}), said(x.narrow, (0, 2, 1), {}),
            said(ops.narrow, (x, 0, 3, 1), {}), said(ops.cross, (line, line, 2), {}),
            said(mint.cross, (line, line), {"dim": -3}), said(x.repeat_interleave, (2, 2), {}),
            said(mint.repeat_interleave, (x, 2, 3), {}), said(ops.rot90, (T(2), 1, (0, 1)), {}),
            said(ops.rot90, (x, 1, (1, 1)), {}), said(ops.nansum, (x,), {"axis": (1, 1)}),
            said(mint.prod, (x, (0,)), {}), said(x.new_zeros, ((2, -2),), {}), said(x.new_ones, ((-1,),), {}),
            said(x.new_empty, ((-1,),), {}), said(mint.empty, ((2, -2),), {}), said(ops.dot, (T(2), x), {}),
            said(ops.eye, (0.5,), {}), said(ops.eye, ([2],), {}), said(ops.cond, (x, "float32"), {}))


@case()
def test_sizes_of_convolutions():
    x = T(1, 1, 1, 2, 2)
    return (said(ops.Conv3D, (1, -1), {}), said(ops.Conv3D, (1, 1), {"stride": -1}),
            said(ops.Conv3D, (1, 1), {"dilation": 0}), said(ops.conv3d, (x, x), {"stride": -1}),
            said(ops.conv1d, (T(1, 1, 2), T(1, 1, 2)), {"pad_mode": "area"}))


@case(each={"name": ["narrow", "index_select", "gather", "scatter", "index_add", "select", "topk", "split", "chunk"]})
def test_methods_given_too_little(name):
    return said(getattr(T(2, 2), name), (), {}), said(getattr(T(2, 2), name), (0,), {})


@case(each={"dtype": [np.uint16, np.uint32, np.uint64]})
def test_numbers_without_a_common_dtype(dtype):
    x, y = T(2, 2), Tensor(np.ones((2, 2), dtype))
    return (said(ops.fmod, (x, y), {}), said(ops.fmod, (y, x), {}), said(mint.fmod, (x, y), {}),
            said(ops.div, (x, y), {"rounding_mode": "floor"}), said(mint.div, (x, y), {"rounding_mode": "trunc"}),
            said(ops.kron, (x, y), {}), said(ops.svd, (y,), {}), said(ops.cdist, (y, y), {}))


@case()
def test_what_was_taken():
    x, one = T(2, 2), Tensor([1.0])
    return (said(mint.sub, (x, x), {"alpha": one}), said(mint.add, (x, x), {"alpha": one}),
            said(x.add, (x,), {"alpha": one}), mint.sub(x, x, alpha=Tensor(2.0)),
            said(ops.BoundingBoxDecode, ((10, 10),), {"means": (0, 0, 0, 0)}),
            said(ops.BoundingBoxEncode, (), {"stds": (1, 1, 1, 1)}),
            said(ops.FractionalMaxPool3DWithFixedKsize, ((1,), (1, 1, 1)), {}),
            said(ops.FractionalMaxPool3DWithFixedKsize, (0, (1, 1, 1)), {}),
            said(ops.FractionalMaxPool3DWithFixedKsize, ((-1, 1, 1), (1, 1, 1)), {}),
            said(ops.fftfreq, (-0.5,), {}), said(ops.logaddexp2, (x, [1.0]), {}), said(ops.logaddexp, (x, (1,)), {}))


@case(each={"shape": [(9,), (6, 3), (2,), (1, 2, 3), (3, 2), (1, 3), (2, 1), (2, 4), (1, 5), (5, 6)]})
def test_shapes_that_cannot_be_copied(shape):
    return said(T(2, 3).copy_, (T(*shape),), {})


@case()
def test_further_wrong_arguments():
    x = T(2, 3)
    permutations = ((3,), (-4, 1), (0, 2), (0, 0), (1, 2), (1, 0))
    return ([said(ops.InvertPermutation(), (p,), {}) for p in permutations],
            [said(ops.bitwise_left_shift, (x.astype(d), 1), {}) for d in (ms.float16, ms.float64, ms.complex64)],
            said(ops.fractional_max_pool2d, (T(1, 1, 2, 2), 1), {}), said(ops.GLU(), (T(1)[0],), {}),
            said(ops.lp_pool2d, (T(1, 1, 2, 2), 0, 1), {}), said(ops.logcumsumexp, (x, (0, 1)), {}),
            said(ops.frac, (2,), {}), said(ops.group_norm, (Tensor(np.ones((1, 2, 2), np.int8)), 1), {}),
            said(ops.Assert(), (False, [x]), {}), x.max(axis=(0, 1), return_indices=True),
            x.min(axis=[0], return_indices=True), said(x.max, (), {"axis": (0, 0), "return_indices": True}))


@case(each={"dtype": [np.int8, np.int16, np.uint8, np.uint16, np.int64, np.float32]})
def test_how_often_slices_are_repeated(dtype):
    times = Tensor(np.array([1, 2], dtype))
    told = said(T(2, 2).repeat_interleave, (times, 0), {})
    return (T(2, 2).repeat_interleave(times, 0) if told == "value" else told,
            said(ops.repeat_interleave, (T(2, 2), times, 0), {}),
            [said(ops.repeat_interleave, (T(2, 2), wrong, 0), {}) for wrong in (1.5, [1.5, 2], [-1, 1], -1)])
