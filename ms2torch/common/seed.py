"""Global and operator seeds (``mindspore.common.seed``)."""

from __future__ import annotations

from ms2torch._core.random import rng as _rng

__all__ = ["get_seed", "set_seed"]

_MAXINT32 = _rng.MAX_INT32
_KERNEL_SEED = _rng.kernel_seeds


def set_seed(seed: int) -> None:
    """Set the global seed (``mindspore.set_seed``): of numpy, initial weights, operators and datasets.

    Under the same seed, initial weights and the random operators have the bits that they have in MindSpore on
    the CPU; the operators' seed counters start anew. torch's generators are seeded too, for the operators
    without a MindSpore stream. TypeError unless ``seed`` is an int; ValueError unless it lies in [0, 2**32).
    """
    from ..dataset.core import config

    _rng.set_seed(seed)
    config.set_seed(seed)


def get_seed() -> int | None:
    """The global seed (``mindspore.get_seed``); None where none was set."""
    return _rng.get_seed()


def _get_graph_seed(op_seed: int | None, kernel_name: str) -> tuple[int, int]:
    """The seed pair for the next use of a random operator; (0, 0) leaves the choice to it."""
    return _rng.graph_seeds(op_seed, kernel_name)


def _truncate_seed(seed: int) -> int:
    return seed % _MAXINT32


def _reset_op_seed() -> None:
    """Start every operator's seed anew, as ``set_seed`` does."""
    _KERNEL_SEED.clear()


def __getattr__(name: str):
    if name == "_GLOBAL_SEED":
        return _rng.get_seed()
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
