"""`mutable` lists, tuples, dicts and numbers in a graph, under one name and under two."""
import mindspore as ms
from mindspore import jit, mutable
from mindspore.ops.functional import is_sequence_shape_unknown

from tests.reference.graphs import INPUTS, graph
from tests.reference.judge import case


@graph
def test_append_by_another_name(x):
    a = mutable([1, 2, 3])
    b = a
    b.append(4)
    return a, b


@graph
def test_a_part_of_a_list():
    a = mutable([1, 2, 3])
    b = a
    b[0] = 9
    return a, b


@graph
def test_a_tensor_in_a_list(x):
    a = mutable([x, x])
    a[0] = x + 1
    return a


@graph
def test_extend_and_reverse():
    a = mutable([1, 2])
    a.extend([5])
    b = a
    b.reverse()
    return b[0], len(b)


@graph
def test_a_number_that_decides(x):
    a = mutable(3)
    if a > 2:
        return x * a
    return x


@graph
def test_an_item_of_a_dict(x):
    a = mutable({"k": 2})
    a["k"] += 1
    return a, x * a["k"]


@case(mode="GRAPH")
def test_a_given_list_by_another_name():
    @jit
    def function(items):
        more = items
        more[0] = 9
        more.append(4)
        return items, more

    given = mutable([1, 2])
    return function(given), given


@case(mode="GRAPH")
def test_the_end_of_a_loop():
    @jit
    def function(n):
        i = 0
        while i < n:
            i += 2
        return i

    return function(mutable(5)), function(mutable(2))


@case(mode="GRAPH")
def test_parts_of_a_given_list():
    @jit
    def function(items):
        return items[-1], items[0:1], items + [3], 1 in items, items.index(2), items.count(1)

    return function(mutable([1, 2]))


@case(mode="GRAPH")
def test_an_index_that_varies():
    @jit
    def function(items, i):
        return items[i]

    x = INPUTS["x"]()
    return function(mutable((1, 2)), mutable(1)), function((x, x * 2), mutable(1))


@case(mode="GRAPH")
def test_arithmetic_of_given_numbers():
    @jit
    def function(a, b):
        return a + b, a * b, a / b, a // b, a % b, a**b, -a, a > b

    return function(mutable(7), mutable(2)), function(mutable(7.5), mutable(2.0))


@case(mode="GRAPH")
def test_a_list_that_decides():
    @jit
    def function(items):
        first = items
        if first[0] > 0:
            return first[0] + 1
        return first[1]

    return function(mutable([1, 2])), function(mutable([-1, 2])), ms.get_context("mode")


@graph
def test_a_place_that_varies():
    a, b, i = [1, 2], [[1, 2], [3, 4]], mutable(0)
    a[i] = 7
    b[i] = [5, 6]
    return a, b


@graph(raises=True)
def test_a_place_that_varies_in_a_list_of_two_kinds():
    a, i = [1, 2.0], mutable(0)
    a[i] = 10
    return a


@graph(raises=True)
def test_another_kind_at_a_place_that_varies():
    a, i = [1, 2], mutable(0)
    a[i] = 1.0
    return a


@graph(raises=True)
def test_another_kind_in_a_list_whose_numbers_vary():
    a, i = mutable([1, 2, 3]), mutable(0)
    a[i] = 2.0
    return a


@graph(raises=True)
def test_a_place_that_varies_out_of_range():
    a, i = [1, 2], mutable(5)
    a[i] = 7
    return a


@graph(raises=True)
def test_a_part_of_any_length_in_a_list_of_two_kinds():
    a = [1, 2, 3, 4.0]
    a[0:2] = mutable([1, 2, 3, 4], True)
    return a


@graph(raises=True)
def test_a_part_of_another_kind_where_its_place_varies():
    a, start = [1.0, 2.0], mutable(0)
    a[start:2] = [1, 2]
    return a


@graph(raises=True)
def test_a_part_whose_place_varies_in_a_list_of_two_kinds():
    a, start = [1, "a", 3], mutable(0)
    a[start:2] = [1, 2]
    return a


@graph
def test_a_list_is_of_any_length_after_a_part_whose_place_varies():
    a, start = [1, 2, 3, 4], mutable(0)
    a[start:2] = [1, 2, 3, 4]
    return isinstance(a, list), is_sequence_shape_unknown(a)
