"""``Dataset.map``: functions and transforms over the columns of each row."""

from __future__ import annotations

import sys
import types
from collections import deque
from itertools import cycle, islice

import numpy as np

from ms2torch._core.tensor.tensor import Tensor

from ..core import config
from ..core.config import ErrorSamplesMode
from ..core.datatypes import is_data
from ..core.errors import UserCodeError, operation_failed, pipeline_error, syntax_error, user_stack
from ..core.validator_helpers import check_independent_mode, check_max_rowsize, type_check, type_check_list
from ..debug.debug_hook import with_hooks
from ..transforms.operation import PyTensorOperation, TensorOperation, forgetful, is_pil, runs_python, step
from .datasets import UnionBaseDataset, places, to_list


class MapDataset(UnionBaseDataset):
    """`Dataset.map`."""

    _shared = ("operations", "callbacks")

    def __init__(self, input_dataset, operations=None, input_columns=None, output_columns=None,
                 num_parallel_workers=None, python_multiprocessing=False, cache=None, callbacks=None,
                 max_rowsize=None,
                 offload=None):
        self.operations = to_list(operations)
        _check_operations(self.operations)
        _check_callbacks(callbacks)
        type_check(python_multiprocessing, (bool,), "python_multiprocessing")
        check_max_rowsize(max_rowsize)
        check_independent_mode("Dataset Offload", offload)
        super().__init__(children=input_dataset, num_parallel_workers=num_parallel_workers, cache=cache)
        self.input_columns = to_list(input_columns)
        self.output_columns = to_list(output_columns) or self.input_columns
        self.python_multiprocessing = python_multiprocessing
        self.callbacks = to_list(callbacks)

    def _open(self, run):
        if self.cache is not None:
            return self._open_cached(run)
        mode = config.get_error_samples_mode()
        if mode is ErrorSamplesMode.RETURN or config.get_debug_mode():
            return self._opened(run, _through)
        from ._failing import going_on
        return going_on(self._opened(run, _tried), mode)

    def _opened(self, run, through):
        """`_open`, where ``through`` takes columns through the operations; a row is None where that gave
        None."""
        child, turns = self.children[0]._open(run), self._turns()
        names = self.children[0]._columns()
        take = self._places(names)
        outputs = self.output_columns or [names[take[0]]]
        in_place = len(outputs) == len(take)
        keep = [i for i in range(len(names)) if i not in take]
        shown = self._shown(names, take)
        hidden = len(shown) < len(names if in_place else outputs + keep)

        def finished(row, results):
            if results is None:
                return None
            if len(results) != len(outputs):
                raise pipeline_error(
                    "Invalid columns, the number of columns returned in 'map' operations should match "
                    "the number of 'output_columns', but got the number of columns returned in 'map' "
                    f"operations: {len(results)}, the number of 'output_columns': {len(outputs)}.")
            if not in_place:
                return [owned(result) for result in results] + [row[i] for i in keep]
            for i, result in zip(take, results, strict=True):
                row[i] = owned(result)
            return row

        if hidden:
            finished = _showing(finished, list(shown.values()))
        begun = 0                    # rows and ends of epochs so far, which MindSpore's workers take in turn

        def counted():
            nonlocal begun
            for row in child():
                begun += 1
                yield row
            begun += 1

        def work(rows, first=None):
            first = begun if first is None else first
            for row, steps in zip(rows, islice(cycle(turns), first % len(turns), None), strict=False):
                yield finished(row, through(steps, tuple(row[i] for i in take)))

        source = counted if len(turns) > 1 else child
        processes = self._by_processes(turns[0], take, finished, run, through)
        if self.callbacks and not run.looks:
            from ._watching import Watch
            return Watch(self.callbacks, run).epochs_with_calls(source, processes or work)
        if processes is not None:
            return lambda: processes(child())
        # (a chunk ends where a row fails)
        together = len(take) == 1 and in_place and through is _through and not hidden
        threads = self._threads(turns) if together else None
        if threads is None:
            return lambda: work(source())
        run.at_stop.append(threads.end)
        return lambda: threads.rows(source(), work, begun)

    def _turns(self) -> list[list]:
        """The operations of each of the workers, who take the rows of an epoch in turn. Each draws from
        streams of its own, so that their number tells which numbers a row gets; without draws one stands for
        all."""
        first = self._steps()
        if not any(getattr(one, "draws", False) for one in first) or config.get_debug_mode():
            return [first]
        turns = [first]
        for worker in range(1, self.num_parallel_workers or config.get_num_parallel_workers()):
            with config.drawing_as(worker):
                turns.append(self._steps())
        return turns

    def _steps(self) -> list:
        """The operations as functions, in debug mode with the hooks among them."""
        operations = with_hooks(self.operations)
        tables = sys.modules.get("ms2torch.dataset.vision._tables")    # image programs have it
        made = []
        operations = tables.fused(operations) if tables else operations
        for one, later in zip(operations, forgetful(operations), strict=True):
            made.append(step(one, self.python_multiprocessing, later))
            made[-1].operation, made[-1].python = one, runs_python(one)
        return made

    def _by_processes(self, steps: list, take: list, finished, run, through):
        """Rows whose operations run in processes of their own, as they do where one of them is Python's; None
        where they do not. There MindSpore calls its transforms as outside of a pipeline: what draws starts
        from the worker's seed for each row.
        """
        if not self.python_multiprocessing or not any(one.python for one in steps) or any(
                map(computes, self.operations)):
            return None
        from . import _processes
        if not _processes.possible():
            return None
        inside = [_called(one) if isinstance(one, (TensorOperation, PyTensorOperation)) else step(one, True)
                  for one in with_hooks(self.operations)]

        def compute(columns):
            results = through(inside, columns)
            return results and tuple(value if is_pil(value) else owned(value) for value in results)

        workers = _processes.Workers(
            compute, self.num_parallel_workers or config.get_num_parallel_workers(),
            "map operation: [PyFunc] failed")
        run.at_stop.append(workers.end)

        def work(rows):
            held: deque = deque()

            def columns():
                for row in rows:
                    held.append(row)
                    yield tuple(row[i] for i in take)

            for results in workers.run(columns()):
                yield finished(held.popleft(), results)

        return work

    def _threads(self, turns: list):
        """What computes several rows at once; None where an operation needs them one by one."""
        from ._threads import Threads, count
        workers = count(self.num_parallel_workers)
        parts = [[getattr(one, "parts", None) for one in steps] for steps in turns]
        if workers == 1 or None in parts[0]:
            return None
        several = []
        for each in zip(*parts, strict=True):
            draw, compute = each[0]
            several.append((draw and [draws for draws, _ in each], compute))
        return Threads(several, self._places(self.children[0]._columns())[0], workers)

    def _places(self, names):
        return places(self.input_columns or names[:1], names,
                      "Invalid parameter, input column name: {} doesn't exist in the dataset columns.")

    def _columns(self):
        names = list(self.children[0]._columns())
        take = self._places(names)
        return list(self._shown(names, take))

    def _shown(self, names: list, take: list) -> dict[str, int]:
        """Names and places of the columns. Of two with a name one is hidden: the one that was there where
        there are as many outputs as inputs, otherwise the new one."""
        outputs = self.output_columns or [names[take[0]]]
        kept = [i for i in range(len(names)) if i not in take]
        if len(outputs) == len(take):
            shown = {**{names[i]: i for i in kept}, **dict(zip(outputs, take, strict=True))}
        else:
            both = enumerate([*outputs, *(names[i] for i in kept)])
            shown = {name: i for i, name in both}
        return dict(sorted(shown.items(), key=lambda item: item[1]))


