"""Python functions in processes of their own: what passes between them, and what happens to them."""

import os
import signal
import sys
import time

import numpy as np
import pytest

import ms2torch.dataset as ds

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="forks")


def mapped(function, rows=1000):
    data = ds.NumpySlicesDataset(list(range(rows)), ["x"], shuffle=False)
    return data.map(function, "x", num_parallel_workers=2, python_multiprocessing=True)


def test_large_rows_and_text_pass():
    def changed(value):
        return np.full((1500, 1500, int(value)), value, np.float32), np.array([f"{value}", "\u4e2d"])

    data = ds.NumpySlicesDataset([0, 1, 3], ["x"], shuffle=False).map(
        changed, ["x"], ["image", "text"], num_parallel_workers=2, python_multiprocessing=True)
    for value, (image, text) in zip([0, 1, 3], data.create_tuple_iterator(num_epochs=1,
                                                                            output_numpy=True), strict=True):
        assert image.shape == (1500, 1500, value) and (image == value).all() and image.flags.writeable
        assert text.tolist() == [str(value), "\u4e2d"]


def test_an_error_has_the_functions_traceback_and_comes_behind_the_rows_before_it():
    def fails(value):
        if value == 5:
            raise KeyError("five")
        return value

    seen = []
    with pytest.raises(RuntimeError, match=r"failed. Traceback[\s\S]*in fails[\s\S]*KeyError: 'five'") as e:
        for row in mapped(fails).create_tuple_iterator(num_epochs=1, output_numpy=True):
            seen.append(int(row[0]))
    assert seen == [0, 1, 2, 3, 4] and "In row 5 of epoch 0" in e.value.__notes__[-1]


def test_a_killed_worker_is_an_error_within_seconds():
    def killed(value):
        if value == 3:
            os.kill(os.getpid(), signal.SIGKILL)
        return value

    start = time.monotonic()
    with pytest.raises(RuntimeError, match=r"worker process 1 \(pid \d+\) was killed by SIGKILL"):
        for _ in mapped(killed).create_tuple_iterator(num_epochs=1):
            pass
    assert time.monotonic() - start < 5


def test_a_killed_worker_is_told_while_another_is_busy():
    def killed(value):
        if value == 3:
            os.kill(os.getpid(), signal.SIGKILL)
        if value == 2:
            time.sleep(30)
        return value

    start = time.monotonic()
    with pytest.raises(RuntimeError, match=r"worker process 1 \(pid \d+\) was killed by SIGKILL"):
        for _ in mapped(killed).create_tuple_iterator(num_epochs=1):
            pass
    assert time.monotonic() - start < 5


@pytest.mark.parametrize("way", ["stopped", "left", "SIGINT", "SIGTERM", "SIGKILL"])
def test_no_process_stays(way):
    def slow(value):
        time.sleep(0.01 if way in ("stopped", "left") else 60 * (value > 1))
        return value

    mine, theirs = os.pipe()
    pid = 0 if way in ("stopped", "left") else os.fork()
    if pid == 0:
        try:
            before, iterator = _children(), mapped(slow).create_tuple_iterator(num_epochs=1)
            next(iterator)
            workers = _children() - before
            assert len(workers) == 2
            if way in ("stopped", "left"):
                if way == "stopped":
                    iterator.stop()
                del iterator
                assert not _children() & workers
                return
            signal.signal(signal.SIGINT, signal.default_int_handler)
            os.write(theirs, " ".join(map(str, workers)).encode())
            for _ in iterator:
                pass
        finally:
            if way not in ("stopped", "left"):
                os._exit(0)
    workers = [int(word) for word in os.read(mine, 100).split()]
    for one in (pid, *(workers if way == "SIGINT" else ())):            # a terminal tells all of them
        os.kill(one, getattr(signal, way))
    os.waitpid(pid, 0)
    last = time.monotonic() + 5
    while any(os.path.exists(f"/proc/{one}") and _state(one) != "Z" for one in workers):
        assert time.monotonic() < last
        time.sleep(0.01)


def _state(pid: int) -> str:
    try:
        with open(f"/proc/{pid}/stat") as file:
            return file.read().rsplit(")", 1)[1].split()[0]
    except OSError:
        return "Z"


def _children() -> set[int]:
    found = set()
    for entry in os.listdir("/proc"):
        if entry.isdigit() and _state(int(entry)) != "Z":
            with open(f"/proc/{entry}/stat") as file:
                if int(file.read().rsplit(")", 1)[1].split()[1]) == os.getpid():
                    found.add(int(entry))
    return found
