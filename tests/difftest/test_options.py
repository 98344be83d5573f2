"""Options of diff that stand behind the script."""

import pytest

from ms2torch.difftest import options


@pytest.fixture
def script(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "port.py").write_text("import torch\n")
    (tmp_path / "train.py").write_text("import mindspore\n")
    (tmp_path / "own.py").write_text(
        "import argparse\np = argparse.ArgumentParser()\n"
        "p.add_argument('--torch')\np.add_argument('--steps')\n")


def test_a_port_behind_the_script_is_no_equal_run_without_it(script, capsys):
    with pytest.raises(SystemExit) as ended:
        options.parse(["train.py", "--torch", "port.py"])
    assert ended.value.code == 2
    assert "ms2torch diff --torch port.py train.py" in capsys.readouterr().err


def test_another_option_there_is_told_once(script, capsys):
    assert options.parse(["train.py", "--steps=3", "--epochs", "2", "--steps", "4"]).steps is None
    err = capsys.readouterr().err
    assert err.count("--steps stands behind train.py") == 1 and "--epochs" not in err


def test_a_script_may_have_such_options_itself(script, capsys):
    found = options.parse(["--steps", "2", "own.py", "--torch", "x", "--steps", "7"])
    assert found.steps == 2 and found.script == ["own.py", "--torch", "x", "--steps", "7"]
    assert not capsys.readouterr().err
