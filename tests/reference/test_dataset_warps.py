"""Transforms that turn, tilt, adjust and cut: bytes to the bit, random ones by their streams, errors by their words.
"""

import zlib

import mindspore.dataset as ds
import mindspore.dataset.vision as V
import numpy as np
from mindspore.dataset.vision import Inter

from tests.reference.judge import case
from tests.reference.test_dataset_pipeline import said

RANDOM = np.random.RandomState(0)
IMAGE = RANDOM.randint(0, 256, (20, 30, 3)).astype(np.uint8)
GREY = RANDOM.randint(0, 256, (17, 23)).astype(np.uint8)
FLOAT = RANDOM.rand(20, 30, 3).astype(np.float32)
LARGE = RANDOM.randint(0, 256, (24, 31, 3)).astype(np.uint8)
ANGLES = (0, 30.5, 90, -45, 400)
METHODS = {"nearest": Inter.NEAREST, "linear": Inter.BILINEAR, "cubic": Inter.BICUBIC}
POINTS = [[0, 0], [29, 0], [29, 19], [0, 19]], [[2, 1], [25, 3], [28, 18], [1, 15]]
MOVES = {"moved": (0, [0.1, -0.2], 1.0, 0.0), "scaled": (0, [0, 0], 1.5, 0.0),
         "sheared": (0, [0, 0], 1.0, (10., 20.)),
         "turned": (30, [0, 0], 1.0, 0.0), "all": (15.5, [-0.1, 0.15], 0.8, (5., -7.)),
         "shear": (0, [0, 0], 1., 10.)}
EXACT = {
    **{f"rotate-{name}": lambda m=m: [V.Rotate(a, m)(IMAGE) for a in ANGLES] for name, m in METHODS.items()},
    "rotate-grey": lambda: [V.Rotate(a, Inter.BILINEAR)(GREY) for a in ANGLES],
    "rotate-float": lambda: [V.Rotate(a, Inter.BILINEAR)(FLOAT) for a in ANGLES],
    "rotate-expand": lambda: [V.Rotate(a, Inter.BILINEAR, True)(IMAGE) for a in ANGLES],
    "rotate-fill": lambda: [V.Rotate(a, Inter.NEAREST, True, None, (9, 8, 7))(IMAGE) for a in ANGLES],
    "rotate-center": lambda: [V.Rotate(a, Inter.BILINEAR, False, (3, 5), 200)(IMAGE) for a in ANGLES],
    **{f"affine-{name}": lambda m=m: [V.Affine(*m, how,
                                               (5, 6, 7))(IMAGE) for how in list(METHODS.values())[:2]]
       for name, m in MOVES.items()},
    "perspective": lambda: [V.Perspective(*POINTS, how)(IMAGE) for how in list(METHODS.values())[:2]],
    **{name: lambda name=name: [getattr(V, name)(f)(IMAGE) for f in (0., .5, 1., 2.5)]
       for name in ("AdjustBrightness", "AdjustContrast", "AdjustSaturation", "AdjustSharpness")},
    "AdjustSharpness-grey": lambda: [V.AdjustSharpness(f)(GREY) for f in (.3, 1.7)],
    "AdjustBrightness-float": lambda: V.AdjustBrightness(2.5)(FLOAT),
    "AdjustGamma": lambda: [V.AdjustGamma(g, 1.5)(IMAGE) for g in (0., .5, 1., 2.5)],
    "AdjustGamma-grey": lambda: V.AdjustGamma(.4)(GREY),
    "AdjustGamma-float": lambda: V.AdjustGamma(.5, .9)(FLOAT),
    "Solarize": lambda: [V.Solarize(t)(IMAGE) for t in ((0, 255), (100, 200), (50, 50), (0, 0), 100)],
    "Solarize-nan": lambda: [V.Solarize(t)(np.float32([[.1, np.nan, .6]])) for t in ((0, .5), (.2, 1), .3)],
    "UniformAugment-list": lambda: V.UniformAugment([lambda x: x], 1)([[1, 2], [3, 4]]),
    "Posterize": lambda: [V.Posterize(b)(IMAGE) for b in (0, 1, 4, 8)],
    "Erase": lambda: V.Erase(2, 3, 4, 5, (9, 8, 7))(IMAGE),
    "ResizedCrop": lambda: V.ResizedCrop(2, 3, 10, 12, (7, 9))(IMAGE),
    "PadToSize": lambda: [V.PadToSize((25, 33))(IMAGE), V.PadToSize([25, 33], [2, 1], (7, 6, 5))(IMAGE),
                          V.PadToSize(40, None, 0, V.Border.REFLECT)(IMAGE)],
    "SlicePatches": lambda: [V.SlicePatches(3, 4, m, 7)(IMAGE) for m in (V.SliceMode.PAD, V.SliceMode.DROP)],
    "five": lambda: [np.array(one) for one in V.FiveCrop((7, 9))(V.ToPIL()(IMAGE))],
    "ten": lambda: [np.array(one) for one in V.TenCrop(6, True)(V.ToPIL()(IMAGE))],
    "pil-sharper": lambda: V.AdjustSharpness(1.7)(V.ToPIL()(IMAGE)),
    "pil-brighter": lambda: np.array(V.AdjustBrightness(1.7)(V.ToPIL()(IMAGE))),
}


