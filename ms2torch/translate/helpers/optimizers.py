"""Optimizers that PyTorch lacks, and rates by step."""

import torch
from torch import nn


class AdamWeightDecay(torch.optim.Optimizer):
    """Adam with decoupled decay and without bias correction."""

    def __init__(self, params, lr=1e-3, betas=(0.9, 0.999), eps=1e-6, weight_decay=0.0):
        super().__init__(params, {"lr": lr, "betas": betas, "eps": eps, "weight_decay": weight_decay})

    @torch.no_grad()
    def step(self, closure=None):
        for group in self.param_groups:
            first, second = group["betas"]
            for p in group["params"]:
                if p.grad is None:
                    continue
                state = self.state[p]
                if not state:
                    state["mean"], state["square"] = torch.zeros_like(p), torch.zeros_like(p)
                state["mean"].mul_(first).add_(p.grad, alpha=1 - first)
                state["square"].mul_(second).addcmul_(p.grad, p.grad, value=1 - second)
                update = state["mean"] / (state["square"].sqrt() + group["eps"]) + group["weight_decay"] * p
                p.sub_(group["lr"] * update)


def early_eps(optimizer):
    """An Adam that adds eps before the bias correction; without this it is PyTorch's own, a little bolder."""
    for group in optimizer.param_groups:
        group["early_eps"], group["steps"] = group["eps"], 0

    def before(optimizer, args, kwargs):
        for group in optimizer.param_groups:
            group["steps"] += 1
            group["eps"] = group["early_eps"] / (1 - group["betas"][1] ** group["steps"]) ** 0.5

    optimizer.register_step_pre_hook(before)
    return optimizer


def decay_groups(module, weight_decay):
    """A module's parameters in two groups: the scales and shifts of its norms do not decay."""
    norms = (nn.modules.batchnorm._NormBase, nn.LayerNorm, nn.GroupNorm)
    plain = [p for m in module.modules() if isinstance(m, norms) for p in m.parameters(recurse=False)]
    apart = {id(p) for p in plain}
    decayed = [p for p in module.parameters() if id(p) not in apart]
    return [{"params": decayed, "weight_decay": weight_decay}, {"params": plain, "weight_decay": 0.0}]


def scheduled(optimizer, rates):
    """An optimizer whose rate moves with each step: ``rates`` are a list, or a function of the step."""

    def rate(step):
        found = rates(torch.tensor(step)) if callable(rates) else rates[min(step, len(rates) - 1)]
        return float(found)

    schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, rate)
    optimizer.register_step_post_hook(lambda *_: schedule.step())
    return optimizer
