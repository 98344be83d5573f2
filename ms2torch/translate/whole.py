"""The whole program against its translation: what both print, and the parameters in which both end.

``python -m ms2torch.translate.whole SPEC`` runs one side. Its networks, and its optimizers' parameters,
start from the other side's weights, for MindSpore's initial numbers are not PyTorch's; where dropout or an
order of rows without a seed draws, both sides run without it.
"""

from __future__ import annotations

import gc
import importlib
import json
import os
import runpy
import sys
import traceback
from collections import Counter
from collections.abc import Sequence
from contextlib import nullcontext
from pathlib import Path
from weakref import WeakValueDictionary

import numpy as np
import torch

from ms2torch._core.random.random_streams import Stream
from ms2torch._naming import generation
from ms2torch.experimental.optim.optimizer import Optimizer as Experimental
from ms2torch.nn.cell import Cell
from ms2torch.nn.optim.optimizer import Optimizer
from ms2torch.shim import launcher

from .handing import Networks
from .notebooks import Notebook
from .trembling import Trembling

# What zeroes elements on ms2torch's side: every module that has it by name.
_DROPPED = (
    ("ops.function._nn_dropout", "dropped"),
    ("ops.function._nn_attention", "dropped"),
    ("nn.layer.basic", "dropped"),
    ("mint.nn.functional", "_dropped"),
)
# What stands for a description of a network.
_DESCRIBED = "<network>"
_RECURRENT = (torch.nn.LSTM, torch.nn.GRU, torch.nn.RNN)
_OPTIMIZERS = (torch.optim.Optimizer, Optimizer, Experimental)


class Training:
    """``with Training():`` the optimizers that are made, in order: their parameters at the start and at the
    end.

    ``given`` are those of another run, which the n-th optimizer's parameters are set to: by order and shape.
    ``networks`` are the weights with which networks were made, handed over alike.
    """

    def __init__(self, given: list[dict] | None = None, networks: dict[str, list] | None = None) -> None:
        self.given, self.made = given, []
        self.networks = Networks(networks, self._give_made)
        self._old: list[tuple] = []
        self._inside = False
        self._set: WeakValueDictionary[int, torch.Tensor] = WeakValueDictionary()

    def __enter__(self) -> Training:
        self.networks.__enter__()
        for cls in _OPTIMIZERS:
            old = cls.__init__
            self._old.append((cls, old))
            cls.__init__ = self._watching(old)
        return self

    def __exit__(self, *_) -> None:
        self.networks.__exit__()
        for cls, old in self._old:
            cls.__init__ = old

    def _watching(self, old):
        def __init__(optimizer, *args, **kwargs):
            inside, self._inside = self._inside, True
            try:
                old(optimizer, *args, **kwargs)
            finally:
                self._inside = inside
            if not inside and type(optimizer).__name__ != "LARS":  # which has another's parameters
                given = kwargs.get("parameters", args[1] if len(args) > 1 else ())
                self._note(optimizer, *_in_order(optimizer, given))

        return __init__

    def _note(self, optimizer, parameters: list, flags: tuple) -> None:
        frozen = _frozen(parameters)
        if self.given is not None and len(self.made) < len(self.given):
            given = self.given[len(self.made)]
            _give(_in_groups(given["start"], given["plain"], _splits(optimizer)), parameters)
            _give(given["frozen"], frozen)
            self._has_given(_tensors([*parameters, *frozen]))
        start, others = ([t.detach().clone() for t in _tensors(side)] for side in (parameters, frozen))
        plain = [not flag for flag in flags] if len(flags) == len(parameters) else []
        self.made.append((type(optimizer).__name__, parameters, start, others, plain, _splits(optimizer)))

    def _give_made(self, values: list[torch.Tensor], parameters: list) -> None:
        """Set the parameters of a network that was just made, those that were set before left out."""
        mine = _tensors(_kinds_together(list(parameters)))
        with torch.no_grad():
            for i, j in pair_by_shape(values, mine):
                if self._set.get(id(mine[j])) is not mine[j]:
                    mine[j].data.copy_(values[i].reshape(mine[j].shape))
        self._has_given(mine)

    def _has_given(self, tensors: list[torch.Tensor]) -> None:
        self._set.update((id(t), t) for t in tensors)

    def found(self) -> list[dict]:
        """By optimizer: its class, and its parameters' values at the start and now."""
        return [
            {
                "class": name,
                "start": start,
                "frozen": frozen,
                "end": [t.detach().clone() for t in _tensors(parameters)],
                "plain": plain,
                "names": [n for p in parameters for n in [_name(p)] if n],
                "splits": splits,
            }
            for name, parameters, start, frozen, plain, splits in self.made
        ]

    def save(self, file: str) -> None:
        """Into a file for the other side."""
        torch.save({"optimizers": self.found(), "networks": self.networks.made}, file)


