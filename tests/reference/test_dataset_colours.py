"""Transforms of colours: values to the bit, random ones by their streams."""

import mindspore.dataset as ds
import mindspore.dataset.vision as V
import mindspore.dataset.vision.transforms as VT
import numpy as np

from tests.reference.judge import case

IMAGE = np.random.RandomState(3).randint(1, 256, (9, 11, 3)).astype(np.uint8)
WIDE = np.random.RandomState(4).normal(120, 30, (40, 50, 3)).clip(0, 255).astype(np.uint8)
FOUR = np.dstack([IMAGE, IMAGE[..., :1]])
CASES = {
    "invert": lambda: VT.Invert()(IMAGE), "invert-float": lambda: VT.Invert()(IMAGE.astype(np.float32)),
    "equalize": lambda: VT.Equalize()(IMAGE), "equalize-wide": lambda: VT.Equalize()(WIDE),
    "equalize-grey": lambda: VT.Equalize()(WIDE[..., 0]),
    "equalize-one-value": lambda: VT.Equalize()(np.full((3, 4), 7, np.uint8)),
    "contrast": lambda: VT.AutoContrast()(WIDE), "contrast-cut": lambda: VT.AutoContrast(20)(IMAGE),
    "contrast-wide-cut": lambda: VT.AutoContrast(7.5)(WIDE),
    "contrast-ignore": lambda: VT.AutoContrast(10.0, [10, 20])(IMAGE),
    "contrast-grey": lambda: VT.AutoContrast(20)(IMAGE[..., 1]),
    "posterize-3": lambda: V.RandomPosterize(3)(IMAGE),
    "color-half": lambda: V.RandomColor((0.5, 0.5))(IMAGE),
    **{f"convert-{m}": lambda m=m: V.ConvertColor(V.ConvertMode(m))(IMAGE) for m in (0, 2, 4, 6, 7)},
    **{f"convert-{m}": lambda m=m: V.ConvertColor(V.ConvertMode(m))(FOUR) for m in (1, 3, 5, 10, 11)},
    **{f"convert-{m}": lambda m=m: V.ConvertColor(V.ConvertMode(m))(IMAGE[..., 0]) for m in (8, 9)},
    "grayscale": lambda: np.array(V.RandomGrayscale(1.0)(V.ToPIL()(IMAGE))),
    "not-grey": lambda: np.array(V.RandomGrayscale(0.0)(V.ToPIL()(IMAGE))),
}


@case(each={"what": list(CASES)})
def test_exact(what):
    return CASES[what]()


@case(each={"seed": [0, 1, 2]})
def test_streams(seed):
    ds.config.set_seed(seed)
    data = ds.NumpySlicesDataset({"x": [IMAGE] * 4}, shuffle=False)
    data = data.map([V.RandomColor((0.2, 1.9)), V.RandomPosterize((1, 7))], ["x"], num_parallel_workers=1)
    return [row["x"] for row in data.create_dict_iterator(1, output_numpy=True)]
