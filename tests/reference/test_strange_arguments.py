"""Arguments that no program means to give, and those that look strange and are right: numbers of numpy's for flags, NaN
for shares, Tensors for numbers, sequences in sequences, None for words."""

import mindspore as ms
import mindspore.numpy as mnp
import numpy as np
from mindspore import Tensor, mint, nn, ops

from tests.reference.judge import case, data
from tests.reference.test_odd_arguments import answers

X, V, NAN = Tensor(data((2, 3))), Tensor(data((3,))), float("nan")
FLAG = np.bool_(True)
OBJECTS = (Tensor, int, range(2), (True, 1), [np.array([1.0])], (ms.float32,), np.array([1.0, 2.0]), np.array(1),
           np.int64(1), "", {}, {"a": 1}, b"ab", nn.ReLU(), slice(0, 2), ..., ((1, 2), (3, 4)), (V, 1), (None,))


@case
def test_flags_of_numpy_are_no_bools_to_the_parser_of_methods():
    methods = {"sum": 0, "mean": 0, "argmax": 0, "std": 0, "sort": 0, "topk": 2, "median": 0, "logsumexp": 0}
    return [answers(lambda v, n=n, a=a: getattr(X, n)(a, v), [FLAG]) for n, a in methods.items()], \
        answers(lambda v: (X > 0).any(0, v), [FLAG])


@case
def test_numbers_are_also_flags_of_numpy_and_tensors_without_axes():
    numbers = (FLAG, Tensor(2.0))
    return [answers(f, numbers) for f in (X.sub, X.div, X.eq, lambda v: mint.add(X, v), lambda v: mint.floor_divide(v, X),
                                          lambda v: mint.where(X > 0, X, v), lambda v: mint.clamp(X, v, 3))]


@case
def test_limits_of_two_kinds():
    pairs = ((1, Tensor([0.5])), (Tensor([0.5]), 1.0), (Tensor(0.5), 1), (0.1, Tensor(0.5)), (np.int64(1), Tensor([2.0])))
    return answers(lambda v: V.clamp(*v), pairs), answers(lambda v: mint.clamp(V, *v), pairs)


@case
def test_nan_is_beyond_no_end_of_a_range():
    image = Tensor(data((1, 2, 3, 3)))
    return (answers(lambda v: ops.dropout2d(image, v), [NAN]), answers(lambda v: ops.dropout(V, v), [NAN]),
            answers(lambda v: ops.isclose(V, V + 1, rtol=v), [NAN]), answers(lambda v: ops.isclose(V, V, atol=v), [NAN]),
            answers(lambda v: ops.softshrink(V, v), [NAN]), answers(lambda v: str(nn.Dropout(p=v)), [NAN]))


@case
def test_tensors_for_the_numbers_of_nan_to_num():
    values = (Tensor(3.0), Tensor(True), Tensor(3), Tensor([3.0]))
    return answers(lambda v: ops.nan_to_num(Tensor([NAN, 1.0]), v), values)


@case(each={"name": ["atleast_1d", "atleast_2d", "atleast_3d"]})
def test_what_is_no_tensor_is_told_of_by_its_item(name):
    return answers(getattr(ops, name), OBJECTS)


@case(each={"argument": ["kernel_size", "dilation", "padding", "stride"]})
def test_sizes_of_col2im(argument):
    values = (0, -1, (1, 0), (1, True), (1, 1.5), ((1,), (1,)), (1, (1, 1)), (None, 1), (1, np.int64(1)), [1, 1])
    return answers(lambda v: ops.Col2Im(**{"kernel_size": 2, argument: v}) and "made", values)


@case(each={"argument": ["ksize", "strides", "pads"]})
def test_sizes_of_max_unpool(argument):
    values = (0, -1, (0, 1), (1, True), (1, 1.5), ((1,), (1,)), (1, "a"), (1, 1, 1, 1), (1, -1), True, [1, 1])
    return answers(lambda v: ops.MaxUnpool2D(**{"ksize": 2, argument: v}) and "made", values)


@case
def test_none_for_the_word_of_an_attribute_is_refused_by_the_call():
    return answers(lambda v: str(type(ops.BiasAdd(v)).__name__), [None]), answers(lambda v: ops.BiasAdd(v)(X, V), [None]), \
        answers(lambda v: ops.Argmax(output_type=v)(X), [None]), \
        answers(lambda v: ops.MaxPoolWithArgmaxV2(2, v)(Tensor(data((1, 1, 4, 4))))[0], [None])


@case
def test_arrays_in_lists():
    lists = ([np.array([1.0, 2.0])], [[np.array([1, 2])]], (ms.float32,))
    return [answers(f, lists) for f in (mnp.zeros_like, mnp.ones_like, mnp.tril)]


