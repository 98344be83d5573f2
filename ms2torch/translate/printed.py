"""What two runs of a program printed: the same words, and numbers as near as float32 training keeps them."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ms2torch.difftest.yardstick import K

NUMBER = re.compile(
    r"(?<![A-Za-z_.\d])[-+]?(?:\d+\.\d*|\.\d+|\d+)(?:[eE][-+]?\d+)?(?![A-Za-z_])|\bnan\b|\binf\b"
)
# How scalars and tensors are shown on either side, without what names the framework.
_SHOWN = (
    (re.compile(r"np\.\w+\(([^()]*)\)"), r"\1"),
    (re.compile(r"Tensor\(shape=\[[^\]]*\], dtype=\w+, value=\s*((?:[^()]|\([^()]*\))*)\)"), r"\1"),
    (
        re.compile(
            r"tensor\(((?:[^()]|\([^()]*\))*?)(?:, (?:dtype=torch\.\w+|requires_grad=True|grad_fn=<\w+>))*\)"
        ),
        r"\1",
    ),
    (re.compile(r"array\(((?:[^()]|\([^()]*\))*?)(?:, dtype=\w+)?\)"), r"\1"),
)  # fmt: skip
# A dtype's name: torch.float32 on one side, Float32 on the other; of integers, PyTorch's places have 64 bits
# where MindSpore's have 32.
_DTYPES = re.compile(r"\b(?:torch\.)?((?:bfloat|float|uint|int|complex)\d+|bool)\b", re.IGNORECASE)
# Whether a Parameter trains is its own or the optimizer's affair.
_TRAINS = re.compile(r", requires_grad=(?:True|False)\)")
# What a device is called: what a program asked for on one side, what there is on the other.
_DEVICES = re.compile(r"\b(?:Ascend|GPU|CPU|cuda|cpu)\b")
# The names of parameters are each framework's own.
_NAMES = re.compile(
    r"['\"]?(?:\w+\.)+(?:weight|bias|gamma|beta|moving_mean|moving_variance|running_mean|running_var|"
    r"embedding_table|num_batches_tracked)['\"]?"
)
# A line that tells how long something took says nothing about what was computed.
_TIMES = re.compile(r"\btime\b|\bseconds?\b|\bms\b|\d\s?s\b|per step|[sS]peed", re.IGNORECASE)
# Nor does one that shows where in memory a thing lies.
_ADDRESSES = re.compile(r"\bobject .* at 0x[0-9a-fA-F]+>")
# What TimeMonitor prints, which a translation leaves out.
_MONITORED = re.compile(r"(?:Train |Eval )?epoch time: *[\d.]+ *ms, per step time: *[\d.]+ *ms")
# A dict of numbers by name: where a set of names made it, as a Model's metrics are, it has no order.
_DICT = re.compile(r"\{('[\w ]+': [^{},:]+(?:, '[\w ]+': [^{},:]+)+)\}")
NEAR = 1e-4
_LEAST = 1e-6  # below this float32 training keeps no digit of what is small beside all else


def numbers(lines: list[str], names: list[str] = ()) -> tuple[list[str], list[list[float]]]:
    """The wording of each line without the names of parameters, and its numbers."""
    words, found = [], []
    shown = sorted(map(re.escape, names), key=len, reverse=True)
    known = re.compile(rf"(['\"])(?:{'|'.join(shown)})\1") if shown else None
    for line in lines:
        line = known.sub("@", line) if known else line
        for pattern, shown in _SHOWN:
            line = pattern.sub(shown, line)
        line = _TRAINS.sub(")", line)
        line = _NAMES.sub("@", _DTYPES.sub(_dtype, _DEVICES.sub("device", line)))
        words.append(re.sub(r"[\s,]+", "", NUMBER.sub("#", line)))
        found.append([float(n) for n in NUMBER.findall(line)])
    return words, found


def _by_name(found: re.Match) -> str:
    return "{" + ", ".join(sorted(found[1].split(", "))) + "}"


def _dtype(found: re.Match) -> str:
    name = found[1].lower()
    return "int" if name in ("int32", "int64") else name


def join_lines(lines: list[str]) -> list[str]:
    """Arrays that were broken into several lines, as one."""
    whole, depth = [], 0
    for line in lines:
        if depth > 0:
            whole[-1] += " " + line
        else:
            whole.append(line)
            depth = 0
        depth += line.count("[") + line.count("(") - line.count("]") - line.count(")")
    return whole


class _Told(NamedTuple):
    """What a program printed, by line: as it stands, its wording, its numbers."""

    lines: list[str]
    words: list[str]
    numbers: list[list[float]]


def _read(lines: list[str], names: list[str]) -> _Told:
    lines = [line for line in join_lines(lines) if not _MONITORED.match(line)]
    lines = [_DICT.sub(_by_name, line) for line in lines]
    return _Told(lines, *numbers(lines, names))


def first_difference(
    one: list[str], two: list[str], names: list[str] = (), moved: Sequence[list[str]] = ()
) -> str:
    """The first line of ``one`` that ``two`` lacks at its place, in words; empty where there is none.

    ``names`` are those of parameters, which each framework gives as it does. ``moved`` are runs of the first
    program with its results moved by what rounding may do: numbers may lie ``K + 1`` times as far apart as
    these lie from ``one``, up to that line, in lines of its wording.
    """
    one, two, *moved = (_read(side, names) for side in (one, two, *moved))
    return _other_words(one, two) or _other_numbers(one, two, moved)


def differs_in_words(one: list[str], two: list[str], names: list[str] = ()) -> bool:
    """Whether two sides say other things, and not the same with other numbers."""
    return bool(_other_words(_read(one, names), _read(two, names)))


def _other_words(one: _Told, two: _Told) -> str:
    for i, (word, other) in enumerate(zip(one.words, two.words, strict=False)):
        if word != other and not _is_timed(i, one, two):
            return _line(i, one, two)
    if len(one.words) != len(two.words):
        return f"{len(one.words)} lines and, translated, {len(two.words)}"
    return ""


def _other_numbers(one: _Told, two: _Told, moved: list[_Told]) -> str:
    rounding: dict[tuple[str, int], float] = defaultdict(float)
    for i, word in enumerate(one.words):
        if _is_timed(i, one, two):
            continue
        last = 10.0 ** -max(_places(one.lines[i]), _places(two.lines[i]))
        moved = [run for run in moved if run.words[: i + 1] == one.words[: i + 1]]
        groups = _groups(one.lines[i], *(side.numbers[i] for side in (one, two, *moved)))
        for place, (a, b, *others) in enumerate(groups):
            reach = max([rounding[word, place], *(_apart(a, other) for other in others)])
            if not _near(a, b, last, (K + 1) * reach):
                return _line(i, one, two)
            rounding[word, place] = reach
    return ""


def _groups(line: str, *sides: list[float]) -> list[list[np.ndarray]]:
    """The numbers that belong together in a line, of each side."""
    parts = _parts(line)
    ends = np.cumsum(parts)[:-1] if {sum(parts)} == {len(row) for row in sides} else []
    return list(zip(*(np.split(np.array(row), ends) for row in sides), strict=True))


def _is_timed(i: int, one: _Told, two: _Told) -> bool:
    shown = one.lines[i], two.lines[i]
    return bool(_ADDRESSES.search(one.lines[i]) or any(map(_TIMES.search, shown)))


def _line(i: int, one: _Told, two: _Told) -> str:
    return f"line {i + 1}: {one.lines[i]!r:.90} and, translated, {two.lines[i]!r:.90}"


def _parts(line: str) -> list[int]:
    """How many numbers of a line belong together: those between brackets do, any other stands alone."""
    for pattern, shown in _SHOWN:
        line = pattern.sub(shown, line)
    found, depth, at = [], 0, 0
    for number in NUMBER.finditer(_NAMES.sub("@", line)):
        before = _NAMES.sub("@", line)[at : number.start()]
        inside = depth
        for mark in before:
            depth += (mark == "[") - (mark == "]")
            inside = min(inside, depth)
        if depth > 0 and inside > 0 and found:
            found[-1] += 1
        else:
            found.append(1)
        at = number.end()
    return found


def _places(line: str) -> int:
    """How many decimals the numbers of a line have."""
    shown = NUMBER.findall(line)
    return max((len(n.partition(".")[2]) for n in shown if "e" not in n.lower()), default=0)


def _near(a: np.ndarray, b: np.ndarray, last: float, allowed: float) -> bool:
    """Whether numbers agree to ``NEAR`` or ``allowed``, or but for how the ``last`` decimal was rounded."""
    if a.shape != b.shape or not np.array_equal(np.isfinite(a), np.isfinite(b)):
        return False
    a, b = a[np.isfinite(a)], b[np.isfinite(b)]
    scale = np.abs(a).max(initial=0.0)
    rounding = 1.01 * last if last <= 10 * NEAR * scale else 0.0
    return bool(np.abs(a - b).max(initial=0.0) <= max(max(NEAR, allowed) * scale, rounding, _LEAST))


def _apart(a: np.ndarray, b: np.ndarray) -> float:
    """How far numbers lie apart, as a part of the largest."""
    if a.shape != b.shape or not np.isfinite([*a, *b]).all():
        return 0.0
    scale = np.abs(a).max(initial=0.0)
    return float(np.abs(a - b).max(initial=0.0) / scale) if scale else 0.0
