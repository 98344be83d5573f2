"""The share of the tests that a change can touch (scripts/share.py)."""

import subprocess

import pytest

from scripts import share

ROOT = share.ROOT


def touched(*changed):
    found = share.touched(list(changed))
    return found if isinstance(found, str) else {str(t.relative_to(ROOT)) for t in found}


@pytest.mark.parametrize("changed, test", [
    ("ms2torch/ops/function/_nn_ctc.py", "tests/reference/test_ops_ctc.py"),
    ("ms2torch/ops/function/_nn_cross_entropy.py", "tests/difftest/test_mutants.py"),
    ("ms2torch/nn/layer/rnns.py", "tests/reference/test_nn_recurrent.py"),
    ("ms2torch/difftest/departures.tsv", "tests/difftest/test_departures.py"),
    ("ms2torch/dataset/engine/_batch.py", "tests/reference/test_dataset_pipeline.py"),
    ("tests/reference/records/test_metrics.json", "tests/reference/test_metrics.py"),
    ("tests/reference/judge.py", "tests/reference/test_metrics.py"),
    ("tests/fuzz_known_differences.txt", "tests/test_fuzz.py"),
    ("scripts/share.py", "tests/test_share.py"),
])
def test_a_change_touches_the_tests_that_use_it(changed, test):
    assert (ROOT / test).exists() and (ROOT / changed).exists()
    found = touched(changed)
    always = any((ROOT / test).is_relative_to(ROOT / path) for path in share.CORE)
    assert always or isinstance(found, str) or test in found


def test_a_tool_of_its_own_touches_only_what_is_about_it():
    found = touched("ms2torch/translate/naming.py")
    assert "tests/reference/test_metrics.py" not in found


@pytest.mark.parametrize("changed", ["ms2torch/_core/tensor/tensor.py", "setup.cfg", "tests/conftest.py",
                                     "ms2torch/_core/checks/odd.tsv", "ms2torch/nn/cell.py"])
def test_what_everything_stands_on_asks_for_the_whole_suite(changed):
    assert isinstance(touched(changed), str) and (ROOT / changed).exists()


def test_a_page_asks_for_the_core_alone():
    assert touched("README.md", ".ci/passed") == set()
    assert all((ROOT / path).exists() for path in share.CORE)


def test_what_is_gone_asks_for_the_whole_suite():
    assert isinstance(touched("ms2torch/nn/was_here.py"), str)


def test_without_a_commit_to_start_from_the_whole_suite_runs():
    assert share.share("0" * 40)[0] == ["tests"]


def test_the_command_names_files_that_are_there():
    done = subprocess.run(["git", "rev-parse", "HEAD"], cwd=ROOT, capture_output=True, text=True)
    if done.returncode:
        pytest.skip("no git repository")
    paths, _ = share.share(done.stdout.strip())
    assert paths == ["tests"] or (set(share.CORE) <= set(paths) and all((ROOT / p).exists() for p in paths))
