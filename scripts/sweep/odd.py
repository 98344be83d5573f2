"""Calls in which a plain argument is a Tensor, a number or an array of numpy's, or something else that Python
takes for a number, a sequence or a word; and the engine's table of those that MindSpore refuses.

The generator runs on either side.
"""

from __future__ import annotations

import re
from collections import defaultdict
from pathlib import Path

from scripts.sweep import by_hand
from scripts.sweep.compare import NOT_ABOUT_INPUT, answered, sentence

_HEAD = "called\tplace\tkinds\terror\twords"
FILE = Path(__file__).resolve().parents[2] / "ms2torch" / "_core" / "checks" / "odd.tsv"


def odd_values(value) -> list[tuple[str, object]]:
    """``(what it is, what makes it)``; none where a Tensor is right."""
    import mindspore as ms
    import numpy as np
    from mindspore import Tensor

    others = [("dtype", lambda: ms.float32), ("function", lambda: abs), ("bytes", lambda: b"a")]
    if isinstance(value, (bool, int, float)):
        kinds = {"Tensor 0-d": Tensor, "Tensor of 1": lambda v: Tensor([v]),
                 "Tensor of 2": lambda v: Tensor([v, v]), "float Tensor": lambda v: Tensor(float(v)),
                 "array 0-d": np.array, "array": lambda v: np.array([v]), "numpy int": np.int64,
                 "numpy float": np.float32, "numpy float64": np.float64, "numpy bool": np.bool_,
                 "set": lambda v: {v}, "complex": complex}
        return [*((what, lambda make=make: make(value)) for what, make in kinds.items()), *others]
    if isinstance(value, str):
        return [("Tensor 0-d", lambda: Tensor(1)), ("tuple", lambda: (value,)),
                ("numpy str", lambda: np.str_(value)), *others]
    if isinstance(value, (tuple, list)) and value and all(isinstance(v, (int, float)) for v in value):
        kind = type(value)
        inside = {"Tensor 0-d": Tensor, "Tensor of 1": lambda v: Tensor([v]), "numpy int": np.int64,
                  "numpy float": np.float32, "numpy float64": np.float64, "bool": bool, "float": float,
                  "None": lambda v: None, "list": lambda v: [v]}
        return [("Tensor", lambda: Tensor(value)), ("array", lambda: np.array(value)),
                *((f"{what} inside", lambda make=make: kind(map(make, value)))
                  for what, make in inside.items()),
                ("one Tensor inside", lambda: kind([Tensor(value[0]), *value[1:]])),
                ("nested", lambda: kind([kind(value)])), ("range", lambda: range(len(value))),
                ("set", lambda: set(value)), *others]
    return []


def odd(args: tuple, kwargs: dict):
    """``(what is odd, args, kwargs)`` for each call with one odd argument."""
    for place, value in (*enumerate(args), *kwargs.items()):
        for what, make in odd_values(value):
            try:
                other = make()
            except Exception:               # there is none: infinity is no int of numpy's
                continue
            if isinstance(place, int):
                yield f"argument {place + 1}: {what}", (*args[:place], other, *args[place + 1:]), kwargs
            else:
                yield f"{place}: {what}", args, {**kwargs, place: other}


# ---- the table ---------------------------------------------------------------------------------------------

# What stands before a value that is too short to be found anywhere in a message.
_BEFORE = r"(?:got|is|value|elements?|types?|in):? ?'?"
# Facts of one call, not of the odd value: sizes, numbers.
_OF_ONE_CALL = re.compile(r"(?<![\w\[(])\d+(?![\w\])-])")
# What is asked of several arguments together.
_TOGETHER = re.compile(r"\bsame\b|consistent|different|equal to the")
_OF_MESSAGES = frozenset(("list", "tuple", "type", "Tensor"))
_HOLES = ("abstract", "text", "printed", "str", "item_text", "cls", "item_cls", "call", "kind", "item_kind",
          "item_call", "type", "item_type", "word", "shape", "name", "core")


def lines(reference: dict, described: dict, ours: dict, soft: str = "") -> list[str]:
    """The table's lines: what MindSpore says in all calls to a kind of odd values, and ours does not;
    ``soft`` stands before their kinds."""
    answers = defaultdict(list)
    for name, found in reference.items():
        told, here = dict(described.get(name, ())), dict(ours.get(name, ()))
        api = name.partition("#")[0].removeprefix("mindspore.")
        tensors = {stage: _of_tensors(told, stage) for stage in ("make", "call") if soft}
        for key, there in answered(found):
            args = told.get(key)
            if not isinstance(args, list) or (args and isinstance(args[0], str)):
                continue
            stage, what = key.split()[0], key.split(", ", 1)[1]
            if what.startswith(("twice ", "one too many")):
                continue
            place, value = _odd_one(what, [a for a in args if a[0] != "self"], stage)
            if value and not (soft and place in tensors[stage] and "Tensor" in value["odd"]):
                answers[f"{api} {stage}", place, value["odd"]].append((there, value, here.get(key)))
    rows, seen = defaultdict(list), defaultdict(dict)
    for (called, place, kind), given in answers.items():
        told = {_template(there, value) for there, value, _ in given}
        differs = any(got is None or [got[0], sentence(got[-1])] != [there[0], sentence(there[-1])]
                      for there, _, got in given)
        said = told.pop() if len(told) == 1 else None
        seen[called, place][kind] = said
        if differs and said:
            rows[called, place, said].append(kind)
    for (called, place, said), kinds in rows.items() if soft else ():
        plain = [other for kind, other in seen[called, place].items() if kind in _PLAIN]
        if len(plain) < 4 or any(other != said for other in plain):         # it may tell of this number
            kinds[:] = [kind for kind in kinds if kind not in _PLAIN]
        for alike in _ALIKE:
            others = [seen[called, place][k] for k in alike if k in seen[called, place]]
            if not alike.isdisjoint(kinds) and len(others) > 1 and all(o == said for o in others):
                kinds += sorted(alike.difference(kinds))
    return sorted("\t".join((called, place, soft + ",".join(sorted(kinds)), error, words))
                  for (called, place, (error, words)), kinds in rows.items() if kinds)


