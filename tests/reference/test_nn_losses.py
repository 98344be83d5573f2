"""Losses: values, reductions, gradients, labels of every kind, errors."""
import mindspore as ms
import numpy as np
from mindspore import mint, nn, ops

from tests.reference.judge import case, data
from tests.reference.test_nn_layers import total

REDUCTIONS = ["mean", "sum", "none"]


def tensors(*arrays):
    return [ms.Tensor(a) for a in arrays]


def both(loss, x, *rest):
    def forward(x):
        return total(loss(x, *rest))

    return loss(x, *rest), ms.grad(forward)(x)


def numbers():
    return tensors(data((4, 3)), data((4, 3), seed=1))


def probabilities():
    return ms.Tensor(1 / (1 + np.exp(-data((4, 3))))), ms.Tensor(data((4, 3), "bool", 1).astype(np.float32))


def labels(dtype=np.int32):
    return ms.Tensor(np.array([0, 3, 1, 2], dtype))


LOSSES = {
    "MSELoss": (lambda r: nn.MSELoss(r), numbers), "L1Loss": (lambda r: nn.L1Loss(r), numbers),
    "MAELoss": (lambda r: nn.MAELoss(r), numbers),
    "SmoothL1Loss": (lambda r: nn.SmoothL1Loss(0.5, r), numbers),
    "HuberLoss": (lambda r: nn.HuberLoss(r, 0.5), numbers),
    "KLDivLoss": (lambda r: nn.KLDivLoss(r), lambda: tensors(data((4, 3)), np.abs(data((4, 3), seed=1)))),
    "BCEWithLogitsLoss": (lambda r: nn.BCEWithLogitsLoss(r, pos_weight=ms.Tensor(np.float32([1, 2, 3]))),
                          lambda: (ms.Tensor(data((4, 3))), probabilities()[1])),
    "PoissonNLLLoss": (lambda r: nn.PoissonNLLLoss(reduction=r), numbers),
    "HingeEmbeddingLoss": (lambda r: nn.HingeEmbeddingLoss(reduction=r),
                           lambda: tensors(data((4, 3)), np.sign(data((4, 3), seed=1)))),
    "MarginRankingLoss": (lambda r: nn.MarginRankingLoss(0.1, r),
                          lambda: tensors(data((4,)), data((4,), seed=1), np.sign(data((4,), seed=2)))),
    "CosineEmbeddingLoss": (lambda r: nn.CosineEmbeddingLoss(0.1, r),
                            lambda: tensors(data((4, 3)), data((4, 3), seed=1),
                                            np.array([1, -1, 1, -1], np.int32))),
    "NLLLoss": (lambda r: nn.NLLLoss(reduction=r), lambda: (ms.Tensor(data((4, 4))), labels())),
    "NLLLoss weighted": (lambda r: nn.NLLLoss(ms.Tensor(np.array([1, 2, 3, 4], np.float32)), 2, r),
                         lambda: (ms.Tensor(data((4, 4))), labels())),
    "CrossEntropyLoss": (lambda r: nn.CrossEntropyLoss(reduction=r),
                         lambda: (ms.Tensor(data((4, 4))), labels())),
    "CrossEntropyLoss weighted": (
        lambda r: nn.CrossEntropyLoss(ms.Tensor(np.array([1, 2, 3, 4], np.float32)), 3, r, 0.1),
        lambda: (ms.Tensor(data((4, 4))), labels())),
    "CrossEntropyLoss of probabilities": (
        lambda r: nn.CrossEntropyLoss(reduction=r, label_smoothing=0.2),
        lambda: tensors(data((4, 4)), np.eye(4, dtype=np.float32))),
    "CrossEntropyLoss of images": (
        lambda r: nn.CrossEntropyLoss(reduction=r),
        lambda: tensors(data((2, 4, 3, 3)), np.abs(data((2, 3, 3), "int32")) % 4)),
    "SoftmaxCrossEntropyWithLogits": (
        lambda r: nn.SoftmaxCrossEntropyWithLogits(reduction=r),
        lambda: tensors(data((4, 4)), np.eye(4, dtype=np.float32))),
    "SoftmaxCrossEntropyWithLogits of any labels": (
        lambda r: nn.SoftmaxCrossEntropyWithLogits(reduction=r),
        lambda: tensors(data((4, 4)), np.abs(data((4, 4), seed=1)))),
    "SoftmaxCrossEntropyWithLogits sparse": (
        lambda r: nn.SoftmaxCrossEntropyWithLogits(True, r), lambda: (ms.Tensor(data((4, 4))), labels())),
    "SoftmaxCrossEntropyWithLogits sparse, int64": (
        lambda r: nn.SoftmaxCrossEntropyWithLogits(True, r), lambda: (ms.Tensor(data((4, 4))),
                                                                      labels(np.int64))),
    "FocalLoss": (lambda r: nn.FocalLoss(gamma=2.0, reduction=r),
                  lambda: tensors(data((4, 4)), np.array([[0], [3], [1], [2]], np.int32))),
}


