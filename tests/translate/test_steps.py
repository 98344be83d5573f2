"""Training steps as a person would have written them: optimizers, loss scales, gradients, processes."""

import pytest

pytest.importorskip("libcst")
from ms2torch.translate import translate_source

TWO = """
import mindspore
from mindspore import nn

net_g, net_d = nn.Dense(2, 3), nn.Dense(3, 1)
optimizer_g = nn.Momentum(net_g.trainable_params(), 0.1, 0.9)
optimizer_d = nn.Momentum(net_d.trainable_params(), 0.1, 0.9)
grad_g = mindspore.value_and_grad(lambda x: net_d(net_g(x)).sum(), None, net_g.trainable_params())
grad_d = mindspore.value_and_grad(lambda x: net_d(x).sum(), None, net_d.trainable_params())


def step(x, y):
    d_loss, d_grads = grad_d(y)
    optimizer_d(d_grads)
    g_loss, g_grads = grad_g(x)
    optimizer_g(g_grads)
    print(f"{d_loss} of {y.shape}")
    return g_loss
"""


def test_two_optimizers_step_one_after_the_other():
    made = translate_source(TWO).text
    lines = [
        *("optimizer_d.zero_grad()", "d_loss = net_d(y).sum()", "d_loss.backward()", "optimizer_d.step()"),
        *("optimizer_g.zero_grad()", "g_loss = net_d(net_g(x)).sum()", "g_loss.backward()"),
        "optimizer_g.step()",
    ]
    places = [made.find(f"    {line}") for line in lines]
    assert -1 not in places and places == sorted(places), made
    assert "value_and_grad" not in made and "{d_loss.numpy(force=True)!s}" in made


def test_what_a_step_gives_beside_its_loss_is_a_value():
    text = (
        "import mindspore as ms\nfrom mindspore import nn\nnet = nn.Dense(2, 2)\n"
        "opt = nn.SGD(net.trainable_params(), 0.1)\n\n\ndef forward(x, h):\n    h = net(x + h)\n"
        "    return h.sum(), h\n\n\n"
        "step = ms.value_and_grad(forward, None, opt.parameters, has_aux=True)\n\n\n"
        "def train(x, h):\n    (loss, h), grads = step(x, h)\n    opt(grads)\n    return loss, h\n"
    )
    assert "loss.backward()\n    h = h.detach()\n    opt.step()" in translate_source(text).text
    text = text.replace("h.sum(), h\n", "h.sum(), (h, 1)\n").replace("(loss, h),", "(loss, (h, n)),")
    made = "loss, (h, n) = forward(x, h)\n    loss.backward()\n    h = h.detach()\n    opt.step()"
    assert made in translate_source(text).text


SCALED = """
from mindspore import amp, nn, ops

net = nn.Dense(2, 2)
optimizer = nn.SGD(net.trainable_params(), 0.1)
scaler = amp.DynamicLossScaler(2**10, 2, 50)


def forward(x):
    return scaler.scale(net(x).sum())


grad_fn = ops.value_and_grad(forward, None, optimizer.parameters)


def train(x):
    loss, grads = grad_fn(x)
    loss = scaler.unscale(loss)
    finite = amp.all_finite(grads)
    if finite:
        grads = scaler.unscale(grads)
        grads = ops.clip_by_global_norm(grads, 1.0)
        optimizer(grads)
    scaler.adjust(finite)
    return loss
"""
WITH_GRAD_SCALER = """
def train(x):
    optimizer.zero_grad()
    loss = forward(x)
    loss.backward()
    loss = loss / scaler.get_scale()
    scaler.unscale_(optimizer)
    nn.utils.clip_grad_norm_(net.parameters(), 1.0)
    scaler.step(optimizer)
    scaler.update()
    return loss
"""


def test_a_loss_scale_is_a_grad_scaler():
    made = translate_source(SCALED)
    assert WITH_GRAD_SCALER in made.text and made.helpers == []
    scaler = "init_scale=2**10, growth_factor=2, backoff_factor=1 / 2, growth_interval=50"
    assert scaler in made.text.replace("2 ** 10", "2**10")


ROUND = """
import mindspore as ms
from mindspore import nn, ops


class Round(nn.Cell):
    def construct(self, x, y):
        return ops.round(x), y * 2

    def bprop(self, x, y, out, dout):
        return dout[0] * (ops.abs(x) < 1), dout[1] + out[1]


net = Round()
"""


