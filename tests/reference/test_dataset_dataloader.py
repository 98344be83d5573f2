"""Loading with samplers, collation and workers (`mindspore.dataset.dataloader`)."""

import inspect
import random
import re
from collections import OrderedDict, UserDict, deque, namedtuple

import mindspore as ms
import numpy as np
from mindspore import Tensor
from mindspore.dataset import dataloader
from mindspore.dataset.dataloader import (
    BatchSampler,
    DataLoader,
    Dataset,
    DistributedSampler,
    IterableDataset,
    RandomSampler,
    Sampler,
    SequentialSampler,
    TensorDataset,
    default_collate,
    default_convert,
    get_worker_info,
)

from tests.reference.judge import case

Pair = namedtuple("Pair", "a b")


class Squares(Dataset):
    def __getitem__(self, index):
        return {"i": index, "square": np.float32(index * index)}

    def __len__(self):
        return 7


class Stream(IterableDataset):
    def __iter__(self):
        info = get_worker_info()
        return iter(range(7) if info is None else range(info.id, 7, info.num_workers))

    def __len__(self):
        return 7


class Drawing(Dataset):
    def __getitem__(self, index):
        info = get_worker_info()
        return index, np.random.randint(1000), random.randint(0, 1000), info.id, info.num_workers, info.seed

    def __len__(self):
        return 7


class Broken(Dataset):
    def __getitem__(self, index):
        return {}["no such key"]

    def __len__(self):
        return 2


BATCHES = {
    "tensors": lambda: [Tensor([1, 2], ms.int16), Tensor([3, 4], ms.int16)],
    "bfloat16": lambda: [Tensor([1], ms.bfloat16), Tensor([2], ms.bfloat16)],
    "two dtypes": lambda: [Tensor([1], ms.int32), Tensor([2], ms.float32)],
    "arrays": lambda: [np.array([1, 2], np.float16), np.array([3, 4], np.float16)],
    "numpy numbers": lambda: [(np.float16(1), np.bool_(True), np.uint8(3))] * 2,
    "numbers": lambda: [[1, 2.5, True], [3, 4.5, False]],
    "an int first": lambda: [1, 2.5],
    "a float first": lambda: [1.5, 2],
    "text": lambda: [("a", "b"), ("c", "d")],
    "namedtuples": lambda: [Pair(1, 2.0), Pair(3, 4.0)],
    "mappings": lambda: [OrderedDict(a=1, b=[2, 3]), OrderedDict(a=4, b=[5, 6])],
    "other mappings": lambda: [UserDict(a=1), UserDict(a=2)],
    "other sequences": lambda: [deque([1, 2]), deque([3, 4])],
    "ranges": lambda: [range(2), range(2)],
}


def shown(value):
    """What says of which kind the containers are."""
    return type(value).__name__, list(value.items()) if hasattr(value, "items") else value


@case(each={"name": BATCHES})
def test_collating(name):
    made = default_collate(BATCHES[name]())
    return shown(list(made) if isinstance(made, deque) else made)


@case
def test_converting():
    return default_convert([1, "a", None, np.float32(1), np.array(3), {"a": np.array([1])}, (np.int8(1), 2),
                            Pair(np.int8(1), 2), range(2), np.array(["text"]).tolist()])


ORDERS = {
    "sequential": lambda: SequentialSampler(range(4)),
    "random": lambda: RandomSampler(range(10)),
    "more than there are": lambda: RandomSampler(range(10), num_samples=23),
    "with replacement": lambda: RandomSampler(range(10), True, 40),
    "a generator": lambda: RandomSampler(range(10), generator=np.random.default_rng(5)),
    "batches": lambda: BatchSampler(RandomSampler(range(10)), 4, False),
    "full batches": lambda: BatchSampler(range(10), 4, True),
    "a rank's": lambda: DistributedSampler(range(10), 3, 1, seed=4),
    "a rank's, in order": lambda: DistributedSampler(range(10), 4, 3, shuffle=False),
    "a rank's, less": lambda: DistributedSampler(range(10), 4, 3, drop_last=True),
    "more ranks than samples": lambda: DistributedSampler(range(2), 5, 4, False),
    "the only process's": lambda: DistributedSampler(range(3)),
}


@case(each={"name": ORDERS})
def test_orders(name):
    np.random.seed(3)
    sampler = ORDERS[name]()
    first = list(sampler)
    if isinstance(sampler, DistributedSampler):
        sampler.set_epoch(2)
    return first, list(sampler), len(sampler)


