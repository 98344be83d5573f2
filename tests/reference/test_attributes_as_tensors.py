"""Operators that are made with Tensors where numbers are meant, and with values of other classes; sizes that
are none."""

import mindspore as ms
import numpy as np
from mindspore import Tensor, ops

from tests.reference.judge import case, data
from tests.reference.test_wrong_calls import said

NUMBERS = {"an int": Tensor(1), "one in a row": Tensor([1]), "two": Tensor([1, 1]), "a float": Tensor(1.0),
           "a bool": Tensor(True), "complex": Tensor(1j), "int8": Tensor(1, ms.int8),
           "half": Tensor(1.0, ms.float16), "nothing": Tensor(np.zeros((0,), np.int64))}
ELSE = {"a string": "wrong", "a float": 1.5, "an object": object, "an int": 3, "a bool": True, "a list": [1],
        "a tuple": (1, 2), "an array": np.array([1]), "one of numpy's": np.int64(1), "a dtype": ms.float32}


def kept(operator, name, value, **more):
    """What an operator holds of an attribute, or what it says."""
    found = []
    told = said(lambda: found.append(getattr(ops, operator)(**{name: value}, **more)), (), {})
    return str(getattr(found[0], name, None)) if found else told


@case(each=[{"operator": o, "name": n} for o, n in (
    ("Argmax", "axis"), ("Argmin", "axis"), ("Concat", "axis"), ("CeLU", "alpha"), ("Elu", "alpha"),
    ("Gather", "batch_dims"), ("LayerNorm", "begin_norm_axis"), ("LogSoftmax", "axis"), ("OneHot", "axis"),
    ("Split", "output_num"), ("Cummin", "axis"), ("ArgMaxWithValue", "axis"), ("StridedSlice", "begin_mask"),
    ("HShrink", "lambd"), ("SoftShrink", "lambd"), ("Stack", "axis"), ("ReduceSum", "keep_dims"),
    ("MatMul", "transpose_a"), ("LRN", "depth_radius"), ("L2Normalize", "axis"))])
def test_a_tensor_for_a_number(operator, name):
    return {what: kept(operator, name, value) for what, value in NUMBERS.items()}


@case(each=[{"operator": o, "name": n} for o, n in (
    ("Softmax", "axis"), ("Squeeze", "axis"), ("ReverseV2", "axis"), ("BroadcastTo", "shape"),
    ("ResizeNearestNeighbor", "size"), ("AdaptiveMaxPool2D", "output_size"))])
def test_tensors_in_a_sequence(operator, name):
    return {what: (kept(operator, name, value), kept(operator, name, (value, 1)), kept(operator, name, [1, value]))
            for what, value in NUMBERS.items()}


@case()
def test_an_operator_that_was_made_with_tensors():
    x = Tensor(data((2, 3, 1)))
    return (ops.Argmax(Tensor(1))(x), ops.Squeeze((Tensor(2),))(x), ops.Softmax((Tensor(1),))(x),
            ops.Concat(Tensor(1))((x, x)), ops.Split(Tensor(1), Tensor(3))(x), ops.Squeeze([2])(x))


@case(each=[{"operator": o, "names": n} for o, n in (
    ("AdamWeightDecay", "use_locking"), ("ApplyMomentum", "use_nesterov use_locking gradient_scale"),
    ("BatchNorm", "is_training"), ("CTCGreedyDecoder", "merge_repeated"), ("LARSUpdate", "epsilon hyperpara use_clip"), ("LRN", "depth_radius bias alpha beta norm_region"),
    ("MaxPool", "kernel_size strides"), ("NMSWithMask", "iou_threshold"),
    ("ResizeBilinearV2", "align_corners half_pixel_centers"),
    ("ReverseSequence", "seq_dim"), ("ScatterUpdate", "use_locking"), ("SGD", "dampening weight_decay nesterov"),
    ("Stack", "axis"), ("TopK", "sorted"), ("UniformReal", "seed seed2"))])
def test_an_attribute_of_another_class(operator, names):
    more = {"ReverseSequence": {"seq_dim": 1}, "SGD": {}}.get(operator, {})
    return {(name, what): kept(operator, name, value, **{n: v for n, v in more.items() if n != name})
            for name in names.split() for what, value in ELSE.items()}


SHAPES = {"a list": [2, 3], "bools": (True, 2), "a float": (2.5, 3), "a string": ("a", 3), "None": None,
          "a number": 2, "negative": (-1, 2)}


@case(each={"function": ["standard_normal", "standard_laplace"]})
def test_what_is_no_shape(function):
    return {what: said(getattr(ops, function), (shape,), {}) for what, shape in SHAPES.items() if what != "negative"}


@case(each={"function": ["normal", "laplace"]})
def test_what_is_no_shape_of_numbers_around_a_mean(function):
    mean, width = Tensor(0.0), Tensor(1.0)
    return {what: said(getattr(ops, function), (shape, mean, width), {})
            for what, shape in {**SHAPES, "none": (0, 2), "a Tensor": Tensor([2, 3])}.items()}


@case()
def test_draws_of_operators_in_what_is_no_shape():
    return {what: [said(f(), (shape,), {}) for f in (ops.StandardLaplace, ops.UniformReal, ops.StandardNormal)]
            for what, shape in SHAPES.items() if what not in ("negative", "a number")}


@case()
def test_arguments_of_another_kind():
    x, at = Tensor(data((2, 3))), Tensor([[0, 1]])
    new = Tensor([[5.0, 6.0]], ms.float32)
    half = x.astype(ms.float16)
    return (*(said(ops.topk, (x, Tensor(1, d)), {}) for d in (ms.int32, ms.int64, ms.int8, ms.uint64, ms.float32)),
            *(said(ops.stack, ((x, x), a), {}) for a in (Tensor(1), np.int64(0))),
            *(said(x.scatter, (1, at, new), {"reduce": r}) for r in (None, "none", "add")),
            said(ops.lerp, (x, x + 1, Tensor(1)), {}), said(ops.lerp, (x, x + 1, Tensor(True)), {}),
            said(ops.hypot, (half, Tensor([1, 1, 1], ms.int32)), {}), said(ops.inner, (1, x), {}),
            said(ops.Slice(), (x, (True, 0), (1, 1)), {}), said(ops.Slice(), (x, (0, 0), range(1, 3)), {}),
            *(said(f, (x, np.float32(1)), {}) for f in (ops.logical_and, ops.logical_or, ops.logical_xor)))


@case(each={"how": ["add", "sub", "mul", "div", "max", "min"]})
def test_use_locking_is_a_bool(how):
    x = ms.Parameter(Tensor(data((4,))), name="x")
    at, new = Tensor([[0], [2]]), Tensor([1.0, 2.0], ms.float32)
    function = getattr(ops, f"scatter_nd_{how}")
    return {what: said(function, (x, at, new, v), {}) for what, v in ELSE.items() if what != "a bool"}
