"""Training loops, what they call, and metrics."""

import re
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import torch

from .data import set_epoch
from .holding import slots
from .steps import classes, divide_gradients


class Callback:
    """What a training loop calls; each of these may do something."""

    def begin(self, run): ...  #? def:begin
    def epoch_begin(self, run): ...  #? def:epoch_begin
    def step_begin(self, run): ...  #? def:step_begin
    def step_end(self, run): ...  #? def:step_end
    def epoch_end(self, run): ...  #? def:epoch_end
    def end(self, run): ...  #? def:end

    def on_train_begin(self, run):  #? def:on_train_begin def:begin
        self.begin(run)  #? def:begin

    def on_train_epoch_begin(self, run):  #? def:on_train_epoch_begin def:epoch_begin
        self.epoch_begin(run)  #? def:epoch_begin

    def on_train_step_begin(self, run):  #? def:on_train_step_begin def:step_begin
        self.step_begin(run)  #? def:step_begin

    def on_train_step_end(self, run):  #? def:on_train_step_end def:step_end
        self.step_end(run)  #? def:step_end

    def on_train_epoch_end(self, run):  #? def:on_train_epoch_end def:epoch_end
        self.epoch_end(run)  #? def:epoch_end

    def on_train_end(self, run):  #? def:on_train_end def:end
        self.end(run)  #? def:end


class LossMonitor(Callback):
    """Prints the loss every ``every`` steps, in float32's digits where it is one of several outputs."""

    def __init__(self, every=1):
        self.every = every

    def on_train_step_end(self, run):
        state = run.original_args()
        loss = state.net_outputs
        loss = str(loss[0].numpy(force=True)) if isinstance(loss, tuple) else float(loss.mean())
        if isinstance(loss, float) and not np.isfinite(loss):
            raise ValueError(f"In epoch: {state.cur_epoch_num} the loss is NAN or INF, training ends.")
        step = (state.cur_step_num - 1) % state.batch_num + 1
        if self.every and state.cur_step_num % self.every == 0:
            print(f"epoch: {state.cur_epoch_num} step: {step}, loss is {loss}")

    def on_train_epoch_end(self, run):  #? fit
        state = run.original_args()  #? fit
        if getattr(state, "metrics", None):  #? fit
            print(f"Eval result: epoch {state.cur_epoch_num}, metrics: {state.metrics}")  #? fit


class Checkpoints(Callback):
    """Saves network and optimizer every ``steps`` steps and at the end; the newest ``keep`` files stay.
    ``network`` is another one to save than the one that is trained.  #? saved_network
    ``more`` has "epoch_num", "step_num" and dicts of what else to save.  #? append_info
    ``failing``: one more file where training ends by an error.  #? exception_save

    Files of an earlier training stay too: where a prefix is taken, a number comes behind it.
    """

    def __init__(
        self, prefix="CKP", directory=".", steps=1, keep=5,
        network=None,  #? saved_network
        more=(),  #? append_info
        failing=False,  #? exception_save
    ):  # fmt: skip
        self.folder, self.steps, self.keep = Path(directory), steps, keep
        self.network = network  #? saved_network
        self.more = more  #? append_info
        self.failing = failing  #? exception_save
        self.folder.mkdir(parents=True, exist_ok=True)
        named = re.compile(re.escape(prefix) + r"(?:_(\d+))?-.*(?<!_breakpoint)\.(?:ckpt|safetensors)")
        taken = [int(found[1] or 0) for p in self.folder.iterdir() if (found := named.fullmatch(p.name))]
        self.prefix = f"{prefix}_{max(taken) + 1}" if taken else prefix
        self.last, self.files = 0, []

    def on_train_begin(self, run):  #? exception_save
        self.state = run.original_args()  #? exception_save

    def on_train_step_end(self, run):
        if run.original_args().cur_step_num >= self.last + self.steps:
            self.save(run.original_args())

    def on_train_end(self, run):
        if run.original_args().cur_step_num != self.last:
            self.save(run.original_args())

    def failed(self):  #? exception_save
        if self.failing:  #? exception_save
            self.write(self.state, "_breakpoint")  #? exception_save

    def save(self, state):
        self.last = state.cur_step_num
        self.files.append(self.write(state))
        if len(self.files) > self.keep:
            self.files.pop(0).unlink(missing_ok=True)

    def write(self, state, mark=""):
        step = (state.cur_step_num - 1) % state.batch_num + 1
        file = self.folder / f"{self.prefix}-{state.cur_epoch_num}_{step}{mark}.ckpt"
        network = state.network
        network = getattr(network, "module", network)  # what is wrapped  #? data_parallel LowPrecision
        network = self.network or network  #? saved_network
        found = network.state_dict() | slots(network, state)
        counts = {"epoch_num": state.cur_epoch_num, "step_num": state.cur_step_num}  #? append_info
        for what in self.more:  #? append_info
            values = what if isinstance(what, dict) else {what: counts[what]}  #? append_info
            found |= {name: torch.as_tensor(value) for name, value in values.items()}  #? append_info
        torch.save(found, file)
        return file


