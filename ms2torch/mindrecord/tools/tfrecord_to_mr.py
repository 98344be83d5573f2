"""A TFRecord file as a MindRecord file, without TensorFlow."""

from __future__ import annotations

from collections.abc import Iterator
from string import punctuation

import numpy as np

from ms2torch._core.errors import unsupported

from ..core.shardutils import SUCCESS, check_filename
from ..filewriter import FileWriter
from .converters import write_rows

_TYPES = {"string": "string", "int8": "int32", "int16": "int32", "int32": "int32", "int64": "int64",
          "uint8": "int32", "uint16": "int32", "uint32": "int64", "uint64": "int64", "float16": "float32",
          "float32": "float32", "float64": "float64", "bool": "int32"}
_CLEAN = str.maketrans(dict.fromkeys(punctuation + " ", "_"))


def _type_name(feature) -> str:
    return getattr(feature.dtype, "name", str(feature.dtype))


class TFRecordToMR:
    """A TFRecord file of Examples as MindRecord (``mindspore.mindrecord.TFRecordToMR``).

    ``feature_dict``: ``tf.io.FixedLenFeature`` by name, or anything with its ``shape`` ([] or [n]), ``dtype``
    and ``default_value``; TensorFlow itself is not needed. ``bytes_fields`` are kept as bytes; other strings
    are text. Marks other than letters, digits and ``_`` become ``_`` in names. ValueError for a feature that
    is missing or not of its shape and type.
    """

    def __init__(self, source, destination, feature_dict, bytes_fields=None):
        for name, value in (("source", source), ("destination", destination)):
            if not isinstance(value, str):
                raise ValueError(f"Parameter {name} must be string.")
            check_filename(value, name)
        if feature_dict is None or not isinstance(feature_dict, dict):
            raise ValueError("Parameter feature_dict is None or not dict.")
        if not all(hasattr(one, "shape") and hasattr(one, "dtype") and hasattr(one, "default_value")
                   for one in feature_dict.values()):
            raise ValueError(f"Parameter feature_dict: {feature_dict} only support FixedLenFeature.")
        self.source, self.destination, self.feature_dict = source, destination, feature_dict
        self.bytes_fields_list = self._checked(bytes_fields)
        self.mindrecord_schema = {name.translate(_CLEAN): self._field(name) for name in feature_dict}

    def _checked(self, fields) -> list[str]:
        if fields is not None and not isinstance(fields, list):
            raise ValueError(f"Parameter bytes_fields: {fields} must be list(str).")
        for name in fields or ():
            if not isinstance(name, str):
                raise ValueError(f"Parameter bytes_fields's item: {name} is not str.")
            if name not in self.feature_dict:
                raise ValueError(f"Parameter bytes_fields's item: {name} is not in feature_dict: "
                                 f"{self.feature_dict}.")
            if not isinstance(self.feature_dict[name].shape, list):
                raise ValueError(f"Parameter feature_dict[{name}].shape should be a list.")
            if _type_name(self.feature_dict[name]) != "string":
                raise ValueError(f"Parameter bytes_field: {name} should be tf.string in feature_dict.")
        return [name.translate(_CLEAN) for name in fields or ()]

    def _field(self, name: str) -> dict:
        """A feature in the schema."""
        feature = self.feature_dict[name]
        kind, shape = _type_name(feature), feature.shape
        if kind not in _TYPES:
            raise ValueError(f"Type {kind} is not supported in MindRecord.")
        if not shape:
            return {"type": "bytes" if name.translate(_CLEAN) in self.bytes_fields_list else _TYPES[kind]}
        if len(shape) != 1:
            raise ValueError("Parameter len(feature_dict[{}].shape) should be 1.")
        if not isinstance(shape[0], int):
            raise ValueError("Invalid parameter feature_dict, value and type mismatch, please check item of "
                             f'feature_dict["{name}"].')
        if shape[0] < 1:
            raise ValueError(f"Parameter feature_dict[{name}].shape[0] should > 0")
        if kind == "string":
            raise ValueError(f"Parameter feature_dict[{name}].dtype is tf.string which shape[0] is not None. "
                             "It is not supported.")
        return {"type": _TYPES[kind], "shape": [shape[0]]}

    def tfrecord_iterator(self) -> Iterator[dict]:
        """The rows, as MindRecord takes them."""
        from ...dataset.engine._tf_example import NotAnExample, parsed, records
        with open(self.source, "rb") as file:
            for record in records(file):
                try:
                    example = parsed(record)
                except NotAnExample as error:
                    raise ValueError("TFRecord feature_dict parameter error.") from error
                yield {name.translate(_CLEAN): self._value(name, example.get(name))
                       for name in self.feature_dict}

    def tfrecord_iterator_oldversion(self):
        """Not supported: it runs a session of TensorFlow 1."""
        raise unsupported("mindspore.mindrecord.TFRecordToMR.tfrecord_iterator_oldversion",
                          "it runs a session of TensorFlow 1.", "tfrecord_iterator gives the same rows.")

    def _value(self, name: str, found):
        feature, field = self.feature_dict[name], name.translate(_CLEAN)
        wanted, kind = self.mindrecord_schema[field], _type_name(feature)
        if found is None or not len(found):
            found = feature.default_value
            if found is None:
                raise ValueError("TFRecord feature_dict parameter error.")
            found = [found] if isinstance(found, (bytes, str)) else np.atleast_1d(found)
        of_text = isinstance(found, list)
        if of_text != (kind == "string") or len(found) != (feature.shape[0] if feature.shape else 1) or (
                not of_text and (found.dtype.kind == "f") != kind.startswith("float")):
            raise ValueError("TFRecord feature_dict parameter error.")
        if feature.shape:
            return np.asarray(found, wanted["type"])
        if not of_text:
            return found[0].item()
        text = found[0] if isinstance(found[0], bytes) else found[0].encode()
        return text if field in self.bytes_fields_list else text.decode()

    def run(self):
        writer = FileWriter(self.destination)
        writer.add_schema(self.mindrecord_schema, "TFRecord to MindRecord")
        write_rows(writer, self.tfrecord_iterator(), parallel=True)
        writer.commit()
        return SUCCESS

    def transform(self):
        """Write the file."""
        self.run()