@case(each={"name": list(LOSSES), "reduction": REDUCTIONS}, atol=1e-5, rtol=1e-4,
      reason="sums in another order")
def test_loss_and_its_gradient(name, reduction):
    make, inputs = LOSSES[name]
    return both(make(reduction), *inputs())


@case(each={"reduction": REDUCTIONS}, atol=1e-5, rtol=1e-4, reason="logarithms of another library")
def test_binary_cross_entropy(reduction):
    x, y = probabilities()
    weight = ms.Tensor(np.abs(data((4, 3), seed=3)))

    def forward(x):
        return total(ops.binary_cross_entropy(x, y, weight, reduction))

    return nn.BCELoss(weight, reduction)(x, y), nn.BCELoss(reduction=reduction)(x, y), ms.grad(forward)(x)


@case(each={"reduction": REDUCTIONS}, atol=1e-5, rtol=1e-4, reason="logarithms of another library")
def test_binary_cross_entropy_of_targets_that_are_no_probabilities(reduction):
    x, y = ms.Tensor(np.array([0.5, 0.3, 0.9, 0, 1], np.float32)), ms.Tensor(np.array([2, -1, 0.5, 3, -1], np.float32))
    weight = ms.Tensor(np.array([-1, 0.5, 2, 0, 1], np.float32))
    unknown, known = ms.Tensor(np.array([np.nan, 0.5], np.float32)), ms.Tensor(np.array([1, 0.2], np.float32))

    def forward(x, y, w=weight):
        return total(ops.binary_cross_entropy(x, y, w, reduction))

    return (nn.BCELoss(weight, reduction)(x, y), ops.binary_cross_entropy(x, y, None, reduction),
            mint.nn.functional.binary_cross_entropy(x, y, weight, reduction), ms.grad(forward)(x, y),
            ms.grad(forward, 1)(x[:3], y[:3], weight[:3]), nn.BCELoss(reduction=reduction)(unknown, known),
            ms.grad(forward)(unknown, known, known))


@case
def test_binary_cross_entropy_of_certainty():
    x = ms.Tensor(np.array([0, 1, 1e-12, 1e-10], np.float32))
    return ops.binary_cross_entropy(x, ms.Tensor(np.array([1, 0, 1, 1], np.float32)),
                                    ms.Tensor(np.ones(4, np.float32)), "none")


@case
def test_other_losses():
    a, b = numbers()
    return (nn.RMSELoss()(a, b), nn.DiceLoss()(ops.abs(a), ops.abs(b)), nn.MultiClassDiceLoss()(a, b),
            nn.SmoothL1Loss()(a, b), ops.L2Loss()(a))


@case(each={"reduction": REDUCTIONS})
def test_get_loss(reduction):
    base = nn.LossBase(reduction)
    x = ms.Tensor(data((2, 3)))
    return (base.get_loss(x), base.get_loss(x, 2.0), base.get_loss(x, ms.Tensor(data((3,), seed=1))),
            base.get_loss(ms.Tensor(data((2, 3)), ms.float16)).dtype, base.get_loss(ms.Tensor([1, 2]), 0.5))


@case
def test_users_loss():
    class Mine(nn.LossBase):
        def __init__(self, reduction="mean"):
            super().__init__(reduction)
            self.square = ops.Square()

        def construct(self, logits, target):
            x = self.square(logits - target)
            return self.get_loss(x, 0.5)

    return both(Mine(), *numbers()), Mine("none")(*numbers())


