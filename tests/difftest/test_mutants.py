"""The planted defects of scripts/mutants can be planted: each names one line of today's source."""

import ast
from pathlib import Path

import pytest

from scripts.mutants.table import mutants

PACKAGE = Path(__file__).resolve().parents[2] / "ms2torch"


def test_there_are_a_hundred():
    assert len({m.name for m in mutants()}) == len(mutants()) >= 100


@pytest.mark.parametrize("mutant", mutants(), ids=lambda m: m.name)
def test_the_line_stands_there_once_and_its_change_is_still_python(mutant):
    source = (PACKAGE / mutant.file).read_text()
    assert source.count(mutant.old) == 1
    changed = source.replace(mutant.old, mutant.new)
    assert changed != source
    ast.parse(changed)
