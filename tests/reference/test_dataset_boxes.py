"""Transforms of images with their bounding boxes, blur, hue, colour spaces: by streams and to the bit."""

import zlib

import mindspore.dataset as ds
import mindspore.dataset.vision as V
import numpy as np
from mindspore.dataset.vision import Inter

from tests.reference.judge import case
from tests.reference.test_dataset_pipeline import said

RANDOM = np.random.RandomState(0)
IMAGE = RANDOM.randint(0, 256, (24, 31, 3)).astype(np.uint8)
FLOAT = RANDOM.rand(12, 11, 3).astype(np.float32)
BOXES = [[2, 3, 10, 12], [5, 1, 20, 15], [0, 0, 5, 5], [10, 10, 6, 6]]
TRANSFORMS = {
    "crop": lambda: V.RandomCropWithBBox((12, 14)),
    "crop-padded": lambda: V.RandomCropWithBBox((12, 14), (2, 3, 4, 5), fill_value=(1, 2, 3)),
    "crop-if-needed": lambda: V.RandomCropWithBBox((20, 50), None, True, 0, V.Border.REFLECT),
    "crop-both": lambda: V.RandomCropWithBBox((40, 50), (2, 3, 4, 5), True),
    "horizontal": lambda: V.RandomHorizontalFlipWithBBox(0.5),
    "vertical": lambda: V.RandomVerticalFlipWithBBox(0.5),
    "resize": lambda: V.ResizeWithBBox((12, 14)),
    "resize-shorter": lambda: V.ResizeWithBBox(50),
    "random-resize": lambda: V.RandomResizeWithBBox((12, 14)),
    "resized-crop": lambda: V.RandomResizedCropWithBBox((12, 14)),
    "resized-crop-all": lambda: V.RandomResizedCropWithBBox(
        (12, 14), (0.3, 0.9), (0.5, 2.0), Inter.NEAREST, 2
    ),
    "augment": lambda: V.BoundingBoxAugment(V.RandomRotation(40), 0.6),
    "augment-crop": lambda: V.BoundingBoxAugment(V.RandomCrop(4), 0.9),
    "augment-size": lambda: V.BoundingBoxAugment(V.Resize((3, 7)), 1.0),
    "augment-scale": lambda: V.BoundingBoxAugment(V.Rescale(1.5, -3.0), 1.0),
    "augment-some": lambda: V.BoundingBoxAugment(V.RandomHorizontalFlip(1), 0.3),
}


def flow(transform, seed, count=6, boxes=BOXES, dtype=np.float32):
    """Rows of a pipeline: the image's shape and checksum, and the boxes."""
    ds.config.set_seed(seed)
    columns = {"image": np.stack([IMAGE] * count), "boxes": np.stack([np.array(boxes, dtype)] * count)}
    data = ds.NumpySlicesDataset(columns, shuffle=False).map(
        transform, ["image", "boxes"], num_parallel_workers=1
    )
    return [
        [*row["image"].shape, zlib.crc32(np.ascontiguousarray(row["image"])), row["boxes"]]
        for row in data.create_dict_iterator(1, output_numpy=True)
    ]


@case(each={"what": list(TRANSFORMS), "seed": [1, 2]})
def test_boxes(what, seed):
    return flow(TRANSFORMS[what](), seed)


WRONG = {
    "short": [[2, 3, 10]],
    "outside": [[2, 3, 100, 12]],
    "negative": [[-2, 3, 10, 12]],
    "flat": [2, 3, 10, 12],
}


@case(each={"what": list(WRONG)})
def test_wrong_boxes(what):
    return said(lambda: flow(V.ResizeWithBBox((12, 14)), 1, 1, WRONG[what]))


@case(each={"box": [[2, 3, 0.9, 4], [2.5, 3, 1.4, 4], [2, 3, 4, 0.2]]})
def test_a_box_narrower_than_a_pixel(box):
    return said(lambda: flow(V.BoundingBoxAugment(V.Invert(), 1.0), 1, 1, [box]))


