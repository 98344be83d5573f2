"""Ctrl-C while the command ``ms2torch`` is being imported ends it in a line, without a traceback.

Importing PyTorch takes seconds, and no line of the command's own has run then. A program that imports
ms2torch itself keeps its own way with signals.
"""

import contextlib
import os
import signal
import sys


def _end(number: int, _) -> None:
    os.write(2, b"ms2torch: interrupted\n")
    os._exit(128 + number)                          # nothing is open, and no line of a program has run


def is_over() -> None:
    """From here on Ctrl-C is a KeyboardInterrupt again."""
    if signal.getsignal(signal.SIGINT) is _end:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def _is_command() -> bool:
    """Whether this process is ``ms2torch ...`` or ``python -m ms2torch ...``."""
    first = (getattr(sys, "argv", None) or [""])[0]
    return os.path.basename(first) == "ms2torch" or (
        first == "-m" and any(pair == ("-m", "ms2torch") for pair in zip(
            sys.orig_argv, sys.orig_argv[1:], strict=False)))


if _is_command() and signal.getsignal(signal.SIGINT) is signal.default_int_handler:
    with contextlib.suppress(ValueError):           # in a thread
        signal.signal(signal.SIGINT, _end)
