"""mindyolo 0.5.0 and mindaudio 0.3.0, unmodified: their families have MindSpore's parameters, outputs and
losses, and one training step gives its gradients, weights and moving averages.

records/*.json is what the real MindSpore 2.10.0 made of them. mindyolo is of the time when ``max(axis)``
gave values: here that is ``--api 2.4``, and there ``record.py`` adapts it.
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
from tests.third_party import mindaudio_models, mindyolo_models

HERE = Path(__file__).parent
PACKAGES = {"mindyolo": ("2.4", mindyolo_models.MODELS), "mindaudio": ("2.10", mindaudio_models.MODELS)}
FAMILIES = [(package, name) for package, (_, models) in PACKAGES.items() for name in models]
RECORDS = {package: json.loads((HERE / "records" / f"{package}.json").read_text()) for package in PACKAGES}

# These decode boxes by a product in float16, with a rounding of 1e-3.
HALF = {"yolov8", "yolov8-seg", "yolov9", "yolov10", "yolov11"}


def test_all_families_are_on_record():
    assert RECORDS["mindyolo"]["package"] == "mindyolo 0.5.0" and len(mindyolo_models.MODELS) == 10
    assert RECORDS["mindaudio"]["package"] == "mindaudio 0.3.0" and len(mindaudio_models.MODELS) == 4
    for package, (_, models) in PACKAGES.items():
        assert RECORDS[package]["mindspore"] == "2.10.0" and set(RECORDS[package]["models"]) == set(models)


@pytest.mark.parametrize(("package", "name"), FAMILIES)
def test_a_family_runs_and_learns_as_on_mindspore(package, name, tmp_path):
    if importlib.util.find_spec(package) is None:
        pytest.skip(f"{package} is not installed: scripts/third_party")
    path = os.pathsep.join([str(ROOT), *(p for p in sys.path if p)])
    program = str(HERE / f"{package}_models.py")
    done = subprocess.run(
        [sys.executable, "-m", "ms2torch", "--api", PACKAGES[package][0], program, str(tmp_path), name],
        env=os.environ | {"PYTHONPATH": path, "OMP_NUM_THREADS": "1"},
        cwd=tmp_path,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    ours = json.loads((tmp_path / f"{name}.json").read_text())
    theirs = RECORDS[package]["models"][name]
    assert ours.keys() == theirs.keys()
    for what, real in theirs.items():
        if not isinstance(real, list):
            assert ours[what] == real, what
            continue
        near = 1e-3 if name in HALF and what != "outputs" else 1e-4
        rows = zip(ours[what], real, strict=True) if what == "outputs" else [(ours[what], real)]
        for mine, its in rows:
            scale = np.abs(its).max()
            np.testing.assert_allclose(mine, its, rtol=near, atol=near * scale / 10, err_msg=what)
