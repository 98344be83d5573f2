"""MindSpore's names: what a module of the mirror answers for a name that it does not define itself.

An import hook gives every module of the mirror (one whose path MindSpore has too) a ``__getattr__`` after its
file has run; ``install_lazy(__name__, globals())`` does it for one. It gives, in this order,

1. the same thing under a path where we define it: ``nn.layer.basic.Dense`` is ``nn.Dense``;
2. a submodule of ours, imported on demand;
3. an operator that MindSpore generates, made from the definitions (``ops/_derived``);
4. a name that MindSpore has or had and we have not: a `Missing`, so that importing it works and using it
   raises an error that says whether it is unsupported, removed or internal, and what to do instead
   (where the program catches ImportError, the import fails instead: `probing`);
5. otherwise the ordinary AttributeError, with the nearest name.

Whole modules that MindSpore has and we have not import as modules of such answers. The tables are packaged
data (``scripts/make_surface.py``), read when first asked.
"""

from __future__ import annotations

import difflib
import importlib
import json
import sys
from functools import cache
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from pathlib import Path
from types import ModuleType
from typing import Union

from ms2torch._core.errors import notice, unsupported
from ms2torch._naming import generation

OURS = "ms2torch"
_ROOT = Path(__file__).resolve().parents[1]
_DATA = Path(__file__).parent / "data"

# Modules of one file from which programs import modules that are attributes there.
_OPEN = ("mindspore.log", "mindspore.train.serialization")

_WRITE = "write it in the program (x.torch() is a torch tensor, Tensor(t) wraps one)."
_PUBLIC = f"a public name of MindSpore, or {_WRITE}"


@cache
def _table() -> dict[str, dict[str, str]]:
    """For every module path of MindSpore 2.10: its names, grouped by the module where each is at home."""
    return json.loads((_DATA / "names_2_10.json").read_text())["modules"]


@cache
def _packages() -> frozenset[str]:
    """The modules that have others inside."""
    return frozenset(path.rpartition(".")[0] for path in _table())


@cache
def _exports() -> dict[str, str]:
    """What the ``__all__`` of each module of MindSpore 2.10 holds that has one."""
    return json.loads((_DATA / "exports_2_10.json").read_text())


@cache
def _removed() -> dict[str, tuple[str, str, str]]:
    """For every name that a release dropped: first release, last release, where 2.10 has a namesake."""
    rows = (line.split("\t") for line in (_DATA / "removed.tsv").read_text().splitlines())
    return {name: (first, last, namesake) for name, first, last, namesake in rows}


@cache
def _refused() -> dict[str, tuple[str, str]]:
    """Names and families, by their longest prefix, that ms2torch does not have: (why, what to do instead)."""
    found = {}
    for line in (_DATA / "refused.tsv").read_text().splitlines():
        why, instead, prefixes = line.split("\t")
        found.update(dict.fromkeys((f"mindspore.{p}" for p in prefixes.split()), (why, instead)))
    return found


@cache
def _aliases() -> dict[str, str]:
    """Names that stand for something that MindSpore has under another one; ``name=other`` under another name
    there."""
    found = {}
    for line in (_DATA / "aliases.tsv").read_text().splitlines():
        here, there, names = line.split("\t")
        for name, _, other in (n.partition("=") for n in names.split()):
            found[f"{here}.{name}"] = f"{there}.{other or name}"
    return found


def _alias(full: str):
    """What a name of `_aliases` stands for, None for any other."""
    path = _aliases().get(full)
    if path is None:
        return None
    found: object = importlib.import_module(OURS)
    at = "mindspore"
    for part in path.split(".")[1:]:
        at = f"{at}.{part}"
        inner = getattr(found, part, None)
        found = importlib.import_module(our_name(at)) if inner is None else inner  # a `Missing` has no truth
    return found


