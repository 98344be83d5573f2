"""What the fuzzer (scripts/fuzz_ops.py) found to differ in operators: a line each, as short as it could be made."""

import mindspore as ms
import mindspore.numpy as mnp
import numpy as np
from mindspore import Parameter, Tensor, mint, nn, ops
from mindspore.dataset import audio, text, transforms, vision
from mindspore.dataset.audio import FadeShape
from mindspore.dataset.vision import ConvertMode

from tests.reference.judge import case, data

F32, F64, F16 = np.float32, np.float64, np.float16
GRID = np.arange(16.0).reshape((1, 4, 4, 1))
MATRIX = np.array([[2.0, 0.1], [0.3, 1.0]])


def tensor(values, dtype=F32):
    return Tensor(np.array(values, dtype))


def fused_ada_factor(step, shape, *norm):
    """The weight and its states after ``step``."""
    rows, columns = (shape[:-1], shape[:-2] + shape[-1:]) if len(shape) > 1 else ((1,), (1,))
    state = [Parameter(Tensor(np.abs(data(s, seed=i)) + 0.1), name=f"s{i}")
             for i, s in enumerate((shape, shape, rows, columns, shape))]
    step((1e-30, 1e-3), 1.0, 0.9, 0.8, 1e-2, 0.03, Tensor(data(shape, seed=9)), *state, *norm)
    return [s.value() for s in state]


