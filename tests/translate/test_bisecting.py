"""Where the whole program differs, the rule's site that is to blame is found, taken back and told."""

from contextlib import nullcontext
from pathlib import Path
from types import SimpleNamespace

import pytest
import torch

pytest.importorskip("libcst")
from ms2torch import Parameter, Tensor, nn
from ms2torch.translate import translate_source
from ms2torch.translate.beside import Beside
from ms2torch.translate.bisecting import Bisection
from ms2torch.translate.outcome import File, Outcome
from ms2torch.translate.printed import differs_in_words, first_difference
from ms2torch.translate.trembling import Trembling
from ms2torch.translate.whole import Training

SOURCE = """\
from mindspore import ops


def f(x):
    return ops.exp(ops.tanh(x)) + ops.exp(x)
"""


class Draft(dict):
    """What would be on the disk."""

    write = dict.__setitem__


def bisected(differs, source=SOURCE, first="line 3"):
    """The outcome after a search, and the text that it leaves."""
    made = translate_source(source)
    outcome = Outcome("a.py", "b.py", [File("a.py", "a.py", source, made.text, made.sites)], whole=first)
    project = SimpleNamespace(sources={"a.py": SimpleNamespace(text=source)})
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


def test_the_line_that_an_error_came_through_is_tried_first():
    names = ["sin", "cos", "tan", "exp", "tanh", "log", "sqrt", "abs"]
    source = "from mindspore import ops\n" + "".join(f"def {n}_(x):\n    return ops.{n}(x)\n" for n in names)
    number = translate_source(source).text.splitlines().index("    return torch.sqrt(x)") + 1
    tried = []

    def differs(text):
        tried.append(text)
        return "" if "ops.sqrt" in text else "the translation fails"

    first = f"the translation fails: ValueError (a.py:{number} of the translation)"
    outcome, _ = bisected(differs, source, first)
    assert [t["name"] for t in outcome.taken] == ["mindspore.ops.sqrt"] and "ops.sqrt" in tried[0]


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
        ("(dtype=Float32, requires_grad=True)", "(dtype=torch.float32, requires_grad=False)", True),
        ("(Tensor(shape=[2], dtype=Float32, value= [ 1., 2.]),)", "(array([1., 2.], dtype=float32),)", True),
        ("(Tensor(shape=[2], dtype=Float32, value= [ 1., 2.]),)", "(array([1., 3.], dtype=float32),)", False),
        ("{'loss': 1.5, 'acc': 0.5}", "{'acc': 0.5, 'loss': 1.5}", True),  # a set of metrics has no order
        ("{'loss': 1.5, 'acc': 0.5}", "{'acc': 1.5, 'loss': 0.5}", False),
        ("<generator object Cell.get_parameters at 0x7f9532a42420>", "[Parameter (name=w)]", True),
    ],
)
def test_what_is_printed_is_compared_number_by_number(one, two, same):
    assert (first_difference([one], [two]) == "") is same


def test_what_rounding_moves_as_far_in_the_original_is_no_difference():
    one = ["loss 1.5", "loss 1.25", "[0.5 -0.25 0.75]"]
    two = ["loss 1.5", "loss 1.2505", "[0.5 -0.2502 0.75]"]
    moved = [["loss 1.5002", "loss 1.25", "[0.50005 -0.25 0.75]"]]
    assert first_difference(one, two) and not first_difference(one, two, moved=moved)
    assert first_difference(one, [*two[:2], "[0.5 -0.2512 0.75]"], moved=moved).startswith("line 3")
    assert first_difference(one, ["loss 1.503", *two[1:]], moved=moved).startswith("line 1")
    other_words = [["loss 1.5", "nothing", "[0.51 -0.25 0.75]"]]
    assert first_difference(one, two, moved=other_words).startswith("line 2")
    assert differs_in_words(one, ["lost 1.5", *one[1:]]) and not differs_in_words(one, two)


def test_trembling_moves_what_is_computed_and_nothing_else():
    x = torch.linspace(0.1, 1.7, 64)
    with Trembling():
        y, copied, added = x * 1.3, x.clone(), x.clone().add_(1.0)
    assert torch.equal(copied, x) and torch.equal(added, x + 1.0)
    gap = (y - x * 1.3).abs() / y
    assert 0 < gap.max() <= 2.0**-23  # half a unit in the last place, rounded once more
    with Trembling(seed=2):
        assert not torch.equal(x * 1.3, y)


