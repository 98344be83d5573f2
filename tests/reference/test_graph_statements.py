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


@graph(raises=True)
def test_assert(x):
    assert x.shape[0] == 2, "wrong shape"
    return x


@graph(raises=True)
def test_assert_plain(i):
    assert i == 3
    return i


@graph
def test_assert_true(x):
    assert x.shape[0] == 3, "wrong shape"
    return x


@graph(raises=True)
def test_assert_tensor(z):
    assert z > 3, "too small"
    return z


@graph(raises=True)
def test_raise(x):
    raise ValueError("wrong")


@graph
def test_raise_not_taken(x):
    if x.ndim > 1:
        raise ValueError("rank is", x.ndim)
    return x


@graph(raises=True)
def test_raise_fstring(x, i):
    raise ValueError(f"i is {i}")


@graph(raises=True)
def test_raise_tensor_condition(z):
    if z > 1:
        raise ValueError("large")
    return z


@graph
def test_raise_tensor_condition_not(z):
    if z > 100:
        raise ValueError("large")
    return z


@graph(raises=True)
def test_raise_with_tensor(z):
    raise ValueError("z is", z)


@graph(raises=True)
def test_raise_class(x):
    raise ValueError


@graph(raises=True)
def test_raise_from(x):
    raise ValueError("a") from TypeError("b")


@graph(raises=True)
def test_raise_bare(x):
    raise


class Own(Exception):
    pass


@graph(raises=True)
def test_raise_own(x):
    raise Own("mine")


@graph(raises=True)
def test_raise_several(x):
    raise RuntimeError("a", 1, 2.5, [1, 2], "b")


@graph(raises=True)
def test_bound_in_constant_branch(x, i):
    if i == 2:
        y = x + 1
    return y


@graph(raises=True)
def test_not_bound_in_constant_branch(x, i):
    if i == 3:
        y = x + 1
    return y


@graph(raises=True)
def test_bound_in_tensor_branch(x, z):
    if z > 1:
        y = x + 1
    return y


@graph(raises=True)
def test_undefined(x):
    return x + undefined_name


@graph(raises=True)
def test_undefined_not_reached(x, i):
    if i == 3:
        return x + undefined_name
    return x


@graph(raises=True)
def test_used_before(x):
    y = w + 1
    w = x
    return y


@graph(raises=True)
def test_loop_without_turns(x):
    for k in ():
        y = k
    return y


@graph(raises=True)
def test_loop_variable_after(x):
    for k in (1, 2):
        x = x + k
    return x * k


@graph
def test_branch_types_int(z):
    if z > 1:
        y = 2
    else:
        y = 1
    return y


@graph
def test_branch_shapes(x, m, z):
    if z > 1:
        y = x
    else:
        y = m
    return y


@graph
def test_branch_none(x, z):
    if z > 1:
        y = x
    else:
        y = None
    return y


@graph
def test_branch_tuple_lengths(x, z):
    if z > 1:
        y = (x, x)
    else:
        y = (x,)
    return y


@graph
def test_branch_returns(x, z):
    if z > 1:
        return x
    return x + 1


@graph
def test_branch_returns_nothing(x, z):
    if z > 1:
        return x


@graph
def test_ternary_tensor(x, z):
    return x if z > 1 else x + 1


@graph(raises=True)
def test_if_vector(x):
    if x:
        return x
    return x + 1


@graph
def test_if_vector_of_one(x):
    if x[:1]:
        return x
    return x + 1


@graph(raises=True)
def test_while_vector(x):
    while x > 1:
        x = x - 1
    return x


@graph
def test_while_tensor(z, x):
    while z < 10:
        z = z + 1
        x = x * 2
    return x, z


@graph
def test_while_constant(x, i):
    while i < 5:
        x = x + i
        i += 1
    return x


@graph
def test_while_break(z, x):
    while z < 10:
        z = z + 1
        if z > 5:
            break
        x = x + 1
    return x


@graph
def test_while_continue(z, x):
    while z < 10:
        z = z + 1
        if z > 5:
            continue
        x = x + 1
    return x


@graph(raises=True)
def test_while_else(i, x):
    while i < 4:
        i += 1
    else:
        x = x + 1
    return x


@graph
def test_while_counts(z):
    k = 0
    while z < 10:
        z = z + 1
        k = k + 1
    return k


