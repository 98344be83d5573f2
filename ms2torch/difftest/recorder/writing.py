"""A trace on its way to the disk: frames of records, and what a record says of an array (FORMAT.md)."""

from __future__ import annotations

import binascii
import functools
import json
import math
import struct
import zlib

import numpy as np

MAGIC = b"MS2TRACE 1\n"
FORMAT = 1
SAMPLES = 16
_PLACES = np.arange(SAMPLES)

class DiskFull(BaseException):
    """The trace could not be written; it is readable up to the last whole frame."""


class Writer:
    """Appends frames to a trace: each is whole or, after a crash, visibly cut off."""

    def __init__(self, path):
        self.path, self.records, self.arrays, self.blobs, self.size = path, [], [], [], 0
        self.late = []
        self.file = open(path, "wb")
        self.end = 0
        self._write(MAGIC)

    def add(self, record, array=None):
        """Put one record (and its whole array) into the current frame."""
        if array is not None:
            record["full"] = len(self.arrays)
            self.arrays.append({"dtype": array.dtype.str, "shape": list(array.shape), "offset": self.size})
            self.blobs.append(np.ascontiguousarray(array).tobytes())
            self.size += len(self.blobs[-1])
        self.records.append(record)
        if self.size > 1 << 20 or len(self.records) > 4000:
            self.flush()

    def add_later(self, record, array):
        """Put in a record whose statistics are made when the frame is written; until then ``array`` stays as
        it is."""
        self.late.append((record, array))
        self.add(record)

    def flush(self):
        """Write the current frame to the file."""
        if not self.records:
            return
        if self.late:
            for (record, _), found in zip(self.late, all_statistics([array for _, array in self.late])):
                record["stats"] = found
            self.late = []
        text = json.dumps({"records": self.records, "arrays": self.arrays}, separators=(",", ":")).encode()
        packed = zlib.compress(b"".join([struct.pack("<I", len(text)), text, *self.blobs]), 1)
        self.records, self.arrays, self.blobs, self.size = [], [], [], 0
        self._write(struct.pack("<II", len(packed), zlib.crc32(packed)) + packed)

    def _write(self, data):
        try:
            self.file.write(data)
            self.file.flush()
            self.end += len(data)
        except OSError as error:
            try:  # leave whole frames only
                self.file.truncate(self.end)
            except OSError:
                pass
            raise DiskFull("the trace %s could not be written: %s" % (self.path, error)) from error

    def close(self):
        """Write what is left and close the file."""
        try:
            self.flush()
        finally:
            try:
                self.file.close()
            except OSError:
                pass


def _number(value):
    """A float for JSON, which has no nan and no infinity."""
    return value if math.isfinite(value) else str(float(value))


def statistics(array):
    """What a record says about an array without holding it: counts, norm, mean, extremes (over finite
    values; complex numbers as pairs), a hash of all bytes, and 16 evenly spaced values."""
    flat = np.ascontiguousarray(array).reshape(-1)
    stats = {"n": int(flat.size), "hash": "%08x" % zlib.crc32(flat.view(np.uint8))}
    if flat.dtype.kind == "c":
        flat = flat.view(flat.real.dtype)
    if flat.dtype == np.float16 or flat.dtype.kind not in "fiub":
        flat = flat.astype(np.float32)
    spots = flat if flat.size <= SAMPLES else flat[_PLACES * (flat.size - 1) // (SAMPLES - 1)]
    kind = ("<f%d" % flat.itemsize) if flat.dtype.kind == "f" else "<i8"
    stats["sample"] = kind + _text(spots.astype(kind))
    if flat.dtype.kind != "f":
        flat = flat.astype(np.float64)
    total = square = 0.0
    low, high, zeros, finite = np.inf, -np.inf, 0, flat.size
    for start in range(0, flat.size, 1 << 16):
        part = flat[start : start + (1 << 16)] if flat.size > 1 << 16 else flat
        with np.errstate(over="ignore"):
            power = float(np.dot(part, part))
        if not 1e-20 < power < np.inf:  # nan, inf, overflow, or too small for float32's squares
            with np.errstate(all="ignore"):
                values = part[np.isfinite(part)].astype(np.float64)
                if values.size != part.size:
                    kinds = (("nan", np.isnan(part)), ("posinf", part == np.inf), ("neginf", part == -np.inf))
                    for key, found in kinds:
                        stats[key] = stats.get(key, 0) + int(np.count_nonzero(found))
                    finite -= part.size - values.size
                part = values
                if not part.size:
                    continue
                power = float(np.dot(part, part))
        total += float(np.add.reduce(part, dtype=np.float64 if part.size < 4096 else None))
        square += power
        low, high = min(low, float(np.minimum.reduce(part))), max(high, float(np.maximum.reduce(part)))
        zeros += int(np.count_nonzero(part == 0))  # of bools: floats take it ten times as long
    stats.update(zeros=zeros, norm=_number(square**0.5), mean=_number(total / finite) if finite else None)
    stats.update(min=low if finite else None, max=high if finite else None)
    return stats


def _text(values):
    return binascii.b2a_base64(values.tobytes(), newline=False).decode("ascii")


# Arrays of float32 up to this size are described together: by itself each costs a dozen calls of numpy.
SMALL = 4096


def is_small(array):
    """Whether `all_statistics` describes an array with others."""
    return array.dtype == np.float32 and 0 < array.size <= SMALL


def all_statistics(arrays):
    """`statistics` of each of these arrays for which `is_small`."""
    flats = [np.ascontiguousarray(array).reshape(-1) for array in arrays]
    starts, spots = _places(tuple(flat.size for flat in flats))
    values = np.concatenate(flats)
    samples, wide = values[spots[0]].astype("<f4"), values.astype(np.float64)
    with np.errstate(all="ignore"):
        squares = np.add.reduceat(wide * wide, starts).tolist()
        totals = np.add.reduceat(wide, starts).tolist()
    zeros = np.add.reduceat((values == 0).astype(np.intp), starts).tolist()
    low, high = np.minimum.reduceat(values, starts).tolist(), np.maximum.reduceat(values, starts).tolist()
    found = []
    for i, flat in enumerate(flats):
        if not math.isfinite(squares[i]):
            found.append(statistics(flat))
            continue
        found.append({"n": flat.size, "hash": "%08x" % zlib.crc32(flat.view(np.uint8)),
                      "sample": "<f4" + _text(samples[spots[1][i]:spots[1][i + 1]]), "zeros": zeros[i],
                      "norm": squares[i] ** 0.5, "mean": totals[i] / flat.size, "min": low[i],
                      "max": high[i]})
    return found


@functools.lru_cache(maxsize=64)
def _places(sizes):
    """Where arrays of these sizes begin when they lie one behind the other, and where their samples are."""
    starts = np.cumsum((0, *sizes))[:-1]
    spots = [np.arange(n) if n <= SAMPLES else _PLACES * (n - 1) // (SAMPLES - 1) for n in sizes]
    ends = np.cumsum([0, *map(len, spots)]).tolist()
    return starts, (np.concatenate([s + start for s, start in zip(spots, starts)]), ends)
