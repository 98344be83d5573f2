"""What a graph hands out: floats that it computed are of 32 bits, those that it only passes on are as they
were; of a Parameter the value that it has at the graph's end."""

from __future__ import annotations

import dis
import functools
import inspect
import threading
import types
from collections import OrderedDict

import numpy as np

from ms2torch._core.random import graph_streams
from ms2torch._core.tensor.tensor import Tensor, wrap
from ms2torch.common.mutable import is_mutable
from ms2torch.common.parameter import Parameter, ParameterTuple
from ms2torch.language.arithmetic import single

# Above it MindSpore hands out a float of 32 bits in any case.
_LEVELS = 6
_LARGE = 2.0**24


class _Made(threading.local):
    """Floats that Python computed for this thread's graph."""

    def __init__(self) -> None:
        self.values: set = set()


_made = _Made()


def of_python(value):
    """``value``, which Python computed for a graph when it was made (``math.sqrt(2.0)``)."""
    if value.__class__ is float:
        _made.values.add(value)
    return value


def handed_out(value, function, args: tuple, kwargs: dict):
    """The result of ``function(*args, **kwargs)``, the outermost of a graph: numpy's numbers are Python's."""
    if value.__class__ is Tensor:
        return value
    if isinstance(value, Parameter):
        code = getattr(inspect.unwrap(getattr(function, "_graph_source", function)), "__code__", None)
        return value if code is None or _only_passes_on(code) else _value_of(value)
    if isinstance(value, (tuple, list)) and any(isinstance(v, (tuple, list)) for v in value):
        _refuse_depth(value)
    if isinstance(value, (int, float, tuple)) and is_mutable(value) and any(v is value for v in args):
        return value
    passed = None
    if _holds_float(value):
        passed = {v for v in _floats_of(function, args, kwargs) if abs(v) < _LARGE and single(v)}
    return _out(value, passed, (), {id(v) for v in args if v.__class__ is OrderedDict})


def _refuse_depth(value) -> None:
    """RuntimeError where lists and tuples are nested too deeply, around a Tensor or constants alone."""
    of_tensors, depth = _depths(value)
    if of_tensors > _LEVELS or (not of_tensors and depth > _LEVELS):
        kinds = "List" if of_tensors else "List, tuple and dict"
        raise RuntimeError(f"{kinds} nesting is not allowed more than {_LEVELS} levels.")


def _depths(value) -> tuple[int, int]:
    """How many lists and tuples are around the deepest Tensor, 0 where there is none, and how many in all."""
    of_tensors = depth = 0
    for item in value:
        inner = _depths(item) if isinstance(item, (tuple, list)) else (0, 0)
        if inner[0] or isinstance(item, Tensor):
            of_tensors = max(of_tensors, inner[0] + 1)
        depth = max(depth, inner[1])
    return of_tensors, depth + 1


def forget() -> None:
    """The graph has ended."""
    _made.values.clear()


def come_apart(target) -> None:
    """``target`` is written in place: where the graph was given it, and hands it out, the caller gets another
    Tensor, which later writes do not reach."""
    call = graph_streams.here.call
    if call is not None and call.was_given(target):
        call.leaving.append(functools.partial(_apart, target))


def _apart(target, result):
    if result is target:
        return wrap(target._t.clone())
    if result.__class__ in (tuple, list):
        return result.__class__(_apart(target, v) for v in result)
    if result.__class__ is dict:
        return {k: _apart(target, v) for k, v in result.items()}
    return result


def _out(value, passed, siblings, given):
    if isinstance(value, np.generic):
        return value.item()
    kind = value.__class__
    if kind is Tensor:
        return value
    if isinstance(value, Parameter):
        return _value_of(value)
    if kind is not bool and isinstance(value, (int, float)) and is_mutable(value):
        return single(float(value)) if isinstance(value, float) else int(value)
    if kind is float:
        # (beside None and dicts, scalars come out of another way)
        mixed = any(v is None or isinstance(v, dict) for v in siblings)
        return value if value in passed and not mixed else single(value)
    for plain in (tuple, list):
        if kind in (plain, ParameterTuple) or (
                isinstance(value, plain) and kind.__module__ == "ms2torch.common.mutable"):
            made = [_out(v, passed, value, given) for v in value]
            return value if _same(kind, plain, made, value) else plain(made)     # (`mutable` ones are plain)
    if kind is dict or kind is OrderedDict or (isinstance(value, dict) and is_mutable(value)):
        made = {k: _out(v, passed, (), given) for k, v in value.items()}
        if id(value) in given:                  # (one that the graph makes comes out plain)
            return OrderedDict(made)
        return value if _same(kind, dict, made.values(), value.values()) else made
    return value


def _value_of(parameter):
    return wrap(parameter._t.clone())


@functools.lru_cache(512)
def _only_passes_on(code: types.CodeType) -> bool:
    """Whether a function that returns a Parameter does nothing else: its graph is the Parameter."""
    steps = list(dis.get_instructions(code))
    returns = sum(step.opname == "RETURN_VALUE" for step in steps)
    writes = any(step.opname in ("STORE_ATTR", "STORE_SUBSCR", "STORE_SLICE") for step in steps)
    return returns == 1 and not writes and not any(
        name == "depend" or name.startswith("assign") for name in map(str.lower, code.co_names))


def _same(kind, plain, made, value) -> bool:
    """Whether ``value``, of ``kind``, is ``plain`` and holds what was ``made`` of what it holds."""
    return kind is plain and all(a is b or (a.__class__ is b.__class__ is float and a == b)
                                 for a, b in zip(made, value, strict=True))


def _holds_float(value) -> bool:
    if isinstance(value, dict):
        value = tuple(value.values())
    if isinstance(value, (tuple, list)):
        return any(map(_holds_float, value))
    return value.__class__ is float


def _floats_of(function, args, kwargs):
    """The floats that a function can pass on: given, written out, global, in its closure, of its object."""
    yield from _made.values
    yield from _floats_in((args, kwargs))
    yield from _floats_seen(function, 3)
    if args and not isinstance(args[0], (Tensor, int, float, str, tuple, list, dict)):
        yield from _floats_in(getattr(args[0], "__dict__", {}))


def _floats_seen(function, depth: int):
    code = getattr(function, "__code__", None)
    if code is None or not depth:
        return
    seen = list(inspect.getclosurevars(function).nonlocals.values()) if function.__closure__ else []
    codes = [code]
    while codes:
        code = codes.pop()
        codes += [c for c in code.co_consts if isinstance(c, types.CodeType)]
        yield from (v for v in _floats_in(code.co_consts) if v > 0)      # (-0.1 is computed)
        seen += [function.__globals__.get(name) for name in code.co_names]
        seen += [vars(v)[name] for v in seen if isinstance(v, types.ModuleType)
                 for name in code.co_names if vars(v).get(name).__class__ is float]
    for value in seen:
        if isinstance(value, types.FunctionType):
            yield from _floats_seen(getattr(value, "_graph_source", value), depth - 1)
        else:
            yield from _floats_in(value)


def _floats_in(value):
    if isinstance(value, dict):
        value = tuple(value.values())
    if isinstance(value, (tuple, list)):
        for v in value:
            yield from _floats_in(v)
    elif value.__class__ is float:
        yield value
