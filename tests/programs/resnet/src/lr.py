"""The learning rate of every step: a ramp, then a parabola down to zero."""
import numpy as np


def rates(config, steps_per_epoch):
    ramp = config.warmup_epochs * steps_per_epoch
    steps = config.epochs * steps_per_epoch
    up = [config.lr_first + (config.lr_peak - config.lr_first) * i / ramp for i in range(ramp)]
    down = [config.lr_peak * (1.0 - i / (steps - ramp)) ** 2 for i in range(steps - ramp)]
    return np.array(up + down, np.float32)
