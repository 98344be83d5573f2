"""Samplers that users write."""

from __future__ import annotations

import copy
import numbers
from collections.abc import Callable
from contextlib import suppress

import numpy as np

from ..core.errors import UserCodeError, pipeline_error
from ._sampler import BuiltinSampler


class Sampler(BuiltinSampler):
    """Base of the user's own samplers.

    ``__iter__`` gives row numbers, or for a ``batch_sampler`` lists of them; ``self.dataset_size`` is there
    to read.
    """

    def __init__(self, num_samples=None):
        super().__init__(num_samples)
        self.dataset_size = 0
        self.batch_sizes = []
        if num_samples is None and hasattr(self, "__len__"):
            self.num_samples = len(self)

    def __iter__(self):
        """Give the row numbers of one epoch. To be written by the user."""
        raise NotImplementedError

    def reset(self) -> None:
        """Called between epochs; nothing to do unless the user's sampler has state."""

    def add_child(self, sampler) -> None:
        self.child_sampler = sampler

    def get_indices(self) -> np.ndarray:
        """Row numbers of one epoch, out of at most ``num_samples`` things that ``__iter__`` gave; of each
        that was a list ``batch_sizes`` gets the length.
        """
        given, sizes = [], []
        for count, index in enumerate(self, 1):
            alone = isinstance(index, numbers.Number)
            sizes.append(0 if alone else len(index))
            given.extend([index] if alone else index)
            if self.num_samples is not None and count >= self.num_samples:
                break
        self.batch_sizes.append(sizes)
        indices = np.array(given)
        if indices.dtype == object:
            raise RuntimeError("Fetched indices can not be converted to a valid ndarray.")
        return indices

    def get_num_samples(self):
        return self._chosen(self.dataset_size)

    def _epochs(self, rows: int) -> Callable[[], tuple[list[int], list[int]]]:
        """A function that gives an epoch's row numbers, and the lengths of the lists that they came in."""
        self.dataset_size = rows
        own, first = copy.deepcopy(self), True         # each iterator begins with the sampler as it is now

        def epoch():
            nonlocal first
            if not first:
                own.reset()
            first = False
            try:
                indices = own.get_indices()
            except Exception as error:
                raise UserCodeError(f"{type(error).__name__}: {error}") from error
            if indices.dtype.kind not in "iu":
                kind = "string" if indices.dtype.kind in "US" else indices.dtype
                raise pipeline_error(f"Python sampler should return index of type integer, but got: {kind}")
            return indices.tolist(), own.batch_sizes.pop()

        return epoch

    def _start(self, rows, labels):
        epoch = self._epochs(rows)
        return lambda: epoch()[0]

    def _chosen(self, rows):
        if self.num_samples is not None:
            return self.num_samples
        try:
            probe = self._probe()
            probe.dataset_size = rows
            probe.get_indices()
        except Exception as error:
            raise pipeline_error("Call get_num_samples method failed: "
                                 f"{type(error).__name__}: {error}") from error
        return len(probe.batch_sizes.pop())

    def _probe(self):
        """A copy to count with."""
        return copy.deepcopy(self)


class IterSampler(Sampler):
    """A sampler made of any iterable of row numbers."""

    def __init__(self, sampler, num_samples=None):
        if num_samples is None and hasattr(sampler, "__len__"):
            num_samples = len(sampler)
        super().__init__(num_samples=num_samples)
        self.sampler = sampler

    def __deepcopy__(self, memo):
        twin = copy.copy(self)
        with suppress(TypeError):                      # what cannot be copied stays the user's
            twin.sampler = copy.deepcopy(self.sampler, memo)
        return twin

    def __iter__(self):
        return iter(self.sampler)

    def _probe(self):
        return IterSampler(copy.deepcopy(self.sampler))
