"""What is left on ms2torch, or has no exact counterpart, runs beside what was translated."""

import numpy as np
import pytest

from ms2torch.translate import translate_source

HEAD = """
import numpy as np
import mindspore as ms
from mindspore import Tensor, nn, ops
from mindspore.common.initializer import Initializer
from mindspore.parallel._auto_parallel_context import auto_parallel_context

x = Tensor([[1.0, 2.0], [3.0, 4.0]])
"""
# A program, and what its translation says; a text with "no " before it is absent.
PROGRAMS = {
    "getattr": (
        """
kind = ["exp", "ReLU"]
made = getattr(ops, "exp")
found = [getattr(ops, "exp")(x), made(x), getattr(ops, kind[0])(x), getattr(ops, kind[1])()(x - 2)]
found += [getattr(nn, "ReLU")()(x - 2), x.astype(getattr(ms, "int32"))]
""",
        ["found = [torch.exp(x), torch.exp(x),", "made = torch.exp", "nn.ReLU()(x - 2), x.to(torch.int32)"],
    ),
    "numpy's old names of Python's types": (
        "found = [np.ones(2).astype(np.int), np.zeros(2, np.float), np.float64(1)]\n",
        ["astype(int)", "np.zeros(2, float)", "np.float64(1)"],
    ),
    "an optimizer's own parameters": (
        """
net = nn.Dense(2, 1, weight_init="ones")
optimizer = nn.Momentum(net.trainable_params(), 0.1, 0.9)
found = [param for param in optimizer.get_parameters() if len(param.shape) == 2][:1]
""",
        ["in listing(optimizer)", "no ms2torch"],
    ),
    "the program's own Initializer": (
        """
class Steps(Initializer):
    def __init__(self, first):
        super().__init__(first=first)
        self.first = first

    def _initialize(self, arr):
        arr[:] = np.arange(self.first, self.first + arr.size).reshape(arr.shape)


found = [Steps(3)._kwargs["first"]]
""",
        ["super().__init__(first=first)"],
    ),
    "several devices": (
        """
degree = auto_parallel_context().get_device_num() if auto_parallel_context().get_device_num_is_set() else 1
found = [degree, auto_parallel_context().get_parallel_mode() == "stand_alone"]
""",
        ["torch.distributed.is_initialized()", "no ms2torch"],
    ),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_half_translated_program_runs_and_finds_the_same(name):
    program, says = PROGRAMS[name]
    ours, theirs = {}, {}
    made = translate_source(HEAD + program).text
    for text in says:
        absent = text.startswith("no ")
        assert (text.removeprefix("no ") in made) is not absent, made
    old = {"np.int)": "int)", "np.float)": "float)"}  # names that numpy has no more
    for there, here in old.items():
        program = program.replace(there, here)
    exec((HEAD + program).replace("mindspore", "ms2torch"), ours)
    exec(made, theirs)
    for one, other in zip(ours["found"], theirs["found"], strict=True):
        one = one.asnumpy() if hasattr(one, "asnumpy") else one
        other = other.numpy(force=True) if hasattr(other, "numpy") else other
        np.testing.assert_allclose(other, one, 1e-6)


NORMS = """
import numpy as np
import mindspore as ms
from mindspore import Tensor, nn, ops


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.a = nn.Conv2d(2, 4, 3, weight_init="ones")
        self.norm = nn.BatchNorm2d(4)

    def construct(self, x):
        return ops.relu(self.norm(self.a(x)))


x = Tensor(np.random.RandomState(2).randn(3, 2, 5, 5).astype(np.float32))
net = Net().to_float(ms.float16)
found = [net(x)]
net.set_train()
found += [net(x), net(x), net.norm.moving_variance]
"""


def test_norms_of_a_network_in_float16():
    ours, theirs = {}, {}
    exec(NORMS.replace("mindspore", "ms2torch"), ours)
    exec(translate_source(NORMS).text, theirs)
    for one, other in zip(ours["found"], theirs["found"], strict=True):
        one, other = one.asnumpy(), other.numpy(force=True)
        assert one.dtype == other.dtype
        np.testing.assert_allclose(other, one, 2e-3, 2e-3)  # a step or two of float16


# A Model whose arguments are not told one by one stays, over a network that is torch's by then.
LOW = """
import numpy as np
from mindspore import Model, Tensor, dataset, nn
from mindspore.train import Callback, DynamicLossScaleManager

weights = np.random.RandomState(0).randn(4, 3).astype(np.float32), np.random.RandomState(1).randn(2, 4) / 2
x = np.random.RandomState(2).randn(8, 3).astype(np.float32)
found = []


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.a = nn.Dense(3, 4, Tensor(weights[0]), "zeros")
        self.norm = nn.BatchNorm1d(4)
        self.b = nn.Dense(4, 2, Tensor(weights[1].astype(np.float32)), "zeros")

    def construct(self, x):
        return self.b(self.norm(self.a(x)))


class Losses(Callback):
    def on_train_step_end(self, run_context):
        out = run_context.original_args().net_outputs
        found.append((out[0] if isinstance(out, tuple) else out).asnumpy())


net = Net()
optimizer = nn.Momentum(net.trainable_params(), 0.1, 0.9)
for more in ({"loss_scale_manager": DynamicLossScaleManager(2**10, 2, 4)},):
    model = Model(net, nn.MSELoss(), optimizer, amp_level=LEVEL, **more)
    data = dataset.NumpySlicesDataset({"x": x, "y": x[:, :2]}, shuffle=False).batch(4)
    model.train(2, data, callbacks=[Losses()], dataset_sink_mode=False)
    found.append(model.predict(Tensor(x)).asnumpy())
found += [net(Tensor(x)).asnumpy(), net.a.weight.asnumpy()]
"""


@pytest.mark.parametrize("level", ["O0", "O1", "O2", "O3", "auto"])
def test_a_model_that_stays_lowers_a_network_of_torchs(level):
    program = LOW.replace("LEVEL", repr(level))
    ours, theirs = {}, {}
    made = translate_source(program).text
    assert "ms2torch.Model)(net" in made and "ms2torch.DynamicLossScaleManager(2**10, 2, 4)" in made, made
    exec(program.replace("mindspore", "ms2torch"), ours)
    exec(made, theirs)
    for one, other in zip(ours["found"], theirs["found"], strict=True):
        assert other.dtype == one.dtype
        # (layers of several functions round elsewhere, by steps of float16)
        np.testing.assert_allclose(other, one, 0, 1e-5 if level == "O0" else 4e-3)
