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
""")


@case(each={"line": LINES}, raises=True)
def test_refused(line):
    return evaluate(line)
