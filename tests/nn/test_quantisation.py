"""Quantisation-aware training of MindSpore 1.x, by arithmetic: no release at hand has it on a CPU."""

import importlib

import numpy as np
import pytest

import ms2torch as ms
from ms2torch import Tensor, nn, ops
from ms2torch.compression.common import QuantDtype
from ms2torch.compression.quant import (
    OptimizeOption,
    QuantizationAwareTraining,
    create_quant_config,
    load_nonquant_param_into_quant_net,
    query_quant_layers,
)

rng = np.random.default_rng(0)


def floats(*shape):
    return rng.standard_normal(shape).astype(np.float32)


def rounded(x, low, high, bits=8, symmetric=False, narrow=False):
    """The documented formulas, in float64."""
    lowest = -(2 ** (bits - 1)) if symmetric else 0
    highest = lowest + 2**bits - 1
    lowest += narrow
    if symmetric:
        high = np.maximum(-low, high)
        low = -high
    scale = (high - low) / (highest - lowest)
    zero = np.floor(np.clip(lowest - low / scale, lowest, highest) + 0.5)
    steps = np.clip(np.floor(np.float64(x) / scale + zero + 0.5), lowest, highest)
    return (steps - zero) * scale


@pytest.mark.parametrize("bits", [2, 4, 8])
@pytest.mark.parametrize("symmetric", [True, False])
@pytest.mark.parametrize("narrow", [True, False])
def test_numbers_go_to_the_grid_of_the_range(bits, symmetric, narrow):
    kind = QuantDtype[f"INT{bits}"]
    observer = nn.FakeQuantWithMinMaxObserver(
        -1.5, 2.4, quant_dtype=kind, symmetric=symmetric, narrow_range=narrow
    )
    x = floats(40) * 2
    y = observer(Tensor(x)).asnumpy()
    np.testing.assert_allclose(y, rounded(x, -1.5, 2.4, bits, symmetric, narrow), atol=1e-6)
    assert len(np.unique(y.round(4))) <= 2**bits and 0.0 in observer(Tensor([0.0])).asnumpy().round(6)


def test_gradients_pass_inside_the_range_and_stop_outside():
    observer = nn.FakeQuantWithMinMaxObserver(-1.0, 1.0)
    gradient = ms.grad(lambda x: (observer(x) * Tensor([1.0, 2.0, 3.0, 4.0])).sum())(
        Tensor([-3.0, -0.5, 0.9, 1.7])
    )
    assert gradient.asnumpy().tolist() == [0.0, 2.0, 3.0, 0.0]


def test_training_watches_the_range_and_evaluation_keeps_it():
    observer = nn.FakeQuantWithMinMaxObserver(-6, 6, ema=True, ema_decay=0.9).set_train()
    x = Tensor([1.0, 3.0])
    y = observer(x)
    assert observer.minq.asnumpy() == pytest.approx([-6 * 0.9 + 0.1], rel=1e-6)
    assert observer.maxq.asnumpy() == pytest.approx([6 * 0.9 + 0.3], rel=1e-6)
    low, high = (float(p.asnumpy()[0]) for p in (observer.minq, observer.maxq))
    np.testing.assert_allclose(y.asnumpy(), rounded(x.asnumpy(), low, high), atol=1e-6)
    observer.set_train(False)(Tensor([-100.0]))
    assert observer.minq.asnumpy()[0] == np.float32(low)
    plain = nn.FakeQuantWithMinMaxObserver().set_train()
    plain(Tensor([1.0, 3.0]))
    assert (plain.minq.asnumpy(), plain.maxq.asnumpy()) == (0.0, 3.0)  # 0 belongs to every range
    assert [p.name for p in plain.get_parameters()] == ["quant_min", "quant_max"]
    assert not plain.trainable_params()


def test_channels_have_ranges_of_their_own():
    observer = nn.FakeQuantWithMinMaxObserver(per_channel=True, channel_axis=0, num_channels=3).set_train()
    x = floats(3, 2, 4) * np.float32([[[1]], [[10]], [[100]]])
    y = observer(Tensor(x)).asnumpy()
    low, high = np.minimum(x.min((1, 2)), 0), np.maximum(x.max((1, 2)), 0)
    for i in range(3):
        np.testing.assert_allclose(y[i], rounded(x[i], low[i], high[i]), atol=1e-4 * 10**i)


