"""What MindSpore says to wrong calls of each public name, read off its answers: refused.tsv of the engine.

An answer is a sentence about one value. What it says of that value (its type, its kind, itself) becomes a
hole, so that a line holds for all values of the kinds that the real one refuses in these words.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from pathlib import Path

from ms2torch._core.checks.words import shapes
from scripts.sweep import by_hand
from scripts.sweep.compare import NOT_ABOUT_INPUT, answered, compared, sentence

ENGINE = Path(__file__).resolve().parents[2] / "ms2torch" / "_core" / "checks"
FILE, GUARDS = ENGINE / "refused.tsv", ENGINE / "guards.tsv"
HEAD = "called\tplace\tkinds\terror\twords\n"
# What a message may call a value, the unmistakable first.
_HOLES = ("typed", "object", "cls", "kind", "word", "type", "call", "value")
_ORDER = ("str", "list", "tuple", "dict", "numpy", "float", "int", "bool", "complex", "dtype", "object",
          "None", "Tensor")
_INSIDE = {"a string inside": "of str", "a float inside": "of float"}
_SOFT = {"negative": "negative", "large": "large", "another string": "other", "empty": "empty", "0-d": "0-d",
         "shape": "shape", "longer": "longer"}
_PYTHON = re.compile(r"^([\w.<>]+)\(\) (?:got an unexpected keyword|missing \d|takes |got multiple)")
_DTYPES = re.compile(r"must be a type of \{(.*?)\}, but got (?:Tensor\[)?\w")
# Dtypes that are wrong whatever the other arguments are.
_NEVER = re.compile(r"(?:must|can) ?not be bool|cannot be (?:bool|complex)|is not a mindspore datatype|"
                    r"not support.{0,30}(?:bool|complex)", re.IGNORECASE)
_RANKS = ((re.compile(r"greater than or equal to (\d+) ?, but got:? ?(\d+)"), "<"),
          (re.compile(r"less than or equal to (\d+) ?, but got:? ?(\d+)"), ">"),
          (re.compile(r"(?<!or )equal to:? ?(\d+) ?, but got:? ?(\d+)"), "!"),
          (re.compile(r"(?:must|should) be (\d+) ?(?:D|-D)?,? but got:? ?(\d+)"), "!"))
_LIMITS = ((r"must(?: be)? ?>= ?0|non-negative", "num<0"),
           (r"(?:must|should)(?: be)? ?> ?0|positive", "num<=0"),
           (r"must(?: be)? ?>= ?1|greater than or equal to 1\b", "num<1"))
_SHAPES = ("vector", "tuple", "shape", "dims")
_SAME_SHAPE = re.compile(r"same shape|shape:? \[[\d,]*\] must be equal to|"
                         r"shapes? (?:are|is) not (?:equal|same)")
_RENDERED = r"=((?:[^,(){}<>=]|<[^<>]*(?:<[^<>]*>[^<>]*)*>)+)"
# They call what a program gives them, whose words these would be.
_OTHERS_CALLS = re.compile(r"nn\.(Sequential|Cell|With|Train|Forward|Get|Time|Distributed|Pipeline|Micro|"
                           r"Grad)|ops\.(Map|HyperMap|Partial|GradOperation|Custom|Depend)|train\.|amp\.")


def words(text: str) -> str:
    """A message without C++'s call stack."""
    return re.split(r"\n+-{10,}", text.replace("ms2torch.", "mindspore."))[0].strip()


