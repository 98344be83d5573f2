"""Starts a program in processes that train together: ``ms2torch run --nproc N`` and ``ms2torch msrun``.

Each process is ``python -m ms2torch ...`` with torchrun's and MindSpore's variables (RANK, RANK_ID, ...).
Their output passes through. When one ends with an error the others get a few seconds to say what it broke,
then they are ended too; the exit code is that of the first that failed.
"""

from __future__ import annotations

import argparse
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path

from ms2torch import cli
from ms2torch._core.processes import faults

# How long the other processes have, after one failed, until they are asked to end, and until they are killed.
GRACE = 5.0
def free_port() -> int:
    with socket.socket() as s:
        s.bind(("", 0))
        return s.getsockname()[1]


def run(program: list[str], count: int, nodes: int = 1, node: int = 0, address: str | None = None,
        port: int | None = None) -> int:
    """``ms2torch run --nproc N ...``: the program in ``count`` processes here; gives the exit code.

    ValueError where machines are asked for that cannot be told apart or found.
    """
    if not 0 <= node < nodes:
        raise ValueError(f"--node-rank {node} is none of --nnodes {nodes}: they count from 0")
    if nodes > 1 and address is None:
        raise ValueError(f"--nnodes {nodes} needs --master-addr, the first machine's name")
    port = port or (free_port() if nodes == 1 else 29500)
    return Job(program, count * nodes, count, node * count, address or "127.0.0.1", port).wait()


