"""Builtin functions of Python that a graph calls with what they do not take, or only fall back on."""
import mindspore as ms
from mindspore import Tensor, mint, nn, ops

from tests.reference.graphs import graph
from tests.reference.judge import case


@graph(raises=True)
def test_loop_over_an_empty_zip():
    for _ in zip():
        pass
    return 1


@graph(raises=True)
def test_loop_over_a_zip_with_a_scalar(z, t):
    total = 0
    for a, _ in zip(t, z):
        total += a
    return total


@graph(raises=True)
def test_sum_of_a_scalar(z):
    return sum(z)


@graph(raises=True)
def test_min_of_a_scalar(z):
    return min(z)


@graph(raises=True)
def test_loop_over_an_enumerated_number(i):
    total = 0
    for k, _ in enumerate(i):
        total += k
    return total


@graph(raises=True)
def test_enumerated_none():
    return enumerate(None)


@graph(raises=True)
def test_isinstance_of_a_list(x):
    return isinstance(x, [list, tuple])


@graph(raises=True)
def test_isinstance_of_a_tensor(x):
    return isinstance(x, x)


@graph
def test_map_over_arrays(x, y):
    return len(tuple(map(lambda a, b: a + b, x.asnumpy(), y.asnumpy())))


class Three(nn.Cell):
    def construct(self, x):
        super(Three, 2, 3).what()
        return x


class Stranger(nn.Cell):
    def construct(self, x):
        super(Stranger, 2).what()
        return x


@case(mode="GRAPH", raises=True, each={"cell": [Three, Stranger]})
def test_super(cell):
    cell()(ms.Tensor([1.0]))


@graph(raises=True)
def test_map_over_nothing():
    return map(lambda a: a)


@graph(raises="The types of arguments in Map must be consistent")
def test_map_over_a_list_and_a_tensor(x):
    return map(lambda a, b: a + b, [1, 2, 3], x)


@graph(raises=True)
def test_a_dict_over_two_sequences():
    return {a: b for a in ("a", "b") for b in (1, 2)}


def of_two_types(z):
    if z < 3:
        return Tensor([1, 2, 3])
    else:
        return 0


def over_a_tensor(z):
    for i in range(z):
        z = z + i
    return z


@case(mode="GRAPH", each=[{"function": of_two_types, "lines": ["return Tensor([1, 2, 3])", "return 0"]},
                          {"function": over_a_tensor, "lines": ["for i in range(z)"]}])
def test_the_error_shows_the_lines(function, lines):
    try:
        return ms.jit(function)(Tensor(2.5))
    except TypeError as error:
        return [line in str(error) for line in lines]


# ---- operators that are called wrongly ---------------------------------------------------------------------


def unknown_name(x):
    return ops.softmax(x, ax=1)


def unknown_name_of_several_spellings(x):
    return ops.sum(x, q=1)


def unknown_name_of_mint(x):
    return mint.nn.functional.relu(x, q=1)


def unknown_name_of_numpy(x):
    return ms.numpy.sum(x, q=1)


def nothing_given(x):
    return ops.relu()


def vmap_of_nothing(x):
    return ops.vmap(lambda: 1)()


@case(mode="GRAPH", raises=True, each={"wrong": [
    unknown_name, unknown_name_of_several_spellings, unknown_name_of_mint, unknown_name_of_numpy, nothing_given,
    vmap_of_nothing]})
def test_operators_called_wrongly(wrong):
    return ms.jit(wrong)(Tensor([1.0, 2.0]))
