"""``mindspore._extends``: of its parts, the one that programs import."""

from __future__ import annotations

import functools
import inspect

from ms2torch._naming.surface import install_lazy


def cell_attr_register(fn=None, attrs=None):
    """Decorator of ``Cell.__init__``: sets ``cell_init_args`` to the class's name and its arguments.

    ``attrs`` names attributes of the Cell to take in place of the arguments: a list of names, or one.
    """

    def decorate(init):
        signature = inspect.signature(init)

        @functools.wraps(init)
        def call(self, *args, **kwargs):
            given = dict(signature.bind(self, *args, **kwargs).arguments)
            init(self, *args, **kwargs)
            if attrs is None:
                values = dict(list(given.items())[1:]).values()
            elif isinstance(attrs, str):
                values = getattr(self, attrs, [])
            else:
                values = [getattr(self, name) for name in attrs if hasattr(self, name)]
            self.cell_init_args = f"{type(self).__name__}{values}"

        return call

    return decorate if fn is None else decorate(fn)


install_lazy(__name__, globals())
