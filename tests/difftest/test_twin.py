"""The twin run against traces of MindSpore 2.10.0: equal, different and where, exit codes, bad input.

``records/mse_refed.trace`` is the real one's run of ``one_loss.py "nn.MSELoss()" real`` from scripts/mutants,
recorded with --refeed; the defects are those of scripts/mutants/table.py.
"""

import hashlib
import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from ms2torch.difftest import plugin, recorder, trace, twin, workplace
from ms2torch.difftest.finding import CannotCompare, Finding, Verdict

ROOT = Path(__file__).resolve().parents[2]
RECORDS = Path(__file__).parent / "records"
REFED, OPERATORS = RECORDS / "mse_refed.trace", RECORDS / "std_operators.trace"
DRIVER = """
import json, shutil, sys
from pathlib import Path
from scripts.mutate_shim import located, mutants, run, trace_of
folder, jobs = Path(sys.argv[1]), []
for trace, *program in json.loads(sys.argv[2]):
    program = tuple(program)
    shutil.copy(trace, trace_of(program, folder))
    jobs += [(program, None)] + [(program, m) for m in mutants() if m.program == program]
found = {m.name if m else program[0]: {**r, "located": m is not None and located(m, r["first"])}
         for (program, m), r in run(jobs, folder, 2)}
print(json.dumps(found))
"""


twin_run = pytest.fixture(name="twin_run")(plugin.twin.__wrapped__)


@pytest.fixture(scope="module")
def judged(tmp_path_factory):
    """What the tool says of the program as it is and with each planted defect."""
    if not hasattr(os, "fork"):
        pytest.skip("the runner forks")
    programs = [(str(REFED), "one_loss.py", "nn.MSELoss()", "real"),
                (str(OPERATORS), "one_operator.py", "ops.std(x, 1)", "4,6")]
    folder = str(tmp_path_factory.mktemp("traces"))
    done = subprocess.run([sys.executable, "-c", DRIVER, folder, json.dumps(programs)],
                          capture_output=True, text=True, cwd=ROOT,
                          env={**os.environ, "PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1"})
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


def test_the_program_as_it_is_agrees_with_mindspore(judged):
    found = judged["one_loss.py"]
    assert (found["code"], found["equal"], found["first"], found["refed"]) == (0, True, None, [1, 2, 3])
    assert found["compared"] > 100


def test_a_wrong_loss_is_found_at_the_loss(judged):
    found = judged["MSE halves"]
    first = found["first"]
    assert (found["code"], first["step"], first["stage"], first["where"]) == (1, 1, "forward", "loss")
    assert first["error"] == pytest.approx(0.5, rel=1e-4)
    assert found["located"]


def test_a_wrong_gradient_is_found_by_the_backward_pass(judged):
    found = judged["the gradient of MSE reaches half"]
    first = found["first"]
    assert (found["code"], first["step"], first["stage"], first["where"]) == (1, 1, "backward", "loss")
    assert first["error"] == pytest.approx(0.5, rel=1e-4)


def test_a_wrong_operator_is_named_with_the_line_that_calls_it(judged):
    """The reference's trace was recorded with --level op --refeed 1 --steps 1."""
    assert (judged["one_operator.py"]["code"], judged["one_operator.py"]["first"]) == (0, None)
    found = judged["std and var divide by N - 1"]
    first = found["first"]
    assert (found["code"], first["step"], first["stage"]) == (1, 1, "forward")
    assert (first["where"], first["cell"]) == ("operator/std", "operator")
    assert (first["op"], first["line"]) == ("ops.std", "<string>:1")
    assert first["error"] == pytest.approx((6 / 5) ** 0.5 - 1, rel=1e-4)  # six numbers each, divided by five
    assert found["located"]


