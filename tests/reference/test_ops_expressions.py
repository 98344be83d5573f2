"""Primitives and functions, one line a case; g(...) adds the gradients."""
import mindspore as ms
from mindspore import ops

from tests.reference.expressions import T, evaluate, lines
from tests.reference.judge import case

POOLS = lines("""
g(lambda x: ops.AdaptiveMaxPool3D()(x, I(2, 2, 3)), T((1, 2, 4, 5, 6)))
ops.AffineGrid(True)(T((2, 2, 3)), (2, 3, 4, 4))
ops.AffineGrid()(T((1, 3, 4)), (1, 2, 2, 3, 2))
g(lambda x, y: ops.GridSampler2D()(x, y), T((1, 2, 4, 4)), T((1, 3, 3, 2), seed=1))
ops.GridSampler2D("nearest", "border", True)(T((1, 2, 4, 4)), T((1, 3, 3, 2), seed=1))
g(lambda x, y: ops.GridSampler3D()(x, y), T((1, 2, 3, 4, 4)), T((1, 2, 3, 3, 3), seed=1))
ops.GridSampler3D("nearest", "reflection", True)(T((1, 2, 3, 4, 4)), T((1, 2, 3, 3, 3), seed=1))
ops.MaxPool3DWithArgmax(2, 2, 0)(T((1, 2, 4, 4, 4)))
ops.MaxPool3DWithArgmax((2, 3, 2), (1, 2, 1), 1, argmax_type=ms.int32)(T((1, 2, 4, 5, 4)))
ops.MaxPoolWithArgmaxV2(2, 2)(T((1, 2, 5, 4)))
ops.MaxPoolWithArgmaxV2(3, (2, 1), 1, argmax_type=ms.int32)(T((1, 2, 5, 4)))
ops.MaxUnpool2D(1, 1)(T((1, 1, 2, 2)), A([[[[0, 1], [2, 3]]]], "int64"))
ops.MaxUnpool2D(2, 2)(T((1, 1, 2, 2)), A([[[[0, 3], [9, 14]]]], "int64"))
ops.MaxUnpool3D(2, 2)(T((1, 1, 1, 1, 2)), A([[[[[0, 3]]]]], "int64"))
ops.UpsampleNearest3D()(T((1, 2, 2, 2, 2)), [3, 4, 5])
ops.UpsampleNearest3D()(T((1, 2, 2, 2, 2)), None, [2.0, 1.5, 2.0])
ops.UpsampleTrilinear3D()(T((1, 2, 2, 2, 2)), [3, 4, 5])
ops.UpsampleTrilinear3D(True)(T((1, 2, 2, 2, 2)), [3, 4, 5])
ops.ResizeArea()(T((1, 4, 6, 2)), I(2, 3))
ops.ResizeArea(True)(T((1, 4, 6, 2)), I(3, 4))
ops.ResizeArea()(T((1, 2, 3, 1)), I(5, 5))
ops.ResizeBicubic()(T((1, 2, 4, 4)), (3, 6))
ops.ResizeBicubic(True)(T((1, 2, 4, 4)), (3, 6))
ops.ResizeBicubic(False, True)(T((1, 2, 4, 4)), (7, 6))
ops.ResizeLinear1D()(T((1, 2, 4)), (7,))
ops.ResizeLinear1D("half_pixel")(T((1, 2, 4)), (7,))
ops.ResizeLinear1D("NHWC")(T((1, 2, 4)), (7,))
ops.ResizeLinear1D("none")(T((1, 2, 4)), (7,))
ops.multinomial_with_replacement(ms.Tensor([[0.2, 0.8]]), -2, 5, 9, True)
ops.multinomial_with_replacement(ms.Tensor([[0.2, 0.8]]), 3, -1, 9, True)
ops.FractionalMaxPoolWithFixedKsize((2, 2), (2, 3))(T((1, 2, 5, 6)), A([[[0.3, 0.7], [0.6, 0.1]]], "float32"))
ops.FractionalMaxPool3DWithFixedKsize((2, 2, 2), (2, 2, 3))(T((1, 1, 4, 5, 6)), A([[[0.3, 0.7, 0.2]]], "float32"))
ops.fractional_max_pool2d(T((1, 2, 5, 6)), 2, (2, 3), return_indices=True, _random_samples=A([[[0.3, 0.7], [0.6, 0.1]]], "float32"))
ops.fractional_max_pool2d(T((1, 2, 5, 6)), 2, output_ratio=(0.5, 0.5), _random_samples=A([[[0.3, 0.7], [0.6, 0.1]]], "float32"))
ops.fractional_max_pool3d(T((1, 1, 4, 5, 6)), 2, (2, 2, 3), _random_samples=A([[[0.3, 0.7, 0.2]]], "float32"))
ops.AvgPool3D(2, 1)(T((1, 2, 3, 3, 3), "float16")), ops.avg_pool3d(T((1, 2, 3, 3, 3), "float16"), 2, 1)
""")

