"""``python -m ms2torch`` is plain python for everything but ``import mindspore``."""

import re

import pytest

from .run import launched, python

FACTS = """\
import sys
print(__name__, __file__, __spec__ and __spec__.name, __package__, sys.argv, sys.path[0], __builtins__)
print(sys.modules["__main__"].__dict__ is globals())
"""


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "facts.py").write_text(FACTS)
    (tmp_path / "pkg").mkdir()
    (tmp_path / "pkg" / "__init__.py").write_text("")
    (tmp_path / "pkg" / "other.py").write_text("name = __name__\n")
    (tmp_path / "pkg" / "mod.py").write_text("from . import other\nprint(other.name)\n" + FACTS)
    (tmp_path / "app").mkdir()
    (tmp_path / "app" / "__main__.py").write_text(FACTS)
    (tmp_path / "deep.py").write_text(
        "def fail(how):\n    import sys\n    if how == 'exit': sys.exit(7)\n"
        "    if how == 'words': sys.exit('bye')\n"
        "    if how == 'interrupt': raise KeyboardInterrupt\n    raise ValueError(how)\n"
    )
    (tmp_path / "fails.py").write_text("import deep, sys\ndeep.fail(sys.argv[1])\n")
    (tmp_path / "syntax.py").write_text("def f(:\n")
    return tmp_path


def same_but_for_the_program_name(ours, theirs):
    code, out, err = theirs
    return ours == (code, out, re.sub(r"^\S*python\S*: ", "ms2torch: ", err, flags=re.M))


@pytest.mark.parametrize(
    "args",
    [
        ("facts.py", "a", "--b", "-c"),
        ("-m", "pkg.mod", "x"),
        ("-c", FACTS, "x"),
        ("app",),
        ("-m", "nothing"),
        ("-m", "pkg"),
        ("-m", "nothing.x"),
        ("missing.py",),
        ("syntax.py",),
        ("-c", "1 +"),
        ("fails.py", "exit"),
        ("fails.py", "words"),
        ("fails.py", "trouble"),
        ("fails.py", "interrupt"),
        ("-c", "import deep; deep.fail(1)"),
    ],
    ids=lambda args: " ".join(args)[:24],
)
def test_output_errors_and_exit_code_are_those_of_python(folder, args):
    ours, theirs = launched(*args, cwd=folder), python(*args, cwd=folder)
    if "-c" in args[:1] and "__file__" in args[1]:  # plain Python has no __file__ in -c: both raise NameError
        assert "NameError" in theirs[2]
    assert same_but_for_the_program_name(ours, theirs), (ours, theirs)


def test_standard_input_is_the_program_where_nothing_is_named(folder):
    code, out, _ = launched(
        cwd=folder, stdin="import mindspore, sys; print(sys.argv, __name__, mindspore.__name__)"
    )
    assert (code, out) == (0, "[''] __main__ ms2torch\n")


def test_tracebacks_of_modules_start_in_the_program(folder):
    (folder / "pkg" / "bad.py").write_text("1 / 0\n")
    code, _, err = launched("-m", "pkg.bad", cwd=folder)
    frames = re.findall(r'File "(.*?)"', err)
    assert code == 1
    assert frames == [str(folder / "pkg" / "bad.py")]


def test_a_run_says_where_mindspores_graphs_would_keep_an_old_value(folder):
    (folder / "kept.py").write_text(
        "import mindspore as ms\nms.set_context(mode=ms.GRAPH_MODE)\n"
        "net = ms.nn.ReLU()\nnet(ms.ops.ones(2))\nnet.k = 2\nnet(ms.ops.ones(2))\n")
    code, _, err = launched("kept.py", cwd=folder)
    assert code == 0 and err.startswith("[ms2torch] kept.py:5: net.k: MindSpore's graphs keep")


