"""Calls with one argument wrong, in MindSpore's words: a fixed sample of what scripts/sweep_errors.py makes."""

import re
from contextlib import suppress

import mindspore as ms
import mindspore.numpy as mnp
import numpy as np
from mindspore import Parameter, Tensor, mint, nn, ops
from mindspore.dataset import vision

from scripts.sweep.wrong import spoilt
from tests.reference.judge import case

FULL_STOP = re.compile(r"\.(?=\s|$)|\n")


def T(*shape):
    return Tensor((np.arange(np.prod(shape)).reshape(shape) % 5 / 4).astype(np.float32))


C2 = Tensor(np.array([1j, 2]).astype(np.complex64))


def A(*shape):
    return (np.arange(np.prod(shape)) % 7).reshape(shape).astype(np.uint8)


def said(function, args, kwargs):
    """"value", or the error's class and its words up to the first full stop."""
    try:
        found = function(*args, **kwargs)
        for one in found if isinstance(found, (tuple, list)) else (found,):
            if isinstance(one, Tensor):
                one.asnumpy()
        return "value"
    except Exception as err:
        with suppress(Exception):
            ms.runtime.synchronize()        # or the next call would be told of this error once more
        text = str(err).replace("ms2torch.", "mindspore.").split("\n-----")[0].strip()
        return f"{type(err).__name__}: {FULL_STOP.split(text, maxsplit=1)[0].strip()}"


def answers(function, *args, **kwargs):
    ms.set_context(pynative_synchronize=True)        # an operator's error comes out of its own call
    return {what: said(function, others, named) for what, others, named in spoilt(args, kwargs)}


@case(each={"name": ["relu", "gelu", "lgamma", "digamma"]})
def test_functions_of_one_tensor(name):
    return answers(getattr(ops, name), T(2))


@case()
def test_functions():
    return (answers(ops.expand_dims, T(2), 0), answers(ops.hardshrink, T(2), 0.5),
            answers(ops.heaviside, T(2), T(2)), answers(ops.ger, T(2), T(3)), answers(ops.l1_loss, T(2), T(2)),
            answers(ops.dropout, T(2), 0.5), answers(ops.pixel_shuffle, T(1, 4, 2, 2), 2),
            answers(ops.matrix_power, T(2, 2), 2), answers(ops.inverse, T(2, 2)),
            answers(ops.igamma, T(2), T(2)))


@case()
def test_primitives():
    made = (ops.ScatterAdd, ops.ApplyAdagrad, ops.Lcm, ops.L2Loss, ops.Rint, ops.BesselI0, ops.Betainc,
            ops.SegmentSum, ops.MatrixInverse, ops.SeLU)
    return (*map(answers, made), answers(ops.LpNorm, 0), answers(ops.LpNorm(0), T(2, 2)),
            answers(ops.L2Loss(), T(2)), answers(ops.BesselI0(), T(2)), answers(ops.MatrixInverse(), T(2, 2)),
            answers(ops.Tril, 0), answers(ops.Tril(0), T(2, 2)), answers(ops.SeLU(), T(2)),
            answers(ops.NMSWithMask, 0.5), answers(ops.AdaptiveAvgPool2D, 2), answers(ops.Concat, 0))


@case()
def test_layers_when_they_are_made():
    return (answers(nn.Dense, 3, 4), answers(nn.Conv2d, 1, 2, 3), answers(nn.Dropout, p=0.5),
            answers(nn.LayerNorm, (3,)), answers(nn.PReLU, 1), answers(nn.AvgPool2d, 2, 1),
            answers(nn.MaxPool2d, 2, 1), answers(nn.Embedding, 5, 2), answers(nn.PixelShuffle, 2),
            *map(answers, (nn.GELU, nn.L1Loss, nn.KLDivLoss, nn.Flatten, nn.GLU)))


@case()
def test_layers_when_they_are_called():
    return (answers(nn.Dense(3, 4), T(2, 3)), answers(nn.Dropout(p=0.5), T(2)), answers(nn.GELU(), T(2)),
            answers(nn.L1Loss(), T(2), T(2)), answers(nn.KLDivLoss(), T(2), T(2)),
            answers(nn.PixelShuffle(2), T(1, 4, 2, 2)), answers(nn.LRN(2), T(1, 4, 2, 2)),
            answers(nn.Flatten(), T(2, 3)))


@case()
def test_numpy():
    return (answers(mnp.arccosh, T(2)), answers(mnp.sin, T(2)), answers(mnp.diff, T(4)),
            answers(mnp.tile, T(2), 2), answers(mnp.roll, T(2), 1))


@case(each={"dtype": [np.uint16, np.uint32, np.uint64]})
def test_unsigned_integers_are_no_wrong_input(dtype):
    """torch has no kernels for them; what MindSpore takes is computed."""
    x = Tensor(np.array([[3, 1, 5], [7, 2, 6]], dtype))
    return (ops.argmin(x), ops.max(x, 1), ops.cumsum(x, 0), ops.ReduceSum()(x), ops.relu(x), ops.tril(x),
            ops.ReduceProd()(x), ops.cummax(x, 0), x.min())


