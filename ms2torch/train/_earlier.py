"""What mixed precision had that MindSpore has dropped; ``_naming/data/aliases.tsv`` has their paths."""

from __future__ import annotations

import numpy as np

from ms2torch.common.dtype import float16
from ms2torch.common.tensor import Tensor
from ms2torch.nn.cell import Cell


def init_status() -> Tensor:
    """Eight zeros, which Ascend's overflow flags were read into (``mindspore.amp.init_status``, 1.10);
    elsewhere ``amp.all_finite`` looks at the gradients themselves."""
    return Tensor(np.zeros(8, np.float32))


class OutputTo16(Cell):
    """A Cell whose result is cast to Float16 (``mindspore.train.amp.OutputTo16``, 1.1 and 1.2)."""

    def __init__(self, op) -> None:
        super().__init__(auto_prefix=False)
        self._op = op

    def construct(self, x):
        return self._op(x).astype(float16)
