"""Training steps as Modules, and loss scale."""

import torch
from torch import nn


def classes(loss, label):
    """Labels as a loss takes them: classes are int64 for cross entropy."""
    of_classes = isinstance(loss, (nn.CrossEntropyLoss, nn.NLLLoss)) and not label.is_floating_point()
    return label.long() if of_classes else label


class WithLoss(nn.Module):
    """A network and its loss: inputs and labels in, the loss out."""

    def __init__(self, network, loss):
        super().__init__()
        self.network, self.loss = network, loss

    def forward(self, x, label):
        return self.loss(self.network(x), classes(self.loss, label))


class TrainStep(nn.Module):
    """One step of training: the loss, its gradients, the optimizer's step."""

    def __init__(self, network, optimizer):
        super().__init__()
        self.network, self.optimizer = network, optimizer

    def forward(self, *inputs):
        self.optimizer.zero_grad()
        loss = self.network(*inputs)
        loss.sum().backward()
        self.optimizer.step()
        return loss.detach()


def divide_gradients(optimizer):
    """Gradients, divided by their optimizer's own loss scale."""
    for group in optimizer.param_groups:
        for parameter in group["params"]:
            if parameter.grad is not None:
                parameter.grad *= 1.0 / getattr(optimizer, "loss_scale", 1.0)


class FixedScaleTrainStep(TrainStep):
    """A step whose loss is multiplied by a number, and whose gradients are divided by the optimizer's own."""

    def __init__(self, network, optimizer, scale=1.0):
        super().__init__(network, optimizer)
        self.scale = scale

    def forward(self, *inputs):
        self.optimizer.zero_grad()
        loss = self.network(*inputs)
        (loss.sum() * self.scale).backward()
        divide_gradients(self.optimizer)
        self.optimizer.step()
        return loss.detach()


class ScaledTrainStep(nn.Module):
    """A step of training under a loss scale, a tensor or what moves it; one that overflows changes no weight.

    It gives the loss, whether gradients overflowed, and the scale.
    """

    def __init__(self, network, optimizer, scale):
        super().__init__()
        self.network, self.optimizer = network, optimizer
        grouped = [p for group in optimizer.param_groups for p in group["params"]]
        self.weights = getattr(optimizer, "order", grouped)
        self.update = None if torch.is_tensor(scale) else scale
        self.scale_sense = torch.tensor(float(scale if self.update is None else scale.get_loss_scale()))

    def start_overflow_check(self, loss, scale):
        return torch.tensor(False), scale

    def get_overflow_status(self, status, gradients):
        return torch.tensor(not all(bool(g.isfinite().all()) for g in gradients))

    def process_loss_scale(self, overflow):
        if self.update is not None:
            self.update(self.scale_sense, overflow)
        return overflow

    def forward(self, *inputs):
        loss, scale = self.network(*inputs), self.scale_sense.clone()
        start = torch.ones_like(loss) * scale
        gradients = torch.autograd.grad(loss, self.weights, start, materialize_grads=True)
        gradients = [g * scale.reciprocal() for g in gradients]
        overflow = self.process_loss_scale(self.get_overflow_status(None, gradients))
        if not overflow:
            for weight, gradient in zip(self.weights, gradients):
                weight.grad = gradient
            self.optimizer.step()
        return loss.detach(), overflow, scale


def without_loss(network):
    """A network, taken out of the Module that gives it a loss."""
    return network.network if isinstance(network, WithLoss) else network


def state_of_step(step):
    """What a training step knows: its network's state, by the network's own names, and its optimizer's."""
    optimizer = step.optimizer
    kept = {"state": optimizer.state_dict()}
    if hasattr(optimizer, "schedule"):
        kept["schedule"] = optimizer.schedule.state_dict()
    if hasattr(optimizer, "global_step"):
        kept["global_step"] = optimizer.global_step
    if hasattr(step, "scale_sense"):
        kept["scale_sense"] = step.scale_sense
    return {**without_loss(step.network).state_dict(), "optimizer": kept}


def load_state_of_step(step, state):
    """Take up what `state_of_step` told, or an optimizer alone its own part; names missing, and unknown."""
    kept, optimizer = state.get("optimizer"), getattr(step, "optimizer", step)
    if kept is not None:
        optimizer.load_state_dict(kept["state"])
        if hasattr(optimizer, "schedule"):
            optimizer.schedule.load_state_dict(kept["schedule"])
        if hasattr(optimizer, "global_step"):
            optimizer.global_step.copy_(kept["global_step"])
        if hasattr(step, "scale_sense"):
            step.scale_sense = kept["scale_sense"].clone()
    if step is optimizer:
        return [], []
    rest = {name: value for name, value in state.items() if name != "optimizer" and torch.is_tensor(value)}
    return without_loss(step.network).load_state_dict(rest, strict=False)


class ScaleUpdate:
    """Moves a loss scale: down by ``factor`` after an overflow, up after ``window`` steps without one."""

    def __init__(self, scale, factor=1.0, window=0):
        self.scale, self.factor, self.window = scale, factor, window
        self.now, self.last = 1, 0

    def get_loss_scale(self):
        return self.scale

    @torch.no_grad()
    def __call__(self, scale, overflow):
        grows = self.window and self.now - self.last >= self.window
        if overflow:
            scale.copy_(torch.clamp(scale / self.factor, min=1.0))
        elif grows:
            scale.mul_(self.factor)
        if overflow or grows:
            self.last = self.now
        self.now += 1
        return overflow


class LossScaler:
    """A loss scale that halves after an overflow and doubles after ``window`` steps without one."""

    def __init__(self, scale_value, scale_factor=1, scale_window=0):
        self.scale_value = torch.tensor(float(scale_value))
        self.factor, self.window, self.counter = scale_factor, scale_window, 0

    def scale(self, x):
        return x * self.scale_value if torch.is_tensor(x) else [t * self.scale_value for t in x]

    def unscale(self, x):
        return x / self.scale_value if torch.is_tensor(x) else [t / self.scale_value for t in x]

    def adjust(self, finite):
        if not finite:
            self.scale_value = torch.clamp(self.scale_value / self.factor, min=1.0)
            self.counter = 0
        elif self.counter == self.window - 1:
            grown = self.scale_value * self.factor
            self.scale_value = grown if torch.isfinite(grown) else self.scale_value
            self.counter = 0
        else:
            self.counter += 1
        return True
