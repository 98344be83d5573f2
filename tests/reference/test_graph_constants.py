"""What a graph's compiler knows as a constant: asked of it, seen in what `raise` says, and in `mutable`."""
import mindspore as ms
import mindspore.ops.functional as F
from mindspore import Parameter, Tensor, jit, mutable, nn, ops
from mindspore.ops import constexpr

from tests.reference.graphs import graph
from tests.reference.judge import case

MANY, ONE, FLAGS = Tensor([1.0, 2.0], ms.float32), Tensor(2.0), Tensor([True, False])


@graph
def test_of_arguments(x, i, f, t):
    local = 3
    return (F.isconstant(x), F.isconstant(i), F.isconstant(f), F.isconstant(t), F.isconstant(i + local),
            F.isconstant(x.shape[0] * 2), F.isconstant(x.dtype), F.isconstant(len(x)), F.isconstant(x[0]),
            F.isconstant(x is None), F.isconstant(x.shape == (3,)), F.isconstant([1, x][0]), F.isconstant((i, x)),
            F.isconstant(int(x[0])), F.isconstant(x[0].item()), F.isconstant(f"{x}"), F.isconstant(f"{x.shape}"))


@graph
def test_of_folded_operators(x):
    return (F.isconstant(MANY + MANY), F.isconstant(MANY + 1), F.isconstant(MANY * 2), F.isconstant(ONE + 1),
            F.isconstant(ONE > 0), F.isconstant(MANY > 1), F.isconstant(MANY ** 2), F.isconstant(-MANY),
            F.isconstant(MANY[0]), F.isconstant(MANY.sum()), F.isconstant(MANY.sum() > 0), F.isconstant(ops.exp(MANY)),
            F.isconstant(ops.abs(MANY)), F.isconstant(ops.zeros((2,))), F.isconstant(ops.ones_like(x)),
            F.isconstant(ops.zeros_like(x)), F.isconstant(ops.concat((MANY, MANY))), F.isconstant(FLAGS.any()),
            F.isconstant(FLAGS.all()), F.isconstant(MANY.reshape(2, 1)), F.isconstant(ops.Add()(MANY, MANY)),
            F.isconstant(ops.ReLU()(MANY)), F.isconstant(Tensor([1, 2])), F.isconstant(MANY.astype(ms.int32)))


@graph
def test_of_loops(x):
    a, b, c = 0, 0, 0
    while a < 3:
        a = a + 1
    for k in range(3):
        b = b + k
    while x.sum() < 100:
        c = c + 1
        x = x * 2
    return F.isconstant(a), F.isconstant(b), F.isconstant(c)


@graph
def test_of_what_functions_are_called_with(x):
    def asked(y):
        return F.isconstant(y)
    return asked(x), asked(1), asked((1, x)), asked(x.shape)


class Members(nn.Cell):
    def __init__(self):
        super().__init__()
        self.number, self.tensor = 1, Tensor([1.0])
        self.weight = Parameter(Tensor([1.0]), name="weight")

    def construct(self, x):
        return (F.isconstant(self.number), F.isconstant(self.tensor), F.isconstant(self.weight),
                F.isconstant(self.tensor + 1), F.isconstant(self.weight + 1))


@case(mode="GRAPH")
def test_of_members():
    return Members()(Tensor([1.0]))


@case(mode="GRAPH", each={"given": [(1, 2), [1, 2], {"a": 1}, 2, 2.5]})
def test_of_what_is_mutable(given):
    @jit
    def asked(a):
        b = mutable(2)
        return F.isconstant(a), F.isconstant(b), F.isconstant(b + 1), F.isconstant(mutable((1, 2))), a
    return asked(given), asked(mutable(given))


@case(mode="GRAPH")
def test_of_lengths():
    @jit
    def asked(a, n):
        b, c = mutable((1, 2, 3), True), [1, 2]
        d = b + (1,)
        c.append(3)
        return F.is_sequence_value_unknown(a), F.is_sequence_shape_unknown(a), F.is_sequence_value_unknown(b), (
            F.is_sequence_shape_unknown(b), F.is_sequence_shape_unknown(d), F.is_sequence_value_unknown(c)), (
                    F.is_sequence_shape_unknown(range(n)), F.is_sequence_shape_unknown(c[:n]),
                    F.is_sequence_shape_unknown(range(3)), F.is_sequence_shape_unknown(d[:2]))
    return asked((1, 2), mutable(2)), asked((1, 2), 2)


@constexpr
def one_more(value):
    return value + 1


@graph
def test_constexpr_of_constants(x, i):
    return one_more(i), one_more(x.shape[0]), one_more(2.5)


@graph(raises=True)
def test_constexpr_of_what_runs(x):
    return one_more(int(x[0]))


# Where the compiler knows what raises its text is in quotation marks.


@graph(raises="'wrong'")
def test_raise_under_a_constant_tensor(x):
    if MANY.sum() > 0:
        raise ValueError("wrong")
    return x


@graph(raises=True)
def test_raise_under_an_item(x):
    if x[0].item() > 0:
        raise ValueError("wrong")
    return x


@graph(raises=True)
def test_raise_under_a_mutable(x):
    n = mutable(2)
    if n > 1:
        raise ValueError("wrong")
    return x


@graph(raises=True)
def test_raise_after_a_condition(x):
    if x.sum() > 100:
        return x
    raise ValueError("wrong")


@graph(raises=True)
def test_raise_after_a_loop(x):
    while x.sum() < 100:
        x = x * 2
    raise ValueError("wrong")


@graph(raises=True)
def test_raise_of_what_python_writes(x):
    if x.ndim != 2:
        raise ValueError("rank %d" % x.ndim)
    return x


@graph(raises="'rank 1'")
def test_raise_of_a_constant_text(x):
    if x.ndim != 2:
        raise ValueError(f"rank {x.ndim}")
    return x


@graph(raises=True)
def test_raise_of_a_tensor(x):
    raise ValueError(x)


@graph(raises="Unsupported exception type: error.")
def test_raise_of_a_name(x):
    error = ValueError("wrong")
    raise error


@case(mode="GRAPH", raises="few")
def test_assert_of_a_mutable():
    @jit
    def asserted(x, n):
        assert n > 3, "few"
        return x
    return asserted(Tensor([1.0]), mutable(2))
