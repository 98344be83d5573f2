"""Arguments that Python takes for a number, a sequence or a Tensor: what MindSpore says of them."""

import mindspore as ms
import mindspore.numpy as mnp
import numpy as np
from mindspore import Parameter, Tensor, mint, nn, ops

from tests.reference.judge import case, data
from tests.reference.test_wrong_calls import said

X = Tensor(data((2, 3)))
NUMBERS = (np.float32(2), np.int64(1), np.bool_(True), np.array(1), np.array([1]))


def answers(function, values):
    ms.set_context(pynative_synchronize=True)
    return [said(function, (value,), {}) for value in values]


@case(each={"name": ["Exp", "ReLU", "Argmax", "Argmin", "NonZero", "Cast", "Equal", "OneHot", "ReduceSum"]})
def test_numbers_of_numpy_for_tensors(name):
    """Some are numbers to MindSpore's parser of calls, arrays are nothing."""
    made = getattr(ops, name)()
    others = {"Cast": (ms.int32,), "Equal": (X,), "OneHot": (3, Tensor(1.0), Tensor(0.0))}.get(name, ())
    return answers(lambda v: made(v, *others), NUMBERS)


@case(each={"name": ["ReduceSum", "ReduceMax", "ReduceAll"]})
def test_axes_of_numpy(name):
    x = Tensor(np.array([[True, False, True]])) if name == "ReduceAll" else X
    return answers(lambda v: getattr(ops, name)()(x, v), NUMBERS)


@case(each={"name": ["sum", "softmax", "cumsum", "expand_dims", "gather"]})
def test_axes_of_functions(name):
    others = (Tensor([0]),) if name == "gather" else ()
    return answers(lambda v: getattr(ops, name)(X, *others, v), NUMBERS)


@case(each={"name": ["mean", "abs", "sum", "exp", "sqrt"]})
def test_methods_of_other_objects(name):
    return answers(getattr(Tensor, name), (True, 1.5, 1j, "a", b"a", [1], (1.0,), {}, {1}, None, ms.float32, abs,
                                           np.float32(1), np.ones(2)))


@case(each={"name": ["cos", "arctan", "tan", "flip", "reshape", "atleast_1d"]})
def test_names_of_own_types(name):
    others = ((3, 2),) if name == "reshape" else ()
    return answers(lambda v: getattr(mnp, name)(v, *others),
                   (1, True, 1.5, 1j, "a", b"a", None, slice(1), ..., ms.float32, int, {1}, {}, abs, np.float32(1)))


@case()
def test_norms_of_an_order_of_numpy():
    return ops.norm(X, np.float32(2)), ops.norm(X, np.float64(2)), ops.norm(X, 2.0), ops.norm(X, np.int64(2))


@case()
def test_casts_of_numbers():
    return ops.cast(np.float32(2.5), ms.int32), ops.cast(np.bool_(True), ms.float16), ops.cast(2.5, ms.int8)


@case(each={"value": [-1e9, 1e5, 65504.0, -65521.0, float("inf")]})
def test_masks_beyond_a_half(value):
    x, mask = Tensor(np.ones((2, 2), np.float16)), Tensor([True, False])
    return ops.masked_fill(x, mask, value), x.masked_fill(mask, value), x.masked_fill(mask, Tensor(value)), \
        ops.MaskedFill()(x, mask, Tensor(value, ms.float16))


@case()
def test_layers_of_axes_that_layer_norm_has_not():
    x, ones = Tensor(data((2, 3, 4))), Tensor(np.ones(4, np.float32))
    ms.set_context(pynative_synchronize=True)
    return [said(lambda a, b, e: ops.LayerNorm(a, b, e)(x, ones, ones)[0], given, {}) for given in (
        (-2, -1, 1e-7), (3, 2, 1e-7), (-1, -2, 1e-7), (2, 0, 1e-7), (2, 2, 1), (True, 2, 1e-7), (2, "a", 1e-7),
        (None, 2, 1e-7), (2, 2, 1e-7), (np.int64(2), -1, 1e-7))]


