"""Outliers by what an auto-encoder cannot reconstruct (``mindspore.nn.probability.toolbox``)."""

from __future__ import annotations

import numpy as np

from ms2torch._checkparam import check_positive_float
from ms2torch.nn.optim import Adam
from ms2torch.nn.wrap.cell_wrapper import WithLossCell

from ..dpn import VAE
from ..infer import ELBO, SVI

__all__ = ["VAEAnomalyDetection"]


class VAEAnomalyDetection:
    """Outliers by a `dpn.VAE`, of MindSpore 1.1 to 1.10
    (``mindspore.nn.probability.toolbox.VAEAnomalyDetection``); arguments as VAE's.
    """

    def __init__(self, encoder, decoder, hidden_size=400, latent_size=20) -> None:
        self.vae = VAE(encoder, decoder, hidden_size, latent_size)

    def train(self, train_dataset, epochs=5):
        """Train by `infer.SVI` with Adam at 0.001; gives the network."""
        optimizer = Adam(params=self.vae.trainable_params(), learning_rate=0.001)
        self.vae = SVI(WithLossCell(self.vae, ELBO()), optimizer).run(train_dataset, epochs)
        return self.vae

    def predict_outlier_score(self, sample_x):
        """The Euclidean distance of ``sample_x`` (N, C, H, W), as a whole, from its reconstruction."""
        off = sample_x.asnumpy() - self.vae.reconstruct_sample(sample_x).asnumpy()
        return np.sqrt(np.sum(np.square(off)))

    def predict_outlier(self, sample_x, threshold=100.0):
        """Whether that distance is at least ``threshold``."""
        return self.predict_outlier_score(sample_x) >= check_positive_float(threshold)
