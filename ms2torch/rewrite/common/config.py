"""``mindspore.rewrite.common.config``."""

__all__ = ["clear_caches"]


def clear_caches() -> None:
    """Forget what earlier trees shared."""
    from ..parsers.assign_parser import AssignParser

    for name in ("_cached_trees", "_cached_functions", "_cached_cell_containers"):
        getattr(AssignParser, name).clear()
