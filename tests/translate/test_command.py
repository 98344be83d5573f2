"""``ms2torch translate`` as a command: what it takes, what it refuses, what it leaves behind."""

import json
import os
import signal
import subprocess
import sys
import time

import pytest

from ms2torch import cli

NET = """\
import mindspore as ms
from mindspore import nn


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.fc = nn.Dense(3, 4)

    def construct(self, x):
        return self.fc(x)
"""


@pytest.fixture
def translate(tmp_path, monkeypatch, capsys):
    """Run the command in a folder of its own: exit code, lines of stdout, lines of stderr."""
    monkeypatch.chdir(tmp_path)

    def run(*arguments):
        with pytest.raises(SystemExit) as ended:
            cli.main(["translate", *arguments])
        shown = capsys.readouterr()
        return ended.value.code, shown.out, shown.err

    return run


def tree(folder):
    """Everything below a folder, with its bytes."""
    return {str(p.relative_to(folder)): p.is_file() and p.read_bytes() for p in sorted(folder.rglob("*"))}


TRAIN = """\
import sys
import time

import mindspore as ms
import numpy as np
from mindspore import Tensor, nn, ops


class Net(nn.Cell):
    def __init__(self, width):
        super().__init__()
        self.hidden = nn.Dense(3, width)
        self.out = nn.Dense(width, 1)

    def construct(self, x):
        return self.out(ops.relu(self.hidden(x)))


random = np.random.RandomState(0)
x = Tensor(random.randn(16, 3).astype(np.float32))
y = Tensor(random.randn(16, 1).astype(np.float32))
net, loss_fn = Net(8), nn.MSELoss()
optimizer = nn.Adam(net.trainable_params(), learning_rate=0.01)
step = ms.value_and_grad(lambda x, y: loss_fn(net(x), y), None, optimizer.parameters)
for i in range(int(sys.argv[1])):
    loss, grads = step(x, y)
    optimizer(grads)
    print(f"step {i}: loss {float(loss):.6f}")
"""

# Files, arguments, and words that the one line has.
BAD = {
    "no such path": ({}, ["gone.py", "-o", "out.py"], "no such file"),
    "a syntax error": ({"a.py": "import mindspore\ndef f(:\n"}, ["a.py", "-o", "out.py"], "a.py:2: invalid"),
    "Python 2": ({"a.py": "import mindspore\nprint 'x'\n"}, ["a.py", "-o", "out.py"], "Python 2"),
    "one file of a folder": ({"p/a.py": NET, "p/b.py": "mindspore = (\n"}, ["p", "-o", "q"],
                               "p/b.py:1"),
    "no MindSpore": ({"p/a.py": "import numpy\n"}, ["p", "-o", "q"], "no MindSpore"),
    "an empty folder": ({"p/a.txt": ""}, ["p", "-o", "q"], "no MindSpore"),
    "no MindSpore in a file": ({"a.py": "# mindspore\n"}, ["a.py", "-o", "b.py"], "no MindSpore"),
    "a file that exists": ({"a.py": NET, "b.py": "mine"}, ["a.py", "-o", "b.py"], "'b.py' exists"),
    "a folder that exists": ({"p/a.py": NET, "q/b.py": "mine"}, ["p", "-o", "q"], "'q' exists"),
    "itself": ({"a.py": NET}, ["a.py", "-o", "a.py", "--force"], "the source itself"),
    "above itself": ({"p/q/a.py": NET}, ["p/q", "-o", "p", "--force"], "the source in it"),
    "a folder by force over a file": ({"p/a.py": NET, "q": "mine"}, ["p", "-o", "q", "--force"], "is a file"),
    "below a file": ({"a.py": NET, "b": "mine"}, ["a.py", "-o", "b/c.py"], "no folder"),
    "no writing": ({"a.py": NET}, ["a.py", "-o", "/proc/b.py"], "can't write '/proc/b.py'"),
    "another ending": ({"a.py": NET}, ["a.py", "-o", "b.ipynb"], "has to end in .py"),
    "no notebook": ({"a.ipynb": "{"}, ["a.ipynb", "-o", "b.ipynb"], "no notebook"),
    "no Python": ({"a.txt": "mindspore"}, ["a.txt", "-o", "b.txt"], "no Python file"),
    "no UTF-8": ({"a.py": b"import mindspore\nx = '\xff'\n"}, ["a.py", "-o", "b.py"], "a.py:"),
    "no script": ({"a.py": NET}, ["a.py", "-o", "b.py", "--run", "gone.py 1"], "'gone.py'"),
    "an empty --run": ({"a.py": NET}, ["a.py", "-o", "b.py", "--run", " "], "names no script"),
    "a report in no folder": ({"a.py": NET}, ["a.py", "-o", "b.py", "--json", "no/r.json"], "is no folder"),
    "a report that fails": ({"a.py": NET}, ["a.py", "-o", "b.py", "--html", "/proc/r"], "write '/proc/r'"),
    "a page that is a folder": ({"a.py": NET, "d/x": ""}, ["a.py", "-o", "b.py", "--html", "d"], "a folder"),
    "no OUT": ({"a.py": NET}, ["a.py"], "-o"),
    "an unknown option": ({"a.py": NET}, ["a.py", "-o", "b.py", "--fast"], "--fast"),
}


