"""Published sets of text and images, small ones of their layout: rows, their order, usages, bad input.

Text is read by one worker: of several, MindSpore's rows come as the threads bring them.
"""

import json
import os
import struct

import mindspore.dataset as ds
import numpy as np

from tests.reference.judge import case
from tests.reference.test_dataset_annotated import picture, read, written
from tests.reference.test_mindrecord import said


def rows_of(dataset):
    """Rows without the size, which MindSpore gets wrong for some of these."""
    return dataset.get_col_names(), list(dataset.create_tuple_iterator(num_epochs=1, output_numpy=True))


def table(folder, columns, rows=3):
    for name in ("train", "test"):
        written(f"{folder}/{name}.csv", "".join(
            ",".join(f'"{name} {row}, {column}"' for column in range(columns)) + "\n" for row in range(rows)))
    return folder


TABLES = {"AGNewsDataset": 3, "AmazonReviewDataset": 3, "DBpediaDataset": 3, "SogouNewsDataset": 3,
          "YahooAnswersDataset": 4, "YelpReviewDataset": 2}


@case(each={"name": list(TABLES), "usage": ["train", "test", "all", None, "valid"]})
def test_tables(name, usage):
    return said(lambda: read(getattr(ds, name)(table("f", TABLES[name]), usage=usage, shuffle=False,
                                               num_parallel_workers=1)))


def shuffled():
    ds.config.set_seed(4)
    return read(ds.AGNewsDataset(table("f", 3, 9), num_parallel_workers=1))


# Of a later shard MindSpore's first row begins with the last field of the row before it; ours does not.
MORE = {"shuffled": shuffled, "shard": lambda: read(ds.YelpReviewDataset(table("f", 2, 5), "train",
                                                                         shuffle=False,
                                                                         num_shards=2, shard_id=0)),
        "samples": lambda: read(ds.DBpediaDataset(table("f", 3), "train", 2, shuffle=False)),
        "no-folder": lambda: ds.AGNewsDataset("zz"), "folder-kind": lambda: ds.AGNewsDataset(5),
        "samples-kind": lambda: ds.AGNewsDataset(table("f", 3), num_samples="a")}


@case(each={"name": list(MORE)})
def test_more_of_tables(name):
    return said(MORE[name])


def damaged(name, damage):
    """Columns, size and rows of both files of a table, each by itself: they look at different things."""
    damage(table("f", TABLES[name]))
    asked = (lambda one: one.get_col_names(), lambda one: one.num_classes(), lambda one: one.get_dataset_size(),
             lambda one: list(one.create_tuple_iterator(num_epochs=1, output_numpy=True)))
    return [said(lambda ask=ask: ask(getattr(ds, name)("f", shuffle=False, num_parallel_workers=1))) for ask in asked]


DAMAGE = {"no test": lambda folder: os.remove(f"{folder}/test.csv"), "no train": lambda folder: os.remove(f"{folder}/train.csv"),
          "empty test": lambda folder: written(f"{folder}/test.csv", ""), "quote": lambda folder: written(f"{folder}/train.csv", 'a"b'),
          "half": lambda folder: os.truncate(f"{folder}/test.csv", 40)}


@case(each={"name": list(TABLES), "damage": list(DAMAGE)})
def test_damaged_tables(name, damage):
    return damaged(name, DAMAGE[damage])


LINES = "a {}\n\nc d \n= x =\n"


def lines(name, usage):
    form = {"WikiTextDataset": "wiki.{}.tokens", "PennTreebankDataset": "ptb.{}.txt"}[name]
    for one in ("train", "test", "valid"):
        written("f/" + form.format(one), LINES.format(one))
    return read(getattr(ds, name)("f", usage=usage, shuffle=False, num_parallel_workers=1))


@case(each={"name": ["WikiTextDataset", "PennTreebankDataset"], "usage": ["train", "test", "valid", "all",
                                                                          None, "x"]})
def test_lines(name, usage):
    return said(lines, name, usage)


@case
def test_enwik9():
    def rows():
        written("f/enwik9", LINES.format("page"))
        return rows_of(ds.EnWik9Dataset("f", shuffle=False))

    return said(rows)


def tagged(kind, usage):
    for one in ("train", "test", "dev"):
        written(f"f/en-ud-tag.v2.{one}.txt", f"A{one}\tNN\tX\nb\tVB\tY\n\nc\tDT\tZ\n\n")
        written(f"f/{one}.txt", f"A{one} NN B-NP\nb VB O\n\nc DT B-X\n\n")
    return rows_of(kind("f", usage=usage, shuffle=False, num_parallel_workers=1))


@case(each={"usage": ["train", "test", "all", None, "valid"]})
def test_sentences_with_tags(usage):
    return said(tagged, ds.CoNLL2000Dataset, usage), said(tagged, ds.UDPOSDataset, usage)


