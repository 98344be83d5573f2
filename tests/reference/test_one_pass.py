"""A body that is differentiated runs once: its effects are counted under every gradient function."""
import enum

import mindspore as ms
import numpy as np
from mindspore import nn, ops

from tests.reference.judge import case, data
from tests.reference.networks import t

SEEN = []


class Body(nn.Cell):
    """A dense layer and whatever an `effect` does; `runs` counts the calls of `construct` in PyNative."""

    def __init__(self, effect):
        super().__init__()
        self.dense = nn.Dense(3, 3, weight_init=ms.Tensor(data((3, 3), seed=1)), bias_init="zeros")
        self.bn = nn.BatchNorm1d(3)
        self.drop = nn.Dropout(p=0.5)
        self.count = ms.Parameter(ms.Tensor(0, ms.int32), name="count", requires_grad=False)
        self.bank = ms.Parameter(t([1.0, 2.0, 3.0]), name="bank", requires_grad=False)
        self.effect = effect

    def construct(self, x):
        return self.effect(self, x, self.dense(x))


def plain(net, x, h):
    return (h * h).sum()


def counter(net, x, h):
    net.count += 1
    return (h * h).sum()


def counter_assign_add(net, x, h):
    ops.assign_add(net.count, ms.Tensor(1, ms.int32))
    return (h * h).sum()


def batch_norm(net, x, h):
    return (net.bn(h) * x).sum()


def batch_norm_twice(net, x, h):
    return (net.bn(net.bn(h)) * x).sum()


def dropout(net, x, h):
    return (net.drop(h) * h).sum()


def element(net, x, h):
    h = ops.sigmoid(h)
    h[:, 0] = 0.0
    return (h * h).sum()


def one_element(net, x, h):
    h = ops.sigmoid(h)
    h[0, 0] = 0.5
    return (h * x).sum()


def element_twice(net, x, h):
    h = ops.sigmoid(h)
    y = h * h
    h[0] = 1.0
    h[:, 1] = 2.0
    return (h * y).sum()


def element_of_a_part(net, x, h):
    h = ops.sigmoid(h)
    h[0][1] = 3.0
    return (h * h).sum()


def element_from_itself(net, x, h):
    h = ops.sigmoid(h)
    h[:, 0] = h[:, 1] * h[:, 2]
    return (h * h).sum()


def by_mask(net, x, h):
    h = ops.sigmoid(h)
    h[x > 0] = 0.0
    return (h * h).sum()


def filled_row_by_row(net, x, h):
    out = ops.zeros((4, 3), ms.float32)
    for i in range(4):
        out[i] = h[i] * (i + 1)
    return (out * out).sum()


def softmax_decode(net, x, h):
    p = ops.softmax(h)
    p[:, 0] = 0.0
    return (p * h).sum()


def bank_assigned(net, x, h):
    y = h * net.bank
    ops.assign(net.bank, net.bank * 2)
    return (y * y).sum()


def bank_assigned_first(net, x, h):
    ops.assign(net.bank, net.bank * 2)
    y = h * net.bank
    return (y * y).sum()


def bank_used_twice(net, x, h):
    y = h * net.bank
    ops.assign(net.bank, net.bank * 2)
    return (y * net.bank).sum()


def bank_added(net, x, h):
    y = h * net.bank
    ops.assign_add(net.bank, t([1.0, 1.0, 1.0]))
    return (y * y).sum()


def bank_moving(net, x, h):
    y = h * net.bank
    net.bank = 0.9 * net.bank + 0.1 * ops.stop_gradient(h).mean(0)
    return (y * y).sum()


def bank_element(net, x, h):
    y = h * net.bank
    net.bank[0] = 7.0
    return (y * y).sum()


def bank_from_activation(net, x, h):
    y = h * net.bank
    ops.assign(net.bank, ops.stop_gradient(h)[0])
    return (y * y).sum() + (net.bank * h).sum()


def printing(net, x, h):
    SEEN.append("ran")
    h = ops.sigmoid(h)
    h[0] = 0.0
    return (h * h).sum()


def method_in_place(net, x, h):
    h = ops.sigmoid(h)
    y = h * h
    h[:] = 1.0
    return (h * y).sum()


def nested_gradient(net, x, h):
    inner = ms.grad(sum_of_cubes)(h)
    h = ops.sigmoid(h)
    h[0] = 0.0
    return (inner * h).sum()


def sum_of_cubes(v):
    u = v * v
    u[:, 0] = 1.0
    return (u * v).sum()


def stopped(net, x, h):
    net.count += 1
    return (ops.stop_gradient(h) * h).sum()


