"""Saliency maps of images (``mindspore.explainer.explanation``, 1.1 to 1.5): by gradients, and by what hiding
parts of an image changes.

An explainer is made of a network, which it sets to evaluation, and called with images (N, C, H, W) and the
labels to explain: a number, or a Tensor (N,) or of rank 0. It gives (N, 1, H, W).
"""

from __future__ import annotations

from copy import deepcopy

import numpy as np
from PIL import Image

from ms2torch import nn, ops
from ms2torch.common.tensor import Tensor
from ms2torch.train._utils import check_value_type

__all__ = ["Deconvolution", "GradCAM", "Gradient", "GuidedBackprop", "Occlusion", "RISE"]


def _largest(values: Tensor) -> Tensor:
    """The greatest magnitude over the channels."""
    return ops.abs(values).max(axis=1, keepdims=True)


class _Explainer:
    """What all share: the network, in evaluation, and checks."""

    def __init__(self, network) -> None:
        check_value_type("network", network, nn.Cell)
        self._network = network
        network.set_train(False)
        network.set_grad(False)

    @property
    def network(self) -> nn.Cell:
        """The network that is explained."""
        return self._network

    @staticmethod
    def _checked(inputs, targets) -> list[int]:
        """The label of each image; TypeError and ValueError for what is none."""
        check_value_type("inputs", inputs, Tensor)
        if inputs.ndim != 4:
            raise ValueError(f"Argument inputs must be 4D Tensor. But got {inputs.ndim}D Tensor.")
        check_value_type("targets", targets, (Tensor, int))
        if isinstance(targets, Tensor) and targets.ndim:
            if targets.ndim > 1 or len(targets) != len(inputs):
                raise ValueError("Argument targets must be a 1D or 0D Tensor. If it is a 1D Tensor, it "
                                 "should have the same length as inputs.")
            return [int(label) for label in targets.asnumpy()]
        return [int(targets)] * len(inputs)


class Gradient(_Explainer):
    """The gradient of a label's output by the image, its greatest magnitude over the channels
    (``mindspore.explainer.explanation.Gradient``)."""

    def __init__(self, network) -> None:
        super().__init__(network)
        self._copy = deepcopy(network)

    def __call__(self, inputs, targets) -> Tensor:
        return _largest(self._gradients(inputs, self._checked(inputs, targets)))

    def _gradients(self, inputs, labels: list[int]) -> Tensor:
        size = self._copy(inputs).shape[-1]
        chosen = Tensor(np.eye(size, dtype=np.float32)[labels])
        return ops.GradOperation(get_all=True, sens_param=True)(self._copy)(inputs, chosen)[0]


class _OtherReLU(Gradient):
    """`Gradient` with another rule for the layers nn.ReLU, which have to be such layers."""

    def __init__(self, network) -> None:
        super().__init__(network)
        for _, cell in self._copy.cells_and_names():
            if isinstance(cell, nn.ReLU):
                cell.register_backward_hook(self._rule)


class Deconvolution(_OtherReLU):
    """`Gradient` whose nn.ReLU layers let what is positive of the gradient through, wherever their input was
    positive or not (``mindspore.explainer.explanation.Deconvolution``)."""

    @staticmethod
    def _rule(cell, grad_input, grad_output):
        return tuple(None if g is None else ops.relu(g) for g in grad_output)


class GuidedBackprop(_OtherReLU):
    """`Gradient` whose nn.ReLU layers let what is positive of the gradient through where their input was
    positive (``mindspore.explainer.explanation.GuidedBackprop``)."""

    @staticmethod
    def _rule(cell, grad_input, grad_output):
        return tuple(None if g is None else ops.relu(g) for g in grad_input)


class GradCAM(Gradient):
    """Activations of a layer weighed by their mean gradients, what is positive of the sum
    (``mindspore.explainer.explanation.GradCAM``).

    ``layer`` is the name of a Cell as ``cells_and_names`` gives it, ValueError for none; "" takes the image
    itself. The map is resized to the image by Pillow in 256 steps, as in MindSpore.
    """

    def __init__(self, network, layer="") -> None:
        super().__init__(network)
        cells = dict(self._copy.cells_and_names())
        if not isinstance(layer, str):
            raise TypeError(f"layer_name should be type of str, but receive {type(layer)}.")
        if layer and layer not in cells:
            raise ValueError(f"Cannot match {layer}, please provide target layer in the given model.")
        self._layer, self._seen = layer, {}
        if layer:
            cells[layer].register_forward_hook(self._keep_activation)
            cells[layer].register_backward_hook(self._keep_gradient)

    def _keep_activation(self, cell, inputs, output) -> None:
        self._seen["activation"] = output

    def _keep_gradient(self, cell, grad_input, grad_output) -> None:
        self._seen["gradient"] = grad_output[0] if isinstance(grad_output, tuple) else grad_output

    def __call__(self, inputs, targets) -> Tensor:
        gradient = self._gradients(inputs, self._checked(inputs, targets))
        activation = inputs
        if self._layer:
            gradient, activation = self._seen.pop("gradient"), self._seen.pop("activation")
        weights = gradient.mean((2, 3), keep_dims=True)
        found = ops.relu((weights * activation).sum(1, keepdims=True))
        return _resized(found, inputs.shape[2:])


