"""Python's sequences as operators of the compiled core, which graphs and tests call by their classes."""

from __future__ import annotations

import operator
from functools import reduce

import torch

from ms2torch._core import mode
from ms2torch._core.errors import final
from ms2torch._core.random import graph_streams
from ms2torch._core.tensor.tensor import Tensor, wrap
from ms2torch.common import dtype as _dtype
from ms2torch.common.parameter import Parameter
from ms2torch.language import comparing
from ms2torch.ops._derived.forms import on_tensors


def _zeros(sequence):
    zeros = (wrap(torch.zeros_like(x._t)) if isinstance(x, Tensor) else type(x)(0) for x in sequence)
    return type(sequence)(zeros)


def _inserted(data, index, target):
    return [*data[:index], target, *data[index:]]


def _set_slice(sequence, values, start, stop, step):
    changed = list(sequence)
    changed[start:stop:step] = values
    return type(sequence)(changed)


def _without(data, index):
    if not -len(data) <= index < len(data):
        raise ValueError(f"The primitive[ListAppendAndInsertGrad], pop index[{index}] out of range.")
    return [x for i, x in enumerate(data) if i != index % len(data)]


def _tiles(shape, out_shape, ndim):
    """How often each axis of ``shape`` is repeated to be as long as in ``out_shape``."""
    return tuple(long if own != long else 1 for own, long in zip(shape, out_shape, strict=False)) + \
        (1,) * (ndim - min(len(shape), len(out_shape)))


def _converted(dst_dtype, x):
    """Floats, also those in a tuple, in ``dst_dtype``; anything else as it is."""
    if isinstance(x, (tuple, list)):
        return tuple(_converted(dst_dtype, item) for item in x)
    return x.astype(dst_dtype) if isinstance(x, Tensor) and x.is_floating_point() else x


def _of_one_kind(x, y):
    for what in ("dtype", "shape"):
        a, b = getattr(x, what), getattr(y, what)
        if a != b:
            raise (TypeError if what == "dtype" else ValueError)(
                f"For 'SameTypeShape', the x {what} should be = y {what}: {b}, but got {a}.")
    return x


def _is_instance(value, type_):
    """Whether a value is of one of MindSpore's kinds."""
    if not isinstance(type_, _dtype.Type):
        raise TypeError("For 'IsInstance', the type of 'type_' should be 'Type', but got type "
                        f"'{type(type_).__name__}'.")
    if isinstance(value, Tensor):
        return str(type_).startswith("Tensor")
    kinds = {bool: "Bool", int: "Int", float: "Float", str: "String", list: "List", tuple: "Tuple",
             dict: "Dictionary"}
    return kinds.get(type(value)) == str(type_)


def _copied(x, y):
    """``x``, into whose memory ``y`` is written."""
    if x.shape != y.shape:
        shapes = ["[const vector]{" + ", ".join(map(str, one.shape)) + "}" for one in (x, y)]
        raise final(RuntimeError("storage_info->shape is not equal to src_tensor->shape(), "
                                 f"storage_info->shape:{shapes[0]}, src_tensor->shape:{shapes[1]}"))
    if x.dtype != y.dtype:
        raise final(RuntimeError("self_tensor->data_type is not equal to src_tensor->data_type"))
    return x.copy_(y)


def _comparing(compare):
    return lambda x, y: compare(x, y)


def _equal(x, y):
    return comparing.equal(x, y) if mode.inside or graph_streams.here.call is not None else x == y


_COMPARED = {
    "equal": _equal,
    "greater_equal": operator.ge,
    "greater_than": operator.gt,
    "le": operator.le,
    "lt": operator.lt,
}
_KINDS = {
    f"{kind}_{name}": _comparing(compare) for kind in ("tuple", "list") for name, compare in _COMPARED.items()
}
_ON_PYTHON = {
    **_KINDS,
    "ErrorOnDynamicShapeInput": lambda input: input,
    "Format": lambda string, args: string.format(*(args if isinstance(args, (tuple, list)) else (args,))),
    "IsConstant": lambda x: True,
    "IsParameter": lambda x: isinstance(x, Parameter),
    "InSequence": lambda x, sequence: x in sequence,
    "ListAppend": lambda input_data, target: [*input_data, target],
    "ListAppendAndInsertGrad": lambda input_data, index: _without(input_data, index),
    "ListInsert": _inserted,
    "Load": lambda variable, state=None: variable,
    "MixedPrecisionCast": _converted,
    "SameTypeShape": _of_one_kind,
    "ScalarBool": lambda x: bool(x),
    "IsInstance": _is_instance,
    "SequenceAdd": lambda input_0, input_1: input_0 + input_1,
    "SequenceAddOffset": lambda input_0, input_1: (0, len(input_0)),
    "SequenceCount": lambda sequence, x: sequence.count(x),
    "SequenceIndex": lambda sequence, x, start=0, end=None: sequence[:end].index(x, start),
    "SequenceMax": lambda input_x: max(input_x),
    "SequenceMin": lambda input_x: min(input_x),
    "SequenceMul": lambda sequence, scalar: sequence * scalar,
    "SequenceSlice": lambda sequence, start, stop, step: sequence[start:stop:step],
    "SequenceSliceSetItem": _set_slice,
    "SequenceZerosLike": _zeros,
    "TileSize": _tiles,
    "bool_not": lambda x: not x,
    "make_range": lambda start, limit, delta=1: range(start, limit, delta),
    "sequence_len": lambda sequence: len(sequence),
    "shape_mul": lambda shape: reduce(operator.mul, shape, 1),
}
ROWS = {
    **{name: on_tensors(function) for name, function in _ON_PYTHON.items()},
    "ListToTensor": lambda x, dtype=None: torch.tensor(x, dtype=None if dtype is None else dtype.torch),
    "SequenceAddN": lambda z: reduce(operator.add, z),
    "CopyWithSlice": _copied,
    "SequenceConcat": lambda x, axis=0: torch.cat(tuple(x), axis),
    "SequenceStack": lambda x, axis=0: torch.stack(tuple(x), axis),
    "SequenceUnstack": lambda x, axis=0, num=None: x.unbind(axis),
    "TensorToList": on_tensors(lambda x: x.asnumpy().tolist()),
    "TensorToTuple": on_tensors(lambda x: tuple(x.asnumpy().tolist())),
}
