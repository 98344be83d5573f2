"""Whole programs under the launcher print what the real MindSpore printed (records/ say which version)."""
import os
import re
import sys

import numpy as np
import pytest

from tests.programs.record import PROGRAMS, RECORDS, printed
from tests.shim.run import ROOT

NUMBER = re.compile(r"[-+]?(?:\d+\.\d*|\.\d+|\d+)(?:e[-+]?\d+)?")

# Half precision rounds at 1e-3, and a step of Adam where a gradient is nearly 0 shows rounding of any size.
TOLERANCE = {"transformer_half": 5e-3, "transformer": 1e-3, "gan": 1e-3, "resnet": 1e-3}


def words_and_numbers(lines):
    """The text without its numbers and blanks, and the numbers: numpy 1 and 2 print scalars differently."""
    text = "\n".join(re.sub(r"np\.\w+\(([^()]*)\)", r"\1", line) for line in lines)
    return re.sub(r"\s+", "", NUMBER.sub("#", text)), np.array([float(n) for n in NUMBER.findall(text)])


@pytest.mark.parametrize("name", PROGRAMS)
def test_program_prints_what_mindspore_prints(name, tmp_path):
    version, *expected = (RECORDS / f"{name}.txt").read_text().splitlines()
    assert version.startswith("MindSpore 2.")
    env = {k: v for k, v in os.environ.items() if not k.startswith("MS2TORCH_")}
    env |= {"PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1"}
    code, lines, err = printed([sys.executable, "-m", "ms2torch"], name, tmp_path, env=env)
    assert code == 0, err
    (words, numbers), (their_words, their_numbers) = words_and_numbers(lines), words_and_numbers(expected)
    assert words == their_words
    rtol = TOLERANCE.get(name, 2e-4)
    np.testing.assert_allclose(numbers, their_numbers, rtol=rtol, atol=rtol / 10)
