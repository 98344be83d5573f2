"""Layers with torch's arguments (``mindspore.mint.nn``)."""

from __future__ import annotations

import numpy as np

from ms2torch._core.tensor.dtype import float32
from ms2torch._core.tensor.tensor import Tensor
from ms2torch._naming.surface import install_lazy
from ms2torch.common.initializer import Normal, initializer
from ms2torch.common.parameter import Parameter
from ms2torch.nn.cell import Cell
from ms2torch.nn.layer.basic import Identity, Linear

from . import functional
from ._convolutions import *  # noqa: F403
from ._normalization import *  # noqa: F403
from ._plain import *  # noqa: F403


class EmbeddingExt(Cell):
    """Rows of a table by their numbers (``mindspore.mint.nn.Embedding``), from N(0, 1).

    The row ``padding_idx`` starts at 0 and gets no gradient. ValueError for ``sparse``, or for a
    ``_weight`` of another shape.
    """

    def __init__(self, num_embeddings, embedding_dim, padding_idx=None, max_norm=None, norm_type=2.0,
                 scale_grad_by_freq=False, sparse=False, _weight=None, _freeze=False, dtype=None) -> None:
        super().__init__()
        if sparse:
            raise ValueError("For Embedding, the scenerio, where `sparse` is True, has not be supported.")
        self.num_embeddings, self.embedding_dim, self.padding_idx = num_embeddings, embedding_dim, padding_idx
        self.max_norm, self.norm_type, self.scale_grad_by_freq = max_norm, norm_type, scale_grad_by_freq
        self.dtype = float32 if dtype is None else dtype
        shape = (num_embeddings, embedding_dim)
        if _weight is None:
            _weight = initializer(Normal(1, 0), shape, dtype=self.dtype).init_data() if all(shape) else \
                Tensor(np.zeros(shape), self.dtype)
            if padding_idx is not None:
                _weight[padding_idx] = 0
        elif tuple(_weight.shape) != shape:
            raise ValueError("For Embedding, shape of weight should be match with num_embeddings and "
                             f"embedding_dim, but got weight.shape: {_weight.shape}, and (num_embeddings, "
                             f"embedding_dim): {shape}")
        self.weight = Parameter(_weight, name="weight", requires_grad=not _freeze)

    def construct(self, input):
        return functional.embedding(input, self.weight, self.padding_idx, self.max_norm, self.norm_type,
                                    self.scale_grad_by_freq)

    def extend_repr(self) -> str:
        return (f"num_embeddings={self.num_embeddings}, embedding_dim={self.embedding_dim}, "
                f"padding_idx={self.padding_idx}, max_norm={self.max_norm}, norm_type={self.norm_type}, "
                f"scale_grad_by_freq={self.scale_grad_by_freq}, dtype={self.dtype}")


class PReLUExt(Cell):
    """x where positive, else a trained slope times x, one for all or for each channel.

    (``mindspore.mint.nn.PReLU``.)
    """

    def __init__(self, num_parameters=1, init=0.25, dtype=None) -> None:
        super().__init__()
        slopes = Tensor(np.full(num_parameters, init), float32 if dtype is None else dtype)
        self.weight = Parameter(slopes, name="weight")

    def construct(self, input):
        return functional.prelu(input, self.weight)


Embedding, PReLU = EmbeddingExt, PReLUExt

install_lazy(__name__, globals())
