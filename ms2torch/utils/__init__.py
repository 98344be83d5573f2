"""Exchange of memory with other libraries (``mindspore.utils``)."""

from . import dlpack

__all__ = ["dlpack", "dryrun", "from_dlpack", "get_sdc_detect_result", "sdc_detect_start", "sdc_detect_stop",
           "stress_detect", "to_dlpack"]