def test_a_cell_that_gives_its_own_gradients():
    import torch

    made = translate_source(ROUND)
    assert "    @own_gradient\n    def forward(self, x, y):" in made.text and "ms2torch" not in made.text
    exec(made.text, there := {})
    x, y = torch.tensor([0.6, 1.7], requires_grad=True), torch.tensor([3.0, 4.0], requires_grad=True)
    one, two = there["net"](x, y)
    (one * 5 + two).sum().backward()
    assert one.tolist() == [1.0, 2.0] and x.grad.tolist() == [5.0, 0.0] and y.grad.tolist() == [7.0, 9.0]


PARALLEL = """
import mindspore as ms
from mindspore import nn
from mindspore.communication import init

init()
ms.set_auto_parallel_context(parallel_mode=ms.ParallelMode.DATA_PARALLEL{told})
net = nn.Dense(2, 3)
optimizer = nn.SGD(net.trainable_params(), 0.1)
model = ms.Model(net, nn.MSELoss(), optimizer)
reducer = nn.DistributedGradReducer(optimizer.parameters)


class Step(nn.TrainOneStepCell):
    def construct(self, x):
        return self.grad_reducer(self.grad(self.network, self.weights)(x, x))


step = Step(net, optimizer)
"""


TOLD = [("", False), (", gradients_mean=True", True), (", mirror_mean=sum", "sum")]


@pytest.mark.parametrize(("told", "mean"), TOLD)
def test_processes_add_gradients_up_unless_told_otherwise(told, mean):
    text = translate_source(PARALLEL.format(told=told)).text
    function = {True: "mean_over_processes", False: "sum_over_processes"}.get(
        mean, "mean_over_processes if sum else sum_over_processes"
    )
    network = "data_parallel(net)" if mean is True else f"data_parallel(net, mean={mean})"
    assert f"Trainer({network}, nn.MSELoss()" in text and f"reducer = {function}\n" in text
    called = f"({function})" if mean == "sum" else function
    assert f"return {called}(torch.autograd.grad(" in text
    assert "def __init__(self, network, optimizer):" in text
    assert "ms2torch" not in text


FIXED_SCALE = """
from mindspore import Tensor, nn, ops

class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.fc = nn.Dense(1, 1, weight_init="ones", has_bias=False)

    def construct(self, x):
        return self.fc(x).sum()

net = Net()
optimizer = nn.SGD(net.trainable_params(), 0.5, loss_scale={divided})
step = nn.TrainOneStepCell(net, optimizer, sens={multiplied})
step(Tensor([[3.0]]))
"""


@pytest.mark.parametrize(("multiplied", "divided"), [(64.0, 64.0), (1.0, 2.0), (2.0, 1.0), (8.0, 2.0)])
def test_a_fixed_loss_scale_that_cancels_leaves_no_trace(multiplied, divided):
    made = translate_source(FIXED_SCALE.format(multiplied=multiplied, divided=divided))
    assert "ms2torch" not in made.text and ("FixedScale" in made.text) is (multiplied != divided)
    assert ("optimizer.loss_scale" in made.text) is (multiplied != divided and divided != 1.0)
    exec(made.text, there := {})
    assert there["net"].fc.weight.item() == 1.0 - 0.5 * 3.0 * multiplied / divided


def test_a_models_loss_scale_that_nothing_divides_moves_weights_by_so_much():
    source = """
import numpy as np
from mindspore import FixedLossScaleManager, Model, Tensor, nn
from mindspore import dataset as ds

net = nn.Dense(1, 1, weight_init="ones", has_bias=False)
scale = FixedLossScaleManager(16.0, drop_overflow_update=False)
optimizer = nn.SGD(net.trainable_params(), 0.5)
model = Model(net, nn.MSELoss(), optimizer, metrics={"loss"}, loss_scale_manager=scale)
rows = np.float32([[3.0]]), np.float32([[2.0]])
model.train(1, ds.NumpySlicesDataset(rows, ["x", "y"], shuffle=False).batch(1))
"""
    made = translate_source(source)
    assert "ms2torch" not in made.text
    exec(made.text, there := {})
    assert there["net"].weight.item() == 1.0 - 0.5 * 16 * 2 * 3.0 * (3.0 - 2.0)


