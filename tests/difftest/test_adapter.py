"""Each adaptation of the reference adapter gives what today's MindSpore gives in its own words, bit for bit.

The judge runs alone (adapter_cases.py); its answer is recorded, and made anew with --live.
"""
import ast
import hashlib
import json
import re
import subprocess
from pathlib import Path

import pytest

from tests.reference import real

HERE = Path(__file__).parent
ADAPTER = sorted((real.ROOT / "ms2torch" / "difftest" / "recorder" / "adapter").glob("*.py"))
CASES = HERE / "adapter_cases.py"
RECORD = HERE / "records" / "adapter.json"
NAMES = re.search(r"^CASES = \[(.*?)\]", CASES.read_text(), re.S | re.M).group(1).replace(",", " ").split()


@pytest.fixture(scope="module")
def answer(request, tmp_path_factory):
    if not request.config.getoption("--live"):
        recorded = json.loads(RECORD.read_text())
        digest = hashlib.sha256(b"".join(f.read_bytes() for f in (*ADAPTER, CASES))).hexdigest()
        if recorded["digest"] == digest:
            return recorded
    python = real.interpreter()
    if python is None:
        pytest.fail("the record is older than the adapter: PYTHON tests/difftest/adapter_cases.py "
                    "tests/difftest/records/adapter.json with the real MindSpore's Python")
    path = tmp_path_factory.mktemp("adapter") / "answer.json"
    subprocess.run([python, str(CASES), str(path)], cwd=path.parent, capture_output=True, check=True)
    return json.loads(path.read_text())


@pytest.mark.parametrize("name", NAMES)
def test_adapted_is_what_mindspore_gives_in_its_own_words(answer, name):
    case = answer["cases"][name]
    assert "error" not in case, case["error"]
    assert case["adapted"] == case["plain"]
    assert case["told"], "an adaptation that is used has to be reported"


def test_every_adaptation_has_a_case(answer):
    told = {name for case in answer["cases"].values() for name in case["told"]}
    calls = [n for file in ADAPTER for n in ast.walk(ast.parse(file.read_text())) if isinstance(n, ast.Call)
             and getattr(n.func, "id", "") in ("report_adaptation", "class_around")]
    names = [n.args[0] for n in calls]
    constant = {n.value for n in names if isinstance(n, ast.Constant)}
    assert len(constant) > 10 and constant <= told
    built = [n.left.value for n in names if isinstance(n, ast.BinOp)]
    assert len(built) > 4
    for pattern in built:
        shape = re.escape(pattern).replace("%s", r".+")
        assert any(re.fullmatch(shape, name) for name in told), pattern
    assert len(answer["every"]) > 40 and set(answer["every"]) <= told