@case
def test_boxes_of_another_type_and_boxes_with_more_in_a_row():
    return (
        said(lambda: flow(V.ResizeWithBBox((12, 14)), 1, 1, BOXES, np.int32)),
        flow(V.ResizeWithBBox((12, 14)), 1, 1, [[*box, 7, 8] for box in BOXES]),
        V.ResizeWithBBox((12, 14))(IMAGE, np.array(BOXES, np.float32))[1],
    )


KERNELS = [1, 3, 5, 9, (3, 5), (7, 1), (3, 11)]


@case(each={"sigma": [None, 1.0, 2.5, (1.0, 3.0), (0, 2.0), (0.0, 0.0)]})
def test_blur_of_whole_numbers(sigma):
    wide = IMAGE.astype(np.uint16) * 200
    return (
        [zlib.crc32(V.GaussianBlur(kernel, sigma)(IMAGE)) for kernel in KERNELS],
        V.GaussianBlur(5, sigma)(IMAGE[..., 0]),
        V.GaussianBlur(5, sigma)(wide[:4]),
        V.GaussianBlur(5, sigma)(IMAGE[:4].astype(np.int16)),
    )


@case(each={"dtype": ["float32", "float64"]}, rtol=1e-6, reason="the order of the sum")
def test_blur_of_floats(dtype):
    return V.GaussianBlur(5, 1.3)(FLOAT.astype(dtype))


@case
def test_hues_of_bytes():
    colours = np.random.RandomState(7).randint(0, 256, (60, 60, 3)).astype(np.uint8)
    colours[0] = colours[0, :, :1]
    return [zlib.crc32(V.AdjustHue(hue)(colours)) for hue in np.linspace(-0.5, 0.5, 21).tolist()]


def drawn(transform, seed):
    ds.config.set_seed(seed)
    data = ds.NumpySlicesDataset({"x": [IMAGE] * 8}, shuffle=False).map(
        transform, ["x"], num_parallel_workers=1
    )
    return [zlib.crc32(row["x"]) for row in data.create_dict_iterator(1, output_numpy=True)]


@case(each={"seed": [1, 2, 3]})
def test_streams_of_colours_and_holes(seed):
    return [
        drawn(transform, seed)
        for transform in (
            V.RandomColorAdjust((0.5, 1.5), (0.5, 1.5), (0.5, 1.5), (-0.3, 0.3)),
            V.RandomColorAdjust(hue=0.2),
            V.CutOut(7, 3),
            V.CutOut(5),
        )
    ]


@case
def test_colour_spaces_of_doubles():
    images = np.random.RandomState(1).rand(2, 3, 5, 6)
    images[0, :, 0] = 0.5
    images[1] = images[1].round()
    hsv = V.RgbToHsv()(images)
    return (
        hsv,
        V.HsvToRgb()(images),
        V.RgbToHsv(True)(images[0].transpose(1, 2, 0)),
        V.HsvToRgb(True)(images[1].transpose(1, 2, 0)),
        V.RgbToHsv()((images * 255).astype(np.uint8)),
    )


@case(each={"dtype": ["float32"]}, atol=1e-7, reason="MindSpore rounds some channels to float32, some not")
def test_colour_spaces_of_floats(dtype):
    image = np.random.RandomState(1).rand(3, 5, 6).astype(dtype)
    return V.RgbToHsv()(image), V.HsvToRgb()(image)


@case(each={"single": [True, False]})
def test_mixup_draws_from_numpy(single):
    np.random.seed(4)
    mix, images, labels = V.MixUp(4, 0.4, single), np.random.RandomState(2).rand(4, 3, 5, 5), np.eye(4)
    return [mix(images, labels) for _ in range(3)]


