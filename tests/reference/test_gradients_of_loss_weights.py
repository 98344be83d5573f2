"""Weights of mint's losses are constants: their gradients are zero, and those of the other inputs are right."""
import mindspore as ms
from mindspore import ops
from mindspore.mint.nn import functional as F
from mindspore.ops.function.grad.grad_func import custom_vjp

from tests.reference.judge import case
from tests.reference.networks import t

INPUT, TARGET, WEIGHT = [[0.3, 0.6], [0.45, 0.2]], [[1.0, 0.0], [0.0, 1.0]], [[1.0, 2.0], [3.0, 4.0]]
LOSSES = {
    "binary_cross_entropy": lambda x, y, w: F.binary_cross_entropy(x, y, w, "sum"),
    "with logits": lambda x, y, w: F.binary_cross_entropy_with_logits(x, y, w, "sum"),
    "with logits, positive": lambda x, y, w: F.binary_cross_entropy_with_logits(x, y, None, "sum", w),
    "nll_loss": lambda x, y, w: F.nll_loss(x, ms.Tensor([0, 1]), w[0], reduction="sum"),
}


@case(each={"loss": list(LOSSES)})
def test_gradients_of_the_weights_of_a_loss(loss):
    return ms.grad(LOSSES[loss], (0, 1, 2))(t(INPUT), t(TARGET), t(WEIGHT))


def by_class(x, w):
    return F.cross_entropy(x, ms.Tensor([0, 1]), w)


def by_probability(x, w):
    return F.cross_entropy(x, t(TARGET), w)


def by_operator(x, w):
    return ops.cross_entropy(x, ms.Tensor([0, 1], ms.int32), w)


@case(each={"loss": [by_class, by_probability, by_operator]}, mode="GRAPH")
def test_gradients_of_the_weights_of_classes(loss):
    return ms.grad(loss, (0, 1))(t(INPUT), t([1.0, 2.0]))


@case
def test_a_custom_vjp_in_a_graph():
    ms.set_context(mode=0)

    @custom_vjp
    def doubled(x, y):
        return 2 * x + y

    def backward(x, y, out, dout):
        return 2 * dout, 2 * y

    doubled.defbwd(backward)
    return ops.vjp(doubled, t(3.0), t(2.0))[1](t(1.0))
