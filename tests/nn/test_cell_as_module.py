"""A Cell is a torch Module, whatever names its users assign: torch's tools go on working."""

import copy
import io

import numpy as np
import pytest
import torch

import ms2torch as ms
from ms2torch import Parameter, Tensor, nn

PUBLIC = sorted(
    n for n in dir(torch.nn.Module) if not n.startswith("_") and callable(getattr(torch.nn.Module, n))
)
# MindSpore's Cell has these itself (or they are the computation): an assignment shadows them there too.
OWN = {
    "forward",
    "compile",
    "extra_repr",
    "register_forward_hook",
    "register_forward_pre_hook",
    "register_buffer",
}


class Linear(nn.Cell):
    def __init__(self):
        super().__init__()
        self.weight = Parameter(Tensor(np.arange(6, dtype=np.float32).reshape(3, 2)), name="weight")

    def construct(self, x):
        return x @ self.weight


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.first = Linear()
        self.scale = Parameter(Tensor([2.0, 3.0]), name="scale")

    def construct(self, x):
        return self.first(x) * self.scale


@pytest.mark.parametrize("name", [n for n in PUBLIC if n not in OWN])
def test_assigned_name_reads_back_and_torch_finds_its_method(name):
    parent, child = Net(), Net()
    setattr(child, name, "mine")
    parent.child = child
    assert getattr(child, name) == "mine"
    assert len(list(torch.nn.Module.modules(parent))) == 4
    assert list(torch.nn.Module.state_dict(parent)) == [
        "scale",
        "first.weight",
        "child.scale",
        "child.first.weight",
    ]
    torch.nn.Module.train(parent, True)
    assert child.training and child.first.training
    torch.nn.Module.to(parent, torch.float64)
    assert child.first.weight.dtype == ms.float64
    copied = copy.deepcopy(parent)
    assert getattr(copied.child, name) == "mine"
    adapted = ms.to_torch(parent)
    assert len(list(adapted.parameters())) == 4
    delattr(child, name)
    assert callable(getattr(child, name))


def test_a_method_of_the_users_with_torchs_name_is_the_users():
    class Named(Net):
        def train(self):
            return "my own training"

        def half(self):
            return 0.5

    net = Named()
    assert (net.train(), net.half()) == ("my own training", 0.5)
    parent = nn.Cell()
    parent.child = net
    torch.nn.Module.train(parent, True)
    assert net.training and net.first.training


def test_child_names_with_dots():
    net = Net()
    setattr(net, "a.b", Linear())
    assert [name for name, _ in net.cells_and_names()] == ["", "first", "a.b"]
    assert "a.b.weight" in torch.nn.Module.state_dict(net)
    saved = {name: value + 1 for name, value in net.state_dict().items()}
    before = getattr(net, "a.b").weight.asnumpy().copy()
    net.load_state_dict(saved)
    np.testing.assert_array_equal(getattr(net, "a.b").weight.asnumpy(), before + 1)
    with pytest.raises(RuntimeError, match=r"Unexpected key.*a\.c\.weight"):
        net.load_state_dict({**saved, "a.c.weight": torch.zeros(1)})


def test_state_dict_loads_into_the_wrapper():
    net, other = Net(), Net()
    other.scale.set_data(Tensor([5.0, 7.0]))
    net.load_state_dict(other.state_dict())
    assert net.scale.asnumpy().tolist() == [5.0, 7.0]
    net.load_state_dict({k: v + 1 for k, v in other.state_dict().items()}, assign=True)
    assert net.scale.asnumpy().tolist() == [6.0, 8.0]
    assert net(Tensor([[1.0, 0.0, 0.0]])).asnumpy().tolist() == [[6.0, 16.0]]


def test_functional_call_uses_its_tensors_and_puts_the_old_back():
    net = Net()
    out = torch.func.functional_call(net, {"scale": torch.zeros(2)}, (Tensor([[1.0, 1.0, 1.0]]),))
    assert out.asnumpy().tolist() == [[0.0, 0.0]]
    assert net(Tensor([[1.0, 1.0, 1.0]])).asnumpy().tolist() == [[12.0, 27.0]]


def test_to_meta_and_back_is_seen_by_the_wrapper():
    net = Net()
    torch.nn.Module.to(net, "meta")
    assert net.scale.torch().device.type == "meta"


