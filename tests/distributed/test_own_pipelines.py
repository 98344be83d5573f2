"""Pipelines that programs write themselves train in stages what one process trains."""

import numpy as np
import pytest

from ms2torch._core.torch_private import SPREADS
from tests.distributed import own_pipeline_cases as cases

pytestmark = pytest.mark.skipif(not SPREADS, reason="wants a torch newer than 2.4")


@pytest.mark.parametrize(("stages", "mp", "shares"),
                         [(2, 1, "alike"), (2, 2, "alike"), (2, 1, "fixed"), (2, 1, "told")])
def test_micro_batches_of_a_program(together, stages, mp, shares):
    """Losses of several kinds, sums of gradients, a norm over all stages; with matrices in parts, and
    gradients that the program gives. Where the losses' sensitivities differ a step runs a second time, and
    draws the same."""
    (figures, values), = together(cases.train, 1, 1, 1, shares)
    ranks = together(cases.train, stages * mp, stages, mp, shares)
    for mine, held in ranks:
        np.testing.assert_allclose(mine, figures, rtol=1e-12)
        assert len(held) == len(values) // stages
        for name, value in held.items():
            np.testing.assert_allclose(value, values[name], rtol=1e-12, atol=1e-12, err_msg=name)
    assert {name for _, held in ranks for name in held} == set(values)
