"""The command ``ms2torch`` and ``python -m ms2torch``: runs MindSpore programs on PyTorch, or checks them."""

from __future__ import annotations

import os
import sys

USAGE = """\
usage: python -m ms2torch [options] train.py [arguments]      run a script
       python -m ms2torch [options] -m package.module [...]   run a module
       python -m ms2torch [options] -c "code" [...]           run a command
       python -m ms2torch [options] [-]                       prompt, or a program on standard input
       python -m ms2torch --check train.py                    list what will not work; runs nothing
       ms2torch run [options] ...                             the same as python -m ms2torch
       ms2torch run --nproc N [options] train.py              in N processes that train together
       ms2torch msrun --worker_num N ... train.py             the same, with the flags of MindSpore's msrun
       ms2torch doctor                                        what is installed here, what is missing
       ms2torch reference where | install | run train.py      the real MindSpore beside it
       ms2torch diff [options] train.py [arguments]           beside the real MindSpore: equal, or the first
                                                              number that differs (ms2torch diff --help)

options:
  --api RELEASE        the MindSpore release the program was written for (1.0 to 2.10), where meanings differ
  --device DEVICE      cpu, cuda, cuda:1, mps; default: the best device here
  --map-path OLD=NEW   use folder NEW wherever the program says OLD; may be given several times
  --check              list unsupported and differing names and arguments; exit code 1 if something would fail
  --version            versions of ms2torch, PyTorch, and of MindSpore's API
  -h, --help           this text
"""


class _Options:
    """What stood before the program's own part of the command line."""

    def __init__(self) -> None:
        self.api: str | None = None
        self.device: str | None = None
        self.maps: list[str] = []
        self.check = False


def _wrong(text: str) -> None:
    print(f"ms2torch: {text}\n{USAGE.splitlines()[0]}", file=sys.stderr)
    raise SystemExit(2)


def _split(argv: list[str]) -> tuple[_Options, list[str]]:
    """Our options, and the rest from the program's name on, which is the program's alone."""
    options, rest = _Options(), list(argv)
    while rest and rest[0].startswith("-") and rest[0] not in ("-", "-m", "-c"):
        name, equals, value = rest.pop(0).partition("=")
        if name in ("-h", "--help"):
            print(USAGE, end="")
            raise SystemExit(0)
        if name in ("-V", "--version"):
            _print_version()
            raise SystemExit(0)
        if name == "--check":
            options.check = True
            continue
        if name not in ("--api", "--device", "--map-path"):
            _wrong(f"unknown option {name}")
        if not equals:
            if not rest:
                _wrong(f"{name} needs a value")
            value = rest.pop(0)
        if name == "--api":
            options.api = value
        elif name == "--device":
            options.device = value
        else:
            options.maps.append(value)
    return options, rest


def _print_version() -> None:
    import torch

    from ms2torch._naming import generation

    from ._version import __version__

    print(f"ms2torch {__version__}, MindSpore API {generation.version()}, PyTorch {torch.__version__}")


def _prepare(options: _Options) -> None:
    """Everything that must hold before the program's first line, here and in its subprocesses."""
    from ms2torch._core.devices import device
    from ms2torch._core.processes import ranks

    from .shim import alias, paths

    try:
        ranks.export()
        if options.device:
            os.environ["MS2TORCH_DEVICE"] = options.device
        device.select(None)
        maps = options.maps or os.environ.get("MS2TORCH_MAP_PATH", "").splitlines()
        if maps:
            os.environ["MS2TORCH_MAP_PATH"] = "\n".join(maps)
            paths.install(maps)
        alias.install(options.api, inherit=True)
    except (ValueError, RuntimeError) as err:
        _wrong(str(err))


def main(argv: list[str] | None = None) -> None:
    """Entry point; ends with the program's own exit code."""
    argv = sys.argv[1:] if argv is None else argv
    if argv[:1] == ["doctor"]:
        from . import doctor

        raise SystemExit(doctor.main(argv[1:]))
    if argv[:1] == ["diff"]:
        from .difftest import twin

        raise SystemExit(twin.main(argv[1:]))
    if argv[:1] == ["reference"]:
        from .difftest import reference

        raise SystemExit(reference.main(argv[1:]))
    if argv[:1] == ["msrun"]:
        from .shim import processes

        raise SystemExit(processes.msrun(argv[1:]))
    if argv[:1] == ["run"]:
        from .shim import processes

        asked, argv = processes.split(argv[1:])
        if asked:
            raise SystemExit(processes.run(asked, argv))
    options, rest = _split(argv)
    if options.check:
        from .shim import check

        raise SystemExit(check.main(rest, options.api))
    from .shim import launcher

    _prepare(options)
    match rest:
        case ["-m" | "-c"]:
            _wrong(f"{rest[0]} needs a value")
        case ["-m", name, *args]:
            launcher.run_module(name, args)
        case ["-c", text, *args]:
            launcher.run_command(text, args)
        case ["-", *args]:
            launcher.run_input(args)
        case [path, *args]:
            launcher.run_script(path, args)
        case _ if sys.stdin.isatty():
            launcher.prompt(f"Python {sys.version.split()[0]} in which import mindspore gives ms2torch")
        case _:
            launcher.run_input([])
