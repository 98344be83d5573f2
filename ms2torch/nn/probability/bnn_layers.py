"""Bayesian layers: weights are normal distributions, sampled at each call (``...probability.bnn_layers``).

`compute_kl_loss` of a layer is the divergence of its weights' distributions from their priors;
`WithBNNLossCell` adds those of all layers to the loss.
"""

from __future__ import annotations

import numpy as np

from ms2torch import ops
from ms2torch._checkparam import check_bool, check_positive_int, twice
from ms2torch.common.dtype import float32
from ms2torch.common.parameter import Parameter
from ms2torch.common.tensor import Tensor
from ms2torch.nn.cell import Cell
from ms2torch.nn.layer.activation import get_activation
from ms2torch.nn.layer.conv import _Conv

from .distribution import Normal

__all__ = ["ConvReparam", "DenseLocalReparam", "DenseReparam", "NormalPosterior", "NormalPrior",
           "WithBNNLossCell", "normal_post_fn"]


class NormalPrior(Cell):
    """A fixed normal distribution (``mindspore.nn.probability.bnn_layers.NormalPrior``)."""

    def __init__(self, dtype=float32, mean=0, std=0.1) -> None:
        super().__init__()
        self.normal = Normal(mean, std, dtype=dtype)

    def construct(self, *inputs):
        return self.normal(*inputs)


def _is_number(value) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


class NormalPosterior(Cell):
    """Normal distributions of ``shape`` with trained means and deviations
    (``mindspore.nn.probability.bnn_layers.NormalPosterior``).

    Parameters: ``name_mean`` and ``name_untransformed_std``, whose softplus (plus 1e-6) is the deviation;
    both start from numpy's normal random numbers.
    """

    def __init__(self, name, shape, dtype=float32, loc_mean=0, loc_std=0.1, untransformed_scale_mean=-5,
                 untransformed_scale_std=0.1) -> None:
        super().__init__()
        if not isinstance(name, str):
            raise TypeError("The type of `name` must be `str`")
        if not isinstance(shape, (tuple, list)):
            raise TypeError("The type of `shape` must be `tuple` or `list`")
        for said, value in (("loc_mean", loc_mean), ("untransformed_scale_mean", untransformed_scale_mean)):
            if not _is_number(value):
                raise TypeError(f"The type of `{said}` must be `int` or `float`")
        for said, value in (("loc_std", loc_std), ("untransformed_scale_std", untransformed_scale_std)):
            if not _is_number(value) or value < 0:
                raise TypeError(f"The type of `{said}` must be `int` or `float` and its value must > 0")
        for said, centre, width in (("mean", loc_mean, loc_std),
                                    ("untransformed_std", untransformed_scale_mean, untransformed_scale_std)):
            start = Tensor(np.random.normal(centre, width, shape), dtype=dtype)
            setattr(self, said, Parameter(start, name=f"{name}_{said}"))
        self.normal = Normal()

    def construct(self, *inputs):
        deviation = ops.log(ops.exp(self.untransformed_std) + 1) + 1e-6
        return self.normal(*inputs, mean=self.mean, sd=deviation)


def normal_post_fn(name, shape) -> NormalPosterior:
    """The posterior of layers that are given no other."""
    return NormalPosterior(name=name, shape=shape)


def _checked(distribution: Cell, argument: str) -> Cell:
    if any(name != "normal" for name in distribution.name_cells()):
        raise TypeError(f"The type of distribution of `{argument}` must be `normal`")
    return distribution


