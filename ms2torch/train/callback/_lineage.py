"""Facts about a run that SummaryCollector writes.

In protobuf's language:

    UserDefinedInfo { repeated UserDefinedInfo user_info = 1; map<string, int32> map_int32 = 3;
                      map<string, string> map_str = 4; map<string, double> map_double = 5; }
    TrainLineage { HyperParameters hyper_parameters = 1; TrainDataset train_dataset = 2;
                   Algorithm algorithm = 3; Model model = 4; }
    HyperParameters { string optimizer = 1; float learning_rate = 2; string loss_function = 3;
                      int32 epoch = 4; string parallel_mode = 5; int32 device_num = 6; int32 batch_size = 8; }
    TrainDataset { string train_dataset_path = 1; int32 train_dataset_size = 2; }
    Algorithm { string network = 1; float loss = 2; }
    Model { string path = 3; int64 size = 4; }
    EvaluationLineage { string metric = 2; ValidDataset valid_dataset = 3; }  // as TrainDataset
"""

from __future__ import annotations

import json
import os

import numpy as np

from ms2torch import log as logger
from ms2torch._core.protobuf import content, float32, float64, integer
from ms2torch.common.parameter import Parameter

_FILES = ("dataset_file", "dataset_files", "dataset_dir")


def custom_message(data: dict) -> bytes:
    """The program's own facts."""
    message = b""
    for key, value in data.items():
        if isinstance(value, int):
            field, entry = 3, integer(2, value)
        elif isinstance(value, float):
            field, entry = 5, float64(2, value)
        else:
            field, entry = 4, content(2, value)
        message += content(1, content(field, content(1, key) + entry))
    return message


def training_message(params, optimizer, loss) -> bytes:
    """What was trained, on what and how; ``params`` are the run's."""
    rate = getattr(optimizer, "learning_rate", None)
    hyper = b""
    if optimizer is not None:
        hyper = content(1, type(optimizer).__name__)
        if isinstance(rate, Parameter):
            hyper += float32(2, np.atleast_1d(rate.asnumpy())[0])
    loss_fn = _loss_function(params)
    if loss_fn is not None:
        hyper += content(3, type(loss_fn).__name__)
    hyper += integer(4, params.epoch_num)
    if params.get("parallel_mode") is not None:
        hyper += content(5, str(params.parallel_mode))
    batch, dataset = _dataset(params.train_dataset)
    hyper += integer(6, params.device_number) + integer(8, batch)
    algorithm = content(1, type(params.network).__name__)
    if loss is not None:
        algorithm += float32(2, float(loss.asnumpy()))
    file = _checkpoint(params.list_callback)
    model = content(3, json.dumps({"ckpt": file})) + integer(4, os.path.getsize(file) if file else 0)
    return content(1, hyper) + content(2, dataset) + content(3, algorithm) + content(4, model)


def evaluation_message(params) -> bytes:
    """What was evaluated, and the metrics."""
    message = b""
    try:
        message = content(2, json.dumps(params.get("metrics")))
    except TypeError as err:
        logger.warning(
            "Summary cannot collect the type of metrics, currently support type: dict, list, tuple, "
            "str, int, float, bool and None. %s.",
            err,
        )
    return message + content(3, _dataset(params.valid_dataset)[1])


def _dataset(dataset) -> tuple[int, bytes]:
    """The batch size, and the message of where the data lies and how many rows it has."""
    batch = dataset.get_batch_size()
    path = _source(dataset)
    folder = os.path.dirname(path) if path and os.path.isfile(path) else path
    rows = integer(2, int(dataset.get_dataset_size() * batch))
    return batch, (b"" if folder is None else content(1, folder)) + rows


def _source(dataset) -> str | None:
    """The folder or first file that the data comes from."""
    while dataset is not None:
        for name in _FILES:
            found = getattr(dataset, name, None)
            found = found[0] if isinstance(found, (list, tuple)) and found else found
            if isinstance(found, str) and found:
                return found
        dataset = next(iter(getattr(dataset, "children", None) or ()), None)
    return None


def _checkpoint(callbacks) -> str | None:
    from ._checkpoint import ModelCheckpoint

    files = [c.latest_ckpt_file_name for c in callbacks if isinstance(c, ModelCheckpoint)]
    return os.path.realpath(files[-1]) if files and files[-1] else None


def _loss_function(params):
    from ms2torch.nn.loss.loss import LossBase

    if params.get("loss_fn") is not None:
        return params.loss_fn
    return next(
        (cell for _, cell in params.train_network.cells_and_names() if isinstance(cell, LossBase)), None
    )
