"""`jit` as a decorator: its arguments, those of the functions it marks, and what Cells are called with."""
import functools
import math
from collections import OrderedDict, namedtuple
from functools import partial

import mindspore as ms
import mindspore.ops.functional as F
import numpy as np
from mindspore import Parameter, Tensor, jit, mutable, nn, ops

from tests.reference.graphs import graph
from tests.reference.judge import case

X = lambda: Tensor([1.0, 2.0, 3.0])


@case(mode="GRAPH")
def test_jit_method():
    class A:
        def __init__(self):
            self.k = 3
        @jit
        def f(self, x):
            return x * self.k
    return A().f(X())


@case(mode="GRAPH")
def test_jit_decorator_args():
    @jit(backend="ms_backend", jit_level="O0")
    def f(x):
        return x + 1
    return f(X())


@case(mode="GRAPH")
def test_jit_fullgraph():
    @jit(fullgraph=True)
    def f(x):
        return x + 1
    return f(X())


@case(mode="GRAPH")
def test_jit_capture_bytecode():
    @jit(capture_mode="bytecode")
    def f(x):
        print("hi")
        return x + 1
    return f(X())


@case(mode="GRAPH", raises=True)
def test_jit_capture_wrong():
    @jit(capture_mode="foo")
    def f(x):
        return x + 1
    return f(X())


@case(mode="GRAPH", raises=True)
def test_jit_level_wrong():
    @jit(jit_level="O5")
    def f(x):
        return x + 1
    return f(X())


@case(mode="GRAPH", raises=True)
def test_jit_dynamic_wrong():
    @jit(dynamic=7)
    def f(x):
        return x + 1
    return f(X())


@case(mode="GRAPH", raises=True)
def test_jit_fullgraph_wrong():
    @jit(fullgraph=1)
    def f(x):
        return x + 1
    return f(X())


@case(mode="GRAPH", raises=True)
def test_jit_backend_wrong():
    @jit(backend="xla")
    def f(x):
        return x + 1
    return f(X())


@case(mode="GRAPH")
def test_jit_unknown_opt():
    @jit(backend="ms_backend", foo=1)
    def f(x):
        return x + 1
    return f(X())


@case(mode="GRAPH")
def test_jit_cell():
    class A(nn.Cell):
        def construct(self, x):
            return x + 1
    return jit(A())(X())


@case(mode="GRAPH")
def test_jit_non_callable():
    return jit(3)


@case(mode="GRAPH")
def test_jit_nested():
    @jit
    def g(x):
        print("g")
        return x + 1
    @jit
    def f(x):
        return g(g(x))
    return f(X())


@case(mode="GRAPH")
def test_jit_kwargs():
    @jit
    def f(x, a=1, *, b=2):
        return x * a + b
    return f(X()), f(X(), a=3), f(X(), b=4), f(x=X(), a=2)


@case(mode="GRAPH", raises=True)
def test_jit_wrong_kw():
    @jit
    def f(x, a=1):
        return x * a
    return f(X(), c=3)


@case(mode="GRAPH", raises=True)
def test_jit_missing():
    @jit
    def f(x, a):
        return x * a
    return f(X())


@case(mode="GRAPH", raises=True)
def test_jit_too_many():
    @jit
    def f(x):
        return x
    return f(X(), 1, 2)


@case(mode="GRAPH")
def test_jit_star_in():
    @jit
    def f(*xs, **kw):
        s = xs[0]
        for v in xs[1:]:
            s = s + v
        for k, v in kw.items():
            s = s + v
        return s, len(xs), list(kw.keys())
    return f(X(), X(), 2, a=1, b=X())


@case(mode="GRAPH")
def test_jit_return_kinds():
    @jit
    def f(x):
        return {"a": x, "b": (1, [2.5, None, "s"]), "c": True, 3: x.shape}
    return f(X())


@case(mode="GRAPH")
def test_jit_none_arg():
    @jit
    def f(x, y=None):
        if y is None:
            return x
        return x + y
    return f(X()), f(X(), None), f(X(), X())


