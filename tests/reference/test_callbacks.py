"""What callbacks see, print and do during Model.train, fit and eval."""

import os
import tempfile

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import Model, Tensor, nn, train

from tests.reference.judge import case, data, printed

X, Y = data((20, 2), seed=1), np.arange(20, dtype=np.int32) % 3
MOMENTS = ["begin", "epoch_begin", "step_begin", "step_end", "epoch_end", "end"]


def batches(count=20, generator=False):
    if generator:
        rows = ds.GeneratorDataset(
            lambda: iter(list(zip(X[:count], Y[:count], strict=True))), ["x", "y"], shuffle=False
        )
    else:
        rows = ds.NumpySlicesDataset({"x": X[:count], "y": Y[:count]}, shuffle=False)
    return rows.batch(4)


def model(rate=0.1, **options):
    net = nn.Dense(2, 3, weight_init=Tensor(data((3, 2), seed=3)), bias_init="zeros")
    loss = nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")
    metrics = {"loss": nn.Loss(), "accuracy": nn.Accuracy()}
    return Model(net, loss, nn.Momentum(net.trainable_params(), rate, 0.9), metrics=metrics, **options)


class Spy(train.Callback):
    """Notes each moment, with the counters and the kind of what there is to see."""

    def __init__(self, stop_at=None):
        super().__init__()
        self.seen, self.stop_at = [], stop_at

    def note(self, moment, context):
        params = context.original_args()
        numbers = ("cur_epoch_num", "cur_step_num", "epoch_num", "batch_num", "mode", "dataset_sink_mode")
        kinds = (
            "net_outputs",
            "train_network",
            "eval_network",
            "network",
            "loss_fn",
            "optimizer",
            "metrics",
            "train_dataset_element",
            "eval_dataset_element",
            "eval_results",
        )
        seen = {name: params.get(name) for name in numbers}
        self.seen.append((moment, seen, {name: type(params.get(name)).__name__ for name in kinds}))
        if self.stop_at == (moment, params.get("cur_step_num")):
            context.request_stop()


def noting(moment):
    return lambda self, context: self.note(moment, context)


for phase in ("train", "eval"):
    for moment in MOMENTS:
        setattr(Spy, f"on_{phase}_{moment}", noting(f"{phase} {moment}"))


@case(mode="BOTH", each={"sink": [False, True], "generator": [False, True]})
def test_moments_of_train(sink, generator):
    spy = Spy()
    model().train(2, batches(generator=generator), callbacks=[spy], dataset_sink_mode=sink)
    return spy.seen


@case(mode="BOTH", each={"sink": [False, True], "size": [2, 7]})
def test_sink_size(sink, size):
    spy = Spy()
    model().train(3, batches(), callbacks=spy, dataset_sink_mode=sink, sink_size=size)
    return spy.seen


@case(mode="BOTH", each={"frequency": [1, 2, [1, 3]]})
def test_moments_of_fit(frequency):
    spy = Spy()
    model().fit(3, batches(), batches(8), valid_frequency=frequency, callbacks=[spy])
    return spy.seen


@case(each={"sink": [False, True]})
def test_moments_of_eval(sink):
    spy = Spy()
    found = model().eval(batches(8), callbacks=[spy], dataset_sink_mode=sink)
    return spy.seen, {name: np.float32(value) for name, value in found.items()}


@case(
    each={
        "at": [
            ("train step_end", 2),
            ("train step_begin", 6),
            ("train epoch_end", 5),
            ("train epoch_begin", 5),
            ("eval step_end", 1),
        ]
    }
)
def test_requests_to_stop(at):
    spy = Spy(stop_at=at)
    model().fit(3, batches(), batches(8), callbacks=[spy])
    return [(moment, seen["cur_epoch_num"], seen["cur_step_num"]) for moment, seen, _ in spy.seen]


@case
def test_initial_epoch():
    spy = Spy()
    model().train(5, batches(), callbacks=[spy], initial_epoch=3)
    return spy.seen


def rounded(text):
    """Printed losses with 4 digits: the rest is the order of summation."""
    words = [line.split(" ") for line in text.splitlines()]
    return [
        [f"{float(w):.4f}" if w.replace(".", "", 1).isdigit() and "." in w else w for w in line]
        for line in words
    ]


