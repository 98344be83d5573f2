"""Primitives that are made once for each set of arguments (``mindspore.ops._primitive_cache``)."""

from __future__ import annotations

from ms2torch._core.operators.registry import Primitive

_PRIM_CACHE: dict[tuple, Primitive] = {}


def _get_cache_prim(cls: type[Primitive]):
    """A maker of ``cls`` that hands out the same instance where the arguments are written alike."""

    def make(*args, **kwargs) -> Primitive:
        key = (cls, *map(str, args), *(f"{name}:{value}" for name, value in kwargs.items()))
        made = _PRIM_CACHE.get(key)
        if made is None:
            made = _PRIM_CACHE[key] = cls(*args, **kwargs)
        return made

    return make
