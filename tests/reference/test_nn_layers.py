"""Layers: output, gradients of input and weights, names and shapes of parameters."""
import mindspore as ms
import numpy as np
from mindspore import nn, ops

from tests.reference.judge import case, data
from tests.reference.test_wrong_calls import said, told

IMAGE, TALL, VOLUME, SEQUENCE, ROWS = (2, 4, 7, 6), (1, 2, 5, 8), (1, 2, 4, 5, 4), (2, 4, 9), (3, 4)

# name: (layer, shape of its input)
LAYERS = {
    "Dense": (lambda: nn.Dense(4, 3), ROWS),
    "Dense of 3 dimensions": (lambda: nn.Dense(4, 3, activation="relu"), (2, 3, 4)),
    "Dense of a row": (lambda: nn.Dense(4, 3, has_bias=False), (4,)),
    "Linear": (lambda: nn.Linear(4, 3), ROWS),
    "Conv2d": (lambda: nn.Conv2d(4, 6, 3), IMAGE),
    "Conv2d same, strided": (lambda: nn.Conv2d(4, 6, 3, 2, has_bias=True), IMAGE),
    "Conv2d same, even": (lambda: nn.Conv2d(4, 6, (2, 4), (1, 3)), IMAGE),
    "Conv2d valid": (lambda: nn.Conv2d(4, 6, 3, 2, "valid", dilation=2), IMAGE),
    "Conv2d pad": (lambda: nn.Conv2d(4, 6, 3, 2, "pad", 1), IMAGE),
    "Conv2d four paddings": (lambda: nn.Conv2d(4, 6, 3, 2, "pad", (1, 2, 0, 3), has_bias=True), IMAGE),
    "Conv2d groups": (lambda: nn.Conv2d(4, 8, 3, group=4), IMAGE),
    "Conv1d": (lambda: nn.Conv1d(4, 3, 3, 2, has_bias=True), SEQUENCE),
    "Conv1d pad": (lambda: nn.Conv1d(4, 3, 3, 1, "pad", 2, dilation=2), SEQUENCE),
    "Conv3d": (lambda: nn.Conv3d(2, 3, 3, 2, has_bias=True), VOLUME),
    "Conv3d pad": (lambda: nn.Conv3d(2, 3, (1, 2, 3), 1, "pad", (0, 1, 1, 0, 2, 1)), VOLUME),
    "Conv2dTranspose": (lambda: nn.Conv2dTranspose(2, 3, 3, 2, has_bias=True), TALL),
    "Conv2dTranspose valid": (lambda: nn.Conv2dTranspose(2, 3, 4, 2, "valid"), TALL),
    "Conv2dTranspose pad": (lambda: nn.Conv2dTranspose(2, 3, 4, 2, "pad", 1), TALL),
    "Conv2dTranspose uneven": (lambda: nn.Conv2dTranspose(2, 3, 5, 2, "pad", (1, 2, 0, 1)), TALL),
    "Conv2dTranspose stride over kernel": (lambda: nn.Conv2dTranspose(2, 3, 2, 3, has_bias=True), TALL),
    "Conv2dTranspose output padding": (
        lambda: nn.Conv2dTranspose(2, 3, 3, 2, "pad", 1, 1, has_bias=True), TALL),
    "Conv1dTranspose": (lambda: nn.Conv1dTranspose(4, 3, 3, 2, "pad", 1), SEQUENCE),
    "BatchNorm1d": (lambda: nn.BatchNorm1d(4), ROWS),
    "BatchNorm1d of sequences": (lambda: nn.BatchNorm1d(4), SEQUENCE),
    "BatchNorm2d": (lambda: nn.BatchNorm2d(4, eps=1e-3, gamma_init="uniform"), IMAGE),
    "BatchNorm3d": (lambda: nn.BatchNorm3d(2), VOLUME),
    "LayerNorm": (lambda: nn.LayerNorm((4,)), ROWS),
    "LayerNorm of two axes": (lambda: nn.LayerNorm((7, 6), 2, 2, epsilon=1e-5), IMAGE),
    "LayerNorm axes apart": (lambda: nn.LayerNorm((6,), 1, -1), IMAGE),
    "GroupNorm": (lambda: nn.GroupNorm(2, 4), IMAGE),
    "MaxPool2d": (lambda: nn.MaxPool2d(2, 2), IMAGE),
    "MaxPool2d same": (lambda: nn.MaxPool2d((3, 2), 2, "same"), IMAGE),
    "MaxPool2d same, even": (lambda: nn.MaxPool2d(2, 1, "same"), IMAGE),
    "MaxPool2d pad": (lambda: nn.MaxPool2d(3, 2, "pad", 1, ceil_mode=True), IMAGE),
    "MaxPool2d without batch": (lambda: nn.MaxPool2d(2), (4, 7, 6)),
    "MaxPool1d": (lambda: nn.MaxPool1d(3, 2, "same"), SEQUENCE),
    "MaxPool3d": (lambda: nn.MaxPool3d(2, 2), VOLUME),
    "AvgPool2d": (lambda: nn.AvgPool2d(3, 2), IMAGE),
    "AvgPool2d same": (lambda: nn.AvgPool2d(3, 2, "same"), IMAGE),
    "AvgPool2d same, even": (lambda: nn.AvgPool2d(2, 1, "same"), IMAGE),
    "AvgPool2d pad": (lambda: nn.AvgPool2d(3, 2, "pad", 1, count_include_pad=False), IMAGE),
    "AvgPool1d": (lambda: nn.AvgPool1d(3, 2), SEQUENCE),
    "AdaptiveAvgPool2d": (lambda: nn.AdaptiveAvgPool2d((None, 4)), IMAGE),
    "AdaptiveAvgPool1d": (lambda: nn.AdaptiveAvgPool1d(3), SEQUENCE),
    "PReLU": (lambda: nn.PReLU(4), IMAGE),
    "Flatten": (lambda: nn.Flatten(), IMAGE),
    "Pad": (lambda: nn.Pad(((0, 0), (0, 1), (2, 0), (1, 1))), IMAGE),
    "Pad reflect": (lambda: nn.Pad(((0, 0), (0, 1), (2, 0), (1, 1)), "REFLECT"), IMAGE),
    "Pad symmetric": (lambda: nn.Pad(((0, 0), (0, 1), (2, 0), (1, 1)), "SYMMETRIC"), IMAGE),
    "ReflectionPad2d": (lambda: nn.ReflectionPad2d((1, 2, 0, 1)), IMAGE),
    "ZeroPad2d": (lambda: nn.ZeroPad2d((1, 2, -1, 1)), IMAGE),
    "ConstantPad1d": (lambda: nn.ConstantPad1d((1, 2), 0.5), SEQUENCE),
    "Norm": (lambda: nn.Norm(1, True), ROWS),
    "Moments": (lambda: nn.Moments((0, 2)), SEQUENCE),
    "CentralCrop": (lambda: nn.CentralCrop(0.5), IMAGE),
    "PixelShuffle": (lambda: nn.PixelShuffle(2), IMAGE),
    "ChannelShuffle": (lambda: nn.ChannelShuffle(2), IMAGE),
    "Conv2dBnAct": (lambda: nn.Conv2dBnAct(4, 3, 3, has_bn=True, activation="leakyrelu", alpha=0.1), IMAGE),
    "DenseBnAct": (lambda: nn.DenseBnAct(4, 3, has_bn=True, activation="tanh"), ROWS),
}