class _Variational:
    """What both kinds of layers share: the distributions, samples of the bias, the divergence."""

    def _distribute(self, shape, weight_prior, weight_posterior, bias_prior, bias_posterior) -> None:
        self._distribution("weight", shape, weight_prior, weight_posterior)
        if self.has_bias:
            self._distribution("bias", [self.out_channels], bias_prior, bias_posterior)

    def _distribution(self, what: str, shape, prior, posterior) -> None:
        prior = _checked(prior if isinstance(prior, Cell) else prior(), f"{what}_prior_fn")
        fixed = getattr(prior, "normal", None)
        if fixed is not None and not (isinstance(fixed._mean_value, Tensor) and isinstance(
                fixed._sd_value, Tensor)):
            raise TypeError(f"The input form of `{what}_prior_fn` is incorrect")
        setattr(self, f"{what}_prior", prior)
        try:
            made = posterior(shape=shape, name=f"bnn_{what}")
        except TypeError:
            raise TypeError(f"The type of `{what}_posterior_fn` must be `NormalPosterior`") from None
        setattr(self, f"{what}_posterior", _checked(made, f"{what}_posterior_fn"))

    def apply_variational_bias(self, inputs):
        """Inputs plus a sample of the bias."""
        return ops.bias_add(inputs, self.bias_posterior("sample"))

    def compute_kl_loss(self):
        """The divergence of all weights from their prior, a scalar."""
        total = _divergence(self.weight_prior, self.weight_posterior)
        return total + _divergence(self.bias_prior, self.bias_posterior) if self.has_bias else total

    def _told(self) -> str:
        weight = self.weight_posterior
        text = f"weight_mean={weight.mean}, weight_std={weight.untransformed_std}, has_bias={self.has_bias}"
        if self.has_bias:
            bias = self.bias_posterior
            text += f", bias_mean={bias.mean}, bias_std={bias.untransformed_std}"
        return text


def _divergence(prior, posterior):
    kind, arguments = posterior("get_dist_type"), posterior("get_dist_args")
    return prior("kl_loss", kind, *arguments).sum()


