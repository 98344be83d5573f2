"""Dtypes and kinds of numbers beside the usual ones, which MindSpore takes. One line a case."""

from tests.reference.expressions import evaluate, lines
from tests.reference.judge import case

LINES = lines("""
[ops.mse_loss(A([[3, -1]], d), A([[1, 2]], d), r) for d in ("int8", "int32") for r in ("mean", "sum", "none")]
[ops.l1_loss(A([1, 0, 1], "bool"), A([1, 1, 0], "bool"), r) for r in ("mean", "sum", "none")]
[nn.BCEWithLogitsLoss()(T((2, 3), d), T((2, 3), e)) for d, e in (("float32", "float16"), ("float16", "float32"))]
ops.multilabel_soft_margin_loss(T((2, 3)), T((2, 3), "bool")), ops.clip_by_norm(A([3, -4, 1]), 1.0)
[f(T((1, 2, 4, 4, 4), "int32"), 2) for f in (ops.adaptive_avg_pool3d, ops.adaptive_max_pool3d)]
ops.adaptive_max_pool3d(T((1, 2, 4, 4, 4)), 2, True), ops.AdaptiveMaxPool3D()(T((1, 4, 4, 4), "int8"), I(2, 2, 2))
ops.lp_pool1d(A([[[1, 2, 3, 4]]]), 2, 2), ops.lp_pool2d(A([[[[1, 0], [1, 1]]]], "bool"), 1, 2)
nn.MaxPool2d(2, 2, pad_mode="pad", padding=1)(A([[[[1, 2], [3, 4]]]])), nn.AvgPool1d((2,), (1,))(T((1, 2, 4)))
ops.unfold(T((1, 2, 4, 4), "int32"), [2]), ops.fold(T((1, 2, 4, 9)), I(4, 4), [2, 2], [1, 1], [0, 0], [1, 1])
[layer(1)(A([[[1, 0, 1], [0, 0, 1]]], "bool")) for layer in (nn.ReflectionPad1d, nn.ReflectionPad2d)]
ops.glu(A([[1 + 2j, 0.5]], "complex64")), ops.logsigmoid(A([1 + 2j], "complex64")), ops.sign(A([3 + 4j], "complex64"))
ops.threshold(A([1, 0], "bool"), 1, 7), ops.leaky_relu(A([1, 0], "bool")), nn.Hardtanh()(A([0, 3], "uint8"))
ops.floor_div(A([3 + 4j, -3], "complex64"), A([2, 2], "complex64")), ops.remainder(A([3 + 4j], "complex64"), 2)
ops.bidense(T((2, 3), "int32"), T((2, 4), "int32"), T((5, 3, 4), "int32")), ops.dropout(A([1, 2]), 0.5, False)
ops.matrix_set_diag(T((3, 4)), T((3,), "float64")), ops.matrix_set_diag(T((3, 4), "int32"), T((3,)))
ops.cdist(T((2, 3), "float16"), T((2, 3), "float16", 1)), ops.det(T((2, 2), "float16"))
ops.Cholesky()(A([[4, 0], [0, 9]], "float16")), ops.pdist(T((3, 3), "float16"))
ops.NLLLoss()(T((3, 3)), I(1, 2, 1), T((3,), "float16"))[0], ops.prelu(T((1, 1, 2, 2), "float16"), A([0.2], "float32"))
ops.rfft(A([1 + 2j, 3, 4j, 1], "complex64")), ops.ihfft(A([1 + 2j, 3, 4j, 1], "complex64"))
ops.BCEWithLogitsLoss()(T((2, 3)), T((2, 3)), None, None), ops.MultiMarginLoss()(T((3, 3)), A([1, 2, 1], "int64"), None)
ops.Bincount()(A([[1, 2, 1]]), A(4), T((3,))), ops.combinations(A([1, 2]), 5)
ops.fill(None, (2,), 1.5), ops.fill(None, (2,), 1), ops.pad(T((2, 2)), (1, 0), value=[6.0]), ops.pad(T((2, 2)), (), "reflect")
ops.vector_norm(A([3, -5]), ord=float("inf")), ops.cov(T((2, 3)), correction=[0]), ops.is_floating_point(np.zeros(3))
T((3,)).add(T((3,)), alpha=np.float32(2)), T((3,)).sub(T((3,)), alpha=np.int64(2)), T((1, 3)).squeeze(np.int64(0))
T((2, 3)).select(1, np.int64(1)), T((2, 3)).gather(np.int64(1), A([[0], [1]])), T((2, 3)).itemset(np.int64(1), 5.0)
T((2, 2)).tile(I(2, 1)), T((2, 2)).tile((2, 3), 7), T((2, 3)).view((3, 2), 7), ops.ones(np.int64(2))
ops.linspace(np.float32(0), np.float32(1), np.int64(3)), T((3,)).masked_scatter(A([1, 0, 1], "bool"), T((3,), "float16"))
[ops.MatrixDiagV3()(A([3, 4], d), A(0, "int32"), A(2, "int32"), A(2, "int32"), A(0, d)) for d in ("uint16", "uint64")]
ops.MatrixSetDiagV3()(A([[1, 2], [3, 4]], "uint32"), A([7, 8], "uint32"), A(0, "int32")), A([5], "uint8") % 3
[type(f(None)).__name__ for f in (ms.grad, ms.value_and_grad, ops.GradOperation())]
""")


@case(each={"line": LINES})
def test_value(line):
    return evaluate(line)


@case(raises=True, each={"make": ["grad", "value_and_grad", "jacrev"]})
def test_no_function_is_told_of_when_its_gradient_is_called(make):
    import mindspore

    return getattr(mindspore, make)(None)(mindspore.Tensor(1.0))
