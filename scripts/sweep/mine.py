"""Rules about ranks, sizes and numbers, read off MindSpore's answers to many calls of a name.

Answers of the same words are taken together. What of their numbers always equals a term over the arguments
becomes that term; a condition is looked for that is true of all these calls and of none that MindSpore takes
or answers otherwise. A number that is no term and stays the same although the arguments do not is the rule's
own; one that was seen in a single example makes no rule.
"""

from __future__ import annotations

import itertools
import operator
import re
from collections import defaultdict
from functools import partial

import torch

from ms2torch._core.checks import terms
from ms2torch._core.checks.words import kind_of
from scripts.sweep.compare import NOT_ABOUT_INPUT, sentence
from scripts.sweep.learn import words
from scripts.sweep.samples import Opaque, Sample

_TOKEN = re.compile(
    r"\{[^{}]*(?:Tensor\[|Int32|Float32)[^{}]*\}|"      # a list of what is right: no slot
    r"(?<==)(?:Tensor|int|float|bool|string|None|mindspore\.dtype|(?:Tuple|List)<[^()]*?>|<class '[^']*'>)"
    r"(?=[,)])|"
    r"\[const vector\]\{[\d, -]*\}|\[[\d,]+,\]|\[(?:-?\d+(?:, )?)*\]|\((?:-?\d+,? ?)+\)|\(\)|"
    r"Tensor\[\w+\]|<class '[^']*'>|"
    r"(?<![\w.\"])-?\d+(?:\.\d+)?(?![\w\"])|(?<!\w)'[^' ][^']{0,60}'(?!\w)|"
    r"\b(?:Float16|Float32|Float64|BFloat16|Int8|Int16|Int32|Int64|UInt8|UInt16|UInt32|UInt64|Bool|Complex64|"
    r"Complex128|String|None|List\[[^\]]*\]|Tuple\[[^\]]*\])\b")
_BOUND = re.compile(r"(?:must|should|equal to|than|be|in|to|>=?|<=?|==?|of|at least|rank|support|only)"
                    r"[ :'\"\[(]*$")
_OF_RANK = re.compile(r"rank|dimension|\bdims?\b|-?D\b|length|len\b|size of|number of", re.IGNORECASE)
# Python's own answers about arguments.
_OF_ARGUMENTS = re.compile(r"positional argument|unexpected keyword|multiple values for")


def tokens(sample) -> tuple[str, list[str]]:
    """The skeleton of what MindSpore says, and what fills it."""
    found = []
    known = {*sample.texts.values()}
    number = re.compile(r"-?\d+(\.\d+)?$")

    def one(m):
        text = m[0]
        if text[0] == "{" or text in ("[-1]", "[-2]"):
            return text
        if m.string[: m.start()].endswith("=") and text not in known:
            return text
        if text[0] == "'":
            if text[1:-1] not in known and not number.match(text[1:-1]):
                return text
            found.append(text[1:-1])
            return "'\0'"
        found.append(text)
        return "\0"

    text = sentence(words(sample.there[1]))
    if text.startswith("Failed calling") and f'{sample.given}"' in text:
        text = text.replace(f'{sample.given}"', '{given}"')
    return _TOKEN.sub(one, text), found


def _fitting(sample, token: str) -> set[str]:
    found = {t for t, v in sample.texts.items() if v == token}
    if re.fullmatch(r"-?\d+(\.\d+)?", token):
        found |= {t for t, v in sample.extended.items() if str(v) == token}
    return found


