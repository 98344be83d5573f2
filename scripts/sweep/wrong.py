"""What is wrong about an argument: for a right value, values that are not, by name. Runs on either side."""

from __future__ import annotations


def wrongs(value) -> list[tuple[str, object]]:
    """``(what is wrong, the value)`` for each way in which ``value`` can be spoilt."""
    import numpy as np
    from mindspore import Tensor

    if isinstance(value, Tensor):
        return _of_tensor(value)
    if isinstance(value, np.ndarray):
        return [("a string", "wrong"), ("None", None), ("0-d", value.reshape(-1)[:1].sum()),
                ("rank", value[None]), ("dtype", value.astype(str)), ("a list", value.tolist())]
    if isinstance(value, bool):
        return [("a string", "wrong"), ("None", None), ("an int", 2), ("a float", 0.5)]
    if isinstance(value, int):
        return [("a string", "wrong"), ("None", None), ("a float", value + 0.5), ("negative", -101),
                ("large", 101), ("a list", [value]), ("a bool", True)]
    if isinstance(value, float):
        return [("a string", "wrong"), ("None", None), ("negative", -abs(value) - 1.0),
                ("large", abs(value) + 7.5), ("a list", [value]), ("a bool", True)]
    if isinstance(value, str):
        return [("an int", 5), ("another string", "wrong"), ("None", None), ("a list", [value])]
    if isinstance(value, (tuple, list)):
        kind = type(value)
        ways = [("a string", "wrong"), ("None", None), ("an int", 7), ("empty", kind())]
        if value:
            ways += [("longer", kind([*value, value[-1]])), ("a string inside", kind(["wrong", *value[1:]])),
                     ("a float inside", kind([1.5, *value[1:]]))]
        return ways
    if isinstance(value, dict):
        return [("a string", "wrong"), ("None", None), ("a list", [1])]
    if value is None:
        return [("a string", "wrong"), ("a float", 1.5)]
    return [("a string", "wrong"), ("an int", 5), ("None", None)]


def _of_tensor(value) -> list[tuple[str, object]]:
    import mindspore as ms
    import numpy as np
    from mindspore import Tensor

    try:
        held = value.asnumpy()
    except Exception:
        return [("a string", "wrong")]
    ways = [("a string", "wrong"), ("None", None), ("a float", 1.5), ("a list", held.tolist()),
            ("numpy", held), ("rank", Tensor(held[None]))]
    floats = held.dtype.kind in "fc"
    others = (ms.int32, ms.bool_, ms.complex64) if floats else (ms.float32, ms.bool_)
    ways += [(f"dtype {d}", value.astype(d)) for d in others if d != value.dtype]
    if held.ndim:
        ways.append(("0-d", Tensor(held.reshape(-1)[:1].reshape(())) if held.size else None))
        longer = Tensor(np.concatenate([held, held[..., :1]], -1)) if held.shape[-1] else None
        ways.append(("shape", longer))
    return ways


def spoilt(args: tuple, kwargs: dict):
    """``(what is wrong, args, kwargs)`` for each call that is wrong in one argument."""
    for k, value in enumerate(args):
        for what, other in wrongs(value):
            yield f"argument {k + 1}: {what}", (*args[:k], other, *args[k + 1:]), kwargs
    for k, value in kwargs.items():
        for what, other in wrongs(value):
            yield f"{k}: {what}", args, {**kwargs, k: other}
    if args:
        yield "missing", args[:-1], kwargs
    yield "extra", (*args, 7, 7, 7), kwargs
    yield "unknown", args, {**kwargs, "unknown_argument": 1}
