"""The loss of language models (``mindspore.parallel._transformer.loss``)."""

from __future__ import annotations

import torch

from ms2torch._core.tensor import dtype as mstype
from ms2torch._core.tensor.tensor import Tensor, wrap
from ms2torch.nn.cell import Cell

from .layers import _FLOATS, _check_input_dtype
from .op_parallel_config import OpParallelConfig, default_dpmp_config

__all__ = ["CrossEntropyLoss"]


class _TokenLoss(torch.autograd.Function):
    """-log(softmax(logits)[label] + 1e-24) with MindSpore's gradient, which leaves the 1e-24 out."""

    @staticmethod
    def forward(ctx, logits, label):
        ctx.save_for_backward(logits, label)
        probability = torch.softmax(logits.float(), -1)
        hit = _one_hot(label, logits)
        return -(torch.log(probability + 1e-24) * hit).sum(-1)

    @staticmethod
    def backward(ctx, gradient):
        logits, label = ctx.saved_tensors
        difference = torch.softmax(logits.float(), -1) - _one_hot(label, logits)
        return (difference * gradient[:, None]).to(logits.dtype), None


def _one_hot(label, logits):
    """A row of zeros for a label outside the classes, as MindSpore's OneHot gives."""
    classes = torch.arange(logits.shape[-1], device=logits.device)
    return (label[:, None] == classes).float()


class CrossEntropyLoss(Cell):
    """The mean of the tokens' cross-entropies, weighted by a mask
    (``mindspore.nn.transformer.CrossEntropyLoss``).

    ``construct(logits (N, C), label (N,), input_mask (N,))`` gives
    ``sum(loss * mask) / (sum(mask) + 1e-5)`` in float32, of shape (1,). TypeError for other dtypes than
    float16 or float32, int32, float32.
    """

    def __init__(self, parallel_config=default_dpmp_config) -> None:
        super().__init__()
        if not isinstance(parallel_config, OpParallelConfig):
            raise TypeError(
                "For 'CrossEntropyLoss', the class variable 'parallel_config' must be OpParallelConfig"
                f", but got the type: {type(parallel_config)}."
            )

    def construct(self, logits, label, input_mask):
        for name, value in (("logits", logits), ("label", label), ("input_mask", input_mask)):
            if not isinstance(value, Tensor):
                raise TypeError(f"For {self.cls_name}, the {name} must be a tensor, but got {type(value)}.")
        _check_input_dtype(logits.dtype, "logits", _FLOATS, self.cls_name)
        _check_input_dtype(label.dtype, "label", [mstype.int32], self.cls_name)
        _check_input_dtype(input_mask.dtype, "input_mask", [mstype.float32], self.cls_name)
        mask = input_mask._t.reshape(-1)
        losses = _TokenLoss.apply(logits._t, label._t)
        return wrap((losses * mask).sum() / (mask.sum() + mask.new_tensor([1e-5])))
