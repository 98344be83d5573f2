"""``ms2torch doctor``: what is installed here, what is missing, and the command that mends it.

Plain lines where the output is no terminal, JSON with ``--json``; in Chinese where the language is Chinese.
Exit code 1 if ms2torch cannot work as things are, 0 otherwise: the rest is optional.
"""

from __future__ import annotations

import argparse
import importlib.metadata
import importlib.util
import json
import locale
import os
import platform
import shutil
import sys
from typing import NamedTuple

from ms2torch._core.devices import device
from ms2torch._naming import generation

from ._version import __version__
from .cli import Parser

FINE, OPTIONAL, WRONG = "ok", "--", "!!"

_BOTH = "MindSpore {} is here too: `python x.py` runs on it, `python -m ms2torch x.py` on PyTorch"
CHINESE = {
    "Python": "Python",
    "device": "设备",
    "real MindSpore": "真实的 MindSpore",
    "several processes": "多进程",
    "compiled steps": "编译训练步",
    "no C++ compiler: steps run eagerly, with the same numbers": "没有 C++ 编译器：全部 eager 运行，数值不变",
    "digits of the examples": "示例用的手写数字",
    "plots of the guide": "指南的插图",
    "image transforms of PIL": "PIL 图像变换",
    "translate and explain": "translate 与 explain",
    "environment": "环境变量",
    "same environment": "同一环境",
    "not installed": "没有安装",
    "needs {} or newer": "需要 {} 或更新的版本",
    "newer than what was tried ({})": "比试过的版本新（{}）",
    "exports want {}": "导出需要 {}",
    "compiled steps want {}, exports {}, strategies, pipelines and `ms2torch plan` {}":
        "编译训练步需要 {}，导出需要 {}，切分策略、流水线和 `ms2torch plan` 需要 {}",
    "newer than {} (tried: {})": "比 {} 更新的版本（试过 {}）",
    "threads": "线程数",
    "an NVIDIA driver is here, but this PyTorch is a CPU build": "有 NVIDIA 驱动，但这个 PyTorch 是 CPU 版",
    "none; only `ms2torch diff` and the live tests want it": "没有；只供 `ms2torch diff` 和实时对照测试使用",
    "torch.distributed is not in this PyTorch": "这个 PyTorch 不带 torch.distributed",
    _BOTH: "这里也装了 MindSpore {}：`python x.py` 用它运行，`python -m ms2torch x.py` 用 PyTorch",
    "a newer Python": "换用更新的 Python",
    "All that ms2torch needs is here.": "ms2torch 需要的都齐了。",
    "ms2torch cannot work as things are; see the lines with !!.": "目前 ms2torch 无法工作，见标有 !! 的行。",
    "lines with -- are optional": "标有 -- 的是可选的",
}  # fmt: skip


class Line(NamedTuple):
    """One finding: its state, what it is about, what was found, the command that mends it."""

    state: str
    name: str
    found: str
    mend: str = ""


def chinese() -> bool:
    """Whether the user reads Chinese, by the environment's language."""
    for name in ("LC_ALL", "LC_MESSAGES", "LANG"):
        if os.environ.get(name):
            return os.environ[name].lower().startswith("zh")
    return (locale.getlocale()[0] or "").lower().startswith(("zh", "chinese"))


def _say(text: str, *values) -> str:
    return (CHINESE.get(text, text) if chinese() else text).format(*values)


def _version(package: str) -> str | None:
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return None


def _at_least(found: str, needed: str) -> bool:
    numbers = [int("".join(c for c in part if c.isdigit()) or 0) for part in found.split("+")[0].split(".")]
    return tuple(numbers) >= tuple(int(part) for part in needed.split("."))


