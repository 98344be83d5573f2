"""Recording scalars, images, tensors and histograms (``mindspore.train.summary.summary_record``)."""

from __future__ import annotations

import atexit
import os
import platform
import re
import time
from collections import defaultdict

import numpy as np

from ms2torch import _checkparam as check
from ms2torch import log as logger
from ms2torch._core.errors import unsupported
from ms2torch._core.protobuf import content, float64
from ms2torch._core.tensor.printing import plain_repr
from ms2torch._core.tensor.tensor import Tensor
from ms2torch.nn.cell import Cell
from ms2torch.ops.function.debug_func import keep_summary, take_summaries
from ms2torch.train._utils import _make_directory, check_value_type

from . import _tensorboard
from ._events import summary_event
from .enums import PluginEnum
from .writer import ExportWriter, LineageWriter, SummaryWriter

_SHOWN = ("tensor", "scalar", "image", "histogram")
_LINEAGE = {"train_lineage": 6, "eval_lineage": 7, "dataset_graph": 9, "custom_lineage_data": 10}


def _get_summary_tensor_data() -> dict[str, Tensor]:
    """What summary operators were given since the last call, by ``tag[:Kind]``; the next call starts anew."""
    return {f"{tag}[:{kind}]": value for (kind, tag), value in take_summaries().items()}


def _cache_summary_tensor_data(summary) -> bool:
    """Keep what graphs hand over, ``{"name": "tag[:Kind]", "data": Tensor}`` each, for the next record."""
    for item in summary:
        tag, _, kind = item["name"].rstrip("]").rpartition("[:")
        keep_summary(kind, tag, item["data"])
    return True


def process_export_options(export_options):
    """``export_options`` of SummaryRecord and SummaryCollector, checked."""
    known = {"tensor_format": {"npy", None}}
    if export_options is None:
        return None
    check_value_type("export_options", export_options, [dict, type(None)])
    for option, form in export_options.items():
        check_value_type("export_option", option, [str])
        check_value_type("export_format", form, [str, type(None)])
    strange = set(export_options) - set(known)
    if strange:
        raise ValueError(
            f'For "SummaryRecord", the keys {strange} of "export_options" are unsupported, '
            f"expect the follow keys: {list(known)}"
        )
    for option, form in export_options.items():
        if form not in known[option]:
            raise ValueError(
                f'For "SummaryRecord", the export_format { ({form}) } of "export_options" are unsupported '
                f"for {option}, expect the follow values: {list(known[option])}"
            )
    return export_options


def _as_array(plugin: str, value: Tensor) -> np.ndarray:
    """``value`` as numpy; ValueError where its shape does not fit the kind of entry."""
    array = value.asnumpy().copy()
    if plugin == "scalar" and array.size != 1:
        raise ValueError(
            f'For "SummaryRecord", the v rank must be less than or equal to 1, but got {len(array)}.'
        )
    if plugin == "image" and array.ndim != 4:
        raise ValueError('For "SummaryRecord", the tensor seems not to hold a valid image.')
    if plugin in ("tensor", "histogram") and array.ndim == 0:
        raise ValueError('For "SummaryRecord", the value should not be empty.')
    return array


def _file_name(prefix: str, suffix: str, second: int) -> str:
    from ms2torch.communication import get_rank

    check.check_str_by_regular(prefix)
    check.check_str_by_regular(suffix)
    return f"{prefix}.out.events.summary.{second}.{get_rank()}.{platform.node()}{suffix}"