VALUES = {
    "ReduceStd of the first axis": lambda: ops.ReduceStd(0, True, False)(tensor(MATRIX)),
    "ReduceStd of a list": lambda: ops.ReduceStd([0])(tensor(MATRIX)),
    "ReduceStd of all": lambda: ops.ReduceStd()(tensor(MATRIX)),
    "Betainc keeps float64": lambda: (ops.Betainc()(*(tensor([v], F64) for v in (0.5, 1.5, 0.3)))).dtype,
    "integers divided by zero": lambda: [ops.RealDiv()(tensor([0, 10, 7, 100], t), tensor([0, 0, 2, 3], t))
                                         for t in (np.int8, np.int16, np.int32, np.int64, np.uint8, np.uint16)],
    "negative integers divided by zero": lambda: ops.RealDiv()(tensor([-3, 0, -7], np.int16), 0),
    "subtract with an alpha": lambda: [ops.subtract(tensor([1, 0, 1], t), tensor([1, 1, 0], t), alpha=a)
                                       for t in (np.bool_, np.int8, np.int64, F16) for a in (1, 2, 1.5, -1)],
    "subtract of numbers": lambda: (ops.subtract(tensor([1, 2], np.int32), 3, alpha=2), ops.subtract(3, 4, alpha=1.5),
                                    tensor([1, 0], np.bool_).subtract(tensor([1, 1], np.bool_))),
    "Bessel functions below 0": lambda: [getattr(ops, f"bessel_{n}")(tensor([-np.inf, -2, -0.5], t))
                                         for n in ("k0", "k1", "k0e", "k1e", "y0", "y1") for t in (F32, F64)],
    "norms by singular values": lambda: [ops.matrix_norm(tensor(MATRIX, F64), p) for p in (2, -2, "nuc", 1)],
    "losses of whole numbers": lambda: [
        loss(reduction)(tensor([[1, 0, 5]], t), tensor([[3, 0, 1]], t)) for reduction in ("none", "sum", "mean")
        for loss, kinds in ((nn.MSELoss, (np.uint16, np.uint32, np.uint64, np.int8)), (nn.MAELoss, (np.bool_, np.uint8)))
        for t in kinds],
    "mse_loss of whole numbers": lambda: [ops.mse_loss(tensor([1, 5], t), tensor([3, 1], t)) for t in (np.uint32, np.int32)],
    "choose drops fractions": lambda: (tensor([0.7, 1.2, -3]).choose([tensor([1.5, 2.5, 3.5]), tensor([-4.5, 5.5, 6.5])]),
                                       tensor([0, 3, -1], np.int32).choose([tensor([1.5]), tensor([2.5])], "wrap")),
    "sizes of adaptive_max_pool3d": lambda: [
        ops.adaptive_max_pool3d(tensor(GRID.reshape(1, 1, 4, 2, 2)), size)
        for size in ((2.0, 1, 2), (2.5, True, 1), tensor([2.0, 2.0, 1.0]), 2)],
    "Scan over what it is given": lambda: [ops.Scan()(lambda c, x: (c + x, c * 2), 3, [1, 2, 3], n) for n in (None, 1, 3, 5)],
    "equal elements along an axis": lambda: [
        ms.grad(lambda x, call=call: call(x))(tensor([[1, 2, 2], [3, 3, 1]])) for call in (
            lambda x: x.max(axis=1), lambda x: x.min(axis=0, initial=1.0), lambda x: x.max(axis=1, keepdims=True),
            lambda x: x.max(axis=(0, 1)), lambda x: x.max())],
    "bounds of all elements": lambda: (tensor(MATRIX).max(initial=5.0), tensor(MATRIX).min(keepdims=True, initial=-1.0),
                                       tensor(MATRIX).max(axis=None, initial=1.0, where=tensor([True, False], np.bool_))),
    "norms by singular values in other forms": lambda: [
        norm(tensor(MATRIX, t), p) for norm in (ops.norm, mint.linalg.norm, mint.linalg.matrix_norm)
        for p in (2, -2, "nuc") for t in (F16, F32, F64)],
    "whole orders of matrices": lambda: [ops.norm(tensor(MATRIX, t), p) for p in (1, 1.0, -1.0, 2, 2.0, -2.0) for t in (F16, F32)],
    "clipped by other norms": lambda: [ops.clip_by_norm((tensor([3, -4]), tensor([1])), 1.0, order) for order in (1, 1.0, 2, 3.0)],
    "clipped beside nan and infinity": lambda: [
        clip((tensor([odd, 3]), tensor([5])), 1.0) for odd in (np.nan, np.inf)
        for clip in (ops.clip_by_norm, ops.clip_by_global_norm)],
    "LSTM with projections": lambda: [
        ops.LSTM(3, 4, 1, bias, both, 0.0, 2)(*(Tensor(data(shape, seed=i)) for i, shape in enumerate(
            ((3, 2, 3), (1 + both, 2, 2), (1 + both, 2, 4), ((1 + both) * (88 + 16 * bias), 1, 1)))))[:3]
        for bias in (False, True) for both in (False, True)],
    "FusedAdaFactor": lambda: [
        fused_ada_factor(kind(*enabled), shape, *norm) for shape in ((2, 3), (2, 3, 2), (5,))
        for enabled in ((), (True, True, False), (False, True, True), (True, False, True))
        for kind, norm in ((ops.FusedAdaFactor, ()), (ops.FusedAdaFactorWithGlobalNorm, (10.0,)))],
    "LstsqV2Grad": lambda: [ops.auto_generate.lstsq_v2_grad_op(*(Tensor(data(shape, seed=i)) for i, shape in enumerate(shapes)))
                            for shapes in (((2, 3), (4, 2), (4, 3)), ((4, 3), (2, 4), (2, 3)), ((5, 2, 3), (5, 4, 2), (5, 4, 3)))],
    "cond": lambda: [ops.cond(tensor(MATRIX, F64), p).dtype for p in (None, 2, -2, "nuc", "fro", 1)],
    "ScatterAddWithAxis": lambda: ops.ScatterAddWithAxis(0)(tensor([[1, 2]], np.uint8), Tensor([[0, 0]]),
                                                            tensor([[1, 2]], np.uint8)),
    "narrow parameters and wide indices": lambda: [scatter(Parameter(tensor([1, 2], np.int16), name="x"),
                                                           Tensor([[1]]), tensor([5], np.int16))
                                                   for scatter in (ops.ScatterNdAdd(), ops.scatter_nd_max)],
    "SegmentMean of integers": lambda: ops.SegmentMean()(tensor([[-2], [-1], [2]], np.int64),
                                                         tensor([0, 0, 0], np.int32)),
    "vander of integers": lambda: ops.vander(tensor([5, 0], np.int32)),
    "histc": lambda: [ops.histc(tensor([1, 2, 5], t), 4) for t in (np.int32, F32, F16)],
    "cartesian_prod of one": lambda: ops.cartesian_prod(Tensor([1, 2])),
    "unique_consecutive of one": lambda: (ops.unique_consecutive(Tensor([[1]]), True, False),
                                          ops.unique_consecutive(Tensor([[1]]), False, True)),
    "trapz of bools": lambda: ops.trapz(Tensor([False, True, True]), Tensor([False, True, True])),
    "HingeEmbeddingLoss of other targets": lambda: nn.HingeEmbeddingLoss(0.5, "sum")(
        tensor([[-2.0, 6, 0.75, 3]]), tensor([[0.0, 1, -1, 0]])),
    "multi_margin_loss of halves": lambda: nn.MultiMarginLoss(2, 0.5, "sum")(
        tensor([[-2.0, 6, 0.75]], F16), Tensor([0])),
    "MultiClassDiceLoss without classes": lambda: nn.MultiClassDiceLoss(None, 0, "sigmoid")(
        tensor([[0.75]], F16), tensor([[0.75]], F16)),
    "mint PReLU of halves": lambda: mint.nn.PReLU(2, 0.25)(tensor([[-1.0, 2.0]], F16)),
    "ResizeArea to the corners": lambda: [ops.ResizeArea(corners)(tensor(GRID), tensor(size, np.int32))
                                          for size in ((3, 2), (2, 3)) for corners in (True, False)],
    "transforms of one number": lambda: (ops.hfft(tensor([2.0])), ops.irfft(tensor([[1.0], [2.0]])),
                                         ops.irfft2(tensor([[1.0], [2.0]], F64)), ops.irfftn(tensor([2.0]))),
    "max_unpool2d of integers": lambda: ops.max_unpool2d(tensor([[[[1, 2], [3, 4]]]], np.int32),
                                                         Tensor([[[[0, 3], [8, 14]]]]), 2),
    "AffineGrid of halves": lambda: ops.AffineGrid(True)(tensor([[[0.75, 3, 1.5], [1.5, 0.25, -1]]], F16),
                                                         (1, 2, 3, 2)),
    "images with an alpha": lambda: [vision.ConvertColor(mode)(np.ones((1, 2, 3), kind)) for kind in (F32, np.uint8)
                                     for mode in (ConvertMode.COLOR_BGR2BGRA, ConvertMode.COLOR_BGR2RGBA)],
    "Fade of one sample": lambda: [audio.Fade(0, n, s)(np.ones((1, 4), F32)) for n in (1, 3) for s in FadeShape],
    "ToNumber of what begins with one": lambda: [text.ToNumber(kind)([" 4 ", "-1", "+5", "12abc", "1e3", "3.7"])
                                                 for kind in (ms.int32, ms.float32)],
    "OneHot of one class": lambda: [transforms.OneHot(1)(np.array(n)) for n in (0, [0], [0, 0])],
    "one frame": lambda: audio.SlidingWindowCmn(3, 2, True)(np.ones((1, 5), F32)).shape,
    "bfloat16 in a list": lambda: ops.mixed_precision_cast(ms.float16, [tensor([1.0])]),
    # Their kernels keep their engines as long as the process: sizes that no other case has.
    "channels dropped": lambda: [nn.Dropout2d(0.5).set_train()(tensor(np.ones((3, 7, 1, 1)))),
                                 ops.Dropout2D(0.5)(tensor(np.ones((3, 7, 1, 1)))),
                                 ops.dropout1d(tensor(np.ones((3, 7, 1)))),
                                 nn.Dropout3d(0.3).set_train()(tensor(np.ones((3, 7, 1, 1, 1))))],
    "MaxPoolWithArgmax of two channels": lambda: ops.MaxPoolWithArgmax(2, 1)(tensor(np.arange(36).reshape(2, 2, 3, 3))),
    "Histogram of float16": lambda: ops.Histogram(2)(tensor([1.0, 2.0, 4.0], F16)),
    "nuclear norm of float16": lambda: ops.matrix_norm(tensor(MATRIX, F16), "nuc"),
    "kron of a view": lambda: ops.kron(tensor(MATRIX).swapaxes(0, 1), tensor([1.0, 2.0])),
    "kron of a turned row": lambda: ops.kron(tensor([[2.0, 3.0, 1.0]]).swapaxes(0, 1), tensor(MATRIX)),
    "trapz of float64": lambda: ops.trapz(tensor(MATRIX, F64), tensor(MATRIX, F64)),
    "trapz of float16": lambda: (ops.trapz(tensor(MATRIX, F16), tensor(MATRIX, F16)), ops.trapz(tensor(MATRIX, F16))),
    "nll_loss of a view": lambda: [
        ms.grad(loss)(tensor([[[[1.0, 2.0], [0.5, -1.0]]], [[[-2.0, 0.0], [3.0, 0.25]]]]).swapaxes(0, 1),
                      tensor([[[0, 1], [1, 0]]], np.int32))
        for loss in (ops.nll_loss, ops.cross_entropy)],
    "nll_loss by its weights": lambda: ms.grad(mint.nn.functional.nll_loss, (0, 2))(
        tensor(MATRIX), Tensor([0, 1], ms.int64), tensor([2.0, 3.0])),
    "ConvertColor of four channels": lambda: [vision.ConvertColor(mode)(np.arange(24, dtype=np.uint8).reshape(2, 3, 4))
                                              for mode in (ConvertMode.COLOR_BGR2BGRA, ConvertMode.COLOR_BGR2RGB)],
    "ConvertColor of three channels": lambda: [vision.ConvertColor(mode)(np.arange(18, dtype=np.uint8).reshape(2, 3, 3))
                                               for mode in (ConvertMode.COLOR_BGRA2BGR, ConvertMode.COLOR_BGRA2RGBA)],
    "ldexp by integers is Float32": lambda: [ops.ldexp(tensor([1, 2], x), tensor([1, 3], y)) for x in (F16, F32, np.int32)
                                             for y in (np.bool_, np.int8, np.int32, F16)],
    "ldexp of bools by bools": lambda: ops.ldexp(tensor([1, 0], np.bool_), tensor([1, 0], np.bool_)),
    "Mod of float64 in rounded steps": lambda: [ops.Mod()(tensor([0.5, 2.7, -2.7], t), tensor([0.001, 0.1, 0.1], t))
                                                for t in (F64, F32)],
    "windows of one number": lambda: [audio.SlidingWindowCmn(5, 2, False, True)(np.ones(s, F32))
                                      for s in ((1, 1), (1, 2), (2, 1), (1, 1, 1))],
    "crops of blocks": lambda: [ops.batch_to_space_nd(tensor(np.ones((4, 1, 4, 2))), 2, c).shape
                                for c in ([[0, 1], [0, 0]], [[3, 4], [0, 3]])],
    "Erase beyond the edge": lambda: [vision.Erase(*a, 9)(np.arange(27).reshape(3, 3, 3).astype(np.uint8))
                                      for a in ((1, 0, 3, 2), (0, 1, 2, 3), (3, 0, 1, 1), (0, 3, 1, 1))],
    "L1Regularizer of half": lambda: [nn.L1Regularizer(0.5)(tensor([1, -2], t)) for t in (F16, F32, F64)],
    "cosines of short vectors and zeros": lambda: [
        ops.cosine_embedding_loss(tensor([[0.001, 0.002], [0.5, 1], [0, 0]], t), tensor([[1.0, 0.3], [0.25, -0.5], [1, 2]], t),
                                  tensor([1, -1, 1], np.int32), 0.0, "none") for t in (F32, F64)],
    "dist of order 0": lambda: [ops.dist(tensor(x), tensor(y), 0) for x, y in ((-0.5, 0.2), ([-0.5, 1], [0.2, 1]))],
    "max where True": lambda: (ops.max(tensor([[1.0, 3], [2, 0]]), 1, initial=2.5, where=True),
                               ops.min(tensor([[1.0, 3], [2, 0]]), 0, True, initial=0.5, where=False)),
}


