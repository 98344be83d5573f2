"""`CSVDataset`: comma-separated files as a dataset."""

from __future__ import annotations

import re
from collections.abc import Iterator

import numpy as np

from ..core.errors import pipeline_error, syntax_error
from ..core.validator_helpers import type_check
from ._files import FilesDataset
from .datasets import UnionBaseDataset
from .samplers import Shuffle

_INTEGER = re.compile(r"\s*([+-]?\d+)")
_FLOAT = re.compile(r"\s*([+-]?(?:(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?|inf(?:inity)?|nan))", re.IGNORECASE)


class CSVDataset(FilesDataset, UnionBaseDataset):
    """Rows of CSV files, a column per field (``mindspore.dataset.CSVDataset``).

    Columns are named by ``column_names``, or by each file's first row. A field is text, or int32 or float32
    where
    ``column_defaults`` has an int or a float in its place; the defaults' values are not used. Fields may be
    in double quotes, with line breaks and doubled quotes inside. ``shuffle`` is `TextFileDataset`'s. Rows of
    another length, quotes in wrong places, text that is no number: RuntimeError.
    """

    def __init__(self, dataset_files, field_delim=",", column_defaults=None, column_names=None,
                 num_samples=None, num_parallel_workers=None, shuffle=Shuffle.GLOBAL, num_shards=None,
                 shard_id=None, cache=None):
        type_check(dataset_files, (str, list), "dataset files")
        if field_delim is not None:
            type_check(field_delim, (str,), "field delim")
            if field_delim in ('"', "\r", "\n") or len(field_delim) > 1:
                raise ValueError("field_delim is invalid.")
        if column_defaults is not None:
            if not isinstance(column_defaults, list):
                raise TypeError("column_defaults should be type of list.")
            if not all(isinstance(item, (str, int, float)) for item in column_defaults):
                raise TypeError("column type in column_defaults is invalid.")
        if column_names is not None and not all(isinstance(item, str) for item in column_names):
            raise TypeError("column_names should be a list of str.")
        super().__init__(dataset_files, num_samples, num_parallel_workers, shuffle, num_shards, shard_id,
                         cache)
        self.field_delim = "," if field_delim is None else field_delim
        self.column_defaults, self.column_names = list(column_defaults or ()), list(column_names or ())

    def _columns(self):
        if self.column_names:
            for name in self.column_names:
                if self.column_names.count(name) > 1:
                    raise syntax_error("CSVDataset: 'column_names' : Invalid parameter, duplicate column "
                                       f"names are not allowed: {name}")
            return self.column_names
        headers = [self._header(file) for file in self.dataset_files]
        for file, header in zip(self.dataset_files, headers, strict=True):
            if len(set(header)) < len(header):
                raise pipeline_error(f"Invalid file, failed to get column name list from csv file: {file}")
        self._check_defaults(headers[0])
        if not headers[0]:
            raise pipeline_error("GetColumnNames: column_name_id map can not be empty.")
        if any(header != headers[0] for header in headers):
            raise pipeline_error("Invalid file, failed to obtain column name from input csv file list.")
        return headers[0]

    def _header(self, file: str) -> list[str]:
        """The names in a file's first line, quotes and all."""
        with open(file, encoding="utf-8", errors="surrogateescape", newline="\n") as text:
            line = text.readline().removesuffix("\n").removesuffix(self.field_delim)
        *names, last = line.split(self.field_delim)
        return [*names, last.removesuffix("\r")] if line else []

    def _check_defaults(self, names: list[str]) -> None:
        if len(self.column_defaults) > len(names):
            raise pipeline_error("Invalid parameter, the size of column_names should be equal to the size of "
                                 f"'column_defaults', but got  size of 'column_defaults': "
                                 f"{len(self.column_defaults)}, size of column_names: {len(names)}")

    def _nothing(self):
        files = "".join(f" {file}" for file in self.dataset_files)
        return pipeline_error("Invalid data, CSVDataset API can't read the data file (interface mismatch or "
                              f"no data found). Check csv file path: {files}.")

    def _count_of(self, file):
        self._columns()
        return sum(1 for _ in self._records(file, malformed=True))

    def _rows_of(self, file):
        names = self._columns()
        kinds = self._converters(names)
        try:
            for line, fields in self._records(file):
                row = [convert(file, line, field) for convert, field in zip(kinds, fields, strict=False)]
                if len(fields) != len(names):
                    more = len(fields) > len(names)
                    tail = f"the size of column_defaults : {len(names)}." if more \
                        else f"the size of 'column_defaults': {len(names)}."
                    raise _Malformed(line, "Invalid columns, the size of column_names should be less than "
                                           "the size of 'column_defaults', but got the size of column_names: "
                                           f"{len(names) if more else len(fields)}, {tail}")
                yield row
        except _Malformed as error:
            raise error.shown(file) from None

    def _converters(self, names: list[str]) -> list:
        self._check_defaults(names)
        kinds = [_text if isinstance(one, str) else _float if isinstance(one, float) else _integer
                 for one in self.column_defaults]
        return kinds + [_text] * (len(names) - len(kinds))

    def _records(self, file: str, malformed: bool = False) -> Iterator[tuple[int, list[str]]]:
        return records(file, self.field_delim, not self.column_names, malformed)


