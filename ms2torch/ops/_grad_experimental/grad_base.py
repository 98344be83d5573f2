"""Registries of gradient functions (``mindspore.ops._grad_experimental.grad_base``, ``ops._grad`` in 1.x).

Programs fill them when they are imported, for kernels that they bring to another device. A Primitive that
ms2torch has keeps its own gradient, as MindSpore's operators do; one that it has not cannot be called.
"""

from __future__ import annotations

from .._register_for_op import Registry


class BpropRegistry(Registry):
    """Makers of gradient functions by Primitive."""


class TaylorFpropRegistry(Registry):
    """Makers of forward functions of higher order by Primitive."""


bprop_getters, bprops = BpropRegistry(), BpropRegistry()
taylor_fprop_getters, taylor_fprops = TaylorFpropRegistry(), TaylorFpropRegistry()


def _made(getters: Registry, ready: Registry, prim):
    getter = getters.get(prim)
    return getter(prim) if getter else ready.get(prim)


def get_bprop_fn(prim):
    """The gradient function that a program registered for a Primitive, else None."""
    return _made(bprop_getters, bprops, prim)


def get_taylor_fprop_fn(prim):
    """The forward function of higher order that a program registered for a Primitive, else None."""
    return _made(taylor_fprop_getters, taylor_fprops, prim)
