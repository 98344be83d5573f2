"""``mindspore.tools``: another path to dumps and to the tests of Ascend chips of `mindspore.utils`."""

from .data_dump import set_dump
from .sdc_detect import get_sdc_detect_result, sdc_detect_start, sdc_detect_stop
from .stress_detect import stress_detect

__all__ = ["get_sdc_detect_result", "sdc_detect_start", "sdc_detect_stop", "set_dump", "stress_detect"]
