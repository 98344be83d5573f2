"""MindSpore's names: what a module of the mirror answers for a name that it does not define itself.

``install_lazy(__name__, globals())`` at the end of the package, or of a module, gives it (and every module of
the mirror that is loaded by then) a ``__getattr__`` that looks, in this order, for

1. a submodule of ours, imported on demand;
2. the same thing under a path where we define it: ``nn.layer.basic.Dense`` is ``nn.Dense``;
3. a name that MindSpore has or had and we have not: a `Missing`, so that importing it works and using it
   raises an error that says whether it is planned, unsupported or removed, and what to do instead;
4. otherwise the ordinary AttributeError, with the nearest name.

Whole modules that MindSpore has and we have not import as modules of such answers. The tables are packaged
data (``scripts/make_surface.py``), read when first asked.
"""

from __future__ import annotations

import difflib
import importlib
import json
import sys
from functools import cache
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import ModuleType

from . import generation
from .errors import unsupported

OURS = "ms2torch"
_ROOT = Path(__file__).resolve().parents[1]
_DATA = Path(__file__).parent / "data"

# Families that ms2torch does not intend to have, by the longest prefix: (why, what to do instead).
_UNSUPPORTED = {
    "mindspore.device_context.ascend": ("tunes Ascend hardware", "remove the call."),
    "mindspore.device_context.gpu": ("tunes MindSpore's own kernels", "set torch.backends.cudnn."),
    "mindspore.rewrite": ("rewrites MindSpore's source trees", "change the network's Cells in Python."),
    "mindspore.safeguard": ("obfuscates MindSpore's files", "protect the checkpoint file itself."),
    "mindspore.onnx": ("exports MindSpore's graphs", "torch.onnx.export(ms2torch.to_torch(net))."),
    "mindspore.utils": ("serves fault tolerance of Ascend clusters", "remove the call."),
    "mindspore.graph": ("belongs to MindSpore's graph compiler", "remove the call."),
    "mindspore._extends": ("belongs to MindSpore's graph compiler", "remove the call."),
    "mindspore._c_expression": ("is MindSpore's compiled core", "use the public name in its place."),
    "mindspore._c_dataengine": ("is MindSpore's compiled core", "use mindspore.dataset."),
    "mindspore._c_mindrecord": ("is MindSpore's compiled core", "use mindspore.mindrecord."),
    "mindspore.ops.op_info_register": ("registers kernels for Ascend", "write the operator with torch."),
}
_LATER = "compute it with torch on x.torch() and wrap the result in Tensor, or wait for its release."


@cache
def _table() -> dict[str, dict[str, str]]:
    """For every module path of MindSpore 2.10: its names, grouped by the module where each is at home."""
    return json.loads((_DATA / "names_2_10.json").read_text())["modules"]


@cache
def _removed() -> dict[str, tuple[str, str, str]]:
    """For every name that a release dropped: first release, last release, where 2.10 has a namesake."""
    rows = (line.split("\t") for line in (_DATA / "removed.tsv").read_text().splitlines())
    return {name: (first, last, namesake) for name, first, last, namesake in rows}


@cache
def _removed_modules() -> frozenset[str]:
    found = {name for name, row in _removed().items() if row[2] == "(module)"}
    found.update(name.rpartition(".")[0] for name in _removed())
    return frozenset(found)


def mindspore_name(module_name: str) -> str:
    """``ms2torch.nn`` as ``mindspore.nn``."""
    return "mindspore" + module_name.removeprefix(OURS)


def our_name(mindspore_path: str) -> str:
    """``mindspore.nn`` as ``ms2torch.nn``."""
    return OURS + mindspore_path.removeprefix("mindspore")


def has_module(path: str) -> bool:
    """Whether some release of MindSpore has or had a module at ``path`` (``mindspore.a.b``)."""
    return path in _table() or path in _removed_modules() or any(p.startswith(path + ".") for p in _table())


def names(path: str) -> set[str]:
    """All names that MindSpore 2.10 has in the module at ``path``."""
    found = {n for group in _table().get(path, {}).values() for n in group.split()}
    found.update(p[len(path) + 1 :].partition(".")[0] for p in _table() if p.startswith(path + "."))
    return found


def _home(path: str, name: str) -> str | None:
    """Where ``path.name`` is at home: "" for right there, ``=module`` for a module, None if unknown."""
    for home, group in _table().get(path, {}).items():
        if name in group.split():
            return home
    return None


def _has_file(path: str) -> bool:
    parts = path.split(".")[1:]
    place = _ROOT.joinpath(*parts)
    return place.with_suffix(".py").exists() if not (place / "__init__.py").exists() else True


def _elsewhere(home: str, name: str, asked: str):
    """Our definition of what MindSpore keeps at ``home``, by whichever of its paths we define it."""
    others = [path for path, groups in _table().items() if name in groups.get(home, "").split()]
    for path in (home, *sorted(others, key=len)):
        if path != asked and _has_file(path):
            found = vars(importlib.import_module(our_name(path)))
            if name in found and not isinstance(found[name], Missing):
                return found[name]
    return None