def records(file: str, delimiter: str = ",", header: bool = False,
            malformed: bool = False) -> Iterator[tuple[int, list[str]]]:
    """Number and fields of each row, without the ``header`` where there is one; lines without anything are
    none. `_Malformed` where quotes are wrong; with ``malformed`` such lines are rows as well, without fields.
    """
    number, open_text = 0, ""
    with open(file, encoding="utf-8", errors="surrogateescape", newline="\n") as text:
        if header:
            text.readline()
        for line in text:
            line = open_text + line
            if '"' not in line:
                fields = line.rstrip("\r\n").split(delimiter)
                if fields != [""] and _complete(line, fields, malformed):
                    number += 1
                    yield number, fields
                continue
            try:
                fields = _quoted(line.removesuffix("\n").removesuffix("\r"), delimiter, number + 1, file)
            except _Malformed:
                if not malformed:
                    raise
                fields = []
            open_text = line if fields is None else ""
            if fields is not None and _complete(line, fields, malformed):
                number += 1
                yield number, fields
        if open_text and not malformed:
            raise _Malformed(number + 1, "Invalid csv file, reach the end of file in quote field, check "
                                         f"{file}.")


def _complete(line: str, fields: list[str], counted: bool) -> bool:
    """Whether a line is a row: MindSpore counts a last one of a single field that does not end, and leaves
    it out.
    """
    return counted or len(fields) > 1 or line.endswith(("\n", "\r"))


class _Malformed(Exception):
    """A row that cannot be read."""

    def __init__(self, line: int, text: str) -> None:
        super().__init__(text)
        self.line = line

    def shown(self, file: str) -> RuntimeError:
        return pipeline_error(f"Invalid file, failed to parse csv file: {file} at line {self.line}. Error "
                              f"message: {self}")


def _quoted(line: str, delimiter: str, number: int, file: str) -> list[str] | None:
    """The fields of a row with quotes; None where a quote is still open at its end."""
    fields, at, end = [], 0, len(line)
    while True:
        if at < end and line[at] == '"':
            parts = []
            while True:
                close = line.find('"', at + 1)
                if close < 0:
                    return None
                parts.append(line[at + 1:close])
                if line[close + 1:close + 2] != '"':
                    break
                parts.append('"')
                at = close + 1
            fields.append("".join(parts))
            at = close + 1
            if at < end and line[at] != delimiter:
                raise _Malformed(number, "Invalid csv file, receive unquote char in quote field, check "
                                         f"{file}.")
        else:
            stop = line.find(delimiter, at)
            stop = end if stop < 0 else stop
            fields.append(line[at:stop])
            if '"' in fields[-1]:
                raise _Malformed(number, f"Invalid csv file, unexpected quote in unquote field from {file}.")
            at = stop
        if at >= end:
            return fields
        at += 1
        if at == end:
            return [*fields, ""]


def _text(file: str, line: int, field: str) -> np.ndarray:
    if not field.isascii():                          # what is no UTF-8 was read as lone surrogates
        try:
            field.encode("utf-8", "surrogateescape").decode()
        except UnicodeDecodeError as error:
            raise pipeline_error(f"Failed to cast to Unicode string: UnicodeDecodeError: {error}") from None
    return np.array(field)


def _number(pattern, file: str, line: int, field: str) -> str:
    match = pattern.match(field)
    if match is None:
        raise pipeline_error(f"Invalid csv, csv file: {file} parse failed at line {line}, type does not "
                             "match.")
    return match[1]


def _integer(file: str, line: int, field: str) -> np.ndarray:
    value = int(_number(_INTEGER, file, line, field))
    if not -(1 << 31) <= value < 1 << 31:
        raise pipeline_error(f"Invalid csv, {file} parse failed at line {line} : value out of range.")
    return np.array(value, np.int32)


def _float(file: str, line: int, field: str) -> np.ndarray:
    text = _number(_FLOAT, file, line, field)
    with np.errstate(over="ignore"):
        value = np.array(float(text), np.float32)
    if np.isinf(value) and "inf" not in text.lower():
        raise pipeline_error(f"Invalid csv, {file} parse failed at line {line} : value out of range.")
    return value
