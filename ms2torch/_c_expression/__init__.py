"""``mindspore._c_expression``: of MindSpore's compiled core, the names that programs import.

Types for ``isinstance`` checks are ms2torch's own; switches of MindSpore's executor do nothing here.
"""

from __future__ import annotations

from ..common.tensor import Tensor
from . import typing

TensorPy = Tensor

__all__ = ["MSContext", "Tensor", "TensorPy", "disable_multi_thread", "typing"]


class MSContext:
    """The compiled core's own context, which packages ask for the kind of Ascend chip."""

    @staticmethod
    def get_instance() -> MSContext:
        return MSContext()

    @staticmethod
    def get_ascend_soc_version() -> str:
        """Empty, as in MindSpore where there is no Ascend chip."""
        return ""


def disable_multi_thread() -> None:
    """Accepted: MindSpore's executor runs in several threads, ours in one."""


def _framework_profiler_step_start() -> None:
    """Accepted: marks a step for MindSpore's profiler."""


def _framework_profiler_step_end() -> None:
    """Accepted: marks a step for MindSpore's profiler."""
