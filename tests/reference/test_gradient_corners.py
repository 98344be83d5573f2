"""Gradients after failures, of copies, of inputs that are no Tensors, and inside other transforms."""
import contextlib
import copy

import mindspore as ms
import numpy as np
from mindspore import nn, ops

from tests.reference.judge import case
from tests.reference.networks import t


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.w = ms.Parameter(t([2.0, 3.0]), name="w")

    def construct(self, x, scale=1.0):
        return (self.w * x * scale).sum()


def gradient(net, *args):
    return ms.grad(net, None, net.trainable_params())(*args)


@case
def test_a_copied_parameter_has_its_own_hooks():
    net = Net()
    net.w.register_hook(lambda g: g * 10)
    other = copy.deepcopy(net)
    other.w.register_hook(lambda g: g + 100)
    return gradient(net, t([1.0, 2.0])), gradient(other, t([1.0, 2.0]))


@case
def test_a_removed_hook_of_a_copy():
    net = Net()
    handle = net.w.register_hook(lambda g: g * 10)
    other = copy.deepcopy(net)
    handle.remove()
    return gradient(net, t([1.0, 2.0])), gradient(other, t([1.0, 2.0]))


class Failing(Net):
    def construct(self, x, fails=False):
        h = self.w * x
        if fails:
            raise ValueError("on purpose")
        return h.sum()


@case
def test_hooks_after_failed_calls():
    net, seen = Failing(), []
    net.register_backward_hook(lambda cell, gi, go: seen.append(len(go)))
    for _ in range(3):
        with contextlib.suppress(ValueError):
            ms.grad(net, None, net.trainable_params())(t([1.0, 2.0]), True)
    found = gradient(net, t([1.0, 2.0]))
    return found, seen


@case
def test_a_numpy_argument_changed_in_place():
    net, scale = Net(), np.ones(2, np.float32)
    net.set_grad()
    first = net(t([1.0, 2.0]), ms.Tensor(scale)), gradient(net, t([1.0, 2.0]), ms.Tensor(scale))
    scale[:] = 5
    return first, net(t([1.0, 2.0]), ms.Tensor(scale)), gradient(net, t([1.0, 2.0]), ms.Tensor(scale))


def loss(w, x):
    return (w * x).sum() ** 2


@case
def test_vmap_of_a_gradient():
    per_sample = ms.vmap(ms.grad(loss), in_axes=(None, 0))
    return per_sample(t([2.0, 3.0]), t([[1.0, 2.0], [3.0, 4.0]]))


@case
def test_jacobian_of_a_gradient():
    return ms.jacrev(ms.grad(loss))(t([2.0, 3.0]), t([1.0, 2.0]))


@case
def test_vmap_of_a_cells_gradient():
    net = Net()
    return ms.vmap(ms.grad(net))(t([[1.0, 2.0], [3.0, 4.0]]))


@case
def test_a_step_after_a_failed_step():
    net = Failing()
    optimizer = nn.Momentum(net.trainable_params(), 0.1, 0.9)
    forward = ms.value_and_grad(net, None, optimizer.parameters)
    found = []
    for fails in (False, True, False):
        try:
            value, grads = forward(t([1.0, 2.0]), fails)
            optimizer(grads)
            found.append(value)
        except ValueError:
            found.append("failed")
    return found, net.w, optimizer.moments[0]


@case
def test_gradient_inside_a_gradient_inside_a_cell():
    class Physics(nn.Cell):
        def __init__(self):
            super().__init__()
            self.net = nn.Dense(1, 1, weight_init=t([[2.0]]), bias_init=t([0.5]), activation="tanh")

        def construct(self, x):
            slope = ms.grad(self.net)
            return (ops.square(ms.grad(slope)(x) + self.net(x))).mean()

    net = Physics()
    return ms.value_and_grad(net, None, net.trainable_params())(t([[0.3], [0.7]]))


def beside_a_tuple(x, w):
    pair = (x, x * 2)
    return pair + w


def a_list_from(x, w):
    return w - [x, x * 3]


@case(each={"function": [beside_a_tuple, a_list_from]})
def test_tensors_of_a_sequence_beside_a_tensor(function):
    return ms.grad(function, (0, 1))(t([1.0, 2.0]), t([[1.0, 1.0], [2.0, 2.0]]))


@ms.jit
def compiled_hook(*inputs):
    return inputs


