"""The functions of mindspore.dataset.vision.py_transforms_util: what they make of a PIL image, an image in greys, an array."""

import io
import os
import random
import tempfile
import zlib

import mindspore.dataset.vision.py_transforms_util as util
import numpy as np
from mindspore.dataset.utils import imshow_det_bbox
from mindspore.dataset.vision import Border, Inter
from PIL import Image

from tests.reference.judge import case

CORNERS = [(0, 0), (39, 0), (39, 29), (0, 29)], [(3, 2), (36, 1), (35, 27), (2, 25)]
OF_IMAGES = [
    ("horizontal_flip",), ("vertical_flip",), ("random_horizontal_flip", 0.9), ("random_vertical_flip", 0.1), ("crop", 2, 3, 10, 12), ("resize", 20),
    ("resize", (17, 23), Inter.BICUBIC), ("center_crop", (9, 50)), ("random_resize_crop", (8, 9), (0.2, 1.0), (0.7, 1.3), Inter.BICUBIC, 3),
    ("random_crop", (50, 20), (2, 3), True, [1, 2, 3], "reflect"), ("random_crop", (20, 20), 4, True, (1, 2, 3), Border.EDGE),
    ("random_crop", 90, None, False, 0, "constant"), ("adjust_brightness", 1.3), ("adjust_contrast", 1.3), ("adjust_saturation", 0.3), ("adjust_hue", -0.3),
    ("adjust_hue", 0.7), ("adjust_gamma", 1.4, 1), ("rotate", -30.0, 2, True, (3, 4), [9, 8, 7]), ("rotate", 91, Inter.ANTIALIAS, False, None, 0),
    ("random_rotation", (10, 20), 0, True, None, (1, 2, 3)), ("random_rotation", -3, 0, True, None, 0), ("random_color_adjust", 0.4, 0.3, 0.2, 0.1),
    ("random_lighting", 0.1), ("five_crop", 9), ("ten_crop", (5, 6), True), ("grayscale", 3), ("grayscale", 2), ("pad", (1, 2, 3, 4), [4, 5, 6], "edge"),
    ("pad", 2, 0, "nonsense"), ("get_perspective_params", 0.5), ("perspective", *CORNERS), ("random_affine", (-20, 20), (0.1, 0.1), None, (1, 2, 3, 4), 3, 9),
    ("random_affine", (-20, 20), None, (0.8, 1.2), (-5, 5), Inter.BILINEAR), ("random_color", (0.1, 1.9)), ("random_sharpness", (0.1, 1.9)),
    ("auto_contrast", 5, [3]), ("invert_color",), ("equalize",), ("uniform_augment", [lambda x: x.rotate(9), lambda x: x.rotate(40)], 2), ("to_pil",),
    ("to_tensor", np.float32),
]
OF_ARRAYS = [
    ("normalize", [0.1, 0.2, 0.3], [0.5, 0.6, 0.7]), ("normalize", [0.1], [0.5], True, "float16"), ("normalize", [0.1, 0.2], [0.5, 0.3]),
    ("linear_transform", np.eye(216) * 2, np.arange(216.0)), ("get_erase_params", (0.1, 0.2), (0.3, 3.0), "random", False, 10),
    ("get_erase_params", (2, 3), (0.3, 3.0), 7, True, 2), ("get_erase_params", (0.1, 0.2), (0.3, 3.0), None, True, 2), ("erase", 1, 2, 3, 4, 9),
    ("rgb_to_bgr", True), ("rgb_to_bgrs", False), ("rgb_to_bgrs", 1), ("rgb_to_hsv", True), ("rgb_to_hsvs", False), ("hsv_to_rgb", False),
    ("hsv_to_rgbs", False), ("hsv_to_rgbs", 1), ("to_type", np.float16), ("to_type", "nonsense"), ("hwc_to_chw",), ("horizontal_flip",),
]


def told(result):
    if isinstance(result, (tuple, list)):
        return [told(one) for one in result]
    if isinstance(result, Image.Image):
        return [result.mode, *told(np.asarray(result))]
    if isinstance(result, np.ndarray):
        return [list(result.shape), str(result.dtype), zlib.crc32(np.ascontiguousarray(result).tobytes())]
    return result


def answers(image, calls):
    found = []
    for name, *arguments in calls:
        random.seed(3)
        np.random.seed(3)
        try:
            found.append([name, told(getattr(util, name)(image, *arguments))])
        except Exception as error:
            found.append([name, type(error).__name__, str(error)])
    return found


PICTURE = np.random.RandomState(0).randint(0, 256, (30, 40, 3)).astype(np.uint8)


@case(each={"mode": ["RGB", "L"]})
def test_of_images(mode):
    return answers(Image.fromarray(PICTURE).convert(mode), OF_IMAGES)


@case(each={"dtype": ["float32", "float64", "uint8"]})
def test_of_arrays(dtype):
    return answers((np.random.RandomState(1).rand(3, 8, 9) * (255 if dtype == "uint8" else 1)).astype(dtype), OF_ARRAYS)


@case()
def test_of_batches():
    images, labels = np.random.RandomState(1).rand(4, 3, 5, 6), np.eye(4)

    class Before:
        is_first, image, label = True, 0, 0

    np.random.seed(3)
    before, file = Before(), io.BytesIO()
    Image.fromarray(PICTURE).save(file, "PNG")
    return (told(util.mix_up_single(4, images, labels, 0.5)), told(util.mix_up_muti(before, 4, images, labels, 0.3)),
            told(util.mix_up_muti(before, 4, images, labels, 0.3)), before.is_first, told(before.image), told(util.rgb_to_hsvs(images, False)),
            told(util.hsv_to_rgbs(images, False)), told(util.decode(file.getvalue())), util.is_numpy(images), util.is_pil(images))


BOXES, LABELS = np.array([[5, 6, 20, 30], [30, 10, 40, 40]]), np.array([[0], [5]])
SCORED = np.array([[5, 6, 20, 30, 0.9], [30, 10, 40, 40, 0.3]], np.float32)
MASKS = np.arange(2 * 30 * 40).reshape(2, 30, 40) % 3 == 0
NAMES = ["cat", "dog"]


DRAWINGS = [
    ((BOXES, LABELS), {}), ((SCORED, LABELS), {"class_names": {0: "a", 5: "b"}, "score_threshold": 0.5}),
    ((SCORED, LABELS, MASKS), {"thickness": 1, "font_size": 0.4, "bbox_color": (1, 2, 3), "mask_color": (100, 50, 0)}), ((None, None, MASKS), {}),
    ((BOXES[:, :3], LABELS), {}), ((BOXES, LABELS[:1]), {}), ((BOXES, LABELS, MASKS[:1]), {}), ((BOXES, LABELS), {"class_names": None}),
    ((BOXES, LABELS), {"text_color": (1, 2)}), ((BOXES, LABELS), {"thickness": -1}), ((BOXES, LABELS), {"show": 1}), ((BOXES, LABELS), {"score_threshold": 0.5}),
    ((BOXES, LABELS), {"out_file": None}), ((BOXES, LABELS), {"out_file": 3}),
]


@case()
def test_boxes_in_a_picture():
    found = []
    with tempfile.TemporaryDirectory() as folder:
        file = os.path.join(folder, "a.png")
        for given, settings in DRAWINGS:
            try:
                drawn = imshow_det_bbox(PICTURE, *given, **{"class_names": NAMES, "show": False, "out_file": file, **settings})
                found.append([told(drawn), oct(os.stat(file).st_mode & 0o777)])
            except AssertionError as error:
                found.append(str(error))
    return found
