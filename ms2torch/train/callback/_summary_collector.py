"""SummaryCollector (``mindspore.train.SummaryCollector``)."""

from __future__ import annotations

import copy
import json
import os
import re
from collections import defaultdict

import numpy as np

from ms2torch import log as logger
from ms2torch._core.errors import notice
from ms2torch._core.tensor.tensor import Tensor
from ms2torch.train._utils import _make_directory, check_value_type

from ._callback import Callback
from ._lineage import custom_message, evaluation_message, training_message

_MOST_TENSOR_RECORDS = 20
_DEFAULT_HISTOGRAMS = 5


_DEFAULTS = {
    "collect_metric": True,
    "collect_graph": True,
    "collect_train_lineage": True,
    "collect_eval_lineage": True,
    "collect_input_data": True,
    "collect_dataset_graph": True,
    "histogram_regular": None,
    "collect_landscape": {
        "landscape_size": 40,
        "unit": "step",
        "num_samples": 2048,
        "create_landscape": {"train": True, "result": True},
        "intervals": [[*range(1, 10)], [*range(10, 20)]],
    },
}


class SummaryCollector(Callback):
    """Writes the loss, histograms of weights, input images, facts about the run and what summary operators
    saw into event files in ``summary_dir`` (``mindspore.train.SummaryCollector``).

    It records step 1 and every ``collect_freq`` steps (epochs, where data sink on MindSpore's devices);
    TensorSummary every ``collect_tensor_freq``, or 20 times in all. ``collect_specified_data`` switches parts
    off ("collect_metric", "collect_input_data", "collect_train_lineage", "collect_eval_lineage"), chooses
    parameters for histograms by a regular expression ("histogram_regular"; None takes five), and says when
    weights are saved for a loss landscape ("collect_landscape"); what it does not name stays on with
    ``keep_default_action``. Like MindSpore's, the default saves the weights of steps 1 to 19.

    "collect_graph" shows the network's Cells in TensorBoard's file; MindSpore's own file gets no graph, and
    "collect_dataset_graph" does nothing: its compiler and its pipeline, which they draw, are not here.
    TypeError and ValueError for bad arguments.
    """

    _DEFAULT_SPECIFIED_DATA = _DEFAULTS

    def __init__(
        self,
        summary_dir,
        collect_freq=10,
        num_process=32,
        collect_specified_data=None,
        keep_default_action=True,
        custom_lineage_data=None,
        collect_tensor_freq=None,
        max_file_size=None,
        export_options=None,
    ) -> None:
        from ms2torch.train.summary.summary_record import process_export_options

        super().__init__()
        self._summary_dir = _make_directory(summary_dir, "summary_dir")
        self._record = None
        self._collect_freq = self._positive("collect_freq", collect_freq)
        self._collect_tensor_freq = self._positive("collect_tensor_freq", collect_tensor_freq, none=True)
        self._max_file_size = self._positive("max_file_size", max_file_size, none=True)
        self._export_options = process_export_options(export_options)
        check_value_type("keep_default_action", keep_default_action, bool)
        self._collect_specified_data = chosen = self._chosen(collect_specified_data, keep_default_action)
        check_value_type("collect_landscape", chosen.get("collect_landscape"), [dict, type(None)])
        self._landscape = chosen.get("collect_landscape") or None
        if self._landscape:
            self._check_landscape(self._landscape)
            self._ckpt_dir = _make_directory(os.path.join(self._summary_dir, "ckpt_dir"))
            self._saved_files: dict[str, str] = {}
        self._custom = self._custom_data(custom_lineage_data)
        self._optimizer_found = self._custom_written = False
        self._optimizer = None
        self._is_parse_loss_success = True

    # ---- arguments -------------------------------------------------------------------------------------

    def _positive(self, name: str, value, none: bool = False):
        if not (none and value is None):
            check_value_type(name, value, int)
            if value <= 0:
                raise ValueError(
                    f'For "{type(self).__name__}", the value of `{name}` should be greater than 0, '
                    f"but got `{value}`."
                )
        return value

    def _chosen(self, asked, keep_default: bool) -> dict:
        check_value_type("collect_specified_data", asked, [dict, type(None)])
        default = copy.deepcopy(_DEFAULTS)
        if asked is None:
            return default if keep_default else {}
        for name in asked:
            check_value_type(name, name, [str])
        strange = set(asked) - set(default)
        if strange:
            raise ValueError(
                f'For "{type(self).__name__}", the keys {strange} of `collect_specified_data` are '
                f"unsupported, expect the follow keys: {list(default)}"
            )
        pattern = asked.get("histogram_regular")
        check_value_type("histogram_regular", pattern, (str, type(None)))
        try:
            re.compile(pattern or "")
        except re.error as err:
            raise ValueError(
                "For `collect_specified_data`, the value of `histogram_regular` is not a valid "
                f"regular expression. Detail: {err}."
            ) from err
        for name, value in asked.items():
            if name not in ("histogram_regular", "collect_landscape"):
                check_value_type(name, value, bool)
        return {**default, **asked} if keep_default else dict(asked)

    def _check_landscape(self, asked: dict) -> None:
        own = type(self).__name__
        default = _DEFAULTS["collect_landscape"]
        strange = set(asked) - set(default)
        if strange:
            raise ValueError(
                f'For "{own}", the keys {strange} of `collect_landscape` are unsupported, expect '
                f"the follow keys: {list(default)}"
            )
        size, unit = asked.get("landscape_size", 40), asked.get("unit", "step")
        check_value_type("landscape_size", size, int)
        if not 3 <= size <= 256:
            raise ValueError(
                f'For "{own}", the "landscape_size" in collect_specified_data should be less than '
                f"256 and more than 3, but got the: {size}"
            )
        check_value_type("unit", unit, str)
        if unit not in ("step", "epoch"):
            raise ValueError(
                f'For "{own}", unit in collect_specified_data should be step or epoch, but got the: {unit}.'
            )
        check_value_type("num_samples", asked.get("num_samples", 2048), int)
        create = asked.get("create_landscape", {})
        check_value_type("create_landscape", create, dict)
        for name, value in create.items():
            if name not in ("train", "result"):
                raise ValueError(
                    f'For "{own}", the key to create landscape should be in ["train", "result"], '
                    f"but got the: {name}."
                )
            check_value_type(name, value, bool)
        check_value_type("intervals", asked.get("intervals"), list)
        for interval in asked["intervals"]:
            check_value_type("each interval inintervals", interval, list)
            if len(interval) < 3:
                raise ValueError(
                    f'For "{own}", the length of each list in "intervals" should not be less than '
                    f"three, but got the: {interval}"
                )
            for number in interval:
                if not isinstance(number, int):
                    raise TypeError(
                        f'For "{own}", the value of each list in "intervals" should be int, but got '
                        f"the: {type(number)}"
                    )

    @staticmethod
    def _custom_data(given) -> dict:
        name = "custom_lineage_data"
        given = {} if given is None else given
        check_value_type(name, given, [dict, type(None)])
        for key, value in given.items():
            check_value_type(f"{name} -> {key}", key, str)
            check_value_type(f"the value of {name} -> {key}", value, (int, str, float))
        return dict(given)

    # ---- the run ---------------------------------------------------------------------------------------

    def __enter__(self):
        from ms2torch.train.summary import SummaryRecord

        self._record = SummaryRecord(
            self._summary_dir, max_file_size=self._max_file_size, export_options=self._export_options
        )
        self._first, self._by_epoch = True, True
        return self

    def __exit__(self, *err) -> None:
        self._record.close()

    def begin(self, run_context) -> None:
        params = run_context.original_args()
        own = type(self).__name__
        if sum(type(callback).__name__ == own for callback in params.list_callback) > 1:
            raise ValueError(
                f"There are more than one {own} instance in callback list,but expected only one "
                f"{own} instance."
            )
        if any(map(self._collect_specified_data.get, ("collect_graph", "collect_dataset_graph"))):
            notice("SummaryCollector", "SummaryCollector writes no graph of compiler or data pipeline; "
                   "TensorBoard's file shows the network's Cells.")
        self._record.set_mode(params.mode)
        self._by_epoch = params.dataset_sink_mode

    def step_end(self, run_context) -> None:
        params = run_context.original_args()
        if params.mode != "train":
            return
        if not self._custom_written:
            self._custom_written = True
            # MindSpore's first record: its graphs, and what operators saw in the first step.
            if self._custom:
                self._record.add_value(
                    "custom_lineage_data", "custom_lineage_data", custom_message(self._custom)
                )
            shown = params.train_network if self._collect_specified_data.get("collect_graph") else None
            self._record.record(params.cur_step_num, shown)
        if not self._by_epoch:
            self._collect_now(params)
        self._save_for_landscape(params, "step")

    def epoch_end(self, run_context) -> None:
        params = run_context.original_args()
        if params.mode == "train":
            self._collect_now(params)  # once more where steps are counted, as MindSpore does
        self._save_for_landscape(params, "epoch")
        self._record.flush()

    def end(self, run_context) -> None:
        params = run_context.original_args()
        if params.mode == "train":
            if self._collect_specified_data.get("collect_train_lineage"):
                optimizer, loss = self._get_optimizer(params), self._get_loss(params)
                self._record.add_value(
                    "train_lineage", "train_lineage", training_message(params, optimizer, loss)
                )
        elif self._collect_specified_data.get("collect_eval_lineage"):
            self._record.add_value("eval_lineage", "eval_lineage", evaluation_message(params))
        self._record.set_mode("eval")
        self._record.record(0)
        if params.mode == "train" and self._landscape:
            self._write_landscape_facts(params)

    def _collect_now(self, params) -> None:
        now = params.cur_epoch_num if self._by_epoch else params.cur_step_num
        if self._first:
            self._first = False
            self._tensor_times = self._times_of_tensors(params)
            self._add_all(params, None)
            self._record.flush()
            return
        due, tensors_due = now % self._collect_freq == 0, now in self._tensor_times
        if due and tensors_due:
            self._add_all(params, None)
        elif tensors_due:
            self._add_all(params, lambda plugin: plugin == "tensor")
        elif due:
            self._add_all(params, lambda plugin: plugin != "tensor")

    def _times_of_tensors(self, params) -> range:
        total = params.epoch_num if self._by_epoch else params.epoch_num * params.batch_num
        if self._collect_tensor_freq is not None:
            return range(0, total + 1, self._collect_tensor_freq)
        often = range(0, total + 1, self._collect_freq)
        if len(often) <= _MOST_TENSOR_RECORDS:
            return often
        every = total // (_MOST_TENSOR_RECORDS - 1)
        if every > 1:
            return range(0, total + 1, every)[:_MOST_TENSOR_RECORDS]
        return range(total + 1)[: _MOST_TENSOR_RECORDS + 1]

    def _add_all(self, params, plugin_filter) -> None:
        self._add_input(params)
        if self._collect_specified_data.get("collect_metric"):
            loss = self._get_loss(params)
            if loss is not None:
                self._record.add_value("scalar", "loss/auto", loss)
        if "histogram_regular" in self._collect_specified_data:
            self._add_histograms(params)
        self._record.record(params.cur_step_num, plugin_filter=plugin_filter)

    def _add_input(self, params) -> None:
        if not self._collect_specified_data.get("collect_input_data"):
            return
        data = params.get("train_dataset_element")
        if isinstance(data, (list, tuple)) and data:
            data = data[0]
        try:
            self._record.add_value("image", "input_data/auto", data)
        except (TypeError, ValueError):
            logger.warning(
                "The input data of network are not image, so will not collect by SummaryCollector."
            )
            self._collect_specified_data["collect_input_data"] = False

    def _get_loss(self, params) -> Tensor | None:
        outputs = params.get("net_outputs")
        loss = outputs[0] if isinstance(outputs, (list, tuple)) and outputs else outputs
        if isinstance(loss, (int, float, Tensor)):
            return Tensor(np.mean(loss.asnumpy() if isinstance(loss, Tensor) else np.array(loss)))
        if self._is_parse_loss_success:
            logger.warning("The network's output is no loss, so SummaryCollector will not collect it.")
            self._is_parse_loss_success = False
        return None

    def _get_optimizer(self, params):
        from ms2torch.nn.optim.optimizer import Optimizer

        if not self._optimizer_found:
            self._optimizer_found = True
            found = params.get("optimizer")
            if found is None:
                network = params.train_network if params.mode == "train" else params.eval_network
                found = next((c for c in network.cells() if isinstance(c, Optimizer)), None)
                for _, cell in network.cells_and_names() if found is None else ():
                    candidate = cell if isinstance(cell, Optimizer) else getattr(cell, "optimizer", None)
                    if isinstance(candidate, Optimizer):
                        found = candidate
                        break
            if not isinstance(found, Optimizer):
                logger.warning(
                    "Can not find optimizer in network, or the optimizer does not inherit MindSpore's "
                    "optimizer, so we will not collect data about optimizer in SummaryCollector."
                )
                found = None
            self._optimizer = found
        return self._optimizer

    def _add_histograms(self, params) -> None:
        optimizer = self._get_optimizer(params)
        if optimizer is None:
            return
        pattern = self._collect_specified_data["histogram_regular"]
        chosen = [p for p in optimizer.parameters if pattern is None or re.match(pattern, p.name)]
        for parameter in chosen if pattern is not None else chosen[:_DEFAULT_HISTOGRAMS]:
            self._record.add_value("histogram", parameter.name + "/auto", parameter)

    # ---- weights for loss landscapes --------------------------------------------------------------------

    def _save_for_landscape(self, params, unit: str) -> None:
        if not self._landscape or self._landscape.get("unit", "step") != unit or params.mode != "train":
            return
        number = params.get(f"cur_{unit}_num")
        if not any(number in interval for interval in self._landscape["intervals"]):
            return
        from ms2torch.train.serialization import save_checkpoint

        network = _backbone(params.train_network)
        path = os.path.join(self._ckpt_dir, f"{type(network).__name__}_{number}_{unit}.ckpt")
        self._saved_files[str(number)] = path
        if not os.path.exists(path):
            save_checkpoint([{"name": p.name, "data": p} for p in network.get_parameters()], path)

    def _write_landscape_facts(self, params) -> None:
        asked = self._landscape
        groups = defaultdict(list, {i: list(numbers) for i, numbers in enumerate(asked["intervals"])})
        facts = {
            "epoch_group": groups,
            "model_params_file_map": self._saved_files,
            "step_per_epoch": params.batch_num,
            "unit": asked.get("unit", "step"),
            "num_samples": asked.get("num_samples", 2048),
            "landscape_size": asked.get("landscape_size", 40),
            "create_landscape": asked.get("create_landscape", {"train": True, "result": True}),
        }
        path = os.path.join(self._ckpt_dir, "train_metadata.json")
        if not os.path.exists(path):
            with open(path, "w", encoding="utf-8") as file:
                json.dump(facts, file)
            os.chmod(path, 0o400)


def _backbone(network):
    """The user's network inside a train cell."""
    for _, cell in network.cells_and_names():
        if hasattr(cell, "_backbone"):
            network = cell._backbone
            break
    while "network" in network.name_cells():
        inside = network.name_cells()
        network = network.network
        if "optimizer" in inside:
            break
    return network
