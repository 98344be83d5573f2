"""Writing MindRecord files: rows into pages, pages into shards (``...core.shardwriter``)."""

from __future__ import annotations

import os

from ...dataset.core.errors import pipeline_error, syntax_error
from .coding import pack_blobs, pack_integers, pack_map
from .encryption import settle
from .pages import Header, internal_error, write_index
from .shardutils import MAX_HEADER_SIZE, MAX_PAGE_SIZE, MIN_HEADER_SIZE, MIN_PAGE_SIZE

Row = tuple[bytes, bytes]                            # raw part, blob part


def check_size(what: str, size: int, low: int, high: int) -> None:
    try:                                             # what has a whole number in it is one, except a float
        number = -1 if isinstance(size, float) else int(size) if hasattr(size, "__int__") else -1
    except (TypeError, ValueError):
        number = -1
    if not 0 <= number < 2 ** 64:
        raise TypeError(f"set_{what}_size(): incompatible function arguments. The following argument types "
                        f"are supported: int. Invoked with: {size}")
    size = number
    if not low <= size <= high:
        raise pipeline_error(f"Invalid data, {what} size: {size} should be in range [{low} bytes, {high} "
                             "bytes].")
    if size % 4:
        raise pipeline_error(f"Invalid data, {what} size {size} should be divided by four.")


def check_header_size(size: int) -> None:
    check_size("header", size, MIN_HEADER_SIZE, MAX_HEADER_SIZE)


def check_page_size(size: int) -> None:
    check_size("page", size, MIN_PAGE_SIZE, MAX_PAGE_SIZE)


def encoded(header: Header, row: dict, without: bytes) -> Row:
    """A row's two parts; sides that the schema lacks have a stand-in, as in MindSpore's files."""
    blobs = []
    for name in header.blob_fields:
        value, field = row[name], header.schema[name]
        data = bytes(value) if field["type"] == "bytes" else value.tobytes()
        if field["type"] in ("int32", "int64"):
            packed = pack_integers(value)
            header.saved += len(data) - len(packed)
            data = packed
        blobs.append(data)
    raw = {name: row[name] for name in header.raw_fields}
    return pack_map(raw) if raw else without, pack_blobs(blobs) if blobs else b"\0\0\0\0"


