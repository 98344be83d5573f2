"""Calls as programs write them too: a right call with its arguments by name or by place, lists for tuples,
numpy's numbers, Parameters for Tensors, another dtype or rank, a partial or a Cell for a function.

Most are as right. What the real one takes of them must not be refused. Runs on either side.
"""

from __future__ import annotations

import inspect
import random
from collections import namedtuple
from functools import partial

from scripts.sweep.varied import _dtypes, _like, _put


def alike(args: tuple, kwargs: dict, f, name: str, seed: int, count: int):
    """``(what is other, args, kwargs)``: ``count`` of the calls, the same ones for a name and a seed."""
    ways = [(place, what) for place, value in (*enumerate(args), *kwargs.items()) for what in _ways(value)]
    ways += [("all", what) for what in _of_all(f, args, kwargs)]
    for place, what in _drawn(ways, name, seed, count):
        try:
            if place == "all":
                yield f"all: {what}", *_of_all(f, args, kwargs)[what]()
                continue
            other = _ways(args[place] if isinstance(place, int) else kwargs[place])[what]()
        except Exception:               # what it is made from does not take the change: no call
            continue
        called = f"argument {place + 1}" if isinstance(place, int) else place
        yield f"{called}: {what}", *_put(args, kwargs, {place: other})


def _drawn(ways: list, name: str, seed: int, count: int) -> list:
    """``count`` of the ways; each has a number of its own, as the sides may have others beside it."""
    drawn = set(sorted(ways, key=lambda way: random.Random(f"{name} {seed} {way}").random())[:count])
    return [way for way in ways if way in drawn]


def _of_all(f, args, kwargs) -> dict:
    """Changes of how the arguments are given, and of all the Tensors."""
    from mindspore import Tensor

    try:
        takes = list(inspect.signature(f).parameters.values())
    except (TypeError, ValueError):
        takes = []
    names = [p.name for p in takes if p.kind is p.POSITIONAL_OR_KEYWORD]
    found = {}
    if args and len(names) >= len(args) and not any(p.kind is p.VAR_POSITIONAL for p in takes):
        last = names[len(args) - 1]
        found[f"by name: {', '.join(names[: len(args)])}"] = lambda: ((), {
            **dict(zip(names, args, strict=False)), **kwargs})
        found[f"the last by name: {last}"] = lambda: (args[:-1], {last: args[-1], **kwargs})
    rest = names[len(args):]
    if kwargs and rest[: len(kwargs)] and set(rest[: len(kwargs)]) == kwargs.keys():
        first = rest[: len(kwargs)]
        found[f"by place: {', '.join(first)}"] = lambda: ((*args, *(kwargs[n] for n in first)), {})
    for p in takes:
        if p.name in rest and p.name not in kwargs and p.default is not p.empty:
            found[f"the default of {p.name}"] = lambda p=p: (args, {**kwargs, p.name: p.default})
    values = {**dict(enumerate(args)), **kwargs}
    if args and len(names) >= len(args):
        found[f"lists by name: {', '.join(names[: len(args)])}"] = lambda: ((), {
            **dict(zip(names, map(_listed, args), strict=False)), **kwargs})
    tensors = {k: v for k, v in values.items() if isinstance(v, Tensor)}
    for dtype in _dtypes() if len(tensors) > 1 else ():
        found[str(dtype)] = lambda dtype=dtype: _put(args, kwargs,
                                                     {k: v.astype(dtype) for k, v in tensors.items()})
    return found


def _listed(value):
    from mindspore import Tensor

    return value.asnumpy().tolist() if isinstance(value, Tensor) else value


