"""The planted defects of scripts/mutants can be planted: each names one line of today's source, or a part of
a generated program that ms2torch has."""

import ast
from pathlib import Path

import pytest

from ms2torch import nn, ops
from scripts.mutants import generated
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


@pytest.mark.parametrize("seed", range(12))
def test_a_seed_makes_one_program_and_defects_in_what_it_uses(seed):
    made = generated.program(seed)
    assert made == generated.program(seed) and made != generated.program(seed + 1)
    ast.parse(made.text)
    found = generated.defects(seed, made.parts, 8)
    assert len({defect.name for defect in found}) == 8
    for part in made.parts:
        home = ops if part.kind == "function" else nn
        assert part.kind == "data" or callable(getattr(home, part.name))
        assert part.kind == "data" or part.name in made.text
