"""Runs a function in N processes that train together; started once, it forks them, so that N ranks cost a
fraction of a second.

The process reads requests (pickled) from its standard input and answers on its standard output. It has
imported ms2torch and started no thread, which makes forking safe.
"""

import importlib
import os
import pickle
import signal
import socket
import sys
import tempfile
import time
import traceback

import torch
import torch._dynamo  # DistributedDataParallel wants it

# Imported here once, so that the forked processes need not.
from ms2torch import dataset, mint  # noqa: F401
from ms2torch._core.processes import ddp, distributed, reducing, spread, zero  # noqa: F401


def free_port() -> int:
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def _child(rank: int, request: dict, port: int, folder: str) -> None:
    os.setsid()
    log = os.open(f"{folder}/{rank}.log", os.O_WRONLY | os.O_CREAT)
    os.dup2(log, 1)
    os.dup2(log, 2)
    size = request["size"]
    for name in list(os.environ):
        if name.startswith(("RANK", "DEVICE_ID", "MS_", "OMPI_", "MASTER_", "LOCAL_", "WORLD_SIZE")):
            del os.environ[name]
    if size > 1:
        os.environ.update(RANK=str(rank), WORLD_SIZE=str(size), LOCAL_RANK=str(rank), MASTER_ADDR="127.0.0.1",
                          MASTER_PORT=str(port))
    os.environ.update({"MS2TORCH_COMM_TIMEOUT": "30", **request["env"]})
    torch.set_num_threads(1)
    code = 1
    try:
        function = getattr(importlib.import_module(request["module"]), request["function"])
        value = ("value", function(*request["args"]))
        code = 0
        distributed._part_at_exit(os.getpid())      # (of all exit functions ours alone)
    except SystemExit as err:
        value, code = ("exit", err.code), err.code or 0
    except BaseException as err:
        sys.excepthook(type(err), err, err.__traceback__)      # what tells the others
        value = ("error", type(err).__name__, str(err), traceback.format_exc())
    with open(f"{folder}/{rank}.tmp", "wb") as file:
        pickle.dump(value, file)
    os.rename(f"{folder}/{rank}.tmp", f"{folder}/{rank}.pkl")
    sys.stderr.flush()
    os._exit(code)


def _run(request: dict) -> list:
    port = free_port()
    with tempfile.TemporaryDirectory() as folder:
        children = {}
        for rank in range(request["size"]):
            pid = os.fork()
            if pid == 0:
                _child(rank, request, port, folder)
            children[rank] = pid
        deadline = time.monotonic() + request["timeout"]
        codes: dict[int, int] = {}
        while len(codes) < len(children):
            for rank, pid in children.items():
                if rank not in codes:
                    done, status = os.waitpid(pid, os.WNOHANG)
                    if done:
                        codes[rank] = os.waitstatus_to_exitcode(status)
            if time.monotonic() > deadline:
                for rank, pid in children.items():
                    if rank not in codes:
                        os.kill(pid, signal.SIGKILL)
                        os.waitpid(pid, 0)
                        codes[rank] = "timeout"
            time.sleep(0.005)
        return [_outcome(folder, rank, codes[rank]) for rank in children]


def _outcome(folder: str, rank: int, code) -> dict:
    path = f"{folder}/{rank}.pkl"
    value = ("died",)
    if os.path.exists(path):
        with open(path, "rb") as file:
            value = pickle.load(file)
    with open(f"{folder}/{rank}.log", encoding="utf-8", errors="replace") as file:
        return {"code": code, "result": value, "log": file.read()}


def main() -> None:
    requests, answers = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    while True:
        try:
            request = pickle.load(requests)
        except EOFError:
            os._exit(0)     # (taking torch down takes seconds)
        pickle.dump(_run(request), answers)
        answers.flush()


if __name__ == "__main__":
    main()
