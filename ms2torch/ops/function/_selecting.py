"""Which of equal elements MindSpore's TopK takes on a CPU, and in which order.

Its kernel sorts the places of a row stably where more than half of them are wanted, and lets C++'s
``std::nth_element`` move the wanted ones ahead where not. That is introselect as libstdc++ has it, which the
functions here follow swap by swap, a partition at a time in numpy. (libstdc++ gives up after 2 log2(n)
partitions that split badly, and takes a heap; what needs that is made for the purpose.)
"""

from __future__ import annotations

import numpy as np


def first_places(keys: np.ndarray, k: int, ordered: bool) -> np.ndarray:
    """The places of the ``k`` least of ``keys``, a row without NaN, as the kernel leaves them.

    ``ordered``: sorted by key in the end, else as ``std::nth_element`` leaves them.
    """
    if ordered and 2 * k > len(keys):
        return np.argsort(keys, kind="stable")[:k]
    keys, places = keys.copy(), np.arange(len(keys))
    if k < len(keys):
        _nth_element(keys, places, k)
    if not ordered:
        return places[:k]
    return places[:k][np.argsort(keys[:k], kind="stable")]


def _nth_element(keys: np.ndarray, places: np.ndarray, nth: int) -> None:
    """Rearrange both arrays in place so that no key ahead of ``nth`` is greater than one from there on."""
    first, last = 0, len(keys)
    while last - first > 3:
        cut = _partition(keys, places, first, last)
        first, last = (cut, last) if cut <= nth else (first, cut)
    rest = np.argsort(keys[first:last], kind="stable")          # an insertion sort keeps the order of equals
    keys[first:last], places[first:last] = keys[first:last][rest], places[first:last][rest]


def _partition(keys: np.ndarray, places: np.ndarray, first: int, last: int) -> int:
    """Hoare's partition by the median of three; where its second part begins."""
    _swap(keys, places, first, _median(keys, first + 1, first + (last - first) // 2, last - 1))
    pivot, rest = keys[first], keys[first + 1:last]
    # One pointer goes up to what is not less than the pivot, the other down to what is not greater.
    up, down = np.flatnonzero(rest >= pivot), np.flatnonzero(rest <= pivot)[::-1]
    n = min(len(up), len(down))
    swaps = int(np.count_nonzero(up[:n] < down[:n]))
    _swap(keys, places, first + 1 + up[:swaps], first + 1 + down[:swaps])
    stops = [*up[swaps:swaps + 1], *down[swaps - 1:swaps]] if swaps else up[:1]
    return first + 1 + int(min(stops))


def _median(keys: np.ndarray, a: int, b: int, c: int) -> int:
    """Which of three places holds the median, by libstdc++'s comparisons: they decide between equals."""
    if keys[a] < keys[b]:
        if keys[b] < keys[c]:
            return b
        return c if keys[a] < keys[c] else a
    if keys[a] < keys[c]:
        return a
    return c if keys[b] < keys[c] else b


def _swap(keys: np.ndarray, places: np.ndarray, a, b) -> None:
    for array in (keys, places):
        array[a], array[b] = array[b], array[a].copy()