def test_a_generator_among_arguments_has_brackets_of_its_own():
    source = "from mindspore import nn, ops\n\n\ndef update(optimizer: nn.SGD, gradients):\n"
    source += "    net = nn.Dense(1, 1)\n    optimizer = nn.SGD(net.trainable_params(), 0.1)\n"
    text = translate_source(source + "    optimizer(g * 2 for g in gradients)\n").text
    assert "apply_gradients(optimizer, (g * 2 for g in gradients))" in text


FROZEN = """
from mindspore import Parameter, Tensor, nn, ops

class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.fc = nn.Dense(2, 2)
        self.scale = Parameter(Tensor([2.0]), requires_grad=False)

net = Net()
optimizer = nn.SGD(net.trainable_params(), 0.1)
for p in net.trainable_params():
    p.set_data(ops.ones_like(p))
"""


def test_frozen_parameters_are_not_among_those_that_train():
    made = translate_source(FROZEN)
    assert "torch.optim.SGD(net.parameters(), lr=0.1)" in made.text
    exec(made.text, there := {})
    assert there["net"].scale.item() == 2.0 and bool((there["net"].fc.bias == 1).all())


@pytest.mark.filterwarnings("ignore:Detected call")
def test_rates_are_numbers_in_pytorch():
    text = (
        "from mindspore import nn\nfrom mindspore.experimental import optim\n\nnet = nn.Dense(3, 2)\n"
        "optimizer = optim.SGD(net.trainable_params(), 0.1)\n"
        "schedule = optim.lr_scheduler.StepLR(optimizer, 1, 0.5)\n\n\n"
        'def rates():\n    schedule.step()\n    return optimizer.param_groups[0]["lr"].asnumpy(), '
        "float(schedule.get_last_lr()[0])\n"
    )
    ours, theirs = {}, {}
    exec(text.replace("mindspore", "ms2torch"), ours)
    exec(translate_source(text).text, theirs)
    assert [float(rate) for rate in ours["rates"]()] == pytest.approx([0.05, 0.05])
    assert list(theirs["rates"]()) == pytest.approx([0.05, 0.05])


RATES = """
import mindspore as ms
from mindspore import Tensor, nn, ops
from mindspore.experimental import optim

net = nn.Dense(3, 2)
opt = optim.Adam([{"params": [net.weight], "lr": 0.2, "betas": [0.8, 0.9]}, {"params": [net.bias]}], 0.1)
gradients_of = ms.value_and_grad(lambda x: net(x).sum(), None, opt.parameters)
ops.assign(opt.param_groups[0]["lr"], Tensor(0.05, ms.float32))
for group in opt.param_groups:
    group["lr"].set_data(group["lr"] * 0.5)
    print(group["lr"].value(), group["betas"])
"""


def test_rates_that_a_program_sets_are_numbers(capsys):
    made = translate_source(RATES).text
    assert 'opt.param_groups[0]["lr"] = 0.05' in made and "ms2torch" not in made, made
    exec(made, {})
    assert capsys.readouterr().out.split("\n")[:2] == ["0.025 [0.8, 0.9]", "0.05 (0.9, 0.999)"]


@pytest.mark.parametrize("loss, asks", [
    ("nn.MSELoss()", False),
    ("lambda found, wanted: ops.square(found - wanted).mean()", True),
    ('nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")', True),
])
def test_a_step_asks_for_classes_where_its_loss_may_take_them(loss, asks):
    text = (
        "from mindspore import nn, ops\n\nnet = nn.Dense(2, 2)\nopt = nn.SGD(net.trainable_params(), 0.1)\n"
        f"loss_fn = {loss}\nstep = nn.TrainOneStepCell(nn.WithLossCell(net, loss_fn), opt)\n"
    )
    made = translate_source(text).text
    assert ("def classes(loss, label):" in made) is asks
    assert (f"self.loss(self.network(x), {'classes(self.loss, label)' if asks else 'label'})") in made


FITTED = """
from mindspore import nn
from mindspore.train import LossMonitor, Model


def run(net, data, held_out):
    opt = nn.Momentum(net.trainable_params(), 0.1, 0.9)
    model = Model(net, nn.MSELoss(), opt, metrics={"mse"})
    model.fit(4, data, held_out, valid_frequency=2, callbacks=[LossMonitor(2)])
    opt.flatten_gradients(())
    return opt.get_lr()
"""