def test_draws_and_masks_of_the_reference_are_taken_over(tmp_path, monkeypatch):
    """drawing.py has another seed here, so its numbers are MindSpore's only if they were taken over."""
    monkeypatch.setenv("OMP_NUM_THREADS", "1")
    report, script = tmp_path / "report.json", Path(__file__).with_name("drawing.py")
    arguments = ["--trace", str(RECORDS / "drawing.trace"), "--json", str(report), "--quiet"]
    assert twin.main([*arguments, "--align", "random", str(script)]) == 0
    assert json.loads(report.read_text())["compared"] > 50
    assert twin.main([*arguments, str(script)]) == 1
    first = json.loads(report.read_text())["first"]
    assert (first["step"], first["stage"]) == (1, "random")


@pytest.mark.parametrize("name", ["slopes", "stepping"])
def test_programs_that_are_equal(name, tmp_path, monkeypatch):
    """A Cell whose slope stands in the loss is gone through twice, backward; what the slope is taken by stays
    the program's own Tensor. MindSpore's own optimizers step in graphs also in a step that is looked into."""
    monkeypatch.setenv("OMP_NUM_THREADS", "1")
    report, script = tmp_path / "report.json", Path(__file__).with_name(f"{name}.py")
    trace = str(RECORDS / f"{name}.trace")
    assert twin.main(["--trace", trace, "--json", str(report), "--quiet", str(script)]) == 0
    assert json.loads(report.read_text())["compared"] > 50


def trace_file(path, losses, sha="a", status="ok", parameters=("w",)):
    """A trace of steps with one loss each."""
    writer = recorder.Writer(str(path))
    writer.add({"kind": "header", "format": 1, "side": "mindspore", "version": "2.10.0", "script": "train.py",
                "sha256": sha, "argv": [], "mode": "pynative", "options": {}, "adaptations": []})
    for step, value in enumerate(losses, 1):
        array = np.asarray(value, np.float32)
        writer.add({"kind": "step", "number": step, "event": "begin"})
        initial = [("initial", name) for name in parameters if step == 1]
        for stage, where in (*initial, ("loss", "net"), ("parameter", "net")):
            writer.add({"kind": "tensor", "step": step, "stage": stage, "where": where, "role": "output",
                        "index": 0, "call": 0, "order": 1, "dtype": "float32", "shape": [],
                        "stats": recorder.statistics(array)})
        writer.add({"kind": "step", "number": step, "event": "end"})
        writer.flush()
    if status:
        writer.add({"kind": "end", "status": status, "steps": len(losses), "adaptations": [],
                    "traceback": "ZeroDivisionError: division by zero"})
    writer.close()
    return str(path)


def test_two_equal_traces(tmp_path, capsys):
    a, b = (trace_file(tmp_path / f"{n}.trace", [3.0, 2.0]) for n in "ab")
    assert twin.main([a, b]) == 0
    assert "equal" in capsys.readouterr().out


def test_two_traces_that_differ(tmp_path):
    a, b = trace_file(tmp_path / "a.trace", [3.0, 2.0]), trace_file(tmp_path / "b.trace", [3.0, 2.5])
    report = tmp_path / "report.json"
    assert twin.main(["--json", str(report), a, b]) == 1
    first = json.loads(report.read_text())["first"]
    assert (first["step"], first["stage"], first["where"], first["error"]) == (2, "forward", "net", 0.25)


ONE, TWO, OURS = {"losses": [1.0]}, {"losses": [1.0, 2.0]}, "ms2torch"


@pytest.mark.parametrize("left, right, kind, side, said", [
    (ONE, {**ONE, "sha": "b"}, "comparison", None, "different scripts"),
    (TWO, ONE, "steps", None, "the reference made 2 training steps, ms2torch 1"),
    (ONE, {**ONE, "status": ""}, "trace", OURS, "ms2torch's trace is cut off"),
    ({**ONE, "status": "interrupted"}, ONE, "trace", "the reference", "was interrupted; --steps 1 compares"),
    (ONE, {**ONE, "status": "error"}, "script", OURS, "ZeroDivisionError: division by zero"),
    (ONE, {**ONE, "parameters": ("w", "b")}, "parameters", None, "has these that the reference has not: b"),
    ({**ONE, "parameters": ("w", "b")}, ONE, "parameters", None, "lacks these of the reference: b"),
    ({"losses": []}, {"losses": []}, "steps", None, "no training step was seen"),
])
def test_what_cannot_be_compared_is_named(tmp_path, capsys, left, right, kind, side, said):
    a, b = trace_file(tmp_path / "a.trace", **left), trace_file(tmp_path / "b.trace", **right)
    report = tmp_path / "report.json"
    assert twin.main(["--json", str(report), a, b]) == 2
    shown = capsys.readouterr().err
    assert said in shown and ("until then" in shown) == (bool(left["losses"]) and kind != "comparison")
    found = json.loads(report.read_text())
    assert (found["equal"], found["error"]["type"], found["error"]["side"]) == (None, kind, side)


