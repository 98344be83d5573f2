"""A wrong rule is caught, by forward, gradient or statistics, and taken back at its site alone."""

import ast
import json
import os
import subprocess
import sys

import pytest
import torch

from ms2torch import Parameter, ParameterTuple, Tensor, nn, ops, to_torch
from ms2torch.translate import twins
from ms2torch.translate.proving import minimise
from ms2torch.translate.translation import Site
from tests.shim.run import ROOT

PROGRAM = """\
import numpy as np
import mindspore as ms
from mindspore import nn, ops, Tensor, Parameter

WIDTH = 8


class Block(nn.Cell):
    def __init__(self, n, act=nn.ReLU):
        super().__init__()
        self.fc = nn.Dense(n, n)
        self.bn = nn.BatchNorm1d(n)
        self.act = act()
        self.drop = nn.Dropout(p=0.3)

    def construct(self, x):
        return self.drop(self.act(self.bn(self.fc(x)))) + x


class Net(nn.Cell):
    def __init__(self, blocks):
        super().__init__()
        self.emb = nn.Dense(5, WIDTH)
        self.blocks = nn.SequentialCell(blocks)
        self.scale = Parameter(Tensor([1.5], ms.float32), name="scale")

    def construct(self, x):
        y = self.blocks(self.emb(x))
        y = ops.exp(y * self.scale)
        return ops.log_softmax(y, axis=-1)


net = Net([Block(WIDTH), Block(WIDTH, nn.Tanh)])
net.set_train()
net(Tensor(np.random.RandomState(0).randn(6, 5).astype(np.float32)))
"""
TRANSLATION = """\
import numpy as np
import torch
from torch import nn

WIDTH = 8


class Block(nn.Module):
    def __init__(self, n, act=nn.ReLU):
        super().__init__()
        self.fc = nn.Linear(n, n)
        self.bn = nn.BatchNorm1d(n, eps=1e-5, momentum=0.1)
        self.act = act()
        self.drop = nn.Dropout(p=0.3)

    def forward(self, x):
        return self.drop(self.act(self.bn(self.fc(x)))) + x


class Net(nn.Module):
    def __init__(self, blocks):
        super().__init__()
        self.emb = nn.Linear(5, WIDTH)
        self.blocks = nn.Sequential(*blocks)
        self.scale = nn.Parameter(torch.tensor([1.5]))

    def forward(self, x):
        y = self.blocks(self.emb(x))
        y = torch.exp(y * self.scale)
        return torch.log_softmax(y, dim=-1)


net = Net([Block(WIDTH), Block(WIDTH, nn.Tanh)])
raise SystemExit("a proof runs no program")
"""
# What a wrong rule writes, for what; the site that is at fault; the class; what differs.
WRONG = {
    "nothing": ("", "", None, "", ""),
    "an output": ("dim=-1", "dim=0", "log_softmax", "Net", "output 0 differs"),
    "a gradient": ("torch.exp(y *", "torch.exp(y.detach() *", "exp", "Net", "gradient of"),
    "a weight that is not used": ("self.scale)", "1.5)", "exp", "Net", "gradient of scale"),
    "statistics": ("momentum=0.1", "momentum=0.9", "BatchNorm1d", "Block", "the statistics bn.moving_mean"),
    "an epsilon": ("eps=1e-5", "eps=1e-3", "BatchNorm1d", "Block", "output 0 differs"),
    "an error": ("torch.exp", "torch.expp", "exp", "Net", "the translation fails: AttributeError"),
    "half": ("y * self.scale", "(y * self.scale).half()", "exp", "Net", "dtype float16"),
    "a shape": ("dim=-1)", "dim=-1)[None]", "log_softmax", "Net", "shape"),
}
# The harness translates by replacing text: a site that is kept has the right text.
HARNESS = """
import json, os, sys
import ms2torch
from ms2torch.shim import launcher
from ms2torch.translate import instances, proving, recording
from ms2torch.translate.translation import Site, Translation

spec = json.load(open("spec.json"))
program, translation, (right, wrong, name) = spec
path = os.path.realpath("p.py")

def translate(source, *, path="", facts=None, keep=frozenset()):
    if path == "<name>":
        leaf = source.split()[-1]
        return Translation("from torch import nn\\nTHING = nn." + leaf, [Site(1, 0, leaf, True)])
    sites, bad = [], None
    for number, line in enumerate(source.splitlines(), 1):
        for word in ("Dense", "BatchNorm1d", "Dropout", "SequentialCell", "Tensor", "exp", "log_softmax"):
            at = line.find("." + word + "(")
            if at >= 0:
                sites.append(Site(number, at + 1, word, (number, at + 1) not in keep, word))
                bad = (number, at + 1) if word == name else bad
    text = translation if bad in keep or not right else translation.replace(right, wrong)
    return Translation(text, sites, [], [("Block", 8), ("Net", 20)])

ms2torch.install()
seen = instances.Instances({path})
seen.install()
with recording.Watch([path]) as watch:
    launcher.run_script(path, [])
seen.watching = False
prover = proving.Prover({path: program}, watch.recorder.facts, seen.made, translate)
prover.prove(seen.by_class())
json.dump([[p.as_json() for p in prover.proofs], [t.as_json() for t in prover.taken]], open("out.json", "w"))
"""