@case(each={"what": list(EXACT)})
def test_exact(what):
    return EXACT[what]()


SUBPOLICY = [[(V.Invert(), .5), (V.Equalize(), .7)], [(V.HorizontalFlip(), .9)],
             [(V.VerticalFlip(), .2), (V.RandomRotation(20), .6)]]
WARPS = {
    "RandomRotation": lambda: V.RandomRotation(30, Inter.BILINEAR),
    "RandomRotation-range": lambda: V.RandomRotation((10, 200), Inter.NEAREST, True, fill_value=(1, 2, 3)),
    "RandomAffine": lambda: V.RandomAffine(15, (-.1, .1, -.2, .2), (.8, 1.3), (-5, 5, -8, 8), Inter.BILINEAR,
                                           (1, 2, 3)),
    "RandomAffine-degrees": lambda: V.RandomAffine(15),
    "RandomAffine-scale": lambda: V.RandomAffine(0, None, (.5, 1.5)),
    "RandomAffine-translate": lambda: V.RandomAffine(0, (-.5, .5)),
    "RandomAffine-shear": lambda: V.RandomAffine(0, None, None, 20),
}
STREAMS = {
    "RandomSharpness": lambda: V.RandomSharpness((.1, 1.9)),
    "RandomSolarize": lambda: V.RandomSolarize((10, 200)),
    "RandomAdjustSharpness": lambda: V.RandomAdjustSharpness(2., .5),
    "RandomInvert": lambda: V.RandomInvert(.5),
    "RandomAutoContrast": lambda: V.RandomAutoContrast(10., [5], .5),
    "RandomEqualize": lambda: V.RandomEqualize(.5),
    "RandomLighting": lambda: V.RandomLighting(.3),
    "RandomSelectSubpolicy": lambda: V.RandomSelectSubpolicy(SUBPOLICY),
    "UniformAugment": lambda: V.UniformAugment([V.Invert(), V.HorizontalFlip(), V.VerticalFlip(),
                                                V.Equalize()], 2),
    **{f"UniformAugment-{n}-of-{k}": lambda n=n, k=k: V.UniformAugment(
        [V.Invert(), V.HorizontalFlip(), V.VerticalFlip(), V.Equalize(), V.Posterize(3)][:k], n)
       for k, n in ((1, 1), (3, 1), (3, 3), (5, 2))},
    **{f"AutoAugment-{p.name}": lambda p=p: V.AutoAugment(p) for p in V.AutoAugmentPolicy},
    "AutoAugment-linear": lambda: V.AutoAugment(V.AutoAugmentPolicy.CIFAR10, Inter.BILINEAR, 5),
}


def marks(images):
    """The first image, and of each other the shape and a checksum."""
    return [images[0], *([*image.shape, zlib.crc32(np.ascontiguousarray(image))] for image in images[1:])]


def drawn(transform, seed, count):
    ds.config.set_seed(seed)
    data = ds.NumpySlicesDataset({"x": [LARGE] * count}, shuffle=False).map(transform, ["x"],
                                                                            num_parallel_workers=1)
    return marks([row["x"] for row in data.create_dict_iterator(1, output_numpy=True)])


@case(each={"what": list(STREAMS), "seed": [3, 11]})
def test_streams(what, seed):
    return drawn(STREAMS[what](), seed, 12)


@case(each={"what": list(WARPS), "seed": [3, 11]})
def test_streams_of_warps(what, seed):
    return drawn(WARPS[what](), seed, 20)


