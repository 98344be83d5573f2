"""Overflow of gradients, ``sens``, and what optimizers give, as the releases on devices had them.

Graph mode compiles functions of this file: MindSpore's names have to be its globals.
"""

from __future__ import annotations

import functools
import re
import sys

from mindspore import Tensor, ops
from mindspore.common import dtype as mstype

from .places import LIBRARIES, class_around, module_of, replace, report_adaptation

_in_use = {}  # what programs have been seen to need: depend, optimizer
_depend = None


def adapt():
    """Adapt what tells of overflow, gradients of a ``sens``, and optimizers."""
    _overflow()
    _loss_scale()
    _sens()
    _optimizers()


def _overflow():
    """``FloatStatus`` and the NPU's status operators, out of ``IsFinite``.

    The CPU keeps no overflow flag. Programs tie the status to the gradients with ``depend`` before they read
    it; from the first status on, ``depend`` of an 8-element status and a tuple of gradients adds the flag.
    """
    from mindspore.ops import operations as P

    replace(P.FloatStatus, class_around("FloatStatus", float_status, "ops.FloatStatus() is made of IsFinite"))
    text = ("%s(): the status tells of nan and infinity in the gradients that depend() ties it to; "
            "the CPU keeps no flag")
    for name, function in (("NPUAllocFloatStatus", _alloc_status), ("NPUGetFloatStatus", _get_status),
                           ("NPUClearFloatStatus", _clear_status)):
        if hasattr(P, name):
            replace(getattr(P, name), _status_factory(name, function, text % name))
    from mindspore.ops.operations import math_ops

    for name, function in (("NPUGetFloatStatusV2", _get_status), ("NPUClearFloatStatusV2", _clear_status)):
        if hasattr(math_ops, name):
            replace(getattr(math_ops, name), _status_factory(name, function, text % name))


def _status_factory(name, function, text):
    made = class_around(name, function, text)

    def __new__(cls, *args, **kwargs):
        report_adaptation(name, text)
        _watch_depend()
        return function

    made.__new__ = __new__
    return made


# What graph mode compiles: MindSpore's names have to be globals of this file by then.


def float_status(x):
    """[1.0] where ``x`` holds nan or infinity, else [0.0]."""
    finite = ops.ReduceAll()(ops.IsFinite()(x))
    return ops.Reshape()(1.0 - ops.Cast()(finite, mstype.float32), (1,))


def _alloc_status():
    return ops.Fill()(mstype.float32, (8,), 0.0)


def _get_status(status):
    return status


def _clear_status(status):
    return ops.ZerosLike()(status)


def _watch_depend():
    """Replace ``depend`` by one that adds the overflow of gradients to a status tied to them."""
    if "depend" in _in_use:
        return
    from mindspore.ops import functional as F

    original = _in_use["depend"] = F.depend
    globals()["_depend"] = original
    for module in list(sys.modules.values()):
        for key, value in list(getattr(module, "__dict__", {}).items()):
            if value is original and module.__name__ != __name__:
                setattr(module, key, depend)


def depend(value, expr):
    """``ops.depend``: ``value``, after ``expr``; a status of 8 elements with the overflow of gradients."""
    result = _depend(value, expr)
    if isinstance(value, Tensor) and isinstance(expr, (tuple, list)) and value.shape == (8,):
        flags = ops.HyperMap()(float_status, expr)
        result = result + ops.Cast()(ops.AddN()(flags), value.dtype)
    return result


def _loss_scale():
    """MindSpore's own loss-scale cells use the `FloatStatus` that their module made when it was imported."""
    module = module_of("mindspore.nn.wrap.loss_scale")
    if module is None or not hasattr(module, "grad_overflow"):
        return
    module.grad_overflow = float_status
    cell = module.TrainOneStepWithLossScaleCell
    original = cell.__init__

    @functools.wraps(original)
    def __init__(self, *args, **kwargs):
        report_adaptation("TrainOneStepWithLossScaleCell",
                           "nn.TrainOneStepWithLossScaleCell looks for overflow as on a GPU, by IsFinite")
        original(self, *args, **kwargs)

    cell.__init__ = __init__


def _sens():
    """PyNative's gradient of an output of shape (1,) for a ``sens`` of shape (), which graph mode takes."""
    base = module_of("mindspore.ops.composite.base")
    original = getattr(base, "_pynative_forward_run", None)
    if original is None:
        return

    @functools.wraps(original)
    def run(fn, sens_param, *args, **kwargs):
        given, out = original(fn, sens_param, *args, **kwargs)
        sens = given[-1] if sens_param and given else None
        both = isinstance(sens, Tensor) and isinstance(out, Tensor)
        if both and sens.shape != out.shape and sens.size == out.size:
            report_adaptation(
                "sens", "in PyNative mode, too, a sens of the output's size takes the output's shape")
            given = (*given[:-1], sens.reshape(out.shape))
        return given, out

    base._pynative_forward_run = run


# r1.x train cells: ``succ = False`` in one branch and ``succ = self.optimizer(grads)`` in the other.
_TWO_BRANCHES = re.compile(r"(\w+) = False\b[^\n]*\n(?:[^\n]*\n){0,3}?\s*\1 = self\.\w*opt\w*\(")


def _optimizers():
    """An optimizer's result is a bool again where a program joins it with ``False`` in a graph's branch."""
    from mindspore import nn

    original = nn.Optimizer.__init__

    @functools.wraps(original)
    def __init__(self, *args, **kwargs):
        original(self, *args, **kwargs)
        if "optimizer" not in _in_use and _joined_with_false():
            report_adaptation(
                "optimizer's result", "optimizers give True, not a tuple: the program joins it with False")
            _in_use["optimizer"] = True
        cls = type(self)
        if "optimizer" in _in_use and cls.__module__.startswith("mindspore.") and "_update" not in vars(cls):
            cls._update, cls.construct = cls.construct, _construct

    nn.Optimizer.__init__ = __init__


def _construct(self, gradients):
    return ops.functional.depend(True, self._update(gradients))


def _joined_with_false():
    for module in list(sys.modules.values()):
        path = getattr(module, "__file__", None) or ""
        if path.endswith(".py") and not path.startswith(LIBRARIES):
            try:
                with open(path, encoding="utf-8", errors="replace") as file:
                    if _TWO_BRANCHES.search(file.read()):
                        return True
            except OSError:
                continue
    return False
