"""ms2torch convert-checkpoint: rules both ways, the way back to the bit, what has no partner, bad input."""

import os

import numpy as np
import pytest
import torch

import ms2torch as ms
from ms2torch import nn
from ms2torch.convert.command import main


class Net(nn.Cell):
    """A layer of each kind whose names or shapes differ."""

    def __init__(self):
        super().__init__()
        self.embed = nn.Embedding(7, 6)
        self.conv = nn.Conv1d(6, 4, 3, has_bias=True, pad_mode="valid")
        self.norm = nn.LayerNorm((4,))
        self.lstm = nn.LSTM(4, 5, batch_first=True)
        self.bn = nn.BatchNorm1d(5)
        self.act_prelu = nn.PReLU(5)
        self.fc = nn.Dense(5, 3)

    def construct(self, x):
        x = self.conv(self.embed(x).swapaxes(1, 2)).swapaxes(1, 2)
        x = self.lstm(self.norm(x))[0][:, -1]
        return self.fc(self.act_prelu(self.bn(x)))


class Port(torch.nn.Module):
    """The same in PyTorch, with the same names of layers."""

    def __init__(self):
        super().__init__()
        self.embed = torch.nn.Embedding(7, 6)
        self.conv = torch.nn.Conv1d(6, 4, 3)
        self.norm = torch.nn.LayerNorm(4, eps=1e-7)
        self.lstm = torch.nn.LSTM(4, 5, batch_first=True)
        self.bn = torch.nn.BatchNorm1d(5)
        self.act_prelu = torch.nn.PReLU(5)
        self.fc = torch.nn.Linear(5, 3)

    def forward(self, x):
        x = self.conv(self.embed(x).transpose(1, 2)).transpose(1, 2)
        x = self.lstm(self.norm(x))[0][:, -1]
        return self.fc(self.act_prelu(self.bn(x)))


WORDS = np.arange(14).reshape(2, 7) % 7


def filled(net):
    """With values that no initializer gives."""
    draw = np.random.default_rng(0)
    for p in net.get_parameters():
        p.set_data(ms.Tensor(draw.uniform(0.1, 1, p.shape).astype(np.float32)))
    return net.set_train(False)


def values(path):
    """Names and bits of a checkpoint as MindSpore loads it."""
    found = ms.load_checkpoint(str(path), format="safetensors" if str(path).endswith("rs") else "ckpt")
    return {
        k: v if isinstance(v, str) else (str(v.dtype), tuple(v.shape), v.torch().view(-1))
        for k, v in found.items()
    }


def same(one, two):
    assert list(one) == list(two)
    for name, value in one.items():
        if isinstance(value, str):
            assert value == two[name]
        else:
            assert value[:2] == two[name][:2] and torch.equal(bits(value[2]), bits(two[name][2])), name


def bits(t):
    return t.contiguous().view(torch.uint8)


def convert(*arguments):
    return main([str(a) for a in arguments])


@pytest.mark.parametrize("ending", ["pt", "safetensors"])
def test_by_rules_to_pytorch_and_back_and_the_outputs_agree(tmp_path, ending):
    net, port = filled(Net()), Port().eval()
    ms.save_checkpoint(net, str(tmp_path / "a.ckpt"))
    out = tmp_path / f"b.{ending}"
    assert convert(tmp_path / "a.ckpt", "-o", out) == 0
    loaded = torch.load(out, weights_only=True, mmap=True) if ending == "pt" else read_safetensors(out)
    port.load_state_dict(loaded)
    with torch.no_grad():
        theirs = port(torch.tensor(WORDS))
    assert np.abs(net(ms.Tensor(WORDS, ms.int32)).asnumpy() - theirs.numpy()).max() < 1e-6
    assert convert(out, "-o", tmp_path / "c.ckpt") == 0
    same(values(tmp_path / "a.ckpt"), values(tmp_path / "c.ckpt"))
    assert not [name for name in os.listdir(tmp_path) if name.endswith(".part")]


def read_safetensors(path):
    from ms2torch.train import _safetensors

    with open(path, "rb") as file:
        return _safetensors.read(file, os.path.getsize(path))[0]


