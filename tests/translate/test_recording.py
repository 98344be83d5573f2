"""What a watched run tells of call sites, and that the program does not notice."""

import os
import subprocess
import sys
import textwrap

import pytest

from ms2torch.translate.facts import Fact, Facts, Kind
from tests.shim.run import ROOT

PROGRAM = '''\
import traceback
import numpy as np
import mindspore as ms
from mindspore import ops, Tensor
from mindspore.nn import *
from mindspore.common.initializer import Normal as N0

KINDS = {"relu": ops.relu, "late": lambda t: ops.exp(t)}

class Net(Cell):
    def __init__(self, **more):
        super().__init__()
        self.fc = Dense(3, 4, weight_init=N0(0.1), **more)
        self.add = ops.Add()

    def construct(self, x):
        """中文"""; y = self.fc(x).view(2, -1).sum(axis=-1).reshape((2,))
        for i in range(3):
            y = self.add(y, 1.0)
        return [ops.relu(v) for v in (y, y)], y.size, (lambda t: ops.exp(t))(y)

def named(function):
    assert set(locals()) == {"function"}
    return function

@named
@ms.jit
def step(x):
    a, b = x.shape
    if b > 2:
        x = x * 2
    return ops.relu(x).astype(ms.float32)

def boom(): raise ValueError("no")

net = Net(has_bias=True)
x = Tensor(np.ones((2, 3), np.float32))
print(net(x)[1], step(x).shape)
for kind in KINDS:
    KINDS[kind](Tensor([1.0, 2.0][: 1 + (kind == "late")]))
print(ops.GradOperation()(lambda t: ops.sum(t * t))(Tensor([1.0])))
try:
    boom(
    )
except ValueError:
    traceback.print_exc()
'''
WATCHED = """\
import json, sys
import ms2torch
from ms2torch.shim import launcher
from ms2torch.translate import recording
ms2torch.install()
with recording.Watch(["p.py"]) as watch:
    launcher.run_script("p.py", [])
(facts,) = watch.recorder.facts.values()
json.dump(facts.as_json(), open("facts.json", "w"))
"""


def run(folder, *command):
    env = {**os.environ, "PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1"}
    return subprocess.run([sys.executable, *command], cwd=folder, env=env, capture_output=True, text=True)


@pytest.fixture(scope="module")
def seen(tmp_path_factory):
    """The finished runs, plain and watched, and a function from a text of the program to its fact."""
    import json

    folder = tmp_path_factory.mktemp("seen")
    (folder / "p.py").write_text(PROGRAM, encoding="utf-8")
    runs = run(folder, "-m", "ms2torch", "p.py"), run(folder, "-c", WATCHED)
    facts = Facts.from_json(json.loads((folder / "facts.json").read_text()))

    def fact(text, name):
        line = next(i for i, line in enumerate(PROGRAM.split("\n")) if text in line)
        column = PROGRAM.split("\n")[line].index(text) + text.rindex(name)
        return facts.at(line + 1, column)

    return runs, fact


def test_the_program_does_not_notice(seen):
    plain, watched = seen[0]
    assert (watched.returncode, watched.stdout) == (0, plain.stdout), watched.stderr
    assert watched.stderr == plain.stderr
    assert "boom(" in plain.stderr


X, Y = Kind("Tensor", "Float32", (2, 3)), Kind("Tensor", "Float32", (2,))
SITES = [
    ("self.fc(x)", "fc", "mindspore.nn.Dense()", [X], 1),
    (".view", "view", "mindspore.Tensor.view", [Kind("Tensor", "Float32", (2, 4)), Kind("int", value=2),
                                                Kind("int", value=-1)], 1),
    (".sum", "sum", "mindspore.Tensor.sum", [Kind("Tensor", "Float32", (2, 4))], 1),
    (".reshape", "reshape", "mindspore.Tensor.reshape", [Y, Kind("tuple", value=(2,))], 1),
    ("self.add(", "add", "mindspore.ops.Add()", [Y, Kind("float", value=1.0)], 3),
    ("ops.relu(v)", "relu", "mindspore.ops.relu", [Y], 2),
    ("y.size", "size", "mindspore.Tensor.size", [Y], 1),
    ("ops.exp(t))(y)", "exp", "mindspore.ops.exp", [Y], 1),
    ("(lambda t: ops.exp(t))(y)", ")(y", "", [Y], 1),
    ("(Cell)", "Cell", "mindspore.nn.Cell", [], 1),
    ("Dense(3", "Dense", "mindspore.nn.Dense", [Kind("int", value=3), Kind("int", value=4)], 1),
    ("N0(0.1)", "N0", "mindspore.common.initializer.Normal", [Kind("float", value=0.1)], 1),
    ("ms.jit", "jit", "mindspore.jit", [], 1),
    ("ms.float32", "float32", "mindspore.float32", [], 1),
    ("GradOperation()(", "(", "mindspore.ops.GradOperation()", None, 1),
]  # fmt: skip


@pytest.mark.parametrize(("text", "name", "resolved", "arguments", "calls"), SITES, ids=[s[1] for s in SITES])
def test_sites(seen, text, name, resolved, arguments, calls):
    fact = seen[1](text, name)
    assert (fact.name, fact.calls) == (resolved, calls)
    assert arguments is None or list(fact.arguments) == arguments


def test_what_changes_is_not_told(seen):
    fact = seen[1]("KINDS[kind](", "(")
    assert fact.name == "" and fact.calls == 2
    assert fact.arguments == (Kind("Tensor", "Float32", (None,)),)


def test_unpacked_arguments(seen):
    fact = seen[1]("Dense(3", "Dense")
    assert fact.starred and fact.keywords["has_bias"] == Kind("bool", value=True)


def test_merging():
    one = Fact("a", (Kind("Tensor", "Float32", (2, 3)), Kind("int", value=1)))
    two = Fact("a", (Kind("Parameter", "Float16", (2, 4)), Kind("float", value=1.0)))
    assert one.merged(two) == Fact("a", (Kind("Tensor", "", (2, None)), None), calls=2)
    assert Facts.from_json(Facts({(1, 2): one}).as_json()) == {(1, 2): one}


def test_a_hot_site_is_counted(tmp_path):
    (tmp_path / "p.py").write_text(
        textwrap.dedent("""\
        import mindspore as ms
        from mindspore import ops
        x = ms.Tensor([1.0])
        def down(n):
            return ops.relu(down(n - 1)) if n else x
        for i in range(40):
            down(50)
    """)
    )
    done = run(tmp_path, "-c", WATCHED.replace("json.dump", "print(facts.at(5, 15).calls); json.dump"))
    assert done.stdout == "2000\n", done.stderr