@case()
def test_numbers_of_numpy_are_numbers():
    x, i = T(2, 3), Tensor(np.array([0, 1], np.int32))
    tenth = np.float64(0.1)
    p, q = Parameter(T(2, 3), name="p"), Parameter(T(2, 3), name="q")
    return (ops.UnsortedSegmentProd()(x, i, np.int64(2)),
            ops.ApplyAddSign()(p, q, tenth, tenth, tenth, tenth, x))


@case()
def test_shapes_that_do_not_fit():
    """The numbers in an error are those of the call."""
    i = Tensor(np.array([0, 1], np.int32))
    p, q = Parameter(T(3, 4), name="p"), Parameter(T(4, 3), name="q")
    return (said(ops.ApplyMomentum(), (p, q, 0.1, T(3, 4), 0.9), {}),
            said(ops.ApplyAdagrad(), (p, p, 0.1, T(4, 5)), {}),
            said(ops.inverse, (T(5, 4),), {}), said(ops.matrix_power, (T(3, 7), 2), {}),
            said(ops.SegmentSum(), (T(5, 2), i), {}))


@case()
def test_arguments_by_name_are_told_so():
    """Functions and methods of several forms; what fits one of the forms is taken."""
    x = T(2, 3)
    calls = ((x.std, (), {"dim": "wrong"}), (x.std, ("wrong",), {"keepdim": True}), (x.sum, (), {"axis": "s"}),
             (x.sum, (), {"wrong": 1}), (x.narrow, (None, 0), {"length": 2}),
             (x.topk, ("wrong",), {"dim": 1}), (x.scatter, (), {"dim": "s", "index": x, "src": x}),
             (x.index_add, (None, x), {"axis": 1}), (x.tile, ("wrong",), {}), (x.mul, (), {}),
             (mint.add, ("wrong", x), {}), (mint.clamp, (x,), {"min": "wrong"}))
    return (*(said(f, args, named) for f, args, named in calls), ops.topk(x, np.int64(2)), x.flatten(start_dim=1),
            x.sum(0, keepdims=True), x.mean(axis=(0, 1)), ops.topk(x, 2, dim=True)[0])


@case()
def test_what_torch_would_take():
    """Arguments that do not fit each other, words and numbers that mean nothing; beside each the right call."""
    p = Parameter(T(2, 2), name="p")
    at, wide, one = Tensor(np.array([[0], [1]], np.int32)), T(2, 3), T(1, 2)
    calls = ((ops.Betainc(), (T(3), T(3), T(2))), (ops.EqualCount(), (T(3), T(2))), (ops.clamp, (T(2), True, 1)),
             (ops.addr, (wide, T(2), T(3).astype(ms.int32))), (ops.KLDivLoss, ("wrong",)),
             (ops.UniformInt, (-1,)), (ops.UniformInt, (1.5,)), (ops.MaxPool, (-2,)), (ops.MaxPool, ((2, 2),)),
             (ops.ApplyFtrl(), (p, p, p, one, 0.1, 0.1, 0.1, -0.5)), (ops.slice_scatter, (wide, one, 0, 0, 2)),
             (ops.scatter_nd_add, (p, at, wide)), (ops.tensor_scatter_sub, (wide, at, one)),
             (ops.fft2, (wide, None, (0, 0))), (ops.fft2, (wide, None, (0, 1))), (ops.KLDivLoss, ("mean",)),
             (ops.Conv2D, (8, (3, 3))), (nn.Hardtanh, (1, 0)), (nn.SeLU(), (Tensor([True]),)))
    return [said(f, args, {}).split(" object at ")[0] for f, args in calls]


@case()
def test_what_torch_would_take_else():
    """Shapes, dtypes and words that MindSpore asks for; beside some the right call."""
    x, m, p = T(2, 3), T(3, 3), Parameter(T(2, 2), name="p")
    sgd = (p, p, Tensor(0.1), p, Tensor(0.9), p)
    calls = ((x.allclose, (x.astype(ms.int32),), {}), (x.narrow, (True, 0, 1), {}), (x.expand_as, (x.asnumpy(),), {}),
             (ops.div, (x, "wrong"), {}), (ops.div, (x, x), {"rounding_mode": 5}), (ops.div, (x, 2), {}),
             (ops.SGD(), sgd, {}), (ops.SGD(), (p, "wrong", *sgd[2:]), {}), (ops.RaggedRange(ms.int32), (1, x, x), {}),
             (ops.RaggedRange(ms.int32), (T(3), T(4), T(3)), {}), (ops.amax, ("wrong",), {"axis": 1}),
             (ops.moveaxis, (x, [0, 1], 1), {}), (ops.moveaxis, (x, 1.5, 0), {}), (ops.rot90, (x, 1, (0, 1, 1)), {}),
             (ops.adaptive_avg_pool1d, (T(1, 2, 7), 2), {}), (nn.AdaptiveMaxPool1d(2), (T(1, 2, 7),), {}),
             (nn.ReplicationPad1d(1), (T(1, 1, 2, 3),), {}), (nn.MaxPool2d, (2,), {"dilation": -1, "pad_mode": "pad"}),
             (ops.topk, (x, 1), {"dim": 7}), (ops.diag_embed, (x,), {"dim1": 7}), (ops.batch_dot, (Tensor(1.0), m), {}),
             (ops.reshape, (x, (4, 2)), {}), (x.view_as, (m,), {}), (mnp.reshape, (x, (4, 2)), {}),
             (ops.mse_loss, (x, x), {"reduction": "wrong"}), (ops.AvgPool, (), {"pad_mode": "wrong"}),
             (mnp.amax, (Tensor(1.0), 0), {}), (mnp.digitize, (x, 1.5), {}), (mnp.vsplit, (x, [5]), {}),
             (ops.unsorted_segment_max, (x, Tensor(np.array([0, 1], np.int32)), -1), {}))
    return [said(f, args, named).split(" object at ")[0] for f, args, named in calls]


