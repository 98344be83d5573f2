"""What the user is told: errors that name the way out, and notices that are given once."""

from __future__ import annotations

import os
import sys

_given: set[str] = set()


def unsupported(api: str, reason: str, instead: str = "") -> NotImplementedError:
    """Build the error for an API or argument that ms2torch does not support.

    ``api`` is MindSpore's full name (with the argument, where one argument is meant), ``reason`` says
    why, ``instead`` what to do now.
    """
    text = f"{api}: {reason}"
    if instead:
        text += f" Instead: {instead}"
    return final(NotImplementedError(text))


class BadInput(Exception):
    """What is wrong with a command's input, in one line."""


def check_reports(*files: str | None) -> None:
    """Refuse a place for a report before a command's work, not after it. BadInput.

    None and ``-``, standard output, are fine.
    """
    for file in files:
        if not file or file == "-":
            continue
        folder = os.path.dirname(os.path.abspath(file))
        if os.path.isdir(file):
            why = "it is a folder"
        elif not os.path.isdir(folder):
            why = f"{folder!r} is no folder"
        elif not os.access(file if os.path.exists(file) else folder, os.W_OK):
            why = "permission denied"
        else:
            continue
        raise BadInput(f"can't write {file!r}: {why}")


def exit_code(command, options) -> int:
    """A command's exit code; 2, and one line, where its input is bad."""
    try:
        return command(options)
    except BadInput as err:
        print(f"ms2torch: {err}", file=sys.stderr)
        return 2


def notice(key: str, text: str) -> None:
    """Say ``text`` on stderr, once per process for each ``key``."""
    if key not in _given:
        _given.add(key)
        print(f"[ms2torch] {text}", file=sys.stderr, flush=True)


def asked(err: Exception) -> Exception:
    """Mark an error as what MindSpore says of just these arguments, so that no table is asked."""
    err.asked = True
    return err


def final(err: Exception) -> Exception:
    """Mark an error as already in MindSpore's words, so that it is handed on untouched."""
    err.from_user = True
    return err