# Kinds of what programs give: of another number or word MindSpore may say something else, or nothing.
_PLAIN = frozenset(("int", "negative", "large", "float", "bool", "str", "tuple", "list", "None",
                    "empty tuple", "empty list"))
# Strange kinds that MindSpore seldom tells from each other: what it says to two of them it says to all.
_ALIKE = tuple(map(frozenset, (
    ("slice", "ellipsis", "dict", "set", "range", "bytes", "complex", "COOTensor", "CSRTensor"),
    ("array", "array 0-d"), ("numpy int", "numpy float", "numpy bool"), ("nan", "inf"),
    ("tuple of rows", "tuple of tuple", "list of rows", "list of list"),
    ("tuple of None", "tuple of str", "tuple of bool", "tuple of dtype", "list of array",
     "tuple of numpy int"))))


def _of_tensors(told: dict, stage: str) -> set[str]:
    """The places of a documented call's Tensors, of which a wrong one is told by more than its kind."""
    found = set()
    for key, args in told.items():
        if key.startswith(stage) and isinstance(args, list) and not (args and isinstance(args[0], str)):
            args = [a for a in args if a[0] != "self"]
            odd, _ = _odd_one(key.split(", ", 1)[1], args, stage)
            for k, (name, by, value) in enumerate(args):
                place = name if by or stage == "make" else str(k)
                if value and place != odd and "Tensor" in value["odd"].partition(" inside")[0]:
                    found.add(place)
    return found


def _odd_one(what: str, args, stage: str):
    """(place, how errors may name it) of the odd argument."""
    if m := re.match(r"argument (\d+): ", what):
        k = int(m[1]) - 1
        return (args[k][0] if stage == "make" else str(k), args[k][2]) if k < len(args) else (None, None)
    name = what.partition(":")[0]
    return next(((n, value) for n, by, value in args if by and n == name), (None, None))


def _template(there: list, value: dict) -> tuple[str, str] | None:
    """(class, words) of an error with holes for the value; None for what tells of one call, or nothing."""
    if len(there) < 2 or NOT_ABOUT_INPUT.search(there[1]):
        return None
    text = sentence(there[1])
    for hole in _HOLES:
        said = value.get(hole)
        if not said or len(said) > 600 or said in _OF_MESSAGES:
            continue
        before = _BEFORE if len(said) < 3 else r"(?<![\w.])"
        hits = list(re.finditer(rf"({before}){re.escape(said)}(?!\w)", text))
        if hits:
            text = f"{text[: hits[-1].end(1)]}{{{hole}}}{text[hits[-1].end():]}"
    if _TOGETHER.search(text):
        return None
    if there[0] != "TypeError" and _OF_ONE_CALL.search(re.sub(r"\{\w+\}", "", text)):
        return None
    return there[0], text.replace("\n", "\\n").replace("\t", " ")


def clear() -> None:
    """Take the lines of one odd value each out of the table: what ours says without them needs none."""
    _write([line for line in _kept() if _is_soft(line)])


def _kept() -> list[str]:
    return FILE.read_text(encoding="utf-8").splitlines()[1:]


def _is_soft(line: str) -> bool:
    return "\t~" in line


def add_strange(reference: dict, described: dict, ours: dict) -> int:
    """Add what MindSpore says of strange values (`strange`), where ours says otherwise, to the table: lines
    that are no reason to look before a call; the number of the lines that are new."""
    old = _kept()
    new = by_hand.applied("odd", lines(reference, described, ours, "~"))
    new = [line for line in new if line not in old]
    _write(_by_name([*new, *old]))              # (of two lines the first is asked)
    return len(new)


def _by_name(made: list[str]) -> list[str]:
    return sorted(made, key=lambda line: line.partition("\t")[0])


def _write(made: list[str]) -> None:
    FILE.write_text("".join(f"{x}\n" for x in (_HEAD, *made)), encoding="utf-8")


def write(reference: dict, described: dict, ours: dict) -> int:
    """Write the table; the number of its lines."""
    made = by_hand.applied("odd", lines(reference, described, ours))
    _write(_by_name([*made, *(line for line in _kept() if _is_soft(line) and line not in made)]))
    return len(made)
