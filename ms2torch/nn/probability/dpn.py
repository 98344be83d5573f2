"""Deep probabilistic networks of MindSpore 1.x (``mindspore.nn.probability.dpn``)."""

from __future__ import annotations

from ms2torch import ops
from ms2torch._checkparam import check_positive_int
from ms2torch.nn.cell import Cell
from ms2torch.nn.layer.basic import Dense

__all__ = ["VAE", "ConditionalVAE"]


class _AutoEncoder(Cell):
    """What both encoders share: sizes, the layers beside encoder and decoder, the latent draw."""

    def __init__(self, encoder, decoder, hidden_size, latent_size, labels: int = 0) -> None:
        super().__init__()
        self.encoder, self.decoder = encoder, decoder
        if not isinstance(encoder, Cell) or not isinstance(decoder, Cell):
            raise TypeError("The encoder and decoder should be Cell type.")
        self.hidden_size = check_positive_int(hidden_size)
        self.latent_size = check_positive_int(latent_size)
        if hidden_size < latent_size:
            raise ValueError("The latent_size should be less than or equal to the hidden_size.")
        self.dense1 = Dense(hidden_size, latent_size)
        self.dense2 = Dense(hidden_size, latent_size)
        self.dense3 = Dense(latent_size + labels, hidden_size)

    def _encode(self, *inputs):
        """The latent distribution's mean and the logarithm of its variance."""
        encoded = self.encoder(*inputs)
        return self.dense1(encoded), self.dense2(encoded)

    def _decode(self, z):
        return self.decoder(self.dense3(z))

    def _draw(self, *inputs):
        """A latent sample by reparameterization, with its mean and standard deviation."""
        mu, log_var = self._encode(*inputs)
        std = ops.exp(0.5 * log_var)
        return ops.normal(mu.shape, mu, std), mu, std

    def _prior(self, generate_nums, shape):
        """Latent samples of N(0, 1), after a check of the shape that samples shall have."""
        check_positive_int(generate_nums)
        if not isinstance(shape, tuple) or len(shape) != 4 or shape[0] not in (-1, generate_nums):
            raise ValueError("The shape should be (generate_nums, C, H, W) or (-1, C, H, W).")
        return ops.normal((generate_nums, self.latent_size), 0.0, 1.0)


class VAE(_AutoEncoder):
    """A variational auto-encoder of MindSpore 1.0 to 1.10 (``mindspore.nn.probability.dpn.VAE``).

    The encoder gives (N, ``hidden_size``), and the decoder takes it; ``latent_size`` is at most
    ``hidden_size``. Gives (reconstruction, input, mean, standard deviation), as `infer.ELBO` asks.
    """

    def construct(self, x):
        z, mu, std = self._draw(x)
        return self._decode(z), x, mu, std

    def generate_sample(self, generate_nums, shape):
        """``generate_nums`` samples of shape (generate_nums or -1, C, H, W), drawn from the latent prior."""
        return ops.reshape(self._decode(self._prior(generate_nums, shape)), shape)

    def reconstruct_sample(self, x):
        """The decoder's reconstruction of ``x`` (N, C, H, W)."""
        return self._decode(self._draw(x)[0])


class ConditionalVAE(_AutoEncoder):
    """A variational auto-encoder under labels, of MindSpore 1.0 to 1.10
    (``mindspore.nn.probability.dpn.ConditionalVAE``).

    As VAE; the encoder takes input and label (N,), and the decoder's layer the latent sample beside the
    label's one-hot row of ``num_classes``.
    """

    def __init__(self, encoder, decoder, hidden_size, latent_size, num_classes) -> None:
        super().__init__(encoder, decoder, hidden_size, latent_size, check_positive_int(num_classes))
        self.num_classes = num_classes

    def _beside(self, z, y):
        return ops.concat((z, ops.one_hot(y, self.num_classes, 1.0, 0.0).astype(z.dtype)), 1)

    def construct(self, x, y):
        z, mu, std = self._draw(x, y)
        return self._decode(self._beside(z, y)), x, mu, std

    def generate_sample(self, sample_y, generate_nums, shape):
        """Samples under the labels ``sample_y`` (generate_nums,), else as VAE's."""
        return ops.reshape(self._decode(self._beside(self._prior(generate_nums, shape), sample_y)), shape)

    def reconstruct_sample(self, x, y):
        """The decoder's reconstruction of ``x`` (N, C, H, W) under the labels ``y`` (N,)."""
        return self._decode(self._beside(self._draw(x, y)[0], y))