class Progress(SimpleNamespace):
    """How far a training is: attributes, which ``in``, ``get`` and brackets know too."""

    def __contains__(self, name):
        return name in vars(self)

    def __getitem__(self, name):
        return vars(self)[name]

    def get(self, name, default=None):
        return vars(self).get(name, default)


def telling_failure(train):
    """A training that tells callbacks which have a ``failed`` where it ends by an error."""

    def run(self, epochs, data, callbacks=()):
        try:
            train(self, epochs, data, callbacks)
        except BaseException:
            for callback in callbacks if isinstance(callbacks, (list, tuple)) else [callbacks]:
                getattr(callback, "failed", bool)()
            raise

    return run


class Trainer:
    """A network, its loss and its optimizer; without a loss the network is a training step by itself."""

    def __init__(self, network, loss_fn=None, optimizer=None):
        self.network, self.loss_fn, self.optimizer = network, loss_fn, optimizer

    def step(self, *batch):
        """The loss of a batch, and a step of the optimizer."""
        if self.optimizer is None:
            return self.network(*batch)
        self.optimizer.zero_grad()
        found = self.network(*batch[:-1] if self.loss_fn else batch)
        loss = self.loss(found, batch[-1]) if self.loss_fn else found
        loss.backward()
        self.optimizer.step()
        return loss.detach()

    def loss(self, found, label):
        return self.loss_fn(found, classes(self.loss_fn, label))

    @telling_failure  #? exception_save
    def train(self, epochs, data, callbacks=()):
        """Train for some epochs."""
        callbacks = list(callbacks) if isinstance(callbacks, (list, tuple)) else [callbacks]
        state = SimpleNamespace(
            cur_epoch_num=0, cur_step_num=0, batch_num=len(data),
            network=self.network, optimizer=self.optimizer,
            epoch_num=epochs,  #? state:told&epoch_num SummaryCollector
            train_dataset=data,  #? state:told&train_dataset SummaryCollector
            mode="train",  #? state:told&mode
            dataset_sink_mode=False,  #? state:told&dataset_sink_mode
            train_network=self.network,  #? state:told&train_network
        )  # fmt: skip
        state = Progress(**vars(state))  #? state:dict
        run = SimpleNamespace(original_args=lambda: state)
        run.stopped = False  #? request_stop
        run.request_stop = lambda: setattr(run, "stopped", True)  #? request_stop

        def tell(what):
            for callback in callbacks:
                getattr(callback, f"on_train_{what}")(run)

        tell("begin")  #? def:on_train_begin
        for state.cur_epoch_num in range(1, epochs + 1):
            set_epoch(data, state.cur_epoch_num - 1)
            self.network.train()
            tell("epoch_begin")  #? def:on_train_epoch_begin
            for batch in data:
                state.cur_step_num += 1
                tell("step_begin")  #? def:on_train_step_begin
                self.network.train()  #? state:told
                state.net_outputs = self.step(*batch)
                tell("step_end")  #? def:on_train_step_end
                if run.stopped:  #? request_stop
                    break  #? request_stop
            tell("epoch_end")  #? def:on_train_epoch_end
            if run.stopped:  #? request_stop
                break  #? request_stop
        tell("end")  #? def:on_train_end

    @torch.no_grad()  #? predict
    def predict(self, *inputs):  #? predict
        self.network.eval()  #? predict
        return self.network(*inputs)  #? predict


