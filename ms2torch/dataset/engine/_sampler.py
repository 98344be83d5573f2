"""What all samplers share: their base class, and how far they shuffle."""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from enum import Enum

from ms2torch._core.errors import unsupported
from ms2torch._core.tensor.printing import plain_repr

from ..core.errors import pipeline_error
from ..core.validator_helpers import INT64_MAX

Numbers = Callable[[], Sequence[int]]         # gives the row numbers of the next epoch


class Shuffle(str, Enum):
    """How far a shuffle reaches (``mindspore.dataset.Shuffle``)."""

    FALSE = "false"
    ADAPTIVE = "adaptive"
    GLOBAL = "global"
    PARTIAL = "partial"
    FILES = "files"
    INFILE = "infile"


def check_num_samples(num_samples) -> None:
    """Raise what MindSpore does for what is no number of samples."""
    if num_samples is not None:
        if not isinstance(num_samples, int):
            raise TypeError(f"num_samples must be integer but was: {num_samples}.")
        if num_samples < 0 or num_samples > INT64_MAX:
            raise ValueError(f"num_samples exceeds the boundary between 0 and {INT64_MAX}(INT64_MAX)!")


def inside(indices: Sequence[int], rows: int) -> Sequence[int]:
    """``indices``, which must all be numbers of ``rows`` rows."""
    for index in indices:
        if index < 0 or index >= rows:
            raise pipeline_error(f"Sample ID ({index}) is out of bound, expected range [0, {rows - 1}]")
    return indices


def check_chained(inner, outer) -> None:
    """RuntimeError where a dataset's sampler, ``inner``, or the one that is put over it cannot be chained."""
    if inner is not None and inner.get_shuffle_mode() is Shuffle.PARTIAL:
        raise _cannot_chain("current", "must not be Shuffle.PARTIAL")
    check_outer(outer, "input")


def check_outer(sampler, which: str) -> None:
    """RuntimeError unless what a sampler gets from another can be shuffled as it asks."""
    mode = sampler.get_shuffle_mode()
    if mode not in (Shuffle.GLOBAL, Shuffle.FALSE):
        raise _cannot_chain(which, f"must be Shuffle.FALSE or Shuffle.GLOBAL, but got: {mode}")


def _cannot_chain(which: str, what: str) -> RuntimeError:
    return RuntimeError("When multiple samplers are used, ensure that the shuffle of the "
                        f"{which} sampler {what}.")


class BuiltinSampler:
    """What all samplers share."""

    __repr__ = plain_repr

    def __new__(cls, *args, **kwargs):
        one = object.__new__(cls)
        one._made_with = args, kwargs                # what `dataset.serialize` writes down
        return one

    def __init__(self, num_samples=None):
        self.child_sampler = None
        self.num_samples = num_samples

    # ---- running -------------------------------------------------------------------------------------------

    def _open(self, rows: int, labels: Callable[[], list[int]]) -> Numbers:
        """Start: a function that gives the row numbers of the next epoch, out of ``rows`` rows."""
        return self._opened(rows, labels)[0]

    def _opened(self, rows: int, labels: Callable[[], list[int]]) -> tuple[Numbers, int]:
        """`_open`, and how many row numbers an epoch has, which a sampler of the user's is asked for once."""
        self._check()
        if self.child_sampler is None:
            return self._start(rows, labels), self._count(rows, labels)
        below, rows = self.child_sampler._opened(rows, labels)
        mine = self._start(rows, labels)

        def epoch():
            given = below()
            return [given[i] for i in mine()]

        return epoch, self._count(rows, labels)

    def _start(self, rows: int, labels: Callable[[], list[int]]) -> Numbers:
        raise NotImplementedError(f"{type(self).__name__} gives no row numbers.")

    def _size(self, rows: int, labels: Callable[[], list[int]]) -> int:
        """How many row numbers one epoch has."""
        self._check()
        if self.child_sampler is not None:
            rows = self.child_sampler._size(rows, labels)
        return self._count(rows, labels)

    def _count(self, rows: int, labels: Callable[[], list[int]]) -> int:
        """How many of ``rows`` row numbers it gives."""
        return self._chosen(rows)

    def _chosen(self, rows: int) -> int:
        return self._limited(rows)

    def _limited(self, count: int) -> int:
        return min(count, self.num_samples) if self.num_samples else count

    # ---- what it is ----------------------------------------------------------------------------------------

    def add_child(self, sampler) -> None:
        """Choose among the rows that ``sampler`` gives; a sampler takes one child."""
        if self.child_sampler is not None:
            raise RuntimeError("Cannot add child sampler, this sampler already has a child.")
        if sampler is not None and sampler.get_shuffle_mode() is Shuffle.PARTIAL:
            raise _cannot_chain("input", "must not be Shuffle.PARTIAL")
        check_outer(self, "current")
        self.child_sampler = sampler

    def parse(self):
        """The sampler as a pipeline takes it, checked: MindSpore's compiled one, here a copy."""
        self._check()
        if self.child_sampler is not None:
            self.child_sampler.parse()
        return copy.deepcopy(self)

    def _check(self) -> None:
        """RuntimeError for arguments that no source could be read with."""

    def parse_for_minddataset(self):
        """Not supported, as `parse`."""
        raise unsupported(f"mindspore.dataset.{type(self).__name__}.parse_for_minddataset",
                          "there is no compiled node here.", "give the sampler to MindDataset.")

    def get_child(self):
        return self.child_sampler

    def is_shuffled(self) -> bool:
        return self.child_sampler is not None and self.child_sampler.is_shuffled()

    def is_sharded(self) -> bool:
        return self.child_sampler is not None and self.child_sampler.is_sharded()

    def get_num_samples(self):
        """The number asked for, here or by a child; None when none was."""
        child = None if self.child_sampler is None else self.child_sampler.get_num_samples()
        if self.num_samples is None or child is None:
            return child if self.num_samples is None else self.num_samples
        return min(self.num_samples, child)

    def get_shuffle_mode(self):
        return Shuffle.FALSE
