"""Helpers around data pipelines (``mindspore.dataset.utils``)."""

from .line_reader import LineReader

__all__ = ["LineReader"]
