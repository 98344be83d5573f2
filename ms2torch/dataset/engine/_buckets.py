"""``Dataset.bucket_batch_by_length``."""

from __future__ import annotations

import operator
from bisect import bisect_right
from itertools import pairwise

import numpy as np

from ..core.errors import UserCodeError, pipeline_error, user_stack
from ..core.validator_helpers import check_columns, type_check_list
from ._batch import check_pad_info, pad_rules, padded, stacked
from .datasets import UnionBaseDataset, places


class BucketBatchByLengthDataset(UnionBaseDataset):
    """Rows wait in the bucket of their length until it is full, and leave it as a batch."""

    _shared = ("element_length_function",)

    def __init__(self, input_dataset, column_names, bucket_boundaries, bucket_batch_sizes,
                 element_length_function, pad_info, pad_to_bucket_boundary, drop_remainder):
        super().__init__(children=input_dataset)
        self.column_names = column_names
        self.bucket_boundaries, self.bucket_batch_sizes = bucket_boundaries, bucket_batch_sizes
        self.element_length_function = element_length_function
        self.pad_info = pad_info or {}
        self.pad_to_bucket_boundary, self.drop_remainder = pad_to_bucket_boundary, drop_remainder

    def _open(self, run):
        child, names = self.children[0]._open(run), self.children[0]._columns()
        take = self._places(names)
        if self.element_length_function is None:
            take = [0]                               # MindSpore measures the first column, whichever is named
        rules = pad_rules(self.pad_info, names)

        def collate(bucket, group):
            columns = ([row[i] for row in group] for i in range(len(names)))
            return [stacked(padded(column, *self._bounded(bucket, *rules[i])) if i in rules else column, i)
                    for i, column in enumerate(columns)]

        def epoch():
            waiting = [[] for _ in self.bucket_batch_sizes]
            for row in child():
                bucket = bisect_right(self.bucket_boundaries, self._length([row[i] for i in take]))
                group = waiting[bucket]
                group.append(row)
                if len(group) == self.bucket_batch_sizes[bucket]:
                    waiting[bucket] = []
                    yield collate(bucket, group)
            for bucket, group in enumerate(waiting):
                if group and not self.drop_remainder:
                    yield collate(bucket, group)

        return epoch

    def _length(self, values) -> int:
        """Of a row: rows of its first column, or what the user's function tells."""
        if self.element_length_function is None:
            return values[0].shape[0] if values[0].ndim else 0
        try:
            length = self.element_length_function(*values)
        except Exception as error:
            raise UserCodeError(f"{type(error).__name__}: {user_stack(error)}") from error
        try:
            number = (int(length.item()) if isinstance(length, (np.ndarray, np.float32))
                      else operator.index(length))
            if not -2 ** 31 <= number < 2 ** 31:
                raise OverflowError
        except (TypeError, ValueError, OverflowError):
            raise pipeline_error(f"Unable to cast Python instance of type {type(length)} to C++ type 'int'"
                                 ) from None
        if number < 0:
            raise pipeline_error("Invalid element_length_function, element_length_function must return an "
                                 f"integer greater than or equal to 0, but got{number}")
        return number

    def _bounded(self, bucket: int, shape, value) -> tuple:
        """The padding of a column: an axis without a length reaches the bucket's boundary, if that is asked.
        """
        if not self.pad_to_bucket_boundary or shape is None or None not in shape:
            return shape, value
        if bucket >= len(self.bucket_boundaries):
            raise pipeline_error("Invalid data, requested to pad to bucket boundary failed, bucket index "
                                 f"should be less than {len(self.bucket_batch_sizes)}, but got {bucket}")
        longest = self.bucket_boundaries[bucket] - 1
        return [longest if size is None else size for size in shape], value

    def _places(self, names):
        return places(self.column_names, names,
                      "Invalid parameter, input column name: {} doesn't exist in the dataset columns.")

    def _columns(self):
        names = self.children[0]._columns()
        self._places(names)
        pad_rules(self.pad_info, names)
        return names

    def _size(self):
        return self._count()


def check_buckets(columns, boundaries, sizes, function, pad_info, to_boundary, drop) -> None:
    """MindSpore's checks of ``bucket_batch_by_length``'s arguments."""
    type_check_list([columns, boundaries, sizes], (list,),
                    ["column_names", "bucket_boundaries", "bucket_batch_sizes"])
    type_check_list([to_boundary, drop], (bool,), ["pad_to_bucket_boundary", "drop_remainder"])
    check_columns(columns, "column_names")
    if function is None and len(columns) != 1:
        raise ValueError("If element_length_function is not specified, exactly one column name should be "
                         "passed.")
    if function is not None and not callable(function):
        raise TypeError("element_length_function object is not callable.")
    if not boundaries:
        raise ValueError("bucket_boundaries cannot be empty.")
    if not all(isinstance(one, int) for one in boundaries):
        raise TypeError("bucket_boundaries should be a list of int.")
    if min(boundaries) <= 0:
        raise ValueError("bucket_boundaries must only contain positive numbers.")
    if any(a >= b for a, b in pairwise(boundaries)):
        raise ValueError("bucket_boundaries should be strictly increasing.")
    if len(sizes) != len(boundaries) + 1:
        raise ValueError("bucket_batch_sizes must contain one element more than bucket_boundaries.")
    if not all(isinstance(one, int) for one in sizes):
        raise TypeError("bucket_batch_sizes should be a list of int.")
    if min(sizes) <= 0:
        raise ValueError("bucket_batch_sizes should be a list of positive numbers.")
    check_pad_info(pad_info)