IMAGES = lines("""
ops.AdjustHue()(A(np.linspace(0.05, 0.95, 12).reshape(2, 2, 3), "float32"), A(0.2, "float32"))
ops.AdjustHue()(A(np.linspace(0.05, 0.95, 12).reshape(2, 2, 3)[..., ::-1], "float32"), A(-0.4, "float32"))
ops.AdjustSaturation()(A(np.linspace(0.05, 0.95, 12).reshape(2, 2, 3), "float32"), A(2.0, "float32"))
ops.AdjustSaturation()(A(np.linspace(0.05, 0.95, 12).reshape(2, 2, 3), "float32"), A(0.5, "float32"))
ops.HSVToRGB()(A(np.linspace(0.05, 0.95, 12).reshape(1, 2, 2, 3), "float32"))
ops.crop_and_resize(T((2, 5, 5, 3)), A([[0.1, 0.2, 0.8, 0.9], [0.0, 0.0, 1.2, 1.0]], "float32"), I(1, 0), (4, 3))
ops.crop_and_resize(T((2, 5, 5, 3)), A([[0.1, 0.2, 0.8, 0.9]], "float32"), I(1), (2, 2), "nearest", 0.5)
[ops.ExtractGlimpse(c, n, False, "zero")(T((1, 4, 5, 2)), I(3, 2), A([[y, x]], "float32")) for c in (True, False) for n in (True, False) for y, x in ((0.5, -0.5), (1.0, 2.0), (-3.0, 1.0), (0, 0))]
ops.ExtractGlimpse()(T((1, 4, 5, 2)), I(3, 2), A([[0.0, 0.0]], "float32"))
ops.ExtractGlimpse(False, False, False)(A(np.arange(9).reshape(1, 3, 3, 1), "float32"), I(2, 2), A([[1.0, 1.0]], "float32"))
ops.operations.image_ops.NonMaxSuppressionWithOverlaps()(A([[0.6, 0.6, 0.4], [0.6, 0.6, 0.4], [0.6, 0.6, 0.4]], "float32"), A([0.9, 0.8, 0.7], "float32"), I(3)[0], A(0.5, "float32"), A(0.0, "float32"))
ops.operations.image_ops.CombinedNonMaxSuppression()(A([[[[200, 100, 150, 100]], [[220, 120, 150, 100]], [[190, 110, 150, 100]], [[210, 112, 150, 100]]]], "float32"), A([[[0.2, 0.7, 0.1], [0.1, 0.8, 0.1], [0.3, 0.6, 0.1], [0.05, 0.9, 0.05]]], "float32"), A(4), A(1), A(0.0, "float32"), A(0.0, "float32"))
""")

