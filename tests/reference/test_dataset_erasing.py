"""Transforms that erase parts of an image."""
import random

import mindspore.dataset.vision as vision
import numpy as np

from tests.reference.judge import case, data


@case(each={"value": [0, 7, (1, 2, 3), "random"], "prob": [0.5, 1.0]})
def test_random_erasing_draws_from_pythons_generator(value, prob):
    random.seed(4)
    np.random.seed(4)
    erase = vision.RandomErasing(prob, value=value, max_attempts=3)
    return [erase(data((3, 12, 9), "float32")) for _ in range(4)]


@case(raises=True, each={"given": [{"prob": 2}, {"scale": (2, 1)}, {"ratio": (1,)}, {"value": "x"},
                                   {"value": (1, 2)}, {"value": 300}, {"value": (1, 2, 300)}, {"inplace": 1},
                                   {"scale": 3}, {"max_attempts": 0}]})
def test_random_erasing_refuses(given):
    return len(vision.RandomErasing(**given).__dict__)


@case
def test_cut_out_of_the_whole_image_keeps_the_dtype():
    image = np.full((4, 5, 3), 9, np.uint8)
    cut = vision.CutOut(1, 400)(image)
    return [cut.shape, str(cut.dtype), sorted(set(cut.reshape(-1).tolist()) | {0})[0], image.sum().item()]


@case(raises=True, each={"given": [(0,), (2, 0), (2, 1, 1), ("a",), (9,)]})
def test_cut_out_refuses(given):
    return vision.CutOut(*given)(np.ones((4, 4, 3), np.uint8)).shape
