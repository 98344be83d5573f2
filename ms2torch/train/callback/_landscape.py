"""SummaryLandscape (``mindspore.train.SummaryLandscape``): the loss around the weights of a training."""

from __future__ import annotations

import json
import os
import shutil
from collections import namedtuple
from contextlib import ExitStack, suppress
from functools import partial
from itertools import chain

import numpy as np

from ms2torch import log as logger
from ms2torch._core.protobuf import content, integer
from ms2torch._core.tensor.printing import plain_repr
from ms2torch.train._utils import _make_directory, check_value_type

Points = namedtuple("Points", ["x", "y", "z"])

_MARGIN = 0.2  # how far a landscape goes beyond the path, as a share of the path's extent
_RADIUS = 1.0  # how far one in random directions goes
_FACTS = ["epoch_group", "model_params_file_map", "step_per_epoch", "unit", "num_samples", "landscape_size",
          "create_landscape"]  # fmt: skip
_ASKED = ("landscape_size", "unit", "num_samples", "create_landscape", "intervals")


class SummaryLandscape:
    """Computes the loss around the weights that SummaryCollector saved in ``summary_dir`` and writes it into
    event files (``mindspore.train.SummaryLandscape``).

    A landscape of the training ("train") is one for each interval: the plane of the two principal directions
    of its checkpoints, with the path of the training in it. That of the result ("result") lies around the
    last checkpoint, in two random directions by numpy's own generator (``numpy.random.seed``). Directions
    have the length of the weight or bias that they move; other parameters stay as they were saved.
    """

    __repr__ = plain_repr

    def __init__(self, summary_dir) -> None:
        self._summary_dir = os.path.realpath(summary_dir)
        self._ckpt_dir = os.path.join(self._summary_dir, "ckpt_dir")
        _make_directory(self._ckpt_dir)

    def clean_ckpt(self) -> None:
        """Delete the saved weights, and what is known of them."""
        shutil.rmtree(self._ckpt_dir, ignore_errors=True)

    def gen_landscapes_with_multi_process(
        self, callback_fn, collect_landscape=None, device_ids=None, output=None
    ) -> None:
        """Compute the landscapes and write them into ``output`` (None: ``summary_dir``).

        ``callback_fn()`` gives the Model, its network, the dataset and the metrics, one of them named
        "Loss". ``collect_landscape`` changes what SummaryCollector was told ("landscape_size", "unit",
        "num_samples", "create_landscape", "intervals"). ``device_ids`` is a list of devices: several share
        the points, a process each, for which ``callback_fn`` has to be a function of a module.
        TypeError and ValueError for bad arguments, FileNotFoundError where nothing was collected.
        """
        from ms2torch.train.summary import SummaryRecord

        len(device_ids)  # as MindSpore, None is refused in Python's words
        folder = self._summary_dir if output is None else os.path.realpath(output)
        with ExitStack() as stack:
            record = stack.enter_context(SummaryRecord(folder))
            self._check_device_ids(device_ids)
            if collect_landscape is not None:
                self._change_facts(collect_landscape)
            facts = self._facts()
            workers = [stack.enter_context(_worker(i)) for i in device_ids] if len(device_ids) > 1 else []
            compute = partial(_compute, workers, callback_fn, facts["num_samples"])
            for numbers, message in self._landscapes(facts, compute):
                record.add_value("landscape", f"landscape_{numbers}", message)
                record.record(0)
                record.flush()

    def _landscapes(self, facts: dict, compute):
        """``(what its name says, message)`` of each landscape, one after the other."""
        asked, groups = facts["create_landscape"], list(facts["epoch_group"].values())
        size, files = facts["landscape_size"], facts["model_params_file_map"]
        if asked["train"]:
            for numbers in groups:
                logger.info("SummaryLandscape: the landscape of %s, in principal directions.", numbers)
                grid, path = _along_the_path([_saved(files[str(n)]) for n in numbers], size, compute)
                end = Points(np.array([0]), np.array([0]), path.z[-1:])
                yield [numbers[0], numbers[-1]], _message(facts, "PCA", grid, end, path, numbers)
        if asked["result"]:
            last = groups[-1][-1]
            logger.info("SummaryLandscape: the landscape of %s, in random directions.", last)
            grid = _around(_saved(files[str(last)]), size, compute)
            middle = size // 2
            end = Points(grid.x[middle : middle + 1], grid.y[middle : middle + 1],
                         grid.z[middle, middle : middle + 1])  # fmt: skip
            yield [last], _message(facts, "Random", grid, end)

    # ---- what was collected ----------------------------------------------------------------------------

    def _facts(self) -> dict:
        path = os.path.join(self._ckpt_dir, "train_metadata.json")
        if not os.path.exists(path):
            raise FileNotFoundError(
                f'For "{type(self).__name__}", train_metadata.json file does not exist under the path, '
                "please use summary_collector to collect information to create the json file"
            )
        with open(path, encoding="utf-8") as file:
            facts = json.load(file)
        self._check_facts(facts)
        return facts

    def _change_facts(self, asked: dict) -> None:
        self._check_asked(asked)
        path = os.path.join(self._ckpt_dir, "train_metadata.json")
        if not os.path.exists(path):
            raise FileNotFoundError(
                f'For "{type(self).__name__}", train_metadata.json file path of {path} not exists.'
            )
        with open(path, encoding="utf-8") as file:
            facts = json.load(file)
        facts.update({name: value for name, value in asked.items() if name in facts})
        if "intervals" in asked:
            facts["epoch_group"] = {i: list(numbers) for i, numbers in enumerate(asked["intervals"])}
        # The file is read-only: a new one takes its place.
        with open(path + ".new", "w", encoding="utf-8") as file:
            json.dump(facts, file)
        os.chmod(path + ".new", 0o400)
        os.replace(path + ".new", path)

    # ---- arguments -------------------------------------------------------------------------------------

    def _check_device_ids(self, device_ids) -> None:
        check_value_type("device_ids", device_ids, list)
        place = f'For "{type(self).__name__}.gen_landscapes_with_multi_process", the parameter "device_ids"'
        for i in device_ids:
            if not isinstance(i, int):
                raise TypeError(f"{place} type should be int, but got the: {type(i)}.")
            if not 0 <= i <= 7:
                raise ValueError(f"{place} should be between 0 and 7, but got {i}.")

    def _check_asked(self, asked: dict) -> None:
        for name in asked.keys():  # noqa: SIM118 - what is no dict has none, as MindSpore says
            if name not in _ASKED:
                raise ValueError(
                    f'For "{type(self).__name__}", the key of collect landscape should be landscape_size, '
                    f"unit, num_samples create_landscape or intervals, but got the: {name}. "
                )
        checks = {"landscape_size": self._check_size, "unit": self._check_unit,
                  "num_samples": lambda n: check_value_type("num_samples", n, int),
                  "create_landscape": self._check_create, "intervals": self._check_intervals}  # fmt: skip
        for name, check in checks.items():
            if name in asked:
                check(asked[name])

    def _check_facts(self, facts: dict) -> None:
        for name in facts:
            if name not in _FACTS:
                raise ValueError(f'"train_metadata" json file should be {_FACTS}, but got the: {name}')
        for name in _FACTS:
            facts[name]  # a KeyError where one is missing
        for numbers in facts["epoch_group"].values():
            if len(numbers) < 3:
                raise ValueError(
                    f'For "{type(self).__name__}", the "epoch_group" in train_metadata.json, length of each '
                    f'list in "epoch_group" should not be less than 3, but got: {len(numbers)}. '
                )
            for number in numbers:
                if str(number) not in facts["model_params_file_map"]:
                    raise ValueError(
                        f'For "{type(self).__name__}", the "model_params_file_map" in train_metadata.json '
                        f"does not exist {number}th checkpoint in intervals."
                    )
        check_value_type("step_per_epoch", facts["step_per_epoch"], int)
        self._check_size(facts["landscape_size"])
        self._check_unit(facts["unit"])
        check_value_type("num_samples", facts["num_samples"], int)
        self._check_create(facts["create_landscape"])

    def _check_size(self, size) -> None:
        check_value_type("landscape_size", size, int)
        if not 3 <= size <= 256:
            raise ValueError(
                f'For "{type(self).__name__}", "landscape_size" in train_metadata.json should be between 3 '
                f"and 256, but got the: {size}"
            )

    def _check_unit(self, unit) -> None:
        check_value_type("unit", unit, str)
        if unit not in ("step", "epoch"):
            raise ValueError(
                f'For "{type(self).__name__}", the "unit" in train_metadata.json should be step or epoch, '
                f"but got the: {unit}"
            )

    def _check_create(self, asked) -> None:
        check_value_type("create_landscape", asked, dict)
        place = f'For "{type(self).__name__}", the key of "create_landscape" should be'
        for name, value in asked.items():
            if name not in ("train", "result"):
                raise ValueError(f'{place} in ["train", "result"], but got the: {name}.')
            if len(asked) < 2:
                raise ValueError(f"{place} train and result, but only got the: {name}")
            check_value_type(name, value, bool)

    def _check_intervals(self, intervals) -> None:
        check_value_type("intervals", intervals, list)
        for interval in intervals:
            check_value_type("each interval in intervals", interval, list)
            if len(interval) < 3:
                raise ValueError(
                    f'For "{type(self).__name__}", the length of each list in "intervals" should not be less '
                    f"than three, but got the: {interval}."
                )
            for number in interval:
                if not isinstance(number, int):
                    raise TypeError(
                        f'For "{type(self).__name__}", the type of each value in "intervals" should be int, '
                        f"but got the: {type(number)}."
                    )


