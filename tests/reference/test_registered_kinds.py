"""The kinds that MultitypeFuncGraph chooses by, in Python and in a graph."""
import mindspore as ms
import numpy as np
from mindspore import Parameter, Tensor, nn, ops

from tests.reference.judge import case

PAIRS = [("Number", "Int64"), ("Int64", "Number"), ("Tensor", "Tensor"), ("Float32", "Number"), ("Bool", "Number"),
         ("Number", "Bool"), ("Number", "Int32")]
NAMES = ["Tensor", "Tensor[Float32]", "Number", "Int", "Int32", "Int64", "Float", "Float32", "Float64", "Bool",
         "String", "None", "Tuple", "List", "Function", "TypeType", "Complex", "uint8", "Slice"]
NO_NAMES = ["tensor", "number", "TypeNone", "Any", "Sequence", "list", "Cell", "Tensor[", 5, None]


def first(a):
    return a * 0


def second(a):
    return a * 0 + 1


def three(a, b, c):
    return 3


def registered(*kinds):
    graph = ops.MultitypeFuncGraph("chosen")
    for kind, function in zip(kinds, (first, second), strict=False):
        graph.register(kind)(function)
    return graph


@case(each={"mode": [0, 1], "kinds": PAIRS})
def test_which_of_two_that_fit(mode, kinds):
    ms.set_context(mode=mode)
    chosen = registered(*kinds)

    class Net(nn.Cell):
        def construct(self, x):
            return chosen(x)

    values = [Tensor([1.0])] if "Tensor" in kinds else [2] if "Int32" in kinds else [2, 2.5, True]
    return [Net()(value) for value in values]


@case(each={"kinds": PAIRS})
def test_which_of_two_that_fit_over_a_tuple(kinds):
    return ops.HyperMap(registered(*kinds))((Tensor([1.0]),) if "Tensor" in kinds else (2, 2))


@case(each={"name": NAMES})
def test_what_a_name_stands_for(name):
    graph = ops.MultitypeFuncGraph("of")
    graph.register(name)(lambda a: "fits")
    graph.register("Tensor", "Tensor", "Tensor")(three)
    found = []
    for value in (2, 2.5, True, "x", None, (1,), [1], (), Tensor(1), Tensor([1.0]), ms.float32, first, nn.ReLU(),
                  ops.Add(), np.float32(1), np.int64(2), 2j, Parameter(Tensor([1.0]), name="p"), int):
        try:
            found.append(graph(value))
        except ValueError:
            found.append("")
    return found


@case(each={"name": NO_NAMES}, raises=True)
def test_names_that_no_kind_has(name):
    ops.MultitypeFuncGraph("of").register(name)(first)


@case(each={"value": [{"a": 1}, slice(1), ..., {1}]}, raises="cannot be converted to MindSpore type")
def test_values_without_a_kind(value):
    registered("Number", "Tensor")(value)


@case(raises="(dtype, args): (mindspore.string_,)")
def test_a_call_that_no_function_takes():
    registered("Number", "Tensor")("a")
