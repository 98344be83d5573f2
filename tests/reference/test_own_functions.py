"""``_Function``, ``custom_vjp`` and ``bprop``: gradients that the program computes."""
import mindspore as ms
from mindspore import nn, ops
from mindspore.common._grad_function import _Function
from mindspore.ops.function.grad.grad_func import custom_vjp

from tests.reference.judge import case
from tests.reference.networks import t


class Square(_Function):
    @staticmethod
    def forward(ctx, x, k=2):
        ctx.save_for_backward(x)
        ctx.k = k
        return x * x * k

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return 2 * x * g * ctx.k, None


class Two(_Function):
    @staticmethod
    def forward(ctx, x, y):
        ctx.save_for_backward(x, y)
        return x * y, x + y

    @staticmethod
    def backward(ctx, a, b):
        x, y = ctx.saved_tensors
        return a * y + b, a * x + 2 * b


class Own(_Function):
    """``Own.of(forward, backward)`` makes one for a case."""

    @classmethod
    def of(cls, forward, backward, **more):
        more = {"forward": staticmethod(forward), "backward": staticmethod(backward), **more}
        return type("Own", (_Function,), more)


def product(ctx, x, y):
    return x * y


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.w = ms.Parameter(t([3.0, 4.0]), name="w")

    def construct(self, x):
        return Square.apply(self.w * x, 3).sum()


X, Y = [1.0, 2.0], [5.0, 6.0]


@case
def test_value():
    return Square.apply(t(X), 2), Two.apply(t(X), t(Y))


@case
def test_gradient():
    return ms.grad(lambda x: Square.apply(x).sum())(t(X))


@case
def test_second_gradient():
    first = ms.grad(lambda y: Square.apply(y, 2).sum())
    return ms.grad(lambda x: (first(x) * x).sum())(t(X))


@case(each={"which": [0, 1]})
def test_several_results(which):
    return ms.grad(lambda x, y: Two.apply(x, y)[which].sum(), (0, 1))(t(X), t(Y))


@case
def test_in_a_train_cell():
    net = Net()
    step = nn.TrainOneStepCell(net, nn.SGD(net.trainable_params(), 0.01))
    return [step(t(X)) for _ in range(3)], net.w


@case(each={"more": [{}, {"y": 4}]})
def test_setup_context(more):
    def setup(ctx, inputs, output):
        ctx.y = inputs[1]

    own = Own.of(lambda x, y=3: x * y, lambda ctx, g: (g * ctx.y * 10, None), setup_context=staticmethod(setup))
    return ms.grad(lambda x: own.apply(x, **more).sum())(t(X))


BACKWARDS = {
    "none": lambda ctx, g: (None, g),
    "few": lambda ctx, g: g,
    "list": lambda ctx, g: [g, g],
    "many": lambda ctx, g: (g, g, g),
    "number": lambda ctx, g: (g, 3),
    "rank": lambda ctx, g: (ops.stack([g, g]), g),
    "size": lambda ctx, g: (t([1.0, 2.0, 3.0]), g),
    "dtype": lambda ctx, g: (g.astype(ms.int32), g.astype(ms.float16)),
}


@case(each={"kind": ["none", "rank", "dtype"]})
def test_what_backward_gives(kind):
    own = Own.of(product, BACKWARDS[kind])
    return ms.grad(lambda x, y: own.apply(x, y).sum(), (0, 1))(t(X), t(Y))


@case(each={"kind": ["few", "list", "many", "number", "size"]}, raises=True)
def test_what_backward_may_not_give(kind):
    own = Own.of(product, BACKWARDS[kind])
    return ms.grad(lambda x, y: own.apply(x, y).sum(), (0, 1))(t(X), t(Y))


@case(raises=True)
def test_a_gradient_for_a_number():
    own = Own.of(product, lambda ctx, g: (g, g))
    return ms.grad(lambda x: own.apply(x, 2).sum())(t(X))


class Dirty(_Function):
    @staticmethod
    def forward(ctx, x, y):
        x.add_(1)
        ctx.mark_dirty(x)
        return x + y, x

    @staticmethod
    def backward(ctx, first, second):
        return first, second


@case(each={"of": ["leaf", "view"]}, raises=True)
def test_what_may_not_be_marked_dirty(of):
    def fn(x, y):
        return Dirty.apply(x if of == "leaf" else (x * 1).view((2,)), y)

    return ms.grad(fn, (0, 1))(t([1.0, 2.0]), t([3.0, 4.0]))


@case(raises=True)
def test_without_forward():
    return _Function.apply(t(X))


@case
def test_custom_vjp():
    @custom_vjp
    def own(x, y):
        return x * y

    own.defbwd(lambda x, y, out, dout: (dout * 7, out * 8))
    return own(t(X), t(Y)), ms.grad(lambda x, y: own(x, y).sum(), (0, 1))(t(X), t(Y))


class Bprop(nn.Cell):
    def __init__(self, found):
        super().__init__()
        self.found = found

    def construct(self, x, y):
        return x * y

    def bprop(self, x, y, out, dout):
        return self.found(dout)


@case(each={"kind": ["rank", "dtype"]})
def test_what_bprop_gives(kind):
    net = Bprop(lambda g: BACKWARDS[kind](None, g))
    return ms.grad(net, (0, 1))(t(X), t(Y))


@case(each={"kind": ["few", "size"]}, raises=True)
def test_what_bprop_may_not_give(kind):
    net = Bprop(lambda g: BACKWARDS[kind](None, g))
    return ms.grad(net, (0, 1))(t(X), t(Y))
