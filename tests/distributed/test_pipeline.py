"""Stages of a network on different processes: each trains what one process trains with all of them."""

import numpy as np
import pytest

import ms2torch as ms
from ms2torch._core.torch_private import SPREADS
from scripts.parallel_proof import formula
from tests.distributed import pipeline_cases as cases

pytestmark = pytest.mark.skipif(not SPREADS, reason="wants a torch newer than 2.4")

_GPIPE = {"pipeline_config": {"pipeline_scheduler": "gpipe", "pipeline_interleave": True}}


def _compared(together, size, trainings):
    """For each training the share of weights and states that each rank holds; all end where one process
    ends."""
    alone, *_ = together(cases.several, 1, [(args[:3], {"optimizer": settings.get("optimizer", "adam")})
                                            for args, settings in trainings], timeout=100)
    ranks = together(cases.several, size, trainings, timeout=100)
    shares = []
    for i, (losses, values, whole, _) in enumerate(alone):
        # (Norms for clipping are of Float32.)
        limit = 1e-7 if trainings[i][0][1] == "clipped" else 1e-12
        for mine, parameters, *_ in [rank[i] for rank in ranks]:
            np.testing.assert_allclose(mine, losses, rtol=limit)
            assert parameters
            for name, value in parameters.items():
                np.testing.assert_allclose(value, values[name], rtol=limit, atol=limit, err_msg=name)
        assert {name for rank in ranks for name in rank[i][1]} == set(values)
        shares.append([sum(rank[i][2].values()) / sum(whole.values()) for rank in ranks])
    return shares


def test_stages_train_what_one_process_trains(together):
    """By train cells and functional steps, with state, random numbers, a weight of two stages, clipping, sums
    of gradients."""
    shares = _compared(together, 2, [
        (("mlp", "cell", 2), {}), (("normed", "functional", 2), {}), (("transformer", "clipped", 2), {}),
        (("llama", "scaled", 2), {}), (("mlp", "auto", 2), {}),
        (("mlp", "cell", 2), {"optimizer": "momentum", **_GPIPE}), (("llama", "accumulated", 2), {}),
        (("tied", "cell", 2), {})])
    for of_mlp in (shares[0], shares[4], shares[5]):
        assert of_mlp == pytest.approx([0.5, 0.5], abs=0.01)
    # A layer has 648 numbers, with moments thrice; the table, 128, is on both stages, its moments on one.
    assert shares[3] == pytest.approx([3 * 776 / 4272, (3 * 648 + 128) / 4272], abs=0.01)


def test_optimizers_update_their_stage(together):
    """LARS, one of the kind with open groups, and a program's own, with a weight of two stages."""
    shares = _compared(together, 2, [(("llama", "functional", 2), {"optimizer": "own"}),
                                     (("transformer", "functional", 2), {"optimizer": "mint"}),
                                     (("llama", "cell", 2), {"optimizer": "lars"})])
    assert max(shares[0]) < 0.6


_SHARED = {"enable_parallel_optimizer": True,
           "parallel_optimizer_config": {"parallel_optimizer_threshold": 0, "optimizer_level": "level1"}}


@pytest.mark.parametrize(("args", "settings"), [
    (("mlp", "cell", 4), {}), (("mlp", "functional", 2, 1, 2), {}), (("mlp", "cell", 2), _SHARED)])
def test_products(together, args, settings):
    """Four stages; two, each with matrices in two parts, or with an optimizer that two processes share."""
    assert _compared(together, 4, [(args, settings)]) == [pytest.approx([0.25] * 4, abs=0.01)]


def test_eight_processes(together):
    """Two stages of which a part of each matrix is on two processes, which share it as well."""
    level3 = {**_SHARED, "parallel_optimizer_config": {"parallel_optimizer_threshold": 0,
                                                       "optimizer_level": "level3"}}
    shares = _compared(together, 8, [(("llama", "cell", 2, 2, 2),
                                      {**level3, "dataset_strategy": ((2, 1), (2, 1))})])
    assert max(shares[0]) < 0.18


@pytest.mark.parametrize(("model", "dp", "tp", "pp"), [
    ("mlp", 1, 2, 2), ("mlp", 2, 2, 2), ("llama", 2, 2, 1), ("transformer", 2, 2, 2), ("resnet", 2, 1, 1)])