@pytest.mark.parametrize(("files", "arguments", "words"), BAD.values(), ids=BAD)
def test_bad_input_is_a_line_and_leaves_nothing(tmp_path, translate, files, arguments, words):
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes(text if isinstance(text, bytes) else text.encode())
    before = tree(tmp_path)
    code, out, err = translate(*arguments)
    assert (code, out) == (2, "")
    said, *usage = err.strip().splitlines()
    assert words in said
    assert not usage or usage[0].startswith("usage: ms2torch translate")
    assert tree(tmp_path) == before


def test_what_is_no_python_of_today_goes_along_where_nothing_in_it_is_mindspores(tmp_path, translate):
    (tmp_path / "p").mkdir()
    (tmp_path / "p" / "a.py").write_text(NET)
    (tmp_path / "p" / "old.py").write_text("print 'Python 2'\n")
    assert translate("p", "-o", "q")[0] in (0, 1)
    assert (tmp_path / "q" / "old.py").read_text() == "print 'Python 2'\n"
    assert "mindspore" not in (tmp_path / "q" / "a.py").read_text()


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_read_only_place(tmp_path, translate):
    (tmp_path / "a.py").write_text(NET)
    tmp_path.chmod(0o555)
    code, _, err = translate("a.py", "-o", "b.py")
    tmp_path.chmod(0o755)
    assert code == 2 and "can't write" in err


def test_a_folder_keeps_what_is_no_python(tmp_path, translate):
    for name, text in {"p/__init__.py": "", "p/net.py": NET, "p/conf/a.yaml": "x: 1\n", "p/.git/x": "",
                       "p/plain.py": "VALUE = 1  # nothing of MindSpore\n"}.items():  # fmt: skip
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    code, _, err = translate("p", "-o", "q/r", "--json", "r.json")
    assert code in (0, 1), err
    names = sorted(n for n, data in tree(tmp_path / "q/r").items() if data is not False)
    assert names == ["__init__.py", "conf/a.yaml", "net.py", "plain.py"]
    assert (tmp_path / "q/r/plain.py").read_text() == (tmp_path / "p/plain.py").read_text()
    assert not list(tmp_path.rglob(".ms2torch-*"))
    report = json.loads((tmp_path / "r.json").read_text())
    assert [f["path"] for f in report["files"]] == ["p/net.py"]
    assert {"sites", "translated", "kept", "cells", "taken_back", "program", "left", "done"} <= report.keys()


