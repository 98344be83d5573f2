"""uint64 from 2^63 on, of which int64 holds a negative number: numpy is the judge."""

import numpy as np
import pytest

from ms2torch import Tensor, ops

RNG = np.random.RandomState(0)
LARGE, MIXED = (RNG.randint(1, 2**64, 64, dtype=np.uint64) for _ in range(2))
MIXED[::3] %= np.uint64(1000)
MIXED += np.uint64(1)


@pytest.mark.parametrize("pair", [(LARGE, MIXED), (MIXED, LARGE), (LARGE, LARGE[::-1].copy())])
@pytest.mark.parametrize("name", ["floor_div", "truncate_div", "less", "maximum"])
def test_two_operands(name, pair):
    judge = np.floor_divide if name.endswith("div") else getattr(np, name)
    assert (getattr(ops, name)(*map(Tensor, pair)).asnumpy() == judge(*pair)).all()


def test_numbers_as_limits():
    assert (ops.clamp(Tensor(LARGE), 3, 5).asnumpy() == 5).all()
