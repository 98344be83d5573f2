"""How pipelines run: what is under ``mindspore.dataset.Dataset``.

A dataset describes; nothing runs until somebody iterates or asks for a size. `_open` then makes a running
copy of the tree: a function that gives the rows of its next epoch, with the state (random streams, epoch
counts) inside. A row is a list of numpy arrays that belong to the pipeline alone: sources copy what the
user's objects hand out, as MindSpore does, so that no operation writes into them. An operation that stops
early (``take``, ``zip``) leaves its child unfinished; the child's remaining rows are drawn when the next
epoch begins, so that random streams go on where MindSpore's do.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

import numpy as np

from ..core.validator_helpers import check_independent_mode, replace_none, type_check

Row = list[np.ndarray]
Epoch = Callable[[], Iterator[Row]]          # gives the rows of the next epoch


@dataclass
class Run:
    """What all operations of one running pipeline share."""

    epoch: int = 0                           # of the pipeline's end, not of a branch under repeat
    at_end: list[Callable[[], None]] = field(default_factory=list)      # to be called when an epoch ends
    at_stop: list[Callable[[], None]] = field(default_factory=list)     # when the iterator is stopped
    looks: bool = False                      # whether it only asks for sizes, shapes and dtypes


class Pipeline:
    """A node of a data pipeline, with the nodes under it: how it is kept, copied and started.

    A node feeds one consumer; a second one raises ValueError, as in MindSpore.
    """

    def __new__(cls, *args, **kwargs):
        one = object.__new__(cls)
        one._made_with = args, kwargs                # what `dataset.serialize` writes down
        return one

    def __init__(self, children=None, num_parallel_workers=None, cache=None):
        children = replace_none(children, [])
        self.children = list(children) if isinstance(children, (list, tuple)) else [children]
        self._consumers = 0
        for child in self.children:
            child._consumers += 1
        if cache is not None:
            from .cache_client import DatasetCache
            type_check(cache, (DatasetCache,), "cache")
            check_independent_mode("Dataset Cache")
        self.num_parallel_workers = num_parallel_workers
        self.cache = cache
        self.dataset_size = None
        self._shapes = self._estimated = self._types = None      # of the columns, once they were asked for
        self._batch_size = None
        self._input_indexs = ()
        self._global_step = None

    def __deepcopy__(self, memo):
        new = object.__new__(type(self))
        memo[id(self)] = new
        for name, value in self.__dict__.items():
            kept = name == "_made_with" or name in self._shared
            new.__dict__[name] = value if kept else copy.deepcopy(value, memo)
        return new

    _shared: tuple[str, ...] = ()            # the user's own objects, which copies of the pipeline share

    def _open(self, run: Run) -> Epoch:
        """Start this node and all under it: a function that gives the rows of its next epoch."""
        raise NotImplementedError(f"{type(self).__name__} cannot be run.")

    def _open_cached(self, run: Run) -> Epoch:
        """`_open` of a node that has a cache."""
        from ._caching import opened
        return opened(self, run)

    def _columns(self) -> list[str]:
        """Names of the columns in the order of a row; an error where an operation names one that is not
        there.
        """
        return self.children[0]._columns()

    def _size(self) -> int:
        """Rows of one epoch."""
        return self.children[0]._size()

    def _count(self) -> int:
        """Rows of one epoch, by running it."""
        return sum(1 for _ in self._started(Run(looks=True))())

    def _started(self, run: Run | None = None) -> Epoch:
        """The pipeline up to here, checked and opened."""
        self._check_tree()
        self._columns()
        return self._open(run or Run())

    def _check_tree(self) -> None:
        """An error where the pipeline cannot be built."""
        nodes = [self]
        for node in nodes:
            nodes.extend(node.children)
        if any(node._consumers > 1 for node in nodes[1:]):
            raise ValueError("The data pipeline is not a tree (i.e., one node has 2 consumers)")
        for node in nodes:
            node._check_built()

    def _check_built(self) -> None:
        """RuntimeError where this node lacks what MindSpore looks for before anything is counted or read."""
