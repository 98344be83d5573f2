"""The fuzzer: what it calls a difference, how it shrinks one, a few examples against the real MindSpore."""

import numpy as np
import pytest

import ms2torch
from scripts.fuzz import known, search
from scripts.fuzz.case import Case, run
from scripts.fuzz.reference import Reference
from scripts.fuzz.table import table
from tests.reference import real

needs_the_real_one = pytest.mark.skipif(
    real.interpreter() is None, reason="no real MindSpore: run scripts/reference_env.sh")


@pytest.fixture(autouse=True)
def mirror():
    ms2torch.install()


@pytest.fixture(scope="module")
def reference():
    answers = Reference()
    yield answers
    answers.close()


def tensor(dtype, shape, values):
    return {"value": {"Tensor": [dtype, shape, values]}}


@pytest.mark.parametrize(("theirs", "ours", "kind"), [
    (tensor("Float32", [1], [1.0]), tensor("Float32", [1], [1.0]), None),
    (tensor("Float32", [1], [np.nan]), tensor("Float32", [1], [np.nan]), None),
    (tensor("Float32", [1], [1.0]), tensor("Float32", [1], [1.1]), "value"),
    (tensor("Float32", [1], [1.0]), tensor("Float32", [1], [np.nan]), "value"),
    (tensor("Int32", [1], [10_000_000]), tensor("Int32", [1], [10_000_001]), "value"),
    (tensor("Float32", [1], [1.0]), tensor("Float64", [1], [1.0]), "dtype"),
    (tensor("Float32", [1], [1.0]), tensor("Float32", [], [1.0]), "shape"),
    (tensor("Float32", [1], [1.0]), {"value": 1}, "structure"),
    (tensor("Float32", [1], [1.0]), {"error": ["TypeError", "no"]}, "only ms2torch raises"),
    ({"error": ["TypeError", "no"]}, tensor("Float32", [1], [1.0]), "only MindSpore raises"),
    ({"error": ["TypeError", "no"]}, {"error": ["ValueError", "no"]}, "error type"),
    ({"error": ["TypeError", "no"]}, {"error": ["TypeError", "other words"]}, None),
    ({"error": ["Crash", "no answer in time"]}, tensor("Float32", [1], [1.0]), None),
    ({"error": ["Crash", "died"]}, tensor("Float32", [1], [1.0]), "only MindSpore raises"),
])
def test_a_difference_has_its_kind(theirs, ours, kind):
    assert search.difference_of(theirs, ours, {})[0] == kind


def test_a_gradient_that_differs_is_told_from_a_value_that_does():
    same = tensor("Float32", [1], [1.0])
    theirs, ours = ({**same, "gradient": {"tuple": [tensor("Float32", [1], [g])["value"]]}} for g in (0., 1.))
    assert search.difference_of(theirs, ours, {})[0] == "gradient value"


def test_a_gradient_is_weighed_unevenly():
    outcome = run(["x = Tensor(np.array([3.0, 3.0], np.float32))"], "x * x", ["x"])
    gradient = outcome["gradient"]["tuple"][0]["Tensor"][2]
    np.testing.assert_allclose(gradient, [6.0, 6.0 * 35 / 64])


class Liar:
    """A reference that agrees with ms2torch, but says that 3 squared is 10."""

    def __init__(self):
        self.known = set()

    def forget(self):
        self.known.clear()

    def ask(self, case):
        self.known.add(case)

    def knows(self, case):
        return case in self.known

    def answer(self, case):
        outcome = run(*case.asked())
        if "value" in outcome and case.facts["dtypes"] == ("float32",):
            values = outcome["value"]["Tensor"]
            if isinstance(values[2], list):      # larger ones are packed
                values[2] = [10.0 if v == 9.0 else v for v in values[2]]
        return outcome

    afresh = answer


def test_a_difference_is_shrunk_to_one_element():
    report = search.fuzz("square", Liar(), [], examples=100)
    assert list(report.differences) == ["value"]
    found = report.differences["value"]
    assert found.case.setup[0].count("3.0") == 1 and set(found.case.facts["shapes"][0]) <= {1}
    assert "1 of 1 values differ" in found.lines[0]


def test_a_listed_difference_is_counted_and_not_reported():
    entry = known.Known(1, "sqrt|square", "kind == 'value' and '3.0' in text", "a lie")
    report = search.fuzz("square", Liar(), [entry], examples=100)
    assert "value" not in report.differences
    assert report.listed == entry.met > 0


def test_the_known_differences_name_operators_that_are_fuzzed_and_conditions_that_compile():
    for entry in known.read():
        assert set(entry.name.split("|")) <= set(table()), entry
        compile(entry.condition, "condition", "eval")


@needs_the_real_one
def test_the_worker_goes_on_after_an_exception(reference):
    bad = Case(("x = Tensor(np.ones(3, np.float32))", "y = Tensor(np.ones(4, np.float32))"), "ops.add(x, y)")
    good = Case(("x = Tensor(np.array([1.0], np.float32))",), "ops.add(x, x)")
    for case in (bad, good):
        reference.ask(case)
        reference.answer(case)
    assert reference.answer(bad)["error"][0] == "ValueError"
    assert reference.answer(good) == tensor("Float32", [1], [2.0])


@needs_the_real_one
@pytest.mark.parametrize(("name", "seed"), [
    ("mul", 1), ("x + y", 2), ("sigmoid", 3), ("sum", 4), ("ReduceMean", 5), ("transpose", 6), ("concat", 7),
    ("gather", 8), ("softmax", 9), ("Conv2D", 10), ("cross_entropy", 11), ("clip_by_value", 12),
])
def test_a_few_examples_agree_with_the_real_one(reference, name, seed):
    report = search.fuzz(name, reference, known.read(), examples=8, start=seed, shrink=False)
    assert report.examples == 8
    assert not report.differences, "\n".join(map(str, report.differences.values()))
