"""Device targets map to the best device here; MS2TORCH_DEVICE forces another."""

import contextlib
import os
import subprocess
import sys
import types
from pathlib import Path

import pytest
import torch
from torch.utils import backend_registration

import ms2torch
from ms2torch import Tensor, device_context, hal, ops
from ms2torch._core import errors
from ms2torch._core.devices import device
from ms2torch._core.processes import distributed


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
    monkeypatch.setattr(device, "accelerator", lambda: None)
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


@pytest.mark.parametrize(("kind", "target", "backend"), [
    ("xpu", "GPU", "cpu:gloo,xpu:xccl"), ("mps", "GPU", "cpu:gloo,mps:gloo"),
    ("npu", "Ascend", "cpu:gloo,npu:hccl")])
def test_the_accelerator_that_torch_has_is_the_device(monkeypatch, capsys, kind, target, backend):
    """As torch tells it, with a stand-in for its module: what a device is asked for goes there."""
    if not hasattr(torch, "accelerator"):
        pytest.skip("torch 2.6 tells it")
    asked = []
    module = types.SimpleNamespace(
        device_count=lambda: 2, get_device_name=lambda at: f"{kind} of a test", memory_allocated=lambda at: 7,
        empty_cache=lambda: asked.append(1), device=lambda at: contextlib.nullcontext())
    place = types.SimpleNamespace(type=kind, index=1)
    monkeypatch.setattr(torch, kind, module, raising=False)
    monkeypatch.setattr(torch.accelerator, "is_available", lambda: True)
    monkeypatch.setattr(torch.accelerator, "current_accelerator", lambda: place)
    monkeypatch.setattr(torch, "device", lambda kind, index: (kind, index))
    assert device._best(3) == (kind, 1)
    monkeypatch.setattr(device, "_best", lambda index: place)
    device.select(target)
    assert capsys.readouterr().err == ""
    assert device.target(place) == target
    hal.empty_cache()
    assert asked == [1] and hal.memory_allocated() == 7 and hal.max_memory_allocated() == 0
    assert hal.get_device_name(0, target) == f"{kind} of a test" and hal.device_count(target) == 2
    assert hal.is_available(target)
    here, absent = device_context.gpu, device_context.ascend
    if target == "Ascend":
        here, absent = absent, here
    assert here.is_available() and here.device_count() == 2 and not absent.is_available()
    assert distributed.backend_for(kind) == backend


@pytest.mark.parametrize("kind", ["cuda", "npu", "xpu", "mps"])
def test_before_torch_tells_its_accelerator_each_kind_is_asked(monkeypatch, kind):
    monkeypatch.delattr(torch, "accelerator", raising=False)
    for one in ("cuda", "npu", "xpu", "mps"):
        there = types.SimpleNamespace(is_available=lambda one=one: one == kind)
        monkeypatch.setattr(torch, one, there, raising=False)
    assert device.accelerator() == kind
    monkeypatch.setattr(getattr(torch, kind), "is_available", lambda: False)
    assert device.accelerator() is None


def test_a_device_by_open_registration_trains_as_the_cpu(tmp_path):
    """torch's own way for devices that it does not know (PrivateUse1), with one that computes on the CPU."""
    if not hasattr(backend_registration, "_setup_privateuseone_for_python_backend"):
        pytest.skip("wants a torch that registers devices from Python")
    here, env = Path(__file__).parent, os.environ | {"CUDA_VISIBLE_DEVICES": ""}
    ends = [subprocess.run([sys.executable, *how, str(here / "open_training.py")], capture_output=True,
                           text=True, env=env, cwd=here.parents[1], check=True)
            for how in (["-m", "ms2torch"], [str(here / "open_backend.py")])]
    assert ends[0].stdout == ends[1].stdout and len(ends[0].stdout.splitlines()) >= 14
    assert ends[1].stderr.splitlines()[-1] == "opened:0 GPU ran more than ten operators"


def test_device_ids_count_round_the_devices_that_are_here(monkeypatch):
    monkeypatch.setattr(device, "accelerator", lambda: "cuda")
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 2)
    monkeypatch.setattr(device, "describe", str)
    assert device.select("GPU", 5) == torch.device("cuda", 1)
    monkeypatch.setenv("DEVICE_ID", "3")
    assert device.select("Ascend") == torch.device("cuda", 1)
    monkeypatch.setenv("LOCAL_RANK", "2")
    assert device.select("CPU") == torch.device("cuda", 0)


def test_batches_are_broadcast_for_ascend_alone():
    """As MindSpore has it, and MindFormers needs it."""
    x, y = ops.ones((5, 3, 7, 2)), ops.ones((2, 2))
    forms = ops.BatchMatMul(), ops.bmm, Tensor.bmm
    for form in forms:
        with pytest.raises(ValueError, match="cannot be broadcast on CPU/GPU"):
            form(x, y)
    device.select("Ascend")
    for form in forms:
        assert form(x, y).shape == (5, 3, 7, 2)


def test_tf32_follows_every_way_to_allow_it():
    import ms2torch as ms

    for matmul, conv in ((True, False), (False, True)):         # (the last are the values at first)
        ms.set_context(matmul_allow_tf32=matmul, conv_allow_tf32=conv)
        assert (torch.backends.cuda.matmul.allow_tf32, torch.backends.cudnn.allow_tf32) == (matmul, conv)
