"""``import mindspore`` gives ms2torch: one import hook, installed and undone at will.

Every ``mindspore.a.b`` is the module object ``ms2torch.a.b`` itself, so classes, state and monkey patches
are shared whichever name a program uses.
"""

from __future__ import annotations

import importlib
import importlib.util
import os
import sys
from collections.abc import Iterator
from importlib.machinery import ModuleSpec, PathFinder
from pathlib import Path
from types import ModuleType

from ms2torch._core.errors import notice
from ms2torch._naming import generation, surface

from . import guard, surroundings, torch_proxy

SITE = Path(__file__).parent / "site"
_displaced: dict[str, ModuleType] = {}


def _ours(name: str) -> bool:
    return name == "mindspore" or name.startswith("mindspore.")


class _Named(surface.Mirrored):
    """The type of the package while the alias is installed: printing it shows what runs."""

    def __repr__(self) -> str:
        import torch

        from ms2torch._core.devices import device
        from ms2torch._version import __version__

        major, minor = generation.api()
        return (
            f"<module 'mindspore' is ms2torch {__version__}: MindSpore API {major}.{minor} on PyTorch "
            f"{torch.__version__}, device {device.describe(device.device())}>"
        )


class _Loader:
    """Hands out the module that exists already under our own name."""

    def __init__(self, name: str) -> None:
        self.name = name

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        module = importlib.import_module(self.name)
        self.spec = module.__spec__
        return module

    def exec_module(self, module: ModuleType) -> None:
        module.__spec__ = self.spec  # the import system has just put the alias's spec there
        # Importing a module for the first time puts it into its package, also in the place of a function
        # of that name. What our package has imported already is no first time under the alias either.
        for name in [name for name in sys.modules if name.startswith(self.name + ".")]:
            sys.modules.setdefault("mindspore" + name.removeprefix("ms2torch"), sys.modules[name])
        if self.name == "ms2torch":
            module.__class__ = _Named


class _Finder:
    """The import hook."""

    @staticmethod
    def find_spec(fullname: str, path=None, target=None) -> ModuleSpec | None:
        if not _ours(fullname) or not guard.is_in_scope(2):
            return None
        name = surface.our_name(fullname)
        found = importlib.util.find_spec(name)
        if found is None:
            return None
        if fullname == "mindspore" and PathFinder.find_spec("mindspore") is not None:
            notice("alias", "mindspore itself is installed here too; this program uses ms2torch instead.")
        return ModuleSpec(fullname, _Loader(name), is_package=found.submodule_search_locations is not None)

    @staticmethod
    def find_distributions(context) -> Iterator:
        """``importlib.metadata.version("mindspore")``: how packages ask whether MindSpore is installed."""
        if (context.name or "mindspore").lower() == "mindspore" and guard.is_in_scope(2):
            yield _distribution()


def _distribution():
    from importlib.metadata import Distribution

    class Alias(Distribution):
        """What the alias says of itself as an installed package."""

        def read_text(self, filename: str) -> str | None:
            head = "Metadata-Version: 2.1\nName: mindspore\nVersion: "
            return f"{head}{generation.version()}\n" if filename == "METADATA" else None

        def locate_file(self, path) -> Path:
            return Path(__file__).parents[2] / path

    return Alias()


def install(api: str | None = None, *, inherit: bool = False, scope=None) -> None:
    """Make ``import mindspore`` give ms2torch in this process; calling it again changes nothing.

    ``api`` (``"1.5"``) sets the MindSpore release whose meaning a name has where releases differ;
    ValueError for one that does not exist. ``inherit=True`` makes Python subprocesses do the same. With
    ``scope``, names of packages (``()`` for none), only the program itself and those packages find it: a
    library that merely looks whether MindSpore is there does not (see `guard`).
    """
    guard.set_scope(scope)
    if api is not None:
        _set_api(api)
    if _Finder not in sys.meta_path:
        for name in [n for n in sys.modules if _ours(n)]:
            _displaced[name] = sys.modules.pop(name)
        sys.meta_path.insert(0, _Finder)
        surroundings.install()
        torch_proxy.install()
    if inherit:
        os.environ.update(environment())


def uninstall() -> None:
    """Undo `install`: ``mindspore`` is again whatever it was before."""
    if _Finder not in sys.meta_path:
        return
    sys.meta_path.remove(_Finder)
    guard.set_scope(None)
    for name in [n for n in sys.modules if _ours(n)]:
        del sys.modules[name]
    sys.modules["ms2torch"].__class__ = surface.Mirrored
    sys.modules.update(_displaced)
    _displaced.clear()
    surroundings.uninstall()
    torch_proxy.uninstall()
    if os.environ.pop("MS2TORCH_INSTALL", None):
        kept = [p for p in os.environ.get("PYTHONPATH", "").split(os.pathsep) if p and p != str(SITE)]
        os.environ["PYTHONPATH"] = os.pathsep.join(kept)


def environment() -> dict[str, str]:
    """The environment variables by which Python subprocesses inherit the alias (and the API generation)."""
    kept = [p for p in os.environ.get("PYTHONPATH", "").split(os.pathsep) if p and p != str(SITE)]
    found = {"MS2TORCH_INSTALL": "1", "PYTHONPATH": os.pathsep.join([str(SITE), *kept])}
    if generation.is_set():
        found["MS2TORCH_API"] = ".".join(map(str, generation.api()))
    return found


def _set_api(api: str) -> None:
    from ms2torch._core import mode
    from ms2torch._naming import generations

    generation.set_api(api)
    mode.graph = generations.has_old_meaning("mindspore.set_context")