@case
def test_softmax_cross_entropy_primitives():
    x = ms.Tensor(data((4, 4)))
    dense = ops.SoftmaxCrossEntropyWithLogits()(x, ms.Tensor(np.eye(4, dtype=np.float32)))
    return dense, ops.SparseSoftmaxCrossEntropyWithLogits()(x, labels())


@case
def test_labels_out_of_range_count_nothing_unless_mean():
    x = ms.Tensor(data((3, 4)))
    return nn.SoftmaxCrossEntropyWithLogits(True)(x, ms.Tensor(np.array([0, 7, -1], np.int32)))


@case
def test_negative_class_indices_count_from_the_end():
    return ops.cross_entropy(ms.Tensor(data((3, 4))), ms.Tensor(np.array([0, -1, -2], np.int32)))


@case(atol=1e-4, rtol=1e-4, reason="sums in another order", each={"reduction": REDUCTIONS})
def test_ctc(reduction):
    log_probs = ops.log_softmax(ms.Tensor(data((6, 2, 4))), -1)
    lengths = ms.Tensor(np.array([6, 5], np.int32)), ms.Tensor(np.array([2, 1], np.int32))
    return nn.CTCLoss(0, reduction)(log_probs, ms.Tensor(np.array([[1, 2], [3, 1]], np.int32)), *lengths)


@case(atol=1e-4, rtol=1e-4, reason="sums in another order", each={"targets": [[1, 2], [[1, 2]]]})
def test_ctc_of_one_sequence(targets):
    log_probs = ops.log_softmax(ms.Tensor(data((6, 4))), -1)
    lengths = ms.Tensor(np.array([6], np.int32)), ms.Tensor(np.array([2], np.int32))
    return nn.CTCLoss()(log_probs, ms.Tensor(np.array(targets, np.int32)), *lengths)


@case(each={"mixed": [False, True]})
def test_dtypes_of_mse(mixed):
    a = ms.Tensor(data((3,)), ms.float16)
    return nn.MSELoss()(a, ms.Tensor(data((3,), seed=1), ms.float32 if mixed else ms.float16)).dtype


WRONG = {
    "reduction": lambda x: nn.MSELoss("avg"),
    "sparse": lambda x: nn.SoftmaxCrossEntropyWithLogits(1),
    "number": lambda x: nn.MSELoss()(x, 1.0),
    "label of a class too many": lambda x: nn.SoftmaxCrossEntropyWithLogits(True, "mean")(x, labels() + 3),
    "float labels": lambda x: nn.SoftmaxCrossEntropyWithLogits(True, "mean")(x, ms.Tensor(data((4,)))),
    "int one-hot": lambda x: nn.SoftmaxCrossEntropyWithLogits()(x, ms.Tensor(np.eye(4, dtype=np.int32))),
    "one-hot shape": lambda x: nn.SoftmaxCrossEntropyWithLogits()(x, ms.Tensor(data((4, 5)))),
    "three dimensions": lambda x: nn.SoftmaxCrossEntropyWithLogits()(ms.Tensor(data((2, 2, 4))),
                                                                     ms.Tensor(data((2, 2, 4)))),
    "mse shapes": lambda x: nn.MSELoss()(ms.Tensor(data((3, 2))), ms.Tensor(data((3,)))),
    "int64 labels": lambda x: nn.CrossEntropyLoss()(x, labels(np.int64)),
    "batch": lambda x: nn.CrossEntropyLoss()(ms.Tensor(data((3, 4))), labels()),
    "rank": lambda x: nn.CrossEntropyLoss()(ms.Tensor(data((3, 4, 2, 2))), labels()),
    "smoothing": lambda x: nn.CrossEntropyLoss(label_smoothing=2.0),
    "weight": lambda x: nn.CrossEntropyLoss(weight=[1.0]),
    "probability": lambda x: nn.BCELoss()(ms.Tensor(np.array([1.5], np.float32)),
                                          ms.Tensor(np.array([1], np.float32))),
    "bce shape": lambda x: nn.BCELoss()(ms.Tensor(np.array([0.5, 0.5], np.float32)),
                                        ms.Tensor(np.array([1], np.float32))),
    "bce dtype": lambda x: nn.BCELoss()(ms.Tensor(np.float32([0.5])), ms.Tensor(np.int32([1]))),
    "logits shape": lambda x: nn.BCEWithLogitsLoss()(ms.Tensor(data((3, 2))), ms.Tensor(data((3,)))),
    "smooth l1 shape": lambda x: nn.SmoothL1Loss()(ms.Tensor(data((3, 1))), ms.Tensor(data((3,)))),
    "dice": lambda x: nn.DiceLoss()(ms.Tensor(data((3, 2))), ms.Tensor(data((2, 3)))),
}


