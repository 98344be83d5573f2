"""Cross entropy with smoothed labels."""
import mindspore.nn as nn
from mindspore import Tensor
from mindspore.common import dtype as mstype
from mindspore.ops import functional as F
from mindspore.ops import operations as P

try:
    from mindspore.nn.loss.loss import LossBase
except ImportError:
    from mindspore.nn.loss.loss import _Loss as LossBase


class SmoothedCrossEntropy(LossBase):
    def __init__(self, smoothing, classes):
        super(SmoothedCrossEntropy, self).__init__()
        self.one_hot = P.OneHot()
        self.on = Tensor(1.0 - smoothing, mstype.float32)
        self.off = Tensor(smoothing / (classes - 1), mstype.float32)
        self.cross_entropy = nn.SoftmaxCrossEntropyWithLogits(reduction="mean")

    def construct(self, logits, labels):
        return self.cross_entropy(logits, self.one_hot(labels, F.shape(logits)[1], self.on, self.off))
