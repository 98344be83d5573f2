"""What a training loop calls beside a program's own callbacks."""

from .loops import Callback


class LambdaCallback(Callback):
    """A callback made of functions, by when they are called: ``on_train_epoch_end=function``."""

    def __init__(self, **functions):
        for moment, function in functions.items():
            setattr(self, moment, function)


class LearningRateScheduler(Callback):
    """Sets the rate after each step to ``function(rate, step)``."""

    def __init__(self, function):
        self.function = function

    def step_end(self, run):
        state = run.original_args()
        for group in state.optimizer.param_groups:
            group["lr"] = self.function(group["lr"], state.cur_step_num)


class History(Callback):
    """Keeps the last loss of each epoch in ``history["net_output"]``."""

    def __init__(self):
        self.history = {}

    def begin(self, run):
        self.epoch = {"epoch": []}

    def epoch_end(self, run):
        state = run.original_args()
        self.epoch["epoch"].append(state.cur_epoch_num)
        self.history.setdefault("net_output", []).append(state.net_outputs.mean().item())
