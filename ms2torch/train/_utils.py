"""Helpers of training that programs import (``mindspore.train._utils``)."""

from __future__ import annotations

import os
from collections.abc import Iterable


def _make_directory(path: str, arg_name: str = "path") -> str:
    """Make a folder, with those above it; its real path. TypeError and ValueError for no path,
    NotADirectoryError for a file's.
    """
    if not isinstance(path, str):
        raise TypeError(f"The {arg_name} is invalid, the type should be string.")
    if not path.strip():
        raise ValueError(f"The {arg_name} is invalid, it should be non-blank.")
    path = os.path.realpath(path)
    if os.path.isfile(path):
        raise NotADirectoryError(f"The path({path}) is a file path, it should be a directory path.")
    os.makedirs(path, exist_ok=True)
    return path


def check_value_type(arg_name: str, arg_value, valid_types) -> None:
    """TypeError unless the value is of one of the Python types; a bool is no int."""
    valid = tuple(valid_types) if isinstance(valid_types, Iterable) else (valid_types,)
    if not isinstance(arg_value, valid) or (isinstance(arg_value, bool) and bool not in valid):
        raise TypeError(
            f"For `{arg_name}` the type should be a valid type of {[t.__name__ for t in valid]}, "
            f"but got {type(arg_value).__name__}."
        )


def _construct_tensor_list(types, shapes, batch_expand_num=1) -> list:
    """Tensors of zeros of dtypes and shapes, whose first axis is ``batch_expand_num`` times as long."""
    import numpy as np

    from ms2torch.common import dtype
    from ms2torch.common.tensor import Tensor

    if len(types) != len(shapes):
        raise ValueError("The length of dataset types must be equal to dataset shapes, but got dataset types="
                         f"{types} and dataset shapes={shapes}")
    sizes = [[n if k else n * batch_expand_num for k, n in enumerate(shape)] for shape in shapes]
    kinds = map(dtype.dtype_to_nptype, types)
    return [Tensor(np.zeros(one, kind)) for kind, one in zip(kinds, sizes, strict=True)]