def in_both_branches(net, x, h):
    y = ops.sigmoid(h)
    z = y * y
    y[0] = 0.0
    return (y * z).sum() + (z * z).sum()


EFFECTS = {f.__name__: f for f in (
    plain, counter, counter_assign_add, batch_norm, batch_norm_twice, dropout, element, one_element,
    element_twice, element_of_a_part, element_from_itself, by_mask, filled_row_by_row, softmax_decode,
    bank_assigned, bank_assigned_first, bank_used_twice, bank_added, bank_moving, bank_element,
    bank_from_activation, method_in_place, nested_gradient, stopped, in_both_branches)}
PYTHON = {f.__name__: f for f in (printing,)}
X = data((4, 3), seed=3)


def run(name, effect, how):
    """The values of two calls, and what is left behind."""
    ms.set_seed(1)
    net = Body(effect)
    net.set_train()
    weights = net.trainable_params()
    x = ms.Tensor(X)
    if how == "grad":
        ask = ms.grad(net)
    elif how == "value_and_grad":
        ask = ms.value_and_grad(net, None, weights)
    elif how == "both":
        ask = ms.value_and_grad(net, 0, weights)
    elif how == "GradOperation":
        ask = ops.GradOperation(get_all=True, get_by_list=True)(net, ms.ParameterTuple(weights))
    elif how == "train cell":
        ask = nn.TrainOneStepCell(net, nn.SGD(weights, 0.01))
    else:
        ask = net
    return [ask(x) for _ in range(2)], net.count, net.bank, net.bn.moving_mean, net.dense.weight


HOW = ["grad", "value_and_grad", "both", "GradOperation", "train cell", "forward"]
# Where PyNative's backward pass reads what was overwritten, its gradient mixes old and new values.
MIXED = ("bank_assigned", "bank_added", "bank_moving", "bank_element", "bank_from_activation",
         "bank_used_twice", "element_twice", "method_in_place", "in_both_branches")


@case(each={"name": sorted(set(EFFECTS) - set(MIXED) - {"bank_assigned_first"}), "how": HOW})
def test_effects_happen_once(name, how):
    return run(name, EFFECTS[name], how)


@case(each={"name": ["bank_assigned", "bank_assigned_first", "bank_added", "bank_used_twice", "element_twice",
                     "method_in_place", "in_both_branches"], "how": HOW},
      judge="GRAPH", reason="PyNative's backward pass reads what was overwritten after it")
def test_what_was_read_is_differentiated_as_it_was(name, how):
    return run(name, EFFECTS[name], how)


@case(each={"how": HOW})
def test_python_runs_once(how):
    SEEN.clear()
    values = run("printing", printing, how)
    return values, list(SEEN)


@case(each={"how": ["value_and_grad", "train cell"]})
def test_an_iterator_is_asked_once(how):
    scales = iter([1.0, 2.0, 3.0, 4.0])

    def scaled(net, x, h):
        h = ops.sigmoid(h) * next(scales)
        h[0] = 0.0
        return (h * h).sum()

    return run("scaled", scaled, how)


class Keyword(nn.Cell):
    def construct(self, x, y):
        return (x * x * y).sum()


@case(mode="BOTH")
def test_keywords_are_inputs():
    a, b = t([1.0, 2.0]), t([3.0, 4.0])
    everything = ops.GradOperation(get_all=True)(Keyword())
    return everything(x=a, y=b), everything(a, y=b)


@case
def test_positions_count_keywords():
    def fn(x, y):
        return (x * x * y).sum()

    a, b = t([1.0, 2.0]), t([3.0, 4.0])
    return (ms.grad(fn, (0, 1))(a, y=b), ms.grad(fn, 1)(x=a, y=b), ms.value_and_grad(fn, (0, 1))(a, y=b),
            ms.grad(fn, (0, 1), return_ids=True)(a, y=b))


def of_pair(pair):
    return (pair[0] * pair[0] * pair[1]).sum()


def of_names(named):
    return (named["a"] * named["a"] * named["b"]).sum()


def of_nested(nested):
    return (nested[0] * nested[1][0] * nested[1][1]).sum()


@case(mode="BOTH")
def test_mutable_containers_have_gradients_in_a_graph():
    a, b = t([1.0, 2.0]), t([3.0, 4.0])
    return (ms.grad(of_pair)(ms.mutable((a, b))), ms.grad(of_pair)(ms.mutable([a, b])),
            ms.grad(of_names)(ms.mutable({"a": a, "b": b})), ms.grad(of_nested)(ms.mutable((a, (b, a)))),
            ms.value_and_grad(of_pair)(ms.mutable((a, b))), ms.grad(of_pair)((a, b)))


