"""Compose called directly: a tuple where it works on PIL images, which programs index with [0]."""
import mindspore.dataset.transforms as T
import mindspore.dataset.vision as V
import numpy as np

from tests.reference.judge import case

IMAGE = np.arange(12 * 12 * 3, dtype=np.uint8).reshape(12, 12, 3)
PIPELINES = {
    "ToPIL ToTensor": lambda: [V.ToPIL(), V.ToTensor()],
    "ToPIL": lambda: [V.ToPIL()],
    "ToPIL Crop": lambda: [V.ToPIL(), V.CenterCrop(6)],
    "nested": lambda: [T.Compose([V.ToPIL()]), V.ToTensor()],
    "Resize": lambda: [V.Resize(6)],
    "Resize function": lambda: [V.Resize(6), lambda x: x],
    "function": lambda: [lambda x: x],
    "two columns": lambda: [lambda x: (x, x)],
    "ToTensor": lambda: [V.ToTensor()],
}


@case(each={"name": list(PIPELINES)})
def test_what_a_direct_call_gives(name):
    result = T.Compose(PIPELINES[name]())(IMAGE)
    images = result if isinstance(result, tuple) else (result,)
    return isinstance(result, tuple), [np.asarray(image) for image in images]
