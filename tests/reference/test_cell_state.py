"""Buffers of a Cell, its ``state_dict`` and ``load_state_dict``, and their hooks."""
import os
import tempfile

import mindspore as ms
import numpy as np
from mindspore import Parameter, Tensor, nn
from mindspore.common.parameter import _Buffer
from mindspore.nn.cell import register_cell_buffer_registration_hook

from tests.reference.judge import case


class Net(nn.Cell):
    def __init__(self, size=3):
        super().__init__()
        self.w = Parameter(Tensor(np.arange(size), ms.float32), name="its own name")
        self.d = nn.Dense(2, 2, weight_init="ones", bias_init="zeros")
        self.register_buffer("b", Tensor([1.0, 2.0]))
        self.register_buffer("passing", Tensor([3.0]), persistent=False)
        self.marked = _Buffer(Tensor([5.0]))

    def construct(self, x):
        return x * self.b


class Keeper(Net):
    def get_extra_state(self):
        return {"k": 1}

    def set_extra_state(self, state):
        self.kept = state


def changed(**entries):
    """Its state with entries changed, None taken out."""
    state = Net().state_dict()
    for name, value in entries.items():
        state[name.replace("__", ".")] = value
    return {name: value for name, value in state.items() if value is not None}


def kinds(state):
    return [(name, type(value).__name__) for name, value in state.items()]


def loaded(state, **how):
    net = Net()
    return str(net.load_state_dict(state, **how)), dict(net.state_dict())


def assigned(name, value):
    net = Net()
    setattr(net, name, value)
    return getattr(net, name), [key for key, _ in net.named_buffers()]


REFUSED = {
    "buffer_of_a_number": lambda: _Buffer(1.0),
    "buffer_of_none": lambda: _Buffer(None),
    "destination": lambda: Net().state_dict(destination=[]),
    "dotted": lambda: Net().register_buffer("a.b", Tensor([1.0])),
    "empty_name": lambda: Net().register_buffer("", Tensor([1.0])),
    "entry_kind": lambda: loaded(changed(w=3)),
    "extra_missing": lambda: Keeper().load_state_dict(Net().state_dict()),
    "extra_state_without": lambda: Net().get_extra_state(),
    "extra_unexpected": lambda: loaded(Keeper().state_dict()),
    "get_buffer": lambda: Net().get_buffer("w"),
    "get_missing_buffer": lambda: Net().get_buffer("d.zz"),
    "get_sub_cell": lambda: Net().get_sub_cell("d.zz"),
    "keep_vars": lambda: Net().state_dict(keep_vars=1),
    "missing": lambda: loaded(changed(w=None)),
    "no_dict": lambda: loaded([1]),
    "no_tensor": lambda: Net().register_buffer("q", 1.0),
    "number_as_name": lambda: Net().register_buffer(1, Tensor([1.0])),
    "number_into_buffer": lambda: assigned("b", 1),
    "prefix": lambda: Net().state_dict(prefix=1),
    "shape": lambda: loaded(Net(4).state_dict()),
    "taken": lambda: Net().register_buffer("w", Tensor([1.0])),
    "tensor_into_buffer": lambda: assigned("b", Tensor([1.0])),
    "unexpected": lambda: loaded(changed(zz=Tensor([1.0]), q__r=Tensor([2.0]), d__no=Tensor([3.0]))),
}


@case(raises=True, each={"what": list(REFUSED)})
def test_refused(what):
    REFUSED[what]()


@case
def test_state():
    given = {"before": 1}
    state = Net().state_dict(destination=given, prefix="p.")
    return kinds(Net().state_dict()), dict(Net().state_dict()._metadata), state is given, list(state)


@case
def test_loading():
    other = Net()
    other.w.set_data(Tensor([7.0, 8.0, 9.0]))
    other.b.assign_value(Tensor([4.0, 4.0]))
    integers = changed(w=Tensor([1, 2, 3], ms.int32))
    return loaded(other.state_dict()), loaded(integers), loaded(changed(w=None, zz=Tensor([1.0])), strict=False)


@case
def test_buffers():
    net = Net()
    net.register_buffer("b", Tensor([9.0]))
    net.register_buffer("none", None)
    net.marked.assign_value(Tensor([6.0]))
    is_buffer = [isinstance(x, _Buffer) for x in (net.b, net.marked, net.w, Tensor([1.0]))]
    return dict(net.named_buffers(prefix="p")), list(net.buffers()), net.get_buffer("b"), is_buffer, net(Tensor([2.0]))


@case(each={"value": [None, "buffer"]})
def test_assigned_to_a_buffer(value):
    return assigned("b", None if value is None else _Buffer(Tensor([8.0])))


@case(mode="BOTH")
def test_half_precision():
    return Net().to_float(ms.float16)(Tensor([1.0, 2.0]))


@case
def test_extra_state():
    keeper = Keeper()
    keeper.load_state_dict(Keeper().state_dict())
    return list(Keeper().state_dict()), keeper.kept


@case
def test_hooks():
    seen = []
    net = Net()
    net.register_state_dict_pre_hook(lambda c, p, k: seen.append(("save", type(c).__name__, p, k)))
    net.register_state_dict_post_hook(lambda c, d, p, m: seen.append(("saved", list(d), p, str(m))))
    net.register_load_state_dict_pre_hook(lambda c, d, p, m, s, *lists: seen.append(("load", list(d), p, s)))
    handle = net.register_load_state_dict_post_hook(lambda c, k: seen.append(("loaded", str(k))))
    net.load_state_dict(net.state_dict())
    handle.remove()
    net.load_state_dict(net.state_dict())
    return seen


@case(raises=True, each={"how": ["register_state_dict_post_hook", "register_load_state_dict_post_hook"]})
def test_a_hook_that_returns(how):
    net = Net()
    getattr(net, how)(lambda *args: 1)
    net.load_state_dict(net.state_dict())


@case
def test_registration_hook():
    names = []

    def replace(cell, name, buffer):
        names.append(name)
        return Tensor([42.0])

    handle = register_cell_buffer_registration_hook(replace)
    net = Net()
    handle.remove()
    return names, net.b, Net().b


@case
def test_checkpoint_of_a_state():
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "a.ckpt")
        ms.save_checkpoint(Net().state_dict(), path)
        return kinds(ms.load_checkpoint(path))