@case(mode="GRAPH")
def test_jit_mutable():
    @jit
    def f(t, n):
        s = t[0]
        for v in t:
            s = s + v
        return s * n
    return f(mutable((X(), X())), mutable(3)), f(mutable([X(), X()]), mutable(3))


@case(mode="GRAPH")
def test_jit_mutable_dict():
    @jit
    def f(d):
        return d["a"] + d["b"]
    return f(mutable({"a": X(), "b": X()}))


@case(mode="GRAPH")
def test_jit_mutable_if():
    @jit
    def f(n, x):
        if n > 2:
            return x
        return -x
    return f(mutable(3), X()), f(mutable(1), X())


@case(mode="GRAPH")
def test_mutable_inside():
    @jit
    def f(x):
        n = mutable(3)
        t = mutable([1, 2], True)
        return x * n, len(t), t
    return f(X())


@case(mode="GRAPH")
def test_grad_in_jit():
    def g(x):
        return (x ** 3).sum()
    @jit
    def f(x):
        return ops.grad(g)(x), ms.value_and_grad(g)(x)
    return f(X())


@case(mode="GRAPH")
def test_grad_of_grad():
    def g(x):
        return x ** 3
    @jit
    def f(x):
        return ops.grad(ops.grad(g))(x)
    return f(Tensor(2.0))


@case(mode="GRAPH")
def test_grad_of_jit_cond():
    @jit
    def g(x):
        if x.sum() > 2:
            y = x * 2
        else:
            y = x * 3
        return y.sum()
    return ops.grad(g)(X())


@case(mode="GRAPH")
def test_grad_while():
    @jit
    def g(x, n):
        while n > 0:
            x = x * x
            n = n - 1
        return x
    return ops.grad(g)(Tensor(2.0), Tensor(2))


@case(mode="GRAPH")
def test_grad_aux():
    def g(x):
        return x.sum(), x * 2
    @jit
    def f(x):
        return ms.value_and_grad(g, has_aux=True)(x)
    return f(X())


@case(mode="GRAPH")
def test_param_update():
    class A(nn.Cell):
        def __init__(self):
            super().__init__()
            self.p = Parameter(Tensor(1.0), name="p")
            self.n = 0
        def construct(self, x):
            self.p = self.p + x
            self.n = self.n + 1
            self.p += 1
            return self.p * 2, self.n
    a = A()
    r1 = a(Tensor(2.0))
    r2 = a(Tensor(2.0))
    return r1, r2, a.p, a.n


@case(mode="GRAPH")
def test_attr_list_append():
    class A(nn.Cell):
        def __init__(self):
            super().__init__()
            self.log = []
        def construct(self, x):
            self.log.append(1)
            return x, len(self.log)
    a = A()
    return a(X()), a(X()), a.log


@case(mode="GRAPH")
def test_attr_new():
    class A(nn.Cell):
        def construct(self, x):
            self.seen = x
            return self.seen + 1
    a = A()
    return a(X()), a.seen


@case(mode="GRAPH")
def test_method_super():
    class A(nn.Cell):
        def construct(self, x):
            return self.f(x)
        def f(self, x):
            return x + 1
    class B(A):
        def f(self, x):
            return super().f(x) * 2
        def construct(self, x):
            return super().construct(x) + super(B, self).f(x)
    return B()(X())


@case(mode="GRAPH")
def test_method_static():
    class A(nn.Cell):
        K = 5
        @staticmethod
        def s(x):
            return x + 1
        @classmethod
        def c(cls, x):
            return x * cls.K
        @property
        def p(self):
            return self.K + 1
        def construct(self, x):
            return self.s(x), A.s(x), self.K, A.K, self.p
    return A()(X())


@case(mode="GRAPH")
def test_lambda_attr():
    class A(nn.Cell):
        def __init__(self):
            super().__init__()
            self.f = lambda x: x + 1
            self.g = partial(ops.sum, dim=0)
            self.h = ops.ReduceMean(keep_dims=True)
        def construct(self, x):
            return self.f(x), self.g(x), self.h(x)
    return A()(X())


@case(mode="GRAPH")
def test_namedtuple_in():
    P = namedtuple("P", "a b")
    @jit
    def f(p):
        return p.a + p.b
    return f(P(X(), X()))


