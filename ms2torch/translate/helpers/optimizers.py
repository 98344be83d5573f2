"""Optimizers that PyTorch lacks, and rates by step."""

from itertools import groupby

import torch
from torch import nn


class AdamWeightDecay(torch.optim.Optimizer):
    """Adam with decoupled decay and without bias correction; its betas are float32's nearest numbers."""

    def __init__(self, params, lr=1e-3, betas=(0.9, 0.999), eps=1e-6, weight_decay=0.0):
        super().__init__(params, {"lr": lr, "betas": betas, "eps": eps, "weight_decay": weight_decay})

    @torch.no_grad()
    def step(self, closure=None):
        for group in self.param_groups:
            first, second = torch.tensor(group["betas"], dtype=torch.float32).tolist()
            for p in group["params"]:
                if p.grad is None:
                    continue
                state = self.state[p]
                if not state:
                    state["mean"], state["square"] = torch.zeros_like(p), torch.zeros_like(p)
                state["mean"].lerp_(p.grad, 1 - first)
                state["square"].mul_(second).addcmul_(p.grad, p.grad, value=1 - second)
                p.mul_(1 - group["lr"] * group["weight_decay"])
                p.addcdiv_(state["mean"], state["square"].sqrt().add_(group["eps"]), value=-group["lr"])


class PerTensor(torch.optim.Optimizer):
    """An optimizer told by its rule for one tensor, ``update``; ``p`` moves in place."""

    coupled = True  # weight decay is a part of the gradient

    @torch.no_grad()
    def step(self, closure=None):
        for group in self.param_groups:
            for p in group["params"]:
                if p.grad is not None:
                    decay = group["weight_decay"] if self.coupled else 0.0
                    self.update(p, p.grad + decay * p if decay else p.grad, self.state[p], group)

    def update(self, p, grad, state, group):
        raise NotImplementedError


class RMSProp(PerTensor):
    """RMSprop whose mean square starts at 1, with eps under the root and the rate inside the momentum."""

    def __init__(self, params, lr=0.1, alpha=0.9, momentum=0.0, eps=1e-10, centered=False, weight_decay=0.0):
        given = {"alpha": alpha, "momentum": momentum, "eps": eps, "centered": centered}
        super().__init__(params, {"lr": lr, "weight_decay": weight_decay, **given})

    def update(self, p, grad, state, group):
        if not state:
            state.update(square=torch.ones_like(p), mean=torch.zeros_like(p), moment=torch.zeros_like(p))
        state["square"].lerp_(grad * grad, 1 - group["alpha"])
        below = state["square"] + group["eps"]
        if group["centered"]:
            state["mean"].lerp_(grad, 1 - group["alpha"])
            below = below - state["mean"] ** 2
        state["moment"].mul_(group["momentum"]).add_(group["lr"] * grad / below.sqrt())
        p.sub_(state["moment"])


class AdaMax(PerTensor):
    """Adam with the largest gradient so far in place of the mean square; eps is added to it."""

    def __init__(self, params, lr=1e-3, betas=(0.9, 0.999), eps=1e-8, weight_decay=0.0):
        super().__init__(params, {"lr": lr, "betas": betas, "eps": eps, "weight_decay": weight_decay})

    def update(self, p, grad, state, group):
        if not state:
            state.update(step=0, mean=torch.zeros_like(p), most=torch.zeros_like(p))
        state["step"] += 1
        first, second = group["betas"]
        state["mean"].lerp_(grad, 1 - first)
        torch.maximum(state["most"].mul_(second), grad.abs(), out=state["most"])
        rate = group["lr"] / (1 - first ** state["step"])
        p.addcdiv_(state["mean"], state["most"] + group["eps"], value=-rate)


