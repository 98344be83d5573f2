"""Argument checks of the transforms, with MindSpore's words."""

from __future__ import annotations

import numpy as np

from ms2torch._core.tensor.dtype import Type

from ..core.validator_helpers import check_value, type_check


def check_transforms(transforms, name: str = "transforms") -> None:
    """A list, not empty, of transforms or functions; classes are named as a forgotten pair of parentheses."""
    type_check(transforms, (list,), f"{name} list")
    if not transforms:
        raise ValueError(f"{name} list can not be empty.")
    for i, transform in enumerate(transforms):
        if not callable(transform):
            raise TypeError(f"{name}[{i}] is neither a transforms op (TensorOperation) nor a callable "
                            "pyfunc.")
        if isinstance(transform, type):
            raise ValueError(f"op_list[{i}] should be a dataset processing operation instance, but got: "
                             f"{transform}. It may be missing parentheses for instantiation.")


def check_prob(prob, name: str = "prob") -> None:
    type_check(prob, (float, int), name)
    check_value(prob, [0.0, 1.0], name)


def numpy_dtype(data_type, name: str = "data_type"):
    """The numpy dtype (None for text) of a MindSpore dtype, numpy dtype, Python type or name; TypeError
    otherwise.
    """
    if isinstance(data_type, Type):
        return None if data_type.torch is None else np.dtype(str(data_type).lower())
    try:
        if data_type is None:
            raise TypeError
        dtype = np.dtype(data_type)
    except (TypeError, ValueError):                # numpy 1 has a ValueError for a pair of dtypes
        type_check(data_type, (Type, np.dtype), name)
    return None if dtype.kind in "US" else dtype


def check_random_transform_ops(method):
    """Decorator of programs' own transforms: checks the first argument as a list of transforms."""
    from functools import wraps

    @wraps(method)
    def checked(self, *args, **kwargs):
        check_transforms(args[0] if args else next(iter(kwargs.values())))
        return method(self, *args, **kwargs)

    return checked
