"""Programs that change between two calls what MindSpore's graphs keep from the first one (mode=GRAPH)."""

import ast

import pytest

from ms2torch.scan.captures import captures
from ms2torch.scan.judging import judge

_HEAD = "import mindspore as ms\nms.set_context(mode=ms.GRAPH_MODE)\n"

_SCALED = "class Net(nn.Cell):\n    def construct(self, x):\n        return x * self.scale\nnet = Net()\n"
_STEP = _SCALED + "step = Train(net, opt)\n"
_LOSS = "def forward(x):\n    return loss(net(x))\ngrad_fn = ms.value_and_grad(forward, None, weights)\n"

_PROGRAMS = {
    "net(x)\nnet.set_train(False)\nnet(x)": [],                     # it was not training
    "net.set_train()\nnet(x)\nnet.set_train(False)\nnet(x)": ["net.set_train()"],
    "net.set_train()\nnet(x)\nnet.set_train(False)": [],
    "net.set_train()\nstep(x)\nnet.set_train(False)\nnet(x)": [],
    "for epoch in range(3):\n    step.set_train()\n    step(x)\n    net.set_train(False)\n    net(x)": [],
    "for epoch in range(3):\n    net.set_train(True)\n    net(x)\n    net.set_train(False)\n    net(x)":
        ["net.set_train()"],
    "net(x)\nnet.k = 2\nnet(x)": ["net.k"],
    "net.k = 2\nnet(x)\nnet(y)": [],
    "net(x)\nnet = Net()\nnet.k = 2\nnet(x)": [],
    "model.train(1, data)\nfor p in net.get_parameters():\n    p.requires_grad = False\nmodel.train(1, data)":
        ["model.requires_grad"],
    "model.train(1, data)\np.requires_grad = False\nmodel = ms.Model(net)\nmodel.train(1, data)": [],
    "@ms.jit\ndef f(x):\n    return x * SCALE\nSCALE = 1\nf(x)\nSCALE = 2\nf(x)": ["SCALE"],
    "@ms.jit\ndef f(x, scale):\n    return x * scale\nscale = 1\nf(x, scale)\nscale = 2\nf(x, scale)": [],
    "class Net(nn.Cell):\n    rate = 1\n    def construct(self, x):\n        return x * self.rate * SCALE\n"
    "net(x)\nNet.rate = 2\nSCALE = 3\nnet(x)": ["Net.rate", "SCALE"],
    "class Net(nn.Cell):\n    def construct(self, x):\n        return x * SCALE\ndef run():\n    net(x)\n"
    "    SCALE = 3\n    net(x)": [],
    "def run():\n    clip = [1]\n    @ms.jit\n    def step(x):\n        return x * clip[0]\n    step(x)\n"
    "    clip[0] = 2\n    step(x)": ["clip"],
    "def run():\n    clip = [1]\n    @ms.jit\n    def step(x):\n        return x * clip[0]\n    clip[0] = 2\n"
    "    step(x)\n    kept[0] = 3\n    step(x)": [],
    "def train():\n    net(x)\n    net.k = 1\n    return net(x)": ["net.k"],
    # A network inside of what is called.
    _SCALED + "step = Train(WithLoss(net, loss), opt)\nstep(x)\nnet.scale = 2\nstep(x)": ["net.scale"],
    _STEP + "for k in range(9):\n    step(x)\n    if k == 5:\n        net.scale = 2\n": ["net.scale"],
    _SCALED + _LOSS + "for k in range(9):\n    value, grads = grad_fn(x)\n    net.scale = k": ["net.scale"],
    _SCALED + "model = ms.Model(net)\nmodel.train(1, d)\nnet.scale = 2\nmodel.train(1, d)": ["net.scale"],
    _STEP + "net.scale = 2\nstep(x)\nstep(x)": [],
    _STEP + "step(x)\nnet.name = 2\nstep(x)": [],  # construct reads none
    _STEP + "step(x)\nother.scale = 2\nstep(x)": [],
    _STEP + "step(x)\nnet = Net()\nnet.scale = 2\nstep = Train(net, opt)\nstep(x)": [],
    "print(net)\nfor p in net.get_parameters():\n    p.requires_grad = False\nprint(net)": [],
}


@pytest.mark.parametrize("program", _PROGRAMS)
def test_what_a_graph_keeps(program):
    assert [what for _, what, _ in captures(ast.parse(_HEAD + program))] == _PROGRAMS[program]


def test_it_is_a_note_and_only_where_graphs_are():
    program = "net(x)\nnet.k = 2\nnet(x)\n"
    assert list(captures(ast.parse("import mindspore as ms\n" + program))) == []
    _, read = judge("train.py", _HEAD + program)
    assert [(f.line, f.kind, f.name) for f in read.findings] == [(4, "differs", "net.k")]
    assert "keep what the first call found" in read.findings[0].text and not read.findings[0].fails
