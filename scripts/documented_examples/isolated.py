"""Run examples apart: each in a process forked from this one, in an empty folder, with a limit of time."""
from __future__ import annotations

import ast
import functools
import io
import json
import os
import random
import re
import select
import shutil
import signal
import socket
import sys
import tempfile
import time
import types
from pathlib import Path

SHOWN = 20_000
ERROR_NAME = re.compile(r"\s*(?:[\w.]*\.)?(\w*(?:Error|Exception|Warning|StopIteration))\b")

# What the documentation uses without importing it.
IMPORTS = {
    "np": "import numpy as np", "mindspore": "import mindspore", "ms": "import mindspore as ms",
    "P": "import mindspore.ops.operations as P", "C": "import mindspore.ops.composite as C",
    "F": "import mindspore.ops.functional as F", "mstype": "from mindspore import dtype as mstype",
    "ds": "import mindspore.dataset as ds", "Model": "from mindspore.train import Model",
    "initializer": "from mindspore.common.initializer import initializer",
    **{name: f"import {name}" for name in ("os", "random", "time", "math")},
    **{name: f"from mindspore import {name}" for name in (
        "Tensor", "nn", "ops", "Parameter", "ParameterTuple", "mint", "context", "jit", "train", "amp",
        "set_context", "CSRTensor", "COOTensor", "dtype")},
    **{name: f"import mindspore.dataset.{name} as {name}"
       for name in ("vision", "transforms", "text", "audio")},
    **{name: f"from mindspore.ops import {name}" for name in ("Primitive", "prim_attr_register")},
}
# What it refers to as files of its site: a small network, and a data set of the right shapes.
HELPERS = {
    "LeNet5": """
from mindspore import nn as _nn

class LeNet5(_nn.Cell):
    def __init__(self, num_class=10, num_channel=1, include_top=True):
        super().__init__()
        self.conv1 = _nn.Conv2d(num_channel, 6, 5, pad_mode='valid')
        self.conv2 = _nn.Conv2d(6, 16, 5, pad_mode='valid')
        self.relu = _nn.ReLU()
        self.max_pool2d = _nn.MaxPool2d(kernel_size=2, stride=2)
        self.include_top = include_top
        if include_top:
            self.flatten = _nn.Flatten()
            self.fc1 = _nn.Dense(16 * 5 * 5, 120)
            self.fc2 = _nn.Dense(120, 84)
            self.fc3 = _nn.Dense(84, num_class)

    def construct(self, x):
        x = self.max_pool2d(self.relu(self.conv1(x)))
        x = self.max_pool2d(self.relu(self.conv2(x)))
        if not self.include_top:
            return x
        x = self.relu(self.fc1(self.flatten(x)))
        return self.fc3(self.relu(self.fc2(x)))
""",
    "create_dataset": """
def create_dataset(*args, **kwargs):
    import numpy
    import mindspore.dataset
    draw = numpy.random.RandomState(0)
    columns = {"image": draw.rand(64, 1, 32, 32).astype(numpy.float32),
               "label": draw.randint(0, 10, 64).astype(numpy.int32)}
    return mindspore.dataset.NumpySlicesDataset(columns, shuffle=False).batch(32)
""",
}


def unbound(statements: list[dict]) -> list[str]:
    """Names that an example reads and never binds."""
    read, bound = [], set()
    for statement in statements:
        try:
            tree = ast.parse(statement["source"])
        except SyntaxError:
            continue
        for node in ast.walk(tree):
            if isinstance(node, ast.Name):
                (read.append if isinstance(node.ctx, ast.Load) else bound.add)(node.id)
            elif isinstance(node, (ast.FunctionDef, ast.ClassDef)):
                bound.add(node.name)
            elif isinstance(node, ast.alias):
                bound.add((node.asname or node.name).partition(".")[0])
            elif isinstance(node, ast.arg):
                bound.add(node.arg)
    return [name for name in dict.fromkeys(read) if name not in bound]


def execute(statements: list[dict], answer) -> None:
    """Run an example as a program of its own; ``answer`` takes a dict per statement, and one for the end.

    The source stands in a file, because compilation in graph mode and reports read it there.
    """
    name = os.path.join(os.getcwd(), "source", "example.py")
    os.mkdir("source")
    streams = [os.open(os.path.join("source", stream), os.O_RDWR | os.O_CREAT) for stream in ("out", "err")]
    os.dup2(streams[0], 1)
    os.dup2(streams[1], 2)
    sys.stdout, values = io.StringIO(), []
    sys.displayhook = lambda value: None if value is None else values.append(repr(value) + "\n")
    main = sys.modules["__main__"] = types.ModuleType("__main__")
    main.__file__, main.__builtins__ = name, __builtins__
    random.seed(0)
    sys.modules["numpy"].random.seed(0)
    needs = unbound(statements)
    lines = "".join(HELPERS[n] for n in needs if n in HELPERS).split("\n")
    before = len(lines)
    starts = []
    for statement in statements:
        starts.append(len(lines))
        lines += statement["source"].split("\n")
    with open(name, "w") as file:
        file.write("\n".join(lines) + "\n")
    for need in needs:
        exec(IMPORTS.get(need, ""), vars(main))
    exec(compile("\n".join(lines[:before]), name, "exec"), vars(main))
    read, raised = 0, ""
    for statement, start in zip(statements, starts, strict=True):
        sys.stdout = io.StringIO()
        values.clear()
        expected = [m[1] for line in statement["want"].splitlines() if (m := ERROR_NAME.match(line))]
        as_documented = False
        try:
            tree = ast.parse(statement["source"])
            ast.increment_lineno(tree, start)
            exec(compile(ast.Interactive(tree.body), name, "single"), vars(main))
        except BaseException as error:
            as_documented = expected[-1:] == [type(error).__name__]
            if not as_documented:
                raised = f"{type(error).__name__}: {error}"
        written = os.pread(1, SHOWN, read).decode("utf8", "replace")     # by C++, and by other processes
        read = os.fstat(1).st_size
        answer({"out": (sys.stdout.getvalue() + written)[:SHOWN], "value": "".join(values)[:SHOWN],
                "documented_error": as_documented})
        if raised:
            break
    answer({"raised": raised})


