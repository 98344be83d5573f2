"""mint.nn against torch.nn, whose arguments and meaning it has; MindSpore's CPU lacks these kernels."""

import numpy as np
import pytest
import torch

import ms2torch as ms
from ms2torch import Tensor, mint
from ms2torch.ops.function import nn_func

FLAT, LINE, IMAGE, VOLUME = (4, 6), (2, 4, 6), (2, 4, 6, 6), (2, 4, 4, 4, 4)
LAYERS = [
    ("LogSoftmax", {"dim": 1}, FLAT), ("ReLU6", {}, FLAT), ("GELU", {}, FLAT),
    ("GELU", {"approximate": "tanh"}, FLAT), ("ELU", {"alpha": 0.5}, FLAT), ("Mish", {}, FLAT),
    ("Hardtanh", {"min_val": -0.5, "max_val": 0.7}, FLAT), ("LogSigmoid", {}, FLAT),
    ("Threshold", {"threshold": 0.1, "value": 9.0}, FLAT), ("PReLU", {"num_parameters": 4}, IMAGE),
    ("Conv1d", {"in_channels": 4, "out_channels": 2, "kernel_size": 3, "padding": 1}, LINE),
    ("Conv2d", {"in_channels": 4, "out_channels": 6, "kernel_size": 3, "stride": 2, "padding": 1,
                "groups": 2}, IMAGE),
    ("Conv2d", {"in_channels": 4, "out_channels": 6, "kernel_size": (3, 2), "padding": "same", "bias": False},
     IMAGE),
    ("Conv2d", {"in_channels": 4, "out_channels": 6, "kernel_size": 3, "padding": (2, 1),
                "padding_mode": "reflect"}, IMAGE),
    ("Conv2d", {"in_channels": 4, "out_channels": 6, "kernel_size": 2, "padding": "same",
                "padding_mode": "circular"}, IMAGE),
    ("Conv3d", {"in_channels": 4, "out_channels": 2, "kernel_size": 2, "dilation": 2}, VOLUME),
    ("ConvTranspose2d", {"in_channels": 4, "out_channels": 2, "kernel_size": 3, "stride": 2,
                         "output_padding": 1}, IMAGE),
    ("LayerNorm", {"normalized_shape": (6, 6)}, IMAGE),
    ("GroupNorm", {"num_groups": 2, "num_channels": 4}, IMAGE),
    ("BatchNorm1d", {"num_features": 6}, FLAT), ("BatchNorm2d", {"num_features": 4, "momentum": 0.3}, IMAGE),
    ("BatchNorm2d", {"num_features": 4, "momentum": None, "affine": False}, IMAGE),
    ("BatchNorm3d", {"num_features": 4, "track_running_stats": False}, VOLUME),
    ("AvgPool1d", {"kernel_size": 3, "padding": 1}, LINE),
    ("AvgPool2d", {"kernel_size": 3, "stride": 2, "padding": 1, "count_include_pad": False}, IMAGE),
    ("AvgPool3d", {"kernel_size": 2, "divisor_override": 3}, VOLUME),
    ("MaxPool2d", {"kernel_size": 3, "stride": 2, "ceil_mode": True}, IMAGE),
    ("AdaptiveAvgPool1d", {"output_size": 4}, LINE), ("AdaptiveAvgPool2d", {"output_size": (2, None)}, IMAGE),
    ("AdaptiveAvgPool3d", {"output_size": 3}, VOLUME), ("AdaptiveMaxPool1d", {"output_size": 4}, LINE),
    ("AdaptiveMaxPool2d", {"output_size": 4}, IMAGE), ("ZeroPad2d", {"padding": (1, 0, 2, 1)}, IMAGE),
    ("ConstantPad3d", {"padding": 1, "value": 2.5}, VOLUME), ("ReflectionPad2d", {"padding": 2}, IMAGE),
    ("ReplicationPad1d", {"padding": (1, 2)}, LINE), ("Unfold", {"kernel_size": 2, "stride": 2}, IMAGE),
    ("Upsample", {"scale_factor": 2.0, "mode": "bilinear"}, IMAGE),
    ("UpsamplingBilinear2d", {"size": (4, 9)}, IMAGE), ("GLU", {"dim": 1}, IMAGE),
    ("Softshrink", {"lambd": 0.2}, FLAT), ("Flatten", {"start_dim": 2}, IMAGE),
]
LOSSES = [
    ("MSELoss", {}), ("MSELoss", {"reduction": "none"}), ("L1Loss", {"reduction": "sum"}),
    ("SmoothL1Loss", {"beta": 0.5}), ("KLDivLoss", {"reduction": "batchmean", "log_target": True}),
    ("SoftMarginLoss", {}), ("BCEWithLogitsLoss", {}),
]


def normal(*shape):
    return torch.randn(shape, generator=torch.Generator().manual_seed(0))


