"""``HyperMap``, ``Map`` and ``MultitypeFuncGraph`` in a graph."""
import mindspore as ms
from mindspore import Parameter, Tensor, nn, ops
from mindspore.ops import composite as C

from tests.reference.graphs import graph
from tests.reference.judge import case

HYPER, MAP, ADD = C.HyperMap(), C.Map(), ops.Add()
# What a HyperMap over two arguments cannot pair, nor can a Map.
LONGER = [((1, 2), (1, 2, 3)), ([1], [1, 2])]


def added(a, b, c):
    return a + b + c


@graph
def test_hyper_map_over_dicts(x):
    return HYPER(ADD, {"a": x, "b": (x, x)}, {"a": x, "b": (x, x)})


@graph
def test_hyper_map_ends_where_one_is_no_sequence(x):
    return HYPER(added, (x, x), (x, x), x)


def mapped(name, one, other):
    mapping = getattr(C, name)()

    @ms.jit
    def graph_of_it(one, other):
        return mapping(ADD, one, other)

    return graph_of_it(one, other)


@case(mode="GRAPH", each={"place": [0, 1], "name": ["HyperMap", "Map"]}, raises=True)
def test_one_is_longer(place, name):
    return mapped(name, *LONGER[place])


@case(mode="GRAPH", raises=True)
def test_one_inside_is_longer():
    return mapped("HyperMap", ((1,), (1, 2)), ((1,), (1,)))


@case(mode="GRAPH", each={"name": ["HyperMap", "Map"]},
      raises="must be consistent, but the types of arguments are inconsistent.")
def test_a_tuple_and_a_list(name):
    return mapped(name, (1, 2), [1, 2])


@graph(raises="does not exist in the dict")
def test_hyper_map_over_dicts_of_other_keys(x):
    return HYPER(ADD, {"a": x}, {"b": x})


@graph(raises="The length of dict in HyperMap must be the same.")
def test_hyper_map_over_dicts_of_other_lengths(x):
    return HYPER(ADD, {"a": x}, {"a": x, "b": x})


@graph(raises="Map can only be applied to list, tuple, but got Tensor[Float32].")
def test_map_over_a_tensor(x):
    return MAP(ADD, x, x)


many = C.MultitypeFuncGraph("many")
one = C.MultitypeFuncGraph("one")


@many.register("Tensor", "Number")
def _many_of_number(x, number):
    made = []
    for place, value in enumerate((number, number)):
        made.append(x * value + place)
    print("many", made)
    return made


@many.register("Tuple", "Tensor")
def _many_of_tuple(items, x):
    return items[0] + x


@one.register("Tensor", "Tensor")
def _one(x, weight):
    return x * 2 if weight.requires_grad else x


@graph
def test_registered_functions_are_of_the_graph(x):
    return HYPER(many, (x, x), (1, 2)), many(x, 3)


@graph
def test_registered_function_of_a_sequence(x):
    return HYPER(many, (x, x), x)


@case(mode="GRAPH", raises="the 'Parameter' object's method 'requires_grad' is not supported")
def test_registered_function_reads_a_parameters_attribute():
    class Net(nn.Cell):
        def __init__(self):
            super().__init__()
            self.weight = Parameter(Tensor([1.0]), name="weight")

        def construct(self, x):
            return HYPER(one, x, self.weight)

    return Net()(Tensor([2.0]))