MATH = lines("""
ops.Bincount()(I(1, 1, 2, 5), A(4), A([1.0, 2.0, 3.0, 4.0], "float32"))
ops.CompareAndBitpack()(A([1, 2, 3, 4, 5, 6, 7, 8], "float32"), A(6.0, "float32"))
ops.MatrixSolveLs(False)(A([[3, 0, 0, 0], [2, 1, 0, 0], [1, 0, 1, 0], [1, 1, 1, 1]], "float32"), A([[4], [2], [4], [2]], "float32"), A(0.0, "float64"))
ops.MatrixSolveLs()(T((4, 2)), T((4, 3), seed=1), A(0.5, "float64"))
ops.Median(axis=1)(T((3, 5))), ops.Median(True)(T((3, 4))), ops.Median(axis=0, keep_dims=True)(T((3, 4)))
ops.Svd(compute_uv=False)(T((3, 4))), ops.svd(T((2, 3, 2)), compute_uv=False)
ops.TridiagonalMatMul()(T((1, 4)), T((1, 4), seed=1), T((1, 4), seed=2), T((4, 3)))
ops.operations.math_ops.RaggedRange(Tsplits=ms.int64)(I(2, 5, 8), I(3, 5, 12), I(1, 1, 2))
ops.lu_unpack(T((3, 3)), I(2, 3, 3))
ops.lu_unpack(T((2, 3, 4)), A([[1, 3, 3], [2, 2, 3]])), ops.lu_unpack(T((4, 3)), I(2, 4, 3), False, True)[0]
ops.SparseToDense()(A([[0, 1], [1, 2]]), A([1.0, 2.0], "float32"), (3, 4))
ops.SparseTensorDenseMatmul()(A([[0, 1], [1, 2]]), A([1.0, 2.0], "float32"), (3, 4), T((4, 2)))
ops.SparseTensorDenseMatmul(True, True)(A([[0, 1], [1, 2]]), A([1.0, 2.0], "float32"), (3, 4), T((2, 3)))
ops.SparseTensorDenseAdd()(A([[0, 1], [1, 2]]), A([1.0, 2.0], "float32"), A([3, 4]), T((3, 4)))
ops.operations.sparse_ops.SparseSlice()(A([[0, 0], [0, 1], [1, 2], [2, 3]], "int64"), A([1.0, 2.0, 3.0, 4.0], "float32"), A([3, 4], "int64"), A([0, 1], "int64"), A([2, 3], "int64"))
ops.FFTWithSize(1, False, False)(A([2, 1, 2], "complex64")), ops.FFTWithSize(1, True, False)(A([2, 1, 2j], "complex64"))
ops.FFTWithSize(2, False, True)(T((2, 3, 4))), ops.FFTWithSize(2, True, True, signal_sizes=(3, 5))(A([[2, 1, 2], [1, 0, 1], [1, 1, 1]], "complex64"))
ops.FFTWithSize(1, False, True, "ortho", False)(T((2, 5))), ops.FFTWithSize(1, True, False, "forward")(A([2, 1, 2], "complex64"))
ops.EditDistance()(A([[0, 0, 0], [1, 0, 1], [1, 1, 1]], "int64"), A([1, 2, 3], "float32"), A([2, 2, 3], "int64"), A([[0, 1, 0], [0, 0, 1], [1, 1, 0], [1, 0, 1]], "int64"), A([1, 2, 3, 1], "float32"), A([2, 2, 2], "int64"))
ops.EditDistance(False)(A([[0, 0], [0, 1], [1, 0]], "int64"), A([1, 2, 3]), A([2, 2], "int64"), A([[0, 0], [0, 1], [1, 0]], "int64"), A([1, 3, 3]), A([2, 3], "int64"))
ops.ctc_greedy_decoder(T((4, 2, 3)), I(4, 3)), ops.CTCGreedyDecoder(False)(T((4, 2, 3)), I(4, 3))
ops.DataFormatDimMap()(I(0, 1, 2, 3)), ops.DataFormatDimMap("NCHW", "NHWC")(I(-1, 2))
ops.DataFormatVecPermute()(I(1, 2, 3, 4)), ops.DataFormatVecPermute("NCHW", "NHWC")(A([[1, 2], [3, 4], [5, 6], [7, 8]]))
ops.NoRepeatNGram(3)(A([[[1, 2, 1, 2, 5, 1, 2], [9, 3, 9, 5, 4, 1, 5]], [[4, 8, 6, 4, 5, 6, 4], [4, 8, 8, 4, 3, 4, 8]]]), T((2, 2, 10)))
ops.SubAndFilter()(I(1, 3, 5, 8, 10), A(7), A(3))
ops.InplaceIndexAdd(0)(Parameter(T((3, 2)), name="v"), I(0, 1), T((2, 2))), ops.InplaceUpdateV2()(T((3, 2)), (0, 2), T((2, 2)))
ops.inplace_index_add(Parameter(T((2, 3)), name="v"), I(0, 2), T((2, 2)), 1)
ops.stft(T((64,)), n_fft=8, hop_length=4, window=ms.ops.ones(8), return_complex=True).shape
ops.stft(T((2, 64)), 8, center=False, onesided=True, return_complex=False)
ops.stft(T((32,)), 8, 2, 6, ms.numpy.hanning(6), normalized=True, return_complex=False, center=False)
ops.STFT(8, 4, 8, False, True, False)(T((2, 32)), ms.ops.ones(8))
ops.sparse_segment_mean(T((4, 3)), I(0, 1, 1), I(0, 0, 2))
ops.isnan_ext(A([1.0, np.nan], "float32"))
g(ops.addbmm, T((3, 3)), T((3, 2)), T((2, 3))), g(ops.baddbmm, T((3, 3)), T((3, 2)), T((2, 3)))
ops.addbmm(T((3, 3)), T((2, 3, 4)), T((2, 4, 3))), ops.baddbmm(T((2, 3, 3)), T((2, 3, 4)), T((2, 4, 3)), beta=0.5, alpha=2)
ops.CumulativeLogsumexp(True)(T((4,)), A(0)), ops.CumulativeLogsumexp(False, True)(T((2, 3)), A(1)), ops.CumulativeLogsumexp()(T((3,)), A(0))
ops.operations.math_ops.Histogram(4, 0.0, 3.0)(A([1.0, 2.0, 1.0], "float32")), ops.operations.math_ops.Histogram(3)(I(1, 2, 1, 5))
nn.HuberLoss()(T((2, 3)), T((3,))), nn.HuberLoss("none", 0.5)(T((2, 1)), T((2, 3)))
""")

