"""More published sets of images, small ones of their layout: rows, their order, usages, bad input."""

import os
import struct

import mindspore.dataset as ds
import numpy as np
from PIL import Image

from tests.reference.judge import case
from tests.reference.test_dataset_annotated import picture, read, written
from tests.reference.test_dataset_recordings import any_order, quiet
from tests.reference.test_mindrecord import said


def pictures(*paths):
    for path in paths:
        picture(path, sum(path.encode()) % 999)


# ---- folders -----------------------------------------------------------------------------------------------


def lsun(usage=None, classes=None, **arguments):
    pictures(*(f"f/{name}_{part}/{n}.jpg" for name in ("bedroom", "classroom", "tower") for part in ("train", "val")
               for n in (1, 2)), "f/test/1.jpg", "f/test/2.jpg")
    return read(ds.LSUNDataset("f", usage, classes=classes, decode=True, **quiet(arguments)))


@case(each={"usage": ["train", "valid", "test", "all", None, "x"],
            "classes": [None, ["tower", "bedroom"]]})
def test_lsun(usage, classes):
    return said(lambda: lsun(usage, classes))


@case(each={"classes": ["tower", ["zoo"], 5, [5], ["kitchen"]]})
def test_lsun_classes(classes):
    return said(lambda: lsun("train", classes))


CARS = ("Car 0.00 0 -1.57 599.41 156.40 629.75 189.25 2.85 2.63 12.34 0.47 1.49 69.44 -1.56\n"
        "Pedestrian 0.50 2 1.25 1.5 2.5 3.5 4.5 1 2 3 4 5 6 0.5\n")
SEVERAL = CARS + "".join(f"{name} 0 1 0 1 2 3 4 1 1 1 1 1 1 0\n" for name in (
    "Van", "Truck", "Person_sitting", "Cyclist", "Tram", "Misc", "DontCare"))


def kitti(usage=None, text=SEVERAL, **arguments):
    pictures(*(f"f/data_object_image_2/{part}/image_2/00000{n}.png" for part in ("training", "testing")
               for n in (0, 1)))
    written("f/data_object_label_2/training/label_2/000000.txt", text)
    written("f/data_object_label_2/training/label_2/000001.txt", CARS)
    return read(ds.KITTIDataset("f", usage, **quiet(arguments)))


@case(each={"usage": ["train", "test", None, "x"]})
def test_kitti(usage):
    return said(lambda: (kitti(usage), kitti(usage, decode=True)))


@case(each={"text": ["", "Dog 0 1 0 1 2 3 4 1 1 1 1 1 1 0\n"]})
def test_kitti_labels(text):
    return said(lambda: kitti(text=text))


def sun(**arguments):
    pictures("f/a/abbey/sun_one.jpg", "f/a/abbey/sun_two.jpg", "f/b/balcony/exterior/sun_one.jpg")
    written("f/ClassName.txt", "/a/abbey\n/b/balcony/exterior\n")
    return any_order(read(ds.SUN397Dataset("f", **quiet(arguments))))


SUN = {"plain": sun, "decoded": lambda: sun(decode=True),
       "no names": lambda: (sun(), os.remove("f/ClassName.txt"), read(ds.SUN397Dataset("f")))[0],
       "no folder": lambda: ds.SUN397Dataset("zz"),
       "no class": lambda: (sun(), os.rename("f/b/balcony", "f/b/x"), any_order(read(ds.SUN397Dataset("f"))))[2],
       "png": lambda: (sun(), os.rename("f/a/abbey/sun_one.jpg", "f/a/abbey/sun_one.png"), any_order(read(ds.SUN397Dataset("f"))))[2]}


@case(each={"name": list(SUN)})
def test_sun397(name):
    return said(SUN[name])


def captioned(captions="a cat\na dog \n", **arguments):
    pictures("f/sbu_images/m_3326_3596303505_3ce4c20529.jpg", "f/sbu_images/m_2522_4182181099_c3c23ab1cc.jpg")
    written("f/SBU_captioned_photo_dataset_urls.txt",
            "http://static.flickr.com/3326/3596303505_3ce4c20529.jpg\n"
            "http://static.flickr.com/2522/4182181099_c3c23ab1cc.jpg\n")
    written("f/SBU_captioned_photo_dataset_captions.txt", captions)
    return read(ds.SBUDataset("f", **quiet(arguments)))


@case(each={"captions": ["a cat\na dog \n", " a  b  \n\td\t\n", "only one\n", "", "a\nb\nc\n"]})
def test_sbu(captions):
    return said(lambda: (captioned(captions), captioned(captions, decode=True)))


