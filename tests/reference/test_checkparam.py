"""``mindspore._checkparam``: values given back, and every refusal in MindSpore's words."""

import mindspore as ms
from mindspore import _checkparam as v
from mindspore.common import dtype as mstype

from tests.reference.judge import case


def told(function, *calls):
    """What each call gives: the value, or the error's type and text."""
    answers = []
    for arguments in calls:
        try:
            answers.append(repr(function(*arguments)))
        except Exception as error:
            answers.append(f"{type(error).__name__}: {error}")
    return answers


_ZERO = [
    "check_positive_int",
    "check_negative_int",
    "check_non_positive_int",
    "check_non_negative_int",
    "check_positive_float",
    "check_negative_float",
    "check_non_positive_float",
    "check_non_negative_float",
]


@case
def test_signs_of_ints_and_floats():
    values = [0, 3, -3, 0.0, 1.5, -1.5, True, "1", float("nan"), float("inf")]
    return {
        name: told(getattr(v, name), *[(x, "a", "P") for x in values], (values[1], "a"), (values[2],))
        for name in _ZERO
    }


@case
def test_relations_to_a_value():
    relations = [v.EQ, v.NE, v.LT, v.LE, v.GT, v.GE]
    return [
        told(v.check_int, *[(x, 4, r, "a", "P") for r in relations for x in (3, 4, 5)]),
        told(v.check_int, (3, (4, 5), v.IN, "a", "P"), (4, (4, 5), v.IN), (4, (4, 5), v.NOT_IN, "a")),
        told(v.check_float, (3.0, 4.0, v.GE, "a", "P"), (3, 4.0, v.GE, "a", "P"), (5.0, 4.0, v.GE)),
        told(v.check_number, ("a", 3, 4, v.GE, "P"), ("a", 5, 4, v.GE, "P")),
        told(
            v.check,
            ("a", 3, "b", 4, v.EQ, "P"),
            ("a", 3, "b", 4, v.GE, "P", TypeError),
            ("a", 3, "b", 4),
            ("a", 4, "b", 4),
            ("a", 3, "b", (4, 5), v.IN, "P"),
        ),
    ]


@case
def test_ranges():
    ends = [v.INC_NEITHER, v.INC_LEFT, v.INC_RIGHT, v.INC_BOTH]
    return [
        told(
            v.check_int_range,
            *[(x, 0, 5, r, "a", "P") for r in ends for x in (0, 3, 5, 6)],
            (True, 0, 5, ends[0]),
            (0.5, 0, 5, ends[0], "a", "P"),
            (9, 0, 5, ends[0]),
        ),
        told(
            v.check_float_range,
            (1.5, 0.0, 1.0, v.INC_BOTH, "a", "P"),
            (1, 0.0, 1.0, v.INC_BOTH, "a", "P"),
            ("1", 0.0, 1.0, v.INC_BOTH, "a"),
            (0.5, 0.0, 1.0, v.INC_BOTH),
        ),
        told(v.check_number_range, (5, 0, 3, v.INC_BOTH, int, "a", "P")),
    ]


@case
def test_kinds_of_numbers_and_bools():
    return [
        told(v.check_is_int, (3, "a", "P"), (3.0, "a", "P"), (3.0,), (True, "a")),
        told(v.check_is_float, (3.0, "a", "P"), (3, "a", "P")),
        told(
            v.check_is_number,
            (3, float, "a", "P"),
            (3, (float, int), "a", "P"),
            (float("inf"), float, "a", "P"),
        ),
        told(v.check_bool, (True,), (1, "a", "P"), (1,)),
        told(v.check_isinstance, ("a", 3, int), ("a", 3, str), ("a", 3, (str, float))),
    ]