def seeded(make):
    """A layer whose weights are the same everywhere, whatever draws them."""
    layer = make()
    for i, p in enumerate(layer.get_parameters()):
        values = data(p.shape, seed=i + 1)
        p.set_data(ms.Tensor(np.abs(values) + 0.5 if "variance" in p.name else values))
    return layer


def total(y):
    """A weighted sum, so that every element has a gradient of its own."""
    if not isinstance(y, ms.Tensor):
        return sum(total(v) for v in y)
    return (y * ms.Tensor(data(y.shape, seed=9))).sum()


def with_gradients(layer, *inputs):
    def forward(*args):
        return total(layer(*args))

    weights = layer.trainable_params()
    y = layer(*inputs)
    if not weights:
        return y, ms.grad(forward)(*inputs)
    return y, ms.grad(forward, 0, weights)(*inputs)


@case(each={"name": list(LAYERS)}, atol=2e-4, rtol=1e-4, reason="sums in another order")
def test_layer_and_its_gradients(name):
    make, shape = LAYERS[name]
    return with_gradients(seeded(make), ms.Tensor(data(shape)))


@case(each={"name": list(LAYERS)})
def test_initial_weights_under_a_seed(name):
    ms.set_seed(7)
    layer = nn.SequentialCell(LAYERS[name][0]())
    return [(key, p.name, p.requires_grad, p) for key, p in layer.parameters_and_names()]


