"""What turns a traced graph into something that runs: Inductor, with CUDA graphs where there is a CUDA
device."""

from __future__ import annotations

import contextlib
import io
import logging
import warnings

import torch

from . import settings


def compiled(gm: torch.fx.GraphModule, inputs: list[torch.Tensor], kept: list[int]):
    """A function of ``inputs`` that computes what ``gm`` does; ``kept`` are the places of those whose memory
    stays from step to step (weights), which CUDA graphs read where they are."""
    if settings.backend != "inductor":
        return gm
    settings.keep_cache()
    from torch._inductor import compile_fx

    options: dict = {"fx_graph_cache": True}
    if inputs and inputs[0].is_cuda:
        options["triton.cudagraphs"] = True
    inner = compile_fx.compile_fx_inner

    def with_kept_inputs(graph, examples, **how):
        how["static_input_idxs"] = kept
        return inner(graph, examples, **how)

    with warnings.catch_warnings(), _quiet(), torch.no_grad():
        warnings.simplefilter("ignore")
        return compile_fx.compile_fx(gm, inputs, inner_compile=with_kept_inputs, config_patches=options)


@contextlib.contextmanager
def _quiet():
    """Without what torch's compiler logs of what it tries; its errors are told by who called."""
    logger = logging.getLogger("torch")
    level = logger.level
    logger.setLevel(logging.CRITICAL)
    try:
        with contextlib.redirect_stderr(io.StringIO()):
            yield
    finally:
        logger.setLevel(level)
