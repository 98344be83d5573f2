"""ROIAlign and CropAndResize: values, gradients, samples that follow a region's size."""

import mindspore as ms
import numpy as np
from mindspore import Tensor, mint, ops

from tests.reference.judge import case, data

FEATURES = data((2, 3, 6, 7))
REGIONS = np.array([[0, 1, 1, 8, 9], [1, 0, 0, 20, 3], [1, 3, 3, 3.5, 3.4], [0, -2, 2, 30, 30]], np.float32)
IMAGES = data((2, 5, 6, 3))
BOXES = np.array([[0, 0, .5, .5], [.2, -.1, 1.2, .9], [.8, .9, .1, .2]], np.float32)


@case(each={"samples": [1, 2, 3], "end": [0, 1]})
def test_regions_in_a_grid(samples, end):
    align = ops.ROIAlign(2, 3, 0.5, samples, end)
    return align(Tensor(FEATURES), Tensor(REGIONS))


@case(each={"end": [0, 1]})
def test_samples_follow_the_size(end):
    return ops.ROIAlign(2, 2, 0.5, 0, end)(Tensor(FEATURES), Tensor(REGIONS))


@case()
def test_gradient_of_regions():
    align = ops.ROIAlign(2, 2, 0.5, 2)

    def f(x):
        return (align(x, Tensor(REGIONS[:2])) ** 2).sum()
    return ms.grad(f)(Tensor(FEATURES))


@case(each={"method": ["bilinear", "nearest", "bilinear_v2"], "size": [(3, 4), (1, 2)]})
def test_crops_of_one_size(method, size):
    crop = ops.CropAndResize(method, 7.0)
    return crop(Tensor(IMAGES), Tensor(BOXES), Tensor([0, 1, 1], ms.int32), size)


@case(each={"method": ["bicubic", 3]}, raises=True)
def test_crops_by_another_method(method):
    ops.crop_and_resize(Tensor(IMAGES), Tensor(BOXES), Tensor([0, 1, 1], ms.int32), (2, 2), method)


@case()
def test_gradient_of_crops():
    crop = ops.CropAndResize()

    def f(x):
        return (crop(x, Tensor(BOXES), Tensor([0, 1, 1], ms.int32), (2, 3)) ** 2).sum()
    return ms.grad(f)(Tensor(IMAGES))


KERNELS = ("lanczos1", "lanczos3", "lanczos5", "gaussian", "box", "triangle", "keyscubic", "mitchellcubic")
SCALED = (Tensor([3, 7], ms.int32), Tensor([0.7, 1.6], ms.float32), Tensor([0.3, -0.4], ms.float32))


@case(each={"antialias": [True, False]}, rtol=1e-5, atol=1e-5, reason="sums of many products")
def test_images_scaled_and_moved(antialias):
    x = Tensor(data((2, 4, 5, 2)))
    return [ops.ScaleAndTranslate(kernel, antialias)(x, *SCALED) for kernel in KERNELS]


@case(rtol=1e-5, atol=1e-5, reason="sums of many products")
def test_gradient_of_scaled_images():
    scale = ops.ScaleAndTranslate("triangle")
    far = scale(Tensor(data((1, 3, 3, 1), "int32"), ms.int8), SCALED[0], SCALED[1], Tensor([5.0, 1.0]))
    return ms.grad(lambda x: (scale(x, *SCALED) ** 2).sum())(Tensor(data((1, 4, 5, 1)))), far


@case(each={"pseudo_random": [True, False], "overlapping": [True, False]})
def test_fractional_max_pool_of_whole_ratios(pseudo_random, overlapping):
    pool = ops.FractionalMaxPool([1.0, 2.0, 2.0, 1.0], pseudo_random, overlapping)
    return pool(Tensor(data((2, 4, 6, 3)))), pool(Tensor(data((1, 4, 4, 1), "int32")))


# Halfway between two elements, on both sides of the image; what is computed exactly in float32.
BETWEEN = np.array([-1.5, -1, -0.5, 0.5, 1.5, 2.5, 3.5, 4.5, 5.5], np.float32)


@case(each={"padding": ["zeros", "border", "reflection"], "which": ["ops", "mint", "Primitive"]})
def test_the_nearest_element_of_a_position_between_two(padding, which):
    image = Tensor(np.arange(1, 6, dtype=np.float32).reshape(1, 1, 1, 5))
    grid = Tensor(np.stack([BETWEEN / 2 - 1, np.zeros_like(BETWEEN)], -1).reshape(1, 1, -1, 2))
    if which == "Primitive":
        return ops.operations.nn_ops.GridSampler2D("nearest", padding, True)(image, grid)
    sample = ops.grid_sample if which == "ops" else mint.nn.functional.grid_sample
    return sample(image, grid, mode="nearest", padding_mode=padding, align_corners=True)


@case(each={"padding": ["zeros", "border", "reflection"]})
def test_the_nearest_element_without_aligned_corners(padding):
    image = Tensor(np.arange(1, 17, dtype=np.float32).reshape(1, 1, 4, 4))
    at = (2 * BETWEEN + 1) / 4 - 1
    grid = Tensor(np.stack(np.meshgrid(at, at), -1).reshape(1, 9, 9, 2).astype(np.float32))
    return ops.grid_sample(image, grid, mode="nearest", padding_mode=padding, align_corners=False)


@case()
def test_the_nearest_element_in_three_dimensions():
    image = Tensor(np.arange(1, 28, dtype=np.float32).reshape(1, 1, 3, 3, 3))
    at = np.array([-1, -0.5, 0, 0.5, 1], np.float32)
    grid = Tensor(np.stack(np.meshgrid(at, at, at), -1).reshape(1, 5, 5, 5, 3).astype(np.float32))
    return ops.grid_sample(image, grid, mode="nearest", padding_mode="border", align_corners=True)
