"""Learning rates by step, as lists and as functions."""

import math


def cosine_decay_lr(min_lr, max_lr, total_step, step_per_epoch, decay_epoch):
    """From ``max_lr`` to ``min_lr`` along half a cosine over ``decay_epoch`` epochs."""
    passed = (min(i // step_per_epoch, decay_epoch) / decay_epoch for i in range(total_step))
    return [min_lr + (max_lr - min_lr) / 2 * (1 + math.cos(math.pi * p)) for p in passed]


def exponential_decay_lr(learning_rate, decay_rate, total_step, step_per_epoch, decay_epoch, is_stair=False):
    """Multiplied by ``decay_rate`` every ``decay_epoch`` epochs."""
    epochs = (i // step_per_epoch for i in range(total_step))
    return [learning_rate * decay_rate ** (e // decay_epoch if is_stair else e / decay_epoch) for e in epochs]


def natural_exp_decay_lr(learning_rate, decay_rate, total_step, step_per_epoch, decay_epoch, is_stair=False):
    """Divided by e to the power of ``decay_rate`` an epoch; ``is_stair``: after ``decay_epoch`` at once."""
    width = decay_epoch if is_stair else 1
    epochs = (i // step_per_epoch // width * width for i in range(total_step))
    return [learning_rate * math.e ** (-decay_rate * e) for e in epochs]


def inverse_decay_lr(learning_rate, decay_rate, total_step, step_per_epoch, decay_epoch, is_stair=False):
    """Divided by 1 + ``decay_rate`` for every ``decay_epoch`` epochs."""
    epochs = (i // step_per_epoch for i in range(total_step))
    passed = (e // decay_epoch if is_stair else e / decay_epoch for e in epochs)
    return [learning_rate / (1 + decay_rate * p) for p in passed]


def polynomial_decay_lr(learning_rate, end_learning_rate, total_step, step_per_epoch, decay_epoch, power):
    """From one rate to another by a power of the epochs that have passed."""
    passed = (min(i // step_per_epoch, decay_epoch) / decay_epoch for i in range(total_step))
    return [(learning_rate - end_learning_rate) * (1 - p) ** power + end_learning_rate for p in passed]


def warmup_lr(learning_rate, total_step, step_per_epoch, warmup_epoch):
    """Rises to ``learning_rate`` in ``warmup_epoch`` epochs."""
    return [learning_rate * min(i // step_per_epoch, warmup_epoch) / warmup_epoch for i in range(total_step)]


def piecewise_constant_lr(milestone, learning_rates):
    """One rate up to each milestone."""
    before = [0, *milestone]
    return [rate for i, rate in enumerate(learning_rates) for _ in range(before[i], before[i + 1])]


class CosineDecayLR:
    """From ``max_lr`` to ``min_lr`` along half a cosine over ``decay_steps`` steps."""

    def __init__(self, min_lr, max_lr, decay_steps):
        self.min_lr, self.max_lr, self.decay_steps = min_lr, max_lr, decay_steps

    def __call__(self, step):
        turn = math.pi * min(float(step), self.decay_steps) / self.decay_steps
        return self.min_lr + (self.max_lr - self.min_lr) / 2 * (1 + math.cos(turn))


class WarmUpLR:
    """Rises to ``learning_rate`` in ``warmup_steps`` steps."""

    def __init__(self, learning_rate, warmup_steps):
        self.learning_rate, self.warmup_steps = learning_rate, warmup_steps

    def __call__(self, step):
        return self.learning_rate * min(float(step), self.warmup_steps) / self.warmup_steps


class PolynomialDecayLR:
    """From one rate to another by a power of the steps that have passed."""

    def __init__(self, learning_rate, end_learning_rate, decay_steps, power, update_decay_steps=False):
        self.start, self.end, self.steps, self.power = learning_rate, end_learning_rate, decay_steps, power
        self.longer = update_decay_steps

    def __call__(self, step):
        step = float(step)
        steps = self.steps * max(math.ceil(step / self.steps), 1) if self.longer else self.steps
        return (self.start - self.end) * (1 - min(step, steps) / steps) ** self.power + self.end


class ExponentialDecayLR:
    """Multiplied by ``decay_rate`` every ``decay_steps`` steps."""

    def __init__(self, learning_rate, decay_rate, decay_steps, is_stair=False):
        self.learning_rate, self.decay_rate, self.decay_steps = learning_rate, decay_rate, decay_steps
        self.is_stair = is_stair

    def __call__(self, step):
        passed = float(step) / self.decay_steps
        return self.learning_rate * self.decay_rate ** (math.floor(passed) if self.is_stair else passed)


class NaturalExpDecayLR:
    """Divided by e to the power of ``decay_rate`` a step; ``is_stair``: after ``decay_steps`` at once."""

    def __init__(self, learning_rate, decay_rate, decay_steps, is_stair=False):
        self.learning_rate, self.decay_rate = learning_rate, decay_rate
        self.width = decay_steps if is_stair else None

    def __call__(self, step):
        step = float(step) if self.width is None else float(step) // self.width * self.width
        return self.learning_rate * math.e ** (-self.decay_rate * step)


class InverseDecayLR:
    """Divided by 1 + ``decay_rate`` for every ``decay_steps`` steps."""

    def __init__(self, learning_rate, decay_rate, decay_steps, is_stair=False):
        self.learning_rate, self.decay_rate, self.decay_steps = learning_rate, decay_rate, decay_steps
        self.is_stair = is_stair

    def __call__(self, step):
        passed = float(step) / self.decay_steps
        return self.learning_rate / (1 + self.decay_rate * (math.floor(passed) if self.is_stair else passed))
