"""Structures of arguments and results, taken apart into their Tensors and put together again."""

from __future__ import annotations

from ms2torch._core.live_numbers import is_number
from ms2torch._core.tensor.tensor import Tensor


class Untraceable(Exception):
    """A step that runs eagerly, and why."""


class Leaf:
    """The place of a Tensor in a structure of arguments or results."""

    __slots__ = ("at",)

    def __init__(self, at: int) -> None:
        self.at = at


def flatten(value, leaves: list):
    """``value`` with a `Leaf` for each Tensor that is no Parameter; the Tensors go to ``leaves``."""
    if isinstance(value, Tensor):
        if hasattr(value, "_rest"):
            return value
        leaves.append(value)
        return Leaf(len(leaves) - 1)
    if value.__class__ is dict:
        return {k: flatten(v, leaves) for k, v in value.items()}
    if value.__class__ in (tuple, list):
        return value.__class__([flatten(v, leaves) for v in value])
    return value


def objects(spec) -> list:
    """What stands in a structure beside its Tensors and numbers."""
    if spec.__class__ in (tuple, list, dict):
        return [one for item in (spec.values() if spec.__class__ is dict else spec) for one in objects(item)]
    return [] if spec.__class__ is Leaf or is_number(spec) else [spec]


def unflatten(spec, leaves):
    """The structure that `flatten` took apart, with other leaves."""
    if spec.__class__ is Leaf:
        return leaves[spec.at]
    if spec.__class__ is dict:
        return {k: unflatten(v, leaves) for k, v in spec.items()}
    if spec.__class__ in (tuple, list):
        return spec.__class__([unflatten(v, leaves) for v in spec])
    return spec
