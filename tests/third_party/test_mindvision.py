"""mindvision 0.1.0, unmodified: its LeNet trains by Model with the losses that it has on MindSpore."""

import importlib.util
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.programs.compare import distance, quantities
from tests.programs.test_programs import NEAR, PRINTED
from tests.shim.run import ROOT

HERE = Path(__file__).parent


@pytest.mark.skipif(
    importlib.util.find_spec("mindvision") is None,
    reason="mindvision is not installed: scripts/third_party",
)
def test_lenet_of_mindvision_trains_as_near_to_the_double_run_as_on_mindspore(tmp_path):
    path = os.pathsep.join([str(ROOT), *(p for p in sys.path if p)])
    done = subprocess.run(
        [sys.executable, "-m", "ms2torch", str(HERE / "mindvision_lenet.py")],
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": path, "OMP_NUM_THREADS": "1"},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    lines = [line for line in done.stdout.splitlines() if line.startswith(("epoch:", "{", "["))]
    records = [
        (HERE / "records" / f"mindvision{kind}.txt").read_text().splitlines()[1:] for kind in ("", ".float64")
    ]
    texts, (ours, theirs, double) = zip(*map(quantities, (lines, *records)), strict=True)
    assert texts[0] == texts[1] == texts[2]
    for wording, middle in double.items():
        own = distance(theirs[wording], middle)
        assert own <= NEAR, wording
        assert distance(ours[wording], middle) <= 3 * max(own, PRINTED), wording
    losses = next(table for wording, table in ours.items() if "loss" in wording)
    assert len(losses) == 64 and losses[-8:, 2].mean() < losses[:8, 2].mean()
