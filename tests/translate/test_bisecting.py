"""Where the whole program differs, the rule's site that is to blame is found, taken back and told."""

from types import SimpleNamespace

import pytest

pytest.importorskip("libcst")
from ms2torch.translate import translate_source
from ms2torch.translate.bisecting import Bisection
from ms2torch.translate.outcome import File, Outcome
from ms2torch.translate.printed import first_difference

SOURCE = """\
from mindspore import ops


def f(x):
    return ops.exp(ops.tanh(x)) + ops.exp(x)
"""


class Draft(dict):
    """What would be on the disk."""

    write = dict.__setitem__


def bisected(differs):
    """The outcome after a search, and the text that it leaves."""
    made = translate_source(SOURCE)
    outcome = Outcome("a.py", "b.py", [File("a.py", "a.py", SOURCE, made.text, made.sites)], whole="line 3")
    project = SimpleNamespace(sources={"a.py": SimpleNamespace(text=SOURCE)})
    draft = Draft({"a.py": made.text})
    result = {"files": {"a.py": {"keep": []}}, "facts": {}}
    Bisection(outcome, project, draft, result, lambda: differs(draft["a.py"])).take_back()
    return outcome, draft["a.py"]


def test_the_site_to_blame_is_taken_back_alone():
    outcome, text = bisected(lambda text: "" if "(ms2torch.ops.exp)(x)" in text else "line 3")
    assert outcome.whole == "" and not outcome.done
    assert [(t["line"], t["name"], t["where"]) for t in outcome.taken] == [
        (5, "mindspore.ops.exp", "the whole program")
    ]
    assert "return torch.exp(torch.tanh(x)) + ms2torch.to_torch(ms2torch.ops.exp)(x)" in text
    assert "mindspore.ops.exp was taken back in the whole program: line 3" in outcome.checklist()[0]


def test_what_no_rule_mends_stays_as_it_was():
    outcome, text = bisected(lambda text: "line 3")
    assert outcome.whole == "line 3" and not outcome.taken and "ms2torch" not in text


def test_names_of_parameters_are_each_frameworks_own():
    one, two = ["[('fm_w', 1.5), ('net.V', 2)]"], ["[('net.fm_w', 1.5), ('net.V', 2)]"]
    assert first_difference(one, two) and not first_difference(one, two, ["fm_w", "net.fm_w", "net.V"])
    assert first_difference(one, ["[('net.fm_w', 1.6), ('net.V', 2)]"], ["fm_w", "net.fm_w"])
    timed = ["loss 0.5", "Train epoch time: 12.123 ms, per step time: 1.200 ms", "end 1"]
    assert not first_difference(timed, ["loss 0.5", "end 1"])


@pytest.mark.parametrize(
    ("one", "two", "same"),
    [
        ("loss 0.661, scale 4096.0", "loss 0.697, scale 4096.0", False),  # a large number hides no other
        ("[0.1 100.0]", "[0.1001 100.0]", True),  # but in one tensor digits are the largest's
        ("[-0.178 -0.377]", "[-0.1781 -0.377]", True),  # a last decimal rounded otherwise
        ("lr 0.1", "lr 0.2", False),
        ("(2, 3) Float32", "(2, 3) torch.float32", True),
        ("(2, 3) Float32", "(2, 3) torch.float16", False),
        ("trained on Ascend 0.5", "trained on cuda 0.5", True),
    ],
)
def test_what_is_printed_is_compared_number_by_number(one, two, same):
    assert (first_difference([one], [two]) == "") is same
