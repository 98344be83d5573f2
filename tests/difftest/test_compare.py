"""Two traces beside each other: what counts as a difference, and of which kind."""

import json
import math

import numpy as np
import pytest

from ms2torch.difftest import compare, first_pass, flows, recorder
from ms2torch.difftest.finding import CannotCompare, Finding, Verdict


def record(value, step=1, stage="forward", where="net.fc", **more):
    array = np.asarray(value)
    return {"kind": "tensor", "step": step, "stage": stage, "where": where, "role": "output", "index": 0,
            "call": 0, "dtype": array.dtype.name, "shape": list(array.shape),
            "stats": decoded(recorder.statistics(array)), **more}


def decoded(stats):
    """Statistics as a reader of the trace gets them."""
    from ms2torch.difftest import trace

    text = {"records": [{"kind": "tensor", "dtype": "float32", "stats": stats}], "arrays": []}
    import json
    import struct

    packed = json.dumps(text).encode()
    return trace._records(struct.pack("<I", len(packed)) + packed, False)[0]["stats"]


A = np.linspace(-1, 2, 40, dtype=np.float32)


def only(left, right):
    result = compare.compare(left, right)
    found = [*result.certain, *result.suspects]
    assert len(found) == 1
    return found[0]


def test_the_same_bits_are_equal():
    result = compare.compare([record(A)], [record(A.copy())])
    assert (result.certain, result.suspects, result.compared, result.steps) == ([], [], 1, 1)


@pytest.mark.parametrize("theirs, ours, kind, said", [
    (A, A.astype(np.float64), "dtype", "float64"),
    (A, A.reshape(4, 10), "shape", "(4, 10)"),
    (A, np.where(A > 1.9, np.nan, A).astype(np.float32), "nan", "2 nan"),
    (A, np.where(A > 1.9, np.inf, A).astype(np.float32), "nan", "2 inf"),
])
def test_kinds_that_are_no_matter_of_rounding(theirs, ours, kind, said):
    found = only([record(theirs)], [record(ours)])
    assert (found.kind, found.ours) == (kind, said)


def test_an_integer_that_differs_by_one_differs():
    found = only([record(np.arange(5))], [record(np.array([0, 1, 2, 3, 5]))])
    assert found.kind == "value" and math.isinf(found.error)


def test_a_float_that_differs_has_its_part_of_the_norm():
    wrong = A.copy()
    wrong[7] += 0.25
    found = only([record(A, array=A)], [record(wrong, array=wrong)])
    assert found.error == pytest.approx(0.25 / np.linalg.norm(A.astype(np.float64)), rel=1e-6)


def test_without_whole_arrays_a_change_of_scale_shows_in_the_statistics():
    found = only([record(A)], [record(A * np.float32(1.01))])
    assert 0.009 < found.error < 0.05


def test_missing_and_extra_are_named():
    result = compare.compare([record(A), record(A, where="b")], [record(A), record(A, where="c")])
    assert [(f.kind, f.where) for f in result.certain] == [("missing", "b"), ("extra", "c")]


def test_order_of_time_within_a_step():
    wrong = A * np.float32(1.5)
    left = [record(A, stage="parameter"), record(A, stage="data"), record(A, stage="forward")]
    right = [record(wrong, stage=r["stage"]) for r in left]
    assert [f.stage for f in compare.compare(left, right).suspects] == ["data", "forward", "parameter"]


def test_steps_that_do_not_stand_beside_each_other_are_refused():
    with pytest.raises(CannotCompare, match="step 1 of the reference stands beside step 2"):
        compare.compare([record(A, step=1)], [record(A, step=2)])


def test_losses_are_gathered_by_step():
    def run(*values):
        return [r for i, v in enumerate(values, 1)
                for r in (record(np.float32(v), i, "loss"), record(A, i, "parameter"))]

    assert compare.compare(run(3.0, 2.0), run(3.0, 2.5)).losses == ([3.0, 2.0], [3.0, 2.5])


def test_the_report_is_json_and_shows_both_values_of_what_has_no_distance():
    found = Finding(1, "forward", "net", "value", error=float("inf"), reference="3 at [0]",
                    ours="4 at [0] (1 of 2 elements differ)", role="output")
    verdict = Verdict(findings=[found],
                      losses=([1.0, float("nan")], [1.0, float("inf")]), drift=[float("nan")])
    text = json.dumps(verdict.as_json(), allow_nan=False)
    assert json.loads(text)["losses"] == {"reference": [1.0, None], "ours": [1.0, None]}
    shown = "differs: 4 at [0] (1 of 2 elements differ), the reference has 3 at [0]"
    assert verdict.first.sentence().endswith(shown)


def test_after_a_failure_nothing_unjudged_is_the_first_difference():
    float_, integer = (Finding(2, "forward", "net", "value", error=e) for e in (0.1, float("inf")))
    verdict = Verdict(findings=[float_, integer])
    first_pass.drop_unjudged(verdict)
    assert (verdict.first, verdict.unjudged) == (integer, [float_])


def test_an_output_is_followed_by_its_bytes_to_the_layers_that_take_it():
    def record(where, role, order, content):
        return {"stage": "forward", "where": where, "role": role, "index": 0, "call": 0, "order": order,
                "stats": {"hash": content}}

    records = [record("dense", "output", 1, "a"), record("flatten", "input", 2, "a"),
               record("flatten", "output", 3, "b"), record("side", "input", 4, "c"),
               record("out", "input", 5, "b")]
    found = flows.Flow(records).goes_to(records[0], lambda where, call: where != "flatten")
    assert [r["where"] for r in found] == ["out"]


def test_another_mask_of_the_same_rate_is_told_from_another_rate():
    x = np.arange(1.0, 201.0, dtype=np.float32)
    one, two = (np.random.RandomState(seed).rand(200) > 0.3 for seed in (1, 2))
    assert compare.other_mask(x * one / 0.7, x * two / 0.7)
    assert not compare.other_mask(x * one / 0.7, x * two / 0.5)
    assert not compare.other_mask(x * one, x * one) and not compare.other_mask(x, None)
