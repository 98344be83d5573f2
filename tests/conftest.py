"""Options of the whole suite, and what no test leaves to the next."""

import sys

import pytest


def pytest_addoption(parser):
    group = parser.getgroup("ms2torch")
    group.addoption("--live", action="store_true", help="tests/reference: run the real MindSpore for all")
    group.addoption("--recorded", action="store_true", help="tests/reference: trust the records")


@pytest.fixture(autouse=True)
def no_target_is_left():
    """The device target that a test asks for is its own."""
    yield
    if (device := sys.modules.get("ms2torch._core.devices.device")) is not None:
        device.wanted = None


@pytest.fixture(autouse=True)
def no_release_is_left():
    """Nor is the release whose meanings it chooses the next one's."""
    yield
    if (generation := sys.modules.get("ms2torch._naming.generation")) is not None and generation.is_set():
        generation.set_api(None)
