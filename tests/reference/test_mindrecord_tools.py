"""Published data sets as MindRecord: the files, byte for byte, and what is said of sources that are not there."""

import gzip
import hashlib
import os
import pickle
import struct

import mindspore.dataset as ds
import numpy as np
from mindspore import mindrecord as mr

from tests.reference.judge import case
from tests.reference.test_mindrecord import folder, said

RANDOM = np.random.RandomState(3)


def pickled(name, content):
    with open(os.path.join("in", name), "wb") as file:
        pickle.dump(content, file, 4)


def cifar(count):
    return RANDOM.randint(0, 256, (count, 3072)).astype(np.uint8)


def cifar10():
    for name in ("data_batch_1", "test_batch"):
        pickled(name, {b"data": cifar(3), b"labels": [3, 1, 9]})
    mr.Cifar10ToMR("in", "out").transform(["label"])


def cifar100():
    for name in ("train", "test"):
        pickled(name, {b"data": cifar(3), b"fine_labels": [3, 1, 99], b"coarse_labels": [0, 1, 2]})
    mr.Cifar100ToMR("in", "out").transform()


def mnist(partitions=1):
    for part in ("train", "t10k"):
        with gzip.open(f"in/{part}-images-idx3-ubyte.gz", "wb") as file:
            images = RANDOM.randint(0, 256, (6, 28, 28)).astype(np.uint8)
            file.write(struct.pack(">4I", 0x803, *images.shape) + images.tobytes())
        with gzip.open(f"in/{part}-labels-idx1-ubyte.gz", "wb") as file:
            file.write(struct.pack(">2I", 0x801, 6) + bytes([5, 0, 9, 1, 2, 7]))
    mr.MnistToMR("in", "out", partitions).transform()


def imagenet(listing="dogs 7\ncats 2\nbirds 5\n"):
    for name in ("dogs/a.jpg", "cats/b.JPEG", "cats/c.png", "cats/empty.jpg"):
        os.makedirs(os.path.dirname(f"in/{name}"), exist_ok=True)
        with open(f"in/{name}", "wb") as file:
            file.write(b"" if "empty" in name else name.encode() * 20)
    with open("map", "w") as file:
        file.write(listing)
    mr.ImageNetToMR("map", "in", "out").transform()


def made(function, *args):
    """Hashes of the files that a conversion makes, without their indices, and the rows of the first."""
    with folder():
        os.mkdir("in")
        function(*args)
        names = sorted(name for name in os.listdir() if name.startswith("out") and not name.endswith(".db"))
        hashes = []
        for name in names:
            with open(name, "rb") as file:
                hashes.append(hashlib.sha256(file.read()).hexdigest())
        rows = ds.MindDataset(names[0], shuffle=False).create_dict_iterator(num_epochs=1, output_numpy=True)
        return names, hashes, [{key: str(value) if value.dtype.kind in "US" else value
                                for key, value in row.items()} for row in rows]


MADE = {"cifar10": (cifar10,), "cifar100": (cifar100,), "mnist": (mnist,), "mnist-2": (mnist, 2),
        "imagenet": (imagenet,)}


@case(each={"name": list(MADE)})
def test_files(name):
    RANDOM.seed(3)
    return made(*MADE[name])


def not_cifar():
    os.mkdir("in")
    for name in ("data_batch_1", "test_batch"):
        pickled(name, {b"data": os.system, b"labels": []})
    mr.Cifar10ToMR("in", "out").transform()


def none_of(listing):
    os.mkdir("in")
    imagenet(listing)


WRONG = {
    "no-batches": lambda: (os.mkdir("in"), mr.Cifar10ToMR("in", "out")),
    "no-test": lambda: (os.mkdir("in"), pickled("data_batch_1", 1), mr.Cifar10ToMR("in", "out")),
    "no-cifar100": lambda: (os.mkdir("in"), mr.Cifar100ToMR("in", "out")),
    "code-in-a-pickle": not_cifar,
    "empty-name": lambda: mr.Cifar10ToMR("", "out"),
    "partitions": lambda: mr.ImageNetToMR("map", "in", "out", 2.5),
    "no-partitions": lambda: mr.MnistToMR("in", "out", None),
    "no-map": lambda: mr.ImageNetToMR("map", "in", "out").transform(),
    "no-folders": lambda: none_of("fish 3\n"),
    "no-mnist": lambda: mr.MnistToMR("in", "out").transform(),
}


@case(each={"name": list(WRONG)})
def test_wrong(name):
    return said(WRONG[name])
