"""Assignments of least cost (``mindspore.scipy.optimize``)."""

from .linear_sum_assignment import linear_sum_assignment

__all__ = ["linear_sum_assignment"]
