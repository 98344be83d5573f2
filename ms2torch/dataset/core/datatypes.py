"""Dtypes of columns (``mindspore.dataset.core.datatypes``), as numpy dtypes."""

from __future__ import annotations

import numpy as np

from ms2torch._core.tensor.dtype import Type

__all__ = ["mstype_to_detype", "mstypelist_to_detypelist", "nptype_to_detype"]


def nptype_to_detype(type_) -> np.dtype:
    """A numpy dtype, or what makes one, as a column's dtype."""
    return np.dtype(type_)


def mstype_to_detype(type_) -> np.dtype:
    """A MindSpore dtype as a column's dtype."""
    if not isinstance(type_, Type):
        raise NotImplementedError()
    return np.dtype("U") if type_.torch is None else np.dtype(str(type_).lower())


def mstypelist_to_detypelist(type_list) -> list:
    """A list of MindSpore dtypes as columns' dtypes; None stays."""
    return [None if type_ is None else mstype_to_detype(type_) for type_ in type_list]


def is_data(dtype: np.dtype) -> bool:
    """Whether arrays of a dtype may be a column's values: what MindSpore's pipeline has a type for.

    It has none for the other byte order.
    """
    return dtype.isnative and (dtype.kind in "biuUS" or (dtype.kind == "f" and dtype.itemsize <= 8))


def named(dtype: np.dtype) -> str:
    """MindSpore's name of a column's dtype; texts of all lengths are of one."""
    return {"U": "string", "S": "bytes"}.get(dtype.kind, dtype.name)
