"""Tuples, lists, dicts and Tensors as objects of a graph."""
import mindspore as ms
import numpy as np
from mindspore import mutable, ops

from tests.reference.graphs import INPUTS, graph, shown
from tests.reference.judge import case


@graph
def test_list_append(x):
    a = [1]
    a.append(x)
    return a


@graph
def test_list_append_returned():
    a = [1]
    b = a.append(2)
    return a, b


@graph
def test_list_insert():
    a = [1, 2]
    a.insert(0, 5)
    a.insert(-1, 6)
    a.insert(10, 7)
    return a


@graph
def test_list_extend(t):
    a = [1]
    a.extend(t)
    a.extend([5])
    return a


@graph(raises=True)
def test_list_extend_number():
    a = [1]
    a.extend(5)
    return a


@graph
def test_list_pop():
    a = [1, 2, 3]
    b = a.pop()
    c = a.pop(0)
    return a, b, c


@graph(raises=True)
def test_list_pop_too_far():
    a = [1, 2]
    return a.pop(5)


@graph(raises=True)
def test_list_pop_text():
    a = [1, 2]
    return a.pop("a")


@graph
def test_list_reverse():
    a = [1, 2, 3]
    a.reverse()
    return a


@graph
def test_list_clear():
    a = [1, 2]
    a.clear()
    return a


@graph
def test_list_remove():
    a = [1, 2]
    a.remove(1)
    return a


@graph
def test_list_sort():
    a = [3, 1, 2]
    a.sort()
    return a


@graph
def test_list_index_count():
    return [1, 2, 1].index(2), [1, 2, 1].count(1), (1, 2, 1).index(2), (1, 2, 1).count(1)


@graph
def test_list_copy():
    return [1, 2].copy()


@graph
def test_list_set_item(x):
    a = [1, 2]
    a[0] = x
    return a


@graph
def test_list_set_slice():
    a = [1, 2, 3]
    a[0:2] = [5, 6, 7]
    return a


@graph
def test_list_slices():
    a = [1, 2, 3, 4]
    return a[1:], a[::-1], a[-1], a[1:3]


@graph(raises=True)
def test_list_index_error():
    return [1, 2][5]


@graph(raises=True)
def test_tuple_index_error(t):
    return t[5]


@graph(raises=True)
def test_tuple_index_float(t):
    return t[1.5]


@graph
def test_tuple_index_tensor(n, xs):
    return (1, 2, 3, 4)[n]


@graph
def test_list_of_tensors_index_tensor(x, y):
    return [x, y][ms.Tensor(1)]


@graph(raises=True)
def test_tuple_set_item():
    t = (1, 2)
    t[0] = 3
    return t


@graph
def test_list_aliases():
    a = [1]
    b = a
    b.append(2)
    return a, b


@graph
def test_list_input_appended(xs, z):
    xs.append(z)
    return xs


@graph
def test_nested_list():
    a = [[1], [2]]
    a[0].append(3)
    return a


@graph
def test_list_plus():
    a = [1]
    a += [2]
    return a


@graph(raises=True)
def test_list_plus_tuple():
    a = [1]
    a += (2,)
    return a


@graph(raises=True)
def test_list_missing_method():
    return [1].nothing


@graph(raises=True)
def test_tuple_append(t):
    t.append(1)
    return t


@graph
def test_list_in_list(x):
    return 1 in [1, 2], [1] in [[1]]


@graph
def test_list_times():
    return [1] * 3


@graph
def test_starred_call(t):
    def inner(*args):
        return args
    return inner(*t), inner(), inner(0, *t)


@graph
def test_keywords_call(x):
    def inner(**kwargs):
        return kwargs
    return inner(a=x, b=1), inner(**{"c": 1})


@graph
def test_keywords_empty():
    def inner(**kwargs):
        return len(kwargs)
    return inner()


@graph
def test_mutable():
    a = mutable(3)
    return a + 1


@graph
def test_mutable_tuple():
    a = mutable((1, 2))
    return a


@graph
def test_mutable_list_printed(x):
    a = mutable([1, 2])
    print(a)
    return x


@graph
def test_mutable_dynamic():
    a = mutable((1, 2), True)
    return a, len(a)


@graph
def test_mutable_float():
    return mutable(1.5) * 2


@graph
def test_tensor_set_item(x):
    x[0] = 5.0
    return x


@graph
def test_tensor_set_item_alias(x):
    y = x
    y[0] = 5.0
    return x, y


@graph
def test_tensor_set_slice(m):
    m[:, 1] = 0
    return m


@graph
def test_tensor_set_after_use(x):
    y = x + 1
    x[1] = 0
    return x + y


def kept(function, *names):
    """What a graph function leaves of its inputs."""
    inputs = [INPUTS[name]() for name in names]
    out = ms.jit(function)(*inputs)
    return shown(out), inputs


def sets_item(x):
    x[0] = 7.0
    return x


def appends(xs, z):
    xs.append(z)
    return xs


def sets_list_item(xs, z):
    xs[0] = z
    return xs


def sets_key(d, z):
    d["c"] = z
    return d


def adds_by_method(x):
    x.add_(1)
    return x


def assigns(x, y):
    ops.assign(x, y)
    return x


def sets_of_list(xs):
    xs[0][0] = 9.0
    return xs


def through_function(x):
    return sets_item(x)


@case(mode="GRAPH")
def test_input_after_set_item():
    return kept(sets_item, "x")