def _showing(finished, places: list):
    """``finished``, and of its rows the columns at ``places``."""
    refused = config.get_debug_mode()

    def show(row, results):
        row = finished(row, results)
        if refused:
            raise pipeline_error("Invalid column id encountered. Note: It is unsupported and ambiguous to "
                                 "reuse the same column name for an output_column name if it is an "
                                 "input_column name that will already appear as one of the output columns. "
                                 "Use unique columns names.")
        return row and [row[i] for i in places]

    return show


def _called(operation):
    """A transform as it is called outside of a pipeline."""
    def call(*columns):
        try:
            return operation(*columns)
        except Exception as error:
            raise UserCodeError(f"map operation: [PyFunc] failed. {user_stack(error)}") from error

    return call


def _through(steps: list, results: tuple) -> tuple:
    """What the functions make of columns, one after the other."""
    for apply in steps:
        results = apply(*results)
        if type(results) is not tuple:
            results = (results,)
    return results


def _tried(steps: list, results: tuple) -> tuple | None:
    """`_through`, None where a function fails."""
    try:
        return tuple(value if is_pil(value) else owned(value) for value in _through(steps, results))
    except Exception:
        return None


def _check_callbacks(callbacks) -> None:
    if callbacks is None:
        return
    from ..callback import DSCallback
    if isinstance(callbacks, (list, tuple)):
        type_check_list(callbacks, (DSCallback,), "callbacks")
    else:
        type_check(callbacks, (DSCallback,), "callbacks")
    check_independent_mode("Dataset Callbacks")


def _check_operations(operations) -> None:
    cell = sys.modules.get("ms2torch.nn.cell")           # a program that has a Cell has imported it
    if not operations:
        raise syntax_error("Map: No 'operations' are specified.")
    for operation in operations:
        if cell is not None and isinstance(operation, cell.Cell):
            raise ValueError("Input operations should not contain network computing operator like in "
                             "mindspore.nn or mindspore.ops, got operation: ", str(operation))
        if isinstance(operation, type):
            raise ValueError("Parameter operations's element of method map should be a dataset processing "
                             f"operation instance, but got: {operation}. It may be missing parentheses for "
                             "instantiation.")
        if not callable(operation):
            raise ValueError("Parameter operations's element of method map should be a python function or "
                             f"class method which should be callable, but got: {operation}. It doesn't need "
                             "parentheses for python function or class method.")


def owned(value):
    """What the last function gave, as an array.

    (Arrays that come here belong to the pipeline already.)
    """
    if type(value) is np.ndarray and is_data(value.dtype):
        return value
    if isinstance(value, dict):
        return value
    if isinstance(value, Tensor):
        return value.asnumpy().copy()
    try:
        array = np.array(value)
    except ValueError as error:
        raise operation_failed("PyFunc", error) from error
    if not is_data(array.dtype):
        raise UserCodeError("map operation: [PyFunc] failed. Failed to create tensor from numpy array, data "
                            "type is unknown.")
    return array


def computes(function) -> bool:
    """Whether a function uses MindSpore's operators, so that one worker runs it."""
    if not isinstance(function, types.FunctionType):
        return False
    code = function.__code__
    used = [function.__globals__.get(name) for name in code.co_names]
    used += [cell.cell_contents for cell in function.__closure__ or () if cell != types.CellType()]
    homes = [*code.co_names, *(getattr(v, "__module__", None) or getattr(v, "__name__", "") for v in used)]
    return any(str(home).startswith(_COMPUTING) for home in homes)


_COMPUTING = tuple(f"{package}.{name}" for package in ("mindspore", "ms2torch")
                   for name in ("nn", "ops", "numpy", "compression"))
