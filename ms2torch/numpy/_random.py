"""Random arrays (part of ``mindspore.numpy.array_creations``)."""

from __future__ import annotations

from ms2torch._core.random import rng
from ms2torch._core.tensor.dtype import Type, float32, from_torch, int32, to_torch
from ms2torch._core.tensor.tensor import lower, wrap
from ms2torch.ops.function._random_draws import sizes, stream

from .array_creations import shape_of
from .utils import named_dtype, refusal

__all__ = ["rand", "randint", "randn"]


def _drawn_shape(given) -> tuple[int, ...]:
    """The shape that numbers, or one of them, a list or a tuple, ask for; (1,) for nothing."""
    if not given:
        return (1,)
    if len(given) == 1:
        if not isinstance(given[0], (int, list, tuple)):
            raise refusal(TypeError, "If the length of the argument 'shape' is 1, the type of the argument "
                          "'shape' must be one of ['int', 'list', 'tuple'], but got "
                          f"{'' if given[0] is None else type(given[0])}")
        given = given[0] if isinstance(given[0], (list, tuple)) else given
    else:
        for size in given:
            if not isinstance(size, int):
                raise refusal(TypeError, "If the length of the argument 'shape' is > 1, the type of the "
                              "argument 'shape' must all be int, but got "
                              f"{'' if size is None else type(size)}")
    return tuple(given)


_FLOATS = ("float", "float16", "float32", "float64")
_INTEGERS = ("int", "int8", "int16", "int32", "int64")


def _drawn_dtype(dtype, allowed, api: str):
    """The dtype of what is drawn, which is given as a string of ``allowed`` or as MindSpore's."""
    about = f"For 'mindspore.numpy.{api}', if the argument" if api else "If the argument"
    plain = f"For 'mindspore.numpy.{api}', the argument" if api else "The argument"
    if isinstance(dtype, str):
        if dtype not in allowed:
            raise refusal(ValueError, f"{about} 'dtype' is str, it must be one of {list(allowed)}, but got "
                          f"{dtype}")
        return named_dtype(dtype)
    if not isinstance(dtype, Type) or str(dtype).lower() not in allowed:
        *names, last = [f"'mindspore.{name}'" for name in reversed(allowed[1:])]
        raise refusal(ValueError, f"{plain} 'dtype' must be {', '.join(names)} or {last}, but got {dtype}")
    return to_torch(dtype)


def _stream(operator: str):
    """The stream of the operator that draws, whose own seed is the global one too."""
    return stream(rng.get_seed(), operator)


def rand(*shape, dtype=float32):
    """Uniform numbers from [0, 1) (``mindspore.numpy.rand``)."""
    kind = _drawn_dtype(dtype, _FLOATS, "")
    return wrap(_stream("UniformReal").uniform(sizes(_drawn_shape(shape), "UniformReal")).to(kind))


def randn(*shape, dtype=float32):
    """Standard normal numbers (``mindspore.numpy.randn``)."""
    kind = _drawn_dtype(dtype, _FLOATS, "")
    return wrap(_stream("StandardNormal").normal(sizes(_drawn_shape(shape), "StandardNormal")).to(kind))


def randint(minval, maxval=None, shape=None, dtype=int32):
    """Integers from [minval, maxval), or [0, minval) (``mindspore.numpy.randint``)."""
    api = "For mindspore.numpy.randint, the"
    for name, bound in (("minval", minval), ("maxval", maxval)):
        if not isinstance(bound, int) and (name == "minval" or bound is not None):
            raise refusal(TypeError, f"{api} type of the argument '{name}' must be int, but got "
                          f"{'' if bound is None else type(bound)}")
        if name == "minval" and maxval is None and bound <= 0:
            raise refusal(ValueError, f"{api} argument 'minval' must be > 0 when the argument 'maxval' is "
                          f"None, but got {bound}")
    low, high = (0, minval) if maxval is None else (minval, maxval)
    if low >= high:
        raise refusal(ValueError, f"{api} value of 'minval' must be greater than the value of 'maxval'.")
    kind = _drawn_dtype(dtype, _INTEGERS, "randint")
    shape = (1,) if shape is None else shape_of(lower(shape))
    if kind is not int32.torch:
        raise refusal(TypeError, "For primitive[UniformInt], the input argument[minval] must be a type of "
                      f"{{Tensor[Int32]}}, but got Tensor[{from_torch(kind)}].")
    return wrap(_stream("UniformInt").integers(shape, int(low), int(high)).to(kind))
