"""Operators of elements that few programs have: unsigned integers, bools, lists beside Tensors, wrong shapes."""
import mindspore as ms
import numpy as np
from mindspore import Tensor, nn, ops
from mindspore.ops import auto_generate
from mindspore.ops.function import array_func
from mindspore.ops.operations import _grad_ops as gradients

from tests.reference.judge import case, data


def of(dtype, *values):
    return Tensor(np.array(values, dtype))


X = [[1, 5, 3], [4, 2, 6]]
TRUE = [True, True]


def ones(*shape):
    return Tensor(np.ones(shape, np.float32))


def rows(dtype, add):
    return add(Tensor(np.arange(6).reshape(3, 2).astype(dtype)), of(dtype, [1, 1]), 2)


def without_repeats(state, scores):
    return ops.NoRepeatNGram(2)(state, scores)


CALLS = {
    "max_ext": lambda: (array_func.max_ext(of(np.float32, *X)), array_func.max_ext(of(np.float32, *X), 1, True)),
    "min_ext": lambda: (array_func.min_ext(of(np.float32, *X)), array_func.min_ext(of(np.float32, *X), 0)),
    "new_zeros": lambda: (array_func.new_zeros(ones(1), 2), array_func.new_zeros(ones(1), (2,), dtype=ms.int32)),
    "new_ones": lambda: array_func.new_ones(of(np.int64, 1), (2, 1)),
    "TruncateMod, int32": lambda: ops.TruncateMod()(of(np.int32, 5, -7), 2),
    "floor_mod, bool and int": lambda: ops.floor_mod(of(np.bool_, *TRUE), 2),
    "addcmul, list": lambda: ops.addcmul(ones(3), ones(3), ones(3), [1, 2, 3]),
    "addcmul, integers": lambda: ops.addcmul(of(np.int32, 1, 2), of(np.int32, 3, 4), of(np.int32, 5, 6), [1, 2]),
    "addcdiv, numpy": lambda: ops.addcdiv(ones(3), ones(3), ones(3), np.array([[1.0], [2.0]])),
    "neg, uint64": lambda: (ops.neg(of(np.uint64, 0, 1, 5)), -of(np.uint64, 2**63)),
    "LeakyReLU, uint32": lambda: nn.LeakyReLU()(of(np.uint32, 0, 1, 5)),
    "inplace_add, uint64": lambda: rows(np.uint64, ops.inplace_add),
    "inplace_sub, uint16": lambda: rows(np.uint16, ops.inplace_sub),
    "SliceGrad, int64": lambda: gradients.SliceGrad()(of(np.int64, [7, 3]), of(np.int64, *X), (0, 1), (1, 2)),
    "StridedSliceGrad, bool": lambda: gradients.StridedSliceGrad()(
        of(np.bool_, TRUE), (2, 3), (0, 0), (1, 3), (1, 2)),
    **{f"CdistGrad, p={p}": lambda p=p: auto_generate.CdistGrad(p)(
        of(np.float32, X), of(np.float32, [[1, 1], [2, 2]]), of(np.float32, [[3, 3], [3, 5], [2, 2]]),
        of(np.float32, [[3, 2, 1], [3, 4, 5]])) for p in (0.5, 1.0, 1.5, 3.0, float("inf"))},
    **{f"stft, {kind.__name__}": lambda kind=kind: ops.stft(
        of(kind, 1, 2, 3, 5, 4, 2), 4, window=of(np.complex64, 1, 2j, 1 + 1j, 3), center=False, onesided=False,
        return_complex=True) for kind in (np.float32, np.complex64)},
    "MatrixBandPart, vmap": lambda: ops.vmap(ops.matrix_band_part, (0, 0, None))(
        of(np.float32, X, X), of(np.int32, 0, -1), Tensor(1, ms.int32)),
    "NoRepeatNGram, vmap": lambda: ops.vmap(without_repeats)(
        of(np.int32, [[[1, 2, 1]]], [[[0, 1, 1]]]), of(np.float32, [[[1, 2, 3]]], [[[4, 5, 6]]])),
}

REFUSED = {
    "TruncateMod, bool": lambda: ops.TruncateMod()(of(np.bool_, *TRUE), of(np.bool_, *TRUE)),
    "TruncateMod, int64": lambda: ops.TruncateMod()(of(np.int64, 5, -7), 2),
    "TruncateDiv, bool": lambda: ops.TruncateDiv()(of(np.bool_, *TRUE), True),
    "Mod, bool": lambda: ops.Mod()(of(np.bool_, *TRUE), of(np.bool_, *TRUE)),
    "floor_mod, bool": lambda: ops.floor_mod(of(np.bool_, *TRUE), of(np.bool_, *TRUE)),
    "HSigmoidGrad, sizes": lambda: gradients.HSigmoidGrad()(ones(3, 4), ones(4, 4)),
    "HSwishGrad, ranks": lambda: gradients.HSwishGrad()(ones(3, 4), ones(4)),
    "KLDivLossGrad, reduction": lambda: gradients.KLDivLossGrad("error"),
}


@case(each={"name": list(CALLS)})
def test_kinds_of_elements(name):
    return CALLS[name]()