@case(each={"every": [0, 1, 2, 4, 7]})
def test_loss_monitor_prints(every):
    return rounded(printed(model().train, 3, batches(), callbacks=[train.LossMonitor(every)]))


@case(each={"every": [0, 2]})
def test_loss_monitor_in_fit_prints_no_evaluation(every):
    lines = printed(model().fit, 2, batches(), batches(8), callbacks=[train.LossMonitor(every)]).splitlines()
    return [line.partition("loss is")[0].partition("metrics")[0] for line in lines]


@case
def test_one_loss_monitor_for_two_trainings():
    monitor, net = train.LossMonitor(3), model()
    both = [printed(net.train, 2, data, callbacks=monitor) for data in (batches(), batches())]
    return [rounded(text) for text in both]


@case(raises=True)
def test_loss_that_is_not_a_number():
    net = model(rate=float("inf"))
    net.train(1, batches(), callbacks=[train.LossMonitor()])


@case(each={"metric": ["accuracy", "loss"]})
def test_history(metric):
    history = train.History()
    model().fit(3, batches(), batches(8), callbacks=[history])
    outputs = [np.float32(v) for v in history.history["net_output"]]
    return history.epoch, list(history.history), outputs, [np.float32(v) for v in history.history[metric]]


@case
def test_lambda_callback():
    seen = []
    train_dataset, valid = batches(8), batches(4)
    moments = [f"on_{phase}_{m}" for phase in ("train", "eval") for m in MOMENTS]

    def noting(name):
        return lambda context: seen.append((name, context.original_args().get("cur_step_num")))

    model().fit(
        2, train_dataset, valid, callbacks=train.LambdaCallback(**{name: noting(name) for name in moments})
    )
    return seen


@case
def test_learning_rate_scheduler():
    rates = []

    def function(rate, step):
        rates.append((rate, step))
        return rate * 0.7 if step % 3 == 0 else rate

    one = model()
    one.train(2, batches(), callbacks=[train.LearningRateScheduler(function)])
    return rates, one.train_network.optimizer.learning_rate.value()


@case(
    each=[
        {"options": {"monitor": "accuracy", "patience": 2, "mode": "max"}},
        {"options": {"monitor": "loss", "patience": 1, "mode": "max"}},
        {"options": {"monitor": "eval_loss", "patience": 1, "min_delta": 0.05}},
        {"options": {"monitor": "eval_loss", "patience": 1, "min_delta": 5, "restore_best_weights": True}},
        {"options": {"monitor": "nothing", "patience": 1}},
    ]
)
def test_early_stopping(options):
    one, stopping = model(), train.EarlyStopping(verbose=True, **options)
    text = printed(one.fit, 8, batches(), batches(8), callbacks=[stopping])
    return (
        text,
        stopping.stopped_epoch,
        np.float32(stopping.best),
        one.train_network.network.backbone_network.weight.value(),
    )


@case(
    each=[
        {"options": {"monitor": "eval_loss", "patience": 1, "min_delta": 5}},
        {"options": {"monitor": "eval_loss", "patience": 1, "min_delta": 5, "cooldown": 2, "factor": 0.5}},
        {"options": {"monitor": "loss", "patience": 2, "mode": "max", "min_lr": 0.05}},
    ]
)
def test_reduce_lr_on_plateau(options):
    one = model()
    text = printed(
        one.fit, 6, batches(), batches(8), callbacks=[train.ReduceLROnPlateau(verbose=True, **options)]
    )
    return text, one.train_network.optimizer.learning_rate.value()


@case(raises=True)
def test_plateau_with_a_dynamic_learning_rate():
    model(rate=[0.1] * 30).fit(3, batches(), batches(8), callbacks=[train.ReduceLROnPlateau()])


# Checkpoints


def files_of(run):
    """The names of the files that a training in an empty folder leaves behind."""
    with tempfile.TemporaryDirectory() as folder:
        before = os.getcwd()
        os.chdir(folder)
        try:
            run(folder)
        finally:
            os.chdir(before)
            names = sorted(
                os.path.join(root, n)[len(folder) + 1 :] for root, _, ns in os.walk(folder) for n in ns
            )
    return [name for name in names if not name.endswith("-graph.meta")]


