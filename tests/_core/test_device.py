"""Device targets map to the best device here; MS2TORCH_DEVICE forces another."""

import pytest
import torch

import ms2torch
from ms2torch._core import errors
from ms2torch._core.devices import device


@pytest.fixture(autouse=True)
def fresh(monkeypatch):
    monkeypatch.setattr(device, "_device", None)
    monkeypatch.setattr(errors, "_given", set())
    monkeypatch.delenv("MS2TORCH_DEVICE", raising=False)
    monkeypatch.delenv("LOCAL_RANK", raising=False)
    monkeypatch.delenv("DEVICE_ID", raising=False)


BEST = "cuda" if torch.cuda.is_available() else "cpu"


@pytest.mark.parametrize("target", ["Ascend", "GPU", "CPU", None])
def test_every_target_is_the_best_device(target):
    assert device.select(target).type == BEST
    assert device.device().type == BEST


def test_another_device_than_the_one_named_is_said_once(capsys, monkeypatch):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    for _ in range(2):
        ms2torch.set_context(device_target="Ascend")
        ms2torch.set_context(device_target="CPU")
    assert capsys.readouterr().err == '[ms2torch] device_target="Ascend" runs on cpu here.\n'
    assert ms2torch.get_context("device_target") == "CPU"


def test_the_environment_forces_a_device(monkeypatch):
    monkeypatch.setenv("MS2TORCH_DEVICE", "meta")
    assert device.select("GPU") == torch.device("meta")
    monkeypatch.setenv("MS2TORCH_DEVICE", "nowhere")
    with pytest.raises(
        RuntimeError, match="MS2TORCH_DEVICE or --device asks for 'nowhere', which is not here"
    ):
        device.select("GPU")


def test_device_ids_count_round_the_devices_that_are_here(monkeypatch):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 2)
    monkeypatch.setattr(device, "describe", str)
    assert device.select("GPU", 5) == torch.device("cuda", 1)
    monkeypatch.setenv("DEVICE_ID", "3")
    assert device.select("Ascend") == torch.device("cuda", 1)
    monkeypatch.setenv("LOCAL_RANK", "2")
    assert device.select("CPU") == torch.device("cuda", 0)
