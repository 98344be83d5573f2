"""Graphs and what is outside of them: lists and names that they write to, objects of a jit_class, what comes out."""
import math

import mindspore as ms

from tests.reference.graphs import graph
from tests.reference.judge import case

COUNT, RATE, SEEN = 7, 0.1, [1, 2]


@ms.jit_class
class Counter:
    def __init__(self, n):
        self.n = n

    def up(self):
        self.n += 1
        return self.n

    def both(self):
        self.n = 9
        return self.n, self.get()

    def get(self):
        return self.n

    def pairs(self, xs):
        return map(lambda v: v + self.n, xs), 2 ** -1


COUNTER = Counter(3)


@graph
def test_global_is_read_as_it_was(x):
    global COUNT
    COUNT = 9
    return x * COUNT


@graph
def test_global_counted(x):
    global COUNT
    COUNT += 2
    return x * COUNT


@case(mode="GRAPH")
def test_global_list_stays():
    @ms.jit
    def f(x):
        SEEN.append(4)
        SEEN[0] = 5
        return x, len(SEEN), SEEN
    return f(ms.Tensor([1.0])), f(ms.Tensor([1.0])), list(SEEN)


@case(mode="GRAPH")
def test_list_of_self_stays():
    class Net(ms.nn.Cell):
        def __init__(self):
            super().__init__()
            self.items, self.table = [1, 2], {"a": 1}

        def construct(self, x):
            self.items[0] = 9
            self.table["a"] = 3
            return x, self.items, self.table
    net = Net()
    return net(ms.Tensor([1.0])), net.items, net.table, net(ms.Tensor([1.0]))


@graph
def test_object_made_in_a_graph():
    a = Counter(1)
    a.n = 5
    return a.n, a.get(), Counter(1).both()


@case(mode="GRAPH")
def test_object_is_written_at_the_end():
    @ms.jit
    def f():
        return COUNTER.up(), COUNTER.up(), COUNTER.n
    return f(), COUNTER.n


@graph
def test_method_of_an_object(t):
    return Counter(2).pairs(t)


@graph(raises=True)
def test_dict_pop_of_a_number():
    d = {"a": 1, "b": 2}
    d.pop("a")
    return d


@graph
def test_dict_pop_of_a_tuple(x):
    d = {"a": (1, 2, 3), "b": x}
    v = d.pop("a")
    return v, d


@graph
def test_dict_pop_in_an_expression():
    d = {"a": 1, "b": 2}
    n = d.pop("a") + 1
    last = d.popitem()
    return n, last, d


@graph
def test_numbers_of_a_list_that_was_turned():
    a = [1, 2]
    a.insert(0, 5)
    return len(a), sum(a), max(a), a[0], a.index(2), a.count(1)


@graph
def test_numbers_of_a_list_that_grew():
    a = [1, 2]
    a.append(3)
    return a.index(2), a.count(3), sum(a)


@graph
def test_condition_of_a_comprehension_that_is_a_number(t):
    return [b for b in (0, 1, 2, -1) if b], [b for b in (0.0, 1.0, 2.5) if b], [b for b in t if b % 3]


@graph
def test_condition_of_a_comprehension_that_is_made_of_others(t):
    return [b for b in (0, 1, 2) if b and True], [b for b in (0, 1, 2) if b or False], {b: b for b in t if b}


@graph(raises=True)
def test_condition_of_a_comprehension_that_is_a_text():
    return [b for b in ("", "a") if b]


@graph
def test_comprehension_takes_apart():
    return [a + b for a, b in ((1, 2, 3), (4, 5, 6))]


@graph
def test_floats_that_only_pass(x, f):
    k = 0.123456789012
    return x * k, k, RATE, f, (0.3, [0.7]), -k


@graph
def test_floats_of_python(f):
    return math.sqrt(f), [math.exp(f)], round(0.123456, 4), float("0.1"), math.sqrt(2.0) + 1


@graph
def test_floats_beside_none(x):
    return x, None, 0.1


@graph
def test_floats_that_are_compared():
    return 0.1 + 0.2 == 0.3, (0.1 + 0.2,) == (0.3,), 0.3 in [0.1 + 0.2], +True


@graph(raises=True)
def test_number_over_64_bits():
    return 9223372036854775808


@case(mode="GRAPH")
def test_lists_of_others_change():
    outer, given, parts, kept = [1, 2, 3], [1, 2], [[1], 2], {"a": [1, 2]}

    @ms.jit
    def graph(given, parts, kept):
        name = outer
        name.reverse()
        given.insert(0, outer[0])
        part = parts[0]
        part.extend([7])
        kept["b"] = 3
        return given, kept

    a, b = graph(given, parts, kept)
    return a, b, outer, given, parts, kept, a is given, b is kept


@case(mode="GRAPH")
def test_gradients_end_at_lists_that_changed():
    def through(t):
        items, written, grown = [t, t * 2], [t], [t]
        items.reverse()
        written[0] = t * 3
        written.insert(0, t)
        grown.append(t * 5)
        return items[0] * 100 + written[1] + grown[1]

    t = ms.Tensor(2.0)
    return ms.jit(through)(t), ms.grad(through)(t)


@graph(raises=True)
def test_functions_stay_inside(x):
    def inner(y):
        return y

    return x, inner


@case(mode="GRAPH")
def test_what_a_cell_hands_out():
    class Net(ms.nn.Cell):
        def construct(self, x, y):
            return y + 0.1, [y, 0.1], x

    return Net()(ms.Tensor(1.0), 0.2)


@case(mode="GRAPH")
def test_hooks_that_print():
    def hook(g):
        print("there")
        return g * 2

    marked = ms.jit(hook)

    class Net(ms.nn.Cell):
        def construct(self, x):
            y, z = x * 2, x * 5
            y.register_hook(hook)
            z.register_hook(marked)
            return y * 3 + z

    return ms.grad(Net())(ms.Tensor(1.0))


@case(mode="GRAPH", raises=True)
def test_parameters_of_one_name():
    one, other = (ms.Parameter(ms.Tensor(v), name="same") for v in (1.0, 2.0))

    @ms.jit
    def add(x, y):
        return x + y

    assert add(one, one) == 2
    return add(one, other)


@case(raises=True, each={"wrong": ["1, 2", "True, True", "[1, 'a']", "{'a': None}", "{'a': 1}, True"]})
def test_what_is_not_mutable(wrong):
    return eval(f"ms.mutable({wrong})")
