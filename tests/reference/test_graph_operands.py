"""Dicts, bools and sequences of Tensors as operands in a graph, and parts of what a tuple holds."""
import mindspore as ms
from mindspore import nn

from tests.reference.graphs import graph
from tests.reference.judge import case
from tests.reference.networks import t

SIZES = {"a": 1, "b": 2}


@graph
def test_two_dicts_are_one(x):
    return {"a": x, "c": 1} + {"a": 2, "b": x * 2}


@graph
def test_dicts_that_are_added_stay_as_they_were(x):
    a, b = {"a": 1}, {"b": x}
    c = a + b
    d = c + {"a": 5} + {}
    return a, b, c, d


@graph(raises=True)
def test_a_dict_and_a_list(x):
    d = {"a": x}
    return d + [1]


@graph(raises=True)
def test_a_dict_and_a_tensor(x):
    return SIZES + x


@graph(raises=True)
def test_a_dict_is_added_in_place(x):
    d = {"a": x}
    d += {"b": 1}
    return d


@graph(raises=True)
def test_a_number_in_place(x):
    n = 1
    n += SIZES
    return n


def either(d):
    return d | {"b": 2}


def either_in_place(d):
    e = {"b": 2}
    e |= d
    return e


def both(d):
    return d & SIZES


def difference(d):
    return d - SIZES


def times(d):
    return d * 2


def quotient(d):
    return 1.5 / d


def rest(d):
    return d % 2


def power(d):
    return d ** 2


def shifted(d):
    return d << 1


def less(d):
    return d < SIZES


def no_less(d):
    return "a" >= d


def negative(d):
    return -d


def whole(d):
    n = 7
    n //= d
    return n


@case(mode="GRAPH", raises=True, each={"operation": [
    either, either_in_place, both, difference, times, quotient, rest, power, shifted, less, no_less, negative, whole]})
def test_operators_that_take_no_dict(operation):
    return ms.jit(operation)({"a": 1})


@graph
def test_bools_are_numbers(x):
    a, b = x.ndim == 1, x.shape[0] > 5
    return a & b, a | b, a & True, b | False


@graph(raises=True)
def test_exclusive_or_of_a_bool(x):
    return (x.ndim == 1) ^ 1


@graph
def test_what_no_tensor_holds(x):
    return "a" in x, None in x, (1, 2) in x, 1.0 in x, "a" not in x


@case(mode="PYNATIVE")
def test_what_no_tensor_holds_in_pynative():
    x = t([1.0, 2.0])
    return "a" in x, None in x, (1, 2) in x, 1.0 in x, [2.0] in x, "a" not in x


@graph(raises=True)
def test_sort_of_tensors(x):
    xs = [x, x + 1]
    xs.sort()
    return xs


@graph(raises=True)
def test_sorted_tensors(x):
    return sorted([x, x + 1])


@graph
def test_sorted_tensors_of_one_element(x):
    xs = [x.sum(), x.min()]
    xs.sort()
    return xs, sorted(xs)


@graph(raises=True)
def test_sort_of_numbers_and_texts(x):
    xs = [1, "a"]
    xs.sort()
    return xs


# ---- parts of what a tuple holds ---------------------------------------------------------------------------


def written(held):
    held[0][0] = 5
    return held


def added_to(held):
    held[0][0] += 5
    return held


def in_a_loop(held):
    for i in range(2):
        held[0][i] = i
    return held[1]


def in_a_list(held):
    items = [held, 2]
    items[0][0][0] = 5
    return items


def never_read(held):
    held[0][0] = 5
    return 1


def under_another_name(held):
    part = held[0]
    part[0] = 5
    return held, part


@case(mode="GRAPH", raises=True, each={
    "write": [written, added_to, in_a_loop, in_a_list], "of": ["a Tensor", "a list", "a dict", "a tuple"]})
def test_a_part_of_what_a_tuple_holds(write, of):
    return ms.jit(write)(({"a Tensor": t([1, 2]), "a list": [1, 2], "a dict": {0: 1, 1: 2}, "a tuple": (1, 2)}[of], 3))


@case(mode="GRAPH", each={"of": ["a Tensor", "a list"]})
def test_a_part_that_has_a_name(of):
    return ms.jit(under_another_name)((t([1, 2]) if of == "a Tensor" else [1, 2], 3))


@case(mode="GRAPH")
def test_a_part_of_a_tensor_that_nobody_reads():
    return ms.jit(never_read)((t([1, 2]), 3))


@case(mode="GRAPH", raises=True)
def test_a_part_of_a_list_that_nobody_reads():
    return ms.jit(never_read)(([1, 2], 3))


@case(mode="GRAPH", raises=True, each={"of": ["a Tensor", "a list", "a dict"]})
def test_a_part_of_what_a_tuple_of_a_cell_holds(of):
    class Holder(nn.Cell):
        def __init__(self):
            super().__init__()
            self.held = ({"a Tensor": t([1.0, 2.0]), "a list": [1, 2], "a dict": {0: 1}}[of], 3)

        def construct(self, x):
            self.held[0][0] = 5
            return self.held[1] + x

    return Holder()(t([1.0]))