@pytest.mark.parametrize(("name", "arguments", "shape"), LAYERS)
def test_layer_is_torchs(name, arguments, shape):
    mine, theirs = getattr(mint.nn, name)(**arguments), getattr(torch.nn, name)(**arguments)
    mine.set_train()
    for key, weight in theirs.named_parameters():
        weight.data = getattr(mine, key).torch().clone()
    x = normal(*shape)
    probe = x.clone().requires_grad_()
    expected = theirs(probe)
    (expected ** 2).sum().backward()
    torch.testing.assert_close(mine(Tensor(x)).torch(), expected.detach())
    for key, figures in theirs.named_buffers():
        torch.testing.assert_close(getattr(mine, key).torch(), figures)
    mine = mine if not name.startswith("BatchNorm") else getattr(mint.nn, name)(**arguments).set_train()
    gradient = ms.grad(lambda x: (mine(x) ** 2).sum())(Tensor(x))
    torch.testing.assert_close(gradient.torch(), probe.grad)


@pytest.mark.parametrize(("name", "arguments"), LOSSES)
def test_loss_is_torchs(name, arguments):
    x, y = normal(3, 4), normal(4, 3).T.contiguous().clamp(0, 1)
    mine, theirs = getattr(mint.nn, name)(**arguments), getattr(torch.nn, name)(**arguments)
    torch.testing.assert_close(mine(Tensor(x), Tensor(y)).torch(), theirs(x, y))


@pytest.mark.parametrize("arguments", [{}, {"reduction": "sum", "label_smoothing": 0.1}, {"ignore_index": 0}])
def test_cross_entropy_is_torchs(arguments):
    x, target = normal(3, 4), torch.tensor([1, 0, 3])
    mine, theirs = mint.nn.CrossEntropyLoss(**arguments), torch.nn.CrossEntropyLoss(**arguments)
    torch.testing.assert_close(mine(Tensor(x), Tensor(target)).torch(), theirs(x, target))
    log = torch.log_softmax(x, 1)
    torch.testing.assert_close(mint.nn.NLLLoss()(Tensor(log), Tensor(target)).torch(),
                               torch.nn.functional.nll_loss(log, target))


def test_calls_by_name():
    x, y = normal(3, 4), normal(4, 3).T
    mine = mint.nn.L1Loss()(logits=Tensor(x), labels=Tensor(y))
    torch.testing.assert_close(mine.torch(), (x - y).abs().mean())
    torch.testing.assert_close(mint.nn.SiLU()(x=Tensor(x)).torch(), x * x.sigmoid())


def test_batch_norm_at_rest_uses_its_running_figures():
    mine, x = mint.nn.BatchNorm2d(4), normal(*IMAGE) * 3 + 1
    mine.set_train()
    mine(Tensor(x))
    mine.set_train(False)
    mean, variance = mine.running_mean.torch()[:, None, None], mine.running_var.torch()[:, None, None]
    torch.testing.assert_close(mine(Tensor(x)).torch(), (x - mean) / (variance + 1e-5).sqrt())
    assert int(mine.num_batches_tracked) == 1


def test_dropout_keeps_the_mean_and_rests():
    x = Tensor(torch.ones(100, 100))
    layer = mint.nn.Dropout(0.25)
    layer.set_train()
    values = layer(x).torch()
    assert sorted(values.unique().tolist()) == pytest.approx([0.0, 1 / 0.75])
    assert (values == 0).float().mean().item() == pytest.approx(0.25, abs=0.02)
    channels = mint.nn.functional.dropout2d(Tensor(torch.ones(20, 20, 2, 2)), 0.5).torch()
    assert (channels == channels[..., :1, :1]).all()
    layer.set_train(False)
    assert layer(x) is x


def test_in_place_forms_write_into_their_input():
    x = Tensor(torch.tensor([-1.0, 2.0, 9.0]))
    assert mint.nn.functional.relu6(x, inplace=True) is x
    assert x.asnumpy().tolist() == [0.0, 2.0, 6.0]
    y = Tensor(torch.tensor([-1.0, 2.0]))
    mint.nn.functional.relu(y)
    assert y.asnumpy().tolist() == [-1.0, 2.0]


def test_where_of_a_condition_alone_gives_an_index_for_each_axis():
    mask = np.array([[True, False, True], [False, False, True]])
    found = mint.where(Tensor(mask))
    assert [i.dtype for i in found] == [ms.int64] * 2
    for mine, theirs in zip(found, mask.nonzero(), strict=True):
        np.testing.assert_array_equal(mine.asnumpy(), theirs)


def test_a_subclass_convolves_by_the_attribute_of_a_convolution():
    conv = mint.nn.Conv2d(2, 3, 3, padding=1, padding_mode="reflect")
    x = Tensor(np.random.RandomState(0).randn(1, 2, 5, 5).astype(np.float32))
    padded = Tensor(np.pad(x.asnumpy(), ((0, 0), (0, 0), (1, 1), (1, 1)), "reflect"))
    y = conv.conv2d(padded, conv.weight, conv.bias, (1, 1), (0, 0), (1, 1), 1)
    np.testing.assert_allclose(conv(x).asnumpy(), y.asnumpy(), rtol=1e-6)
    np.testing.assert_array_equal(
        nn_func.pad_ext(x, conv._reversed_padding, mode="reflect").asnumpy(), padded.asnumpy())