class Shard:
    """One file that is being written.

    A new file is written beside its place and put there by `commit`, so that a program that is killed leaves
    no half file. One that is appended to (``append``: its own name, or that of its decryption) keeps its old
    header, hence its old rows, until then.
    """

    def __init__(self, path: str, header: Header, append: str = ""):
        self.path, self.header, self.append = path, header, append
        self.working = append or path + ".part"
        self.file = open(self.working, "r+b" if append else "w+b")  # noqa: SIM115  closed by commit
        blobs = header.of_type("BLOB_DATA")
        self.rows = max((page["end_row_id"] for page in blobs), default=0)

    def write(self, rows: list[Row]) -> None:
        """Rows, cut into row groups none of whose two sides outgrows a page."""
        room = self.header.page_size
        for raw, blob in rows:
            for name, part in (("blob", blob), ("raw", raw)):
                if len(part) + 8 > room:
                    raise syntax_error(
                        f"Invalid data, Page size: {room} is too small to save a {name} row. Please try to "
                        "use the mindrecord api 'set_page_size(value)' to enable larger page size, and the "
                        f"value range is in [{MIN_PAGE_SIZE} bytes, {MAX_PAGE_SIZE} bytes].")
        group, last = self._last_group()
        raw_size, blob_size = self._size_of(last) if last else (0, 0)
        groups: list[list[Row]] = [[]]
        for raw, blob in rows:
            raw_size += 8 + len(raw)
            blob_size += 8 + len(blob)
            if raw_size > room or blob_size > room:
                groups.append([])
                raw_size, blob_size = 8 + len(raw), 8 + len(blob)
            groups[-1].append((raw, blob))
        if last is None:
            group = -1
        elif groups[0]:
            self._extend(last, b"".join(_with_length(blob) for _, blob in groups[0]), len(groups[0]))
        start = 1 if last else 0
        for rows_of_group in groups[start:]:
            self._new_blob_page(rows_of_group)
        if last and groups[0]:
            self._extend_raw(b"".join(_with_length(raw) for raw, _ in groups[0]))
        for number, rows_of_group in enumerate(groups[start:], group + 1):
            self._add_raw(number, b"".join(_with_length(raw) for raw, _ in rows_of_group))

    def _last_group(self):
        blobs = self.header.of_type("BLOB_DATA")
        return (len(blobs) - 1, blobs[-1]) if blobs else (-1, None)

    def _last_raw(self):
        pages = self.header.of_type("RAW_DATA")
        return pages[-1] if pages else None

    def _size_of(self, blob_page) -> tuple[int, int]:
        raw = self._last_raw()
        return raw["page_size"] - raw["row_group_ids"][-1]["offset"], blob_page["page_size"]

    def _put(self, page: dict, data: bytes) -> None:
        """More bytes at a page's end."""
        self.file.seek(self.header.page_start(page["page_id"]) + page["page_size"])
        self.file.write(data)
        page["page_size"] += len(data)

    def _extend(self, page: dict, data: bytes, rows: int) -> None:
        self._put(page, data)
        page["end_row_id"] += rows
        self.rows += rows

    def _new_page(self, kind: str, type_id: int, group: int, start: int) -> dict:
        page = {"end_row_id": start, "page_id": len(self.header.pages), "page_size": 0, "page_type": kind,
                "page_type_id": type_id, "row_group_ids": [{"id": group, "offset": 0}],
                "shard_id": self.header.shard, "start_row_id": start}
        self.header.pages.append(page)
        return page

    def _new_blob_page(self, rows: list[Row]) -> None:
        number = len(self.header.of_type("BLOB_DATA"))
        page = self._new_page("BLOB_DATA", number, 0, self.rows)
        self._extend(page, b"".join(_with_length(blob) for _, blob in rows), len(rows))

    def _new_raw_page(self, group: int) -> dict:
        last = self._last_raw()
        return self._new_page("RAW_DATA", last["page_id"] + 1 if last else 0, group, 0)

    def _extend_raw(self, data: bytes) -> None:
        """More of the last row group: where the page is full, the group moves to a page of its own first."""
        page = self._last_raw()
        if page["page_size"] + len(data) > self.header.page_size:
            group = page["row_group_ids"].pop()
            self.file.seek(self.header.page_start(page["page_id"]) + group["offset"])
            moved = self.file.read(page["page_size"] - group["offset"])
            page["page_size"] = group["offset"]
            page = self._new_raw_page(group["id"])
            data = moved + data
        self._put(page, data)

    def _add_raw(self, group: int, data: bytes) -> None:
        """The raw side of a new row group: on the last page where it fits."""
        page = self._last_raw()
        if page is None or page["page_size"] + len(data) > self.header.page_size:
            page = self._new_raw_page(group)
        else:
            page["row_group_ids"].append({"id": group, "offset": page["page_size"]})
        self._put(page, data)

    def commit(self) -> None:
        """Write the header and the index, and put the file in its place."""
        data = self.header.dumps()
        if len(data) + 8 > self.header.header_size:
            raise internal_error("shard header is too big.")
        self.file.seek(0)
        self.file.write(len(data).to_bytes(8, "little") + data)
        if self.append:
            old = self.header.header_size - 8 - len(data)
            self.file.write(b"\0" * min(old, 1 << 16))
        self.file.flush()
        # the index is made beside the old one, and takes its place in one step
        index = self.path + ".db"
        write_index(self.working, index + ".part", os.path.basename(self.path), self.header)
        settle(self.working, self.path)
        settle(index + ".part", index)
        for path in (self.path, index):
            os.chmod(path, 0o600)

    def close(self) -> None:
        """Leave: a file that was not committed is taken away."""
        self.file.close()
        left = (self.path + ".db.part",) if self.append else (self.working, self.path + ".db.part")
        for path in left:
            if os.path.exists(path):
                os.remove(path)


def _with_length(data: bytes) -> bytes:
    return len(data).to_bytes(8, "little") + data


def check_place(paths: list[str], overwrite: bool) -> None:
    """RuntimeError unless the files can be made."""
    for path in paths:
        folder = os.path.dirname(path)
        if folder and not os.path.isdir(folder):
            raise pipeline_error("Invalid dir, failed to get the realpath of mindrecord file dir. Please "
                                 f"check path: {folder}")
        if os.path.exists(path) and not overwrite:
            raise pipeline_error("Invalid file, mindrecord files already exist. Please check file path: "
                                 f"{os.path.realpath(path)}.\nIf you do not want to keep the files, set the "
                                 "'overwrite' parameter to True and try again.")
        if os.path.isdir(path):
            raise pipeline_error(f"Invalid file, failed to open file for writing mindrecord data. Please "
                                 f"check file path: {path}")
