"""Statements of graph mode's language: what is refused, what branches and loops may do."""
import mindspore as ms
import numpy as np
from mindspore import ops

from tests.reference.graphs import graph

COUNT = [1, 2]
GROWING = [1, 2]
SIZE = 3
LENGTH = 3


@graph(raises=True)
def test_try(x):
    try:
        x = x + 1
    except ValueError:
        x = x - 1
    return x


@graph(raises=True)
def test_try_finally(x):
    try:
        x = x + 1
    finally:
        x = x * 2
    return x


class Context:
    def __enter__(self):
        return self

    def __exit__(self, *exc):
        return False


@graph(raises=True)
def test_with(x):
    with Context():
        x = x + 1
    return x


@graph
def test_global(x):
    global LENGTH
    LENGTH = 4
    return x


@graph(raises=True)
def test_nonlocal(x):
    k = 1

    def inner():
        nonlocal k
        k = 2
        return k
    inner()
    return x * k


@graph(raises=True)
def test_class(x):
    class A:
        pass
    return x


@graph(raises=True)
def test_import(x):
    import math
    return x * math.pi


@graph(raises=True)
def test_import_from(x):
    from math import pi
    return x * pi


@graph(raises=True)
def test_yield(x):
    yield x


@graph(raises=True)
def test_yield_from(x):
    yield from (x, x)


@graph(raises=True)
def test_del(x):
    y = x
    del y
    return x


@graph(raises=True)
def test_del_item():
    d = {"a": 1, "b": 2}
    del d["a"]
    return d


@graph(raises=True)
def test_del_list_item():
    d = [1, 2, 3]
    del d[0]
    return d


@graph(raises=True)
def test_walrus(x):
    if (k := 3) > 2:
        return x * k
    return x


@graph(raises=True)
def test_match(i, x):
    match i:
        case 2:
            return x
        case _:
            return x + 1


@graph(raises=True)
def test_set_display(x):
    return {1, 2}


@graph(raises=True)
def test_set_comprehension(x):
    return {a for a in (1, 2)}


@graph
def test_star_display(t):
    return [*t, 4], (*t, 4)


@graph
def test_double_star_display():
    a = {"a": 1}
    return {**a, "b": 2}


@graph
def test_star_target(t):
    a, *c = t
    return a, c


@graph
def test_unpack_tensor(x):
    a, b, c = x
    return a + b + c


@graph
def test_chained_assignment(x):
    a = b = x + 1
    return a + b


@graph
def test_annotated(x):
    a: int = 3
    return x * a


@graph
def test_annotation_only(x):
    a: int
    return x


@graph
def test_augmented(x):
    x += 1
    x *= 2
    x -= 1
    x /= 2
    x **= 2
    return x


@graph
def test_augmented_floor(x):
    x //= 2
    x %= 2
    return x


@graph
def test_pass(x):
    if x.shape[0] > 2:
        pass
    return x


@graph
def test_return_nothing(x):
    y = x + 1


@graph
def test_return_none(x):
    return None


@graph
def test_return_bare(x):
    return


@graph
def test_return_tuple(x, i):
    return x, i, "a", None, 1.5, True


@graph
def test_return_list(x):
    return [x, 1]


@graph
def test_return_dict(x):
    return {"a": x, "b": 1}


@graph
def test_return_dtype(x):
    return x.dtype, x.shape


@graph
def test_return_slice():
    return slice(1, 2)


@graph
def test_return_ellipsis():
    return ...


@graph
def test_return_text():
    return "abc"


@graph
def test_expression_statement(x):
    x + 1
    return x


@graph
def test_docstring(x):
    """Documented."""
    return x


@graph
def test_lambda(x):
    f = lambda a: a * 2
    return f(x)


@graph
def test_lambda_default(x):
    f = lambda a, k=3: a * k
    return f(x)


@graph
def test_nested_function(x):
    def inner(a):
        return a + 1
    return inner(inner(x))


@graph
def test_nested_default(x):
    def inner(a, k=2, *, c=3):
        return a * k + c
    return inner(x), inner(x, 5), inner(x, c=0)


@graph
def test_comprehension(x):
    return [x * k for k in range(2)]


@graph
def test_comprehension_if():
    return [k for k in range(5) if k % 2 == 0]


@graph(raises=True)
def test_comprehension_two():
    return [(a, b) for a in (1, 2) for b in (3, 4)]


@graph
def test_comprehension_two_ifs():
    return [k for k in range(10) if k % 2 == 0 if k > 3]


@graph
def test_comprehension_else():
    return [k if k > 1 else 0 for k in range(3)]


@graph
def test_comprehension_tensor(m):
    return [row.sum() for row in m]


@graph
def test_dict_comprehension():
    return {k: k * 2 for k in (1, 2)}


@graph
def test_dict_comprehension_text(x):
    return {str(k): x for k in (1, 2)}


@graph
def test_comprehension_scope(x):
    k = 5
    a = [k for k in (1, 2)]
    return a, k


@graph(raises=True)
def test_comprehension_of_number():
    return [k for k in 3]


@graph
def test_fstring(i):
    return f"{i} and {i + 1}"


@graph
def test_fstring_format():
    return f"{1.23456:.2f}"


@graph
def test_percent_format():
    return "%d %s %.1f" % (1, "a", 2.5)


@graph
def test_str_format():
    return "{} {}".format(1, "a"), "{a}".format(a=1), "{0:.2f}".format(1.5)


@graph
def test_str_methods():
    return "ab".upper(), " a ".strip(), "a,b".split(","), "-".join(["a", "b"]), "abc".startswith("a")


@graph
def test_str_more_methods():
    return "abc".find("c"), "abc".replace("a", "x"), "abc"[1], "abc"[0:2], "b" in "abc", "1".isdigit()


@graph
def test_global_list():
    return COUNT


@graph
def test_global_list_changed():
    GROWING.append(3)
    return GROWING


@graph
def test_global_number(x):
    return x * SIZE


@graph
def test_global_array(x):
    return np.ones(3)


@graph
def test_numpy_in_graph(x):
    return ms.Tensor(np.ones(3) * 2)


@graph
def test_numpy_of_tensor(x):
    return x.asnumpy()


@graph
def test_item(x):
    return x[0].item()


@graph
def test_tolist(x):
    return x.tolist()


def plain():
    return 1


@ops.constexpr
def kind(value):
    return str(type(value))


@graph
def test_functions_have_no_value():
    return kind(plain), kind(3)
