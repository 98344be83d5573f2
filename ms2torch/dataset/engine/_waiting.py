"""``Dataset.sync_wait``: rows that wait until the training loop lets them pass (``sync_update``).

Such a pipeline runs in a thread of its own, ahead of the loop as far as rows may pass.
"""

from __future__ import annotations

import threading
from collections import deque

from ms2torch._core.errors import notice

from ..core import config
from ..core.validator_helpers import check_independent_mode
from .datasets import UnionBaseDataset

# Of all gates and the threads that run up to them: rows that pass, wait or are handed out. It is held while a
# program's callback runs, which may ask for more rows to pass.
_moved = threading.Condition()


class _Gate:
    """Counts the rows that may pass; one gate for a dataset and all its copies."""

    def __init__(self, rows: int, callback) -> None:
        self._default, self._passed, self._callback = rows, -rows, callback
        self._open = False
        self.holds = False               # whether a row waits

    def __deepcopy__(self, memo):
        return self

    def restart(self) -> None:
        with _moved:
            self._passed = -self._default
            self._tell()

    def scale(self, batch_size: int) -> None:
        """Count in batches, which a ``batch`` after the gate makes of its rows."""
        self._default, self._passed = self._default * batch_size, self._passed * batch_size

    def wait(self) -> None:
        """Until a row may pass. After ``config.get_callback_timeout()`` seconds the gate stays open."""
        with _moved:
            self.holds = not self._passes()
            _moved.notify_all()
            if not _moved.wait_for(self._passes, config.get_callback_timeout()):
                notice("sync_wait", "Timeout happened in sync_wait, maybe dataset.sync_update(condition=...) "
                                    "is not added after dataset.create_dict_iterator(...), now disabling "
                                    "lock.")
                self._open, self.holds = True, False
            self._passed += 1

    def _passes(self) -> bool:
        return self._passed < 0 or self._open

    def _tell(self) -> None:
        self.holds = self.holds and not self._passes()
        _moved.notify_all()

    def let(self, rows: int | None, data) -> None:
        with _moved:
            self._passed -= self._default if rows is None else rows
            if self._callback is not None:
                self._callback(data)
            self._tell()

    def disable(self) -> None:
        with _moved:
            self._open = True
            self._tell()


class SyncWaitDataset(UnionBaseDataset):
    """`Dataset.sync_wait`."""

    def __init__(self, input_dataset, condition_name, num_batch, callback=None):
        check_independent_mode("Dataset sync wait")
        super().__init__(children=input_dataset)
        if num_batch <= 0:
            raise ValueError("num_batch need to be greater than 0.")
        if condition_name in input_dataset.get_sync_notifiers():
            raise RuntimeError("Condition name is already in use.")
        self._condition, self._gate = condition_name, _Gate(num_batch, callback)

    def _open(self, run):
        child, gate = self.children[0]._open(run), self._gate
        gate.restart()

        def epoch():
            for row in child():
                gate.wait()
                yield row

        return epoch

    def get_sync_notifiers(self):
        return {**self.children[0].get_sync_notifiers(), self._condition: self._gate.let}

    def is_sync(self):
        return True

    def disable_sync(self):
        self._gate.disable()

    def update_sync_batch_size(self, batch_size):
        """Rows pass by batches of this size."""
        if isinstance(batch_size, int):
            self._gate.scale(batch_size)


def scaled(dataset, batch_size) -> None:
    """Tell the gates under a new ``batch`` of its size."""
    if isinstance(dataset, SyncWaitDataset):
        dataset.update_sync_batch_size(batch_size)
    for child in dataset.children:
        scaled(child, batch_size)


def _gates(dataset) -> list[_Gate]:
    own = [dataset._gate] if isinstance(dataset, SyncWaitDataset) else []
    return own + [gate for child in dataset.children for gate in _gates(child)]


def ahead(dataset, epoch, run):
    """The epochs of a pipeline, each run by a thread; at most ``config.get_prefetch_size()`` rows wait.

    A row is handed out when the thread can go no further, so that what a row sees of the loop's state does
    not depend on who is faster.
    """
    gates, stopped = _gates(dataset), False

    def stop():
        nonlocal stopped
        with _moved:
            stopped = True
            _moved.notify_all()

    run.at_stop.append(stop)

    def rows():
        made: deque = deque()
        ended, left, failure = False, False, None

        def full() -> bool:
            return len(made) >= config.get_prefetch_size()

        def work():
            nonlocal ended, failure
            try:
                for row in epoch():
                    with _moved:
                        made.append(row)
                        _moved.notify_all()
                        _moved.wait_for(lambda: left or stopped or not full())
                        if left or stopped:
                            return
            except Exception as error:
                failure = error
            finally:
                with _moved:
                    ended = True
                    _moved.notify_all()

        threading.Thread(target=work, name="ms2torch-sync", daemon=True).start()
        try:
            while True:
                with _moved:
                    _moved.wait_for(lambda: ended or (made and (full() or any(gate.holds for gate in gates))))
                    row = made.popleft() if made else None
                    _moved.notify_all()
                if row is not None:
                    yield row
                elif failure is not None:
                    raise failure
                else:
                    return
        finally:
            with _moved:
                left = True
                _moved.notify_all()

    return rows
