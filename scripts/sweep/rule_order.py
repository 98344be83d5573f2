"""The order in which Primitives look at their inputs: the lines of rules.tsv, put into it by what the real
one says to calls that break several rules at once. Those that a call may break whose shapes it refuses
first are late."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from itertools import combinations

from ms2torch._core.checks import rules
from ms2torch._core.operators.signatures import converted, signature_error
from scripts.sweep.compare import NOT_ABOUT_INPUT, answered, sentence
from scripts.sweep.rules import FILE, HEAD
from scripts.sweep.samples import unpacked

_OF_KINDS = re.compile(r"must be (?:a type of|Tensor|all tensor)|type must be same|can ?not be implicitly|"
                       r"Type implicit|Data type conversion|does not match the requires|Failed calling")


def _calls(sources):
    """(Primitive, its inputs, MindSpore's class and words) of each call of one that was answered."""
    for reference, given in sources:
        for name, answers in reference.items():
            args = dict(given.get(name, ()))
            for key, there in answered(answers):
                told = args.get(key)
                if not key.startswith("call") or not isinstance(told, list) or len(there) < 2:
                    continue
                if (told and isinstance(told[0], str)) or there[0] in ("crash", "slow"):
                    continue
                values = [unpacked(v) for place, by, v in told if place[0] != "@" and not by]
                yield name.partition("#")[0].rpartition(".")[2], values, there


def ordered(lines: list[str], sources) -> list[str]:
    """The table's ``lines`` in the order of looking."""
    first: dict[str, Counter] = defaultdict(Counter)        # Primitive -> (rule, another) -> how often before
    behind: dict[str, Counter] = defaultdict(Counter)       # ... rule -> how often something else came before
    hit: dict[str, Counter] = defaultdict(Counter)
    for name, values, (error, text, *_) in _calls(sources):
        if NOT_ABOUT_INPUT.search(text) or signature_error(name, values):
            continue
        values, broken, told = converted(name, values), [], None
        for rule in rules._rules(name):
            kind = rule.kind.removeprefix(rules._LATE)
            wrong = rules._JUDGES.get(kind, rules._fits)(name, rule, values)
            if wrong:
                broken.append(rule)
                if type(wrong).__name__ == error and sentence(str(wrong)) == sentence(text):
                    told = told or rule
        if told:
            hit[name][told] += 1
            for other in broken:
                if other is not told:
                    first[name][told, other] += 1
        elif not _OF_KINDS.search(sentence(text)):
            for rule in broken:
                behind[name][rule] += 1
    by_name: dict[str, list[str]] = defaultdict(list)
    for line in lines:
        by_name[line.partition("\t")[0]].append(line)
    return [line for name, some in sorted(by_name.items())
            for line in _sorted(name, some, first[name], behind[name], hit[name])]


def _sorted(name: str, lines: list[str], first: Counter, behind: Counter, hit: Counter) -> list[str]:
    asked = rules._rules(name)
    others = [line for line in lines if line.split("\t")[1] == "attribute"]
    own = [line for line in lines if line not in others]
    order = list(range(len(asked)))
    for _ in order:                                     # (few, and nearly in order)
        for k, j in combinations(range(len(order)), 2):
            a, b = asked[order[k]], asked[order[j]]
            if first[b, a] > first[a, b]:
                order.insert(k, order.pop(j))
    late = [k for k in order if behind[asked[k]] > hit[asked[k]]]
    # One that was late stays so, unless it was told of before one that is not.
    at_once = [k for k in order if k not in late and not asked[k].kind.startswith(rules._LATE)]
    late += [k for k in order if k not in late and asked[k].kind.startswith(rules._LATE) and not any(
        first[asked[k], asked[j]] > first[asked[j], asked[k]] for j in at_once)]
    told = []
    for k in (*(k for k in order if k not in late), *late):
        primitive, kind, rest = own[k].split("\t", 2)
        kind = rules._LATE * (k in late) + kind.removeprefix(rules._LATE)
        told.append("\t".join((primitive, kind, rest)))
    return [*told, *others]


def write(sources) -> None:
    """Put the table in order by (reference, given) of sweeps."""
    lines = FILE.read_text(encoding="utf-8").splitlines()[1:]
    FILE.write_text(HEAD + "".join(line + "\n" for line in ordered(lines, sources)), encoding="utf-8")