# ---- directions ------------------------------------------------------------------------------------------


def _saved(path: str) -> dict[str, np.ndarray]:
    from ms2torch.train.serialization import load_checkpoint

    return {name: parameter.asnumpy() for name, parameter in load_checkpoint(path).items()}


def _moves(name: str) -> bool:
    """Whether a landscape moves a parameter of this name: weights and biases, no optimizer's moments."""
    return ("weight" in name or "bias" in name) and "moment" not in name


def _flat(values: dict[str, np.ndarray]) -> np.ndarray:
    return np.concatenate([value.flatten() for name, value in values.items() if _moves(name)])


def _along_the_path(saved: list[dict], size: int, compute) -> tuple[Points, Points]:
    """The landscape in the plane of a training's checkpoints, and the training's path in it."""
    last = saved[-1]
    flat = [_flat(one) for one in saved]
    # As in MindSpore: a row for each weight, its mean over the checkpoints' differences left in.
    differences = np.stack([one.astype(np.float64) - flat[-1] for one in flat[:-1]], 1)
    v, w = (_as_parameters(one, last, _moves) for one in _principal(differences))
    plane = np.stack([_flat(v), _flat(w)], 1)
    places = np.array([np.linalg.lstsq(plane, one - flat[-1], rcond=None)[0] for one in flat])
    if np.count_nonzero(places[:, 0] == 0) != 1:
        # The path has to end where no other checkpoint lies; numpy's words, in which MindSpore says so.
        raise TypeError("only length-1 arrays can be converted to Python scalars")
    axes = []
    for along in places.T:
        low, high = along.min(), along.max()
        margin = _MARGIN * float(high - low)
        axes.append(np.linspace(float(low) - margin, float(high) + margin, size))
    z, losses = compute(last, v, w, *axes, places)
    return Points(*axes, z), Points(places[:, 0], places[:, 1], losses)