@cache
def _removed_modules() -> frozenset[str]:
    found = {name for name, row in _removed().items() if row[2] == "(module)"}
    return frozenset(found) | _modules_on_record()


def mindspore_name(module_name: str) -> str:
    """``ms2torch.nn`` as ``mindspore.nn``."""
    return "mindspore" + module_name.removeprefix(OURS)


def our_name(mindspore_path: str) -> str:
    """``mindspore.nn`` as ``ms2torch.nn``."""
    return OURS + mindspore_path.removeprefix("mindspore")


def has_module(path: str) -> bool:
    """Whether some release of MindSpore has or had a module at ``path`` (``mindspore.a.b``)."""
    return path in _table() or path in _removed_modules()


@cache
def names(path: str) -> frozenset[str]:
    """All names that MindSpore 2.10 has in the module at ``path``."""
    found = {n for group in _table().get(path, {}).values() for n in group.split()}
    found.update(p[len(path) + 1 :].partition(".")[0] for p in _table() if p.startswith(path + "."))
    return frozenset(found)


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


@cache
def _from(home: str) -> dict[str, frozenset[str]]:
    """For every path that has names of ``home``: these."""
    return {path: frozenset(groups[home].split()) for path, groups in _table().items() if home in groups}


def _elsewhere(home: str, name: str, asked: str):
    """Our definition of what MindSpore keeps at ``home``, by whichever of its paths we define it: a module
    that is loaded first, others need not be for it."""
    others = [path for path, known in _from(home).items() if name in known]
    for path in (home, *sorted(others, key=lambda path: (our_name(path) not in sys.modules, len(path)))):
        if path != asked and _has_file(path):
            found = vars(importlib.import_module(our_name(path)))
            if name in found and not isinstance(found[name], Missing):
                return found[name]
    found = _derived(home, name) or _derived(asked, name)
    known = next((p for p in (home, *others) if f"{p}.{name}" in _aliases()), None)
    return _alias(f"{known}.{name}") if found is None and known else found


def _derived(home: str, name: str):
    """What a generated operator of MindSpore's is; see ``ms2torch.ops._derived``."""
    if not home.startswith(("mindspore.ops", "mindspore._c_expression")):
        return None
    return importlib.import_module(f"{OURS}.ops._derived").derive(home, name)


def _exported(module_name: str, path: str) -> list[str]:
    """What ``from path import *`` gives in MindSpore, as far as it is here, and names of earlier releases."""
    listed = _exports().get(path)
    found = {n for n in names(path) if not n.startswith("_")} if listed is None else set(listed.split())
    module = sys.modules[module_name]
    found |= {name for name in vars(module) if f"{path}.{name}" in _removed()}
    lacking = Missing(path)
    return sorted(name for name in found if not isinstance(getattr(module, name, lacking), Missing))


def _listed(module_name: str) -> list[str]:
    """What ``dir`` of a module tells: what it defines, exports as far as it is here, and has below it.

    Packages walk modules by ``dir`` and take what they find, so a `Missing` is not among it.
    """
    path = mindspore_name(module_name)
    exported = _exported(module_name, path) if path in _exports() else ()
    below = {full.rpartition(".")[2] for full in _exports() if full.rpartition(".")[0] == path}
    return sorted({*exported, *below, *vars(sys.modules[module_name])})


def _once_exported(module_name: str, path: str) -> list[str]:
    """The public names of a module that 2.10 lacks; packages list all of them again, so what is not here
    stands for itself until it is used."""
    here = {name for name, value in vars(sys.modules[module_name]).items()
            if not name.startswith("_") and not isinstance(value, ModuleType)}
    gone = {full.rpartition(".")[2] for full in _removed() if full.rpartition(".")[0] == path}
    return sorted(here | gone)