def saved(file: str) -> tuple[list[dict], dict[str, list]]:
    """A side's optimizers and networks."""
    found = torch.load(file, weights_only=True)
    return found["optimizers"], found["networks"]


def _in_order(optimizer, given) -> tuple[list, tuple]:
    """An optimizer's parameters, and for each whether it decays, where that is told.

    They are in PyTorch's order, which is group by group: ``order_params`` has no counterpart.
    """
    if getattr(optimizer, "is_group_params_ordered", False):
        parts = [group["params"] for group in given if "params" in group]
        if all(isinstance(part, (list, tuple)) for part in parts):
            return [p for part in parts for p in part], ()
    return _parameters(optimizer), getattr(optimizer, "decay_flags", ())


def _frozen(parameters: list) -> list:
    """What the network of these parameters has beside them: weights that do not train."""
    own = {id(p) for p in parameters}
    found: list = []
    for one in gc.get_objects():
        if not issubclass(type(one), torch.nn.Module) or issubclass(type(one), _OPTIMIZERS):
            continue
        if "_modules" not in vars(one):
            continue  # it is being made
        if issubclass(type(one), Cell):
            every = [p for name, p in one.parameters_and_names() if "moving_" not in name]
        else:
            every = list(torch.nn.Module.parameters(one))
        if len(every) > len(found) and any(id(p) in own for p in every):
            found = every
    return [p for p in found if id(p) not in own]


def _parameters(optimizer) -> list:
    """What an optimizer moves; PyTorch's are given what does not train too."""
    if isinstance(optimizer, torch.optim.Optimizer):
        every = [p for group in optimizer.param_groups for p in group["params"]]
        return _kinds_together([p for p in every if p.requires_grad])
    return list(optimizer.parameters)


def _kinds_together(parameters: list) -> list:
    """PyTorch's parameters in MindSpore's order: recurrent layers' by kind, not by layer."""
    for module in [m for m in gc.get_objects() if type(m) in _RECURRENT]:
        own = {id(p): name.partition("_l")[0] for name, p in module.named_parameters()}
        kinds = list(dict.fromkeys(own.values()))
        places = [i for i, p in enumerate(parameters) if id(p) in own]
        sorted_ = sorted((parameters[i] for i in places), key=lambda p: kinds.index(own[id(p)]))
        for i, parameter in zip(places, sorted_, strict=True):
            parameters[i] = parameter
    return parameters


def _name(parameter) -> str:
    """What a program calls a parameter: MindSpore's name, or the label that a translation gives."""
    found = getattr(parameter, "label", None) or getattr(parameter, "name", None)
    return found if isinstance(found, str) else ""


def _splits(optimizer) -> bool:
    """Whether an optimizer has a group that decays, and one after it that does not."""
    groups = getattr(optimizer, "param_groups", ())
    decays = [group.get("weight_decay", 0) != 0 for group in groups]
    return isinstance(optimizer, torch.optim.Optimizer) and decays == [True, False]


def _in_groups(values: list, plain: list[bool], splits: bool) -> list:
    """A side's values in the order of another, whose norms' scales and shifts are a group of their own."""
    if not splits or len(plain) != len(values):
        return values
    return [v for v, p in zip(values, plain, strict=True) if not p] + [
        v for v, p in zip(values, plain, strict=True) if p
    ]