@case()
def test_a_layer_norm_made_of_tensors():
    x = Tensor(data((2, 3)))
    return (ms.nn.LayerNorm((3,), Tensor(1), Tensor(1))(x), said(ms.nn.LayerNorm, ((3,), Tensor([1])), {}),
            said(lambda: ms.nn.LayerNorm((3,), epsilon=1)(x), (), {}),
            said(lambda: ms.nn.LayerNorm((3,), -2)(x), (), {}))


@case()
def test_slices_of_tensors_in_a_tuple():
    return ops.slice(X, (Tensor(0), 1), (1, Tensor(2))), ops.Slice()(X, (Tensor([1]), 0), [1, 1])


@case(each={"order": [1, float("inf")]})
def test_norms_of_no_columns(order):
    return said(lambda: ops.matrix_norm(Tensor(np.zeros((2, 0), np.float32)), order).asnumpy().shape, (), {})


@case(each={"dtype": [ms.int32, ms.uint8, ms.float32, ms.int16]})
def test_shifts_by_another_dtype(dtype):
    x, by = Tensor([100, 7], ms.int16), Tensor([1, 2], dtype)
    return x.bitwise_right_shift(by), said(ops.bitwise_right_shift, (x, by), {}), said(x.bitwise_left_shift, (by,), {})


@case()
def test_hypot_of_two_halves():
    return ops.hypot(Tensor([3.0], ms.bfloat16), Tensor([4.0], ms.float16)), \
        ops.Hypot()(Tensor([3.0], ms.float16), Tensor([4.0], ms.bfloat16))


@case(each={"count": [1, 2, 3, 4]})
def test_lengths_and_segments_of_another_number(count):
    x, lengths = Tensor(data((3, 3))), Tensor(np.ones(count, np.int64))
    return [said(lambda f=f: f(x, lengths), (), {}) for f in (
        ops.ReverseSequence(1, 0), ops.SegmentSum(), ops.SegmentMax(), ops.SegmentMean(), ops.SegmentProd())]


@case(each={"shapes": [((2, 3), (2,)), ((2, 3), (1,)), ((2, 3), (1, 2)), ((2, 3), (2, 1)), ((2, 3), ()),
                       ((1, 2, 3), (1, 3)), ((1, 2, 3), (2,)), ((2, 3), (3,))]})
def test_targets_of_cosine_embedding_loss(shapes):
    of_inputs, of_target = shapes
    a, b = Tensor(data(of_inputs)), Tensor(data(of_inputs, seed=1))
    return said(lambda: ops.cosine_embedding_loss(a, b, Tensor(np.ones(of_target, np.float32))).shape, (), {})


@case(each={"name": ["max", "min"]})
def test_axes_of_extremes(name):
    values = (None, [1], (1,), 1, True, 1.5, np.int64(1), "a")
    method, function = getattr(X, name), getattr(mint, name)
    return (answers(lambda v: method(v, keepdim=True), values), answers(lambda v: function(X, v, True), values),
            answers(lambda v: function(X, 1, v), values), said(method, (), {"keepdim": True}),
            said(function, (X,), {"keepdim": True}), function(X, np.int64(1)),
            answers(lambda v: function(X, v), (None, [1], (1,), "a")))


@case()
def test_what_is_printed_of_a_sequence():
    return answers(lambda v: ops.pad(X, v), ((np.int64(1), 1), [np.float32(1), 2], (Tensor(1), 1), [Tensor([1]), 1],
                                             (None, 1), (1.5, 1)))


@case()
def test_sizes_in_tensors():
    """One in a sequence is taken as it is alone; of no dimension it is one number."""
    two = Tensor(2)
    return (ops.full((two,), 1), ops.full([Tensor([2])], 1), ops.fill(ms.float32, Tensor([2, 1]), 1), ops.tile(X, two),
            ops.tile(X, (2, two)), ops.inplace_update(X, X[:1], (Tensor(1),)),
            answers(lambda v: ops.tile(X, v), (Tensor(2.0), Tensor([2.0]), 2, (2.0,))))


