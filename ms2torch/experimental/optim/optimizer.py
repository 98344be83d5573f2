"""The base of the optimizers with open groups (``mindspore.experimental.optim.Optimizer``)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

import torch

from ms2torch import _checkparam as validator
from ms2torch._core import mode
from ms2torch._core.devices import heap
from ms2torch._core.gradient import recording
from ms2torch._core.processes import distributed
from ms2torch._core.tensor import dtype as _dtype
from ms2torch._core.tensor.tensor import Tensor
from ms2torch._core.torch_private import increment_versions
from ms2torch.common.parameter import Parameter, ParameterTuple
from ms2torch.nn.cell import Cell
from ms2torch.nn.optim._step import HostValues, fitted
from ms2torch.nn.optim._undo import is_atomic
from ms2torch.ops.composite.base import HyperMap, Map

__all__ = ["Optimizer"]


class Optimizer(HostValues, Cell):
    """Keeps groups of Parameters, each a dict in ``param_groups`` with its options, as torch's optimizers do.

    ``params`` is a list of Parameters or of such dicts, ``defaults`` gives the options that a dict leaves
    out. Called with the gradients, in the order of ``parameters``. ``lrs`` are the groups' rates as
    Parameters (also ``group["lr"]``): the schedulers write them, and so may a program, with ``ops.assign``;
    a float put into ``group["lr"]`` counts for the steps that follow. Raises TypeError and ValueError for
    bad groups.
    """

    _never_recorded = _updates_weights = True
    # The groups' option that a step adds to the gradients before anything else.
    _adds_decay = True
    _known_kept = 0

    def __init__(self, params, defaults) -> None:
        super().__init__(auto_prefix=False)
        heap.keep_freed_memory()
        groups = _checked(params)
        self._hosted = {}
        self.defaults = defaults
        self.state = defaultdict(dict)
        self.param_groups = []
        self.parameters = []
        self.lrs = []
        self.group_start_id = [0]
        self.map_, self.hyper_map = Map(), HyperMap()
        for group in groups if isinstance(groups[0], dict) else [{"params": groups}]:
            self.add_param_group(group)
        self.parameters = ParameterTuple(self.parameters)

    def __repr__(self) -> str:
        shown = type(self).__name__ + " ("
        for number, group in enumerate(self.param_groups):
            shown += f"\nParameter Group {number}\n"
            for key in sorted(set(group) - {"params"}):
                value = group[key]
                shown += f"    {key}: {value.value() if isinstance(value, Parameter) else value}\n"
        return shown + ")"

    def add_param_group(self, param_group: dict) -> None:
        """Append a group; its state is up to the subclass (MindSpore's make theirs when they are made)."""
        group = self._with_parameters(param_group)
        number = len(self.param_groups)
        self.parameters = tuple(self.parameters) + tuple(group["params"])
        for name, default in self.defaults.items():
            group.setdefault(name, default)
        group["lr"] = self._rate_parameter(group.get("lr"), f"learning_rate_group_{number}")
        decay = group.get("weight_decay", 0.0)
        if not isinstance(decay, (float, int)):
            raise TypeError(
                f"For 'Optimizer', the argument 'Weight_decay' must be int or float.but got {type(decay)}"
            )
        group["weight_decay"] = float(decay)
        validator.check_non_negative_float(group["weight_decay"], "weight_decay", self.cls_name)
        self.lrs.append(group["lr"])
        self.param_groups.append(group)
        self.group_start_id.append(self.group_start_id[-1] + len(group["params"]))

    def _with_parameters(self, group: dict) -> dict:
        if not isinstance(group, dict):
            raise TypeError("Param group must be a dict.")
        params = group["params"]
        if isinstance(params, set):
            raise TypeError(
                "Optimizer parameters need to be organized in ordered collections, but the "
                "ordering of tensors in sets will change between runs. Please use a list instead."
            )
        group["params"] = params = [params] if isinstance(params, Parameter) else list(params)
        for param in params:
            if not isinstance(param, Parameter):
                # (MindSpore fails while it says so.)
                met = "_TensorMeta" if isinstance(param, Tensor) else type(type(param)).__name__
                raise TypeError(f'can only concatenate str (not "{met}") to str. An optimizer takes '
                                f"Parameters alone, and one of these is a {type(param).__name__}.")
        taken = {id(p) for one in self.param_groups for p in one["params"]}
        if any(id(p) in taken for p in params):
            raise ValueError("some parameters appear in more than one parameter group.")
        return group

    def _rate_parameter(self, rate, name: str) -> Parameter:
        if isinstance(rate, (float, int)):
            rate = float(rate)
            validator.check_non_negative_float(rate, "learning rate", self.cls_name)
            return Parameter(Tensor(rate, _dtype.float32), name)
        if not isinstance(rate, Tensor):
            raise TypeError(
                "For 'Optimizer', the argument 'learning_rate' must be int, float or Tensor, "
                f"but got {type(rate)}."
            )
        if rate.ndim:
            raise ValueError(
                "For 'Optimizer', if 'learning_rate' is a Tensor, then it should be scalar Tensor"
            )
        return Parameter(Tensor(rate, _dtype.float32), name)

    def _rate(self, number: int) -> float:
        given = self.param_groups[number]["lr"]
        return given if isinstance(given, float) else self._host(self.lrs[number])

    def _counted(self, param: Parameter) -> int:
        """Add one to the step that ``param`` holds; the new value."""
        return int(self._count(param)) + 1

    def _update(self, gradients, kernel, *slots) -> bool:
        """Call ``kernel(group, params, grads, *slots, rate)`` on lists of torch tensors, for each group and
        dtype in it. ``slots`` are the tuples of the state, in the order of ``parameters``."""
        count = len(self.parameters)
        if len(gradients) > count:                   # each group takes its own; more are left
            gradients = gradients[:count]
        for given in (gradients, *slots):
            if len(given) != count:
                raise RuntimeError(
                    "The tuples in HyperMap should have the same length. \nThe length of the "
                    f"first element in HyperMap is {len(given)}, but the length of the second "
                    f"element in HyperMap is {count}."
                )
        if self._known_kept != mode.kept:
            self._note_kept(slots)
        runs = [(n, places) for n in range(len(self.param_groups)) for places in self._alike(n)]
        rates = [self._rate(n) for n, _ in runs]
        with recording.Updating(self.parameters):
            for (number, places), rate in zip(runs, rates, strict=True):
                last = places is runs[-1][1] and is_atomic(kernel)
                self._update_group(self.param_groups[number], places, gradients, kernel, slots, rate, last)
        if distributed.staged():
            from ms2torch._core.processes import pipeline

            pipeline.publish(self.parameters)
        return True

    def _note_kept(self, slots) -> None:
        """Some Parameters came to be kept in parts, as their state is from now on, or by other stages."""
        for slot in slots:
            for p, one in zip(self.parameters, slot, strict=True):
                if p._share is not None and hasattr(one, "_rest") and one is not p:
                    p._share.split(one)
        self.__dict__["_known_kept"] = mode.kept

    def _update_group(self, group, places, gradients, kernel, slots, rate, last: bool) -> None:
        """A step of parameters of one group and dtype; ``last``: nothing can fail once they are written."""
        weights = [self.parameters[i] for i in places]
        params = [_here(w, w._rest) for w in weights]
        grads = [fitted(_here(w, gradients[i]._t), p, self.cls_name)
                 for i, w, p in zip(places, weights, params, strict=True)]
        if group.get("maximize") and "maximize" in self.defaults:
            grads = torch._foreach_neg(grads)
        if self._adds_decay and group["weight_decay"]:
            grads = torch._foreach_add(grads, params, alpha=group["weight_decay"])
        state = [[getattr(s[i]._rest, "_local_tensor", s[i]._rest) for i in places] for s in slots]
        if not last:
            self._save(None, params, *state)
        kernel(group, params, grads, *state, rate)
        # The fused kernels write past torch's version counters.
        increment_versions(params)

    def _alike(self, number: int) -> list[list[int]]:
        """The places of a group's parameters, by dtype."""
        kinds, places = defaultdict(list), range(*self.group_start_id[number : number + 2])
        if distributed.staged():
            from ms2torch._core.processes import pipeline

            places = [i for i in places if not pipeline.updated_elsewhere(self.parameters[i])]
        for i in places:
            kinds[self.parameters[i]._rest.dtype].append(i)
        return list(kinds.values())

    def construct(self, *hyper_params):
        raise NotImplementedError


def _here(weight, t: torch.Tensor) -> torch.Tensor:
    """Of what is like the weight, this process's part."""
    return t if weight._share is None else weight._share.rows(t)


def _checked(params) -> list:
    if params is None:
        raise ValueError("For 'Optimizer', the argument params can not be None.")
    if not isinstance(params, Iterable):
        raise TypeError(
            f"For 'Optimizer', the argument params must be Iterable type, but got {type(params)}."
        )
    params = list(params)
    if not params:
        raise ValueError("For 'Optimizer', the argument params must not be empty.")
    return params


def check_not_less_than(arg_value, arg_name, prim, value=0.0) -> None:
    """ValueError in MindSpore's words if an argument is below ``value``."""
    if arg_value < value:
        raise ValueError(
            f"For {prim}, the {arg_name} must be greater than or equal to {value}, but got {arg_value}."
        )


def check_not_less_than_without_equal(arg_value, arg_name, prim, value=0.0) -> None:
    """ValueError in MindSpore's words if an argument is not above ``value``."""
    if arg_value <= value:
        raise ValueError(f"For {prim}, the {arg_name} must be greater than {value}, but got {arg_value}.")


def check_betas(betas, prim) -> None:
    """ValueError in MindSpore's words unless both betas are in [0, 1)."""
    for i in range(2):
        validator.check_float_range(betas[i], 0.0, 1.0, validator.INC_LEFT, f"betas[{i}]", prim)
