"""The mapping file, which a person can edit: which tensor becomes which, and what is done on the way.

# ms2torch mapping from mindspore to torch
conv1.weight <TAB> conv1.weight <TAB> squeeze 2 <TAB> # [6, 1, 1, 5] float32, rule
a.w1.weight + a.w3.weight <TAB> a.fc.weight <TAB> join 0
head.scale <TAB> ?          no partner is known: a name in place of ? gives it one
head.extra <TAB> -          left out on purpose
"""

from __future__ import annotations

import os

from ms2torch.cli import write_whole

from .entries import MINDSPORE, TORCH, Bad, Entry
from .making import Make, inverse

_HEAD = "# ms2torch mapping from "
_HELP = """\
# IN's tensors (a + b), a tab, OUT's name, a tab, steps. ? has no partner yet, - is left out on purpose.
# Steps, with ; between: squeeze 2, unsqueeze 2, t, part AXIS BEGIN END, join AXIS, dtype NAME.
"""


def text(makes: list[Make], entries: dict[str, Entry], side: str, alone: list[str], wanted: list[str]) -> str:
    """The file. ``alone``: IN's tensors without partner; ``wanted``: names that OUT's model has besides."""
    lines = [f"{_HEAD}{side} to {TORCH if side == MINDSPORE else MINDSPORE}", *_HELP.splitlines()]
    rows = {one.sources[0]: [] for one in makes}
    for one in makes:
        note = ", ".join(
            [
                str(list(entries[one.sources[0]].shape)),
                str(entries[one.sources[0]].dtype).removeprefix("torch."),
                *filter(None, [one.how]),
            ]
        )
        rows[one.sources[0]].append(
            "\t".join([" + ".join(one.sources), one.name, "; ".join(one.steps), f"# {note}"])
        )
    used = {source for one in makes for source in one.sources}
    for name, entry in entries.items():
        lines += rows.get(name, [])
        if name not in used:
            lines.append(f"{name}\t{'?' if name in alone else '-'}\t\t# {list(entry.shape)}")
    lines += [f"# OUT's model has also: {name}" for name in wanted]
    return "\n".join(lines) + "\n"


def read(path: str, entries: dict[str, Entry], side: str) -> tuple[list[Make], set[str]]:
    """The makes of a mapping file, in whichever direction it was written, and what is left out on purpose."""
    try:
        with open(path, encoding="utf-8") as file:
            content = file.read()
    except (OSError, UnicodeDecodeError) as err:
        raise Bad(f"can't read {path}: {getattr(err, 'strerror', None) or 'it is no text'}.") from None
    if not content.startswith(_HEAD):
        raise Bad(f"{path} is no mapping of ms2torch; its first line would be {_HEAD}mindspore to torch.")
    written_for = content[len(_HEAD) :].split()[0]
    makes, dropped = [], set()
    for number, line in enumerate(content.splitlines(), 1):
        fields = [part.strip() for part in line.split("#")[0].split("\t")]
        if not any(fields):
            continue
        if len(fields) < 2 or not fields[1] or len(fields) > 4:
            raise Bad(f"{path}, line {number}: a line is IN's name, a tab, OUT's name, a tab, steps.")
        sources = tuple(part.strip() for part in fields[0].split(" + "))
        if fields[1] in ("?", "-"):
            dropped |= set(sources) if fields[1] == "-" else set()
            continue
        steps = tuple(s.strip() for s in (fields[2] if len(fields) > 2 else "").split(";") if s.strip())
        makes.append(Make(fields[1], sources, steps, "mapping"))
    if written_for != side:
        makes = _turned(makes, entries, path)
    for one in makes:
        if missing := [source for source in one.sources if source not in entries]:
            raise Bad(f"{path}: IN has no {missing[0]!r}.")
    return makes, dropped


def _turned(makes: list[Make], entries: dict[str, Entry], path: str) -> list[Make]:
    """The same pairs in the other direction; their shapes are those that IN has."""
    if any(s.startswith(("join", "part")) for one in makes for s in one.steps):
        raise Bad(
            f"{path} was written for the other direction and joins tensors; write one for this direction."
        )
    stand_ins = {source: entries[one.name] for one in makes for source in one.sources if one.name in entries}
    usable = [make for make in makes if make.name in entries]
    return [one._replace(how="mapping") for one in inverse(usable, stand_ins)]


def write(path: str, content: str, force: bool) -> None:
    """Write a mapping file. Raises `Bad`."""
    if os.path.exists(path) and not force:
        raise Bad(f"{path} exists; --force writes over it.")
    try:
        write_whole(path, content)
    except OSError as err:
        raise Bad(f"can't write {path}: {err.strerror}.") from None