@case()
def test_axes_of_a_product_in_tensors():
    return answers(lambda v: X.prod(v, True), (Tensor(1), Tensor([1]), Tensor(1, ms.int8), Tensor(True), Tensor([0, 1])))


@case()
def test_extremes_of_numbers_of_numpy():
    """A number is its own extreme, at the place 0, whatever the axis."""
    return [(float(value), index) for value, index in (of(number, *axis) for of in (ops.max, ops.min) for axis in ((), (1,))
                                                       for number in (np.float64(2.5), np.float16(1), np.int64(3)))]


@case()
def test_numbers_beyond_int64():
    ms.set_context(pynative_synchronize=True)
    x, big = Tensor([0.0, 2.0, -1.0]), 2 ** 63
    return (mnp.heaviside(x, big), mnp.heaviside(big, x), mnp.heaviside([0, 1], big), mnp.where(Tensor([True, False]), big, 1), mnp.isfinite(big),
            mnp.sum(big), answers(lambda v: mnp.subtract(x, v), (big, -big, 2 ** 64)), answers(lambda v: mnp.unravel_index(v, (3, 4)), (big, 2 ** 64, 5)),
            answers(lambda v: ops.add(x, v), (big, 2 ** 64)), answers(lambda v: mint.maximum(x, v), (big, -big)))


@case()
def test_names_for_batch_norm():
    one, rest = Tensor(data((2, 3, 2, 2))), dict.fromkeys(("scale", "bias", "mean", "variance"), Tensor(data((3,))))
    return [said(ops.BatchNorm(), args, named) for args, named in (((one,), rest), ((), {"input_x": one, **rest}), ((), {"x": one}), ((), {}), ((one,), {}))]


@case(each={"name": ["pow", "**", "mint.pow"]})
def test_gradients_of_powers_of_mutable_numbers(name):
    f = {"pow": ops.pow, "**": lambda a, b: a ** b, "mint.pow": mint.pow}[name]
    x = Tensor([1.0, 2.0, 3.0])
    return (ms.grad(lambda a, b: f(b, a), (0, 1))(x, ms.mutable(2.0)), ms.grad(lambda a, b: f(a, b), (0, 1))(x, ms.mutable(2.0)),
            ms.grad(lambda a, b: f(a, b))(Tensor([0.0, 2.0]), ms.mutable(0.0)))


@case()
def test_sizes_to_sum_to():
    x = Tensor(data((2, 2)))
    return [said(x.sum_to_size, size, {}) for size in ((1, 2), ((1, 2),), ([1, 2],), ((1, 2), None), ((1, 2), 1), ((),), (), (0.5,), ("ab",), ((1, 0.5),), (2.0, 2),
                                                       (1, (1, 2)), ({},), (3,), (2, 2, 2))]


@case()
def test_what_is_no_tensor_but_has_a_shape():
    ms.set_context(pynative_synchronize=True)
    sparse = ms.COOTensor(Tensor([[0, 0]]), Tensor([1.0]), (2, 2))
    pads = nn.ReplicationPad2d(1), nn.ReflectionPad2d(1)
    return (answers(ops.min, (sparse,)), answers(ops.max, (sparse,)), answers(pads[0], (np.float32(1), np.int64(1))), answers(pads[1], (sparse,)),
            answers(lambda v: ops.cartesian_prod(v, Tensor([1.0])), (1, "a", [1, 2], None, (1.5,), np.float32(1), Tensor([1]))), said(ops.cartesian_prod, (), {}),
            said(mnp.less, ((None,), 1), {}), said(mnp.less, ([1, "a"], 1), {}), answers(lambda v: ops.swapaxes(v, 0, 1), (ms.int32, 1)),
            answers(lambda v: ops.NonDeterministicInts(dtype=v), (3, ms.float32, (True, 1), 1.5, None)),
            answers(lambda v: mint.full_like(v, 1), (3, [1.0], None, "a")), said(mint.full_like, (3, 1), {"dtype": ms.float32}),
            answers(nn.HShrink, (Tensor(1.0), np.float32(1))), said(mnp.sometrue, (2 ** 63,), {}),
            answers(lambda v: nn.TimeDistributed(v, 1), (1.5, None, (1,), "a", Tensor(1))))