class FTRL(PerTensor):
    """Follow the regularized leader, with L1 and L2 penalties."""

    def __init__(self, params, lr=1e-3, initial_accum=0.1, lr_power=-0.5, l1=0.0, l2=0.0, weight_decay=0.0):
        given = {"accum": initial_accum, "power": -lr_power, "l1": l1, "l2": l2}
        super().__init__(params, {"lr": lr, "weight_decay": weight_decay, **given})

    def update(self, p, grad, state, group):
        if not state:
            state.update(accum=torch.full_like(p, group["accum"]), linear=torch.zeros_like(p))
        accum, linear, power = state["accum"], state["linear"], group["power"]
        before = accum**power
        after = accum.addcmul_(grad, grad) ** power
        linear.add_(grad - (after - before) / group["lr"] * p)
        size = linear.abs().clamp(min=group["l1"]) - group["l1"]
        p.copy_(-linear.sign() * size / (after / group["lr"] + 2 * group["l2"]))


class Lamb(PerTensor):
    """Adam whose step for each tensor is as long as the tensor, times the rate."""

    coupled = False

    def __init__(self, params, lr=1e-3, betas=(0.9, 0.999), eps=1e-6, weight_decay=0.0):
        super().__init__(params, {"lr": lr, "betas": betas, "eps": eps, "weight_decay": weight_decay})

    def update(self, p, grad, state, group):
        if not state:
            state.update(step=0, mean=torch.zeros_like(p), square=torch.zeros_like(p))
        state["step"] += 1
        first, second = group["betas"]
        state["mean"].lerp_(grad, 1 - first)
        state["square"].mul_(second).addcmul_(grad, grad, value=1 - second)
        root = (state["square"] / (1 - second ** state["step"])).sqrt() + group["eps"]
        move = state["mean"] / (1 - first ** state["step"]) / root + group["weight_decay"] * p
        length, moved = p.norm(), move.norm()
        ratio = torch.where((length > 0) & (moved > 0), length / moved, 1.0)
        p.sub_(ratio * group["lr"] * move)


class OptimizerBase(torch.optim.Optimizer):
    """Moves all parameters at once: a subclass's ``forward`` gets their gradients, in order.

    A rate or a decay is a number, a list by step, or a function of the step.
    """

    def __init__(self, learning_rate, parameters, weight_decay=0.0, loss_scale=1.0):
        parameters = list(parameters)
        self.is_group = isinstance(parameters[0], dict)
        self.is_group_lr = self.is_group and any("lr" in group for group in parameters)
        super().__init__(parameters, {"lr": learning_rate, "weight_decay": weight_decay})
        rates = [group["lr"] for group in self.param_groups]
        self.dynamic_lr = any(callable(rate) or getattr(rate, "__len__", None) for rate in rates)
        self.parameters = [p for group in self.param_groups for p in group["params"]]
        self.loss_scale = loss_scale
        self.global_step, self.global_step_increase_tensor = torch.zeros(1, dtype=torch.int32), 1

    @property
    def cls_name(self):
        return type(self).__name__

    def get_lr(self):
        rates = self._now_of_each("lr")
        return rates if self.is_group_lr else rates[0]

    def get_weight_decay(self):
        decays = self._now_of_each("weight_decay")
        return decays if self.is_group else decays[0]

    @property
    def decay_flags(self):
        if self.is_group:
            return [bool(decay) for decay in self._now_of_each("weight_decay")]
        labels = [getattr(p, "label", "") for p in self.parameters]
        return ["beta" not in label and "gamma" not in label for label in labels]

    def _now_of_each(self, what):
        return [torch.as_tensor(self._now(g[what])) for g in self.param_groups for _ in g["params"]]

    def _now(self, value):
        step = int(self.global_step)
        if callable(value):
            return torch.as_tensor(value(torch.tensor(step))).reshape(())
        by_step = value.ndim if torch.is_tensor(value) else hasattr(value, "__len__")
        return value[min(step, len(value) - 1)] if by_step else value

    def assignadd(self, tensor, value):
        return tensor.add_(value)

    def decay_weight(self, gradients):
        decays = self._now_of_each("weight_decay")
        parts = zip(gradients, decays, self.parameters, self.decay_flags)
        return [g + decay * p if decays_too else g for g, decay, p, decays_too in parts]

    def scale_grad(self, gradients):
        return gradients  # what computes them has taken the loss scale off

    flatten_gradients = gradients_centralization = scale_grad

    def hyper_map(self, function, *lists):
        return [function(*items) for items in zip(*lists)]

    map_ = hyper_map

    @torch.no_grad()
    def __call__(self, gradients):
        return self.forward([g * (1.0 / self.loss_scale) for g in gradients])

    @torch.no_grad()
    def step(self, closure=None):
        return self.forward([torch.zeros_like(p) if p.grad is None else p.grad for p in self.parameters])


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


