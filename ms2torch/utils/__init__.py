"""Exchange of memory with other libraries (``mindspore.utils``)."""

from . import dlpack

__all__ = ["dlpack", "dryrun", "from_dlpack", "to_dlpack"]