@case()
def test_elements_that_are_no_tensors():
    given = (None,), (True, 1), [1.5], (X, "a")
    return [answers(getattr(ops, name), given) for name in ("vstack", "hstack", "dstack", "column_stack")]


@case(each={"name": ["LowerBound", "UpperBound", "TrilIndices", "TriuIndices", "RandomCategorical"]})
def test_what_is_none_of_the_dtypes(name):
    made = {"TrilIndices": lambda v: ops.TrilIndices(1, 1, 0, v), "TriuIndices": lambda v: ops.TriuIndices(1, 1, 0, v)}.get(name, getattr(ops, name))
    return [said(lambda v=v: str(made(v)), (), {}) for v in ((True, 1), 1.5, ms.float32, ms.int64, slice(0, 2), [1])]


@case()
def test_numbers_for_tensors_of_logarithms():
    return [said(f, args, {}) for f in (ops.logaddexp, ops.logaddexp2) for args in ((1.5, X), (X, 1.5), (1, X))] + [said(ops.logaddexp, (np.float32(1), X), {})]


@case(each={"name": ["ScatterAdd", "ScatterMul", "ScatterDiv", "ScatterUpdate", "ScatterMax", "ScatterMin"]})
def test_numbers_of_numpy_for_updates(name):
    """They are Tensors of no axis, and no row has such a shape."""
    made = getattr(ops, name)()
    return answers(lambda v: made(Parameter(X.copy(), name="x"), Tensor([0], ms.int32), v), NUMBERS[:3])


@case(each={"name": ["on", "off", "first", "second", "overlap", "score", "logits", "labels", "target"]})
def test_numbers_of_numpy_beside_tensors(name):
    x, one = Tensor(data((3,))), Tensor(0.5, ms.float32)
    hot, near = ops.OneHot(), ops.ApproximateEqual()
    kept = ops.NonMaxSuppressionWithOverlaps()
    boxes = (Tensor(data((3, 3))), x, Tensor(2, ms.int32))
    calls = {"on": lambda v: hot(Tensor([0, 1]), 3, v, one), "off": lambda v: hot(Tensor([0, 1]), 3, one, v),
             "first": lambda v: near(v, x), "second": lambda v: near(x, v),
             "overlap": lambda v: kept(*boxes, v, one), "score": lambda v: kept(*boxes, one, v),
             "logits": lambda v: nn.GaussianNLLLoss()(v, x, x), "labels": lambda v: nn.GaussianNLLLoss()(x, v, x),
             "target": lambda v: ops.gaussian_nll_loss(x, v, x)}
    return answers(calls[name], NUMBERS[:3])


@case
def test_permutations_of_nothing():
    values = ({}, (), ((1, 2), (3, 4)), np.int64(1), np.float64(1), np.bool_(True), (1, 0))
    return answers(ops.InvertPermutation(), values)


@case(each={"name": ["split", "Tensor.split", "moveaxis", "dstack", "vstack", "hstack", "column_stack"]})
def test_numbers_of_numpy_in_sequences(name):
    calls = {"split": lambda v: ops.split(X, v), "Tensor.split": X.split,
             "moveaxis": lambda v: mnp.moveaxis(X, v, 1)}
    return answers(calls.get(name) or getattr(mnp, name), ((np.int64(2),), [np.int64(2)], (np.int32(2),)))


@case
def test_sizes_beyond_all():
    return [[len(part) for part in parts(2**63)] for parts in (X.chunk, X.split, lambda n: ops.chunk(X, n))]