@case(mode="GRAPH")
def test_input_list_after_append():
    return kept(appends, "xs", "z")


@case(mode="GRAPH")
def test_input_list_after_set():
    return kept(sets_list_item, "xs", "z")


@case(mode="GRAPH")
def test_input_dict_after_set():
    return kept(sets_key, "d", "z")


@case(mode="GRAPH")
def test_input_after_method():
    return kept(adds_by_method, "x")


@case(mode="GRAPH")
def test_input_after_assign():
    return kept(assigns, "x", "y")


@case(mode="GRAPH")
def test_input_of_list_after_set():
    return kept(sets_of_list, "xs")


@case(mode="GRAPH")
def test_input_through_function():
    return kept(through_function, "x")


@graph
def test_tensor_attributes(x):
    return x.shape, x.dtype, x.ndim, x.size, x.T


@graph
def test_tensor_len_ndim(m):
    return len(m), m.ndim, m.shape[0]


@graph(raises=True)
def test_tensor_missing_attribute(x):
    return x.nothing


@graph(raises=True)
def test_tensor_missing_method(x):
    return x.nothing()


@graph
def test_tensor_made(x):
    return ms.Tensor([1, 2, 3], ms.float32) + x


@graph
def test_tensor_made_of_input(x, z):
    return ms.Tensor(z)


@graph
def test_tensor_made_of_list(z):
    return ms.Tensor([z, z])


@graph
def test_shape_changed(x):
    s = x.shape
    return s + (1,), x.reshape((3, 1))


@graph
def test_text_key(x):
    d = {"k" + "1": x}
    return d["k1"]


@graph
def test_setattr_tensor(x):
    x.name = 3
    return x


@graph
def test_slices_of_tuple(t):
    return t[1:], t[::-1], t[-1]


@graph
def test_nested_tuple_unpacked():
    (a, b), c = (1, 2), 3
    return a, b, c


@graph
def test_swap(x, y):
    x, y = y, x
    return x - y


@graph
def test_zip_star():
    a = ((1, 2), (3, 4))
    return zip(*a)


@graph
def test_list_under_two_names(z):
    x = [1, z, 3]
    y = x
    y.insert(0, 7)
    first, count = x[0], len(x)
    pair = [x, [4, 5]]
    part = pair[1]
    part.reverse()
    part.extend([z])
    return x, y, first, count, pair, part, part[1]


@graph
def test_popped_under_two_names(z):
    x, w = [1, 2, 3], [z, z]
    y, v = x, w
    k = y.pop()
    w[0] = z + 1
    v.reverse()
    y.append(9)
    return x, y, k, w, v


@graph
def test_dict_under_two_names(z):
    x = {"a": 1, "l": [1, 2]}
    y, w = x, x
    y["b"] = z
    y["l"][0] = 5
    w.update({"c": 2})
    return x, y, w


@graph
def test_lists_that_are_multiplied(z):
    a, b, c = [[0] * 2] * 2, 2 * [[z, z]], [[]] * 2
    a[0][1] = 5
    b[1][0] = z + 1
    c[0].append(z)
    return a, b, c


@graph
def test_mutable_of_any_length_keeps_its_values(x):
    a, b = mutable([1, 2, 3], True), mutable((x, x + 1), True)
    a.append(4)
    a[0] = 7
    c = a + [5]
    return a, c, c[1:], b + (x,), c * 2, c.index(5), sum(c), len(c), 2 in c


@case(mode="GRAPH", raises=True, each={"how": [
    "added", "appended", "written", "beyond", "map", "zip", "enumerate", "made", "bound", "text", "given", "empty",
    "constant"]})
def test_mutable_of_any_length_has_one_type(how):
    @ms.jit
    def change(a, how, n):
        if how == "added":
            a = a + [1.0]
        elif how == "appended":
            a.append(1.0)
        elif how == "written":
            a[0] = 1.0
        elif how == "beyond":
            a[5] = 1
        elif how == "map":
            return map(abs, a)
        elif how == "zip":
            return zip(a, a)
        elif how == "enumerate":
            return enumerate(a)
        elif how == "made":
            return mutable([1, 2.0], True)
        elif how == "bound":
            return mutable(a)
        elif how == "text":
            return mutable([1, "a"])
        elif how == "empty":
            empty = mutable([])
            return empty[n]
        elif how == "constant":
            return (1, 2)[n]
        return a
    return change(mutable([1, 2.0] if how == "given" else [1, 2], True), how, mutable(2))


@case(mode="GRAPH", each={"how": ["turned", "queue", "folded", "walked", "emptied"]})
def test_list_that_is_popped_and_appended_in_turn(how):
    @ms.jit
    def change(x, how):
        items, made, n = [x, x + 1], [], 0
        if how == "turned":
            while n < 3:
                one = items.pop()
                items.append(one * 2)
                n += 1
        elif how == "queue":
            for _ in range(3):
                first = items.pop(0)
                items.append(first * 2)
        elif how == "folded":
            items.append(x)
            while len(items) > 1:
                one = items.pop()
                other = items.pop()
                items.append(one + other)
        elif how == "walked":
            while len(items) > 0 and len(made) < 3:
                one = items.pop()
                made.append(one.sum())
                items.append(one * 2)
        else:
            items.pop()
            items.clear()
            items.append(x * 3)
        return items, made, x
    return change(ms.Tensor([1.0, 2.0]), how)
