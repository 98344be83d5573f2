"""torch's distributed checkpoint, by torch's own functions, of `to_torch`'s ``state_dict``: both ways and
from one layout to another."""

import numpy as np
import pytest
import torch
import torch.distributed.checkpoint as dcp

from ms2torch._core.torch_private import SPREADS
from tests.distributed import torch_checkpoint_cases as cases

pytestmark = [pytest.mark.skipif(not SPREADS, reason="wants a torch newer than 2.4"),
              pytest.mark.filterwarnings("ignore:torch.distributed is disabled")]


def _torchs_own():
    return torch.nn.ModuleDict({"a": torch.nn.Linear(8, 16), "b": torch.nn.Linear(16, 8)})


@pytest.fixture(scope="module")
def alone(together):
    (losses, _), = together(cases.go, 1, "alone", 0, 4, "", "")
    return losses


@pytest.mark.parametrize(("before", "after"), [
    ("tensors", "shared"), ("shared", "stages"), ("stages", "tensors")])
def test_trainings_go_on_in_other_layouts(together, alone, tmp_path, before, after):
    found = together(cases.go, 2, before, 0, 2, "", str(tmp_path / "half"))
    weights = {name: value for _, held in found for name, value in held.items()}
    for losses, _ in together(cases.go, 2, after, 2, 4, str(tmp_path / "half"), ""):
        np.testing.assert_allclose([*found[0][0], *losses], alone, rtol=1e-6)
    kept = _torchs_own().state_dict()
    dcp.load({"model": kept}, checkpoint_id=str(tmp_path / "half.net"))
    assert set(kept) == set(weights)
    for name, value in kept.items():
        np.testing.assert_array_equal(value.numpy(), weights[name])


@pytest.mark.parametrize("kind", ["tensors", "shared"])
def test_weights_that_torch_saved(together, tmp_path, kind):
    kept = _torchs_own().state_dict()
    dcp.save({"model": kept}, checkpoint_id=str(tmp_path / "torch"))
    for turns in together(cases.of_torch, 2, kind, str(tmp_path / "torch")):
        for found in turns:
            for name, value in kept.items():
                np.testing.assert_array_equal(found[name], value.numpy())