@case(each={"hook": ["text", None, compiled_hook]}, raises=True)
def test_what_is_no_hook(hook):
    nn.Dense(2, 2).register_forward_pre_hook(hook)


@case(raises=True)
def test_a_compiled_hook_of_a_tensor():
    t([1.0]).register_hook(compiled_hook)


@case(raises=True)
def test_a_compiled_bprop():
    class Scaled(nn.Cell):
        def construct(self, x):
            return x * 2

        @ms.jit
        def bprop(self, x, out, dout):
            return (5 * x,)

    return ms.grad(Scaled())(t([1.0]))


@case(raises=True)
def test_a_hook_of_a_parameter_in_a_graph():
    class Hooked(Net):
        def construct(self, x):
            self.w.register_hook(abs)
            return x * self.w

    ms.set_context(mode=ms.GRAPH_MODE)
    return Hooked()(t([1.0, 2.0]))


class Keeping(nn.Cell):
    def __init__(self):
        super().__init__()
        self.kept = 4

    def construct(self, x):
        self.kept = x * 2
        return self.kept * x


@case(mode="GRAPH")
def test_what_an_attribute_keeps_in_a_graph():
    cell = Keeping()
    return cell(t([2.0])), ms.grad(cell)(t([2.0])), cell.kept


ANSWERS = {"text": lambda g: "x", "a number": lambda g: 1, "a list": lambda g: [g], "two": lambda g: (g, g),
           "a tuple of None": lambda g: (None,)}


@case(each={"kind": ["Cell", "Cell before", "HookBackward", "Tensor"], "answer": sorted(ANSWERS)}, raises=True)
def test_what_a_hook_gives_has_to_be_a_tensor(kind, answer):
    give, net = ANSWERS[answer], nn.Dense(2, 2, weight_init="ones")

    def hook(*gradients):
        return give(t([[1.0, 2.0]]))

    def run(x):
        if kind == "Tensor":
            y = x * 2
            y.register_hook(hook)
            return y * 3
        return ops.HookBackward(hook)(x) * 2 if kind == "HookBackward" else net(x)

    if kind == "Cell":
        net.register_backward_hook(lambda cell, given, came: hook(came))
    if kind == "Cell before":
        net.register_backward_pre_hook(lambda cell, came: hook(came))
    return ms.grad(run)(t([[1.0, 1.0]]))


def _doubled_then(x, how, kept):
    a = x * 2
    kept.append(a)
    if how == "an argument":
        x.assign_value(a)
        return (x * x).sum()
    if how == "another shape":
        a.assign_value(x[0:1] * 5)
    elif how == "a lower dtype":
        a.assign_value((x * 7).astype(ms.float16))
    elif how == "one that changes later":
        b = x * 3
        a.assign_value(b)
        b.assign_value(x * 5)
    elif how == "a constant":
        a.assign_value(ops.stop_gradient(x * 7))
    else:
        a.assign_value(a + x * x)
    return (a * x).sum()


WAYS = ["an argument", "another shape", "a lower dtype", "one that changes later", "a constant", "itself"]


@case(each={"how": WAYS})
def test_a_tensor_that_takes_over_anothers_value(how):
    x, kept = t([1.0, 3.0]), []
    try:
        return ms.grad(lambda x: _doubled_then(x, how, kept))(x), x, kept
    except RuntimeError as error:
        return str(error).splitlines()[0]


OF_INTEGERS = {
    "two uses": lambda x: x * 1.5 + x * 1.5, "three uses": lambda x: x * 0.6 + x * 0.6 + x * 0.6,
    "of a product": lambda x: (x * x) * 0.6, "of a power": lambda x: x**2 * 1.5, "of a stack":
    lambda x: ops.stack((x, x * 2)) * 1.4, "of elements": lambda x: x[0] * 1.5 + x[1] * x[0] * 0.7,
    "of a sum": lambda x: x.sum() * 1.5, "floor": lambda x: x // 2, "modulo": lambda x: x % 2,
}


@case(each={"use": sorted(OF_INTEGERS), "kind": [ms.int32, ms.uint8]})
def test_the_gradient_of_each_use_of_an_integer_is_cast(use, kind):
    function = OF_INTEGERS[use]
    return ms.grad(function)(ms.Tensor([1, 3], kind))


def of_both_paths(i, x):
    return ops.matmul(i.astype(ms.float32), x).sum() * i.sum()