def status(full: str) -> tuple[str, str, str]:
    """``(status, reason, instead)`` of a name we lack; status is unsupported, removed or internal (of
    MindSpore's implementation, which no release documents)."""
    prefix = full
    while prefix:
        if prefix in _refused():
            reason, instead = _refused()[prefix]
            return "unsupported", f"not supported by ms2torch, because it {reason}.", instead
        prefix = prefix.rpartition(".")[0]
    if full in _removed():
        first, last, namesake = _removed()[full]
        return (
            "removed",
            f"removed from MindSpore (in {first} to {last}); ms2torch does not have it.",
            f"use {namesake}." if namesake.startswith("mindspore") else _WRITE,
        )
    prefix = full
    while prefix := prefix.rpartition(".")[0]:
        if _removed().get(prefix, ("", "", ""))[2] == "(module)":
            first, last, _ = _removed()[prefix]
            return "removed", f"removed from MindSpore with {prefix} (in {first} to {last}).", _WRITE
    from ms2torch._naming import primitives

    if full.startswith("mindspore.ops") and (row := primitives.row("", full.rpartition(".")[2])):
        refusal = importlib.import_module(f"{OURS}.ops._derived.refused").refusal
        return "unsupported", *refusal(row.name if row.kind == "class" else row.of)
    return "internal", "internal to MindSpore, which does not document it; not in ms2torch.", _PUBLIC


def dropped_member(cls: type, name: str) -> tuple[str, str] | None:
    """``(reason, instead)`` of a member that earlier releases of MindSpore had; None of any other."""
    for base in cls.__mro__:
        full = _dropped_members().get((base.__name__, name))
        if full and base.__module__.startswith((OURS, "mindspore")):
            return status(full)[1:]
    return None


@cache
def _dropped_members() -> dict[tuple[str, str], str]:
    """Names that a release dropped, by their last two parts: ``("Tensor", "backward")``."""
    return {tuple(full.split(".")[-2:]): full for full, row in _removed().items() if row[2] != "(module)"}


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
        # Tools look for dunder attributes on everything, ``mock.patch`` for asyncio's mark on what it
        # replaces; only a program's own attribute access is a use.
        if (name.startswith("__") and name.endswith("__")) or name.startswith("_is_coroutine"):
            raise AttributeError(name)
        return self._use()

    def __reduce__(self):
        return Missing, (self._full,)


    def __mro_entries__(self, bases: tuple) -> tuple:
        # Libraries derive classes from such a name when they are imported; making an object of one is a use.
        def __init__(made, *args, **kwargs):
            self._use()

        return (type(self._full.rpartition(".")[2], (), {"__init__": __init__}),)

    def __eq__(self, other: object):
        # ``Union[Missing, str]`` compares what it is given; annotations are no use of a name.
        return NotImplemented if _annotates(sys._getframe(1)) else self._use()

    def __or__(self, other: object):
        return Union[self, other]  # noqa: UP007 - `|` would come back here

    __ror__ = __or__


def _annotates(caller) -> bool:
    return caller.f_globals.get("__name__") == "typing"


_USES = """
call instancecheck subclasscheck iter next len contains getitem setitem delitem enter exit setattr
bool int float index ne lt le gt ge add radd sub rsub mul rmul truediv rtruediv matmul rmatmul pow rpow
neg
"""
for _name in _USES.split():
    setattr(Missing, f"__{_name}__", Missing._use)


@cache
def _modules_on_record() -> frozenset[str]:
    """Modules of which some removed names are known; of a class's members the name before is no module."""
    paths = {name.rpartition(".")[0] for name in _removed()}
    return frozenset(path for path in paths if not _is_known_name(path))


def _is_known_name(path: str) -> bool:
    """Whether ``path`` is something in a module, in MindSpore 2.10 or before."""
    parent, _, name = path.rpartition(".")
    return _home(parent, name) is not None or _removed().get(path, ("", "", "(module)"))[2] != "(module)"


