"""Where MindSpore's modules hold a thing, and who hears of what was put there."""

from __future__ import annotations

import importlib
import importlib.util
import os
import sys
import sysconfig

_FOUND = importlib.util.find_spec("mindspore")
_HOME = os.path.dirname(_FOUND.origin) + os.sep if _FOUND is not None and _FOUND.origin else "mindspore"
LIBRARIES = tuple({sysconfig.get_path(k) for k in ("stdlib", "platstdlib", "purelib", "platlib")})
_told = set()
_listeners = [print]


def on_adaptation(report):
    """Have ``report(name, text)`` called for each adaptation that is used."""
    _listeners[:] = [report]


def report_adaptation(name, text):
    """Report an adaptation the first time it is used."""
    if name not in _told:
        _told.add(name)
        _listeners[0](name, text)


def module_of(name):
    """A module of MindSpore, or None where this release lacks it."""
    try:
        return importlib.import_module(name)
    except ImportError:
        return None


def replace(old, new):
    """Put ``new`` wherever a module of MindSpore holds the object ``old``."""
    for name, module in list(sys.modules.items()):
        if name.split(".")[0] == "mindspore" and module is not None:
            for key, value in list(vars(module).items()):
                if value is old:
                    setattr(module, key, new)


def from_mindspore(frame):
    """Whether a frame belongs to MindSpore's own code."""
    return frame.f_code.co_filename.startswith(_HOME)


def class_around(name, function, text):
    """A class whose instances are ``function``: graph mode compiles functions as it does Primitives."""

    def __new__(cls, *args, **kwargs):
        report_adaptation(name, text)
        return function

    return type(name, (), {"__new__": __new__, "__doc__": text})
