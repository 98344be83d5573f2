"""What turns a traced graph into something that runs: Inductor, with CUDA graphs where there is a CUDA
device."""

from __future__ import annotations

import contextlib
import logging
import sys
import threading
import warnings

import torch

from ms2torch._core.torch_private import RELEASE

from . import settings


def compiled(gm: torch.fx.GraphModule, inputs: list[torch.Tensor], kept: list[int], results: int):
    """A function of ``inputs`` that computes what ``gm`` does; ``kept`` are the places of those whose memory
    stays from step to step (weights), which CUDA graphs read where they are. The first ``results`` outputs
    outlive the step, the others are read in it."""
    if settings.backend != "inductor":
        return gm
    settings.keep_cache()
    from ms2torch._core.torch_private import compile_fx

    options: dict = {"fx_graph_cache": True}
    kind = inputs[0].device.type if inputs else "cpu"
    if kind == "cuda":
        options["triton.cudagraphs"] = True
    if kind == "cpu":       # (with channels last, a LeNet's step takes 1.08 of eager's time, without 0.89)
        options["layout_optimization"] = False
    inner = compile_fx.compile_fx_inner

    def with_kept_inputs(graph, examples, **how):
        how["static_input_idxs"] = kept
        return inner(graph, examples, **how)

    def by(**more):
        return compile_fx.compile_fx(gm, inputs, inner_compile=with_kept_inputs,
                                     config_patches=options | more)

    with warnings.catch_warnings(), _quiet(), torch.no_grad(), _own_tanh(kind):
        warnings.simplefilter("ignore")
        run = _in_cxx(by) if kind == "cpu" else by()
    return _replayed(run, results) if "triton.cudagraphs" in options else run


def _in_cxx(by):
    """What ``by(**options)`` compiles, its kernels called from C++: a step of many small ones takes 0.75 to
    0.85 of the time; from Python where Inductor cannot."""
    if RELEASE >= (2, 10):      # (older ones have not been tried)
        try:
            return by(cpp_wrapper=True)
        except Exception:       # whatever it is, without C++ it may work
            pass
    return by()


# tanh(x) = x (1 + x**2 p(x**2)) below 0.625: coefficients of p, highest first (Cephes' tanhf).
_TANH = (-5.70498872745e-3, 2.06390887954e-2, -5.37397155531e-2, 1.33314422036e-1, -3.33332819422e-1)


def _tanh(x: torch.Tensor) -> torch.Tensor:
    """``tanh`` in float32 to 3 units in the last place, in a third of the time of Inductor's own."""
    if x.dtype is not torch.float32:
        return NotImplemented
    squared = x * x
    p = _TANH[0]
    for coefficient in _TANH[1:]:
        p = p * squared + coefficient
    return torch.where(x.abs() < 0.625, x * (1 + squared * p), 1 - 2 / ((2 * x).exp() + 1))


@contextlib.contextmanager
def _own_tanh(kind: str):
    """Have Inductor write `_tanh` for tanh, on a CPU. (Given a table of decompositions it caches nothing.)"""
    from ms2torch._core.torch_private import decompositions

    tanh = torch.ops.aten.tanh.default
    if kind != "cpu" or tanh in decompositions:
        yield
        return
    decompositions[tanh] = _tanh
    try:
        yield
    finally:
        del decompositions[tanh]


def _replayed(run, results: int):
    """``run`` as CUDA graphs: each step writes to the memory of the step before."""
    def step(*given):
        torch.compiler.cudagraph_mark_step_begin()
        out = run(*given)
        return [*[t.clone() for t in out[:results]], *out[results:]]

    return step


@contextlib.contextmanager
def _quiet():
    """Without what torch's compiler logs of what it tries; its errors are told by who called."""
    logger = logging.getLogger("torch")
    level, silent = logger.level, _Silent(sys.stderr)
    logger.setLevel(logging.CRITICAL)
    sys.stderr = silent
    try:
        yield
    finally:
        logger.setLevel(level)
        if sys.stderr is silent:
            sys.stderr = silent.stream


class _Silent:
    """A stream that drops what this thread writes; other threads write on."""

    def __init__(self, stream) -> None:
        self.stream, self._thread = stream, threading.get_ident()

    def write(self, text: str) -> int:
        return len(text) if threading.get_ident() == self._thread else self.stream.write(text)

    def __getattr__(self, name: str):
        return getattr(self.stream, name)
