"""Which pipelines can be cached.

(What is read from a cache needs a server: tests/dataset/test_cache.py.)
"""

import mindspore.dataset as ds
import mindspore.dataset.transforms as transforms
import mindspore.dataset.vision as vision
import numpy as np
from PIL import Image

from tests.reference.judge import case
from tests.reference.test_mindrecord import said


def cache():
    return ds.DatasetCache(session_id=1, port=50099)


def images(**arguments):
    import os
    os.makedirs("images/a", exist_ok=True)
    Image.fromarray(np.zeros((3, 3, 3), np.uint8)).save("images/a/0.png")
    return ds.ImageFolderDataset("images", decode=True, **arguments)


def mapped(dataset, operation=None):
    operation = operation or transforms.Fill(1)
    return dataset.map(operation, dataset.get_col_names()[:1], cache=cache()).create_tuple_iterator()


PIPELINES = {
    "generator": lambda: mapped(ds.GeneratorDataset([1, 2], ["a"])),
    "numpy": lambda: mapped(ds.NumpySlicesDataset([1, 2], ["a"])),
    "batch": lambda: mapped(images().batch(1)), "filter": lambda: mapped(images().filter(lambda *row: True)),
    "skip": lambda: mapped(images().skip(1)), "take": lambda: mapped(images().take(1)),
    "repeat": lambda: mapped(images().repeat(2)), "concat": lambda: mapped(images() + images()),
    "zip": lambda: mapped(ds.zip((images(), ds.NumpySlicesDataset([1], ["z"])))),
    "random": lambda: mapped(images(), vision.RandomCrop((2, 2))),
    "random-python": lambda: mapped(images(), [vision.ToPIL(), vision.RandomGrayscale(), vision.ToTensor()]),
    "nested-source": lambda: mapped(images(cache=cache())),
    "nested-map": lambda: mapped(images().map(transforms.Fill(1), ["label"], cache=cache())),
    "batch-below-map": lambda: mapped(images().batch(1).map(transforms.Fill(1), ["label"])),
    "kind": lambda: str(images(cache=5)), "map-kind": lambda: str(images().map(transforms.Fill(1), cache=5)),
}


@case(each={"name": list(PIPELINES)})
def test_pipelines_that_cannot_be_cached(name):
    found = said(PIPELINES[name])
    return [str(found[0]), [line.replace("mindspore.", "").replace("ms2torch.", "") for line in found[1]]]
