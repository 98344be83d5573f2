"""Into which parts `Dataset.split` cuts."""

from __future__ import annotations

from ..core.validator_helpers import type_check


def split_sizes(dataset, sizes, randomize) -> list[int]:
    """Row counts of the parts, which ``sizes`` gives as counts or as shares of all rows."""
    type_check(sizes, (list,), "sizes")
    type_check(randomize, (bool,), "randomize")
    if not sizes:
        raise ValueError("sizes cannot be empty.")
    counts = all(isinstance(size, int) for size in sizes)
    if not (counts or all(isinstance(size, float) for size in sizes)):
        raise ValueError("sizes should be list of int or list of float.")
    if counts and not all(size > 0 for size in sizes):
        raise ValueError("sizes is a list of int, but there should be no negative or zero numbers.")
    if not counts:
        if not all(0 < size <= 1 for size in sizes):
            raise ValueError("sizes is a list of float, but there should be no numbers outside the range "
                             "(0, 1].")
        if not abs(sum(sizes) - 1) < 1e-5:
            raise ValueError("sizes is a list of float, but the percentages do not sum up to 1.")
    if dataset.is_sharded():
        raise RuntimeError("Dataset should not be sharded before split.")
    total = dataset.get_dataset_size()
    if total <= 0:
        raise RuntimeError("dataset_size is unknown, unable to split.")
    if counts:
        if sum(sizes) != total:
            raise RuntimeError(f"Sum of split sizes {sum(sizes)} is not equal to dataset size {total}.")
        return sizes
    rows = [round(size * total) for size in sizes]
    for size, count in zip(sizes, rows, strict=True):
        if count == 0:
            raise RuntimeError(f"Split percentage {size} is too small.")
    missing = total - sum(rows)
    if missing > 0:
        rows[0] += missing
    else:
        for i, count in enumerate(rows):
            if count + missing > 0:
                rows[i] += missing
                break
        else:                               # no part can give all that is too much
            raise RuntimeError(f"Sum of calculated split sizes {sum(rows)} is not equal to dataset size "
                               f"{total}.")
    return rows
