"""Imports that expect to fail do fail for what ms2torch lacks, as they do on a MindSpore without the name."""

import pytest

import ms2torch
from ms2torch._core import errors
from ms2torch._naming.surface import Missing


def run(tmp_path, text):
    """The names of a module made of ``text``; a file, because probes are told by their source."""
    path = tmp_path / "program.py"
    path.write_text(text)
    space = {}
    exec(compile(text, str(path), "exec"), space)
    return space


# MindSpore 2.10: ModuleNotFoundError: No module named 'mindspore.nn.transformer'.
@pytest.mark.parametrize("kind", ["ImportError", "ModuleNotFoundError", "(OSError, ImportError)"])
def test_a_module_that_newer_releases_lack_is_not_found_by_a_program_that_has_another_way(kind, tmp_path):
    text = "try:\n    from ms2torch.explainer.benchmark import Faithfulness as it\n"
    found = run(tmp_path, f"{text}except {kind} as err:\n    it = err")["it"]
    assert isinstance(found, ModuleNotFoundError)
    assert str(found) == "No module named 'mindspore.explainer.benchmark'"


def test_a_name_that_is_missing_fails_a_probe_and_says_so(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(errors, "_given", set())
    space = run(tmp_path, """
try:
    from ms2torch.nn.optim.thor import ThorAscend
    way = 1
except ImportError as err:
    way, words = 2, str(err)
""")
    assert (space["way"], "cannot import name 'ThorAscend'" in space["words"]) == (2, True)
    assert "mindspore.nn.optim.thor.ThorAscend" in capsys.readouterr().err


def test_an_import_without_another_way_gives_the_stand_in(tmp_path):
    space = run(tmp_path, """
try:
    from ms2torch.nn.optim.thor import ThorAscend
except (KeyError, ValueError):
    pass
try:
    pass
except ImportError:
    pass
else:
    from ms2torch.nn.optim.thor import ThorAscend as other
""")
    assert isinstance(space["ThorAscend"], Missing) and isinstance(space["other"], Missing)


def test_what_exists_is_imported_in_a_try_too(tmp_path):
    space = run(tmp_path, "try:\n    from ms2torch.nn import Dense\nexcept ImportError:\n    Dense = None\n")
    assert space["Dense"] is ms2torch.nn.Dense