def test_torch_optim_on_a_bare_cell_is_refused():
    with pytest.raises(TypeError, match="to_torch"):
        torch.optim.SGD(Net().parameters(), 0.1)
    with pytest.raises(TypeError, match="to_torch"):
        torch.optim.Adam(Net().named_parameters(), 0.1)


def test_torch_trains_through_to_torch():
    net = Net()
    module = ms.to_torch(net)
    optimizer = torch.optim.SGD(module.parameters(), 0.1)
    x = torch.tensor([[1.0, 1.0, 1.0]])
    loss = module(x).sum()
    loss.backward()
    assert {n: p.grad.tolist() for n, p in module.named_parameters()} == {
        "scale": [6.0, 9.0],
        "first.weight": [[2.0, 3.0]] * 3,
    }
    optimizer.step()
    np.testing.assert_allclose(net.scale.asnumpy(), [1.4, 2.1], rtol=1e-6)
    assert not any(p.requires_grad for p in torch.nn.Module.parameters(net))
    net.scale.set_data(Tensor([1.0, 1.0]))
    np.testing.assert_allclose(module(x).detach(), net(Tensor(x)).asnumpy())
    assert module(x).requires_grad


def test_state_that_does_not_train_is_a_buffer_of_to_torch():
    net = Net()
    net.scale.requires_grad = False
    module = ms.to_torch(net)
    assert [n for n, _ in module.named_parameters()] == ["first.weight"]
    assert [n for n, _ in module.named_buffers()] == ["scale"]
    assert list(module.state_dict()) == ["scale", "first.weight"]


def test_a_torch_module_inside_a_cell_trains():
    class Mixed(nn.Cell):
        def __init__(self):
            super().__init__()
            self.linear = torch.nn.Linear(2, 1, bias=False)

        def construct(self, x):
            return self.linear(x) * self.linear(x)

    net = Mixed()
    weights = net.trainable_params()
    assert [(p.name, p.shape) for p in weights] == [("linear.weight", (1, 2))]
    with torch.no_grad():
        net.linear.weight.copy_(torch.tensor([[1.0, 2.0]]))
    (grad,) = ms.grad(net, None, weights)(Tensor([[1.0, 1.0]]))
    assert grad.asnumpy().tolist() == [[6.0, 6.0]]
    assert net.linear.weight.grad is None and not net.linear.weight.requires_grad
    assert isinstance(net(Tensor([[1.0, 1.0]])), Tensor)
    assert isinstance(net.linear(torch.ones(1, 2)), torch.Tensor)


@pytest.mark.skipif(torch.__version__ < "2.13", reason="torch 2.12 does not trace what Tensors are made of")
def test_compile_gives_eager_numbers_in_one_graph():
    class Affine(nn.Cell):
        def __init__(self):
            super().__init__()
            self.inner = nn.CellList([Scaled(), Scaled()])

        def construct(self, x):
            for cell in self.inner:
                x = cell(x) + x
            return x

    class Scaled(nn.Cell):
        def __init__(self):
            super().__init__()
            self.scale = Parameter(Tensor([2.0, 3.0]), name="scale")

        def construct(self, x):
            return x * self.scale - 1.0

    net = Affine()
    compiled = torch.compile(lambda x: net(x), backend="eager", fullgraph=True)
    x = Tensor([[1.0, 2.0]])
    np.testing.assert_array_equal(compiled(x).asnumpy(), net(x).asnumpy())


def test_pickle_and_deepcopy_keep_names_and_numbers():
    import pickle

    net = Net()
    twin = copy.deepcopy(net)
    assert [p.name for p in twin.get_parameters()] == [p.name for p in net.get_parameters()]
    twin.scale.set_data(Tensor([9.0, 9.0]))
    assert net.scale.asnumpy().tolist() == [2.0, 3.0]
    stream = io.BytesIO(pickle.dumps(twin.scale))
    again = pickle.load(stream)
    assert (again.name, again.asnumpy().tolist()) == ("scale", [9.0, 9.0])


class _Served:
    def forward(self, x):
        return "served", x

    def train(self):
        return "trained by it"


class _AlsoServed:
    def forward(self, x):
        return "never", x


def test_names_of_a_class_behind_the_cell_are_its_own():
    """MindSpore's Cell has neither name; torch still finds its Module's methods."""

    class Net(nn.Cell, _Served, _AlsoServed):
        def construct(self, x):
            return x + 1

    net = Net()
    assert net.forward(1) == ("served", 1)
    assert net.train() == "trained by it"
    assert torch.nn.Sequential(net).train() is not None