def _tensors(parameters) -> list[torch.Tensor]:
    return [p if isinstance(p, torch.Tensor) else p._t for p in parameters]


def pair_by_shape(one: list[torch.Tensor], two: list[torch.Tensor]) -> list[tuple[int, int]]:
    """Which of two sides' tensors belong together: each with the next of its shape, ones not counted."""
    left = list(range(len(two)))
    found = []
    for i, a in enumerate(one):
        j = next((j for j in left if _size(two[j]) == _size(a)), None)
        if j is not None:
            left.remove(j)
            found.append((i, j))
    return found


def _size(t: torch.Tensor) -> list[int]:
    return [n for n in t.shape if n != 1]


def _give(values: list[torch.Tensor], parameters: list) -> None:
    """Set parameters, and the copies that the program made of them before, for a target or an average."""
    mine = _tensors(parameters)
    copies = _copies(mine)
    with torch.no_grad():
        for i, j in pair_by_shape(values, mine):
            for t in (mine[j], *copies[j]):
                t.data.copy_(values[i].reshape(t.shape))


def _copies(parameters: list[torch.Tensor]) -> list[list[torch.Tensor]]:
    """For each parameter the other tensors that hold its numbers, unless it is filled with a whole one."""
    own = {p.data_ptr() for p in parameters}
    others: dict[tuple, list[torch.Tensor]] = {}
    for t in gc.get_objects():
        if type(t) in (torch.Tensor, torch.nn.Parameter) and t.data_ptr() not in own:
            others.setdefault((t.dtype, t.shape), []).append(t)
    found = []
    for p in parameters:
        first = p.detach().flatten()[:1]
        filled = bool((p == first).all()) and bool((first == first.round()).all())
        alike = [] if filled else others.get((p.dtype, p.shape), [])
        found.append([t for t in alike if torch.equal(t, p)])
    return found


def compare(one: list[dict], two: list[dict]) -> tuple[int, int, float]:
    """How many parameters of how many were compared at the end, and how far apart they lie.

    That is taken together, as a part of the way from the start: one alone may move by rounding only, as a
    bias before BatchNorm does.
    """
    compared, of, gap, way = 0, sum(len(o["end"]) for o in one), 0.0, 0.0
    for left, right in zip(one, two, strict=False):
        ends, starts = (_in_groups(left[k], left["plain"], right["splits"]) for k in ("end", "start"))
        for i, j in pair_by_shape(ends, right["end"]):
            a, b, start = (t.double().ravel() for t in (ends[i], right["end"][j], starts[i]))
            gap += float((a - b).square().sum())
            way += float((a - start).square().sum())
            compared += 1
    return compared, of, (gap / way) ** 0.5 if way else float(gap > 0)


def disable_randomness(what: list[str]) -> None:
    """No dropout on either side from now on, no shuffling, initial weights apart from numpy's generator."""
    if "numpy" in what:
        from ms2torch._core.random import rng

        rng._weight_seed = _leaving_numpy_alone(rng._weight_seed)
    if "numbers" in what:
        _numbers_alike()
    if "dropout" in what:
        _no_dropout()
    if "orders" in what:
        from ms2torch.dataset.engine import _flow, samplers

        torch.utils.data.RandomSampler.__iter__ = lambda self: iter(range(self.num_samples))
        samplers.RandomSampler._start = lambda self, rows, labels: lambda: list(range(self._chosen(rows)))
        _flow.ShuffleDataset._open = lambda self, run: self.children[0]._open(run)


