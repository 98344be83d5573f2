"""What training takes up: the weights of the other side, a training step's checkpoint, LARS's rates."""

import ast

import pytest
import torch

import ms2torch as ms
from ms2torch import nn
from ms2torch.train import ModelCheckpoint

pytest.importorskip("libcst")
from ms2torch.translate import translate_source
from ms2torch.translate.helpers.loops import Checkpoints
from ms2torch.translate.helpers.optimizers import lars, scheduled
from ms2torch.translate.helpers.steps import TrainStep, WithLoss, load_state_of_step, state_of_step
from ms2torch.translate.twins import asked_of_others, definitions
from ms2torch.translate.whole import Training

HEAD = """
import mindspore as ms
from mindspore import nn
net = nn.SequentialCell(nn.Dense(3, 2), nn.LayerNorm((2,)))
"""


@pytest.mark.parametrize("clip", [False, True])
@pytest.mark.parametrize("scale", [1.0, 8.0])
def test_lars_gives_each_tensor_a_rate_of_its_own(clip, scale):
    weights = [torch.tensor([[1.0, -2.0], [0.5, 3.0]]), torch.tensor([0.5, -0.25])]
    own = [ms.Parameter(ms.Tensor(w.numpy()), name=n) for w, n in zip(weights, ("w", "bias"), strict=True)]
    inner = nn.Momentum(own, [0.5, 0.25], 0.9, weight_decay=0.1, loss_scale=scale)
    original = nn.LARS(inner, 1e-6, 0.02, clip)
    moved = [torch.nn.Parameter(w.clone()) for w in weights]
    moved[0].label, moved[1].label = "w", "bias"
    inside = torch.optim.SGD(moved, lr=1.0, momentum=0.9, weight_decay=0.1)
    made = lars(scheduled(inside, [0.5, 0.25]), 1e-6, 0.02, clip)
    for step in (1, 2):
        given = [w.cos() * step for w in weights]
        original(tuple(ms.Tensor((g * scale).numpy()) for g in given))
        for p, g in zip(moved, given, strict=True):
            p.grad = g.clone()
        made.step()
        for p, mine in zip(moved, own, strict=True):
            torch.testing.assert_close(p.detach(), torch.tensor(mine.asnumpy()))


def test_lars_is_told_the_names_that_its_filter_asks_for():
    text = HEAD + (
        "inner = nn.Momentum(net.trainable_params(), 0.1, 0.9, weight_decay=0.1)\n"
        "opt = nn.LARS(inner, epsilon=1e-6, lars_filter=lambda p: 'bias' not in p.name)\n"
    )
    translation = translate_source(text)
    assert all(site.settled for site in translation.sites)
    space = {}
    exec(translation.text, space)
    net, made = space["net"], space["opt"]
    before = [p.detach().clone() for p in net.parameters()]
    net(torch.ones(4, 3)).square().sum().backward()
    made.step()
    moved = [float((a - b).norm() / b.norm()) for a, b in zip(net.parameters(), before, strict=True)]
    assert moved[0] == pytest.approx(1e-4, rel=0.1)  # its rate times LARS's coefficient


def test_a_training_steps_checkpoint_has_its_networks_names_and_takes_up_where_it_was(tmp_path):
    text = HEAD + (
        "with_loss = nn.WithLossCell(net, nn.MSELoss())\n"
        "step = nn.TrainOneStepCell(with_loss, nn.Adam(net.trainable_params(), 0.1))\n"
        'ms.save_checkpoint(step, "s.ckpt", append_dict={"epoch": 3})\n'
        'state = ms.load_checkpoint("s.ckpt")\nms.load_param_into_net(step, state)\n'
    )
    translation = translate_source(text)
    assert all(site.settled for site in translation.sites)
    assert 'torch.save(state_of_step(step) | {"epoch": torch.as_tensor(3)}, "s.ckpt")' in translation.text
    assert "load_state_of_step(step, state)" in translation.text

    def made(seed):
        torch.manual_seed(seed)
        net = torch.nn.Linear(3, 1)
        rates = [0.1, 0.05, 0.02, 0.01]
        optimizer = scheduled(torch.optim.Adam(net.parameters(), lr=1.0), rates)
        return TrainStep(WithLoss(net, torch.nn.MSELoss()), optimizer)

    torch.manual_seed(0)
    x, y = torch.randn(5, 3), torch.randn(5, 1)
    first, other = made(1), made(2)
    for _ in range(2):
        first(x, y)
    torch.save(state_of_step(first) | {"epoch": torch.as_tensor(3)}, tmp_path / "s.ckpt")
    kept = torch.load(tmp_path / "s.ckpt", weights_only=True)
    assert {"weight", "bias"} <= kept.keys()
    missing, unknown = load_state_of_step(other, kept)
    assert (missing, unknown) == ([], ["epoch"])
    assert [first(x, y) for _ in range(2)] == [other(x, y) for _ in range(2)]
    assert other.optimizer.param_groups[0]["lr"] == 0.01


