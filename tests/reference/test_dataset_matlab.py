"""Published sets whose labels are MATLAB's files: SVHN, Caltech 101, Flowers 102, SBD."""

import os
import tempfile

import mindspore.dataset as ds
import numpy as np

from tests.reference.judge import case
from tests.reference.test_dataset_annotated import picture, read, written
from tests.reference.test_mindrecord import said


def matlab(path, **values):
    from scipy.io import savemat

    os.makedirs(os.path.dirname(path), exist_ok=True)
    savemat(path, values)


def plain(arguments):
    return {"shuffle": False} | arguments


def numbers(usage=None, **arguments):
    for seed, part in enumerate(("train", "test", "extra")):
        random = np.random.RandomState(seed)
        matlab(f"f/{part}_32x32.mat", X=random.randint(0, 256, (32, 32, 3, 3)).astype(np.uint8),
               y=np.array([[10], [1], [seed]], np.uint8))
    return read(ds.SVHNDataset("f", usage, **plain(arguments)))


@case(each={"usage": ["train", "test", "extra", "all", None, "x"]})
def test_svhn(usage):
    return said(lambda: numbers(usage))


def caltech(target=None, **arguments):
    for folder in ("Faces", "BACKGROUND_Google", "airplanes", "crab"):
        for n in (1, 2):
            picture(f"f/101_ObjectCategories/{folder}/image_000{n}.jpg", len(folder) + n)
    for folder in ("Faces_2", "Airplanes_Side_2", "crab"):
        for n in (1, 2):
            matlab(f"f/Annotations/{folder}/annotation_000{n}.mat",
                   obj_contour=np.arange(6.0).reshape(2, 3) + n)
    return read(ds.Caltech101Dataset("f", target, **plain(arguments)))


@case(each={"target": ["category", "annotation", "all", None, "x", 3]})
def test_caltech101(target):
    return said(lambda: (caltech(target), caltech(target, decode=True)))


def flowers(task="Classification", usage="all", **arguments):
    for n in range(1, 7):
        picture(f"f/jpg/image_0000{n}.jpg", n)
        picture(f"f/segmim/segmim_0000{n}.jpg", n + 20)
    matlab("f/imagelabels.mat", labels=np.array([[5, 1, 102, 7, 2, 3]], np.uint8))
    matlab("f/setid.mat", trnid=np.array([[2, 5]], np.uint16), valid=np.array([[1]], np.uint16),
           tstid=np.array([[6, 3, 4]], np.uint16))
    return read(ds.Flowers102Dataset("f", task, usage, **plain(arguments)))


@case(each={"task": ["Classification", "Segmentation", "x"], "usage": ["train", "valid", "test", "all", "x"]})
def test_flowers102(task, usage):
    return said(lambda: (flowers(task, usage), flowers(task, usage, decode=True)))


def borders(task="Boundaries", usage="all", **arguments):
    from scipy.sparse import csc_matrix

    for n in (1, 2, 3):
        picture(f"f/img/2008_00000{n}.jpg", n)
        kind = np.dtype([("Segmentation", "O"), ("Boundaries", "O"), ("CategoriesPresent", "O")])
        cuts = np.empty((20, 1), object)
        for i in range(20):
            cuts[i, 0] = csc_matrix((np.random.RandomState(i + n).rand(4, 5) < 0.3).astype(np.uint8))
        one = np.zeros((1, 1), kind)
        classes = np.random.RandomState(n).randint(0, 20, (4, 5)).astype(np.uint8)
        one[0, 0] = (classes, cuts, np.array([[n]], np.uint8))
        matlab(f"f/cls/2008_00000{n}.mat", GTcls=one)
    written("f/train.txt", "2008_000001\n2008_000003\n")
    written("f/val.txt", "2008_000002\n")
    written("f/train_noval.txt", "2008_000001\n")
    return read(ds.SBDataset("f", task, usage, **plain(arguments)))


@case(each={"task": ["Boundaries", "Segmentation", "x"],
            "usage": ["train", "val", "train_noval", "all", "x"]})
def test_sbd(task, usage):
    return said(lambda: (borders(task, usage), borders(task, usage, decode=True)))


@case
def test_the_names_of_flowers():
    flowers("Classification", "all")
    return ds.Flowers102Dataset("f", "Classification").get_class_indexing()


@case
def test_the_categories_of_caltech101_are_known():
    with tempfile.TemporaryDirectory() as folder:
        for name in ("101_ObjectCategories/zebra", "Annotations"):
            os.makedirs(os.path.join(folder, name))
        return ds.Caltech101Dataset(folder).get_class_indexing()
