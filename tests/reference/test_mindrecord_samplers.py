"""MindRecord files under chains of samplers, and what stands for rows that pad the last shards."""

import mindspore.dataset as ds
import numpy as np
from mindspore.mindrecord import FileWriter

from tests.reference.judge import case
from tests.reference.test_mindrecord import by_blocks, epochs, folder, numbered, plain, said, write

MODES = {"no": False, "all": ds.Shuffle.GLOBAL, "files": ds.Shuffle.FILES, "infile": ds.Shuffle.INFILE,
         "partial": ds.Shuffle.PARTIAL, "adaptive": ds.Shuffle.ADAPTIVE}


def random(mode):
    return ds.RandomSampler(shuffle=MODES[mode]) if MODES[mode] else ds.SequentialSampler()


def sharing(mode, shards=4):
    return ds.DistributedSampler(shards, 1, shuffle=MODES[mode])


def read(make):
    """Three epochs of files of 2, 3, 1, 2 and 4 rows, or what is said of them."""
    def run():
        for number, rows in enumerate([2, 3, 1, 2, 4]):
            write([numbered(rows, 10, 10 * number)], name=f"f{number}")
        ds.config.set_seed(9)
        dataset = make([f"f{number}" for number in range(5)])
        return dataset.get_dataset_size(), epochs(dataset)

    return said(run)


def chained(outer, inner):
    outer.add_child(inner)
    return outer


@case(each={"outer": list(MODES), "inner": list(MODES)})
def test_shares_of_a_shuffled_order(outer, inner):
    return read(lambda files: ds.MindDataset(files, sampler=chained(sharing(outer), random(inner))))


@case(each={"inner": ["no", "all", "infile"]})
def test_blocks_of_a_shuffled_order(inner):
    with by_blocks():
        return read(lambda files: ds.MindDataset(files, sampler=chained(sharing("no"), random(inner))))


@case(each={"outer": ["no", "all", "files"], "inner": ["no", "all", "infile", "partial"]})
def test_shuffles_of_shares(outer, inner):
    return read(lambda files: ds.MindDataset(files, sampler=chained(random(outer), sharing(inner))))


@case(each={"outer": ["no", "all", "infile"], "inner": ["no", "all", "partial"]})
def test_added_samplers(outer, inner):
    def make(files):
        dataset = ds.MindDataset(files, shuffle=MODES[inner])
        dataset.add_sampler(sharing(outer))
        return dataset

    return read(make)


@case(each={"kind": ["subset", "random subset", "shares"], "mode": ["no", "all"]})
def test_shares_of_chosen_rows(kind, mode):
    inner = {"subset": lambda: ds.SubsetSampler([3, 1, 9, 4, 7]), "shares": lambda: sharing("no", 2),
             "random subset": lambda: ds.SubsetRandomSampler([3, 1, 9, 4, 7])}[kind]
    # (of shares of shares MindSpore tells the size of the one, and gives the other)
    return read(lambda files: ds.MindDataset(files, sampler=chained(sharing(mode, 2), inner())))[1]


@case(each={"outer": ["no", "all", "shares"], "inner": ["no", "all"]})
def test_padding_under_chained_samplers(outer, inner):
    outer = sharing("no") if outer == "shares" else random(outer)
    return read(lambda files: ds.MindDataset(files, ["b", "i"], sampler=chained(outer, random(inner)),
                                             padded_sample={"b": b"q", "i": -1}, num_padded=4))


VALUES = {"digits": "12", "number and more": "1.5", "word": "x", "nothing": "", "whole": 7, "below": -7,
          "large": 1 << 40, "half": 1.5, "two": 2.0, "far": 1e20, "endless": float("inf"), "true": True, "None": None,
          "list": [1, 2], "bytes": b"ab", "array": np.array([1, 2]), "numpy's": np.float32(2)}
FIELDS = {"i": {"type": "int32"}, "l": {"type": "int64"}, "d": {"type": "float64"}, "s": {"type": "string"},
          "b": {"type": "bytes"}}


@case(each={"value": list(VALUES)})
def test_values_of_padding(value):
    def of(name):
        write([[{"i": 1, "l": 1, "d": 1.0, "s": "a", "b": b"a"}]], FIELDS)
        dataset = ds.MindDataset("f", [name], shuffle=False, padded_sample={name: VALUES[value]}, num_padded=1)
        return plain([row[0] for row in dataset.create_tuple_iterator(num_epochs=1, output_numpy=True)][-1])

    return [said(of, name) for name in FIELDS]


@case(each={"kinds": [["float32"], ["float64", "float32"], ["float32", "float64"]]})
def test_a_writer_of_processes_tells_of_no_row_at_the_end(kinds):
    with folder():
        writer = FileWriter("f")
        writer.add_schema({"d": {"type": "float64", "shape": [2]}})
        for kind in kinds:
            writer.write_raw_data([{"d": np.ones(2, kind)}], True)
        try:
            writer.commit()
        except RuntimeError as error:
            head, _, rest = str(error).partition("(pid:")
            return head, rest.split(")", 1)[1]
