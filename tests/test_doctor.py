"""``ms2torch doctor``: what is here, the command for what is not, in the user's language."""

import io
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
import torch

from ms2torch import doctor

ROOT = Path(__file__).resolve().parents[1]


@pytest.fixture
def plain(monkeypatch, tmp_path):
    """No settings, no reference environment, English."""
    for name in [n for n in os.environ if n.startswith(("MS2TORCH_", "LC_"))]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("LANG", "C.UTF-8")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.chdir(tmp_path)


def found(name):
    return next(line for line in doctor.examine() if line.name == name)


def test_versions_are_those_that_are_installed(plain):
    assert torch.__version__.startswith(found("PyTorch").found.partition(",")[0])
    assert found("Python").found.startswith(".".join(map(str, sys.version_info[:3])))
    assert "Gloo" in found("several processes").found


def test_what_is_missing_comes_with_its_command(plain, monkeypatch):
    find_spec = doctor.importlib.util.find_spec
    monkeypatch.setattr(doctor.importlib.util, "find_spec", lambda name: name != "PIL" and find_spec(name))
    name = "image transforms of PIL"
    assert found(name) == ("--", name, "pillow not installed", "pip install pillow")
    assert found("real MindSpore").mend == "ms2torch reference install"


def test_an_old_torch_is_wrong(plain, monkeypatch, capsys):
    version = doctor._version
    monkeypatch.setattr(doctor, "_version", lambda name: "2.3.1+cpu" if name == "torch" else version(name))
    assert doctor.main([]) == 1
    out = capsys.readouterr().out
    assert "!!  PyTorch" in out and "2.3.1+cpu, needs 2.4 or newer   ->  pip install --upgrade torch" in out


@pytest.mark.parametrize(("package", "version", "told"), [
    ("torch", "2.4.1+cu121", "2.4.1+cu121, compiled steps want 2.5, exports 2.6, strategies, pipelines and "
     "`ms2torch plan` newer than 2.4 (tried: 2.13, 2.15)"),
    ("torch", "2.5.0", "2.5.0, exports want 2.6"), ("torch", "2.15.1", "2.15.1"),
    ("torch", "3.0.0", "3.0.0, newer than what was tried (2.15)"),
    ("numpy", "2.10.0", "2.10.0, newer than what was tried (2.5)")])
def test_versions_that_were_not_tried_or_lack_something_are_told(plain, monkeypatch, package, version, told):
    real = doctor._version
    monkeypatch.setattr(doctor, "_version", lambda name: version if name == package else real(name))
    assert found({"torch": "PyTorch"}.get(package, package)).found == told


def test_a_device_that_is_not_here_is_wrong(plain):
    # A process of its own: the device is chosen once.
    environment = {**os.environ, "MS2TORCH_DEVICE": "cuda:99", "PYTHONPATH": str(ROOT)}
    done = subprocess.run([sys.executable, "-m", "ms2torch", "doctor"], capture_output=True, text=True,
                          env=environment)
    assert done.returncode == 1, done.stdout + done.stderr
    assert "unset MS2TORCH_DEVICE" in done.stdout and "\x1b" not in done.stdout


def test_it_speaks_chinese_where_the_user_does(plain, monkeypatch, capsys):
    monkeypatch.setenv("LANG", "zh_CN.UTF-8")
    assert doctor.main([]) == 0
    out = capsys.readouterr().out
    assert "ms2torch 需要的都齐了" in out and "All that" not in out
    spoken = {line.name for line in doctor.examine()} - {"ms2torch", "PyTorch", "numpy", "rich"}
    assert spoken <= set(doctor.CHINESE)


def test_another_word_is_refused(plain, capsys):
    for words, code in ((["--help"], 0), (["now"], 2)):
        with pytest.raises(SystemExit) as end:
            doctor.main(words)
        assert end.value.code == code


def test_json_has_the_same_findings(plain, capsys):
    assert doctor.main(["--json"]) == 0
    assert json.loads(capsys.readouterr().out) == [line._asdict() for line in doctor.examine()]


@pytest.mark.parametrize("width", [40, 80])
def test_a_terminal_is_never_too_narrow(plain, width):
    from rich.console import Console

    console = Console(force_terminal=True, width=width, file=io.StringIO(), color_system=None)
    for shown in doctor._lines(console, doctor.examine()):
        console.print(shown)
    lines = console.file.getvalue().splitlines()
    assert max(map(len, lines)) <= width
    assert any(line.startswith("ok  PyTorch") for line in lines)
