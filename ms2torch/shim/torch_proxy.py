"""MindNLP's mindtorch stands in for torch: it answers ``import torch``, and the real one stays itself.

mindtorch puts a finder into ``sys.meta_path`` that hands out its own modules as ``torch.*``. Where the real
torch is loaded, that would mix the two: what torch imports of itself later would be mindtorch's. So that
finder is not installed; from then on ``import torch`` gives mindtorch's module in every package but torch
itself, ms2torch and what belongs to torch. Nothing is changed before mindtorch is imported.
"""

from __future__ import annotations

import builtins
import importlib
import importlib.util
import sys
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from types import ModuleType

_PROXY = "mindtorch.torch_proxy"
# Packages for which torch is the real one.
_REAL = frozenset(("torch", "torchgen", "functorch", "ms2torch", "triton", "importlib"))
_stand_ins: dict[str, ModuleType] = {}
_originals: dict[str, object] = {}


def _real(name: str) -> bool:
    return name.partition(".")[0] in _REAL or name.startswith("_frozen_importlib")


def _torch(name: str) -> bool:
    return name == "torch" or name.startswith("torch.")


class Watch:
    """Import hook for the one module of mindtorch that installs its finder."""

    @staticmethod
    def find_spec(fullname: str, path=None, target=None) -> ModuleSpec | None:
        spec = PathFinder.find_spec(fullname, path) if fullname == _PROXY else None
        if spec is not None and type(spec.loader) is SourceFileLoader:
            spec.loader = _Loader(spec.loader.name, spec.loader.path)
        return spec


class _Loader(SourceFileLoader):
    def exec_module(self, module: ModuleType) -> None:
        super().exec_module(module)
        module.initialize_torch_proxy = lambda: _install(module)
        module.setup_metadata_patch = lambda: None  # the real torch answers importlib.metadata


def _stand_in(proxy: ModuleType, name: str) -> ModuleType:
    """mindtorch's module in the place of ``torch.a.b``; ModuleNotFoundError where it has none."""
    found = _stand_ins.get(name)
    if found is None:
        target = "mindtorch" + name.removeprefix("torch")
        importlib.import_module(target)
        loader = proxy.RedirectLoader(target)
        found = importlib.util.module_from_spec(ModuleSpec(name, loader, is_package=True))
        loader.exec_module(found)
        _stand_ins[name] = found
    return found


def _install(proxy: ModuleType) -> None:
    """Let ``import torch`` give mindtorch's modules where it is not torch that asks."""
    if _originals:
        return
    real_import, real_find_spec = builtins.__import__, importlib.util.find_spec
    real_import_module = importlib.import_module
    _originals.update(import_=real_import, import_module=real_import_module, find_spec=real_find_spec)

    def asked(depth: int) -> str:
        return sys._getframe(depth + 1).f_globals.get("__name__", "")

    def import_(name, globals=None, locals=None, fromlist=(), level=0):
        if level or not _torch(name) or _real((globals or {}).get("__name__", "")):
            return real_import(name, globals, locals, fromlist, level)
        found = _stand_in(proxy, name)
        return found if fromlist else _stand_in(proxy, "torch")

    def import_module(name, package=None):
        if not _torch(name) or _real(asked(1)):
            return real_import_module(name, package)
        return _stand_in(proxy, name)

    def find_spec(name, package=None):
        if not _torch(name) or _real(asked(1)):
            return real_find_spec(name, package)
        try:
            return _stand_in(proxy, name).__spec__
        except ModuleNotFoundError:
            return None

    builtins.__import__, importlib.import_module, importlib.util.find_spec = import_, import_module, find_spec
    vars(_stand_in(proxy, "torch"))["__version__"] = proxy.TORCH_VERSION


def uninstall() -> None:
    """Give every package the real torch again."""
    if Watch in sys.meta_path:
        sys.meta_path.remove(Watch)
    if _originals:
        builtins.__import__ = _originals["import_"]
        importlib.import_module = _originals["import_module"]
        importlib.util.find_spec = _originals["find_spec"]
        _originals.clear()
        _stand_ins.clear()


def install() -> None:
    """Watch for mindtorch; costs nothing until it comes."""
    if Watch not in sys.meta_path:
        sys.meta_path.insert(0, Watch)