def template(group: list[Sample]) -> tuple[str, list[str]] | None:
    """The words of a group with terms in their holes, and these terms; None where some number is one
    example's."""
    if "Tensor(shape=" in group[0].there[1]:          # an example's values
        return None
    filled = [tokens(s) for s in group]
    skeleton, count = filled[0][0], len(filled[0][1])
    settings = {tuple(sorted(s.numbers.items())) for s in group}
    chosen = []
    for k in range(count):
        seen = {f[1][k] for f in filled}
        fits = set.intersection(*(_fitting(s, f[1][k]) for s, f in zip(group, filled, strict=True)))
        before = _upto(skeleton, k)
        literal = next(iter(seen)) if len(seen) == 1 else None
        square = bool(re.search(r"row size|square|\[-1\]", skeleton))
        ranks = not square and bool(_OF_RANK.search(skeleton) or "axis" in skeleton)
        best = min(fits, key=partial(_plainness, ranks=ranks, square=square), default=None)
        if best is None and literal is None:
            return None
        if literal is not None and re.fullmatch(r"-?\d+(\.\d+)?", literal):
            if best is None and len(settings) < 2 and float(literal) > 8:
                return None
            rule = _BOUND.search(before) and not re.search(r"got[^,]*$|which is $", before)
            after = skeleton.split("\0")[k + 1][:3]
            if best is None or " " in best.partition(")")[2] or \
                    after.startswith(("th", "st", "nd", "rd", "-D", "D")) or \
                    (rule and float(literal) <= 8 and len(settings) > 1 and _OF_RANK.search(before)):
                chosen.append(literal)
                continue
            if best is None and float(literal) > 8:
                return None
        elif best is None and literal and re.fullmatch(r"[\[({].*\d.*", literal):
            return None
        chosen.append("{" + best + "}" if best else literal)
    parts = skeleton.split("\0")
    said = "".join(itertools.chain(*zip(parts, [*chosen, ""], strict=True)))
    return said, [c[1:-1] for c in chosen if c.startswith("{")]


def _upto(skeleton: str, k: int) -> str:
    return "\0".join(skeleton.split("\0")[: k + 1])


def _plainness(term: str, ranks: bool, square: bool) -> tuple:
    """The plainest term sorts first; that of a rank where the words are about ``ranks``, of the last
    dimensions where they are about ``square`` matrices."""
    order = ["kind", "word", "cls", "type", "vector", "tuple", "shape", "dims", "num", "count", "item", "dim",
             "rank", "-rank", "rest", "size", "text", "call"]
    if ranks or square:
        order.insert(8, "rank" if ranks else "dim")
    head = re.match(r"-?\w+", term)[0]
    return (" " in term.partition(")")[2] or term.startswith("-"), order.index(head) if head in order else 99,
            "own_" in term, ("-" in term) is not square, term)


_OPS = {"!=": operator.ne, "<": operator.lt, ">": operator.gt, "<=": operator.le, ">=": operator.ge,
        "==": operator.eq}


