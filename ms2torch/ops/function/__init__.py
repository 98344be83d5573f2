"""Operator definitions by kind (``mindspore.ops.function``); importing this registers them all."""

from . import array_func, grad_func, math_func, nn_func, random_func  # noqa: F401
