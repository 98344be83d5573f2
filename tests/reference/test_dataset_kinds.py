"""Images of a kind and a shape that a transform does not take: which of the two it names."""

import mindspore.dataset.vision as V
import numpy as np

from tests.reference.judge import case
from tests.reference.test_dataset_pipeline import said

IMAGES = {"plane": np.zeros((13, 11), np.int16), "four": np.zeros((9, 8, 4), np.int32),
          "bytes": np.zeros((13, 11), np.uint8), "wide": np.zeros((9, 8, 4), np.float32)}


@case(each={"image": list(IMAGES)})
def test_kinds_come_before_shapes(image):
    return [said(lambda t=t: t(IMAGES[image])) for t in (
        V.AdjustContrast(1.3), V.AdjustSaturation(1.3), V.AdjustHue(0.2))] + (
            [] if image in ("plane", "bytes") else [said(lambda: V.NormalizePad([0.1] * 3, [0.5] * 3)(IMAGES[image]))])
