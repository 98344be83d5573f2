"""Tests of a device under load (``mindspore.utils.stress_detect``)."""


def stress_detect(detect_type="aic"):
    """RuntimeError, as on MindSpore's CPU: it loads Ascend chips to find defects in them."""
    raise RuntimeError("Stress detection is not supported.")
