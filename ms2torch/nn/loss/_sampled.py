"""SampledSoftmaxLoss: cross entropy over a sample of very many classes."""

from __future__ import annotations

from ms2torch._core.tensor.dtype import int32, int64
from ms2torch._core.tensor.tensor import Tensor

from ._base import LossBase, need_tensor


class SampledSoftmaxLoss(LossBase):
    """Cross entropy of each row over its true classes and ``num_sampled`` others
    (``mindspore.nn.SampledSoftmaxLoss``); for training alone.

    ``weights`` is (num_classes, dim), ``biases`` (num_classes,), ``labels`` (batch, num_true) or (batch,),
    ``logits`` the network's last features, (batch, dim). The logarithm of how often a class is expected is
    subtracted from its logit. The others are drawn by `UniformCandidateSampler`, or are ``sampled_values``:
    classes, expected counts of true ones and of drawn ones.
    Gives (batch,); ``reduction`` does not count, as in MindSpore.
    """

    def __init__(self, num_sampled, num_classes, num_true=1, sampled_values=None,
                 remove_accidental_hits=True, seed=0, reduction="none") -> None:
        from ms2torch import ops

        super().__init__(reduction)
        said = f"For '{self.cls_name}', the"
        if num_true < 1:
            raise ValueError(f"{said} 'num_true' must be greater than or equal to 1, but got {num_true}.")
        if seed < 0:
            raise ValueError(f"{said} 'seed' must be greater than or equal to 0, but got {seed}.")
        if num_sampled > num_classes:
            raise ValueError(f"{said} 'num_sampled' must be smaller than or equal to 'num_classes', but got "
                             f"'num_sampled': {num_sampled} and 'num_classes': {num_classes}.")
        if num_true > num_classes:
            raise ValueError(f"{said} 'num_true' must be smaller than or equal to 'num_classes', but got "
                             f"'num_true': {num_true} amd 'num_classes': {num_classes}.")
        if sampled_values is not None:
            if not isinstance(sampled_values, (list, tuple)):
                raise TypeError(f"{said} type of 'sampled_values' must be a list or tuple, but got "
                                f"{type(sampled_values).__name__}.")
            if len(sampled_values) != 3:
                raise ValueError(f"{said} length of 'sampled_values' must be equal to 3,but got "
                                 f"{len(sampled_values)}.")
        self.num_sampled, self.num_classes, self.num_true = num_sampled, num_classes, num_true
        self.sampled_values, self.seed = sampled_values, seed
        self.remove_accidental_hits = remove_accidental_hits
        self.sampler = ops.UniformCandidateSampler(num_true, num_sampled, True, num_classes, seed,
                                                   remove_accidental_hits)
        self.matmul, self.gather_v2 = ops.MatMul(False, True), ops.Gather()

    def construct(self, weights, biases, labels, logits):
        name = self.cls_name
        for label, value in (("weights", weights), ("biases", biases), ("labels", labels),
                             ("logits", logits)):
            need_tensor(label, value, name)
        if isinstance(labels, Tensor) and labels.dtype not in (int32, int64):
            raise TypeError(f"For '{name}', the 'labels' should be one of [mindspore.int32, "
                            f"mindspore.int64], but got 'mindspore.{str(labels.dtype).lower()}'.")
        found = self._logits(weights, biases, labels, logits)
        powers = (found - found.max(axis=1, keepdims=True)).exp()
        told = (powers / powers.sum(1, keepdims=True) + 1e-20).log()
        # The true classes share the probability among them.
        return -1 * (told[:, : self.num_true] * (1 / self.num_true)).sum(1)

    def _logits(self, weights, biases, labels, logits):
        """Those of the true classes, then those of the drawn ones, (batch, num_true + num_sampled)."""
        from ms2torch import ops

        if not isinstance(labels, Tensor):
            raise TypeError("For Primitive[Dtype], the input argument[input_x] must be a Tensor, CSRTensor "
                            f"or COOTensor, but got {type(labels)}.")
        labels = labels.astype(int32).reshape((-1, self.num_true))
        drawn, expected_true, expected_drawn = self.sampled_values or self.sampler(labels)
        drawn = drawn.astype(int32)
        classes = ops.concat((labels.reshape((-1,)), drawn), 0)
        rows, shifts = self.gather_v2(weights, classes, 0), self.gather_v2(biases, classes, 0)
        count = labels.size
        others = self.matmul(logits, rows[count:]) + shifts[count:]
        own = logits.expand_dims(1) * rows[:count].reshape((-1, self.num_true, rows.shape[1]))
        own = own.reshape((-1, rows.shape[1])).sum(1).reshape((-1, self.num_true))
        own = own + shifts[:count].reshape((-1, self.num_true))
        return ops.concat((own - expected_true.log(), others - expected_drawn.log()), 1)
