"""Parameter: what shares its memory, what keeps old values, what set_data takes."""
import copy

import mindspore as ms
import numpy as np
from mindspore import nn, ops

from tests.reference.judge import case
from tests.reference.networks import t


def made(*values):
    return ms.Parameter(t(*values), name="p")


def now(*tensors):
    return [x.asnumpy().copy() for x in tensors]


SOURCES = {
    "parameter": lambda p: p,
    "data": lambda p: p.data,
    "value": lambda p: p.value(),
    "computed": lambda p: p + 0,
    "clone": lambda p: p.clone(),
    "Parameter": lambda p: ms.Parameter(p, name="q"),
    "Parameter of data": lambda p: ms.Parameter(p.data, name="q"),
}


CHANGES = {
    "assign": lambda p: ops.assign(p, t(7.0, 8.0)),
    "assign_add": lambda p: ops.assign_add(p, t(7.0, 8.0)),
    "AssignSub": lambda p: ops.AssignSub()(p, t(7.0, 8.0)),
    "item": lambda p: p.__setitem__(0, 9.0),
    "scatter_update": lambda p: ops.scatter_update(p, ms.Tensor([0], ms.int32), ms.Tensor([9.0])),
    "SGD": lambda p: nn.SGD([p], 0.5)((t(2.0, 2.0),)),
    "Adam": lambda p: nn.Adam([p], 0.5)((t(2.0, 2.0),)),
    "set_data": lambda p: p.set_data(t(7.0, 8.0)),
    "assign_value": lambda p: p.assign_value(t(7.0, 8.0)),
}


@case(each={"by": list(CHANGES)})
def test_what_sees_a_change(by):
    start = t(1.0, 2.0)
    p = ms.Parameter(start, name="p")
    tied, array, data, value = made(5.0, 6.0), p.asnumpy(), p.data, p.value()
    tied.set_data(p)
    CHANGES[by](p)
    return now(p, start, tied, data, value), array.copy()


@case(each={"source": ["parameter", "data", "value", "computed"], "by": ["assign_add", "SGD", "set_data"]})
def test_what_set_data_ties(source, by):
    p, other = made(1.0, 2.0), made(5.0, 6.0)
    other.set_data(SOURCES[source](p))
    CHANGES[by](p)
    return now(p, other)


@case
def test_assign_copies():
    p, other = made(1.0, 2.0), made(5.0, 6.0)
    ops.assign(other, p)
    ops.assign_add(p, t(1.0, 1.0))
    return now(p, other)


@case
def test_set_data_shares_a_tensor():
    p, new = made(1.0, 2.0), t(7.0, 8.0)
    p.set_data(new)
    ops.assign_add(p, t(1.0, 1.0))
    return now(p, new)


@case(each={"how": list(SOURCES)})
def test_what_follows_an_update(how):
    p = made(1.0, 2.0)
    seen = SOURCES[how](p)
    nn.SGD([p], 0.5)((t(2.0, 2.0),))
    updated = now(seen)
    p.set_data(t(9.0, 9.0))
    return updated, now(seen)


@case
def test_a_tensor_of_a_parameter_keeps_its_memory():
    p = made(1.0, 2.0)
    seen = ms.Tensor(p)
    seen[0] = 4.0
    ops.assign_add(p, t(1.0, 1.0))
    updated = now(p, seen)
    p.set_data(t(9.0, 9.0))
    return updated, now(p, seen)


@case(mode="BOTH")
def test_a_target_network_set_from_the_online_one_follows_it():
    """As DQN programs do it; they may want assign."""
    online, target = nn.Dense(2, 1), nn.Dense(2, 1)
    for p, q in zip(target.get_parameters(), online.get_parameters(), strict=True):
        p.set_data(q)
    step = nn.TrainOneStepCell(nn.WithLossCell(online, nn.MSELoss()), nn.SGD(online.trainable_params(), 0.1))
    step.set_train()
    step(t([1.0, 2.0]), t([1.0]))
    return [bool((p.asnumpy() == q.asnumpy()).all())
            for p, q in zip(target.get_parameters(), online.get_parameters(), strict=True)]


@case
def test_data_is_a_plain_tensor():
    p = made(1.0, 2.0)
    old = p.data
    p.data = t(3.0, 4.0)
    return type(old).__name__, str(old), hasattr(old, "name"), now(p, old)


@case
def test_writing_to_data_writes_to_the_parameter():
    p = made(1.0, 2.0)
    p.data[0] = 5.0
    p.value()[1] = 6.0
    return now(p)


@case(mode="BOTH")
def test_no_gradient_flows_through_data():
    class Net(nn.Cell):
        def __init__(self):
            super().__init__()
            self.w = made(1.0, 2.0)
            self.v = made(1.0, 2.0)

        def construct(self, x):
            return (self.w.data * x * x + self.v.value() * x).sum()

    net = Net()
    net.v.name = "v"
    return ms.grad(net, None, net.trainable_params())(t(3.0, 4.0))


@case(each={"data": [t(1.0, 2.0, 3.0), t([1.0, 2.0]), 1, 2.5, True]})
def test_set_data_takes_any_shape(data):
    p = made(5.0, 6.0)
    p.set_data(data)
    return p.shape, str(p.dtype), p.asnumpy().copy()


@case(each={"dtype": [ms.float16, ms.float64, ms.int32]})
def test_set_data_casts(dtype):
    p = ms.Parameter(ms.Tensor([1, 2], ms.int64), name="p")
    q = made(1.0, 2.0)
    new = ms.Tensor([3.5, 4.5], ms.float32).astype(dtype)
    p.set_data(new)
    q.set_data(new)
    return str(p.dtype), str(q.dtype), now(p, q)


@case(raises=True, each={"data": [[1.0, 2.0], "1", None, np.ones(2, np.float32)]})
def test_set_data_of_anything_else(data):
    made(1.0, 2.0).set_data(data)


@case(raises=True)
def test_a_float_into_an_integer_parameter():
    ms.Parameter(ms.Tensor([1, 2]), name="p").set_data(2.5)


@case
def test_param_info_of_another_parameter():
    weight = ms.Parameter(t(1.0, 2.0), name="w", requires_grad=False, layerwise_parallel=True)
    state = ms.Parameter(t(0.0, 0.0))
    state.param_info = weight.param_info.clone()
    state.name = "moment." + state.name
    return weight.name, state.name, state.requires_grad, state.layerwise_parallel, state.value()


@case(each={"of": ["parameter", "frozen", "tensor"]})
def test_a_shallow_copy_has_a_content_of_its_own(of):
    one = t(1.0, 2.0) if of == "tensor" else ms.Parameter(t(1.0, 2.0), name="w", requires_grad=of != "frozen")
    other = copy.copy(one)
    other[0] = 5.0
    told = () if of == "tensor" else (other.name, other.requires_grad)
    return type(other).__name__, one + 0.0, other + 0.0, told
