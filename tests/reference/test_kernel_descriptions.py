"""Descriptions of kernels that programs bring, and gradients that they register for them."""

from importlib import import_module

from mindspore import ops
from mindspore.ops._grad_experimental.grad_base import BpropRegistry, bprop_getters, get_bprop_fn
from mindspore.ops.primitive import PrimitiveWithInfer, prim_attr_register

from tests.reference.judge import case
from tests.reference.test_wrong_calls import said

KINDS = ["TBERegOp", "AiCPURegOp", "CpuRegOp", "AkgGpuRegOp", "AkgAscendRegOp", "CustomRegOp"]


def described(kind):
    return getattr(import_module("mindspore.ops.op_info_register"), kind)("Mine")


@case(each={"kind": KINDS})
def test_what_a_description_holds(kind):
    whole = described(kind).input(0, "x", shape="all").output(0, "y", reshape_type="NC").fusion_type("OPAQUE")
    return (whole.dtype_format(("float16", "NCHW"), ("float16", "NCHW")).get_op_info(),
            described(kind).attr("axis", value="all").get_op_info(), described(kind).attr("axis", "int").get_op_info())


@case()
def test_inputs_of_an_engine_s_operator_by_position():
    made = described("TBERegOp").input(0, "x", False, "required", "all").output(0, "y", True, "optional", "all")
    made = made.attr("axis", "required", "int", "all").async_flag(True).binfile_name("mine.so").compute_cost(3)
    made = made.kernel_name("mine").partial_flag().reshape_type("NC").dynamic_shape(True).is_dynamic_format(True)
    return made.op_pattern("formatAgnostic").real_input_index([0]).unknown_shape_formats(["NC"]).get_op_info()


@case(each={"kind": KINDS})
def test_wrong_descriptions(kind):
    made = described(kind)
    return [said(*call, {}) for call in (
        (made.input, ("0", "x")), (made.input, (0, 1)), (made.attr, (3,)), (made.fusion_type, (3,)), (described, (kind, 3)),
        (made.dtype_format, (("float16", "NCHW"),)), (lambda: made.partial_flag(3), ()), (type(made), (3,)))]


@case()
def test_gradients_registered_for_a_kernel():
    class Mine(PrimitiveWithInfer):
        @prim_attr_register
        def __init__(self):
            self.init_prim_io_names(inputs=["x"], outputs=["y"])

    @bprop_getters.register(Mine)
    def scaled(self):
        return lambda x, out, dout: (dout * 5,)

    return isinstance(bprop_getters, BpropRegistry), get_bprop_fn(Mine())(1, 1, 2), get_bprop_fn(ops.ReLU())