def atoms(group: list[Sample], used: list[str], literals: set[float]):
    """Conditions that are true of the whole group, with what they cost: (cost, text, test)."""
    yield from _of_lists(group)
    first = group[0]
    common = [t for t in first.numbers if all(t in s.numbers for s in group)]
    inside = {m for t in used for m in re.findall(r"\w+\(\w+(?:, -?\d)?\)", t)}
    names = [n for n in first.values if n.isidentifier() and all(n in s.values for s in group)]
    for n in names:
        kinds = {kind_of(s.values[n]) for s in group}
        if len(kinds) == 1 and (kind := next(iter(kinds))) not in ("Tensor", "object"):
            yield 2, f"of({n}) == {kind!r}", lambda s, n=n, k=kind: \
                n in s.values and kind_of(s.values[n]) == k
        elif len(kinds) > 1 and "Tensor" not in kinds and "object" not in kinds:
            some = tuple(sorted(kinds))
            yield 3, f"of({n}) in {some!r}", lambda s, n=n, k=some: \
                n in s.values and kind_of(s.values[n]) in k
        if kinds == {"Tensor"}:
            dtypes = {terms.WORDS["dtype"](s.values[n]) for s in group}
            if len(dtypes) == 1:
                d = next(iter(dtypes))
                yield 4, f"dtype({n}) == {d!r}", lambda s, n=n, d=d: _is(s, n) and \
                    terms.WORDS["dtype"](s.values[n]) == d
            some = tuple(sorted(dtypes))
            yield 5, f"dtype({n}) in {some!r}", lambda s, n=n, d=some: _is(s, n) and \
                terms.WORDS["dtype"](s.values[n]) in d
    tensors = [n for n in names if all(_is(s, n) for s in group)]
    for a, b in itertools.combinations(tensors, 2):
        for how, cost in (("dtype", 3), ("shape", 2)):
            if all(terms.WORDS[how](s.values[a]) != terms.WORDS[how](s.values[b]) for s in group):
                yield cost, f"{how}({a}) != {how}({b})", lambda s, a=a, b=b, f=terms.WORDS[how]: \
                    _is(s, a) and _is(s, b) and f(s.values[a]) != f(s.values[b])
    for t in common:
        cost = 0 if t in inside else 2
        for c in sorted({*literals, 0, 1}):
            for sign, op in _OPS.items():
                if sign == "==" and t not in inside and c not in (0, 1):
                    continue
                if all(op(s.numbers[t], c) for s in group):
                    extra = {"!=": 0, "==": 1}.get(sign, 0.2) + (0 if c in literals else 1)
                    yield cost + 1 + extra, f"{t} {sign} {c:g}", lambda s, t=t, c=c, op=op: \
                        t in s.numbers and op(s.numbers[t], c)
    for a, b in itertools.combinations(common, 2):
        if not _comparable(a, b, inside):
            continue
        cost = 2.5 - (a in inside) - (b in inside)
        for sign in ("!=", "<", ">", ">=", "<="):
            op = _OPS[sign]
            if all(op(s.numbers[a], s.numbers[b]) for s in group):
                yield cost + (0 if sign == "!=" else 0.2), f"{a} {sign} {b}", lambda s, a=a, b=b, op=op: \
                    a in s.numbers and b in s.numbers and op(s.numbers[a], s.numbers[b])
        if "num(" in a + b and "rank(" in a + b:
            n, r = (a, b) if a.startswith("num") else (b, a)
            if not all(isinstance(s.numbers[n], int) for s in group):
                continue
            if all(s.numbers[n] < -s.numbers[r] for s in group):
                yield cost, f"{n} < -{r}", lambda s, n=n, r=r: n in s.numbers and r in s.numbers and \
                    s.numbers[n] < -s.numbers[r]
            if all(not -s.numbers[r] <= s.numbers[n] < s.numbers[r] for s in group):
                yield cost - 0.1, f"not -{r} <= {n} < {r}", lambda s, n=n, r=r: n in s.numbers and \
                    r in s.numbers and not -s.numbers[r] <= s.numbers[n] < s.numbers[r]


def _of_lists(group):
    """Conditions about what the message lists: words and dtypes that are right; and about what a sequence
    holds."""
    text, named = words(group[0].there[1]).partition("but got")[0], terms.WORDS["dtype"]
    listed = re.search(r"[\[({]((?:'[\w-]*',? ?){2,})[\])}]", text)
    right = set(re.findall(r"'([\w-]*)'", listed[1])) if listed else set()
    right = right if not right & {"int", "float", "bool", "str", "tuple", "list"} else set()
    dtypes = set(re.findall(r"(?:Tensor\[|mindspore\.)(\w+)\]?(?=[,)\]}])", text))
    dtypes |= {m for found in re.findall(r"\{([\w, ]+)\}", text) for m in found.split(", ")}
    dtypes = {re.sub("^Uint", "UInt", d[:1].upper() + d[1:]) for d in dtypes}
    dtypes = {{"Bool_": "Bool", "Bfloat16": "BFloat16"}.get(d, d) for d in dtypes}
    for n in [n for n in group[0].values if n.isidentifier() and all(n in s.values for s in group)]:
        held = [s.values[n] for s in group]
        if len(right) > 1 and all(isinstance(v, str) and v not in right for v in held):
            some = tuple(sorted(right))
            yield 1, f"of({n}) == 'str' and {n} not in {some!r}", lambda s, n=n, some=some: \
                isinstance(s.values.get(n), str) and s.values[n] not in some
        if len(right) > 1 and all(not isinstance(v, Opaque) and not isinstance(v, torch.Tensor)
                                  and not (isinstance(v, str) and v in right) for v in held):
            some = tuple(sorted(right))
            yield 1.5, f"of({n}) != 'str' or {n} not in {some!r}", lambda s, n=n, some=some: \
                n in s.values and not (isinstance(s.values[n], str) and s.values[n] in some)
        if dtypes and all(_is(s, n) and named(s.values[n]) not in dtypes for s in group):
            some = tuple(sorted(dtypes))
            yield 1, f"dtype({n}) not in {some!r}", lambda s, n=n, some=some, named=named: \
                _is(s, n) and named(s.values[n]) not in some
        for kind in ("str", "float"):
            if all(isinstance(v, (tuple, list)) and any(kind_of(o) == kind for o in v) for v in held):
                yield 2, f"{kind!r} in inside({n})", lambda s, n=n, k=kind: \
                    isinstance(s.values.get(n), (tuple, list)) and any(kind_of(o) == k for o in s.values[n])


