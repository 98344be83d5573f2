"""A trained network's layers made Bayesian ones (``mindspore.nn.probability.transforms``)."""

from __future__ import annotations

import inspect

from ms2torch.common.parameter import Parameter
from ms2torch.nn import optim
from ms2torch.nn.layer import Conv2d, Dense
from ms2torch.nn.wrap.cell_wrapper import TrainOneStepCell

from .._replacing import put
from ..bnn_layers import ConvReparam, DenseReparam, WithBNNLossCell

__all__ = ["TransformToBNN"]

_BAYESIAN = {"DenseReparam": DenseReparam, "ConvReparam": ConvReparam}
_OF_DENSE = ("in_channels", "has_bias", "out_channels", "activation")
_OF_CONV = ("in_channels", "out_channels", "pad_mode", "kernel_size", "stride", "has_bias", "padding",
            "dilation", "group")


def _dense_arguments(layer) -> dict:
    return {name: getattr(layer, name) for name in _OF_DENSE}


def _conv_arguments(layer) -> dict:
    return {name: getattr(layer, name) for name in _OF_CONV}


class TransformToBNN:
    """Make a network's dense and convolutional layers Bayesian, of MindSpore 1.0 to 1.10
    (``mindspore.nn.probability.transforms.TransformToBNN``).

    ``trainable_dnn``: a TrainOneStepCell around a WithLossCell, whose network is changed in place.
    ``dnn_factor`` and ``bnn_factor`` weigh its loss and the divergence of its weights from their priors. Of
    the optimizer's arguments those go on that are Parameters (a fixed learning rate, Momentum's momentum);
    the others take their defaults, as in MindSpore. Unlike there, layers of a SequentialCell change too.
    """

    def __init__(self, trainable_dnn, dnn_factor=1, bnn_factor=1) -> None:
        for name, value in (("dnn_factor", dnn_factor), ("bnn_factor", bnn_factor)):
            if isinstance(value, bool) or not isinstance(value, (int, float)):
                raise TypeError(f"The type of `{name}` should be `int` or `float`")
            if value < 0:
                raise ValueError(f"The value of `{name}` should >= 0")
        self.optimizer = trainable_dnn.optimizer
        self.backbone = trainable_dnn.network.backbone_network
        self.loss_fn = trainable_dnn.network._loss_fn
        self.dnn_factor, self.bnn_factor = dnn_factor, bnn_factor

    def transform_to_bnn_model(self, get_dense_args=_dense_arguments, get_conv_args=_conv_arguments,
                               add_dense_args=None, add_conv_args=None):
        """All layers of both kinds; gives a TrainOneStepCell.

        ``get_..._args(layer)`` give the new layer's arguments, ``add_..._args`` further ones.
        """
        self._replace(self.backbone, {
            Dense: lambda cell: DenseReparam(**get_dense_args(cell), **(add_dense_args or {})),
            Conv2d: lambda cell: ConvReparam(**get_conv_args(cell), **(add_conv_args or {}))})
        return self._trainable()

    def transform_to_bnn_layer(self, dnn_layer_type, bnn_layer_type, get_args=None, add_args=None):
        """The layers of one kind: nn.Dense or nn.Conv2d become DenseReparam or ConvReparam."""
        kinds = {"Dense": (Dense, _dense_arguments), "Conv2d": (Conv2d, _conv_arguments)}
        if dnn_layer_type.__name__ not in kinds:
            raise ValueError(f" 'dnn_layer'{dnn_layer_type}, should be one of values in 'nn.Dense', "
                             "'nn.Conv2d'.")
        if bnn_layer_type.__name__ not in _BAYESIAN:
            raise ValueError(f" 'bnn_layer'{bnn_layer_type}, should be one of values in 'DenseReparam', "
                             "'ConvReparam'.")
        kind, usual = kinds[dnn_layer_type.__name__]
        get_args, made = get_args or usual, _BAYESIAN[bnn_layer_type.__name__]
        self._replace(self.backbone, {kind: lambda cell: made(**get_args(cell), **(add_args or {}))})
        return self._trainable()

    def _replace(self, network, makers: dict) -> None:
        for name, cell in network.name_cells().items():
            make = next((make for kind, make in makers.items() if isinstance(cell, kind)), None)
            if make is None:
                self._replace(cell, makers)
            else:
                put(network, name, make(cell))

    def _trainable(self):
        for name, parameter in self.backbone.parameters_and_names():
            parameter.name = name
        loss = WithBNNLossCell(self.backbone, self.loss_fn, self.dnn_factor, self.bnn_factor)
        return TrainOneStepCell(loss, self._renewed_optimizer())

    def _renewed_optimizer(self):
        kind = type(self.optimizer)
        if kind.__name__ not in optim.__all__:
            raise TypeError(f"The optimizer can be {optim.__all__}, but got {kind.__name__}")
        held = {name: getattr(self.optimizer, name, None) for name in inspect.signature(kind).parameters}
        kept = {name: v.asnumpy().tolist() for name, v in held.items() if isinstance(v, Parameter)}
        return kind(**{**kept, "params": self.backbone.trainable_params()})