def places(usage=None, small=True, decode=False, text="/a/airfield/00001.jpg 0\n/b/beach/00002.jpg 48\n",
           **arguments):
    names = ("a/airfield/00001.jpg", "b/beach/00002.jpg")
    for size in ("256", "large"):
        for kind in ("standard", "challenge"):
            pictures(*(f"f/data_{size}_{kind}/{name}" for name in names))
        pictures(f"f/val_{size}/Places365_val_00000001.jpg", f"f/val_{size}/Places365_val_00000002.jpg")
    for kind in ("standard", "challenge"):
        written(f"f/places365_train_{kind}.txt", text)
        written(f"f/places365_train-{kind}.txt", text)
    written("f/places365_val.txt", "Places365_val_00000002.jpg 7\nPlaces365_val_00000001.jpg 3\n")
    written("f/categories_places365.txt", "/a/airfield 0\n/b/beach 48\n")
    return read(ds.Places365Dataset("f", usage, small, decode, **quiet(arguments)))


@case(each={"usage": ["train-standard", "train-challenge", "val", None, "x"], "small": [True, False, 1]})
def test_places365(usage, small):
    return said(lambda: places(usage, small))


@case(each={"text": ["", "/a/airfield/00001.jpg\n", "/a/airfield/none.jpg 0\n", "/a/airfield/00001.jpg x\n"]})
def test_places365_lists(text):
    return said(lambda: places(text=text))


LISTS = {
    "lfw-names": "Ann_Bee\t2\nCy_Dee\t2\nEd_Eff\t2\n",
    "people": "2\n1\nAnn_Bee\t2\n2\nCy_Dee\t2\nEd_Eff\t1\n",
    "peopleDevTrain": "2\nAnn_Bee\t2\nCy_Dee\t1\n",
    "peopleDevTest": "1\nEd_Eff\t2\n",
    "pairs": "2\t1\nAnn_Bee\t1\t2\nCy_Dee\t1\tEd_Eff\t2\nCy_Dee\t1\t2\nAnn_Bee\t1\tEd_Eff\t1\n",
    "pairsDevTrain": "1\nAnn_Bee\t1\t2\nCy_Dee\t1\tEd_Eff\t2\n",
    "pairsDevTest": "1\nEd_Eff\t1\t2\nAnn_Bee\t2\tEd_Eff\t1\n",
}


def faces(task=None, usage=None, image_set=None, between="\t", **arguments):
    people = ("Ann_Bee", "Cy_Dee", "Ed_Eff")
    for folder in ("lfw", "lfw_funneled", "lfw-deepfunneled"):
        pictures(*(f"f/{folder}/{name}/{name}_000{n}.jpg" for name in people for n in (1, 2)))
    for name, text in LISTS.items():
        written(f"f/{name}.txt", text.replace("\t", between))
    return read(ds.LFWDataset("f", task, usage, image_set, **quiet(arguments)))


@case(each={"task": ["people", "pairs"]})
def test_lfw_between_spaces(task):
    return said(lambda: faces(task, between=" "))


@case(each={"task": ["people", "pairs", None, "x"], "usage": ["10fold", "train", "test", "all", None, "x"]})
def test_lfw(task, usage):
    return said(lambda: faces(task, usage))


@case(each={"image_set": ["original", "funneled", "deepfunneled", "x"]})
def test_lfw_image_sets(image_set):
    return said(lambda: (faces(image_set=image_set), faces(image_set=image_set, decode=True)))


WIDER = ("0--Parade/one.jpg\n2\n449 330 122 149 0 0 0 0 0 0 \n361 98 263 339 1 0 1 0 2 0 \n"
         "0--Parade/two.jpg\n0\n0 0 0 0 0 0 0 0 0 0 \n1--Hands/three.jpg\n1\n1 2 3 4 0 1 0 1 0 1 \n")


def wider(usage=None, text=WIDER, **arguments):
    for part in ("train", "val", "test"):
        pictures(*(f"f/WIDER_{part}/images/{name}.jpg" for name in ("0--Parade/one", "0--Parade/two",
                                                                    "1--Hands/three")))
    written("f/wider_face_split/wider_face_train_bbx_gt.txt", text)
    written("f/wider_face_split/wider_face_val_bbx_gt.txt", WIDER)
    written("f/wider_face_split/wider_face_test_filelist.txt", "0--Parade/two.jpg\n1--Hands/three.jpg\n")
    return read(ds.WIDERFaceDataset("f", usage, **quiet(arguments)))


@case(each={"usage": ["train", "valid", "test", "all", None, "x"]})
def test_wider_face(usage):
    return said(lambda: (wider(usage), wider(usage, decode=True)))


@case(each={"text": ["", "0--Parade/one.jpg\n", "0--Parade/none.jpg\n1\n1 2 3 4 0 1 0 1 0 1 \n"]})
def test_wider_face_lists(text):
    return said(lambda: wider("train", text))


# ---- packed ------------------------------------------------------------------------------------------------


