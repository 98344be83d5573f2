"""The command ``ms2torch`` and ``python -m ms2torch``: one table of commands, an argparse parser for each.

A command is ``run`` where none is named: ``python -m ms2torch train.py`` runs a program. What follows a
program's name is the program's alone.
"""

from __future__ import annotations

import argparse
import contextlib
import importlib
import os
import re
import signal
import sys
from difflib import get_close_matches
from typing import NamedTuple

from ms2torch import _early


class Command(NamedTuple):
    """One command: what it is for, who makes its parser, who carries it out (both ``module:function``)."""

    help: str
    parser: str
    main: str


COMMANDS = {
    "run": Command(
        "a program, module (-m) or command (-c), in one or --nproc processes",
        "ms2torch.cli:run_parser",
        "ms2torch.cli:run",
    ),
    "check": Command(
        "what of a program will not work, before anything runs",
        "ms2torch.scan.command:check_parser",
        "ms2torch.scan.command:check",
    ),
    "scan": Command(
        "the same for whole code bases: folders, notebooks, a baseline, JSON, HTML",
        "ms2torch.scan.command:scan_parser",
        "ms2torch.scan.command:scan",
    ),
    "diff": Command(
        "beside the real MindSpore: equal, or the first number that differs",
        "ms2torch.difftest.options:parser",
        "ms2torch.difftest.twin:command",
    ),
    "convert": Command(
        "a MindIR file to torch.export's .pt2 or to ONNX",
        "ms2torch.mindir.command:parser",
        "ms2torch.mindir.command:main",
    ),
    "convert-checkpoint": Command(
        "weights and optimizer state from MindSpore's files to PyTorch's, and back",
        "ms2torch.convert.command:parser",
        "ms2torch.convert.command:main",
    ),
    "translate": Command(
        "the PyTorch of a program: idiomatic, proved Cell by Cell and as a whole",
        "ms2torch.translate.command:parser",
        "ms2torch.translate.command:main",
    ),
    "explain": Command(
        "what a MindSpore name, or a line of a file, is in PyTorch",
        "ms2torch.translate.explain:parser",
        "ms2torch.translate.explain:main",
    ),
    "plan": Command(
        "memory per rank and bytes on the wire of a program on many ranks, without them",
        "ms2torch.shim.plan:parser",
        "ms2torch.shim.plan:main",
    ),
    "doctor": Command(
        "what is installed here, what is missing", "ms2torch.doctor:parser", "ms2torch.doctor:main"
    ),
    "reference": Command(
        "the real MindSpore beside it: where, install, run",
        "ms2torch.difftest.reference:parser",
        "ms2torch.difftest.reference:main",
    ),
    "msrun": Command(
        "run in several processes, with the flags of MindSpore's msrun",
        "ms2torch.shim.processes:parser",
        "ms2torch.shim.processes:msrun",
    ),
    "kernel": Command(
        "a Jupyter kernel in which import mindspore gives ms2torch",
        "ms2torch.shim.notebook:parser",
        "ms2torch.shim.notebook:main",
    ),
    "completion": Command(
        "a script that completes this command line: bash, zsh or fish",
        "ms2torch.shim.completion:parser",
        "ms2torch.shim.completion:main",
    ),
}

_DESCRIPTION = """\
Runs MindSpore programs on PyTorch, and tells what they need.

  ms2torch train.py [arguments]             run a program; python -m ms2torch does the same
  ms2torch -m package.module [arguments]    a module
  ms2torch -c "code" [arguments]            a command
  ms2torch [-]                              a prompt, or a program on standard input
  ms2torch COMMAND ...                      see below, and ms2torch COMMAND --help
"""


def find(place: str):
    """The function that ``module:function`` names."""
    module, _, name = place.partition(":")
    return getattr(importlib.import_module(module), name)


class Parser(argparse.ArgumentParser):
    """The parser of every command: options by their whole names, mistakes as one line and the usage."""

    def __init__(self, *args, **options) -> None:
        super().__init__(*args, **{"allow_abbrev": False, **options})

    def error(self, message: str) -> None:
        usage = self.usage or self.format_usage().removeprefix("usage: ")
        told = re.sub(r"^argument (-[^\s/:]+)(/-[^\s:]+)?:", r"\1:", message)  # the first spelling
        wrong(told.removeprefix("argument ") + self._meant(message), usage)

    def _meant(self, message: str) -> str:
        """The option that an unknown one is near to, as a question."""
        unknown = re.match(r"(?:unrecognized arguments:|unknown option) (-[^\s=]+)", message)
        known = [name for action in self._actions for name in action.option_strings]
        near = unknown and get_close_matches(unknown[1], known, 1, 0.75)
        return f"; {near[0]}?" if near else ""


