"""Operators of networks as functions and Primitives: values and gradients."""
import mindspore as ms
import numpy as np
from mindspore import nn, ops

from tests.reference.judge import case, data
from tests.reference.test_nn_layers import total


def t(*shape, seed=0):
    return ms.Tensor(data(shape, seed=seed))


IDS = np.array([0, 2, 1], np.int32)
CONV = {"conv2d": lambda x, w: ops.conv2d(x, w, stride=2, pad_mode="same"),
        "conv2d pad": lambda x, w: ops.conv2d(x, w, None, 1, "pad", (1, 2), 2),
        "Conv2D": lambda x, w: ops.Conv2D(3, 3, pad_mode="pad", pad=1, stride=2)(x, w),
        "Conv2D valid": lambda x, w: ops.Conv2D(3, (3, 3))(x, w)}
POOL = {"max_pool2d": lambda x: ops.max_pool2d(x, 3, 2, 1),
        "avg_pool2d": lambda x: ops.avg_pool2d(x, 2, 2, 1),
        "adaptive_avg_pool2d": lambda x: ops.adaptive_avg_pool2d(x, (2, None)),
        "MaxPool": lambda x: ops.MaxPool(2, 2, "same")(x),
        "AvgPool": lambda x: ops.AvgPool((3, 2), 2, "same")(x),
        "ReduceMean of windows": lambda x: ops.AvgPool(2)(x)}
NORM = {"LayerNorm": lambda x, a, b: ops.LayerNorm(1, 1)(x, a, b)[0],
        "LayerNorm of rows": lambda x, a, b: ops.LayerNorm(-1, -1, 1e-3)(x, a, b)[0],
        "layer statistics": lambda x, a, b: ops.LayerNorm(1, 1)(x, a, b)[1:],
        "group_norm": lambda x, a, b: ops.group_norm(x, 2, a, b)}


@case(each={"name": list(CONV)}, atol=1e-4, rtol=1e-4, reason="sums in another order")
def test_convolution(name):
    def forward(x, w):
        return total(CONV[name](x, w))

    x, w = t(2, 4, 7, 6), t(3, 4, 3, 3, seed=1)
    return CONV[name](x, w), ms.grad(forward, (0, 1))(x, w)


@case(each={"mode": ["same", "valid", "pad"], "size": [(2, 4, 8, 6)]}, atol=1e-4, rtol=1e-4,
      reason="sums in another order")
def test_transposed_convolution(mode, size):
    made = {"same": (8, 6), "valid": (9, 7), "pad": (7, 5)}[mode]
    operator = ops.Conv2DTranspose(3, 3, pad_mode=mode, pad=1 if mode == "pad" else 0, stride=2)
    return operator(t(2, 3, 4, 3), t(3, 4, 3, 3, seed=1), (*size[:2], *made))


CAPITALS = {
    "2d": lambda x: ops.Conv2DTranspose(3, 3, pad_mode="SAME")(x, t(3, 2, 3, 3, seed=1), (1, 2, 4, 5)),
    "2d-mixed": lambda x: ops.Conv2DTranspose(3, 3, pad_mode="Valid")(x, t(3, 2, 3, 3, seed=1), (1, 2, 6, 7)),
    "3d": lambda x: ops.Conv3D(2, 3, pad_mode="SAME")(x.expand_dims(2), t(2, 3, 3, 3, 3, seed=1)),
    "3d-transposed": lambda x: ops.Conv3DTranspose(3, 2, 3, pad_mode="VALID")(
        x.expand_dims(2), t(3, 2, 3, 3, 3, seed=1))}


@case(each={"name": list(CAPITALS)}, atol=1e-4, rtol=1e-4, reason="sums in another order")
def test_padding_modes_in_capitals(name):
    return CAPITALS[name](t(1, 3, 4, 5))


@case(each={"name": list(POOL)})
def test_pooling(name):
    def forward(x):
        return total(POOL[name](x))

    x = t(2, 3, 6, 5)
    return POOL[name](x), ms.grad(forward)(x)


@case(each={"name": list(NORM)}, atol=1e-4, rtol=1e-4, reason="sums in another order")
def test_normalisation(name):
    def forward(x, a, b):
        return total(NORM[name](x, a, b))

    x, a, b = t(3, 4), t(4, seed=1), t(4, seed=2)
    return NORM[name](x, a, b), ms.grad(forward, (0, 1, 2))(x, a, b)


@case(each={"training": [True, False]}, atol=1e-5, rtol=1e-5, reason="sums in another order")
def test_batch_norm_primitive(training):
    mean, variance = ms.Parameter(t(3, seed=1)), ms.Parameter(ms.Tensor(np.array([1, 2, 3], np.float32)))
    y = ops.BatchNorm(training, 1e-4, 0.2)(t(4, 3, 2, 2), t(3, seed=2), t(3, seed=3), mean, variance)
    return y[0], mean.value(), variance.value()


@case
def test_loss_primitives():
    ones = ms.Tensor(np.array([1, 1, 2, 1], np.float32))
    return (ops.NLLLoss()(t(3, 4), ms.Tensor(IDS), ones), ops.KLDivLoss("sum")(t(3), ops.abs(t(3, seed=1))),
            ops.BinaryCrossEntropy()(ops.sigmoid(t(4)), ones - 1, ones), ops.SmoothL1Loss()(t(3), t(3) * 3),
            ops.SparseSoftmaxCrossEntropyWithLogits(True)(t(3, 4), ms.Tensor(IDS)),
            ops.SigmoidCrossEntropyWithLogits()(t(3), ms.Tensor(np.array([1, 0, 1], np.float32))))


@case(each={"keep": [0.3, 1.0]})
def test_dropout_primitive(keep):
    ms.set_seed(11)
    drop = ops.Dropout(keep, 5, 7)
    x = ms.Tensor(np.ones((4, 5), np.float32))
    return drop(x), drop(x)


@case
def test_dropout_function():
    ms.set_seed(11)
    x = ms.Tensor(np.ones((4, 5), np.float32))
    return (ops.dropout(x, 0.4), ops.dropout(x, 0.4), ops.dropout(x, 0.4, training=False),
            ops.dropout(x, 0.4, True, 3))


@case
def test_embedding_lookup_gives_zeros_for_what_is_not_there():
    return ops.EmbeddingLookup()(t(4, 2), ms.Tensor(np.array([[1, 5], [0, 3]], np.int32)), 0)


@case(each={"padding": ["zeros", "border", "reflection"], "align": [True, False]}, atol=1e-5, rtol=1e-5,
      reason="sums in another order")
def test_grid_sample(padding, align):
    grid = ms.Tensor(np.tanh(data((1, 3, 2, 2), seed=4)) * np.float32(1.2))
    return ops.grid_sample(t(1, 2, 3, 4), grid, "bilinear", padding, align)


@case(raises=True, each={"what": ["padding", "mode", "bias", "dtype"]})
def test_errors(what):
    if what == "padding":
        return ops.Conv2D(3, 3, pad=1)(t(1, 2, 4, 4), t(3, 2, 3, 3))
    if what == "mode":
        return ops.conv2d(t(1, 2, 4, 4), t(3, 2, 3, 3), pad_mode="x")
    if what == "bias":
        return ops.BiasAdd()(t(2, 3), t(2))
    return nn.Conv2d(2, 3, 3)(ms.Tensor(data((1, 2, 4, 4)), ms.float16))
