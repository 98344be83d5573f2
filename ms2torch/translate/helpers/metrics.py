"""Metrics beside those that a training loop has by name."""

import numpy as np
import torch

from .loops import Metric, Recall


class Fbeta(Recall):
    """The harmonic mean of precision and recall, by class; recall weighs ``beta`` times as much."""

    def __init__(self, beta):
        self.beta = beta
        self.clear()

    def by_class(self):
        weight = self.beta**2
        return (1 + weight) * self.right / (weight * self.wanted + self.given + np.finfo(float).tiny)


class ConfusionMatrix(Metric):
    """How often each class (row) was given as each class (column); ``normalize`` makes rows ("target"),
    columns ("prediction") or all of it sum to 1."""

    def __init__(self, num_classes, normalize="no_norm", threshold=0.5):
        self.num_classes, self.normalize, self.threshold = num_classes, normalize, threshold
        self.clear()

    def clear(self):
        self.confusion_matrix = np.zeros((self.num_classes, self.num_classes))

    def update(self, scores, label):
        scores, label = torch.as_tensor(scores), torch.as_tensor(label)
        given = scores
        if scores.ndim == label.ndim + 1:
            given = scores.argmax(1)
        elif scores.is_floating_point():
            given = scores >= self.threshold
        cells = (label.flatten() * self.num_classes + given.flatten()).long()
        counts = cells.bincount(minlength=self.num_classes**2).numpy(force=True)
        self.confusion_matrix += counts.reshape(self.confusion_matrix.shape)

    def eval(self):
        if self.normalize == "no_norm":
            return self.confusion_matrix.copy()
        axis = {"target": 1, "prediction": 0, "all": None}[self.normalize]
        total = self.confusion_matrix.sum(axis, keepdims=True)
        return self.confusion_matrix / np.where(total == 0, 1, total)


class Dice(Metric):
    """How far masks overlap: twice the product's sum over the squares' sum, of each batch, divided by the
    number of all rows."""

    def __init__(self, smooth=1e-5):
        self.smooth = smooth
        self.clear()

    def clear(self):
        self.total, self.count = 0.0, 0

    def update(self, found, wanted):
        found, wanted = torch.as_tensor(found).flatten(1), torch.as_tensor(wanted).flatten(1)
        squares = float((found**2).sum() + (wanted**2).sum())
        self.total += 2 * float((found * wanted).sum()) / (squares + self.smooth)
        self.count += len(wanted)

    def eval(self):
        return self.total / self.count


class Perplexity(Metric):
    """exp of the mean of -log p, where p is the probability that was given to a sample's class."""

    def __init__(self, ignore_label=None):
        self.ignored = ignore_label
        self.clear()

    def clear(self):
        self.total, self.count = 0.0, 0

    def update(self, found, label):
        label = torch.as_tensor(label).flatten().long()
        found = torch.as_tensor(found).reshape(len(label), -1)
        counted = label != self.ignored if self.ignored is not None else torch.ones_like(label, dtype=bool)
        found = found[torch.arange(len(label)), label][counted]
        self.total -= float(found.clamp(min=1e-10).log().sum())
        self.count += int(counted.sum())

    def eval(self):
        return float(np.exp(self.total / self.count))