@pytest.mark.parametrize("left, right", [
    (TWO, ONE), (ONE, {**TWO, "status": ""}), ({**TWO, "status": "interrupted"}, {**TWO, "status": "error"})])
def test_the_first_steps_can_be_compared_however_the_runs_ended(tmp_path, left, right):
    a, b = trace_file(tmp_path / "a.trace", **left), trace_file(tmp_path / "b.trace", **right)
    assert twin.main(["--steps", "1", a, b]) == 0
    assert twin.main([a, b]) == 2


def test_a_step_that_a_side_did_not_finish_lacks_nothing(tmp_path, capsys):
    a = trace_file(tmp_path / "a.trace", [1.0, 2.0])
    b = Path(trace_file(tmp_path / "b.trace", [1.0, 2.0], status=""))
    opened = trace.open(b)
    b.write_bytes(b.read_bytes()[: opened._index[-1][0]])  # step 2 is gone, as by a kill
    with open(b, "ab") as file:  # but for the frame that holds its beginning
        writer = recorder.Writer(str(tmp_path / "c.trace"))
        writer.add({"kind": "step", "number": 2, "event": "begin"})
        writer.add({"kind": "tensor", "step": 2, "stage": "loss", "where": "net", "role": "output",
                    "index": 0, "call": 0, "order": 1, "dtype": "float32", "shape": [],
                    "stats": recorder.statistics(np.float32(2.0))})
        writer.close()
        file.write((tmp_path / "c.trace").read_bytes()[len(recorder.MAGIC):])
    assert twin.main([a, str(b)]) == 2
    assert "no difference" in capsys.readouterr().err


ENDING = """
import os, signal, sys
import mindspore as ms
from mindspore import nn
net = nn.Dense(2, 1)
optimizer = nn.SGD(net.trainable_params(), 0.1)
step = nn.TrainOneStepCell(nn.WithLossCell(net, nn.MSELoss()), optimizer).set_train()
for i in range(3):
    step(ms.Tensor([[1.0, 2.0]], ms.float32), ms.Tensor([[1.0]], ms.float32))
# Whose run it is stands in the command line of its process.
if "reference.json" in open("/proc/self/cmdline").read():
    os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="asks /proc who it is")
def test_a_killed_side_is_named_and_nothing_is_left(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("OMP_NUM_THREADS", "1")
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "temporary"))
    (tmp_path / "temporary").mkdir()
    (tmp_path / "work").mkdir()
    monkeypatch.chdir(tmp_path / "work")
    (tmp_path / "train.py").write_text(ENDING)
    assert twin.main(["--reference", "ms2torch", "--json", "r.json", str(tmp_path / "train.py")]) == 2
    found = json.loads(Path("r.json").read_text())
    assert (found["error"]["type"], found["error"]["side"]) == ("killed", "the reference")
    assert "SIGKILL" in found["error"]["text"] and found["steps"] == 3
    assert "of 3 steps compared; no difference" in capsys.readouterr().err
    assert not list((tmp_path / "temporary").iterdir())


WRITING = """
import os, signal, time
import mindspore as ms
from mindspore import nn
ms.set_seed(1)
net = nn.Dense(2, 1)
optimizer = nn.SGD(net.trainable_params(), 0.1)
step = nn.TrainOneStepCell(nn.WithLossCell(net, nn.MSELoss()), optimizer).set_train()
side = os.getcwd().split("/places/")[1].split("-")[0]
for i in range(3):
    if i == 1:  # the program's own write, which one side gets wrong by a part in 10,000
        net.weight.set_data(net.weight * (0.5 if side in ("reference", "refed") else 0.50005))
    if i == 2 and side == os.environ["INTERRUPTED"]:
        os.kill(os.getppid(), signal.SIGTERM)
        time.sleep(60)
    step(ms.Tensor([[1.0, 2.0]], ms.float32), ms.Tensor([[1.0]], ms.float32))