def test_a_checkpoint_whose_names_a_part_hides_is_kept():
    text = HEAD + (
        "class WithLoss(nn.Cell):\n    def __init__(self, net):\n"
        "        super().__init__(auto_prefix=False)\n"
        "        self.net = net\n\n    def construct(self, x):\n        return self.net(x).sum()\n\n\n"
        "step = nn.TrainOneStepCell(WithLoss(net), nn.Adam(net.trainable_params(), 0.1))\n"
        'ms.save_checkpoint(step, "s.ckpt")\n'
    )
    (kept,) = [site for site in translate_source(text).sites if not site.settled]
    assert "other names in PyTorch" in kept.reason


def test_networks_start_as_the_other_sides_did_when_they_are_made():
    def side(seed, *given):
        torch.manual_seed(seed)
        with Training(*given) as training:

            class Net(torch.nn.Module):
                def __init__(self):
                    super().__init__()
                    self.fc = torch.nn.Linear(3, 2)

            class Whole(torch.nn.Module):
                def __init__(self, net):
                    super().__init__()
                    self.net, self.head = net, torch.nn.Linear(2, 1)

            net = Net()
            looked_at = net.fc.weight.detach().clone()
            whole = Whole(net)
            torch.nn.init.zeros_(net.fc.bias)  # as if loaded, before an optimizer is there
            average = Net()
        return training, looked_at, whole, average

    one, two = side(0), None
    two = side(1, [], one[0].networks.made)
    assert torch.equal(one[1], two[1])
    for a, b in zip(one[2:], two[2:], strict=True):
        assert all(torch.equal(p, q) for p, q in zip(a.parameters(), b.parameters(), strict=True))
    assert not hasattr(torch.nn.Module.__dict__.get("__init_subclass__"), "__func__")


def test_settings_that_other_files_import_are_a_part_of_what_a_file_defines():
    settings = "from types import SimpleNamespace as S\nconfig = S(width=3)\nmodel = S()\n"
    asked = asked_of_others([settings, "from settings import config\n"])
    kept, left = definitions(ast.parse(settings), asked)
    assert "config =" in ast.unparse(kept) and left == {"model"}


@pytest.mark.parametrize("prefix", ["net", "net_b"])
def test_checkpoints_of_an_earlier_training_stay(tmp_path, prefix):
    for number in ("", "_2"):
        (tmp_path / f"net{number}-1_4.ckpt").touch()
    for name in ("netto-1_4.ckpt", "net_5.ckpt", "net_7-1_4_breakpoint.ckpt", "net_8-1.txt"):
        (tmp_path / name).touch()
    ours = ModelCheckpoint(prefix, str(tmp_path))
    assert Checkpoints(prefix, str(tmp_path)).prefix == ours._prefix == {"net": "net_3"}.get(prefix, prefix)


_SAVING = """
import sys
import numpy as np
import mindspore as ms
from mindspore import nn, dataset as ds
from mindspore.train import Model, ModelCheckpoint, CheckpointConfig

net = nn.SequentialCell(nn.Dense(3, 2), nn.BatchNorm1d(2))
net.update_parameters_name("m.")
names = [p.name for p in net.get_parameters()]
data = ds.NumpySlicesDataset({"x": np.ones((8, 3), np.float32), "y": np.ones((8, 2), np.float32)}).batch(2)
saving = CheckpointConfig(3, 60, saved_network=net, append_info=["epoch_num", "step_num", {"rate": 0.5}])
model = Model(net, nn.MSELoss(), nn.SGD(net.trainable_params(), 0.1))
model.train(2, data, [ModelCheckpoint("net", FOLDER, saving)], dataset_sink_mode=False)
saved = ms.load_checkpoint(FOLDER + "/net-2_4.ckpt")
told = [float(saved[name]) for name in ("epoch_num", "step_num", "rate")]
"""


def test_what_a_checkpoint_holds_beside_the_network_and_the_names_behind_a_prefix(tmp_path):
    translation = translate_source(_SAVING)
    assert all(site.settled for site in translation.sites) and "ms2torch" not in translation.text
    files = []
    for name, text in (("here", _SAVING.replace("mindspore", "ms2torch")), ("there", translation.text)):
        space = {"FOLDER": str(tmp_path / name), "__name__": "trained"}
        exec(text, space)
        files.append((space["names"], space["told"], sorted(p.name for p in (tmp_path / name).iterdir())))
    assert files[0] == files[1]
    assert files[0][0][:2] == ["m.0.weight", "m.0.bias"] and files[0][1] == [2.0, 8.0, 0.5]


