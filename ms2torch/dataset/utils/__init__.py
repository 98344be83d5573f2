"""Helpers around data pipelines (``mindspore.dataset.utils``)."""

from .browse_dataset import imshow_det_bbox
from .line_reader import LineReader

__all__ = ["LineReader", "imshow_det_bbox"]
