"""Arguments of kinds and dtypes that MindSpore refuses before it computes: its errors. One line a case."""

from tests.reference.expressions import evaluate, lines
from tests.reference.judge import case

LINES = lines("""
ops.exp(A([1, 2]))
ops.Ceil()(A([1, 2]))
ops.sign(A([1, 2], "int8"))
ops.norm(T((2, 3), "float64"), 2, 0)
ops.lerp(T((2,), "float64"), T((2,), "float64"), 0.5)
ops.adaptive_avg_pool1d(T((1, 2, 4), "float64"), 2)
ops.affine_grid(T((1, 2, 3), "float64"), (1, 1, 2, 2))
ops.avg_pool2d(T((1, 2, 4, 4), "int64"), 2)
ops.median(T((3,), "float16"))
ops.hardshrink(T((3,), "float64"))
ops.AvgPool3D()(T((1, 2, 4, 4, 4), "int64"))
ops.fractional_max_pool2d(T((1, 1, 5, 5)), 2, [2, 2])
ops.tril_indices(np.int64(2), 3)
ops.gumbel_softmax(T((2, 3)), 1)
nn.AdaptiveAvgPool1d(np.int64(2))
nn.Conv2d(3, 4, 3, data_format="NCDHW")
nn.BCEWithLogitsLoss(reduction="x")(T((2,)), T((2,)))
ops.prelu(T((2, 3, 4)), A([0.1, 0.2], "float32"))
ops.einsum("ij", T((2, 3)), T((2, 3)))
ops.einsum("ij,jk", T((2, 3)))
ops.einsum("ijk", T((2, 3)))
T((2, 3)).expand_dims(7)
T((2, 3)).expand_dims("a")
T((2, 3)).astype("foo")
T((2, 3)).astype(3)
T((2, 3)).repeat("a")
T((2, 3)).reshape()
T((2, 3)).broadcast_to()
T((2, 3)).reshape(())
T((2, 3)).view(())
ms.Model(nn.Dense(2, 2), loss_fn=3)
ms.Model(nn.Dense(2, 2), nn.MSELoss(), 3)
nn.Momentum([Parameter(T((2,)), name="p")], 0.1)
nn.SGD([Parameter(T((2,)), name="p")], "a")
ops.Softmax(axis="a")
ops.norm(T((2, 3)), "xx")
ops.dot(T((2, 3)), T((2, 3)))
ops.bidense(T((2, 3), "int32"), T((2, 4)), T((5, 3, 4)))
ops.dropout(A([1, 2]), 0.5)
ops.kl_div(T((2,)), T((2,)), "xx")
nn.SmoothL1Loss(beta="a")
nn.MaxPool2d(2, stride=(1, 2, 3))
nn.Conv2d(3, 4, (3, "a"))
T((2, 3)).copy_(3)
ops.ApplyAdaMax()(*[Parameter(T((2,), d), name="p") for d in ("float32", "float16", "float32")], *[0.1] * 5, T((2,)))
A([1, 0], "bool") % A([1, 1], "bool")
A([5, 7], "uint16") % A([2, 4], "uint16")
A([5j], "complex64") % 2
ops.Mod()(A([5], "uint16"), A([2], "uint16"))
ops.BiasAdd()(A([[1]], "bool"), A([1], "bool"))
ops.MatrixDiagV3()(A([1, 0], "bool"), A(0, "int32"), A(2, "int32"), A(2, "int32"), A(0, "bool"))
ops.repeat_elements(T((1, 1, 1, 1, 1, 1, 2, 3)), 1, 9)
T((1, 1, 1, 1, 1, 1, 2, 3)).repeat_interleave(2, 0)
ms.numpy.repeat(T((1, 1, 1, 1, 1, 1, 2, 3)), 2, 0)
ms.mint.nn.functional.relu(1)
ms.mint.nn.functional.elu("a", 0.5)
ms.mint.nn.functional.hardtanh(1.0, inplace=True)
ms.mint.nn.functional.threshold([1], 0.5, 2)
ms.mint.nn.functional.dropout(None)
""")


@case(raises=True, each={"line": LINES})
def test_refused(line):
    return evaluate(line)


PRODUCTS = lines("""
ops.MatMul()(A([[1]], "bool"), A([[1]], "bool"))
ops.mm(A([[1]], "uint16"), A([[1]], "uint16"))
A([[1]], "uint32") @ A([[1]], "uint32")
ops.bmm(A([[[1]]], "bool"), A([[[1]]], "bool"))
""")


@case(raises="MatMul] fail! Unsupported data type!", each={"line": PRODUCTS})
def test_no_product_of(line):
    return evaluate(line)
