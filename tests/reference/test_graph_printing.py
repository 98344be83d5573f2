"""print in graph mode: items on lines of their own, Tensors with shape, dtype and value."""
import mindspore as ms
import numpy as np
from mindspore import nn, ops

from tests.reference.graphs import INPUTS, graph, shown, written
from tests.reference.judge import case


@graph
def test_print_tensor(x):
    print(x)
    return x


@graph
def test_print_text(x):
    print("text")
    return x


@graph
def test_print_text_and_tensor(x):
    print("x:", x)
    return x


@graph
def test_print_two_tensors(x, z):
    print(x, z)
    return x


@graph
def test_print_scalar_tensor(z):
    print(z)
    return z


@graph
def test_print_matrix(m):
    print("m is", m, "so")
    return m


@graph
def test_print_int_and_float(x, i, f):
    print(i, f)
    print("i", i, x)
    return x


@graph
def test_print_bool_none(x):
    print(True, None)
    return x


@graph
def test_print_none(x):
    print(None)
    return x


@graph
def test_print_tuple(x, t):
    print(t)
    print("t", t)
    return x


@graph
def test_print_tuple_of_tensors(x):
    print((x, 1))
    return x


@graph
def test_print_list(x):
    print([1, 2])
    print("list", [1, 2], [x, 2])
    return x


@graph
def test_print_list_of_text(x):
    print(["a", "b"])
    return x


@graph
def test_print_nested(x):
    print(((1, 2), (3, 4)))
    return x


@graph
def test_print_nested_text(x):
    print("n", ((1, "b"), 2.5))
    return x


@graph
def test_print_dict(x):
    print({"a": 1})
    return x


@graph
def test_print_dict_and_text(x):
    print("d", {"a": 1})
    return x


@graph
def test_print_dict_of_tensors(x):
    print({"a": x})
    return x


@graph
def test_print_shape(x, m):
    print(m.shape)
    print("shape", x.shape)
    return x


@graph
def test_print_dtype(x):
    print(x.dtype)
    print("dtype", x.dtype)
    return x


@graph
def test_print_nothing(x):
    print()
    return x


@graph
def test_print_empty_text(x):
    print("")
    return x


@graph(raises=True)
def test_print_end(x):
    print("a", end="")
    return x


@graph(raises=True)
def test_print_sep(x):
    print("a", "b", sep="-")
    return x


@graph(raises=True)
def test_print_sep_tensor(x):
    print("a", x, sep="-")
    return x


@graph
def test_print_two_texts(x):
    print("a", "b")
    return x


@graph
def test_print_text_and_number(x):
    print("a", 3)
    return x


@graph
def test_print_format(x):
    print("x is {}".format(x))
    return x


@graph
def test_print_format_number(x, i):
    print("i is {}".format(i), "and %d" % i)
    return x


@graph
def test_print_fstring(x, i):
    print(f"i is {i}")
    return x


@graph
def test_print_fstring_tensor(x):
    print(f"x is {x}")
    return x


@graph
def test_print_str(x):
    print(str(x))
    return x


@graph
def test_print_order(x):
    print("first")
    y = x + 1
    print("second", y)
    print("third")
    return y


@graph
def test_print_in_loop(x):
    for k in range(2):
        print("k", k)
        x = x + 1
        print(x)
    return x


@graph
def test_print_in_branch(x, z):
    if z > 1:
        print("large")
    else:
        print("small")
    return x


@graph
def test_print_in_while(z):
    while z < 5:
        print("z", z)
        z = z + 1
    return z


@graph
def test_print_op(x):
    ops.Print()("x", x)
    return x


@graph
def test_print_ops_print(x):
    ops.print_("x", x)
    return x


@graph
def test_print_bool_tensor(x):
    print(x > 1, x.astype(ms.float16), x.astype(ms.int64))
    return x


@graph
def test_print_fractions(x):
    print(x / 3, 1 / 3)
    return x


@graph
def test_print_numpy(x):
    print(np.array([1, 2]))
    return x


@graph
def test_print_of_shape_product(x):
    print("n", x.shape[0] * 2, x.ndim, x.size)
    return x


@graph
def test_print_zip(x):
    print(zip((1, 2), (3, 4)))
    print("zip", zip((1, 2), (3, 4)))
    return x


@graph
def test_print_range_and_text(x):
    print("r", range(3))
    print("e", enumerate((1, 2)))
    return x


@graph
def test_print_slice(x):
    print(slice(1, 2))
    return x


@graph
def test_print_negative(x):
    print(-x, -3, -0.0)
    return x


@graph
def test_print_big_numbers(x):
    print(x * 1e6, 1e10, 123456789, x * 1e-6)
    return x


@graph
def test_print_constants_only():
    print("a", 1)
    return 1


@graph
def test_print_nested_constant():
    print(((1, 2), (3, 4)))
    return 1


@graph
def test_print_scalars(z, n, b):
    print(z / 3, n, b, z > 1)
    print(z * 1e10, n * 100000)
    return z


@graph
def test_print_tuple_of_floats(x):
    print((1.5, 2.5))
    return x


@graph
def test_print_tuple_of_text(x):
    print(("a",), ("a", 1), (1, "a"))
    return x


@graph
def test_print_mixed_nesting(x, z):
    print([x, (1, 2)], (z, z), ((1, 2), 3))
    return x


@graph
def test_print_dict_of_several(x):
    print({"a": 1, "b": "t"})
    print({"a": (1, 2)})
    return x


@graph
def test_print_mean(x):
    print(x.mean(), x.sum().astype(ms.int32), (x.mean() > 1))
    return x


@graph
def test_print_float64(x):
    print(x.astype(ms.float64).mean(), x.astype(ms.float16).mean())
    return x


@graph
def test_print_one_number(x):
    print(3)
    print(2.0)
    print(False)
    return x


@graph
def test_print_one_element(x):
    print(x[:1], x[0])
    return x


_HELD = ms.Tensor(np.arange(4).reshape(2, 2).astype(np.float32))
_LONG = ms.Tensor(np.arange(30))


@graph
def test_print_constant_tensors(x):
    made = ms.Tensor([1, 2])
    print(_HELD, "and", _LONG)
    print(made, made * 2, made * made, -made, made.astype(ms.float16))
    print(ms.Tensor([[True], [False]]), ops.ones((2,)), ops.arange(3), ms.Tensor(2.5))
    print([_HELD, x], (made, 1), {"a": made})
    print(made + 1, made[0], made.shape)
    for i in range(2):
        print(ms.Tensor([i]))
    return x


@graph
def test_print_tensor_of_a_loop(x):
    count = ms.Tensor([0])
    while count < 2:
        print(count)
        count = count + 1
    print(count)
    return x


@graph
def test_print_a_dict_that_was_given(x, d):
    print(d)
    print(d["a"])
    print(d.values())
    print(d.items())
    print(x, d, d["a"] * x)
    return x


@case(mode="GRAPH")
def test_print_a_dict_of_sequences():
    @ms.jit
    def function(p):
        print(p, p["k"][0], p["k"])
        return p["k"]

    with written() as text:
        value = shown(function({"k": (INPUTS["x"](), 2)}))
    return value, text[0]


@case(mode="GRAPH")
def test_print_a_dict_that_a_cell_was_given():
    class Net(nn.Cell):
        def construct(self, d):
            print(d)
            for k, v in d.items():
                print(k, v)
            return d["a"] + 1

    with written() as text:
        value = shown(Net()({"a": INPUTS["x"](), "b": INPUTS["y"]()}))
    return value, text[0]
