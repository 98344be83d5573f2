"""Quantisation-aware training (``mindspore.compression.quant.qat``)."""

from __future__ import annotations

from ms2torch import _checkparam as check
from ms2torch import nn
from ms2torch._core.operators.registry import Primitive
from ms2torch.compression.common import QuantDtype
from ms2torch.nn.layer import quant

from .quantizer import OptimizeOption, Quantizer

__all__ = ["QuantizationAwareTraining", "create_quant_config"]

_OBSERVERS = (quant.FakeQuantWithMinMaxObserver, quant.FakeQuantWithMinMaxObserver)
_INT8 = (QuantDtype.INT8, QuantDtype.INT8)
_ROUNDED_AFTER = (nn.ReLU, nn.ReLU6, nn.Sigmoid)
_ROUNDED_AROUND = (nn.LeakyReLU, nn.HSigmoid, nn.HSwish)
_OPERATORS = ("Add", "TensorAdd")


def _pair(value) -> tuple:
    """What holds for weights, and for activations."""
    pair = tuple(value) if isinstance(value, (list, tuple)) else (value,)
    if len(pair) not in (1, 2):
        raise ValueError(f"one value or two (weights, activations) are expected, but got {value}.")
    return pair[0], pair[-1]


def create_quant_config(
    quant_observer=_OBSERVERS,
    quant_delay=(0, 0),
    quant_dtype=_INT8,
    per_channel=(False, False),
    symmetric=(False, False),
    narrow_range=(False, False),
    mode="DEFAULT",
):
    """The ``quant_config`` of the quantised layers (``mindspore.compression.quant.create_quant_config``).

    Each argument is one value or two, for weights and for activations. ValueError for ``per_channel`` of
    activations.
    """
    if _pair(per_channel)[1]:
        raise ValueError("Arg 'per_channel' second element must be 'False'.")
    options = zip(
        _pair(quant_observer),
        _pair(quant_delay),
        _pair(quant_dtype),
        _pair(per_channel),
        _pair(symmetric),
        _pair(narrow_range),
        strict=True,
    )
    observers = []
    for observer, delay, kind, channels, even, narrow in options:
        arguments = {"quant_delay": delay, "per_channel": channels, "symmetric": even, "narrow_range": narrow}
        observers.append(observer.partial_init(quant_dtype=kind, mode=mode, **arguments))
    return quant.QuantConfig(*observers)


class _RoundedOperator(nn.Cell):
    """An operator of a Cell, its result rounded."""

    def __init__(self, operator: Primitive, config, quant_dtype) -> None:
        super().__init__()
        self.subcell = operator
        self.fake_quant_act = config.activation(
            min_init=-6, max_init=6, ema=True, ema_decay=0.999, quant_dtype=quant_dtype
        )

    def construct(self, *inputs):
        return self.fake_quant_act(self.subcell(*inputs))


class _Same(nn.Cell):
    def construct(self, x):
        return x


