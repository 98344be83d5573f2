"""Which mined rules hold, and what valid calls say against lines of the table of refused calls."""

from __future__ import annotations

import re
from collections import defaultdict

from ms2torch._core.operators import refused, terms
from scripts.sweep import mine
from scripts.sweep.compare import NOT_ABOUT_INPUT, sentence
from scripts.sweep.learn import FILE, GUARDS, HEAD
from scripts.sweep.samples import Opaque, collected

# Every network's forward pass is made of these: no look before them.
_FUNCTIONS = """abs add bmm cast concat cat conv2d dense div dropout exp expand_dims flatten gather gelu
    layer_norm linear log matmul mean mul permute pow relu reshape sigmoid silu softmax split sqrt squeeze
    stack sub sum tanh tile transpose unsqueeze where zeros ones"""
_PRIMITIVES = """Add BatchMatMul BatchNorm BiasAdd Cast Concat Conv2D Div Dropout Exp ExpandDims Flatten
    Gather GeLU LayerNorm Log MatMul Mul Pow ReLU ReduceMean ReduceSum Reshape Sigmoid Softmax Sqrt Squeeze
    Stack Sub Tanh Tile Transpose"""
COSTLY = {f"{package}.{name} make" for name in _FUNCTIONS.split()
          for package in ("ops", "mint", "mint.nn.functional", "Tensor", "numpy")}
COSTLY |= {f"ops.{name} call" for name in _PRIMITIVES.split()}

_ATOMS = (
    (re.compile(r"of\(\w+\) (?:==|in|!=) .*|\w+ not in \(.*|dtype\(\w+\) not in .*|'\w+' in inside\(\w+\)"
                r"|of\(\w+\) == 'str'.*|of\(\w+\) != 'str' or .*|dtype\(\w+\) in \('Bool',\)"), None),
    (re.compile(r"(?:dtype|shape)\(\w+\) != (?:dtype|shape)\(\w+\)"),
     re.compile(r"same|equal|consistent|match")),
    (re.compile(r"not -rank\(\w+\) <= (num\(\w+\)) < rank\(\w+\)"), re.compile(r"range|axis|dim")),
)
_TERM = re.compile(r"(?:rank|dim|size|count|item|num|least)\(\w+(?:, -?\d)?\)")


def is_certain(test: str, said: str) -> bool:
    """Whether a condition is what its words say: a value's kind, a relation that they name, numbers that
    they print. What is only always so in the examples explains a call that failed and refuses none."""
    for atom in test.split(" and "):
        if any(form.fullmatch(atom) and (about is None or about.search(said)) for form, about in _ATOMS):
            continue
        used = _TERM.findall(atom)
        limit = re.search(r"[!<>=]+ (-?\d+)$", atom)
        if not used or any(f"{{{t}}}" not in said for t in used):
            return False
        plain = re.sub(r"\{[^}]*\}", "", said)
        if limit and not re.search(rf"(?<![\w.]){limit[1]}(?!\w)|positive|negative", plain):
            return False
    return True


def held(called: str, rules, samples) -> list[tuple[str, str]]:
    """(line, its certain condition or "") of the rules that mend more of the samples than they spoil."""
    made, done = [], set()
    valid = sum(s.there[0] == "value" for s in samples)
    for test, error, words in rules:
        hit = [s for s in samples if id(s) not in done and terms.holds(test, s.values)]
        right = [s for s in hit if _says(s, error, words)]
        spoilt = sum(not s.differs and not _says(s, error, words) and s.there[0] not in ("crash", "slow")
                     and not NOT_ABOUT_INPUT.search(s.there[-1]) for s in hit)
        if any(s.there[0] == "value" for s in hit) or spoilt >= sum(bool(s.differs) for s in right):
            continue
        done |= {id(s) for s in hit}
        hard = any(s.taken for s in right) and len(right) > 1 and valid > 2 and is_certain(test, words)
        words = words.replace("\n", "\\n").replace("\t", " ")
        made.append(("\t".join((called, "if!" if hard else "if", test, error, words)), test if hard else ""))
    return made


def _says(sample, error: str, words: str) -> bool:
    try:
        text = terms.filled(words, sample.values).replace("{given}", sample.given)
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
                    not any(refused.is_of(v, kind, pairs) for v, pairs in given):
                hard.append(kind)
            elif " " not in kind and not re.match(r"ndim|num", kind):
                soft.append(f"~{kind}")
        kept += ["\t".join((called, place, ",".join(some), error, words)) for some in (hard, soft) if some]
    return kept


def write(sources) -> tuple[int, int]:
    """Mend the tables by (reference, given, ours) of each sweep: the numbers of mined lines and of all."""
    samples, mined, looks = defaultdict(list), [], set()
    for source in sources:
        for called, some in collected(*source).items():
            samples[called] += some
    for called, some in samples.items():
        for line, certain in held(called, mine.of_name(some), some) if any(s.differs for s in some) else ():
            mined.append(line)
            if certain and called.endswith((" call", " make")):
                looks.add(called)
    learnt = [x for x in FILE.read_text(encoding="utf-8").splitlines()[1:] if "\tif" not in x]
    lines = sorted(without_valid(learnt, samples)) + mined
    lines.sort(key=lambda x: x.partition("\t")[0])
    FILE.write_text(HEAD + "".join(x + "\n" for x in lines), encoding="utf-8")
    guard(looks)
    return len(mined), len(lines)


def guard(looks: set[str]) -> None:
    """Put the names whose conditions are looked at before a call into guards.tsv."""
    rows = [row.partition("\t") for row in GUARDS.read_text(encoding="utf-8").splitlines()]
    kinds = {called: [k for k in told.split(";") if k and k != "if:all"] for called, _, told in rows}
    for called in sorted(looks - COSTLY):
        kinds.setdefault(called, []).append("if:all")
    told = {called: ";".join(some) for called, some in kinds.items()}
    lines = [f"{called}\t{some}" if some else called for called, some in sorted(told.items())]
    GUARDS.write_text("\n".join(lines) + "\n", encoding="utf-8")