def sentiment(usage):
    written("f/train.tsv", "sentence\tlabel\nhi there\t0\nyo\t1\n")
    written("f/test.tsv", "index\tsentence\n0\thi\n1\tyo\n")
    written("f/dev.tsv", "sentence\tlabel\ndd\t1\n")
    return read(ds.SST2Dataset("f", usage=usage, shuffle=False, num_parallel_workers=1))


@case(each={"usage": ["train", "test", "dev", None, "all"]})
def test_sst2(usage):
    return said(sentiment, usage)


def questions(usage):
    for one in ("train", "dev"):
        asked = [{"id": "1", "question": f"{one}?", "answers": [{"text": "an", "answer_start": 3},
                                                               {"text": "b", "answer_start": 1}]},
                 {"id": "2", "question": "q?", "answers": []}]
        written(f"f/{one}-v1.1.json", {"version": "1.1", "data": [
            {"title": "t", "paragraphs": [{"context": f"of {one}", "qas": asked}]}]})
    return read(ds.SQuADDataset("f", usage=usage, shuffle=False, num_parallel_workers=1))


@case(each={"usage": ["train", "dev", "all", None, "test"]})
def test_squad(usage):
    return said(questions, usage)


def reviews(usage, **arguments):
    for name in ("train/pos/0_9", "train/pos/1_7", "train/neg/0_2", "test/pos/0_8", "test/neg/0_1",
                 "train/unsup/0_0"):
        written(f"f/{name}.txt", f"text of {name}")
    return read(ds.IMDBDataset("f", usage=usage, **({"shuffle": False} | arguments)))


@case(each={"usage": ["train", "test", "all", None, "x"]})
def test_imdb(usage):
    return said(reviews, usage)


def numbered(data, kind, *axes):
    return struct.pack(">I", kind) + b"".join(struct.pack(">I", axis) for axis in axes) + data.tobytes()


def letters(name="letters", usage=None, **arguments):
    os.makedirs("f")
    for seed, one in enumerate(("train", "test")):
        data = np.random.RandomState(seed).randint(0, 256, (3, 28, 28)).astype(np.uint8)
        with open(f"f/emnist-letters-{one}-images-idx3-ubyte", "wb") as file:
            file.write(numbered(data, 0x803, 3, 28, 28))
        with open(f"f/emnist-letters-{one}-labels-idx1-ubyte", "wb") as file:
            file.write(numbered(np.arange(seed, seed + 3).astype(np.uint8), 0x801, 3))
    return read(ds.EMnistDataset("f", name, usage, **({"shuffle": False} | arguments)))


def packed(usage):
    os.makedirs("f")
    for one, count in (("train", 2), ("test", 1), ("unlabeled", 1)):
        np.random.RandomState(count).randint(0, 255, (count, 3, 96,
                                                      96)).astype(np.uint8).tofile(f"f/{one}_X.bin")
        if one != "unlabeled":
            (np.arange(count) + 1).astype(np.uint8).tofile(f"f/{one}_y.bin")
    rows = ds.STL10Dataset("f", usage, shuffle=False).create_tuple_iterator(num_epochs=1, output_numpy=True)
    return [(image[:2, :3], image[-1, -2:], label) for image, label in rows]


def pictures(*names):
    for seed, name in enumerate(names):
        picture("f/" + name, seed)
    return "f"


def foods(usage):
    written("f/meta/train.txt", "pie/1\npie/2\n")
    written("f/meta/test.txt", "ale/1\n")
    written("f/meta/classes.txt", "ale\npie\n")
    return read(ds.Food101Dataset(pictures("images/pie/1.jpg", "images/pie/2.jpg", "images/ale/1.jpg"), usage,
                                  shuffle=False, decode=True))


def pair(usage, downgrade="bicubic", scale=2):
    names = ["DIV2K_train_HR/0001.png", "DIV2K_train_HR/0002.png", "DIV2K_valid_HR/0801.png"]
    for folder, mark in (("LR_bicubic/X2", "x2"), ("LR_unknown/X3", "x3"), ("LR_mild", "x4m"), ("LR_wild",
                                                                                                "x4w"),
                         ("LR_x8", "x8")):
        names += [f"DIV2K_train_{folder}/0001{mark}.png", f"DIV2K_train_{folder}/0002{mark}.png",
                  f"DIV2K_valid_{folder}/0801{mark}.png"]
    return read(ds.DIV2KDataset(pictures(*names), usage, downgrade, scale, shuffle=False))


def streets(usage, task="instance", quality_mode="fine"):
    for one in ("train", "test", "val"):
        name = f"{one}/bonn/bonn_0"
        pictures(f"leftImg8bit/{name}_leftImg8bit.png", *[f"gtFine/{name}_gtFine_{kind}.png" for kind in (
            "instanceIds", "labelIds", "color")])
        written(f"f/gtFine/{name}_gtFine_polygons.json", json.dumps({"of": one}))
    return read(ds.CityscapesDataset("f", usage, quality_mode, task, shuffle=False))


