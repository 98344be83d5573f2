"""What graphs refuse for the types of Tensors: branches of two dtypes, limits of a range."""
from tests.reference.graphs import graph


@graph(raises=True)
def test_chosen_arguments(z, n):
    return z if z > 2 else n


@graph(raises=True)
def test_bound_arguments(x, z, n):
    if z > 2:
        r = x
    else:
        r = n
    return r


@graph(raises=True)
def test_returned_argument(x, z, n):
    if z > 2:
        return x * 2
    return n


@graph(raises=True)
def test_comparison_and_argument(x, z):
    if z > 2:
        return x > 1
    return x


@graph
def test_arguments_of_one_dtype(x, m, z):
    if z > 2:
        r = x
    else:
        r = m
    return r


@graph(raises=True)
def test_loop_to_a_tensor(n):
    s = 0
    for j in range(n):
        s = s + j
    return s


@graph(raises=True)
def test_comprehension_to_a_tensor(n):
    return [j for j in range(0, n)]


@graph(raises=True)
def test_loop_to_a_float(f):
    s = 0
    for j in range(f):
        s = s + j
    return s


@graph
def test_loops_to_numbers(x, i, m):
    s = 0
    for j in range(i):
        s = s + j
    for j in range(len(x)):
        s = s + j
    return s + sum([j for j in range(m.shape[0])])
