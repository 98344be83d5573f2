"""Model: trains and evaluates a network with its loss, optimizer and metrics (``mindspore.train.model``)."""

from __future__ import annotations

from contextlib import nullcontext

import numpy as np

from ms2torch import log
from ms2torch._checkparam import check_bool, check_positive_int, check_value_type
from ms2torch._core.checks.words import with_public_classes
from ms2torch._core.errors import unsupported
from ms2torch._core.tensor.printing import plain_repr
from ms2torch._core.tensor.tensor import Tensor
from ms2torch._naming.surface import install_lazy
from ms2torch.nn.cell import Cell
from ms2torch.nn.wrap.cell_wrapper import WithEvalCell, WithLossCell
from ms2torch.parallel._strategies import laid_out
from ms2torch.parallel._utils import _get_device_num, _get_parallel_mode, _get_parameter_broadcast
from ms2torch.parallel.auto_parallel import AutoParallel
from ms2torch.train import amp

from ._metric_values import loss_of, shown_plainly
from ._model_arguments import check_predict_data, size_of_epoch
from .callback._callback import CallbackManager, InternalCallbackParam, RunContext
from .callback._given import as_list, check_callbacks, is_ours, kept_on_exception
from .callback._time_monitor import TimeMonitor
from .dataset_helper import DatasetHelper, connect_network_with_dataset

__all__ = ["Model"]
# The modes in which parameters are split over devices.
_SPLITTING = ("semi_auto_parallel", "auto_parallel")


