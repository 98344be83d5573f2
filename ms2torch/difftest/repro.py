"""The minimal repro."""

from __future__ import annotations


def write(options, finding, reference, events):
    """Write it; its path."""
    return None