def test_the_first_steps_of_a_delay_change_nothing():
    observer = nn.FakeQuantWithMinMaxObserver(quant_delay=2).set_train()
    x = Tensor([0.123, 4.567, -1.5])
    kept = [np.array_equal(observer(x).asnumpy(), x.asnumpy()) for _ in range(3)]
    assert kept == [True, True, False]


@pytest.mark.parametrize(
    "arguments", [{"min_init": 2, "max_init": 1}, {"min_init": [-1, -2]}, {"quant_delay": -1}]
)
def test_bad_arguments_of_an_observer(arguments):
    with pytest.raises(ValueError):
        nn.FakeQuantWithMinMaxObserver(**arguments)


def test_learned_ranges_are_refused():
    with pytest.raises(NotImplementedError, match="LEARNED_SCALE"):
        nn.FakeQuantWithMinMaxObserver(mode="LEARNED_SCALE")
    with pytest.raises(NotImplementedError, match=r"Instead: OptimizeOption\.QAT"):
        QuantizationAwareTraining(optimize_option=OptimizeOption.LEARNED_SCALE)


# Without the lowest integer the largest weight lies on the grid, and no rounding error decides about it.
SYMMETRIC = {"per_channel": (True, False), "symmetric": (True, False), "narrow_range": (True, False)}


def rounded_weight(layer, weight):
    observer = layer.fake_quant_weight
    shape = (-1,) + (1,) * (weight.ndim - 1)
    low, high = (p.asnumpy().astype(np.float64).reshape(shape) for p in (observer.minq, observer.maxq))
    return rounded(weight, low, high, symmetric=True, narrow=True).astype(np.float32)


def test_dense_and_convolution_compute_with_rounded_weights():
    config = create_quant_config(**SYMMETRIC)
    dense = nn.DenseQuant(4, 3, weight_init="normal", quant_config=config, activation="relu").set_train()
    x = floats(5, 4)
    y = dense(Tensor(x)).asnumpy()
    np.testing.assert_allclose(
        y, np.maximum(x @ rounded_weight(dense, dense.weight.asnumpy()).T, 0), atol=1e-6
    )
    conv = nn.Conv2dQuant(2, 3, 3, weight_init="ones", quant_config=config, has_bias=True).set_train()
    conv.weight.set_data(Tensor(floats(3, 2, 3, 3)))
    image = Tensor(floats(2, 2, 6, 6))
    y = conv(image).asnumpy()
    weight = Tensor(rounded_weight(conv, conv.weight.asnumpy()))
    np.testing.assert_allclose(y, ops.conv2d(image, weight, pad_mode="same").asnumpy(), atol=1e-5)


@pytest.mark.parametrize(
    "layer", ["Conv2dBnFoldQuantOneConv", "Conv2dBnFoldQuant", "Conv2dBnWithoutFoldQuant"]
)
def test_without_rounding_a_folded_layer_is_convolution_and_normalisation(layer):
    options = {"momentum": 0.9, "pad_mode": "pad", "padding": 1}
    wide = {"quant_dtype": QuantDtype.INT8} if "Without" in layer else {"fake": False}
    folded = getattr(nn, layer)(2, 3, 3, **options, **wide).set_train()
    conv = nn.Conv2d(2, 3, 3, pad_mode="pad", padding=1)
    norm = nn.BatchNorm2d(3, momentum=0.9, gamma_init="ones").set_train()
    owner = folded.batchnorm if "Without" in layer else folded
    weight = floats(3, 2, 3, 3)
    for target in (folded, conv):
        target.weight.set_data(Tensor(weight))
    for name in ("gamma", "beta", "moving_mean", "moving_variance"):
        value = Tensor(np.abs(floats(3)) + 0.5)
        getattr(norm, name).set_data(value)
        getattr(owner, name).set_data(value)
    x = Tensor(floats(4, 2, 5, 5))
    loose = {"atol": 0.1} if "Without" in layer else {"atol": 2e-5}
    for _ in range(2):
        np.testing.assert_allclose(folded(x).asnumpy(), norm(conv(x)).asnumpy(), **loose)
    np.testing.assert_allclose(owner.moving_mean.asnumpy(), norm.moving_mean.asnumpy(), **loose)
    np.testing.assert_allclose(owner.moving_variance.asnumpy(), norm.moving_variance.asnumpy(), rtol=0.05)
    folded.set_train(False), norm.set_train(False)
    for name in ("moving_mean", "moving_variance"):
        getattr(norm, name).set_data(getattr(owner, name))
    np.testing.assert_allclose(folded(x).asnumpy(), norm(conv(x)).asnumpy(), **loose)