def test_a_program_that_runs_is_proved_whole(tmp_path, translate):
    (tmp_path / "train.py").write_text(TRAIN)
    code, out, err = translate("train.py", "-o", "out.py", "--run", "train.py 5", "--json", "r.json")
    assert code == 0, out + err
    assert "1 of 1 Cells proved" in out and "prints the same 5 lines, and 4 of 4 trained parameters" in out
    report = json.loads((tmp_path / "r.json").read_text())
    assert report["done"] and report["program"]["differs"] == "" and report["sites"] == report["translated"]
    text = (tmp_path / "out.py").read_text()
    assert "mindspore" not in text and "ms2torch" not in text


PRINTS = """
import numpy as np
import mindspore as ms
from mindspore import Tensor, nn

net = nn.Dense(3, 2)
for p in net.trainable_params():
    p.set_data(Tensor(np.arange(p.size).reshape(p.shape) / 8, ms.float32))
ms.save_checkpoint(net, "net.ckpt")
print(ms.load_param_into_net(net, ms.load_checkpoint("net.ckpt")))
missing = ms.load_param_into_net(net, {})
print(missing)
x = Tensor(np.ones((1, 3)), ms.float32)
y = net(x)
print(x.dtype, y.dtype == ms.float32, net, sep="|")
print([x, y], (y,))
print(repr(y))
print("%s and %s" % (net.weight, y.shape), f"{net.bias}")
print(net.trainable_params(), list(net.get_parameters()))
"""
# What MindSpore 2.10 prints, but for the words by which PyTorch calls a dtype, a weight and a network.
PRINTED = """
([], [])
(['weight', 'bias'], [])
torch.float32|True|Linear(in_features=3, out_features=2, bias=True)
[{ones}, {result}] ({result},)
{result}
{weight} and (1, 2) {bias}
[{weight}, {bias}] [{weight}, {bias}]
"""


GIVEN = """\
import mindspore as ms
import numpy as np
from mindspore import Parameter, ParameterTuple, Tensor, nn, ops
from mindspore.common.initializer import Normal, initializer


class Cross(nn.Cell):
    def __init__(self, start):
        super().__init__()
        self.first = Parameter(initializer(start, (3, 3)), name="first")
        self.w = ParameterTuple([Parameter(initializer(start, (3, 1)), name=f"w{i}") for i in range(2)])
        self.norm = nn.Norm(axis=1, keep_dims=True)

    def construct(self, x):
        y = ops.matmul(x, self.first)
        for w in self.w:
            y = y * ops.matmul(x, w) + y
        return y / (1.0 + self.norm(y))


class WithLoss(nn.Cell):
    def __init__(self, net, loss):
        super().__init__()
        self.net, self.loss = net, loss

    def construct(self, x, label):
        return self.loss(self.net(x), label)


class Average(nn.Cell):
    def __init__(self, net):
        super().__init__()
        self.parts = ParameterTuple(net.trainable_params())
        self.means = self.parts.clone(prefix="mean")

    def update(self):
        for mean, part in zip(self.means, self.parts):
            ops.assign(mean, 0.9 * mean + 0.1 * part)


random = np.random.RandomState(0)
x, label = random.randn(8, 3).astype(np.float32), random.randint(0, 3, 8).astype(np.int32)
net = Cross(Normal(0.5))
optimizer = nn.Momentum(net.trainable_params(), 0.1, 0.9)
step = nn.TrainOneStepCell(WithLoss(net, nn.CrossEntropyLoss()), optimizer)
average = Average(net)
for _ in range(3):
    print("loss", step(Tensor(x), Tensor(label)))
    average.update()
"""