def drawn(background):
    return read(ds.OmniglotDataset(pictures(
        "images_background/A/c1/1.png", "images_background/A/c2/1.png", "images_background/B/c1/1.png",
        "images_evaluation/C/c1/1.png"), background, shuffle=False))


def rendered(usage):
    return read(ds.RenderedSST2Dataset(pictures(
        "train/positive/1.png", "train/negative/2.png", "test/positive/1.png", "valid/negative/1.png"), usage,
        shuffle=False))


def classes(**arguments):
    return read(ds.Caltech256Dataset(pictures("001.ak47/a.jpg", "002.dog/b.jpg", "001.ak47/0.jpg"),
                                     **arguments))


def semeion():
    written("f/semeion.data",
            "".join(" ".join(f"{(j * j + k) % 3 % 2}.0000" for j in range(256)) + " " + " ".join(
        "1" if j == k else "0" for j in range(10)) + " \n" for k in range(3)))
    dataset = ds.SemeionDataset("f", shuffle=False)
    return list(dataset.create_tuple_iterator(num_epochs=1, output_numpy=True))


def in_random_order():
    ds.config.set_seed(6)
    return classes(num_samples=3)


PICTURES = {
    **{f"emnist-{usage}": lambda usage=usage: letters(usage=usage) for usage in ("train", "test", "all", None,
                                                                                 "x")},
    "emnist-name": lambda: letters("x"), "emnist-none": lambda: letters("digits"),
    **{f"stl10-{usage}": lambda usage=usage: packed(usage) for usage in (
        "train", "test", "unlabeled", "train+unlabeled", "all", None, "x")},
    **{f"food-{usage}": lambda usage=usage: foods(usage) for usage in ("train", "test", "all", None, "x")},
    **{f"div2k-{usage}": lambda usage=usage: pair(usage) for usage in ("train", "valid", "all", "x")},
    "div2k-unknown": lambda: pair("train", "unknown", 3), "div2k-mild": lambda: pair("train", "mild", 4),
    "div2k-wild": lambda: pair("valid", "wild", 4), "div2k-8": lambda: pair("train", "bicubic", 8),
    "div2k-scale": lambda: pair("train", scale=5), "div2k-unknown-8": lambda: pair("train", "unknown", 8),
    "div2k-mild-2": lambda: pair("train", "mild"), "div2k-downgrade": lambda: pair("train", "x"),
    **{f"cityscapes-{usage}": lambda usage=usage: streets(usage) for usage in ("train", "test", "val", "all",
                                                                               "x")},
    **{f"cityscapes-{task}": lambda task=task: streets("val", task) for task in ("semantic", "color",
                                                                                 "polygon", "y")},
    "cityscapes-coarse": lambda: streets("test", quality_mode="coarse"),
    "omniglot": lambda: drawn(None), "omniglot-evaluation": lambda: drawn(False),
    "omniglot-kind": lambda: drawn(5),
    **{f"rendered-{usage}": lambda usage=usage: rendered(usage) for usage in ("train", "test", "val", "all",
                                                                              None, "x")},
    "caltech": lambda: classes(shuffle=False, decode=True), "caltech-random": in_random_order,
    "caltech-shard": lambda: classes(shuffle=False, num_shards=2, shard_id=1), "semeion": semeion,
    "caltech-classes": lambda: classes(sampler=ds.PKSampler(1)),
}


@case(each={"name": list(PICTURES)})
def test_pictures(name):
    return said(PICTURES[name])


ENDINGS = (".jpg", ".JPG", ".jpeg", ".JPEG", ".png", ".PNG", ".bmp", "")
FOLDERS = {"caltech": ("f/x/a", lambda: ds.Caltech256Dataset("f", shuffle=False)),
           "omniglot": ("f/images_background/A/c/a", lambda: ds.OmniglotDataset("f", shuffle=False)),
           "rendered": ("f/train/positive/a", lambda: ds.RenderedSST2Dataset("f", "train", shuffle=False))}


@case(each={"name": list(FOLDERS)})
def test_which_files_are_images(name):
    stem, made = FOLDERS[name]
    for ending in ENDINGS:
        picture(stem + ending)
    return made().get_dataset_size(), made().num_classes()


@case
def test_all_pixels_of_digits():
    values = " ".join(f"{n}:{value:.3f}" for n, value in enumerate(np.linspace(-1, 1, 256), 1))
    written("f/usps.t", f"10 {values} \n")
    os.makedirs("g")
    np.zeros(7 * 3 * 96 * 96, np.uint8).tofile("g/train_X.bin")
    np.array([0, 1, 127, 128, 129, 200, 255], np.uint8).tofile("g/train_y.bin")
    rows = ds.STL10Dataset("g", "train", shuffle=False).create_tuple_iterator(num_epochs=1, output_numpy=True)
    digits = ds.USPSDataset("f", "test", shuffle=False).create_tuple_iterator(num_epochs=1, output_numpy=True)
    return [row[0] for row in digits], [row[1] for row in rows]
