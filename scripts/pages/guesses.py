"""Calls made of a name's signature: each argument has a few values that go by its name (``guesses.txt``).

What is tried first is what stands first; the real MindSpore says which of the calls mean something.
"""

from __future__ import annotations

import itertools
from pathlib import Path

# Calls tried for one name; values tried for one argument.
MOST, EACH = 30, 12
# What a transform of a dataset is given.
ROWS = {
    "mindspore.dataset.vision": ["picture", "small", "frame", "batch, [1, 0]", "planes", "picture, boxes"],
    "mindspore.dataset.audio": ["wave", "waves", "spectrum", "complexes", "level"],
    "mindspore.dataset.text": ["'Good Morning, world 42'", "['a', 'b', 'c']", "'<p>3</p>'", "['1', '2']"],
    "mindspore.dataset.transforms": ["[1, 2, 2]", "np.float32([1, 2])", "picture", "1"],
}
_TEXT = Path(__file__).with_name("guesses.txt").read_text(encoding="utf-8").strip()
VALUES = {
    name: [value.strip() for value in values.split(" ; ")][:EACH]
    for names, values in (line.split(" : ") for line in _TEXT.splitlines())
    for name in names.split()
}


def arguments(form: str) -> list[str]:
    """Calls' arguments for a signature ``(a, b=1)``: those that it needs, and once each with the next one."""
    names = [n.strip() for n in split(form.strip()[1:-1])]
    needed, optional, keywords = [], [], False
    for name in names:
        if name == "*":
            keywords = True
        elif "=" in name:
            optional.append(name.split("=")[0])
        elif name not in ("/", "self") and not name.startswith("**"):
            needed.append(f"{name}=" if keywords else name)
    if not all(name.rstrip("=") in VALUES for name in needed):
        return []
    found = _products(needed)
    for more in optional:
        if more in VALUES and more not in ("dtype", "axis", "dim"):
            found += [", ".join(filter(None, [first, f"{more}={VALUES[more][0]}"]))
                      for first in found[:12] if "=" not in first]
    return list(dict.fromkeys(found))


def _products(names: list[str]) -> list[str]:
    """Values for these arguments: the earlier ones of each first."""
    chosen = [VALUES[name.rstrip("=")] for name in names]
    ranks = itertools.product(*(range(len(values)) for values in chosen))
    ordered = sorted(itertools.islice(ranks, 20_000), key=lambda rank: (sum(rank), rank))
    return [", ".join((name if name.endswith("=") else "") + values[at]
                      for name, values, at in zip(names, chosen, rank, strict=True))
            for rank in ordered[:MOST]]


def calls(full: str, said: str, made: bool, signature: str, construct: str | None) -> list[str]:
    """Calls of a name; ``construct`` is the signature of what an instance of a class is called with."""
    found: list[str] = []
    for form in signature.split(" | "):
        made_with, _, called_with = form.partition(" call")
        first = arguments(made_with)
        if not made:
            found += [f"{said}({given})" for given in first]
            continue
        module = next((m for m in ROWS if full.startswith(m + ".")), None)
        then = ROWS[module] if module else arguments(called_with or construct or "(input)")
        pairs = itertools.product(range(len(first[:20])), range(len(then)))
        ordered = sorted(pairs, key=lambda pair: (sum(pair), pair))
        found += [f"{said}({first[a]})({then[b]})" for a, b in ordered[:MOST]]
    return found


def split(text: str) -> list[str]:
    """The arguments of a call, split at the commas outside brackets."""
    found, depth = [""], 0
    for sign in text:
        depth += (sign in "([{") - (sign in ")]}")
        if sign == "," and not depth:
            found.append("")
        else:
            found[-1] += sign
    return [part for part in found if part.strip()]


