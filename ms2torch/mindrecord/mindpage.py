"""`MindPage`: rows of MindRecord files by the value of a field (``mindspore.mindrecord.mindpage``)."""

from __future__ import annotations

import json

from ms2torch._core.checks.error_wrappers import binds_by_inspect

from ..dataset.core.errors import pipeline_error
from .common.exceptions import MRMDefineCategoryError, ParamTypeError, ParamValueError
from .core.encryption import Plain
from .core.pages import open_index
from .core.shardreader import ShardReader
from .core.shardutils import SUCCESS, check_reading, populate_data

__all__ = ["MindPage"]


class MindPage:
    """Groups rows by the value of an indexed field, and reads a group page by page
    (``mindspore.mindrecord.MindPage``).
    """

    @binds_by_inspect
    def __init__(self, file_name, num_consumer=4):
        check_reading(file_name, num_consumer)
        self._plain = Plain(file_name)               # which keeps what was decrypted
        self._reader = ShardReader(self._plain.files)
        self._category_field = None

    @property
    def candidate_fields(self) -> list[str]:
        """The indexed fields, which rows can be grouped by."""
        return list(self._reader.headers[0].index_fields)

    @property
    def category_field(self):
        """The field that rows are grouped by; None until it is set."""
        return self._category_field

    @category_field.setter
    def category_field(self, category_field):
        if not category_field or not isinstance(category_field, str):
            raise ParamTypeError("category_fields", "str")
        if category_field not in self.candidate_fields:
            raise MRMDefineCategoryError(f"Field '{category_field}' is not a candidate category field.")
        self._category_field = category_field
        return SUCCESS

    def _groups(self) -> dict[str, list[int]]:
        """Row numbers by the field's value, as text, in the order of the values."""
        if self._category_field is None:
            raise pipeline_error("Invalid data, field: is invalid.")
        found, start = [], 0
        for path, count in zip(self._reader.paths, self._reader.counts, strict=True):
            connection = open_index(path)
            try:
                column = f"{self._category_field}_0"
                found += [(value, text, start + row) for value, text, row in connection.execute(
                    f"SELECT {column}, CAST({column} AS TEXT), ROW_ID FROM INDEXES")]
            finally:
                connection.close()
            start += count
        groups: dict[str, list[int]] = {}
        for _, text, row in sorted(found):
            groups.setdefault(text, []).append(row)
        return groups

    def read_category_info(self) -> str:
        """JSON text: the field as ``"key"``, and under ``"categories"`` each value with its id and count."""
        categories = [{"count": len(rows), "id": number, "name": name}
                      for number, (name, rows) in enumerate(self._groups().items())]
        return json.dumps({"categories": categories, "key": f"{self._category_field}_0"},
                          separators=(",", ":"), ensure_ascii=False)

    def read_at_page_by_id(self, category_id, page, num_row):
        """The ``page``-th ``num_row`` rows of the group with this id, as dicts."""
        if not isinstance(category_id, int) or category_id < 0:
            raise ParamValueError("Category id should be int and greater than or equal to 0.")
        _check_page(page, num_row)
        groups = list(self._groups().values())
        if category_id >= len(groups):
            raise pipeline_error(f"Invalid data, category_id: {category_id} must be in the range [0, "
                                 f"{len(groups)}].")
        return self._page(groups[category_id], page, num_row)

    def read_at_page_by_name(self, category_name, page, num_row):
        """The ``page``-th ``num_row`` rows of the group with this value (as text), as dicts."""
        if not isinstance(category_name, str):
            raise ParamValueError("Category name should be str.")
        _check_page(page, num_row)
        groups = self._groups()
        if category_name not in groups:
            raise pipeline_error(f"category_name: {category_name} could not found.")
        return self._page(groups[category_name], page, num_row)

    def _page(self, rows: list[int], page: int, num_row: int) -> list[dict]:
        chosen = rows[page * num_row:(page + 1) * num_row]
        if not chosen:
            raise pipeline_error(f"Invalid data, page no: {page}or page size: {num_row} is invalid.")
        reader = self._reader
        return [populate_data(*reader.read(row), None, reader.blob_fields, reader.schema) for row in chosen]


def _check_page(page, num_row) -> None:
    if not isinstance(page, int) or page < 0:
        raise ParamValueError("Page should be int and greater than or equal to 0.")
    if not isinstance(num_row, int) or num_row <= 0:
        raise ParamValueError("num_row should be int and greater than 0.")
