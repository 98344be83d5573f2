"""A page for every public function and class: signature, what it does, shapes, differences, an example."""

from __future__ import annotations

import itertools
import textwrap
from collections import defaultdict
from functools import cache
from typing import NamedTuple

from ms2torch._core.operators.registry import OPS
from ms2torch.translate import rules
from scripts import support_table
from scripts.pages import calls, chinese, examples
from scripts.pages.docstrings import code, doc, escaped, method_doc, paragraphs, prose, sentence
from tests.signatures import find, theirs

# Of a line of code, in characters.
_ROOM = 78
WORDS = {
    "en": {
        "title": "API reference",
        "of": "By module; a name's page has its signature, what it does, its form in PyTorch, and an "
        "example whose output the real MindSpore printed.",
        "names": "names",
        "same": "The same definition",
        "torch": "In PyTorch",
        "differs": "What differs",
        "colon": ": ",
        "example": "Example",
        "judged": "Printed by MindSpore 2.10; a test holds ms2torch to it.",
        "unjudged": "Printed by ms2torch: MindSpore 2.10 answers no such call on a CPU.",
        "without": "No example",
        "shapes": "Shapes",
        "to": "gives",
        "methods": "Methods",
        "evidence": "Evidence",
        "none": "The real MindSpore does not judge it yet.",
        "refused": "Refused: using it raises an error that says what to do instead.",
        "module": "module",
        "kinds": {
            "example": "the example in MindSpore's documentation prints the same",
            "case": "cases that the real MindSpore judges name it",
            "fuzz": "random calls are compared with the real one",
        },
    },
    "zh": {
        "title": "API 参考",
        "of": "按模块排列；每个名字的页面有签名、作用、在 PyTorch 里的写法，以及一个例子，"
        "其输出由真的 MindSpore 打印。",
        "names": "名字",
        "same": "同一个定义",
        "torch": "在 PyTorch 里",
        "differs": "不同之处",
        "colon": "：",
        "example": "例子",
        "judged": "输出由 MindSpore 2.10 打印；测试要求 ms2torch 与它一致。",
        "unjudged": "输出由 ms2torch 打印：MindSpore 2.10 在 CPU 上不回答这样的调用。",
        "without": "没有例子",
        "shapes": "形状",
        "to": "得到",
        "methods": "方法",
        "evidence": "依据",
        "none": "还没有由真的 MindSpore 评判。",
        "refused": "不支持：用到时报错，错误里写明替代办法。",
        "module": "模块",
        "kinds": {
            "example": "MindSpore 文档里的例子打印结果相同",
            "case": "有真的 MindSpore 评判的用例提到它",
            "fuzz": "随机调用与真的 MindSpore 比较过",
        },
    },
}


class Entry(NamedTuple):
    """A public name: what ms2torch has there, its status and evidence, the methods of a class."""

    name: str
    module: str
    found: object
    status: str
    methods: list[str]


def entries(only: str | None = None) -> dict[str, list[Entry]]:
    """The functions and classes that are here or refused, by module; ``only`` of that module and under it."""
    methods: dict[str, list[str]] = defaultdict(list)
    tops = []
    for full in theirs():
        owner = full.rpartition(".")[0]
        if owner.rpartition(".")[2][:1].isupper():
            methods[owner].append(full)
        elif only is None or full.startswith(only + "."):
            tops.append(full)
    found: dict[str, list[Entry]] = defaultdict(list)
    for full in tops:
        thing = find(full)
        status = support_table.status(full, thing)
        if status in ("here", "refused"):
            found[support_table.module_of(full)].append(
                Entry(full, full.rpartition(".")[0], thing, status, methods[full])
            )
    return dict(sorted(found.items()))


def address(entry: Entry) -> str:
    """A page's file name. ``ops.Add`` and ``ops.add`` must differ where file systems ignore letters' case."""
    leaf = entry.name.rpartition(".")[2]
    return f"{leaf}-class.md" if isinstance(entry.found, type) else f"{leaf}.md"


def index(modules: dict[str, list[Entry]], language: str) -> str:
    """The page that lists the modules."""
    words = WORDS[language]
    rows = [f"| [{module}]({module}/index.md) | {len(names)} |" for module, names in modules.items()]
    return (
        "\n".join(
            [
                f"# {words['title']}",
                "",
                words["of"],
                "",
                f"| {words['module']} | {words['names']} |",
                "|---|--:|",
                *rows,
            ]
        )
        + "\n"
    )


def listing(module: str, names: list[Entry], language: str) -> str:
    """A module's page: its names with the first sentence of each."""
    lines = [f"# {module}", "", f"| {WORDS[language]['names']} | |", "|---|---|"]
    for entry in sorted(names, key=lambda e: e.name.lower()):
        leaf = entry.name.rpartition(".")[2]
        refused = entry.status == "refused"
        said = WORDS[language]["refused"] if refused else sentence(doc(entry.found), language)
        lines.append(f"| [`{leaf}`]({address(entry)}) | {escaped(said).replace('|', chr(92) + '|')} |")
    return "\n".join(lines) + "\n"