class Scaled(nn.Cell):
    def construct(self, x, s, y):
        return (x * x * s * y).sum()


def of_three(x):
    return (x[0] * x[1] * x[2]).sum()


@case(mode="BOTH")
def test_mutable_numbers_keep_their_places():
    a, b = t([1.0, 2.0]), t([3.0, 4.0])
    return (ms.grad(of_three)(ms.mutable((a, 3, 2.5))), ms.grad(of_three)(ms.mutable([a, b, 2])),
            ms.grad(of_names)(ms.mutable({"a": a, "b": 2})), ms.grad(of_nested)(ms.mutable((a, (2, b)))),
            ms.grad(Scaled(), (0, 1, 2))(a, ms.mutable(2.0), b), ms.grad(Scaled(), (0, 1, 2))(a, 2.0, b),
            ops.GradOperation(get_all=True)(Scaled())(a, ms.mutable(2), b),
            ms.grad(Scaled(), 1)(a, ms.mutable(2.0), b))


class Size(enum.IntEnum):
    TWO = 2


@case
def test_members_of_an_enum_are_numbers():
    x = t([1.0, 2.0, 3.0, 4.0])
    return x + Size.TWO, x * Size.TWO, x[: Size.TWO], ops.topk(x, Size.TWO), ops.split(x, Size.TWO)


@case(each={"kind": [ms.int32, ms.int64, ms.uint8, ms.bool_]})
def test_integers_have_gradients_of_one_run(kind):
    runs = []
    scale = t([0.5, 1.7])

    def fn(x, y):
        runs.append(1)
        return (x * y * scale).sum()

    i = ms.Tensor(np.array([1, 2]), kind)
    return ms.grad(fn, (0, 1))(i, t([2.0, 3.0])), ms.value_and_grad(fn)(i, t([2.0, 3.0])), len(runs)


@case
def test_integers_through_arithmetic_and_writes():
    i, a = ms.Tensor([1, 2], ms.int32), t([1.0, 2.0])

    def written(x):
        y = x * 1
        y[0] = 5
        return (y * a).sum()

    def gathered(x, y):
        return ops.gather(y, x, 0).sum()

    return (ms.grad(lambda x: (x * x).sum())(i), ms.grad(lambda x: ((x + x) * a).sum())(i),
            ms.grad(lambda x: (x.astype(ms.float32) ** 2).sum())(i), ms.grad(written)(i),
            ms.grad(gathered, (0, 1))(ms.Tensor([0, 1], ms.int32), a), ms.grad(lambda x: (x * a).mean())(i))


class Setting(nn.Cell):
    def __init__(self):
        super().__init__()
        self.w = ms.Parameter(t([1.0, 1.0]), name="w")

    def construct(self, x, v):
        self.w.set_data(v * 2)
        return (self.w * self.w * x).sum()


@case
def test_set_data_in_a_body_keeps_the_gradient_of_the_weight():
    net = Setting()
    return ms.value_and_grad(net, (0, 1), net.trainable_params())(t([1.0, 5.0]), t([3.0, 4.0])), net.w


@case(each={"optimizer": ["SGD", "Momentum", "Adam"]}, mode="BOTH", rtol=2e-3, atol=2e-3,
      reason="one rounding of float16: the optimizers compute in float32 and round once")
def test_a_cast_parameter_is_still_trained(optimizer):
    net = nn.Dense(2, 1, weight_init="ones", bias_init="zeros")
    for p in net.get_parameters():
        p.set_dtype(ms.float16)
    more = {"momentum": 0.9} if optimizer == "Momentum" else {}
    opt = getattr(nn, optimizer)(net.trainable_params(), 0.1, **more)
    ask = ms.value_and_grad(net, None, opt.parameters)
    losses = []
    for _ in range(2):
        loss, grads = ask(ms.Tensor([[1, 2]], ms.float16))
        opt(grads)
        losses.append(loss)
    return losses, net.weight, [p.dtype for p in net.get_parameters()]


