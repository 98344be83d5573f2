"""Gradients pass through casts to integers and bools, in the integers' dtype on their way."""
import mindspore as ms
import numpy as np
from mindspore import nn, ops

from tests.reference.judge import case
from tests.reference.networks import t

X, W = [1.5, -2.3, 3.7], [1.5, 2.0, 3.9]

WAYS = {
    "there": lambda x, w: x.astype(ms.int32),
    "there and back": lambda x, w: x.astype(ms.int32).astype(ms.float32) * w,
    "the fraction": lambda x, w: (x - x.int().astype(ms.float32)) ** 2,
    "a factor of itself": lambda x, w: x * x.long(),
    "bools": lambda x, w: ops.cast(ops.cast(x, ms.bool_), ms.float32) * w,
    "a mask": lambda x, w: ops.select(x.bool(), x * 2, x * 3),
    "bytes": lambda x, w: x.to(ms.int8) * w,
    "half": lambda x, w: x.half().int() * w,
    "an index": lambda x, w: w[x.astype(ms.int64).clip(0, 2)] * x,
    "stopped": lambda x, w: ops.stop_gradient(x.int()) * x,
    "flat before": lambda x, w: ops.floor(x).long() * w + x,
    "compared": lambda x, w: (x.int() == 1).astype(ms.float32) * x,
    "divided": lambda x, w: x.int() / 2 * w,
    "halved": lambda x, w: x.int() * 0.5 * w,
    "summed": lambda x, w: x.int().sum() * w,
    "joined": lambda x, w: ops.concat((x.int(), x.long().astype(ms.int32) * 2)).sum() * 1.5,
    "sorted": lambda x, w: ops.sort(x.int())[0] * w,
}


@case(each={"way": list(WAYS)})
def test_gradient_through_integers(way):
    return ms.grad(WAYS[way])(t(X), t(W))


def summed(name, dtype, **axis):
    return lambda x, w: getattr(ops, name)(x, **axis, dtype=dtype) * w


def method(name, dtype, **axis):
    return lambda x, w: getattr(x, name)(dtype=dtype, **axis) * w


INTO = {"sum": summed, "prod": summed, "nansum": summed, "cumsum": summed, "cumprod": summed,
        "Tensor.sum": method, "Tensor.prod": method, "Tensor.mean": method, "Tensor.cumsum": method}


@case(each={"name": list(INTO), "dtype": [ms.int32, ms.int64, ms.int8, ms.bool_]})
def test_gradient_through_the_dtype_of_a_sum(name, dtype):
    if dtype is ms.bool_ and name in ("cumsum", "cumprod", "Tensor.mean"):
        return None
    axis = {"cumsum": {"axis": 0}, "cumprod": {"dim": 0}, "Tensor.cumsum": {"axis": 0}}.get(name, {})
    return ms.grad(INTO[name](name.rpartition(".")[2], dtype, **axis))(t(X), t(W))


@case(each={"name": ["sum", "cumsum", "mean"], "dtype": [ms.int32, ms.bool_]})
def test_gradient_through_the_dtype_of_a_numpy_sum(name, dtype):
    if name == "mean" and dtype is ms.bool_:
        return None
    return ms.grad(lambda x, w: getattr(ms.numpy, name)(x, axis=0, dtype=dtype) * w)(t(X), t(W))


@case(each={"dtype": [ms.uint16, ms.uint32, ms.uint64], "name": ["maximum", "minimum"]})
def test_gradient_of_extremes_of_unsigned_integers(name, dtype):
    if dtype is ms.uint16 and name == "maximum":
        return None                             # no kernel on the CPU
    a, b = t(1, 2, 3).astype(dtype), t(2, 2, 1).astype(dtype)
    return ms.grad(getattr(ops, name), (0, 1))(a, b)


@case
def test_transforms_through_integers():
    def run(x):
        return x.astype(ms.int32).astype(ms.float32) * t(W)

    return ms.jvp(run, t(X), t(W))[1], ms.vjp(run, t(X))[1](t(W)), ms.jacrev(run)(t(X))


class Rounding(nn.Cell):
    def __init__(self):
        super().__init__()
        self.p = ms.Parameter(t(X), name="p")

    def construct(self, x):
        return ((self.p.astype(ms.int32).astype(ms.float32) + self.p) * x).sum()


@case(each={"mode": [0, 1]})
def test_training_through_integers(mode):
    ms.set_context(mode=mode)
    net = Rounding()
    step = nn.TrainOneStepCell(net, nn.SGD(net.trainable_params(), 0.1))
    return [step(t(W)) for _ in range(3)], np.array(net.p.asnumpy())


