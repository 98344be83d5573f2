"""`CSVDataset`: comma-separated files as a dataset."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

import numpy as np

from ..core.errors import pipeline_error, syntax_error
from ..core.validator_helpers import type_check
from ._files import FilesDataset, text_array
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

    _checked = "csv file path: {}."
    _worker_per_file = True

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

    def _count_of(self, file):
        self._columns()
        return counted(file, not self.column_names)

    def _rows_of(self, file):
        names = self._columns()
        kinds = self._converters(names)
        try:
            for line, fields in records(file, self.field_delim, not self.column_names):
                row = [convert(file, line, field) for convert, field in zip(kinds, fields, strict=False)]
                check_width(line, len(fields), len(names))
                yield row
        except Malformed as error:
            for convert, field in zip(kinds, error.fields, strict=False):
                convert(file, error.line, field)
            raise error.shown(file) from None

    def _converters(self, names: list[str]) -> list:
        self._check_defaults(names)
        kinds = [_text if isinstance(one, str) else _float if isinstance(one, float) else _integer
                 for one in self.column_defaults]
        return kinds + [_text] * (len(names) - len(kinds))


def counted(file: str, header: bool = False) -> int:
    """How many rows MindSpore counts: lines that are not empty, where a quote opens and closes wherever it
    is.
    """
    rows, inside = 0, False
    with open(file, "rb") as lines:
        if header:
            lines.readline()
        for line in lines:
            begun = inside
            inside ^= line.count(b'"') % 2
            rows += not inside and bool(begun or line.strip(b"\r\n"))
    return rows


def records(file: str, delimiter: str = ",", header: bool = False) -> Iterator[tuple[int, list[str]]]:
    """Number and fields of each row, without the ``header`` where there is one; lines without anything are
    none. `Malformed` where quotes are wrong.
    """
    number, begun = 0, []                            # rows so far; the lines of one that is not complete
    with open(file, encoding="utf-8", errors="surrogateescape", newline="\n") as text:
        if header:
            text.readline()
        for line in text:
            if '"' not in line:
                if begun:
                    begun.append(line)
                    continue
                fields = line.rstrip("\r\n").split(delimiter)
                if fields != [""] and _complete(line, fields):
                    number += 1
                    yield number, fields
                continue
            line = "".join([*begun, line])
            fields = _quoted(line.removesuffix("\n").removesuffix("\r"), delimiter, number + 1, file)
            begun = [line] if fields is None else []
            if fields is not None and _complete(line, fields):
                number += 1
                yield number, fields
        if begun:
            whole = _quoted("".join(begun), delimiter, number + 1, file, to_its_end=False)
            raise Malformed(number + 1, "Invalid csv file, reach the end of file in quote field, check "
                                        f"{file}.", whole)


def check_width(line: int, fields: int, columns: int) -> None:
    """`Malformed` unless a row has as many fields as there are columns."""
    if fields != columns:
        name = "column_defaults " if fields > columns else "'column_defaults'"
        raise Malformed(line, "Invalid columns, the size of column_names should be less than the size of "
                              "'column_defaults', but got the size of column_names: "
                              f"{min(fields, columns)}, the size of {name}: {columns}.")


def _complete(line: str, fields: list[str]) -> bool:
    """Whether a line is a row: MindSpore counts a last one of a single field that does not end, and leaves
    it out.
    """
    return len(fields) > 1 or line.endswith(("\n", "\r"))


class Malformed(Exception):
    """A row that cannot be read; ``fields`` of it can, and come first."""

    def __init__(self, line: int, text: str, fields: Sequence[str] = ()) -> None:
        super().__init__(text)
        self.line, self.fields = line, fields

    def shown(self, file: str) -> RuntimeError:
        return pipeline_error(f"Invalid file, failed to parse csv file: {file} at line {self.line}. Error "
                              f"message: {self}")


def _quoted(line: str, delimiter: str, number: int, file: str, to_its_end=True) -> list[str] | None:
    """The fields of a row with quotes; where a quote is still open at its end None, or those before it."""
    fields, at, end = [], 0, len(line)
    while True:
        if at < end and line[at] == '"':
            parts = []
            while True:
                close = line.find('"', at + 1)
                if close < 0:
                    return None if to_its_end else fields
                parts.append(line[at + 1:close])
                if line[close + 1:close + 2] != '"':
                    break
                parts.append('"')
                at = close + 1
            fields.append("".join(parts))
            at = close + 1
            if at < end and line[at] != delimiter:
                raise Malformed(number, "Invalid csv file, receive unquote char in quote field, check "
                                        f"{file}.", fields[:-1])
        else:
            stop = line.find(delimiter, at)
            stop = end if stop < 0 else stop
            fields.append(line[at:stop])
            if '"' in fields[-1]:
                raise Malformed(number, f"Invalid csv file, unexpected quote in unquote field from {file}.",
                                fields[:-1])
            at = stop
        if at >= end:
            return fields
        at += 1
        if at == end:
            return [*fields, ""]


def _text(file: str, line: int, field: str) -> np.ndarray:
    return text_array(field)


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
