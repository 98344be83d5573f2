"""What programs register for Primitives (``mindspore.ops._register_for_op``)."""

from __future__ import annotations

from collections import UserDict

from .primitive import Primitive


class Registry(UserDict):
    """Functions by Primitive class or by a Primitive's name."""

    def register(self, prim):
        """Decorates the function that stands for ``prim``, a Primitive class or a name."""
        def keep(fn):
            if isinstance(prim, str):
                self[prim] = fn
            elif issubclass(prim, Primitive):
                self[id(prim)] = fn
            return fn

        return keep

    def get(self, prim_obj, default=None):
        """What is registered for a Primitive (its class first, then its name) or a name, else ``default``."""
        if isinstance(prim_obj, Primitive):
            of_class = super().get(id(type(prim_obj)))
            return super().get(prim_obj.name, default) if of_class is None else of_class
        return super().get(prim_obj, default) if isinstance(prim_obj, str) else default


class PyFuncRegistry(UserDict):
    """Python functions by a number."""

    def register(self, key, value):
        self[key] = value

    def get(self, key):
        if key not in self:
            raise ValueError(f"Python function with key{key} not registered.")
        return self[key]
