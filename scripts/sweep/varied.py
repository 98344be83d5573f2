"""Calls like a right one with another dtype, shape, number, sequence or word: most are as right. Runs on
either side."""

from __future__ import annotations

import random

_WORDS = ("mean", "sum", "none", "valid", "same", "pad", "constant", "reflect", "edge", "symmetric",
          "replicate", "circular", "bilinear", "nearest", "linear", "bicubic", "area", "zeros", "ones",
          "normal", "border", "relu", "tanh", "NCHW", "NHWC", "float32", "left", "right", "max", "min",
          "inner", "outer")


def varied(args: tuple, kwargs: dict, name: str, seed: int, count: int):
    """``(what is other, args, kwargs)``: ``count`` of the calls, the same ones for a name and a seed."""
    ways = [*_of_all(args, kwargs), *_of_one(args, kwargs)]
    chosen = random.Random(f"{name} {seed}").sample(range(len(ways)), min(count, len(ways)))
    for k in sorted(chosen):
        what, change = ways[k]
        try:
            yield what, *change()
        except Exception:               # what it is made from does not take the change: no call
            continue


def _of_all(args, kwargs):
    """Changes of all tensors at once, and of the number of arguments."""
    from mindspore import Tensor

    values = {**dict(enumerate(args)), **kwargs}
    tensors = {k: v for k, v in values.items() if isinstance(v, Tensor)}
    for dtype in _dtypes() if len(tensors) > 1 else ():
        floats = {k: v for k, v in tensors.items() if v.asnumpy().dtype.kind == "f"}
        for group, some in (("all", tensors), ("floats", floats)):
            yield f"{group} {dtype}", lambda some=some, dtype=dtype: _put(
                args, kwargs, {k: v.astype(dtype) for k, v in some.items()})
    for what, change in _shapes() if tensors else ():
        yield f"all {what}", lambda change=change: _put(
            args, kwargs, {k: _like(v, change) for k, v in tensors.items()})
    for named in kwargs:
        yield f"without {named}", lambda named=named: (args, {k: v for k, v in kwargs.items() if k != named})
    for few in range(len(args)):
        yield f"{few} arguments", lambda few=few: (args[:few], kwargs)


def _of_one(args, kwargs):
    """Changes of one argument."""
    for place, value in (*enumerate(args), *kwargs.items()):
        for what, other in _others(value):
            called = f"argument {place + 1}" if isinstance(place, int) else place
            yield f"{called}: {what}", lambda place=place, other=other: _put(args, kwargs, {place: other()})


def _put(args, kwargs, changed: dict):
    return (tuple(changed.get(k, v) for k, v in enumerate(args)),
            {**kwargs, **{k: v for k, v in changed.items() if isinstance(k, str)}})


def _dtypes():
    import mindspore as ms

    return (ms.float16, ms.float32, ms.float64, ms.bfloat16, ms.int8, ms.int16, ms.int32, ms.int64, ms.uint8,
            ms.uint16, ms.uint32, ms.uint64, ms.bool_, ms.complex64, ms.complex128)


def _shapes():
    import numpy as np

    return (("batched", lambda a: np.stack([a, a])), ("of one more axis", lambda a: a[None]),
            ("of one axis less", lambda a: a[0]), ("of half", lambda a: a[: len(a) // 2 or 1]),
            ("twice", lambda a: np.concatenate([a, a])), ("wider", lambda a: np.concatenate([a, a], -1)),
            ("empty", lambda a: a[:0]), ("of no axis", lambda a: a.reshape(-1)[0]),
            ("flat", lambda a: a.reshape(-1)), ("negative", lambda a: -a), ("zero", np.zeros_like),
            ("turned", lambda a: a.T))


def _like(value, change):
    """A tensor, or a Parameter where ``value`` is one, of a changed content."""
    from mindspore import Parameter, Tensor

    held = Tensor(change(value.asnumpy()))
    return Parameter(held, name=value.name) if isinstance(value, Parameter) else held


def _others(value):
    """``(what is other, how to make it)`` for an argument."""
    import numpy as np
    from mindspore import Parameter, Tensor, dtype

    if isinstance(value, Tensor):
        yield from ((str(d), lambda d=d: value.astype(d)) for d in _dtypes() if d != value.dtype)
        yield from ((what, lambda c=change: _like(value, c)) for what, change in _shapes())
        yield from (("an int", lambda: 2), ("a float", lambda: 0.5), ("a bool", lambda: True),
                    ("a list", lambda: value.asnumpy().tolist()), ("numpy", value.asnumpy),
                    ("a tuple of it", lambda: (value,)), ("a list of it twice", lambda: [value, value]),
                    ("None", lambda: None), ("a Parameter", lambda: Parameter(value, name="other")))
    elif isinstance(value, np.ndarray):
        yield from ((what, lambda c=change: c(value)) for what, change in _shapes())
        yield from ((d, lambda d=d: value.astype(d)) for d in
                    ("float16", "float32", "float64", "int8", "int32", "int64", "uint8", "bool"))
    elif isinstance(value, bool):
        yield from ((str(v), lambda v=v: v) for v in (not value, 0, 1, None, np.bool_(value)))
    elif isinstance(value, (int, float)):
        near = (0, 1, 2, 3, 4, -1, -2, 7, 0.5, 1.0, 2.0, -0.5, value + 1, value * 2, -value,
                float(value), int(value), True, None, float("inf"))
        yield from ((repr(v), lambda v=v: v) for v in near if v is not value)
        yield from (("numpy's", lambda: np.array(value)[()]), ("a Tensor", lambda: Tensor(value)),
                    ("a Tensor of one", lambda: Tensor([value])), ("a list", lambda: [value]),
                    ("a pair", lambda: (value, value)), ("a triple", lambda: (value,) * 3),
                    ("of four", lambda: (value,) * 4))
    elif isinstance(value, str):
        yield from ((repr(v), lambda v=v: v) for v in (*_WORDS, value.upper(), value.lower(), None))
    elif isinstance(value, (tuple, list)):
        turned = list if isinstance(value, tuple) else tuple
        kind = type(value) if type(value) in (tuple, list) else list
        yield from (("the other kind", lambda: turned(value)), ("its first", lambda: value[0]),
                    ("of its first", lambda: kind(value[:1])), ("without its last", lambda: kind(value[:-1])),
                    ("longer", lambda: kind([*value, value[-1]])), ("turned", lambda: kind(value[::-1])),
                    ("empty", lambda: kind()), ("a Tensor", lambda: Tensor(value)),
                    ("numpy", lambda: np.array(value)), ("negative", lambda: kind(-v for v in value)),
                    ("floats", lambda: kind(map(float, value))), ("ints", lambda: kind(map(int, value))),
                    ("None", lambda: None))
    elif isinstance(value, type(dtype.float32)):
        yield from ((str(d), lambda d=d: d) for d in _dtypes())
        yield from (("numpy's", lambda: np.float32), ("None", lambda: None))
    elif value is None:
        yield from ((repr(v), lambda v=v: v) for v in (0, 1, -1, 0.5, (0,), (1, 1), True, "mean"))