@case(mode="BOTH")
def test_integers_by_two_paths():
    return ms.grad(of_both_paths, (0, 1))(ms.Tensor([[1, 2], [3, 4]], ms.int32), t([[1.7, 0.3], [0.6, -2.2]]))


def of_keywords(x, y=None):
    return (x * x).sum() if y is None else (x * x * y).sum()


@case(each={"how": [ms.grad, ms.value_and_grad]}, mode="GRAPH", raises=True)
def test_gradients_of_a_graph_take_no_keywords(how):
    return how(of_keywords)(t([1.0, 2.0]), y=t([3.0, 4.0]))


class Keywords(nn.Cell):
    def construct(self, x, y):
        return ms.grad(of_keywords, (0, 1))(x, y=y)


@case(mode="BOTH")
def test_gradients_inside_a_graph_take_keywords():
    return Keywords()(t([1.0, 2.0]), t([3.0, 4.0]))


def keywords_of_a_function(x, y):
    return ms.grad(of_keywords, (0, 1))(x, y=y)


class Calling(nn.Cell):
    """A Cell that does not differentiate itself."""

    def construct(self, x, y):
        return keywords_of_a_function(x, y)


@case(mode="BOTH")
def test_gradients_that_a_function_takes_inside_a_graph_take_keywords():
    return Calling()(t([1.0, 2.0]), t([3.0, 4.0]))


def replaced(kind):
    """A body that gives its weight content of another shape or dtype, before it reads it or between."""
    w, v = (ms.Parameter(t(values), name=name) for name, values in (("w", [1.0, 2.0]), ("v", [3.0, 4.0, 5.0])))

    def body(x):
        first = (w * x[:2]).sum() if kind == "half, read before" else 0
        if kind == "shape":
            w.set_data(x * 1)
        elif kind == "twice":
            w.set_data(t([1.0, 2.0, 3.0]))
            w.set_data(t([1.0]))
        elif kind == "written after":
            w.set_data(t([1.0, 2.0, 3.0]))
            w[0] = 5.0
        else:
            w.set_dtype(ms.float64 if kind == "double" else ms.float16)
        return first + (w * w).sum() + (v * x).sum()

    return body, w, v


@case(each={"kind": ["shape", "twice", "written after", "double", "half", "half, read before"]})
def test_weights_that_get_another_shape_or_dtype_in_the_body(kind):
    body, w, v = replaced(kind)
    differentiate, x = ms.value_and_grad(body, 0, [w, v]), t([1.0, 2.0, 3.0])
    return differentiate(x), differentiate(x), w.value()


def writes_first(g):
    g[0] = 100.0


def writes_and_returns(g):
    g[0] = 100.0
    return g + 1.0


def makes_another(g):
    g *= 2.0


@case(each={"hook": [writes_first, writes_and_returns, makes_another], "of": ["tensor", "parameter"]})
def test_hooks_that_write_into_gradients(hook, of):
    w = ms.Parameter(t([1.0, 2.0, 3.0]), name="w")
    if of == "parameter":
        w.register_hook(hook)

    def body(x):
        y = x * 2.0
        if of == "tensor":
            y.register_hook(hook)
        return (y * w * w).sum()

    return ms.grad(body, 0, w)(t([1.0, 2.0, 3.0]))


class Defaults(nn.Cell):
    def construct(self, x, y, k=2.0):
        return x * y * k

    def bprop(self, x, y, k, out, dout):
        return dout * y * k, dout * x * 7.0, 0


@case(each={"kwargs": [{}, {"k": 3.0}]})
def test_a_bprop_takes_what_has_a_default(kwargs):
    return ms.grad(Defaults(), (0, 1))(t([1.0, 2.0]), t([3.0, 4.0]), **kwargs)


@case
def test_a_hook_of_an_input_sees_the_gradients_of_a_recorded_forward_and_of_vjp():
    net = nn.Dense(2, 2, weight_init="ones", bias_init="zeros")
    net.set_grad()
    seen = []

    def doubled(gradient):
        seen.append(gradient)
        return gradient * 2

    x = t([[1.0, 2.0]])
    x.register_hook(doubled)
    out = net(x)
    found = ops.GradOperation(get_all=True, sens_param=True)(net)(x, out)
    value, pull = ms.vjp(net, x)
    return found, pull(value), len(seen), seen