def lines(reference: dict, described: dict, ours: dict) -> list[str]:
    """The table's lines; all are name -> [[key, outcome], ...], the second of `side.described`. What ``ours``
    says already without the table needs none."""
    refused, taken, right = defaultdict(list), defaultdict(set), defaultdict(list)
    counts: dict[str, Counter] = defaultdict(Counter)
    for name, answers in reference.items():
        told = dict(row for row in described.get(name, ()) if row[0])
        here = dict(ours.get(name, ()))
        api = name.partition("#")[0].removeprefix("mindspore.")
        for key, there in answered(answers):
            args = told.get(key)
            if not isinstance(args, list) or (args and isinstance(args[0], str)):
                continue
            stage, what = key.split()[0], key.split(", ", 1)[1]
            called = f"{api} {stage}"
            args = _placed(args, stage)
            place, how = _wrong(what, args)
            if what == "extra" and re.search(r"type '?int|<class 'int'>", there[-1]):
                place = next((n for n, v in args if v["value"] == "7" and f"'{n}'" in there[-1]), None)
            others = [arg for arg in args if arg[0] != place]      # these are as in the example
            for other, value in others if what != "extra" else ():
                right[called, other].append((value, others))
            if there[0] == "value" and place:
                taken[called, place].add(_kind(how, args, place, ""))
                if how.startswith("dtype"):
                    taken[called, place].add("unlike")
            if len(there) < 2 or NOT_ABOUT_INPUT.search(there[1]) or _alike(here.get(key), there):
                continue
            if stage == "call" and _OTHERS_CALLS.match(api):
                continue
            if place:
                refused[called, place].append((how, args, there))
            elif m := _PYTHON.match(there[1]):
                counts[called]["python", "TypeError", m[1]] += 1
            else:
                text = re.sub(r"(?<!\w)unknown_argument(?!\w)", "{unknown}", words(there[1]))
                text = text.replace(_given(args), "{given}")
                counts[called][what, there[0], _counted(sentence(text), len(args))] += 1
    rows = [*_rows(refused, taken, right)]
    for called, facts in counts.items():
        for what in ("unknown", "extra", "missing", "python"):
            best = Counter({k: v for k, v in facts.items() if k[0] == what}).most_common(1)
            rows += [(called, "*", what, error, text) for (_, error, text), _ in best]
    return sorted("\t".join((*row[:-1], row[-1].replace("\n", "\\n").replace("\t", " "))) for row in rows)


def _alike(here, there) -> bool:
    return bool(here) and here[0] == there[0] and sentence(here[-1]) == sentence(there[1])


def _placed(args: list, stage: str) -> list[tuple[str, dict]]:
    """(place, how its value is called) of each argument: names for what is made, positions for a call."""
    own = [a for a in args if a[0] != "self" or a[1]] if stage == "call" else args
    return [(n if by or stage == "make" else str(k), {**v, **_sizes(v), "named": by})
            for k, (n, by, v) in enumerate(own)]


def _sizes(value: dict) -> dict:
    return shapes(tuple(int(n) for n in value["shape"][1:-1].split(",") if n))


def _wrong(what: str, args) -> tuple[str | None, str]:
    """The place of the wrong argument, None where their number is, and what is wrong."""
    m = re.match(r"(?:argument (\d+)|(\w+)): (.*)", what)
    if not m:
        return None, what
    plain = [n for n, _ in args if n != "self"]
    place = m[2] or (plain[int(m[1]) - 1] if int(m[1]) <= len(plain) else None)
    return place if place in dict(args) else None, m[3]


def _kind(how: str, args, place: str, text: str) -> str:
    """The word for what is wrong about a value."""
    value = dict(args)[place]
    if how in _INSIDE:
        return _INSIDE[how]
    if how in ("rank", "0-d", "shape") and (sized := _sized(how, args, place, text)):
        return sized
    if how == "rank":
        return f"rank>{value['shape'].count(',')}"
    if how == "negative":
        for pattern, kind in _LIMITS:
            if re.search(pattern, text) and value["value"] in text:
                return kind
    if how == "another string" and (listed := re.search(r"[\[{(]((?:'[\w-]*',? ?){2,})[\])}]", text)):
        return "str not " + "|".join(re.findall(r"'([\w-]*)'", listed[1]))
    if how.startswith("dtype"):
        listed = _DTYPES.search(text)
        if listed and value["kind"] in text:
            return "not " + "|".join(re.sub(r"Tensor\[(\w+)\]", r"\1", listed[1]).split(", "))
        alone = f"dtype {value['word']}" if _NEVER.search(text) else value["kind"]
        return _relation(value["word"], args, place, text) or alone
    return _SOFT.get(how) or value["of"]


