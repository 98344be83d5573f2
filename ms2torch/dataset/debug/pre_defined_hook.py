"""Hooks that print (``mindspore.dataset.debug.pre_defined_hook``)."""

from __future__ import annotations

from collections.abc import Sized

import numpy as np

from ..transforms.operation import is_pil
from .debug_hook import DebugHook

__all__ = ["PrintDataHook", "PrintMetaDataHook"]


class PrintMetaDataHook(DebugHook):
    """Prints dtype and shape of every column; type and size of what is no array."""

    def __init__(self):
        super().__init__()

    def compute(self, *args):
        for number, column in enumerate(*args):
            text = f"Column {number}. "
            if isinstance(column, np.ndarray):
                text += f"The dtype is [{column.dtype}]. The shape is [{column.shape}]."
            elif is_pil(column):
                text += f"The type is [{type(column)}]. The shape is [{column.size}]."
            elif isinstance(column, Sized):
                text += f"The type is [{type(column)}]. The size is [{len(column)}]."
            print(text, flush=True)
        return args


class PrintDataHook(DebugHook):
    """Prints every column."""

    def __init__(self):
        super().__init__()

    def compute(self, *args):
        for number, column in enumerate(*args):
            print(
    f"Column {number}. The data is [{np.asarray(column) if is_pil(column) else column}].",
     flush=True)
        return args