def _resized(images: Tensor, size) -> Tensor:
    """Images (N, 1, h, w) at another size, by way of Pillow's bytes."""
    found = []
    for image in images.asnumpy():
        steps = (np.repeat(image.transpose(1, 2, 0), 3, axis=2) * 255).astype(np.uint8)
        larger = Image.fromarray(steps).resize((size[1], size[0]), resample=Image.BILINEAR)
        found.append(np.asarray(larger).astype(np.float32)[:, :, :1] / 255)
    return Tensor(np.transpose(found, (0, 3, 1, 2)), images.dtype)


class _Perturbing(_Explainer):
    """Explainers that hide parts of an image and look at the probabilities, by ``activation_fn`` of the
    outputs; ``perturbation_per_eval`` images go through the network together."""

    def __init__(self, network, activation_fn, perturbation_per_eval=32) -> None:
        super().__init__(network)
        check_value_type("activation_fn", activation_fn, nn.Cell)
        check_value_type("perturbation_per_eval", perturbation_per_eval, int)
        if perturbation_per_eval <= 0:
            raise ValueError("Argument perturbation_per_eval should be positive integer.")
        self._activation_fn, self._perturbation_per_eval = activation_fn, perturbation_per_eval

    def _probabilities(self, images: np.ndarray) -> np.ndarray:
        return self._activation_fn(self._network(Tensor(images.astype(np.float32)))).asnumpy()


class Occlusion(_Perturbing):
    """How much a label's probability falls where a window of the image is 0
    (``mindspore.explainer.explanation.Occlusion``).

    Windows are a 32nd of the image each way, or of 3 with a step of 1 in an image of up to 32. A pixel's
    value is the sum over its windows divided by their number and one, as in MindSpore.
    """

    def __call__(self, inputs, targets) -> Tensor:
        labels = self._checked(inputs, targets)
        images = inputs.asnumpy()
        spans = [(size // 32, size // 32) if size > 32 else (3, 1) for size in images.shape[2:]]
        (height, down), (width, right) = spans
        places = [(y, x) for y in range(0, images.shape[2] - height + 1, down)
                  for x in range(0, images.shape[3] - width + 1, right)]
        found = np.zeros((len(images), 1, *images.shape[2:]), np.float32)
        for image, label, total in zip(images, labels, found, strict=True):
            before = self._probabilities(image[None])[0, label]
            count = np.ones_like(total)
            for first in range(0, len(places), self._perturbation_per_eval):
                some = places[first : first + self._perturbation_per_eval]
                hidden = np.repeat(image[None], len(some), 0)
                for copy, (y, x) in zip(hidden, some, strict=True):
                    copy[:, y : y + height, x : x + width] = 0
                for (y, x), after in zip(some, self._probabilities(hidden)[:, label], strict=True):
                    total[:, y : y + height, x : x + width] += before - after
                    count[:, y : y + height, x : x + width] += 1
            total /= count
        return Tensor(np.abs(found))


class RISE(_Perturbing):
    """The mean of 6000 random masks, each weighed by the label's probability of the image under it
    (``mindspore.explainer.explanation.RISE``).

    Masks are 10 by 10 coins, enlarged and shifted, of numpy's random numbers. ``targets`` may be (N, l) too,
    for (N, l, H, W).
    """

    _masks = 6000

    def __call__(self, inputs, targets) -> Tensor:
        labels = self._labels(inputs, targets)
        images = inputs.asnumpy()
        found = np.zeros((len(images), labels.shape[1], *images.shape[2:]))
        for image, wanted, total in zip(images, labels, found, strict=True):
            for first in range(0, self._masks, self._perturbation_per_eval):
                masks = self._drawn(min(self._perturbation_per_eval, self._masks - first), image.shape[1:])
                outputs = self._probabilities(masks * image)
                outputs = outputs.reshape(*outputs.shape[:2], -1).mean(2)[:, wanted]
                total += (outputs[:, :, None, None] * masks).sum(0)
        return Tensor(found / self._masks, inputs.dtype)

    @staticmethod
    def _labels(inputs, targets) -> np.ndarray:
        """The labels of each image, (N, l)."""
        if not isinstance(targets, Tensor) or targets.ndim != 2:
            return np.array(_Explainer._checked(inputs, targets))[:, None]
        if len(targets) != len(inputs):
            raise ValueError("If `targets` is a 2D, 1D Tensor, it should have the same length as inputs "
                             f"{len(inputs)}. But got {len(targets)}.")
        return targets.asnumpy().astype(int)

    @staticmethod
    def _drawn(count: int, size) -> np.ndarray:
        coins = np.random.random((count, 1, 10, 10)) < 0.5
        larger = _resized(Tensor(coins.astype(np.float32)), (size[0] + 10, size[1] + 10)).asnumpy()
        down, right = (np.random.randint(0, 11, size=count) for _ in range(2))
        return np.stack([mask[:, y : y + size[0], x : x + size[1]]
                         for mask, y, x in zip(larger, down, right, strict=True)])
