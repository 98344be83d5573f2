"""Pooling as Primitives."""

from __future__ import annotations

from .table import rule


def _pooling(leaf: str, function: str) -> None:
    """A rule for a Primitive that pools over windows inside its input."""

    @rule(f"ops.{leaf}", f"F.{function}(x, kernel_size, strides)")
    def write(call):
        if str(call.value("pad_mode", "valid")).lower() != "valid":
            call.refuse('only pad_mode="valid" has a rule')
        if call.value("data_format", "NCHW") != "NCHW":
            call.refuse("only NCHW has a rule")
        return f"F.{function}({{x}}, {{kernel_size}}, {{strides}})"


_pooling("AvgPool", "avg_pool2d")
_pooling("MaxPool", "max_pool2d")