@case()
def test_pythons_own_errors_name_the_function_that_was_called():
    """Aliases, methods, functions of one making, layers that inherit what they are made with."""
    class Net(nn.Cell):
        pass

    calls = (ops.movedim, ops.jacfwd, mnp.zeros, mnp.ones_like, mnp.nanstd, mnp.rot90, T(2, 2).bmm, T(2).igamma,
             Net().cells, Net().get_parameters, nn.GRU, nn.RNN, nn.BatchNorm1d(2), mint.nn.Tanh, mint.nn.Tanh(),
             mint.nn.SmoothL1Loss, mint.nn.SmoothL1Loss(), vision.Equalize, vision.HWC2CHW, vision.HsvToRgb,
             vision.MixUp, vision.RandomErasing)
    return [said(f, (), {"unknown": 1}) for f in calls]


@case()
def test_calls_that_torch_refuses():
    """Shapes and dtypes that MindSpore converts, numbers that are Python's True."""
    x, m, v = T(2, 3), T(3, 3), T(3)
    var = Tensor(np.array([[2.0], [3.0]], np.float32))
    return (ops.addmm(m[None], m, m), ops.addmm(m.astype(ms.int32), m, m), ops.addmv(v, m, v[None]),
            ops.addr(m[None], v, v), ops.addr(m, v[None], v), ops.mv(m, v[None]),
            ops.gaussian_nll_loss(x, x[None], var), ops.gaussian_nll_loss(x, x + 1, Tensor(2.0), full=True),
            ops.moveaxis(x, [0], 1), ops.moveaxis(x, True, 0), ops.rot90(x, True, (0, 1)),
            ops.cartesian_prod(Tensor(1.0), v), ops.bincount(Tensor([1.0, 2.0, 2.0])), ops.fftshift(Tensor(1.0)),
            ops.vecdot(v, Tensor([1, 2, 3])), ops.gather_nd(x, Tensor(1)),
            ops.cov(m, correction=0.0), ops.vector_norm(Tensor([[1, 2]], ms.int32)), mnp.nanmean(x, axis=True),
            mnp.nanmean(Tensor([1, 2])), mnp.take(v, Tensor(1)), mnp.tril_indices(3.0)[0], mnp.size([1, 2]),
            mnp.in1d(v, [0.25], invert=1), ops.assign_add(Parameter(Tensor([1.0]), name="p"), Tensor(1.0)))


@case()
def test_transforms():
    return (answers(vision.CenterCrop, 2), answers(vision.Resize(2), A(4, 4, 3)), answers(vision.Pad, 1))


@case()
def test_writing_to_a_parameter_of_another_dtype():
    """What MindSpore's type promotion cannot write is refused; the weaker dtype is promoted."""
    def add(dtype, other):
        at = Tensor(np.array([0, 1], np.int32))
        return said(ops.scatter_add, (Parameter(T(3, 2).astype(dtype), name="p"), at, T(2, 2).astype(other)), {})

    return {f"{a} {b}": add(a, b) for a in (ms.float32, ms.float16, ms.int32) for b in (ms.float32, ms.int32)}


def told(*calls):
    """What each of the calls, (layer, arguments), comes to."""
    ms.set_context(pynative_synchronize=True)
    return [said(layer, args, {}) for layer, *args in calls]


@case()
def test_layers_given_another_shape():
    made = nn.LSTM(4, 4), nn.GRU(4, 4), nn.MultiheadAttention(8, 2)
    return told((made[0], T(2, 4)), (made[0], T(2, 3, 4), (T(1, 5, 4), T(1, 5, 4))),
                (made[0], T(2, 3, 4), (T(1, 3, 4), T(1, 5, 4))), (made[1], T(2, 3, 3)), (made[1], T(2, 4)),
                (made[1], T(2, 3, 4), T(1, 3, 2)), (nn.LSTMCell(4, 4), T(2, 4), (T(3, 4), T(3, 4))),
                (made[2], T(2, 3, 6), T(2, 3, 6), T(2, 3, 6)), (made[2], T(2, 3, 8), T(2, 4, 8), T(2, 5, 8)),
                (made[2], T(3, 8), T(2, 3, 8), T(2, 3, 8)), (nn.GroupNorm(2, 4), T(2, 3, 4, 4)),
                (nn.InstanceNorm2d(3), T(2, 4, 3, 3)), (nn.ReflectionPad2d(5), T(1, 2, 3, 3)),
                (nn.AvgPool2d(2), T(2, 8)), (nn.AvgPool3d(2), T(2, 8)), (nn.Upsample(size=(2, 2)), T(2, 3)),
                (nn.Dropout2d(0.5).set_train(), T(2, 3)))


