"""The twin run in pytest: ``pytest_plugins = ["ms2torch.difftest.plugin"]`` in conftest.py gives the fixture
``twin``.

    def test_training(twin):
        verdict = twin("train.py", "--epochs", "1", steps=5)
        assert verdict.equal, verdict.first.sentence()
"""

from __future__ import annotations

import pytest

from . import twin as _twin
from .finding import Verdict
from .options import Options


@pytest.fixture
def twin():
    """A function ``(script, *arguments, **options)`` that runs the script on both sides; its Verdict.

    Options are those of ``ms2torch diff`` with their dashes as underscores (``steps=5``,
    ``reference_python=...``, ``trace=...``). CannotCompare where a side cannot run; the test is skipped where
    there is no real MindSpore and no trace.
    """
    def run(script, *arguments, **options) -> Verdict:
        from .reference import NoReference

        settings = Options(script=[str(script), *map(str, arguments)], **options)
        try:
            return _twin.run(settings, Verdict())
        except NoReference as err:
            pytest.skip(str(err))

    return run
