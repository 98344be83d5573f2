"""Calls with one argument wrong, in MindSpore's words: a fixed sample of what scripts/sweep_errors.py makes."""

import re

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
def test_transforms():
    return (answers(vision.CenterCrop, 2), answers(vision.Resize(2), A(4, 4, 3)), answers(vision.Pad, 1))


@case()
def test_writing_to_a_parameter_of_another_dtype():
    """What MindSpore's type promotion cannot write is refused; the weaker dtype is promoted."""
    def add(dtype, other):
        at = Tensor(np.array([0, 1], np.int32))
        return said(ops.scatter_add, (Parameter(T(3, 2).astype(dtype), name="p"), at, T(2, 2).astype(other)), {})

    return {f"{a} {b}": add(a, b) for a in (ms.float32, ms.float16, ms.int32) for b in (ms.float32, ms.int32)}