@case(each={"what": list(VALUES)})
def test_values(what):
    return VALUES[what]()


X, V = data((3, 2)), data((2, 2), seed=1)
BESIDE = {
    "mul": lambda a, b: a * b, "truediv": lambda a, b: a / b, "add": lambda a, b: a + b, "sub": lambda a, b: a - b,
    "ops.mul": ops.mul, "ops.div": ops.div, "Mul": ops.Mul(), "RealDiv": ops.RealDiv(), "mint.mul": mint.mul,
    "mint.div": mint.div, "fmod": ops.fmod, "maximum": ops.maximum, "pow": ops.pow,
    "trunc": lambda a, b: ops.div(a, b, rounding_mode="trunc"), "mnp.multiply": mnp.multiply,
    "mnp.divide": mnp.divide,
}
KINDS = [(ms.float16, ms.float32), (ms.float32, ms.float64), (ms.int32, ms.int64), (ms.float16, ms.float64),
         (ms.int32, ms.float32), (ms.int64, ms.int32), (ms.float32, ms.float16), (ms.bool_, ms.int32)]


@case(each={"what": list(BESIDE)}, mode="BOTH")
def test_tensors_beside_0d_ones(what):
    """In a product or a quotient a 0-d tensor leaves the dtype of a tensor of its kind, and is read in full."""
    function, found = BESIDE[what], []
    for kind, other in KINDS[:2 if "mnp" in what else 8]:
        many, one = Tensor([3, 2], kind), Tensor(2, other)
        found += [function(many, one), function(one, many), function(one, Tensor(2, kind))]
    return found


