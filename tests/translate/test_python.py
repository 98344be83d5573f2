"""What `translate` makes of Python itself: statements that write in place, `case`, several on a line."""

import json

import numpy as np
import pytest

from ms2torch.translate import places, translate_source
from ms2torch.translate.facts import Fact, Facts
from ms2torch.translate.notebooks import Notebook

HEAD = """
import os
import numpy as np
import mindspore as ms
from mindspore import Tensor, nn, ops

x = Tensor(np.arange(6).reshape(2, 3), ms.float32)
"""
PROGRAMS = {
    "x += y is another tensor": """
y, first = x, x[0]
y += 1
first *= x[1] + 1
kept = []
total = x.sum()
for _ in range(2):
    total -= x.mean() / 2
    kept.append(total)
found = [x, y, first, *kept]
""",
    "x[...] = y is the same one": """
y, first = x, x[0]
first[1] = 7
y[1] += x[0]
found = [x, y, first]
""",
    "names of its own where the head has them": """
N, F, math = 2, 3, 4


class Net(nn.Cell):
    def construct(self, x):
        B, F = x.shape
        return ops.relu(x - N) * F + B


def scaled(x, nn):
    return ops.relu(x) * nn * F * math


found = [Net()(x), scaled(x, 2), nn.ReLU()(x)]
""",
    "what a call leaves to its default": """
def mlp(act=nn.ReLU, *, f=ops.exp):
    return nn.SequentialCell(act()), f


class Head(nn.Cell):
    def __init__(self, act=nn.Tanh, f=ops.abs):
        super().__init__()
        self.act, self.f = act(), f

    def construct(self, x):
        return self.f(self.act(x))


made = [mlp(), mlp(nn.Sigmoid, f=ops.sin)]
found = [f(layer(x - 2)) for layer, f in made] + [Head()(x - 2), Head(nn.ELU)(x - 2), Head(f=ops.neg)(x)]
""",
    "case": """
def activation(kind):
    match kind:
        case "gelu" | "g":
            return nn.GELU(approximate=False)
        case nn.Dense():
            return ops.relu
        case ms.float32:
            return nn.LeakyReLU(alpha=0.5)
        case [first, *rest] if ops.add(first, 0) > 1:
            return nn.ELU()
    return nn.HSigmoid()


found = [activation(kind)(x - 2) for kind in ("g", nn.Dense(1, 1), ms.float32, [2, 3], "none")]
""",
    "one operator or another": """
act = {"gelu": ops.gelu, "soft": ops.softmax, "own": lambda x: x + 1}
steps = [ops.exp, ops.Abs(), nn.Tanh()]


class Reduced(nn.Cell):
    def __init__(self, kind):
        super().__init__()
        self.act = act[kind]
        self.mix = ops.Add() if kind == "own" else ops.Mul()
        self.pool = {"own": ops.ReduceMean(), "gelu": ops.ReduceSum(keep_dims=True)}.get(kind, ops.amax)
        if kind == "soft":
            self.last = ops.ReLU()
        else:
            self.last = ops.tanh

    def construct(self, x):
        return self.last(self.pool(self.mix(self.act(x), x), 1))


found = [Reduced(kind)(x - 2) for kind in act] + [step(x - 2) for step in steps]
""",
    "gradients in the order of order_params": """
net = nn.SequentialCell(nn.Dense(3, 3, "ones", "zeros"), nn.Dense(3, 3, "ones", "zeros"))
flat = [p for p in net.trainable_params() if p.ndim == 1]
rest = [p for p in net.trainable_params() if p.ndim > 1]
groups = [{"params": flat, "lr": 0.5}, {"params": rest}, {"order_params": net.trainable_params()}]
opt = nn.Momentum(groups, 0.01, 0.9)
differentiated = ms.value_and_grad(lambda x: (net(x) ** 2).sum(), None, net.trainable_params())
first, second = differentiated(x)[1], differentiated(x / 2)[1]
opt(tuple(a + b for a, b in zip(first, second)))
found = [net(x)]
""",
    "gradients by an optimizer's parameters, in the order of order_params": """
net = nn.SequentialCell(nn.Dense(3, 3, "ones", "zeros"), nn.Dense(3, 3, "ones", "zeros"))
flat = [p for p in net.trainable_params() if p.ndim == 1]
rest = [p for p in net.trainable_params() if p.ndim > 1]
groups = [{"params": flat, "lr": 0.5}, {"params": rest}, {"order_params": net.trainable_params()}]


class Doubled(nn.TrainOneStepCell):
    def construct(self, x):
        grads = self.grad(self.network, self.weights)(x, ops.ones((2, 3)))
        self.optimizer(tuple(g + g for g in grads))
        return self.network(x)


opt = nn.Momentum(groups, 0.01, 0.9)
differentiated = ms.value_and_grad(lambda x: (net(x) ** 2).sum(), None, opt.parameters)
grads = differentiated(x)[1]
opt(tuple(g * 2 for g in grads))
found = [net(x), Doubled(net, opt)(x)]
""",
    "what is asked of MindSpore": """
if hasattr(ms, "set_device"):
    kind = "new"
elif hasattr(ops, "no_such_thing"):
    kind = ops.no_such_thing(x)
else:
    kind = "old"


class Exponential(nn.Cell):
    def __init__(self):
        super().__init__()
        if hasattr(ops, "NoSuchThing"):
            self.exp = ops.NoSuchThing()
        elif not hasattr(ops, "Exp"):
            self.exp = None
        else:
            self.exp = ops.Exp()
        self.has = hasattr(nn, "Dense") and hasattr(nn, "NoSuchThing")

    def construct(self, x):
        return ops.no_such_thing(x) if hasattr(ops, "no_such_thing") else self.exp(x)


plain = [v.asnumpy() if hasattr(v, "asnumpy") else v for v in (x, 2.5)]
p = ms.Parameter(x)
q = p.value() if hasattr(p, "value") else None
p += 1
found = [Exponential()(x) + (kind == "new") + Exponential().has, *map(Tensor, plain), p, q]
""",
    "several on a line": """
ms.set_context(mode=ms.PYNATIVE_MODE); ms.set_context(device_target="CPU")
ms.set_context(mode=ms.GRAPH_MODE); y = ops.exp(x)
a, grad, b = x, ops.GradOperation(), ops.sin(x)
found = [y, a, b, grad(lambda x: (x * x).sum())(x)]
""",
    "values beside the weights": """
net = nn.Dense(3, 2, weight_init="ones")
ms.save_checkpoint(net, "a.ckpt", append_dict={"epoch": 3, "rate": 0.5})
read = ms.load_checkpoint("a.ckpt")
fresh = nn.Dense(3, 2)
ms.load_param_into_net(fresh, read)
os.remove("a.ckpt")
found = [fresh.weight, read["epoch"], read["rate"]]
""",
    "a network that is given another's parameters": """
net, target = nn.Dense(3, 2, weight_init="ones"), nn.Dense(3, 2, weight_init="zeros")
ms.load_param_into_net(target, net.parameters_dict())
optimizer = nn.SGD(net.trainable_params(), 0.5)
optimizer((ops.ones((2, 3)), ops.ones((2,))))
found = [net.weight, target.weight]
""",
    "texts with values in them": """
line = "loss " + "%s" % x.sum()
line = line + ", step %d" % 3
print(line)
found = [x * line.count("s"), x * line.endswith(", step 3")]
""",
    "what a class hands on to those that descend from it": """
class Base(nn.Cell):
    activation = nn.ReLU

    def __init__(self):
        super().__init__()
        self.act = self.activation()
        self.join = ops.Add()

    def construct(self, x):
        return self.join(self.act(x - 2), x)


class Other(Base):
    activation = nn.Tanh

    def __init__(self):
        super().__init__()
        self.join = ops.Sub()


found = [Base()(x), Other()(x)]
""",
    "a loss of one's own that descends from a layer's": """
class Half(nn.L1Loss):
    def __init__(self, reduction="mean"):
        super().__init__(reduction)

    def construct(self, base, target):
        return self.get_loss(ops.abs(base - target) / 2)


found = [Half()(x, x * 2), Half("sum")(x, x + 1)]
""",
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_both_sides_find_the_same(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    ours, theirs = {}, {}
    exec((HEAD + PROGRAMS[name]).replace("mindspore", "ms2torch"), ours)
    made = translate_source(HEAD + PROGRAMS[name])
    assert [site for site in made.sites if not site.settled] == [] and "_gone_" not in made.text
    exec(made.text, theirs)
    for one, other in zip(ours["found"], theirs["found"], strict=True):
        np.testing.assert_allclose(other.numpy(force=True), one.asnumpy(), 1e-6, 1e-6)


STEP = """
from mindspore import nn, ops


class Step(nn.TrainOneStepCell):
    def construct(self, x):
        weights = self.weights
        spare = self.sens
        loss = self.network(x)
        grads = self.grad(self.network, weights)(x, ops.ones_like(loss) if self.sens > 1 else loss)
        self.optimizer(grads)
        return loss, net.trainable_params()[0]


net = nn.Dense(2, 1)
step = Step(net, nn.SGD(net.trainable_params(), 0.1))
"""


def test_what_a_train_cell_has_from_its_base_is_that_whatever_a_run_saw_there():
    text = STEP.replace("self.optimizer(grads)", "self.optimizer(self.grad_reducer(grads))")
    line = next(i for i, row in enumerate(text.split("\n"), 1) if "grad_reducer" in row)
    column = text.split("\n")[line - 1].index("grad_reducer")
    facts = Facts({(line, column): Fact("mindspore.nn.Identity()", (None,))})
    assert "grad_reducer" not in translate_source(text, facts=facts).text


def test_what_is_read_no_more_goes_and_what_never_was_stays():
    text = translate_source(STEP).text
    assert "weights = self.weights" not in text and "spare = self.sens" in text
    assert "next(net.parameters())" in text and "list(" not in text


def test_a_convolution_that_pads_to_the_same_size_is_one_layer():
    text = "from mindspore import nn\n\nnet = nn.Conv2d(1, 2, 3, 2, weight_init='ones')\n"
    ours, theirs = {}, {}
    exec(text.replace("mindspore", "ms2torch"), ours)
    exec(translate_source(text).text, theirs)
    assert [*theirs["net"].state_dict()] == ["weight"]
    import ms2torch

    x = np.random.RandomState(0).rand(2, 1, 7, 10).astype(np.float32)
    one, other = ours["net"](ms2torch.Tensor(x)).asnumpy(), theirs["net"](ms2torch.Tensor(x).torch())
    np.testing.assert_allclose(other.numpy(force=True), one, 1e-6)


@pytest.mark.parametrize(
    "raw",
    [
        "# -*- coding: latin-1 -*-\nimport mindspore\nx = 'ä'\n".encode("latin-1"),
        b"\xef\xbb\xbfimport mindspore\n",
        b"import mindspore\r\nx = 1\r\n",
        b"import mindspore\nx = '\xc3\xa4'",
    ],
)
def test_a_file_keeps_its_encoding_and_its_line_ends(raw, tmp_path):
    (tmp_path / "a.py").write_bytes(raw)
    project = places.read(str(tmp_path / "a.py"), str(tmp_path / "b.py"))
    (source,) = project.sources.values()
    assert "\r" not in source.text and source.written(source.text) == raw


def test_what_a_magic_runs_is_translated_too():
    cells = [
        {"cell_type": "code", "source": "import mindspore as ms\n%time  x = ms.ops.ones(2)\n%time\n!ls x"}
    ]
    notebook = Notebook(json.dumps({"cells": cells}).encode())
    made = json.loads(notebook.written(translate_source(notebook.source).text))
    text = "".join(made["cells"][0]["source"])
    assert text == "import torch\n\n%time  x = torch.ones(2)\n%time\n!ls x"


def test_parameters_of_a_network_from_elsewhere_have_names():
    text = "from other import net\n\nplain = [p for p in net.trainable_params() if 'gamma' in p.name]\n"
    assert "in p.label]" in translate_source("import mindspore\n" + text).text