def _sized(how: str, args, place: str, text: str) -> str | None:
    """How a rank or a shape is wrong, where the message says it."""
    value = dict(args)[place]
    if how != "shape" and re.search(r"rank|dim", text):
        for pattern, sign in _RANKS:
            if (m := pattern.search(sentence(text))) and m[2] == value["rank"]:
                return f"ndim{sign}{m[1]}"
    others = [(n, v["shape"]) for n, v in args if n != place and v["of"] == "Tensor"]
    sizes = value["shape"][1:-1].split(", ")
    right = {"rank": sizes[1:], "shape": [*sizes[:-1], str(int(sizes[-1] or 1) - 1)]}.get(how)
    if right and _SAME_SHAPE.search(text):
        return next((f"sized {n}" for n, shape in others if shape == f"[{', '.join(right)}]"), None)
    return None


def _relation(word: str, args, place: str, text: str) -> str | None:
    """How a dtype is wrong beside that of another argument."""
    others = [(n, v["word"]) for n, v in args if n != place and v["of"] == "Tensor"]
    if m := re.search(r"(\w+), which cannot be converted to data type (\w+)", text):
        how, wanted = ("below", m[2]) if m[1] == word else ("above", m[1])
        return next((f"{how} {n}" for n, w in others if w == wanted), None)
    if re.search(r"\bsame\b|consistent", text) and word in text:
        return next((f"unlike {n}" for n, w in others if w != word and w in text), None)
    return None


def _given(args) -> str:
    said = (f"{n}={v['call']}" if v["named"] else v["call"] for n, v in args if n != "self")
    return f"({', '.join(said)})"


def _counted(text: str, count: int) -> str:
    """The number of arguments as a hole, where the sentence ends with it."""
    m = re.search(r"but got (\d+)$", text)
    return f"{text[:m.start(1)]}{{count:{int(m[1]) - count}}}" if m else text


def _holds(kind: str, value: dict, args) -> bool:
    """Whether a right value is of a kind that would be certainly wrong."""
    tensor = value["of"] == "Tensor"
    if kind.startswith("not "):
        listed = kind[4:].split("|")
        return tensor and value["word"] not in listed and value["word"].rstrip("0123456789") not in listed
    if kind.startswith("dtype "):
        return tensor and value["word"] == kind[6:]
    if kind.startswith(("unlike ", "sized ")):
        other, what = dict(args).get(kind.split()[1]), "word" if kind.startswith("unlike") else "shape"
        return bool(tensor and other and other["of"] == "Tensor" and other[what] != value[what])
    if m := re.match(r"ndim(!|<|>)(\d+)", kind):
        rank = int(value["rank"])
        return tensor and {"!": rank != int(m[2]), "<": rank < int(m[2]), ">": rank > int(m[2])}[m[1]]
    if kind.startswith("str not "):
        return value["of"] == "str" and value["value"].lower() not in kind[8:].lower().split("|")
    return value["of"] == kind


def _rows(refused, taken, right):
    for (called, place), items in refused.items():
        found: list[list] = []                       # kinds, error, template, the rest of the message
        known: Counter = Counter()
        rank = {k: i for i, k in enumerate(_ORDER)}
        kinds = [(_kind(how, args, place, there[1]), args, there) for how, args, there in items]
        for kind, args, (error, text) in sorted(kinds, key=lambda row: rank.get(row[0], 99)):
            if _accepted(kind, taken[called, place]):
                kind = dict(args)[place]["kind"]
            if kind in taken[called, place] or kind == "longer" or known[kind]:
                continue
            if not _is_soft(kind):
                if any(_holds(kind, *found) for found in right[called, place]):
                    continue
                if kind.partition(" ")[0] in {*_ORDER, "of"} and not _certain(error, text):
                    kind = f"~{kind}"
            known[kind] += 1
            told, holes = words(text), dict(args)
            for row in found:
                if row[1] == error and sentence(_filled(row[2], holes, args)) == sentence(told):
                    row[0].append(kind)
                    break
            else:
                template = sentence(_template(told, args, place))
                if kind.startswith(("unlike ", "below ", "above ")):
                    other = kind.split()[1]
                    said = rf"(?<![{{\w]){holes[other]['word']}(?!\w)"
                    template = re.sub(said, f"{{word:{other}}}", template)
                stop = "." * told.removeprefix(sentence(told)).startswith(".")
                found.append([[kind], error, template + stop])
        for kinds_, error, template in found:
            hard = [k for k in kinds_ if not _is_soft(k)]
            soft = [k for k in kinds_ if _is_soft(k)]
            for some in (hard, soft):
                if some:
                    yield called, place, ",".join(some), error, template