@case(raises=True, each={"what": list(WRONG)})
def test_errors(what):
    return WRONG[what](ms.Tensor(data((4, 4))))


CLASSES = (ms.Tensor([1, 2, 5, 6], ms.int32), ms.Tensor([[0.5], [0.4], [0.3]]),
           ms.Tensor([0.5, 0.4, 0.3, 0.2]))


@case(each={"labels": [(0, 1, 2), ((0,), (1,), (6,))]})
def test_sampled_softmax(labels):
    loss = nn.SampledSoftmaxLoss(4, 7, 1, CLASSES)
    weights, biases, x = ms.Tensor(data((7, 10))), ms.Tensor(data((7,))), ms.Tensor(data((3, 10)))

    def f(weights, biases, x):
        return loss(weights, biases, ms.Tensor(labels, ms.int32), x).sum()
    return loss(weights, biases, ms.Tensor(labels), x), ms.grad(f, (0, 1, 2))(weights, biases, x)


@case()
def test_sampled_softmax_of_two_true_classes():
    expected = ms.Tensor([[0.5, 0.1], [0.4, 0.2], [0.3, 0.3]])
    loss = nn.SampledSoftmaxLoss(4, 7, 2, (CLASSES[0], expected, CLASSES[2]), reduction="mean")
    return loss(ms.Tensor(data((7, 10))), ms.Tensor(data((7,))), ms.Tensor([[0, 1], [2, 3], [4, 4]]),
                ms.Tensor(data((3, 10))))


@case(each=[{"args": (8, 7)}, {"args": (4, 7, 0)}, {"args": (4, 7, 8)}, {"args": (4, 7, 1, 3)},
            {"args": (4, 7, 1, (1, 2))}, {"args": (4.5, 7)}, {"args": (0, 7)}], raises=True)
def test_sampled_softmax_that_cannot_be_made(args):
    return nn.SampledSoftmaxLoss(*args)


@case
def test_binary_cross_entropy_of_halves_is_rounded_at_each_step():
    x, y, weight = (ms.Tensor((np.arange(1, 21) * k % 21 / 21).astype(np.float16)) for k in (1, 5, 8))
    return [ops.binary_cross_entropy(x, y, w, r) for w in (None, weight) for r in ("none", "mean", "sum")]


@case(each={"reduction": REDUCTIONS}, atol=1e-6, rtol=1e-6, reason="sums in another order")
def test_weights_of_classes_get_a_gradient_by_the_function_alone(reduction):
    x, w = ms.Tensor(data((3, 4))), ms.Tensor([1.0, 2.0, 0.5, 3.0], ms.float32)
    y, prim = ms.Tensor([1, 0, 3], ms.int32), ops.NLLLoss(reduction)

    def by_operator(x, w):
        return prim(x, y, w)

    def by_function(x, w):
        return ops.nll_loss(x, y, w, reduction=reduction)

    return ms.grad(by_operator, (0, 1))(x, w), ms.grad(by_function, (0, 1))(x, w)


@case(each={"shape": [(4,), (3, 1), (1, 4)], "reduction": ["mean", "sum", "none"], "smoothing": [0.0, 0.2]})
def test_probabilities_broadcast_to_the_logits(shape, reduction, smoothing):
    logits, given = ms.Tensor(data((3, 4))), ms.Tensor(np.abs(data(shape, seed=1)))

    def loss(x, p):
        return ops.cross_entropy(x, p, reduction=reduction, label_smoothing=smoothing)

    return loss(logits, given), ms.grad(loss, (0, 1))(logits, given)


@case(raises=True, each={"count": [2, 5]})
def test_a_batch_with_another_number_of_targets(count):
    return ops.cross_entropy(ms.Tensor(data((3, 4))), ms.Tensor([1] * count)).asnumpy()