LOADERS = {
    "one by one": lambda: DataLoader(range(3)),
    "a list of tuples": lambda: DataLoader([(1, "a"), (2, "b"), (3, "c")], 2),
    "shuffled": lambda: DataLoader(Squares(), 3, True, generator=np.random.default_rng(11)),
    "drop_last": lambda: DataLoader(Squares(), 3, drop_last=True),
    "a sampler": lambda: DataLoader(Squares(), 2, sampler=[5, 3, 1]),
    "a batch_sampler": lambda: DataLoader(Squares(), batch_sampler=[[0, 6], [1]]),
    "unbatched": lambda: DataLoader(Squares(), None, sampler=[2, 4]),
    "collate_fn": lambda: DataLoader(Squares(), 4, collate_fn=lambda rows: [row["i"] for row in rows]),
    "pin_memory": lambda: DataLoader(range(3), 3, pin_memory=True),
    "tensors": lambda: DataLoader(TensorDataset(Tensor([[1.0], [2.0], [3.0]]), Tensor([4, 5, 6])), 2),
    "iterable": lambda: DataLoader(Stream(), 3),
    "iterable, drop_last": lambda: DataLoader(Stream(), 3, drop_last=True),
    "iterable, unbatched": lambda: DataLoader(Stream(), None),
}


@case(each={"name": LOADERS})
def test_batches(name):
    loader = LOADERS[name]()
    return list(loader), list(loader), len(loader), loader.batch_size, loader.drop_last


@case
def test_workers():
    """Order, seeds and draws, pass after pass; an iterable dataset shared out."""
    loader = DataLoader(Drawing(), 2, True, num_workers=2, generator=np.random.default_rng(5))
    kept = DataLoader(Stream(), 2, num_workers=2, persistent_workers=True, generator=np.random.default_rng(5))
    return list(loader), list(loader), list(kept), list(kept)


@case
def test_an_error_in_a_worker():
    """Without the process's number and the traceback, which are of one run."""
    try:
        return list(DataLoader(Broken(), num_workers=1))
    except RuntimeError as error:
        first, *_, last = str(error).splitlines()
        return re.sub(r"pid: \d+", "pid", first), last.strip()


@case(raises=True)
def test_an_error_here():
    return list(DataLoader(Broken()))


WRONG = {
    "a stream that does not begin, in a worker": lambda: list(DataLoader(IterableDataset(), num_workers=1)),
    "no samples by index": lambda: DataLoader(3),
    "batch_size": lambda: DataLoader([1], True),
    "no batch_size": lambda: DataLoader([1], 0),
    "shuffle": lambda: DataLoader([1], shuffle=1),
    "sampler and shuffle": lambda: DataLoader([1], shuffle=True, sampler=[0]),
    "batch_sampler and drop_last": lambda: DataLoader([1], batch_sampler=[[0]], drop_last=True),
    "iterable and shuffle": lambda: DataLoader(Stream(), shuffle=True),
    "num_workers": lambda: DataLoader([1], num_workers=-1),
    "timeout": lambda: DataLoader([1], timeout="1"),
    "context without workers": lambda: DataLoader([1], multiprocessing_context="fork"),
    "context": lambda: DataLoader([1], num_workers=1, multiprocessing_context=3),
    "generator": lambda: DataLoader([1], generator=3),
    "prefetch without workers": lambda: DataLoader([1], prefetch_factor=2),
    "persistent without workers": lambda: DataLoader([1], persistent_workers=True),
    "sampler's generator": lambda: RandomSampler([1], generator=3),
    "num_samples": lambda: RandomSampler([1], num_samples=0),
    "batch sampler's size": lambda: BatchSampler([1], 1.5, False),
    "rank": lambda: DistributedSampler([1], 2, 2),
    "epoch": lambda: DistributedSampler([1], 2, 1).set_epoch("1"),
    "first dimensions": lambda: TensorDataset(Tensor([1]), Tensor([1, 2])),
    "abstract": lambda: Dataset()[0],
    "abstract stream": lambda: iter(IterableDataset()),
    "nothing to collate with": lambda: default_collate([None]),
    "text in arrays": lambda: default_collate([np.array(["a"])]),
    "sizes": lambda: default_collate([[1, 2], [3]]),
    "shapes": lambda: default_collate([Tensor([1]), Tensor([1, 2])]),
}


@case(raises=True, each={"name": WRONG})
def test_what_is_wrong(name):
    return WRONG[name]()


@case
def test_names_and_arguments():
    takes = {name: [(p.name, str(p.kind), repr(p.default)) for p in inspect.signature(thing).parameters.values()]
             for name in sorted(dataloader.__all__) if (thing := getattr(dataloader, name)) is not Sampler}
    return takes, get_worker_info(), issubclass(IterableDataset, Dataset), issubclass(BatchSampler, Sampler)
