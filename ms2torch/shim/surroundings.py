"""What old programs lean on around MindSpore: numpy's removed aliases, and ``import moxing``.

Each answers with one notice. numpy's names answer to the user's own files alone: a library that asks numpy
for them (to find out which numpy it has) hears what numpy says.
"""

from __future__ import annotations

import importlib
import sys
import sysconfig
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from types import ModuleType

from ms2torch._core.errors import notice

# What each name was in numpy, until 1.24 or 2.0 removed it.
_NUMPY = {
    "int": int,
    "float": float,
    "bool": bool,
    "object": object,
    "complex": complex,
    "str": str,
    "long": int,
    "unicode": str,
    "float_": "float64",
    "bool8": "bool_",
    "int0": "intp",
    "uint0": "uintp",
    "object0": "object_",
    "complex_": "complex128",
    "cfloat": "complex128",
    "unicode_": "str_",
    "string_": "bytes_",
    "Inf": float("inf"),
    "Infinity": float("inf"),
    "infty": float("inf"),
    "PINF": float("inf"),
    "NINF": float("-inf"),
    "NaN": float("nan"),
    "NAN": float("nan"),
    "product": "prod",
    "cumproduct": "cumprod",
    "sometrue": "any",
    "alltrue": "all",
    "round_": "round",
    "in1d": "isin",
    "row_stack": "vstack",
    "trapz": "trapezoid",
}
_LIBRARIES = tuple({sysconfig.get_path(k) for k in ("stdlib", "platstdlib", "purelib", "platlib")})
_originals: dict[str, object] = {}


def _from_library(filename: str) -> bool:
    return filename.startswith((*_LIBRARIES, "<frozen"))


def _numpy_getattr(name: str):
    if name in _NUMPY and not _from_library(sys._getframe(1).f_code.co_filename):
        import numpy

        meant = _NUMPY[name]
        shown = f"np.{meant}" if isinstance(meant, str) else getattr(meant, "__name__", meant)
        notice(f"numpy:{name}", f"np.{name} is gone from numpy {numpy.__version__}; it means {shown} here.")
        return getattr(numpy, meant) if isinstance(meant, str) else meant
    original = _originals.get("numpy")
    if original is None:
        raise AttributeError(f"module 'numpy' has no attribute {name!r}")
    return original(name)


class _Moxing:
    """Import hook, asked last: ``moxing`` as local file copies where it is not installed."""

    @staticmethod
    def find_spec(fullname: str, path=None, target=None) -> ModuleSpec | None:
        if fullname in ("moxing", "moxing.file"):
            return ModuleSpec(fullname, _Moxing, is_package=fullname == "moxing")
        return None

    @staticmethod
    def create_module(spec: ModuleSpec) -> ModuleType:
        from . import moxing_file

        notice("moxing", "moxing is not installed; import moxing gives local file copies in its place.")
        if spec.name == "moxing.file":
            return moxing_file
        module = ModuleType("moxing")
        module.file = moxing_file
        return module

    @staticmethod
    def exec_module(module: ModuleType) -> None:
        pass


class _Pictures:
    """After ``import PIL`` alone programs have ``PIL.Image``, which MindSpore imports; here when asked."""

    @staticmethod
    def find_spec(fullname: str, path=None, target=None) -> ModuleSpec | None:
        spec = PathFinder.find_spec(fullname, path) if fullname == "PIL" else None
        if spec is not None and type(spec.loader) is SourceFileLoader:
            spec.loader = _PictureLoader(spec.loader.name, spec.loader.path)
        return spec


class _PictureLoader(SourceFileLoader):
    def exec_module(self, module: ModuleType) -> None:
        super().exec_module(module)
        module.__getattr__ = _picture


def _picture(name: str) -> ModuleType:
    if name != "Image":
        raise AttributeError(f"module 'PIL' has no attribute {name!r}")
    return importlib.import_module("PIL.Image")


def install() -> None:
    import numpy

    if "numpy" not in _originals:
        _originals["numpy"] = vars(numpy).get("__getattr__")
        numpy.__getattr__ = _numpy_getattr
    if _Moxing not in sys.meta_path:
        sys.meta_path.append(_Moxing)
    if _Pictures not in sys.meta_path:
        sys.meta_path.insert(0, _Pictures)
    if "PIL" in sys.modules:
        sys.modules["PIL"].__dict__.setdefault("__getattr__", _picture)


def uninstall() -> None:
    import numpy

    if "numpy" in _originals:
        original = _originals.pop("numpy")
        if original is None:
            del numpy.__getattr__
        else:
            numpy.__getattr__ = original
    if _Moxing in sys.meta_path:
        sys.meta_path.remove(_Moxing)
    if _Pictures in sys.meta_path:
        sys.meta_path.remove(_Pictures)
        for name in ("moxing", "moxing.file"):
            sys.modules.pop(name, None)