@graph
def test_while_list(z):
    a = []
    while z < 4:
        z = z + 1
        a.append(z)
    return a


@graph(raises=True)
def test_for_else(x):
    for k in (1, 2):
        x = x + k
    else:
        x = x * 2
    return x


@graph
def test_for_break(x):
    for k in (1, 2, 3):
        if k == 2:
            break
        x = x + k
    return x


@graph
def test_for_tensor_break(x, z):
    for k in (1, 2, 3):
        if z > k:
            break
        x = x + k
    return x


@graph
def test_for_over_tensor(m):
    s = 0
    for row in m:
        s = s + row
    return s


@graph(raises=True)
def test_for_over_scalar(z):
    for k in z:
        return k
    return z


@graph(raises=True)
def test_for_over_number(i):
    for k in i:
        return k
    return i


@graph
def test_for_over_dict(d):
    s = 0
    for k in d:
        s = s + d[k]
    return s


@graph
def test_for_over_items(d):
    s = 0
    for k, v in d.items():
        s = s + v
    return s


@graph
def test_for_over_text():
    s = ""
    for c in "abc":
        s = s + c + "-"
    return s


@graph
def test_for_over_list_changed(x):
    a = [1, 2]
    for k in a:
        if len(a) < 4:
            a.append(k)
    return a


@graph(raises=True)
def test_for_over_none(x):
    for k in None:
        x = x + k
    return x


@graph
def test_and_or_numbers():
    return (0 and 3), (2 and 3), (0 or 3), (2 or 3), not 0


@graph
def test_and_or_containers():
    return ([] or 1), ((1,) and "a"), ("" or None)


@graph(raises=True)
def test_and_vector(x):
    return x and x


@graph(raises=True)
def test_not_vector(x):
    return not x


@graph
def test_chained_comparison(z):
    return 1 < z < 3, 1 < z < 2


@graph
def test_chained_numbers(i):
    return 1 < i < 3


@graph
def test_in(x, t):
    return 1 in t, 5 not in t, "a" in "abc", "a" in {"a": 1}


@graph
def test_in_tensor(x):
    return 1 in x


@graph
def test_is(x):
    return x is None, x is not None, None is None


@graph
def test_is_number(i):
    return i is 2


@graph
def test_compare_types(x):
    return 1 == "a", "a" == "a", (1, 2) == (1, 2), [1] == [1], None == 1


@graph(raises=True)
def test_compare_less_types():
    return 1 < "a"


@graph
def test_compare_tuples():
    return (1, 2) < (1, 3)


@graph
def test_compare_tensor_none(x):
    return x == None


@graph(raises=True)
def test_add_text_number():
    return "a" + 1


@graph
def test_add_text():
    return "a" + "b", "a" * 3


@graph
def test_add_tuples(t):
    return t + (4,), t * 2, [1] + [2], [1] * 2


@graph(raises=True)
def test_add_tuple_list(t):
    return t + [1]


@graph(raises=True)
def test_divide_zero():
    return 1 / 0


@graph
def test_floor_mod():
    return 7 // 2, -7 // 2, 7 % 3, -7 % 3, 7.5 // 2, -7.5 % 2


@graph
def test_shift():
    return 1 << 3, 8 >> 1, 5 & 3, 5 | 3, 5 ^ 3, ~5


@graph
def test_matmul(m):
    return m @ m.T


@graph
def test_divide_ints(i):
    return i / 2, i // 2, 3 / 2


@graph
def test_big_int():
    return 2 ** 40 + 1


@graph
def test_float_precision():
    return 0.1 + 0.2, 1 / 3


@graph
def test_negative(x, i, f):
    return -x, -i, +f


@graph(raises=True)
def test_negative_text():
    return -"a"


@graph(raises=True)
def test_negative_tuple(t):
    return -t


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


@graph
def test_shifts(i):
    n = i
    n <<= 3
    return n, 16 >> i, -16 >> 70


@graph(raises=True)
def test_negative_shift(i):
    return i >> -2


@graph(raises=True)
def test_shift_of_a_float(f):
    return f << 1


@graph(raises=True)
def test_shift_too_far(i):
    return i << 62


def plain():
    return 1


@ops.constexpr
def kind(value):
    return str(type(value))


@graph
def test_functions_have_no_value():
    return kind(plain), kind(3)