def _around(last: dict[str, np.ndarray], size: int, compute) -> Points:
    """The landscape around one checkpoint, in two random directions."""
    count = sum(value.size for value in last.values())
    v, w = (_as_parameters(np.random.normal(size=count), last, lambda name: True) for _ in "vw")
    axis = np.linspace(-_RADIUS, _RADIUS, size)
    z, _ = compute(last, v, w, axis, axis, ())
    return Points(axis, axis, z)


def _principal(rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The rows' places along their first two principal components.

    MindSpore approximates them for more than 500 rows, from random vectors; these are what it approximates.
    """
    u, s, _ = np.linalg.svd(rows - rows.mean(0), full_matrices=False)
    u, s = u[:, :2], np.where(s == 0, 1e-19, s)[:2]
    signs = np.sign(u[np.abs(u).argmax(0), range(u.shape[1])])
    first, *_, second = (u * signs * s).T
    return first, second


def _as_parameters(direction: np.ndarray, like: dict[str, np.ndarray], has_part) -> dict[str, np.ndarray]:
    """A direction cut into parameters, each with the parameter's own length; 0 for those that stay."""
    found, at = {}, 0
    for name, value in like.items():
        found[name] = np.zeros(value.shape, np.float32)
        if has_part(name):
            part = direction[at : at + value.size].reshape(value.shape).astype(np.float32)
            at += value.size
            if _moves(name):
                found[name] = part * (np.linalg.norm(value) / np.linalg.norm(part))
    return found


# ---- losses ----------------------------------------------------------------------------------------------


def _worker(device: int):
    """A process for one device."""
    import multiprocessing
    from concurrent.futures import ProcessPoolExecutor

    import torch

    # A fork knows functions that the program's main part defines, but cannot go on with a GPU that is in use.
    way = "spawn" if torch.cuda.is_initialized() else "fork"
    return ProcessPoolExecutor(1, multiprocessing.get_context(way), initializer=_start, initargs=(device,))


def _start(device: int) -> None:
    import torch

    from ms2torch import context

    torch.set_num_threads(1)  # threads of the process that this one was forked from are not here
    with suppress(Exception):  # as in MindSpore, a device that is not there leaves the context as it is
        context.set_context(device_id=device)


def _compute(workers, callback_fn, samples: int, last, v, w, x, y, places):
    """The losses over the grid of ``x`` and ``y``, and those at ``places``."""
    if not workers:
        z, losses = _losses(callback_fn, samples, last, v, w, x, y, places)
    else:
        shares = zip(np.array_split(y, len(workers)), np.array_split(places, len(workers)), strict=True)
        runs = [worker.submit(_losses, callback_fn, samples, last, v, w, x, *share)
                for worker, share in zip(workers, shares, strict=True)]  # fmt: skip
        z, losses = (chain(*parts) for parts in zip(*[run.result() for run in runs], strict=True))
    return np.array(list(z)), np.array(list(losses))


def _losses(callback_fn, samples: int, last, v, w, x, y, places) -> tuple[list, list]:
    model, network, dataset, metrics = callback_fn()
    dataset = dataset.take(samples // dataset.get_batch_size())
    loss = partial(_loss, model, network, dataset, metrics, last, v, w)
    path = []
    for i, place in enumerate(places):
        path.append(loss(*place))
        print(f"Drawing landscape path total progress is {i + 1}/{len(places)}, "
              f"landscape path loss is {path[-1]}.")  # fmt: skip
    rows = []
    for i, along_w in enumerate(y):
        print(f"Drawing landscape total progress: {i + 1}/{len(y)}.")
        row = []
        for j, along_v in enumerate(x):
            row.append(loss(along_v, along_w))
            print(f"Current local landscape progress is {j + 1}/{len(x)}, landscape loss is {row[-1]}.")
        rows.append(row)
    return rows, path


def _loss(model, network, dataset, metrics, last, v, w, along_v, along_w):
    """The metric "Loss" of one epoch with the weights of one place."""
    from ms2torch.common.parameter import Parameter
    from ms2torch.common.tensor import Tensor
    from ms2torch.train.dataset_helper import DatasetHelper
    from ms2torch.train.metrics import get_metrics
    from ms2torch.train.serialization import load_param_into_net

    along_v, along_w = float(along_v), float(along_w)
    moved = {name: (value + along_v * v[name] + along_w * w[name]).astype(np.float32)
             for name, value in last.items()}  # fmt: skip
    load_param_into_net(network, {name: Parameter(Tensor(value), name=name) for name, value in moved.items()})
    fns = get_metrics(metrics)
    for fn in fns.values():
        fn.clear()
    trained = model.train_network.set_train(True)
    for inputs in DatasetHelper(dataset, False):
        outputs = trained(*((inputs,) if isinstance(inputs, Tensor) else inputs))
        if not isinstance(outputs, (Tensor, tuple)):
            raise ValueError(f"The argument 'outputs' should be tuple, but got {type(outputs)}. "
                             "Modify 'output' to Tensor or tuple. ")  # fmt: skip
        for fn in fns.values():
            fn.update(outputs if isinstance(outputs, Tensor) else outputs[0])
    found = {name: fn.eval() for name, fn in fns.items()}
    return found.get("Loss")


# ---- the message -----------------------------------------------------------------------------------------


def _message(facts: dict, way: str, grid: Points, end: Points, path=None, numbers=()) -> bytes:
    """In protobuf's language:

    LossLandscape { Point landscape = 1; LossPath loss_path = 2; Metadata metadata = 3;
                    Point convergence_point = 4; }
    Point    { TensorProto x = 1; TensorProto y = 2; TensorProto z = 3; }
    LossPath { repeated int32 intervals = 1; Point points = 2; }
    Metadata { string decomposition = 1; string unit = 2; int32 step_per_epoch = 3; }
    """
    message = content(1, _points(grid))
    if path is not None:
        message += content(2, b"".join(integer(1, n) for n in numbers) + content(2, _points(path)))
    metadata = content(1, way) + content(2, facts["unit"]) + integer(3, facts["step_per_epoch"])
    return message + content(3, metadata) + content(4, _points(end))


def _points(points: Points) -> bytes:
    from ms2torch.train.summary._events import tensor_message

    return b"".join(content(i, tensor_message(value)) for i, value in enumerate(points, 1))
