"""N ranks on shards train what one process trains on the whole batch; every rank has the same bits."""

import numpy as np
import pytest

from tests.distributed import training_cases as cases

KINDS = ["plain", "sens", "micro", "scaled", "user", "clipped", "functional", "accumulated",
         *cases.SYNCHRONOUS]
_alone: dict = {}


def alone(together, kind, dtype, steps=cases.STEPS):
    """What one process trains on whole batches."""
    key = kind, dtype, steps
    if key not in _alone:
        _alone[key] = together(cases.train, 1, kind, dtype, steps)[0]
    return _alone[key]


def _distance(a: dict, b: dict) -> float:
    """Norm of the difference over the norm, of all parameters together."""
    flat = [np.concatenate([np.ravel(v).astype(np.float64) for v in x.values()]) for x in (a, b)]
    return np.linalg.norm(flat[0] - flat[1]) / np.linalg.norm(flat[1])


def _same_bits(found):
    for _, parameters, *_ in found[1:]:
        for name, value in parameters.items():
            assert value.tobytes() == found[0][1][name].tobytes(), name


@pytest.mark.parametrize("size", [2, 4])
@pytest.mark.parametrize("kind", KINDS)
def test_float64_shards_give_the_whole_batch(together, kind, size):
    losses, parameters, *_ = alone(together, kind, "float64")
    found = together(cases.train, size, kind, "float64")
    _same_bits(found)
    for name, value in parameters.items():
        np.testing.assert_allclose(found[0][1][name], value, rtol=1e-9, atol=1e-12, err_msg=name)
    if kind != "accumulated":       # (there the last loss is of half a batch)
        np.testing.assert_allclose(np.mean([one[0] for one in found], axis=0), losses, rtol=1e-9)
    # The built-in cells reduce while the backward pass runs, the others in an operation of their own.
    assert found[0][2] == (kind in ("plain", "sens", "micro", "scaled", "sync_batch_norm"))


@pytest.mark.parametrize("size", [2, 4])
@pytest.mark.parametrize("kind", KINDS)
def test_float32_is_as_near_to_float64_as_one_process(together, kind, size):
    exact = alone(together, kind, "float64")[1]
    _, last, _, first = alone(together, kind, "float32")
    found = together(cases.train, size, kind, "float32")
    _same_bits(found)
    assert _distance(found[0][3], first) <= 1e-5
    assert _distance(found[0][1], exact) <= 3 * _distance(last, exact)


def test_graph_mode_and_hybrid_parallel_are_the_same(together):
    expected = together(cases.train, 2, "plain", "float64", 5)
    for mode, graph in (("data_parallel", True), ("hybrid_parallel", False)):
        found = together(cases.train, 2, "plain", "float64", 5, mode, graph)
        assert found[0][0] == expected[0][0]
        np.testing.assert_array_equal(found[1][1]["fc1.weight"], expected[1][1]["fc1.weight"])


@pytest.mark.parametrize("mode", ["semi_auto_parallel", "auto_parallel"])
@pytest.mark.parametrize("kind", ["plain", "user", "functional"])
def test_automatic_parallelism_runs_data_parallel(together, mode, kind):
    parameters = alone(together, kind, "float64")[1]
    found = together(cases.train, 2, kind, "float64", cases.STEPS, mode)
    _same_bits(found)
    for name, value in parameters.items():
        np.testing.assert_allclose(found[0][1][name], value, rtol=1e-9, atol=1e-12, err_msg=name)


def test_an_overflow_on_one_rank_skips_the_step_on_all(together):
    found = together(cases.overflow_on_one_rank, 2)
    for said, weights, scale in found:
        assert said == [(False, 1024.0), (True, 1024.0), (False, 512.0)]
        assert scale == 512.0
        np.testing.assert_array_equal(weights[0], weights[1])
        assert np.abs(weights[2] - weights[1]).max() > 1e-3
    np.testing.assert_array_equal(found[0][1][2], found[1][1][2])


