"""Whether printed text says what the documentation says: numbers to a tolerance, all else exactly."""
from __future__ import annotations

import math
import re

RTOL, ATOL = 1e-4, 1e-5
_UNSIGNED = r"(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?j?"
TOKEN = re.compile(rf"""
    (?P<gap>\.\.\.)
  | (?P<special>(?<![\w)\]])[+-]?(?:nan|inf|infinity)\bj?)
  | (?P<number>(?:(?<![\w)\]])[+-])?{_UNSIGNED}(?![A-Za-z_]))
  | (?P<imaginary>(?<=[\d.])[+-](?:{_UNSIGNED}|nanj|infj)(?![A-Za-z_]))
  | (?P<word>[A-Za-z_]\w*|\d\w*)
  | (?P<mark>\S)
""", re.VERBOSE | re.IGNORECASE)
GAP = object()
# What stands before the output of one of several processes: "rank 0:", "# rank_1", "Process with rank 0:",
# "#rank 0 and 4:", "Other processes:".
RANK = re.compile(r"^\s*#? ?(?:Process with )?(?:rank[_ ](\d+(?: and \d+)*)|Other proc?esses) ?(?::|$)",
                  re.MULTILINE)


# What forms differ in: "[[3., 4.], [1., 2.]]" and "[[3. 4.] [1. 2.]]", "shape[2,4]" and "shape=[2, 4]"; a
# tuple or a set in the place of a list.
PUNCTUATION = frozenset(",.:;='\"")
BRACKETS = {"(": "[", "{": "[", ")": "]", "}": "]"}


def tokens(text: str) -> list:
    """Integers, floats, complex numbers, words and marks in order; GAP for dots that stand for anything."""
    as_they_are = ("word", "mark")
    return [GAP if m.lastgroup == "gap" else m.group() if m.lastgroup in as_they_are else _number(m.group())
            for m in TOKEN.finditer(text)]


def _number(text: str):
    if re.fullmatch(r"[+-]?\d+", text):
        return int(text)
    if text.endswith("j"):
        return complex(0, float(text[:-1]))
    return float(text)


def equal(want, got) -> bool:
    """Floats to 1e-4 relative and 1e-5 absolute; an integer is no float; the rest is equal or not."""
    if isinstance(want, complex) and isinstance(got, complex):
        want, got = want.imag, got.imag
    elif not (isinstance(want, float) and isinstance(got, float)):
        return type(want) is type(got) and want == got
    if math.isnan(want) or math.isnan(got):
        return math.isnan(want) and math.isnan(got)
    return want == got or abs(want - got) <= ATOL + RTOL * abs(want) < math.inf


def same(documented: str, printed: str) -> bool:
    """Whether ``printed`` is what ``documented`` shows."""
    return _same(tokens(documented), tokens(printed))


def alike(documented: str, printed: str) -> bool:
    """Whether ``printed`` has the words and numbers of ``documented`` in their order, and its brackets
    around the same of them."""
    want, got = ([BRACKETS.get(token, token) for token in tokens(text) if token not in PUNCTUATION]
                 for text in (documented, printed))
    return _same(want, got, _equal_in_value)


def _equal_in_value(want, got) -> bool:
    """`equal`, where "2" may be written "2."."""
    return equal(want, got) or ({type(want), type(got)} == {int, float} and equal(float(want), float(got)))


def _same(want: list, got: list, equal=equal) -> bool:
    if GAP not in want:
        return _here(want, got, 0, equal) and len(want) == len(got)
    pieces: list[list] = [[]]
    for token in want:
        if token is GAP:
            pieces.append([])
        else:
            pieces[-1].append(token)
    if not any(pieces):
        return want == got
    first, *between, last = pieces
    start, end = len(first), len(got) - len(last)
    if start > end or not _here(first, got, 0, equal) or not _here(last, got, end, equal):
        return _here(want, got, 0, equal) and len(want) == len(got)        # the output itself may hold dots
    for piece in between:
        start = next((i for i in range(start, end - len(piece) + 1) if _here(piece, got, i, equal)), None)
        if start is None:
            return False
        start += len(piece)
    return True


