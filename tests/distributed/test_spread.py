"""Strategies of operators and Cells: processes that hold parts of a network train what one process trains."""

from types import SimpleNamespace

import numpy as np
import pytest

from ms2torch import Tensor, ops
from ms2torch._core.processes import spread
from ms2torch._core.torch_private import SPREADS, Replicate, Shard
from ms2torch.convert import sources
from ms2torch.parallel import Layout
from ms2torch.parallel._strategies import with_strategies
from tests.distributed import spread_cases as cases

pytestmark = pytest.mark.skipif(not SPREADS, reason="wants a torch newer than 2.4")

_alone: dict = {}


def _compared(together, size, kind, dp, mp, **settings):
    """The share that a rank keeps of each parameter, after training was found equal to one process's."""
    key = kind, settings.get("optimizer", "adam")
    if key not in _alone:
        _alone[key] = together(cases.call, 1, kind, 1, 1, {"optimizer": key[1]})[0]
    losses, values, whole = _alone[key]
    found = together(cases.call, size, kind, dp, mp, settings, timeout=120)
    for mine, parameters, _ in found:
        np.testing.assert_allclose(mine, losses, rtol=1e-12)
        for name, value in values.items():
            np.testing.assert_allclose(parameters[name], value, rtol=1e-12, atol=1e-12, err_msg=name)
    return {name: count / whole[name] for name, count in found[0][2].items()}


@pytest.mark.parametrize("kind", ["mlp", "transformer", "llama", "resnet"])
def test_split_networks_train_as_whole_ones(together, kind):
    """Weights that operators want in halves are kept in halves, and what the optimizer keeps of them too."""
    kept = _compared(together, 2, kind, 1, 2)
    halves = {name for name, share in kept.items() if share == 0.5}
    assert len(halves) == 3 * {"mlp": 3, "transformer": 13, "llama": 15, "resnet": 1}[kind]


@pytest.mark.parametrize(("size", "dp", "mp", "settings"), [
    (2, 2, 1, {}), (4, 2, 2, {}), (2, 1, 2, {"full_batch": True, "monitored": True}),
    (2, 1, 2, {"optimizer": "lamb"}),
    (2, 1, 2, {"mode": "auto_parallel", "search_mode": "sharding_propagation"}),
])
def test_meshes_batches_and_optimizers(together, size, dp, mp, settings):
    _compared(together, size, "mlp", dp, mp, **settings)


@pytest.mark.parametrize("settings", [
    {}, {"full_batch": True},
    {"dataset_strategy": (Layout((2, 2), ("dp", "mp"))(("dp", "mp"), "None"),) * 2},
])
def test_layouts_of_named_axes(together, settings):
    """Where they are interleaved too, and for what comes in."""
    kept = _compared(together, 4, "layouts", 2, 2, **settings)
    assert list(kept.values()).count(0.5) == 3 * 3


def test_moving_statistics_on_a_mesh_of_two_axes(together):
    _compared(together, 4, "resnet", 2, 2)


def test_written_elements(together):
    _compared(together, 4, "writing", 2, 2, full_batch=True)


def test_what_autograd_saved_is_not_written(together):
    (losses, *_), = together(cases.call, 1, "writing", 1, 1, {})
    for mine, *_ in together(cases.checked_by_autograd, 4, {"full_batch": True}):
        np.testing.assert_allclose(mine, losses, rtol=1e-12)


def test_a_step_that_fails_writes_nothing(together):
    for before, after in together(cases.failing, 4):
        np.testing.assert_array_equal(after, before)


def test_operators_whose_inputs_line_up_otherwise(together):
    _compared(together, 4, "unaligned", 2, 2)


def test_means_meet_sums(together):
    _compared(together, 4, "means", 2, 2, full_batch=True)


def test_an_optimizer_that_changes_gradients_first(together):
    kept = _compared(together, 4, "mlp", 2, 2, optimizer="clipped", enable_parallel_optimizer=True,
                     parallel_optimizer_config={"parallel_optimizer_threshold": 0})
    assert kept["net.a"] == kept["adam_m.net.a"] == 0.25


def test_trainings_go_on_in_other_layouts(together, tmp_path):
    layouts = (2, 2), (1, 4), (4, 1)
    (alone,) = together(cases.continued, 1, str(tmp_path / "alone"), layouts)
    for losses in together(cases.continued, 4, str(tmp_path / "spread"), layouts):
        np.testing.assert_allclose(losses, alone, rtol=1e-12)


def test_products_of_spread_stacks(together):
    for found in together(cases.products, 4):
        np.testing.assert_array_less(found, 1e-13, err_msg=str(cases.PRODUCTS))


def test_layouts_over_processes_in_another_order_are_told_of_and_in_order(capsys):
    laid = [spread.of_strategy("MatMul", {}, (Layout((2, 2), ("a", "b"), rank_list=order)("a", "b"),), (2, 2))
            for order in (None, [0, 2, 1, 3], [4, 5, 6, 7])]
    assert laid[0] == laid[1] == laid[2]
    said = capsys.readouterr().err
    assert "not as rank_list=[0, 2, 1, 3] has it, as in MindSpore" in said and "[4, 5" not in said


