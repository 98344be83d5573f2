"""Where imports, helpers and seeds stand in a file, and layers whose activation is not told."""

import pytest
import torch

pytest.importorskip("libcst")
from ms2torch.translate import translate_source

PROGRAM = '''import os
import sys
os.environ["OMP_NUM_THREADS"] = "1"
sys.path.insert(0, os.path.dirname(__file__))

import numpy as np
import mindspore as ms
from mindspore import nn
import warnings
warnings.filterwarnings("ignore")
from mindspore.nn import Adam

ms.set_seed(2); np.random.seed(3)
net = nn.SequentialCell(nn.Dense(4, 3, activation=nn.GELU()))
step = nn.TrainOneStepCell(net, Adam(net.trainable_params()))
'''


def _made(source: str) -> str:
    made = translate_source(source)
    assert all(site.settled for site in made.sites), made.text
    return made.text


def test_lines_between_imports_stay_between_them():
    lines = [line for line in _made(PROGRAM).splitlines() if line and not line.startswith(" ")]
    assert lines[:8] == [
        "import os",
        "import sys",
        'os.environ["OMP_NUM_THREADS"] = "1"',
        "sys.path.insert(0, os.path.dirname(__file__))",
        "import warnings",
        "import numpy as np",
        "import torch",
        "from torch import nn",
    ]
    assert [line for line in lines if line.startswith(("class", "def", "warnings"))] == [
        "class Activated(nn.Linear):",
        "def early_eps(optimizer):",
        "class TrainStep(nn.Module):",
        'warnings.filterwarnings("ignore")',
    ]


def test_a_line_between_imports_that_needs_pytorch_finds_it():
    made = _made("import mindspore as ms\nx = ms.Tensor([1.0])\nimport numpy as np\ny = np.ones(3)\n")
    assert made == "import torch\n\nx = torch.tensor([1.0])\nimport numpy as np\ny = np.ones(3)\n"


def test_a_seed_behind_a_semicolon_has_the_last_word():
    lines = _made(PROGRAM).splitlines()
    at = lines.index("torch.manual_seed(2); np.random.seed(3)")
    assert lines[at - 1] == "np.random.seed(2)"
    assert "seed" not in lines[at + 1]


def test_a_layer_that_is_an_activation_needs_no_look_up_and_none_is_none():
    assert 'Activated(nn.Linear(4, 3), nn.GELU(approximate="tanh"))' in _made(PROGRAM)
    made = _made(
        "from mindspore import nn\n\n\ndef layer(last, act):\n"
        "    return nn.Dense(2, 2, activation=None if last else act)\n"
    )
    space: dict = {}
    exec(made, space)
    x = torch.randn(3, 2)
    last, first = space["layer"](True, "relu"), space["layer"](False, "relu")
    assert torch.equal(last(x), torch.nn.functional.linear(x, last.weight, last.bias))
    assert torch.equal(first(x), torch.relu(torch.nn.functional.linear(x, first.weight, first.bias)))


def test_a_rate_that_a_group_gives_is_a_number():
    made = _made(
        "from mindspore import nn\nfrom mindspore.experimental import optim\n\nnet = nn.Dense(2, 2)\n"
        "optimizer = optim.SGD(net.trainable_params(), 0.1)\n"
        'print(float(optimizer.param_groups[0]["lr"].value()))\n'
    )
    assert made.endswith('print(float(optimizer.param_groups[0]["lr"]))\n')


def test_a_layer_that_is_the_default_of_an_argument_is_no_call_there():
    made = _made(
        "from mindspore import nn\n\n\n"
        "def block(act=nn.GELU, *, norm=nn.LayerNorm, slope=nn.LeakyReLU, softmax=nn.Softmax):\n"
        "    return act(), norm((3,)), slope(), softmax()\n\n\nother = block(act=nn.GELU)\n"
    )
    assert "act=tanh_gelu, *, norm=normalising_layer, slope=leaky_layer, softmax=softmax_layer)" in made
    assert 'block(act=partial(nn.GELU, approximate="tanh"))' in made
    space: dict = {}
    exec(made, space)
    gelu, norm, slope, softmax = space["block"]()
    assert gelu.approximate == "tanh" and norm.eps == 1e-7
    assert slope.negative_slope == 0.2 and softmax.dim == -1


def test_a_name_that_mindspore_never_had_is_told_as_such():
    made = translate_source(
        "import mindspore as ms\nfrom mindspore import nn, ops\n\n"
        "x = ms.Tensor([1.0])\ny = ops.nonexistent(x)\n"
        "z = nn.Conv9d(3)\nw = ms.foo_bar\nv = map(ops.funny, [x])\nlast = nn.WithGradCell(z)\n"
    )
    said = [site.reason for site in made.sites if not site.settled]
    never = "MindSpore has no such name"
    assert said[:4] == [never, f"{never}. Did you mean Conv3d?", never, never] and never not in said[4]
    assert f"# ms2torch: foo_bar: {never}\nw = ms2torch.foo_bar\n" in made.text
    assert "v = map(ms2torch.ops.funny, [x])" in made.text