def _accepted(kind: str, taken: set) -> bool:
    """Whether the real one took another dtype that this kind would refuse."""
    if kind.startswith("not "):
        return any(k.startswith("Tensor[") and k[7:-1] not in kind[4:].split("|") for k in taken)
    return kind.startswith("unlike") and "unlike" in taken


def _certain(error: str, text: str) -> bool:
    """Whether a kind of value is refused whatever the other arguments are, by all forms of a function."""
    forms = re.findall(r'^"[\w.]+\(', text, re.MULTILINE)
    return error in ("TypeError", "AttributeError") and not _PYTHON.match(text) and len(forms) < 2


def _is_soft(kind: str) -> bool:
    return kind in _SOFT.values() or kind.startswith(("rank>", "Tensor[", "~"))


def _filled(template: str, holes: dict, args) -> str:
    def one(m):
        return _given(args) if m[1] == "given" else holes.get(m[2], {}).get(m[1], "\0")

    return re.sub(r"\{(\w+)(?::([^{}]*))?\}", one, template)


def _template(text: str, args, place: str) -> str:
    """A message with holes for what it says of the value at ``place``."""
    if text.startswith("Failed calling"):
        return _call(text, args, place)
    if dict(args)[place]["of"] == "Tensor":
        text = _of_shapes(text, args, place)
    for hole in _HOLES:
        said = dict(args)[place][hole]
        if not said or len(said) > 150:
            continue
        hits = list(re.finditer(rf"(?<![\w.]){re.escape(said)}(?!\w)", text))
        if hits:
            at = hits[-1]
            return f"{text[: at.start()]}{{{hole}:{place}}}{text[at.end() :]}"
    return text


def _of_shapes(text: str, args, place: str) -> str:
    """A message with holes for the shapes that it prints, and for the rank of the value at ``place``."""
    for name, value in sorted(args, key=lambda arg: arg[0] != place):
        if value["of"] == "Tensor":
            for how in _SHAPES:
                if len(value[how]) > 2:
                    text = text.replace(value[how], f"{{{how}:{name}}}")
    m = re.search(r"(?:rank|dim).*but got:? ?(\d+)$", sentence(text), re.DOTALL)
    if m and m[1] == dict(args)[place]["rank"]:
        return f"{text[: m.start(1)]}{{rank:{place}}}{text[m.end(1) :]}"
    return text


def _call(text: str, args, place: str) -> str:
    """'Failed calling' with holes for what was given."""
    m = re.match(r'(Failed calling [\w.]+ with "[\w.]+)(\(.*?\))(".*)', text, re.DOTALL)
    if not m:
        return text
    if m[2] == _given(args):
        return f"{m[1]}{{given}}{m[3]}"
    body, values = m[2], dict(args)
    for name in (place, *values):
        said = re.escape(values[name]["call"])
        hit = re.search(rf"(?<=[(, ]{re.escape(name)}=){said}(?=[,)])", body) or \
            next((h for h in re.finditer(_RENDERED, body) if h[1] == values[name]["call"]), None)
        if hit and f"{{call:{name}}}" not in body:
            start, end = hit.span(1) if hit.re.groups else hit.span()
            body = f"{body[:start]}{{call:{name}}}{body[end:]}"
    return m[1] + body + m[3]


def guards(reference: dict, described: dict, ours: dict) -> list[str]:
    """What the engine has to look for before it computes: certain kinds that ``ours`` took."""
    found: dict[str, dict[str, set]] = defaultdict(lambda: defaultdict(set))
    for name, key, there in compared(reference, ours).taken:
        args = dict(row for row in described.get(name, ()) if row[0]).get(key)
        stage, what = key.split()[0], key.split(", ", 1)[1]
        if args:
            args = _placed(args, stage)
            place, how = _wrong(what, args)
            if place and not _is_soft(kind := _kind(how, args, place, there[1])):
                found[f"{name.partition('#')[0].removeprefix('mindspore.')} {stage}"][place].add(kind)
    return [called + "\t" + ";".join(f"{place}:{','.join(sorted(kinds))}" for place, kinds in places.items())
            for called, places in sorted(found.items())]