@pytest.fixture(scope="module")
def proved(tmp_path_factory):
    """The proof under each wrong rule, all in one process, which forks."""
    folder = tmp_path_factory.mktemp("proving")
    (folder / "p.py").write_text(PROGRAM)
    cases = []
    for right, wrong, name, _, _ in WRONG.values():
        assert right in TRANSLATION
        cases.append([PROGRAM, TRANSLATION, (right, wrong, name)])
    (folder / "cases.json").write_text(json.dumps(cases))
    forks = "import os, json, ms2torch\nimport ms2torch.translate.proving\n"
    forks += "for i, spec in enumerate(json.load(open('cases.json'))):\n"
    forks += "    json.dump(spec, open('spec.json', 'w'))\n    pid = os.fork()\n    if not pid:\n"
    forks += "        exec(open('harness.py').read())\n        os.rename('out.json', f'{i}.json')\n"
    forks += "        os._exit(0)\n"
    forks += "    os.waitpid(pid, 0)\n"
    (folder / "harness.py").write_text(HARNESS)
    env = {**os.environ, "PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1"}
    done = subprocess.run([sys.executable, "-c", forks], cwd=folder, env=env, capture_output=True, text=True)
    found = {case: folder / f"{i}.json" for i, case in enumerate(WRONG)}
    assert all(f.exists() for f in found.values()), done.stderr
    return {case: json.loads(file.read_text()) for case, file in found.items()}


@pytest.mark.parametrize("case", WRONG)
def test_a_wrong_rule_is_taken_back_at_its_site(proved, case):
    _, _, name, where, reason = WRONG[case]
    proofs, taken = proved[case]
    told = [p["reason"] for p in proofs]
    assert [(p["name"], p["state"]) for p in proofs] == [("Block", "proved"), ("Net", "proved")], told
    assert [(t["name"], t["where"]) for t in taken] == ([(name, where)] if name else [])
    if name:
        assert reason in taken[0]["reason"]
    else:
        assert [p["instances"] for p in proofs] == [2, 1]


@pytest.mark.parametrize("guilty", [{3}, {0, 9}, {4, 5, 6}, set(range(10))])
def test_the_fewest_sites(guilty):
    sites = [Site(i, 0, "x", True) for i in range(10)]
    found = minimise(sites, lambda some: guilty <= {site.line for site in some})
    assert {site.line for site in found} == guilty


class Half(nn.Cell):
    """A Cell around a Module, as a program has it that is translated file by file; sums are in a tuple."""

    def __init__(self, totals):
        super().__init__()
        self.layer = torch.nn.Linear(2, 3)
        self.scale = Parameter(ops.ones(3), name="scale")
        self.totals = totals


class Whole(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(2, 3)
        self.scale = torch.nn.Parameter(torch.ones(3))


def test_parameters_of_modules_are_paired_and_those_of_tuples_alone_are_none_of_a_modules():
    cell = Half(ParameterTuple([Parameter(ops.zeros((3, 2)), name="total")]))
    pairs, *alone = twins.pair_parameters(cell, Whole())
    assert sorted(pairs.values()) == ["layer.bias", "layer.weight", "scale"] and alone == [[], []]
    assert set(pairs) == {"layer.bias", "layer.weight", "scale"}


def test_what_a_script_defines_and_what_it_does():
    script = "std = 0.02\nstart = partial(nn.init.normal_, std=std)\nnet = Net()\nfound = partial(f, 1)(2)\n"
    tree, left = twins.definitions(ast.parse(script))
    assert [node.targets[0].id for node in tree.body] == ["std", "start"] and left == {"net", "found"}


def test_a_name_of_a_comprehension_is_not_the_scripts():
    script = "p = f(a)\ngroup = [{'params': some}]\nsome = [p for p in q]\nopt = g([p for p in q], rate)\n"
    tree, _ = twins.definitions(ast.parse(script))
    assert [node.targets[0].id for node in tree.body] == ["group", "some"]


class Named(nn.Cell):
    """Whose parts have the names of what stands around a kept layer."""

    def __init__(self):
        super().__init__()
        self.cell = nn.Dense(2, 2)
        self.pairs = nn.Dense(2, 2)

    def construct(self, x):
        return self.pairs(self.cell(x))


def test_a_cell_may_have_a_part_of_any_name():
    cell = Named()
    made, x = to_torch(cell), torch.ones(1, 2)
    assert torch.equal(made(x), cell(Tensor(x.numpy()))._t)
    assert "cell.weight" in made.state_dict()