_PREFIXES = """
import mindspore as ms
from mindspore import nn

net, other = nn.Dense(3, 2), nn.Dense(2, 1)
optimizer = nn.Adam(net.trainable_params(), 0.1)
optimizer.update_parameters_name("optG.")
other.update_parameters_name("more.")
other.update_parameters_name("net.")
names = [p.name for one in (net, other) for p in one.get_parameters()]
"""


def test_an_optimizers_prefix_is_that_of_what_it_moves():
    translation = translate_source(_PREFIXES)
    assert all(site.settled for site in translation.sites) and "ms2torch" not in translation.text
    here, there = {"__name__": "here"}, {"__name__": "there"}
    exec(_PREFIXES.replace("mindspore", "ms2torch"), here)
    exec(translation.text, there)
    assert here["names"] == there["names"] == ["optG.weight", "optG.bias", "net.weight", "net.bias"]


def test_a_callback_stays_with_the_settings_that_stay():
    translation = translate_source(_SAVING.replace("(3, 60,", "(3, crc_check=True,"))
    assert {s.name.rsplit(".")[-1] for s in translation.sites if not s.settled} >= {
        "CheckpointConfig", "ModelCheckpoint"}
    assert '[ms2torch.to_torch(ms2torch.ModelCheckpoint)("net", FOLDER, saving)]' in translation.text


def test_a_metric_that_stays_takes_tensors_of_pytorch():
    metric = ms.train.ConfusionMatrix(2)
    metric.update(torch.tensor([[0.9, 0.1], [0.2, 0.8], [0.3, 0.7]]), torch.tensor([0, 1, 0]))
    assert metric.eval().tolist() == [[1, 1], [0, 1]]


_RATES = """
import numpy as np
import mindspore as ms
from mindspore import nn, dataset as ds
from mindspore.train import Model, ModelCheckpoint, CheckpointConfig

net = nn.Dense(4, 2)
w, b = net.weight, net.bias
data = ds.NumpySlicesDataset({"x": np.ones((8, 4), np.float32), "y": np.ones((8, 2), np.float32)}).batch(2)
opt = nn.OPTIMIZER
model = Model(net, nn.MSELoss(), opt)
model.train(1, data, [ModelCheckpoint("net", FOLDER, CheckpointConfig(4, 60))], dataset_sink_mode=False)
saved = ms.load_checkpoint(FOLDER + "/net-1_4.ckpt")
"""


# What MindSpore's files have besides the two parameters, where the optimizer's rates are by group or by step.
@pytest.mark.parametrize(("optimizer", "names"), [
    ("Momentum([w, b], 0.1, 0.9)", "global_step learning_rate momentum moments.weight moments.bias"),
    ("Momentum([w, b], [0.1] * 8, 0.9)", "global_step momentum moments.weight moments.bias learning_rate"),
    ("Momentum([w, b], nn.WarmUpLR(0.1, 5), 0.9)", "global_step momentum moments.weight moments.bias"),
    ("Momentum([{'params': [w]}, {'params': [b], 'lr': 0.2}], 0.1, 0.9)",
     "global_step learning_rate learning_rate_group_1 momentum moments.weight moments.bias"),
    ("Momentum([{'params': [b], 'lr': [0.1] * 8}, {'params': [w]}], 0.05, 0.9)",
     "global_step momentum moments.bias moments.weight learning_rate_group_0 learning_rate"),
    ("Momentum([{'params': [w], 'lr': nn.WarmUpLR(0.1, 5)}, {'params': [b]}], 0.05, 0.9)",
     "global_step momentum moments.weight moments.bias learning_rate"),
    ("Adam([w, b], [0.1] * 8)", "global_step beta1_power beta2_power moment1.weight moment1.bias "
     "moment2.weight moment2.bias learning_rate"),
    ("AdamWeightDecay([w, b], 0.1)",
     "global_step learning_rate adam_m.weight adam_m.bias adam_v.weight adam_v.bias"),
])  # fmt: skip
def test_a_checkpoint_names_rates_as_mindspore_does(tmp_path, optimizer, names):
    translation = translate_source(_RATES.replace("OPTIMIZER", optimizer))
    assert all(site.settled for site in translation.sites) and "ms2torch" not in translation.text
    space = {"FOLDER": str(tmp_path), "__name__": "trained"}
    exec(translation.text, space)
    assert list(space["saved"]) == ["weight", "bias", *names.split()]


def test_a_checkpoint_of_a_network_in_half_precision_has_the_networks_own_names(tmp_path):
    program = _RATES.replace("OPTIMIZER", "Momentum([w, b], 0.1, 0.9)")
    program = program.replace("opt)", 'opt, amp_level="O2")')
    text = translate_source(program).text
    assert "LowPrecision(net)" in text and "ms2torch" not in text
    space = {"FOLDER": str(tmp_path), "__name__": "trained"}
    exec(text, space)
    assert list(space["saved"])[:2] == ["weight", "bias"]
