"""Networks made Bayesian, of MindSpore 1.x (``mindspore.nn.probability.transforms``)."""

from .transform_bnn import TransformToBNN

__all__ = ["TransformToBNN"]
