"""Samples to batches (``mindspore.dataset.dataloader._utils.collate``)."""

from __future__ import annotations

import copy
from collections.abc import Mapping, MutableMapping, MutableSequence, Sequence

import numpy as np

from ms2torch._core.tensor.dtype import float64
from ms2torch._core.tensor.tensor import Tensor

from ...engine.iterators import to_tensor

__all__ = ["collate", "default_collate", "default_collate_fn_map", "default_convert"]

_NO_NUMBERS = "SUO"              # numpy's kinds of arrays that no Tensor can hold


def default_convert(data):
    """A sample with its arrays and numpy numbers as Tensors
    (``mindspore.dataset.dataloader.default_convert``).

    Containers are gone through; a tuple becomes a list. Arrays of text or objects, and all else, stay.
    """
    if isinstance(data, (np.number, np.bool_)):
        return Tensor(data)
    if isinstance(data, np.ndarray):
        return data if data.dtype.kind in _NO_NUMBERS else Tensor.from_numpy(data)
    if isinstance(data, Mapping):
        return _mapping_like(data, {key: default_convert(data[key]) for key in data})
    if isinstance(data, Sequence) and not isinstance(data, (str, bytes)):
        return _sequence_like(data, [default_convert(value) for value in data])
    return data


def default_collate(batch):
    """A list of samples as one batch (``mindspore.dataset.dataloader.default_collate``).

    Tensors, arrays and numbers become a Tensor with a new first dimension (Python floats as float64); text
    stays a list; of mappings and sequences, each place is a batch. All samples are like the first one.
    """
    return collate(batch, collate_fn_map=default_collate_fn_map)


def collate(batch, *, collate_fn_map=None):
    """A list of samples as one batch, by the functions that ``collate_fn_map`` has for the kinds of values:
    ``function(values, collate_fn_map=...)``, for a type or any of a tuple of types."""
    first = batch[0]
    functions = collate_fn_map or {}
    kind = type(first)
    if kind not in functions:
        kind = next((kinds for kinds in functions if isinstance(first, kinds)), None)
    if kind is not None:
        return functions[kind](batch, collate_fn_map=collate_fn_map)
    if isinstance(first, Mapping):
        places = {key: [sample[key] for sample in batch] for key in first}
        return _mapping_like(first, {key: collate(values, collate_fn_map=collate_fn_map)
                                     for key, values in places.items()})
    if isinstance(first, Sequence):
        named = isinstance(first, tuple) and hasattr(first, "_fields")     # is as long as its fields
        if not named and len({len(sample) for sample in batch}) > 1:
            raise RuntimeError("Each element in list of batch must be of equal size.")
        return _sequence_like(first, [collate(values, collate_fn_map=collate_fn_map)
                                      for values in zip(*batch, strict=False)])
    raise TypeError(f"Cannot find the appropriate collate function for type {type(first)} in collate_fn_map.")


def _mapping_like(mapping, values: dict):
    """``values`` as the same kind of mapping, with all else that it has; as a dict where it can't be made."""
    try:
        if not isinstance(mapping, MutableMapping):
            return type(mapping)(values)
        made = copy.copy(mapping)
        made.update(values)
        return made
    except TypeError:
        return values


def _sequence_like(sequence, values: list):
    """``values`` as the same kind of sequence; as a list where that is a tuple, or can't be made."""
    if isinstance(sequence, tuple):
        return type(sequence)(*values) if hasattr(sequence, "_fields") else values
    try:
        if not isinstance(sequence, MutableSequence):
            return type(sequence)(values)
        made = copy.copy(sequence)
        for i, value in enumerate(values):
            made[i] = value
        return made
    except TypeError:
        return values


def _collate_tensors(batch, *, collate_fn_map=None):
    stacked = np.stack(batch)
    dtypes = {getattr(value, "dtype", None) for value in batch}
    # numpy has no bfloat16: it comes as float32. Of several dtypes, numpy's is the one that holds all.
    return Tensor(stacked, dtypes.pop()) if len(dtypes) == 1 else to_tensor(stacked)


def _collate_arrays(batch, *, collate_fn_map=None):
    if batch[0].dtype.kind in _NO_NUMBERS:
        raise TypeError(f"NumPy arrays with dtype {batch[0].dtype} are not supported for collation.")
    return to_tensor(np.stack(batch))


def _collate_numbers(batch, *, collate_fn_map=None):
    return Tensor(batch)


def _collate_floats(batch, *, collate_fn_map=None):
    return Tensor(batch, float64)


def _collate_text(batch, *, collate_fn_map=None):
    return batch


default_collate_fn_map = {
    Tensor: _collate_tensors,
    np.ndarray: _collate_arrays,
    (np.bool_, np.number, np.object_): _collate_numbers,
    float: _collate_floats,
    int: _collate_numbers,
    str: _collate_text,
    bytes: _collate_text,
}