def _needed() -> list[Line]:
    """Python, PyTorch, numpy, rich."""
    lines = [Line(FINE, "ms2torch", f"{__version__}, MindSpore API {generation.version()}")]
    python = platform.python_version()
    old = not _at_least(python, "3.10")
    found = f"{python}, {_say('needs {} or newer', '3.10')}" if old else (
        f"{python}{_untried('Python', python)} ({sys.executable})")
    lines.append(Line(WRONG if old else FINE, "Python", found, _say("a newer Python") if old else ""))
    for name, needed in (("PyTorch", "2.4"), ("numpy", "1.26"), ("rich", "12")):
        package = {"PyTorch": "torch"}.get(name, name)
        version = _version(package)
        if version is None:
            lines.append(Line(WRONG, name, _say("not installed"), f"pip install {package}"))
        elif not _at_least(version, needed):
            found = f"{version}, {_say('needs {} or newer', needed)}"
            lines.append(Line(WRONG, name, found, f"pip install --upgrade {package}"))
        else:
            lines.append(Line(FINE, name, version + _untried(name, version)))
    return lines


# The newest of each that the suite was run on, whole or in part (scripts/versions.md).
_TRIED = {"Python": "3.13", "PyTorch": "2.15", "numpy": "2.5"}


def _untried(name: str, version: str) -> str:
    """What to know of a version: newer than all that were tried, or without a part of what ms2torch does."""
    if name == "PyTorch" and not _at_least(version, "2.6"):
        if _at_least(version, "2.5"):
            return f", {_say('exports want {}', '2.6')}"
        newer = _say("newer than {} (tried: {})", "2.4", "2.13, 2.15")
        limits = "compiled steps want {}, exports {}, strategies, pipelines and `ms2torch plan` {}"
        return f", {_say(limits, '2.5', '2.6', newer)}"
    newest = _TRIED.get(name)
    major_minor = ".".join(version.split("+")[0].split(".")[:2])
    if newest is None or _at_least(newest, major_minor):
        return ""
    return f", {_say('newer than what was tried ({})', newest)}"


def _devices() -> list[Line]:
    import torch

    try:
        found = device.describe(device.device())
    except (ValueError, RuntimeError) as error:
        return [Line(WRONG, "device", str(error), "unset MS2TORCH_DEVICE")]
    if found == "cpu":
        found = f"cpu ({_say('threads')}: {torch.get_num_threads()})"
        if torch.version.cuda is None and shutil.which("nvidia-smi"):
            why = _say("an NVIDIA driver is here, but this PyTorch is a CPU build")
            return [Line(OPTIONAL, "device", f"{found}; {why}", "pip install --force-reinstall torch")]
    return [Line(FINE, "device", found)]


def _compiler() -> list[Line]:
    """The C++ compiler that ``--graph compile`` and long runs in graph mode use on a CPU."""
    from .compiler import settings

    found = settings.cxx()
    if found:
        return [Line(FINE, "compiled steps", found)]
    none = _say("no C++ compiler: steps run eagerly, with the same numbers")
    return [Line(OPTIONAL, "compiled steps", none, "apt install g++")]


def _reference() -> list[Line]:
    """The real MindSpore that `ms2torch diff` compares with."""
    from .difftest import reference

    try:
        python = reference.find()
        found = reference.versions(python)
    except reference.NoReference as error:
        if os.environ.get("MS2TORCH_REFERENCE_PYTHON"):
            return [Line(OPTIONAL, "real MindSpore", str(error))]
        none = _say("none; only `ms2torch diff` and the live tests want it")
        return [Line(OPTIONAL, "real MindSpore", none, "ms2torch reference install")]
    return [Line(FINE, "real MindSpore", f"{found['mindspore']} ({python})")]


def _distributed() -> list[Line]:
    import torch.distributed as dist

    if not dist.is_available():
        return [Line(OPTIONAL, "several processes", _say("torch.distributed is not in this PyTorch"))]
    kinds = {"Gloo": dist.is_gloo_available, "NCCL": dist.is_nccl_available, "MPI": dist.is_mpi_available}
    return [Line(FINE, "several processes", ", ".join(name for name, there in kinds.items() if there()))]


