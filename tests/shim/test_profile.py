"""``ms2torch run --profile``: where the time goes, and the program's line that slows it."""

import json
import re

from ms2torch._core import torch_private
from tests.shim.run import launched

PROGRAM = """
import time
import numpy as np
import mindspore as ms
from mindspore import nn, Tensor, dataset as ds

def rows():
    for i in range(12):
        yield np.ones((4, 8), np.float32), np.zeros(4, np.int32)

def slow(x):
    time.sleep(0.05)
    return x

net = nn.Dense(8, 3)
loss = nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")
step = nn.TrainOneStepCell(nn.WithLossCell(net, loss), nn.Momentum(net.trainable_params(), 0.1, 0.9))
data = ds.GeneratorDataset(rows, ["x", "y"], shuffle=False)
data = data.map([slow, ds.transforms.TypeCast(ms.float32)], "x")
for x, y in data.create_tuple_iterator():
    value = step(x, y)
    print(value)
    last = float(value.asnumpy())

@ms.jit
def sign(x):
    return x if x.sum() > 0 else -x

import ms2torch.context
ms2torch.context.choose_graphs("compile")
sign(x)
"""


READS = """
import numpy as np
import mindspore as ms
from mindspore import nn, Tensor

ms.set_context(mode=ms.GRAPH_MODE)
net = nn.Dense(4, 1)
x = Tensor(np.ones((1, 4), np.float32))
table = list(range(100))
for i in range(100):
    y = net(x).sum()
    a = y.item()
    b = y.numpy()
    c = int(y)
    d = table[(y * 0).astype(ms.int32)]
    e = y.tolist()
    if y > 1e9:
        break
    if i % 40 == 0:
        print(y)
"""


def test_every_way_of_reading_is_told_and_a_print_now_and_then_is_not(tmp_path):
    (tmp_path / "train.py").write_text(READS)
    code, _, told = launched(f"--profile={tmp_path}", "train.py", cwd=tmp_path)
    assert code == 0
    for line in range(12, 18):
        assert f"train.py:{line}: a Tensor's numbers are read on the host 100 times" in told, line
    assert re.search(r"Dense +100 calls", told)
    assert "is printed" not in told and "data-bound" not in told and "graph break" not in told


FUNCTIONAL = """
import numpy as np
import mindspore as ms
from mindspore import nn, Tensor

net, loss = nn.SequentialCell(nn.Dense(4, 8), nn.ReLU(), nn.Dense(8, 1)), nn.MSELoss()
rule = nn.SGD(net.trainable_params(), 0.1)
step = ms.value_and_grad(lambda x: loss(net(x), x[:, :1]), None, rule.parameters)
for i in range(30):
    value, grads = step(Tensor(np.ones((2, 4), np.float32)))
    rule(grads)
    last = float(value)
"""


def test_steps_are_those_of_the_optimizer(tmp_path):
    """Several Cells are outermost in each step of a functional loop."""
    (tmp_path / "train.py").write_text(FUNCTIONAL)
    code, _, told = launched(f"--profile={tmp_path}", "train.py", cwd=tmp_path)
    assert code == 0 and "by operator, 20 steps" in told
    assert "train.py:12: a Tensor's numbers are read on the host 30 times" in told and "1.0 a step" in told
    assert re.search(r"\(backward passes\) +30 calls", told)
    shares = re.findall(r" (\d+) %", told.partition("\n")[0])
    assert len(shares) == 5 and abs(sum(map(int, shares)) - 100) <= 2           # (each is rounded)


def test_it_names_the_line_that_reads_and_the_data_that_is_waited_for(tmp_path):
    (tmp_path / "train.py").write_text(PROGRAM)
    code, out, told = launched(f"--profile={tmp_path}", "train.py", cwd=tmp_path,
                               env={"MS2TORCH_GRAPH_BACKEND": "graph"})
    assert code == 0 and out.count("\n") == 12
    assert "train.py:23: a Tensor's numbers are read on the host 12 times" in told
    assert re.search(r"MapDataset of x: 0\.\d+ s, \d+ %; slow \(train.py:11\) 0\.", told)
    assert "train.py:22: a Tensor is printed 12 times" in told
    if torch_private.RELEASE >= (2, 5):         # (older ones do not compile)
        assert "graph break: sign(): train.py:27: the numbers of a Tensor decide" in told
    assert "USDT" not in told and "data-bound" in told and "Dense" in told and "aten::addmm" in told
    assert json.loads((tmp_path / "ms2torch_profile.json").read_text())["traceEvents"]
