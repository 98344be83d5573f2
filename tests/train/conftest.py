"""What the tests of compiled steps share."""

import pytest

import ms2torch as ms
from ms2torch._core import errors, mode
from ms2torch._core.gradient import overflow
from ms2torch.compiler import settings


@pytest.fixture
def traced(monkeypatch):
    """Steps are compiled, as far as their traced graph; notices are said again."""
    monkeypatch.setattr(settings, "backend", "graph")
    monkeypatch.setattr(mode, "graphs", "compile")
    overflow.watching = False       # a program before had cleared the flag
    errors._given.clear()
    ms.set_context(mode=ms.PYNATIVE_MODE)
    yield
    ms.set_context(mode=ms.PYNATIVE_MODE)
