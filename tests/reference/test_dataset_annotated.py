"""VOC, COCO, CelebA, Flickr, manifests and CLUE: rows, classes, and what is said of bad files."""

import json
import os

import mindspore.dataset as ds
import numpy as np
from PIL import Image

from tests.reference.judge import case
from tests.reference.test_mindrecord import said


def picture(path, seed=0):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    Image.fromarray(np.random.RandomState(seed).randint(0, 255, (4, 5, 3)).astype(np.uint8)).save(path, "PNG")


def written(path, text):
    os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
    with open(path, "w") as file:
        file.write(text if isinstance(text, str) else json.dumps(text))
    return path


def read(dataset, classes=False):
    """Columns, rows (of pictures their first and last bytes), and classes."""
    if "_meta-filename" in dataset.get_col_names():
        dataset = dataset.rename("_meta-filename", "name")
    rows = [[value if value.dtype != np.uint8 else (value.shape, value.ravel()[:3], value.ravel()[-3:])
             for value in row] for row in dataset.create_tuple_iterator(num_epochs=1, output_numpy=True)]
    found = dataset.get_col_names(), dataset.get_dataset_size(), rows
    return (*found, dataset.get_class_indexing()) if classes else found


# ---- VOC ---------------------------------------------------------------------------------------------------


def thing(name, box, more="<difficult>0</difficult><truncated>0</truncated>"):
    corners = "".join(f"<{part}>{at}</{part}>" for part, at in zip(("xmin", "ymin", "xmax", "ymax"), box,
                                                                   strict=True))
    return f"<object><name>{name}</name>{more}<bndbox>{corners}</bndbox></object>"


HARD = "<pose>x</pose><truncated>0</truncated><difficult>1</difficult>"
CUT = "<difficult>0</difficult><truncated>1</truncated>"
THINGS = {"a": thing("dog", (1, 2, 3, 4), HARD) + thing("cat", (1.5, 1, 4, 4), CUT),
          "b": thing("bird", (1, 1, 2, 2)), "c": thing("dog", (2, 2, 5, 4))}


def voc(xml=None, names="c\nb\na\n", classes=True, **arguments):
    for seed, name in enumerate("abc"):
        picture(f"voc/JPEGImages/{name}.jpg", seed)
        picture(f"voc/SegmentationClass/{name}.png", seed + 5)
        written(f"voc/Annotations/{name}.xml", f"<annotation>{THINGS[name]}</annotation>")
    if xml is not None:
        written("voc/Annotations/a.xml", xml)
    for folder in ("Main", "Segmentation"):
        written(f"voc/ImageSets/{folder}/train.txt", names)
    arguments = {"task": "Detection", "shuffle": False} | arguments
    return read(ds.VOCDataset("voc", **arguments), classes)


def of(text):
    return f"<annotation>{text}</annotation>"


VOC = {
    "boxes": lambda: voc(), "decoded": lambda: voc(decode=True), "names": lambda: voc(extra_metadata=True),
    "classes": lambda: voc(class_indexing={"cat": 4, "bird": 9}),
    "no-class": lambda: voc(class_indexing={"x": 1}),
    "masks": lambda: voc(task="Segmentation", classes=False),
    "masks-decoded": lambda: voc(task="Segmentation", classes=False, decode=True, extra_metadata=True),
    "masks-classes": lambda: voc(task="Segmentation"), "no-marks": lambda: voc(of(thing("dog", (1, 1, 2, 2),
                                                                                        ""))),
    "shard": lambda: voc(num_shards=2, shard_id=1), "samples": lambda: voc(num_samples=2),
    "broken": lambda: voc("zz"), "no-object": lambda: voc(of("")), "no-root": lambda: voc("<x></x>"),
    "no-box": lambda: voc(of("<object><name>a</name></object>")),
    "box-turned": lambda: voc(of(thing("dog", (5, 5, 1, 1)))), "box-text": lambda: voc(of(thing("dog", ("q",
                                                                                                        1, 2,
                                                                                                        2)))),
    "box-zero": lambda: voc(of(thing("dog", (0, 0, 0, 0)))), "no-name": lambda: voc(of(thing("", (1, 1, 2,
                                                                                                  2)))),
    "no-xml": lambda: voc(names="zz\n"), "no-image": lambda: voc(names="zz\n", task="Segmentation"),
    "no-list": lambda: voc(usage="test"), "task": lambda: voc(task="Seg"), "task-kind": lambda: voc(task=5),
    "classes-masks": lambda: voc(task="Segmentation", class_indexing={"a": 1}),
    "decrypt": lambda: voc(decrypt=5), "class-kind": lambda: voc(class_indexing=[1]),
}


