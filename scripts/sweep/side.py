"""One side of the sweep: python -m scripts.sweep.side [--real | --describe] [--varied SEED COUNT]
[--odd | --alike] < examples.json; a JSON line for each name.

Each example runs in a fork of this process. A call of what the example is about is made with each of its
arguments spoilt before it is made as it stands; what a process leaves unanswered is told as "crash" or
"slow", and the next process goes on behind it. With ``--describe`` the wrong calls are not made: what they
would be given is told instead (see `described`). With ``--varied`` the calls are those of `varied.varied`,
with ``--odd`` of `odd.odd`, with both of `strange.strange`; ``--alike`` makes them those of `alike.alike`.
"""

from __future__ import annotations

import ast
import importlib
import inspect
import io
import json
import os
import select
import shutil
import signal
import sys
import tempfile
import time
import types
import warnings
from contextlib import suppress
from functools import partial
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "documented_examples"))
from isolated import HELPERS, IMPORTS, unbound

from scripts.sweep.alike import alike
from scripts.sweep.odd import odd
from scripts.sweep.strange import strange
from scripts.sweep.varied import varied
from scripts.sweep.wrong import spoilt

SECONDS = 10                      # for one call
CALLS = 2                         # of a kind in an example
RESTARTS = 25
TOLD = next((o for o in ("--describe", "--given") if o in sys.argv), None)
VARIED = [int(n) for n in sys.argv[sys.argv.index("--varied") + 1:][:2]] if "--varied" in sys.argv else None


class Calls(ast.NodeTransformer):
    """``f(x)`` becomes ``_swept_("f", f, x)``; ``inside``: also in functions and classes."""

    def __init__(self, inside: bool) -> None:
        self.inside = inside

    def visit_FunctionDef(self, node):
        return self.generic_visit(node) if self.inside else node

    visit_ClassDef = visit_Lambda = visit_FunctionDef

    def visit_Call(self, node):
        self.generic_visit(node)
        func = node.func
        name = getattr(func, "attr", None) or getattr(func, "id", "")
        if name in ("super", "print", "range", "len", "__init__"):
            return node
        args = [ast.Constant(name), func, *node.args]
        swept = ast.Name("_swept_", ast.Load())
        return ast.copy_location(ast.Call(swept, args, node.keywords), node)


class Sweep:
    """Makes an example's calls, those of its subject also spoilt; ``tell(key, outcome)`` hears of these."""

    def __init__(self, name: str, skip: set, tell) -> None:
        self.last = name.rpartition("#")[0].rpartition(".")[2] or name.rpartition(".")[2]
        self.subject = subject_of(name.partition("#")[0])
        self.skip, self.tell, self.made, self.busy = skip, tell, {"make": 0, "call": 0}, False
        self.name = name

    def __call__(self, name, f, /, *args, **kwargs):
        kind = "make" if name == self.last else \
            "call" if self.subject is not None and isinstance(f, self.subject) else ""
        if not kind or self.busy or self.made[kind] >= CALLS:
            return f(*args, **kwargs)
        self.made[kind] += 1
        self.busy = True
        of_lot = VARIED and "--odd" in sys.argv
        calls = alike(args, kwargs, f, f"{self.name} {kind}", *VARIED) if "--alike" in sys.argv else \
            strange(args, kwargs, self.name, kind, *VARIED) if of_lot else \
            varied(args, kwargs, self.name, *VARIED) if VARIED else \
            odd(args, kwargs) if "--odd" in sys.argv else spoilt(args, kwargs)
        for what, others, named in calls:
            key = f"{kind} {self.made[kind]}, {what}"
            if key not in self.skip:
                self.tell(key, None)
                self.tell(key, {"--describe": described, "--given": given, None: outcome}[TOLD](
                    f, others, named))
        self.busy = False
        return f(*args, **kwargs)


def subject_of(dotted: str):
    """The class of that name, None for anything else."""
    found, *rest = importlib.import_module("mindspore"), *dotted.split(".")[1:]
    for part in rest:
        found = getattr(found, part, None)
    return found if inspect.isclass(found) else None


def outcome(f, args, kwargs) -> list:
    """["value"] or [kind of error, text]."""
    signal.alarm(SECONDS)
    try:
        computed(f(*args, **kwargs))
        wait()
        return ["value"]
    except Exception as err:
        told = [type(err).__name__, str(err)[:1500]]
        with suppress(Exception):
            wait()                      # so that it does not come out of the next call once more
        return told
    finally:
        signal.alarm(0)


def wait() -> None:
    """Until the real one has computed what it was asked for: it may raise an error here."""
    if "--real" in sys.argv:
        from mindspore.common.api import _pynative_executor

        _pynative_executor.sync()


def described(f, args, kwargs) -> list:
    """[[parameter, whether by name, the value's kinds in MindSpore's words], ...] of a call."""
    from ms2torch._core.checks.odd import odd_kind, renderings_of, strange_kind
    from ms2torch._core.checks.words import renderings

    if "--odd" in sys.argv:
        kind_of = odd_kind if not VARIED else lambda v: strange_kind(v) or odd_kind(v)
        return _told(f, args, kwargs, lambda v: (kind := kind_of(v)) and {"odd": kind, **renderings_of(v)})
    return _told(f, args, kwargs, renderings)