def test_bytes_on_the_wire(together, model, dp, tp, pp):
    """Sums over dp and tp, and what crosses the border of two stages: nothing is sent twice."""
    training = (model, "cell", pp, dp, tp), {"dataset_strategy": ((dp, 1), (dp, 1))}
    ranks = together(cases.several, dp * tp * pp, [training], timeout=100)
    for rank, ((*_, sent),) in enumerate(ranks):
        assert sent <= 1.1 * formula(model, dp, tp, pp, 0, rank // (dp * tp))


@pytest.mark.parametrize(("kind", "size"), [("mlp", 2), ("transformer", 2), ("tied", 2)])
def test_evaluation_goes_through_the_stages(together, kind, size):
    alone, = together(cases.evaluated, 1, kind, 1)
    for mine in together(cases.evaluated, size, kind, size):
        for found, wanted in zip(mine, alone, strict=True):
            np.testing.assert_allclose(found, wanted, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("layouts", [[(2, 1, 2), (1, 1, 4), (4, 1, 1)], [(1, 2, 2), (2, 2, 1)]])
def test_trainings_go_on_in_other_stages(together, tmp_path, layouts):
    """`Model.build` lays out a network in stages for a checkpoint of another layout."""
    alone, = together(cases.resumed, 1, str(tmp_path / "alone"), [(1, 1, 1)] * len(layouts))
    for losses in together(cases.resumed, 4, str(tmp_path / "spread"), layouts):
        np.testing.assert_allclose(losses, alone, rtol=1e-12)


@pytest.mark.parametrize(("size", "mp"), [(2, 1), (4, 2)])
def test_layouts_in_stages_are_inferred_before_a_step(together, size, mp):
    (alone, *_), = together(cases.predicted, 1, 1, 1)
    for rank, (outputs, layout, held) in enumerate(together(cases.predicted, size, 2, mp)):
        for found, wanted in zip(outputs, alone, strict=True):
            np.testing.assert_allclose(found, wanted, rtol=1e-12, atol=1e-12)
        first = rank // mp * 2
        assert layout == {f"layers.{i}.{name}": shape for i in (first, first + 1) for name, shape in (
            ("a", [cases.WIDTH, 16 // mp]), ("b", [16 // mp, cases.WIDTH]))}
        assert held == 4 * cases.WIDTH * 16 // mp


@pytest.mark.parametrize("size", [2, 4])
def test_stages_that_share_a_weight_take_that_of_the_first(together, size):
    """A weight of several stages was loaded on the first: before they exchange it the last has another."""
    ((first, _, wanted), whole), = together(cases.shared, 1, 1)
    for (unlaid, before, after), held in together(cases.shared, size, 2):
        np.testing.assert_allclose(unlaid, first, rtol=1e-12, atol=1e-12)
        np.testing.assert_allclose(after, wanted, rtol=1e-12, atol=1e-12)
        assert np.abs(before - wanted).max() > 1e-3
        assert 16 * cases.WIDTH <= held < whole


def test_a_stage_that_dies_is_named(together):
    found = together.outcomes(cases.left, 2, timeout=40, env={"MS2TORCH_COMM_TIMEOUT": "5"})
    text, seconds = found[0]["result"][1]
    assert text.startswith("Rank 0 failed in a pipeline's step, operation 4: rank 1 (process ")
    assert "is gone" in text
    assert seconds < 10


def test_errors_and_checkpoints(together, tmp_path):
    for said, values, saved, held in together(cases.refused, 2, str(tmp_path)):
        assert saved == held
        assert len(held) < len(values)
        assert [one.partition(":")[0] for one in said] == [
            "NotImplementedError", "ValueError", "NotImplementedError", "ValueError", "ValueError",
            "NotImplementedError", "RuntimeError"]
        assert "nn.PipelineCell" in said[0]
        assert said[1].endswith("The size of micro_batch must be greater than or equal to stage_num. But got "
                                "the size of micro_batch is 1 and the stage_num is 2.")
        assert "no Cell of the network has pipeline_stage 1" in said[3]
        assert "stages go upwards" in said[4]
        assert "pipeline_interleave" in said[5]
        assert "belongs to pipeline stage" in said[6]
    ms.merge_pipeline_strategys(str(tmp_path / "strategy"), str(tmp_path / "merged.ckpt"))
    ms.transform_checkpoints(str(tmp_path), str(tmp_path / "made"), "whole", str(tmp_path / "merged.ckpt"))
    whole = ms.load_checkpoint(str(tmp_path / "made" / "rank_0" / "whole0.ckpt"))
    assert set(whole) == set(values)
    for name, value in values.items():
        np.testing.assert_array_equal(whole[name].asnumpy(), value)