def status(full: str) -> tuple[str, str, str]:
    """``(status, reason, instead)`` of a name we lack; status is planned, unsupported or removed."""
    if full in _removed():
        first, last, namesake = _removed()[full]
        return (
            "removed",
            f"removed from MindSpore (in {first} to {last}); ms2torch does not have it yet.",
            f"use {namesake}." if namesake.startswith("mindspore") else _LATER,
        )
    prefix = full
    while prefix:
        if prefix in _UNSUPPORTED:
            reason, instead = _UNSUPPORTED[prefix]
            return "unsupported", f"not supported by ms2torch, because it {reason}.", instead
        prefix = prefix.rpartition(".")[0]
    return "planned", "planned, not in ms2torch yet.", _LATER


class Missing:
    """Stands for a name that MindSpore has and ms2torch has not: every use raises NotImplementedError."""

    __slots__ = ("_full",)
    __hash__ = object.__hash__

    def __init__(self, full: str) -> None:
        object.__setattr__(self, "_full", full)

    def _use(self, *args, **kwargs):
        _, reason, instead = status(self._full)
        raise unsupported(self._full, reason, instead)

    def __repr__(self) -> str:
        return f"<{self._full}: {status(self._full)[1]}>"

    def __getattr__(self, name: str):
        # Tools look for dunder attributes on everything; only a program's own attribute access is a use.
        if name.startswith("__") and name.endswith("__"):
            raise AttributeError(name)
        return self._use()

    def __reduce__(self):
        return Missing, (self._full,)


for _name in (
    "call",
    "mro_entries",
    "instancecheck",
    "subclasscheck",
    "iter",
    "next",
    "len",
    "contains",
    "getitem",
    "setitem",
    "delitem",
    "bool",
    "int",
    "float",
    "index",
    "eq",
    "ne",
    "lt",
    "le",
    "gt",
    "ge",
    "add",
    "radd",
    "sub",
    "rsub",
    "mul",
    "rmul",
    "truediv",
    "rtruediv",
    "matmul",
    "rmatmul",
    "pow",
    "rpow",
    "neg",
    "enter",
    "exit",
    "setattr",
    "or",
    "ror",
):
    setattr(Missing, f"__{_name}__", Missing._use)


def lookup(module_name: str, name: str):
    """The answer for ``name`` of our module ``module_name``; AttributeError if MindSpore never had it."""
    path = mindspore_name(module_name)
    full = f"{path}.{name}"
    if name.startswith("__") and name.endswith("__"):
        if name == "__version__" and path in ("mindspore", "mindspore.version"):
            return generation.version()
        if name == "__path__" and any(p.startswith(path + ".") for p in _table()):
            return []  # one file of ours can stand for a package of MindSpore's
        raise AttributeError(f"module {path!r} has no attribute {name!r}")
    if _has_file(full):
        return _import(full)
    home = _home(path, name)
    if home is not None:
        if home.startswith("="):
            return _import(home[1:])
        found = _elsewhere(home or path, name, path)
        return Missing(full) if found is None else found
    if full in _table() or (full in _removed() and _removed()[full][2] == "(module)"):
        return _import(full)
    if full in _removed():
        return Missing(full)
    if has_module(full):
        return _import(full)
    known = names(path) | set(vars(sys.modules[module_name]))
    near = difflib.get_close_matches(name, known, 1)
    hint = f" Did you mean: {near[0]!r}?" if near else ""
    raise AttributeError(f"module {path!r} has no attribute {name!r}.{hint}")


def complete() -> None:
    """Install the answers in every loaded module of the mirror that has none of its own."""
    for name, module in list(sys.modules.items()):
        if name.startswith(OURS + ".") and "__getattr__" not in vars(module):
            path = mindspore_name(name)
            if path in _table() or path in _removed_modules():
                install_lazy(name, vars(module))


def _import(path: str) -> ModuleType:
    module = importlib.import_module(our_name(path))
    complete()
    return module


def install_lazy(module_name: str, namespace: dict) -> None:
    """Give a module of the mirror its ``__getattr__``: called at its end with ``__name__, globals()``."""

    def __getattr__(name: str):
        found = lookup(module_name, name)
        # What is missing while modules still load may be there later; the version follows the API generation.
        if not isinstance(found, Missing) and name != "__version__":
            namespace[name] = found
        return found

    namespace["__getattr__"] = __getattr__
    if module_name == OURS:
        complete()


class _MissingModules:
    """Import hook, asked last: a module of MindSpore's that has no file here answers by `lookup`."""

    @staticmethod
    def find_spec(fullname: str, path=None, target=None) -> ModuleSpec | None:
        if fullname.startswith(OURS + ".") and has_module(mindspore_name(fullname)):
            return ModuleSpec(fullname, _MissingModules, is_package=True)
        return None

    @staticmethod
    def create_module(spec: ModuleSpec) -> None:
        return None

    @staticmethod
    def exec_module(module: ModuleType) -> None:
        module.__doc__ = f"{mindspore_name(module.__name__)}: names that ms2torch defines elsewhere or lacks."
        install_lazy(module.__name__, vars(module))


if _MissingModules not in sys.meta_path:
    sys.meta_path.append(_MissingModules)