def usps_files(train):
    full = " ".join(f"{n}:{value:.3f}" for n, value in enumerate(np.random.RandomState(0).rand(256) * 2 - 1, 1))
    written("f/usps", train.replace("full", full))
    written("f/usps.t", f"10 {full} \n1 {full} \n")


def usps(usage=None, train="6 1:-1 2:-0.631 256:0.5\n5 1:1\n", **arguments):
    usps_files(train)
    return read(ds.USPSDataset("f", usage, **quiet(arguments)))


@case(each={"usage": ["train", "test", "all", None, "x"]})
def test_usps(usage):
    return said(lambda: usps(usage, "6 full \n5 full \n"))


@case(each={"train": ["", "6 1:-1 2:-0.631 256:0.5 \n", "x full \n"]})
def test_usps_files(train):
    return said(lambda: usps("train", train))


LINES = {"no space": "6 full\n", "another": "6 full \nx\n", "letter": "6Q full \n", "below": "-3 full \n\n", "return": "6 full \r\n",
         "large": "99999999999 full \n", "no colon": "6 1 full \n", "no number": "6 1:x full \n", "label": "6\n"}


@case(each={"name": list(LINES)})
def test_usps_lines(name):
    train = LINES[name]
    return said(lambda: (usps_files(train), ds.USPSDataset("f", "train").get_dataset_size())), said(lambda: usps("train", train))


def numbered(data, kind, *axes):
    return struct.pack(">I", kind) + b"".join(struct.pack(">I", axis) for axis in axes) + data.tobytes()


def qmnist(usage=None, compat=True, count=3, **arguments):
    os.makedirs("f", exist_ok=True)
    for seed, (name, rows) in enumerate({"qmnist-train": count, "qmnist-test": count, "xnist": 2}.items()):
        random = np.random.RandomState(seed)
        with open(f"f/{name}-images-idx3-ubyte", "wb") as file:
            file.write(numbered(random.randint(0, 256, (rows, 28, 28)).astype(np.uint8), 0x803, rows, 28, 28))
        with open(f"f/{name}-labels-idx2-int", "wb") as file:
            file.write(numbered(random.randint(0, 9, (rows, 8)).astype(">i4"), 0xC02, rows, 8))
    return read(ds.QMnistDataset("f", usage, compat, **quiet(arguments)))


@case(each={"usage": ["train", "test", "test10k", "test50k", "nist", "all", None, "x"],
            "compat": [True, False]})
def test_qmnist(usage, compat):
    return said(lambda: qmnist(usage, compat))


@case(each={"usage": ["test10k", "test50k"]})
def test_qmnist_halves(usage):
    return said(lambda: qmnist(usage, False, 10002, num_samples=2)[1:])


CHANGES = {"empty": lambda data: b"", "short": lambda data: data[:6], "kind": lambda data: b"\0\0\1\1" + data[4:],
           "cut": lambda data: data[:-3], "more": lambda data: data + b"zzz", "axis": lambda data: data[:8] + b"\0\0\0\7" + data[12:],
           "count": lambda data: data[:4] + b"\0\0\0\2" + data[8:]}


def changed(path, change):
    with open(path, "rb") as file:
        data = change(file.read())
    with open(path, "wb") as file:
        file.write(data)


@case(each={"file": ["images-idx3-ubyte", "labels-idx2-int"], "name": list(CHANGES)})
def test_damaged_qmnist(file, name):
    return said(lambda: (qmnist("train"), changed(f"f/qmnist-train-{file}", CHANGES[name]),
                         read(ds.QMnistDataset("f", "train", shuffle=False)))[2])


URLS = {"short": "1.5\n", "other": "http://elsewhere.flickr.com/3326/3596303505_3ce4c20529.jpg\n", "blank": "\n",
        "joined": "http://static.flickr.com_3326/3596303505_3ce4c20529.jpg\n",
        "ends": "http://static.flickr.com/3326/3596303505_3ce4c20529.jpg\r\n"}


@case(each={"name": list(URLS)})
def test_damaged_sbu(name):
    last = "http://static.flickr.com/2522/4182181099_c3c23ab1cc.jpg\n"
    return said(lambda: (captioned(), written("f/SBU_captioned_photo_dataset_urls.txt", URLS[name] + last),
                         read(ds.SBUDataset("f", shuffle=False)))[2])


def tour(name="liberty", usage=None, info=None, matches=None, **arguments):
    random = np.random.RandomState(3)
    os.makedirs("f/liberty", exist_ok=True)
    for n in range(2):
        pixels = random.randint(0, 256, (1024, 1024)).astype(np.uint8)
        Image.fromarray(pixels).save(f"f/liberty/patches000{n}.bmp")
    written("f/liberty/info.txt", "".join(f"{i // 2} 0\n" for i in range(300)) if info is None else info)
    written("f/liberty/m50_100000_100000_0.txt",
            "0 0 0 1 0 0 0\n2 1 0 280 140 0 0\n" if matches is None else matches)
    return read(ds.PhotoTourDataset("f", name, usage, **quiet({"num_samples": 3} | arguments)))


