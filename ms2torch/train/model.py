"""Model: training and evaluation from a network, a loss, an optimizer and metrics (``mindspore.train.model``)."""

from __future__ import annotations

import numpy as np

from ms2torch._core import mode
from ms2torch._core.errors import notice, unsupported
from ms2torch._core.surface import install_lazy
from ms2torch._core.tensor import Tensor
from ms2torch.nn.cell import Cell
from ms2torch.nn.wrap.cell_wrapper import WithEvalCell, WithLossCell
from ms2torch.train import amp

from .callback._callback import Callback, CallbackManager, InternalCallbackParam, RunContext
from .dataset_helper import DatasetHelper, connect_network_with_dataset

__all__ = ["Model"]

_OLD_MOMENTS = {"begin", "end", "epoch_begin", "epoch_end", "step_begin", "step_end"}


class Model:
    """Trains, evaluates and runs a network (``mindspore.Model``).

    ``network`` is called with the data; with ``loss_fn`` datasets give (data, label), else whatever the network takes and it
    returns the loss itself. ``metrics``: a dict of name -> Metric, or a set of names. ``eval_network`` and ``eval_indexes`` (where
    loss, prediction, label are among its outputs) replace the evaluation that is made from ``network`` and ``loss_fn``.
    ``amp_level``: mixed precision O0 to O3. Keyword arguments: ``loss_scale_manager``, ``keep_batchnorm_fp32``.
    """

    def __init__(self, network, loss_fn=None, optimizer=None, metrics=None, eval_network=None, eval_indexes=None,
                 amp_level="O0", boost_level="O0", **kwargs) -> None:
        if not isinstance(network, Cell):
            raise TypeError(f"For 'Model', the type of 'network' should be one of '['Cell']', but got {network!r} "
                            f"with type '{type(network).__name__}'.")
        if boost_level not in ("", "O0", None):
            raise unsupported("mindspore.Model(boost_level=)", "MindSpore's boost algorithms change the arithmetic.",
                              'leave boost_level at "O0".')
        self._network, self._loss_fn, self._optimizer = network, loss_fn, optimizer
        self._amp_level = amp_level
        self._loss_scale_manager = kwargs.pop("loss_scale_manager", None)
        self._keep_bn_fp32 = kwargs.pop("keep_batchnorm_fp32", None)
        unknown = set(kwargs) - {"boost_config_dict", "acc_level"}
        if unknown:
            raise ValueError(f"The argument in 'kwargs' should be 'loss_scale_manager' or 'keep_batchnorm_fp32', "
                             f"but got '{sorted(unknown)[0]}'.")
        if self._loss_scale_manager is not None and optimizer is None:
            raise ValueError("The argument 'optimizer' can not be None when set 'loss_scale_manager'.")
        self._backbone_is_train = None
        self._train_network = self._build_train_network()
        self._predict_network = network
        self._eval_network = self._eval_indexes = None
        self._metric_fns = None
        self._build_eval_network(metrics, eval_network, eval_indexes)
        self._current_epoch_num = self._current_step_num = 0

    # ---- building ------------------------------------------------------------------------------------------

    def _build_train_network(self):
        if self._optimizer is not None:
            options = {}
            if self._loss_scale_manager is not None:
                options["loss_scale_manager"] = self._loss_scale_manager
            if self._keep_bn_fp32 is not None:
                options["keep_batchnorm_fp32"] = self._keep_bn_fp32
            return amp.build_train_network(self._network, self._optimizer, self._loss_fn, level=self._amp_level,
                                           **options)
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
                raise ValueError("The argument 'eval_indexes' must be a list or None. If 'eval_indexes' is a list, "
                                 f"length of it must be three. But got 'eval_indexes' {eval_indexes}")
            self._eval_network, self._eval_indexes = eval_network, eval_indexes
            return
        if self._loss_fn is None:
            raise ValueError("If `metrics` is set, `eval_network` must not be None. Do not set `metrics` if you"
                             " don't want an evaluation.\n"
                             "If evaluation is required, you need to specify `eval_network`, which will be used in"
                             " the framework to evaluate the model.\n"
                             "For the simple scenarios with one data, one label and one logits, `eval_network` is"
                             " optional, and then you can set `eval_network` or `loss_fn`. For the latter case,"
                             " framework will automatically build an evaluation network with `network` and"
                             " `loss_fn`.")
        self._eval_network = WithEvalCell(self._network, self._loss_fn, self._amp_level in ("O2", "O3", "auto"))
        self._eval_indexes = [0, 1, 2]

    def build(self, train_dataset=None, valid_dataset=None, sink_size=-1, epoch=1, sink_mode=True) -> None:
        """MindSpore compiles ahead here; ms2torch has nothing to prepare."""

    @property
    def train_network(self):
        return self._train_network

    @property
    def eval_network(self):
        return self._eval_network

    @property
    def predict_network(self):
        return self._predict_network

    # ---- training ------------------------------------------------------------------------------------------

    def train(self, epoch, train_dataset, callbacks=None, dataset_sink_mode=False, sink_size=-1,
              initial_epoch=0) -> None:
        """Train for ``epoch`` passes over the dataset.

        With ``dataset_sink_mode`` (graph mode on a device) an epoch is ``sink_size`` steps (-1: the whole dataset) that go on
        where the last epoch ended, and callbacks see its end only; without it ``sink_size`` means nothing. TypeError and
        ValueError for bad arguments; ValueError for an empty dataset.
        """
        self._check_arguments("train", epoch, dataset_sink_mode, sink_size, initial_epoch)
        _check_callbacks(callbacks, "train")
        self._train(epoch, train_dataset, callbacks, self._sinks(dataset_sink_mode), sink_size, initial_epoch)

    def fit(self, epoch, train_dataset, valid_dataset=None, valid_frequency=1, callbacks=None, dataset_sink_mode=False,
            valid_dataset_sink_mode=False, sink_size=-1, initial_epoch=0) -> None:
        """Train as ``train`` does and evaluate every ``valid_frequency`` epochs, or after the epochs in that list."""
        self._check_arguments("fit", epoch, dataset_sink_mode, sink_size, initial_epoch)
        if not isinstance(valid_frequency, (int, list)):
            raise TypeError("For 'Model.fit', the type of 'valid_frequency' must be a list or an integer, but got "
                            f"type {type(valid_frequency)}.")
        if valid_dataset and not self._metric_fns:
            raise ValueError("For 'Model.fit', if valid_dataset is not None, the model argument 'metrics' can not be"
                             "None or empty, you should set the argument 'metrics' for model.")
        _check_callbacks(callbacks, "fit")
        self._train(epoch, train_dataset, callbacks, self._sinks(dataset_sink_mode), sink_size, initial_epoch,
                    valid_dataset, valid_frequency)

    def _sinks(self, asked) -> bool:
        # MindSpore sinks on devices only, and only in graph mode does a sunk epoch look different from outside.
        from ms2torch import context

        return asked and mode.graph and context.get_context("device_target") != "CPU"

    def _check_arguments(self, name: str, epoch, sink, sink_size, initial_epoch) -> None:
        if sink is not None and not isinstance(sink, bool):
            raise TypeError(f"For 'Model.{name}', the 'dataset_sink_mode' must be a bool, but got {sink!r}.")
        for key, value, low in (("epoch", epoch, 1), ("initial_epoch", initial_epoch, 0)):
            if isinstance(value, bool) or not isinstance(value, int) or value < low:
                raise ValueError(f"The '{key}' must be int and must {'> 0' if low else '>= 0'}, but got '{value}' "
                                 f"with type '{type(value).__name__}'.")
        if isinstance(sink_size, bool) or not isinstance(sink_size, int):
            raise TypeError(f"For 'Model.{name}', the 'sink_size' must be an int, but got {sink_size!r}.")
        if initial_epoch >= epoch:
            raise ValueError(f"For 'Model.{name}', the parameter 'epoch' must bigger than parameter 'initial_epoch',"
                             f" but got the parameter 'epoch' is {epoch}, 'initial_epoch' is {initial_epoch}.")
        if sink_size < -1 or sink_size == 0:
            raise ValueError(f"For 'Model.{name}', The argument 'sink_size' must be -1 or positive, "
                             f"but got {sink_size}.")

    def _train(self, epoch, dataset, callbacks, sinks, sink_size, initial_epoch, valid_dataset=None,
               valid_frequency=1) -> None:
        size = dataset.get_dataset_size()
        if size == 0:
            raise ValueError("There is no valid data in dataset, please check dataset file firstly.")
        params = self._callback_params(callbacks)
        params.update(cur_step_num=0, train_network=self._train_network, epoch_num=epoch - initial_epoch,
                      batch_num=sink_size if sinks and sink_size > 0 else size, mode="train", train_dataset=dataset,
                      train_dataset_element=None, last_save_ckpt_step=None, latest_ckpt_file=None, initial_step=0,
                      dataset_sink_mode=sinks, loss_scale_mananger=self._loss_scale_manager)
        self.batch_num = params.batch_num
        with CallbackManager(params.list_callback) as manager:
            run = self._sink_epochs if sinks else self._plain_epochs
            run(epoch, dataset, manager, params, sink_size, initial_epoch, (valid_dataset, valid_frequency))

    def _callback_params(self, callbacks) -> InternalCallbackParam:
        from ms2torch.parallel._utils import _get_device_num, _get_parallel_mode

        if callbacks is None:
            callbacks = []
        elif isinstance(callbacks, Callback):
            callbacks = [callbacks]
        return InternalCallbackParam(
            loss_fn=self._loss_fn, optimizer=self._optimizer, network=self._network, list_callback=list(callbacks),
            parallel_mode=_get_parallel_mode(), device_number=_get_device_num())

    def _plain_epochs(self, epoch, dataset, manager, params, sink_size, initial_epoch, valid) -> None:
        helper = DatasetHelper(dataset, False, epoch_num=epoch)
        params.dataset_helper = helper
        self._set_mode(self._train_network, True)
        context = RunContext(params)
        manager.on_train_begin(context)
        for i in range(initial_epoch, epoch):
            params.cur_epoch_num = self._current_epoch_num = i + 1
            manager.on_train_epoch_begin(context)
            for batch in helper:
                batch = (batch,) if isinstance(batch, Tensor) else tuple(batch)
                self._check_batch(batch)
                params.cur_step_num += 1
                self._current_step_num = (params.cur_step_num - 1) % params.batch_num + 1
                params.train_dataset_element = batch
                manager.on_train_step_begin(context)
                self._set_mode(self._train_network, True)
                params.net_outputs = self._train_network(*batch)
                self._note_overflow(params.net_outputs)
                manager.on_train_step_end(context)
                if context.get_stop_requested():
                    break
            if self._end_epoch(dataset, manager, params, context, valid):
                break
        manager.on_train_end(context)

    def _sink_epochs(self, epoch, dataset, manager, params, sink_size, initial_epoch, valid) -> None:
        helper = DatasetHelper(dataset, True, sink_size, epoch)
        params.dataset_helper = helper
        network = connect_network_with_dataset(self._train_network, helper)
        self._set_mode(self._train_network, True)
        context = RunContext(params)
        params.train_network = network
        manager.on_train_begin(context)
        for i in range(initial_epoch, epoch):
            params.cur_epoch_num = self._current_epoch_num = i + 1
            manager.on_train_epoch_begin(context)
            for inputs in helper:
                manager.on_train_step_begin(context)
                self._set_mode(self._train_network, True)
                params.cur_step_num += helper.sink_size()
                params.net_outputs = network(*inputs)
                self._note_overflow(params.net_outputs)
                manager.on_train_step_end(context)
                if context.get_stop_requested():
                    break
            if self._end_epoch(None, manager, params, context, valid):
                break
        manager.on_train_end(context)

    def _end_epoch(self, dataset, manager, params, context, valid) -> bool:
        valid_dataset, frequency = valid
        done = params.cur_epoch_num
        if valid_dataset and (done % frequency == 0 if isinstance(frequency, int) else done in frequency):
            params.eval_results = self._evaluate(valid_dataset, manager, self._eval_params(params, valid_dataset))
            params.metrics = params.eval_results
            self._set_mode(self._train_network, True)
        if dataset is not None:
            dataset.reset()
        manager.on_train_epoch_end(context)
        params.pop("metrics", None)
        params.pop("eval_results", None)
        return context.get_stop_requested()

    def _check_batch(self, batch: tuple) -> None:
        if self._loss_fn is not None and len(batch) != 2:
            raise ValueError("When 'loss_fn' is not None, 'train_dataset' should return "
                             f"two elements, but got {len(batch)}, please check the number of elements "
                             "returned by 'train_dataset'")

    def _note_overflow(self, outputs) -> None:
        manager = self._loss_scale_manager
        if manager is not None and manager.get_drop_overflow_update():
            manager.update_loss_scale(bool(np.all(outputs[1].asnumpy())))

    def _set_mode(self, network, training: bool) -> None:
        if self._backbone_is_train is not training:
            network.set_train(training)
            self._backbone_is_train = training
        network.phase = "train" if training else "eval"

    # ---- evaluation and prediction -------------------------------------------------------------------------------

    def eval(self, valid_dataset, callbacks=None, dataset_sink_mode=False) -> dict:
        """Evaluate the metrics over a dataset; a dict of name -> value. ValueError without metrics."""
        if not self._metric_fns:
            raise ValueError("For Model.eval, the model argument 'metrics' can not be None or empty, "
                             "you should set the argument 'metrics' for model.")
        if valid_dataset.get_dataset_size() == 0:
            raise ValueError("There is no valid data in dataset, please check dataset file firstly.")
        _check_callbacks(callbacks, "eval")
        params = self._callback_params(callbacks)
        params.update(eval_network=self._eval_network, valid_dataset=valid_dataset, mode="eval", cur_step_num=0,
                      batch_num=valid_dataset.get_dataset_size(), dataset_sink_mode=False)
        with CallbackManager(params.list_callback) as manager:
            return self._evaluate(valid_dataset, manager, params)

    def _eval_params(self, train: InternalCallbackParam, dataset) -> InternalCallbackParam:
        params = InternalCallbackParam(train)
        params.update(eval_network=self._eval_network, valid_dataset=dataset, mode="eval", cur_step_num=0,
                      batch_num=dataset.get_dataset_size(), dataset_sink_mode=False)
        return params

    def _evaluate(self, dataset, manager, params) -> dict:
        context = RunContext(params)
        for metric in self._metric_fns.values():
            metric.clear()
        helper = DatasetHelper(dataset, False)
        self._set_mode(self._eval_network, False)
        self._eval_network.set_grad(False)
        manager.on_eval_begin(context)
        manager.on_eval_epoch_begin(context)
        for batch in helper:
            batch = (batch,) if isinstance(batch, Tensor) else tuple(batch)
            params.cur_step_num += 1
            manager.on_eval_step_begin(context)
            outputs = self._eval_network(*batch)
            params.net_outputs = outputs
            manager.on_eval_step_end(context)
            self._update_metrics(outputs)
            if params.get("mode") == "eval" and context.get_stop_requested():
                break
        dataset.reset()
        found = {name: metric.eval() for name, metric in self._metric_fns.items()}
        params.metrics = found
        manager.on_eval_epoch_end(context)
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
            raise ValueError(f"For Model.predict, `backend` should be None or 'lite', but got {backend}")
        if backend == "lite":
            raise unsupported("mindspore.Model.predict(backend='lite')", "MindSpore Lite is not part of ms2torch.",
                              "leave backend out.")
        self._set_mode(self._predict_network, False)
        return self._predict_network(*predict_data)

    def infer_train_layout(self, train_dataset, dataset_sink_mode=True, sink_size=-1) -> dict:
        """Layouts of parameters split over devices; none are split here."""
        return {}

    def infer_predict_layout(self, *predict_data, skip_backend_compile=False) -> dict:
        """Layouts of parameters split over devices; none are split here."""
        return {}


def _check_callbacks(callbacks, where: str) -> None:
    for callback in callbacks if isinstance(callbacks, (list, tuple)) else [callbacks]:
        kind = type(callback)
        if callback is None or kind.__module__.startswith("ms2torch."):
            continue
        old = set(vars(kind)) & _OLD_MOMENTS
        if old and where == "fit":
            raise ValueError(f"For {kind.__name__} callback, {old} methods may not be supported in later version, "
                             "Use methods prefixed with 'on_train' or 'on_eval' instead when "
                             "using customized callbacks.")
        if old:
            notice(f"callback:{kind.__name__}", f"{kind.__name__}: {', '.join(sorted(old))} are older names of callback "
                   "methods; on_train_* and on_eval_* tell training from evaluation.")


install_lazy(__name__, globals())
