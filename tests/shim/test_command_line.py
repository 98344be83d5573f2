"""One command line: a parser for each command, help, completion, one line for wrong use."""

import shutil
import subprocess

import pytest

from ms2torch import cli
from ms2torch._core import torch_private
from ms2torch.shim import completion

from .run import launched, python

SHELLS = [shell for shell in completion.SHELLS if shutil.which(shell)]


@pytest.mark.parametrize("name", cli.COMMANDS)
def test_every_command_has_its_help(name, capsys):
    parser = cli.find(cli.COMMANDS[name].parser)()
    with pytest.raises(SystemExit) as end:
        parser.parse_args(["--help"])
    assert end.value.code == 0
    assert "usage: ms2torch" in capsys.readouterr().out


def test_the_help_names_every_command(tmp_path):
    code, out, _ = launched("--help", cwd=tmp_path)
    assert code == 0
    assert all(f"  {name} " in out and command.help in out for name, command in cli.COMMANDS.items())


@pytest.mark.parametrize("shell", SHELLS)
def test_completion_is_a_script_of_its_shell(shell):
    text = {"bash": completion.bash, "zsh": completion.zsh, "fish": completion.fish}[shell]()
    subprocess.run([shell, "-n"], input=text, text=True, check=True)


@pytest.mark.parametrize(
    ("words", "wanted"),
    [
        ("ms2torch do", {"doctor"}),
        ("ms2torch diff --lev", {"--level"}),
        ("ms2torch diff --level ", {"step", "cell", "op"}),
        ("ms2torch run --np", {"--nproc", "--nproc-per-node", "--nproc_per_node"}),
        ("ms2torch --api 1.5 completion ", {"bash", "zsh", "fish"}),
        ("ms2torch reference ", {"where", "install", "run"}),
        ("ms2torch reference --in", {"--into"}),
    ],
)
def test_bash_completes(tmp_path, words, wanted):
    script = (
        f"{completion.bash()}\nCOMP_WORDS=({words[:-1] if words.endswith(' ') else words}"
        f"{' ' + chr(34) * 2 if words.endswith(' ') else ''})\n"
        'COMP_CWORD=$((${#COMP_WORDS[@]} - 1))\n_ms2torch\nprintf "%s\\n" "${COMPREPLY[@]}"\n'
    )
    done = subprocess.run(["bash"], input=script, capture_output=True, text=True, cwd=tmp_path, check=True)
    assert set(done.stdout.split()) == wanted


def test_what_belongs_to_the_program_stays_with_it():
    parser = cli.run_parser()
    ours, rest = cli.split(
        parser, ["--nproc", "4", "--api", "1.5", "--node-rank=0", "--report", "train.py", "--nproc", "9"]
    )
    asked = parser.parse_args(ours)
    assert (asked.nproc, asked.api, asked.node_rank, asked.report) == (4, "1.5", 0, "-")
    assert rest == ["train.py", "--nproc", "9"]
    assert cli.split(parser, ["-m", "pkg", "--nproc", "2"]) == ([], ["-m", "pkg", "--nproc", "2"])


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--nproc", "0", "t.py"], "ms2torch: --nproc: '0' is not a whole number from 1 on"),
        (["--nproc", "two", "t.py"], "ms2torch: --nproc: 'two' is not a whole number from 1 on"),
        (["--nproc", "2"], "--nproc needs a program"),
        (["--nproc", "2", "--nnodes", "2", "t.py"], "--nnodes 2 needs --master-addr"),
        (["--nnodes", "2", "--node-rank", "2", "t.py"], "--node-rank 2 is none of --nnodes 2"),
        (["--api", "9.9", "t.py"], "API generations run from 1.0 to 2.10"),
        (["--nonsense"], "unknown option --nonsense"),
        (["--apii", "2.6"], "unknown option --apii; --api?"),
        (["-m"], "-m needs a value"),
    ],
)
def test_wrong_use_is_a_line_and_the_usage(words, said, capsys):
    with pytest.raises(SystemExit) as end:
        cli.run(words)
    first, second = capsys.readouterr().err.splitlines()
    assert end.value.code == 2
    assert first.startswith("ms2torch: ") and said in first and second.startswith("usage: ms2torch [run]")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["check", "--apii=2.6", "t.py"], "unrecognized arguments: --apii=2.6; --api?"),
        (["check", "--api", "9.9", "t.py"], "--api: API generations run from 1.0 to 2.10"),
        (["check", "--json", "nowhere/found.json", "t.py"], "can't write 'nowhere/found.json': "),
        (["scan", "--jobs", "0", "."], "--jobs: '0' is not a whole number from 1 on"),
        (["plan"], "arguments are required: --ranks, train.py"),
        (["plan", "--ranks", "0", "t.py"], "--ranks: '0' is not a whole number from 1 on"),
        (["plan", "--ranks", "2", "--memory", "-1", "t.py"], "--memory: '-1' is no number of GiB"),
        (["plan", "--ranks", "2", "nowhere.py"], "can't open file"),
        (["plan", "--ranks", "2", "wrong.py"], "wrong.py:1: SyntaxError"),
        (["msrun", "--worker_num", "0", "t.py"], "worker_num must be greater than 0, but got 0."),
        (["reference", "run", "nowhere.py"], "can't open file"),
        (["kernel", "--api", "9.9"], "--api: API generations run from 1.0 to 2.10"),
        (["doctor", "--nosuch"], "unrecognized arguments: --nosuch"),
        (["diff", "--steps", "0", "t.py"], "--steps"),
        (["translate", "t.py"], "required: -o/--out"),
        (["explain"], "required: NAME"),
        (["completion", "tcsh"], "shell: invalid choice: 'tcsh'"),
    ],
)
def test_every_command_says_what_is_wrong_in_one_line(words, said, tmp_path, monkeypatch, capsys):
    if words[0] == "plan" and words[-1] != "t.py" and torch_private.RELEASE < (2, 5):
        pytest.skip("torch 2.4 splits no network, which is said first")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "t.py").write_text("import mindspore\n")
    (tmp_path / "wrong.py").write_text("def f(:\n")
    with pytest.raises(SystemExit) as end:
        cli.main(words)
    first, *more = capsys.readouterr().err.splitlines()
    assert end.value.code == 2
    assert first.startswith("ms2torch: ") and said in first and len(more) <= 1
    assert "arguments are required" not in first or first.endswith(said)