class Job:
    """The processes of one machine: ranks ``first`` to ``first + count`` of ``size``."""

    def __init__(self, program: list[str], size: int, count: int, first: int, address: str, port: int,
                 variables=None, logs: list[Path] | None = None, shown=None) -> None:
        self.logs, self.first = logs, first
        self._interrupted = False
        self.processes: list[subprocess.Popen] = []
        self._readers: list[threading.Thread] = []
        command = [sys.executable, "-m", "ms2torch", *program]
        for local in range(count):
            rank = first + local
            env = {**os.environ, **_variables(rank, size, local, count, address, port), **(variables or {}),
                   faults.JOB: str(os.getpid())}
            if variables:
                env["MS_NODE_ID"] = str(rank)
            env.setdefault("TORCH_CPP_LOG_LEVEL", "ERROR")      # (a store that is gone warns with a stack)
            env.setdefault("OMP_NUM_THREADS", str(max(1, (os.cpu_count() or 1) // count)))
            # A pipe or file gets each process's output in pieces that end anywhere: not from several at once.
            whole = not logs and count > 1 and not _on_terminal()
            process = subprocess.Popen(
                command, env=env, start_new_session=True,
                stdout=subprocess.PIPE if logs or whole else None,
                stderr=subprocess.STDOUT if logs else None)
            self.processes.append(process)
            if logs:
                echo = shown is None or local in shown
                self._read(_copy, process.stdout, logs[local], echo)
            elif whole:
                self._read(_pass_on, process.stdout)

    def _read(self, target, *args) -> None:
        reader = threading.Thread(target=target, args=args, daemon=True)
        reader.start()
        self._readers.append(reader)

    def wait(self) -> int:
        """Until all have ended; the first exit code that is not 0, else 0."""
        before = {s: signal.signal(s, self._forward) for s in (signal.SIGINT, signal.SIGTERM)}
        try:
            code = self._watch()
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)
            self._end(signal.SIGKILL)
        for reader in self._readers:
            reader.join(GRACE)
        return code

    def _watch(self) -> int:
        first, deadline = 0, None
        while True:
            codes = [p.poll() for p in self.processes]
            failed = next((i for i, c in enumerate(codes) if c), None)
            if failed is not None and deadline is None:
                first, deadline = codes[failed], time.monotonic() + GRACE
                if self._interrupted:
                    _say(f"interrupted: {len(codes)} processes are ended.")
                else:
                    log = f" (see {self.logs[failed]})" if self.logs else ""
                    others = ", the others are ended" if None in codes else ""
                    _say(f"rank {self.first + failed} {_how(first)}{others}{log}.")
            if None not in codes:
                return first if first >= 0 else 128 - first
            if deadline is not None and time.monotonic() > deadline:
                self._end(signal.SIGTERM)
                until = time.monotonic() + GRACE
                while time.monotonic() < until and any(p.poll() is None for p in self.processes):
                    time.sleep(0.05)
                self._end(signal.SIGKILL)
            time.sleep(0.05)

    def _forward(self, number, frame) -> None:
        self._interrupted |= number == signal.SIGINT
        self._end(number)

    def _end(self, number: int) -> None:
        """Send a signal to every process that still runs, and to those that it started."""
        for p in self.processes:
            if p.poll() is None:
                try:
                    os.killpg(p.pid, number)
                except (ProcessLookupError, PermissionError):
                    p.send_signal(number)


def _variables(rank: int, size: int, local: int, count: int, address: str, port: int) -> dict[str, str]:
    named = {"RANK": rank, "WORLD_SIZE": size, "LOCAL_RANK": local, "LOCAL_WORLD_SIZE": count,
             "MASTER_ADDR": address, "MASTER_PORT": port, "RANK_ID": rank, "RANK_SIZE": size,
             "DEVICE_ID": local}
    return {name: str(value) for name, value in named.items()}


def _how(code: int) -> str:
    if code >= 0:
        return f"ended with exit code {code}"
    try:
        return f"was ended by {signal.Signals(-code).name}"
    except ValueError:
        return f"was ended by signal {-code}"


def _say(text: str) -> None:
    print(f"[ms2torch] {text}", file=sys.stderr, flush=True)


def _on_terminal() -> bool:
    try:
        return os.isatty(1)
    except OSError:
        return False


_TURN = threading.Lock()


def _pass_on(source) -> None:
    """What a process prints, to where this one prints, by whole lines. Where nobody reads any more the
    process is told by its own next write."""
    with source:
        for line in iter(source.readline, b""):
            left = memoryview(line)
            with _TURN:
                try:
                    while left:
                        left = left[os.write(1, left):]
                except OSError:
                    return


def _copy(source, path: Path, echo: bool) -> None:
    """Everything from ``source`` into the file, and to our output."""
    with open(path, "wb") as file:
        for line in iter(source.readline, b""):
            file.write(line)
            file.flush()
            if echo:
                sys.stdout.buffer.write(line)
                sys.stdout.flush()


# ---- msrun -------------------------------------------------------------------------------------------------


def parser() -> argparse.ArgumentParser:
    """msrun's flags."""
    truth = {"True": True, "False": False}
    found = cli.Parser("ms2torch msrun", usage="ms2torch msrun [options] train.py [arguments]",
                       allow_abbrev=True,
                       description="MindSpore's msrun: a program in several processes, on PyTorch.")
    add = found.add_argument
    add("--worker_num", type=int, default=8, help="processes in all (8)")
    add("--local_worker_num", type=int, default=8, help="processes on this machine (8)")
    add("--master_addr", default="127.0.0.1", help="the first machine")
    add("--master_port", type=int, default=8118)
    add("--node_rank", type=int, default=-1, help="which machine this is, from 0")
    add("--log_dir", default="", help="where worker_RANK.log files go")
    add("--join", type=truth.__getitem__, default=False, help="True: wait, and show the processes' output")
    add("--cluster_time_out", type=int, default=600, help="seconds to wait for the others")
    add("--worker_log_name", default="", help="another name for log files; {ip}, {hostname} are filled in")
    add("--tail_worker_log", default="-1", help="with --join=True: which local processes' output to show")
    add("--rank_table_file", default="")
    add("--bind_core", default="False", help="accepted: placement on cores changes no number")
    add("--bind_numa", default="False", help="accepted: placement in memory changes no number")
    add("--sim_level", type=int, default=-1, help=argparse.SUPPRESS)
    add("--sim_rank_id", type=int, default=-1, help=argparse.SUPPRESS)
    add("task_script", help="train.py, or python train.py")
    add("task_script_args", nargs=argparse.REMAINDER)
    return found


def msrun(argv: list[str], background: bool = False) -> int:
    """``ms2torch msrun ...`` with msrun's flags; gives the exit code, at once without --join=True."""
    given = parser().parse_args(argv)
    if background:
        given.join, given.tail_worker_log = True, ""
    if given.sim_level != -1:
        raise SystemExit("ms2torch msrun: --sim_level is not supported: there is no dry run of a cluster.")
    if given.worker_num < 1:
        cli.wrong(f"worker_num must be greater than 0, but got {given.worker_num}.", parser().usage)
    count = min(given.local_worker_num, given.worker_num)
    one_machine = count == given.worker_num
    if not one_machine and given.node_rank < 0:
        raise SystemExit("ms2torch msrun: --node_rank says which machine this is (0, 1, ...): several "
                         "machines need it here.")
    first = 0 if one_machine else given.node_rank * count
    folder = Path(given.log_dir or ".")
    folder.mkdir(parents=True, exist_ok=True)
    if not given.join:
        return _detached(argv, folder)
    job = Job(_program(given), given.worker_num, count, first, given.master_addr, given.master_port,
              _worker_variables(given), _log_files(given, folder, first, count), _shown(given))
    return job.wait()


def _detached(argv: list[str], folder: Path) -> int:
    """The same with --join=True, in the background; what it says goes to scheduler.log."""
    with open(folder / "scheduler.log", "wb") as log:
        subprocess.Popen([sys.executable, "-m", "ms2torch.shim.processes", *argv], start_new_session=True,
                         stdin=subprocess.DEVNULL, stdout=log, stderr=log)
    print(f"The processes run in the background; their output is in {folder / 'worker_*.log'}.", flush=True)
    return 0


def _program(given) -> list[str]:
    match [given.task_script, *given.task_script_args]:
        case ["python" | "python3", *rest]:
            return rest
        case ["pytest", *rest]:
            return ["-m", "pytest", *rest]
        case program:
            return program


def _worker_variables(given) -> dict[str, str]:
    wait = given.cluster_time_out if given.cluster_time_out >= 0 else 10**8
    found = {"MS_ROLE": "MS_WORKER", "MS_WORKER_NUM": str(given.worker_num),
             "MS_SCHED_HOST": given.master_addr, "MS_SCHED_PORT": str(given.master_port),
             "MS_TOPO_TIMEOUT": str(given.cluster_time_out),
             "MS2TORCH_COMM_TIMEOUT": os.environ.get("MS2TORCH_COMM_TIMEOUT", str(wait))}
    if given.rank_table_file:
        found["RANK_TABLE_FILE"] = given.rank_table_file
    return found


def _log_files(given, folder: Path, first: int, count: int) -> list[Path]:
    name = given.worker_log_name or "worker"
    if "{ip}" in name or "{hostname}" in name:
        host = socket.gethostname()
        name = name.replace("{hostname}", host).replace("{ip}", socket.gethostbyname(host))
    return [folder / f"{name}_{first + i}.log" for i in range(count)]


def _shown(given) -> set[int] | None:
    """Local ranks whose output is shown; None for all."""
    if given.tail_worker_log == "-1":
        return None
    return {int(one) for one in given.tail_worker_log.split(",") if one}


if __name__ == "__main__":
    raise SystemExit(msrun(sys.argv[1:], background=True))