def execute_together(statements: list[dict], processes: int, answer) -> None:
    """Run an example as so many processes, as a launcher starts them; a statement's answer is its list over
    the ranks, and what any of them raised ends it."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        where = {"MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(free.getsockname()[1])}
    members = []
    for rank in range(processes):
        os.mkdir(f"rank_{rank}")
        member = os.fork()
        if not member:
            try:
                os.chdir(f"rank_{rank}")
                os.environ.update(
                    where, **dict.fromkeys(("RANK", "RANK_ID", "LOCAL_RANK", "DEVICE_ID"), str(rank)),
                    **dict.fromkeys(("WORLD_SIZE", "RANK_SIZE"), str(processes)))
                with open("facts", "wb", buffering=0) as facts:
                    execute(statements, lambda fact: _told(facts.fileno(), fact))
                Path("done").touch()
                while not all(Path(f"../rank_{other}/done").exists() for other in range(processes)):
                    time.sleep(0.02)                        # they may still ask this one for something
            finally:
                os._exit(0)
        members.append(member)
    for member in members:
        os.waitpid(member, 0)
    by_rank = [[json.loads(line) for line in Path(f"rank_{rank}/facts").read_text().splitlines()]
               for rank in range(processes)]
    raised = [facts.pop()["raised"] if facts and "raised" in facts[-1] else "the process died"
              for facts in by_rank]
    for runs in zip(*by_rank, strict=False):
        answer({"ranks": runs})
    answer({"raised": next(filter(None, raised), "")})


def _told(pipe: int, fact: dict) -> None:
    """Write it; what was raised ends this process at once, so that the others learn of it."""
    _write(pipe, fact)
    if fact.get("raised"):
        os._exit(0)


class Running:
    """One example under way in its own process group."""

    def __init__(self, name: str, statements: list[dict], limit: float, processes: int = 1) -> None:
        self.name, self.ends, self.data = name, time.monotonic() + limit, b""
        self.limit = limit
        self.folder = tempfile.mkdtemp(prefix="example_")
        self.pipe, write = os.pipe()
        self.process = os.fork()
        if not self.process:
            try:
                os.setsid()
                os.chdir(self.folder)
                answer = functools.partial(_write, write)
                if processes > 1:
                    execute_together(statements, processes, answer)
                else:
                    execute(statements, answer)
            except BaseException as error:
                _write(write, {"raised": f"{type(error).__name__}: {error}"})
            finally:
                os._exit(0)
        os.close(write)

    def read(self) -> bool:
        """Take what the child has written; False when it is done."""
        chunk = os.read(self.pipe, 1 << 16)
        self.data += chunk
        return bool(chunk) and b'"raised"' not in self.data[-4000:].rpartition(b"\n{")[2]

    def finish(self) -> dict:
        """End the process and all that it started; its answer."""
        late = time.monotonic() >= self.ends
        os.close(self.pipe)
        for end in (os.killpg, os.kill):
            try:
                end(self.process, signal.SIGKILL)
            except OSError:
                continue
        os.waitpid(self.process, 0)
        shutil.rmtree(self.folder, ignore_errors=True)
        facts = [json.loads(line) for line in self.data.decode().splitlines()]
        raised = facts.pop()["raised"] if facts and "raised" in facts[-1] else None
        if raised is None:
            raised = f"runs for more than {self.limit:g} s" if late else "the process died"
        return {"runs": facts, "raised": raised}


def _write(pipe: int, fact: dict) -> None:
    rest = (json.dumps(fact) + "\n").encode()
    while rest:
        rest = rest[os.write(pipe, rest):]


def run_all(examples: dict[str, list[dict]], processes: dict[str, int], jobs: int, limit: float,
            done) -> None:
    """Run each example, some as several processes; ``done(name, answer)`` as they end. The forks keep what
    this process has imported."""
    waiting, running = list(examples.items())[::-1], {}
    sys.stdout.flush()
    while waiting or running:
        while waiting and len(running) < jobs:
            name, statements = waiting.pop()
            one = Running(name, statements, limit, processes.get(name, 1))
            running[one.pipe] = one
        ready = select.select(list(running), [], [], 0.5)[0]
        now = time.monotonic()
        over = [one for pipe, one in running.items() if (pipe in ready and not one.read()) or now >= one.ends]
        for one in over:
            del running[one.pipe]
            done(one.name, one.finish())
