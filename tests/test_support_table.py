"""The support table tells what is here from what is not."""

import re
from pathlib import Path

import ms2torch as ms
from scripts import support_table
from tests.signatures import find

ROOT = Path(__file__).resolve().parents[1]


def status(full):
    return support_table.status(full, find(full))


def test_statuses():
    assert status("mindspore.nn.Dense") == "here"
    assert status("mindspore.Tensor.max") == "here"
    assert status("mindspore.ops.TensorAdd") == "here"              # a name of earlier releases
    assert status("mindspore.nn.GraphCell") == "here"
    assert status("mindspore.load") == "here"
    assert status("mindspore.nn.Cell.offload") == "refused"        # raises when it is called
    assert status("mindspore.nn.GetNextSingleOp") == "refused"      # raises when it is made
    assert status("mindspore.graph.JitContext") == "unsupported"
    assert support_table.status("mindspore.nn.NotThereYet", None) == "planned"


def test_a_refusal_further_down_is_no_refusal():
    assert not support_table._refuses(ms.nn.Conv2d.__init__)


def test_evidence_is_of_the_name_itself():
    assert "case" in support_table.evidence("mindspore.ops.split", ms.ops.split)
    assert support_table.evidence("mindspore.ops.no_such_name", object()) == []


def test_totals_count_every_row_once():
    rows = support_table.table()
    assert len({r["name"] for r in rows}) == len(rows)
    line = support_table.totals(rows)
    here = sum(r["status"] == "here" and r["module"] != support_table.EARLIER for r in rows)
    assert f"{here:,} are here" in line
    assert here > 2_500
    assert not [r["name"] for r in rows if r["status"] == "planned"]    # here, or refused with a reason
    assert sum(r["module"] == "mindspore.nn" for r in rows) > 200
    assert "| mindspore.nn |" in support_table.markdown(rows)


def test_the_readmes_quote_the_totals():
    totals = re.findall(r"[\d,]*\d", (ROOT / "SUPPORT.md").read_text().splitlines()[2].replace("2.10", ""))
    for page in ("README.md", "README.zh-CN.md"):
        row = " ".join(totals[:6]).replace(" ", " | ")
        text = (ROOT / page).read_text()
        assert f"| {row} |" in text and totals[6] in text and totals[7] in text


def test_the_chinese_page_has_the_same_figures():
    english, chinese = (
        [
            re.findall(r"[\d,]*\d", line.replace("2.10", ""))
            for line in (ROOT / page).read_text().splitlines()
            if line.startswith("| ") or "2.10" in line
        ]
        for page in ("SUPPORT.md", "SUPPORT.zh-CN.md")
    )
    assert english == chinese