def _here(piece: list, got: list, at: int, equal) -> bool:
    return len(got) - at >= len(piece) and all(
        w is g or equal(w, g) for w, g in zip(piece, got[at:at + len(piece)], strict=True))


def by_rank(want: str, processes: int) -> list[str | None]:
    """What each of several processes prints; None for those of which nothing is said."""
    heads = list(RANK.finditer(want))
    said: list[str | None] = [None] * processes
    for head, end in zip(heads, [*(after.start() for after in heads[1:]), None], strict=False):
        text = want[head.end():end].strip().rstrip(",")
        ranks = [int(n) for n in head[1].split(" and ")] if head[1] else [
            rank for rank in range(processes) if said[rank] is None]
        for rank in ranks:
            if rank < processes:
                said[rank] = text
    return said


def _all_say(statement: dict, ranks: list[dict], same) -> bool:
    """Whether each of several processes prints its part or, where none is told apart, one prints it all."""
    lines = statement["want"].splitlines()
    if all(line.startswith("#") and not RANK.match(line) for line in lines):
        return True                                         # a remark, or nothing
    said = by_rank(statement["want_long"], len(ranks))
    if not any(said):
        return any(_says(statement, run, same) for run in ranks)
    return all(_says({**statement, "want": text, "want_long": text}, run, same)
               for text, run in zip(said, ranks, strict=True) if text is not None)


def _verdict_together(statements: list[dict], runs: list[list[dict]], same) -> tuple[str, str]:
    pairs = list(zip(statements, runs, strict=False))
    wrong = [(statement, ranks) for statement, ranks in pairs if not _all_say(statement, ranks, same)]
    if not wrong:
        return "PASS", ""
    statement, ranks = wrong[0]
    whole = by_rank("\n".join(s["want_long"] for s, _ in pairs if s["want"]), len(ranks))
    printed = ["".join(runs[rank]["out"] + runs[rank]["value"] for _, runs in pairs)
               for rank in range(len(ranks))]
    if any(whole) and all(text is None or same(text, got) for text, got in zip(whole, printed, strict=True)):
        return "PASS", ""                                   # all outputs may stand together behind the last
    return _differs(statement, "; ".join(run["out"] + run["value"] for run in ranks))


def _differs(statement: dict, printed: str) -> tuple[str, str]:
    texts = (statement["source"], statement["want"], printed)
    return "DIFFERS", "{}: documented {}, printed {}".format(*(" ".join(t.split())[:300] for t in texts))


def verdict(statements: list[dict], answer: dict) -> tuple[str, str]:
    """PASS, FORM (all that is documented is printed, in another form), DIFFERS, SILENT (nothing is
    documented) or RAISES, and the first thing that is wrong."""
    if answer["raised"]:
        return "RAISES", answer["raised"]
    exactly = _verdict(statements, answer["runs"], same)
    if exactly[0] == "DIFFERS" and _verdict(statements, answer["runs"], alike)[0] == "PASS":
        return "FORM", exactly[1]
    return exactly


def _verdict(statements: list[dict], runs: list[dict], same) -> tuple[str, str]:
    if runs and "ranks" in runs[0]:
        return _verdict_together(statements, [run["ranks"] for run in runs], same)
    documented = [(s, r) for s, r in zip(statements, runs, strict=False) if s["want"]]
    if not documented:
        return "SILENT", "nothing is documented"
    wrong = [(s, r) for s, r in documented if not _says(s, r, same)]
    printed = (r["out"] + (r["value"] if s["want"] else "") for s, r in zip(statements, runs, strict=False))
    if not wrong or same("\n".join(s["want"] for s, _ in documented), "\n".join(printed)):
        return "PASS", ""                                   # all outputs may stand together behind the last
    statement, run = wrong[0]
    return _differs(statement, run["out"] + run["value"])


def _says(statement: dict, run: dict, same) -> bool:
    if run["documented_error"]:
        return True
    both = run["out"] + run["value"]
    if same(statement["want"], both) or same(statement["want_long"], both):
        return True
    parts = (run["out"], run["value"])                      # one of the two may be all that is documented
    return all(parts) and any(same(statement["want"], part) for part in parts)