@case()
def test_layers_given_another_kind():
    ints = Tensor(np.ones((2, 3, 4, 4), np.int32))
    return told((nn.Conv2d(3, 4, 3), None), (nn.Conv2d(3, 4, 3), ints), (nn.MaxPool2d(2), ints),
                (nn.MaxPool2d(2), 3), (nn.AvgPool2d(2), ints), (nn.MaxPool3d(2), ints),
                (nn.OneHot(depth=4), T(2)), (nn.OneHot(depth=4), None), (nn.Embedding(9, 4), 3),
                (nn.LayerNorm((4,)), ints), (nn.SiLU(), ints), (nn.LSTM(4, 4), 3))


@case()
def test_losses_of_labels_that_do_not_fit():
    one, two = Tensor([1, 0], ms.int32), Tensor([1, 0, 1], ms.int32)
    sparse = nn.SoftmaxCrossEntropyWithLogits(sparse=True)
    mean = nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")
    return told((nn.NLLLoss(), T(2, 3), T(2)), (nn.NLLLoss(), T(2, 3), two), (nn.NLLLoss(), T(2, 3), None),
                (sparse, T(2, 3), two), (mean, T(2, 3), two), (mean, T(2, 3), T(2)), (mean, T(3), one),
                (nn.SoftmaxCrossEntropyWithLogits(), T(2, 3), one.astype(ms.float32)),
                (nn.SmoothL1Loss(), T(2), one), (nn.SmoothL1Loss(), T(2), 3), (nn.BCELoss(), T(2), None),
                (nn.CrossEntropyLoss(), T(2, 3), None), (nn.CrossEntropyLoss(), T(2, 3), "a"),
                (nn.MultilabelMarginLoss(), T(2, 3), T(2, 3)), (nn.HuberLoss(), T(2), 3),
                (nn.MarginRankingLoss(), T(2), T(2), 3))


@case()
def test_losses_of_whole_numbers():
    x, y = Tensor([[1, 2, 3], [4, 5, 7]], ms.int32), Tensor([[0, 0, 0], [0, 0, 0]], ms.int32)
    return (nn.L1Loss()(x, y), nn.L1Loss("sum")(x, y), nn.HuberLoss()(x, y),
            nn.NLLLoss()(x, Tensor([0, 2], ms.int32)))


@case()
def test_axes_out_of_range():
    x, one = T(2, 3), Tensor([0], ms.int32)
    return told((mnp.amax, x, 7), (mnp.ptp, x, -5), (ops.cummin, x, 3), (ops.cummin, T(), 0),
                (ops.logcumsumexp, x, 4), (ops.renorm, x, 1, 5, 1.0), (ops.nanmean, x, 2), (ops.cumsum, T(), 0),
                (mint.cat, (x, x), 4), (ops.index_add, x, one, T(1, 3), 6), (ops.index_fill, x, 8, one, 1.0),
                (ops.movedim, x, 5, 0), (ops.gumbel_softmax, x, 1.0, False, 9), (mnp.split, x, 5))


@case()
def test_sizes_that_do_not_fit():
    x, y, ids = T(2, 3), T(2, 4), Tensor([[0]])
    return told((ops.xlogy, x, y), (mnp.multiply, x, y), (mnp.maximum, x, y), (ops.addcmul, x, x, y),
                (ops.Addcdiv(), x, y, x, Tensor(1.0)), (ops.remainder, x, y), (ops.orgqr, x, T(3)),
                (ops.view_as, x, y), (ops.gather_d, x, 0, Tensor([0])), (ops.cond, x),
                (ops.matrix_set_diag, T(3, 4), T(5)), (ops.matrix_set_diag, T(1, 3, 4), T(2, 3)),
                (ops.matrix_diag, T(3), 0, 2), (ops.gather, T(), ids, 0), (ops.slice, T(), (0,), (1,)),
                (mnp.ravel_multi_index, ids, (2, 3)), (mnp.pad, x, (1, 2, 3)))


@case()
def test_numbers_out_of_range_and_other_kinds():
    x, ints = T(2, 3), Tensor([1, 2], ms.int32)
    return told((ops.histc, x, 4, 3.0, 1.0), (ops.dropout2d, T(1, 1, 2, 2), 1.5), (ops.diff, x, 2),
                (ops.mvlgamma, x, 5), (mnp.linspace, 0, 1, -3), (mnp.eye, -2), (mnp.tri, 2, -3),
                (ops.hamming_window, -4), (ops.tril_indices, True, 2), (ops.lcm, x, ints), (ops.hypot, x, C2),
                (mnp.heaviside, C2, x), (ops.lerp, ints, T(2), 0.5), (ops.float_power_ext, "a", x),
                (ops.sequence_mask, ints, "a"), (mnp.argmax, x, 1.5), (mnp.where, x, x), (x.to, 5),
                (x.resize, 2, -1), (x.itemset, None, 1), (mnp.cov, [1.5, [2.0]]), (mnp.pad, x, 1, "odd"),
                (ops.Map(), lambda v: v), (ops.MultitypeFuncGraph, 5), (ops.composite.matmul, "a", x))


@case()
def test_nothing_where_no_form_of_a_method_takes_it():
    x = T(2, 3)
    calls = (lambda: x.argmax(axis=None), lambda: x.chunk(2, dim=None), lambda: x.cumsum(dim=None),
             lambda: x.flatten(0, None), lambda: x.flatten(start_dim=None), lambda: x.sort(dim=None),
             lambda: x.std(dim=1, correction=1.5, keepdim=True), lambda: x.to(True), lambda: x.to([1]),
             lambda: x.argmax(dim=None), lambda: x.cumsum(axis=None), lambda: x.to(None), lambda: x.sum(axis=None))
    return told(*((call,) for call in calls))


