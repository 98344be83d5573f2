"""`import mindspore` is ms2torch in this folder; `reference(case)` is what the real one gives."""
import importlib.metadata
import os
import sys
from zlib import crc32

import numpy
import pytest

import ms2torch
from ms2torch import _context_settings as context_settings
from ms2torch._core import mode
from ms2torch.dataset.core import config
from tests.reference import real
from tests.reference.judge import as_declared

LIVE_SHARE = 8

ms2torch.install()


# Images under a perspective, whose coefficients MindSpore and ms2torch ask of numpy's least squares.
_OF_PILLOW_13 = ("test_of_pil_images[resized-crop", "test_pictures[invert]", "test_pictures[resize]")
_TILTED = ("test_of_pil_images[tilted-nearest", "test_of_pil_images[random-tilt", "test_of_images[")


def _pillow() -> int:
    return int(importlib.metadata.version("pillow").partition(".")[0])


@pytest.fixture(scope="module")
def own_folder(tmp_path_factory):
    return tmp_path_factory.mktemp("cases")


@pytest.fixture(autouse=True)
def at_rest(own_folder):
    """The alias and a folder of its own before a case; after it the default mode, no gradient level open, and
    the pipelines' and the context's settings as before.
    """
    ms2torch.install()                  # tests of uninstall may have run
    here = os.getcwd()
    os.chdir(own_folder)
    settings, levels = dict(config._values), dict(context_settings.values)
    yield
    config._values.update(settings)
    context_settings.values.clear()
    context_settings.values.update(levels)
    os.chdir(here)
    ms2torch.set_context(mode=ms2torch.PYNATIVE_MODE)
    assert mode.differentiation is None


@pytest.fixture(scope="session")
def reference(request):
    """A case's outcome on the real MindSpore: the record, or a run now.

    With --live every file is run; without, where the real one is found, one file in `LIVE_SHARE`, always the
    same ones: records that no longer repeat are noticed, and the suite stays short.
    """
    always = request.config.getoption("--live")
    found = real.interpreter() is not None and not request.config.getoption("--recorded")

    def outcome_of(one):
        module = one.function.__module__
        live = always or (found and crc32(module.encode()) % LIVE_SHARE == 0)
        outcome = (real.run if live else real.recorded)(module)["cases"].get(one.name)
        how = f"run scripts/record_reference.py tests/reference/{module.rpartition('.')[2]}.py"
        if outcome is None:
            pytest.fail(f"{one.name} has no record: {how}", pytrace=False)
        if outcome["source"] != one.digest:
            pytest.fail(f"{one.name} was edited after it was recorded: {how}", pytrace=False)
        if sys.version_info < (3, 11) and (one.raises or one.function.__name__ == "test_words"):
            if ".test_graph_" in module:
                pytest.skip("Python 3.10 does not say which expression failed: its own words stay")
            if "has no setter" in str(outcome.get("error")):
                pytest.skip("these are the words of Python 3.11")
        if sys.version_info >= (3, 12) and one.name.startswith("test_a_keyword_only_argument_that_lacks"):
            pytest.skip("these are the words of Python 3.11")
        if sys.version_info >= (3, 12) and "Can't instantiate abstract class" in str(outcome.get("error")):
            pytest.skip("these are the words of Python 3.11")
        if one.name.startswith(_OF_PILLOW_13) and _pillow() < 13:
            pytest.skip("these are the pixels of Pillow 13")
        if one.name.startswith(_TILTED) and numpy.lib.NumpyVersion(numpy.__version__) >= "2.5.0":
            pytest.skip("these are pixels of a perspective that numpy before 2.5 solved, to the last digit")
        if problem := as_declared(one, outcome):
            pytest.fail(f"{one.name} on the real MindSpore: {problem}", pytrace=False)
        return outcome

    return outcome_of
