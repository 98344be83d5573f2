"""One MindRecord file as it is laid out on disk, and its index beside it.

First the length of the header (8 bytes, little-endian) and the header, JSON, in the room of
``header_size``; then pages, each in the room of ``page_size`` except the last. A blob page holds the blobs
of some rows, a *row group*; a raw page holds the raw parts of one or more row groups. Every part has its
length (8 bytes) before it. The index is an SQLite file that says where each row's parts are, and has the
values of the fields to search by.
"""

from __future__ import annotations

import json
import os
import sqlite3
import struct
from collections.abc import Iterator

from ...dataset.core.errors import pipeline_error
from .coding import Damaged, unpack_map
from .shardutils import MIN_FILE_SIZE

NIL = b"\xc0"                                        # msgpack's None
_LENGTH = struct.Struct("<Q")
_SQL_TYPES = {"string": "TEXT", "int32": "INTEGER", "int64": "INTEGER", "float32": "REAL", "float64": "REAL"}
_PLACES = ("ROW_ID", "PAGE_ID_RAW", "PAGE_OFFSET_RAW", "PAGE_OFFSET_RAW_END", "ROW_GROUP_ID", "PAGE_ID_BLOB",
           "PAGE_OFFSET_BLOB", "PAGE_OFFSET_BLOB_END")


def internal_error(text: str) -> RuntimeError:
    """What MindSpore words as an error of its own: mostly, a file that is cut or damaged."""
    return pipeline_error(f"[Internal ERROR] {text}")


def check_exists(path: str) -> None:
    """RuntimeError unless there is a file that is not too short to be one."""
    if not os.path.exists(path):
        raise RuntimeError(f"The input: {path} is not exists.")
    if not os.path.isfile(path):
        raise RuntimeError(f"The input: {path} should be a regular file.")
    size = os.path.getsize(path)
    if size < MIN_FILE_SIZE:
        raise RuntimeError(f"Invalid file, the size of mindrecord file: {size} is smaller than the lower "
                           f"limit: {MIN_FILE_SIZE}.\n Please check file path: {path} and use 'FileWriter' "
                           "to generate valid mindrecord files.")


class Header:
    """What a file says about itself."""

    def __init__(self, schema: dict, desc: str = "", index_fields=(), header_size: int = 16 << 20,
                 page_size: int = 32 << 20, addresses=(), shard: int = 0):
        self.schema, self.desc, self.index_fields = schema, desc, list(index_fields)
        self.header_size, self.page_size = header_size, page_size
        self.addresses, self.shard = list(addresses), shard
        self.pages: list[dict] = []
        self.saved = 0                               # bytes that packing integers has saved

    @property
    def blob_fields(self) -> list[str]:
        return [name for name in sorted(self.schema) if is_blob(self.schema[name])]

    @property
    def raw_fields(self) -> list[str]:
        return [name for name in sorted(self.schema) if not is_blob(self.schema[name])]

    def dumps(self) -> bytes:
        """The header's bytes, without the length before them."""
        def text(value):
            return json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"))

        schema = {"blob_fields": self.blob_fields, "desc": self.desc, "schema": self.schema}
        indices = [{"index_field": name, "schema_id": 0} for name in self.index_fields]
        values = {"header_size": self.header_size, "index_fields": indices or None,
                  "page": self.pages or None, "page_size": self.page_size,
                  "compression_size": max(self.saved, 0), "schema": [schema],
                  "shard_addresses": self.addresses, "shard_id": self.shard, "statistics": None,
                  "version": "3.0"}
        return ("{" + ",".join(f'"{key}":{text(value)}' for key, value in values.items()) + "}").encode()

    @classmethod
    def read(cls, path: str) -> Header:
        """The header of a file; RuntimeError where it is not that of a MindRecord file."""
        with open(path, "rb") as file:
            length, = _LENGTH.unpack(file.read(8))
            if length > 128 << 20:
                raise pipeline_error("Invalid file, the size of mindrecord file header is larger than the "
                                     f"upper limit. \nThe invalid mindrecord file is [{path}]. \nPlease use "
                                     "'FileWriter' to generate valid mindrecord files.")
            data = file.read(length)
        if len(data) != length:
            raise pipeline_error(f"Invalid file, failed to read header content of file: {path}, please check "
                                 "correction of MindRecord File")
        try:
            return cls._parsed(json.loads(data))
        except (ValueError, KeyError, TypeError, IndexError, AttributeError):
            raise pipeline_error(f"Invalid file, failed to parse header content of file: {path}, please "
                                 "check correction of MindRecord File") from None

    @classmethod
    def _parsed(cls, values: dict) -> Header:
        about = values["schema"][0]
        header = cls(about["schema"], about.get("desc", ""),
                     [one["index_field"] for one in values["index_fields"] or ()],
                     int(values["header_size"]), int(values["page_size"]),
                     [os.path.basename(name) for name in values["shard_addresses"]], int(values["shard_id"]))
        if not header.addresses or not {"", ".", ".."}.isdisjoint(header.addresses):
            raise ValueError("no names of files")
        for name, field in header.schema.items():
            if not isinstance(name, str) or field["type"] not in (*_SQL_TYPES, "bytes"):
                raise ValueError("a field of no known type")
        header.pages = values["page"] or []
        for page in header.pages:
            for key in ("page_id", "page_size", "page_type_id", "start_row_id", "end_row_id"):
                page[key] = int(page[key])
        header.saved = int(values.get("compression_size", 0))
        return header

    def page_start(self, page_id: int) -> int:
        """Where a page begins in the file."""
        return self.header_size + page_id * self.page_size

    def of_type(self, kind: str) -> list[dict]:
        return [page for page in self.pages if page["page_type"] == kind]


