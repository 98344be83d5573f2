"""``mindspore.explainer.explanation`` of 1.1 to 1.5, by its formulas; no release at hand has it on a CPU."""

import numpy as np
import pytest

import ms2torch as ms
from ms2torch import Tensor, nn, ops
from ms2torch.explainer.explanation import RISE, Deconvolution, GradCAM, Gradient, GuidedBackprop, Occlusion

rng = np.random.default_rng(2)


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(2, 3, 3, pad_mode="pad", padding=1, weight_init="normal")
        self.conv.weight.set_data(Tensor(rng.standard_normal((3, 2, 3, 3)).astype(np.float32)))
        self.relu = nn.ReLU()
        self.fc = nn.Dense(3 * 64, 4)
        self.fc.weight.set_data(Tensor(rng.standard_normal((4, 3 * 64)).astype(np.float32)))

    def construct(self, x):
        x = self.relu(self.conv(x))
        return self.fc(x.reshape(x.shape[0], -1))


def images(count=2):
    return Tensor(rng.standard_normal((count, 2, 8, 8)).astype(np.float32))


def spread(network, gradient):
    """The gradient by the image of a gradient by the convolution's result."""
    def of(x):
        return (network.conv(x) * Tensor(gradient.astype(np.float32))).sum()

    return ms.grad(of)(images(len(gradient))).asnumpy()         # linear: at any image the same


def by_rule(network, x, labels, rule):
    """The saliency where ReLU's backward rule is ``rule(before, gradient)``."""
    before = network.conv(x).asnumpy()
    gradient = network.fc.weight.asnumpy()[labels].reshape(before.shape)
    return np.abs(spread(network, rule(before, gradient))).max(1, keepdims=True)


RULES = {
    Gradient: lambda before, g: g * (before > 0),
    Deconvolution: lambda before, g: np.maximum(g, 0),
    GuidedBackprop: lambda before, g: np.maximum(g, 0) * (before > 0),
}


@pytest.mark.parametrize("kind", RULES)
def test_saliency_by_gradients(kind):
    network, x = Net(), images()
    network.set_train()
    explain = kind(network)
    assert explain.network is network and not network.training
    for labels, targets in (([1, 3], Tensor([1, 3])), ([2, 2], 2), ([1, 1], Tensor(1))):
        found = explain(x, targets)
        assert found.shape == (2, 1, 8, 8)
        np.testing.assert_allclose(found.asnumpy(), by_rule(network, x, labels, RULES[kind]), rtol=1e-4,
                                   atol=1e-5)


def in_steps(values):
    """What Pillow's bytes keep of it."""
    return (values * 255).astype(np.uint8).astype(np.float32) / 255


def test_activations_weighed_by_gradients():
    network, x = Net(), images()
    network.fc.weight.set_data(network.fc.weight * 0.1)         # values below 1
    gradient = network.fc.weight.asnumpy()[[1, 2]].reshape(2, 3, 8, 8)
    active = network.relu(network.conv(x)).asnumpy()
    weighed = np.maximum((gradient.mean((2, 3), keepdims=True) * active).sum(1, keepdims=True), 0)
    assert weighed.max() < 1
    found = GradCAM(network, "relu")(x, Tensor([1, 2])).asnumpy()
    np.testing.assert_allclose(found, in_steps(weighed), atol=1.01 / 255)
    by_image = spread(network, gradient * (network.conv(x).asnumpy() > 0))
    weighed = np.maximum((by_image.mean((2, 3), keepdims=True) * x.asnumpy()).sum(1, keepdims=True), 0)
    found = GradCAM(network)(x, Tensor([1, 2])).asnumpy()
    np.testing.assert_allclose(found, in_steps(weighed), atol=1.01 / 255)
    with pytest.raises(ValueError, match="Cannot match nowhere"):
        GradCAM(network, layer="nowhere")


def test_a_map_of_a_smaller_layer_is_resized():
    class Pooled(Net):
        def construct(self, x):
            x = self.pool(self.relu(self.conv(x)))
            return self.fc(x.reshape(x.shape[0], -1))

    network = Pooled()
    network.pool = nn.MaxPool2d(2, 2)
    network.fc = nn.Dense(3 * 16, 4)
    assert GradCAM(network, "pool")(images(1), 0).shape == (1, 1, 8, 8)


def test_hidden_windows():
    network, x, softmax = Net(), images(), nn.Softmax()
    found = Occlusion(network, softmax, perturbation_per_eval=7)(x, Tensor([0, 3])).asnumpy()
    expected = np.zeros((2, 8, 8))
    count = np.ones((8, 8))
    for row in range(6):
        for column in range(6):
            hidden = x.asnumpy().copy()
            hidden[:, :, row : row + 3, column : column + 3] = 0
            fall = (softmax(network(x)) - softmax(network(Tensor(hidden)))).asnumpy()[[0, 1], [0, 3]]
            expected[:, row : row + 3, column : column + 3] += fall[:, None, None]
            count[row : row + 3, column : column + 3] += 1
    np.testing.assert_allclose(found[:, 0], np.abs(expected / count), rtol=1e-3, atol=1e-5)
    large = Tensor(np.ones((1, 1, 70, 64), np.float32))
    assert Occlusion(halves(), softmax)(large, 0).shape == (1, 1, 70, 64)


def halves():
    """A network of large images: the sums of their halves."""
    class Halves(nn.Cell):
        def construct(self, x):
            return ops.stack((x[..., :32].sum((1, 2, 3)), x[..., 32:].sum((1, 2, 3))), 1) / 1000

    return Halves()


def test_random_masks(monkeypatch):
    """Where a network looks at one corner alone, that corner's masks weigh most."""
    class Corner(nn.Cell):
        def construct(self, x):
            part = x[:, :, :4, :4].mean((1, 2, 3))
            return ops.stack((part * 8, ops.zeros_like(part)), 1)

    np.random.seed(0)
    monkeypatch.setattr(RISE, "_masks", 600)
    x = Tensor(np.ones((1, 1, 16, 16), np.float32))
    found = RISE(Corner(), nn.Softmax())(x, Tensor([[0, 1]])).asnumpy()
    assert found.shape == (1, 2, 16, 16)
    corner, rest = found[0, :, :4, :4].mean((1, 2)), found[0, :, 10:, 10:].mean((1, 2))
    assert corner[0] > rest[0] + 0.01 and corner[1] < rest[1] - 0.01
    masks = RISE._drawn(50, (16, 12))
    assert masks.shape == (50, 1, 16, 12) and abs(masks.mean() - 0.5) < 0.05
    assert RISE(Corner(), nn.Softmax())(x, 1).shape == (1, 1, 16, 16)


def test_wrong_arguments():
    network, x = Net(), images()
    with pytest.raises(ValueError, match="must be 4D Tensor"):
        Gradient(network)(Tensor([1.0]), 1)
    with pytest.raises(ValueError, match="same length as inputs"):
        GuidedBackprop(network)(x, Tensor([1, 2, 3]))
    with pytest.raises(TypeError):
        Gradient(network)(x, "cat")
    with pytest.raises(TypeError):
        Gradient(3)
    with pytest.raises(ValueError, match="positive integer"):
        Occlusion(network, nn.Softmax(), 0)
