"""A trace on its way to the disk: frames of records, and what a record says of an array (FORMAT.md)."""

from __future__ import annotations

import binascii
import functools
import json
import math
import struct
import time
import zlib

import numpy as np

MAGIC = b"MS2TRACE 1\n"
FORMAT = 1
SAMPLES = 16
_PLACES = np.arange(SAMPLES)
# After so many frames, steps are gathered for so many seconds: what a killed program may lose of its trace.
_SINGLE, _PATIENCE = 64, 0.3
_encode = json.JSONEncoder(separators=(",", ":")).encode


class DiskFull(BaseException):
    """The trace could not be written; it is readable up to the last whole frame."""


class Writer:
    """Appends frames to a trace: each is whole or, after a crash, visibly cut off."""

    def __init__(self, path):
        self.path, self.texts, self.arrays, self.blobs, self.size = path, [], [], [], 0
        self.late = []  # records without their statistics: (place, text so far, array)
        self.file = open(path, "wb")
        self.end, self.frames, self.written = 0, 0, 0.0
        self._write(MAGIC)

    def add(self, record, array=None):
        """Put one record (and its whole array) into the current frame."""
        if array is not None:
            record["full"] = self._keep(array)
        self._put(_encode(record))

    def add_described(self, head, array, whole, stays):
        """Put in the record of an array with its statistics: ``head`` is the record's JSON text as far as
        these, ``whole`` tells whether all of the array is kept, ``stays`` whether nobody writes to it before
        the next `flush` or `step_ended`."""
        if whole:
            head += ',"full":%d' % self._keep(array)
        if is_small(array):
            self.late.append((len(self.texts), head, array if stays else array.copy()))
            self._put(None)
        else:
            self._put('%s,"stats":%s}' % (head, described(array)))

    def _keep(self, array):
        self.arrays.append({"dtype": array.dtype.str, "shape": list(array.shape), "offset": self.size})
        self.blobs.append(np.ascontiguousarray(array).tobytes())
        self.size += len(self.blobs[-1])
        return len(self.arrays) - 1

    def _put(self, text):
        self.texts.append(text)
        if self.size > 1 << 20 or len(self.texts) > 4000:
            self.flush()

    def step_ended(self):
        """Write the current frame; in a long run, short steps share one."""
        self._describe()
        if self.frames < _SINGLE or time.monotonic() - self.written > _PATIENCE:
            self.flush()

    def _describe(self):
        """Complete the records that wait for their statistics."""
        if self.late:
            for (place, head, _), found in zip(self.late, all_described([late[2] for late in self.late])):
                self.texts[place] = '%s,"stats":%s}' % (head, found)
            self.late = []

    def flush(self):
        """Write the current frame to the file."""
        if not self.texts:
            return
        self._describe()
        text = ('{"records":[%s],"arrays":%s}' % (",".join(self.texts), _encode(self.arrays))).encode()
        packed = zlib.compress(b"".join([struct.pack("<I", len(text)), text, *self.blobs]), 1)
        self.texts, self.arrays, self.blobs, self.size = [], [], [], 0
        self._write(struct.pack("<II", len(packed), zlib.crc32(packed)) + packed)
        self.frames, self.written = self.frames + 1, time.monotonic()

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
    """What a record says about an array without holding it: its size, norm, mean and extremes (over finite
    values; complex numbers as pairs), a hash of all bytes, and 16 evenly spaced values."""
    flat = np.ascontiguousarray(array).reshape(-1)
    stats = {"n": int(flat.size), "hash": "%08x" % zlib.crc32(flat.view(np.uint8))}
    if flat.dtype.kind == "c":
        flat = flat.view(flat.real.dtype)
    if flat.dtype == np.float16 or flat.dtype.kind not in "fiub":
        flat = flat.astype(np.float32)
    spots = flat if flat.size <= SAMPLES else flat[_sampled(flat.size)]
    kind = ("<f%d" % flat.itemsize) if flat.dtype.kind == "f" else "<i8"
    stats["sample"] = kind + _text(spots.astype(kind))
    if flat.dtype.kind != "f":
        flat = flat.astype(np.float64)
    total = square = 0.0
    low, high, finite = np.inf, -np.inf, flat.size
    for start in range(0, flat.size, 1 << 16):
        part = flat[start : start + (1 << 16)] if flat.size > 1 << 16 else flat
        power = float(np.vdot(part, part))  # which, unlike np.dot, warns of no overflow
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
    stats.update(norm=_number(square**0.5), mean=_number(total / finite) if finite else None)
    stats.update(min=low if finite else None, max=high if finite else None)
    return stats


@functools.lru_cache(maxsize=256)
def _sampled(size):
    """Which elements of so many are shown."""
    return _PLACES * (size - 1) // (SAMPLES - 1)


def _text(values):
    return binascii.b2a_base64(values, newline=False).decode("ascii")


# Arrays up to this size are described together: by itself each costs a dozen calls of numpy.
SMALL = 4096
_TOGETHER = (np.dtype(np.float32), np.dtype(np.int32))
_FINITE = '{"n":%d,"hash":"%08x","sample":"%s%s","norm":%.12g,"mean":%.12g,"min":%.12g,"max":%.12g}'


def is_small(array):
    """Whether `all_described` describes an array with others."""
    return 0 < array.size <= SMALL and array.dtype in _TOGETHER


def described(array):
    """`statistics` as JSON text."""
    if array.dtype == np.float32 and 0 < array.size <= 1 << 16:  # the usual case, by the fewest steps
        flat = np.ascontiguousarray(array).reshape(-1)
        power = float(np.vdot(flat, flat))
        if 1e-20 < power < np.inf:
            spots = flat if flat.size <= SAMPLES else flat[_sampled(flat.size)]
            return _FINITE % (flat.size, zlib.crc32(flat), "<f4", _text(spots.astype("<f4", copy=False)),
                              power**0.5, float(np.add.reduce(flat)) / flat.size,
                              float(np.minimum.reduce(flat)), float(np.maximum.reduce(flat)))
    return _encode(statistics(array))


def all_described(arrays):
    """The same of each of these arrays, for which `is_small`."""
    flats = [np.ascontiguousarray(array).reshape(-1) for array in arrays]
    starts, spots, ends = _places(tuple([flat.size for flat in flats]))
    values = np.concatenate(flats).astype(np.float64, copy=False)
    samples = values[spots]
    low, high = np.minimum.reduceat(values, starts).tolist(), np.maximum.reduceat(values, starts).tolist()
    with np.errstate(all="ignore"):
        totals = np.add.reduceat(values, starts).tolist()
        squares = np.add.reduceat(np.multiply(values, values, out=values), starts).tolist()
    found = []
    for i, flat in enumerate(flats):
        if not math.isfinite(squares[i]):
            found.append(_encode(statistics(flat)))
            continue
        kind = "<f4" if flat.dtype.kind == "f" else "<i8"
        found.append(_FINITE % (flat.size, zlib.crc32(flat), kind,
                                _text(samples[ends[i]:ends[i + 1]].astype(kind)), squares[i] ** 0.5,
                                totals[i] / flat.size, low[i], high[i]))
    return found


@functools.lru_cache(maxsize=64)
def _places(sizes):
    """Where arrays of these sizes begin when they lie one behind the other, where their samples are, and
    where each one's samples begin."""
    starts = np.cumsum((0, *sizes))[:-1]
    spots = [np.arange(n) if n <= SAMPLES else _sampled(n) for n in sizes]
    ends = np.cumsum([0, *map(len, spots)]).tolist()
    return starts, np.concatenate([s + start for s, start in zip(spots, starts)]), ends
