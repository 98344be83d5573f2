"""MindSpore notebooks: ``%load_ext ms2torch`` in one, ``ms2torch kernel`` for a kernel of its own.

The kernel "Python (ms2torch)" is this Python with the alias in place from the first cell on, so that a
notebook needs no line for it. It needs ipykernel.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import os
import sys
from pathlib import Path

from ms2torch.cli import Parser, release


def load_ipython_extension(shell) -> None:
    """``%load_ext ms2torch``: ``import mindspore`` gives ms2torch from here on; ``--api`` is MS2TORCH_API."""
    from .alias import install

    install()


def unload_ipython_extension(shell) -> None:
    """``%unload_ext ms2torch``: as it was before."""
    from .alias import uninstall

    uninstall()


def parser() -> argparse.ArgumentParser:
    """The options of ``ms2torch kernel``."""
    found = Parser("ms2torch kernel",
                   description="Write a Jupyter kernel in which import mindspore gives ms2torch.")
    found.add_argument("--api", metavar="RELEASE", type=release,
                       help="the release that its notebooks were written for")
    found.add_argument("--name", default="ms2torch", help="the kernel's folder; default: ms2torch")
    found.add_argument("--prefix", metavar="FOLDER", help="an environment instead of the user's own folder; "
                       "sys.prefix is this one's")
    return found


def _folder(prefix: str | None) -> Path:
    """Where Jupyter looks for kernels: of an environment, or of the user."""
    if prefix is not None:
        return Path(sys.prefix if prefix == "sys.prefix" else prefix, "share", "jupyter", "kernels")
    if os.environ.get("JUPYTER_DATA_DIR"):
        return Path(os.environ["JUPYTER_DATA_DIR"], "kernels")
    home = Path.home()
    if sys.platform == "darwin":
        return home / "Library" / "Jupyter" / "kernels"
    if os.name == "nt":
        return Path(os.environ.get("APPDATA", home), "jupyter", "kernels")
    return Path(os.environ.get("XDG_DATA_HOME", home / ".local" / "share"), "jupyter", "kernels")


def main(argv: list[str]) -> int:
    """``ms2torch kernel``: write the kernel, say where."""
    asked = parser().parse_args(argv)
    api = [] if asked.api is None else ["--api", asked.api]
    shown = "Python (ms2torch)" if asked.api is None else f"Python (ms2torch, MindSpore {asked.api})"
    kernel = {"argv": [sys.executable, "-m", "ms2torch", *api, "-m", "ipykernel_launcher", "-f",
                       "{connection_file}"], "display_name": shown, "language": "python",
              "metadata": {"debugger": True}}
    file = _folder(asked.prefix) / asked.name / "kernel.json"
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(json.dumps(kernel, indent=1) + "\n", encoding="utf-8")
    except OSError as error:
        print(f"ms2torch: {error}", file=sys.stderr)
        return 2
    print(f"{file.parent}: {shown}")
    if importlib.util.find_spec("ipykernel") is None:
        print("It needs ipykernel: pip install ipykernel")
    return 0