def _told(f, args, kwargs, shown) -> list:
    try:
        takes = list(inspect.signature(f).parameters.values())
    except (TypeError, ValueError):
        takes = []
    plain = [p.name for p in takes if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    names = [plain[k] if k < len(plain) else f"*{k}" for k in range(len(args))]
    owner = getattr(f, "__self__", None)
    told = [["self", False, shown(owner)]] if type(owner).__name__ in ("Tensor", "Parameter") else []
    told += [[n, False, shown(v)] for n, v in zip(names, args, strict=True)]
    return told + [[n, True, shown(v)] for n, v in kwargs.items()]


def given(f, args, kwargs) -> list:
    """[[place, whether by name, the value as JSON], ...] of a call, with the attributes ``@name`` of a layer
    or an operator that is called."""
    told = _told(f, args, kwargs, plainly)
    if hasattr(f, "_fixed") or hasattr(f, "construct"):
        told += [[f"@{n}", True, plainly(v)] for n, v in {**vars(f), **getattr(f, "_fixed", {})}.items()
                 if n[0] != "_" and isinstance(v, (int, float, str, tuple, list))]
    return told


def plainly(value, depth: int = 0):
    """A value as JSON: numbers, words and sequences as they are, of tensors dtype and shape."""
    import numpy as np
    from mindspore import Tensor, dtype

    if value is None or isinstance(value, (bool, int, float, str)):
        return value if not isinstance(value, str) else value[:80]
    if isinstance(value, Tensor):
        return {"tensor": str(value.dtype), "shape": list(value.shape)}
    if isinstance(value, np.ndarray):
        return {"numpy": str(value.dtype), "shape": list(value.shape)}
    if isinstance(value, (tuple, list)) and depth < 3:
        return {type(value).__name__ if type(value) in (tuple, list) else "list":
                [plainly(v, depth + 1) for v in value[:12]], "count": len(value)}
    if isinstance(value, type(dtype.float32)):
        return {"dtype": str(value)}
    return {"object": type(value).__name__}


def computed(value) -> None:
    """Wait for the numbers, which is where MindSpore's kernels raise."""
    from mindspore import Tensor

    if isinstance(value, Tensor):
        value.asnumpy()
    elif isinstance(value, (tuple, list)):
        for one in value:
            computed(one)


def run(name: str, statements: list[dict], skip: set, tell) -> None:
    """Run an example as a program of its own, its subject's calls swept."""
    for stream in (1, 2):
        os.dup2(os.open(os.devnull, os.O_RDWR), stream)
    sys.stdout = io.StringIO()
    main = sys.modules["__main__"] = types.ModuleType("__main__")
    main.__file__, main.__builtins__ = os.path.join(os.getcwd(), "example.py"), __builtins__
    main._swept_ = Sweep(name, skip, tell)
    needs = unbound(statements)
    text = "\n".join(s["source"] for s in statements)
    exec("\n".join(HELPERS.get(n, "") + "\n" + IMPORTS.get(n, "") for n in needs), vars(main))
    plain = [part for part in ast.parse(text).body if not isinstance(part, (ast.FunctionDef, ast.ClassDef))]
    inside = not any(f"{main._swept_.last}(" in ast.unparse(part) for part in plain)
    tree = Calls(inside and "jit" not in text and "GRAPH_MODE" not in text).visit(ast.parse(text))
    source = ast.unparse(ast.fix_missing_locations(tree))
    Path(main.__file__).write_text(source)
    exec(compile(source, main.__file__, "exec"), vars(main))


def answers(name: str, statements: list[dict]) -> list:
    """[[key, outcome], ...] of an example, in as many processes as it takes."""
    found: dict[str, list] = {}
    for _ in range(RESTARTS):
        folder, (read, write) = tempfile.mkdtemp(prefix="sweep_"), os.pipe()
        child = os.fork()
        if not child:
            try:
                os.setsid()
                os.chdir(folder)
                signal.signal(signal.SIGALRM, _late)
                run(name, statements, set(found), partial(_tell, write))
            except BaseException as err:
                _tell(write, "", [type(err).__name__, str(err)[:300]])
            finally:
                os.write(write, b'["end", 1]\n')
                os._exit(0)
        os.close(write)
        data, late = _read_all(read)
        for end in (os.killpg, os.kill):
            try:
                end(child, signal.SIGKILL)
            except OSError:
                continue
        os.waitpid(child, 0)
        os.close(read)
        shutil.rmtree(folder, ignore_errors=True)
        lines = data.decode("utf8", "replace").splitlines()
        facts = [json.loads(line) for line in lines if line.endswith("]")]
        for key, what in facts:
            found[key] = what
        if found.pop("end", None) is not None:
            break
        unanswered = [key for key, what in found.items() if what is None]
        for key in unanswered:
            found[key] = ["slow" if late else "crash"]
        if not unanswered:
            break
    return list(found.items())


def _tell(pipe: int, *fact) -> None:
    os.write(pipe, (json.dumps(fact) + "\n").encode())


def _late(*_) -> None:
    raise TimeoutError("slow")


def _read_all(pipe: int) -> tuple[bytes, bool]:
    """All that a child writes until it ends, or says nothing for longer than a call may take."""
    data = b""
    while select.select([pipe], [], [], 2 * SECONDS)[0]:
        chunk = os.read(pipe, 1 << 16)
        if not chunk or (data := data + chunk).endswith(b'["end", 1]\n'):
            return data, False
    return data, True


def main() -> None:
    warnings.filterwarnings("ignore")
    os.environ["GLOG_V"] = "4"
    out = os.dup(1)
    os.dup2(2, 1)
    if "--real" not in sys.argv:
        import torch

        import ms2torch

        torch.set_num_threads(1)
        ms2torch.install()
    import mindspore.dataset.vision
    import mindspore.mint
    import mindspore.train

    if "--real" in sys.argv:
        mindspore.set_context(pynative_synchronize=True)        # a kernel's error comes out of its own call
    for name, statements in json.load(sys.stdin).items():
        start = time.monotonic()
        _tell(out, name, answers(name, statements), round(time.monotonic() - start, 2))


if __name__ == "__main__":
    main()