@case
def test_sequences():
    return [
        told(v.check_positive_int_sequence, ((1, 2), "a", "P"), ((1, 0), "a", "P"), (1, "a", "P")),
        told(v.check_non_negative_int_sequence, ((1, 0), "a"), ((1, -1), "a", "P")),
        told(v.check_positive_float_sequence, ((1.0,), "a"), ((0.0,), "a", "P")),
        told(v.check_size_and_element_type_of_tuple, ("a", (1, 2), 2, int, "P"), ("a", (1, 2), 3, int, "P")),
        told(v.check_element_type_of_iterable, ("a", [1, 2], [int], "P"), ("a", [1, "x"], [int], "P")),
        told(v.check_element_type_of_dict, ("a", {"x": "y"}, [str], [int], "P")),
        told(v.twice, (3,), ((1, 2),)),
        told(v.triple, (3,)),
    ]


@case
def test_strings():
    return [
        told(
            v.check_string,
            ("a", ["a", "b"]),
            ("x", ["a", "b"], "n", "P"),
            ("x", ["a", "b"]),
            (1, ["a", "b"], "n", "P"),
        ),
        told(v.check_str_by_regular, ("ab",), ("a b",), ("",), ("a b", None, 0, "P")),
        told(v.check_file_name_by_regular, ("ok.txt",), ("a?b",), ("",)),
    ]


@case
def test_types():
    return told(
        v.check_value_type,
        ("a", 1, str, "P"),
        ("a", 1, [str, float], "P"),
        ("a", True, [int], "P"),
        ("a", True, [int]),
        ("a", 1, [int]),
        ("a", True, [int, bool]),
        ("a", None, (int, type(None)), "P"),
    )


@case
def test_dtypes():
    f, i = mstype.float32, mstype.int32
    return [
        told(
            v.check_type_name,
            ("a", f, [i], "P"),
            ("a", f, i, "P"),
            ("a", f, [f], "P"),
            ("a", f, [i, mstype.int8], "P"),
        ),
        told(
            v.check_subclass, ("a", f, i, "P"), ("a", f, (i, mstype.int64), "P"), ("a", f, mstype.number, "P")
        ),
        told(v.check_types_same_and_valid, ({"a": f, "b": i}, [f], "P"), ({"a": f, "b": i}, [f, i], "P")),
    ]


@case
def test_axes_and_the_rest():
    return [
        told(v.check_axis_in_range, (3, 2), (-1, 2), (1, 2)),
        told(v.check_axis_valid, ((0, 1), 2), (None, 2), ((0, 0), 2), (5, 2), (-1, 2)),
        told(v.check_pad_value_by_mode, ("same", 3, "P"), ("pad", 3, "P")),
        told(v.check_valid_input, ("a", None, "P"), ("a", 1, "P")),
        told(v.check_input_format, ("NCWH",), ("NCHW",)),
        told(v.check_output_data, (None,), (1,)),
        told(v.check_hook_fn, (3,), (print,)),
    ]


@v.args_type_check(a=int, b=(int, str))
def _typed(a, b="x", **others):
    return a, b, others


@case
def test_argument_types_by_decorator():
    answers = []
    for args, kwargs in [
        ((1,), {}),
        ((1, "s"), {}),
        ((None,), {}),
        (("1",), {}),
        ((1, 2.0), {}),
        ((1,), {"z": 3}),
    ]:
        try:
            answers.append(repr(_typed(*args, **kwargs)))
        except TypeError as error:
            answers.append(str(error))
    return answers


@case
def test_sizes_and_axes():
    return [
        told(v.twice, (5,), (0.5,), ("s",), ((1, 2, 3),), ((3.3, 4),), ([1, 2],), (True,)),
        told(v.triple_sequence, (3,), ([1, 2, 3],), ([1],), (["a", 1, 2],), ("abc",)),
        told(v.check_and_canonicalize_axes, (-1, 3), ((0, 0), 3), (5, 3), (1.0, 3)),
        told(v.check_swapaxes_axis, ((0, -1), 3), ("a", 3), ((0, 1.5), 3), (4, 3)),
        told(v.check_axis_type, (1.0,), ((1, 2.0),), (1,)),
        told(v.check_transpose_axis, ((), 3), (((1, 0, 2),), 3), ((0,), 3), ((1.5,), 3), ((0, 1), 3)),
        told(v.check_reshape_shp, ((2, 3),), ((3,),), (([2, 3],),), (("a",),)),
        told(v.check_flatten_order, ("C",), ("K",), (1,)),
        told(v.prepare_shape_for_squeeze, ((1, 2, 1), 0), ((1, 2, 1), (0, -1)), ((1, 2, 1), 1), ((1,), 5), ((1,), "a")),
        told(v.check_reduce_shape, ((2, 3), (2,), 1, "p", "a", "b"), ((2, 3), (3,), 1, "p", "a", "b")),
        told(v.infer_out_shape, ((2, 1), (3,)), ((2, 1), (3, 2)), ((2,), (3,)), ((0,), (1,))),
    ]