@case
def test_whitening():
    values = np.random.RandomState(3)
    return V.LinearTransformation(values.rand(12, 12), values.rand(12))(values.rand(3, 2, 2))


MISTAKES = {
    "hue": lambda: V.AdjustHue(0.6),
    "hue-kind": lambda: V.AdjustHue("a"),
    "hue-grey": lambda: V.AdjustHue(0.1)(IMAGE[..., 0]),
    "hue-int": lambda: V.AdjustHue(0.1)(IMAGE.astype(np.int32)),
    "kernel": lambda: V.GaussianBlur(2),
    "kernels": lambda: V.GaussianBlur((3, 4)),
    "kernel-none": lambda: V.GaussianBlur(0),
    "kernel-kind": lambda: V.GaussianBlur(3.0),
    "kernel-three": lambda: V.GaussianBlur((1, 3, 5)),
    "sigma": lambda: V.GaussianBlur(3, -1),
    "sigma-kind": lambda: V.GaussianBlur(3, "a"),
    "sigma-three": lambda: V.GaussianBlur(3, (1, 2, 3)),
    "rank": lambda: V.GaussianBlur(3)(np.zeros((1, 2, 3, 4), np.uint8)),
    "ratio": lambda: V.BoundingBoxAugment(V.RandomRotation(3), 2),
    "prob": lambda: V.RandomHorizontalFlipWithBBox(3),
    "size": lambda: V.ResizeWithBBox(-1),
    "sizes": lambda: V.ResizeWithBBox((1, 2, 3)),
    "crop": lambda: V.RandomCropWithBBox("a"),
    "scale": lambda: V.RandomResizedCropWithBBox((1, 2), (3, 1)),
    "random-size": lambda: V.RandomResizeWithBBox(0),
    "colour-hue": lambda: V.RandomColorAdjust(hue=0.7),
    "colour-hues": lambda: V.RandomColorAdjust(hue=(-0.6, 0.1)),
    "colour-negative": lambda: V.RandomColorAdjust(hue=-1),
    "colour-order": lambda: V.RandomColorAdjust((2, 1)),
    "colour-three": lambda: V.RandomColorAdjust((1, 2, 3)),
    "colour-kind": lambda: V.RandomColorAdjust("a"),
    "colour-below": lambda: V.RandomColorAdjust((-1, 1)),
    "degrees": lambda: V.RandomColor((-1, 1)),
    "degrees-kind": lambda: V.RandomColor(3),
    "degrees-four": lambda: V.RandomColor((1, 2, 3)),
    "crop-scale": lambda: V.RandomResizedCrop(4, (-1, 1)),
    "crop-ratio": lambda: V.RandomResizedCrop(4, ratio=(0, 1)),
    "mix-size": lambda: V.MixUp(0, 0.4),
    "mix-alpha": lambda: V.MixUp(2, -1.0),
    "mix-kind": lambda: V.MixUp(2, 1.0, 3),
    "tilt": lambda: V.RandomPerspective(2.0),
    "tilt-kind": lambda: V.RandomPerspective(1),
    "tilt-array": lambda: V.RandomPerspective()(IMAGE),
    "space": lambda: V.HsvToRgb(1),
    "space-rank": lambda: V.RgbToHsv()(FLOAT[0]),
    "space-channels": lambda: V.RgbToHsv()(FLOAT),
    "space-list": lambda: V.HsvToRgb()([1]),
    "whiten": lambda: V.LinearTransformation(np.ones((2, 3)), np.ones(2)),
    "whiten-mean": lambda: V.LinearTransformation(np.ones((2, 2)), np.ones(3)),
    "whiten-image": lambda: V.LinearTransformation(np.ones((2, 2)), np.ones(2))(FLOAT),
    "uniform": lambda: V.UniformAugment([3], 1),
}


@case(each={"what": list(MISTAKES)})
def test_mistakes(what):
    return said(lambda: MISTAKES[what]() and None)