def _extras() -> list[Line]:
    lines = []
    for name, package, module in (
        ("image transforms of PIL", "pillow", "PIL"),
        ("digits of the examples", "scikit-learn", "sklearn"),
        ("plots of the guide", "matplotlib", "matplotlib"),
        ("translate and explain", "libcst", "libcst"),
    ):
        if importlib.util.find_spec(module):
            lines.append(Line(FINE, name, f"{package} {_version(package)}"))
        else:
            why = f"{package} {_say('not installed')}"
            lines.append(Line(OPTIONAL, name, why, f"pip install {package}"))
    return lines


def _surroundings() -> list[Line]:
    lines = []
    settings = {name: value for name, value in sorted(os.environ.items()) if name.startswith("MS2TORCH_")}
    if settings:
        lines.append(Line(FINE, "environment", ", ".join(f"{k}={v}" for k, v in settings.items())))
    if version := _version("mindspore"):
        lines.append(Line(FINE, "same environment", _say(_BOTH, version)))
    return lines


def examine() -> list[Line]:
    """All findings, in the order in which they are shown."""
    lines = _needed()
    if not any(line.state == WRONG for line in lines):
        for part in (_devices, _compiler, _distributed, _reference, _extras):
            lines += part()
    return lines + _surroundings()


def _width(text: str) -> int:
    """Columns on a terminal: a Chinese character takes two."""
    return sum(2 if ord(c) > 0x2E7F else 1 for c in text)


# A terminal narrower than this shows a finding below its name.
_NARROW = 64


def _lines(console, lines: list[Line]):
    """What is printed for each finding: on a terminal within its width, elsewhere a line each."""
    from rich.table import Table
    from rich.text import Text

    names = {line.name: _say(line.name) for line in lines}
    widest = max(_width(name) for name in names.values())
    styles = {FINE: "green", OPTIONAL: "yellow", WRONG: "bold red"}
    grid = Table.grid(padding=(0, 2))
    for line in lines:
        state, name = Text(line.state, styles[line.state]), names[line.name]
        found, mend = Text(line.found, overflow="fold"), Text(f"->  {line.mend}", "bold", overflow="fold")
        if not console.is_terminal:
            blanks = " " * (widest - _width(name))
            yield f"{line.state}  {name}{blanks}  {line.found}" + (f"   {mend.plain}" if line.mend else "")
            continue
        if line.mend:
            found = Text("\n").join([found, mend])
        if console.width < _NARROW:
            grid.add_row(state, Text("\n").join([Text(name, "bold"), found]))
        else:
            grid.add_row(state, name, found)
    if console.is_terminal:
        yield grid


def show(lines: list[Line]) -> None:
    """Print the findings: coloured and within its width on a terminal, plain elsewhere."""
    from rich.console import Console

    console = Console(highlight=False)
    for shown in _lines(console, lines):
        console.print(shown, soft_wrap=not console.is_terminal, markup=False)
    if any(line.state == WRONG for line in lines):
        console.print(_say("ms2torch cannot work as things are; see the lines with !!."))
    else:
        optional = any(line.state == OPTIONAL for line in lines)
        note = f" ({_say('lines with -- are optional')})" if optional else ""
        console.print(_say("All that ms2torch needs is here.") + note, soft_wrap=not console.is_terminal)


def parser() -> argparse.ArgumentParser:
    """The options of ``ms2torch doctor``."""
    found = Parser("ms2torch doctor", description="What is installed here, what is missing, and the command "
                   "that mends it. Exit code 1 if ms2torch cannot work as things are.")
    found.add_argument("--json", action="store_true", help="the findings for machines")
    return found


def main(argv: list[str]) -> int:
    """``ms2torch doctor``."""
    asked = parser().parse_args(argv)
    lines = examine()
    if asked.json:
        print(json.dumps([line._asdict() for line in lines], indent=1, ensure_ascii=False))
    else:
        show(lines)
    return int(any(line.state == WRONG for line in lines))
