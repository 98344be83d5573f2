"""Operators that write, Tensors in the place of numbers, sizes that arguments ask of one another."""
import operator

import mindspore as ms
import numpy as np
from mindspore import mint, nn, ops
from mindspore.scipy.linalg import block_diag

from tests.reference.judge import case, data

WRITING = ["iadd", "isub", "imul", "itruediv", "ifloordiv", "imod"]


def tensor(*shape):
    return ms.Tensor(data(shape))


def first_sentence(call, *args, **kwargs):
    """What an error says before it lists the forms and dtypes that there are."""
    try:
        return call(*args, **kwargs).asnumpy()
    except TypeError as error:
        return str(error).split("\n")[0].removesuffix(".").split("!")[0]


@case(each={"name": WRITING, "other": ["a word", None, {}]})
def test_writing_operators(name, other):
    return first_sentence(getattr(operator, name), tensor(2), other)


@case(each={"name": ["iadd", "imul", "itruediv", "ifloordiv", "imod"], "other": [[1], (1.0,)]})
def test_writing_operators_of_sequences(name, other):
    return first_sentence(getattr(operator, name), tensor(2), other)


@case(each={"name": WRITING, "other": [2, 0.5]})
def test_writing_operators_bind_a_new_tensor(name, other):
    x = tensor(2, 3)
    return getattr(operator, name)(x, other), x, getattr(operator, name)(ms.Tensor([5, 7]), other)


@case
def test_subtracted_sequence():
    x = tensor(2)
    x -= [1]
    return x


@case(each={"dtype": [ms.float32, ms.int32, ms.bool_], "name": ["add", "sub"]})
def test_alpha_of_a_bool(dtype, name):
    x = ms.Tensor(np.array([1, 0]), dtype)
    return first_sentence(getattr(mint, name), x, x, alpha=True)


@case(raises=True, each={"dtype": [ms.float32, ms.int64]})
def test_alpha_of_a_bool_for_a_method(dtype):
    x = ms.Tensor(np.array([1, 0]), dtype)
    return x.add(x, alpha=True).asnumpy()


@case(each={"name": ["add", "sub"]})
def test_alpha_of_a_float_beside_bools(name):
    a, b = ms.Tensor([True, False, True]), ms.Tensor([True, True, False])
    return getattr(mint, name)(a, b, alpha=2.5), getattr(a, name)(b, alpha=0.5)


@case(each={"name": ["argmax", "argmin", "count_nonzero"], "axis": [[0], True, 0.0]})
def test_tensor_where_a_method_wants_an_int(name, axis):
    return first_sentence(getattr(tensor(2, 3), name), ms.Tensor(axis))


@case(each={"name": ["argmax", "argmin", "count_nonzero"], "dtype": [ms.int64, ms.int32]})
def test_whole_tensor_without_axes_for_an_int(name, dtype):
    return getattr(tensor(2, 3), name)(ms.Tensor(1, dtype))


@case(raises=True, each={"given": [(0, ms.Tensor([3])), (ms.Tensor([1]), 3), (0, 3, ms.Tensor([1])),
                                   (ms.Tensor([3]),), (0, 3, True)]})
def test_arange_of_other_numbers(given):
    return ops.arange(*given)


@case(raises=True, each={"place": [1, 2]})
def test_arange_of_numbers_of_numpy(place):
    given = [0, 3, 1]
    given[place] = np.int64(given[place])
    return ops.arange(*given)


@case(each={"given": [(0, ms.Tensor(3)), (ms.Tensor(1), 3), (0, 5, ms.Tensor(2)), (ms.Tensor(3),), (3,)]})
def test_arange_of_tensors_without_axes(given):
    return ops.arange(*given)


@case(each={"shape": [(2, 4), (1, 4, 2), (2, 2, 4), (1, 3, 2), (1, 4, 2, 2), (0, 4, 2, 2), (1, 0, 2, 2)]})
def test_channel_shuffle_of_any_rank(shape):
    return nn.ChannelShuffle(2)(tensor(*shape))


@case(raises=True, each={"shape": [(), (4,), (2, 1, 2)]})
def test_channel_shuffle_of_too_little(shape):
    return nn.ChannelShuffle(2)(tensor(*shape))