@case(
    each=[
        {"options": {}},
        {"options": {"save_checkpoint_steps": 2}},
        {"options": {"save_checkpoint_steps": 3, "keep_checkpoint_max": 2}},
        {"options": {"save_checkpoint_steps": 2, "keep_checkpoint_max": 0}},
        {"options": {"save_checkpoint_steps": 4, "format": "safetensors"}},
        {"options": {"save_checkpoint_steps": 5, "async_save": True}},
        {"options": {"save_checkpoint_steps": 100}},
        {"options": {"save_checkpoint_steps": None, "save_checkpoint_seconds": 1000}},
    ]
)
def test_checkpoint_files(options):
    config = train.CheckpointConfig(**options)

    def run(folder):
        one = train.ModelCheckpoint("net", folder, config)
        model().train(3, batches(), callbacks=[one])
        assert os.path.exists(one.latest_ckpt_file_name) or not os.listdir(folder)

    return files_of(run)


@case
def test_checkpoint_names_that_are_taken():
    def run(folder):
        for _ in range(3):
            config = train.CheckpointConfig(save_checkpoint_steps=5)
            model().train(1, batches(), callbacks=[train.ModelCheckpoint("net", "sub", config)])

    return files_of(run)


@case
def test_checkpoint_names_by_function():
    def run(folder):
        def prefix(params):
            return f"at{params.cur_step_num}"

        def directory(params):
            return f"epoch{params.cur_epoch_num}"

        config = train.CheckpointConfig(save_checkpoint_steps=4)
        model().train(2, batches(), callbacks=[train.ModelCheckpoint(prefix, directory, config)])

    return files_of(run)


@case
def test_checkpoints_saved_in_a_subclass_s_way():
    class Own(train.ModelCheckpoint):
        def _save_ckpt(self, cb_params, force_to_save=False):
            if self._check_save_ckpt(cb_params, force_to_save):
                self._last_triggered_step = cb_params.cur_step_num
                self._append_dict_content(cb_params.cur_epoch_num, cb_params.cur_step_num)
                seen.append((cb_params.cur_step_num, dict(self._append_dict)))

    seen = []
    with tempfile.TemporaryDirectory() as folder:
        config = train.CheckpointConfig(3, append_info=["epoch_num", {"step_num": 40, "lr": 0.5}])
        model().train(2, batches(), callbacks=[Own("net", folder, config)])
    return seen


@case
def test_checkpoint_contents():
    with tempfile.TemporaryDirectory() as folder:
        config = train.CheckpointConfig(5, append_info=["epoch_num", "step_num", {"lr": 0.5}])
        model().train(2, batches(), callbacks=[train.ModelCheckpoint("net", folder, config)])
        found = ms.load_checkpoint(folder + "/net-2_5.ckpt")
        return {name: p.value() for name, p in found.items()}


@case
def test_checkpoint_of_another_network():
    with tempfile.TemporaryDirectory() as folder:
        other = nn.Dense(1, 1, weight_init="ones")
        config = train.CheckpointConfig(5, saved_network=other)
        model().train(1, batches(), callbacks=[train.ModelCheckpoint("net", folder, config)])
        return list(ms.load_checkpoint(folder + "/net-1_5.ckpt"))


@case
def test_checkpoint_when_training_fails():
    class Failing(train.Callback):
        def on_train_step_end(self, run_context):
            if run_context.original_args().cur_step_num == 7:
                raise RuntimeError("on purpose")

    def run(folder):
        config = train.CheckpointConfig(100, exception_save=True)
        try:
            model().train(2, batches(), callbacks=[train.ModelCheckpoint("net", folder, config), Failing()])
        except RuntimeError as err:
            assert "on purpose" in str(err)

    return files_of(run)


@case(each={"delete": [True, False], "every": ["epoch", 2]})
def test_backup_and_restore(delete, every):
    def run(folder):
        model().train(3, batches(), callbacks=[train.BackupAndRestore(folder + "/b", every, delete)])

    return files_of(run)