class MeasuredTrainer(Trainer):
    """A trainer that measures how well a network does.
    ``eval_network`` makes what the metrics take.  #? eval_network
    ``eval_indexes``: where the loss, the prediction and the label are among what it makes.  #? eval_network
    """

    def __init__(
        self, network, loss_fn=None, optimizer=None, metrics=None,
        eval_network=None, eval_indexes=None,  #? eval_network
    ):  # fmt: skip
        super().__init__(network, loss_fn, optimizer)
        self.metrics = metrics or {}
        self.eval_network, self.indexes = eval_network, eval_indexes  #? eval_network

    @torch.no_grad()
    def eval(self, data):
        """The metrics over a data set."""
        self.network.eval()
        if self.eval_network is not None:  #? eval_network
            self.eval_network.eval()  #? eval_network
        for metric in self.metrics.values():
            metric.clear()
        for *inputs, label in data:
            if self.eval_network is not None:  #? eval_network
                found = self.eval_network(*inputs, label)  #? eval_network
                for metric in self.metrics.values():  #? eval_network
                    chosen = found  #? eval_network
                    if self.indexes:  #? eval_network
                        loss, *rest = (found[i] for i in self.indexes)  #? eval_network
                        chosen = [loss] if isinstance(metric, LossMetric) else rest  #? eval_network
                    metric.update(*chosen)  #? eval_network
                self.last = found[0]  #? eval_network&fit
                continue  #? eval_network
            found = self.network(*inputs)
            self.last = self.loss(found, label)  #? LossMetric eval_results
            for metric in self.metrics.values():
                if isinstance(metric, LossMetric):  #? LossMetric
                    metric.update(self.last)  #? LossMetric
                    continue  #? LossMetric
                if type(metric).__name__ == "Loss":  #? ms2torch&Loss
                    metric.update(self.loss(found, label).numpy())  #? ms2torch&Loss
                    continue  #? ms2torch&Loss
                if not isinstance(metric, Metric):  #? ms2torch
                    metric.update(found.numpy(), label.numpy())  #? ms2torch
                    continue  #? ms2torch
                metric.update(found, label)
        found = {name: metric.eval() for name, metric in self.metrics.items()}
        # A number of NumPy's own would print as np.float32(0.5): it has the digits that name it.
        return {name: float(str(x)) if isinstance(x, np.floating) else x for name, x in found.items()}

    def fit(self, epochs, data, valid_data=None, every=1, callbacks=()):  #? fit
        """Train, and measure after every ``every`` epochs, or after those in that list."""  #? fit
        callbacks = list(callbacks) if isinstance(callbacks, (list, tuple)) else [callbacks]  #? fit
        self.train(epochs, data, [Measuring(self, valid_data, every), *callbacks])  #? fit


class ScaledTrainer(MeasuredTrainer):
    """A trainer whose losses are multiplied by a scale, and their gradients divided by it; no weight moves in
    a step whose gradients overflow, and a scale that is not ``fixed`` moves.

    A step gives the loss, whether its gradients overflowed, and the scale.
    """

    def __init__(self, *given, scale, factor=2.0, window=2000, fixed=False, **named):
        super().__init__(*given, **named)
        device = next(self.network.parameters()).device.type
        self.scaler = torch.amp.GradScaler(device, float(scale), factor, 1 / factor, window)
        self.fixed = float(scale) if fixed else None
        self.optimizer.register_step_post_hook(lambda *_: setattr(self, "moved", True))

    def step(self, *batch):
        self.optimizer.zero_grad()
        found = self.network(*batch[:-1] if self.loss_fn else batch)
        loss = self.loss(found, batch[-1]) if self.loss_fn else found
        self.scaler.scale(loss).backward()
        scale, self.moved = torch.tensor(self.scaler.get_scale()), False
        if hasattr(self.optimizer, "loss_scale"):
            self.scaler.unscale_(self.optimizer)
            divide_gradients(self.optimizer)
        self.scaler.step(self.optimizer)
        self.scaler.update(self.fixed)
        return loss.detach(), torch.tensor(not self.moved), scale


class FixedScaleTrainer(MeasuredTrainer):
    """A trainer whose losses are multiplied by a number; gradients are divided by the optimizer's own."""

    def __init__(self, *given, scale, **named):
        super().__init__(*given, **named)
        self.scale = scale

    def step(self, *batch):
        self.optimizer.zero_grad()
        found = self.network(*batch[:-1] if self.loss_fn else batch)
        loss = self.loss(found, batch[-1]) if self.loss_fn else found
        (loss * self.scale).backward()
        divide_gradients(self.optimizer)
        self.optimizer.step()
        return loss.detach()


