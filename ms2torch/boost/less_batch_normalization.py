"""``mindspore.boost.less_batch_normalization``."""

from __future__ import annotations

import numpy as np

from ms2torch.common.initializer import initializer
from ms2torch.common.parameter import Parameter
from ms2torch.common.tensor import Tensor
from ms2torch.nn.cell import Cell
from ms2torch.nn.layer.basic import Dense
from ms2torch.ops.operations import BiasAdd, L2Normalize, MatMul

__all__ = ["CommonHeadLastFN", "LessBN"]


class CommonHeadLastFN(Cell):
    """``multiplier * (unit(x) @ unit(weight).T + bias)``, of rows of length one, with a trained
    ``multiplier``."""

    def __init__(self, in_channels, out_channels, weight_init="normal", bias_init="zeros",
                 has_bias=True) -> None:
        super().__init__()
        self.weight = Parameter(initializer(weight_init, [out_channels, in_channels]), name="weight")
        self.x_norm, self.w_norm, self.fc = L2Normalize(axis=1), L2Normalize(axis=1), MatMul(False, True)
        self.multiplier = Parameter(Tensor(np.ones(1, np.float32)), name="multiplier")
        self.has_bias = has_bias
        if has_bias:
            self.bias_add = BiasAdd()
            self.bias = Parameter(initializer(bias_init, [out_channels]), name="bias")

    def construct(self, x):
        x = self.fc(self.x_norm(x), self.w_norm(self.weight))
        return self.multiplier * (self.bias_add(x, self.bias) if self.has_bias else x)


class LessBN(Cell):
    """``network``, marked for fewer normalisations (``mindspore.boost.LessBN``), which MindSpore's compiler
    leaves out on Ascend alone.

    ``fn_flag``: the last Dense layer of each Cell becomes one without bias whose rows have length one.
    """

    def __init__(self, network, fn_flag=False) -> None:
        super().__init__()
        self.network = network
        if "less_bn" not in network.get_flags():
            network.set_boost("less_bn")
            network.update_cell_prefix()
            if fn_flag:
                self._convert_to_less_bn_net(network)
            network.add_flags(defer_inline=True)

    def construct(self, *inputs):
        return self.network(*inputs)

    def _convert_to_less_bn_net(self, net) -> None:
        last = None
        for name, cell in net.name_cells().items():
            if isinstance(cell, Dense):
                last = name, cell
            elif cell is not net:
                self._convert_to_less_bn_net(cell)
        if last:
            name, cell = last
            made = CommonHeadLastFN(cell.in_channels, cell.out_channels, cell.weight, cell.bias, False)
            made.update_parameters_name(cell.param_prefix + ".")
            net.insert_child_to_cell(name, made)
