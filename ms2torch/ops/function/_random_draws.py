"""What random functions share: streams, sizes, dtypes, integers in a range."""

from __future__ import annotations

from functools import wraps

import torch

from ms2torch._core.checks.calls import dtype_name, type_description
from ms2torch._core.checks.core_words import abstract
from ms2torch._core.devices.device import device
from ms2torch._core.errors import final
from ms2torch._core.random.random_streams import stream_of_call as stream
from ms2torch._core.tensor import dtype as _dtype

from ._array_create import wanted
from ._array_shape import ints

_FLOATS = (torch.float16, torch.float32, torch.float64, torch.bfloat16)


def sizes(shape, name: str) -> tuple:
    """``shape`` as a tuple, or the error of the operator ``name`` for what is none."""
    shape = _of_tensor(shape, name) if isinstance(shape, torch.Tensor) else ints(shape)
    if not isinstance(shape, (tuple, list)) or (isinstance(shape, list) and name in _OF_TUPLES):
        raise _no_shape(shape, name)
    if name in _OF_TUPLES:
        for v in shape:
            if isinstance(v, (bool, float, str, torch.Tensor, type(None), tuple, list)):
                raise _no_size(v, shape, name)
    return tuple(shape)


def _of_tensor(shape, name: str) -> tuple:
    """The sizes that a tensor holds."""
    if name in ("Gamma", "Poisson"):
        raise final(ValueError(f"For '{name}', the 'shape' cannot be None."))
    told, rank = dtype_name(shape.dtype), shape.ndim
    if told not in ("Int32", "Int64") and name.startswith("Uniform"):
        sizes_told = ", ".join(map(str, shape.shape))
        raise final(RuntimeError(
            f"Unexpected element type of input0:AbstractTensor(shape: ({sizes_told}), element: "
            f"AbstractScalar(Type: {told}, Value: ValueAny, Shape: NoShape), value_ptr: 0x0, value: "
            f"ValueAny) of op:{name}"))
    if told not in ("Int32", "Int64"):
        raise TypeError(f"For primitive[{name}], the input argument[shape] must be a type of "
                        f"{{Tensor[Int32], Tensor[Int64]}}, but got Tensor[{told}].")
    if name == "StandardLaplace" and rank != 1:
        raise ValueError(f"For 'StandardLaplace', rank of the input Tensor shall be 1, but got: {rank}.")
    if name == "StandardNormal" and rank > 1:
        raise ValueError("For op[StandardNormal], if input [shape] is a tensor, its rank must be 1 or 0, but "
                         f"got: {rank}")
    return tuple(shape.flatten().tolist())


# Operators that take a tuple or a Tensor, and no list.
_OF_TUPLES = ("StandardNormal", "StandardLaplace", "UniformReal", "UniformInt")


def _no_shape(shape, name: str) -> Exception:
    told = abstract(shape)
    if name.startswith("Uniform"):
        return final(RuntimeError(f"Unexpected type of input0:{told} of op:{name}"))
    kinds = "a tuple" if name == "StandardLaplace" else "a Int, a tuple"
    return TypeError(f"For '{name}', input must be {kinds}, or a Tensor with all Int elements, but got: "
                     f"{told}.")


def _no_size(size, shape, name: str) -> Exception:
    if name.startswith("Uniform"):
        return final(RuntimeError(f"Unexpected element type of input0:{abstract(shape)} of op:{name}"))
    if name == "StandardLaplace" and isinstance(size, torch.Tensor):
        return TypeError(f"For primitive[{name}], the input[shape] must be one of ['int', 'tuple', 'list'] "
                         "with all Int elements, but got ValueAny.")
    return TypeError(f"For primitive[{name}], the input argument[shape] must be a type of {{Int32, Int64}}, "
                     f"but got {type_description(size)}.")


def size_of(size) -> tuple:
    return tuple(size[0]) if len(size) == 1 and isinstance(size[0], (tuple, list)) else tuple(size)


def float_dtype(dtype, default, name):
    want = _dtype.to_torch(dtype) if isinstance(dtype, _dtype.Type) else default
    if want not in _FLOATS or (dtype is not None and not isinstance(dtype, _dtype.Type)):
        raise ValueError(f"For '{name}', the 'dtype' must be a float type, but got {dtype}.")
    return want


# The dtypes of a permutation.
PERMUTED = frozenset((torch.float16, torch.float32, torch.float64, torch.int8, torch.int16, torch.int32,
                      torch.int64, torch.uint8))


def int_dtype(dtype, default, name):
    if dtype is not None and not isinstance(dtype, _dtype.Type):
        raise ValueError(f"For '{name}', the 'dtype' must be an int type, but got {dtype}.")
    return wanted(dtype, default, name)


def integers(low, high, shape, seed, name, want):
    for bound, which in ((low, "low"), (high, "high")):
        if isinstance(bound, bool) or not isinstance(bound, int):
            # MindSpore names the other function, in both.
            raise TypeError(f"For 'randint_like', '{which}' must be an int, but got {type(bound)}.")
    if want.is_floating_point or want is torch.bool:
        raise ValueError(f"For '{name}', the 'dtype' must be an int type, but got {_dtype.from_torch(want)}.")
    try:
        return stream(seed, name).integers(shape, low, high).to(want)
    except RuntimeError as err:
        raise final(err) from None


def keep_stream(cls, stream) -> None:
    """Have each instance of a Primitive class draw from its ``stream(instance)``, in its seed's place."""
    make = cls.__init__

    @wraps(make)
    def __init__(self, *args, **kwargs):
        make(self, *args, **kwargs)
        self._fixed["seed"] = stream(self)

    cls.__init__ = __init__


def seeded(seed):
    """torch's generator, or a fresh one for an operator's own seed."""
    return None if seed in (None, -1, 0) else torch.Generator(device()).manual_seed(seed)
