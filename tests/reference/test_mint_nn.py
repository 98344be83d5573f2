"""Layers and functions of mint.nn, as far as MindSpore's CPU has them: values, gradients, initial weights."""

import mindspore as ms
from mindspore import Tensor, mint

from tests.reference.judge import case, data

X, IMAGE = data((3, 4)), data((2, 4, 6, 6))
Y = data((3, 4), seed=1)

LAYERS = {
    "softmax": (lambda: mint.nn.Softmax(), X), "softmax-dim": (lambda: mint.nn.Softmax(dim=0), X),
    "relu": (lambda: mint.nn.ReLU(), X), "silu": (lambda: mint.nn.SiLU(), X),
    "sigmoid": (lambda: mint.nn.Sigmoid(), X), "tanh": (lambda: mint.nn.Tanh(), X),
    "hardsigmoid": (lambda: mint.nn.Hardsigmoid(), X), "hardswish": (lambda: mint.nn.Hardswish(), X),
    "hardshrink": (lambda: mint.nn.Hardshrink(), X), "softshrink": (lambda: mint.nn.Softshrink(0.3), X),
    "glu": (lambda: mint.nn.GLU(), X), "prelu": (lambda: mint.nn.PReLU(), X),
    "flatten": (lambda: mint.nn.Flatten(), IMAGE), "identity": (lambda: mint.nn.Identity(), X),
    "linear": (lambda: mint.nn.Linear(4, 5), X),
    "linear-plain": (lambda: mint.nn.Linear(4, 5, bias=False), X),
    "group-norm": (lambda: mint.nn.GroupNorm(2, 4), IMAGE),
    "pixel-shuffle": (lambda: mint.nn.PixelShuffle(2), IMAGE),
    "nearest": (lambda: mint.nn.UpsamplingNearest2d(size=(4, 9)), IMAGE),
    "dropout-at-rest": (lambda: mint.nn.Dropout(0.5).set_train(False), X),
}
LOSSES = {
    "smooth-l1": lambda: mint.nn.SmoothL1Loss(beta=0.5), "bce-logits": lambda: mint.nn.BCEWithLogitsLoss(),
}


@case(each={"name": list(LAYERS)}, rtol=1e-5, atol=1e-5, reason="sums in another order")
def test_layer(name):
    ms.set_seed(3)
    layer = LAYERS[name][0]()
    x = Tensor(LAYERS[name][1])

    def f(x):
        return (layer(x) ** 2).sum()
    return layer(x), ms.grad(f)(x)


@case(each={"name": list(LOSSES)}, rtol=1e-5, atol=1e-5, reason="sums in another order")
def test_loss(name):
    loss = LOSSES[name]()
    return loss(Tensor(X), Tensor(Y)), ms.grad(loss)(Tensor(X), Tensor(Y))


@case(each={"make": ["conv", "transposed", "linear", "embedding", "norm"]})
def test_initial_weights_follow_the_seed(make):
    ms.set_seed(3)
    layer = {"conv": lambda: mint.nn.Conv2d(4, 6, 3), "transposed": lambda: mint.nn.ConvTranspose2d(4, 6, 3),
             "linear": lambda: mint.nn.Linear(4, 5), "embedding": lambda: mint.nn.Embedding(5, 3, padding_idx=1),
             "norm": lambda: mint.nn.BatchNorm2d(3)}[make]()
    return {p.name: p.asnumpy() for p in layer.get_parameters()}, [
        p.requires_grad for p in layer.get_parameters()]


@case(raises=True, each={"what": ["groups", "mode", "same", "divided", "sparse", "normalized"]})
def test_refusals(what):
    return {"groups": lambda: mint.nn.Conv2d(3, 4, 3, groups=2), "mode": lambda: mint.nn.ConvTranspose2d(
                3, 4, 3, padding_mode="circular"),
            "same": lambda: mint.nn.Conv2d(3, 4, 3, stride=2, padding="same"),
            "divided": lambda: mint.nn.GroupNorm(2, 5), "sparse": lambda: mint.nn.Embedding(3, 4, sparse=True),
            "normalized": lambda: mint.nn.LayerNorm("a")}[what]()


@case(each={"dim": [0, -1], "dtype": [None, ms.float64]})
def test_softmax_takes_numbers_without_dimensions(dim, dtype):
    return [mint.softmax(Tensor(x, ms.float32), dim, dtype=dtype) for x in ([[1.0, 2.0], [3.0, 5.0]], 2.0)]