@case
def test_what_half_does_not_hold():
    return [f(*pair) for f in (ops.mul, ops.div) for x, y in ((6e4, 1e-7), (100.0, 1e5))
            for a, b in ((Tensor([x], ms.float16), Tensor(y, ms.float32)),) for pair in ((a, b), (b, a))]


@case(rtol=1e-3, reason="MindSpore adds the 0-d tensor's gradient in half precision")
def test_gradients_beside_0d_tensors():
    x, y = tensor([3.0, 2], F16), tensor(0.5)
    return [ms.grad(f, (0, 1))(a, b) for f in (ops.mul, ops.div) for a, b in ((x, y), (y, x))]


GRADIENTS = {
    "aminmax": (lambda x: ops.aminmax(x, axis=1), [[1.0, 5, 5], [5, 1, 5]]),
    "aminmax of the first axis": (lambda x: x.aminmax(), [[1.0, 5, 5], [5, 1, 5]]),
    "bincount": (lambda x: ops.bincount(tensor([0, 3, 2, 0], np.int32), x), [0.5, 1, 2, 3]),
    "zeta": (lambda x: ops.zeta(x, tensor([2.0, 1.5])), [3.0, 2.5]),
    "acosh outside of its domain": (ops.acosh, [-3.0, -1.0, 0.5, 2.0, np.inf]),
    "bessel_k0 below 0": (ops.bessel_k0, [-2.0, 0.5]),
    "bessel_k1 below 0": (ops.bessel_k1, [-2.0, 0.5]),
    "bessel_y0 below 0": (ops.bessel_y0, [-2.0, 0.5]),
    "bessel_i1 of nan": (ops.bessel_i1, [np.nan, 0.5]),
    "zeta and a number": (lambda x: ops.zeta(x, 1) + ops.zeta(x, 1.5) * ops.zeta(2, x), [3.0, 2.5]),
    "zeta of the offset": (lambda x: ops.zeta(tensor([3.0, 2.5]), x), [2.0, 1.5]),
    "igamma": (lambda x: ops.igamma(tensor([3.0, 0.5]), x), [2.0, 1.5]),
    "igammac": (lambda x: ops.igammac(tensor([3.0, 0.5]), x), [2.0, 1.5]),
    "Betainc": (lambda x: ops.Betainc()(tensor([0.5]), x, tensor([0.3])), [1.5]),
    "inplace_add": (lambda x: ops.inplace_add(x, tensor(V), (0, 2)), X),
    "inplace_update": (lambda x: ops.inplace_update(x, tensor(V), (0, 2)), X),
    "SegmentMin with a zero": (lambda x: ops.SegmentMin()(x, tensor([0, 0, 1], np.int32)),
                               [[0.0, 1], [2, -1], [0, 0]]),
    "SegmentMax of equals": (lambda x: ops.SegmentMax()(x, tensor([0, 0, 1], np.int32)),
                             [[2.0, 1], [2, 1], [0, 0]]),
    "fractional_max_pool3d": (lambda x: ops.fractional_max_pool3d(
        tensor(np.arange(48.0).reshape((1, 1, 3, 4, 4))), (1, 1, 1), (2, 2, 2), _random_samples=x), [[[0.5] * 3]]),
    "vander": (lambda x: ops.vander(x, 3), [1.0, -0.3]),
    "NthElement of equal ones": (lambda x: ops.NthElement()(x, 1), [[2.0, 1, 2, 3], [4, 4, 4, 0], [1, np.inf, 2, 3]]),
    "NthElement of infinities": (lambda x: ops.NthElement(True)(x, 0), [[2.0, np.inf, 3], [1, 2, 2]]),
    "ldexp": (lambda x: ops.ldexp(x, tensor([1, 3], np.int32)), [1.5, -2]),
    "dist of order 0": (lambda x: ops.dist(x, tensor([1.0, 2]), 0), [[0.5, 2], [1, 3]]),
}


