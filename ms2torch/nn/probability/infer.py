"""Variational inference of MindSpore 1.x (``mindspore.nn.probability.infer``)."""

from __future__ import annotations

from ms2torch import ops
from ms2torch._checkparam import check_positive_int
from ms2torch.common.dtype import float32, int32
from ms2torch.common.tensor import Tensor
from ms2torch.nn.cell import Cell
from ms2torch.nn.loss import MSELoss
from ms2torch.nn.wrap.cell_wrapper import TrainOneStepCell

from .distribution import Normal

__all__ = ["ELBO", "SVI"]


class ELBO(Cell):
    """The negative evidence lower bound, of MindSpore 1.0 to 1.10 (``mindspore.nn.probability.infer.ELBO``).

    Takes what `dpn.VAE` gives, (reconstruction, input, mean, standard deviation), and the label, which it
    ignores: the sum of squared errors plus KL(N(mean, std) || N(0, 1)).
    Both arguments know "Normal" alone; ValueError for another.
    """

    def __init__(self, latent_prior="Normal", output_prior="Normal") -> None:
        super().__init__()
        if latent_prior != "Normal":
            raise ValueError("The values of latent_prior now only support Normal")
        if output_prior != "Normal":
            raise ValueError("The values of output_dis now only support Normal")
        self.posterior = Normal()
        self.recon_loss = MSELoss(reduction="sum")

    def construct(self, data, label):
        recon_x, x, mu, std = data
        zeros = ops.zeros_like(mu)
        divergence = self.posterior("kl_loss", "Normal", zeros, zeros + 1, mu, std)
        return self.recon_loss(x, recon_x) + divergence.sum()


class SVI:
    """Stochastic variational inference of MindSpore 1.0 to 1.10 (``mindspore.nn.probability.infer.SVI``).

    ``net_with_loss``: a WithLossCell whose loss is `ELBO`, TypeError otherwise.
    """

    def __init__(self, net_with_loss, optimizer) -> None:
        self.net_with_loss = net_with_loss
        self.loss_fn = net_with_loss._loss_fn
        if not isinstance(self.loss_fn, ELBO):
            raise TypeError("The loss function for variational inference should be ELBO.")
        self.optimizer = optimizer
        if not isinstance(optimizer, Cell):
            raise TypeError("The optimizer should be Cell type.")
        self._loss = 0.0

    def run(self, train_dataset, epochs=10):
        """Train ``epochs`` times over a dataset of columns ``image`` and ``label``; gives the network."""
        check_positive_int(epochs)
        step = TrainOneStepCell(self.net_with_loss, self.optimizer)
        step.set_train()
        for _ in range(epochs):
            total = size = 0
            for row in train_dataset.create_dict_iterator(num_epochs=1):
                x, y = Tensor(row["image"], float32), Tensor(row["label"], int32)
                size += len(x)
                total += step(x, y).asnumpy()
            self._loss = total / size
        return self.net_with_loss.backbone_network

    def get_train_loss(self):
        """The last epoch's loss for each sample."""
        return self._loss
