"""Marking functions for MindSpore's compiler of bytecode."""

from __future__ import annotations

from ms2torch.common.api import jit


class PIJitCaptureContext:
    """What MindSpore's compiler of bytecode takes: a function that it is called with, or a block's calls.

    (``mindspore.common._pijit_context.PIJitCaptureContext``.) They run as Python runs them.
    """

    def __init__(self, fullgraph=False, jit_config=None) -> None:
        self.config = {"fullgraph": fullgraph, **getattr(jit_config, "jit_config_dict", jit_config or {})}

    def __call__(self, fn):
        return jit(fn, capture_mode="bytecode")

    def __enter__(self) -> None:
        """Nothing to begin."""

    def __exit__(self, exc_type, exc_value, trace) -> None:
        """Nothing to end."""
