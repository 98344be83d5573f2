"""What datasets say of themselves before they are run, and what the readers of files say of their files."""

import gzip

import mindspore.dataset as ds
import numpy as np

from tests.reference.judge import case
from tests.reference.test_dataset_annotated import written
from tests.reference.test_dataset_files import ROWS, tfrecord
from tests.reference.test_mindrecord import said

PARTS = [{"samples": None}, {"samples": 2}]


def sizes(make, shards=None, samples=None):
    """`get_dataset_size`, the rows, and the size afterwards, of each shard."""
    parts = [{"num_shards": shards, "shard_id": i} for i in range(shards)] if shards else [{}]
    found = []
    for part in parts:
        dataset = make(shuffle=False, num_samples=samples, **part)
        before = dataset.get_dataset_size()
        iterated = make(shuffle=False, num_samples=samples, **part)
        rows = sum(1 for _ in iterated.create_tuple_iterator(num_epochs=1))
        found.append((before, rows, iterated.get_dataset_size()))
    return found


def corpus(kind):
    for one in ("train", "test", "dev"):
        written(f"f/en-ud-tag.v2.{one}.txt", "A\tNN\tX\nb\tVB\tY\n\nc\tDT\tZ\n\n")
        written(f"f/{one}.txt", "A NN B-NP\nb VB O\n\nc DT B-X\n\n")
    written("f/enwik9", "a\n\nb c\n\n\nd\n")
    return lambda **arguments: getattr(ds, kind)("f", num_parallel_workers=1, **arguments)


@case(each={"kind": ["CoNLL2000Dataset", "UDPOSDataset", "EnWik9Dataset"], "parts": PARTS})
def test_sizes_of_corpora_count_lines(kind, parts):
    return said(lambda: sizes(corpus(kind), **parts))


@case(each={"shards": [None, 2]})
def test_tags_may_stand_further_in(shards):
    folder = "f/texts/DeEnItNlRo/DeEnItNlRo/DeEnItNlRo-DeEnItNlRo"
    for language in ("de", "en"):
        written(f"{folder}/train.tags.de-en.{language}", f" <url>u</url>\n {language} one.\n\t<title>t</title>\n two\n")
    return said(lambda: sizes(lambda **arguments: ds.IWSLT2017Dataset("f", "train", **arguments), shards))


def compressed(samples, shards, files=3, **arguments):
    names = [written(f"{i}.gz", gzip.compress(tfrecord(ROWS * 2))) for i in range(files)]
    parts = {"num_shards": shards, "shard_id": shards - 1} if shards else {}
    dataset = ds.TFRecordDataset(names, num_samples=samples, shuffle=False, compression_type="GZIP",
                                 columns_list=["n"], num_parallel_workers=1, **parts, **arguments)
    return said(dataset.get_dataset_size), said(lambda: [int(n[0]) for n, in dataset.create_tuple_iterator(
        num_epochs=1, output_numpy=True)])


@case(each={"samples": [None, 2, 7, 18, 20], "shards": [None, 2, 3, 4]})
def test_samples_of_compressed_files(samples, shards):
    return said(lambda: compressed(samples, shards))


class Growing:
    def __init__(self, ranks):
        self.ranks = ranks

    def __getitem__(self, i):
        return (np.zeros((i + 1,) * self.ranks[i]),)

    def __len__(self):
        return len(self.ranks)


@case(each={"ranks": [(1, 1, 1), (2, 2, 1), (1, 0), (0, 3)]})
def test_shapes_of_all_rows(ranks):
    return said(lambda: ds.GeneratorDataset(Growing(ranks), ["a"], shuffle=False).output_shapes(estimate=True))


class Counting(ds.DSCallback):
    def __init__(self):
        super().__init__(step_size=1)
        self.heard = []

    def ds_begin(self, context):
        self.heard.append("begin")

    def ds_step_begin(self, context):
        self.heard.append("step")


@case
def test_callbacks_hear_nothing_of_a_look():
    callback = Counting()
    data = ds.NumpySlicesDataset([1, 2, 3], shuffle=False).map(lambda x: x, callbacks=callback)
    looked = data.get_dataset_size(), data.output_shapes(), str(data.output_types()), list(callback.heard)
    list(data.create_tuple_iterator(num_epochs=1))
    return looked, callback.heard


def failing(line):
    if "two" in str(line):
        raise ValueError("two")
    return line


@case(each={"order": [False, "files"]})
def test_a_failed_map_names_the_file_among_several(order):
    names = [written(f"{i}.txt", "one\ntwo\n" if i == 2 else "one\none\n") for i in range(4)]
    ds.config.set_seed(3)
    data = ds.TextFileDataset(names, shuffle=ds.Shuffle.FILES if order else False, num_parallel_workers=2)
    try:
        list(data.map(failing, "text", num_parallel_workers=1).create_tuple_iterator(num_epochs=1))
    except RuntimeError as error:
        return str(error).partition("failed. ")[2].partition(" Error description")[0]