@case(each={"name": [n for n in LAYERS if not n.startswith("Conv")]})
def test_representation(name):
    return repr(LAYERS[name][0]())


@case(each={"use": [None, True, False], "training": [True, False]}, atol=1e-5, rtol=1e-5,
      reason="sums in another order")
def test_batch_norm_statistics(use, training):
    bn = nn.BatchNorm2d(3, momentum=0.8, use_batch_statistics=use).set_train(training)
    x = ms.Tensor(data((4, 3, 2, 2)) * 3 + 1)
    return bn(x), bn(x), bn.moving_mean, bn.moving_variance


@case(atol=2e-4, rtol=1e-4, reason="sums in another order", each={"shape": [(4, 3, 2, 2), (5, 3), (2, 3, 4)]})
def test_batch_norm_gradients_in_training(shape):
    make = nn.BatchNorm2d if len(shape) == 4 else nn.BatchNorm1d
    layer = seeded(lambda: make(3)).set_train()
    return with_gradients(layer, ms.Tensor(data(shape)))


@case(each={"dtype": [ms.float16]})
def test_batch_norm_of_halves(dtype):
    bn = nn.BatchNorm2d(2).set_train()
    return bn(ms.Tensor(data((2, 2, 2, 2)), dtype)).dtype, bn.moving_mean.dtype


@case(each={"keep": [0.5, 0.9]})
def test_dropout_masks(keep):
    ms.set_seed(3)
    first, second = nn.Dropout(keep).set_train(), nn.Dropout(p=1 - keep).set_train()
    x = ms.Tensor(np.ones((6, 7), np.float32))
    return first(x), first(x), second(x), first.set_train(False)(x)


@case
def test_dropout_representation():
    return [repr(d) for d in (nn.Dropout(), nn.Dropout(0.9), nn.Dropout(p=0.3), nn.Dropout2d(0.3))]


@case(each={"padding_idx": [None, 2], "one_hot": [False, True]})
def test_embedding(padding_idx, one_hot):
    ms.set_seed(1)
    layer = nn.Embedding(5, 3, one_hot, padding_idx=padding_idx)
    ids = ms.Tensor(np.array([[0, 2], [4, 2]], np.int32))

    def forward(ids):
        return total(layer(ids))

    return layer(ids), ms.grad(forward, None, layer.trainable_params())(ids), repr(layer)


@case
def test_one_hot():
    ids = ms.Tensor(np.array([[0, 2], [3, 1]], np.int32))
    return nn.OneHot(depth=3)(ids), nn.OneHot(0, 4, 2.0, -1.0)(ids), nn.OneHot(1, 4, 2, 0, ms.int32)(ids)


@case
def test_range():
    return nn.Range(1, 8, 2)(), nn.Range(5)(), nn.Range(0.0, 1.0, 0.25)()


@case(each={"mode": ["bilinear", "bicubic", "nearest", "area"], "size": [(5, 7), (4, 3)]},
      atol=1e-5, rtol=1e-5, reason="sums in another order")
def test_interpolate(mode, size):
    return ops.interpolate(ms.Tensor(data((1, 2, 6, 5))), size, mode=mode)


@case(each={"mode": ["bilinear", "bicubic"]}, atol=1e-5, rtol=1e-5, reason="sums in another order")
def test_interpolate_with_aligned_corners(mode):
    return ops.interpolate(ms.Tensor(data((1, 2, 3, 4))), (5, 7), mode=mode, align_corners=True)


@case(each={"align": [True, False], "half": [True, False], "size": [(5, 7), (2, 3)]})
def test_resize_bilinear(align, half, size):
    resize = ops.ResizeBilinearV2(align, half and not align)
    x = ms.Tensor(data((1, 2, 3, 4)))
    def forward(x):
        return total(resize(x, size))

    return resize(x, size), ms.grad(forward)(x)


@case(each={"align": [True, False], "size": [(5, 7), (2, 3)]})
def test_resize_nearest(align, size):
    return ops.ResizeNearestNeighbor(size, align)(ms.Tensor(data((1, 2, 4, 5))))


