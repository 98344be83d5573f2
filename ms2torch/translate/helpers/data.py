"""Data: columns cut into rows, rows through functions, and the order in which MindSpore gives them."""

from itertools import islice
from pathlib import Path

import numpy as np
import torch


def slices(columns):
    """A data set whose i-th row is the i-th of each column: of a dict, of a tuple, or of one array."""
    columns = tuple(columns.values()) if isinstance(columns, dict) else columns
    columns = columns if isinstance(columns, tuple) else (columns,)
    return torch.utils.data.TensorDataset(*(torch.tensor(np.asarray(c)) for c in columns))


class Samples(torch.utils.data.Dataset):
    """Rows of named columns; ``map`` takes some of them through functions whenever a row is read."""

    def __init__(self, rows, names, steps=()):
        self.rows, self.names, self.steps = rows, names, steps

    def map(self, functions, names=None, new_names=None):
        functions = functions if isinstance(functions, list) else [functions]
        return Samples(self.rows, self.names, [*self.steps, (functions, names, new_names)])

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, i):
        row = self.rows[i]
        row = dict(zip(self.names, map(np.asarray, row if isinstance(row, (tuple, list)) else (row,))))
        for functions, names, new_names in self.steps:
            names = names or [*row][:1]
            values = tuple(row[name] for name in names)
            for function in functions:
                values = function(*values)
                values = values if isinstance(values, tuple) else (values,)
            made = list(zip(new_names or names, map(np.asarray, values)))
            if len(made) == len(names):  # in their places
                places = dict(zip(names, made))
                row = dict(places.get(name, (name, value)) for name, value in row.items())
            else:  # before the others
                row = dict(made) | {name: value for name, value in row.items() if name not in names}
        return tuple(torch.tensor(value) for value in row.values())


def split(samples, sizes, order=None):
    """Parts of a data set, by counts of rows or by shares; what rounding leaves over is the first's."""
    count, start, parts = len(samples), 0, []
    if isinstance(sizes[0], float):
        sizes = [round(size * count) for size in sizes]
        missing = count - sum(sizes)
        sizes[0 if missing > 0 else next(i for i, size in enumerate(sizes) if size + missing > 0)] += missing
    places = order(samples) if order else range(count)
    for size in sizes:
        rows = torch.utils.data.Subset(getattr(samples, "rows", samples), places[start : start + size])
        named = hasattr(samples, "names")
        parts.append(type(samples)(rows, samples.names, samples.steps) if named else rows)
        start += size
    return parts


def shuffled_once(samples):
    """An order of rows that stays, by the seed of torch.manual_seed."""
    mapped = getattr(samples, "steps", ())
    return list(BufferedOrder(range(len(samples)), 10000) if mapped else SeededOrder(samples))


def first(rows, count):
    """The first rows of a data set."""
    return torch.utils.data.Subset(rows, range(min(count, len(rows))))


def mnist(folder, usage="all"):
    """Images (28, 28, 1) of bytes and digits, from MNIST's files; of all, the test digits come first."""
    rows = []
    for part, name in (("test", "t10k"), ("train", "train")):
        images, labels = (Path(folder, f"{name}-{kind}-ubyte") for kind in ("images-idx3", "labels-idx1"))
        if usage in (part, "all") and images.is_file() and labels.is_file():
            _, *shape = np.fromfile(images, ">i4", 4)
            pixels = np.fromfile(images, np.uint8, offset=16).reshape(*shape, 1)
            rows += zip(pixels, np.fromfile(labels, np.uint8, offset=8).astype(np.uint32))
    return rows


def cifar10(folder, usage="all"):
    """Images (32, 32, 3) of bytes and their classes, from CIFAR-10's binary files."""
    names = {"train": [f"data_batch_{i}.bin" for i in range(1, 6)], "test": ["test_batch.bin"]}
    rows = []
    for name in names["train"] + names["test"] if usage == "all" else names[usage]:
        if Path(folder, name).is_file():
            found = np.fromfile(Path(folder, name), np.uint8).reshape(-1, 1 + 3072)
            images = found[:, 1:].reshape(-1, 3, 32, 32).transpose(0, 2, 3, 1)
            rows += zip(images, found[:, 0].astype(np.uint32))
    return rows