def test_tracebacks_end_where_the_program_uses_a_missing_name(folder):
    (folder / "uses.py").write_text("from mindspore.nn.optim.thor import ThorAscend\nThorAscend()\n")
    code, _, err = launched("uses.py", cwd=folder)
    assert code == 1
    assert re.findall(r'File "(.*?)", line (\d+)', err) == [(str(folder / "uses.py"), "2")]
    told = "NotImplementedError: mindspore.nn.optim.thor.ThorAscend: not supported"
    assert err.splitlines()[-1].startswith(told)


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (("--api", "3.0", "facts.py"), "API generations run from 1.0 to 2.10, but got '3.0'"),
        (("--nonsense",), "unknown option --nonsense"),
        (("--map-path", "x", "facts.py"), "--map-path takes OLD=NEW, but got 'x'"),
        (("--device", "nowhere", "facts.py"), "nowhere"),
        (("-m",), "-m needs a value"),
    ],
)
def test_wrong_use_is_one_line_and_exit_code_2(folder, args, words):
    code, out, err = launched(*args, cwd=folder)
    assert code == 2
    assert out == ""
    assert err.startswith("ms2torch: ")
    assert words in err.splitlines()[0]


INHERITS = """\
import subprocess, sys, multiprocessing
def work(n):
    import mindspore
    return mindspore.__name__, mindspore.__version__, n
if __name__ == "__main__":
    import mindspore as ms
    print(ms.__version__, ms.get_context("mode"))
    print(ms)
    code = "import sys; early = 'torch' in sys.modules; import mindspore.nn as n; print(early, n.__name__)"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd="/")
    print(run.stdout, end="")
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        print(pool.map(work, [1]))
"""


def test_subprocesses_and_workers_inherit_alias_and_generation(folder):
    (folder / "inherits.py").write_text(INHERITS)
    code, out, err = launched("--api", "1.5", "inherits.py", cwd=folder)
    assert code == 0, err
    lines = out.splitlines()
    assert lines[0] == "1.5.0 0"  # graph mode is the default before 2.0
    assert re.match(
        r"<module 'mindspore' is ms2torch \S+: MindSpore API 1.5 on PyTorch \S+, device \S+", lines[1]
    )
    assert lines[2] == "False ms2torch.nn"
    assert lines[3] == "[('ms2torch', '1.5.0', 1)]"


def test_the_hidden_sitecustomize_runs_too(folder):
    from ms2torch.shim.alias import SITE

    (folder / "site").mkdir()
    (folder / "site" / "sitecustomize.py").write_text("import sys; sys.hidden_one_ran = True\n")
    paths = ":".join([str(SITE), str(folder / "site")])
    code, out, err = python(
        "-c",
        "import sys; print(sys.hidden_one_ran)",
        cwd=folder,
        env={"PYTHONPATH": paths, "MS2TORCH_INSTALL": "1"},
    )
    assert (code, out) == (0, "True\n"), err


def test_mapped_paths_reach_open_os_and_subprocesses(folder):
    (folder / "here").mkdir()
    (folder / "here" / "x.txt").write_text("found")
    (folder / "maps.py").write_text(
        "import os, pathlib, subprocess, sys\n"
        "print(open('/data/mnist/x.txt').read(), os.listdir('/data/mnist/'), os.path.isdir('/data/mnist'),\n"
        "      pathlib.Path('/data/mnist/x.txt').exists(), os.path.exists('/data/mnist2'))\n"
        "pathlib.Path('/data/mnist/y.txt').write_text('new')\n"
        "print(subprocess.run([sys.executable, '-c', \"print(open('/data/mnist/y.txt').read())\"],\n"
        "                     capture_output=True, text=True).stdout)\n"
    )
    code, out, err = launched("--map-path", "/data/mnist=here", "maps.py", cwd=folder)
    assert (code, out) == (0, "found ['x.txt'] True True False\nnew\n\n"), err
    assert (folder / "here" / "y.txt").read_text() == "new"


def test_a_member_of_an_earlier_release_has_a_way_out(folder):
    code, _, err = launched("-c", "import mindspore as ms; ms.Tensor([1.0]).backward()", cwd=folder)
    assert code == 1
    assert "no attribute 'backward'\n[ms2torch] backward: not supported" in err
    assert "Instead: mindspore.grad" in err
