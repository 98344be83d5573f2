"""Which mined rules hold, and what valid calls say against lines of the table of refused calls."""

from __future__ import annotations

import re
from collections import defaultdict

from ms2torch._core.checks import refused, terms
from scripts.sweep import by_hand, mine
from scripts.sweep.compare import NOT_ABOUT_INPUT, sentence
from scripts.sweep.learn import FILE, HEAD, of_any_word
from scripts.sweep.samples import Opaque, collected


def held(called: str, rules, samples) -> list[str]:
    """The lines of the rules that mend more of the samples than they spoil. They explain a call that failed
    and refuse none: what always holds in a few samples refused calls that MindSpore takes."""
    made, done = [], set()
    for test, error, words in rules:
        hit = [s for s in samples if id(s) not in done and terms.holds(test, s.values)]
        right = [s for s in hit if _says(s, error, words)]
        spoilt = sum(not s.differs and not _says(s, error, words) and s.there[0] not in ("crash", "slow")
                     and not NOT_ABOUT_INPUT.search(s.there[-1]) for s in hit)
        if any(s.there[0] == "value" for s in hit) or spoilt >= sum(bool(s.differs) for s in right):
            continue
        done |= {id(s) for s in hit}
        words = words.replace("\n", "\\n").replace("\t", " ")
        if not words.startswith("Failed calling"):      # (its second sentence tells the valid calls)
            made.append("\t".join((called, "if", test, error, words)))
    return made


def _says(sample, error: str, words: str) -> bool:
    try:
        text = terms.fill(words, sample.values).replace("{given}", sample.given)
    except LookupError:
        return False
    return sample.there[0] == error and sentence(text) == sentence(sample.there[-1])


def without_valid(lines: list[str], samples) -> list[str]:
    """The lines without certain kinds that a call which MindSpore takes has; those of a value's class stay
    as explanations of what failed."""
    kept = []
    for line in lines:
        called, place, kinds, error, words = line.split("\t", 4)
        given = [(v, s.pairs) for s in samples.get(called, ()) if s.there[0] == "value"
                 for p, v in s.pairs if p == place and not isinstance(v, Opaque)]
        hard, soft = [], []
        for kind in kinds.split(","):
            if place == "*" or not refused._is_certain(kind, words) or \
                    not any(refused.is_kind(v, kind, pairs) for v, pairs in given):
                hard.append(kind)
            elif " " not in kind and not re.match(r"ndim|num", kind):
                soft.append(f"~{kind}")
        kept += ["\t".join((called, place, ",".join(some), error, words)) for some in (hard, soft) if some]
    return kept


def write(sources) -> tuple[int, int]:
    """Mend the tables by (reference, given, ours) of each sweep: the numbers of mined lines and of all."""
    samples, mined = defaultdict(list), []
    for source in sources:
        for called, some in collected(*source).items():
            samples[called] += some
    for called, some in samples.items():
        if any(s.differs for s in some):
            mined += held(called, mine.of_name(some), some)
    learnt = [x for x in FILE.read_text(encoding="utf-8").splitlines()[1:] if "\tif" not in x]
    lines = [*sorted(without_valid(learnt, samples)), *map(of_any_word, mined)]
    lines = by_hand.applied("refused", lines)
    FILE.write_text(HEAD + "".join(x + "\n" for x in lines), encoding="utf-8")
    return len(mined), len(lines)