def page(entry: Entry, language: str) -> str:
    """A name's page."""
    words, leaf = WORDS[language], entry.name.rpartition(".")[2]
    lines = [
        f"# {entry.name}",
        "",
        "```python",
        *(folded(leaf + form) for form in theirs()[entry.name].split(" | ")),
        "```",
        "",
    ]
    if entry.status == "refused":
        lines += [f"**{words['refused']}**", ""]
    lines += [prose(doc(entry.found), language), ""]
    if others := siblings(entry.name):
        lines += [f"{words['same']}{words['colon']}" + ", ".join(f"`{o}`" for o in others), ""]
    if rule := form(entry.name):
        from ms2torch.translate.explain import readable

        lines += [f"## {words['torch']}", "", "```python", readable(rule.form), "```", ""]
        if differs := (rule.zh if language == "zh" else rule.en):
            lines += [f"**{words['differs']}**{words['colon']}{escaped(differs)}", ""]
    lines += shown(entry.name, words, 2)
    why = examples.reason(entry.name) if entry.status == "here" and not example(entry.name) else None
    if why:
        lines += [f"{words['without']}{words['colon']}{why[language]}", ""]
    if entry.methods:
        lines += [f"## {words['methods']}", ""]
        for method in entry.methods:
            lines += member(method, words, language)
    proofs = support_table.evidence(entry.name, entry.found) if entry.status == "here" else []
    if entry.status == "here":
        lines += [
            f"## {words['evidence']}",
            "",
            *([f"- {words['kinds'][p]}" for p in proofs] or [words["none"]]),
            "",
        ]
    return "\n".join(lines) + "\n"


def folded(call: str) -> str:
    """A signature in lines that a page has room for."""
    name, _, rest = call.partition("(")
    if len(call) <= _ROOM:
        return call
    lines = textwrap.wrap(rest[:-1], _ROOM - 4, break_long_words=False, break_on_hyphens=False)
    return "\n".join([f"{name}(", *(f"    {line}" for line in lines), ")"])


def member(full: str, words: dict, language: str) -> list[str]:
    """A method's section on its class's page."""
    thing = find(full)
    if thing is None:
        return []
    name = full.rpartition(".")[2]
    return [
        f"### {name}",
        "",
        "```python",
        *(folded(name + form) for form in theirs()[full].split(" | ")),
        "```",
        "",
        prose(method_doc(full), language),
        "",
        *shown(full, words, 4),
    ]


def shown(full: str, words: dict, level: int) -> list[str]:
    """The example of a name, with the shapes that go in and come out."""
    found = example(full)
    if found is None:
        return []
    lines = [
        f"{'#' * level} {words['example']}",
        "",
        "```pycon",
        *found.lines(),
        "```",
        "",
        words["judged" if full in _examples() else "unjudged"],
        "",
    ]
    if found.shapes:
        given = ", ".join(f"`{name}` {shape}" for name, shape in found.operands())
        lines += [
            f"{words['shapes']}{words['colon']}{given} {words['to']} {found.shapes}"
            if given
            else f"{words['shapes']}{words['colon']}{found.shapes}",
            "",
        ]
    return lines


def example(full: str):
    """The example of a name: what the real MindSpore printed, else what ms2torch prints."""
    return _examples().get(full) or _unjudged().get(full)


@cache
def _examples() -> dict:
    return examples.table()


@cache
def _unjudged() -> dict:
    """The examples that only ms2torch answers, with what it prints."""
    import ms2torch

    ms2torch.install()
    try:
        names: dict = {}
        exec(calls.HEADER, names)
        answers = {name: (call, *calls.answer(names, call)) for name, call in examples.unjudged().items()}
    finally:
        ms2torch.uninstall()
    return {name: examples.Example(name, *answer) for name, answer in answers.items()}


@cache
def _forms() -> dict[int, list[str]]:
    """The public names of one operator's forms, by the definition."""
    found = {}
    for op in set(OPS.values()):
        forms = [f"ops.{op.name}"] + [f"ops.{op.primitive.__name__}" for _ in [0] if op.primitive is not None]
        found[op.name] = forms + [f"Tensor.{m}" for m in op.methods] + [f"mint.{m}" for m in op.mint]
    return found


@cache
def _home() -> dict[str, str]:
    return {f"mindspore.{form}": name for name, forms in _forms().items() for form in forms}


def siblings(full: str) -> list[str]:
    """The other public names that the same definition has."""
    name = _home().get(full)
    return [
        form
        for form in _forms().get(name, ())
        if f"mindspore.{form}" != full and f"mindspore.{form}" in theirs()
    ]


@cache
def _load() -> None:
    rules.load()


def form(full: str):
    """The rule of the mapping for a name, or None."""
    _load()
    rule = rules.rule_of(full)
    return None if rule is None or rule.form == "_gone_" else rule


def texts(modules: dict[str, list[Entry]]) -> dict[str, str]:
    """The paragraphs that the pages show, in their order, each with the first name that has it."""
    found: dict[str, str] = {}
    for entry in itertools.chain.from_iterable(modules.values()):
        shown = {entry.name: doc(entry.found)} | {method: method_doc(method) for method in entry.methods}
        for name, text in shown.items():
            for paragraph in paragraphs(text):
                if not code(paragraph):
                    found.setdefault(chinese.key(paragraph), name)
    return found