@case
def test_one_tensor_for_a_flag_of_several_elements():
    pair = Tensor([1.0, 2.0])
    return answers(lambda v: mnp.average(X, returned=v), [pair]), answers(lambda v: mnp.digitize(V, [1.0, 2.0], v), [pair])


@case
def test_tensors_that_hold_no_whole_numbers():
    truth, pairs = Tensor([True, False]), [Tensor([1.0]), Tensor([2.0])]
    return answers(lambda v: ops.all(X > 0, v), [truth]), answers(lambda v: ops.prod(X, v), [truth]), \
        answers(lambda v: ops.rfftn(X, dim=v), [pairs]), answers(lambda v: ops.ReduceMean()(X, v), [pairs])


@case
def test_parameters_are_told_by_their_own_name():
    rows = ms.Parameter(Tensor([1.0, 2.0]), name="rows")
    return answers(lambda v: ops.threshold(V, v, 1.0), [rows]), answers(lambda v: ops.combinations(V, v), [rows]), \
        answers(lambda v: ops.Invert()(v), [rows]), answers(lambda v: X.bitwise_or(v), [rows])


@case
def test_what_is_no_number_nor_word():
    return (answers(lambda v: mnp.diag(v), ((1, 2), (1, "a"), ())), answers(mnp.tril, ([],)),
            answers(lambda v: ops.Lstsq(v) and "made", (None, False, "a")), answers(lambda v: ops.Softplus()(V, v), (1, V)),
            answers(lambda v: ops.KLDivLoss(v) and "made", (("mean",), np.array([0, 1]))),
            answers(lambda v: ops.SpaceToBatchND([2, 2], v) and "made", ([0.5, 1.5], [1, 2])),
            answers(lambda v: ops.igamma(V, v), (np.float32(1),)), answers(lambda v: V.masked_fill(V > 0, v), (np.int64(1),)),
            answers(lambda v: V.itemset(0, v), (np.float32(2),)),
            answers(lambda v: X.sum(v), (np.str_("ab"), slice(0, 2))), answers(ops.ceil, (np.str_("ab"),)))


@case(each={"name": ["transpose", "argmax", "min", "abs", "InvertPermutation"]})
def test_objects_for_axes_and_tensors(name):
    functions = {"transpose": lambda v: X.transpose(1, v), "argmax": lambda v: mnp.argmax(X, v),
                 "min": lambda v: X.min(axis=v), "abs": lambda v: Tensor.abs(v), "InvertPermutation": ops.InvertPermutation()}
    out = {"InvertPermutation": ((V, 1), nn.ReLU, ..., range(2)), "transpose": (np.array(1),)}.get(name, ())
    return answers(functions[name], [v for v in OBJECTS if not any(v is x or (x is nn.ReLU and isinstance(v, nn.Cell)) or (
        type(v) is type(x) and not isinstance(v, type) and str(v) == str(x)) for x in out)])


@case
def test_the_order_of_axes_may_be_one_thing():
    return answers(X.transpose, (nn.ReLU(), "a", (V, 1), np.int64(1), Tensor(1), 1.5, {}, slice(0, 2)))


@case
def test_what_stacks_and_buffers_are_made_of():
    lists = [v for v in OBJECTS if not isinstance(v, (type, nn.Cell))]
    return answers(lambda v: ops.stack([v, v]), lists), answers(ops.stack, (ms.Parameter(V, name="rows"), 1.5, (V, 1))), \
        answers(lambda v: ms.frombuffer(v, ms.uint8), [v for v in lists if not isinstance(v, np.generic)]), \
        answers(lambda v: ms.frombuffer(b"abcdefgh", v), (int, (1, 2), Tensor([True, False]))), \
        answers(lambda v: ops.squeeze(X, v), ((True, 1), (V, 1))), answers(ops.softmax, ((True, 1), {}, ms.float32)), \
        answers(lambda v: ops.PadV3()(Tensor(data((1, 2, 3))), v, Tensor(0.0)), (nn.ReLU(), slice(0, 2), 1 + 2j, np.array([1.0, 2.0])))


@case(each={"name": ["DataFormatDimMap", "DataFormatVecPermute"]})
def test_words_for_layouts(name):
    return answers(lambda v: getattr(ops, name)(v) and "made", (1, None, "NHWC", "nchw", ("NHWC",))), \
        answers(lambda v: getattr(ops, name)("NHWC", v) and "made", (1, Tensor([1.0, 2.0])))


@case
def test_sizes_of_layers_that_are_no_plain_ints():
    shapes = ((np.int64(3),), [Tensor(3)], (3, [2]), ((3,),), (1.5,))
    return answers(lambda v: nn.LayerNormExt(v).weight.shape, shapes)
