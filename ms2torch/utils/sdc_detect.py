"""Silent data corruption, which MindSpore watches for on Ascend alone (``mindspore.utils.sdc_detect``)."""


def sdc_detect_start() -> None:
    """Accepted: Ascend then checks its products of matrices."""


def sdc_detect_stop() -> None:
    """Accepted: ends `sdc_detect_start`."""


def get_sdc_detect_result() -> bool:
    """Whether a wrong product was found: False, nothing watches for one."""
    return False