def write_whole(file: str, text: str) -> None:
    """A text into a file, all of it or, where that fails, nothing."""
    if os.path.lexists(file) and not os.path.isfile(file):  # a pipe, a device
        with open(file, "w", encoding="utf-8") as out:
            out.write(text)
        return
    target = os.path.realpath(file)
    part = f"{target}.part{os.getpid()}"
    try:
        with open(part, "w", encoding="utf-8") as out:
            out.write(text)
        os.replace(part, target)
    except OSError as error:
        error.filename = file
        raise
    finally:
        if os.path.exists(part):
            os.remove(part)


def wrong(text: str, usage: str | None = None) -> None:
    """End with exit code 2: bad use of the command line, in a line, and how it is used."""
    shown = f"\nusage: {usage.splitlines()[0]}" if usage else ""
    print(f"ms2torch: {text}{shown}", file=sys.stderr)
    raise SystemExit(2)


def run_parser() -> argparse.ArgumentParser:
    """The options of ``ms2torch`` itself and of ``ms2torch run``."""
    width = max(map(len, COMMANDS)) + 2
    commands = "".join(f"  {name:{width}}{command.help}\n" for name, command in COMMANDS.items())
    p = Parser(
        "ms2torch",
        usage="ms2torch [run] [options] (train.py | -m module | -c code) [arguments]",
        description=_DESCRIPTION,
        epilog=f"commands:\n{commands}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add = p.add_argument
    add(
        "--api",
        metavar="RELEASE",
        type=release,
        help="the MindSpore release the program was written for (1.0 to 2.10), where meanings differ",
    )
    add("--device", metavar="DEVICE", help="cpu, cuda, cuda:1, mps; default: the best device here")
    add(
        "--map-path",
        metavar="OLD=NEW",
        action="append",
        dest="maps",
        default=[],
        help="use folder NEW wherever the program says OLD; may be given several times",
    )
    add(
        "--graph",
        metavar="HOW",
        choices=("eager", "compile", "auto"),
        help="compile train steps, graph mode and jit: eager (never), compile, auto (where it pays; default)",
    )
    add("--check", action="store_true", help="run nothing: the same as ms2torch check")
    add(
        "--report",
        metavar="FILE",
        nargs="?",
        const="-",
        help="at the end, which APIs ran, how often and how long; --report=FILE writes it as JSON",
    )
    add(
        "--profile",
        metavar="FOLDER",
        nargs="?",
        const=".",
        help="at the end, where the time went and what slows the program; a Chrome trace in FOLDER",
    )
    add("-V", "--version", action=_Version, help="versions of ms2torch, PyTorch, and of MindSpore's API")
    group = p.add_argument_group("several processes that train together")
    group.add_argument(
        "--nproc",
        "--nproc-per-node",
        "--nproc_per_node",
        metavar="N",
        type=whole_number(1),
        help="processes on this machine",
    )
    group.add_argument("--nnodes", metavar="M", type=whole_number(1), default=1, help="machines")
    group.add_argument(
        "--node-rank",
        "--node_rank",
        metavar="I",
        type=whole_number(0),
        default=0,
        help="which machine this is, from 0",
    )
    group.add_argument("--master-addr", "--master_addr", metavar="HOST", help="the first machine")
    group.add_argument(
        "--master-port", "--master_port", metavar="PORT", type=whole_number(1), help="its port"
    )
    return p


def whole_number(least: int):
    """The type of an option that is a whole number from ``least`` on."""

    def number(text: str) -> int:
        if not text.isdecimal() or int(text) < least:
            raise argparse.ArgumentTypeError(f"{text!r} is not a whole number from {least} on")
        return int(text)

    return number


def release(text: str) -> str:
    """The type of ``--api``: a release of MindSpore."""
    from ms2torch._naming import generation

    try:
        generation.parse(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from None
    return text


class _Version(argparse.Action):
    def __init__(self, option_strings, dest, help=None) -> None:
        super().__init__(option_strings, dest, nargs=0, help=help)

    def __call__(self, parser, namespace, values, option_string=None) -> None:
        import torch

        from ms2torch._naming import generation

        from ._version import __version__

        print(f"ms2torch {__version__}, MindSpore API {generation.version()}, PyTorch {torch.__version__}")
        raise SystemExit(0)


def split(parser: argparse.ArgumentParser, argv: list[str]) -> tuple[list[str], list[str]]:
    """Our options, and the rest from the program's name (or -, -m, -c) on."""
    known = {name: action for action in parser._actions for name in action.option_strings}
    at = 0
    while at < len(argv) and argv[at].startswith("-") and argv[at] not in ("-", "-m", "-c"):
        name, equals, _ = argv[at].partition("=")
        if name not in known:
            parser.error(f"unknown option {name}")
        at += 1
        if known[name].nargs is None and not equals:
            if at == len(argv):
                parser.error(f"{name} needs a value")
            at += 1
    return argv[:at], argv[at:]


def _prepare(options: argparse.Namespace) -> None:
    """Everything that must hold before the program's first line, here and in its subprocesses."""
    from ms2torch._core import mode
    from ms2torch._core.devices import device
    from ms2torch._core.processes import ranks

    from .shim import alias, paths, usage

    try:
        ranks.export()
        if options.device:
            os.environ["MS2TORCH_DEVICE"] = options.device
        if options.graph:
            os.environ["MS2TORCH_GRAPH"] = mode.graphs = options.graph
        device.select(None)
        maps = options.maps or os.environ.get("MS2TORCH_MAP_PATH", "").splitlines()
        if maps:
            os.environ["MS2TORCH_MAP_PATH"] = "\n".join(maps)
            paths.install(maps)
        alias.install(options.api, inherit=True)
        if options.profile:
            from .shim import profiling

            profiling.start(options.profile)
        if options.report:
            usage.start(options.report)
    except (ValueError, RuntimeError) as err:
        wrong(str(err), run_parser().usage)


def run(argv: list[str]) -> int | None:
    """``ms2torch run ...`` and ``ms2torch ...`` without a command; ends with the program's exit code."""
    parser = run_parser()
    ours, rest = split(parser, argv)
    options = parser.parse_args(ours)
    if rest in (["-m"], ["-c"]):
        parser.error(f"{rest[0]} needs a value")
    if options.check:
        from .scan import command

        return command.check_program(rest, options.api)
    if options.nproc or options.nnodes > 1:
        _early.is_over()
        return _processes(parser, options, rest)
    from .shim import launcher

    _prepare(options)
    _early.is_over()
    match rest:
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
    return None


def _processes(parser: argparse.ArgumentParser, options: argparse.Namespace, rest: list[str]) -> int:
    """The program in several processes, each with the options that are not about processes."""
    from .shim import processes

    if not rest:
        parser.error("--nproc needs a program")
    names = ("--api", "--device", "--graph", "--report")
    passed = [(name, getattr(options, name.strip("-"))) for name in names]
    passed = [f"{name}={value}" for name, value in passed if value is not None]
    program = [*passed, *(f"--map-path={text}" for text in options.maps), *rest]
    try:
        return processes.run(
            program,
            options.nproc or 1,
            options.nnodes,
            options.node_rank,
            options.master_addr,
            options.master_port,
        )
    except ValueError as err:
        return parser.error(str(err))


def _mistyped(word: str) -> str | None:
    """The command that a word which is neither a command nor a file was meant for."""
    if word in COMMANDS or word.startswith("-") or "." in word or os.path.exists(word):
        return None
    return next(iter(get_close_matches(word, COMMANDS, 1, 0.75)), None)


@contextlib.contextmanager
def _ended_from_outside():
    """In here SIGTERM and SIGHUP leave as little behind as Ctrl-C."""
    before = {}
    with contextlib.suppress(ValueError):  # in a thread
        for number in (signal.SIGTERM, signal.SIGHUP):
            if signal.getsignal(number) is signal.SIG_DFL:  # nohup ignores the second
                before[number] = signal.signal(number, _leave)
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _leave(number: int, _) -> None:
    raise SystemExit(128 + number)


def main(argv: list[str] | None = None) -> None:
    """Entry point; ends with the program's own exit code."""
    argv = sys.argv[1:] if argv is None else argv
    if argv and (meant := _mistyped(argv[0])):
        print(f"ms2torch: no command and no file is called {argv[0]!r}; ms2torch {meant}?", file=sys.stderr)
        raise SystemExit(2)
    if argv[:1] == ["run"] or argv[:1] == [] or argv[0] not in COMMANDS:
        code = run(argv[1:] if argv[:1] == ["run"] else argv)
    else:
        try:
            _early.is_over()
            with _ended_from_outside():
                code = find(COMMANDS[argv[0]].main)(argv[1:])
        except KeyboardInterrupt:
            print(f"ms2torch {argv[0]}: interrupted", file=sys.stderr)
            code = 128 + signal.SIGINT
    if code is not None:
        raise SystemExit(code)
