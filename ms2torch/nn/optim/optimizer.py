"""Optimizer, the base of all optimizers (``mindspore.nn.optim.optimizer``)."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Iterable

import numpy as np

from ms2torch import _checkparam as validator
from ms2torch import context
from ms2torch._core import mode
from ms2torch._core.devices import heap
from ms2torch._core.module import _called_by_torch
from ms2torch._core.tensor import dtype as _dtype
from ms2torch._core.tensor.tensor import Tensor, wrap
from ms2torch._naming import generations
from ms2torch.common.parameter import Parameter, ParameterTuple
from ms2torch.nn.cell import Cell
from ms2torch.nn.learning_rate_schedule import LearningRateSchedule
from ms2torch.ops.composite.base import HyperMap, Map
from ms2torch.ops.function.parameter_func import assign_add

from ._groups import GroupedParameters, checked_parameters
from ._rates import _ConvertToCell, _IteratorLearningRate, _WrappedWeightDecay
from ._step import Stepping

__all__ = ["Optimizer", "opt_init_args_register"]


def opt_init_args_register(fn):
    """Decorates an optimizer's ``__init__``: a call that does not fit it is told in `inspect`'s words, and
    what it was made of is kept, for an optimizer like it over other parameters."""
    @functools.wraps(fn)
    def init(self, *args, **kwargs):
        try:
            fn(self, *args, **kwargs)
        except TypeError:
            inspect.signature(fn).bind(self, *args, **kwargs)
            raise
        self.__dict__["_made_by"] = fn, args, kwargs

    return init


class _MadeOf:
    """One of ``init_params``, ``init_learning_rate`` and ``init_args``; what a program assigns wins."""

    def __set_name__(self, owner, name: str) -> None:
        self._part = name

    def __get__(self, optimizer, owner=None):
        if optimizer is None:
            return self
        part = self._part
        if "_made_by" not in optimizer.__dict__:
            raise AttributeError(f"'{type(optimizer).__name__}' object has no attribute '{part}'")
        fn, args, kwargs = optimizer.__dict__["_made_by"]
        given = inspect.signature(fn).bind(optimizer, *args, **kwargs)
        given.apply_defaults()
        found = dict(list(given.arguments.items())[1:])
        params, inner = found.pop("params", None), found.pop("optimizer", None)
        rate = found.pop("learning_rate", None)
        if part == "init_args":
            return found
        if part == "init_params":
            return inner.init_params if inner is not None else {"params": params}
        if isinstance(rate, Tensor):
            rate = rate.asnumpy().tolist()
        return None if isinstance(rate, Cell) else rate


# What a program may assign, and an optimizer has made something of.
_DERIVED = frozenset(("beta1", "beta2", "eps", "weight_decay", "exec_weight_decay", "reciprocal_scale"))


class _Parameters:
    """``optimizer._parameters``: MindSpore's ParameterTuple to programs, the dict of a Module to torch."""

    def __get__(self, optimizer, owner=None):
        if optimizer is None:
            return self
        own = optimizer.__dict__
        if _called_by_torch() or "_optimized" not in own:
            return own["_parameters"]
        return own["_optimized"]

    def __set__(self, optimizer, value) -> None:
        optimizer.__dict__["_parameters" if isinstance(value, dict) else "_optimized"] = value


