"""``mindspore.mutable``: values that graph mode does not take for constants, so that they have gradients."""

from __future__ import annotations

import numpy as np

from ms2torch._core import mode
from ms2torch._core.random import graph_streams
from ms2torch._core.tensor.tensor import Tensor, wrap


class _Float(float):
    __ms_mutable__ = True


class _Int(int):
    __ms_mutable__ = True


class _Tuple(tuple):
    __ms_mutable__ = True


class _List(list):
    __ms_mutable__ = True


class _Dict(dict):
    __ms_mutable__ = True


def _in_a_graph() -> bool:
    return mode.inside > 0 or graph_streams.here.call is not None


def _lengths():
    from ms2torch.language import dynamic_lengths

    return dynamic_lengths


class _OfAnyLength:
    """A sequence whose length a graph does not know."""

    __ms_dynamic_len__ = True
    _plain: type

    def __add__(self, other):
        return NotImplemented if isinstance(other, Tensor) else self._joined(self, other)

    def __radd__(self, other):
        return self._joined(other, self)

    def _joined(self, first, second):
        made = self._plain.__add__(first, second)
        return type(self)(_lengths().added(first, second, made)) if _in_a_graph() else made


class _DynamicTuple(_OfAnyLength, _Tuple):
    _plain = tuple


class _DynamicList(_OfAnyLength, _List):
    _plain = list

    def append(self, item):
        if _in_a_graph():
            _lengths().appended(self, item)
        list.append(self, item)

    def __setitem__(self, index, item):
        if _in_a_graph():
            _lengths().written(self, index, item)
        list.__setitem__(self, index, item)


DYNAMIC = (_DynamicTuple, _DynamicList)
# The classes of lists whose length a graph knows.
LISTS = (list, _List)
# The class of integers of which a graph knows no value.
VARIABLE_INT = _Int


def mutable(input_data, dynamic_len=False):
    """A tuple, list or dict by whose Tensors graph mode differentiates, or a number, whose gradient is 0.

    In graph mode gradients come in the structure of ``input_data``, in PyNative mode none but Tensors have
    one. TypeError for anything but numbers, Tensors and their tuples, lists and dicts. ``dynamic_len`` says
    that the length of a tuple or list may change.
    """
    if not isinstance(dynamic_len, bool):
        raise TypeError(
            f"For 'mutable', the second input should be bool, but got: {type(dynamic_len).__name__}")
    if dynamic_len and not isinstance(input_data, (tuple, list)):
        raise TypeError("For 'mutable', when the variable_len is True, the first input should be list or "
                        f"tuple, but got: {type(input_data).__name__}")
    if isinstance(input_data, np.generic) and _in_a_graph():
        input_data = input_data.item()
    if not _is_of_tensors(input_data, ()):
        if _in_a_graph():
            raise _lengths().not_mutable(input_data)
        raise TypeError(
            "For 'mutable', the 'input_data' should be one of (bool, int, float, Tensor, tuple, list, dict) "
            "or their nested structures with no self-reference, but got "
            f"{type(input_data).__name__}: {input_data}."
        )
    if _in_a_graph() and not dynamic_len and hasattr(input_data, "__ms_dynamic_len__"):
        raise RuntimeError("For 'mutable', can not convert a dynamic length sequence to constant length.")
    if dynamic_len:
        if _in_a_graph():
            _lengths().check(input_data)
        return (_DynamicTuple if isinstance(input_data, tuple) else _DynamicList)(input_data)
    for kind, made in ((tuple, _Tuple), (list, _List), (dict, _Dict)):
        if isinstance(input_data, kind):
            return made(input_data)
    if isinstance(input_data, Tensor) and input_data.const_arg:
        if _in_a_graph():
            return wrap(input_data._t)
        input_data.const_arg = False
    if input_data.__class__ in _NUMBERS:
        return _NUMBERS[input_data.__class__](input_data)
    return input_data


def _is_of_tensors(value, above: tuple) -> bool:
    """Whether ``value`` is a number, a Tensor or a structure of such that does not hold itself."""
    if not isinstance(value, (tuple, list, dict)):
        return isinstance(value, (bool, int, float, Tensor))
    if id(value) in above:
        return False
    held = value.values() if isinstance(value, dict) else value
    return all(_is_of_tensors(v, (*above, id(value))) for v in held)


_NUMBERS = {float: _Float, int: _Int}


def is_mutable(value) -> bool:
    """Whether `mutable` made it so."""
    return isinstance(value, (_Tuple, _List, _Dict, _Float, _Int))