class QuantizationAwareTraining(Quantizer):
    """Turns a network into one that trains with rounded weights and activations
    (``mindspore.compression.quant.QuantizationAwareTraining``).

    `quantize` replaces, in place, what is inside each Conv2dBnAct and DenseBnAct, and the operator Add where
    a Cell holds it as an attribute; other layers stay as they are. Pairs of arguments are for weights and for
    activations. ``bn_fold`` folds normalisation into convolutions (``one_conv_fold``: with one convolution).
    ValueError for an activation without a quantised form.
    """

    def __init__(
        self,
        bn_fold=True,
        freeze_bn=10000000,
        quant_delay=(0, 0),
        quant_dtype=_INT8,
        per_channel=(False, False),
        symmetric=(False, False),
        narrow_range=(False, False),
        optimize_option=OptimizeOption.QAT,
        one_conv_fold=True,
    ):
        super().__init__(optimize_option)
        self.bn_fold = check.check_bool(bn_fold, "bn fold")
        self.freeze_bn = check.check_non_negative_int(freeze_bn, "freeze bn")
        self.one_conv_fold = check.check_bool(one_conv_fold, "one conv fold")
        self.weight_dtype, self.act_dtype = _pair(quant_dtype)
        self.quant_config = create_quant_config(
            quant_delay=quant_delay,
            quant_dtype=quant_dtype,
            per_channel=per_channel,
            symmetric=symmetric,
            narrow_range=narrow_range,
        )

    def quantize(self, network):
        """The network, changed in place; it keeps its parameters and their values."""
        network.update_cell_prefix()
        self._change(network)
        return network

    def _change(self, network) -> None:
        if type(network).__module__ == quant.__name__ or isinstance(network, _RoundedOperator):
            return
        for cell in list(network.name_cells().values()):
            if isinstance(cell, nn.Conv2dBnAct):
                self._change_convolution(cell)
            elif isinstance(cell, nn.DenseBnAct):
                self._change_dense(cell)
            elif cell is not network:
                self._change(cell)
        held = [(n, v) for n, v in vars(network).items() if isinstance(v, Primitive) and v.name in _OPERATORS]
        for name, operator in held:
            rounded = _RoundedOperator(operator, self.quant_config, self.act_dtype)
            prefix = ".".join(part for part in (network.param_prefix, name) if part)
            delattr(network, name)
            network.insert_child_to_cell(name, rounded)
            rounded.update_parameters_name(prefix + ".")

    def _change_convolution(self, cell) -> None:
        old = cell.conv
        shape = (old.in_channels, old.out_channels, old.kernel_size, old.stride, old.pad_mode, old.padding)
        options = {"dilation": old.dilation, "group": old.group, "has_bias": old.has_bias}
        options |= {"quant_config": self.quant_config, "quant_dtype": self.weight_dtype}
        if not cell.has_bn:
            new = quant.Conv2dQuant(*shape, **options)
        else:
            options |= {"eps": cell.batchnorm.eps, "momentum": 1 - cell.batchnorm.momentum}
            if not self.bn_fold:
                new = quant.Conv2dBnWithoutFoldQuant(*shape, **options)
                new.batchnorm = cell.batchnorm
            else:
                if self.one_conv_fold:
                    new = quant.Conv2dBnFoldQuantOneConv(*shape, **options)
                else:
                    new = quant.Conv2dBnFoldQuant(*shape, **options, freeze_bn=self.freeze_bn)
                for name in ("gamma", "beta", "moving_mean", "moving_variance"):
                    setattr(new, name, getattr(cell.batchnorm, name))
            del cell.batchnorm
            cell.has_bn = False
        self._put(cell, "conv", old, new)

    def _change_dense(self, cell) -> None:
        old = cell.dense
        new = quant.DenseQuant(
            old.in_channels,
            old.out_channels,
            has_bias=old.has_bias,
            quant_config=self.quant_config,
            quant_dtype=self.weight_dtype,
        )
        self._put(cell, "dense", old, new)

    def _put(self, cell, name: str, old, new) -> None:
        """Put a quantised layer in place of the old one, with its weights, and round the activation."""
        new.weight = old.weight
        if old.has_bias:
            new.bias = old.bias
        setattr(cell, name, new)
        new.update_parameters_name(old.param_prefix + ".")
        if cell.has_act or cell.after_fake:
            prefix = ".".join(part for part in (cell.param_prefix, "activation") if part)
            cell.activation = self._rounded(cell.activation if cell.has_act else _Same())
            cell.activation.update_parameters_name(prefix + ".")
            cell.has_act = True

    def _rounded(self, activation):
        kinds = {"quant_config": self.quant_config, "quant_dtype": self.act_dtype}
        if isinstance(activation, (*_ROUNDED_AFTER, _Same)):
            return quant.ActQuant(activation, ema=isinstance(activation, _Same), **kinds)
        if isinstance(activation, _ROUNDED_AROUND):
            return quant.ActQuant(activation, ema=True, fake_before=True, **kinds)
        raise ValueError("Unsupported activation in auto quant: ", type(activation))
