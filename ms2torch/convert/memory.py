"""What a converted file remembers of the one it came from, so that it converts back without any code.

JSON in safetensors' ``__metadata__["ms2torch"]``, in a .pt file's ``state_dict._metadata["ms2torch"]``, and
in field 1000 of a .ckpt, which every reader passes over: rows in the old order, each of which makes an old
tensor of new ones, or holds a small one that has no place on the other side.
"""

from __future__ import annotations

import json

import torch

from .entries import Bad, Checkpoint, Entry
from .making import Make, as_json, from_json, inverse


class Memory:
    """Written: rows of a conversion, by the new tensors that they need."""

    def __init__(self, source: Checkpoint, makes: list[Make], hold: bool = True) -> None:
        ways = {one.name: one for one in inverse(makes, source.entries)}
        self.rows, self.first = [], {}
        for i, (name, entry) in enumerate(source.entries.items()):
            if name in ways:
                self.rows.append([i, name, list(ways[name].sources), list(ways[name].steps)])
            elif hold and (content := as_json(entry)) is not None:
                self.rows.append([i, name, content])
        self.shares = {n: e.shares for n, e in source.entries.items() if e.shares}
        used = {name for row in self.rows if len(row) == 4 for name in row[2]}
        owners = {(one.sources, one.steps): one.name for one in makes if one.name in used}
        tied = {m.name: owners.get((m.sources, m.steps)) for m in makes if m.name not in used}
        self.head = {
            "version": 1,
            "from": source.side,
            "container": source.container,
            "strings": source.strings,
            "shares": self.shares,
            "tied": {name: owner for name, owner in tied.items() if owner},
        }
        self.held = {row[1] for row in self.rows if len(row) == 3}
        self._given = False

    def text(self, names: list[str]) -> str:
        """For the file that holds these names; what belongs to no tensor goes into the first."""
        here = set(names)
        rows = [row for row in self.rows if len(row) == 4 and row[2][0] in here]
        if not self._given:
            rows += [row for row in self.rows if len(row) == 3]
        self._given = True
        return json.dumps(self.head | {"makes": rows}, ensure_ascii=False, separators=(",", ":"))


def repeated(memory: dict, opened: Checkpoint) -> set[str]:
    """The new tensors that one old tensor became beside another, and that still are as that other one."""
    tied = memory.get("tied")
    pairs = tied.items() if isinstance(tied, dict) else ()
    names = [(a, b) for a, b in pairs if a in opened.entries and isinstance(b, str) and b in opened.entries]
    return {a for a, b in names if _is_same(opened.entries[a], opened.entries[b])}


def _is_same(one: Entry, other: Entry) -> bool:
    alike = one.dtype == other.dtype and one.shape == other.shape
    return one.shares == other.name or (alike and all(map(torch.equal, one.pieces(), other.pieces())))


def restore(memory: dict, opened: Checkpoint, target: str) -> tuple[list[Make], dict[str, Entry]] | None:
    """The makes of the old tensors that a file remembers and still can give, and those that it holds itself.

    None where it remembers nothing of that side.
    """
    if memory.get("from") != target:
        return None
    try:
        rows = sorted(memory["makes"], key=lambda row: row[0])
        makes, held = [], {}
        for row in rows:
            if len(row) == 3:
                held[str(row[1])] = from_json(str(row[1]), row[2])
                makes.append(Make(str(row[1]), (f"\0{row[1]}",), (), "remembered"))
            elif all(source in opened.entries for source in row[2]):
                makes.append(Make(str(row[1]), tuple(row[2]), tuple(str(s) for s in row[3]), "remembered"))
        return makes, {f"\0{name}": entry for name, entry in held.items()}
    except (KeyError, TypeError, IndexError, AttributeError):
        raise Bad(
            f"what {opened.path} remembers of its conversion is damaged; --forget goes by rules."
        ) from None
