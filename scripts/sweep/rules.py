"""What each of MindSpore's Primitives asks of its inputs, read off its refusals: rules.tsv of the engine.

A line: Primitive, rule, inputs (position:name in the order in which MindSpore names them, "+" for a space),
what is right.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from pathlib import Path

FILE = Path(__file__).resolve().parents[2] / "ms2torch" / "_core" / "checks" / "rules.tsv"
HEAD = "primitive\trule\tinputs\tright\n"

_PATTERNS = {
    "call": r"Failed calling (?P<p>\w+) with \"(?P=p)\(.*\nThe valid calling should be: ?\n"
            r"\"(?P<right>(?P=p)\([^\n]*)\"",
    "count": r"For primitive\[(?P<p>\w+)\], the (?P<right>input numbers? must be equal to \d+), but got",
    "convert": r"For '(?P<p>\w+)', the (?P<at>\d+)th input (?P<a>\w+) can not be implicitly converted",
    "tensor": r"For Primitive\[(?P<p>\w+)\], the type of input argument\[(?P<a>[\w ()]+)\] must be Tensor "
              r"but got",
    "dtype": r"For primitive\[(?P<p>\w+)\], the input argument\[(?P<a>[\w ()]+)\] must be a type of "
             r"\{(?P<right>Tensor\[.*?)\}, but got Tensor\[",
    "type": r"For primitive\[(?P<p>\w+)\], the input argument\[(?P<a>[\w ()]+)\] must be a type of "
            r"\{(?P<right>(?!Tensor\[)\w.*?)\}, but got \w+",
    "same": r"The primitive\[(?P<p>\w+)\]'s input arguments\[(?P<all>[\w, ]+)\] must be all tensor and "
            r"those type must be same.*?input argument\[(?P<a>\w+)\].*?\{(?P<right>.*?)\}",
    "alike": r"For primitive\[(?P<p>\w+)\], the input type must be same\.\n(?P<names>.*?)\n\n---",
}
# Attributes that a Primitive's constructor refuses.
ATTRIBUTE = re.compile(
    r"For '\w+', the (?:type of '(?P<a>\w+)' (?P<types>should be .*?), but got (?:type '|<)|"
    r"'(?P<b>\w+)' (?P<range>must be (?:int|float)(?: and must [<>=]+ [-\d.]+)?), but got '|"
    r"input '(?P<c>\w+)' (?P<word>should be a str), but got <)")
PATTERNS = {rule: re.compile(text, re.DOTALL if rule in ("same", "alike", "call") else 0)
            for rule, text in _PATTERNS.items()}


def rules(reference: dict) -> list[str]:
    """The table's lines; ``reference`` is name -> [[key, outcome], ...] of the real one."""
    places: dict[tuple[str, str], Counter] = defaultdict(Counter)      # (Primitive, input) -> where it stands
    found: dict[tuple[str, str], Counter] = defaultdict(Counter)       # (Primitive, rule) -> facts
    attributes: Counter = Counter()                                   # (Primitive, attribute, what is right)
    for name, answers in reference.items():
        for key, outcome in answers:
            if not outcome or len(outcome) < 2:
                continue
            m = ATTRIBUTE.match(outcome[1])
            if m and name.startswith("mindspore.ops.") and key.startswith("make"):
                called, right = m["a"] or m["b"] or m["c"], m["types"] or m["range"] or m["word"]
                attributes[name.rpartition(".")[2], called, right] += 1
            at = re.search(r"(make|call) \d+, argument (\d+):", key)
            for rule, pattern in PATTERNS.items():
                if not (m := pattern.match(outcome[1])):
                    continue
                parts = m.groupdict()
                if parts.get("at"):
                    places[parts["p"], parts["a"]][int(parts["at"]) - 1] += 1000
                elif parts.get("a") and at:
                    own = name == "mindspore.ops." + parts["p"]
                    if at[1] == ("call" if own else "make") and not name.startswith("mindspore.nn."):
                        places[parts["p"], parts["a"]][int(at[2]) - 1] += 100 if own else 1
                if rule == "alike":
                    names = re.findall(r"name:\[(\w+)\]", parts["names"])
                    found[parts["p"], rule][", ".join(names), ""] += 1
                else:
                    inputs = parts.get("all") or parts.get("a") or ""
                    found[parts["p"], rule][inputs, parts.get("right") or ""] += 1
    made = ("\t".join((primitive, "attribute", called, right)) for primitive, called, right in attributes
            if primitive[0].isupper())
    return sorted([*_lines(found, places), *made])


def _lines(found, places):
    for (primitive, rule), facts in found.items():
        # "convert" tells places (signatures.tsv says what is converted); functions have several forms.
        if rule == "convert" or primitive[0].islower():
            continue
        merged: dict[str, Counter] = defaultdict(Counter)
        for (inputs, right), times in facts.items():
            if rule in ("dtype", "same"):
                right = right.replace("Tensor[", "").replace("]", "")
            merged[inputs][right] += times
        for inputs, rights in merged.items():
            named = [f"{_place(places[primitive, n])}:{n.replace(' ', '+')}" for n in inputs.split(", ") if n]
            yield "\t".join((primitive, rule, " ".join(named), rights.most_common(1)[0][0]))


def _place(seen: Counter) -> str:
    """Where an input stands, "?" where that was never seen: the engine finds it by its name then."""
    return str(seen.most_common(1)[0][0]) if seen else "?"


def write(reference: dict) -> int:
    """Write the table; the number of its lines."""
    lines = rules(reference)
    FILE.write_text(HEAD + "".join(line + "\n" for line in lines), encoding="utf-8")
    return len(lines)
