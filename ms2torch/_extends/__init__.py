"""``mindspore._extends``: of its parts, the one that programs import."""

from __future__ import annotations

import functools
import inspect

from .._core.surface import install_lazy


def cell_attr_register(fn=None, attrs=None):
    """Decorator of ``Cell.__init__``: keeps its arguments, or those in ``attrs``, as ``cell_init_args``."""

    def decorate(init):
        signature = inspect.signature(init)

        @functools.wraps(init)
        def call(self, *args, **kwargs):
            init(self, *args, **kwargs)
            given = signature.bind(self, *args, **kwargs).arguments
            values = list(given.values())[1:] if attrs is None else [given[a] for a in attrs if a in given]
            self.cell_init_args = f"{type(self).__name__}{values}"

        return call

    return decorate if fn is None else decorate(fn)


install_lazy(__name__, globals())
