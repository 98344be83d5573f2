"""Groups of ranks: what two of four share, the other two do not see."""

import numpy as np
import pytest

from tests.distributed import group_cases as cases


@pytest.mark.parametrize("layer", ["nn", "mint"])
def test_pairs_normalise_and_reduce_among_themselves(together, layer):
    """Each pair trains as one process does with plain batch normalisation on the pair's data."""
    found = together(cases.train_in_groups, 4, layer)
    for rank, (parameters, gradient) in enumerate(found):
        (alone, whole), = together(cases.train_in_groups, 1, layer, rank // 2)
        assert parameters.keys() == alone.keys()
        for name, value in alone.items():
            np.testing.assert_allclose(parameters[name], value, rtol=1e-9, atol=1e-12, err_msg=name)
            assert parameters[name].tobytes() == found[rank ^ 1][0][name].tobytes(), name
        # The loss of a rank is the mean over half of the pair's data.
        np.testing.assert_allclose(gradient, 2 * whole[rank % 2::2], rtol=1e-9, atol=1e-12)
    assert np.abs(found[0][0]["weight"] - found[2][0]["weight"]).max() > 1e-3


@pytest.mark.parametrize(("group", "degree"), [(False, None), (True, None), (True, 2)])
def test_a_reducer_s_group_and_layerwise_parallel_on_four_ranks(together, group, degree):
    for rank, (shared, own) in enumerate(together(cases.own_gradients, 4, group, degree)):
        members = cases.PAIRS[rank // 2] if group else range(4)
        # Without a degree MindSpore's reducer divides by the number of all processes, whatever the group.
        mean = sum(10.0**r for r in members) / (degree or 4)
        np.testing.assert_allclose(shared, np.full(2, mean), rtol=1e-15)
        np.testing.assert_array_equal(own, np.full(3, 10.0**rank))
