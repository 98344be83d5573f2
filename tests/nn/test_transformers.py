"""``mindspore.nn.transformer`` against records of MindSpore 2.7.0 (tests/nn/transformer_cases.py)."""

import json
import math
import subprocess
import sys
from pathlib import Path

import pytest

import ms2torch as ms

HERE = Path(__file__).parent
RECORD = json.loads((HERE / "transformers.json").read_text())["cases"]


@pytest.fixture(scope="module")
def ours(tmp_path_factory):
    file = tmp_path_factory.mktemp("transformers") / "ours.json"
    done = subprocess.run([sys.executable, "-m", "ms2torch", str(HERE / "transformer_cases.py"), str(file)],
                          capture_output=True, text=True)  # fmt: skip
    assert done.returncode == 0, done.stderr
    return json.loads(file.read_text())["cases"]


def compare(mine, theirs, where):
    assert type(mine) is type(theirs), where
    if (
        isinstance(theirs, list)
        and len(theirs) == 4
        and isinstance(theirs[0], str)
        and isinstance(theirs[2], list)
    ):
        assert mine[:2] == theirs[:2], where
        count = math.prod(theirs[1])
        # A unit in the last place of the largest value per place, added as noise adds; float16 ends at 6e-8.
        half = theirs[0] == "Float16" or where.startswith("encoder")
        unit = theirs[3] * (2**-11 if half else 2**-23)
        assert mine[2] == pytest.approx(theirs[2], rel=1e-5, abs=unit * count**0.5 + half * 1e-6), where
    elif isinstance(theirs, list):
        assert len(mine) == len(theirs), where
        for i, pair in enumerate(zip(mine, theirs, strict=True)):
            compare(*pair, f"{where}[{i}]")
    else:
        assert mine == theirs, where


@pytest.mark.parametrize("name", RECORD)
def test_what_mindspore_2_7_gives(ours, name):
    compare(ours[name], RECORD[name], name)


def test_both_packages_have_the_same_things():
    from ms2torch.nn import transformer
    from ms2torch.nn.transformer.layers import _Linear
    from ms2torch.parallel import _transformer
    from ms2torch.parallel._transformer import layers

    assert transformer.TransformerEncoder is _transformer.TransformerEncoder and _Linear is layers._Linear


def test_importing_leaves_the_context_as_the_program_set_it():
    code = (
        "import ms2torch as ms; ms.set_auto_parallel_context(enable_parallel_optimizer=True); "
        "import ms2torch.nn.transformer; "
        "print(ms.get_auto_parallel_context('enable_parallel_optimizer'))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.stdout == "True\n"


def test_several_experts_are_refused_with_a_way_out():
    config = ms.nn.transformer.MoEConfig(expert_num=2)
    with pytest.raises(NotImplementedError, match=r"experts are not supported\. Instead: expert_num=1"):
        ms.nn.transformer.TransformerEncoder(2, 1, 8, 8, 8, 2, moe_config=config)