"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="the runs are forks")
@pytest.mark.parametrize(("interrupted", "code", "first", "compared"), [
    ("", 1, (2, "program", "weight", "between"), 3), ("ours", 2, None, 2), ("replay", 2, None, 3)])
def test_what_a_program_writes_between_steps_and_what_was_not_judged_yet(
        tmp_path, interrupted, code, first, compared):
    (tmp_path / "train.py").write_text(WRITING)
    done = subprocess.run(
        [sys.executable, "-m", "ms2torch", "diff", "--reference", "ms2torch", "--json", "r.json",
         "--refeed", "1,2,3", "train.py"], cwd=tmp_path, capture_output=True, text=True,
        env={**os.environ, "PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1", "INTERRUPTED": interrupted})
    assert done.returncode == code, done.stderr
    found = json.loads((tmp_path / "r.json").read_text())
    named = found["first"] and tuple(found["first"][name] for name in ("step", "stage", "where", "detail"))
    assert (named, found["steps"]) == (first, compared)
    assert bool(found["error"]) is bool(interrupted)
    if interrupted:
        assert f"of {compared} steps compared; no difference" in done.stderr


def test_a_file_that_is_no_trace(tmp_path, capsys):
    wrong = tmp_path / "a.trace"
    wrong.write_text("hello")
    assert twin.main([str(wrong), str(wrong)]) == 2
    assert "is not a trace" in capsys.readouterr().err


def test_a_trace_of_another_script(tmp_path, capsys):
    script = tmp_path / "train.py"
    script.write_text("import mindspore\n")
    assert twin.main(["--trace", str(REFED), str(script)]) == 2
    assert "the trace is of another script" in capsys.readouterr().err


def test_the_fixture_runs_a_twin(twin_run, tmp_path):
    script = tmp_path / "train.py"
    script.write_text("import mindspore\n")
    with pytest.raises(CannotCompare, match="another script"):
        twin_run(script, trace=str(REFED))


@pytest.mark.parametrize("arguments", [
    [], ["nowhere.py"], ["--level", "deep", "{}"], ["--align", "luck", "{}"], ["--steps", "0", "{}"],
    ["--steps", "x", "{}"], ["--refeed", "1,b", "{}"], ["--timeout", "-3", "{}"], ["--api", "9.9", "{}"],
    ["--json", "/nowhere/r.json", "{}"], ["--reference-device", "cpu", "{}"], ["--cells", "a", "{}"],
    ["--align", "data", "a.trace", "b.trace"], ["a.trace"]])
def test_wrong_command_lines_end_with_2_and_name_the_option(arguments, capsys):
    with pytest.raises(SystemExit) as end:
        twin.main([argument.format(__file__) for argument in arguments])
    said = capsys.readouterr().err
    assert end.value.code == 2 and said.startswith("ms2torch: ")
    assert all(option in said for option in arguments[:1] if option.startswith("--"))


@pytest.mark.parametrize("arguments", [["syn.py"], ["--torch", "syn.py", "fine.py"]])
def test_a_script_that_is_no_python_is_one_line(tmp_path, monkeypatch, capsys, arguments):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "syn.py").write_text("x = 1\nx = (\n")
    (tmp_path / "fine.py").write_text("import mindspore\n")
    with pytest.raises(SystemExit) as end:
        twin.main(arguments)
    said = capsys.readouterr().err
    assert end.value.code == 2 and said == "ms2torch diff: syn.py:2: SyntaxError: '(' was never closed\n"


