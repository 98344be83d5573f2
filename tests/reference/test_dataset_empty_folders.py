"""Datasets of folders that are empty: what each says that is missing."""

import inspect
import os
import tempfile

import mindspore.dataset as ds

from tests.reference.judge import case

NAMES = ("AGNews", "YelpReview", "CoNLL2000", "EnWik9", "PennTreebank", "UDPOS", "WikiText", "AmazonReview", "Multi30k", "Cifar10",
         "Cifar100", "Mnist", "FashionMnist", "KMnist", "Cityscapes", "DIV2K", "Food101", "IMDB", "IWSLT2016", "IWSLT2017", "KITTI",
         "RenderedSST2", "SQuAD", "SST2", "WIDERFace", "Caltech256", "Semeion", "Flowers102", "USPS", "ImageFolder",
         "CMUArctic", "YesNo")


def said(name, folder, usage):
    try:
        dataset = getattr(ds, f"{name}Dataset")(folder, **({"usage": usage} if usage else {}))
        return [len(row) for row in dataset.create_tuple_iterator(num_epochs=1)]
    except (RuntimeError, ValueError) as error:
        text = str(error)
        return type(error).__name__, text[max(text.find("[ERROR]"), 0):].split("\n")[0].replace(folder, "FOLDER")


@case(each={"name": NAMES})
def test_an_empty_folder(name):
    with tempfile.TemporaryDirectory() as folder:
        return [said(name, os.path.realpath(folder), usage) for usage in (None, "train", "test", "valid", "all", "dev", "val")
                if usage is None or "usage" in inspect.signature(getattr(ds, f"{name}Dataset").__init__).parameters]