def test_cells_are_proved_that_are_given_losses_and_initialisers_and_hold_lists(tmp_path, translate):
    (tmp_path / "p.py").write_text(GIVEN)
    code, out, err = translate("p.py", "-o", "out.py", "--run", "p.py", "--json", "report.json")
    report = json.loads((tmp_path / "report.json").read_text())
    assert code == 0, out + err
    assert {cell["name"]: cell["state"] for cell in report["cells"]} == dict.fromkeys(
        ["Cross", "WithLoss", "Average"], "proved"
    )
    assert "nn.ParameterList([nn.Parameter(" in (tmp_path / "out.py").read_text()


def test_what_a_program_prints_is_what_it_printed(tmp_path, translate):
    (tmp_path / "a.py").write_text(PRINTS)
    code, out, err = translate("a.py", "-o", "b.py", "--run", "a.py")
    assert code == 0, out + err
    assert "ms2torch" not in (tmp_path / "b.py").read_text()
    done = subprocess.run([sys.executable, "b.py"], cwd=tmp_path, capture_output=True, text=True)
    about = "Parameter (name={}, shape={}, dtype=torch.float32, requires_grad=True)"
    array = "array([[{}]], dtype=float32)"
    shown = {"ones": array.format("1., 1., 1."), "result": array.format("0.375, 1.625")}
    shown |= {"weight": about.format("weight", "(2, 3)"), "bias": about.format("bias", "(2,)")}
    assert done.stdout == PRINTED.lstrip().format(**shown), done.stderr


def test_without_a_run_inputs_are_made_up_and_force_replaces(tmp_path, translate):
    (tmp_path / "a.py").write_text(NET)
    (tmp_path / "b.py").write_text("old")
    code, out, err = translate("a.py", "-o", "b.py", "--force", "--html", "r.html")
    assert code == 0 and "1 of 1 Cells proved" in out, out + err
    assert "class Net" in (tmp_path / "b.py").read_text()
    assert "class Net" in (tmp_path / "r.html").read_text()


SEVERAL = """
import mindspore as ms
from mindspore import nn, ops


class Student(nn.Cell):
    def __init__(self, classes=4):
        super().__init__()
        self.conv, self.head = nn.Conv2d(3, 8, 3, pad_mode="pad", padding=1), nn.Dense(8, classes)

    def construct(self, x):
        return self.head(self.conv(x).mean((2, 3)))


class Graph(nn.Cell):
    def __init__(self, width):
        super().__init__()
        self.dense = nn.Dense(width, 4)

    def construct(self, adjacent, x):
        return ops.matmul(adjacent, self.dense(x))


class Distilled(nn.Cell):
    def __init__(self, teacher, student, loss_fn):
        super().__init__()
        self.teacher, self.student, self.loss_fn = teacher, student, loss_fn

    def construct(self, x):
        return self.loss_fn(self.student(x), self.teacher(x))


class Weighted(nn.Cell):
    def __init__(self, net):
        super().__init__()
        self.net = net

    def construct(self, x, weight):
        return (ops.logsumexp(self.net(x), (1,)) * weight).mean()


class Classes(nn.Cell):
    def __init__(self):
        super().__init__()
        self.dense = nn.Dense(6, 3)
        self.loss = nn.CrossEntropyLoss(weight=ms.Tensor([1.0, 2.0, 0.5]))
        self.each = ops.SoftmaxCrossEntropyWithLogits()

    def construct(self, x, labels):
        each, _ = self.each(self.dense(x), ops.softmax(x[:, :3]))
        return self.loss(self.dense(x), labels) + each.mean()
"""


def test_without_a_run_cells_of_several_inputs_and_of_other_cells_are_proved(tmp_path, translate):
    (tmp_path / "a.py").write_text(SEVERAL)
    code, out, err = translate("a.py", "-o", "b.py")
    assert code == 0 and "5 of 5 Cells proved" in out, out + err


def test_a_program_without_cells_is_proved_by_its_run_alone(tmp_path, translate):
    (tmp_path / "a.py").write_text("import mindspore as ms\n\nprint(ms.Tensor([-1.0]).abs().item())\n")
    code, out, err = translate("a.py", "-o", "b.py")
    assert code == 1 and "nothing was compared" in out, out + err
    code, out, err = translate("a.py", "-o", "c.py", "--run", "a.py")
    assert code == 0, out + err


