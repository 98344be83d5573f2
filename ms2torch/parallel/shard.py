"""Layouts of tensors over devices (``mindspore.parallel.shard``): and `shard`."""

from __future__ import annotations

import copy
import math

from ms2torch._naming.surface import install_lazy

__all__ = ["Layout", "shard"]

_INTERLEAVED = "interleaved_parallel"


class Layout:
    """Names for the axes of a device matrix (``mindspore.parallel.Layout``); called with one name, a tuple of
    names or "None" for each dimension of a tensor it gives the layout of that tensor.

    `to_dict` has it in numbers: axes are counted from the right, -1 is a dimension that is not split.
    TypeError and ValueError as MindSpore raises them.
    """

    def __init__(self, device_matrix, alias_name, rank_list=None) -> None:
        given = {"device_matrix": (device_matrix, int), "alias_name": (alias_name, str)}
        for name, (value, _) in given.items():
            if not isinstance(value, tuple):
                raise TypeError(f"{name} must be tuple type, but got:{type(value)}")
        if len(device_matrix) != len(alias_name):
            raise ValueError("device_matrix length should be equal to alias_name length")
        for name, (value, kind) in given.items():
            for one in value:
                if not isinstance(one, kind):
                    raise TypeError(f"The element of {name} must be {kind.__name__} type, but "
                                    f"got:{type(one)}")
        if "" in alias_name:
            raise ValueError("The element of alias_name can not be empty.")
        if "None" in alias_name:
            raise ValueError("The element of alias_name can not set 'None', because 'None' means no "
                             "sharding.")
        if len(set(alias_name)) != len(alias_name):
            raise ValueError(f"Each element of alias_name {alias_name} should be different")
        if _INTERLEAVED in alias_name[:-1]:
            raise ValueError(f"When alias_name {alias_name} contains keyword '{_INTERLEAVED}', it should be "
                             "at the last dim of alias_name, which means the virtual sharding.")
        self._device_shape, self._alias_name, self._tensor_map = device_matrix, alias_name, None
        self._rank_list = _checked_ranks(rank_list, math.prod(device_matrix))

    def __call__(self, *tensor_map):
        used: list[str] = []
        places = tuple([tuple([self._place(one, used) for one in names]) if isinstance(names, tuple)
                        else self._place(names, used) for names in tensor_map])
        self._tensor_map = places
        return copy.deepcopy(self)

    def _place(self, name: str, used: list[str]) -> int:
        if name == "None":
            return -1
        if name not in self._alias_name:
            raise ValueError(f"The axis {name} is not found in {self._alias_name}")
        if name in used:
            raise ValueError(f"The axis {name} has been set more than one in {self._alias_name}")
        used.append(name)
        return len(self._alias_name) - 1 - self._alias_name.index(name)

    def to_dict(self) -> dict:
        """The device matrix, the tensor's map to it, the names and the ranks; ValueError before a call."""
        if self._tensor_map is None:
            raise ValueError("The tensor_map of layout is None")
        return {"device_matrix": self._device_shape, "tensor_map": self._tensor_map,
                "interleaved_parallel": _INTERLEAVED in self._alias_name, "alias_name": self._alias_name,
                "rank_list": self._rank_list}


def _checked_ranks(ranks, count: int) -> list[int]:
    if ranks is None:
        return list(range(count))
    if not isinstance(ranks, list):
        raise TypeError(f"The rank_list should be a list, but got {type(ranks).__name__}.")
    for one in ranks:
        if not isinstance(one, int):
            raise TypeError(f"The element of rank_list should be int, but got {type(one).__name__}.")
    if len(ranks) != count:
        raise ValueError("The length of rank_list should be equal to the product of device_matrix, "
                         f"but got {len(ranks)} and {count}.")
    return ranks


def shard(fn, in_strategy, out_strategy=None, parameter_plan=None):
    """Lay out the inputs of a Cell or function, its outputs and parameters, over the processes.

    ``in_strategy`` has for each input in how many parts each dimension is, or a `Layout`; ``parameter_plan``
    the same by a parameter's name. Alone, and outside automatic parallelism, ``fn`` itself comes back.
    """
    from ._strategies import of_call

    return of_call(fn, in_strategy, out_strategy, parameter_plan)


install_lazy(__name__, globals())
