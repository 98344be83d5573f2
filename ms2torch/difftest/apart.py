"""How far two records of two frameworks lie apart."""

from __future__ import annotations

import math

import numpy as np

from . import compare
from .trace import with_array

# Elements whose gradients agree to this part are those whose updates can be compared.
AGREED = 1e-3
# More places than this are not searched for the smaller of two arrays.
_PLACES = 256
# float32 numbers, cut to those of a narrower dtype.
_ROUNDED = {"float16": lambda values: values.astype(np.float16).astype(np.float32),
            "bfloat16": lambda values: (values.view(np.uint32) & np.uint32(0xFFFF0000)).view(np.float32)}


def kind(r: dict) -> str:
    dtype = r["dtype"].lower()
    return "f" if compare.is_float(dtype) else "b" if dtype == "bool" else "i"


def comparable(what: str, r: dict):
    """Integers of all widths are one kind here; a dimension of one element is none."""
    if what == "shape":
        return [n for n in r["shape"] if n != 1]
    return r["dtype"].lower() if kind(r) == "f" else kind(r)


def added(r: dict, other: dict) -> dict:
    """A record of the sum of two's values, as far as they hold them."""
    if r.get("array") is None or other.get("array") is None:
        return other
    return with_array(r, r["array"] + other["array"])


def merely_cast(r: dict, other: dict) -> bool:
    """Whether one of two records holds floats of the other's narrower dtype in a wider one: a cast that one
    program makes here the other makes later."""
    wide, narrow = sorted((r, other), key=lambda each: each["dtype"].lower() == "float32", reverse=True)
    kept = _ROUNDED.get(narrow["dtype"].lower())
    if kept is None or wide["dtype"].lower() != "float32":
        return False
    values = np.ascontiguousarray(wide.get("array", wide["stats"]["sample"]), np.float32)
    return bool(np.array_equal(values, kept(values), equal_nan=True))


def alike(r: dict, other: dict) -> bool:
    """Whether two records are of one dtype and shape."""
    return all(comparable(what, r) == comparable(what, other) for what in ("dtype", "shape"))


def values(r: dict, other: dict) -> tuple[np.ndarray, np.ndarray]:
    """Both sides' values in one order: whole arrays where both are there, else their samples."""
    whole = r.get("array") is not None and other.get("array") is not None
    one, two = (np.asarray(x["array"] if whole else x["stats"]["sample"], np.float64).ravel()
                for x in (r, other))
    return one, two


def turned(array: np.ndarray) -> np.ndarray:
    """An array of a port's with the last two of its axes exchanged, of those that have more than one element:
    a matrix, or the kernel of a convolution along one axis."""
    return np.squeeze(array).swapaxes(-1, -2)


def norm(values: np.ndarray) -> float:
    return float(np.linalg.norm(values[np.isfinite(values)]))


def error(mine: np.ndarray, theirs: np.ndarray) -> float:
    """The distance of two arrays as a part of the first one's norm; infinite where shapes differ."""
    if mine.shape != theirs.shape:
        return math.inf
    gap = norm(mine - theirs)
    return gap / (norm(mine) or gap) if gap else 0.0


def reordered(r: dict, other: dict) -> float:
    """The distance of two records' values whatever their order (another layout of the axes); infinite where
    the records do not hold them all."""
    if "array" not in r or "array" not in other or r["stats"]["n"] != other["stats"]["n"]:
        return math.inf
    return error(*(np.sort(each) for each in values(r, other)))


def within(r: dict, other: dict, zeros: bool) -> float:
    """The distance of the smaller of two records' arrays from what the larger holds at the nearest place, as
    a part of its norm; with ``zeros`` of those places around which there is nothing but 0. Infinite where
    neither fits into the other along the axes after the first."""
    if any(each.get("array") is None for each in (r, other)) or len(r["shape"]) != len(other["shape"]):
        return math.inf
    large, small = sorted((np.asarray(each["array"], np.float64) for each in (r, other)), key=np.size,
                          reverse=True)
    room = [one - two for one, two in zip(large.shape, small.shape, strict=True)]
    if room[0] or min(room) < 0 or math.prod(n + 1 for n in room) > _PLACES:
        return math.inf
    filled, gaps = np.count_nonzero(large), [math.inf]
    for place in np.ndindex(*(n + 1 for n in room)):
        held = large[tuple(slice(at, at + n) for at, n in zip(place, small.shape, strict=True))]
        if not zeros or np.count_nonzero(held) == filled:
            gaps.append(norm(held - small))
    return min(gaps) / (norm(small) or 1.0)


def parts(mine: np.ndarray, theirs: np.ndarray) -> np.ndarray:
    """The distance of each element as a part of it."""
    return np.abs(mine - theirs) / np.maximum(np.abs(mine), np.finfo(np.float64).tiny)


def close(mine: np.ndarray, theirs: np.ndarray) -> np.ndarray:
    return np.abs(mine - theirs) <= AGREED * np.abs(mine)


def gap(r: dict, other: dict) -> float:
    """The distance of two records as a part of the first one's norm, as far as they hold it."""
    return error(*values(r, other)) if "array" in r and "array" in other else compare.relative(r, other)


def common_factor(r: dict, other: dict) -> float:
    """By which share the second record is larger throughout: rounding goes both ways and leaves next to none
    of it, an epsilon under a root has one sign everywhere."""
    mine, theirs = values(r, other)
    size = float(mine @ mine)
    return abs(float((theirs - mine) @ mine)) / size if size and np.isfinite(theirs).all() else 0.0
