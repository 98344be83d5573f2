"""`Dataset.save`: a pipeline's rows into MindRecord files."""

from __future__ import annotations

import re
import string

import numpy as np

from ..core.errors import pipeline_error, syntax_error
from ..core.validator_helpers import type_check

_STORED = {"bool": "int32", "int8": "int32", "uint8": "int32", "int16": "int32", "uint16": "int32",
           "int32": "int32", "uint32": "int64", "int64": "int64", "uint64": "int64", "float16": "float32",
           "float32": "float32", "float64": "float64"}


def save(dataset, file_name: str, num_files: int, file_type: str) -> None:
    """Write one epoch of ``dataset``; RuntimeError where a column cannot be stored."""
    from ...mindrecord.core.pages import NIL
    from ...mindrecord.filewriter import FileWriter
    type_check(file_name, (str,), "file_name")
    type_check(num_files, (int,), "num_files")
    if not 0 < num_files <= 1000:
        raise ValueError("num_files should between 0 and 1000.")
    type_check(file_type, (str,), "file_type")
    if not file_name:
        raise syntax_error("SaveToDisk failed, dataset_path must not be empty")
    if file_type != "mindrecord":
        raise ValueError(f"{file_type} dataset format is not supported.")
    names, writer, first = dataset.get_col_names(), None, None
    for row in dataset.create_tuple_iterator(num_epochs=1, output_numpy=True):
        if writer is None:
            first = [(value.dtype, value.shape) for value in row]
            writer = FileWriter(file_name, num_files)
            names = [_SYMBOLS.sub("_", name) for name in names]
            writer.add_schema({name: _field(value) for name, value in zip(names, row, strict=True)},
                              "mindrecord")
            writer._without = NIL
            writer._open()
        values = [_checked(value, *kind) for value, kind in zip(row, first, strict=True)]
        writer._distribute([dict(zip(names, values, strict=True))])
    if writer is not None:
        writer.commit()


# What MindRecord has in no column's name.
_SYMBOLS = re.compile(f"[{re.escape(string.punctuation.replace('_', ''))} ]")


def _field(value: np.ndarray) -> dict:
    """What a column is in the schema: scalars are numbers, arrays may be of any length."""
    if value.dtype.kind in "US":
        if value.size != 1:
            raise pipeline_error("Invalid data, mindrecord can not support multi-dimensional "
                                 f"{'string' if value.dtype.kind == 'U' else 'bytes'} tensor.")
        return {"type": "string" if value.dtype.kind == "U" else "bytes"}
    kind = _STORED.get(str(value.dtype))
    if kind is None:
        raise pipeline_error(f"Invalid data, {value.dtype} cannot be stored in mindrecord.")
    return {"type": kind} if value.ndim == 0 else {"type": kind, "shape": [-1, *value.shape[1:]]}


def _checked(value: np.ndarray, dtype, shape):
    """A value as the writer takes it, if it is like the first row's."""
    if value.dtype.kind in "US":
        return value.reshape(-1)[0].item() if value.dtype.kind == "U" else value.tobytes()
    if value.dtype != dtype or value.ndim != len(shape):
        raise pipeline_error(f"Invalid data, a column was {dtype} with {len(shape)} dimensions, and is "
                             f"{value.dtype} with {value.ndim} in a later row.")
    if value.shape[1:] != shape[1:]:
        raise pipeline_error("Tensor with dynamic shape do not currently support saving. Except for the "
                             "shape of dimension 0, the other dimension shapes must be fixed. You can "
                             "reshape the Tensor to a fixed shape before saving.")
    value = value.astype(_STORED[str(value.dtype)])
    return value.item() if value.ndim == 0 else value
