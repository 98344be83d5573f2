"""The examples of the reference pages: calls that the real MindSpore ran, and what it printed.

    python -m scripts.pages.examples REFERENCE_PYTHON          # adds to examples.tsv what has none there
    python -m scripts.pages.examples REFERENCE_PYTHON --all    # all of it again

For every public name a few forms of a call are tried on the real MindSpore: the sessions that are written in
``sessions.txt``, forms that many names have, and calls made of its signature (``guesses.py``). The first that
it runs, twice with one result, and that ms2torch answers alike, is the name's example. A test runs them all.

Much of MindSpore runs on no CPU. Where the real one answers no call, the first that ms2torch does goes to
``unjudged.tsv``: the page shows what it prints and says so. What can have no example has a reason in
``reasons.tsv``.
"""

from __future__ import annotations

import json
import math
import os
import re
import subprocess
import sys
import tempfile
from functools import cache
from pathlib import Path
from typing import NamedTuple

from scripts.pages import calls, guesses, sessions

ROOT = Path(__file__).resolve().parents[2]
TABLE = Path(__file__).with_name("examples.tsv")
UNJUDGED = TABLE.with_name("unjudged.tsv")
REASONS = TABLE.with_name("reasons.tsv")
SPOKEN = {
    "mindspore.ops": "ops",
    "mindspore.mint": "mint",
    "mindspore.nn": "nn",
    "mindspore.numpy": "mnp",
    "mindspore.Tensor": "x",
    "mindspore.dataset.vision": "vision",
    "mindspore.dataset.audio": "audio",
    "mindspore.dataset.text": "text",
    "mindspore.dataset.transforms": "transforms",
    "mindspore.experimental.optim": "optim",
    "mindspore.nn.probability.bijector": "bijector",
    "mindspore.nn.probability.distribution": "distribution",
}
# Modules whose functions have no effects beyond their value.
PURE = (
    "mindspore.ops",
    "mindspore.mint",
    "mindspore.numpy",
    "mindspore.nn",
    "mindspore.scipy",
    "mindspore.Tensor",
    "mindspore.common.initializer",
    "mindspore.amp",
    "mindspore.experimental.optim",
    "mindspore.dataset.vision",
    "mindspore.dataset.audio",
    "mindspore.dataset.text",
    "mindspore.dataset.transforms",
)
NOT_PURE = (
    "distributed",
    "communication",
    "new_group",
    "operations",
    "deprecated",
    "debug",
    "Print",
    "print",
    "Custom",
    "assert",
    "dropout",  # the real one's masks are not settled by the seed alone
    "empty",  # what stands in its memory
    "RandomShuffle",
    "random_categorical",  # without a seed of its own the real one draws otherwise every time
)

def _each(text: str) -> list[str]:
    return [" ".join(form.split()) for form in text.split(";")]


# Arguments of functions; arguments and calls of classes; arguments of Tensor's methods.
FUNCTIONS = _each("""
x ; x, y ; p ; p, p ; x, 1 ; v ; m ; m, m ; b ; j ; i ; i, i ; j, j ; b, b ; v, v ; c ; c, c ; (x, y) ;
[x, y] ; x, (3, 2) ; x, 0 ; x, 0, 1 ; x, y, 0.5 ; x, y, y ; x, b, y ; b, x, y ; x, b ; x, i, 0 ; x, 0, i
; x, i ; x, j ; x, 1, j ; m, v ; x, v ; image ; image, 2 ; image, (2, 2) ; t, t ; t ; t, v ; 3 ; (2, 3)
; 2, 3 ; 3, 2.0 ; (2, 2), 1.5 ; 1, 7, 2 ; 1.0, 2.0, 3 ; x, ms.float16 ; p, j ; v, i ; i, 3 ; x, 2, 1 ;
x, 2 ; image, (1, 1, 1, 1) ; volume ; volume, 2 ; x, -1, 1 ; x, -1.0, 1.0 ; 1j * c ; x, [1, 2], 1 ; x,
y, (2, 3) ; (2, 3), ms.float32 ; m, m, m ; v, v, v ; x, 1.0, 2.0 ; lambda a: a * 2, x ; lambda a:
a.sum() ; t, (1, 0, 2) ; x, (1, 0) ; x, 3.0 ;
""")
CLASSES = _each("""
()(x) ; ()(x, y) ; ()(p, p) ; ()(m, m) ; ()(x, 1) ; ()(v) ; ()(m) ; ()(b) ; ()(j) ; ()(i) ; ()(i, i) ;
()(j, j) ; ()(b, b) ; ()(v, v) ; ()(c) ; ()(c, c) ; ()((x, y)) ; ()(x, (3, 2)) ; ()(x, 0) ; ()(x, y, y)
; ()(b, x, y) ; ()(x, b, y) ; ()(x, i, 0) ; ()(x, 1, j) ; ()(x, j) ; ()(x, v) ; (0)(x) ; (1)((x, y)) ;
(2)(x) ; (2)(image) ; ()(image) ; (2, 2)(image) ; ()(t) ; ()(t, t) ; ()((2, 3)) ; ()(3) ; ()(x, 2) ;
()(x, ms.float16) ; (3, 2)(x).shape ; (3)(x) ; (2, 3, 3)(image).shape ; (2, 3, 2)(image).shape ;
(2)(image).shape ; ((3,))(x) ; (3, 3)(x).shape ; (4, 3)(i).shape ; (1, 2, 2)(volume).shape ;
(2)(volume).shape ; (3, 4)(t)[0].shape ; (2, 2)(t) ; ((2, 3))(x) ; (0.5)(x) ; (1.0)(x) ; ()(p, j) ;
()(v, i) ; (2, 1)(t) ; (2)(t) ; (1, 2)(x) ; (0, 1)(x) ; ((2, 2))(image) ; (1)(image) ; ((1, 1), (2,
2))(x) ; (1.0, 2)(x) ; ()(x, y, Tensor([1, -1])) ; ()(x, 0, 1) ; ()(x, [1, 2], 1) ; ()(m, v) ; ()(t, v)
""")
METHODS = _each("""
 ; y ; 1 ; (3, 2) ; 0 ; 0, 1 ; j ; b ; b, 0.0 ; ms.float16 ; 1, j ; 2 ; y, 0.5 ; 2, 1 ; -1.0, 1.0 ; x ;
i
""")
NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?")


