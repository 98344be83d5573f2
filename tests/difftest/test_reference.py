"""The reference's interpreter: where it is looked for, what is said when it is not there."""
import json
import os
import sys
from pathlib import Path

import pytest

from ms2torch.difftest import reference


@pytest.fixture(autouse=True)
def nowhere(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.delenv("MS2TORCH_REFERENCE_PYTHON", raising=False)


def interpreter(path: Path, mindspore: str | None) -> Path:
    """A stand-in that answers the question after versions as an interpreter would."""
    path.parent.mkdir(parents=True, exist_ok=True)
    answer = json.dumps({"mindspore": mindspore, "numpy": "1.26.4", "python": "3.11.7"})
    path.write_text(f"#!/bin/sh\necho '{answer}'\n")
    path.chmod(0o755)
    return path


def test_without_one_it_says_how_to_get_one(capsys):
    assert reference.main(["where"]) == 2
    said = capsys.readouterr().err
    assert "ms2torch reference install" in said and "MS2TORCH_REFERENCE_PYTHON" in said


def test_given_comes_before_environment_before_installed(tmp_path, monkeypatch):
    here = interpreter(tmp_path / ".reference" / "bin" / "python", "2.10.0")
    assert reference.find() == str(here)
    named = interpreter(tmp_path / "named", "2.7.0")
    monkeypatch.setenv("MS2TORCH_REFERENCE_PYTHON", str(named))
    assert reference.find() == str(named)
    given = interpreter(tmp_path / "given", "2.10.0")
    assert reference.find(given) == str(given)


def test_the_cache_folder_is_found(tmp_path):
    made = interpreter(tmp_path / "cache" / "ms2torch" / "reference" / "bin" / "python", "2.10.0")
    assert reference.find() == str(made)


def test_a_wrong_interpreter_is_named_with_its_source(tmp_path, monkeypatch):
    with pytest.raises(reference.NoReference, match="--reference-python is /no/python, which is no"):
        reference.find("/no/python")
    without = interpreter(tmp_path / "without", None)
    monkeypatch.setenv("MS2TORCH_REFERENCE_PYTHON", str(without))
    with pytest.raises(reference.NoReference, match=r"MS2TORCH_REFERENCE_PYTHON is .* has no Mind"):
        reference.find()


def test_versions_of_this_python_are_true():
    found = reference.versions(sys.executable)
    assert found["python"] == sys.version.split()[0]
    assert found["numpy"] == __import__("numpy").__version__


def test_its_environment_does_not_inherit_the_alias(monkeypatch):
    site = str(reference.HERE.parent / "shim" / "site")
    monkeypatch.setenv("MS2TORCH_INSTALL", "1")
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([site, "/data"]))
    made = reference.environment()
    assert "MS2TORCH_INSTALL" not in made and made["PYTHONPATH"] == "/data"


def test_a_failed_installation_leaves_nothing_and_says_why(tmp_path, capsys):
    broken = tmp_path / "broken"
    broken.write_text("#!/bin/sh\necho no module named venv >&2\nexit 1\n")
    broken.chmod(0o755)
    assert reference.main(["install", "--into", str(tmp_path / "env"), "--python", str(broken)]) == 2
    said = capsys.readouterr().err
    assert "failed" in said and "no module named venv" in said
    assert not (tmp_path / "env").exists()


def test_a_folder_with_something_else_in_it_is_left_alone(tmp_path, capsys):
    folder = tmp_path / "mine"
    folder.mkdir()
    (folder / "thesis.txt").write_text("all my work")
    assert reference.main(["install", "--into", str(folder)]) == 2
    assert "something else" in capsys.readouterr().err
    assert (folder / "thesis.txt").read_text() == "all my work"