@case(each={"what": list(GRADIENTS)})
def test_gradients(what):
    function, values = GRADIENTS[what]
    return ms.grad(function)(tensor(values))


@case(rtol=1e-4, reason="MindSpore's CPU kernel sums a series in float32")
def test_gradients_by_the_shape():
    x = tensor([2.0, 1.5])
    return [ms.grad(lambda a, f=f: f(a, x))(tensor([3.0, 0.5])) for f in (ops.igamma, ops.igammac)]


REFUSED = {
    "ScatterDiv by 0": lambda: ops.scatter_div(Parameter(tensor([1.0, 2.0]), name="x"), tensor([0], np.int32),
                                               tensor([0.0])),
    "fliplr": lambda: ops.fliplr(tensor([1.0])),
    "flipud": lambda: ops.flipud(Tensor(1.0)),
    "Trace": lambda: ops.Trace()(tensor(np.ones((2, 2, 2)))),
    "nan_to_num": lambda: ops.nan_to_num(tensor([1.0], F64)),
    "diag_embed": lambda: ops.diag_embed(Tensor([True])),
    "diff": lambda: mint.diff(tensor([1, 2], np.int16)),
    "gcd": lambda: ops.gcd(tensor([1, 2], np.int8), tensor([1, 2], np.int8)),
    "dist": lambda: ops.dist(tensor([1.0]), tensor([2.0]), 3.0),
    "det": lambda: ops.det(tensor([[3.0]])),
    "inverse": lambda: ops.inverse(tensor([[3.0]])),
    "slogdet": lambda: ops.slogdet(tensor([[3.0]])),
    "ParallelConcat": lambda: ops.ParallelConcat()((tensor(MATRIX), tensor(MATRIX))),
    "adaptive_avg_pool1d": lambda: ops.adaptive_avg_pool1d(tensor(np.ones((1, 2, 2))), 3),
    "swiglu": lambda: ops.swiglu(tensor([1.0]), 0),
    "SlidingWindow of nothing": lambda: text.SlidingWindow(3)([]),
    "elu of another alpha": lambda: ops.elu(tensor([1.0, -1.0]), 0.5),
    "ELU of another alpha": lambda: nn.ELU(2.0)(tensor([1.0, -1.0])),
    "ResizeNearestNeighbor of three sizes": lambda: ops.ResizeNearestNeighbor((2, 2, 2))(tensor(GRID)),
    "gradient of ParallelConcat": lambda: ms.grad(lambda x: ops.ParallelConcat()((x, x)))(tensor([1.0])),
    "choose of a number": lambda: tensor(1, np.int32).choose([1, 2]),
    "a size of 0": lambda: ops.adaptive_max_pool3d(tensor(GRID.reshape(1, 1, 4, 2, 2)), (0, 1, 1)),
    "MelScale of one frequency": lambda: audio.MelScale(2, 16000, 0.0, None, 1)(np.ones((1, 1), F32)),
    "Erase": lambda: vision.Erase(0, 0, 1, 1)(np.ones((2, 5, 1), np.uint8)),
    "PadV3": lambda: ops.PadV3("edge")(tensor(MATRIX), Tensor([0, 1])),
    "scalar_mod": lambda: ops.scalar_mod(1, 0), "scalar_floordiv": lambda: ops.scalar_floordiv(1.5, 0),
    "TruncatedNormal": lambda: ops.TruncatedNormal(seed=1)(Tensor((3,), ms.int32)),
    "ConvertColor of a grey image": lambda: vision.ConvertColor(ConvertMode.COLOR_GRAY2BGR)(np.ones((2, 2, 3), np.uint8)),
    "SpaceToBatchND": lambda: ops.space_to_batch_nd(tensor(np.ones((4, 1, 4, 2))), [2, 2], [[0, 1], [1, 0]]),
    "BatchToSpaceND of a batch": lambda: ops.batch_to_space_nd(tensor(np.ones((5, 1, 4, 2))), [2, 2], [[0, 0], [0, 0]]),
    "BatchToSpaceND that crops all": lambda: ops.BatchToSpaceND([2, 2], [[0, 0], [0, 5]])(tensor(np.ones((4, 1, 4, 2)))),
    "glu of three": lambda: mint.nn.functional.glu(tensor(np.ones((3, 5, 3))), -3),
    "glu along no axis": lambda: mint.nn.functional.glu(tensor(np.ones((3, 5, 3))), 3),
    "multi_margin_loss of a fraction": lambda: ops.multi_margin_loss(tensor([[0.3, 0.7]]), tensor([1], np.int64), 1, 0.5),
}