def is_blob(field: dict) -> bool:
    """Whether a field of the schema is kept among the blobs."""
    return field["type"] == "bytes" or "shape" in field


# ---- the index ---------------------------------------------------------------------------------------------


def _rows(header: Header, file) -> Iterator[tuple]:
    """Where each row's parts are, and its raw part, from the pages themselves."""
    blob_pages = {page["page_type_id"]: page for page in header.of_type("BLOB_DATA")}

    def part(page, at):
        file.seek(header.page_start(page["page_id"]) + at)
        return _LENGTH.unpack(file.read(8))[0]

    for raw_page in header.of_type("RAW_DATA"):
        for group in raw_page["row_group_ids"]:
            blob_page = blob_pages[group["id"]]
            raw_at, blob_at = group["offset"], 0
            for row in range(blob_page["start_row_id"], blob_page["end_row_id"]):
                raw_end = raw_at + 8 + part(raw_page, raw_at)
                raw = file.read(raw_end - raw_at - 8)
                blob_end = blob_at + 8 + part(blob_page, blob_at)
                yield (row, raw_page["page_id"], raw_at, raw_end, group["id"], blob_page["page_id"], blob_at,
                       blob_end), raw
                raw_at, blob_at = raw_end, blob_end


def write_index(path: str, target: str, name: str, header: Header) -> None:
    """Write at ``target`` the index of the file at ``path``, which will be called ``name``."""
    if os.path.exists(target):
        os.remove(target)
    columns = [f"{column} INT NOT NULL" for column in _PLACES]
    for place, field in enumerate(header.index_fields):
        columns += [f"INC_{place} INT", f"{field}_0 {_SQL_TYPES[header.schema[field]['type']]}"]
    keys = ",".join(["ROW_ID", *(f"INC_{place}" for place in range(len(header.index_fields)))])
    width = len(_PLACES) + 2 * len(header.index_fields)
    connection = sqlite3.connect(target)
    try:
        with connection, open(path, "rb") as file:
            connection.execute("CREATE TABLE SHARD_NAME(NAME TEXT NOT NULL)")
            connection.execute("INSERT INTO SHARD_NAME VALUES(?)", (name,))
            connection.execute(f"CREATE TABLE INDEXES({', '.join(columns)}, PRIMARY KEY({keys}))")
            connection.executemany(f"INSERT INTO INDEXES VALUES({','.join('?' * width)})",
                                   (_entry(header, *row) for row in _rows(header, file)))
    finally:
        connection.close()


def _entry(header: Header, places: tuple, raw: bytes) -> tuple:
    values = unpack_map(raw) if header.index_fields else {}
    return places + tuple(one for field in header.index_fields for one in (0, values[field]))


def open_index(path: str) -> sqlite3.Connection:
    """The index of the file at ``path``, to read only; RuntimeError if it is another file's, or none."""
    index = os.path.realpath(path) + ".db"
    query = "SELECT NAME from SHARD_NAME;"
    try:
        connection = sqlite3.connect(f"file:{_quoted(index)}?mode=ro", uri=True)
        name = connection.execute(query).fetchone()
    except sqlite3.Error as error:
        raise pipeline_error(f"Failed to execute the sql [ {query} ] while verifying meta file, {error}.\n"
                             f"Please check the meta file: {index}") from None
    if name is None or name[0] != os.path.basename(path):
        connection.close()
        raise pipeline_error(f"Invalid file, mindrecord meta file: {index} and mindrecord file: "
                             f"{os.path.realpath(path)} can not match. Please do not rename the mindrecord "
                             "file or meta file.")
    return connection


def _quoted(path: str) -> str:
    return path.replace("%", "%25").replace("?", "%3f").replace("#", "%23")


def read_index(path: str) -> list[tuple[int, ...]]:
    """Of each row, in order: raw page, its start and end there, blob page, start and end there."""
    connection = open_index(path)
    try:
        return connection.execute("SELECT PAGE_ID_RAW, PAGE_OFFSET_RAW, PAGE_OFFSET_RAW_END, PAGE_ID_BLOB, "
                                  "PAGE_OFFSET_BLOB, PAGE_OFFSET_BLOB_END FROM INDEXES ORDER BY "
                                  "ROW_ID").fetchall()
    except sqlite3.Error as error:
        raise pipeline_error(f"Failed to execute the sql while reading meta file, {error}.\nPlease check the "
                             f"meta file: {os.path.realpath(path)}.db") from None
    finally:
        connection.close()


def decoded_raw(data: bytes) -> dict:
    """The raw part of a row; that of `Dataset.save` is NIL where all columns are arrays."""
    try:
        return {} if data == NIL else unpack_map(data)
    except Damaged:
        raise internal_error("Unexpected exception raised in ConvertLabelToJson function.") from None
