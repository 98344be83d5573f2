"""Tests of a device under load (``mindspore.utils.stress_detect``)."""

from ms2torch import log as logger


def stress_detect(detect_type="aic"):
    """RuntimeError, as on MindSpore's CPU: it loads Ascend chips to find defects in them.

    1, and a line of the log, for a ``detect_type`` that is neither "aic" nor "hccs".
    """
    if detect_type not in ("aic", "hccs"):
        logger.error("For stress detect, detection type must be 'aic' or 'hccs'.But got "
                     f"{detect_type}. Exiting stress detect.")
        return 1
    raise RuntimeError("Stress detection is not supported.")
