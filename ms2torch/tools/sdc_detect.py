"""``mindspore.tools.sdc_detect``."""

from ms2torch.utils.sdc_detect import get_sdc_detect_result, sdc_detect_start, sdc_detect_stop

__all__ = ["get_sdc_detect_result", "sdc_detect_start", "sdc_detect_stop"]