def _is(sample, name: str) -> bool:
    return isinstance(sample.values.get(name), torch.Tensor)


def _comparable(a: str, b: str, inside: set[str]) -> bool:
    """Whether two terms may be compared: those of the message, ranks, the same dimension of two tensors, a
    whole number and a rank."""
    if a in inside and b in inside:
        return True
    x, y = a.partition("(")[0], b.partition("(")[0]
    if x == y == "dim" and {a[-3:-1], b[-3:-1]} == {"-1", "-2"} and a[:-3] == b[:-3]:
        return True                     # a matrix is square
    if x == y == "dim":
        return a.partition(",")[2] == b.partition(",")[2]
    return x == y == "rank" or x == y == "count" or {x, y} == {"num", "rank"} or {x, y} == {"count", "rank"}


def condition(group, others, used, literals, tries: int = 14) -> str | None:
    """The plainest condition that is true of the group and of none of the others."""
    found = sorted(atoms(group, used, literals), key=lambda a: (a[0], a[1]))
    partial = []
    for _, text, test in found:
        wrong = [s for s in others if test(s)]
        if not wrong:
            return text
        if len(wrong) < len(others):
            partial.append((text, test, wrong))
    partial.sort(key=lambda p: len(p[2]))
    for (one, _, wrong), (two, test, _) in itertools.combinations(partial[:tries], 2):
        if not any(test(s) for s in wrong):
            return f"{one} and {two}"
    return None


def of_name(samples: list[Sample]) -> list[tuple[str, str, str]]:
    """(condition, error, words) of the rules of one name; they are tried in this order."""
    groups: dict[tuple, list[Sample]] = defaultdict(list)
    free = []
    for s in samples:
        if s.there[0] == "value":
            free.append(s)
        elif s.there[0] not in ("crash", "slow") and not NOT_ABOUT_INPUT.search(s.there[1]) \
                and not _OF_ARGUMENTS.search(s.there[1]):
            skeleton, found = tokens(s)
            groups[s.there[0], skeleton, len(found)].append(s)
    rules, open_ = [], {k: g for k, g in groups.items() if any(s.differs for s in g)}
    done: set[int] = set()
    progress = True
    while progress and open_:
        progress = False
        made = []
        for key, group in open_.items():
            left = [s for s in group if id(s) not in done]
            others = [s for k, g in groups.items() if k != key for s in g if id(s) not in done] + free
            for part in _parts(left):
                if not any(s.differs for s in part) or (told := template(part)) is None:
                    continue
                said, used = told
                plain = re.sub(r"\{[^}]*\}", "", said)
                literals = {float(n) for n in re.findall(r"(?<![\w.])-?\d+(?![\w.])", plain)}
                if len(literals) > 4 or not (test := condition(part, others, used, literals)):
                    continue
                if len(part) == 1 and re.search(r" and (?!\w+ not in)|[^!<>]= -?\d", test):
                    continue                    # one example's
                made.append((sum(bool(s.differs) for s in part), len(part), test, key[0], said, part))
        if made:
            _, _, test, error, said, part = max(made, key=lambda m: (m[1], m[0]))
            full = words(part[0].there[1])
            stop = "." * full.removeprefix(sentence(full)).startswith(".")
            rules.append((test, error, said + stop))
            done |= {id(s) for s in part}
            open_ = {k: g for k, g in open_.items() if any(s.differs and id(s) not in done for s in g)}
            progress = True
    return rules


def _parts(group):
    """A group as a whole, then by what is wrong."""
    if not group:
        return
    yield group
    for split in (r"argument \d+|\w+(?=:)", r"(?<=: ).*"):
        by = defaultdict(list)
        for s in group:
            m = re.search(split, s.key.split(", ", 1)[1])
            by[m[0] if m else ""].append(s)
        if len(by) > 1:
            yield from by.values()