@pytest.mark.parametrize("options, said", [
    (["--level", "cell"], "the trace is of level step"),
    (["--align", "weights"], "does not hold weights whole; record it with --full 'initial/*'"),
])
def test_a_given_trace_has_to_serve(tmp_path, capsys, options, said):
    script = tmp_path / "train.py"
    script.write_text("")
    sha = hashlib.sha256(b"").hexdigest()
    made = trace_file(tmp_path / "a.trace", [1.0], sha=sha)
    assert twin.main([*options, "--trace", made, str(script)]) == 2
    assert said in capsys.readouterr().err


def verdict():
    tree = (("Net", "Net", None), ("block", "Block", "Net"), ("block.bn", "BatchNorm2d", "block"),
            ("other", "Other", "Net"), ("other.x", "X", "other"))
    cells = [{"name": name, "class": kind, "parent": parent} for name, kind, parent in tree]
    first = Finding(3, "forward", "block.bn", "value", 0.25, 1e-6, cell="block.bn", role="output")
    return Verdict([first], 3, 10, cells=cells, losses=([3.0, 2.0, 1.0], [3.0, 2.0, 1.5]),
                   drift=[0.0, 1e-7, 1e-3])


def test_the_report_points_at_the_cell(capsys):
    from ms2torch.difftest import report

    report.show(verdict())
    shown = capsys.readouterr().out
    assert "step 3, forward: block.bn" in shown and "bn BatchNorm2d  <-- forward, step 3" in shown
    assert "other Other" in shown and "x X" not in shown.replace("bn", "")


def test_the_page_needs_nothing_from_elsewhere(tmp_path):
    from ms2torch.difftest import html

    html.write(verdict(), tmp_path / "report.html")
    text = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert text.count("<svg") == 2 and "block.bn" in text
    assert not any(mark in text for mark in ("http", "src=", "<script", "@import"))


def test_each_side_has_a_folder_of_its_own(tmp_path, monkeypatch):
    project = tmp_path / "data" / "project"
    project.mkdir(parents=True)
    (tmp_path / "data" / "rows.txt").write_text("rows")
    (project / "log.txt").write_text("old")
    monkeypatch.chdir(project)
    here = workplace.mirror(tmp_path / "mirror", project)
    assert (here / ".." / "rows.txt").read_text() == "rows"
    (here / "log.txt").write_text("new")
    assert (project / "log.txt").read_text() == "old"


def test_nothing_is_left_running(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    child = "import time; time.sleep(60)"
    code = f"import subprocess, sys; subprocess.Popen([sys.executable, '-c', {child!r}]); {child}"
    with workplace.Workplace() as place:
        run = place.start("side", "name", [sys.executable, "-c", code], dict(os.environ))
        folder = place.folder
    assert run.process.poll() is not None and not folder.exists()
    with pytest.raises(ProcessLookupError):
        os.killpg(run.process.pid, 0)


def test_the_repro_shows_both_outputs(tmp_path):
    from ms2torch.difftest import repro

    class Events:
        made = {"act": {"code": "nn.LeakyReLU(0.5)", "training": True, "parameters": []}}

    x = np.array([-2.0, 4.0], np.float32)
    base = {"kind": "tensor", "stage": "forward", "where": "act", "index": 0, "call": 0}
    records = [{**base, "role": "input", "array": x}, {**base, "role": "output", "array": x * 2}]
    found = Finding(1, "forward", "act", "value", 1.0, 0.0, role="output", cell="act")
    script = repro.write(str(tmp_path), found, records, Events())
    done = subprocess.run([sys.executable, script], capture_output=True, text=True, check=True,
                          env={**os.environ, "PYTHONPATH": str(ROOT)})
    assert done.stdout.splitlines() == ["reference:", "[-4.  8.]", "here:", "[-1.  4.]",
                                        "greatest difference: 4.0"]


def test_the_reference_trace_is_real():
    header = trace.open(REFED).header
    assert (header["side"], header["version"]) == ("mindspore", "2.10.0")

