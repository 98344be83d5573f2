"""mindspore.utils.dlpack: memory shared with other libraries."""
import numpy as np
import pytest
import torch

from ms2torch import Tensor
from ms2torch.utils.dlpack import from_dlpack, to_dlpack


def test_memory_is_shared_both_ways():
    x = Tensor(np.arange(6, dtype=np.float32).reshape(2, 3))
    theirs = torch.from_dlpack(to_dlpack(x))
    theirs[0, 0] = 9
    assert x.asnumpy()[0, 0] == 9
    again = from_dlpack(to_dlpack(x))
    assert again.shape == (2, 3)
    again[1, 2] = -1.0
    assert theirs[1, 2] == -1
    for given in (x, np.ones(3)):
        with pytest.raises(RuntimeError, match="received an invalid capsule"):
            from_dlpack(given)