@case()
def test_inputs_that_an_operator_refuses():
    x, kernel, whole, image = T(2), T(2, 2, 3, 3), Tensor([1, 1], ms.int32), T(1, 2, 3, 4)
    rate, volume = Tensor(0.1, ms.float32), T(1, 1, 4, 4, 4)
    return told((ops.addcmul, x, x.astype(ms.int32), x), (ops.addcdiv, x, x, x.astype(ms.bool_)),
                (ops.Conv3D(2, 3), volume, T(2, 1, 3, 3, 2)), (ops.conv2d, image, kernel, None, [1]),
                (ops.Conv3DTranspose(1, 2, (2, 2, 1)), volume, T(1, 2, 2, 2, 2)),
                (ops.Conv2DTranspose(2, 3), image, kernel, (1, 2, 5, 5)), (ops.PadV3(), T(1, 2, 2), whole),
                (ops.PadV3("edge"), T(1, 2, 2), whole, T()), (ops.LogNormalReverse(), C2), (ops.uniform_, C2),
                (ops.RandomChoiceWithMask(), Tensor(np.ones((1,) * 6, bool))),
                (ops.slice_scatter, T(2, 6), T(2, 5), 1, -101, 5, 1), (ops.SGD(), x, x, rate, x, rate, x, 7),
                (mnp.atleast_3d, x, 7), (mnp.atleast_1d, x, 7), (mnp.broadcast_arrays, x, 7),
                (lambda: mnp.average(T(2, 3), True, T(2, 3)),), (mnp.piecewise, whole, [1.5, whole > 3], [1, 2]),
                (mnp.histogram2d, T(1, 5), T(1, 5)))


@case(each={"mode": [ms.PYNATIVE_MODE, ms.GRAPH_MODE], "inside": [False, True]})
def test_one_registered_function_takes_every_kind(mode, inside):
    ms.set_context(mode=mode)
    chosen = ops.MultitypeFuncGraph("chosen")

    @chosen.register("Tensor")
    def _twice(x):
        return x * 2

    class Calls(ms.nn.Cell):
        def construct(self, x):
            return chosen(x)

    call = Calls() if inside else chosen
    return call(ms.Tensor([1.0])), call(2), call((1,))


_OF_METHODS = {
    "exp": [(1,), (1, 2)], "maximum": [(), (None,), ("a",), (1, 2)], "allclose": [(), (1,), ("a", 1)],
    "masked_select": [(True,), ([True],)], "kthvalue": [(True,), (1, 0, 1)], "triu": [(1.5,), (None,)],
    "round": [("a",)], "cummax": [(), (1, 2)], "zero_": [(1,)], "sign_": [(1,)],
    "addmm_": [(), (1,)], "clamp_": [(1, 2, 3)], "bernoulli_": [(1, 2)],
}


@case(each={"given": [(n, args) for n, calls in _OF_METHODS.items() for args in calls]}, raises=True)
def test_what_a_method_does_not_take(given):
    name, args = given
    getattr(ms.Tensor([[1.0, 2.0]]), name)(*args)


@case(each={"given": [("exp", "other"), ("maximum", "other"), ("maximum", "nothing"), ("round", "decimals"),
                      ("kthvalue", "keepdim"), ("triu", "nothing"), ("sqrt", "nothing")]}, raises=True)
def test_what_a_method_does_not_take_by_name(given):
    name, keyword = given
    named = {keyword: "a"}
    getattr(ms.Tensor([[1.0, 2.0]]), name)(**named)


@case(each={"name": ["argmax", "baddbmm", "gather", "logsumexp", "stack", "unbind", "pow", "amax"]},
      raises=True)
def test_what_mints_functions_are_called(name):
    getattr(ms.mint, name)()


@case()
def test_numbers_of_numpy_where_an_int_is_wanted():
    x, one = T(2, 3), np.int64(1)
    return [said(f, args, {}) for f, args in (
        (ops.index_select, (x, one, Tensor([0]))), (mnp.nansum, (x, one)), (mnp.amax, (x, one)),
        (mnp.cumsum, (x, one)), (mnp.cumprod, (x, one)), (mnp.ptp, (x, one)), (mnp.expand_dims, (x, one)),
        (mnp.swapaxes, (x, one, 0)), (mnp.identity, (one,)), (mnp.tril, (x, one)), (mnp.rot90, (x, one)),
        (ops.chunk, (x, 2, one)), (ops.logcumsumexp, (x, one)), (mnp.blackman, (one,)))]


@case()
def test_other_classes_where_a_tensor_is_wanted():
    x = T(2, 3)
    return [said(f, args, {}) for f, args in (
        (ops.IsNan(), (True,)), (ops.L2Normalize(), ((x,),)), (ops.sgn, (True,)), (ops.EqualCount(), (1, x)),
        (nn.ReLU(), ((x,),)), (nn.Softmax(), ((x,),)), (ops.fft, (True,)), (ops.fft, (x, 2.0)),
        (mint.mean, ("a",)), (mint.stack, (x,)), (mint.topk, (x, "a")), (mint.var, (x, "a")))]