class Optimizer(GroupedParameters, Stepping, Cell):
    """Base class of optimizers; a subclass's ``construct(gradients)`` updates ``parameters``.

    ``parameters``: a list of Parameters, or of dicts with ``params`` and optionally ``lr``, ``weight_decay``,
    ``grad_centralization`` (or one with ``order_params``). ``learning_rate``: number, 0-d Tensor, an iterable
    or 1-d Tensor of rates by step, or a LearningRateSchedule. Without groups, weight decay leaves out
    parameters with ``beta`` or ``gamma`` in their names. ``loss_scale`` divides the gradients. Unlike torch's
    optimizers it is called with the gradients.
    """

    _never_recorded = _updates_weights = True
    _parameters = _Parameters()
    init_params, init_args, init_learning_rate = _MadeOf(), _MadeOf(), _MadeOf()

    def __getstate__(self) -> dict:
        return {name: value for name, value in self.__dict__.items() if name != "_made_by"}

    def _in_its_precision(self, tensor):        # an update writes to what it reads, whatever `to_float` said
        return tensor

    def __init__(self, learning_rate, parameters, weight_decay=0.0, loss_scale=1.0) -> None:
        super().__init__(auto_prefix=False)
        heap.keep_freed_memory()
        parameters = checked_parameters(parameters, "parameters")
        if not any(all(isinstance(x, kind) for x in parameters) for kind in (Parameter, dict)):
            raise TypeError("For 'Optimizer', all elements of the argument 'parameters' must be "
                            "'Parameter' or 'dict', please check the 'parameters'.")
        loss_scale = float(loss_scale) if isinstance(loss_scale, int) else loss_scale
        validator.check_value_type("loss_scale", loss_scale, [float], self.cls_name)
        validator.check_positive_float(loss_scale, "loss_scale", self.cls_name)
        self.loss_scale = loss_scale
        self.need_scale = loss_scale != 1.0
        self.reciprocal_scale = Tensor(1.0 / loss_scale, _dtype.float32)
        self.dynamic_weight_decay = False
        self.dynamic_lr = False
        self.is_group = self.is_group_lr = self.is_group_params_ordered = False
        self.grad_centralization = False
        self._unique = True
        self._target = context.get_context("device_target")
        self._hosted = {}
        self._seen_together = {}
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
        self.__dict__["_optimized"] = self.parameters
        if self.is_group:
            decays = self.group_weight_decay
            self.decay_flags = tuple(isinstance(x, Cell) or x > 0 for x in decays)
            self.dynamic_decay_flags = tuple(isinstance(x, Cell) for x in decays)
            self.weight_decay = tuple(map(_shown_decay, decays))
            self.exec_weight_decay = any(self.decay_flags)
            self.grad_centralization_flags = tuple(self.group_grad_centralization)
        else:
            decays = decay
            self.decay_flags = tuple("beta" not in p.name and "gamma" not in p.name for p in self.parameters)
            self.dynamic_decay_flags = isinstance(decay, Cell)
            self.exec_weight_decay = isinstance(decay, Cell) or decay > 0
            self.weight_decay = _shown_decay(decay)
        self.param_length = count = len(self.parameters)
        self._share_by_context()
        self._done = (True,) * count
        self._init_tools(count)
        self._buckets = self._make_buckets(decays)
        self.__dict__["_known_casts"] = mode.casts

    def _init_tools(self, count: int) -> None:
        """What subclasses in MindSpore programs expect to find."""
        self.map_, self.map_reverse = Map(), Map(None, True)
        self.hyper_map, self.hyper_map_reverse = HyperMap(), HyperMap(None, True)
        self.assignadd = assign_add
        self.global_step_increase_tensor = Tensor([1], _dtype.int32)
        # Nothing here is left to the program: what several ranks share is in `_sharing`.
        self.use_parallel = False
        self.param_rank = None
        self.optim_filter = (True,) * count
        self.ps_parameters = self.cache_enable = (False,) * count

    def _preprocess_weight_decay(self, weight_decay):
        if isinstance(weight_decay, (float, int)):
            weight_decay = float(weight_decay)
            validator.check_non_negative_float(weight_decay, "weight_decay", self.cls_name)
            return weight_decay * self.loss_scale
        if isinstance(weight_decay, Cell):
            self.dynamic_weight_decay = True
            return _WrappedWeightDecay(weight_decay, self.loss_scale)
        raise TypeError("For 'Optimizer', the argument 'Weight_decay' must be int, "
                        f"float or Cell.but got {type(weight_decay)}")

    def _preprocess_single_lr(self, learning_rate):
        """The rate as a float, a Float32 Tensor, or a schedule."""
        if isinstance(learning_rate, (float, int)):
            learning_rate = float(learning_rate)
            validator.check_non_negative_float(learning_rate, "learning rate", self.cls_name)
            return learning_rate
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
        if isinstance(learning_rate, Iterable):
            if isinstance(learning_rate, str):
                for letter in learning_rate:
                    float(letter)
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

    def __setattr__(self, name: str, value) -> None:
        if name == "_parameters":
            object.__setattr__(self, name, value)
        else:
            super().__setattr__(name, value)
            if name in _DERIVED and "_buckets" in self.__dict__:
                self._derive_again(name)

    @functools.cached_property
    def _factor(self) -> float:
        """What gradients are multiplied by: of ``reciprocal_scale``, whatever ``loss_scale`` is assigned."""
        return float(self.reciprocal_scale)

    def _derive_again(self, name: str) -> None:
        """`opt.beta1 = 0.5` and `opt.weight_decay = 0.1` count from the next step on."""
        self.__dict__.pop("_hyper", None)
        self.__dict__.pop("_factor", None)
        if name in ("weight_decay", "exec_weight_decay"):
            decays = self.weight_decay if self.exec_weight_decay else 0.0
            if isinstance(decays, tuple):
                decays = tuple(map(_plain_decay, decays))
            elif self.is_group:
                decays = (_plain_decay(decays),) * self.param_length
            else:
                decays = _plain_decay(decays)
            self._buckets = self._make_buckets(decays)

    # ---- what subclasses of users call --------------------------------------------------------------------

    def get_lr(self):
        """The learning rate of this step as a Tensor; a tuple with one per parameter for grouped rates.

        Releases before 2.0 counted the step here, which ``--api 1.x`` keeps for subclasses written for them.
        """
        lr = self.learning_rate
        if self.dynamic_lr:
            step = self.global_step
            lr = (tuple(one(step).reshape(()) for one in lr) if self.is_group_lr else lr(step).reshape(()))
            if generations.has_old_meaning("mindspore.nn.Optimizer.get_lr"):
                self._count_step()
        return lr

    def get_weight_decay(self):
        """The weight decay of this step as a Tensor; a tuple of them for groups."""
        if not self.dynamic_weight_decay:
            return self.weight_decay
        if self.is_group:
            return tuple(wd(self.global_step) if dynamic else wd
                         for wd, dynamic in zip(self.weight_decay, self.dynamic_decay_flags, strict=True))
        return self.weight_decay(self.global_step)

    def get_lr_parameter(self, param):
        """The Parameter or schedule that gives the rate of ``param`` (or of each in a list).

        TypeError for anything but Parameters, ValueError for one that the optimizer does not update.
        """
        if not isinstance(param, (Parameter, list)):
            raise TypeError("For 'get_lr_parameter', the 'param' must be 'Parameter' or 'list' type, "
                            f"but got {type(param)}.")
        places = {id(p): i for i, p in enumerate(self.parameters)}
        found = []
        for p in param if isinstance(param, list) else [param]:
            validator.check_value_type("parameter", p, [Parameter], self.cls_name)
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
        step = int(self._host(self.global_step))
        return tuple(map(wrap, self._decayed([g._t for g in gradients], step)))

    def gradients_centralization(self, gradients):
        """The gradients with their mean over all but the first axis taken off, for groups that ask for it."""
        if not self._centralizes:
            return gradients
        return tuple(map(wrap, self._centralized([g._t for g in gradients])))

    def scale_grad(self, gradients):
        """The gradients divided by ``loss_scale``."""
        if not self.need_scale:
            return gradients
        return tuple(map(wrap, self._unscaled([g._t for g in gradients])))

    def flatten_gradients(self, gradients):
        """The gradients as they are: parameters keep their own storage here."""
        return gradients

    def broadcast_params(self, optim_result):
        """What optimizer parallelism sends around in MindSpore; here a step does so itself."""
        return optim_result

    def _grad_sparse_indices_deduplicate(self, gradients):
        return gradients

    def _is_dynamic_lr_or_weight_decay(self) -> bool:
        return self.dynamic_lr or self.dynamic_weight_decay

    @property
    def weight_decay_tensor(self):
        """The weight decay as releases 1.3 to 1.6 named it."""
        decay = self.weight_decay
        return tuple(map(_as_tensor, decay)) if isinstance(decay, tuple) else _as_tensor(decay)

    @property
    def unique(self) -> bool:
        """Whether row-sparse gradients are made unique; there are none here."""
        return self._unique

    @unique.setter
    def unique(self, value) -> None:
        if not isinstance(value, bool):
            raise TypeError(f"For 'Optimizer', the property 'unique' must be bool, but got {type(value)}")
        self._unique = value

    @property
    def target(self) -> str:
        """Where MindSpore would update sparse parameters; here all of a step runs where the parameters
        are."""
        return self._target

    @target.setter
    def target(self, value) -> None:
        raise NotImplementedError

    def _set_base_target(self, value) -> None:
        """Set ``target`` as optimizers with sparse updates do; ValueError where MindSpore could not."""
        if not isinstance(value, str):
            raise TypeError(f"For 'Optimizer', the property 'target' must be string, but got {type(value)}")
        if value not in ("CPU", "Ascend", "GPU"):
            raise ValueError("For 'Optimizer', the property 'target' must be one of ['CPU', 'Ascend' "
                             f",'GPU'], but got {value}")
        for here, others in (("CPU", ("GPU", "Ascend")), ("Ascend", ("GPU",)), ("GPU", ("Ascend",))):
            if self._target == here and value in others:
                said = " or ".join(f"'{other}'" for other in others)
                raise ValueError(f"For 'Optimizer', the property 'target' cannot be set to {said} "
                                 f"in the '{here}' environment.")
        self._is_device = value != "CPU"
        self._target = value

    def construct(self, *hyper_params):
        raise NotImplementedError


def _shown_decay(decay):
    """A weight decay as ``optimizer.weight_decay`` holds it: a schedule, a Tensor, before 1.7 a number."""
    old = generations.has_old_meaning("mindspore.nn.Optimizer.weight_decay")
    return decay if old or isinstance(decay, Cell) else Tensor(decay, _dtype.float32)


def _plain_decay(decay):
    """A schedule, or the number that a program assigned."""
    return decay if isinstance(decay, Cell) else float(decay)


def _as_tensor(decay):
    return Tensor(decay, _dtype.float32) if isinstance(decay, float) else decay
