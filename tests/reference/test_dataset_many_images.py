"""Image transforms of several columns, of more than three axes, of floats."""
import mindspore.dataset as ds
import numpy as np
from mindspore.dataset import vision

from tests.reference.judge import case, data

NUMBERS = np.arange(2 * 9 * 8 * 3, dtype=np.uint8).reshape(2, 9, 8, 3)
FLIPS = [vision.RandomHorizontalFlip, vision.HorizontalFlip, vision.VerticalFlip]


def rows(operation, *columns):
    ds.config.set_seed(3)
    names = [f"c{k}" for k in range(len(columns))]
    pipeline = ds.NumpySlicesDataset(tuple([c] * 3 for c in columns), names, shuffle=False)
    pipeline = pipeline.map(operation, names, num_parallel_workers=1)
    return [list(row) for row in pipeline.create_tuple_iterator(num_epochs=1, output_numpy=True)]


@case(each={"flip": FLIPS})
def test_flips_of_many_images(flip):
    one = flip(1.0) if flip is vision.RandomHorizontalFlip else flip()
    return one(NUMBERS), one(NUMBERS[None])


@case(each=[{"made": "RandomHorizontalFlip", "of": (0.5,)}, {"made": "RandomVerticalFlip", "of": (0.5,)},
            {"made": "RandomCrop", "of": (4,)}, {"made": "RandomCrop", "of": (6, 2)},
            {"made": "RandomResize", "of": (5,)}, {"made": "RandomResizedCrop", "of": ((5, 4),)}])
def test_pairs(made, of):
    return rows(getattr(vision, made)(*of), NUMBERS[0], NUMBERS[1])


@case
def test_crops_of_many_images():
    return rows(vision.RandomCrop(4), NUMBERS, NUMBERS + 1)


@case(each={"changes": [{"brightness": (0.5, 0.5)}, {"contrast": (0.5, 0.5)}, {"saturation": (1.5, 1.5)}]})
def test_colours_of_floats(changes):
    return vision.RandomColorAdjust(**changes)(np.abs(data((4, 5, 3)), dtype=np.float32))
