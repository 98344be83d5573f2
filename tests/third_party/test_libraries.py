"""Tiny models of MindONE load Hugging Face's checkpoints and compute what its classes do on PyTorch.

The fast share of ``python scripts/third_party models``; what that found last is on record in results.tsv.
"""

import importlib.util
import os
import re
import subprocess
import sys

import pytest

from tests.shim.run import ROOT

SCRIPTS = ROOT / "scripts" / "third_party"
MODELS = ("LlamaForCausalLM", "BertModel", "T5ForConditionalGeneration")
NEEDED = ("mindone", "transformers", "diffusers")
lacking = [name for name in NEEDED if importlib.util.find_spec(name) is None]


def results():
    head, *rows = (line.split("\t") for line in (SCRIPTS / "results.tsv").read_text().splitlines())
    return {f"{row[0]}-{row[1]}": dict(zip(head, row, strict=True)) for row in rows}


def test_the_pages_quote_the_table():
    rows = results()
    assert sum(int(row["models"]) for row in rows.values()) >= 120
    for page in SCRIPTS.glob("RESULTS*.md"):
        lines = page.read_text().splitlines()
        modules = [line.split(" | ")[3] for line in lines if re.search(r" \| 20\d\d-", line)]
        assert modules == [row["modules"] for row in rows.values()]


@pytest.mark.skipif(bool(lacking), reason=f"{lacking} not installed: python scripts/third_party get")
def test_models_of_mindone_compute_what_hugging_face_computes(tmp_path):
    path = os.pathsep.join([str(ROOT), *(p for p in sys.path if p)])
    env = os.environ | {"PYTHONPATH": path, "OMP_NUM_THREADS": "1"}
    judge = [sys.executable, str(SCRIPTS / "judge.py"), str(tmp_path / "judged"), *MODELS]
    subprocess.run(judge, env=env, check=True)
    built = [str(SCRIPTS / "building.py"), "mindone", str(tmp_path / "judged"), str(tmp_path / "out.tsv")]
    subprocess.run([sys.executable, "-m", "ms2torch", *built, *MODELS], env=env, check=True)
    found = [line.split("\t") for line in (tmp_path / "out.tsv").read_text().splitlines()]
    assert [row[0] for row in found] == list(MODELS)
    assert [row for row in found if set(row[1:]) - {"ok", "-"}] == []
