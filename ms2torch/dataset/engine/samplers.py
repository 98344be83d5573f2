"""Samplers: which rows of a source are read, and in what order (``mindspore.dataset.engine.samplers``).

A sampler with a child chooses among the rows that the child gives. The random ones draw as MindSpore's C++
samplers do: each has a Mersenne twister that starts from the pipeline's seed when iteration starts. What
happens between epochs differs from one to the next, and is what was measured: RandomSampler and
DistributedSampler shuffle the last order again with the next seed, SubsetRandomSampler with the same seed,
WeightedRandomSampler repeats itself.
"""

from __future__ import annotations

import numbers

import numpy as np

from ms2torch._core.checks.words import with_public_classes
from ms2torch._core.random.engines import MT19937

from ..core import config
from ..core.errors import pipeline_error
from ..core.validator_helpers import is_iterable
from ._own_samplers import IterSampler, Sampler
from ._sampler import BuiltinSampler, Shuffle, check_num_samples, inside

__all__ = ["BuiltinSampler", "DistributedSampler", "IterSampler", "PKSampler", "RandomSampler", "Sampler",
           "SequentialSampler", "Shuffle", "SubsetRandomSampler", "SubsetSampler", "WeightedRandomSampler",
           "select_sampler"]


def select_sampler(num_samples, input_sampler, shuffle, num_shards, shard_id):
    """The sampler that a source's arguments amount to."""
    if input_sampler is not None:
        if isinstance(input_sampler, BuiltinSampler):
            if any(arg is not None for arg in (num_shards, shard_id, shuffle, num_samples)):
                raise ValueError("Conflicting arguments during sampler assignments. num_samples: "
                                 f"{num_samples}, num_shards: {num_shards}, shard_id: {shard_id}, shuffle: "
                                 f"{shuffle}.")
            return input_sampler
        if isinstance(input_sampler, (np.ndarray, list, tuple)):
            return SubsetSampler(input_sampler, num_samples)
        if not isinstance(input_sampler, str) and is_iterable(input_sampler):
            return IterSampler(input_sampler, num_samples)
        if isinstance(input_sampler, int):
            return SubsetSampler([input_sampler])
        raise with_public_classes(TypeError(f"Unsupported sampler object of type ({type(input_sampler)})"))
    if num_shards is not None:
        return DistributedSampler(num_shards, shard_id, shuffle=shuffle, num_samples=num_samples)
    if shuffle is Shuffle.FALSE:
        return SequentialSampler(num_samples=num_samples)
    return RandomSampler(replacement=num_samples is not None, num_samples=num_samples, shuffle=shuffle)


class SequentialSampler(BuiltinSampler):
    """Rows in order, from ``start_index`` on (``mindspore.dataset.SequentialSampler``)."""

    def __init__(self, start_index=None, num_samples=None):
        if start_index is not None and not isinstance(start_index, int):
            raise TypeError(f"start_index must be integer but was: {start_index}.")
        check_num_samples(num_samples)
        self.start_index = start_index
        super().__init__(num_samples)

    def _check(self):
        if self.start_index is not None and self.start_index < 0:
            raise pipeline_error("SequentialSampler: start_index_ must be greater than or equal to 0, but "
                                 f"got: {self.start_index}")

    def _start(self, rows, labels):
        start = self.start_index or 0
        if start < 0 or start >= rows:
            raise pipeline_error("Invalid parameter, start_index must be "
                                 + ("greater than or equal to 0" if start < 0 else "less than num_rows")
                                 + f", but got start_index: {start}, num_rows: {rows}.\n")
        return lambda: range(start, start + self._chosen(rows))

    def _chosen(self, rows):
        return max(0, self._limited(rows - (self.start_index or 0)))


class RandomSampler(BuiltinSampler):
    """Rows in random order, or drawn with replacement (``mindspore.dataset.RandomSampler``)."""

    def __init__(self, replacement=False, num_samples=None, shuffle=Shuffle.GLOBAL):
        if not isinstance(replacement, bool):
            raise TypeError(f"replacement must be a boolean value but was: {replacement}.")
        check_num_samples(num_samples)
        if not isinstance(shuffle, Shuffle) or shuffle is Shuffle.FALSE:
            raise TypeError(f"shuffle must be valid shuffle mode but was: {shuffle}.")
        self.shuffle = shuffle
        self.replacement = replacement
        self.reshuffle_each_epoch = True
        self.seed = None                      # the pipeline's at the start of iteration, unless set here
        super().__init__(num_samples)

    def _start(self, rows, labels):
        if self.shuffle is not Shuffle.GLOBAL:
            raise RuntimeError(f"The shuffle mode: {self.shuffle} is not supported with current dataset.")
        seed = config.drawing_seed() if self.seed is None else self.seed
        draw, order, wanted, first = MT19937(seed), list(range(rows)), self._chosen(rows), True

        def epoch():
            nonlocal seed, first
            if not first and self.reshuffle_each_epoch:
                seed += 1
            if first or self.reshuffle_each_epoch or self.replacement:
                draw.seed(seed)
            if self.replacement:
                first = False
                return [draw.integer(0, rows - 1) for _ in range(wanted)]
            if first or self.reshuffle_each_epoch:
                draw.shuffle(order)
            first = False
            return order[:wanted]

        return epoch

    def is_shuffled(self):
        return True

    def get_shuffle_mode(self):
        return self.shuffle


