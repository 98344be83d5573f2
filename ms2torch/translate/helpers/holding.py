"""What an optimizer holds, by the names that MindSpore's files and lists have for it."""

import numpy as np
import torch

from .optimizers import AdaMax, OptimizerBase


def slots(network, state):
    """What an optimizer holds for each of a network's parameters, its settings and the step, by name."""
    if state.optimizer is None:
        return {}
    names = {p: name for name, p in network.named_parameters()}
    return held_by(state.optimizer, names, torch.tensor(state.cur_step_num))


def held_by(optimizer, names, step):
    """What an optimizer holds for each parameter that has a name here, its settings and the step, by name."""
    if hasattr(optimizer, "mindspore"):  # one of MindSpore's, which has all by name  #? ms2torch
        return optimizer.state_dict()  #? ms2torch
    groups, found = optimizer.param_groups, {"global_step": step}
    rates = [group["lr"] for group in groups]
    rates = getattr(optimizer, "rates", rates)  #? scheduled scheduled_groups
    found |= rates_by_group(rates, optimizer.defaults["lr"])
    if isinstance(optimizer, OptimizerBase):  #? OptimizerBase
        return found | own_tensors(optimizer, names)  #? OptimizerBase
    if isinstance(optimizer, torch.optim.SGD):  #? load_checkpoint listing
        found["momentum"] = torch.tensor(groups[0]["momentum"])  #? load_checkpoint listing
    if isinstance(optimizer, torch.optim.Adam):  #? load_checkpoint listing
        powers = (beta ** int(step) for beta in groups[0]["betas"])  #? load_checkpoint listing
        found |= zip(("beta1_power", "beta2_power"), map(torch.tensor, powers))  #? load_checkpoint listing
    if isinstance(optimizer, AdaMax):  #? AdaMax
        found["beta1_power"] = torch.tensor(groups[0]["betas"][0] ** int(step))  #? AdaMax
    moved = [p for group in groups for p in group["params"] if p in names]
    for called, slot, start in slots_of(optimizer):
        for p in moved:
            has = optimizer.state.get(p, {})
            value = has.get(slot)
            value = torch.full_like(p.detach(), start) if value is None else value
            value = torch.zeros_like(value) if called == "stat" and has else value  #? SGD
            found[f"{called}.{names[p]}"] = value
    if hasattr(optimizer, "rates"):  # those by step come last  #? scheduled scheduled_groups
        rates = [name for name in found if name.startswith("learning_rate")]  #? scheduled scheduled_groups
        found |= {name: found.pop(name) for name in rates}  #? scheduled scheduled_groups
    return found


def slots_of(optimizer):
    """What an optimizer holds for each parameter: what files call it, its slot, and its first number."""
    kind = type(optimizer).__name__
    kind = "accumulating" if getattr(optimizer, "accumulates", False) else kind  #? accumulating
    every = {
        "SGD": [("moments", "momentum_buffer", 0.0)],  #? Momentum
        "accumulating": [("accum", "momentum_buffer", 0.0), ("stat", "", 1.0)],  #? accumulating
        "Adam": [("moment1", "exp_avg", 0.0), ("moment2", "exp_avg_sq", 0.0)],  #? Adam LazyAdam
        "AdamWeightDecay": [("adam_m", "mean", 0.0), ("adam_v", "square", 0.0)],  #? AdamWeightDecay
        "AdaMax": [("moment1", "mean", 0.0), ("moment2", "most", 0.0)],  #? AdaMax
        "RMSProp": [("mean_square", "square", 1.0), ("moment", "moment", 0.0)],  #? RMSProp
        "Lamb": [("lamb_m", "mean", 0.0), ("lamb_v", "square", 0.0)],  #? Lamb
        "FTRL": [("moments", "accum", 0.1), ("linear", "linear", 0.0)],  #? FTRL
        "Adagrad": [("accum", "sum", 0.1)],  #? Adagrad
        "Adadelta": [("accum", "square_avg", 0.0), ("accum_update", "acc_delta", 0.0)],  #? Adadelta
        "Rprop": [("prev", "prev", 0.0), ("step_size", "step_size", 0.0)],  #? Rprop
    }
    every["SGD"] = [("accum", "momentum_buffer", 0.0), ("stat", "", 1.0)]  #? state_of_sgd
    return every.get(kind, [])


def listing(optimizer):
    """What MindSpore lists of an optimizer: its steps and rates, what it moves, what it holds for each of
    them, which are copies. Each has its name as ``label``."""
    moved = [p for group in optimizer.param_groups for p in group["params"]]
    found = held_by(optimizer, {p: p.label for p in moved}, optimizer.global_step)
    for name, value in found.items():
        value.label = name
    first = ("global_step", *(name for name in found if name.startswith("learning_rate")))
    first = ("global_step",) if hasattr(optimizer, "rates") else first  #? scheduled scheduled_groups
    rest = [value for name, value in found.items() if name not in first]
    return [*(found[name] for name in first), *moved, *rest]


def own_tensors(optimizer, names):
    """What an optimizer of the program's own keeps among its attributes for its parameters, by name."""
    found = {}
    for name, value in vars(optimizer).items():
        for one in value if isinstance(value, (list, tuple)) else [value]:
            is_weight = isinstance(one, torch.nn.Parameter) or hasattr(one, "label")
            if is_weight and one not in names:
                found[getattr(one, "label", getattr(one, "own_name", name))] = one
    return found


def rates_by_group(rates, usual):
    """Learning rates by name; those that are functions of the step are made anew from it."""
    found, one = {}, all(np.array_equal(rate, rates[0]) for rate in rates)
    for i, rate in enumerate(rates):
        if not callable(rate):
            own = not one and not np.array_equal(rate, usual)
            found[f"learning_rate_group_{i}" if own else "learning_rate"] = torch.as_tensor(rate)
    return found
