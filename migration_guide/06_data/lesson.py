"""Data: GeneratorDataset against DataLoader, what each argument became, samplers and shards.

    python -m ms2torch migration_guide/06_data/lesson.py
"""

# %% source
import mindspore.dataset as ds
import numpy as np
import torch


class Squares:
    """Ten samples: a number and its square."""

    def __getitem__(self, index):
        return np.array([index], np.float32), np.int64(index * index)

    def __len__(self):
        return 10


# %% iterate
dataset = ds.GeneratorDataset(Squares(), ["number", "square"], shuffle=False).batch(4)
loader = torch.utils.data.DataLoader(Squares(), batch_size=4)

for number, square in dataset.create_tuple_iterator():
    print("tuple: ", number.shape, square)
for row in dataset.create_dict_iterator(output_numpy=True):
    print("dict:  ", row["number"].shape, row["square"])
for number, square in loader:
    print("torch: ", tuple(number.shape), square)

# %% check iterate
mine = [(a.asnumpy().tolist(), b.asnumpy().tolist()) for a, b in dataset.create_tuple_iterator()]
assert mine == [(a.tolist(), b.tolist()) for a, b in loader]


# %% defaults
def squares(**arguments):
    return ds.GeneratorDataset(Squares(), ["number", "square"], **arguments)


def order(dataset):
    return [int(row["number"][0]) for row in dataset.create_dict_iterator(num_epochs=1, output_numpy=True)]


ds.config.set_seed(1)
print("GeneratorDataset:", order(squares()))
print("DataLoader:      ", [int(n) for n, _ in torch.utils.data.DataLoader(Squares(), batch_size=None)])

# %% epochs
ds.config.set_seed(1)
iterator = squares(shuffle=True).create_dict_iterator(num_epochs=2, output_numpy=True)
for epoch in range(2):
    print("epoch", epoch + 1, [int(row["number"][0]) for row in iterator])

ds.config.set_seed(1)
print("again  ", order(squares(shuffle=True)))


# %% batch
def sizes(batches):
    return [len(number) for number, _ in batches]


print("batch(4):                     ", sizes(squares(shuffle=False).batch(4)))
print("batch(4, drop_remainder=True):", sizes(squares(shuffle=False).batch(4, drop_remainder=True)))
print("DataLoader(drop_last=True):   ", sizes(torch.utils.data.DataLoader(Squares(), 4, drop_last=True)))


def twice(numbers, squares, info):
    """A whole batch at once, as lists of arrays: what collate_fn is for in PyTorch."""
    return [number.repeat(2) for number in numbers], squares


batches = squares(shuffle=False).batch(4, per_batch_map=twice, input_columns=["number", "square"])
print("per_batch_map:                ", [tuple(number.shape) for number, _ in batches])

# %% map
mapped = squares(shuffle=False).map(lambda n: n * 10, "number")
mapped = mapped.map(lambda s: (s, s % 2), "square", ["square", "odd"])
for row in mapped.project(["number", "odd"]).take(3).create_dict_iterator(output_numpy=True):
    print({name: value.tolist() for name, value in row.items()})

# %% tree
dataset = squares(shuffle=False)
small, large = dataset.batch(2), dataset.batch(5)
try:
    next(large.create_tuple_iterator())
except ValueError as error:
    print(f"ValueError: {error}")

# %% check batch
assert sizes(squares(shuffle=False).batch(4)) == [4, 4, 2]

# %% types
rows = [(1, 1.5, np.float64(2.5), True)]
for value in next(ds.GeneratorDataset(rows, list("abcd"), shuffle=False).create_tuple_iterator()):
    print("MindSpore:", value.dtype, value)
print("PyTorch:  ", [v.dtype for v in next(iter(torch.utils.data.DataLoader(rows)))])

# %% samplers
print("| MindSpore | visits | PyTorch |")
print("|---|---|---|")
ds.config.set_seed(1)
for text, torch_text in [
    ("ds.SequentialSampler()", "`SequentialSampler`"),
    ("ds.SequentialSampler(start_index=3, num_samples=4)", "`Subset`"),
    ("ds.RandomSampler()", "`RandomSampler`"),
    ("ds.RandomSampler(replacement=True, num_samples=6)", "`RandomSampler(replacement=True)`"),
    ("ds.SubsetSampler([7, 2, 5])", "`sampler=[7, 2, 5]`"),
    ("ds.SubsetRandomSampler([7, 2, 5])", "`SubsetRandomSampler`"),
    ("ds.WeightedRandomSampler([0, 0, 1, 3, 0, 0, 0, 0, 0, 0], 6)", "`WeightedRandomSampler`"),
    ("ds.DistributedSampler(num_shards=2, shard_id=0, shuffle=False)", "`DistributedSampler`"),
]:
    visited = order(squares(sampler=eval(text)))
    print(f"| `{text}` | {', '.join(map(str, visited))} | {torch_text} |")


# %% own
class EveryThird(ds.Sampler):
    """A sampler of one's own is the same idea on both sides: an iterator of indices."""

    def __iter__(self):
        yield from range(0, 10, 3)


print(order(squares(sampler=EveryThird())))
print([int(n) for n, _ in torch.utils.data.DataLoader(Squares(), batch_size=None, sampler=range(0, 10, 3))])

# %% shards
from torch.utils.data.distributed import DistributedSampler

shards = [order(squares(shuffle=False, num_shards=3, shard_id=n)) for n in range(3)]
torch_shards = [list(DistributedSampler(range(10), 3, n, shuffle=False)) for n in range(3)]
for n in range(3):
    print(f"rank {n}: MindSpore {shards[n]}  PyTorch {torch_shards[n]}")

# %% check shards
assert shards == torch_shards and all(len(s) == 4 for s in shards)

# %% grid
from matplotlib.figure import Figure

figure = Figure((6, 2.2))
axes = figure.add_subplot()
for rank, (shard, color) in enumerate(zip(shards, ["tab:blue", "tab:orange", "tab:green"])):
    axes.scatter(shard, [rank] * len(shard), 220, color, marker="s")
    for step, index in enumerate(shard):
        axes.annotate(str(step + 1), (index, rank), ha="center", va="center", color="white", fontsize=9)
axes.set(xlabel="sample", xticks=range(10), ylim=(2.6, -0.6))
axes.set(yticks=range(3), yticklabels=[f"rank {n}" for n in range(3)])

# %% size
pipeline = squares().repeat(3).batch(4)
print("steps:", pipeline.get_dataset_size(), " batch size:", pipeline.get_batch_size())
print("columns:", pipeline.get_col_names(), " shapes:", pipeline.output_shapes())

# %% check size
assert pipeline.get_dataset_size() == 8