NORMED = """\
from mindspore import nn


def build():
    return nn.SequentialCell(nn.Dense(3, 4), nn.LayerNorm((4,)), nn.Dense(4, 1))
"""
DECAYED = """\
import mindspore as ms
import numpy as np
from mindspore import nn

from models import build

net = build()
opt = nn.SGD(net.trainable_params(), 0.1, momentum=0.9, weight_decay=0.5)
step = nn.TrainOneStepCell(nn.WithLossCell(net, nn.MSELoss()), opt)
step.set_train()
x = ms.Tensor(np.random.RandomState(0).randn(8, 3).astype(np.float32))
for _ in range(4):
    print(step(x, x[:, :1]).asnumpy())
"""


def test_norms_of_another_file_do_not_decay(tmp_path, translate):
    """MindSpore leaves gamma and beta alone where parameters are in no groups; PyTorch decays them."""
    (tmp_path / "p").mkdir()
    (tmp_path / "p" / "models.py").write_text(NORMED)
    (tmp_path / "p" / "train.py").write_text(DECAYED)
    code, out, err = translate("p", "-o", "q", "--run", "p/train.py")
    assert code == 0 and "prints the same 4 lines" in out, out + err
    # A file alone, whose network comes from elsewhere, may have norms too.
    assert translate("p/train.py", "-o", "alone.py")[0] in (0, 1)
    assert "decay_groups(net, 0.5)" in (tmp_path / "alone.py").read_text()


LOW = """\
import numpy as np
import mindspore as ms
import mindspore.dataset as ds
from mindspore import amp, nn, ops
from mindspore.amp import DynamicLossScaleManager, FixedLossScaleManager
from mindspore.train import LossMonitor, Model

rng = np.random.RandomState(0)
rows = [(rng.randn(1, 6, 6).astype(np.float32), np.int32(rng.randint(4))) for _ in range(16)]


def data():
    return ds.GeneratorDataset(rows, ["image", "label"], shuffle=False).batch(8)


def made():
    net = nn.SequentialCell(nn.Conv2d(1, 4, 3), nn.BatchNorm2d(4), nn.ReLU(), nn.Flatten(), nn.Dense(144, 4))
    opt = nn.Momentum(net.trainable_params(), 0.1, 0.9, weight_decay=1e-4)
    return net, opt, nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")


net, opt, loss = made()
moving = Model(net, loss, opt, metrics={"acc"}, amp_level="O2",
               loss_scale_manager=DynamicLossScaleManager(2**22, 2, 3))
moving.train(6, data(), callbacks=[LossMonitor(2)], dataset_sink_mode=False)
print(moving.eval(data(), dataset_sink_mode=False))
net, opt, loss = made()
fixed = Model(net, loss, opt, amp_level="O2", keep_batchnorm_fp32=False,
              loss_scale_manager=FixedLossScaleManager(256.0))
fixed.train(2, data(), callbacks=[LossMonitor(2)], dataset_sink_mode=False)
net, opt, loss = made()
net = amp.auto_mixed_precision(net, "O3")
step = nn.TrainOneStepCell(nn.WithLossCell(net, loss), opt)
step.set_train()
for image, label in data():
    print(step(image, label).asnumpy())
net, opt, loss = made()
layers = Model(net, loss, opt, amp_level="O1")
layers.train(2, data(), callbacks=[LossMonitor(2)], dataset_sink_mode=False)


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.conv, self.norm = nn.Conv2d(1, 4, 3, has_bias=True), nn.BatchNorm2d(4)
        self.dense = nn.Dense(145, 4)

    def construct(self, x):
        found = ops.flatten(ops.relu(self.norm(self.conv(x))))
        return ops.log_softmax(self.dense(ops.cat((found, ops.exp(-x[:, 0, :1, 0])), 1)), -1)


net = Net()
level = "au" + rows[0][0].dtype.name[:0] + "to"
operators = Model(net, loss, nn.Momentum(net.trainable_params(), 0.1, 0.9), amp_level=level)
operators.train(2, data(), callbacks=[LossMonitor(2)], dataset_sink_mode=False)
net.set_train(False)
print(net(ms.Tensor(rows[0][0][None])).asnumpy())
"""


