"""What turns a traced graph into something that runs: Inductor, with CUDA graphs where there is a CUDA
device."""

from __future__ import annotations

import contextlib
import logging
import sys
import threading
import warnings

import torch

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
    if inputs and inputs[0].is_cuda:
        options["triton.cudagraphs"] = True
    else:       # (with channels last, a LeNet's step on a CPU takes 1.08 of eager's time, without 0.89)
        options["layout_optimization"] = False
    inner = compile_fx.compile_fx_inner

    def with_kept_inputs(graph, examples, **how):
        how["static_input_idxs"] = kept
        return inner(graph, examples, **how)

    with warnings.catch_warnings(), _quiet(), torch.no_grad():
        warnings.simplefilter("ignore")
        run = compile_fx.compile_fx(gm, inputs, inner_compile=with_kept_inputs, config_patches=options)
    return _replayed(run, results) if "triton.cudagraphs" in options else run


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