def test_tuples_and_layouts_do_not_mix():
    of = Layout((2, 2), ("a", "b"))("a", "b")
    for ins, outs in ((((1, 1), (1, 1)), (of,)), ((of, of), ((1, 1),))):
        with pytest.raises(ValueError, match="The in_strategy type must equal to the out_strategy type"):
            ops.MatMul().shard(ins, outs)


def test_what_strategies_share():
    """An operator's inputs share dimensions, which get one axis; a Cell's do not."""
    product = ((2, 1), (1, 8))
    assert spread.parts("MatMul", {}, product) == [(2, 8)]
    assert spread.mesh_sizes([(2, 8)], 16) == (2, 8)
    whole, rows, columns = Replicate(), Shard(0), Shard(1)
    assert spread.of_strategy("MatMul", {}, product, (2, 8)) == [(rows, whole), (whole, columns)]
    inputs = ((4, 1), (2, 2, 1))
    assert spread.parts("Pair", None, inputs) == [(4,), (2, 2)]
    assert spread.of_strategy("Pair", None, inputs, (2, 2)) == [(rows, rows), (rows, columns)]
    with pytest.raises(ValueError, match="a dimension that two inputs share is split in different parts"):
        spread.of_strategy("MatMul", {}, ((1, 4), (2, 1)), (2, 2))
    with pytest.raises(ValueError, match="has other numbers of dimensions than its inputs"):
        spread.parts("MatMul", {}, ((4,), (1, 1)))


def test_a_strategy_has_a_number_for_each_dimension():
    kept = SimpleNamespace(sizes=(2,), laid=lambda x, layout, what, read: x)
    x = Tensor(np.ones((4, 4)))
    assert with_strategies(kept, "Add", {}, (x, 1.0), ((2, 1), ())) == [x, 1.0]
    for cuts in ((2,), (1, 1, 2)):
        with pytest.raises(ValueError, match=f"has {len(cuts)} numbers for a tensor of 2 dimensions"):
            with_strategies(kept, "Add", {}, (x, x), (cuts, cuts))
    for values, count in (((x, x), 1), ((x, x), 3), (((x, x),), 1), ((x, 1.0), 3)):
        with pytest.raises(ValueError, match=f"has {count} parts, which is not equal to inputs size"):
            with_strategies(kept, "Add", {}, values, ((2, 1),) * count)


@pytest.mark.parametrize("level", [1, 3])
def test_optimizer_parallelism_splits_further(together, level):
    kept = _compared(together, 4, "mlp", 2, 2, enable_parallel_optimizer=True, parallel_optimizer_config={
        "parallel_optimizer_threshold": 0, "optimizer_level": f"level{level}"})
    # Columns by mp, rows by dp; rows by mp and each part of them by dp.
    assert {kept[name] for name in ("net.a", "moment1.net.a", "net.b", "moment1.net.b")} == {0.25}


@pytest.mark.parametrize(("kind", "settings"), [
    ("json", {}), ("ckpt", {"enable_parallel_optimizer": True, "parallel_optimizer_config": {
        "parallel_optimizer_threshold": 0}})])
def test_parts_and_the_file_of_how_they_lie_give_the_whole(together, tmp_path, kind, settings):
    import ms2torch as ms

    (before, all_kept), *_ = together(cases.saved, 4, str(tmp_path), 2, 2, {"kind": kind, **settings})
    strategy = str(tmp_path / f"strategy.{kind}")
    ms.transform_checkpoints(str(tmp_path), str(tmp_path / "made"), "whole", strategy)
    for path, values in ((tmp_path / "made" / "rank_0" / "whole0.ckpt", all_kept),
                         (tmp_path / "whole3.ckpt", before)):
        found = ms.load_checkpoint(str(path))
        for name, value in values.items():
            np.testing.assert_array_equal(found[name].asnumpy(), value)
    # As torch saved it from four processes.
    found = sources.open_checkpoint(str(tmp_path / "torch"))
    assert set(found.entries) == set(before) and found.left == ["step"]
    for name, value in before.items():
        np.testing.assert_array_equal(found.entries[name].get().numpy(), value)


def test_strategies_given_before_auto_parallel_hold_in_it(together):
    (losses, whole), = together(cases.under_auto_parallel, 1, False)
    for mine, parts in together(cases.under_auto_parallel, 2, True):
        np.testing.assert_allclose(mine, losses, rtol=1e-6)
        assert whole == [(16, 8), (16,), (8, 16), (8,)]
        assert parts == [(8, 8), (8,), (8, 8), (8,)]


def test_layouts_are_inferred_before_a_step(together):
    """As MindSpore's pages have them: the matrix of devices, for each dimension the axis that splits it,
    counted from the right, and the shape of a part."""
    (*_, alone), = together(cases.inferred, 1)
    for trained, found, output in together(cases.inferred, 4):
        assert trained == found
        assert {name: layout[:3] for name, layout in found.items()} == {
            "net.a": [[2, 2], [-1, 0], [8, 8]], "net.b": [[2, 2], [0, -1], [8, 8]],
            "net.bias": [[2, 2], [0], [8]]}
        np.testing.assert_allclose(output, alone, rtol=1e-12, atol=1e-12)


def test_a_compiled_train_cell_has_its_weights_in_parts(together):
    """So that a checkpoint of a rank's own parts is loaded before the first step, as in MindSpore."""
    for (a, b), (rows, columns) in together(cases.compiled_first, 4, 2, 2):
        assert (a, b) == ((rows, columns // 2), (columns // 2, rows))
