"""torch's errors told as MindSpore's."""

import pytest
import torch

from ms2torch import Tensor, ops
from ms2torch._core.operators.refusals import translate
from ms2torch._core.torch_private import out_of_memory


def test_lack_of_memory_stays_what_it_is():
    """Its text speaks of sizes, as those of wrong shapes do."""
    told = torch.cuda.OutOfMemoryError("CUDA out of memory. Tried to allocate 2.00 GiB; total size 8 GiB")
    assert translate(told, "Add", (torch.ones(2),)) is told
    with pytest.raises(RuntimeError) as err:
        ops.tile(Tensor([1.0]), (1 << 47,))
    assert out_of_memory(err.value)
