"""r1.6 style: a variational autoencoder; a train cell by GradOperation, sampling from the decoder."""

import argparse

import mindspore as ms
import mindspore.dataset as ds
import mindspore.nn as nn
import mindspore.ops as ops
import numpy as np
from mindspore import Model, ParameterTuple, Tensor, context
from mindspore.dataset.transforms.c_transforms import TypeCast
from mindspore.dataset.vision import c_transforms as CV
from mindspore.train.callback import LossMonitor


class Encoder(nn.Cell):
    def __init__(self, latent):
        super(Encoder, self).__init__()
        self.flatten = nn.Flatten()
        self.fc = nn.Dense(64, 32, activation="relu")
        self.mean = nn.Dense(32, latent)
        self.log_var = nn.Dense(32, latent)

    def construct(self, x):
        x = self.fc(self.flatten(x))
        return self.mean(x), self.log_var(x)


class Decoder(nn.Cell):
    def __init__(self, latent):
        super(Decoder, self).__init__()
        self.fc1 = nn.Dense(latent, 32)
        self.fc2 = nn.Dense(32, 64)
        self.relu = nn.ReLU()
        self.sigmoid = nn.Sigmoid()

    def construct(self, z):
        return self.sigmoid(self.fc2(self.relu(self.fc1(z)))).view(-1, 1, 8, 8)


class VAE(nn.Cell):
    def __init__(self, latent):
        super(VAE, self).__init__()
        self.encoder = Encoder(latent)
        self.decoder = Decoder(latent)
        self.exp = ops.Exp()

    def construct(self, x, noise):
        mean, log_var = self.encoder(x)
        z = mean + noise * self.exp(log_var / 2)
        return self.decoder(z), mean, log_var


class ELBO(nn.Cell):
    """Reconstruction and Kullback-Leibler divergence from the normal distribution, per image."""

    def __init__(self, network, beta=0.5):
        super(ELBO, self).__init__(auto_prefix=False)
        self.network = network
        self.entropy = nn.BCELoss(reduction="sum")
        self.reduce_sum = ops.ReduceSum()
        self.square, self.exp = ops.Square(), ops.Exp()
        self.beta = beta

    def construct(self, x, noise):
        found, mean, log_var = self.network(x, noise)
        divergence = -0.5 * self.reduce_sum(1 + log_var - self.square(mean) - self.exp(log_var))
        return (self.entropy(found, x) + self.beta * divergence) / x.shape[0]


class TrainOneStep(nn.Cell):
    def __init__(self, network, optimizer):
        super(TrainOneStep, self).__init__(auto_prefix=False)
        self.network = network
        self.network.set_grad()
        self.optimizer = optimizer
        self.weights = ParameterTuple(network.trainable_params())
        self.grad = ops.GradOperation(get_by_list=True)

    def construct(self, x, noise):
        loss = self.network(x, noise)
        grads = self.grad(self.network, self.weights)(x, noise)
        return ops.depend(loss, self.optimizer(grads))


def digits(count):
    """Crosses and bars on 8 x 8."""
    random = np.random.RandomState(1)
    for _ in range(count):
        image = np.zeros((10, 10, 1), np.uint8)
        row, column = random.randint(2, 8, 2)
        image[row] = 220
        if random.rand() < 0.5:
            image[:, column] = 220
        yield image, random.randn(4)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--device_target", default="Ascend")
    context.set_context(mode=context.GRAPH_MODE, device_target=parser.parse_args().device_target)
    ms.set_seed(10)
    data = ds.GeneratorDataset(list(digits(96)), ["image", "noise"], shuffle=True)
    data = data.map(
        operations=[CV.CenterCrop(8), CV.Rescale(1.0 / 255.0, 0.0), CV.HWC2CHW()], input_columns="image"
    )
    data = data.map(operations=TypeCast(ms.float32), input_columns=["noise"])
    data = data.batch(16, drop_remainder=True)

    vae = VAE(4)
    optimizer = nn.Adam(vae.trainable_params(), learning_rate=0.005)
    model = Model(TrainOneStep(ELBO(vae), optimizer))
    model.train(5, data, callbacks=[LossMonitor()], dataset_sink_mode=False)

    vae.set_train(False)
    samples = vae.decoder(Tensor(np.random.RandomState(3).randn(2, 4).astype(np.float32)))
    print(samples.shape, samples.asnumpy()[0, 0, 3])
    for batch in data.create_dict_iterator(output_numpy=False):
        found, mean, log_var = vae(batch["image"], ops.ZerosLike()(batch["noise"]))
        print(found.shape, mean.asnumpy()[0], log_var.asnumpy().mean())
        break