def test_levels_of_mixed_precision(tmp_path, translate):
    (tmp_path / "a.py").write_text(LOW)
    code, out, err = translate("a.py", "-o", "b.py", "--run", "a.py")
    assert code == 0 and "1 of 1 files need neither" in out and "prints the same 16 lines" in out, out + err
    made = (tmp_path / "b.py").read_text()
    assert "# ms2torch: Model: its amp_level was auto in the run" in made and "lower_operators(net)" in made


SHARED = """
from dataclasses import dataclass

import numpy as np
import mindspore as ms
from mindspore import nn, ops, Tensor


@dataclass
class Config:
    width: int = 6
    dtype: object = ms.float32


class Net(nn.Cell):
    def __init__(self, cfg):
        super().__init__()
        self.emb = nn.Embedding(10, cfg.width)
        self.dense = nn.Dense(cfg.width, cfg.width).to_float(cfg.dtype)

    def construct(self, x):
        return self.dense(self.emb(x))


class TiedLoss(nn.Cell):
    def __init__(self, table, cfg):
        super().__init__()
        self.table = table
        self.dtype = cfg.dtype
        self.ce = nn.CrossEntropyLoss()

    def construct(self, h, y):
        return self.ce(ops.matmul(h, self.table.T).astype(self.dtype), y)


class Whole(nn.Cell):
    def __init__(self, net, loss):
        super().__init__()
        self.net, self.loss = net, loss

    def construct(self, x, y):
        return self.loss(self.net(x), y)


ms.set_seed(1)
cfg = Config()
net = Net(cfg)
whole = Whole(net, TiedLoss(net.emb.embedding_table, cfg))
opt = nn.Adam(whole.trainable_params(), 0.01)
step = nn.TrainOneStepCell(whole, opt)
rng = np.random.RandomState(0)
for _ in range(4):
    x = Tensor(rng.randint(0, 10, 8), ms.int32)
    print(step(x, x).asnumpy())
"""


def test_a_parameter_that_a_loss_shares_and_settings_with_a_dtype(tmp_path, translate):
    (tmp_path / "a.py").write_text(SHARED)
    code, out, err = translate("a.py", "-o", "b.py", "--run", "a.py")
    assert code == 0 and "3 of 3 Cells proved" in out and "prints the same 4 lines" in out, out + err


def test_a_file_into_a_folder(tmp_path, translate):
    (tmp_path / "a.py").write_text(NET)
    assert translate("a.py", "-o", "out")[0] in (0, 1)
    assert "class Net" in (tmp_path / "out" / "a.py").read_text()


def test_a_notebook_keeps_its_magics(tmp_path, translate):
    head = "%matplotlib inline\n!pip list\nimport mindspore as ms"
    cells = [head, "%%bash\nls $HOME\n", "files = !ls\nx = 1", "%%time\n" + NET, "Net?"]
    rest = {"cell_type": "code", "outputs": [{"x": 1}], "metadata": {}, "execution_count": 3}
    made = [{**rest, "source": cell.splitlines(keepends=True)} for cell in cells]
    made.insert(1, {"cell_type": "markdown", "source": ["# mindspore"], "metadata": {}})
    (tmp_path / "a.ipynb").write_text(json.dumps({"cells": made, "metadata": {"k": 1}, "nbformat": 4}))
    code, _, err = translate("a.ipynb", "-o", "b.ipynb")
    assert code in (0, 1), err
    new = json.loads((tmp_path / "b.ipynb").read_text())
    assert (new["metadata"], new["cells"][1]) == ({"k": 1}, made[1])
    texts = ["".join(c["source"]) for c in new["cells"] if c["cell_type"] == "code"]
    assert texts[0].startswith("%matplotlib inline\n!pip list\n")
    assert texts[1] == cells[1] and new["cells"][2] == made[2]
    assert "files = !ls" in texts[2] and texts[3].startswith("%%time\n") and texts[4] == "Net?"
    assert "ms2torch: magic" not in str(texts) and "ms2torch: cell" not in str(texts)


