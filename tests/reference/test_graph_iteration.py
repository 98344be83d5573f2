"""Graph mode's `map`, `zip`, `filter`, `enumerate`, `range` and generator expressions."""
import mindspore as ms
import numpy as np
from mindspore import ops

from tests.reference.graphs import graph


def double(a):
    return a * 2


@graph
def test_map(x, y):
    return map(double, (x, y))


@graph
def test_map_of_constants():
    return map(double, (1, 2))


@graph
def test_map_list():
    return map(double, [1, 2])


@graph
def test_map_two():
    return map(lambda a, b: a + b, (1, 2), (3, 4))


@graph
def test_map_printed():
    print(map(double, (1, 2)))
    return 0


@graph
def test_map_indexed():
    return map(double, (1, 2))[1]


@graph
def test_map_len():
    return len(map(double, (1, 2)))


@graph(raises=True)
def test_map_unequal():
    return map(lambda a, b: a + b, (1, 2, 3), (3, 4))


@graph(raises=True)
def test_map_tensor(x):
    return map(double, x)


@graph
def test_map_of_list_of_it():
    return list(map(double, (1, 2)))


@graph
def test_zip():
    return zip((1, 2), (3, 4))


@graph
def test_zip_lists():
    return zip([1, 2], [3, 4])


@graph
def test_zip_unequal():
    return zip((1, 2, 3), (3, 4))


@graph
def test_zip_tensors(x, y):
    return zip((x, y), (1, 2))


@graph
def test_zip_one_tensor(x):
    return zip(x, x)


@graph(raises=True)
def test_zip_nothing():
    return zip()


@graph
def test_zip_loop(x):
    s = 0
    for a, b in zip((1, 2), (3, 4)):
        s = s + a * b * x
    return s


@graph
def test_filter():
    return filter(lambda a: a > 1, (1, 2, 3))


@graph
def test_filter_list():
    return filter(lambda a: a > 1, [1, 2, 3])


@graph
def test_filter_printed():
    print(filter(lambda a: a > 1, [1, 2, 3]))
    return 1


@graph
def test_enumerate():
    return enumerate((5, 6))


@graph
def test_enumerate_start():
    return enumerate((5, 6), 3)


@graph
def test_enumerate_keyword():
    return enumerate((5, 6), start=3)


@graph
def test_enumerate_list():
    return enumerate([5, 6])


@graph
def test_enumerate_tensor(m):
    return enumerate(m)


@graph
def test_enumerate_printed():
    print(enumerate([5, 6]))
    return 1


@graph(raises=True)
def test_enumerate_number():
    return enumerate(3)


@graph(raises=True)
def test_enumerate_float_start():
    return enumerate((1, 2), 1.5)


@graph
def test_enumerate_loop(x):
    for k, v in enumerate([x, x + 1]):
        x = x + k * v
    return x


@graph
def test_range():
    return range(3)


@graph
def test_range_three():
    return range(5, 0, -2)


@graph
def test_range_printed():
    print(range(3))
    return 1


@graph
def test_range_index():
    return range(3)[1], len(range(3))


@graph(raises=True)
def test_range_float():
    return range(1.5)


@graph(raises=True)
def test_range_zero_step():
    return range(0, 3, 0)


@graph(raises=True)
def test_range_four():
    return range(1, 2, 3, 4)


@graph(raises=True)
def test_range_none():
    return range()


@graph
def test_range_of_i(i):
    return range(i)


@graph
def test_generator():
    return (a * 2 for a in (1, 2))


@graph
def test_generator_printed():
    print((a * 2 for a in (1, 2)))
    return 1


@graph
def test_generator_list():
    return (a * 2 for a in [1, 2])


@graph
def test_generator_tuple():
    return tuple(a * 2 for a in [1, 2])


@graph
def test_generator_sum(x):
    return sum(a * x for a in (1, 2))


@graph
def test_generator_if():
    return (a * 2 for a in [1, 2, 3] if a > 1)


@graph
def test_generator_max():
    return max(a for a in (1, 3, 2))