class ConvReparam(_Variational, _Conv):
    """2-d convolution with a sampled kernel (``mindspore.nn.probability.bnn_layers.ConvReparam``).

    Arguments as nn.Conv2d's; ``..._prior_fn`` makes the distributions that weights are held to, NormalPrior
    by default, ``..._posterior_fn(name, shape)`` those that they are drawn from.
    """

    def __init__(self, in_channels, out_channels, kernel_size, stride=1, pad_mode="same", padding=0,
                 dilation=1, group=1, has_bias=False, weight_prior_fn=NormalPrior,
                 weight_posterior_fn=normal_post_fn, bias_prior_fn=NormalPrior,
                 bias_posterior_fn=normal_post_fn) -> None:
        super().__init__(in_channels, out_channels, twice(kernel_size), twice(stride), pad_mode, padding,
                         twice(dilation), group, has_bias, "normal", "zeros")
        if pad_mode not in ("valid", "same", "pad"):
            raise ValueError(f"Attr 'pad_mode' of 'Conv2d' Op passed {pad_mode}, should be one of values in "
                             "'valid', 'same', 'pad'.")
        self.weight.requires_grad = False
        if self.has_bias:
            self.bias.requires_grad = False
        self.shape = [out_channels, in_channels // group, *self.kernel_size]
        self._distribute(self.shape, weight_prior_fn, weight_posterior_fn, bias_prior_fn, bias_posterior_fn)
        self.conv2d = ops.Conv2D(out_channels, self.kernel_size, pad_mode=pad_mode, pad=padding,
                                 stride=self.stride, dilation=self.dilation, group=group)

    def construct(self, inputs):
        outputs = self.conv2d(inputs, self.weight_posterior("sample"))
        return self.apply_variational_bias(outputs) if self.has_bias else outputs

    def extend_repr(self) -> str:
        return (f"in_channels={self.in_channels}, out_channels={self.out_channels}, "
                f"kernel_size={self.kernel_size}, stride={self.stride}, pad_mode={self.pad_mode}, "
                f"padding={self.padding}, dilation={self.dilation}, group={self.group}, {self._told()}")


class _DrawnDense(_Variational, Cell):
    """A dense layer whose weights are drawn."""

    def __init__(self, in_channels, out_channels, activation=None, has_bias=True, weight_prior_fn=NormalPrior,
                 weight_posterior_fn=normal_post_fn, bias_prior_fn=NormalPrior,
                 bias_posterior_fn=normal_post_fn) -> None:
        super().__init__()
        self.in_channels = check_positive_int(in_channels)
        self.out_channels = check_positive_int(out_channels)
        self.has_bias = check_bool(has_bias)
        self._distribute([out_channels, in_channels], weight_prior_fn, weight_posterior_fn, bias_prior_fn,
                         bias_posterior_fn)
        if activation and not isinstance(activation, (str, Cell)):
            raise ValueError("The type of `activation` is wrong.")
        self.activation = get_activation(activation) if isinstance(activation, str) else activation
        self.activation_flag = bool(activation)

    def construct(self, x):
        outputs = self._apply_variational_weight(x)
        if self.has_bias:
            outputs = self.apply_variational_bias(outputs)
        return self.activation(outputs) if self.activation_flag else outputs

    def _apply_variational_weight(self, inputs):
        return ops.matmul(inputs, self.weight_posterior("sample").T)

    def extend_repr(self) -> str:
        last = f", activation={self.activation}" if self.activation_flag else ""
        return f"in_channels={self.in_channels}, out_channels={self.out_channels}, {self._told()}{last}"


class DenseReparam(_DrawnDense):
    """Dense layer with sampled weights (``mindspore.nn.probability.bnn_layers.DenseReparam``).

    ``activation``: a name or a Cell, applied last; ValueError for anything else. Distributions as in
    `ConvReparam`.
    """


class DenseLocalReparam(_DrawnDense):
    """Dense layer whose outputs are sampled, not its weights
    (``mindspore.nn.probability.bnn_layers.DenseLocalReparam``); arguments as DenseReparam's.
    """

    def __init__(self, in_channels, out_channels, activation=None, has_bias=True, weight_prior_fn=NormalPrior,
                 weight_posterior_fn=normal_post_fn, bias_prior_fn=NormalPrior,
                 bias_posterior_fn=normal_post_fn) -> None:
        super().__init__(in_channels, out_channels, activation, has_bias, weight_prior_fn,
                         weight_posterior_fn, bias_prior_fn, bias_posterior_fn)
        self.normal = Normal()

    def _apply_variational_weight(self, inputs):
        mean = ops.matmul(inputs, self.weight_posterior("mean").T)
        variance = ops.matmul(ops.square(inputs), ops.square(self.weight_posterior("sd")).T)
        return self.normal("sample", mean=mean, sd=ops.sqrt(variance))


class WithBNNLossCell(Cell):
    """A network and its loss, with the divergences of its Bayesian layers
    (``mindspore.nn.probability.bnn_layers.WithBNNLossCell``).

    The loss times ``dnn_factor``, and the divergences' sum times ``bnn_factor``.
    """

    def __init__(self, backbone, loss_fn, dnn_factor=1, bnn_factor=1) -> None:
        super().__init__(auto_prefix=False)
        for name, value, word in (("dnn_factor", dnn_factor, "should"), ("bnn_factor", bnn_factor, "must")):
            if not _is_number(value):
                raise TypeError(f"The type of `{name}` must be `int` or `float`")
            if value < 0:
                raise ValueError(f"The value of `{name}` {word} >= 0")
        self._backbone, self._loss_fn = backbone, loss_fn
        self.dnn_factor, self.bnn_factor = dnn_factor, bnn_factor
        layers = (cell for _, cell in backbone.cells_and_names() if cell is not backbone)
        self.kl_loss = [cell.compute_kl_loss for cell in layers if isinstance(cell, _Variational)]

    def construct(self, x, label):
        loss = self._loss_fn(self._backbone(x), label)
        return loss * self.dnn_factor + sum(one() for one in self.kl_loss) * self.bnn_factor

    @property
    def backbone_network(self) -> Cell:
        """The network itself."""
        return self._backbone
