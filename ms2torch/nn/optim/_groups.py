"""Parameter groups of an optimizer: parsing them, and the buckets that a step works through. Mixed into
Optimizer."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import torch

from ms2torch._core.gradient.passes import WHOLE
from ms2torch._core.tensor.tensor import Tensor
from ms2torch.common.parameter import Parameter
from ms2torch.nn.cell import Cell

_KEYS = ["params", "lr", "weight_decay", "order_params", "grad_centralization"]


class Bucket(NamedTuple):
    """Parameters that one fused call updates: their places, what gives their rate (None: what gives it to
    all), their weight decay, and how many elements they had when the optimizer was made."""

    places: tuple[int, ...]
    rate: object
    decay: object
    size: int


def checked_parameters(parameters, what: str) -> list:
    """``parameters``, called ``what`` in errors, as a list; it must have elements."""
    if parameters is None:
        raise ValueError(f"For 'Optimizer', the argument {what} can not be None.")
    if not isinstance(parameters, Iterable):
        raise TypeError(f"For 'Optimizer', the argument {what} must be Iterable type, but got "
                        f"{type(parameters)}.")
    parameters = list(parameters)
    if not parameters:
        raise ValueError(f"For 'Optimizer', the argument {what} must not be empty.")
    return with_torchs(parameters)


def with_torchs(parameters: list) -> list:
    """``parameters``, those of torch's as MindSpore's."""
    return [_of_torch(p) if isinstance(p, torch.nn.Parameter) else p for p in parameters]


def _of_torch(parameter: torch.nn.Parameter) -> Parameter:
    """The Parameter over the memory of one of torch's, which a half translated program hands over.

    ``_of_torch`` is that one; its ``label``, where it has one, is the name.
    """
    made = vars(parameter).get("_made_over_it")
    if made is None or made.requires_grad is not parameter.requires_grad:
        made = Parameter(0.0, getattr(parameter, "label", None), parameter.requires_grad)
        made._adopt(torch.nn.Parameter(parameter.detach(), requires_grad=False))
        made._of_torch = parameter
        made._home = {"": parameter}, ""        # (passes look at what has one)
        made._of_torch_follows()
        parameter._made_over_it = made
    return made


class GroupedParameters:
    """How an Optimizer reads its groups and splits a step into buckets."""

    def _check_groups(self, groups) -> None:
        for group in groups:
            bad = [k for k in group if k not in _KEYS]
            if bad:
                raise KeyError(f"For 'Optimizer', the key in group params must be one of in {_KEYS}, but "
                               f"got {bad}.")
            if "order_params" in group:
                if len(group) > 1:
                    raise ValueError("For 'Optimizer', the order params dict in group parameters should only "
                                     f"include the 'order_params' key, but got {group.keys()}.")
                if not isinstance(group["order_params"], Iterable):
                    raise TypeError("For 'Optimizer', the value of 'order_params' in group parameters should "
                                    f"be Iterable type, but got {type(group['order_params'])}.")
                continue
            for i, param in enumerate(checked_parameters(group["params"], "group `params`")):
                if not isinstance(param, Parameter):
                    raise TypeError("For 'Optimizer', the element in group parameters must be Parameter "
                                    f"type, but got {type(param)} at index {i}.")

    def _init_groups(self, groups, default_rate, weight_decay) -> None:
        groups = [dict(g, params=with_torchs(list(g["params"])))
                  if isinstance(g.get("params"), Iterable) else g for g in groups]
        self._check_groups(groups)
        length = default_rate.size if isinstance(default_rate, Tensor) and default_rate.ndim == 1 else 0
        rates = {}
        for number, group in enumerate(groups):
            if "lr" in group:
                self.is_group_lr = True
                rates[number] = rate = self._preprocess_single_lr(group["lr"])
                if isinstance(rate, Tensor) and rate.ndim == 1:
                    if length and rate.size != length:
                        raise ValueError("For 'Optimizer', the Tensor type dynamic learning rate in group "
                                         "must be the same size as the argument 'learning_rate'.")
                    length = rate.size
        shared = self._build_single_lr(default_rate, "learning_rate")
        params, lrs, decays, centralized = [], [], [], []
        ordered = None
        names: set[str] = set()
        for number, group in enumerate(groups):
            if "order_params" in group:
                self.is_group_params_ordered = True
                ordered = list(group["order_params"])
                continue
            lr = shared
            if number in rates:
                lr = self._build_single_lr(rates[number], f"learning_rate_group_{number}")
            decay = self._preprocess_weight_decay(group.get("weight_decay", weight_decay))
            central = group.get("grad_centralization", self.grad_centralization)
            if not isinstance(central, bool):
                raise TypeError("For 'Optimizer', the 'gradients_centralization' must be bool type, "
                                f"but got {type(central)}.")
            for param in group["params"]:
                if param.name in names:
                    raise RuntimeError(f"For 'Optimizer', the {param.name} parameter already exists, it "
                                       "does not support repeated setting. Please check whether the "
                                       "optimizer parameter has been set multiple times.")
                names.add(param.name)
                params.append(param)
                lrs.append(lr)
                decays.append(decay)
                centralized.append(central)
        if ordered:
            if len(ordered) != len(params):
                raise ValueError("For 'Optimizer',the length of order parameters must be the same as the "
                                 "length of group parameters, but got order parameters' length "
                                 f"{len(ordered)}, group parameters' length {len(params)}.")
            places = {p.name: i for i, p in enumerate(params)}
            order = [places[p.name] for p in ordered]
            params, lrs, decays, centralized = (
                [x[i] for i in order] for x in (params, lrs, decays, centralized))
        own = self.__dict__
        own["group_params"], own["group_lr"] = params, lrs
        own["group_weight_decay"], own["group_grad_centralization"] = decays, centralized

    def _make_buckets(self, decays) -> list[Bucket]:
        """``decays``: one for each parameter of groups, else one for all that decay."""
        found: dict[tuple, list[int]] = {}
        sources: dict[tuple, tuple] = {}
        for i, param in enumerate(self.parameters):
            rate = self.group_lr[i] if self.is_group_lr else None
            decay = decays[i] if self.is_group else decays
            if not self.decay_flags[i]:
                decay = 0.0
            key = (id(rate), id(decay) if isinstance(decay, Cell) else decay, param._rest.dtype)
            found.setdefault(key, []).append(i)
            sources[key] = (rate, decay)
        self.__dict__["_of_integers"] = next((p for p in self.parameters if p._rest.dtype in WHOLE), None)
        return [Bucket(tuple(places), *sources[key], sum(self.parameters[i]._rest.numel() for i in places))
                for key, places in found.items()]
