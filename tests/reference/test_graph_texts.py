"""f-strings in graph mode's language, and what else is written."""
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


@graph
def test_fstring(x, i):
    return f"{i} {x.shape} {x.dtype}"


@graph
def test_fstring_repr(i):
    return f"{i!r} {'a'!r} {i=}"


@graph
def test_str_ops():
    s = "abc"
    return s + "d", s * 2, s[1], len(s), s == "abc", s[0:2]


@graph
def test_str_methods():
    s = "Abc"
    return s.lower(), s.upper(), s.startswith("A"), s.replace("b", "x"), "-".join(["a", "b"]), "a,b".split(",")


@graph
def test_str_format(i, f):
    return "v={} w={:.3f}".format(i, f), "%d-%s" % (i, "x")


@graph
def test_str_of(x, i):
    return str(i), str(1.5), str((1, 2)), str(None), str("a"), str([1, "a"])


@graph(raises=True)
def test_raise_fmt(x, i):
    raise ValueError(f"got {i} and {x.shape}")


@graph(raises=True)
def test_raise_percent(i):
    raise RuntimeError("value %d of %s" % (i, "x"))


@graph(raises=True)
def test_raise_format(i):
    raise RuntimeError("value {} of {}".format(i, "x"))


@graph
def test_print_order(x):
    print("1")
    def f(a):
        print("f", a)
        return a + 1
    y = f(x)
    for i in range(2):
        print("loop", i)
    print("end", y)
    return y


@graph
def test_print_dtype_shape(x):
    print(x.shape, x.dtype)
    print("shape:", x.shape)
    return x


@graph
def test_print_if(x, z):
    if z > 1:
        print("big", z)
    else:
        print("small")
    return x


@graph
def test_fs_shape(m):
    return f"{m.shape} {m.shape[0]} {m.dtype} {m.ndim} {m.size}"


@graph
def test_str_tuple1(x):
    return str((1,)), str(x.shape), "%s" % (x.shape,), "{}".format(x.shape), str([1]), str(x.dtype), str(("a",)), "{}".format("a")


@graph
def test_fs_float(f):
    return f"{f * 3} {1e-7} {1e10} {0.1} {100000000} {1/3}"


@graph
def test_fs_conv():
    return f"{'a'!r} {'b'!s} {'c'!a} {1.5!r}"


@graph(raises=True)
def test_asrt1(x):
    assert x.shape == (4,), f"shape {x.shape}"
    return x


@graph
def test_fstring_1(x, i):
    t = (1,)
    return f"{t}"


@graph
def test_fstring_2(x, i):
    return f"{x.shape[0:1]}"


@graph
def test_fstring_3(x, i):
    t = (i,)
    return f"{t} {(i,)} {[i]} {(i, 2.5)} {[i, 0.1]}"


@graph
def test_fstring_4(x, i):
    b = i > 1
    return f"{b} {not b} {None}"


@graph
def test_fstring_5(x, i):
    s = "q"
    return f"{s} {(s, 1)} {[s]}"


@graph
def test_fstring_6(x, f):
    return f"{f / 3} {f * 1e9} {-f} {f * 2}"


@graph
def test_fstring_7(x, i):
    d = {"a": 1, "b": "c"}
    return f"{d} {d['a']}"


@graph
def test_fstring_8(x, i):
    return f"{x.shape} and {i}"


@graph
def test_fstring_9(x, i):
    return f"{x.dtype}" + " " + f"{x.ndim} {x.size} {len(x)} {x.shape[0]}"


@graph
def test_fstring_10(x, i):
    return "shape " + str(x.shape), "shape {}".format(x.shape), "%s" % str(x.shape)


@graph
def test_fstring_11(x, i):
    t = ((1,), (2, 3))
    return f"{t}"


@graph
def test_fstring_12(x, i):
    return f"{2 ** 40} {-3} {1.0} {2.50} {123456789.0}"


@case(mode="GRAPH")
def test_fstring_13():
    class A(nn.Cell):
        def __init__(self):
            super().__init__()
            self.s = (3,)
            self.k = 0.1
        def construct(self, x):
            return f"{self.s} {self.k} {x.shape}"
    return A()(X())


@graph(raises=True)
def test_fstring_14(x):
    raise ValueError(f"shape {x.shape} k {1 / 3}")


@graph
def test_fstring_15(x):
    print(f"shape {x.shape} k {1 / 3}")
    return x


@graph
def test_constant_tensors_in_f_strings(x):
    a, b = Tensor((1, 2)), Tensor([[1.5, 2.0]])
    return (f"{a} {b} {Tensor(2)}", f"{[Tensor(1)]} {(Tensor(1.5),)}", f"{x}", f"{a!r}",
            f"{Tensor([True, False])} {Tensor(list(range(30)))}")


@graph
def test_arrays_in_f_strings():
    return f"{np.array([1, 2])} {[np.array([1])]}"