def test_a_folded_layer_rounds_the_folded_weight():
    config = create_quant_config(**SYMMETRIC)
    layer = nn.Conv2dBnFoldQuantOneConv(2, 3, 3, quant_config=config, var_init="ones")
    layer.weight.set_data(Tensor(floats(3, 2, 3, 3)))
    layer.gamma.set_data(Tensor(np.float32([0.5, 2, 1])))
    x = Tensor(floats(1, 2, 4, 4))
    layer.fake_quant_weight.set_train()(layer.weight)
    factor = (layer.gamma.asnumpy() / np.sqrt(1 + 1e-5)).reshape(-1, 1, 1, 1)
    weight = rounded_weight(layer, layer.weight.asnumpy() * factor)
    layer.set_train(False)
    expected = ops.conv2d(x, Tensor(weight), pad_mode="same").asnumpy()
    np.testing.assert_allclose(layer(x).asnumpy(), expected, atol=1e-5)
    names = [p.name for p in layer.get_parameters()]
    assert names[:5] == ["weight", "gamma", "beta", "moving_mean", "moving_variance"]


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2dBnAct(1, 4, 3, has_bn=True, activation="relu")
        self.add = ops.Add()
        self.fc = nn.SequentialCell([nn.Flatten(), nn.DenseBnAct(64, 3)])

    def construct(self, x):
        return self.fc(self.add(self.conv(x), x))


@pytest.mark.parametrize("fold", [{}, {"one_conv_fold": False}, {"bn_fold": False}])
def test_a_network_is_quantised_in_place_and_learns(fold):
    ms.set_seed(1)
    net = Net()
    weights = {p.name: p.asnumpy().copy() for p in net.get_parameters()}
    x, label = Tensor(floats(8, 1, 4, 4)), Tensor(rng.integers(0, 3, 8).astype(np.int32))
    before = net(x).asnumpy()
    quantised = QuantizationAwareTraining(**SYMMETRIC, **fold).quantize(net)
    assert quantised is net and isinstance(net.fc[1].dense, nn.DenseQuant)
    inside = {p.name: p.asnumpy() for p in net.get_parameters()}
    for name in ("conv.conv.weight", "fc.1.dense.weight", "fc.1.dense.bias"):
        np.testing.assert_array_equal(inside[name], weights[name])
    net.set_train()
    net(x)  # ranges are seen
    net.set_train(False)
    np.testing.assert_allclose(net(x).asnumpy(), before, atol=0.1)
    step = nn.TrainOneStepCell(
        nn.WithLossCell(net, nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")),
        nn.Momentum(net.trainable_params(), 0.1, 0.9),
    ).set_train()
    losses = [float(step(x, label).asnumpy()) for _ in range(20)]
    assert losses[-1] < 0.7 * losses[0]


def test_a_plain_checkpoint_goes_into_a_quantised_network(capsys):
    plain, net = Net(), QuantizationAwareTraining().quantize(Net())
    load_nonquant_param_into_quant_net(net, plain.parameters_dict())
    np.testing.assert_array_equal(net.conv.conv.weight.asnumpy(), plain.conv.conv.weight.asnumpy())
    np.testing.assert_array_equal(net.fc[1].dense.weight.asnumpy(), plain.fc[1].dense.weight.asnumpy())
    query_quant_layers(net)
    shown = capsys.readouterr().out
    assert "conv.conv.fake_quant_weight" in shown and "INT8" in shown and "add.fake_quant_act" in shown


def test_activations_have_one_range():
    with pytest.raises(ValueError, match="Arg 'per_channel' second element must be 'False'"):
        create_quant_config(per_channel=True)


PATHS = [
    "compression.quant.quant_utils",
    "compression.common",
    "compression.quant.quantizer",
    "nn.layer.quant",
]


@pytest.mark.parametrize("path", PATHS)
def test_modules_are_where_programs_import_them_from(path):
    importlib.import_module(f"ms2torch.{path}")


def test_a_name_that_nothing_has_still_says_so():
    with pytest.raises(AttributeError, match="Did you mean: 'Dense'"):
        _ = nn.Densse
