"""Write ``tests/signatures_2_10.tsv``: what every public function, class and method of MindSpore takes.

Asked of an installed MindSpore 2.10, so run this with the interpreter that has it::

    .reference/bin/python scripts/make_signatures.py

A row is a name and its signature. A Primitive's is what the class takes and, where it is known, what a call
takes, with `` call`` between. Where MindSpore dispatches among several forms, each is a signature, joined by
`` | ``.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "scripts")]

from make_surface import modules  # noqa: E402

from tests.signature_text import ANYTHING, of_class, of_function, split_arguments  # noqa: E402

OUT = ROOT / "tests" / "signatures_2_10.tsv"
# Modules inside packages whose public names the package itself has: what is only here is internal.
INTERNAL = re.compile(
    r"mindspore\.(ops\.(auto_generate|tensor_method|functional_overload|composite\.|operations\.manually_defined)"
    r"|dataset\.(engine|core|dataloader|.*(validators|transforms_util))|profiler\.|rewrite\.|boost\.|utils\."
    r"|mindrecord\.(common|core|tools)|tools|multiprocessing)"
)


def documented(name: str, doc: str | None) -> str | None:
    """The forms that a docstring's headings name, for what is dispatched in compiled code."""
    heading = re.compile(
        rf"^\s*(?:\.\. (?:method|function):: )?(?:[\w.]+\.)?{re.escape(name)}\((.*)\)\s*$"
    )
    found = []
    for line in (doc or "").splitlines():
        match = heading.match(line.partition(" -> ")[0])
        if match and ">>>" not in line:
            arguments = split_arguments(match[1])
            if any(a.startswith("*") and a != "*" for a in arguments) and "*" in arguments:
                arguments.remove("*")  # documentation alone writes (*size, *, dtype)
            found.append(f"({', '.join(arguments)})")
    return " | ".join(dict.fromkeys(found)) or None


def signature(name: str, value) -> str | None:
    """The signature of one public thing, None where MindSpore does not show one."""
    from mindspore.ops import Primitive

    if isinstance(value, type):
        text = of_class(value)
        if text and issubclass(value, Primitive):
            call = next((c.__dict__["__call__"] for c in value.__mro__ if "__call__" in c.__dict__), None)
            call = of_function(call, bound=True)
            if call not in (None, "(*args)", ANYTHING):
                text += " call" + call
        return text
    if not callable(value) or isinstance(value, Primitive):
        return None
    text = of_function(value)
    return documented(name, value.__doc__) or text if text in (None, ANYTHING) else text


def methods(cls: type) -> dict[str, str]:
    """The public methods that a class has of its own, not those that it inherits from public bases."""
    found = {}
    for name in dir(cls):
        if name.startswith("_"):
            continue
        owner = next((c for c in cls.__mro__ if name in c.__dict__), None)
        if not str(getattr(owner, "__module__", "")).startswith("mindspore"):
            continue
        compiled = (owner.__name__, cls.__name__) == ("TensorPy", "Tensor")
        if owner is not cls and not owner.__name__.startswith("_") and not compiled:
            continue
        value = owner.__dict__[name]
        bound = not isinstance(value, staticmethod)
        value = getattr(value, "__func__", value)
        if not callable(value):
            continue
        text = of_function(value, bound)
        if text in (None, ANYTHING):
            text = documented(name, value.__doc__) or text
        if text and "self:" not in text:
            found[name] = text
    return found


def public(found: dict) -> dict[str, object]:
    """Every public name once, by the path by which it is best known."""
    best: dict[tuple[str, int], str] = {}
    things = {}
    for path, module in sorted(found.items(), key=lambda item: (item[0].count("."), item[0])):
        if any(part.startswith("_") for part in path.split(".")) or INTERNAL.match(path):
            continue
        listed = getattr(module, "__all__", None)
        for name, value in vars(module).items():
            if name.startswith("_") or not callable(value) or (listed is not None and name not in listed):
                continue
            if listed is None and not str(getattr(value, "__module__", "")).startswith(path):
                continue
            if not str(getattr(value, "__module__", "mindspore")).startswith("mindspore"):
                continue
            if (name, id(value)) not in best:
                best[name, id(value)] = f"{path}.{name}"
                things[f"{path}.{name}"] = value
    return things


def main() -> None:
    rows = {}
    for full, value in public(modules()).items():
        name = full.rpartition(".")[2]
        text = signature(name, value)
        if text:
            rows[full] = text
        if isinstance(value, type) and not full.startswith("mindspore.ops."):
            rows.update({f"{full}.{m}": t for m, t in methods(value).items()})
    lines = (f"{name}\t{re.sub(r' at 0x[0-9a-f]+', '', text)}" for name, text in sorted(rows.items()))
    OUT.write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