def by_name(loader, names, arrays=False):
    """Batches as dicts of their columns, as numpy's arrays where these are asked for."""
    for batch in loader:
        yield {name: x.numpy(force=True) if arrays else x for name, x in zip(names, batch)}


class Arrays:
    """A loader whose batches are numpy's arrays."""

    def __init__(self, loader):
        self.loader, self.sampler = loader, getattr(loader, "sampler", None)

    def __iter__(self):
        return (tuple(x.numpy(force=True) for x in batch) for batch in self.loader)

    def __len__(self):
        return len(self.loader)


def astype(dtype):
    """A function that casts an array."""
    return lambda x: x.astype(dtype)


def rescale(factor, shift):
    """A function that multiplies and adds, and rounds once."""
    factor, shift = np.float64(np.float32(factor)), np.float64(np.float32(shift))
    return lambda x: (x * factor + shift).astype(np.float32)


def normalize(mean, std, is_hwc=True):
    """A function that takes each channel less its mean, over its deviation."""
    shape = (-1,) if is_hwc else (-1, 1, 1)
    mean, std = (np.array(v, np.float32).reshape(shape) for v in (mean, std))
    return lambda x: (x.astype(np.float32) - mean) / std


def channels_first(x):
    """(H, W, C) to (C, H, W)."""
    return x.transpose(2, 0, 1)


def pad_end(shape, value=0):
    """A function that brings an array to a shape: the end of each axis is cut, or filled with a value."""

    def run(x):
        whole = np.full(shape, value).astype(x.dtype)
        part = tuple(slice(min(sizes)) for sizes in zip(x.shape, shape))
        whole[part] = x[part]
        return whole

    return run


