"""Optimizers and their parameters made anew (``mindspore.boost.base``)."""

from __future__ import annotations

from ms2torch import log, nn
from ms2torch.common.parameter import Parameter

from .less_batch_normalization import CommonHeadLastFN

__all__ = ["OptimizerProcess", "ParameterProcess"]


def _checked(params) -> list:
    """``params`` as a list of Parameters or of groups; ValueError for none, TypeError for anything else."""
    params = list(params or ())
    if not params:
        raise ValueError("Optimizer got an empty parameter list.")
    if not isinstance(params[0], (dict, Parameter)):
        raise TypeError("Only a list of Parameter or dict can be supported.")
    return params


class OptimizerProcess:
    """Makes an optimizer like ``opt`` over other parameters (``mindspore.boost.OptimizerProcess``)."""

    def __init__(self, opt) -> None:
        self.is_lars = isinstance(opt, nn.LARS)
        if self.is_lars:
            self.lars_init_args, opt = opt.init_args, opt.opt
        self.single_opt, self.opt_class, self.opt_init_args = opt, type(opt), opt.init_args
        self.learning_rate, self.origin_params = opt.init_learning_rate, opt.init_params["params"]

    @staticmethod
    def build_params_dict(network) -> dict:
        """The Cell that owns each parameter, by the parameter's ``id``."""
        return {id(p): cell for _, cell in network.cells_and_names()
                for p in cell.get_parameters(expand=False)}

    @staticmethod
    def build_gc_params_group(params_dict, parameters) -> list:
        """The groups, each in two: weights whose gradients are centralized, and the rest: biases, betas,
        gammas, and the weights of convolutions in groups and of normalised heads."""
        found = []
        for group in parameters:
            if "order_params" in group:
                found.append(group)
                continue
            parts = ([], [])
            for param in group["params"]:
                cell = params_dict.get(id(param))
                apart = any(part in param.name for part in ("beta", "gamma", "bias")) or \
                    isinstance(cell, CommonHeadLastFN) or (isinstance(cell, nn.Conv2d) and cell.group > 1)
                parts[apart].append(param)
            if parts[0]:
                found.append({**group, "params": parts[0], "grad_centralization": True})
            if parts[1]:
                found.append({**group, "params": parts[1]})
        return found

    def add_grad_centralization(self, network) -> None:
        """Ask for centralized gradients in the groups of the optimizer; ungrouped ones stay as they are, with
        a warning."""
        parameters = _checked(self.origin_params)
        if isinstance(parameters[0], Parameter):
            log.warning("Only group parameters support gradient centralization.")
            return
        self.origin_params = self.build_gc_params_group(self.build_params_dict(network), parameters)

    def generate_new_optimizer(self):
        """The optimizer over the parameters as they are by now."""
        if self.learning_rate is None:
            self.learning_rate = self.single_opt.learning_rate
        made = self.opt_class(params=self.origin_params, learning_rate=self.learning_rate,
                              **self.opt_init_args)
        return nn.LARS(made, **self.lars_init_args) if self.is_lars else made


class ParameterProcess:
    """Groups of parameters (``mindspore.boost.ParameterProcess``)."""

    def __init__(self) -> None:
        self._parameter_indices = 1

    def assign_parameter_group(self, parameters, split_point=None):
        """``parameters``, numbered by ``comm_fusion``; a number begins at each place of ``split_point``, or
        in the middle."""
        if not isinstance(parameters, (list, tuple)) or not parameters:
            return parameters
        places = split_point or [len(parameters) // 2]
        for i, param in enumerate(parameters):
            self._parameter_indices += i in places
            param.comm_fusion = self._parameter_indices
        return parameters

    @staticmethod
    def generate_group_params(parameters, origin_params) -> list:
        """``parameters`` in the groups in which their namesakes are in ``origin_params``; others follow in a
        group with the settings of that which has most."""
        groups = _checked(origin_params)
        if isinstance(groups[0], Parameter):
            return [{"params": parameters}]
        left, found, fullest = {p.name: p for p in parameters}, [], {}
        for group in groups:
            if "order_params" in group:
                found.append({**group, "order_params": parameters})
                continue
            mine = [left.pop(p.name) for p in group["params"] if p.name in left]
            found.append({**group, "params": mine})
            fullest = group if len(group) > len(fullest) else fullest
        if left:
            found.append({**fullest, "params": list(left.values())})
        return found