@case(mode="GRAPH")
def test_ordered_dict():
    @jit
    def f(x):
        d = OrderedDict()
        d["a"] = x
        return d
    return f(X())


@graph
def test_dict_merge():
    return {**{"a": 1}, "b": 2}


@graph
def test_list_star(t):
    return [*t, 4], (*t, 5)


@graph(raises=True)
def test_tuple_set(t):
    t[0] = 5
    return t


@graph
def test_nested_list_set():
    a = [[1, 2], [3]]
    a[0][1] = 7
    a[1].append(4)
    return a


class Strict(nn.Cell):
    """Writes to one of its attributes, which a graph without Python has for Parameters alone."""

    def __init__(self, which):
        super().__init__()
        self.which, self.number, self.table, self.tensor = which, 1, {"a": 1}, Tensor([1.0])
        self.weight = Parameter(Tensor([1.0]), name="weight")

    @jit(fullgraph=True)
    def construct(self, x):
        if self.which == "number":
            self.number = 5
        elif self.which == "added":
            self.number += 5
        elif self.which == "tensor":
            self.tensor = x
        elif self.which == "item":
            self.table["b"] = 3
        elif self.which == "weight":
            self.weight = x
        elif self.which == "more weight":
            self.weight += x
        return x


@case(raises="self.", each={"which": ["number", "added", "tensor", "item"]})
def test_attributes_that_no_strict_graph_writes(which):
    return Strict(which)(Tensor([2.0]))


@case(each={"which": ["weight", "more weight"]})
def test_parameters_that_a_strict_graph_writes(which):
    net = Strict(which)
    return net(Tensor([2.0])), net.weight


class Doubles(nn.Cell):
    def __init__(self):
        super(Doubles, self).__init__()
        self.k = 2

    def construct(self, x):
        print("doubles", x)
        return x * self.k


@case
def test_jit_of_a_class_of_cells():
    class Doubled(Doubles):
        def __init__(self):
            super(Doubled, self).__init__()
            self.k = 4

        def construct(self, x):
            print("doubled", x)
            return x * self.k
    marked = jit(Doubled)
    return marked is Doubled, marked()(X()), ms.grad(marked())(X())


@case
def test_jit_in_the_place_of_construct():
    class Doubled(Doubles):
        pass
    Doubled.construct = jit(Doubles.construct)
    net = Doubles()
    net.construct = jit(net.construct)
    bound = jit(net)
    return Doubled()(X()), net(X()), bound(X()), bound.__self__ is net, ms.grad(net)(X())


@case
def test_jit_of_what_is_no_function():
    class A:
        def __call__(self, x):
            return x + 1
    a = A()
    added = partial(lambda x, y: x + y, y=2)
    return jit(A) is A, jit(a) is a, jit(added) is added, jit(added)(X())


class ToPython(nn.Cell):
    def construct(self, x):
        return Tensor(x.asnumpy())


class Around(nn.Cell):
    def __init__(self, of):
        super().__init__()
        self.of = of

    def construct(self, x):
        return self.of(x)


@case(mode="GRAPH", raises="In JIT strict mode, cannot get attributes asnumpy", each={"of": ["itself", "around"]})
def test_a_cell_without_python(of):
    net = ToPython() if of == "itself" else Around(ToPython())
    net.set_jit_config(ms.JitConfig(jit_syntax_level="STRICT"))
    return net(X())


@case(mode="GRAPH")
def test_where_strictness_is_not_asked():
    inner, lax = Around(ToPython()), ToPython()
    inner.of.set_jit_config(ms.JitConfig(jit_syntax_level="STRICT"))
    lax.set_jit_config(ms.JitConfig(jit_syntax_level="LAX"))

    @jit(jit_config=ms.JitConfig(jit_syntax_level="STRICT"))
    def marked(x):
        return Tensor(x.asnumpy())
    return inner(X()), lax(X()), marked(X())


@case(raises="For 'jit_syntax_level' must be one of")
def test_an_unknown_syntax_level():
    return ms.JitConfig(jit_syntax_level="FOO")
