"""Wrong calls of Primitives: kinds, dtypes and attributes, refused by the rules that were read off MindSpore."""

from tests.reference.expressions import evaluate, lines
from tests.reference.judge import case

LINES = lines("""
ops.SeLU()("wrong")
ops.SeLU()(None)
ops.SeLU()([[1.0, 2.0], [3.0, 4.0]])
ops.SeLU()(T((3,), "bool"))
ops.selu(T((3,), "bool"))
ops.AdaptiveAvgPool2D(2)(1.5)
ops.TopK()((1, 2), 1)
ops.HSwish()("wrong")
ops.Concat(0)(T((3,)))
ops.BartlettWindow()(T((1,)))
ops.InTopK(1.5)
ops.BlackmanWindow(periodic="wrong")
ops.ROIAlign("wrong", 2, 0.5, 2)
ops.SparseApplyFtrl(0.1, True, 0.1, -0.5)
ops.AvgPool(-1)
ops.Concat(axis=1, other=3)
ops.Add(1)
ops.ROIAlign(2)
ops.ApplyGradientDescent()(Parameter(T((2,))), 0.1, "wrong")
ops.SegmentSum()(T((3,), "float32"), T((3,)))
ops.IsClose()(T((3,)), T((3,), "int32"))
ops.Dropout(0.5)(T((3,), "int32"))
ops.dropout(T((3,), "bool"), 0.5)
T((2, 3)).max(Tensor(1))
T((2, 3)).min(axis=Tensor(1))
T((2, 3)).min(Tensor(1), True)
ms.mint.div(T((2, 3)), T((2, 3), seed=1), rounding_mode="abc")
T((2, 3)).divide(T((2, 3), seed=1), rounding_mode="")
ops.div(T((2, 3)), T((2, 3), seed=1), rounding_mode="FLOOR")
ms.mint.divide(T((2, 3)), T((2, 3), seed=1), rounding_mode="TRUNC")
ms.mint.var(T((2, 3), "float64"))
ms.mint.std_mean(T((2, 3), "float64"), dim=1)
nn.AvgPool2d((2, 3, 4))(T((1, 2, 4, 4)))
nn.AvgPool2d(2, (1, 1, 1))(T((1, 2, 4, 4)))
nn.AvgPool2d((1, 2, 2), ceil_mode=True)
nn.GRU(3, 4)(T((5, 2, 3), "float64"), T((1, 2, 4)))
""")

TAKEN = lines("""
[ms.mint.div(T((2, 3)), T((2, 3), seed=1), rounding_mode=m) for m in ("FLOOR", "Trunc", "mean", "none", "sum")]
[T((2, 3)).divide(T((2, 3), seed=1), rounding_mode=m) for m in ("FLOOR", "trunc", "valid", "full")]
nn.AvgPool2d((1, 2, 2, 2))(T((1, 2, 4, 4)))
nn.MultiMarginLoss()(T((2, 4)), I(0, 1, dt="int64")), nn.MultiMarginLoss(2, 1.5)(T((2, 4)), I(0, 1, dt="int64"))
str(nn.AvgPool2d((2, 3, 4))), str(nn.AvgPool2d((), (1, 1, 1)))
[tuple(t.shape) + (t.dtype,) for t in nn.GRU(3, 4)(T((5, 2, 3), "float64"))]
[t.dtype for t in nn.LSTM(3, 4, bidirectional=True)(T((5, 2, 3), "float64"))[1]]
""")


@case(each={"line": LINES}, raises=True)
def test_refused(line):
    return evaluate(line)


@case(each={"line": TAKEN})
def test_taken(line):
    return evaluate(line)