@pytest.mark.parametrize(("kind", "operators"), [("plain", 2), ("scaled", 2), ("user", 2), ("lamb", 12)])
def test_steps_that_fail_leave_nothing(together, kind, operators):
    """Neither gradients nor half a reduction nor half an update: the steps between them are those of a run
    without."""
    expected = together(cases.with_failed_steps, 2, kind, ())
    updates = [f"update {n}" for n in range(1, operators + 1)]
    found = together(cases.with_failed_steps, 2, kind, ("backward", "forward", *updates))
    for ours, theirs in zip(found, expected, strict=True):
        for name, value in theirs.items():
            np.testing.assert_array_equal(ours[name], value, err_msg=name)


@pytest.mark.parametrize("kind", ["plain", "scaled", "user"])
def test_a_fault_at_every_operator_leaves_nothing(together, kind):
    for operators, losses, without in together(cases.a_fault_at_every_operator, 2, kind):
        assert operators > 50
        assert losses == without


@pytest.mark.parametrize("kind", ["plain", "scaled", "micro", "user", "accumulated"])
def test_gradients_are_reduced_once_for_each_update(together, kind):
    assert together(cases.reductions, 2, kind) == [[1, 1], [1, 1]]


@pytest.mark.parametrize("own", [False, True])
def test_layerwise_parallel_weights_keep_their_process_s_gradient(together, own):
    alone = [together(cases.a_weight_of_its_own, 1, own, shard)[0] for shard in range(2)]
    found = together(cases.a_weight_of_its_own, 2, own)
    for rank in range(2):
        np.testing.assert_allclose(found[rank][0], alone[rank][0], rtol=1e-12)
        np.testing.assert_allclose(found[rank][1], (alone[0][1] + alone[1][1]) / 2, rtol=1e-12)
    assert np.abs(found[0][0] - found[1][0]).max() > 1e-4


@pytest.mark.parametrize("own", [False, True])
def test_a_layer_can_be_frozen_and_thawed(together, own):
    (alone, last), = together(cases.freezing, 1, own)
    for seen, weight in together(cases.freezing, 2, own):
        np.testing.assert_allclose(seen, alone, rtol=1e-9)
        np.testing.assert_allclose(weight, last, rtol=1e-9)
    assert np.abs(alone[1] - alone[0]).max() > 1e-4
    assert np.abs(alone[5] - alone[3]).max() > 1e-4


@pytest.mark.parametrize(("mean", "degree", "group", "size"), [
    (True, None, False, 2), (False, None, False, 2), (True, 8, False, 2), (True, 2, True, 2),
    (None, None, False, 4),
])
def test_explicit_gradients(together, mean, degree, group, size):
    """Sum times 1/degree where mean; half precision is summed in Float32; layerwise_parallel stays."""
    factor = sum(range(1, size + 1)) * (1 / (degree or size) if mean else 1)
    for rank, (reduced, given) in enumerate(together(cases.explicit, size, mean, degree, group)):
        assert [dtype for dtype, _ in reduced] == ["Float32", "Float32", "Float16", "BFloat16"]
        np.testing.assert_allclose(reduced[0][1], np.full(2, factor), rtol=1e-6)
        np.testing.assert_array_equal(reduced[1][1], given[1])
        np.testing.assert_array_equal(given[1], np.full(3, 2.0 * (rank + 1)))
        # 40000 + inf (80000 in Float16) stays inf; below, Float16 would overflow at 65504 before the mean.
        low = np.float32(np.float16(40000.0))
        scale = np.float32(factor / sum(range(1, size + 1)))
        with np.errstate(over="ignore"):
            ranks = [np.float32(np.float16(low * (r + 1))) for r in range(size)]
            expected = np.float32(np.float16(np.float32(sum(ranks)) * scale))
        np.testing.assert_array_equal(reduced[2][1], np.full(4, expected))
        assert abs(reduced[3][1][0] / (0.1 * factor) - 1) < 2**-7


