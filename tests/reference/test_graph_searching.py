"""``in``, ``index`` and ``count`` in graph mode: constants of one type and value, Tensors element by element."""
import mindspore as ms
from mindspore import Tensor

from tests.reference.graphs import graph


@graph
def test_constants_are_counted_by_type(i):
    return ([1, True].count(1), [1.0, 1].count(1), (True, 1).index(1), (1.0, 1).index(1), [1, 1.0].index(1.0),
            [(1, True)].count((1, 1)), ["1", 1].index(1), [[1], [2]].index([2]), [(1,), 1].count((1,)))


@graph
def test_constant_tensors_are_counted_by_shape_and_dtype():
    return ([Tensor(1), 1].count(1), [1, Tensor(1)].count(Tensor(1)), [Tensor(1), Tensor(1.0)].count(Tensor(1)),
            (Tensor([1, 2]), Tensor([1, 2])).count(Tensor([1, 2])),
            [Tensor([1]), Tensor([[1]])].index(Tensor([[1]])), ["a", Tensor([10, 20]), 20].index(20))


@graph
def test_arguments_are_compared_when_the_graph_runs(n, z):
    return ([n, 3].count(3), [n, 1.0, True].count(1), [z, n, 3].index(3), [z, 2].count(2.0), [n, "a"].index("a"),
            (n, (1, 2)).count((1, 2)), [n, Tensor(3)].count(Tensor(3)), [n, None].count(None))


@graph
def test_places_from_and_to():
    return [1, 2, 1].index(1, 1), (1, 2, 3).index(2, -2), [1, 2, 3].index(3, 0, 10)


@graph(raises="1 is not in")
def test_a_bool_is_no_int():
    return [True].index(1)


@graph(raises="is not in")
def test_a_tensor_is_no_number():
    return (1, 2, 3).index(Tensor(2))


@graph(raises="5 is not in")
def test_nothing_found_in_a_tuple():
    return (1, 2).index(5)


@graph(raises=True)
def test_counted_among_tensors_of_many_elements(x):
    return [x, 1].count(1)


@graph(raises=True)
def test_tuples_with_tensors_of_many_elements(x):
    return (1, x) in [(1, x)]


@graph
def test_a_tensor_in_a_sequence_is_a_tensor(x, y, n):
    return (x in [x, 1], x in (y,), x in (1, 2), x in [1, "a", y, Tensor([1.0, 2.0, 3.0])], n in [3],
            Tensor(3, ms.int32) in (n, 1), x not in [y, x])


@graph
def test_a_tensor_not_in_a_sequence_of_others(x):
    return x not in [1], x not in (Tensor(1.0), "a")


@graph
def test_what_a_tensor_in_a_list_decides(x, y):
    if x in [1, x]:
        return x + 1
    return y


@graph
def test_numbers_beside_tensors(n, z):
    return 3 in [n, 1.0], 1 in [z, 1], "a" in [n, "a"], None in [n, None], 3 not in (n, z, 1), 7 in (n, 1), "b" not in (n, "a")


@graph(raises="For InSequence, the list existing item abstract")
def test_a_number_among_tensors_alone(n):
    return 3 in [n]


@graph
def test_in_a_list_that_a_method_changed(i):
    a, b, c, d = [1, 2], [1, 2], [1, 2], [1, 2]
    a.insert(0, 3)
    b.pop()
    c.reverse()
    d.append(3)
    return 3 in a, 5 not in a, 2 in b, 2 in c, 3 in d