def center_crop(size):
    """A function that cuts the middle out of (H, W) or (H, W, C), or pads to it with zeros."""
    size = (size, size) if isinstance(size, int) else tuple(size)

    def run(x):
        for axis, wanted in enumerate(size):
            missing = wanted - x.shape[axis]
            if missing > 0:
                around = [(0, 0)] * x.ndim
                around[axis] = missing - missing // 2, missing // 2
                x = np.pad(x, around)
            elif missing:
                x = x.take(range(-missing // 2, -missing // 2 + wanted), axis)
        return x

    return run


def to_tensor(x):
    """(H, W, C) in [0, 255] to (C, H, W) in [0, 1]."""
    return (x[..., None] if x.ndim == 2 else x).transpose(2, 0, 1).astype(np.float32) * np.float32(1 / 255)


def resize(size):
    """A function that resizes 8-bit (H, W, C) or (H, W) linearly, in OpenCV's whole numbers."""

    def taps(old, new):
        at = ((np.arange(new) + 0.5) * (old / new) - 0.5).astype(np.float32)
        low = np.floor(at).astype(int)
        return low.clip(0, old - 1), (low + 1).clip(0, old - 1), np.rint((at - low) * 2048).astype(int)

    def run(x):
        if x.dtype != np.uint8 or x.shape[:2] == tuple(size):
            return x
        top, bottom, down = taps(x.shape[0], size[0])
        left, right, across = taps(x.shape[1], size[1])
        pixels = (x[..., None] if x.ndim == 2 else x).astype(int)
        across, down = across[:, None], down[:, None, None]
        rows = pixels[:, left] * (2048 - across) + pixels[:, right] * across >> 4
        mixed = (rows[top] * (2048 - down) >> 16) + (rows[bottom] * down >> 16) + 2 >> 2
        return mixed.astype(np.uint8).reshape(*size, *x.shape[2:])

    return run


def shuffle_as_cpp(items, seed):
    """``std::shuffle`` with ``std::mt19937``, which are numpy's words under the same seed."""
    words = np.random.RandomState(seed % 2**32)

    def below(size):
        share = (2**32 - 1) // size
        while (word := int.from_bytes(words.bytes(4), "little")) >= share * size:
            pass
        return word // share

    def swap(i, j):
        items[i], items[j] = items[j], items[i]

    first, pairs = 1, len(items) < 2**16  # one word places two items
    if pairs and len(items) % 2 == 0 and items:
        swap(1, below(2))
        first = 2
    for i in range(first, len(items), 1 + pairs):
        if pairs:
            one, other = divmod(below((i + 1) * (i + 2)), i + 2)
            swap(i, one)
            swap(i + 1, other)
        else:
            swap(i, below(i + 1))


class SeededOrder(torch.utils.data.Sampler):
    """The order in which MindSpore shuffles with the seed of torch.manual_seed.

    A pass is the epoch that ``set_epoch`` told before it, else the first one.

    Where it need not be MindSpore's, ``DataLoader(..., shuffle=True)`` does as well.
    """

    def __init__(self, samples, shards=None, shard=0):
        self.count, self.epoch, self.order = len(samples), 0, []
        self.shards, self.shard = shards, shard

    def __len__(self):
        shards = self.shards or 1
        return (self.count + shards - 1) // shards

    def set_epoch(self, epoch):
        self.epoch = epoch

    def __iter__(self):
        now, self.epoch = self.epoch, 0
        for epoch in range(len(self.order), now + 1):
            order = list(self.order[-1] if self.order else range(self.count))
            shuffle_as_cpp(order, torch.initial_seed() + epoch + (self.shards is not None))
            self.order.append(order)
        order = self.order[now]
        if self.shards is None:
            return iter(order)
        return iter(order[(self.shard + i * self.shards) % self.count] for i in range(len(self)))


class BufferedOrder(torch.utils.data.Sampler):
    """The order of MindSpore's ``shuffle(size)``: each of ``samples`` at random from a buffer."""

    def __init__(self, samples, size):
        self.samples, self.size, self.epoch = samples, size, 0

    def __len__(self):
        return len(self.samples)

    def set_epoch(self, epoch):
        self.epoch = epoch

    def __iter__(self):
        words = mt19937_64(torch.initial_seed())
        now, self.epoch = self.epoch, 0
        for epoch in range(now + 1):
            if hasattr(self.samples, "set_epoch"):
                self.samples.set_epoch(epoch)
            rest, order = iter(self.samples), []
            buffer = list(islice(rest, self.size))
            while buffer:
                slot = next(words) % len(buffer)
                order.append(buffer[slot])
                buffer[slot] = buffer[-1]
                following = next(rest, None)
                if following is None:
                    buffer.pop()
                else:
                    buffer[-1] = following
        return iter(order)


def mt19937_64(seed):
    """The words of C++'s ``std::mt19937_64``."""
    words, low = [seed], 2**64 - 1
    for i in range(1, 312):
        words.append(6364136223846793005 * (words[-1] ^ words[-1] >> 62) + i & low)
    while True:
        for i in range(312):
            x = words[i] >> 31 << 31 | words[(i + 1) % 312] & 0x7FFFFFFF
            words[i] = words[(i + 156) % 312] ^ x >> 1 ^ (x & 1) * 0xB5026F5AA96619E9
            x = words[i] ^ words[i] >> 29 & 0x5555555555555555
            x ^= x << 17 & 0x71D67FFFEDA60000
            x ^= x << 37 & 0xFFF7EEE000000000
            yield x ^ x >> 43


def draw_initial_weights(count):
    """Draw from numpy's generator as MindSpore does for initial weights: what follows stays the same."""
    np.random.rand(count)


def set_epoch(data, epoch):
    """Tell the sampler of a loader that asks for it which epoch begins."""
    sampler = getattr(data, "sampler", None)
    if hasattr(sampler, "set_epoch"):
        sampler.set_epoch(epoch)


class Repeated:
    """A loader of which each pass is ``count`` passes, each the next epoch of what shuffles."""

    def __init__(self, loader, count):
        self.loader, self.count, self.batch_size = loader, count, loader.batch_size
        self.sampler, self.epoch = self, 0

    def set_epoch(self, epoch):
        self.epoch = epoch

    def __iter__(self):
        now, self.epoch = self.epoch, 0
        for i in range(self.count):
            set_epoch(self.loader, now * self.count + i)
            yield from self.loader

    def __len__(self):
        return len(self.loader) * self.count


class Epochs:
    """A loader of which each pass is the next epoch."""

    def __init__(self, loader):
        self.loader, self.epoch = loader, -1

    def __iter__(self):
        self.epoch += 1
        set_epoch(self.loader, self.epoch)
        return iter(self.loader)

    def __len__(self):
        return len(self.loader)