def clear() -> None:
    """Empty both tables."""
    FILE.write_text(HEAD, encoding="utf-8")
    GUARDS.write_text("", encoding="utf-8")


_DEPENDING = ("~", "Tensor[", "0-d", "rank>", "empty", "negative", "other", "large", "shape")


def _of_any_example(line: str) -> str:
    """``line`` without the kinds of which its words say a number of one example; "" where none is left."""
    called, place, kinds, error, words = line.split("\t", 4)
    plain = re.sub(r"\{[^{}]*\}|[A-Za-z_]+\d+\w*|\d+-?[dD]\b", "", words)
    if "101" in plain:
        return ""
    if re.search(r"\d", plain):
        kinds = ",".join(k for k in kinds.split(",") if not k.startswith(_DEPENDING))
    return "\t".join((called, place, kinds, error, words)) if kinds else ""


def _of_any_call(line: str) -> str:
    """``line`` with all arguments as they were given, where it is about a method's or function's forms."""
    called, place, kinds, error, words = line.split("\t", 4)
    m = re.match(r'Failed calling ([a-z_]\w*) with "\1(?:\{given\}|\()', words)
    if m and re.match(rf"(Tensor|mint)(\.\w+)*\.{m[1]} ", called):
        words = f'Failed calling {m[1]} with "{m[1]}{{given}}"{"." * (place != "*")}'
    return "\t".join((called, place, kinds, error, words))


# A printed sequence that begins with the sweep's own wrong word, or that word unquoted.
_WITH_IT = re.compile(r"\('wrong'(?:, \{[^{}]*\}|, [^(){}]*)*,?\)|(?<!')\bwrong\b(?!')")


# The sweep's own wrong number.
_NUMBER = r"(?<![\w.])1\.5(?![\w.])"


def of_any_word(line: str) -> str:
    """``line`` with a hole where its words quote the sweep's own wrong word, or a sequence with it."""
    called, place, kinds, error, words = line.split("\t", 4)
    if place == "if":
        m = re.search(r"(?:of\((\w+)\) ==|'str' in inside\()\W*(\w*)", kinds)
        name = m and (m[1] or m[2])
        if name:
            words = re.sub(_WITH_IT, f"{{text({name})}}", words)
    elif place != "*" and kinds.lstrip("~").partition(" ")[0].partition(",")[0] == "str":
        words = re.sub(r"\bwrong\b", f"{{value:{place}}}", words)
    elif kinds == "float":
        words = re.sub(_NUMBER, f"{{value:{place}}}", words)
    elif kinds in ("of str", "of float"):
        words = re.sub(rf"([(\[])('wrong'|{_NUMBER}), [^()\[\]]*[)\]]", f"{{value:{place}}}", words)
        words, quoted = re.subn(rf"\bwrong\b|{_NUMBER}", f"{{item:{place}}}", words)
        if quoted:
            words = re.sub(r"(?<=\[)0(?=\])|(?<=at dim )0", f"{{at:{place}}}", words)
    return "\t".join((called, place, kinds, error, words))


# A range of axes whose upper end alone was told by the rank.
_RANK = re.compile(r"\[-[1-9]\d*,( ?)\{rank\((\w+)\)\}\)")
# A pipeline's error says what is wrong behind its first sentence: the code that refuses has all of it.
_TOLD_BELOW = "Refer to 'Dataset Pipeline Error Message'."


def write(reference: dict, described: dict, ours: dict) -> int:
    """Write both tables; the number of lines of the first."""
    made = [line for line in map(_of_any_example, lines(reference, described, ours))
            if line and not line.endswith(_TOLD_BELOW)]
    made = [_RANK.sub(r"[{-rank(\2)},\1{rank(\2)})", line)
            for line in map(of_any_word, map(_of_any_call, made))]
    made = by_hand.applied("refused", [*dict.fromkeys(made)])
    FILE.write_text(HEAD + "".join(line + "\n" for line in made), encoding="utf-8")
    apart = sorted({line.split()[0] for line in made if re.match(r"(Tensor|mint)\.\w+ ", line)})
    looks = by_hand.applied("guards", guards(reference, described, ours))
    GUARDS.write_text("\n".join([*apart, *looks]) + "\n", encoding="utf-8")
    return len(made)
