"""`ops.ctc_loss`: labels beyond the classes stand for what lies beside their row; one line a case."""

from tests.reference.expressions import evaluate, lines
from tests.reference.judge import case

LINES = lines("""
ops.ctc_loss(A(np.arange(80).reshape(10, 2, 4) / 9, "float32"), A([[1, 2, 3], [3, 1, 2]], "int32"), A([10, 9], "int32"), A([3, 2], "int32"), 0, "none")[0]
ops.ctc_loss(A(np.arange(80).reshape(10, 2, 4) / 9, "float32"), A([[5, 6, 7], [3, 1, 2]], "int32"), A([10, 9], "int32"), A([3, 2], "int32"), 0, "none")[0]
ops.ctc_loss(A(np.arange(80).reshape(10, 2, 4) / 9, "float32"), A([[1, 6, 2], [3, 1, 2]], "int32"), A([10, 9], "int32"), A([3, 2], "int32"), 0, "mean")[0]
ops.ctc_loss(A(np.arange(80).reshape(10, 2, 4) / 9, "float32"), A([[1, 2, -1], [3, 1, -9]], "int32"), A([10, 9], "int32"), A([2, 2], "int32"), 0, "sum")[0]
""")


@case(each={"line": LINES})
def test_loss(line):
    return evaluate(line)