@case(each={"what": list(REFUSED)}, raises=True)
def test_refusals(what):
    return REFUSED[what]()


@ms.jit
def shapes_of_other_devices(x, alpha, beta):
    """What the compiler knows of operators that the CPU has no kernels of."""
    return (ops.shape(ops.Einsum("i->")((x,))), ops.shape(ops.Einsum("i,i->i")((x, x))),
            ops.shape(ops.Gamma(seed=3)((3, 1, 2), alpha, beta)),
            ops.dtype(ops.EuclideanNorm(True)(ops.cast(x, ms.int32), AXES)))


AXES = Tensor([0])


@case
def test_shapes_of_other_devices():
    return str(shapes_of_other_devices(tensor([1.0, 2.0]), tensor([[3.0, 4], [5, 6]]), tensor([1.0])))


@case
def test_gradients_of_what_is_chosen():
    x, y = tensor([1.0, 0.0, 2.5]), tensor([1.5, 3.0, -4.0])
    index = tensor([1, 0, 1], np.int32)
    return (ms.grad(lambda a, b: index.choose([a, b]), (0, 1))(x, y),
            ms.grad(lambda a, b: a.choose([a, b]), (0, 1))(x, y), index.choose([x, y]))


@case
def test_signs_compared_with_zero():
    odd = tensor([1.0, -2.0, 3.0, -0.0, np.nan, np.inf])
    signs = tensor([-0.0, 0.0, -1.0, np.nan, -2.0, -5.0])
    return (ops.copysign(odd, signs), ms.grad(ops.copysign, (0, 1))(odd, signs), ops.copysign(odd, -0.0),
            [ops.copysign(Tensor([1, 2], t), other)
             for t in (ms.int8, ms.int64, ms.float64, ms.bfloat16) for other in (-1, Tensor([-1.0, 1.0], ms.float16))])


@case
def test_padding_of_bools_and_complex_numbers():
    return (ops.PadV3()(Tensor([[True], [True]]), Tensor([0, 1]), Tensor(False)),
            ops.PadV3()(Tensor([1 + 2j, 3j], ms.complex64), (1, 1), Tensor(2 - 1j, ms.complex64)))


@case(each={"dtype": [ms.bool_, ms.int32]}, raises=True)
def test_reflected_too_far(dtype):
    return ops.PadV3("reflect")(Tensor([[[1], [0], [1]]], dtype), Tensor([0, 1]))


def products(x, number):
    return (ops.mul(x, number), ops.mul(number, x), ops.Mul()(x, number), ops.multiply(number, x),
            mint.mul(x, number), mint.mul(number, x), x * number, number * x)


@case(each={"graph": [False, True]})
def test_products_of_numbers_and_tensors_without_axes(graph):
    call = ms.jit(products) if graph else products
    # (MindSpore's CPU kernel keeps the size of the first call: those of one element come last.)
    return [call(x, number) for t in (ms.bool_, ms.int8, ms.int32, ms.float16, ms.float32, ms.float64)
            for x in (Tensor([1, 1], t), Tensor(1, t)) for number in (2, 0.5)]


@case
def test_quotients_of_numbers_by_narrow_integers():
    return [form(number, Tensor(3, t)) for t in (ms.int8, ms.uint8, ms.int32) for number in (7, 2.5)
            for form in (ops.RealDiv(), ops.TruncateDiv(), ops.TruncateMod(), ops.truncate_div, ops.tensor_div)
            if t != ms.int8 or form.__class__.__name__ != "TruncateMod"]


@case
def test_norms_of_integers():
    return [[norm(Tensor([[3, 4], [1, 2]], t), order, 1) for norm in (ops.vector_norm, ops.norm)
             for order in (0, 1.0, -1, -2, 0.5, float("inf"), float("-inf"))]
            + [ops.vector_norm(Tensor([3, 4], t), 3), ops.norm(Tensor([3, 4], t), 2),
               *(ops.matrix_norm(Tensor([[3, 4], [1, 2]], t), order) for order in (1, "fro"))]
            for t in (ms.int8, ms.int32, ms.int64)]


@case
def test_integers_that_keep_their_dtype():
    return [(ops.clip_by_norm(Tensor([3, 4], t), 10.0), ops.clip_by_norm(Tensor([3, 4], t), 2.5),
             ops.bidense(*(Tensor(v, t) for v in ([[1, 100]], [[1, 2]], [[[1, 1], [1, 1]]], [1]))))
            for t in (ms.int8, ms.int32)]


@case(each={"dtype": [ms.int16, ms.float64, ms.complex64]})
def test_differences_of_any_dtype(dtype):
    return Tensor([1, 5, 2], dtype).diff(), Tensor([1, 5, 2], dtype).diff(prepend=Tensor([1], dtype))


@case
def test_huber_loss_of_one_half():
    return [ops.huber_loss(Tensor(1.25, ms.float16), Tensor(x, ms.float16), reduction)
            for x in (0.5, -3.0) for reduction in ("mean", "none")]


