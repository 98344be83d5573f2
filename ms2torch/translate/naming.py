"""The public MindSpore names of what a running program holds in its hands."""

from __future__ import annotations

import sys
from types import MethodType, ModuleType

from ms2torch._naming import surface

# Where a thing goes by several names, that of the first of these modules is its own.
_FIRST = (
    "mindspore",
    "mindspore.nn",
    "mindspore.ops",
    "mindspore.mint",
    "mindspore.mint.nn",
    "mindspore.mint.nn.functional",
    "mindspore.train",
    "mindspore.dataset",
    "mindspore.dataset.vision",
    "mindspore.dataset.transforms",
    "mindspore.common.initializer",
)
_OURS = ("ms2torch", "mindspore")


class Names:
    """Public names by object, of the modules that are imported by now."""

    def __init__(self) -> None:
        self._known: dict[int, str] = {}
        self._kept: list = []
        self._modules: set[str] = set()

    def of(self, value) -> str:
        """The name of a function, class, dtype or module of MindSpore's; empty for anything else."""
        if isinstance(value, ModuleType):
            name = value.__name__
            return "mindspore" + name.removeprefix("ms2torch") if name.split(".")[0] == "ms2torch" else ""
        found = self._known.get(id(value))
        if found is None and _is_ours(value):
            self._look()
            found = self._known.get(id(value))
        return found or ""

    def of_class(self, cls: type) -> str:
        """The name of the nearest class of MindSpore's that a class is or derives from."""
        return next((name for base in cls.__mro__ if (name := self.of(base))), "")

    def of_member(self, receiver, name: str, value=None) -> str:
        """``mindspore.Tensor.view``: the name of an attribute by the class of MindSpore's that defines it."""
        cls = receiver if isinstance(receiver, type) else type(receiver)
        function = value.__func__ if isinstance(value, MethodType) else None
        for base in cls.__mro__:
            if name in vars(base) and (function is None or vars(base)[name] in (function, value)):
                owner = self.of(base) or self._heir(cls, base)
                return f"{owner}.{name}" if owner else ""
        return ""

    def _heir(self, cls: type, base: type) -> str:
        """The public class through which another gets what a base of ours without a public name defines."""
        ours = base.__module__.startswith("ms2torch.")
        heirs = [c for c in cls.__mro__ if ours and c is not base and issubclass(c, base)]
        return next(filter(None, map(self.of, reversed(heirs))), "")

    def _look(self) -> None:
        paths = [p for p in surface._table() if _our(p) in sys.modules and p not in self._modules]
        paths.sort(key=lambda p: (_FIRST.index(p) if p in _FIRST else len(_FIRST), p.count("."), p))
        for path in paths:
            self._modules.add(path)
            here = vars(sys.modules[_our(path)])
            for name in sorted(surface.names(path)):
                value = here.get(name)
                if _is_ours(value) and not isinstance(value, (ModuleType, *_SMALL)):
                    self._kept.append(value)
                    self._known.setdefault(id(value), f"{path}.{name}")


_SMALL = (bool, int, float, str, tuple, list, dict, type(None))


def _our(path: str) -> str:
    return "ms2torch" + path.removeprefix("mindspore")


def _is_ours(value) -> bool:
    module = getattr(value, "__module__", None) or getattr(type(value), "__module__", "")
    return isinstance(module, str) and module.partition(".")[0] in _OURS