@case(raises=True, each={"groups": [-1, 0, False, 2.0, None, "a word"]})
def test_channel_shuffle_of_wrong_groups(groups):
    return nn.ChannelShuffle(groups)


@case(raises=True, each={"groups": [0, True, False]})
def test_shuffling_in_wrong_groups(groups):
    return ops.channel_shuffle(tensor(1, 4, 2, 2), groups)


@case(raises=True, each={"dtypes": [("float32", "complex64"), ("complex64", "int64"), ("complex64", "complex128")]})
def test_block_diagonal_of_two_kinds(dtypes):
    return block_diag(*(ms.Tensor(np.ones((1, 2), dtype)) for dtype in dtypes))


@case(each={"dtypes": [("float32", "int64"), ("complex64", "complex64"), ("bool", "float16")]})
def test_block_diagonal(dtypes):
    return block_diag(*(ms.Tensor(np.ones((1, 2), dtype)) for dtype in dtypes))


@case(raises=True)
def test_block_diagonal_of_batches():
    return block_diag(tensor(1, 2, 2), tensor(2))


@case(raises=True, each={"rows": [(2, 1), (3, 1), (1, 0)]})
def test_classes_beside_other_rows(rows):
    return ops.InTopK(2)(tensor(rows[0], 5), ms.Tensor(np.zeros(rows[1], np.int32)))


@case(raises=True, each={"shares": [(1, 1), (1, 0.5), (1.0, 1.0), (0.0, 0.5)]})
def test_shares_of_a_fractional_pool(shares):
    return ops.fractional_max_pool2d(tensor(1, 2, 4, 4), 2, output_ratio=shares,
                                     _random_samples=ms.Tensor(np.full((1, 2, 2), 0.5, np.float32)))


@case(raises=True)
def test_trapezoids_over_fewer_axes():
    return ops.trapz(tensor(2, 2, 3), tensor(2, 3), dim=-1)


@case(each={"axes": [((2, 2, 3), (3,), -1), ((2, 3), (2, 3), 0), ((2, 3), (2,), 0)]})
def test_trapezoids(axes):
    return ops.trapz(tensor(*axes[0]), tensor(*axes[1]), dim=axes[2])


@case(raises=True, each={"more": [{"margin": 1.0}, {"margin": 0.5}, {"p": True}, {"p": 3}]})
def test_margins_of_another_kind(more):
    return ops.multi_margin_loss(tensor(2, 3), ms.Tensor([0, 1]), **more)


@case(raises=True, each={"margin": [True, None, 1]})
def test_margins_of_a_loss_of_another_kind(margin):
    return nn.MultiMarginLoss(margin=margin)


@case(raises=True, each={"device": ["mean", "gpu", None]})
def test_devices_of_a_primitive(device):
    return ops.Add().set_device(device)


@case(raises=True)
def test_labels_of_other_rows():
    return ops.SparseSoftmaxCrossEntropyWithLogits(is_grad=True)(tensor(4, 3), ms.Tensor([0, 1], ms.int32))


@case(each={"rows": [2, 4], "gradient": [True, False]})
def test_labels_of_the_rows(rows, gradient):
    loss = ops.SparseSoftmaxCrossEntropyWithLogits(is_grad=gradient)
    return loss(tensor(rows, 3), ms.Tensor(np.arange(rows) % 3, ms.int32))


@case(raises=True)
def test_losses_of_normals_of_short_unsigned_numbers():
    x = ms.Tensor(np.ones((2, 2), np.uint16))
    return ops.gaussian_nll_loss(x, x, x).asnumpy()


class Difference(nn.Cell):
    def construct(self, a, b):
        return a - b


@case(mode="GRAPH", each={"sizes": [[None], [None, None]]})
def test_number_where_axes_of_any_size_are_described(sizes):
    net = Difference()
    net.set_inputs(ms.Tensor(shape=[None, None], dtype=ms.float32), ms.Tensor(shape=sizes, dtype=ms.float32))
    return net(tensor(2, 3), ms.Tensor(1.0))


@case(raises=True, each={"index": ["[1.0, 0.0]", "[1.5]", "[[1.0]]", "([1.0],)", "(1.0,)", "1.0", "np.float64(1)"]})
def test_a_fraction_is_no_place_to_write_to(index):
    x = tensor(2, 3)
    x[eval(index)] = 7