def test_a_notebooks_cells_are_proved_without_a_run(tmp_path, translate):
    texts = ["%matplotlib inline\nimport mindspore", NET]
    cells = [{"cell_type": "code", "metadata": {}, "outputs": [], "source": text} for text in texts]
    (tmp_path / "n.ipynb").write_text(json.dumps({"cells": cells, "metadata": {}, "nbformat": 4}))
    code, out, err = translate("n.ipynb", "-o", "t.ipynb")
    assert code == 0 and "1 of 1 Cells proved" in out, out + err


def test_a_notebook_without_cells_of_its_own_is_proved_by_its_run(tmp_path, translate):
    texts = ["import mindspore as ms\n%matplotlib inline", "x = ms.Tensor([1.0, 2.0])\n!ls", "print(x.sum())"]
    cells = [{"cell_type": "code", "metadata": {}, "outputs": [], "source": text} for text in texts]
    (tmp_path / "n.ipynb").write_text(json.dumps({"cells": cells, "metadata": {}, "nbformat": 4}))
    code, out, err = translate("n.ipynb", "-o", "t.ipynb", "--run", "n.ipynb")
    assert code == 0 and "prints the same 1 lines" in out, out + err
    texts = ["".join(cell["source"]) for cell in json.loads((tmp_path / "t.ipynb").read_text())["cells"]]
    assert "%matplotlib inline" in texts[0] and "!ls" in texts[1] and "x.sum()" in texts[2]


def test_a_link_to_a_file_elsewhere_becomes_a_file(tmp_path, translate):
    for folder in ("p", "elsewhere"):
        (tmp_path / folder).mkdir()
    (tmp_path / "elsewhere/net.py").write_text(NET)
    (tmp_path / "p/linked.py").symlink_to("../elsewhere/net.py")
    code, out, err = translate("p", "-o", "q")
    assert code == 0, out + err
    assert not (tmp_path / "q/linked.py").is_symlink()
    assert "nn.Linear(3, 4)" in (tmp_path / "q/linked.py").read_text()
    assert (tmp_path / "elsewhere/net.py").read_text() == NET


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_what_is_ended_from_outside_leaves_what_was_there(number, tmp_path):
    (tmp_path / "a.py").write_text(
        "import time\nimport mindspore\nopen('here', 'w').close()\ntime.sleep(99)\n"
    )
    (tmp_path / "out.py").write_text("old\n")
    words = ["-m", "ms2torch", "translate", "a.py", "-o", "out.py", "--force", "--run", "a.py"]
    process = subprocess.Popen(
        [sys.executable, *words],
        cwd=tmp_path,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )
    _until((tmp_path / "here").exists)
    process.send_signal(number)
    _, err = process.communicate(timeout=60)
    assert process.returncode == 128 + number, err
    assert "Traceback" not in err
    assert sorted(os.listdir(tmp_path)) == ["a.py", "here", "out.py"]
    assert (tmp_path / "out.py").read_text() == "old\n"
    _until(lambda: not subprocess.run(["pgrep", "-s", str(process.pid)], capture_output=True).stdout)


def _until(happened) -> None:
    for _ in range(600):
        if happened():
            return
        time.sleep(0.1)
    raise TimeoutError
