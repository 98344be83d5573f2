"""Losses that PyTorch lacks."""

import torch
import torch.nn.functional as F
from torch import nn


class RMSELoss(nn.Module):
    """The root of the mean square of the differences."""

    def forward(self, x, label):
        return F.mse_loss(x, label).sqrt()


class DiceLoss(nn.Module):
    """One less twice the overlap of two masks, over the sum of their squares."""

    def __init__(self, smooth=1e-5):
        super().__init__()
        self.smooth = smooth

    def forward(self, x, label):
        return 1 - 2 * (x * label).sum() / ((x * x).sum() + (label * label).sum() + self.smooth)


class FocalLoss(nn.Module):
    """Cross entropy that counts what is told surely already less: ``-(1 - p)^gamma log(p)``.

    Labels are classes (N, 1, ...) or shares (N, C, ...).
    """

    def __init__(self, weight=None, gamma=2.0, reduction="mean"):
        super().__init__()
        self.weight, self.gamma, self.reduction = weight, gamma, reduction

    def forward(self, x, label):
        if x.ndim == 2:
            x, label = x.unsqueeze(2), label.unsqueeze(2)
        log_p, label = F.log_softmax(x, 1).flatten(2), label.flatten(2)
        weight = torch.ones(x.shape[1], device=x.device) if self.weight is None else self.weight
        weight = weight[None, :, None].expand_as(log_p)
        if label.shape[1] == 1 and log_p.shape[1] > 1:
            log_p, weight = (t.gather(1, label.long()).squeeze(1) for t in (log_p, weight))
            loss = (-((1 - log_p.exp()) ** self.gamma) * log_p * weight).mean(1)
        else:
            loss = (-((1 - log_p.exp()) ** self.gamma) * label * log_p * weight).mean(-1)
        return {"mean": loss.mean, "sum": loss.sum, "none": lambda: loss}[self.reduction]()