@case(each={"name": list(VOC)})
def test_voc(name):
    return said(VOC[name])


# ---- COCO --------------------------------------------------------------------------------------------------


IMAGES = [{"id": number, "file_name": name} for number, name in ((5, "b.jpg"), (3, "a.jpg"), (9, "c.jpg"), (1,
                                                                                                            "d"))]
CATEGORIES = [{"id": 7, "name": "dog", "isthing": 0}, {"id": 2, "name": "cat", "isthing": 1}]


def annotations():
    return [{"id": 1, "image_id": 9, "category_id": 7, "bbox": [1, 2, 3, 4.5], "iscrowd": 0,
             "segmentation": [[1, 2, 3, 4], [5, 6, 7, 8, 9, 10]], "num_keypoints": 2, "keypoints": [1, 1, 2,
                                                                                                    3, 4, 0]},
            {"id": 2, "image_id": 5, "category_id": 2, "bbox": [5, 6, 7, 8], "iscrowd": 1,
             "segmentation": {"counts": [3, 2, 5], "size": [2, 5]}, "num_keypoints": 1, "keypoints": [1, 1,
                                                                                                      2]},
            {"id": 3, "image_id": 9, "category_id": 2, "bbox": [0, 0, 1, 1], "iscrowd": 0,
             "segmentation": [[1.5, 2, 3, 4]], "num_keypoints": 0, "keypoints": [0, 0, 0]},
            {"id": 4, "image_id": 3, "category_id": 7, "bbox": [0, 0, 1, 2], "iscrowd": 0,
             "segmentation": [[1, 1, 2, 2]], "num_keypoints": 1, "keypoints": [0, 0, 2]}]


SEGMENTS = [{"image_id": 9, "file_name": "c.jpg", "segments_info": [
                {"id": 1, "category_id": 7, "bbox": [1, 2, 3, 4], "area": 5, "iscrowd": 0},
                {"id": 2, "category_id": 2, "bbox": [0, 0, 1, 1], "area": 6, "iscrowd": 1}]},
            {"image_id": 3, "file_name": "a.jpg", "segments_info": [
                {"id": 1, "category_id": 7, "bbox": [1, 1, 1, 1], "area": 7, "iscrowd": 0}]}]
CAPTIONS = [{"image_id": 9, "id": 1, "caption": "one"}, {"image_id": 5, "id": 2, "caption": "two"},
            {"image_id": 9, "id": 3, "caption": "three"}]


def coco(change=None, content=None, classes=False, **arguments):
    for seed, image in enumerate(IMAGES):
        picture(f"coco/{image['file_name']}", seed)
    whole = {"images": [dict(image) for image in IMAGES], "annotations": content or annotations(),
             "categories": [dict(category) for category in CATEGORIES]}
    if change is not None:
        change(whole)
    arguments = {"shuffle": False} | arguments
    return read(ds.CocoDataset("coco", written("coco.json", whole), **arguments), classes)


def first(name, *value):
    """A change of the first annotation: without a field, or with another value."""
    def change(whole):
        if value:
            whole["annotations"][0][name] = value[0]
        else:
            del whole["annotations"][0][name]
    return change


COCO = {
    "boxes": lambda: coco(classes=True), "decoded": lambda: coco(decode=True, extra_metadata=True),
    "polygons": lambda: coco(task="Stuff"), "points": lambda: coco(task="Keypoint"),
    "panoptic": lambda: coco(content=SEGMENTS, task="Panoptic", classes=True),
    "captions": lambda: coco(content=CAPTIONS, task="Captioning", extra_metadata=True),
    "shard": lambda: coco(num_shards=2, shard_id=0), "short-box": lambda: coco(first("bbox", [1, 2])),
    "no-crowd": lambda: coco(first("iscrowd")), "classes": lambda: coco(task="Stuff", classes=True),
    **{f"no-{name}": lambda name=name: coco(lambda whole: whole.pop(name))
       for name in ("images", "annotations", "categories")},
    **{f"no-{name}": lambda name=name: coco(first(name)) for name in ("bbox", "image_id", "id",
                                                                      "category_id")},
    "no-segmentation": lambda: coco(first("segmentation"), task="Stuff"),
    "category": lambda: coco(first("category_id", 99)), "image": lambda: coco(first("image_id", 99)),
    "category-id": lambda: coco(lambda whole: whole["categories"][0].pop("id")),
    "file": lambda: coco(lambda whole: whole["images"][0].update(file_name="q.jpg")),
    "nothing": lambda: coco(lambda whole: whole["annotations"].clear()), "task": lambda: coco(task="x"),
    "sampler": lambda: coco(sampler=ds.PKSampler(1), shuffle=None), "decode-kind": lambda: coco(decode=5),
}