PROGRAM = """\
import mindspore as ms
from mindspore import nn, ops
class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.dense, self.relu = nn.Dense(4, 4), ops.ReLU()
    def construct(self, x):
        return ops.tanh(self.relu(self.dense(x))).sum() + 1
net = Net()
for _ in range(10):
    ms.value_and_grad(net, None, net.trainable_params())(ops.ones((2, 4)))
"""


def test_the_report_counts_what_the_program_calls(tmp_path):
    import json

    (tmp_path / "train.py").write_text(PROGRAM)
    code, out, err = launched("--report=out.json", "train.py", cwd=tmp_path)
    assert (code, out) == (0, ""), err
    rows = json.loads((tmp_path / "out.json").read_text())["apis"]
    made = {row["name"]: row["calls"] for row in rows if row["form"] == "made"}
    assert made == {"mindspore.nn.Dense": 1, "mindspore.ops.ReLU": 1}
    found = {row["name"]: row["calls"] for row in rows if row["form"] != "made"}
    wanted = (
        "nn.Dense",
        "ops.ReLU",
        "ops.tanh",
        "Tensor.sum",
        "Tensor.__add__",
        "value_and_grad",
        "ops.ones",
    )
    assert {name: found.get(f"mindspore.{name}") for name in wanted} == dict.fromkeys(wanted, 10)
    assert "mindspore.nn.Cell" not in found


def test_the_report_names_a_layer_by_its_class(tmp_path):
    import json

    (tmp_path / "train.py").write_text("""
import mindspore as ms
from mindspore import nn

class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.relu, self.pool, self.soft = nn.ReLU(), nn.MaxPool2d(2), nn.HSigmoid()

    def construct(self, x):
        return self.soft(self.pool(self.relu(self.relu(x))))

Net()(ms.ops.ones((1, 1, 4, 4), ms.float32))
""")
    code, _, err = launched("--report=out.json", "train.py", cwd=tmp_path)
    assert code == 0, err
    rows = json.loads((tmp_path / "out.json").read_text())["apis"]
    found = {row["name"]: row["calls"] for row in rows if row["form"] == "layer"}
    assert found == {"mindspore.nn.ReLU": 2, "mindspore.nn.MaxPool2d": 1, "mindspore.nn.HSigmoid": 1}


@pytest.mark.parametrize("command", [["translate", "train.py", "-o", "out"], ["explain", "nn.Dense"]])
def test_a_package_that_is_not_installed_is_named(tmp_path, command):
    (tmp_path / "train.py").write_text(PROGRAM)
    without = "import sys; sys.modules['libcst'] = None; from ms2torch.cli import main; main(sys.argv[1:])"
    code, out, err = python("-c", without, *command, cwd=tmp_path)
    assert (code, out) == (2, "")
    assert err.endswith("need libcst: pip install 'ms2torch[translate]'\n") and "Traceback" not in err


@pytest.mark.parametrize("word, meant", [
    ("chekc", "check"), ("transalte", "translate"), ("dif", "diff"), ("train", None), ("check", None),
    ("chekc.py", None), ("--chekc", None),
])
def test_a_mistyped_command_is_no_missing_file(word, meant, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert cli._mistyped(word) == meant
    (tmp_path / word).touch()
    assert cli._mistyped(word) is None
    if meant:
        (tmp_path / word).unlink()
        with pytest.raises(SystemExit) as end:
            cli.main([word, "train.py"])
        assert end.value.code == 2 and f"ms2torch {meant}?" in capsys.readouterr().err


def test_control_c_ends_a_command_in_one_line(tmp_path, monkeypatch, capsys):
    def interrupted(words):
        raise KeyboardInterrupt

    monkeypatch.setattr(cli, "find", lambda path: interrupted)
    with pytest.raises(SystemExit) as end:
        cli.main(["translate", "a.py"])
    assert end.value.code == 130 and capsys.readouterr().err == "ms2torch translate: interrupted\n"


@pytest.mark.parametrize("name, code, said", [
    ("/usr/bin/ms2torch", 130, "ms2torch: interrupted\n"), ("train.py", -2, "KeyboardInterrupt\n"),
])
def test_control_c_while_the_command_is_imported(name, code, said, tmp_path):
    program = (f"import os, signal, sys; sys.argv = [{name!r}]; import ms2torch; "
               "os.kill(os.getpid(), signal.SIGINT)")
    got, out, err = python("-c", program, cwd=tmp_path)
    assert (got, out) == (code, "") and err.endswith(said)
    assert ("Traceback" in err) == (code != 130)


def test_a_program_gets_its_own_control_c(tmp_path):
    program = ("import os, signal\ntry:\n    os.kill(os.getpid(), signal.SIGINT)\n"
               "except KeyboardInterrupt:\n    print('mine')")
    assert launched("-c", program, cwd=tmp_path)[:2] == (0, "mine\n")