AXES_OF_TIME = [0, 1, 2, None, -1, -2]


@case(each={"axis": [0, 1, -1]})
def test_slices_of_time_joined_with_an_axis(axis):
    x = ms.Tensor(data((2, 4, 3)))
    layer, wider = nn.Dense(3, 2, weight_init="ones", bias_init="zeros"), nn.Dense(12, 2, weight_init="ones")
    return told(*((nn.TimeDistributed(one, axis, joined), x) for one in (layer, wider) for joined in AXES_OF_TIME),
                (nn.TimeDistributed(layer, axis), ms.Tensor(data((2, 3)))), (nn.TimeDistributed(layer, axis), 1)), [
        nn.TimeDistributed(layer, 1, joined)(x) for joined in (0, 1, None, -2)]


@case()
def test_lengths_that_overflow():
    x = ms.Tensor(np.array([[3e30, 4e30, 0], [0, 0, 0], [3, 4, 0]], np.float32))
    return ops.L2Normalize(axis=1)(x), ops.L2Normalize()(x), nn.ClipByNorm()(x, ms.Tensor(1.0, ms.float32))


@case(each={"dtype": [ms.bool_, ms.int8, ms.float16]})
def test_bands_of_other_dtypes(dtype):
    x = ms.Tensor(np.ones((3, 4))).astype(dtype)
    return ops.MatrixBandPart()(x, 1, 0), ops.matrix_band_part(x, -1, 1)


@case(each={"window": [3, 5, 6, 7], "stride": [1, 2, 3]}, atol=1e-6, rtol=1e-6, reason="sums in another order")
def test_one_window_with_less_than_a_stride_beside_it(window, stride):
    x, layers = ms.Tensor(data((2, 3, 7))), [nn.AvgPool1d(window, stride, mode) for mode in ("same", "valid")]
    wide = [said(nn.AvgPool1d(window, stride, mode), (x[..., : window - 1],), {}) for mode in ("same", "valid")]
    return [(layer(x), layer(x[0]), ms.grad(layer)(x)) for layer in layers], wide


@case(each={"dtype": [ms.float16, ms.float32]})
def test_dtypes_of_clipped_norms_and_of_moments(dtype):
    x, one = ms.Tensor(data((2, 3))).astype(dtype), ms.Tensor(1.0, ms.float32)
    clipped = [nn.ClipByNorm()(x, one.astype(d)).dtype for d in (ms.float16, ms.float32)]
    scale = ms.Tensor(np.ones(3)).astype(dtype)
    return clipped, [part.dtype for part in ops.LayerNorm()(x, scale, scale)]


@case(each={"window": [(1, 3, 3), (5, 1, 1), 3], "ends": [(1, 1), (0, 1), (0, 0), (2, 2)], "ceil": [True, False]},
      atol=1e-6, rtol=1e-6, reason="sums in another order")
def test_padded_volumes_that_are_shorter_than_the_window(window, ends, ceil):
    x, sizes = ms.Tensor(data((2, 2, 4, 2, 2))), (window,) * 3 if window == 3 else window
    pad = tuple(end * (size > 1) for size in sizes for end in ends)
    pools = (ops.AvgPool3D(window, (1, 2, 1), "pad", pad, ceil),
             ops.AvgPool3D(window, (1, 2, 1), "pad", pad, ceil, False),
             ops.AvgPool3D(window, 1, "pad", pad, ceil, True, 3),
             ops.MaxPool3D(window, (1, 2, 1), "PAD", pad, ceil))
    answers = [said(pool, (x,), {}) for pool in pools]
    return answers, [pool(x) for pool, answer in zip(pools, answers, strict=True) if answer == "value"]


@case(each={"size": [1, 2, 3, 4], "window": [(3, 3), (3, 2), (4, 4), (5, 3), (4, 2)]})
def test_max_pooling_by_a_window_longer_than_the_image(size, window):
    found = []
    for layer, axes in ((nn.MaxPool1d, 1), (nn.MaxPool2d, 2), (nn.MaxPool3d, 3)):
        try:
            out = layer(*window)(ms.Tensor(np.arange(2.0 * size**axes, dtype=np.float32).reshape(1, 2, *[size] * axes)))
            found.append(out.asnumpy())
        except ValueError as err:
            found.append(str(err).split("\n")[0])
    return found