def _from_gone_module(path: str, name: str):
    """``name`` of a module that newer releases lack: that of the nearest package above, or a `Missing`.
    Where the module's names are on record, another one is an AttributeError, which probing code expects."""
    if path in _modules_on_record():
        raise AttributeError(f"module {path!r} has no attribute {name!r}.")
    parent = path
    while parent := parent.rpartition(".")[0]:
        if _home(parent, name) is not None:
            return getattr(importlib.import_module(our_name(parent)), name)
    return Missing(f"{path}.{name}")


def lookup(module_name: str, name: str):
    """The answer for ``name`` of our module ``module_name``; AttributeError if MindSpore never had it."""
    path = mindspore_name(module_name)
    full = f"{path}.{name}"
    if name.startswith("__") and name.endswith("__"):
        if name == "__all__" and path in _table():
            return _exported(module_name, path)
        if name == "__all__" and path in _removed_modules():
            return _once_exported(module_name, path)
        if name == "__version__" and path in ("mindspore", "mindspore.version"):
            return generation.version()
        if name == "__path__" and (path in _packages() or path in _OPEN):
            return []  # one file of ours can stand for a package of MindSpore's
        raise AttributeError(f"module {path!r} has no attribute {name!r}")
    if not name.isidentifier():         # "" is the module itself, which would look for itself without end
        raise AttributeError(f"module {path!r} has no attribute {name!r}")
    home = _home(path, name)
    if home is None and _has_file(full):
        return importlib.import_module(our_name(full))
    if home is not None:
        if home.startswith("="):
            return importlib.import_module(our_name(home[1:]))
        found = _elsewhere(home or path, name, path)
        return Missing(full) if found is None else found
    if path == "mindspore._c_expression" and (found := _derived(path, name)) is not None:
        return found
    if full in _table() or (full in _removed() and _removed()[full][2] == "(module)"):
        return importlib.import_module(our_name(full))
    if (found := _alias(full)) is not None:
        return found
    if full in _removed():
        return Missing(full)
    if has_module(full):
        return importlib.import_module(our_name(full))
    if path in _removed_modules() and path not in _table():
        return _from_gone_module(path, name)
    raise AttributeError(_absent(path, name, module_name))


@cache
def _absent(path: str, name: str, module_name: str) -> str:
    """What a module says of a name that it lacks. (To find the nearest takes milliseconds, and `hasattr` may
    ask again and again.)"""
    near = nearest(name, names(path) | set(vars(sys.modules[module_name])))
    hint = f" Did you mean: {near!r}?" if near else ""
    return f"module {path!r} has no attribute {name!r}.{hint}"


def nearest(name: str, known, cutoff: float = 0.6) -> str | None:
    """The known name that a misspelt one most likely means: of near ones that with the same letters.

    Case does not count: Relu means ReLU, ConvTranspose2d means Conv2dTranspose rather than Conv3dTranspose.
    Of two names that differ by it alone the one that begins alike is meant: concatt is no class.
    """
    folded: dict[str, str] = {}
    for other in sorted(known, key=lambda other: (other[:1].isupper() != name[:1].isupper(), other)):
        folded.setdefault(other.lower(), other)
    near = difflib.get_close_matches(name.lower(), folded, 3, cutoff)
    anagrams = [other for other in near if sorted(other) == sorted(name.lower())]
    return folded[(anagrams or near)[0]] if near else None


def _fail_a_probe(missing: Missing, importer) -> None:
    """Raise where ``missing`` is what a ``from ... import`` asks for that expects to fail."""
    from ms2torch._naming import probing

    caught = probing.caught_errors(importer)
    if not caught:
        return
    path, _, name = missing._full.rpartition(".")
    if path not in _table():
        raise ModuleNotFoundError(f"No module named {path!r}", name=path)
    if caught != {"ModuleNotFoundError"}:
        reason = status(missing._full)[1]
        notice(f"probe {missing._full}", f"{missing._full}: {reason} The program goes its own way.")
        raise ImportError(f"cannot import name {name!r} from {path!r}", name=path)


