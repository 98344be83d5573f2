"""`Schema`: names, dtypes and shapes of the columns of a file that does not say."""

from __future__ import annotations

import json

import numpy as np

from ms2torch._core.checks.error_wrappers import binds_by_inspect
from ms2torch._core.tensor.dtype import Type

from ..core.datatypes import mstype_to_detype
from ..core.errors import pipeline_error, syntax_error
from ..core.validator_helpers import check_file, type_check, type_check_list

_TYPES = ("bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float16",
          "float32", "float64", "string", "bytes")


class Schema:
    """Columns of a TFRecord file (``mindspore.dataset.Schema``), from a JSON file or by `add_column`.

    A shape may have one -1; without a shape a column is what the file holds, flat. RuntimeError for a file
    that is no schema.
    """

    def __init__(self, schema_file=None):
        self.schema_file = schema_file or ""
        self._columns: list[dict] = []
        self._dataset_type, self._rows = "", 0
        if schema_file is not None:
            check_file(schema_file)
            try:
                with open(schema_file, encoding="utf-8") as file:
                    content = json.load(file)
            except ValueError:
                raise syntax_error("Schema file failed to load: ") from None
            if "columns" not in content:
                raise pipeline_error('"columns" node is required in the schema json file.')
            self._read(content)

    @classmethod
    def _of_dataset(cls, schema_file: str) -> Schema:
        """The schema of a file that a dataset was given: columns have a rank, and perhaps a shape."""
        schema = cls(schema_file)
        with open(schema_file, encoding="utf-8") as file:
            columns = json.load(file)["columns"]
        ranks = columns if isinstance(columns, dict) else {one["name"]: one for one in columns}
        for column in schema._columns:
            about = ranks[column["name"]]
            if about.get("rank", -1) < 0:
                raise pipeline_error(f'Invalid data, "rank" field of column {column["name"]} must have value '
                                     ">= 0 in JSON schema file.")
            if about.get("shape") is None and about["rank"] > 0:
                del column["shape"]
                column["rank"] = about["rank"]
        return schema

    @binds_by_inspect
    def add_column(self, name, de_type, shape=None):
        """Add a column: ``de_type`` is a MindSpore dtype or its name. TypeError for anything else."""
        type_check(name, (str,), "name")
        if not name:
            raise TypeError("Expected non-empty string for column name.")
        if de_type is None:
            raise TypeError("Expected non-empty string for de_type.")
        if shape is not None:
            type_check(shape, (list,), "shape")
            type_check_list(shape, (int,), "shape")
        kind = None
        if isinstance(de_type, Type):
            kind = mstype_to_detype(de_type)
            kind = "string" if kind.kind == "U" else str(kind)
        elif isinstance(de_type, str):
            kind = de_type
        if kind not in _TYPES:
            raise TypeError("Unknown column type.")
        column = {"name": name, "rank": 1 if shape is None else len(shape), "type": kind}
        self._columns.append(column if shape is None else {**column, "shape": list(shape)})

    def parse_columns(self, columns):
        """Add columns from ``[{"name": ..., "type": ..., "shape": ...}, ...]`` or ``{name: {...}}``."""
        json.dumps(columns)                                  # TypeError for what JSON does not have
        if not isinstance(columns, (dict, list, tuple)):
            raise syntax_error("columns must be dict or list, columns contain name, type, shape(optional).")
        if isinstance(columns, dict):
            columns = [{**(about if isinstance(about, dict) else {}), "name": name}
                       for name, about in sorted(columns.items())]
        found = []
        for about in columns:
            if not isinstance(about, dict) or "name" not in about:
                raise syntax_error("Column's name is missing")
            if "type" not in about:
                raise syntax_error("Column's type is missing")
            if about["type"] not in _TYPES:
                raise pipeline_error("Type is unknown.")
            shape = list(about.get("shape") or ())
            found.append({"name": about["name"], "rank": len(shape), "shape": shape, "type": about["type"]})
        self._columns = found

    def from_json(self, json_obj):
        """Read ``{"columns": ..., "datasetType": ..., "numRows": ...}``, a dict. RuntimeError if it is not
        one."""
        json.dumps(json_obj)
        if not isinstance(json_obj, dict) or "columns" not in json_obj:
            raise pipeline_error('"columns" node is required in the schema json JSON.')
        self._read(json_obj)

    def _read(self, content: dict) -> None:
        for key, value in content.items():
            if key == "columns":
                self.parse_columns(value)
            elif key == "numRows":
                self._rows = value
            elif key == "datasetType":
                self._dataset_type = value
            else:
                raise syntax_error(f"Unknown field {key}")
        if not self._columns:
            raise syntax_error("Columns are missing.")

    def to_json(self) -> str:
        """The schema as JSON text, as `Schema` reads it."""
        content = {"columns": self._columns or None}
        if self._dataset_type:
            content["datasetType"] = self._dataset_type
        if self._rows:
            content["numRows"] = self._rows
        return json.dumps(content, indent=2, sort_keys=True, ensure_ascii=False)

    __str__ = to_json

    @staticmethod
    def get_num_rows(schema):
        """The number of rows that a schema (or its file) says to read; 0 where it does not."""
        return (schema if isinstance(schema, Schema) else Schema(schema))._rows

    def _fields(self) -> dict[str, tuple[np.dtype, list | None]]:
        """dtype (None for text) and shape by name."""
        return {one["name"]: (np.dtype("U") if one["type"] == "string" else np.dtype(one["type"]),
                              one.get("shape")) for one in self._columns}


def columns_of(schema: Schema | str) -> dict[str, np.dtype]:
    """The columns that a schema, or its file, declares, with their dtypes."""
    schema = Schema(schema) if isinstance(schema, str) else schema
    if not schema._columns:
        raise pipeline_error('Invalid data, "columns" field is missing in JSON schema string.')
    return {name: dtype for name, (dtype, _) in schema._fields().items()}