@case(each={"name": list(COCO)})
def test_coco(name):
    return said(COCO[name])


# ---- CelebA, Flickr, manifests, CLUE -----------------------------------------------------------------------


def celeba(head="6", rows=range(6), partition=True, **arguments):
    marks = [" ".join("1" if (row + k) % 3 == 0 else "-1" for k in range(40)) for row in range(9)]
    for row in range(6):
        picture(f"celeba/{row}.jpg", row)
    written("celeba/list_attr_celeba.txt", f"{head}\n{' '.join('A' * 40)}\n" + "".join(
        f"{row}.jpg {marks[row]}\n" for row in rows))
    if partition:
        written("celeba/list_eval_partition.txt", "".join(f"{row}.jpg {row % 3}\n" for row in range(6)))
    arguments = {"shuffle": False} | arguments
    return read(ds.CelebADataset("celeba", **arguments))


def shuffled():
    ds.config.set_seed(3)
    return celeba(shuffle=True)


CELEBA = {"all": lambda: celeba(), "train": lambda: celeba(usage="train", decode=True),
          "test": lambda: celeba(usage="test", num_samples=1), "shuffled": shuffled,
          "endings": lambda: celeba(extensions=[".jpg"]), "head": lambda: celeba("x"),
          "no-file": lambda: celeba("2", rows=(1, 8)), "no-partition": lambda: celeba(partition=False,
                                                                                      usage="train"),
          "usage": lambda: celeba(usage="z"), "endings-kind": lambda: celeba(extensions="a"),
          "sampler": lambda: celeba(sampler=ds.PKSampler(1), shuffle=None)}


@case(each={"name": list(CELEBA)})
def test_celeba(name):
    return said(CELEBA[name])


def flickr(text=None, **arguments):
    for number in range(3):
        picture(f"images/{number}.jpg", number)
    written("tokens", "".join(f"{n}.jpg#{k}\tcap {n} {k} .\n" for n in (2, 0,
                                                                        1) for k in range(2 if n else 3))
            if text is None else text)
    return read(ds.FlickrDataset("images", "tokens", shuffle=False, **arguments))


FLICKR = {"bytes": lambda: flickr(), "decoded": lambda: flickr(decode=True),
          "tabs": lambda: flickr("0.jpg#0\tx\ty\n"),
          "no-end": lambda: flickr("0.jpg#0\tx\n0.jpg#1\tz"), "no-tab": lambda: flickr("zz\n"),
          "nothing": lambda: flickr(""), "no-caption": lambda: flickr("0.jpg#0\t\n"),
          "no-file": lambda: flickr("9.jpg#0\tx\n"), "returns": lambda: flickr("0.jpg#0\tx\r\n1.jpg#0\ty\r\n"),
          "no-image": lambda: flickr_after(b"xPNG"), "bitmap": lambda: flickr_after(b"BM"), "tiny": lambda: flickr_after(b"\x89", 1)}


def flickr_after(start, length=None):
    """`flickr` where an image begins with these bytes, or is so long."""
    flickr()
    with open("images/1.jpg", "rb") as file:
        data = start + file.read()[len(start):length]
    with open("images/1.jpg", "wb") as file:
        file.write(data)
    return read(ds.FlickrDataset("images", "tokens", shuffle=False))


@case(each={"name": list(FLICKR)})
def test_flickr(name):
    return said(FLICKR[name])


def line(number, usage, *names):
    picture(f"images/{number}.jpg", number)
    return {"source": f"images/{number}.jpg", "usage": usage,
            "annotation": [{"name": name} for name in names]}


def manifest(*lines, **arguments):
    lines = lines or (line(0, "train", "dog"), line(1, "train", "cat"), line(2, "eval", "cat"),
                      line(3, "train", "dog", "ant"))
    written("manifest", "".join((one if isinstance(one, str) else json.dumps(one)) + "\n" for one in lines))
    return read(ds.ManifestDataset("manifest", shuffle=False, **arguments), True)


MANIFEST = {
    "train": lambda: manifest(), "eval": lambda: manifest(usage="eval", decode=True),
    "classes": lambda: manifest(class_indexing={"dog": 7}), "no-label": lambda: manifest(line(0, "train")),
    "empty": lambda: read(ds.ManifestDataset(written("manifest", ""))),
    "usage": lambda: manifest(usage="test"),
    "usage-kind": lambda: manifest(usage=5),
    "no-usage": lambda: manifest({"source": "x"}), "no-class": lambda: manifest(class_indexing={"z": 1}),
    "no-source": lambda: manifest({"usage": "train", "annotation": [{"name": "a"}]}),
    "no-name": lambda: manifest(line(0, "train") | {"annotation": [{"type": "a"}]}),
    "no-file": lambda: manifest({"source": "q.jpg", "usage": "train", "annotation": [{"name": "a"}]}),
}