class Model:
    """Trains, evaluates and runs a network (``mindspore.Model``).

    ``network`` is called with the data; with ``loss_fn`` datasets give (data, label), else whatever the
    network takes and it returns the loss itself. ``metrics``: a dict of name -> Metric, or a set of names.
    ``eval_network`` and ``eval_indexes`` (where loss, prediction, label are among its outputs) replace the
    evaluation that is made from ``network`` and ``loss_fn``. ``amp_level``: mixed precision O0 to O3, or
    auto. Keyword arguments: ``loss_scale_manager``, ``keep_batchnorm_fp32``.
    """

    __repr__ = plain_repr

    def __init__(
        self,
        network,
        loss_fn=None,
        optimizer=None,
        metrics=None,
        eval_network=None,
        eval_indexes=None,
        amp_level="O0",
        boost_level="O0",
        **kwargs,
    ) -> None:
        check_value_type("network", network, Cell)
        hash(boost_level)                       # TypeError, as MindSpore looks it up
        if boost_level not in ("O0", "O1", "O2") and optimizer is not None:
            raise ValueError(f"The 'boost_level' should be in : ['O0', 'O1', 'O2'], but got {boost_level}.")
        if loss_fn is not None and not hasattr(loss_fn, "get_inputs"):
            raise AttributeError(f"'{type(loss_fn).__name__}' object has no attribute 'get_inputs'")
        self._network, self._loss_fn, self._optimizer = network, loss_fn, optimizer
        # Packages that subclass Model build their own networks from these, by these methods.
        self._check_kwargs(kwargs)
        self._amp_level, self._boost_level, self._metrics = amp_level, boost_level, metrics
        self._keep_bn_fp32 = self._loss_scale_manager = None
        self._loss_scale_manager_set = False
        self._process_amp_args(kwargs)
        self._parallel_mode, self._device_number = _get_parallel_mode(), _get_device_num()
        self._parameter_broadcast = _get_parameter_broadcast()
        if optimizer is None and amp_level != "O0":
            raise ValueError(
                "Auto mixed precision will not work because 'optimizer' is None.Please set amp_level='O0' to "
                "disable auto mixed precision or set 'optimizer' not be None to use auto mixed precision."
            )
        if self._loss_scale_manager is not None and optimizer is None:
            raise ValueError("The argument 'optimizer' can not be None when set 'loss_scale_manager'.")
        self._build_boost_network(kwargs, eval_network, metrics)
        self._train_network = self._build_train_network()
        self._build_predict_network()
        self._eval_network = self._eval_indexes = None
        self._metric_fns = None
        self._build_eval_network(metrics, eval_network, eval_indexes)
        self._current_epoch_num = self._current_step_num = 0
        self._backbone_is_train = True
        self.batch_num = -1

    @staticmethod
    def _check_kwargs(kwargs: dict) -> None:
        known = {"loss_scale_manager", "keep_batchnorm_fp32", "boost_config_dict", "acc_level"}
        if unknown := set(kwargs) - known:
            raise ValueError(
                "The argument in 'kwargs' should be 'loss_scale_manager' or 'keep_batchnorm_fp32' or "
                f"'boost_config_dict' or 'acc_level', but got '{min(unknown)}'."
            )

    def _process_amp_args(self, kwargs: dict) -> None:
        self._keep_bn_fp32 = kwargs.get("keep_batchnorm_fp32", self._keep_bn_fp32)
        if "loss_scale_manager" in kwargs:  # None means: none, whatever the level
            self._loss_scale_manager, self._loss_scale_manager_set = kwargs["loss_scale_manager"], True

    # ---- building --------------------------------------------------------------------------------------

    def _build_boost_network(self, kwargs: dict, eval_network, metrics) -> None:
        """The network and the optimizer as the algorithms of ``boost_level`` make them. (The first Model of a
        process decides on the level, as in MindSpore.)"""
        from ms2torch.boost import AutoBoost  # (an import that can wait for a Model)

        if "acc_level" in kwargs:
            self._boost_level = kwargs["acc_level"]
        chosen = AutoBoost(self._boost_level, kwargs.get("boost_config_dict", ""))
        if chosen.level == "O0":
            return
        if self._optimizer is None:
            log.warning("In boost mode, the optimizer must be defined.")
        elif eval_network is None and metrics is None:
            log.warning("In boost mode, the eval_network and metrics cannot be undefined at the same time.")
        else:
            self._network, self._optimizer = chosen.network_auto_process_train(self._network, self._optimizer)

    def _build_train_network(self):
        if self._optimizer:
            options = {}
            if self._loss_scale_manager_set:
                options["loss_scale_manager"] = self._loss_scale_manager
            if self._keep_bn_fp32 is not None:
                options["keep_batchnorm_fp32"] = self._keep_bn_fp32
            return amp.build_train_network(
                self._network, self._optimizer, self._loss_fn, level=self._amp_level,
                boost_level=self._boost_level, **options
            )
        if self._loss_fn is not None:
            return WithLossCell(self._network, self._loss_fn)
        return self._network

    def _build_eval_network(self, metrics, eval_network, eval_indexes) -> None:
        if metrics is None:
            return
        from .metrics import get_metrics

        self._metric_fns = get_metrics(metrics)
        if not self._metric_fns:
            return
        if eval_network is not None:
            if eval_indexes is not None and not (isinstance(eval_indexes, list) and len(eval_indexes) == 3):
                raise ValueError(
                    "The argument 'eval_indexes' must be a list or None. If 'eval_indexes' "
                    f"is a list, length of it must be three. But got 'eval_indexes' {eval_indexes}"
                )
            self._eval_network, self._eval_indexes = eval_network, eval_indexes
            return
        if self._loss_fn is None:
            raise ValueError(
                "If `metrics` is set, `eval_network` must not be None. Do not set `metrics` if you don't "
                "want an evaluation.\n"
                "If evaluation is required, you need to specify `eval_network`, which will be used in the "
                "framework to evaluate the model.\n"
                "For the simple scenarios with one data, one label and one logits, `eval_network` is "
                "optional, and then you can set `eval_network` or `loss_fn`. For the latter case, framework "
                "will automatically build an evaluation network with `network` and `loss_fn`."
            )
        self._eval_network = WithEvalCell(
            self._network, self._loss_fn, self._amp_level in ("O2", "O3", "auto")
        )
        self._eval_indexes = [0, 1, 2]

    def _build_predict_network(self) -> None:
        self._predict_network = self._network

    def build(self, train_dataset=None, valid_dataset=None, sink_size=-1, epoch=1, sink_mode=True) -> None:
        """MindSpore compiles ahead here. Where the program gives strategies or stages the weights are laid
        out and the strategy file is written, by a forward pass over the first batch of ``train_dataset``, of
        which nothing else stays; there is nothing else to prepare."""
        check_positive_int(epoch)
        if train_dataset is not None and _get_parallel_mode() in _SPLITTING:
            self.infer_train_layout(train_dataset)

    @property
    def train_network(self):
        return self._train_network

    @property
    def eval_network(self):
        return self._eval_network

    @property
    def predict_network(self):
        return self._predict_network

    # ---- training --------------------------------------------------------------------------------------

    def train(
        self, epoch, train_dataset, callbacks=None, dataset_sink_mode=False, sink_size=-1, initial_epoch=0
    ) -> None:
        """Train for ``epoch`` passes over the dataset.

        With ``dataset_sink_mode`` on a device an epoch is ``sink_size`` steps (-1: the whole dataset) that
        go on where the last epoch ended; in graph mode callbacks then see its end only. Without it
        ``sink_size`` means nothing. TypeError and ValueError for bad arguments; ValueError for an empty
        dataset.
        """
        sink_size = size_of_epoch(
            "train", epoch, train_dataset, dataset_sink_mode, sink_size, initial_epoch
        )
        check_callbacks(callbacks, "train")
        self._train(epoch, train_dataset, callbacks, dataset_sink_mode, sink_size, initial_epoch)

    def fit(
        self,
        epoch,
        train_dataset,
        valid_dataset=None,
        valid_frequency=1,
        callbacks=None,
        dataset_sink_mode=False,
        valid_dataset_sink_mode=False,
        sink_size=-1,
        initial_epoch=0,
    ) -> None:
        """As ``train``, and evaluates every ``valid_frequency`` epochs, or after the epochs in that list."""
        check_bool(valid_dataset_sink_mode)
        sink_size = size_of_epoch(
            "fit", epoch, train_dataset, dataset_sink_mode, sink_size, initial_epoch
        )
        if not isinstance(valid_frequency, (int, list)):
            raise with_public_classes(TypeError(
                "For 'Model.fit', the type of 'valid_frequency' must be a list or an integer, but got "
                f"type {type(valid_frequency)}."
            ))
        if valid_dataset and not self._metric_fns:
            raise ValueError(
                "For 'Model.fit', if valid_dataset is not None, the model argument 'metrics' can not be"
                "None or empty, you should set the argument 'metrics' for model."
            )
        check_callbacks(callbacks, "fit")
        self._train(
            epoch,
            train_dataset,
            callbacks,
            dataset_sink_mode,
            sink_size,
            initial_epoch,
            (valid_dataset, valid_frequency, valid_dataset_sink_mode),
        )

    def _train(
        self, epoch, dataset, callbacks, sink, sink_size, initial_epoch, valid=(None, 1, False)
    ) -> None:
        params = InternalCallbackParam(
            cur_step_num=0,
            train_network=self._train_network,
            epoch_num=epoch - initial_epoch,
            batch_num=sink_size if sink else dataset.get_dataset_size(),
            mode="train",
            loss_fn=self._loss_fn,
            optimizer=self._optimizer,
            parallel_mode=_get_parallel_mode(),
            device_number=_get_device_num(),
            train_dataset=dataset,
            list_callback=as_list(callbacks),
            train_dataset_element=None,
            network=self._network,
            last_save_ckpt_step=None,
            latest_ckpt_file=None,
            loss_scale_mananger=self._loss_scale_manager,
            initial_step=None,
        )
        self.batch_num = params.batch_num
        if vars(dataset).setdefault("__model_hash__", hash(self)) != hash(self):
            raise RuntimeError(
                "The dataset object had been used in other model by model.train(...), "
                "please create a new dataset."
            )
        run = self._sink_epochs if _sinks(sink) else self._plain_epochs
        with CallbackManager(params.list_callback) as manager, kept_on_exception(self, params.list_callback):
            run(epoch, dataset, manager, params, sink_size, initial_epoch, valid)

    def _plain_epochs(self, epoch, dataset, manager, params, sink_size, initial_epoch, valid) -> None:
        helper = DatasetHelper(dataset, False, epoch_num=epoch)
        self._enter_mode(self._train_network, True)
        params.dataset_sink_mode = False
        context = RunContext(params)
        manager.on_train_begin(context)
        for i in range(initial_epoch, epoch):
            params.cur_epoch_num = self._current_epoch_num = i + 1
            self._current_step_num = 0
            # Whether compiling the step pays depends on how many there will be.
            self._train_network.__dict__["_steps_left"] = (epoch - i) * params.batch_num
            manager.on_train_epoch_begin(context)
            for batch in helper:
                if isinstance(batch, Tensor):
                    batch = (batch,)
                if len(batch) != 2:
                    self._check_batch(batch)
                params["cur_step_num"] += 1
                self._current_step_num += 1
                self._run_step(self._train_network, batch, manager, params, context)
                if context._stop_requested:
                    break
            self._evaluate_in_fit(valid, manager, params)
            dataset.reset()
            if self._epoch_ended(manager, params, context):
                break
        manager.on_train_end(context)

    def _sink_epochs(self, epoch, dataset, manager, params, sink_size, initial_epoch, valid) -> None:
        params.update(sink_size=sink_size, dataset_sink_mode=True)
        context = RunContext(params)
        manager.on_train_begin(context)
        helper = DatasetHelper(dataset, True, sink_size, epoch)
        network = connect_network_with_dataset(self._train_network, helper)
        for i in range(initial_epoch, epoch):
            params.cur_epoch_num = self._current_epoch_num = i + 1
            self._current_step_num = 0
            manager.on_train_epoch_begin(context)
            self._enter_mode(network, True)
            params.update(train_network=network, dataset_helper=helper)
            for inputs in helper:
                params.cur_step_num += helper.sink_size()
                self._current_step_num += helper.sink_size()
                self._run_step(network, inputs, manager, params, context)
            self._evaluate_in_fit(valid, manager, params)
            if self._epoch_ended(manager, params, context):
                break
        helper.release()
        manager.on_train_end(context)

    def _run_step(self, network, batch, manager, params, context) -> None:
        params["train_dataset_element"] = batch
        for begin in manager.beginning:
            begin(context)
        if not self._backbone_is_train:
            self._set_mode(network, True)
        params["net_outputs"] = outputs = network(*batch)
        if self._loss_scale_manager is not None and not params["dataset_sink_mode"]:
            self._note_overflow(outputs)
        for end in manager.ending:
            end(context)

    @staticmethod
    def _epoch_ended(manager, params, context) -> bool:
        manager.on_train_epoch_end(context)
        params.pop("metrics", None)
        params.pop("eval_results", None)
        return context.get_stop_requested()

    def _check_batch(self, batch: tuple) -> None:
        if self._loss_fn is not None and len(batch) != 2:
            raise ValueError(
                "When 'loss_fn' is not None, 'train_dataset' should return two elements, but got "
                f"{len(batch)}, please check the number of elements returned by 'train_dataset'"
            )

    def _note_overflow(self, outputs) -> None:
        manager = self._loss_scale_manager
        if manager is not None and manager.get_drop_overflow_update():
            manager.update_loss_scale(bool(np.all(outputs[1].asnumpy())))

    def _enter_mode(self, network, training: bool) -> None:
        """Training or evaluation begins: set it whatever was before."""
        network.set_train(training)
        phase = "train" if training else "eval"
        if network.phase != phase:      # (assigning has compiled steps look again)
            network.phase = phase
        self._backbone_is_train = training

    def _set_mode(self, network, training: bool) -> None:
        """Set it only where the other one is on: Cells that a callback set otherwise stay so."""
        if self._backbone_is_train is not training:
            network.set_train(training)
            self._backbone_is_train = training
        if not training:
            network.set_grad(False)

    # ---- evaluation and prediction --------------------------------------------------------------------

    def eval(self, valid_dataset, callbacks=None, dataset_sink_mode=False) -> dict:
        """Evaluate the metrics over a dataset; a dict of name -> value. ValueError without metrics."""
        check_bool(dataset_sink_mode)
        if not self._metric_fns:
            raise ValueError(
                "For Model.eval, the model argument 'metrics' can not be None or empty, "
                "you should set the argument 'metrics' for model."
            )
        check_callbacks(callbacks, "eval")
        params = InternalCallbackParam(
            eval_network=self._eval_network,
            valid_dataset=valid_dataset,
            batch_num=valid_dataset.get_dataset_size(),
            mode="eval",
            cur_step_num=0,
            list_callback=as_list(callbacks),
            network=self._network,
        )
        return self._evaluate(valid_dataset, callbacks, params, dataset_sink_mode)

    def _evaluate_in_fit(self, valid, manager, params) -> None:
        """Evaluate after this epoch if it is due, and leave the run's parameters as they were."""
        dataset, frequency, sink = valid
        done = params.cur_epoch_num
        if not dataset or (done % frequency if isinstance(frequency, int) else done not in frequency):
            return
        kept = {
            key: params[key]
            for key in ("mode", "cur_step_num", "batch_num", "dataset_sink_mode", "net_outputs")
        }
        params.update(
            eval_network=self._eval_network,
            valid_dataset=dataset,
            batch_num=dataset.get_dataset_size(),
            mode="eval",
            cur_step_num=0,
        )
        # MindSpore's own callbacks, LossMonitor first, watch training only.
        callbacks = [c for c in manager._callbacks if isinstance(c, TimeMonitor) or not is_ours(c)]
        self._evaluate(dataset, callbacks, params, sink, with_loss=True)
        params.update(kept)

    def _evaluate(self, dataset, callbacks, params, sink: bool, with_loss: bool = False) -> dict:
        for metric in self._metric_fns.values():
            metric.clear()
        with CallbackManager(callbacks) as manager:
            context = RunContext(params)
            params.dataset_sink_mode = _sinks(sink)
            manager.on_eval_begin(context)
            self._enter_mode(self._eval_network, False)
            manager.on_eval_epoch_begin(context)
            loss = None
            for batch in DatasetHelper(dataset, False):
                batch = (batch,) if isinstance(batch, Tensor) else batch
                params.cur_step_num += 1
                params.eval_dataset_element = batch
                manager.on_eval_step_begin(context)
                self._set_mode(self._eval_network, False)
                outputs = params.net_outputs = self._eval_network(*batch)
                manager.on_eval_step_end(context)
                self._update_metrics(outputs)
                if with_loss:
                    loss = outputs[self._eval_indexes[0]]
                if context.get_stop_requested():
                    break
            manager.on_eval_epoch_end(context)
            dataset.reset()
            found = {name: shown_plainly(metric.eval()) for name, metric in self._metric_fns.items()}
            params.metrics = found
            if with_loss:
                params.eval_results = {**found, "eval_loss": shown_plainly(loss_of(loss))}
            manager.on_eval_end(context)
        return found

    def _update_metrics(self, outputs) -> None:
        from .metrics.loss import Loss

        if isinstance(outputs, Tensor):
            outputs = (outputs,)
        if not isinstance(outputs, tuple):
            raise ValueError(f"The argument 'outputs' should be tuple, but got {type(outputs)}.")
        where = self._eval_indexes
        if where is not None and len(outputs) < 3:
            raise ValueError(f"The length of 'outputs' must be >= 3, but got {len(outputs)}")
        for metric in self._metric_fns.values():
            if where is None:
                metric.update(*outputs)
            elif isinstance(metric, Loss):
                metric.update(outputs[where[0]])
            else:
                metric.update(outputs[where[1]], outputs[where[2]])

    def predict(self, *predict_data, backend=None, config=None):
        """The network's output for one batch, in evaluation mode."""
        if backend not in (None, "lite"):
            raise ValueError(f"For Model.predict, `backend` should be 'lite' or None, but got {backend}")
        if backend == "lite":
            raise unsupported(
                "mindspore.Model.predict(backend='lite')",
                "MindSpore Lite is not part of ms2torch.",
                "leave backend out.",
            )
        self._set_mode(self._predict_network, False)
        check_predict_data(predict_data)
        return self._predict_network(*predict_data)

    def infer_train_layout(self, train_dataset, dataset_sink_mode=True, sink_size=-1) -> dict:
        """How parameters lie on the devices, by name; the network runs on the first batch for it, of which
        nothing stays. Of a network in stages those that this process goes on to hold. Empty where the
        program gives no strategies."""
        with self._in_force():
            mode = _get_parallel_mode()
            if mode not in _SPLITTING:
                raise RuntimeError("'infer_train_layout' only supports 'semi_auto_parallel' and "
                                   f"'auto_parallel' mode, but got {mode}.")
            step, train_dataset._global_step = train_dataset._global_step, 0
            try:        # (of a training that goes on too, which begins behind that batch)
                batch = next(train_dataset.create_tuple_iterator(num_epochs=1))
            finally:
                train_dataset._global_step = step
            network = self._train_network
            return laid_out(network, getattr(network, "network", network), batch)

    def infer_predict_layout(self, *predict_data, skip_backend_compile=False) -> dict:
        """How parameters lie on the devices, by name, for ``load_distributed_checkpoint``; the network runs
        on ``predict_data`` for it. Empty where the program gives no strategies."""
        with self._in_force():
            if _get_parallel_mode() not in _SPLITTING:
                raise RuntimeError("Infer predict layout only supports semi auto parallel and auto parallel "
                                   "mode.")
            self._set_mode(self._predict_network, False)
            return laid_out(self._predict_network, self._predict_network, predict_data)

    def _in_force(self):
        """While this lasts the settings of a network in `AutoParallel` hold."""
        return self._network._in_force() if isinstance(self._network, AutoParallel) else nullcontext()


def _sinks(asked: bool) -> bool:
    # MindSpore sinks on devices only.
    from ms2torch import context

    return asked and context.get_context("device_target") != "CPU"


install_lazy(__name__, globals())
