"""The list of departures: complete rows, the pages that show it, the note in a verdict."""

from pathlib import Path

import pytest

from ms2torch.difftest.departures import departures, notes, page
from ms2torch.difftest.finding import Finding, Verdict

GUIDE = Path(__file__).resolve().parents[2] / "migration_guide"


def test_every_field_is_filled():
    assert all(d.names and all(d[1:]) for d in departures())


@pytest.mark.parametrize(("name", "chinese"), [("departures.md", False), ("departures.zh-CN.md", True)])
def test_the_pages_show_the_list(name, chinese):
    assert (GUIDE / name).read_text(encoding="utf-8") == page(chinese)


def test_a_verdict_names_the_entry():
    found = Finding(1, "forward", "net.head", "value", op="ops.any")
    assert any("an element is true" in line for line in notes(Verdict([found])))
    stepped = Finding(1, "parameter", "net.weight", "value", cell="step.optimizer")
    cells = [{"name": "step.optimizer", "class": "Momentum"}]
    assert any("use_nesterov" in line for line in notes(Verdict([stepped], cells=cells)))
    assert notes(Verdict([Finding(1, "forward", "net", "value", op="ops.relu")])) == []
    drawn = Finding(1, "random", "net", "value", cell="net")
    cells = [{"name": "net", "class": "Net"}, {"name": "net.drop", "class": "Dropout"}]
    assert any("several threads" in line for line in notes(Verdict([drawn], cells=cells)))
