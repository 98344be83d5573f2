"""Words that choose how a loss reduces, in any case or of other lists, and words that are none."""

import mindspore as ms
import numpy as np
from mindspore import Parameter, Tensor, mint, ops
from mindspore.mint.nn import functional as F

from tests.reference.judge import case
from tests.reference.test_wrong_calls import said

X = Tensor(np.array([[0.1, 0.2], [0.3, 0.4]], np.float32))
LABELS, SIGNS = Tensor([0, 1], ms.int32), Tensor([1.0, -1.0], ms.float32)
_LOSSES = {
    "F.binary_cross_entropy": lambda w: F.binary_cross_entropy(X, X * 2, reduction=w),
    "F.binary_cross_entropy_with_logits": lambda w: F.binary_cross_entropy_with_logits(X, X, reduction=w),
    "F.nll_loss": lambda w: F.nll_loss(X, LABELS, reduction=w),
    "F.smooth_l1_loss": lambda w: F.smooth_l1_loss(X, X * 2, w),
    "ops.nll_loss": lambda w: ops.nll_loss(X, LABELS, reduction=w),
    "ops.binary_cross_entropy": lambda w: ops.binary_cross_entropy(X, X * 2, reduction=w),
    "ops.binary_cross_entropy_with_logits": lambda w: ops.binary_cross_entropy_with_logits(X, X, X, X, w),
    "ops.smooth_l1_loss": lambda w: ops.smooth_l1_loss(X, X * 2, 1.0, w),
    "ops.margin_ranking_loss": lambda w: ops.margin_ranking_loss(X[0], X[1], SIGNS, reduction=w),
    "ops.multilabel_soft_margin_loss": lambda w: ops.multilabel_soft_margin_loss(X, X, reduction=w),
    "ops.cosine_embedding_loss": lambda w: ops.cosine_embedding_loss(X, X, SIGNS, reduction=w),
    "ops.BinaryCrossEntropy": lambda w: ops.BinaryCrossEntropy(w)(X, X * 2),
    "ops.BCEWithLogitsLoss": lambda w: ops.BCEWithLogitsLoss(w)(X, X, X, X),
    "ops.NLLLoss": lambda w: ops.NLLLoss(w)(X, LABELS, SIGNS * SIGNS),
    "ops.SmoothL1Loss": lambda w: ops.SmoothL1Loss(1.0, w)(X, X * 2)}
_WORDS = ("MEAN", "Sum", "NONE", "same", "nothing")


def computed(function, word):
    """The number, or what is said of the word."""
    told = said(function, (word,), {})
    return function(word) if told == "value" else told


@case(each={"name": list(_LOSSES)})
def test_how_a_loss_reduces(name):
    """A word of another list stands for its number there, in MindSpore."""
    return [computed(_LOSSES[name], word) for word in _WORDS]


@case()
def test_words_that_are_none():
    def ctc(word):
        return ops.ctc_loss(Tensor(np.zeros((3, 1, 3), np.float32)), Tensor([[1]], ms.int32),
                            Tensor([3], ms.int32), Tensor([1], ms.int32), reduction=word)

    makes = (ctc, lambda w: ops.MultiMarginLoss(reduction=w), ops.MultilabelMarginLoss,
             lambda w: ops.TripletMarginLoss(reduction=w), lambda w: mint.searchsorted(X[0], X, side=w),
             lambda w: ops.searchsorted(X[0], X, side=w), lambda w: ops.Dropout2D(w), lambda w: ops.Dropout3D(w))
    return [[said(make, (word,), {}) for word in ("MEAN", "nothing", 2)] for make in makes]


@case(each={"dtype": [np.uint16, np.uint32, np.uint64, np.int8]})
def test_parameters_of_small_integers(dtype):
    """What has no sign wraps round."""
    held = Parameter(Tensor(np.array([1, 1], dtype)), name="held")
    value = Tensor(np.array([1, 2], dtype))
    return ops.assign_add(held, value).copy(), ops.assign_sub(held, value + value).copy()


@case()
def test_softmax_without_axes():
    """-1 is computed here, where MindSpore's kernel cannot be made."""
    x = Tensor(1.5, ms.float32)
    return ops.log_softmax(x, 0), said(ops.log_softmax, (x, 1), {}), said(ops.LogSoftmax(1), (x,), {}), \
        said(ops.Argmax(0), (x,), {}), said(F.log_softmax, (x, 1), {}), said(F.log_softmax, (X, -3), {})
