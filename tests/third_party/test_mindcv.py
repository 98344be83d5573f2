"""mindcv 0.3.0, unmodified: models of its families have MindSpore's parameters and give its outputs.

records/mindcv.json is what the real MindSpore 2.10.0 made of the same names and weights;
``python scripts/third_party tests`` installs it and runs this, and records again when a MindSpore
interpreter is named.
"""

import importlib.util
import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from tests.shim.run import ROOT
from tests.third_party.mindcv_models import MODELS

RECORD = json.loads((Path(__file__).parent / "records" / "mindcv.json").read_text())
needed = pytest.mark.skipif(
    importlib.util.find_spec("mindcv") is None, reason="mindcv is not installed: scripts/third_party"
)


def test_thirty_families_and_more_are_on_record():
    assert RECORD["package"] == "mindcv 0.3.0" and RECORD["mindspore"] == "2.10.0"
    assert set(RECORD["models"]) == set(MODELS) and len(MODELS) >= 30


@needed
@pytest.mark.parametrize("name", MODELS)
def test_a_family_builds_and_gives_mindspores_outputs(name, tmp_path):
    model = Path(__file__).parent / "mindcv_models.py"
    path = os.pathsep.join([str(ROOT), *(p for p in sys.path if p)])
    env = os.environ | {"PYTHONPATH": path, "OMP_NUM_THREADS": "1"}
    done = subprocess.run(
        [sys.executable, "-m", "ms2torch", str(model), str(tmp_path), name],
        env=env,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    ours, theirs = json.loads((tmp_path / f"{name}.json").read_text()), RECORD["models"][name]
    assert (ours["parameters"], ours["digest"]) == (theirs["parameters"], theirs["digest"])
    assert len(ours["outputs"]) == len(theirs["outputs"])
    for mine, real in zip(map(np.array, ours["outputs"]), map(np.array, theirs["outputs"]), strict=True):
        # Against the size of the whole output: single logits near 0 have no more digits than its largest.
        np.testing.assert_allclose(mine, real, rtol=1e-4, atol=1e-4 * np.abs(real).max() / 10)
