"""What `translate` makes of Python itself: statements that write in place, `case`, several on a line."""

import numpy as np
import pytest

from ms2torch.translate import translate_source

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