@case
def test_backward_hooks_are_told_of_inputs_without_gradient():
    seen = []

    def hook(cell, grad_input, grad_output):
        seen.append((type(cell).__name__, grad_input, grad_output))

    net = nn.SequentialCell(nn.Dense(2, 2, weight_init="ones", bias_init="zeros"), nn.ReLU(),
                            nn.SequentialCell(nn.Dense(2, 1, weight_init="ones", bias_init="zeros")))
    for cell in (net, net[0], net[1], net[2], net[2][0]):
        cell.register_backward_hook(hook)
    x = t([[1.0, 2.0]])

    def loss(x):
        return net(x).sum()

    ms.value_and_grad(loss, None, net.trainable_params())(x)
    ms.grad(loss)(x)
    nn.TrainOneStepCell(nn.WithLossCell(net, nn.MSELoss()), nn.SGD(net.trainable_params(), 0.1))(x, t([[1.0]]))
    return seen


class Writing(nn.Cell):
    def __init__(self):
        super().__init__()
        self.w = ms.Parameter(t([2.0, 3.0]), name="w")

    def construct(self, x):
        x[0] = 9.0
        return (x * self.w).sum()


@case(each={"how": ["weights", "input", "step"]}, mode="GRAPH")
def test_a_graph_leaves_the_callers_tensor_alone(how):
    net, x = Writing(), t([[1.0, 2.0], [3.0, 4.0]])
    weights = net.trainable_params()
    if how == "step":
        return nn.TrainOneStepCell(net, nn.SGD(weights, 0.1))(x), x, net.w
    return ms.value_and_grad(net, 0 if how == "input" else None, weights)(x), x, net.w


IN_PLACE = {"add": lambda x, y: x.add_(y), "mul": lambda x, y: x.mul_(y), "div": lambda x, y: x.div_(y),
            "exp": lambda x, y: x.exp_()}


@case(each={"how": IN_PLACE, "shape": [(), (2,)], "dtype": [ms.float32, ms.int32]})
def test_pynative_leaves_an_input_that_a_method_writes_to(how, shape, dtype):
    x, y = ops.full(shape, 2, dtype=dtype), ops.full(shape, 3, dtype=dtype)

    def fn(x, y):
        made = IN_PLACE[how](x, y)
        return x * 1, made * 10

    return ms.value_and_grad(fn, (0, 1))(x, y) if dtype is ms.float32 or how in ("add", "mul") else 0, x


@case(each={"how": ["weights", "input", "step"]}, raises="Can not modify tensor id of input tensor")
def test_pynative_refuses_to_write_to_an_input(how):
    net, x = Writing(), t([[1.0, 2.0], [3.0, 4.0]])
    weights = net.trainable_params()
    if how == "step":
        return nn.TrainOneStepCell(net, nn.SGD(weights, 0.1))(x), x, net.w
    return ms.value_and_grad(net, 0 if how == "input" else None, weights)(x), x, net.w


@case
def test_a_captured_tensor_keeps_what_a_body_writes():
    held, w = t([[1.0, 2.0], [3.0, 4.0]]), ms.Parameter(t([2.0, 3.0]), name="w")

    def fn():
        held[0] = 9.0
        return (held * w).sum()

    return ms.value_and_grad(fn, None, [w])(), held


@case(mode="BOTH")
def test_a_frozen_weight_that_is_asked_for():
    net = Writing()
    net.w.requires_grad = False

    class Reading(nn.Cell):
        def __init__(self, w):
            super().__init__()
            self.w = w

        def construct(self, x):
            return (x * self.w * self.w).sum()

    reading = Reading(net.w)
    return ms.grad(reading, None, [net.w])(t([1.0, 5.0]))


VIEWS = {
    "slice": lambda h: h[:2], "row": lambda h: h[0], "tuple": lambda h: h[0:1, 1:],
    "step": lambda h: h[::2], "none": lambda h: h[None], "reshape": lambda h: ops.reshape(h, (4,)),
    "transpose": lambda h: ops.transpose(h, (1, 0)), "T": lambda h: h.T, "split": lambda h: ops.split(h, 1)[0],
    "expand_dims": lambda h: ops.expand_dims(h, 0), "broadcast": lambda h: ops.broadcast_to(h, (1, 2, 2)),
    "diagonal": ops.diagonal, "narrow": lambda h: ops.narrow(h, 0, 0, 1), "rows": lambda h: next(iter(h)),
}


@case(each={"view": sorted(VIEWS)})
def test_what_a_write_reaches_while_differentiating(view):
    def to_the_part(x):
        h = x * 2
        VIEWS[view](h)[0] = 9.0
        return (h * h).sum()

    def to_the_whole(x):
        h = x * 2
        part = VIEWS[view](h)
        h[0] = 9.0
        return (part * part).sum()

    x = t([[1.0, 2.0], [3.0, 4.0]])
    return ms.value_and_grad(to_the_part)(x), ms.value_and_grad(to_the_whole)(x)
