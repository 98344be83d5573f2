"""Gradients pass through casts to integers and bools, in the integers' dtype on their way."""
import mindspore as ms
import numpy as np
from mindspore import nn, ops

from tests.reference.judge import case
from tests.reference.networks import t

X, W = [1.5, -2.3, 3.7], [1.5, 2.0, 3.9]

WAYS = {
    "there": lambda x, w: x.astype(ms.int32),
    "there and back": lambda x, w: x.astype(ms.int32).astype(ms.float32) * w,
    "the fraction": lambda x, w: (x - x.int().astype(ms.float32)) ** 2,
    "a factor of itself": lambda x, w: x * x.long(),
    "bools": lambda x, w: ops.cast(ops.cast(x, ms.bool_), ms.float32) * w,
    "a mask": lambda x, w: ops.select(x.bool(), x * 2, x * 3),
    "bytes": lambda x, w: x.to(ms.int8) * w,
    "half": lambda x, w: x.half().int() * w,
    "an index": lambda x, w: w[x.astype(ms.int64).clip(0, 2)] * x,
    "stopped": lambda x, w: ops.stop_gradient(x.int()) * x,
    "flat before": lambda x, w: ops.floor(x).long() * w + x,
    "compared": lambda x, w: (x.int() == 1).astype(ms.float32) * x,
    "divided": lambda x, w: x.int() / 2 * w,
    "halved": lambda x, w: x.int() * 0.5 * w,
    "summed": lambda x, w: x.int().sum() * w,
    "joined": lambda x, w: ops.concat((x.int(), x.long().astype(ms.int32) * 2)).sum() * 1.5,
    "sorted": lambda x, w: ops.sort(x.int())[0] * w,
}


@case(each={"way": list(WAYS)})
def test_gradient_through_integers(way):
    return ms.grad(WAYS[way])(t(X), t(W))


@case
def test_transforms_through_integers():
    def run(x):
        return x.astype(ms.int32).astype(ms.float32) * t(W)

    return ms.jvp(run, t(X), t(W))[1], ms.vjp(run, t(X))[1](t(W)), ms.jacrev(run)(t(X))


class Rounding(nn.Cell):
    def __init__(self):
        super().__init__()
        self.p = ms.Parameter(t(X), name="p")

    def construct(self, x):
        return ((self.p.astype(ms.int32).astype(ms.float32) + self.p) * x).sum()


@case(each={"mode": [0, 1]})
def test_training_through_integers(mode):
    ms.set_context(mode=mode)
    net = Rounding()
    step = nn.TrainOneStepCell(net, nn.SGD(net.trainable_params(), 0.1))
    return [step(t(W)) for _ in range(3)], np.array(net.p.asnumpy())
