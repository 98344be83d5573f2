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
ADAPTER = real.ROOT / "ms2torch" / "difftest" / "adapter.py"
CASES = HERE / "adapter_cases.py"
RECORD = HERE / "records" / "adapter.json"
NAMES = re.search(r"^CASES = \[(.*?)\]", CASES.read_text(), re.S | re.M).group(1).replace(",", " ").split()


@pytest.fixture(scope="module")
def answer(request, tmp_path_factory):
    if not request.config.getoption("--live"):
        recorded = json.loads(RECORD.read_text())
        digest = hashlib.sha256(ADAPTER.read_bytes() + CASES.read_bytes()).hexdigest()
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
    source = ast.parse(ADAPTER.read_text())
    constant = {n.args[0].value for n in ast.walk(source) if isinstance(n, ast.Call)
                and getattr(n.func, "id", "") == "_tell" and isinstance(n.args[0], ast.Constant)}
    assert constant <= told
    renamed = {k.value for n in source.body if isinstance(n, ast.Assign) and n.targets[0].id == "_RENAMED"
               for k in n.value.keys}
    assert renamed and renamed <= told