def test_trembling_has_the_powers_of_adams_betas_in_double_precision():
    """A gradient that stays the same moves a weight by the rate in each step, but for the rounded powers."""

    def trained(mode) -> float:
        weight = Parameter(Tensor([0.0]), name="weight")
        adam = nn.Adam([weight], 0.1)
        with mode:
            for _ in range(3):
                adam((Tensor([2.0]),))
        return float(weight)

    assert abs(trained(Trembling()) / -0.3 - 1) < 1e-6 < abs(trained(nullcontext()) / -0.3 - 1)
    assert trained(nullcontext()) == trained(nullcontext())


def test_a_bias_before_batch_normalisation_has_rounding_for_its_gradient():
    torch.manual_seed(0)
    net = torch.nn.Sequential(torch.nn.Linear(4, 3), torch.nn.BatchNorm1d(3), torch.nn.Tanh())
    x = torch.randn(32, 4)
    found = []
    for seed in (1, 2):
        with Trembling(seed):
            found.append(torch.autograd.grad(net(x).square().sum(), [net[0].bias, net[0].weight]))
    (bias, weight), (other, same) = found
    assert bias.abs().max() < 1e-4 and (bias - other).abs().max() > 0.1 * bias.abs().max()
    assert torch.allclose(weight, same, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("frozen", ["0.weight", "0.bias"])
def test_copies_and_weights_that_do_not_train_start_as_the_other_sides_do(frozen):
    def side(seed: int, given=None):
        torch.manual_seed(seed)
        net = torch.nn.Sequential(torch.nn.Linear(3, 2), torch.nn.Linear(2, 1))
        net.get_parameter(frozen).requires_grad_(False)
        average = {name: p.detach().clone() for name, p in net.named_parameters()}
        with Training(given) as training:
            torch.optim.SGD([p for p in net.parameters() if given or p.requires_grad], 0.1)
        return training.found(), net, average

    given, net, average = side(0)
    _, other, copied = side(1, given)
    for name, p in net.named_parameters():
        assert torch.equal(p, other.get_parameter(name)) and torch.equal(average[name], copied[name])


def test_a_step_over_a_kink_may_be_rounding_in_the_translation_alone(tmp_path):
    """Where no moved run of the original goes the translation's way, a moved translation may go back."""
    said = {"translation": ["0.1000", "0.8757"]}
    runs = []

    def run(_, spec, folder, side):
        runs.append((spec["side"], spec.get("trembling")))
        lines = said["translation"] if side == "translation" else said[f"moved {spec['side']}"]
        (folder / f"{side}.out").write_text("\n".join(lines))
        torch.save({"optimizers": [], "networks": {}}, spec["weights"])
        Path(spec["out"]).write_text('{"code": 0, "error": ""}')
        return 0, ""

    def differs(moved: list[str]) -> str:
        outcome = Outcome("", "")
        beside = Beside(outcome, run, tmp_path, spec("original"), spec("translation"), "original")
        (tmp_path / "original.out").write_text("0.1000\n0.8774")
        said["moved original"], said["moved translation"] = ["0.1000", "0.8774"], moved
        return beside.differs() or outcome.compared

    def spec(side: str) -> dict:
        weights = str(tmp_path / f"{side}.pt")
        torch.save({"optimizers": [], "networks": {}}, weights)
        return {"side": side, "weights": weights, "out": str(tmp_path / f"{side}.json")}

    assert "Rounding alone moves the translation" in differs(["0.1000", "0.8774"])
    assert runs[-1] == ("translation", 1)
    assert differs(["0.1000", "0.8757"]).startswith("line 2")


def test_a_method_that_is_taken_back_keeps_its_object():
    source = "from mindspore.train import Model\nmodel = Model(net, loss, opt)\nmodel.train(2, data)\n"
    first = translate_source(source)
    kept = translate_source(source, keep=frozenset((s.line, s.column) for s in first.sites))
    assert kept.text.splitlines()[-1] == "model.train(2, data)"