@case
def test_sparse_parts():
    pairs, two = ms.Tensor([[0, 0], [0, 1]], ms.int32), ms.Tensor([1.0, 2.0])
    rows, columns = ms.Tensor([0, 1, 2], ms.int32), ms.Tensor([0, 1], ms.int32)
    wide = ms.ops.ones((2, 2), ms.float32)
    return [
        told(ms.COOTensor, (pairs, two, (2, 2, 2)), (pairs, two, (2, -2)), (pairs, two, (1, 1)), (columns, two, (2, 2)),
             (pairs, wide, (2, 2)), (pairs, rows, (2, 2)), (wide, two, (2, 2)), (pairs, two, [2, 2]), (pairs, 1, (2, 2))),
        told(ms.CSRTensor, (rows, columns, two, (2,)), (rows, columns, two, (3, 4)), (rows, columns, two, (2, 0)),
             (rows, pairs, two, (2, 4)), (rows, columns, rows, (2, 4)), (rows, columns, wide, (2, 4)),
             (rows, columns, wide, (2, 4, 3)), (rows, two, two, (2, 4)), ([0, 1, 2], columns, two, (2, 4))),
    ]


TENSOR, NUMBER = mstype.TensorType(mstype.float32), mstype.float32
HALF, WHOLE = mstype.TensorType(mstype.float16), mstype.TensorType(mstype.int8)
FLOATS = [mstype.float16, mstype.float32]
TYPES = {
    "no tensor": lambda: v.check_tensor_dtype_valid("x", NUMBER, FLOATS, "Op"),
    "another dtype": lambda: v.check_tensor_dtype_valid("x", WHOLE, FLOATS, "Op"),
    "not the one": lambda: v.check_tensor_dtype_valid("x", WHOLE, (NUMBER,), "Op"),
    "two dtypes": lambda: v.check_scalar_or_tensor_types_same({"x": TENSOR, "y": HALF}, FLOATS, "Op"),
    "a tensor and a number": lambda: v.check_scalar_or_tensor_types_same({"x": TENSOR, "y": NUMBER}, FLOATS, "Op"),
    "mixed": lambda: v.check_scalar_or_tensor_types_same({"x": NUMBER, "y": HALF}, FLOATS, "Op", True),
    "a third": lambda: v.check_scalar_or_tensor_types_same({"x": TENSOR, "y": TENSOR, "z": HALF}, FLOATS, "Op"),
    "whole numbers": lambda: v.check_scalar_or_tensor_types_same({"x": WHOLE}, FLOATS, "Op"),
    "no type": lambda: v.check_scalar_or_tensor_types_same({"x": 3}, FLOATS, "Op"),
}


@case(each={"what": list(TYPES)}, raises=True)
def test_types_that_are_refused(what):
    TYPES[what]()


@case
def test_types_that_are_taken():
    return (v.check_tensor_dtype_valid("x", HALF, FLOATS, "Op"),
            v.check_scalar_or_tensor_types_same({"x": TENSOR, "y": TENSOR}, FLOATS, "Op"),
            v.check_scalar_or_tensor_types_same({"x": TENSOR, "y": NUMBER}, FLOATS, "Op", True),
            [v.check_type_support(dtype, device, FLOATS) for dtype in (mstype.int8, NUMBER)
             for device in ("CPU", "Ascend")])
