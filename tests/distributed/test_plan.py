"""What ``ms2torch plan`` tells is what processes hold and send."""

from pathlib import Path

import pytest

from ms2torch._core.torch_private import SPREADS
from ms2torch.shim import plan
from tests.distributed import planned_llama as llama
from tests.distributed import training_cases as cases

pytestmark = pytest.mark.skipif(not SPREADS, reason="wants a torch newer than 2.4")

PROGRAM = str(Path(__file__).with_name("planned_program.py"))
LLAMA = str(Path(__file__).parents[2] / "scripts" / "benchmarks" / "llama_7b.py")


@pytest.mark.parametrize(("level", "size", "kind"), [(2, 2, "functional"), (3, 4, "cell")])
def test_a_plan_is_what_processes_measure(together, level, size, kind):
    rest, more, sent = together(cases.memory, size, level, kind, 256)[0]
    found = plan.plan_layout(PROGRAM, [str(level), kind], size, "program")
    assert "error" not in found, found
    assert found["weights"] + found["state"] == pytest.approx(rest, rel=0.01)
    assert found["peak"] == pytest.approx(rest + more, rel=0.1)
    assert found["sent"] == pytest.approx(sent, rel=0.01)


@pytest.mark.parametrize("arguments", [
    ["--tensor=2", "--stages=2", "--micro=4"], ["--zero=2", "--stages=2", "--micro=4"],
    # Of up to four micro-batches under way two are run, and of the two stages in the middle one.
    ["--stages=4", "--micro=6"]])
def test_a_plan_with_stages(together, arguments):
    real = together(llama.measured, 4, arguments, timeout=120)
    found = plan.plan_layout(LLAMA, [*llama.SMALL, *arguments], 4, "program")
    assert "error" not in found, found
    for one, (rest, peak, sent) in zip(found["by_stage"], real[::4 // found["stages"]], strict=True):
        assert one["weights"] + one["state"] == pytest.approx(rest, rel=0.01)
        assert one["peak"] == pytest.approx(peak, rel=0.02)
        assert one["sent"] == sent


def test_the_table(capsys):
    assert plan.main(["--ranks", "64", "--strategy", "dp,zero3", "--memory", "0.0005", PROGRAM, "0"]) == 0
    head, columns, dp, zero = capsys.readouterr().out.splitlines()
    assert "64 ranks, 32,768 parameters" in head
    assert columns.split()[0] == "layout"
    assert dp.split()[:3] == ["dp", "128.00", "KiB"]
    assert dp.endswith("does not fit")
    assert zero.split()[:3] == ["zero3", "2.00", "KiB"]


def test_a_program_with_a_list_of_rates():
    program = Path(__file__).parents[2] / "migration_guide/09_trust/train.py"
    found = plan.plan_layout(str(program), [], 4, "program")
    assert "error" not in found and found["sent"] >= 0


def test_a_program_s_own_parser_is_heard(tmp_path, capsys):
    program = tmp_path / "train.py"
    program.write_text("import argparse\nparser = argparse.ArgumentParser()\n"
                       "parser.add_argument('--data', required=True)\nparser.parse_args()\n")
    assert plan.main(["--ranks", "4", "--strategy", "dp", str(program)]) == 1
    out, err = capsys.readouterr()
    assert "train.py: error: the following arguments are required: --data" in err
    assert "not planned: the program ended with 2" in out