def counted(optimizer):
    """An optimizer that counts its steps in ``global_step``."""
    optimizer.global_step = torch.zeros(1, dtype=torch.int32)
    optimizer.register_step_post_hook(lambda *_: optimizer.global_step.add_(1))
    return optimizer


def with_loss_scale(optimizer, scale):
    """An optimizer whose loss is multiplied by a number: who hands it gradients divides them by that."""
    optimizer.loss_scale = scale
    return optimizer


def accumulating(optimizer):
    """MindSpore's SGD, which calls accum in its files what its Momentum calls moments."""
    optimizer.accumulates = True
    return optimizer


def gradients_times(optimizer, factor):
    """An optimizer whose gradients are multiplied by a number before each step."""

    def before(optimizer, args, kwargs):
        for group in optimizer.param_groups:
            for parameter in group["params"]:
                if parameter.grad is not None:
                    parameter.grad *= factor

    optimizer.register_step_pre_hook(before)
    return optimizer


def no_bias(parameter):
    """Whether a parameter is neither a bias nor of a layer called LayerNorm."""
    return "LayerNorm" not in parameter.label and "bias" not in parameter.label


def lars(optimizer, eps=1e-5, coefficient=0.001, clipped=False, takes_part=no_bias):
    """An optimizer given gradients as long as their tensors, times a coefficient; they alone decay, here.

    ``clipped``: none is longer than it was. Decay is a part of the gradient.
    """
    for group in optimizer.param_groups:
        group["layers_decay"], group["weight_decay"] = group["weight_decay"], 0.0

    @torch.no_grad()
    def before(optimizer, args, kwargs):
        for group in optimizer.param_groups:
            decay = group["layers_decay"]
            for p in group["params"]:
                if p.grad is None or not takes_part(p):
                    continue
                length, slope = p.norm(), p.grad.norm()
                trust = coefficient * length / (slope + decay * length + eps)
                trust = torch.where((length > 0) & (slope > 0), trust, 1.0)
                if clipped:
                    trust = (trust / group["lr"]).clamp(0.0, 1.0)
                p.grad = trust * (p.grad + decay * p)

    optimizer.register_step_pre_hook(before)
    return optimizer


def decay_groups(module, weight_decay):
    """A module's parameters in groups that keep their order: scales and shifts of norms do not decay."""
    norms = (nn.modules.batchnorm._NormBase, nn.LayerNorm, nn.GroupNorm)
    plain = {id(p) for m in module.modules() if isinstance(m, norms) for p in m.parameters(recurse=False)}
    named = module.named_parameters()  #? ms2torch
    plain |= {id(p) for name, p in named if name.endswith(("gamma", "beta"))}  #? ms2torch
    trained = [p for p in module.parameters() if p.requires_grad]
    runs = groupby(trained, lambda p: id(p) in plain)
    return [{"params": list(run), "weight_decay": 0.0 if apart else weight_decay} for apart, run in runs]


def scheduled(optimizer, rates):
    """An optimizer whose rate moves with each step: ``rates`` are a list, or a function of the step."""

    def rate(step):
        found = rates(torch.tensor(step)) if callable(rates) else rates[min(step, len(rates) - 1)]
        return float(found)

    optimizer.rates = [rates]  #? slots listing
    optimizer.schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, rate)
    optimizer.register_step_post_hook(lambda *_: optimizer.schedule.step())
    return optimizer


def scheduled_groups(optimizer, rates):
    """An optimizer each of whose groups has rates of its own: a number, a list, or a function of the step."""

    def of(rates):
        def rate(step):
            if callable(rates):
                return float(rates(torch.tensor(step)))
            return float(rates[min(step, len(rates) - 1)] if hasattr(rates, "__len__") else rates)

        return rate

    optimizer.rates = rates  #? slots listing
    optimizer.schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, [of(r) for r in rates])
    optimizer.register_step_post_hook(lambda *_: optimizer.schedule.step())
    return optimizer
