"""Python implementations of Primitives for debugging (``mindspore.ops.vm_impl_registry``): kept, and called
by nothing but the program itself."""

from __future__ import annotations

from ms2torch._naming.surface import Missing

from ._register_for_op import Registry
from .primitive import Primitive


class VmImplRegistry(Registry):
    """Makers of implementations, by Primitive class and by its name; one that is not here yet is kept too."""

    def register(self, prim):
        def keep(fn):
            if isinstance(prim, str):
                self[prim] = fn
            elif isinstance(prim, Missing):
                self[repr(prim)] = fn
            elif issubclass(prim, Primitive):
                self[id(prim)] = self[prim.__name__] = fn
            return fn

        return keep


vm_impl_registry = VmImplRegistry()


def get_vm_impl_fn(prim):
    """The implementation registered for a Primitive or a name (``ops.get_vm_impl_fn``); None without one."""
    make = vm_impl_registry.get(prim, None)
    return make(prim) if make else None