class Example(NamedTuple):
    """A name's call, what it prints (of the real MindSpore), the shapes that come out."""

    name: str
    call: str
    text: str
    shapes: str

    def operands(self) -> list[tuple[str, str]]:
        """The operands' names and shapes; a network has none."""
        return [(name, calls.SHAPES[name]) for name in calls.operands(self.call) if name in calls.SHAPES]

    def lines(self) -> list[str]:
        """The example as a session."""
        statements, last = calls.parted(self.call)
        above = [f">>> {line}" for line in (*calls.modules(self.call), *calls.source(self.call))]
        for line in statements.splitlines():
            above.append(f"{'...' if line[:1] in ' )]}' else '>>>'} {line}")
        return [*above, f">>> print({last})", *self.text.split("\n")]


def table() -> dict[str, Example]:
    """All examples by name."""
    rows = [json.loads(f"[{line}]") for line in TABLE.read_text(encoding="utf-8").splitlines()]
    return {row[0]: Example(*row) for row in rows}


def unjudged() -> dict[str, str]:
    """Calls of names of which the real MindSpore answers none on a CPU."""
    rows = UNJUDGED.read_text(encoding="utf-8").splitlines()
    return dict(json.loads(f"[{row}]") for row in rows)


@cache
def reasons() -> list[tuple[re.Pattern, dict[str, str]]]:
    """Why names have no example, by pattern of the name: in English and Chinese."""
    rows = (line.split("\t") for line in REASONS.read_text(encoding="utf-8").splitlines())
    return [(re.compile(pattern), {"en": en, "zh": zh}) for pattern, en, zh in rows]


def reason(full: str) -> dict[str, str] | None:
    """Why this name has no example."""
    return next((why for pattern, why in reasons() if pattern.fullmatch(full)), None)


def alike(one: str, other: str) -> bool:
    """Whether two printed texts agree: but for the last digits of floats, which differ between processors."""
    # Blanks align columns, so they depend on the digits.
    if "".join(NUMBER.sub("#", one).split()) != "".join(NUMBER.sub("#", other).split()):
        return False
    pairs = zip(NUMBER.findall(one), NUMBER.findall(other), strict=True)
    return all(math.isclose(float(a), float(b), rel_tol=1e-4, abs_tol=1e-6) for a, b in pairs)


def spelled(full: str) -> str | None:
    """A public name as a call writes it; None where a call might have effects."""
    if not full.startswith(PURE) or any(word in full for word in NOT_PURE):
        return None
    path, _, leaf = full.rpartition(".")
    for module, word in sorted(SPOKEN.items(), key=lambda item: -len(item[0])):
        if path == module or path.startswith(module + "."):
            return f"{word}{path.removeprefix(module)}.{leaf}"
    return f"ms.{full.removeprefix('mindspore.')}"