def manifest_of(content, **arguments):
    """A manifest whose first picture is a file of these bytes."""
    first, second = line(0, "train", "cat"), line(1, "train", "dog")
    with open("images/0.jpg", "wb") as file:
        file.write(content)
    return manifest(first, second, **arguments)


MANIFEST |= {name: lambda content=content: (manifest_of(content), manifest_of(content, decode=True))
             for name, content in {"a text": b"hello", "a letter": b"h", "tiff": b"II*\0abcd"}.items()}
MANIFEST |= {name: lambda content=content: manifest_of(content, decode=True)
             for name, content in {"bitmap's head": b"BMxyz", "jpeg's head": b"\xff\xd8\xff"}.items()}
MANIFEST["folder"] = lambda: manifest(line(0, "train", "cat") | {"source": "images"})


@case(each={"name": list(MANIFEST)})
def test_manifests(name):
    return said(MANIFEST[name])


PAIR = {"sentence1": "a é", "sentence2": "b"}
SPANS = {"target": {"span2_index": 37, "span1_index": 5, "span1_text": "x", "span2_text": "y"}, "idx": 3,
         "text": "t"}
CLUE = {"AFQMC": {**PAIR, "label": "0", "id": 1}, "CMNLI": {**PAIR, "label": "neutral", "id": 1},
        "CSL": {"id": 1, "abst": "x", "keyword": ["p", "qq"], "label": "1"},
        "IFLYTEK": {"label": "11", "label_des": "d", "sentence": "s", "id": 2},
        "TNEWS": {"label": "102", "label_desc": "n", "sentence": "s", "keywords": "k", "id": 2},
        "WSC": {**SPANS, "label": "false"}}


@case(each={"task": list(CLUE), "usage": ["train", "eval", "test"]})
def test_clue(task, usage):
    def rows():
        written("f", json.dumps(CLUE[task]) + "\n\n" + json.dumps(CLUE[task]) + "\n")
        return read(ds.CLUEDataset("f", task=task, usage=usage, shuffle=False))

    return said(rows)


def clue(text, **arguments):
    return read(ds.CLUEDataset(written("f", text), shuffle=False, **arguments))


BAD = {"key": lambda: clue("{}"), "test": lambda: clue({**PAIR, "label": "0"}, usage="test"),
       "number": lambda: clue({**PAIR, "sentence2": 5, "label": "0"}), "task": lambda: clue("{}", task="X"),
       "usage": lambda: clue("{}", usage="X"), "no-file": lambda: ds.CLUEDataset("zz"),
       "nothing": lambda: ds.CLUEDataset([])}


@case(each={"name": list(BAD)})
def test_bad_clue(name):
    return said(BAD[name])


@case
def test_clue_in_random_order():
    def rows():
        for name in "fg":
            written(name, "".join(json.dumps({**PAIR, "label": f"{name}{k}"}) + "\n" for k in range(7)))
        ds.config.set_seed(2)
        return [[str(row[0]) for row in ds.CLUEDataset(["f", "g"], num_parallel_workers=1)
                 .create_tuple_iterator(num_epochs=1, output_numpy=True)]]

    return said(rows)


def no_key(path):
    raise KeyError(path[-5:])


def content(path):
    with open(path, "rb") as file:
        return file.read()


DECRYPTS = {"text": lambda path: "x", "nothing": lambda path: None, "raises": no_key, "bytes": content,
            "array": lambda path: bytearray(content(path)), "no bytes": lambda path: b""}


def folder(**arguments):
    picture("folder/a/0.png")
    return read(ds.ImageFolderDataset("folder", shuffle=False, **arguments))


def celebrities(**arguments):
    picture("celeba/0.png")
    written("celeba/list_attr_celeba.txt", "1\nx y\n0.png 1 -1\n")
    return read(ds.CelebADataset("celeba", shuffle=False, **arguments))


@case(each={"classes": [("a",), ("a", "z")]})
def test_classes_of_folders(classes):
    def counted():
        picture("folder/a/0.png")
        picture("folder/b/0.png")
        return ds.ImageFolderDataset("folder", class_indexing=dict.fromkeys(classes, 3)).num_classes()

    return said(counted)


@case(each={"decrypt": list(DECRYPTS), "decode": [True, False]})
def test_decrypting(decrypt, decode):
    arguments = {"decrypt": DECRYPTS[decrypt], "decode": decode}
    return said(lambda: folder(**arguments)), said(lambda: celebrities(**arguments))