@case(each={"name": list(REFUSED)}, raises=True)
def test_kinds_that_are_refused(name):
    return REFUSED[name]()


class Drawing(nn.Cell):
    def __init__(self):
        super().__init__()
        self.draw = ops.UniformReal(seed=3)

    def construct(self, x, given):
        return self.draw((2,))


@case(mode="GRAPH")
def test_draws_beside_arguments_of_numpy():
    """A number is a graph's by its value, an array by which one it is."""
    net, x, array = Drawing(), of(np.float32, 1), np.array([1, 2])
    given = np.float32(1.5), np.float32(1.5), np.int64(2), np.int64(2), array, array, np.array([1, 2])
    return [net(x, value) for value in given]


UNSIGNED = {"dtype": ["uint16", "uint32", "uint64"]}


@case(each={**UNSIGNED, "how": ["Mul", "Max", "Min", "Div", "Add", "Sub", "Update"]})
def test_unsigned_integers_into_rows_and_places(dtype, how):
    x = ms.Tensor(np.array([[1, 3, 2], [4, 0, 4]], dtype))
    rows, places = ms.Tensor([0, 1], ms.int32), ms.Tensor([[0], [1]], ms.int32)
    y = ms.Tensor(np.array([[2, 2, 2], [3, 3, 3]], dtype))
    return (getattr(ops, f"Scatter{how}")()(ms.Parameter(x), rows, y),
            getattr(ops, f"ScatterNd{how}")()(ms.Parameter(x), places, y),
            getattr(ops, f"TensorScatter{how}")()(x, places, y))


@case(each=UNSIGNED)
def test_padding_unsigned_integers(dtype):
    x = ms.Tensor(np.array([[[[1, 3, 2], [4, 0, 4]]]], dtype))
    mirrored = (nn.ReflectionPad2d(1)(x), nn.ReflectionPad1d(1)(x)) if dtype == "uint16" else ()
    return (*mirrored, nn.ReplicationPad2d(1)(x),
            ops.pad(x, (1, 1, 1, 1), "reflect"), ops.pad(x, (1, 1, 1, 1), "replicate"))


@case(each={"dims": [1, 2, 3], "rank": [1, 2, 3, 4, 5, 6]})
def test_channels_are_not_dropped_out_of_training(dims, rank):
    return getattr(ops, f"dropout{dims}d")(ms.Tensor(data((2,) * rank)), 0.5, False)


@case(each={"name": ["IOU", "OneHot", "MulNoNan"]})
def test_derivatives_that_are_what_mindspore_says(name):
    boxes, others = ms.Tensor([[0.0, 0, 4, 4], [1, 1, 3, 3]]), ms.Tensor([[2.0, 2, 6, 6]])
    f, args = {
        "IOU": (lambda a, b: ops.iou(a, b), (boxes, others)),
        "OneHot": (lambda a, b: ops.OneHot()(ms.Tensor([0, 1], ms.int32), 3, a, b),
                   (ms.Tensor(1.0), ms.Tensor(0.0))),
        "MulNoNan": (lambda a, b: ops.MulNoNan()(a, b), (ms.Tensor([1.0, -2.0]), ms.Tensor([0.0, 3.0]))),
    }[name]
    return ms.grad(f, (0, 1))(*args)


@case(each={"unique": [False, True]})
def test_intersections_of_what_is_not_unique(unique):
    pairs = (([1, 1, 2, 3, 4], [2, 1, 4, 6]), ([3, 3], [3, 3]), ([1, 2], [1, 2, 2, 2]),
             ([[1, 2], [3, 4]], [4, 4, 1]))
    return [ms.numpy.intersect1d(ms.Tensor(a), ms.Tensor(b), unique, True) for a, b in pairs]


@case(atol=1e-5, rtol=1e-5, reason="sums in another order")
def test_normalisation_by_figures_that_lie_apart():
    x, figures = ms.Tensor(data((4, 3))), ms.Tensor(np.abs(data((3, 4), seed=1)) + 0.5)

    def loss(x, given):
        y = ops.BatchNorm()(x, given[:, 0], given[:, 1], given[:, 2], given[:, 3])[0]
        return (y * x).sum()

    return ms.grad(loss, (0, 1))(x, figures)


@case(each={"rtol": [-1.0, 1e-5], "atol": [-0.5, 1e-8]})
def test_closeness_of_less_than_nothing(rtol, atol):
    return ops.isclose(ms.Tensor([1.0, 2.0, np.nan]), ms.Tensor([1.0, 2.5, np.nan]), rtol, atol)


@case(each={"margin": [1.0, 2.5]})
def test_hinges_of_targets_that_are_no_signs(margin):
    x, signs = ms.Tensor(data((10,))), ms.Tensor([-3.0, -2.0, -1.0, -0.5, 0.0, 0.5, 1.0, 1.5, 2.0, 3.0])
    return ops.hinge_embedding_loss(x, signs, margin, "none"), nn.HingeEmbeddingLoss(margin)(x, signs)


@case(each=UNSIGNED)
def test_relu_of_unsigned_integers(dtype):
    x = ms.Tensor(np.array([0, 3], dtype))
    return nn.ReLU()(x), ops.relu(x), ops.ReLU()(x)
