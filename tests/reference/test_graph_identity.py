"""``is`` in a graph, and builtins that take no arguments by name."""
import mindspore as ms
from mindspore import Parameter, Tensor, jit, mutable, nn, ops

from tests.reference.graphs import graph
from tests.reference.judge import case

W = Parameter(Tensor(1.0), name="w")
C = Tensor([1.0, 2.0])
RELU, ADD = nn.ReLU(), ops.Add()


def twice(a):
    return a * 2


@graph
def test_tensors(x, y):
    z = x
    return x is x, x is z, x is not y, W is W, x is W, C is x, (1, 2) is x, None is x


@graph
def test_values(x, i):
    return 1 is 1, 1 is True, "a" is "a", i is 2, x.shape[0] is 3, x.dtype is ms.float32, i is not 2, x is None


@graph
def test_types(x, i):
    return type(x) is Tensor, type(i) is int, type(x) is int, x is Tensor, type(i) is not float


@graph
def test_what_varies_is_no_constant(x):
    return x is [1], x is 1.5, x is (1, 2), x is twice, twice is 1, RELU is 2, W is [1], None is [1]


@case(mode="GRAPH")
def test_mutable():
    @jit
    def ask(a, b, t):
        return a is 1, a is b, b is a, t is (1, 2), a is 1.5, a is [1], b is None
    return ask(mutable(1), 1, mutable((1, 2)))


@graph(raises=True)
def test_lists(x):
    a = [1]
    return a is a


@graph(raises=True)
def test_given_tuples(t):
    return t is (1, 2, 3)


@graph(raises=True)
def test_floats(x):
    return 2 is 1.0


@graph(raises=True)
def test_tuples(x):
    return x.shape[0] is (1, 2)


@graph(raises=True)
def test_constant_tensors(x):
    return 1 is C


@graph(raises=True)
def test_functions(x):
    return twice is twice


@graph(raises=True)
def test_cells(x):
    return RELU is RELU


@graph(raises=True)
def test_primitives(x):
    return "a" is ADD


@graph(raises=True)
def test_key(x):
    return max([1, 3, 2], key=lambda a: -a)


@graph(raises=True)
def test_start(x):
    return sum([1, 2], start=3)


@graph(raises=True)
def test_base(x):
    return int("12", base=8)


@graph(raises=True)
def test_strict(x):
    return zip((1, 2), (3, 4), strict=True)


@graph(raises=True)
def test_filter_by_none(x):
    return filter(None, (0, 1))