@pytest.mark.parametrize("ending", ["ckpt", "safetensors"])
def test_by_rules_to_mindspore_and_back(tmp_path, ending):
    torch.manual_seed(0)
    port, net = Port().eval(), Net().set_train(False)
    port.bn.running_mean.uniform_()
    port.bn.num_batches_tracked += 3
    torch.save(port.state_dict(), tmp_path / "a.pt")
    assert convert(tmp_path / "a.pt", "-o", tmp_path / f"b.{ending}", "--to", "mindspore") == 0
    loaded = ms.load_checkpoint(str(tmp_path / f"b.{ending}"), format=ending)
    assert ms.load_param_into_net(net, loaded, strict_load=True) == ([], [])
    with torch.no_grad():
        theirs = port(torch.tensor(WORDS))
    assert np.abs(net(ms.Tensor(WORDS, ms.int32)).asnumpy() - theirs.numpy()).max() < 1e-6
    assert convert(tmp_path / f"b.{ending}", "-o", tmp_path / "c.pt") == 0
    again = torch.load(tmp_path / "c.pt", weights_only=True)
    assert list(again) == list(port.state_dict())
    assert all(torch.equal(again[n], t) and again[n].dtype == t.dtype for n, t in port.state_dict().items())


def trained(make_optimizer):
    """What a MindSpore training saves after a step."""
    net = nn.SequentialCell(nn.Conv1d(2, 3, 3), Height(), nn.BatchNorm2d(3), nn.Flatten(), nn.Dense(15, 2))
    optimizer = make_optimizer(net.trainable_params())
    step = nn.TrainOneStepCell(nn.WithLossCell(net, nn.MSELoss()), optimizer)
    step(ms.ops.ones((2, 2, 5)), ms.ops.ones((2, 2)))
    return step


class Height(nn.Cell):
    def construct(self, x):
        return x.expand_dims(2)


@pytest.mark.parametrize("make", [
    lambda p: nn.Momentum(p, 0.1, 0.9), lambda p: nn.Adam(p, nn.cosine_decay_lr(0.0, 0.1, 10, 1, 2)),
    lambda p: nn.AdamWeightDecay(p), lambda p: nn.RMSProp(p, 0.1, centered=True),
    lambda p: nn.ASGD(p), lambda p: nn.SGD(p, 0.1, 0.9), lambda p: nn.Adagrad(p),
], ids=["momentum", "adam", "adamw", "rmsprop", "asgd", "sgd", "adagrad"])  # fmt: skip
@pytest.mark.parametrize("ending", ["pt", "safetensors"])
def test_optimizer_state_comes_along_and_back_to_the_bit(tmp_path, make, ending):
    step = trained(make)
    extra = {"epoch_num": 3, "half": ms.Tensor([1.5], ms.bfloat16), "note": "run 7"}
    ms.save_checkpoint(step, str(tmp_path / "a.ckpt"), append_dict=extra)
    assert convert(tmp_path / "a.ckpt", "-o", tmp_path / f"b.{ending}") == 0
    assert convert(tmp_path / f"b.{ending}", "-o", tmp_path / "c.ckpt") == 0
    same(values(tmp_path / "a.ckpt"), values(tmp_path / "c.ckpt"))


def test_adams_state_goes_on_in_pytorch(tmp_path):
    step = trained(lambda p: nn.Adam(p, 0.1))
    ms.save_checkpoint(step, str(tmp_path / "a.ckpt"))
    assert convert(tmp_path / "a.ckpt", "-o", tmp_path / "b.pt") == 0
    saved = torch.load(tmp_path / "b.pt", weights_only=True)
    state = saved["optimizer_state_dict"]["state"]
    assert set(state["4.weight"]) == {"exp_avg", "exp_avg_sq", "step"} and state["4.weight"]["step"] == 1
    assert state["0.weight"]["exp_avg"].shape == saved["model_state_dict"]["0.weight"].shape == (3, 2, 3)
    assert saved["optimizer_state_dict"]["global_step"].tolist() == [1]
    assert convert(tmp_path / "a.ckpt", "-o", tmp_path / "n.pt", "--no-optimizer") == 0
    assert "4.weight" in torch.load(tmp_path / "n.pt", weights_only=True)