def ints(values):
    return ms.Tensor(values, ms.int32)


def written(dtype, write):
    def body(x, i):
        y = ops.ones((3,), dtype)
        write(y, x, i)
        return (y * y).sum()

    return body


def put(index):
    def write(y, x, i):
        y[index] = x[1]

    return write


def put_where(y, x, i):
    y[y > 0] = x[0]


def put_at(y, x, i):
    y[i] = x


def put_slice(y, x, i):
    y[1:] = x
    y[:2] += x


def gathered(x, i):
    return (ops.gather(x, i % 2, 0) * x).sum()


IN_PLACES = {
    "an element": written(ms.int32, put(0)), "an element of floats": written(ms.float32, put(0)),
    "a list": written(ms.int32, put([0, 2])), "a mask": written(ms.int32, put_where),
    "an index": written(ms.int32, put_at), "an index of floats": written(ms.float32, put_at),
    "a slice": written(ms.int64, put_slice),
    "gather": gathered,
    "gather_d": lambda x, i: (ops.gather_d(x, 0, i % 2) * x).sum(),
    "index_select": lambda x, i: (ops.index_select(x, 0, i % 2) * x).sum(),
    "read by two": lambda x, i: (x.reshape(2, 1)[i % 2, i - i] * x).sum(),
    "segments": lambda x, i: (ops.unsorted_segment_sum(x, i % 2, 2) * ints([2, 3])).sum(),
    "scatter_nd": lambda x, i: (ops.scatter_nd(i.reshape(2, 1), x, (3,)) * ints([1, 2, 3])).sum(),
    "scatter": lambda x, i: ops.scatter(x, 0, ints([0]), ints([5])).sum() * x.sum(),
    "scatter elements": lambda x, i:
    (ops.tensor_scatter_elements(ints([1, 2, 3]), i, x) * ints([1, 2, 3])).sum(),
    "scatter_add": lambda x, i: (ops.tensor_scatter_add(ints([1, 2, 3]), i.reshape(2, 1), x) * ints([1, 2, 3])).sum(),
}


@case(each={"place": list(IN_PLACES), "kind": [ms.int32, ms.float32]})
def test_gradients_of_what_is_written_among_integers_or_read_by_them(place, kind):
    body = IN_PLACES[place]
    x = ms.Tensor([2, 5], kind)
    if kind == ms.float32 and "scatter" in place:
        return ms.grad(lambda x, i: body(x.int(), i), (0, 1))(x, ints([0, 2]))
    return ms.grad(body, (0, 1))(x, ints([0, 2]))


def cubed(i):
    return (i * i * i).sum()


def first(i):
    return ms.grad(cubed)(i).sum()


def half_of_first(i):
    return (ms.grad(cubed)(i) * t([0.5, 0.25])).sum()


def second(i):
    return ms.grad(first)(i).sum()


def first_of_product(i, x):
    return (ms.grad(cubed)(i * 2) * x).sum()


@case(mode="BOTH")
def test_higher_gradients_of_integers():
    i = ints([2, 5])
    return (ms.grad(first)(i), ms.grad(half_of_first)(i), ms.grad(second)(i),
            ms.grad(first_of_product, (0, 1))(i, t([0.5, 1.5])))


def doubled(x):
    return x + x


def product(x, i):
    return x * i


@case
def test_jacobian_by_an_integer_beside_a_float():
    return ms.jacrev(product, (0, 1))(t([2.0, 5.0]), ints([2, 5]))


@case(raises="Type Join Failed: dtype1 = Float32, dtype2 =", each={"how": [ms.jacrev, ms.jacfwd], "kind": [ms.int32, ms.int64, ms.uint8]})
def test_jacobians_of_integers(how, kind):
    return how(doubled)(ms.Tensor([2, 5], kind))


class _AddsRows(nn.Cell):
    def __init__(self, dtype):
        super().__init__()
        self.table = ms.Parameter(ms.Tensor(np.arange(6).reshape(2, 3), dtype), name="table")
        self.add = ops.IndexAdd(1)

    def construct(self, at, rows):
        return self.add(self.table, at, rows)


@case(mode="BOTH", each={"dtype": [ms.int8, ms.int32, ms.float32]})
def test_of_a_parameter_that_is_written(dtype):
    net = _AddsRows(dtype)
    at, rows = ms.Tensor([1], ms.int32), ms.Tensor([[3], [4]], dtype)
    sens = ms.Tensor(np.arange(6).reshape(2, 3) + 60, dtype)
    gradients = ops.GradOperation(get_all=True, get_by_list=True, sens_param=True)(net, net.trainable_params())(at, rows, sens)
    return gradients[0][1], gradients[1][0], net.table