def _numbers_alike() -> None:
    """Normal and uniform numbers that the program draws are the same on both sides: by shape, and by how
    often that was drawn before."""
    counts: Counter = Counter()

    def drawing(kind: str):
        def draw(shape) -> torch.Tensor:
            shape = tuple(map(int, shape))
            counts[kind, shape] += 1
            generator = np.random.RandomState(len(shape) + 1009 * counts[kind, shape])
            return torch.from_numpy(np.asarray(getattr(generator, kind)(size=shape), np.float32))

        return draw

    for kind, ours, name in (("standard_normal", "normal", "randn"), ("random_sample", "uniform", "rand")):
        draw = drawing(kind)
        setattr(Stream, ours, lambda _, shape, draw=draw: draw(shape))
        setattr(torch, name, _of_sizes(draw))
        setattr(torch, f"{name}_like", _of_another(draw))


def _of_sizes(draw):
    def function(*sizes, size=None, dtype=None, device=None, requires_grad=False, **_):
        size = size if size is not None else sizes[0] if sizes and isinstance(sizes[0], Sequence) else sizes
        return draw(size).to(device, dtype or torch.get_default_dtype()).requires_grad_(requires_grad)

    return function


def _of_another(draw):
    def function(input, *, dtype=None, device=None, requires_grad=False, **_):
        found = draw(input.shape).to(device or input.device, dtype or input.dtype)
        return found.requires_grad_(requires_grad)

    return function


def _leaving_numpy_alone(draw):
    def drawn():
        state = np.random.get_state()
        try:
            return draw()
        finally:
            np.random.set_state(state)

    return drawn


def _no_dropout() -> None:
    def kept(function):
        def dropout(input, *args, **kwargs):
            return function(input, 0.0)

        return dropout

    for name in ("dropout", "dropout1d", "dropout2d", "dropout3d", "alpha_dropout"):
        function = getattr(torch.nn.functional, name)
        setattr(torch.nn.functional, name, kept(function))
    for module, name in _DROPPED:
        setattr(importlib.import_module(f"ms2torch.{module}"), name, lambda t, *_: t.clone())


def describe_alike() -> None:
    """Networks and optimizers describe themselves alike on either side: each framework has its own words."""
    for cls in (Cell, torch.nn.Module, Optimizer, torch.optim.Optimizer, *_subclasses(torch.nn.Module)):
        own = vars(cls).get("__repr__") is not None or vars(cls).get("__str__") is not None
        if own and cls.__module__.startswith(("torch.", "ms2torch.")):
            cls.__repr__ = cls.__str__ = lambda self: _DESCRIBED


def _subclasses(cls: type) -> list[type]:
    return [c for sub in cls.__subclasses__() for c in (sub, *_subclasses(sub))]


def main(spec: dict) -> None:
    """Run one side; how it ended, and its parameters, are in files when this returns."""
    if spec.get("still"):
        disable_randomness(spec["still"])
    if spec["side"] == "original":
        from ms2torch.shim import alias

        alias.install(spec.get("api"), inherit=True)
    elif spec.get("api"):               # what is kept of ms2torch asks for it
        os.environ["MS2TORCH_API"] = spec["api"]
        generation.set_api(spec["api"])
    given = saved(spec["given"]) if spec.get("given") else ()
    script = spec["script"]
    sys.argv = [script, *spec["arguments"]]
    sys.path[0] = os.path.dirname(os.path.realpath(script))
    sys.path += spec.get("paths", [])
    code, error = 0, ""
    describe_alike()
    moved = Trembling(spec["trembling"]) if spec.get("trembling") else nullcontext()
    with Training(*given) as training, moved:
        try:
            if script.endswith(".ipynb"):
                launcher.run_text(Notebook(Path(script).read_bytes()).source, script, spec["arguments"])
            else:
                runpy.run_path(script, run_name="__main__")
        except SystemExit as end:
            code = end.code if isinstance(end.code, int) else 0 if end.code is None else 1
        except BaseException as failure:
            code, error = 1, "".join(traceback.format_exception_only(type(failure), failure)).strip()
            traceback.print_exc()
    sys.stdout.flush()
    training.save(spec["weights"])
    Path(spec["out"]).write_text(json.dumps({"code": code, "error": error}))


if __name__ == "__main__":
    main(json.loads(Path(sys.argv[1]).read_text(encoding="utf-8")))
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(0)