def test_pytorchs_own_optimizer_state(tmp_path):
    torch.manual_seed(0)
    net = torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.BatchNorm1d(4), torch.nn.Linear(4, 2))
    group = {"lr": 0.01, "betas": (0.9, 0.999), "eps": 1e-8, "weight_decay": 0, "params": list(range(6))}
    state = {i: {"step": torch.tensor(3.0), "exp_avg": torch.rand_like(p), "exp_avg_sq": torch.rand_like(p)}
             for i, p in enumerate(net.parameters())}  # fmt: skip
    optimizer = {"state": state, "param_groups": [group]}  # as torch.optim.Adam's state_dict is
    torch.save({"model": net.state_dict(), "optimizer": optimizer, "epoch": 3}, tmp_path / "a.pt")
    assert convert(tmp_path / "a.pt", "-o", tmp_path / "b.ckpt") == 0
    found = ms.load_checkpoint(str(tmp_path / "b.ckpt"))
    ours = nn.SequentialCell(nn.Dense(3, 4), nn.BatchNorm1d(4), nn.Dense(4, 2))
    adam = nn.Adam(ours.trainable_params(), 0.01)
    assert ms.load_param_into_net(ours, found, strict_load=True)[0] == []
    assert ms.load_param_into_net(adam, found, strict_load=True)[0] == []
    assert found["learning_rate"].asnumpy() == np.float32(0.01)
    assert found["beta1_power"].asnumpy() == pytest.approx(0.9**3) and found["global_step"].asnumpy() == 3
    assert np.array_equal(found["moment1.2.weight"].asnumpy(), state[4]["exp_avg"].numpy())
    assert convert(tmp_path / "b.ckpt", "-o", tmp_path / "c.pt") == 0
    again = torch.load(tmp_path / "c.pt", weights_only=True)
    assert again["epoch"] == 3 and again["optimizer"]["param_groups"] == [group]
    assert all(
        torch.equal(again["optimizer"]["state"][i][k], t)
        for i, kinds in state.items()
        for k, t in kinds.items()
    )


def test_an_optimizer_numbers_a_tied_weight_once(tmp_path):
    torch.manual_seed(0)
    layers = torch.nn.Embedding(5, 3), torch.nn.Linear(3, 3), torch.nn.Linear(3, 5, bias=False)
    net = torch.nn.Sequential(*layers)
    net[2].weight = net[0].weight
    optimizer = torch.optim.AdamW(net.parameters())
    net(torch.tensor([1, 2])).sum().backward()
    optimizer.step()
    state = optimizer.state_dict()
    torch.save({"model": net.state_dict(), "optimizer": state}, tmp_path / "a.pt")
    assert convert(tmp_path / "a.pt", "-o", tmp_path / "b.ckpt") == 0
    found = ms.load_checkpoint(str(tmp_path / "b.ckpt"))
    assert np.array_equal(found["moment1.1.bias"].asnumpy(), state["state"][2]["exp_avg"].numpy())
    assert convert(tmp_path / "b.ckpt", "-o", tmp_path / "c.pt") == 0
    again = torch.load(tmp_path / "c.pt", weights_only=True)["optimizer"]
    optimizer.load_state_dict(again)
    pairs = [(again["state"][i][k], t) for i, kinds in state["state"].items() for k, t in kinds.items()]
    assert all(torch.equal(a, b) for a, b in pairs)


def test_several_networks_and_a_list_of_one_optimizer_come_back_nested(tmp_path, capsys):
    torch.manual_seed(0)
    net, other = torch.nn.Linear(3, 2), torch.nn.Linear(3, 2)
    optimizer = torch.optim.Adam(net.parameters(), 0.1)
    net(torch.ones(4, 3)).square().sum().backward()
    optimizer.step()
    kept = optimizer.state_dict()
    files = {
        "several": {"gen": net.state_dict(), "dis": other.state_dict(), "opt": {"state": kept["state"]}},
        "listed": {"state_dict": net.state_dict(), "optimizer_states": [kept], "epoch": 3},
    }
    for name, content in files.items():
        torch.save(content, tmp_path / f"{name}.pt")
        assert main([str(tmp_path / f"{name}.pt"), "-o", str(tmp_path / f"{name}.ckpt")]) == 0
        assert main([str(tmp_path / f"{name}.ckpt"), "-o", str(tmp_path / f"{name}.pth")]) == 0
        _same(torch.load(tmp_path / f"{name}.pth", weights_only=True), content)
    content = {"model": net.state_dict(), "optimizers": [kept, kept], "args": {"lr": 0.1}}
    torch.save(content, tmp_path / "two.pt")
    capsys.readouterr()
    assert main([str(tmp_path / "two.pt"), "-o", str(tmp_path / "two.ckpt")]) == 0
    assert "left out: optimizers (tensors beside the network's), args" in capsys.readouterr().out


def _same(one, two) -> None:
    if isinstance(two, torch.Tensor):
        assert torch.equal(one, two)
    elif isinstance(two, dict):
        assert list(one) == list(two)
        for key in two:
            _same(one[key], two[key])
    elif isinstance(two, (list, tuple)):
        for a, b in zip(one, two, strict=True):
            _same(a, b)
    else:
        assert one == two