@case
def test_sequences_for_tensors_and_shapes():
    """Of a sparse tensor's shape, of what is updated, of the axes of a transform, of a cumulative product."""
    sparse = Tensor([[0, 1], [1, 0]], ms.int64), Tensor(data((2,)))
    product = ops.SparseTensorDenseMatmul()
    rows = Tensor(data((1, 3)))
    calls = [lambda: product(*sparse, [2, 2], Tensor(data((2, 2)))),
             lambda: ops.inplace_update((True, 1), rows, 0), lambda: ops.inplace_update(X, (rows,), 0),
             lambda: ops.inplace_update(X, rows, Tensor(0)), lambda: ops.InplaceUpdateV2()(X, 0.5, rows),
             lambda: ops.fftshift(X, 2), lambda: ops.ifftshift(X, (0, 5)),
             lambda: ops.broadcast_to(X, (-1, 1, 2, 3)), lambda: ops.Padding(4)([X]), lambda: mnp.sign(1j),
             lambda: mnp.linspace(Tensor, 0, 3), lambda: mnp.split(X, Tensor)]
    return answers(lambda call: call(), calls)


@case(each={"name": ["Conv2D", "Conv2DTranspose", "Conv2DBackpropInput", "DepthwiseConv2dNative"]})
def test_words_in_sizes_of_windows(name):
    return answers(lambda size: getattr(ops, name)(4, size), ((1, "a"), (1, None), (1, 1.5)))


@case(each={"name": ["cond", "stack", "reshape_as", "laplace", "Softplus", "SparseTensor"]})
def test_values_of_no_kind(name):
    """A slice, a number and the like for an order, a list of tensors, a tensor, a count of arguments."""
    square, places = Tensor(data((2, 2))), Tensor([[0, 1], [1, 0]], ms.int32)
    calls = {"cond": lambda v: ops.cond(square, v), "stack": ops.stack, "reshape_as": X.reshape_as,
             "laplace": lambda v: ops.laplace((2,), v, Tensor(1.0)), "Softplus": lambda v: ops.Softplus()(X, v),
             "SparseTensor": lambda v: ms.common.SparseTensor(places, v, (2, 2))}
    return answers(calls[name], (slice(0, 2), b"ab") if name in ("stack", "reshape_as", "SparseTensor") else
                   (np.float32(3), (1, 2)))


def weights():
    return [Parameter(Tensor(np.ones((2, 2), np.float32)), name=name) for name in "abc"]


@case(each={"place": [3, 4, 5, 6, 7, 8]})
def test_odd_numbers_of_an_optimizers_operator(place):
    """Of AdamWeightDecay's step and rates a Tensor of one is a number, numpy's are none."""
    grad = Tensor(np.ones((2, 2), np.float32))

    def step(value):
        given = [*weights(), 0.1, 0.9, 0.99, 1e-8, 0.1, grad]
        given[place] = value
        return ops.AdamWeightDecay()(*given)

    return answers(step, (np.int64(1), np.float32(1), np.bool_(True), 0.5, grad))


@case(each={"name": ["ApplyRMSProp", "LogicalAnd", "ScalarCast", "ListDiff", "TupleToArray"]})
def test_odd_values_of_operators(name):
    flags, half = Tensor([True, False]), np.float32(0.5)
    calls = {"ApplyRMSProp": lambda v: ops.ApplyRMSProp()(*weights(), 0.1, v, 0.9, 0.0, 1e-8),
             "LogicalAnd": lambda v: ops.LogicalAnd()(flags, v), "ListDiff": lambda v: ops.ListDiff()(Tensor([1, 2]), v),
             "ScalarCast": lambda v: ops.ScalarCast()(v, ms.float32), "TupleToArray": ops.TupleToArray()}
    values = {"ApplyRMSProp": (np.int64(1), half, 1j, Tensor(np.ones((2, 2), np.float32))),
              "LogicalAnd": (np.bool_(True), True), "ListDiff": (Tensor([1.0]), Tensor([1])),
              "ScalarCast": (np.bool_(True), True),
              "TupleToArray": (((1, 2), (3, 4)), (1, 2))}
    return answers(calls[name], values[name])


@case(each={"name": ["HyperMap", "Map"]})
def test_what_is_no_flag(name):
    return answers(lambda v: getattr(ops, name)(None, v), ({1}, int, slice(0, 2), ms.float32, None, 1, 1.5, np.bool_(True)))


@case()
def test_what_is_no_function():
    return answers(ops.Custom, (X, 1.5, True, (), (1, 2), np.int64(1), {1}, ms.float32, nn.ReLU()))
