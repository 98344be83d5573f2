"""The table of facts is true: PyTorch on PyTorch, MindSpore on ms2torch and on the real MindSpore."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import ms2torch
from ms2torch.migrate import facts
from ms2torch.migrate.facts import mindspore_names, torch_names, value

FOLDER = Path(sys.modules["ms2torch.migrate.facts"].__file__).parent
REFERENCE = os.environ.get("MS2TORCH_REFERENCE_PYTHON")
BESIDE = """
import json, sys
sys.path.insert(0, sys.argv[1])
import facts, mindspore
names = facts.mindspore_names(mindspore)
print(json.dumps([facts.value(fact.mindspore, names) for fact in facts.facts()]))
"""


@pytest.mark.parametrize("fact", facts(), ids=lambda fact: fact.mindspore[:40])
def test_a_fact_is_true_on_both_sides(fact):
    given = value(fact.torch, torch_names())
    # (a RuntimeError of torch's may become a NotImplementedError, which is one: the mean of integers in 2.15)
    assert given == fact.torch_gives or (given, fact.torch_gives) == ("NotImplementedError", "RuntimeError")
    assert value(fact.mindspore, mindspore_names(ms2torch)) == fact.mindspore_gives


@pytest.mark.reference
@pytest.mark.skipif(not REFERENCE, reason="MS2TORCH_REFERENCE_PYTHON is not set")
def test_the_facts_are_those_of_the_real_mindspore():
    done = subprocess.run([REFERENCE, "-c", BESIDE, FOLDER], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout.splitlines()[-1]) == [fact.mindspore_gives for fact in facts()]


def test_each_fact_is_told_in_both_languages():
    for fact in facts():
        assert fact.en.isascii() and fact.en.endswith((".", ".)"))
        assert any("一" <= c <= "鿿" for c in fact.zh)
