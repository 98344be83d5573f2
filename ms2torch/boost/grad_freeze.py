"""Training some parameters in most steps, all in others (``mindspore.boost.grad_freeze``)."""

from __future__ import annotations

from itertools import chain

import numpy as np
import torch

from ms2torch._core.tensor.tensor import wrap
from ms2torch.common import dtype as mstype
from ms2torch.common.tensor import Tensor
from ms2torch.nn import LARS, Identity
from ms2torch.nn.cell import Cell
from ms2torch.nn.optim import Optimizer
from ms2torch.nn.wrap import DistributedGradReducer

from .base import ParameterProcess
from .grad_accumulation import GradientAccumulation

__all__ = ["FreezeOpt", "GradientFreeze", "freeze_cell"]

CONTINUOUS_STRATEGY, INTERVAL_STRATEGY = 0, 1


class FreezeOpt(Cell):
    """An optimizer like ``opt`` for each of ``train_parameter_groups`` (``mindspore.boost.FreezeOpt``), in
    ``opts``; ``train_strategy`` says which of them each step takes.

    A list of rates goes to the optimizers by the steps that are theirs. TypeError and ValueError for bad
    arguments.
    """

    def __init__(self, opt, train_parameter_groups=None, train_strategy=None) -> None:
        super().__init__()
        if not isinstance(opt, Optimizer):
            raise TypeError(f"The first arg 'opt' must be an Optimizer instance, but got {type(opt)}")
        if train_strategy is not None and train_parameter_groups is None:
            raise ValueError("When the 'train_strategy' is specified, the value of 'train_parameter_groups' "
                             "must also be specified")
        self.is_lars = isinstance(opt, LARS)
        inner = opt.opt if self.is_lars else opt
        self.lars_init_args = opt.init_args if self.is_lars else None
        self.opt_class, self.opt_init_args, self.single_opt = type(inner), inner.init_args, inner
        self.parameters, self.learning_rate = inner.parameters, inner.init_learning_rate
        self.dynamic_lr = inner.dynamic_lr
        if train_parameter_groups is None:
            train_parameter_groups = (tuple(opt.parameters),)
        elif not isinstance(train_parameter_groups, (tuple, list)):
            raise TypeError("The specified 'train_parameter_groups' should be tuple or list")
        self.groups_num = len(train_parameter_groups)
        self.train_strategy = _strategy(train_strategy)
        self._split_rates()
        self.opts, self.opt_index = [], 0
        for params in train_parameter_groups:
            if not isinstance(params, (tuple, list)):
                raise TypeError("The each element of 'train_parameter_groups' should be tuple or list "
                                "to store the Parameter")
            self.opts.append(self._made(params))
            self.opt_index += 1

    def _split_rates(self) -> None:
        self.dynamic_learning_rate = [[] for _ in range(self.groups_num)]
        if self.learning_rate is None:
            self.learning_rate = self.single_opt.learning_rate
        elif self.dynamic_lr and isinstance(self.learning_rate, list) and self.train_strategy is not None:
            turns = self.train_strategy.asnumpy()
            if len(self.learning_rate) <= len(turns):
                for turn, rate in zip(turns, self.learning_rate, strict=False):
                    self.dynamic_learning_rate[turn].append(rate)

    def _made(self, params) -> Optimizer:
        rate = self.dynamic_learning_rate[self.opt_index] or self.learning_rate
        made = self.opt_class(params=params, learning_rate=rate, **self.opt_init_args)
        if self.is_lars:
            made = LARS(made, **self.lars_init_args)
        trained = {id(p) for p in made.parameters}
        for name, param in made.parameters_and_names():
            if id(param) not in trained:
                param.name = f"boost_{self.opt_index}{name}"
        return made


def _strategy(given) -> Tensor | None:
    if isinstance(given, (tuple, list)):
        if not all(isinstance(turn, int) for turn in given):
            raise ValueError("The element in train_strategy should be int number")
        return Tensor(given, mstype.int32)
    if isinstance(given, Tensor):
        if given.ndim != 1 or given.dtype != mstype.int32:
            raise ValueError("When train_strategy is a Tensor, the dimension should be 1 and "
                             "the dtype should be int32")
    elif given is not None:
        raise TypeError("The specified 'train_strategy' should be None, tuple, list or Tensor")
    return given


