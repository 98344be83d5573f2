"""Whole programs under the launcher print what the real MindSpore printed, step by step.

The yardstick: no further from a run in double precision than three times MindSpore's own float32 run is.
The double run is ours (float64.py), so it has to lie as near to MindSpore's as rounding explains: were a
formula of ours another, both of our runs would move away from MindSpore's together, and ``NEAR`` would
tell.
"""

import os
import sys

import numpy as np
import pytest

from tests.programs.compare import distance, quantities, whole_numbers
from tests.programs.record import PROGRAMS, RECORDS, digest, printed
from tests.shim.run import ROOT

# Half a unit of a printed float32: nothing that is printed can be known to lie nearer.
PRINTED = 2.0**-23
# MindSpore's own distance from the double run, at most: rounding, grown over some dozen steps. Half precision
# rounds at 5e-4.
NEAR, NEAR_IN_HALF = 1e-4, 2e-2
# The first two lines of a kind: from equal parameters, and after one update of equal parameters.
FIRST_STEPS = 1e-5


def read(name, heads):
    """What a record says it was made of, and the lines printed."""
    lines = (RECORDS / f"{name}.txt").read_text().splitlines()
    return lines[0], lines[heads:]


def columns(tables):
    """What is compared, as ``(what, ours, theirs, double)``: a column of numbers where a wording stands in
    three lines or more, else all its numbers together; whole numbers have been compared already.
    """
    for wording, theirs in tables[1].items():
        ours, double = tables[0][wording], tables[2][wording]
        rough = np.flatnonzero(~whole_numbers(theirs))
        if len(rough) and len(theirs) >= 3:
            yield from ((f"{wording}[{i}]", ours[:, i], theirs[:, i], double[:, i]) for i in rough)
        elif len(rough):
            yield wording, ours[:, rough], theirs[:, rough], double[:, rough]


def judge(lines, expected, double, half=False):
    """AssertionError unless ``lines`` say what ``expected`` says, and are as near to ``double``."""
    texts, tables = zip(*map(quantities, (lines, expected, double)), strict=True)
    assert texts[0] == texts[1] == texts[2]
    for wording, theirs in tables[1].items():
        whole = whole_numbers(theirs)
        np.testing.assert_array_equal(tables[0][wording][:, whole], theirs[:, whole], err_msg=wording)
    compared = list(columns(tables))
    own = [distance(theirs, middle) for _, _, theirs, middle in compared]
    # A column of two numbers (a bias) can lie near to the double run by luck, where half precision rounds at
    # 5e-4: one is asked for no more than the program's middle column keeps.
    floor = float(np.median(own)) if half else PRINTED
    for (what, ours, theirs, middle), its_own in zip(compared, own, strict=True):
        assert its_own <= (NEAR_IN_HALF if half else NEAR), what
        assert distance(ours, middle) <= 3 * max(its_own, floor), what
        if ours.ndim == 1 and not half:
            assert distance(ours[:2], theirs[:2]) <= FIRST_STEPS, what


@pytest.mark.parametrize("name", PROGRAMS)
def test_program_is_as_near_to_the_double_run_as_mindspore_is(name, tmp_path):
    version, expected = read(name, 2)
    double_version, double = read(f"{name}.float64", 1)
    assert version.startswith("MindSpore 2.")
    assert version.endswith(digest(name)) and double_version.endswith(digest(name)), "record.py runs it again"
    env = {k: v for k, v in os.environ.items() if not k.startswith("MS2TORCH_")}
    env |= {"PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1"}
    code, lines, err = printed([sys.executable, "-m", "ms2torch"], name, tmp_path, env)
    assert code == 0, err

    judge(lines, expected, double, half=name.endswith("half"))


def test_a_loss_that_drifts_and_a_word_that_changes_are_seen():
    _, expected = read("bert", 2)
    _, double = read("bert.float64", 1)
    judge(expected, expected, double)
    loss = float(expected[-4].split("([")[1].split("]")[0])
    for wrong in (f"{loss * (1 + 1e-4):.8f}", "nan", "much"):
        drifted = [*expected[:-4], expected[-4].replace(str(loss), wrong), *expected[-3:]]
        assert drifted != expected
        with pytest.raises(AssertionError):
            judge(drifted, expected, double)
    scaled = [line.replace(line.split("([")[1].split("]")[0], f"{2 * i}.5") if "([" in line else line
              for i, line in enumerate(double)]
    with pytest.raises(AssertionError):
        judge(expected, expected, scaled)
