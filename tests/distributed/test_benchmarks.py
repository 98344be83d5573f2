"""The benchmark scripts run: what they measure, no run of a test can hold."""

import argparse
import importlib
import sys

import pytest

from tests.distributed import benchmark_cases as cases


def test_the_benchmark_of_data_parallel_steps(together):
    for found in together(cases.measured, 2):
        assert found["parameters"] == 2 * (16 * 16 + 16)
        # A sum over two processes sends at least 2 (N-1)/N of the bytes; small ones carry headers.
        assert all(ratio >= 1 for ratio in found["bytes / least bytes"].values())
        steps = {"without communication", "overlapped", "explicit", "torch DDP by hand"}
        assert set(found["ms per step"]) == steps


@pytest.mark.parametrize("model", ["resnet", "bert"])
def test_the_benchmark_of_mixed_precision_starts_from_equal_networks(monkeypatch, model):
    sys.path.insert(0, cases.sys.path[0])
    amp_cuda = importlib.import_module("amp_cuda")
    smallest = argparse.Namespace(tiny=True, batch=None, rounds=1, level="auto")
    found = amp_cuda.measured(model, "float32", smallest)
    ours, theirs = found["first losses"]
    assert ours == pytest.approx(theirs, rel=1e-5)