def test_a_model_that_is_fitted_measures_and_what_has_no_rule_is_told():
    made = translate_source(FITTED)
    assert "ms2torch.to_torch(held_out), every=2, callbacks=[LossMonitor" in made.text
    assert 'return torch.tensor(opt.param_groups[0]["lr"])' in made.text
    kept = [site.name for site in made.sites if site.reason]
    assert any("flatten_gradients" in name for name in kept), kept


def test_shapes_in_dicts_are_printed_as_tuples():
    text = (
        "from mindspore import nn\n\nnet = nn.Dense(2, 3)\nx = net.weight\n"
        'print({"x": x.shape, **{}}, {p.name: p.shape for p in net.trainable_params()})\n'
    )
    made = translate_source(text).text
    assert '{"x": tuple(x.shape), **{}}' in made and ": tuple(p.shape) for p in" in made, made


COUNTED = """
from mindspore import Tensor, nn, ops, value_and_grad


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.norm, self.fc = nn.BatchNorm1d(2), nn.Dense(2, 1)

    def construct(self, x):
        return self.fc(self.norm(x)).sum()

    def extend_repr(self):
        return "two layers"


net = Net()
opt = nn.Momentum(net.trainable_params(), 0.1, 0.9)
step = value_and_grad(net, None, opt.parameters)
for _ in range(3):
    loss, grads = step(ops.ones((2, 2)))
    opt(grads)
print(int(opt.global_step.asnumpy()[0]), "two layers" in repr(net))
for name, p in net.parameters_and_names():
    print(name, p.shape)
"""


def test_steps_are_counted_and_names_that_are_printed_are_mindspores(capsys):
    exec(COUNTED.replace("mindspore", "ms2torch"), {})
    ours = capsys.readouterr().out
    exec(translate_source(COUNTED).text, {})
    assert capsys.readouterr().out == ours
    assert ours.startswith("3 True") and "norm.moving_mean (2,)" in ours


OWN_STEP = """
from mindspore import Parameter, Tensor, nn, ops


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.fc = nn.Dense(2, 1)
        self.table = Parameter(Tensor([1.0, 2.0]), requires_grad=False)

    def construct(self, x):
        return (self.fc(x) + self.table).sum()


class Step(nn.TrainOneStepCell):
    def construct(self, x):
        loss = self.network(x)
        grads = self.grad(self.network, self.weights)(x, ops.ones_like(loss) / 2)
        self.optimizer(grads)
        return loss


net = Net()
net.fc.weight.set_data(ops.ones((1, 2)))
step = Step(net, nn.SGD(net.trainable_params(), 0.1))
step(ops.ones((3, 2)))
found = net.fc.weight.asnumpy()
"""


def test_a_step_of_the_programs_own_differentiates_by_what_trains():
    exec(OWN_STEP.replace("mindspore", "ms2torch"), ours := {})
    exec(translate_source(OWN_STEP).text, theirs := {})
    assert theirs["found"][0].tolist() == pytest.approx(ours["found"][0].tolist())


@pytest.mark.parametrize("indexes", ["None", "[2, 0, 1]"])
def test_a_network_for_evaluation_tells_where_its_loss_and_labels_are(indexes):
    text = f"""
import numpy as np
from mindspore import nn, ops, dataset
from mindspore.train import MAE, Loss, Model


class Measured(nn.Cell):
    def __init__(self, net):
        super().__init__()
        self.net = net

    def construct(self, x, y):
        found = self.net(x)
        return {"found, y" if indexes == "None" else "found, y, ops.square(found - y).mean()"}


rows = np.arange(12, dtype=np.float32).reshape(6, 2) / 12
data = dataset.NumpySlicesDataset((rows, rows[:, :1]), ["x", "y"], shuffle=False).batch(2)
net = nn.Dense(2, 1, weight_init="ones", bias_init="zeros")
metrics = {{"mae": MAE()}}{'' if indexes == "None" else ' | {"loss": Loss()}'}
found = Model(net, eval_network=Measured(net), eval_indexes={indexes}, metrics=metrics).eval(data)
"""
    exec(text.replace("mindspore", "ms2torch"), ours := {})
    exec(translate_source(text).text, theirs := {})
    assert theirs["found"] == pytest.approx(ours["found"])
