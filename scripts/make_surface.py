"""Write the packaged tables of MindSpore's names in ``_naming/data``.

``names_2_10.json`` and ``exports_2_10.json`` (what each ``__all__`` holds) are asked of an installed
MindSpore 2.10, ``removed.tsv`` is read from tables; so run the first form with its interpreter
(``scripts/reference_env.sh`` makes one)::

    .reference/bin/python scripts/make_surface.py names
    python scripts/make_surface.py removed HISTORY.tsv USAGE.tsv MODULES.tsv

``HISTORY.tsv`` holds a row per name that some release had and 2.10 has not: columns ``name``, ``first_seen``,
``last_seen``, ``same_leaf_in_2_10``. ``USAGE.tsv`` holds names that public programs use: ``in_2_10``,
``first_ver``, ``last_ver_static``, ``spellings_not_in_2_10``. ``MODULES.tsv`` holds module paths: ``module``,
``importable_2_10``, ``first_ver``, ``last_ver``. They come from reading the public release branches.
"""

from __future__ import annotations

import csv
import importlib
import json
import os
import pkgutil
import sys
import types
from pathlib import Path

DATA = Path(__file__).resolve().parents[1] / "ms2torch" / "_naming" / "data"
# Generated kernels, build tools and registration tables: no program imports names from them.
LEFT_OUT = (
    "mindspore._akg",
    "mindspore.ops_generate",
    "mindspore.tools",
    "mindspore.ops._op_impl",
    "mindspore._extends.parallel_compile",
    "mindspore._extends.remote",
    "mindspore.rewrite.apply",
)
TRIVIAL = (bool, int, float, str, tuple, type(None))


def modules() -> dict[str, types.ModuleType]:
    """Every module of the installed MindSpore that imports, by its path."""
    os.environ["GLOG_v"] = "4"  # noqa: SIM112 - MindSpore spells it so
    import mindspore

    found = {"mindspore": mindspore}
    for info in pkgutil.walk_packages(mindspore.__path__, "mindspore.", onerror=lambda name: None):
        if info.name.startswith(LEFT_OUT) or info.name.endswith("__main__"):
            continue
        try:
            found[info.name] = importlib.import_module(info.name)
        except Exception as err:
            print(f"left out {info.name}: {err}", file=sys.stderr)
    # Submodules of the compiled extension are attributes, not files.
    for path in list(found):
        for value in vars(found[path]).values():
            if isinstance(value, types.ModuleType) and value.__name__.startswith(path + "."):
                found.setdefault(value.__name__, value)
    return found


def belongs(module: types.ModuleType, name: str, value: object) -> bool:
    """Whether a module's attribute is MindSpore's own and not something that it imported from elsewhere."""
    if name.startswith("__") and name != "__version__":
        return False
    if name in getattr(module, "__all__", ()):
        return True
    if module.__name__.endswith("_pb2") and isinstance(value, type):
        return True
    if isinstance(value, types.ModuleType):
        return value.__name__.startswith("mindspore")
    origin = getattr(value, "__module__", None)
    if not isinstance(origin, str):
        origin = type(value).__module__
    return origin.startswith("mindspore") or isinstance(value, (*TRIVIAL, list, dict, set))


def home(paths: list[str], name: str, value: object, found: dict[str, types.ModuleType]) -> str:
    """The path by which a thing is best known: public, exported or defined there, short."""

    def rank(path: str) -> tuple:
        hidden = any(part.startswith("_") for part in path.split("."))
        own = name in getattr(found[path], "__all__", ()) or getattr(value, "__module__", None) == path
        return hidden, not own, path.count("."), path

    return min(paths, key=rank)


def write_names() -> None:
    found = modules()
    places: dict[tuple[str, int], list[str]] = {}
    for path, module in found.items():
        for name, value in vars(module).items():
            if belongs(module, name, value) and not isinstance(value, (*TRIVIAL, types.ModuleType)):
                places.setdefault((name, id(value)), []).append(path)
    table: dict[str, dict[str, str]] = {}
    for path, module in sorted(found.items()):
        groups: dict[str, list[str]] = {}
        for name, value in vars(module).items():
            if not belongs(module, name, value):
                continue
            if isinstance(value, types.ModuleType):
                if value.__name__ != f"{path}.{name}" and value.__name__ in found:
                    groups.setdefault("=" + value.__name__, []).append(name)
                continue
            best = path if isinstance(value, TRIVIAL) else home(places[name, id(value)], name, value, found)
            groups.setdefault("" if best == path else best, []).append(name)
        table[path] = {k: " ".join(sorted(v)) for k, v in sorted(groups.items())}
    rows = ",\n".join(f"{json.dumps(k)}: {json.dumps(v)}" for k, v in table.items())
    version = found["mindspore"].__version__
    (DATA / "names_2_10.json").write_text(f'{{"version": "{version}", "modules": {{\n{rows}\n}}}}\n')
    write_exports(found)


def write_exports(found: dict[str, types.ModuleType]) -> None:
    exports = {}
    for path, module in sorted(found.items()):
        if hasattr(module, "__all__"):
            listed = [n if isinstance(n, str) else n.__name__ for n in module.__all__]
            exports[path] = " ".join(sorted({n for n in listed if hasattr(module, n)}))
    (DATA / "exports_2_10.json").write_text(json.dumps(exports, indent=0) + "\n")


def write_removed(history: str, usage: str, paths: str) -> None:
    def rows(path):
        with open(path, newline="") as file:
            return list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))

    lines = {}
    for r in rows(history):
        namesake = r["same_leaf_in_2_10"].split(" ")[0]
        lines[r["name"]] = f"{r['name']}\t{r['first_seen']}\t{r['last_seen']}\t{namesake}"
    for r in rows(usage):
        if r["in_2_10"] == "no" and r["first_ver"] not in ("", "-"):
            for spelling in r["spellings_not_in_2_10"].split():
                lines.setdefault(spelling, f"{spelling}\t{r['first_ver']}\t{r['last_ver_static']}\t")
    for r in rows(paths):
        if r["importable_2_10"] == "no" and r["last_ver"] != "-":
            lines[r["module"]] = f"{r['module']}\t{r['first_ver']}\t{r['last_ver']}\t(module)"
    (DATA / "removed.tsv").write_text("\n".join(lines[k] for k in sorted(lines)) + "\n")


if __name__ == "__main__":
    DATA.mkdir(exist_ok=True)
    match sys.argv[1:]:
        case ["names"]:
            write_names()
        case ["removed", history, usage, paths]:
            write_removed(history, usage, paths)
        case _:
            sys.exit(__doc__)