class SummaryRecord:
    """Writes event files into ``log_dir`` (``mindspore.train.SummaryRecord``): MindSpore's own format.

    ``record(step)`` writes what `add_value` was given and, in mode "train", what the summary operators
    (`ops.ScalarSummary` and so on) saw last. The file appears with the first record and is read-only after
    `close`; used in ``with``, it is closed after an exception too. Only one may be open at a time
    (RuntimeError). A file stops growing before ``max_file_size`` bytes. ``export_options={"tensor_format":
    "npy"}`` writes tensors to files of their own, too. TypeError and ValueError for bad arguments.

    The same goes into ``log_dir/tensorboard`` for TensorBoard (``tensorboard --logdir log_dir``), there with
    the Cells of ``network``, of which MindSpore's own file has no graph, because there is none.

    Records are written at once, by this process: ``num_process`` does nothing. A full disk is logged, or
    raised with ``raise_exception=True``.
    """

    count = 0
    __repr__ = plain_repr

    def __init__(
        self,
        log_dir,
        file_prefix="events",
        file_suffix="_MS",
        num_process=32,
        network=None,
        max_file_size=None,
        raise_exception=False,
        export_options=None,
    ) -> None:
        if SummaryRecord.count:
            raise RuntimeError(
                f"For '{type(self).__name__}', only one instance is supported in a training process, "
                "you are trying to create a new one when the existing instance number is "
                f"{SummaryRecord.count}. Please check your scripts."
            )
        name = type(self).__name__
        folder = _make_directory(log_dir, "log_dir")
        if not isinstance(max_file_size, (int, type(None))):
            raise TypeError(
                f"For '{name}', the 'max_file_size' should be int type, but got type {type(max_file_size)}"
            )
        if not isinstance(file_prefix, str) or not isinstance(file_suffix, str):
            raise TypeError(
                f"For '{name}', `file_prefix` and `file_suffix`  should be str, but got type "
                f"{type(file_prefix)}"
            )
        check.check_str_by_regular(file_prefix)
        check.check_str_by_regular(file_suffix)
        if max_file_size is not None and max_file_size < 0:
            logger.warning(
                "For '%s', the 'max_file_size' should be greater than 0. but got value %s.",
                name,
                max_file_size,
            )
            max_file_size = None
        check.check_value_type("raise_exception", raise_exception, bool)
        second = int(time.time())
        file = _file_name(file_prefix, file_suffix, second)
        self._export_options = process_export_options(export_options)
        self.base_log_dir, self.network, self.max_file_size = log_dir, network, max_file_size
        self.raise_exception = raise_exception
        self.file_info = {"file_name": file, "file_path": os.path.join(folder, file)}
        self._mode, self._closed = "train", False
        self._pool: dict[str, list] = defaultdict(list)
        lineage = os.path.join(folder, _file_name(file_prefix, "_lineage", second))
        self._writers = [SummaryWriter(self.log_dir, max_file_size), LineageWriter(lineage, max_file_size)]
        from ms2torch.communication import get_rank

        self._writers.append(_tensorboard.TensorBoardWriter(folder, second, get_rank()))
        self._graph, self._graph_written = network, False
        if export_options is not None:
            self._writers.append(ExportWriter(os.path.join(folder, f"export_{second}")))
        SummaryRecord.count += 1
        take_summaries()
        atexit.register(self.close)

    def __enter__(self):
        if self._closed:
            raise ValueError(
                f'For "{type(self).__name__}", SummaryRecord has been closed, '
                "please check if close() method is called"
            )
        return self

    def __exit__(self, *err) -> None:
        self.close()

    @property
    def log_dir(self) -> str:
        """The path of the event file."""
        return self.file_info["file_path"]

    def set_mode(self, mode: str) -> None:
        """In "eval" the summary operators' values are not recorded. ValueError for another mode than
        "train" and "eval"."""
        if mode not in ("train", "eval"):
            raise ValueError(
                f'For "{type(self).__name__}.set_mode", {mode!r} is not a '
                'recognized mode, expect the parameter "mode" is "train" or "eval"'
            )
        self._mode = mode

    def add_value(self, plugin: str, name: str, value) -> None:
        """Keep a Tensor for the next `record`.

        ``plugin`` is "scalar" (one element), "image" ((N, 1 or 3, H, W)), "tensor" or "histogram" (at least
        one axis). ValueError for another plugin, shape or an empty name, TypeError for what is no Tensor.
        """
        if plugin in _SHOWN:
            if not name or not isinstance(name, str):
                raise ValueError(
                    f'For "{type(self).__name__}", the parameter "name" type should be str, '
                    f"but got {type(name)}."
                )
            if not isinstance(value, Tensor):
                raise TypeError(
                    f'For "{type(self).__name__}", the parameter "value" expect to be Tensor, '
                    f"but got {type(value).__name__}"
                )
            entry = {"tag": name, "value": _as_array(plugin, value)}
            if any(other["tag"] == name for other in self._pool[plugin]):
                logger.warning(
                    'For "%s.add_value", %r has duplicate values. Only the newest one will be recorded.',
                    type(self).__name__,
                    f"{name}/{plugin}",
                )
            if f"{plugin}_format" in (self._export_options or {}):
                entry["export_option"] = self._export_options[f"{plugin}_format"]
            self._pool[plugin].append(entry)
        elif plugin in _LINEAGE or plugin == PluginEnum.LANDSCAPE.value:
            data = value if isinstance(value, bytes) else value.SerializeToString()
            self._pool[plugin].append({"tag": name, "value": data})
        elif plugin == "graph":
            raise unsupported(
                "SummaryRecord.add_value('graph')",
                "there are no graphs of MindSpore's compiler.",
                "torch.utils.tensorboard's add_graph(ms2torch.to_torch(net), inputs).",
            )
        else:
            raise ValueError(
                f'For "{type(self).__name__}.add_value", no such "plugin" of {plugin!r} '
                ", expect value is one of [tensor, scalar, image, histogram, train_lineage, "
                "eval_lineage, dataset_graph, custom_lineage_data, graph, landscape]"
            )

    def record(self, step: int, train_network=None, plugin_filter=None) -> bool:
        """Write what was collected as that of ``step``; with ``plugin_filter`` only the kinds for which it is
        true, the others are dropped. False if this is closed. TypeError for a step that is no int."""
        check.check_value_type("step", step, int)
        check.check_value_type("train_network", train_network, [Cell, type(None)])
        if self._closed:
            logger.error(
                "For '%s', The record writer is closed, please check if close() method is called",
                type(self).__name__,
            )
            return False
        if self._mode == "train":
            for key, value in _get_summary_tensor_data().items():
                tag, kind = re.fullmatch(r"(.+)\[:(.+)\]", key, re.DOTALL).groups()
                self.add_value(kind.lower(), tag, value)
        pool, self._pool = self._pool, defaultdict(list)
        wanted = {
            plugin: entries for plugin, entries in pool.items() if not plugin_filter or plugin_filter(plugin)
        }
        now, shown = time.time(), []
        for plugin, entries in wanted.items():
            for entry in entries:
                if plugin in _LINEAGE:
                    self._write(plugin, float64(1, now) + content(_LINEAGE[plugin], entry["value"]))
                else:
                    shown.append((plugin, entry["tag"], entry["value"]))
                if "export_option" in entry:
                    self._write("exporter", {**entry, "step": step})
        network = self._graph or train_network
        if network is not None and not self._graph_written:
            self._graph_written = True
            self._write(_tensorboard.FOLDER, _tensorboard.graph_event(network, now))
        if shown:
            self._write("summary", summary_event(shown, step, now))
            self._write(_tensorboard.FOLDER, _tensorboard.summary_event(shown, step, now))
        return True

    def _write(self, plugin: str, data) -> None:
        for writer in list(self._writers):
            try:
                writer.write(plugin, data)
            except (RuntimeError, OSError) as err:
                logger.error(str(err))
                self._drop(writer)
                if self.raise_exception:
                    raise
            except RuntimeWarning as err:
                logger.warning(str(err))
                self._drop(writer)

    def _drop(self, writer) -> None:
        self._writers.remove(writer)
        writer.close()

    def flush(self) -> None:
        """Write to the file what is recorded so far."""
        if self._closed:
            logger.error(
                "For '%s', the record writer is closed and can not flush, please check if close() "
                "method is called",
                type(self).__name__,
            )
        for writer in self._writers:
            writer.flush()

    def close(self) -> None:
        """Write the rest and close the files; a second time does nothing."""
        if self._closed:
            return
        self._closed = True
        SummaryRecord.count -= 1
        atexit.unregister(self.close)
        for writer in self._writers:
            writer.close()