@case()
def test_arguments_that_are_missing_or_too_many():
    return [said(f, args, {}) for f, args in (
        (vision.AdjustSaturation, ()), (vision.Rescale, ()), (nn.Conv2d, ()), (mnp.dot, (1,) * 5),
        (mnp.max, ()), (mint.nn.ReLU, (1, 2, 3)), (mint.nn.Softmax, (1, 2, 3)), (nn.MSELoss, (1, 2, 3)))]


@case()
def test_dtypes_and_sizes_that_operators_lack():
    x = T(2, 3)
    return [said(f, args, {}) for f, args in (
        (ops.BartlettWindow, (True, ms.int8)), (ops.Conv2D, (3, (3, 3, 3))), (ops.Im2Col, ((3, 3, 3),)),
        (ops.LowerBound(), (T(2, 2, 3), T(2, 2, 3))),
        (ops.NthElement(), (x, -1)), (ops.gcd, (1, Tensor([2]))), (ops.celu, (x, -1)), (nn.ELU(1), (x,)),
        (nn.AdaptiveAvgPool3d, ((-1, 2, 2),)), (ops.huber_loss, (x.bool(), x.bool())),
        (ops.rfft, (x, None, 5)), (ops.fftn, (x, None, (5,))), (ops.cdist, (x, x, 2)),
        (ops.AvgPool3D(2), (T(1, 2, 2, 2),)))]


@case()
def test_classes_and_dtypes_that_an_argument_never_has():
    x, image = T(2, 3), T(1, 2, 4, 4)
    one, lone = Tensor(1), Tensor([1])
    return [said(f, args, {}) for f, args in (
        (ops.igamma, (1, x)), (ops.logaddexp, (x, True)), (ops.chunk, (x, Tensor(2))),
        (ops.bincount, (lone, None, one)),
        (ops.narrow, (x, 1, one, 1)), (ops.combinations, (lone, Tensor(2))), (ops.leaky_relu, (x, one)),
        (ops.addmm, (x.astype(ms.uint16), x, T(3, 3))), (ops.scatter_nd, (lone, T(1), one)),
        (ops.uniform, ((2,), Tensor(0), one)), (ops.laplace, ((2,), Tensor(0.5), Tensor(1), 3)),
        (ops.laplace, ((2,), Tensor(0.5), Tensor(1.5), np.int64(3))), (ops.hsplit, (x, one)),
        (ops.avg_pool2d, (image, (2,))), (ops.avg_pool2d, (image[0], 2)), (ops.max_pool3d, (image, 2)),
        (ops.MaxUnpool3D, ((2, 2),)), (nn.AdaptiveAvgPool2d, ((1, 1, 1),)),
        (ops.adaptive_avg_pool2d, ({"a": x}, 2)),
        (mnp.inner, (x, 2)), (mnp.append, ({1}, x)), (nn.MarginRankingLoss(), (1, x, x)),
        (vision.HorizontalFlip(), (A(4, 4, 3).astype(np.int64),)),
        (vision.HWC2CHW(), (A(4, 4, 3).astype(np.uint32),)))]


@case(each={"word": ["mean", "VALID", "left", "symmetric", "pad", "wrong", 0.5]})
def test_words_of_another_enum(word):
    """MindSpore has one list of all enums' words: a word of another one stands for its number."""
    x, grid = T(2, 3), T(1, 2, 2, 2) * 3 - 1

    def of(function, *args, **kwargs):
        try:
            return function(*args, **kwargs)
        except (TypeError, ValueError) as err:
            return FULL_STOP.split(str(err))[0]

    return (of(ops.fft, x, norm=word), of(ops.ifft2, x, norm=word),
            of(ops.meshgrid, x[0], x[1], indexing=word), of(mint.meshgrid, x[0], x[1], indexing=word),
            of(ops.grid_sample, T(1, 2, 4, 4), grid, padding_mode=word),
            of(ops.binary_cross_entropy_with_logits, x, x, x, x, reduction=word))


@case()
def test_empty_inputs_that_are_taken():
    """A machine-made list of refusals had these, read off inputs that are empty another way."""
    def empty(*shape):
        return ms.Tensor(np.zeros(shape, np.float32))

    ones = ms.Tensor(np.ones(3, np.float32))
    found = [mnp.minimum(empty(0, 3), empty(0, 3)), ops.pad(empty(2, 3, 4, 0), (1, 1, 1, 1)),
             ops.digamma(empty(2, 0, 3)), ops.zeta(empty(2, 0, 3), empty(2, 0, 3)),
             nn.ConstantPad1d(1, 0.0)(empty(3, 0)), ops.Bernoulli()(empty(2, 0, 3), empty(2, 0, 3)),
             ops.batch_norm(empty(0, 3, 4, 4), ones, ones, ones, ones)]
    return [x.asnumpy().tolist() for x in found]