class Measuring(Callback):
    """Measures at the end of an epoch: ``metrics`` of the training's state, None where it is not due.
    ``eval_results`` stay; among them is the last batch's loss.  #? eval_results
    """

    def __init__(self, trainer, data, every):
        self.trainer, self.data, self.every = trainer, data, every

    def on_train_epoch_end(self, run):
        state, every = run.original_args(), self.every
        due = state.cur_epoch_num in every if isinstance(every, list) else state.cur_epoch_num % every == 0
        state.metrics = self.trainer.eval(self.data) if self.data is not None and due else None
        if state.metrics is not None:  #? eval_results
            loss = self.trainer.last.mean().item()  #? eval_results
            state.eval_results = state.metrics | {"eval_loss": loss}  #? eval_results


def metric_table(metrics):
    """Metrics by name, from a dict of them or a set of their names."""
    known = {
        "acc": AccuracyMetric, "accuracy": AccuracyMetric, "loss": LossMetric,
        "mse": MeanSquares, "mae": MeanErrors, "precision": Precision, "recall": Recall, "f1": F1,
        "top_1_accuracy": lambda: TopAccuracy(1), "top_5_accuracy": lambda: TopAccuracy(5),
    }
    if isinstance(metrics, dict):
        return metrics
    return {name: known[name.lower()]() for name in metrics or ()}


class Metric:
    """A figure over many batches: ``clear``, ``update`` for each, ``eval`` at the end."""

    def _convert_data(self, x):  #? _convert_data
        return x.numpy(force=True) if torch.is_tensor(x) else np.asarray(x)  #? _convert_data


class LossMetric(Metric):
    """The mean loss."""

    def __init__(self):
        self.clear()

    def clear(self):
        self.total, self.count = 0.0, 0

    def update(self, loss):
        self.total += float(loss.mean())
        self.count += 1

    def eval(self):
        return self.total / self.count


class AccuracyMetric(Metric):
    """The share of samples whose highest score is their class; classes may be one-hot."""

    def __init__(self):
        self.clear()

    def clear(self):
        self.right, self.count = 0, 0

    def update(self, scores, label):
        scores, label = torch.as_tensor(scores), torch.as_tensor(label)
        label = label.argmax(1) if label.ndim == scores.ndim else label
        self.right += int((scores.argmax(1) == label).sum())
        self.count += label.numel()

    def eval(self):
        return self.right / self.count


class TopAccuracy(AccuracyMetric):
    """The share of samples whose class is among those with the ``k`` highest scores."""

    def __init__(self, k):
        self.k = k
        self.clear()

    def update(self, scores, label):
        scores, label = torch.as_tensor(scores), torch.as_tensor(label)
        label = label.argmax(1) if label.ndim == scores.ndim else label
        self.right += int((scores.topk(self.k).indices == label[:, None]).sum())
        self.count += len(label)


class Recall(AccuracyMetric):
    """Of the samples of a class, the share that was found, by class."""

    def clear(self):
        self.right = self.wanted = self.given = 0

    def update(self, scores, label):
        scores, label = torch.as_tensor(scores), torch.as_tensor(label)
        label = label.argmax(1) if label.ndim == scores.ndim else label.long()
        given, wanted = (torch.nn.functional.one_hot(c, scores.shape[1]) for c in (scores.argmax(1), label))
        self.right = self.right + (given * wanted).sum(0).double().numpy(force=True)
        self.given = self.given + given.sum(0).double().numpy(force=True)
        self.wanted = self.wanted + wanted.sum(0).double().numpy(force=True)

    def eval(self, average=False):
        found = self.by_class()
        return found.mean() if average else found

    def by_class(self):
        return self.right / (self.wanted + np.finfo(float).tiny)


class Precision(Recall):
    """Of the samples given as a class, the share that is of it, by class."""

    def by_class(self):
        return self.right / (self.given + np.finfo(float).tiny)


class F1(Recall):
    """The harmonic mean of precision and recall, by class."""

    def by_class(self):
        return 2 * self.right / (self.given + self.wanted + np.finfo(float).tiny)


class MeanSquares(Metric):
    """The mean squared error."""

    def __init__(self):
        self.clear()

    def clear(self):
        self.total, self.count = 0.0, 0

    def update(self, found, wanted):
        self.total += float(((found - wanted) ** 2).numpy(force=True).sum())
        self.count += len(wanted)

    def eval(self):
        return self.total / self.count


class MeanErrors(MeanSquares):
    """The mean absolute error."""

    def update(self, found, wanted):
        self.total += float((found - wanted).abs().numpy(force=True).sum())
        self.count += len(wanted)
