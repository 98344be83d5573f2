"""Occlusion sensitivity (``mindspore.train.OcclusionSensitivity``)."""

from __future__ import annotations

import itertools

import numpy as np

from ms2torch import _checkparam as validator
from ms2torch._core.tensor.tensor import Tensor
from ms2torch.nn.cell import Cell

from .metric import Metric, _needs_update, rearrange_inputs

__all__ = ["OcclusionSensitivity"]


class OcclusionSensitivity(Metric):
    """How much a class's score falls when the input around each position is covered.

    ``update(model, y_pred, label)`` with an input of batch size 1; ``pad_val`` covers ``margin`` positions to
    each side, ``n_batch`` covered inputs run at once, ``b_box`` (least and greatest index of each dimension)
    limits the positions.
    """

    def __init__(self, pad_val=0.0, margin=2, n_batch=128, b_box=None) -> None:
        super().__init__()
        self.pad_val = validator.check_value_type("pad_val", pad_val, [float])
        self.margin = validator.check_value_type("margin", margin, [int, list])
        self.n_batch = validator.check_value_type("n_batch", n_batch, [int])
        self.b_box = None if b_box is None else validator.check_value_type("b_box", b_box, [list])
        self.clear()

    def clear(self) -> None:
        self._baseline = 0
        self._sensitivity_im = 0
        self._is_update = False

    @rearrange_inputs
    def update(self, *inputs) -> None:
        if len(inputs) != 3:
            raise ValueError("For 'OcclusionSensitivity.update', it needs 3 inputs (classification model, "
                             f"predicted value, label), but got {len(inputs)}.")
        model, image, label = inputs[0], self._convert_data(inputs[1]), self._convert_data(inputs[2])
        model = validator.check_value_type("model", model, [Cell])
        if image.shape[0] > 1:
            raise RuntimeError("For 'OcclusionSensitivity.update', the shape at index 0 of the predicted "
                               f"value (input[1]) must be 1, but got {image.shape[0]}.")
        if label.size != image.shape[0]:
            raise RuntimeError("For 'OcclusionSensitivity.update', the number of the label (input[2]) "
                               f"must be same as the batches, but got the label number {label.size}, and "
                               f"batches {image.shape[0]}.")
        shape = image.shape[1:]
        first, last = self._box(shape)
        label = int(label.reshape(-1)[0])
        self._baseline = model(Tensor(image)).asnumpy()[0, label].item()
        positions = itertools.product(*(range(a, b + 1) for a, b in zip(first, last, strict=True)))
        scores = []
        while chunk := list(itertools.islice(positions, self.n_batch)):
            covered = np.concatenate([self._covered(image, position) for position in chunk])
            scores.append(model(Tensor(covered)).asnumpy()[:, label])
        covered_shape = [b - a + 1 for a, b in zip(first, last, strict=True)]
        self._sensitivity_im = np.concatenate(scores).reshape(covered_shape)
        self._is_update = True

    def _covered(self, image, position):
        image = image.copy()
        around = tuple(slice(max(0, i - self.margin), min(n, i + self.margin))
                       for i, n in zip(position, image.shape[1:], strict=True))
        image[(..., *around)] = self.pad_val
        return image

    def _box(self, shape):
        if self.b_box is None:
            return [0] * len(shape), [n - 1 for n in shape]
        if len(self.b_box) != 2 * len(shape):
            raise ValueError("For 'OcclusionSensitivity', the bounding box must contain upper and lower for "
                             "all dimensions (except batch number), and the length of 'b_box' must be twice "
                             "as long as predicted value's (except batch number), but got 'b_box' length "
                             f"{len(self.b_box)}, predicted value length (except batch number) {len(shape)}.")
        first = [max(0, a) for a in self.b_box[::2]]
        last = [n - 1 if b < 0 else b for b, n in zip(self.b_box[1::2], shape, strict=True)]
        if any(b >= n for b, n in zip(last, shape, strict=True)):
            raise ValueError("For 'OcclusionSensitivity', maximum bounding box must be smaller than image "
                             "size for all values.")
        if any(a > b for a, b in zip(first, last, strict=True)):
            raise ValueError("For 'OcclusionSensitivity', minimum bounding box must be smaller than "
                             "maximum bounding box for all values.")
        return first, last

    def eval(self):
        if not self._is_update:
            raise _needs_update()
        return self._baseline - np.squeeze(self._sensitivity_im)