@case()
def test_attributes_of_operators():
    volume, rows = T(1, 1, 4, 4, 4), T(1, 4, 4, 1)
    formats = [told((lambda x, f=f: ops.MaxPool3D(2, 2, "valid", data_format=f)(x), volume),
                    (lambda x, f=f: ops.AvgPool3D(2, 2, data_format=f)(x), volume),
                    (lambda x, f=f: ops.MaxPool3DWithArgmax(2, 2, data_format=f)(x), volume))
               for f in ("NCDHW", "NDHWC", 1, None)]
    seeds = [told((lambda x, p=p, s=s: getattr(ops, p)([1.0, 1.5, 1.5, 1.0], True, False, False, *s)(x), rows))
             for p in ("FractionalMaxPool", "FractionalAvgPool") for s in ((1, 0), (0, 2), (0, 0))]
    norms = told(*((lambda x, e=e: ops.LpNorm(0, 2, False, e)(x), T(2, 2)) for e in (0.0, -0.5, 1, True, None)))
    both = told((lambda x: ops.ResizeNearestNeighbor((2, 2), True, True)(x), T(1, 1, 4, 4)))
    sums = told(*((lambda x, d=d: ops.unsorted_segment_sum(x, Tensor([0, 1, 0]).astype(d), 2), T(3))
                  for d in (ms.int8, ms.int16, ms.int32, ms.int64, ms.float32)))
    return formats, seeds, norms, both, sums


@case(each={"dtype": ["int32", "float16", "float64", "bool", "uint8", "float32"]})
def test_softmax_cross_entropy(dtype):
    def filled(kind, *shape):
        return Tensor(np.ones(shape), getattr(ms, kind))

    calls = []
    for reduction in ("none", "mean", "sum"):
        dense = nn.SoftmaxCrossEntropyWithLogits(sparse=False, reduction=reduction)
        sparse = nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction=reduction)
        calls += [(dense, filled(dtype, 2, 8), filled(dtype, 2, 8)),
                  (dense, filled(dtype, 2, 8), filled("float32", 2, 8)),
                  (sparse, filled("float32", 2, 8), filled(dtype, 2))]
        logits = (2, 8), (2, 8, 3), (2, 8, 3), (8,), (2, 8), (2, 8)
        labels = (2,), (2,), (2, 8), (2,), (3,), (2, 8)
        calls += [(sparse, filled(dtype, *x), filled("int32", *y)) for x, y in zip(logits, labels, strict=True)]
    return told(*calls)


@case()
def test_a_sparse_mean_over_more_axes():
    loss = nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")
    logits, labels = T(2, 3, 4), Tensor(np.array([[0, 1, 2], [3, 0, 1]], np.int32))
    return loss(logits, labels), ms.grad(loss)(logits, labels)


@case(each={"group": [1, 2, 4], "channels": [2, 6, 16]})
def test_channels_of_volumes(group, channels):
    return told((nn.Conv3d(8, 8, 3, group=group), T(2, channels, 4, 4, 4)))


@case()
def test_what_is_given_to_deepcopy_is_left_alone():
    x, other = T(2, 3), T(3)
    return x.__deepcopy__(memodict=other), other


@case()
def test_depths_of_one_hot():
    on, off, indices = Tensor(1.0), Tensor(0.0), Tensor(np.ones((2, 3), np.int32))
    depths = [T(2, 3), T(1), Tensor(4.0), Tensor(4), Tensor(np.ones(1, np.int32)), Tensor(np.ones(2, np.int32)),
              Tensor(np.int8(4)), Tensor(np.int64(4)), 4.0, "a", None, (4,)]
    return told(*((ops.OneHot(), indices, depth, on, off) for depth in depths))


@case()
def test_unusual_calls_that_are_right():
    x, three, one = T(4, 5), T(2, 3, 4), Tensor([1])
    whole = Tensor([1, 2, 3], ms.uint32)
    index, kept = Tensor(np.array([[1, 0]])), Tensor(np.array([0, 2], np.int32))
    return (ops.sub(np.float32(1), 2.0), ops.mul(np.int32(3), 2), ops.add(1, np.float32(2)),
            ops.squeeze(T(2, 1, 3), (1, -2)), x.squeeze((0, 0)), ops.unsqueeze(x, one), x.unsqueeze(one),
            x.permute(), three.permute(None), x.permute((1, 0), 7), x.transpose(1, 1), x.broadcast_to((2, 4, 5), 7),
            mint.narrow(x, 0, 1, 0), mint.narrow(x, 0, -1, 1), mint.narrow(x, 0, one, 2),
            mint.max(x, 0.5), mint.min(x, True), mint.max(Tensor([1, 2, 3]), 1.5), mint.min(x, np.float32(0.5)),
            mint.clamp(whole, 1, 2), ops.clamp(whole, 1.0, 2.0), mint.clamp(Tensor([1, 9], ms.uint16), None, 2),
            ops.norm(x, Tensor([2.0])), x.norm(Tensor([1.0])), x.scatter(Tensor([0]), index, T(1, 2)),
            mint.scatter(x, one, index, T(1, 2)), ops.gather(x, kept, one), mint.swapaxes(x, np.int64(0), 1),
            mint.diff(x, -1), ops.lerp(x, x + 1, T(4, 5).astype(ms.float16)), ops.renorm(T(5), 1, 0, 0.5),
            ops.logsumexp(x, Tensor(1)), ops.cross(T(4, 3), T(3)), mint.softmax(x, None), mint.softmax(T(5), None),
            mint.nn.functional.relu(Tensor([1, 2], ms.uint16)), mint.nn.Dropout(0.5)("as it is"),
            ops.cross_entropy(x, Tensor([0, 1, 2, 3], ms.int32), label_smoothing=1.5),
            ops.binary_cross_entropy(x, x, None, "MEAN"), ops.smooth_l1_loss(x, x + 1, 1.0, "NONE"),
            ops.baddbmm(T(2, 2, 3, 5), T(2, 3, 4), T(2, 4, 5)), nn.OneHot(np.int64(0), 3)(kept),
            nn.Conv3d(1, 2, 2, pad_mode="VALID", weight_init="ones")(T(1, 1, 3, 3, 3)), str(nn.Softmax(None)))


