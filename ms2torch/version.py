"""``mindspore.version``: the MindSpore release whose API this is (``--api`` chooses it)."""

from ms2torch._core import generation

__version__ = generation.version()
