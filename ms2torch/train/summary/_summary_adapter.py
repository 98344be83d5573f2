"""``mindspore.train.summary._summary_adapter``."""

from ._events import _bins as _calc_histogram_bins

__all__ = ["_calc_histogram_bins"]