class DistributedSampler(BuiltinSampler):
    """Every ``num_shards``-th row, from the ``shard_id``-th on, after a shuffle that all shards share.

    Shards get equally many rows: the first rows come again where they do not divide, unless ``offset`` shifts
    the start (``mindspore.dataset.DistributedSampler``). The seed is taken when the sampler is made.
    """

    def __init__(self, num_shards, shard_id, shuffle=True, num_samples=None, offset=-1):
        for name, value in (("num_shards", num_shards), ("shard_id", shard_id)):
            if not isinstance(value, int):
                raise TypeError(f"{name} must be integer but was: {value}.")
        if not isinstance(shuffle, (bool, Shuffle)):
            raise TypeError(f"shuffle must be a boolean value or valid shuffle mode but was: {shuffle}.")
        check_num_samples(num_samples)
        if not isinstance(offset, int):
            raise TypeError(f"offset must be integer but was: {offset}.")
        self.num_shards, self.shard_id, self.offset = num_shards, shard_id, offset
        self.shuffle = shuffle if isinstance(shuffle,
                                             Shuffle) else Shuffle.GLOBAL if shuffle else Shuffle.FALSE
        self.seed = config.get_seed()
        super().__init__(num_samples)

    def _check(self):
        if self.num_shards <= 0:
            raise pipeline_error("DistributedSampler: num_shards must be greater than 0, but got: "
                                 f"{self.num_shards}")
        if not 0 <= self.shard_id < self.num_shards:
            raise pipeline_error(f"DistributedSampler: shard_id must be in range [0, {self.num_shards}), but "
                                 f"got: {self.shard_id}")
        if self.offset > self.num_shards:
            raise pipeline_error("DistributedSampler: offset must be no more than num_shards("
                                 f"{self.num_shards}), but got: {self.offset}")

    def _start(self, rows, labels):
        if self.shuffle not in (Shuffle.FALSE, Shuffle.GLOBAL):
            raise RuntimeError(f"The shuffle mode: {self.shuffle} is not supported with current dataset.")
        seed, order, wanted = self.seed + 1, list(range(rows)), self._chosen(rows)
        first = self.shard_id - (0 if self.offset == -1 else self.offset)
        if first < 0:
            first += self.num_shards

        def epoch():
            nonlocal seed
            if self.shuffle is Shuffle.GLOBAL:
                MT19937(seed).shuffle(order)
                seed += 1
            return [order[(first + i * self.num_shards) % rows] for i in range(wanted)]

        return epoch

    def _chosen(self, rows):
        if self.offset == -1:
            return self._limited(-(-rows // self.num_shards))
        share, left = divmod(rows + self.offset, self.num_shards)
        return self._limited(share + (self.shard_id < left) - (self.shard_id < self.offset))

    def set_offset(self, offset):
        self.offset = offset
        return self

    def is_shuffled(self):
        if self.child_sampler is None:
            return self.shuffle is not Shuffle.FALSE
        return self.child_sampler.is_shuffled()

    def is_sharded(self):
        return self.num_shards > 1 if self.child_sampler is None else self.child_sampler.is_sharded()

    def get_shuffle_mode(self):
        return self.shuffle


class SubsetSampler(BuiltinSampler):
    """The rows of a list of numbers, in its order (``mindspore.dataset.SubsetSampler``)."""

    def __init__(self, indices, num_samples=None):
        check_num_samples(num_samples)
        if isinstance(indices, int):
            indices = [indices]
        elif isinstance(indices, str) or not is_iterable(indices):
            raise with_public_classes(TypeError(f"Unsupported sampler object of type ({type(indices)})"))
        indices = [index for index, _ in zip(indices, range(num_samples), strict=False)] \
            if num_samples is not None else list(indices)
        for i, index in enumerate(indices):
            if not isinstance(index, (int, np.integer)):
                raise with_public_classes(TypeError("SubsetSampler: Type of indices element must be int, but "
                                                    f"got list[{i}]: {index}, type: {type(index)}."))
        self.indices = indices
        super().__init__(num_samples)

    def _start(self, rows, labels):
        order = [int(i) for i in self.indices][:self._limited(len(self.indices))]
        return lambda: inside(order, rows)

    def _chosen(self, rows):
        return min(self._limited(len(self.indices)), rows)         # MindSpore's count, of longer lists too

    def get_num_samples(self):
        asked = super().get_num_samples()
        return len(self.indices) if asked is None else min(len(self.indices), asked)


class SubsetRandomSampler(SubsetSampler):
    """The rows of a list of numbers, in random order (``mindspore.dataset.SubsetRandomSampler``)."""

    def _start(self, rows, labels):
        seed, order = config.drawing_seed(), [int(i) for i in self.indices]
        wanted = self._limited(len(order))
        inside(order, rows)

        def epoch():
            MT19937(seed).shuffle(order)
            return order[:wanted]

        return epoch

    def is_shuffled(self):
        return True

    def get_shuffle_mode(self):
        return Shuffle.GLOBAL


class WeightedRandomSampler(BuiltinSampler):
    """Rows drawn with chances in proportion to ``weights`` (``mindspore.dataset.WeightedRandomSampler``)."""

    def __init__(self, weights, num_samples=None, replacement=True):
        if not isinstance(weights, list):
            weights = [weights]
        for i, weight in enumerate(weights):
            if not isinstance(weight, numbers.Number):
                raise with_public_classes(TypeError("type of weights element must be number, but got "
                                                    f"w[{i}]: {weight}, type: {type(weight)}."))
        check_num_samples(num_samples)
        if not isinstance(replacement, bool):
            raise TypeError(f"replacement must be a boolean value but was: {replacement}.")
        self.weights, self.replacement = weights, replacement
        super().__init__(num_samples)

    def _check(self) -> None:
        wrong = next((i for i, weight in enumerate(self.weights) if weight < 0), None)
        if not self.weights:
            raise pipeline_error("WeightedRandomSampler: weights vector must not be empty")
        if wrong is not None:
            raise pipeline_error("WeightedRandomSampler: weights vector must not contain negative numbers, "
                                 f"got: weights[{wrong}] = {self.weights[wrong]:f}")
        if not any(self.weights):
            raise pipeline_error("WeightedRandomSampler: elements of weights vector must not be all zero")

    def _start(self, rows, labels):
        seed, wanted = config.drawing_seed(), self._chosen(rows)
        if len(self.weights) > rows:
            raise pipeline_error("Invalid parameter, size of sample weights must be less than or equal to "
                                 "num of data, otherwise might cause generated id out of bound or other "
                                 f"errors, but got weight size: {len(self.weights)}, num of data: {rows}")
        if not self.replacement and wanted > len(self.weights):
            raise pipeline_error("Invalid parameter, without replacement, weight size must be greater than "
                                 f"or equal to num_samples, but got weight size: {len(self.weights)}, "
                                 f"num_samples: {wanted}")

        def epoch():
            draw = MT19937(seed)
            if self.replacement:
                return draw.weighted(self.weights, wanted)
            drawn = [draw.exponential() for _ in self.weights]
            waits = [one / weight if weight else float("inf")
                     for one, weight in zip(drawn, self.weights, strict=True)]
            return sorted(range(len(waits)), key=waits.__getitem__)[:wanted]

        return epoch

    def is_shuffled(self):
        return True

    def get_shuffle_mode(self):
        return Shuffle.GLOBAL


class PKSampler(BuiltinSampler):
    """``num_val`` rows of every class in turn (``mindspore.dataset.PKSampler``).

    For sources that know their rows' classes.
    """

    def __init__(self, num_val, num_class=None, shuffle=False, class_column="label", num_samples=None):
        if not isinstance(num_val, int):
            raise TypeError(f"num_val must be integer but was: {num_val}.")
        if num_class is not None:
            raise NotImplementedError("Not supported to specify num_class for PKSampler.")
        if not isinstance(shuffle, bool):
            raise TypeError(f"shuffle must be a boolean value but was: {shuffle}.")
        if not isinstance(class_column, str):
            raise TypeError(f"class_column must be a str value but was: {class_column}.")
        check_num_samples(num_samples)
        self.num_val, self.shuffle, self.class_column = num_val, shuffle, class_column
        super().__init__(num_samples)

    def _check(self):
        if self.num_val <= 0:
            raise pipeline_error(f"PKSampler: num_val must be greater than 0, but got: {self.num_val}")

    def _start(self, rows, labels):
        members: dict[int, list[int]] = {}
        for number, label in enumerate(labels()):
            members.setdefault(label, []).append(number)
        classes, seed = sorted(members), config.drawing_seed()
        wanted = self._limited(self.num_val * len(classes))
        draw = MT19937(seed)

        def epoch():
            nonlocal seed
            if self.shuffle:
                draw.seed(seed)
                seed += 1
                draw.shuffle(classes)
            picked = []
            for label in classes:
                of_class = members[label]
                picked += [of_class[draw.integer(0, len(of_class) - 1)] for _ in range(self.num_val)]
            return picked[:wanted]

        return epoch

    def _count(self, rows, labels):
        return self._limited(self.num_val * len(set(labels())))

    def is_shuffled(self):
        return self.shuffle if self.child_sampler is None else self.child_sampler.is_shuffled()