class _TrainFreezeCell(Cell):
    """A training step of some of the parameters of ``net``: those of ``optimizer``."""

    def __init__(self, net, sens, grad, grad_reducer, use_grad_accumulation, optimizer,
                 max_accumulation_step=1) -> None:
        super().__init__(auto_prefix=False)
        self.net, self.grad, self.grad_reducer, self.opt = net, grad, grad_reducer, optimizer
        self.parameters, self.sens = optimizer.parameters, sens
        self.use_grad_accumulation = use_grad_accumulation
        self.max_accumulation_step = max_accumulation_step
        if use_grad_accumulation:
            self.grad_accumulation = GradientAccumulation(max_accumulation_step, optimizer)

    def construct(self, *inputs):
        loss = self.net(*inputs)
        sens = wrap(torch.full_like(loss._t, float(self.sens)))
        grads = self.grad_reducer(self.grad(self.net, self.parameters)(*inputs, sens))
        if self.use_grad_accumulation:
            return self.grad_accumulation(loss, grads)
        self.opt(grads)
        return loss


class GradientFreeze:
    """Trains only the last parameters in some steps (``mindspore.boost.GradientFreeze``): group 0 has all
    parameters, each further one those from a later layer on.

    ``param_groups``: how many groups; ``freeze_type`` and ``freeze_p``: as in
    ``generate_freeze_index_sequence``; ``total_steps``: of the training.
    """

    def __init__(self, param_groups, freeze_type, freeze_p, total_steps) -> None:
        self._param_groups, self._freeze_type = param_groups, freeze_type
        self._freeze_p, self._total_steps = freeze_p, total_steps
        self.grad_reducer = Identity()

    def split_parameters_groups(self, net, freeze_para_groups_number) -> list:
        """The groups' parameters; biases and normalisations ("bn") stay with what is before them."""
        layers = []
        for param in net.trainable_params():
            follows = "bn" in param.name or "bias" in param.name
            if layers and (follows or len(layers[-1]) < 3):
                layers[-1].append(param)
            else:
                layers.append([param])
        stride = len(layers) // freeze_para_groups_number
        return [list(chain(*layers[i * stride:])) for i in range(freeze_para_groups_number)]

    def generate_freeze_index_sequence(self, parameter_groups_number, freeze_strategy, freeze_p,
                                       total_steps) -> list:
        """Which group each step trains, with a hundredth of the steps to spare: the share ``freeze_p`` are 0.
        Strategy 0: the others come in turn, one after the other; 1: one at a time, drawn by numpy, small ones
        likelier. ValueError for another strategy."""
        steps, groups = int(total_steps * 1.01), list(range(1, parameter_groups_number))
        if not groups:
            return [0] * steps
        if freeze_strategy == CONTINUOUS_STRATEGY:
            turn = [0] * int(freeze_p * len(groups) // (1 - freeze_p) + 0.5) + groups
            return turn * -(-steps // len(turn))
        if freeze_strategy != INTERVAL_STRATEGY:
            raise ValueError(f"Unsupported freezing training strategy '{freeze_strategy}'")
        chances, found = [i / sum(groups) for i in groups], [0]
        others = 0
        while len(found) < steps:
            some = others / len(found) < 1 - freeze_p
            found.append(int(np.random.choice(groups[::-1], p=chances)) if some else 0)
            others += some
        return found

    def freeze_generate(self, network, optimizer):
        """``(network, FreezeOpt)`` with an optimizer like ``optimizer`` for each group."""
        groups = [ParameterProcess.generate_group_params(group, optimizer.init_params["params"])
                  for group in self.split_parameters_groups(network, self._param_groups)]
        turns = self.generate_freeze_index_sequence(self._param_groups, self._freeze_type, self._freeze_p,
                                                    self._total_steps)
        return network, FreezeOpt(optimizer, groups, turns)


def freeze_cell(reducer_flag, network, optimizer, sens, grad, use_grad_accumulation, mean=None, degree=None,
                max_accumulation_step=1) -> tuple:
    """A training step for each optimizer of a FreezeOpt (``mindspore.boost.freeze_cell``)."""
    number = ParameterProcess().assign_parameter_group
    return tuple(_TrainFreezeCell(network, sens, grad,
                                  DistributedGradReducer(number(one.parameters), mean, degree)
                                  if reducer_flag else Identity(),
                                  use_grad_accumulation, one, max_accumulation_step)
                 for one in optimizer.opts)
