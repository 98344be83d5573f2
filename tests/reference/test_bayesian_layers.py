"""Bayesian layers: samples with hardly any deviation, divergences, losses, what is refused, how they print."""

import numpy as np
from mindspore import Tensor, grad, nn
from mindspore.nn.probability import bnn_layers

from tests.reference.judge import case


def narrow(name, shape):
    return bnn_layers.NormalPosterior(name, shape, untransformed_scale_mean=-30, untransformed_scale_std=0)


def data(*shape):
    return Tensor(np.random.RandomState(1).uniform(-1, 1, shape).astype(np.float32))


def made(name, posterior=narrow, **arguments):
    np.random.seed(3)
    sizes = {"ConvReparam": (2, 4, 3)}.get(name, (3, 2))
    return getattr(bnn_layers, name)(*sizes, weight_posterior_fn=posterior, bias_posterior_fn=posterior,
                                     **arguments)


LAYERS = {"conv": lambda: made("ConvReparam"), "conv-more": lambda: made(
    "ConvReparam", has_bias=True, stride=2, pad_mode="pad", padding=1, dilation=(1, 2), group=2),
    "dense": lambda: made("DenseReparam"), "dense-plain": lambda: made("DenseReparam", has_bias=False),
    "dense-relu": lambda: made("DenseReparam", activation="relu"),
    "local": lambda: made("DenseLocalReparam", activation=nn.Tanh())}


# The weights' deviation is 1e-6 and the samples are each side's own.
@case(each={"name": list(LAYERS)}, atol=1e-4, reason="samples have a deviation of 1e-6")
def test_layers(name):
    layer = LAYERS[name]()
    output = layer(data(2, 2, 7, 7) if name.startswith("conv") else data(2, 3))
    return output, [(p.name, p.shape, p.requires_grad) for p in layer.get_parameters()]


@case(each={"name": ["ConvReparam", "DenseReparam", "DenseLocalReparam"]}, rtol=2e-5,
      reason="log(1 + exp(-5)), which the divergence divides by squared, has five digits in float32")
def test_divergences(name):
    return made(name, bnn_layers.NormalPosterior, has_bias=True).compute_kl_loss()


@case(each={"name": list(LAYERS)})
def test_layers_print(name):
    return repr(LAYERS[name]())


@case(atol=1e-4, reason="samples have a deviation of 1e-6")
def test_loss():
    network = nn.SequentialCell(made("DenseReparam"), nn.ReLU())
    loss = bnn_layers.WithBNNLossCell(network, nn.MSELoss(), 2, 0.5)
    mean = network[0].weight_posterior.mean
    data_and_label = data(2, 3), data(2, 2)
    return grad(loss, None, mean)(*data_and_label), loss.backbone_network is network


BAD = {
    "name": lambda: bnn_layers.NormalPosterior(3, (2,)), "shape": lambda: bnn_layers.NormalPosterior("w", 2),
    "mean": lambda: bnn_layers.NormalPosterior("w", (2,), loc_mean="a"),
    "std": lambda: bnn_layers.NormalPosterior("w", (2,), loc_std=-1),
    "scale": lambda: bnn_layers.NormalPosterior("w", (2,), untransformed_scale_mean=True),
    "posterior": lambda: bnn_layers.DenseReparam(2, 3, weight_posterior_fn=lambda x: x),
    "prior": lambda: bnn_layers.DenseReparam(2, 3, weight_prior_fn=lambda: nn.SequentialCell(nn.ReLU())),
    "activation": lambda: bnn_layers.DenseReparam(2, 3, activation=3),
    "sizes": lambda: bnn_layers.DenseLocalReparam(0, 3),
    "pad-mode": lambda: bnn_layers.ConvReparam(2, 3, 3, pad_mode="x"),
    "dnn-kind": lambda: bnn_layers.WithBNNLossCell(nn.ReLU(), nn.MSELoss(), "a"),
    "dnn": lambda: bnn_layers.WithBNNLossCell(nn.ReLU(), nn.MSELoss(), -1),
    "bnn": lambda: bnn_layers.WithBNNLossCell(nn.ReLU(), nn.MSELoss(), 1, -1),
}


@case(raises=True, each={"name": list(BAD)})
def test_refused(name):
    return BAD[name]()
