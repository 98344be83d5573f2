"""Old spellings of arguments, put into today's words, and numpy's names for Python's types."""

from __future__ import annotations

import functools
import importlib
import sys

import numpy as np

from .places import LIBRARIES, module_of, replace, report_adaptation

NUMPY = {"int": int, "float": float, "bool": bool, "object": object, "complex": complex, "str": str,
          "long": int, "unicode": str}


def adapt():
    """Old spellings of arguments, put into today's words."""
    from mindspore import dataset as ds

    base = module_of("mindspore.dataset.engine.datasets")
    base = getattr(base, "Dataset", None)
    if base is not None:
        _rewrite(base, "map", _map_columns)
        _rewrite(base, "batch", _batch_padding)
    if hasattr(ds, "MindDataset"):
        _rewrite(ds.MindDataset, "__init__", _renamed("ds.MindDataset", dataset_file="dataset_files"))
    jit = importlib.import_module("mindspore").jit

    @functools.wraps(jit)
    def adapted(function=None, *args, **kwargs):
        function = kwargs.pop("fn", function)
        for key in ("mode", "input_signature", "hash_args", "jit_config", "compile_once"):
            if key in kwargs:
                del kwargs[key]
                report_adaptation("jit(%s)" % key, "jit(%s=...) is gone and left out" % key)
        return jit(function, *args, **kwargs)

    try:
        import inspect

        if "input_signature" not in inspect.signature(jit).parameters:
            replace(jit, adapted)
    except (TypeError, ValueError):
        pass


def _rewrite(cls, name, change):
    """Call ``cls.name`` through ``change(call, self, args, kwargs)``."""
    original = getattr(cls, name)

    @functools.wraps(original)
    def method(self, *args, **kwargs):
        return change(functools.partial(original, self), args, kwargs)

    setattr(cls, name, method)


def _renamed(where, **names):
    def change(call, args, kwargs):
        for old, new in names.items():
            if old in kwargs:
                report_adaptation("%s(%s)" % (where, old), "%s(%s=...) is %s now" % (where, old, new))
                kwargs[new] = kwargs.pop(old)
        return call(*args, **kwargs)

    return change


def _map_columns(call, args, kwargs):
    order = kwargs.pop("column_order", None)
    result = call(*args, **kwargs)
    if order is None:
        return result
    report_adaptation("map(column_order)", "Dataset.map(column_order=...) is a project() after it now")
    return result.project(order)


def _batch_padding(call, args, kwargs):
    if "pad_info" not in kwargs:
        return call(*args, **kwargs)
    report_adaptation("batch(pad_info)", "Dataset.batch(pad_info=...) is padded_batch() now")
    return call.args[0].padded_batch(*args, **kwargs)


def numpy_aliases():
    """numpy's names for Python's types, gone since 1.24; for the program's own files alone."""
    before = vars(np).get("__getattr__")

    def __getattr__(name):
        if name in NUMPY and not sys._getframe(1).f_code.co_filename.startswith((*LIBRARIES, "<frozen")):
            report_adaptation("np.%s" % name, "np.%s is Python's %s" % (name, NUMPY[name].__name__))
            return NUMPY[name]
        if before is not None:
            return before(name)
        raise AttributeError("module 'numpy' has no attribute %r" % name)

    np.__getattr__ = __getattr__
