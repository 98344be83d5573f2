"""One layout of ``ms2torch plan``: the program runs two steps as one rank of N, on tensors without memory.

torch's fake process group stands for the other ranks and `FakeTensorMode` for the data; a `StageMeter`
counts. A number that the program reads is zero, so its decisions should not hang on values.
"""

from __future__ import annotations

import gc
import json
import os
import sys
import time

import numpy as np
import torch

from ms2torch import context
from ms2torch._core.processes import distributed
from ms2torch._core.processes.spread import Spread
from ms2torch._core.tensor import printing, tensor, without_data
from ms2torch._core.tensor.dtype import from_torch, to_torch
from ms2torch._core.torch_private import (
    FakeStore,
    FakeTensorMode,
    rules_of_collectives,  # noqa: F401  (of for tensors without memory)
    without_modes,
)
from ms2torch.nn import DistributedGradReducer
from ms2torch.nn.optim import _rates
from ms2torch.nn.optim.optimizer import Optimizer
from ms2torch.parallel import _auto_parallel_context as settings
from ms2torch.shim import alias, launcher, plan_stages

# What each layout sets, over what the program says.
LAYOUTS = {
    "program": {},
    "dp": {"parallel_mode": "data_parallel", "enable_parallel_optimizer": False},
    **{f"zero{level}": {"parallel_mode": "data_parallel", "enable_parallel_optimizer": True,
                        "parallel_optimizer_config": {"optimizer_level": f"level{level}"}}
       for level in (1, 2, 3)},
}


class Done(BaseException):
    """Two steps were made."""


class _Watch:
    """What the optimizers of the program hold and get."""

    def __init__(self, meter) -> None:
        self.meter, self.steps, self.start, self.found = meter, 0, [], {}

    def step(self, optimizer, gradients, update):
        if not self.steps:
            update()
            self.steps = 1
            self.start = self.meter.peaks()
            self.meter.restart()
            return
        trained = {id(p): p for p in optimizer.parameters}
        state = [p for p in optimizer.get_parameters() if id(p) not in trained]
        self.found = {
            "weights": sum(_bytes(p._rest) for p in trained.values() if not p._away),
            "state": sum(_bytes(p._rest) for p in state if not p._away),
            "gradients": sum(_bytes(g._t) for g, p in zip(gradients, optimizer.parameters, strict=False)
                             if not p._away),
            "parameters": sum(p._rest.numel() for p in trained.values()),
            "stages": distributed.stages,
        }
        update()
        self.found |= {"peak": self.meter.peaks(), "start": self.start, "sent": self.meter.sent,
                       "by_kind": self.meter.by_kind, "kinds": self.meter.kinds(),
                       "gpipe": distributed.schedule == "gpipe"}
        raise Done


def _bytes(t: torch.Tensor) -> int:
    t = getattr(t, "_local_tensor", t)
    return t.numel() * t.element_size()


def _on_nothing() -> None:
    """Tensors have no memory: what reads one gets zeros, what fills one leaves it."""
    def zeros(self):
        t = self._t
        kind = np.float32 if t.dtype is torch.bfloat16 else from_torch(t.dtype).numpy
        return np.zeros(tuple(t.shape), kind)

    def blank(self):
        shape, dtype, _ = self.__dict__["_waiting"]
        self._t = torch.empty(shape, dtype=to_torch(dtype) if not isinstance(dtype, torch.dtype) else dtype)
        return self._t

    without_data.Deferred._t = property(blank, without_data.Deferred._t.fset)
    tensor.Tensor.asnumpy = tensor.Tensor.numpy = zeros
    printing._array = lambda t: np.zeros(tuple(t.shape))
    tensor.Tensor._scalar = lambda self: 0
    tensor.Tensor.__bool__ = lambda self: False
    _rates._IteratorLearningRate.at = lambda self, step: 0.0


def _places_of_shards_are_read() -> None:
    """Where a part of a part begins torch reads from a tensor of numbers, which here must be a real one."""
    try:
        from ms2torch._core.torch_private import StridedShard
        plain = StridedShard.local_shard_size_and_offset
    except (ImportError, AttributeError):       # (earlier releases of torch have none)
        return

    def read(*args, **kwargs):
        with without_modes():
            return plain(*args, **kwargs)

    StridedShard.local_shard_size_and_offset = read


def _reduced_after_the_backward_pass() -> None:
    """DDP's buckets want memory to point to. What is sent is the same without them."""
    DistributedGradReducer.overlapping = lambda self, weights: None


def _settings_over(layout: dict) -> None:
    """Let the layout's settings win over the program's."""
    plain = settings._set_auto_parallel_context

    def both(**kwargs):
        given = dict(kwargs)
        for key, value in layout.items():
            given[key] = {**kwargs.get(key, {}), **value} if isinstance(value, dict) else value
        plain(**given)

    settings._set_auto_parallel_context = context._parallel._set_auto_parallel_context = both
    if layout:
        both()


def _first_step_forgotten(watch: _Watch) -> None:
    """Weights are brought into their parts at the end of the step in which they were first updated."""
    plain = Spread.call

    def call(self, *args, **kwargs):
        before = watch.steps
        found = plain(self, *args, **kwargs)
        if watch.steps > before:
            watch.meter.restart()
        return found

    Spread.call = call


def _optimizers_watched(watch: _Watch) -> None:
    plain = Optimizer.__call__

    def call(self, gradients, *args, **kwargs):
        result = []
        watch.step(self, gradients, lambda: result.append(plain(self, gradients, *args, **kwargs)))
        return result[0]

    Optimizer.__call__ = call


def plan(layout: str, rank: int, ranks: int, folder: str, program: str, args: list[str]) -> None:
    """In a process of its own: what the rank takes, in the folder's "plan.json"; its words in "words"."""
    began = time.monotonic()
    words = os.open(f"{folder}/words", os.O_WRONLY | os.O_CREAT)
    for stream in (1, 2):
        os.dup2(words, stream)
    os.environ.update(RANK=str(rank), WORLD_SIZE=str(ranks), LOCAL_RANK="0", MS2TORCH_DEVICE="cpu",
                      MS2TORCH_CHECK_COLLECTIVES="0")
    if ranks > 1:
        torch.distributed.init_process_group("fake", store=FakeStore(), rank=rank, world_size=ranks)
        distributed.simulate(rank, ranks)
    alias.install(None, inherit=False)
    _on_nothing()
    _places_of_shards_are_read()
    _reduced_after_the_backward_pass()
    _settings_over(LAYOUTS[layout])
    gc.freeze()         # (torch's modules need no looking through)
    meter = plan_stages.StageMeter()
    plan_stages.watch(meter)
    watch = _Watch(meter)
    _optimizers_watched(watch)
    _first_step_forgotten(watch)
    found: dict = {}
    try:
        with FakeTensorMode(allow_non_fake_inputs=True), meter:
            launcher.run_script(program, args)
        found["error"] = "the program made fewer than two steps"
    except Done:
        found = watch.found
    except SystemExit as err:
        said = err.code if isinstance(err.code, str) else None
        found["ended"] = 1 if said else err.code or 0
        found["error"] = f"the program ended: {said}" if said else f"the program ended with {err.code or 0}"
        print(said or "", end="", file=sys.stderr)
    except BaseException as err:
        found["error"] = f"{type(err).__name__}: {str(err).splitlines()[0] if str(err) else ''}"
    found["seconds"] = time.monotonic() - began
    for stream in (sys.stdout, sys.stderr):
        stream.flush()
    with open(f"{folder}/plan.json", "w", encoding="utf-8") as file:
        json.dump(found, file)
    os._exit(0)