def install_lazy(module_name: str, namespace: dict) -> None:
    """Give a module its ``__getattr__``, after one of its own; takes the module's ``__name__, globals()``."""

    own = namespace.get("__getattr__", lookup)
    if own.__module__ == __name__ and own is not lookup:
        return

    def __getattr__(name: str):
        if own is not lookup:
            try:
                return own(name)
            except AttributeError:
                pass
        found = lookup(module_name, name)
        if isinstance(found, Missing):
            _fail_a_probe(found, sys._getframe(1))
        # What is missing while modules still load may be there later; the version follows the API generation.
        if not isinstance(found, Missing) and name not in ("__version__", "__all__"):
            namespace[name] = found
        return found

    namespace["__getattr__"] = __getattr__
    namespace.setdefault("__dir__", lambda: _listed(module_name))


class Mirrored(ModuleType):
    """A module of the mirror. ``mindspore.ops.op_info_register`` is a function and a module of that path
    holds it: importing the module leaves the function in its place, as it does in MindSpore."""

    def __setattr__(self, name: str, value: object) -> None:
        if isinstance(value, ModuleType) and value.__name__ == f"{self.__name__}.{name}":
            home = _home(mindspore_name(self.__name__), name)
            if home is not None and not home.startswith("="):
                return
        super().__setattr__(name, value)


class _File(SourceFileLoader):
    """Loads a file of the mirror and lets the module answer for what the file does not define."""

    def exec_module(self, module: ModuleType) -> None:
        super().exec_module(module)
        install_lazy(module.__name__, vars(module))
        if type(module) is ModuleType:
            module.__class__ = Mirrored


class _Empty:
    """Makes a module of MindSpore's that has no file here: all that it has are the answers of `lookup`."""

    @staticmethod
    def create_module(spec: ModuleSpec) -> None:
        return None

    @staticmethod
    def exec_module(module: ModuleType) -> None:
        module.__doc__ = f"{mindspore_name(module.__name__)}: names that ms2torch defines elsewhere or lacks."
        install_lazy(module.__name__, vars(module))
        if type(module) is ModuleType:
            module.__class__ = Mirrored


class _Same:
    """Loads ``a.b`` where ``b`` is an attribute of ``a`` that holds another module: that module itself."""

    @staticmethod
    def create_module(spec: ModuleSpec) -> None:
        return None

    @staticmethod
    def exec_module(module: ModuleType) -> None:
        parent, _, name = module.__name__.rpartition(".")
        sys.modules[module.__name__] = getattr(sys.modules[parent], name)


def _is_attribute(fullname: str) -> bool:
    """Whether the name of a module is an attribute of its loaded parent that holds another module."""
    parent, _, name = fullname.rpartition(".")
    if has_module(mindspore_name(fullname)) or parent not in sys.modules:
        return False
    return isinstance(getattr(sys.modules[parent], name, None), ModuleType)


# What is no part of the mirror.
_APART = tuple(f"{OURS}.{name}" for name in ("_core", "_naming", "shim", "cli", "_version", "__main__"))


class _Mirror:
    """Import hook for the modules of ms2torch that MindSpore has too."""

    @staticmethod
    def find_spec(fullname: str, path=None, target=None) -> ModuleSpec | None:
        if not fullname.startswith(OURS + ".") or fullname.startswith(_APART):
            return None
        spec = PathFinder.find_spec(fullname, path)
        if spec is None or spec.loader is None:
            if _is_attribute(fullname):
                return ModuleSpec(fullname, _Same)
            known = has_module(mindspore_name(fullname))
            return ModuleSpec(fullname, _Empty, is_package=True) if known else None
        if type(spec.loader) is SourceFileLoader:
            spec.loader = _File(spec.loader.name, spec.loader.path)
        return spec


if _Mirror not in sys.meta_path:
    sys.meta_path.insert(0, _Mirror)