@case()
def test_cells_of_one_row_beside_many():
    cells = (nn.RNNCell(3, 2), T(1, 3), T(4, 2)), (nn.GRUCell(3, 2), T(4, 3), T(1, 2)), \
        (nn.LSTMCell(3, 2), T(1, 3), (T(4, 2), T(4, 2)))
    for cell, *_ in cells:
        for weight in cell.get_parameters():
            weight.set_data(Tensor(np.full(weight.shape, 0.25, np.float32)))
    return [cell(x, state) for cell, x, state in cells]


KINDS = ("a string", "a float", "a dict", "a string inside", "a float inside")


def kinds(function, *args):
    """`answers` to arguments of another class; what MindSpore has no kernels for on a CPU is not asked."""
    return {what: answer for what, answer in answers(function, *args).items() if what.endswith(KINDS)}


@case()
def test_mints_own_operators():
    x, index = T(3, 4), Tensor(np.array([[0, 1], [2, 0]]))
    return (kinds(mint.scatter_add, x, 0, index, T(2, 2)), kinds(mint.split, x, 2, 1),
            kinds(mint.split, x, (1, 3), 1), kinds(mint.permute, x, (1, 0)), kinds(mint.outer, T(2), T(3)),
            kinds(mint.gather, x, 1, index), kinds(mint.any, x, 1), kinds(mint.softmax, x, 1),
            kinds(mint.median, x, 1), kinds(mint.rand, 2, 3), kinds(mint.randint, 0, 5, (2, 2)),
            kinds(mint.mm, x, T(4, 2)), kinds(mint.amax, x, 1), kinds(mint.diff, x, 1, 0),
            kinds(mint.addbmm, T(2, 2), T(3, 2, 2), T(3, 2, 2)), kinds(mint.nn.functional.pad, x, (1, 1)),
            kinds(mint.where, x > 0.5, x, T(4)))


@case()
def test_both_forms_of_methods():     # (an Int64 index, which a CPU alone refuses, is taken with dim)
    x, y, at = T(4, 5), T(2, 5), Tensor(np.array([0, 2], np.int32))
    return (T(4, 5).index_add(0, at, y), T(4, 5).index_add(at, y, 0), T(4, 5).index_add(indices=at, y=y, axis=0),
            kinds(T(4, 5).index_add, 0, at, y),
            kinds(x.diagonal, 1), kinds(x.cumprod, 0), x.diagonal(np.int64(1)), x.norm(2, (0, 1)),
            said(x.norm, (2, [0, 1]), {}), said(ops.norm, (x, 2, 1, 1), {}), said(x.diff, (2,), {}), x.diff(1, 0),
            said(x.dot, (T(5, 2).astype(ms.float64),), {}), x.dot(T(5, 2)),
            said(mint.nn.functional.dropout, (x, 7.5), {}), mint.nn.functional.dropout(x, 0.0))


@case()
def test_two_numbers_to_transpose_a_matrix():
    x, y = T(4, 5), T(2, 3, 4)
    return (x.transpose(0, 1), x.transpose(1, 0), x.transpose(1, -1), y.transpose(0, 1), x.transpose((0, 1)),
            x.reshape(Tensor(5), 4), x.view(5, Tensor(4)), x.reshape((Tensor(5), 4)))


@case()
def test_images_of_too_many_or_too_few_axes():
    return tuple(said(f, (T(*shape), n), {}) for f, n in (
        (ops.adaptive_avg_pool2d, 1), (ops.adaptive_avg_pool3d, 1), (ops.channel_shuffle, 1), (ops.unfold, 1))
        for shape in ((2, 3, 4), (2, 3, 4, 4), (2, 3, 4, 4, 4), (2, 3, 2, 2, 2, 2)))


@case(each={"name": ["sigmoid", "silu", "elu", "logsigmoid", "log_softmax"]})
def test_activations_of_integers(name):
    return [said(getattr(ops, name), (Tensor(np.ones((2, 3), dtype)),), {}) for dtype in (np.int32, np.bool_)]


@case()
def test_numbers_columns_and_arrays_that_are_taken():
    x, at = T(5, 3), Tensor(np.array([0, 2, 1, 1, 0], np.int32))
    whole = Tensor(np.arange(12, dtype=np.uint32) % 7)
    return (mint.max(1.5, 1), mint.min(True, 2), mint.max(1, 2.5), mint.diff(whole), mint.diff(whole, 2),
            *(f(logits, to) for f in (ops.nll_loss, ops.cross_entropy)
              for logits, to in ((x[0], at), (x[0], at[:1]), (x, at.reshape(5, 1)))),
            x.view(Tensor(15)), ops.topk(x, 2, Tensor([1])), said(ops.sort, (x, np.int64(1)), {}),
            said(ops.max_pool2d, (T(1, 2, 4, 4), [2, 2]), {}), said(ops.flatten, (x,), {"start_dim": True}),
            said(mint.addmv, (1.5, x, T(3)), {}), said(mint.linspace, (0, 1, 0), {}), said(x.expand_dims, (True,), {}))