CONTROL = lines("""
ops.WhileLoop()(lambda v: v[1] < 5, lambda v: [v[0] * 2, v[1] + 1], [Tensor(1.0), Tensor(0)])
ops.ForiLoop()(0, 4, lambda i, v: v + i, Tensor(1)), ops.ForiLoop()(0, 3, lambda i, v: v * 2, Tensor(1.0), False)
ops.Scan()(lambda v, x: (v + x, v * x), Tensor(1.0), [Tensor(2.0), Tensor(3.0)])
ops.Scan()(lambda v, x: (v + 1, v), Tensor(1), [None, None, None], 3)
""")

STEPS = lines("""
s() ;; ops.FusedSparseAdam(use_nesterov=True)(p, m, v, A(0.9, "float32"), A(0.99, "float32"), A(0.1, "float32"), A(0.9, "float32"), A(0.99, "float32"), A(1e-8, "float32"), T((2, 2)), I(0, 2)) ;; p.value(), m.value(), v.value()
s() ;; ops.FusedSparseAdam()(p, m, v, A(0.9, "float32"), A(0.99, "float32"), A(0.1, "float32"), A(0.9, "float32"), A(0.99, "float32"), A(1e-8, "float32"), T((2, 2)), I(0, 2)) ;; p.value(), m.value(), v.value()
s() ;; ops.SparseApplyAdagradV2(0.1, 0.01)(p, v, T((2, 2)), I(0, 2)), ops.SparseApplyAdagradV2(0.1, 0.01, update_slots=False)(p, v, T((2, 2)), I(0, 2))
s() ;; ops.SparseApplyFtrl(0.1, 0.1, 0.2, -0.5)(p, v, m, T((2, 2)), I(0, 2)), ops.SparseApplyFtrl(0.1, 0.1, 0.2, -0.5)(p, v, m, T((2, 2)), I(1, 3))
s() ;; ops.operations.nn_ops.SparseApplyRMSProp(0.9, 0.1, 0.01)(p, v, m, A(0.1, "float32"), T((3, 2)), I(0, 1, 2))
""")
STATE = ("p, m, v = (Parameter(Tensor(np.full((3, 2), x, np.float32)), name=n) "
         "for n, x in (('p', 1), ('m', 2), ('v', 3)))")