def said(function, *args):
    try:
        return str(function(*args).dtype)
    except TypeError as err:
        return str(err).split("\n")[0]


OF_SOME_DTYPES = {
    "i0": (ops.i0, "int8 int32 bool_ bfloat16"), "i0 of a Tensor": (lambda x: x.i0(), "int64"),
    "fmin": (lambda x: ops.fmin(x, x), "bool_ int8 uint16 bfloat16"), "fmin of a number": (lambda x: x.fmin(0), "int8"),
    "fmax of a number": (lambda x: ops.fmax(x, 0), "int8 bfloat16"), "xdivy": (lambda x: ops.xdivy(x, 2), "int8 int64 bool_"),
    "hypot": (lambda x: ops.hypot(x, 0.5), "float16 bfloat16 float32"),
    "SquaredDifference": (lambda x: ops.SquaredDifference()(x, 2), "int8 bfloat16 int32"),
    "sign": (ops.sign, "uint16 uint32 int8"), "sort": (lambda x: x.sort(0)[0], "uint16 bfloat16 int8"),
    "HSigmoid": (ops.HSigmoid(), "bool_ uint16"), "fills": (lambda x: ops.fills(x, 1), "bool_ int64 float64"),
    "quantile": (lambda x: ops.quantile(x, 0.5), "float16 int32 bfloat16"),
    "matrix_diag": (lambda x: ops.matrix_diag(x, 0), "bool_ complex64"), "isfinite": (ops.IsFinite(), "complex64"),
    "SpaceToBatch": (lambda x: ops.SpaceToBatch(2, [[0, 0], [0, 0]])(x.reshape((1, 1, 1, 2)).tile((1, 1, 2, 1))), "bool_"),
    "SplitV": (ops.SplitV([1, 1], 0, 2), "bool_ float64"), "CeLU": (ops.CeLU(), "bfloat16"),
    "RGBToHSV": (lambda x: ops.RGBToHSV()(x.reshape((1, 2, 1, 1)).tile((1, 1, 1, 3))), "int32"),
    "histc": (lambda x: x.histc(4, 0.0, 2.0), "int8 int64 float64"), "renorm": (lambda x: x.reshape((1, 2)).renorm(1, 0, 9.0), "bfloat16"),
    "addmv": (lambda x: x.addmv(x.reshape((1, 2)).tile((2, 1)), x), "int8"),
    "nextafter": (lambda x: ops.nextafter(x, 0.5), "float32 float64"), "outer": (lambda x: ops.outer(x, 2.0), "float32"),
    "float_power": (lambda x: x.float_power(2), "complex64"), "cross_entropy": (lambda x: ops.cross_entropy(x, x), "bfloat16"),
}


@case(each={"call": list(OF_SOME_DTYPES)})
def test_dtypes_that_an_operator_refuses(call):
    ms.set_context(pynative_synchronize=True)        # an operator's error comes out of its own call
    function, dtypes = OF_SOME_DTYPES[call]
    return [said(function, Tensor(np.ones(2), getattr(ms, t))) for t in dtypes.split()]


@case(each={"call": ["bessel_k0", "bessel_k1", "bessel_k1e"]})
def test_derivatives_at_a_pole(call):
    return ms.grad(getattr(ops, call))(Tensor([0.0, 1.0, 2.0], ms.float32))


def nan_among_others(a, b):
    return ops.dist(a, b, 1)


@case
def test_gradients_of_a_distance_that_is_nan():
    return ms.grad(nan_among_others, (0, 1))(Tensor([-1.0, 1.5, 2.0], ms.float32), Tensor([float("nan"), 1.0, 2.5], ms.float32))


def stated(function):
    try:
        return function()
    except (TypeError, ValueError) as err:
        return f"{type(err).__name__}: {str(err).splitlines()[0]}"


SIZES = [(), (1,), (2,), (1, 2), (2, 2), (1, 1), (0,)]


@case
def test_shapes_of_zeta():
    ms.set_context(pynative_synchronize=True)
    given = [Tensor(np.full(s, 1.5), ms.float32) for s in SIZES] + [2.0]
    return [stated(lambda x=x, q=q: ops.zeta(x, q)) for x in given for q in given if isinstance(x, Tensor) or isinstance(q, Tensor)]


@case
def test_slices_that_are_scaled_and_added():
    ms.set_context(pynative_synchronize=True)
    rows = Tensor([1, 0], ms.int32)
    return [stated(lambda t=t, scale=scale: Tensor([[1, 0], [1, 1]], t).index_add(0, rows, Tensor([[1, 0], [1, 1]], t), alpha=scale))
            for t in (ms.bool_, ms.int32, ms.float16) for scale in (1, 2, 1.5)]


@case
def test_blocks_that_do_not_divide():
    ms.set_context(pynative_synchronize=True)
    return [stated(lambda shape=shape, edges=edges: ops.SpaceToBatch(2, edges)(Tensor(np.ones(shape), ms.float32)))
            for shape, edges in (((1, 1, 3, 2), [[0, 1], [1, 0]]), ((1, 1, 3, 2), [[0, 0], [1, 0]]), ((1, 3, 2), [[0, 0], [1, 0]]))]


