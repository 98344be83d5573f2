"""The decorator's own module (``mindspore.common.lazy_inline``). Importing it puts the module where
``mindspore.common`` has the decorator, so MindSpore lets the module be called like it."""

import sys

from ms2torch._naming.surface import Mirrored

from .api import lazy_inline

__all__ = ["lazy_inline"]


class _Called(Mirrored):
    def __call__(self, fn=None, attrs=None, policy=None):
        return lazy_inline(fn, attrs, policy)


sys.modules[__name__].__class__ = _Called
