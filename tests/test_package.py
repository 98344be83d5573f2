"""A wheel and a source distribution that hold what an installation needs, made without a network."""

import os
import re
import shutil
import subprocess
import sys
import tarfile
import zipfile
from configparser import ConfigParser
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
BUILD = """
import sys
from setuptools import build_meta
out = sys.argv[1]
print(build_meta.build_wheel(out), build_meta.build_sdist(out))
"""


def settings() -> ConfigParser:
    found = ConfigParser()
    found.read(ROOT / "setup.cfg", encoding="utf-8")
    return found


def requirements(text: str) -> set[str]:
    return {re.split(r"[<>=!~ ]", line.strip())[0] for line in text.splitlines() if line.strip()}


def files(*folders: str) -> list[str]:
    """All files of the checkout but ignored ones."""
    command = ["git", "ls-files", "-coz", "--exclude-standard", *folders]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    return [name for name in listed.split("\0") if (ROOT / name).is_file()]


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """A wheel and a source distribution, made from a copy of the checkout."""
    pytest.importorskip("setuptools")
    if not (ROOT / ".git").exists():
        pytest.skip("not a git checkout")
    copy, out = tmp_path_factory.mktemp("copy"), tmp_path_factory.mktemp("out")
    for name in files():
        (copy / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, copy / name)
    done = subprocess.run([sys.executable, "-c", BUILD, out], cwd=copy, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    wheel, sdist = next(out.glob("*.whl")), next(out.glob("*.tar.gz"))
    return wheel, sdist


def test_a_bare_installation_needs_torch_numpy_and_rich_alone():
    assert requirements(settings()["options"]["install_requires"]) == {"torch", "numpy", "rich"}


def test_the_extras_are_those_that_messages_name():
    extras = settings()["options.extras_require"]
    named = {"examples", "dataset", "encryption", "onnx", "test", "translate", "docs", "frameworks", "video",
             "sentencepiece"}
    assert set(extras) == named
    # The frameworks are large, and one lesson alone is about them.
    others = [requirements(extras[name]) for name in extras if name not in ("test", "frameworks")]
    assert requirements(extras["test"]) >= set().union(*others)


def test_the_wheel_holds_every_file_of_the_package(built):
    names = set(zipfile.ZipFile(built[0]).namelist())
    assert set(files("ms2torch")) - names == set()
    assert "ms2torch/py.typed" in names and "ms2torch/examples/segments.py" in names
    assert not [name for name in names if name.startswith(("tests/", "scripts/", "migration_guide/"))]


def test_the_source_distribution_holds_the_guide_and_the_tests(built):
    with tarfile.open(built[1]) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    wanted = {"README.md", "README.zh-CN.md", "LICENSE", "NOTICE", "migration_guide/README.md",
              "migration_guide/02_gradients/lesson.py", "migration_guide/02_gradients/orders.svg",
              "scripts/build_guide.py", "tests/test_package.py"}  # fmt: skip
    assert wanted - names == set()


def test_the_wheel_runs_the_first_lesson_on_its_own(built, tmp_path):
    """From the wheel's files alone, in a folder without the checkout: as after pip install."""
    zipfile.ZipFile(built[0]).extractall(tmp_path / "site")
    command = [sys.executable, "-m", "ms2torch", "-m", "ms2torch.examples.segments", "--epochs", "1"]
    environment = {**os.environ, "PYTHONPATH": str(tmp_path / "site"), "OMP_NUM_THREADS": "1"}
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, env=environment)
    assert done.returncode == 0, done.stderr
    # The real MindSpore 2.10.0 prints 1.92343163 for the same seed.
    assert float(re.search(r"loss is (\S+)", done.stdout).group(1)) == pytest.approx(1.92343163, rel=1e-4)


def test_the_version_is_the_changelogs():
    from ms2torch._version import __version__

    changelog = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    assert re.search(r"^## (\S+)", changelog, re.M).group(1) == __version__