@case
def test_backup_is_restored():
    with tempfile.TemporaryDirectory() as folder:
        model().train(2, batches(), callbacks=[train.BackupAndRestore(folder, delete_checkpoint=False)])
        resumed = model()
        resumed.train(1, batches(), callbacks=[train.BackupAndRestore(folder)])
        return resumed.train_network.optimizer.global_step.value(), resumed.predict(Tensor(X))


@case(
    raises=True,
    each=[
        {"options": {"save_checkpoint_steps": -1}},
        {"options": {"keep_checkpoint_max": 1.5}},
        {"options": {"saved_network": 3}},
        {"options": {"save_checkpoint_steps": 0, "keep_checkpoint_max": 0}},
        {"options": {"append_info": 3}},
        {"options": {"append_info": [3]}},
        {"options": {"append_info": ["lr"]}},
        {"options": {"append_info": [{"a": [1]}]}},
        {"options": {"append_info": [{}, {}]}},
        {"options": {"async_save": 3}},
        {"options": {"exception_save": 3}},
        {"options": {"integrated_save": 3}},
        {"options": {"format": "safetensors", "crc_check": True}},
    ],
)
def test_bad_configurations(options):
    return train.CheckpointConfig(**options)


@case
def test_checkpoint_policy():
    return train.CheckpointConfig(3, keep_checkpoint_max=7).get_checkpoint_policy()


@case(
    raises=True, each=[{"options": {"prefix": "a/b"}}, {"options": {"prefix": 3}}, {"options": {"config": 3}}]
)
def test_bad_model_checkpoints(options):
    return train.ModelCheckpoint(**options)


@case(
    raises=True,
    each=[
        {"name": "EarlyStopping", "options": {"mode": "up"}},
        {"name": "EarlyStopping", "options": {"patience": -1}},
        {"name": "EarlyStopping", "options": {"monitor": 3}},
        {"name": "ReduceLROnPlateau", "options": {"factor": 1.5}},
        {"name": "ReduceLROnPlateau", "options": {"mode": "up"}},
        {"name": "LossMonitor", "options": {"per_print_times": -1}},
        {"name": "TimeMonitor", "options": {"data_time": 3}},
        {"name": "RunContext", "options": {"original_args": 3}},
    ],
)
def test_bad_callbacks(name, options):
    return getattr(train, name)(**options)


# Model's arguments


@case(
    raises=True,
    each=[
        {"options": {"epoch": 0}},
        {"options": {"epoch": 1.5}},
        {"options": {"epoch": True}},
        {"options": {"epoch": 2, "dataset_sink_mode": 1}},
        {"options": {"epoch": 2, "sink_size": "a"}},
        {"options": {"epoch": 2, "sink_size": 0}},
        {"options": {"epoch": 2, "initial_epoch": -1}},
        {"options": {"epoch": 2, "initial_epoch": 2}},
        {"options": {"epoch": 2, "callbacks": 3}},
        {"options": {"epoch": 2, "callbacks": [3]}},
    ],
)
def test_bad_arguments_of_train(options):
    model().train(train_dataset=batches(), **options)


@case(raises=True, each=[{"frequency": "a", "sink": False}, {"frequency": 1, "sink": 3}])
def test_bad_arguments_of_fit(frequency, sink):
    model().fit(1, batches(), batches(), valid_frequency=frequency, valid_dataset_sink_mode=sink)


class Old(train.Callback):
    def step_end(self, run_context):
        """A method of the older kind."""


@case(raises=True)
def test_older_callbacks_do_not_fit():
    model().fit(1, batches(), batches(), callbacks=[Old()])


@case(raises=True)
def test_dataset_of_another_model():
    rows, first = batches(), model()         # both live: they are told apart by where they are in memory
    first.train(1, rows)
    model().train(1, rows)


@case(raises=True)
def test_dataset_of_one_column():
    model().train(1, ds.NumpySlicesDataset({"x": X}, shuffle=False))


@case(raises=True, each=[{"options": {"speed": 1}}, {"options": {"amp_level": "O9"}}])
def test_bad_arguments_of_model(options):
    return model(**options)


@case(raises=True)
def test_eval_without_metrics():
    return Model(nn.Dense(2, 3), nn.MSELoss()).eval(batches())
