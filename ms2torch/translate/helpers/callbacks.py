"""What a training loop calls beside a program's own callbacks."""

import numpy as np

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

    def on_train_step_end(self, run):
        state = run.original_args()
        for group in state.optimizer.param_groups:
            group["lr"] = self.function(group["lr"], state.cur_step_num)


class History(Callback):
    """Keeps each epoch's last loss, as ``net_output``, and its metrics in ``history``."""

    def __init__(self):
        self.history = {}

    def on_train_begin(self, run):
        self.epoch = {"epoch": []}

    def on_train_epoch_end(self, run):
        state = run.original_args()
        self.epoch["epoch"].append(state.cur_epoch_num)
        found = state.net_outputs
        found = found[0] if isinstance(found, tuple) else found
        found = {"net_output": np.mean(found.numpy(force=True)), **(getattr(state, "metrics", None) or {})}
        for name, value in found.items():
            self.history.setdefault(name, []).append(value)


class Watching(Callback):
    """Watches the loss or a metric of ``fit``: ``better`` by ``min_delta`` than the best so far?"""

    def __init__(self, monitor, mode, min_delta):
        small = ("eval_loss", "loss", "mae", "mse", "perplexity",
                 "hausdorff_distance", "mean_surface_distance", "root_mean_square_distance")
        self.monitor, self.min_delta = monitor, abs(min_delta)
        self.sign = -1 if mode == "min" or (mode == "auto" and monitor in small) else 1

    def on_train_begin(self, run):
        self.best, self.wait = -float("inf"), 0

    def value(self, state):
        """What is watched, the greater the better; None where there is none."""
        if self.monitor == "loss":
            found = state.net_outputs
            found = (found[0] if isinstance(found, tuple) else found).mean().item()
        else:
            found = getattr(state, "eval_results", {}).get(self.monitor)
        return self.sign * found if found else None

    def better(self, value):
        if value - self.min_delta <= self.best:
            return False
        self.best, self.wait = value, 0
        return True


class EarlyStopping(Watching):
    """Ends training after ``patience`` epochs in which what it watches did not get better."""

    def __init__(
        self, monitor="eval_loss", min_delta=0, patience=0,
        verbose=False,  #? verbose
        mode="auto",
        restore_best_weights=False,  #? restore_best_weights
    ):  # fmt: skip
        super().__init__(monitor, mode, min_delta)
        self.patience = patience
        self.verbose = verbose  #? verbose
        self.restores = restore_best_weights  #? restore_best_weights

    def on_train_begin(self, run):
        super().on_train_begin(run)
        self.stopped = 0  #? verbose
        self.weights = None  #? restore_best_weights

    def on_train_epoch_end(self, run):
        state = run.original_args()
        value = self.value(state)
        if value is None:
            return
        self.wait += 1
        better = self.better(value)
        if self.restores and (better or self.weights is None):  #? restore_best_weights
            kept = state.network.state_dict()  #? restore_best_weights
            self.weights = {name: x.clone() for name, x in kept.items()}  #? restore_best_weights
        if self.wait < self.patience:
            return
        self.stopped = state.cur_epoch_num  #? verbose
        run.request_stop()
        if self.restores and self.verbose:  #? restore_best_weights&verbose
            print("Restoring model weights from the end of the best epoch.")  #? restore_best_weights&verbose
        if self.restores:  #? restore_best_weights
            state.network.load_state_dict(self.weights)  #? restore_best_weights

    def on_train_end(self, run):  #? verbose
        if self.stopped and self.verbose:  #? verbose
            print(f"Epoch {self.stopped:05d}: early stopping")  #? verbose


class ReduceLROnPlateau(Watching):
    """Multiplies the rate by ``factor`` after ``patience`` epochs without anything better."""

    def __init__(
        self, monitor="eval_loss", factor=0.1, patience=10,
        verbose=False,  #? verbose
        mode="auto", min_delta=1e-4,
        cooldown=0,  #? cooldown min_lr
        min_lr=0,  #? min_lr
    ):  # fmt: skip
        super().__init__(monitor, mode, min_delta)
        self.factor, self.patience = factor, patience
        self.verbose = verbose  #? verbose
        self.cooldown, self.cooling = cooldown, 0  #? cooldown
        self.min_lr = min_lr  #? min_lr

    def on_train_epoch_end(self, run):
        state = run.original_args()
        value = self.value(state)
        if value is None:
            return
        if self.cooling:  #? cooldown
            self.cooling, self.wait = self.cooling - 1, 0  #? cooldown
        if self.better(value):
            return
        if self.cooling:  #? cooldown
            return  #? cooldown
        self.wait += 1
        if self.wait < self.patience:
            return
        self.wait = 0
        self.cooling = self.cooldown  #? cooldown
        for group in state.optimizer.param_groups:
            if group["lr"] <= self.min_lr:  #? min_lr
                continue  #? min_lr
            group["lr"] *= self.factor
            group["lr"] = max(group["lr"], self.min_lr)  #? min_lr
            if self.verbose:  #? verbose
                epoch, rate = f"Epoch {state.cur_epoch_num:05d}", group["lr"]  #? verbose
                print(f"{epoch}: ReduceLROnPlateau reducing learning rate to {rate}.")  #? verbose