CONVOLUTIONS = lines("""
g(lambda x, w, o: ops.deformable_conv2d(x, w, o, (3, 3), (1, 1, 1, 1), (0, 0, 0, 0)), T((1, 2, 5, 5)), T((2, 2, 3, 3), seed=1), T((1, 27, 3, 3), seed=2))
ops.deformable_conv2d(T((2, 4, 6, 5)), T((4, 2, 3, 2), seed=1), T((2, 36, 3, 5), seed=2), (3, 2), (1, 1, 2, 1), (1, 1, 1, 0), T((4,)), (1, 1, 1, 1), 2, 2)
ops.Betainc()(A([0.3, 2.0, 5.0, 0.5], "float32"), A([0.7, 3.0, 1.0, 0.5], "float32"), A([0.2, 0.5, 0.9, 0.99], "float32"))
ops.Betainc()(A([1, 1, 1, 0, -1, 1, 1, 1e999, 1, 2, 2], "float32"), A([1, 2, 2, 1, 1, 0, -1, 1, 1e999, 2, 2], "float32"), A([0.5, -0.1, 1.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0, 1], "float32"))
ops.auto_generate.SplitWithSize()(T((5, 2)), (2, 3), 0)
nn.SparseToDense()(ms.COOTensor(A([[0, 1], [1, 2]]), A([1.0, 2.0], "float32"), (3, 4)))
nn.SparseTensorDenseMatmul()(A([[0, 1], [1, 2]]), A([1.0, 2.0], "float32"), (3, 4), T((4, 2)))
nn.SparseTensorDenseMatmul(adjoint_dt=True)(A([[0, 1], [1, 2]]), A([1.0, 2.0], "float32"), (3, 4), T((2, 4)))
nn.FractionalMaxPool3d(2, (2, 2, 3), return_indices=True, _random_samples=A([[[0.3, 0.7, 0.2]]], "float32"))(T((1, 1, 4, 5, 6)))
nn.FractionalMaxPool2d(2, (2, 3), return_indices=True, _random_samples=A([[[0.3, 0.7], [0.6, 0.1]]], "float32"))(T((1, 2, 5, 6)))
nn.MaxUnpool2d(2)(T((1, 2, 2)), A([[[0, 3], [9, 14]]], "int64"))
ops.max_unpool2d(T((1, 2, 2)), A([[[0, 3], [9, 14]]], "int64"), 2, 2, 0, (1, 5, 5))
[x.shape for x in (ops.MultinomialWithReplacement(6, True)(A([0.0, 10.0, 5.0, 1.0], "float32"), Tensor(3), Tensor(4)), ops.LogNormalReverse()(T((2, 3))), ops.NonDeterministicInts()(Tensor([2, 3])))]
[(x.shape, str(x.dtype)) for x in ops.uniform_candidate_sampler(A([[1], [3], [2]], "int64"), 1, 3, True, 4, 1)], ops.uniform_candidate_sampler(A([[1]], "int64"), 1, 3, False, 4)[1:]
""")


@case(each={"line": STEPS})
def test_step(line):
    return evaluate(line.replace("s()", STATE, 1))


@case(each={"line": CONVOLUTIONS})
def test_more_values(line):
    return evaluate(line)


def double(x):
    return 2 * x


def first(x):
    return x


def third(x, out, dout):
    return (dout / 3,)


@case
def test_functions_as_operators():
    plain = ops.Custom(double, first, first, "pyfunc")
    own = ops.Custom(double, first, first, "pyfunc", bprop=third)

    def call(x):
        return own(x)

    return plain(T((2, 3))), own(T((2, 3))), ms.grad(call)(T((2, 3)))


@case(each={"line": POOLS + IMAGES + MATH + CONTROL})
def test_value(line):
    return evaluate(line)
