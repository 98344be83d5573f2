"""Looking into a running pipeline (``mindspore.dataset.debug``)."""

from .debug_hook import DebugHook
from .pre_defined_hook import PrintDataHook, PrintMetaDataHook

__all__ = ["DebugHook", "PrintDataHook", "PrintMetaDataHook"]