@pytest.mark.parametrize(("size", "chunk"), [(2, 96), (3, 64), (4, 4096)])
def test_large_gradients_are_summed_in_the_order_of_ranks(together, size, chunk):
    found = together(cases.large_gradients, size, chunk)
    kinds = [np.float32, np.float64, np.float32, np.float32]
    for i, kind in enumerate(kinds):
        total = sum(one[1][i].astype(kind) for one in found) * kind(1 / size)
        if i == 2:
            total = total.astype(np.float16)
        for reduced, _, dtypes in found:
            # (a small one is in a bucket, whose order of summation is Gloo's)
            np.testing.assert_allclose(reduced[i], total.astype(np.float64), rtol=1e-6 if i == 3 else 0)
            assert dtypes == ["float32", "float64", "float16", "float32"]


@pytest.mark.parametrize("kind", ["plain", "user", "functional"])
def test_parameters_of_rank_0_for_all_where_asked(together, kind):
    (a, _), (b, _) = together(cases.broadcast_of_parameters, 2, True, kind)
    np.testing.assert_array_equal(a, b)
    found = together.outcomes(cases.broadcast_of_parameters, 2, False, kind)
    (a, _), (b, _) = (one["result"][1] for one in found)
    assert np.abs(a - b).max() > 0.5                    # as in MindSpore: who does not ask keeps them apart
    assert "1 of 6 parameters have different values on the 2 processes, 'fc1.weight' first" in found[0]["log"]


@pytest.mark.parametrize(("what", "said"), [
    ("shape", "rank 0 has 'weight' of float32 (4, 3), rank 1 has 'weight' of float32 (5, 3)."),
    ("missing", "rank 0 also has 'bias' of float32 (4,)."),
])
def test_different_parameters_are_named(together, what, said):
    for one in together.outcomes(cases.different_parameters, 2, what):
        kind, name, text = one["result"][:3]
        assert (kind, name) == ("error", "ValueError"), one
        assert text == f"The processes train different parameters: {said}"


REAL = [
    ("py", True, False, 1.0, [(11.429004, 8.323731, 4.370848), (5.483866, 3.1658213, 1.065862)],
     [[0.22629901766777039, -0.5513597726821899, -0.592251718044281],
      [0.7753996253013611, -1.0169421434402466, -0.324155330657959]],
     [0.7640336751937866, -0.762529730796814]),
    ("graph", False, False, 1.0, [(11.429004, 5.7964826, 1.6163278), (5.483866, 1.6443138, 1.5165774)],
     [[0.9850577116012573, -0.061205655336380005, 0.3004634380340576],
      [0.07380247116088867, -1.2196428775787354, -0.2950979471206665]],
     [1.1411073207855225, -1.1396987438201904]),
    ("graph", True, True, 8.0, [(11.429004, 2.7714646, 6.35053), (5.483866, 9.242562, 5.586073)],
     [[-0.004900336265563965, -1.3086416721343994, 1.5667122602462769],
      [0.8001121878623962, 0.5967450141906738, -0.8138251304626465]],
     [-0.5370709896087646, 0.5544785261154175]),
]


@pytest.mark.parametrize(("mode", "mean", "broadcast", "sens", "losses", "weight", "bias"), REAL)
def test_the_real_one_on_two_ranks(together, mode, mean, broadcast, sens, losses, weight, bias):
    """The same program under msrun --worker_num 2, MindSpore 2.10.0 on the CPU, gave these numbers."""
    found = together(cases.real_program, 2, mode, mean, broadcast, sens)
    for rank, (got, w, b, devices) in enumerate(found):
        np.testing.assert_allclose(got, losses[rank], rtol=2e-6)
        np.testing.assert_allclose(w, weight, rtol=1e-5, atol=1e-6)
        np.testing.assert_allclose(b, bias, rtol=1e-5, atol=1e-6)
        assert devices == 1
