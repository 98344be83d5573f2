"""What operators keep as their attributes, which libraries read."""

from ast import literal_eval

import mindspore as ms
from mindspore import ops

from tests.reference.expressions import evaluate, lines
from tests.reference.judge import case
from tests.reference.made_primitives import MADE as EVERY

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


# made without arguments, or with the numbers behind the name
MADE = """Add AddN Adam AdaptiveAvgPool2D:3 ApplyAdaMax ApplyMomentum Assign BesselI0 BesselI0e BesselJ0 Cast Concat:1
    Conv2D:3,2 Dropout2D Eps Fmax Fmin Gather Histogram:3 L2Loss LRN LayerNorm LpNorm:1 MatMul MatrixPower:2 MaxPool:2,2
    Mul OneHot ReLU ReduceSum ReduceSum:True ScalarCast ScatterAdd ScatterNdUpdate Shape Softmax:1 SparseApplyFtrl:0.1,0.1,0.1,-0.5
    SparseTensorDenseMatmul Squeeze:2 TensorScatterAdd TopK Transpose Trace Unique Xdivy"""


@case(each={"made": MADE.split()})
def test_all_attributes_and_their_print(made):
    name, _, given = made.partition(":")
    one = getattr(ops, name)(*literal_eval(f"({given},)" if given else "()"))
    return (repr(one), one.name, sorted((k, repr(v)) for k, v in one.attrs.items()),
            sorted((k, repr(v)) for k, v in one.init_attrs.items()), getattr(one, "input_names", None))


class Own(ops.Primitive):
    @ops.prim_attr_register
    def __init__(self, a, b=(1, 2)):
        self.init_prim_io_names(inputs=["x"], outputs=["y"])
        self.add_prim_attr("d", 5)


@case
def test_a_program_s_own():
    named = ops.Primitive("Named").add_prim_attr("k", 1)
    return str(Own(1)), Own(1).attrs, Own(1).init_attrs, str(named), named.attrs, named.init_attrs


EACH = [(home, name, given) for (home, given), names in EVERY.items() for name in names.split()]
PARTS = 8


def kept(home, name, given):
    made = getattr(ops if home == "ops" else ops.auto_generate, name)
    one = made(*eval(f"({given},)" if given else "()", {"ms": ms}))
    return (repr(one), one.name, sorted((k, repr(v)) for k, v in one.attrs.items()),
            sorted((k, repr(v)) for k, v in one.init_attrs.items()), getattr(one, "input_names", None))


@case(each={"part": list(range(PARTS))})
def test_all_primitives(part):
    return {f"{home}.{name}({given})": str(kept(home, name, given)) for home, name, given in EACH[part::PARTS]}


@case(each={"line": lines("""
ops.AvgPool(pad_mode="SAME", data_format="NHWC"), ops.AvgPool(2, 3).data_format, ops.AvgPool(2).pad_mode
ops.NLLLoss("sum"), ops.BCEWithLogitsLoss("none"), ops.Meshgrid("ij"), ops.FFTWithSize(2, True, False, "ortho")
ops.GridSampler2D("nearest", "border", True), ops.GridSampler3D("bilinear", "reflection")
ops.Argmax(0, ms.int64), ops.Argmin(output_type=ms.int32).output_type, ops.SearchSorted(ms.int32), ops.RandpermV2(dtype=ms.float16)
ops.HammingWindow(dtype=ms.float64), ops.HistogramFixedWidth(3, "int32"), ops.MaxPoolWithArgmaxV2(2, argmax_type=ms.int32)
ops.MaxUnpool2D(2), ops.MaxUnpool2D(2, 1), ops.MaxUnpool3D(2, 3).strides, ops.AvgPool3D(2, 2, "pad", 1), ops.AvgPool3D(2, 2, "pad", 1).pad
ops.Conv3D(2, 2, stride=2, dilation=3), ops.BatchNorm(True), ops.BatchNorm().data_format, ops.StandardNormal(1, 2).init_attrs
ops.Quantile(1), ops.NuclearNorm(), ops.CountNonZero(), ops.CountNonZero((1,)), ops.ReduceStd([0, 1])
""")})
def test_words_and_dtypes_as_numbers(line):
    return repr(eval(line, {"ops": ops, "ms": ms}))
