"""Optimizer, the base of all optimizers (``mindspore.nn.optim.optimizer``).

A step is a few fused or foreach calls over the raw tensors of each group (parameters with one learning rate
and one weight decay). Learning rates live in Parameters, as MindSpore has it; the host keeps a copy of their
values that it reads again only when the Parameter was written to, so a step on CUDA waits for nothing.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import torch

from ms2torch import _checkparam as validator
from ms2torch import context
from ms2torch._core import dtype as _dtype
from ms2torch._core import recording
from ms2torch._core import generation
from ms2torch._core.module import _called_by_torch
from ms2torch._core.tensor import Tensor, wrap
from ms2torch.common.parameter import Parameter, ParameterTuple
from ms2torch.nn.cell import Cell
from ms2torch.nn.learning_rate_schedule import LearningRateSchedule, _Formula
from ms2torch.ops.composite.base import HyperMap, Map
from ms2torch.ops.function.parameter_func import assign_add

from ._groups import GroupedParameters

__all__ = ["Optimizer", "opt_init_args_register"]


def opt_init_args_register(fn):
    """Decorates an optimizer's ``__init__`` in MindSpore's own code; here it is the function itself."""
    return fn


class Optimizer(GroupedParameters, Cell):
    """Base class of optimizers; a subclass's ``construct(gradients)`` updates ``parameters``.

    ``parameters``: a list of Parameters, or of dicts with ``params`` and optionally ``lr``, ``weight_decay``,
    ``grad_centralization`` (or one with ``order_params``). ``learning_rate``: number, 0-d Tensor, an iterable
    or 1-d Tensor of rates by step, or a LearningRateSchedule. Without groups, weight decay leaves out
    parameters with ``beta`` or ``gamma`` in their names. ``loss_scale`` divides the gradients. Unlike torch's
    optimizers it is called with the gradients.
    """

    _never_recorded = True

    def __init__(self, learning_rate, parameters, weight_decay=0.0, loss_scale=1.0) -> None:
        super().__init__(auto_prefix=False)
        parameters = _checked_parameters(parameters, "parameters")
        if not all(isinstance(x, Parameter) for x in parameters) and not all(isinstance(x, dict) for x in parameters):
            raise TypeError("For 'Optimizer', all elements of the argument 'parameters' must be "
                            "'Parameter' or 'dict', please check the 'parameters'.")
        loss_scale = float(loss_scale) if isinstance(loss_scale, int) else loss_scale
        if not isinstance(loss_scale, float):
            raise TypeError(f"For '{self.cls_name}', the type of 'loss_scale' must be float, "
                            f"but got {type(loss_scale).__name__}.")
        if loss_scale <= 0:
            raise ValueError(f"For '{self.cls_name}', the 'loss_scale' must be float and must > 0, "
                             f"but got '{loss_scale}' with type 'float'.")
        self.loss_scale = loss_scale
        self.need_scale = loss_scale != 1.0
        self.reciprocal_scale = Tensor(1.0 / loss_scale, _dtype.float32)
        self.dynamic_weight_decay = False
        self.dynamic_lr = False
        self.is_group = self.is_group_lr = self.is_group_params_ordered = False
        self.grad_centralization = False
        self._hosted = {}
        self._step_known = (0, None)
        self.global_step = Parameter(Tensor(np.zeros(1, np.int32)), name="global_step")
        rate = self._preprocess_single_lr(learning_rate)
        if isinstance(parameters[0], dict):
            self.is_group = True
            self._init_groups(parameters, rate, weight_decay)
        self._init_attributes(rate, parameters, weight_decay)

    # ---- making --------------------------------------------------------------------------------------------

    def _init_attributes(self, rate, parameters, weight_decay) -> None:
        decay = self._preprocess_weight_decay(weight_decay)
        if self.is_group_lr:
            from ms2torch.nn.layer.container import CellList

            self.learning_rate = (CellList(self.group_lr, auto_prefix=False) if self.dynamic_lr
                                  else ParameterTuple(self.group_lr))
        else:
            self.learning_rate = self._build_single_lr(rate, "learning_rate")
        self.parameters = ParameterTuple(self.group_params if self.is_group else parameters)
        count = len(self.parameters)
        if self.is_group:
            self.decay_flags = tuple(isinstance(x, Cell) or x > 0 for x in self.group_weight_decay)
            self.dynamic_decay_flags = tuple(isinstance(x, Cell) for x in self.group_weight_decay)
            self.weight_decay = tuple(x if isinstance(x, Cell) else Tensor(x, _dtype.float32)
                                      for x in self.group_weight_decay)
            self.exec_weight_decay = any(self.decay_flags)
            self.grad_centralization_flags = tuple(self.group_grad_centralization)
        else:
            self.decay_flags = tuple("beta" not in p.name and "gamma" not in p.name for p in self.parameters)
            self.dynamic_decay_flags = isinstance(decay, Cell)
            self.exec_weight_decay = isinstance(decay, Cell) or decay > 0
            self.weight_decay = decay if isinstance(decay, Cell) else Tensor(decay, _dtype.float32)
        self.param_length = count
        self._buckets = self._make_buckets()

    def _preprocess_weight_decay(self, weight_decay):
        if isinstance(weight_decay, (float, int)):
            weight_decay = float(weight_decay)
            if weight_decay < 0:
                raise ValueError(f"For '{self.cls_name}', the 'weight_decay' must be float and must >= 0, "
                                 f"but got '{weight_decay}' with type 'float'.")
            return weight_decay * self.loss_scale
        if isinstance(weight_decay, Cell):
            self.dynamic_weight_decay = True
            return _WrappedWeightDecay(weight_decay, self.loss_scale)
        raise TypeError("For 'Optimizer', the argument 'Weight_decay' must be int, "
                        f"float or Cell.but got {type(weight_decay)}")

    def _preprocess_single_lr(self, learning_rate):
        """The rate as a float, a Float32 Tensor, or a schedule."""
        if isinstance(learning_rate, (float, int)):
            rate = float(learning_rate)
            if rate < 0:
                raise ValueError(f"For '{self.cls_name}', the 'learning rate' must be float and must >= 0, "
                                 f"but got '{rate}' with type 'float'.")
            return rate
        if isinstance(learning_rate, Tensor) and learning_rate.ndim == 0:
            return Tensor(learning_rate.asnumpy(), dtype=_dtype.float32)
        self.dynamic_lr = True
        if isinstance(learning_rate, LearningRateSchedule):
            return learning_rate
        if isinstance(learning_rate, Tensor):
            if learning_rate.ndim > 1:
                raise ValueError("For 'Optimizer', if 'learning_rate' is Tensor type, then the dimension "
                                 f"of it should be 0 or 1, but got {learning_rate.ndim}.")
            return Tensor(learning_rate.asnumpy(), dtype=_dtype.float32)
        if isinstance(learning_rate, Iterable) and not isinstance(learning_rate, str):
            return Tensor(np.array(list(learning_rate)).astype(np.float32))
        raise TypeError("For 'Optimizer', the argument 'learning_rate' must be int, float, Tensor, "
                        f"Iterable or LearningRateSchedule, but got {type(learning_rate)}.")

    def _build_single_lr(self, rate, name: str):
        """The rate as a Parameter or a schedule."""
        if isinstance(rate, float) or (isinstance(rate, Tensor) and rate.ndim == 0):
            param = Parameter(Tensor(rate, _dtype.float32) if isinstance(rate, float) else rate, name)
            return _ConvertToCell(param) if self.is_group_lr and self.dynamic_lr else param
        if isinstance(rate, Tensor):
            return _IteratorLearningRate(rate, name)
        return rate

    # ---- what subclasses of users call --------------------------------------------------------------------

    def get_lr(self):
        """The learning rate of this step as a Tensor; a tuple of them with one per parameter for grouped
        rates."""
        if not self.dynamic_lr:
            return self.learning_rate
        if self.is_group_lr:
            return tuple(lr(self.global_step).reshape(()) for lr in self.learning_rate)
        return self.learning_rate(self.global_step).reshape(())

    def get_weight_decay(self):
        """The weight decay of this step as a Tensor; a tuple of them for groups."""
        if not self.dynamic_weight_decay:
            return self.weight_decay
        if self.is_group:
            return tuple(wd(self.global_step) if dynamic else wd
                         for wd, dynamic in zip(self.weight_decay, self.dynamic_decay_flags, strict=True))
        return self.weight_decay(self.global_step)

    def get_lr_parameter(self, param):
        """The Parameter or schedule that gives the rate of ``param`` (or of each in a list)."""
        if not isinstance(param, (Parameter, list)):
            raise TypeError("For 'get_lr_parameter', the 'param' must be 'Parameter' or 'list' type, "
                            f"but got {type(param)}.")
        places = {id(p): i for i, p in enumerate(self.parameters)}
        found = []
        for p in param if isinstance(param, list) else [param]:
            if id(p) not in places:
                raise ValueError(f"For 'get_lr_parameter', the parameter {p.name} is not in optimizer, "
                                 "please check whether the argument 'param' is correct.")
            lr = self.learning_rate[places[id(p)]] if self.is_group_lr else self.learning_rate
            found.append(lr.learning_rate if isinstance(lr, (_ConvertToCell, _IteratorLearningRate)) else lr)
        return found if isinstance(param, list) else found[0]

    def decay_weight(self, gradients):
        """The gradients with weight decay added to those of decayed parameters."""
        if not self.exec_weight_decay:
            return gradients
        return tuple(map(wrap, self._decayed([g._t for g in gradients])))

    def gradients_centralization(self, gradients):
        """The gradients with their mean over all but the first axis taken off, for groups that ask for it."""
        if not self.is_group or not any(self.grad_centralization_flags):
            return gradients
        return tuple(map(wrap, self._centralized([g._t for g in gradients])))

    def scale_grad(self, gradients):
        """The gradients divided by ``loss_scale``."""
        if not self.need_scale:
            return gradients
        return tuple(map(wrap, torch._foreach_mul([g._t for g in gradients], 1.0 / self.loss_scale)))

    def flatten_gradients(self, gradients):
        """The gradients as they are: parameters keep their own storage here."""
        return gradients

    def _grad_sparse_indices_deduplicate(self, gradients):
        return gradients

    def _is_dynamic_lr_or_weight_decay(self) -> bool:
        return self.dynamic_lr or self.dynamic_weight_decay

    @property
    def unique(self) -> bool:
        """Whether row-sparse gradients are made unique; there are none here."""
        return self.__dict__.get("_unique", True)

    @unique.setter
    def unique(self, value) -> None:
        if not isinstance(value, bool):
            raise TypeError(f"For 'Optimizer', the property 'unique' must be bool, but got {type(value)}")
        self.__dict__["_unique"] = value

    @property
    def target(self) -> str:
        """Where MindSpore would run the update; all devices compute the same here."""
        return self.__dict__.get("_target", "CPU")

    @target.setter
    def target(self, value) -> None:
        if not isinstance(value, str):
            raise TypeError(f"For 'Optimizer', the property 'target' must be string, but got {type(value)}")
        if value not in ("CPU", "Ascend", "GPU"):
            raise ValueError("For 'Optimizer', the property 'target' must be one of ['CPU', 'Ascend' "
                             f",'GPU'], but got {value}")
        self.__dict__["_target"] = value

    def construct(self, *hyper_params):
        raise NotImplementedError


def _checked_parameters(parameters, what: str) -> list:
    if parameters is None:
        raise ValueError(f"For 'Optimizer', the argument {what} can not be None.")
    if not isinstance(parameters, Iterable):
        raise TypeError(f"For 'Optimizer', the argument {what} must be Iterable type, but got "
                        f"{type(parameters)}.")
    parameters = list(parameters)
    if not parameters:
        raise ValueError(f"For 'Optimizer', the argument {what} must not be empty.")
    return parameters