@case(each={"bins": [5, 17, 31], "seed": [3, 11]})
def test_policies_that_draw_strengths(bins, seed):
    return [drawn(policy(bins), seed, 20) for policy in (
        lambda bins: V.RandAugment(2, bins // 2, bins, Inter.BILINEAR, (1, 2, 3)), V.TrivialAugmentWide)]


MIXTURES = {"MixUp": lambda: V.MixUpBatch(1.), "MixUp-sharp": lambda: V.MixUpBatch(.3),
            "CutMix": lambda: V.CutMixBatch(V.ImageBatchFormat.NHWC, 1., .7),
            "CutMix-sharp": lambda: V.CutMixBatch(V.ImageBatchFormat.NHWC, .3)}


@case(each={"what": list(MIXTURES), "dtype": ["uint8", "float32"], "seed": [3, 11]})
def test_mixtures_of_batches(what, dtype, seed):
    ds.config.set_seed(seed)
    images = np.random.RandomState(1).randint(0, 256, (3, 5, 10, 12, 3)).astype(dtype)
    data = ds.NumpySlicesDataset({"x": images, "y": [np.eye(5, dtype=np.int32)] * 3}, shuffle=False)
    data = data.map(MIXTURES[what](), ["x", "y"], num_parallel_workers=1)
    return [[marks(row["x"]), row["y"]] for row in data.create_dict_iterator(1, output_numpy=True)]


TURNS = np.random.RandomState(5).uniform(-180, 180, (25, 4))


@case(each={"how": [Inter.NEAREST, Inter.BILINEAR]})
def test_many_turns_and_tilts(how):
    turned = [V.Rotate(float(row[0]), how, i % 2 == 0)(LARGE) for i, row in enumerate(TURNS)]
    moved = [V.Affine(float(row[0]), [row[1] / 400, row[2] / 300], 1.0 + row[3] / 600,
                      (row[1] / 8, row[2] / 8), how)(LARGE) for row in TURNS]
    ends = [[abs(row[:2] / 30).astype(int).tolist(), [30, int(abs(row[2] / 20))], [28, 18], [1, 15]]
            for row in TURNS]
    tilted = [V.Perspective([[0, 0], [30, 0], [30, 23], [0, 23]], end, how)(LARGE) for end in ends]
    return marks(turned), marks(moved), marks(tilted)


MISTAKES = {
    "rotate-kind": lambda: V.Rotate("a"), "rotate-center": lambda: V.Rotate(1, center=(1, 2, 3)),
    "rotate-fill": lambda: V.Rotate(1, fill_value=300), "rotate-expand": lambda: V.Rotate(1, expand=3),
    "rotation-below": lambda: V.RandomRotation(-5), "rotation-order": lambda: V.RandomRotation((5, 1)),
    "rotation-length": lambda: V.RandomRotation((1, 2, 3)),
    "affine-translate": lambda: V.Affine(0, [2, 0], 1, 0),
    "affine-length": lambda: V.Affine(0, [0], 1, 0), "affine-scale": lambda: V.Affine(0, [0, 0], -1, 0),
    "affine-degrees": lambda: V.Affine(200, [0, 0], 1, 0),
    "affine-shear": lambda: V.Affine(0, [0, 0], 1, (1, 2, 3)),
    "random-translate": lambda: V.RandomAffine(1, (1, 2, 3)),
    "random-scale": lambda: V.RandomAffine(1, scale=(2, 1)),
    "random-shear": lambda: V.RandomAffine(1, shear=-3),
    "random-shears": lambda: V.RandomAffine(1, shear=(2, 1)),
    "sharpness": lambda: V.RandomSharpness((2, 1)), "sharpness-kind": lambda: V.RandomSharpness(3),
    "solarize": lambda: V.Solarize((2, 1)), "solarize-range": lambda: V.Solarize(300),
    "random-solarize": lambda: V.RandomSolarize((2, 1)), "posterize": lambda: V.Posterize(9),
    "brightness": lambda: V.AdjustBrightness(-1), "gamma": lambda: V.AdjustGamma(-1),
    "lighting": lambda: V.RandomLighting(-1),
    "policy-empty": lambda: V.RandomSelectSubpolicy([]), "policy-part": lambda: V.RandomSelectSubpolicy([[]]),
    "policy-chance": lambda: V.RandomSelectSubpolicy([[(V.Invert(), 2)]]),
    "uniform": lambda: V.UniformAugment([V.Invert()], 2), "mix": lambda: V.MixUpBatch(-1.),
    "cut": lambda: V.CutMixBatch(V.ImageBatchFormat.NHWC, 1., 2.),
    "cut-format": lambda: V.CutMixBatch("NHWC"),
    "erase": lambda: V.Erase(-1, 0, 1, 1), "crop": lambda: V.ResizedCrop(0, 0, 0, 1, 3),
    "pad": lambda: V.PadToSize((1, 2, 3)), "patches": lambda: V.SlicePatches(0),
    "ten": lambda: V.TenCrop(3, 1),
    "rand": lambda: V.RandAugment(magnitude=40), "auto": lambda: V.AutoAugment("imagenet"),
}


@case(each={"what": list(MISTAKES)})
def test_mistakes(what):
    return said(lambda: MISTAKES[what]() and None)


def pil(image=IMAGE):
    from PIL import Image

    return Image.fromarray(image)


FILTERS = {
    "turn by filters of Pillow": lambda: V.RandomRotation((90, 90), True, Inter.PILCUBIC)(IMAGE),
    "affine by filters of Pillow": lambda: V.RandomAffine(2, resample=Inter.PILCUBIC)(IMAGE),
    "one affine by filters of Pillow": lambda: V.Affine(10, (1, 1), 1.0, (1, 1), Inter.PILCUBIC)(IMAGE),
    "turn an array": lambda: V.RandomRotation((90, 90), True, Inter.ANTIALIAS)(IMAGE),
    "affine of an array": lambda: V.RandomAffine(2, resample=Inter.ANTIALIAS)(IMAGE),
    "turn about a centre": lambda: V.RandomRotation((90, 90), True, Inter.ANTIALIAS, (5, 5))(pil()),
    "turn by 30": lambda: V.RandomRotation((30, 30), resample=Inter.ANTIALIAS)(pil()),
    "tilt": lambda: V.RandomPerspective(0.5, 1.0, Inter.AREA)(pil()),
    "tilt by filters of Pillow": lambda: V.RandomPerspective(0.5, 1.0, Inter.PILCUBIC)(pil()),
}


@case(each={"what": list(FILTERS)})
def test_interpolations_that_are_refused(what):
    return said(FILTERS[what])
