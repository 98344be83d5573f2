"""Which images a transform takes: one, or several at once; and what it says of others."""
import mindspore.dataset as ds
import numpy as np
from mindspore.dataset import vision as V

from tests.reference.judge import case
from tests.reference.test_dataset_pipeline import said

PARTS = ([1., 2., 3.], [2., 3., 4.])
CORNERS = ([[0, 0], [7, 0], [7, 5], [0, 5]], [[1, 0], [6, 1], [7, 5], [0, 4]])
CALLS = {
    "AdjustBrightness": (1.3,), "AdjustContrast": (1.3,), "AdjustGamma": (1.3,), "AdjustHue": (.2,),
    "AdjustSaturation": (1.3,), "AdjustSharpness": (1.3,), "Affine": (20., (.1, .1), 1.2, (3., 5.)), "AutoAugment": (),
    "CenterCrop": (4,), "Crop": ((1, 1), 4), "CutOut": (2,), "Erase": (1, 1, 2, 2), "GaussianBlur": (3,), "HWC2CHW": (),
    "HorizontalFlip": (), "Invert": (), "Normalize": PARTS, "Pad": (1,), "PadToSize": ((9, 10),),
    "Perspective": CORNERS, "RandAugment": (), "RandomAdjustSharpness": (1.5, 0.), "RandomAffine": (20,),
    "RandomAutoContrast": (0., None, 0.), "RandomColor": (), "RandomCrop": (4,), "RandomEqualize": (0.,),
    "RandomHorizontalFlip": (.5,), "RandomInvert": (0.,), "RandomLighting": (.1,), "RandomPosterize": ((3, 6),),
    "RandomResize": (4,), "RandomResizedCrop": (4,), "RandomRotation": (20,), "RandomSharpness": (),
    "RandomSolarize": (), "RandomVerticalFlip": (1.,), "Resize": ((4, 5),), "ResizedCrop": (1, 1, 4, 4, 5),
    "Rotate": (20,), "SlicePatches": (2, 2), "ToTensor": (), "TrivialAugmentWide": (), "VerticalFlip": (),
}
# OpenCV's own refusals, and shapes that only a warning tells apart, are left out.
SHAPES = [(8,), (6, 8), (2, 6, 8, 3), (1, 2, 6, 8, 3), (6, 8, 2), (6, 8, 4)]


@case(each={"name": list(CALLS)})
def test_shapes_of_images(name):
    def one(shape):
        ds.config.set_seed(5)
        image = np.random.RandomState(1).randint(0, 255, shape).astype(np.uint8)
        return said(lambda: getattr(V, name)(*CALLS[name])(image))
    return [one(shape) for shape in SHAPES]


@case(each={"name": ["AdjustBrightness", "RandomLighting", "RandomColor"]})
def test_other_dtypes_stay(name):
    image = np.random.RandomState(1).randint(0, 255, (6, 8, 3))
    kinds = {"RandomColor": ["uint16", "float32"], "RandomLighting": ["uint8", "int8"]}.get(name, ["int32", "uint16", "int8", "float16", "float32"])
    found = []
    for kind in kinds:
        ds.config.set_seed(5)
        found.append(getattr(V, name)(*CALLS[name])(image.astype(kind)))
    return found
