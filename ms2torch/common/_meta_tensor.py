"""Tensors that are to be filled later, as MindSpore 1.0 and 1.1 had them apart from Tensor."""

from __future__ import annotations

from ms2torch.common.tensor import Tensor

__all__ = ["MetaTensor"]


class MetaTensor:
    """A dtype, a shape and an initializer (``mindspore.MetaTensor``, 1.0 and 1.1); in later releases
    ``Tensor(shape=..., dtype=..., init=...)``."""

    def __init__(self, dtype, shape, init=None) -> None:
        self._dtype, self._shape, self.init = dtype, tuple(shape), init

    @property
    def dtype(self):
        """The dtype."""
        return self._dtype

    @property
    def shape(self) -> tuple:
        """The shape."""
        return self._shape

    def to_tensor(self, slice_index=None, shape=None, opt_shard_group=None) -> Tensor:
        """The Tensor, filled; TypeError without an initializer."""
        if self.init is None:
            raise TypeError("to_dense must be set MetaTensor.init, init can't be None")
        return Tensor(shape=self._shape, dtype=self._dtype, init=self.init).init_data(
            slice_index, shape, opt_shard_group)