def resized(mode, where, size, dtype, shape=(2, 1, 1, 4)):
    from mindspore.ops.operations.image_ops import ResizeV2
    image, none = Tensor(np.arange(np.prod(shape)).reshape(shape) * 1.5 % 7, dtype), Tensor([0.0], ms.float32)
    return stated(lambda: ResizeV2(where, mode)(image, none, none, Tensor(size, ms.int64)))


@case(each={"mode": ["nearest", "linear", "cubic", "area"], "where": ["half_pixel", "align_corners", "asymmetric"]})
def test_pictures_resized_as_onnx_does(mode, where):
    ms.set_context(pynative_synchronize=True)
    return [resized(mode, where, [2, 1, 1, 9], ms.float32), resized(mode, where, [2, 1, 1, 3], ms.float32),
            resized(mode, where, [2, 1, 1, 9], ms.int32), resized(mode, where, [2, 1, 5, 9], ms.float32, (2, 1, 3, 4)),
            *(resized(mode, where, size, ms.float32) for size in ([2, 1, 1, 0], [1, 1, 1, 9], [2, 1, 9]))]


@case
def test_threshold_of_nan():
    return [ops.threshold(Tensor([float("nan"), 3, 2, -1], t), 2, 7) for t in (ms.float16, ms.float32, ms.float64)]


@case
def test_statistics_of_halves_are_not_rounded():
    x, one = Tensor(np.array([[1, 2, 4], [5, 5, 5]], np.float16)), Tensor(np.ones(3, np.float16))
    return ops.LayerNorm()(x, one, one)[1:]


@case
def test_correlated_integers():
    return [mnp.correlate(Tensor([1, 2, 3], t), Tensor([0, 1], t)) for t in (ms.int8, ms.int16, ms.int32, ms.int64)]


@case(each={"order": [3, 3.0, 0.5, 1.5, -1, -2.0, -3, 1, 0.0]})
def test_norms_are_roots_of_sums_of_powers(order):
    x, norms = Tensor([[3e4, 2.0], [1.0, -5.0], [0.0, 2.0], [0.0, 0.0]], ms.float64), [ops.vector_norm]
    if isinstance(order, float) or order < 0:                # others are LpNorm, which takes no Float64
        norms += [ops.norm]
    return [(norm(x, order, 1), ms.grad(lambda x, norm=norm: norm(x, order, 1))(x)) for norm in norms]


@case
def test_running_products_of_nothing():
    return [ops.CumProd(exclusive, True)(Tensor(np.zeros(shape), ms.float32), 0)
            for exclusive in (True, False) for shape in ((0,), (0, 2), (2, 0))]


@case
def test_next_numbers_move_as_the_first():
    x, other = Tensor([1, 1, 0, float("inf"), float("nan"), 1], ms.float64), Tensor([1, 2, 0, 1, 1, float("nan")], ms.float64)
    return (ops.nextafter(x, other), ms.grad(ops.nextafter, (0, 1))(x, other), ms.vmap(ops.nextafter)(x, other),
            ms.jvp(ops.nextafter, (x, other), (x, ops.ones_like(x)))[1], ms.grad(ops.nextafter, (0, 1))(x.float(), other.float()))


@case(each={"shape": [(0,), (0, 2), (2, 0), (2, 0, 3)]})
def test_norms_of_nothing(shape):
    ms.set_context(pynative_synchronize=True)
    x, inf = Tensor(np.zeros(shape), ms.float32), float("inf")
    orders, pairs = (inf, -inf, 1, -1, 2, 3.0, 0), [(0, 1)] if len(shape) == 2 else [(0, 2)] * (len(shape) == 3)
    return ([stated(lambda o=o, a=a, f=f: f(x, o, a)) for f in (ops.norm, ops.vector_norm) for o in orders for a in (0, -1)],
            [stated(lambda o=o, p=p: ops.norm(x, o, p)) for o in (inf, -inf, 1, -1, 3.0, 0) for p in pairs],
            [stated(lambda o=o, p=p: ops.matrix_norm(x, o, p)) for o in (inf, -inf, 1, -1) for p in pairs])


@case
def test_log_sum_exp_of_large_numbers():
    x, large = Tensor([[1.0, 1e9], [2.0, 1e9]], ms.float32), Tensor([1e30, 1e30, 1.0], ms.float32)
    layer = nn.ReduceLogSumExp(0)

    def summed(x):
        return ops.logsumexp(x, 0)

    return ([ops.logsumexp(x, a) for a in (0, (0, 1))], [ms.grad(lambda x, a=a: ops.logsumexp(x, a))(x) for a in (0, (0, 1))],
            ms.grad(lambda x: ops.logsumexp(x, -1))(large), ms.grad(layer)(large), ms.grad(layer)(Tensor([1.0, 2.0, 2.0])),
            ms.jvp(summed, large, ops.ones_like(large))[1], layer(large))


@case
def test_axes_of_norms():
    ms.set_context(pynative_synchronize=True)
    x = Tensor(np.ones((2, 3, 4)), ms.float32)
    return [stated(lambda d=d, o=o: ops.norm(x, o, d)) for d in ((0, 1, 2), (0, 1), (1, 1), (0, -3)) for o in (None, float("inf"))]
