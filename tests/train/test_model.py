"""Model where the real one can not be asked on this hardware: sink mode on a device, signals, precision."""

import os
import signal

import numpy as np
import pytest
import torch

import ms2torch as ms
from ms2torch import Model, Tensor, context, nn, train
from ms2torch import dataset as ds

X, Y = np.random.RandomState(0).randn(20, 2).astype(np.float32), np.arange(20, dtype=np.int32) % 3


def batches():
    return ds.NumpySlicesDataset({"x": X, "y": Y}, shuffle=False).batch(4)


def model(**options):
    net = nn.Dense(2, 3, weight_init="ones", bias_init="zeros")
    loss = nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")
    return Model(net, loss, nn.Momentum(net.trainable_params(), 0.1, 0.9), metrics={"accuracy"}, **options)


@pytest.fixture(params=["PYNATIVE", "GRAPH"])
def ascend(request):
    before = {name: context.get_context(name) for name in ("mode", "device_target")}
    context.set_context(mode=getattr(context, f"{request.param}_MODE"), device_target="Ascend")
    yield request.param
    context.set_context(**before)


class Steps(train.Callback):
    def __init__(self):
        self.seen = []

    def on_train_step_end(self, run_context):
        params = run_context.original_args()
        batch = params.train_dataset_element
        self.seen.append((params.cur_epoch_num, params.cur_step_num, params.batch_num, len(batch)))


def test_sink_mode_on_a_device_counts_sink_size_steps_to_an_epoch(ascend):
    """Graph mode runs them in one call, as the r1.0 train page shows; PyNative shows each one."""
    steps, one, plain = Steps(), model(), model()
    one.train(2, batches(), callbacks=[steps], dataset_sink_mode=True, sink_size=3)
    each = [(1, 1), (1, 2), (1, 3), (2, 4), (2, 5), (2, 6)]
    expected = each if ascend == "PYNATIVE" else [(1, 3), (2, 6)]
    assert steps.seen == [(epoch, step, 3, 0) for epoch, step in expected]
    for x, y in list(batches().create_tuple_iterator()) + list(batches().create_tuple_iterator())[:1]:
        plain.train_network(x, y)
    assert np.array_equal(one.predict(Tensor(X)).asnumpy(), plain.predict(Tensor(X)).asnumpy())


def test_sink_mode_goes_on_behind_more_batches_than_an_epoch_has(ascend):
    whole, one, data = model(), model(), batches()
    whole.train(8, batches(), dataset_sink_mode=True, sink_size=1)
    one.train(7, batches(), dataset_sink_mode=True, sink_size=1)
    data.set_init_step(7)
    one.train(8, data, dataset_sink_mode=True, sink_size=1, initial_epoch=7)
    assert np.array_equal(one.predict(Tensor(X)).asnumpy(), whole.predict(Tensor(X)).asnumpy())


def test_a_dynamic_loss_scale_trains_and_skips_overflows():
    """amp_level O2 scales dynamically from 2**24; MindSpore refuses that on the CPU."""
    one = model(amp_level="O2")
    before = one.predict(Tensor(X)).astype(ms.float32).asnumpy().copy()
    one.train(3, batches())
    after = one.predict(Tensor(X)).astype(ms.float32).asnumpy()
    assert np.isfinite(after).all() and not np.allclose(before, after)
    assert float(one.train_network.scale_sense) <= 2**24


def test_no_loss_scale_manager_means_none_at_any_level():
    """MindSpore 2.10: a manager that is given, also None, replaces the level's own."""
    one = model(amp_level="O2", loss_scale_manager=None)
    assert type(one.train_network) is nn.TrainOneStepCell and one._loss_scale_manager_set


def test_a_subclass_of_model_builds_its_own_train_network_as_those_of_packages_do():
    """mindarmour's private training reads these in ``_build_train_network``."""

    class Private(Model):
        def _build_train_network(self):
            self._check_kwargs({"keep_batchnorm_fp32": True})
            read = (self._loss_scale_manager_set, self._parallel_mode, self._amp_level, self._keep_bn_fp32)
            assert read == (False, "stand_alone", "O0", None)
            return nn.TrainOneStepCell(nn.WithLossCell(self._network, self._loss_fn), self._optimizer)

    net = nn.Dense(2, 3)
    one = Private(net, nn.MSELoss(), nn.SGD(net.trainable_params(), 0.1))
    assert type(one.train_network) is nn.TrainOneStepCell
    text = "The argument in 'kwargs' should be 'loss_scale_manager' or 'keep_batchnorm_fp32' or"
    with pytest.raises(ValueError, match=text):
        Model(net, anything=1)


def test_metrics_print_as_numpy_1_prints_them(capsys):
    one = model()
    print(one.eval(batches()))
    one.fit(1, batches(), batches(), callbacks=train.LossMonitor(0))
    out = capsys.readouterr().out
    assert "np." not in out and out.count("accuracy") == 2
    assert isinstance(one.eval(batches())["accuracy"], np.float64)


def test_a_signal_ends_training_and_the_next_run_goes_on_from_there(tmp_path):
    class Signal(train.Callback):
        def on_train_step_end(self, run_context):
            if run_context.original_args().cur_step_num == 3:
                os.kill(os.getpid(), signal.SIGUSR1)

    def leaving():
        return train.OnRequestExit(directory=str(tmp_path), save_mindir=False, sig=signal.SIGUSR1)

    old = signal.getsignal(signal.SIGUSR1)
    try:
        steps, one = Steps(), model()
        one.train(5, batches(), callbacks=[Signal(), leaving(), steps])
        assert [step for _, step, *_ in steps.seen][-1] == 3
        found = ms.load_checkpoint(str(tmp_path / "rank_0" / "Net_train.ckpt"))
        assert int(found["step_num"]) == int(found["global_step"]) == 3
        resumed = model()
        resumed.train(1, batches(), callbacks=[leaving()])
        assert int(resumed.train_network.optimizer.global_step) == 3 + 5
    finally:
        signal.signal(signal.SIGUSR1, old)


def test_a_config_file_ends_training(tmp_path):
    (tmp_path / "exit.json").write_text('{"GracefulExit": 1}')
    steps = Steps()
    leaving = train.OnRequestExit(directory=str(tmp_path), config_file=str(tmp_path / "exit.json"),
                                  save_mindir=False, sig=signal.SIGUSR1)  # fmt: skip
    old = signal.getsignal(signal.SIGUSR1)
    try:
        model().train(5, batches(), callbacks=[leaving, steps])
    finally:
        signal.signal(signal.SIGUSR1, old)
    assert len(steps.seen) == 1


@pytest.mark.parametrize("name", ["FlopsUtilizationCollector", "TrainFaultTolerance"])
def test_callbacks_without_a_counterpart_name_the_way_out(name):
    with pytest.raises(NotImplementedError, match=f"mindspore.train.{name}: .* Instead: "):
        getattr(train, name)("somewhere")


def test_low_cells_keep_full_parameters_and_gradients():
    net = ms.amp.auto_mixed_precision(nn.Dense(2, 3, weight_init="ones"), "O3", ms.bfloat16)
    grad = ms.grad(lambda x: net(x).sum(), 0, net.trainable_params())
    dx, (dw, *_) = grad(Tensor(X))
    assert dx.dtype == ms.float32 and dw.dtype == ms.float32
    assert torch.equal(dx.torch(), torch.full((20, 2), 3.0))