TOUR = {"train": {}, "test": {"usage": "test"}, "x": {"usage": "x"}, "name": {"name": "x"},
        "none": {"name": "yosemite"}, "last": {"sampler": ds.SubsetSampler([0, 15, 16, 17, 255, 256, 299]),
                                               "num_samples": None, "shuffle": None},
        "few": {"info": "0 0\n1 0\n"}, "empty": {"info": ""}, "matches": {"usage": "test", "matches": ""},
        "odd": {"usage": "test", "matches": "0 0 0 1\n"}}


@case(each={"name": list(TOUR)})
def test_photo_tour(name):
    return said(lambda: tour(**TOUR[name]))


# ---- made up -----------------------------------------------------------------------------------------------


def fake(*args, **arguments):
    return read(ds.FakeImageDataset(*args, **quiet(arguments)))


FAKE = {"small": ((3, (4, 5, 3), 10, 0), {}), "classes": ((5, (2, 2, 3), 3, 7), {}),
        "large": ((2, (224, 224, 3)), {}), "seed": ((2, (2, 2, 1), 10, 12345), {}),
        "samples": ((9, (2, 2, 3)), {"num_samples": 2}), "none": ((0,), {}), "flat": ((2, (2, 2)), {}),
        "zero": ((2, (0, 2, 3)), {}), "classes 0": ((2, (2, 2, 3), 0), {}), "seed -1": ((2, (2, 2, 3), 5, -1), {}),
        "kind": (("2",), {}), "size": ((2, 5), {})}


@case(each={"name": list(FAKE)})
def test_fake_images(name):
    args, arguments = FAKE[name]
    return said(lambda: fake(*args, **arguments))


# ---- what is missing ---------------------------------------------------------------------------------------

MISSING = {"LJSpeech": {}, "KITTI": {}, "SBU": {}, "WIDERFace": {"usage": "train"}, "Places365": {}, "LFW": {},
           "QMnist": {"usage": "train"}, "USPS": {"usage": "train"}, "SpeechCommands": {"usage": "test"}}


def without(name):
    pictures("f/data_object_image_2/training/image_2/000000.png", "f/WIDER_train/images/a/x.jpg")
    # (The dataset's size, asked first, has MindSpore say it in other words.)
    return len(list(getattr(ds, f"{name}Dataset")("f", shuffle=False, **MISSING[name])))


@case(each={"name": list(MISSING)})
def test_files_that_are_missing(name):
    return said(lambda: without(name))


def drawn(seed, total_rows=3, schema=None, **arguments):
    """Rows of `RandomDataset`, each column as its dtype, shape and first element: a byte fills it."""
    ds.config.set_seed(seed)
    if schema is not None:
        columns, schema = schema, ds.Schema()
        for name, (kind, *shape) in columns.items():
            schema.add_column(name, kind, *shape)
    data = ds.RandomDataset(total_rows, schema, **{"num_parallel_workers": 1} | arguments)
    iterator = data.create_dict_iterator(num_epochs=2, output_numpy=True)
    return [[{name: (str(value.dtype), value.shape, value.ravel()[:1].tobytes().hex() if value.dtype != bool else
                     bool(value.ravel()[0])) for name, value in row.items()} for row in iterator] for _ in range(2)]


COLUMNS = {"a": ("int32", [2, 3]), "b": ("float16", []), "c": ("uint8", [-1, 2]), "d": ("bool", [2])}
DRAWN = {"columns": ((3, 4, COLUMNS), {}), "two of them": ((4, 4, COLUMNS), {"columns_list": ["d", "a"]}),
         "no such column": ((3, 4, COLUMNS), {"columns_list": ["z"]}), "any columns": ((8, 2), {}),
         "workers": ((3, 6, COLUMNS), {"num_parallel_workers": 2}), "any rows": ((30, None, {"a": ("int8", [1])}), {}),
         "shards": ((3, 4, COLUMNS), {"num_shards": 2, "shard_id": 0}), "samples": ((3, 4, COLUMNS), {"num_samples": 2}),
         "samples of any columns": ((8, 2), {"num_samples": 4}), "samples alone": ((8, None), {"num_samples": 3}),
         "shuffle": ((3, 4, COLUMNS), {"shuffle": True}), "text": ((3, 2, {"a": ("string", [2])}), {}),
         "-1 rows": ((3, -1, COLUMNS), {}), "kind": ((3, "x"), {}), "list": ((3, 3), {"columns_list": "a"})}


@case(each={"name": list(DRAWN)})
def test_random_rows(name):
    args, arguments = DRAWN[name]
    return said(lambda: drawn(*args, **arguments))
