"""Compares what both sides say to a wrong call."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field

# What the real one says where it has begun to compute, or cannot: no rule about input.
NOT_ABOUT_INPUT = re.compile(
    r"unregistered|Unsupported op \[|Create kernelmod|KernelMod Init|is not supported on CPU|device_target|"
    r"support this kernel data type|Unsupported data type|The pointer|Allocate|memory|Framework Unexpected|"
    r"The function has bug|is nullptr|vector::|std::|Launch kernel|launch kernel|Unable to cast")
# Numbers in sequences, as the numpy on one of the two sides prints them.
NUMPY_2 = re.compile(r"\bnp\.\w+\(('?[\w.+-]*'?)\)")
WORDS = re.compile(r"\.(?=\s|$)|\n")


@dataclass
class Found:
    """The sweep's figures: calls that the real one refuses, those that ``agree``, what differs by kind."""

    calls: int = 0
    refused: int = 0
    agree: int = 0
    taken: list = field(default_factory=list)     # refused there, a value here
    words: list = field(default_factory=list)     # refused on both sides, by another class or other words
    kinds: Counter = field(default_factory=Counter)

    @property
    def share(self) -> float:
        """Of the calls that the real one refuses, those refused here by the same error."""
        return self.agree / max(self.refused, 1)

    def summary(self) -> str:
        rest = ", ".join(f"{count:,} {kind}" for kind, count in self.kinds.most_common())
        return (f"{self.calls:,} wrong calls, {self.refused:,} refused by MindSpore before it computes: "
                f"{self.agree:,} alike ({100 * self.share:.1f} %); {rest or 'no others'}")


def sentence(text: str) -> str:
    """The part of a message before its first full stop, without what differs between two processes."""
    text = text.replace("ms2torch.", "mindspore.").split("\n-----")[0].strip()
    text = NUMPY_2.sub(r"\1", text).replace("'numpy.bool'", "'numpy.bool_'")
    return WORDS.split(re.sub(r"0x[0-9a-f]+", "0x", text), maxsplit=1)[0].strip()


def answered(answers):
    """The (key, outcome) pairs of the real one without those that tell of a call before: unless it runs
    synchronously, an operator's error may come out of the next calls."""
    told: dict[str, str] = {}                          # text -> the dtype that it was told of first
    for key, there in answers:
        if not key or not there:
            continue
        dtype = re.search(r": dtype (\w+)$", key)
        if len(there) > 1:
            first = told.setdefault(there[1], dtype[1] if dtype else "")
            if first and first in there[1] and (dtype is None or dtype[1] != first):
                continue
        yield key, there


def of_valid_calls(reference: dict, ours: dict) -> str:
    """How many of the calls that the real one takes are refused here, and by what."""
    taken = 0
    for name, answers in reference.items():
        here = dict(ours.get(name, ()))
        taken += sum(bool(key and there and there[0] == "value" and here.get(key)) for key, there in answers)
    refused = Counter(error for _, _, error, _ in refused_valid_calls(reference, ours))
    kinds = ", ".join(f"{count} {kind}" for kind, count in refused.most_common())
    return f"{taken:,} calls that MindSpore takes, {sum(refused.values()):,} of them refused here ({kinds})"


def refused_valid_calls(reference: dict, ours: dict):
    """(name, key, error, text) of each call that the real one takes and that is refused here."""
    for name, answers in reference.items():
        here = dict(ours.get(name, ()))
        for key, there in answers:
            if key and there and there[0] == "value" and (got := here.get(key)) and \
                    got[0] not in ("value", "crash") and got[-1] != "slow":
                yield name, key, got[0], got[-1].split("\n")[0][:200]


def compared(reference: dict, ours: dict) -> Found:
    """Both are name -> [[key, outcome], ...]."""
    found = Found()
    for name, answers in reference.items():
        here = dict(ours.get(name, ()))
        for key, there in answered(answers):
            found.calls += 1
            if there[0] in ("value", "crash") or there[-1] == "slow" or NOT_ABOUT_INPUT.search(there[1]):
                continue
            got = here.get(key)
            found.refused += 1
            if got is None or got[-1] == "slow":
                found.kinds["not reached"] += 1
                found.words.append((name, key, there, ["not reached", ""]))
            elif got[0] == "value":
                found.kinds["taken"] += 1
                found.taken.append((name, key, there))
            elif got[0] == there[0] and sentence(got[1]) == sentence(there[1]):
                found.agree += 1
            else:
                found.kinds["other class" if got[0] != there[0] else "other words"] += 1
                found.words.append((name, key, there, got))
    return found
