"""Arithmetic, comparison and reduction (``mindspore.ops.function.math_func``)."""
