"""Operator definitions by kind (``mindspore.ops.function``); importing this registers them all."""

from . import (
    _device_operators,
    _ext_names,
    _linalg_solve,
    _optimizer_updates,
    _sparse_updates,
    _taylor,
    array_func,
    clip_func,
    debug_func,
    fft_func,
    grad_func,
    linalg_func,
    math_func,
    nn_func,
    other_func,
    parameter_func,
    random_func,
    sparse_func,
    sparse_unary_func,
    spectral_func,
)
