"""Python functions of a pipeline in processes of their own, as MindSpore runs them: ``map`` and
``per_batch_map`` with ``python_multiprocessing``, sources of several workers.

A worker is a fork, made when the first row is asked for and kept from epoch to epoch. Items go around the
workers, so that each sees the ones that it sees in MindSpore; with a seed set, worker ``i`` starts numpy's
and Python's generators from seed + i, as there. Arrays travel through memory that both sides map; a few
messages are under way for a worker, which bounds what is held.
"""

from __future__ import annotations

import mmap
import os
import pickle
import signal
import struct
import sys
import threading
import time
import warnings
import weakref
from collections import deque
from itertools import islice
from multiprocessing import Pipe

from ms2torch._core.errors import notice

from ..core import config
from ..core.errors import UserCodeError, pipeline_error

_SLOTS = 3                       # messages under way for a worker
_SLOT = 16 << 20                 # bytes of one in shared memory; larger ones go through the pipe
_WORK = 2e-3                     # seconds of work in a message, about
_MOST = 64                       # items in a message


def possible() -> bool:
    """Whether functions can have processes: by forking, and not while a program is looked at step by step."""
    return sys.platform == "linux" and not config.get_debug_mode()


class Workers:
    """``count`` processes that call ``function``; ``what`` names it in errors."""

    def __init__(self, function, count: int, what: str) -> None:
        self._function, self._count, self._what = function, count, what
        self._made: list[_Worker] = []
        self._turn, self._size, self._left = 0, 1, deque()

    def run(self, items, again: bool = False):
        """What the function gives for each item, in order. ``again``: each run begins with the first worker,
        else the end of a run takes a turn as an item does.
        """
        self._start()
        while self._left:                                    # of an epoch that was not read to its end
            self._left.popleft().receive()
        if again:
            self._turn = 0
        items, rounds, failure, more = iter(items), deque(), None, True
        while more or rounds:
            while more and len(rounds) < _SLOTS:
                group = []
                try:
                    for item in islice(items, self._count * self._size):
                        group.append(item)
                except Exception as error:                   # what came before it comes first
                    failure, more = error, False
                more = more and len(group) == self._count * self._size
                if group:
                    rounds.append(self._sent(group))
            if rounds:
                yield from self._received(*rounds.popleft())
        if failure is not None:
            raise failure
        self._turn += 1

    def _start(self) -> None:
        if self._made:
            return
        seed = config.given_seed()
        for number in range(self._count):
            self._made.append(_Worker(self._function, number, f"{self._what}: worker process {number}",
                                      None if seed is None else seed + number, self._made))
        self._end = weakref.finalize(self, _ended, os.getpid(), self._made)

    def _sent(self, group: list):
        order = [self._made[(self._turn + i) % self._count] for i in range(min(self._count, len(group)))]
        for place, worker in enumerate(order):
            worker.send(group[place::self._count])
            self._left.append(worker)
        self._turn += len(group)
        return order, len(group)

    def _received(self, order: list, count: int):
        parts = []
        for worker in order:
            self._left.popleft()
            parts.append(worker.receive())
        spent = sum(part[2] for part in parts) / count
        held = max(worker.held for worker in order) / -(-count // len(order))
        self._size = max(1, min(_MOST, int(_WORK / max(spent, 1e-9)), int(_SLOT / 4 / max(held, 1))))
        for place in range(count):
            found, error, _ = parts[place % len(order)]
            if place // len(order) == len(found):
                raise error
            yield found[place // len(order)]

    def end(self) -> None:
        """Let the processes go."""
        if self._made:
            self._end()


class _Worker:
    """One process, seen from the one that asks."""

    def __init__(self, function, number: int, name: str, seed: int | None, others: list) -> None:
        self.name, self.held = name, 0
        self._others, self._status = others, None
        self._sent = 0                                       # messages; each has a slot of its turn
        self._waiting, self._early = 0, deque()
        self._memory = mmap.mmap(-1, 2 * _SLOTS * _SLOT)
        self.pipe, theirs = Pipe()
        for stream in (sys.stdout, sys.stderr):
            if stream is not None:
                stream.flush()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)         # of forking beside threads
            self.pid = os.fork()
        if self.pid == 0:
            try:
                for worker in (self, *others):
                    worker.pipe.close()
                _serve(function, theirs, self._memory, seed)
            finally:
                os._exit(0)
        theirs.close()

    def send(self, items: list) -> None:
        place = self._sent % _SLOTS
        try:
            self.held, whole = _put(self._memory, place, items)
            if whole is not None:                            # neither side may wait for the other to read
                while self._waiting:
                    self._early.append(self._read())
            self.pipe.send_bytes(struct.pack("<b", -1 if whole else place))
            if whole is not None:
                self.pipe.send_bytes(whole)
        except OSError:
            raise self.died() from None
        self._sent += 1
        self._waiting += 1

    def receive(self):
        """(results, error or None behind them, seconds) of the oldest message."""
        return self._early.popleft() if self._early else self._read()

    def _read(self):
        patience = config.get_multiprocessing_timeout_interval()
        try:
            waited = 0
            while not self.pipe.poll(1):
                for worker in self._others:                  # this one's pipe tells of itself
                    if worker is not self and worker.gone():
                        raise worker.died()
                waited += 1
                if waited == patience:
                    notice("dataset_worker",
                           f"{self.name} (pid {self.pid}) has been busy for more than {patience} seconds.")
            place = struct.unpack("<b", self.pipe.recv_bytes())[0]
            found = _taken(self._memory, place + _SLOTS) if place >= 0 else _unpacked(self.pipe.recv_bytes())
        except (EOFError, OSError):
            raise self.died() from None
        self._waiting -= 1
        return found

    def gone(self, seconds: float = 0) -> bool:
        """Whether the process has ended, or does so within ``seconds``."""
        if self._status is None:
            self._status = _reaped(self.pid, seconds)
        return self._status is not None

    def died(self) -> RuntimeError:
        how = "ended unexpectedly" if not self.gone(2) or not os.WIFSIGNALED(self._status) else \
            f"was killed by {signal.Signals(os.WTERMSIG(self._status)).name}"
        return pipeline_error(f"{self.name} (pid {self.pid}) {how}. The subprocess of dataset may exit "
                              "unexpected or be killed.")

    def end(self) -> None:
        self.pipe.close()
        if self._status is not None:                         # its number may be another process's by now
            return
        try:
            os.kill(self.pid, signal.SIGTERM)
        except ProcessLookupError:
            return
        if _reaped(self.pid, 1) is None:
            os.kill(self.pid, signal.SIGKILL)
            _reaped(self.pid, 1)


def _ended(owner: int, workers: list) -> None:
    if os.getpid() == owner:                                 # a fork has this object too
        for worker in workers:
            worker.end()
    workers.clear()


def _reaped(pid: int, seconds: float) -> int | None:
    """The exit status of a child; None where it lives on, or somebody else has asked."""
    last = time.monotonic() + seconds
    while True:
        try:
            found, status = os.waitpid(pid, os.WNOHANG)
        except ChildProcessError:
            return 0
        if found or time.monotonic() > last:
            return status if found else None
        time.sleep(0.002)


# ---- in the worker -----------------------------------------------------------------------------------------

def _serve(function, pipe, memory, seed: int | None) -> None:
    """Answer until the pipe closes, or the process that asks is gone."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)             # Ctrl-C is for the one that asks
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    threading.Thread(target=_follow, args=(os.getppid(),), daemon=True).start()
    if seed is not None:
        config.set_seed(seed)
    if (cv2 := sys.modules.get("cv2")) is not None:          # a fork has none of the threads of these
        cv2.setNumThreads(0)
    if (torch := sys.modules.get("torch")) is not None:
        torch.set_num_threads(1)
    while True:
        try:
            place = struct.unpack("<b", pipe.recv_bytes())[0]
            items = _taken(memory, place) if place >= 0 else _unpacked(pipe.recv_bytes())
        except (EOFError, OSError):
            return
        found, error, start = [], None, time.perf_counter()
        for item in items:
            try:
                found.append(function(item))
            except BaseException as raised:
                error = raised
                break
        answer = found, error, time.perf_counter() - start
        place = max(place, 0)
        try:
            _, whole = _put(memory, place + _SLOTS, answer)
        except Exception as raised:
            kept = UserCodeError(f"{type(error or raised).__name__}: {error or raised}")
            _, whole = _put(memory, place + _SLOTS, ([], kept, answer[2]))
        for stream in (sys.stdout, sys.stderr):
            if stream is not None:
                stream.flush()
        try:
            pipe.send_bytes(struct.pack("<b", -1 if whole else place))
            if whole is not None:
                pipe.send_bytes(whole)
        except OSError:
            return


def _follow(parent: int) -> None:
    """End with the process that asks, also in the middle of a long function."""
    while os.getppid() == parent:
        time.sleep(0.5)
    os._exit(0)


# ---- messages ----------------------------------------------------------------------------------------------

def _put(memory, place: int, value) -> tuple[int, bytes | None]:
    """(bytes, None) of a value that lies in a slot now; where it is too large, (bytes, all of them)."""
    buffers: list = []
    head = pickle.dumps(value, protocol=5, buffer_callback=buffers.append)
    parts = [head, *(buffer.raw() for buffer in buffers)]
    sizes = [len(part) for part in parts]
    start = struct.pack(f"<{len(sizes) + 1}q", len(sizes), *sizes)
    held = len(start) + sum(sizes)
    if held > _SLOT:
        return held, b"".join([start, *parts])
    at = place * _SLOT
    for part in (start, *parts):
        memory[at:at + len(part)] = part
        at += len(part)
    return held, None


def _taken(memory, place: int):
    with memoryview(memory) as whole, whole[place * _SLOT:(place + 1) * _SLOT] as slot:
        return _unpacked(slot)


def _unpacked(whole):
    count = struct.unpack_from("<q", whole)[0]
    sizes = struct.unpack_from(f"<{count}q", whole, 8)
    at, parts = 8 * (count + 1), []
    for size in sizes:
        parts.append(bytearray(whole[at:at + size]))
        at += size
    return pickle.loads(parts[0], buffers=parts[1:])