def forms(full: str, made: bool, signature: str) -> list[str]:
    """Calls to try for a name, of as many arguments as it takes; ``made`` says that it is a class."""
    said = spelled(full)
    if said is None:
        return []
    from tests.signatures import theirs

    guessed = guesses.calls(full, said, made, signature, theirs().get(f"{full}.construct"))
    if said.startswith("x."):
        return guessed + [f"{said}({given})" for given in METHODS if takes(signature, given)]
    if not made:
        return guessed + [f"{said}({given})" for given in FUNCTIONS if takes(signature, given)][:60]
    if full.startswith("mindspore.dataset."):
        return guessed
    return guessed + [said + form for form in CLASSES if takes(signature.split(" call")[0], _first(form))]


def _siblings(full: str, chosen: dict[str, Example]):
    """The calls of the other forms of a name's definition, made of this form."""
    from scripts.pages import reference

    for form in reference.siblings(full):
        said, other = spelled(full), f"mindspore.{form}"
        if said and other in chosen and f"{form}(" in chosen[other].call:
            yield chosen[other].call.replace(f"{form}(", f"{said}(")


def takes(signature: str, given: str) -> bool:
    """Whether a function of this signature (or of one of these) takes so many arguments."""
    count = len(guesses.split(given))
    for form in signature.split(" | "):
        names = [n.strip() for n in guesses.split(form.strip()[1:-1])]
        names = [n for n in names if n not in ("/", "self")]
        if "*" in form.replace("**", ""):
            return True
        if sum("=" not in n for n in names) <= count <= len(names):
            return True
    return False


def _first(form: str) -> str:
    """What stands in the first pair of brackets."""
    depth = 0
    for at, sign in enumerate(form):
        depth += (sign == "(") - (sign == ")")
        if not depth:
            return form[1:at]
    return form


def run(python: str, jobs: list[tuple[str, str]]):
    """The answers of one Python's MindSpore to the jobs, as they come."""
    environment = {**os.environ, "GLOG_v": "4", "OMP_NUM_THREADS": "1"}
    with tempfile.TemporaryFile("w+") as file:
        file.writelines(json.dumps(job) + "\n" for job in jobs)
        file.seek(0)
        asked = [python, str(ROOT / "scripts/pages/calls.py")]
        with subprocess.Popen(
            asked, stdin=file, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, env=environment
        ) as running:
            yield from map(json.loads, running.stdout)


def main(python: str, again: str = "") -> None:
    """Write the table."""
    import ms2torch
    from scripts import support_table
    from tests.signatures import find, theirs

    chosen = {} if again else table()
    shown = {session: sessions.shown(session) for session in sessions.programs()}
    jobs = [(session, session) for session, names in shown.items() if set(names) - set(chosen)]
    said = {name for names in shown.values() for name in names}
    for full, signature in theirs().items():
        owner = full.rpartition(".")[0].rpartition(".")[2]
        method = owner[:1].isupper() and owner != "Tensor"
        if method or full in chosen or full in said or spelled(full) is None:
            continue
        found = find(full)
        if found is not None and support_table.status(full, found) == "here":
            jobs += [(full, call) for call in forms(full, isinstance(found, type), signature)]
    names: dict = {}
    ms2torch.install()
    exec(calls.HEADER, names)
    print(f"{len(jobs)} calls of {len({name for name, _ in jobs})} names", file=sys.stderr, flush=True)
    answered = set()
    for count, (name, call, text, shapes) in enumerate(run(python, jobs)):
        answered.update(shown.get(name, [name]))
        wanted = [n for n in shown.get(name, [name]) if n not in chosen]
        if not wanted:
            continue
        ours, _ = calls.answer(names, call)
        if ours is not None and alike(text, ours):
            chosen.update((n, Example(n, call, text, shapes)) for n in wanted)
        else:
            print(f"otherwise here: {wanted}: {call!r}: {text!r}, ours {ours!r}", file=sys.stderr, flush=True)
        if count % 50 == 0:
            write(chosen)
    write(chosen)
    left = dict.fromkeys(name for job, _ in jobs for name in shown.get(job, [job]))
    ours = {} if again else {name: call for name, call in unjudged().items() if name not in chosen}
    borrowed = [(name, call) for name in left for call in _siblings(name, chosen)]
    for job, call in [*borrowed, *jobs]:
        for name in shown.get(job, [job]):
            if name in chosen or name in answered or name in ours:
                continue
            if calls.answer(names, call)[0] is not None:
                ours[name] = call
    lines = [json.dumps([name, ours[name]], ensure_ascii=False)[1:-1] for name in sorted(ours)]
    UNJUDGED.write_text("\n".join(lines) + "\n", encoding="utf-8")
    print(f"{len(chosen)} names have an example, {len(ours)} more an unjudged one", file=sys.stderr)


def write(chosen: dict[str, Example]) -> None:
    """The table's file."""
    lines = [json.dumps(list(e), ensure_ascii=False)[1:-1] for e in chosen.values()]
    TABLE.write_text("\n".join(sorted(lines)) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