def _ways(value) -> dict:
    """What makes other values that programs give for this one, by what they are called."""
    import numpy as np
    from mindspore import Parameter, Tensor, dtype, nn

    if isinstance(value, Tensor):
        return {**{str(d): lambda d=d: value.astype(d) for d in _dtypes() if d != value.dtype},
                "a Parameter": lambda: Parameter(value, name="other"),
                "a Tensor of it": lambda: Tensor(value), "numpy's": value.asnumpy,
                "a list": lambda: value.asnumpy().tolist(), "a number": lambda: value.asnumpy().item(),
                "numpy's number": lambda: value.asnumpy().reshape(-1)[0],
                "an int": lambda: 1, "a float": lambda: 0.5, "a bool": lambda: True,
                **{what: lambda change=change: _like(value, change) for what, change in _SHAPES.items()},
                "a computed one": lambda: value + 0, "its half": lambda: value[: len(value) // 2],
                "None": lambda: None}
    if isinstance(value, bool):
        return {"an int": lambda: int(value), "numpy's": lambda: np.bool_(value), "other": lambda: not value,
                "a Tensor": lambda: Tensor(value), "an array": lambda: np.array(value)}
    if isinstance(value, (int, float)):
        found = {"numpy's int": lambda: np.int64(value), "numpy's int32": lambda: np.int32(value),
                 "numpy's float": lambda: np.float32(value), "numpy's double": lambda: np.float64(value),
                 "an array 0-d": lambda: np.array(value), "an array of one": lambda: np.array([value]),
                 "a float": lambda: float(value), "a bool": lambda: bool(value),
                 "a Tensor": lambda: Tensor(value), "a Tensor of one": lambda: Tensor([value]),
                 "a Parameter": lambda: Parameter(Tensor(value, dtype.float32), name="other"),
                 "a list": lambda: [value], "a tuple": lambda: (value,), "a pair": lambda: (value, value),
                 "-1": lambda: -1, "0": lambda: 0, "one more": lambda: value + 1}
        return found if isinstance(value, float) else {**found, "-2": lambda: -2, "2": lambda: 2}
    if isinstance(value, str):
        return {"numpy's": lambda: np.str_(value), "a subclass's": lambda: type("Word", (str,), {})(value),
                "capitals": value.upper, "small": value.lower}
    if isinstance(value, (tuple, list)) and type(value) in (tuple, list):
        kind, turned = type(value), list if isinstance(value, tuple) else tuple
        return {"the other kind": lambda: turned(value), "an array": lambda: np.array(value),
                "a Tensor": lambda: Tensor(value), "its first": lambda: value[0],
                "of its first": lambda: kind(value[:1]), "longer": lambda: kind([*value, value[-1]]),
                "a named one": lambda: namedtuple("Named", [f"n{k}" for k in range(len(value))])(*value),
                "numpy's ints inside": lambda: kind(map(np.int64, value)),
                "numpy's floats inside": lambda: kind(map(np.float32, value)),
                "floats inside": lambda: kind(map(float, value)),
                "bools inside": lambda: kind(map(bool, value)),
                "Tensors inside": lambda: kind(map(Tensor, value)),
                "Parameters inside": lambda: kind(Parameter(Tensor(v), name=f"p{k}")
                                                  for k, v in enumerate(value)),
                "negative": lambda: kind(-v for v in value), "empty": lambda: kind(),
                "the shape of a Tensor": lambda: Tensor(np.zeros(value)).shape, "a copy": lambda: kind(value)}
    if isinstance(value, np.ndarray):
        return {**{d: lambda d=d: value.astype(d) for d in ("float16", "float32", "float64", "int8", "int32",
                                                            "int64", "uint8", "bool", "complex64")},
                "a Tensor": lambda: Tensor(value), "a list": value.tolist,
                "a number": lambda: value.item(), "numpy's number": lambda: value.reshape(-1)[0],
                **{what: lambda change=change: change(value) for what, change in _SHAPES.items()}}
    if isinstance(value, type(dtype.float32)):
        return {**{str(d): lambda d=d: d for d in _dtypes()}, "numpy's": lambda: np.float32,
                "numpy's dtype": lambda: np.dtype("float32"), "a word": lambda: str(value).lower()}
    if isinstance(value, nn.Cell):
        return {"a lambda": lambda: lambda *a, **k: value(*a, **k), "its construct": lambda: value.construct,
                "a partial": lambda: partial(value), "a sequential one": lambda: nn.SequentialCell(value)}
    if isinstance(value, type):
        return {}
    if callable(value):
        return _functions(value)
    return {}


def _functions(value) -> dict:
    """What can stand for a function."""
    import mindspore as ms
    from mindspore import nn

    def plain(*args, **kwargs):
        return value(*args, **kwargs)

    class Wrapped(nn.Cell):
        def construct(self, *args):
            return value(*args)

    class Called:
        def __call__(self, *args):
            return value(*args)

        def method(self, *args):
            return value(*args)

    return {"a lambda": lambda: lambda *a: value(*a), "a def": lambda: plain,
            "a partial": lambda: partial(value), "a Cell": Wrapped, "an object": Called,
            "a bound method": lambda: Called().method, "a compiled one": lambda: ms.jit(plain),
            "an operator": lambda: ms.ops.sin, "a Primitive": lambda: ms.ops.Sin(),
            "a builtin": lambda: abs, "a layer": nn.ReLU}


_SHAPES = {"of no axis": lambda a: a.reshape(-1)[0], "of one": lambda a: a.reshape(-1)[:1],
           "empty": lambda a: a[:0], "of one more axis": lambda a: a[None], "flat": lambda a: a.reshape(-1),
           "batched": lambda a: a.repeat(2, 0)[None], "of one axis less": lambda a: a[0],
           "turned": lambda a: a.T, "twice": lambda a: a.repeat(2, 0)}
