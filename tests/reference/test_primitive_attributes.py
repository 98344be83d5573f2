"""What operators keep as their attributes, which libraries read."""

from tests.reference.expressions import evaluate, lines
from tests.reference.judge import case

LINES = lines("""
ops.AdaptiveAvgPool3D(2).output_size
ops.AvgPool(2, (3, 4)).kernel_size, ops.AvgPool(2, (3, 4)).strides
ops.Conv2D(3, 2).kernel_size, ops.Conv2D(3, (2, 5)).kernel_size
ops.Conv2D(3, 2, stride=(1, 3)).stride, ops.Conv2D(3, 2, pad_mode="pad", pad=2).pad
ops.Conv2D(3, 2, dilation=2).dilation
ops.Conv2DTranspose(3, 2, stride=2, dilation=3).stride
ops.Conv3D(3, 2, stride=2).stride, ops.Conv3D(3, 2).kernel_size
ops.L2Normalize(1).axis, ops.LpNorm(1).axis
ops.MaxPool(2, (1, 2)).kernel_size, ops.MaxPool(2, (1, 2), "same").strides, ops.MaxPool(pad_mode="same").pad_mode
ops.MaxPool3D(2, 3).kernel_size, ops.MaxPool3D(2, 3).strides
ops.Softmax().axis, ops.Softmax((0, 1)).axis, ops.LogSoftmax(1).axis
ops.Squeeze(1).axis, ops.Squeeze((0, 2)).axis
ops.SmoothL1Loss(1).beta
ops.Concat(1).axis, ops.Stack(1).axis, ops.ReduceSum(True).keep_dims
""")


@case(each={"line": LINES})
def test_attributes(line):
    return repr(evaluate(line))
