"""Every public function, class and method of ours takes what MindSpore 2.10's takes: names, order, defaults.

``signatures_2_10.tsv`` was asked of the real MindSpore 2.10.0 by ``scripts/make_signatures.py``. What ours
take beyond it, for old releases and for what MindSpore dispatches, is listed in ``signature_extras.txt``.
"""

import pytest

from tests.signatures import agree, also_taken, extras, ours, theirs


def _modules() -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for name in theirs():
        parts = name.split(".")
        depth = next((i for i, p in enumerate(parts) if p[:1].isupper()), len(parts) - 1)
        found.setdefault(".".join(parts[:depth]), []).append(name)
    return found


MODULES = _modules()


@pytest.mark.parametrize("module", MODULES)
def test_signatures_are_those_of_mindspore(module):
    drift = []
    for name in MODULES[module]:
        mine = ours(name)
        if mine is None or agree(mine, theirs()[name], also_taken(name)):
            continue
        if name in extras() and mine == extras()[name].signature:
            continue
        drift.append(f"{name}\n  MindSpore {theirs()[name]}\n  ms2torch  {mine}")
    assert not drift, "\n".join(drift)


def test_every_listed_difference_is_one_and_has_a_reason():
    for name, extra in extras().items():
        assert extra.reason
        assert ours(name) == extra.signature, name
        needed = not agree(extra.signature, theirs()[name], also_taken(name))
        assert needed, f"{name} is listed, but does not differ"


def test_most_of_the_table_is_held():
    held = [name for name in theirs() if ours(name) is not None]
    assert len(held) > 2300


def test_a_planted_drift_is_seen():
    assert not agree("(x, axis=0)", "(x, axis=-1)")
    assert not agree("(axis, x)", "(x, axis)")
    assert not agree("(input, keepdim=False)", "(input) | (input, dim, keepdim=False)")
    assert agree("(input, dim=None, keepdim=False)", "(input) | (input, dim, keepdim=False)")
