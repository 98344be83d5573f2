"""``mindspore.nn.probability`` of 1.0 to 1.10: by its formulas; what the networks and optimizers hold was
asked of MindSpore 1.0.0."""

import numpy as np
import pytest

import ms2torch as ms
from ms2torch import Tensor, dataset, nn, ops
from ms2torch.nn.probability.dpn import VAE, ConditionalVAE
from ms2torch.nn.probability.infer import ELBO, SVI
from ms2torch.nn.probability.toolbox import UncertaintyEvaluation, VAEAnomalyDetection
from ms2torch.nn.probability.toolbox.uncertainty_evaluation import _DeviationLoss
from ms2torch.nn.probability.transforms import TransformToBNN
from ms2torch.nn.probability.zhusuan import ELBO as NetworksELBO
from ms2torch.nn.probability.zhusuan import BayesianNet

rng = np.random.default_rng(0)


def floats(*shape):
    return rng.standard_normal(shape).astype(np.float32)


class Encoder(nn.Cell):
    def __init__(self, labels=0):
        super().__init__()
        self.fc = nn.Dense(16 + labels, 6, activation="tanh")

    def construct(self, x, *y):
        rows = x.reshape(x.shape[0], -1)
        return self.fc(ops.concat((rows, ops.one_hot(y[0], 3, 1.0, 0.0)), 1) if y else rows)


class Decoder(nn.Cell):
    def __init__(self):
        super().__init__()
        self.fc = nn.Dense(6, 16)

    def construct(self, z):
        return self.fc(z).reshape(-1, 1, 4, 4)


def pictures(rows=24):
    x = floats(rows, 1, 4, 4) * 0.1 + np.linspace(-1, 1, 16, dtype=np.float32).reshape(1, 4, 4)
    y = (np.arange(rows) % 3).astype(np.int32)
    return dataset.NumpySlicesDataset({"image": x, "label": y}, shuffle=False).batch(8), x, y


def test_the_bound_is_squared_errors_and_the_divergence_from_the_standard_normal():
    recon, x, mu, std = floats(3, 4), floats(3, 4), floats(3, 2), np.abs(floats(3, 2)) + 0.1
    divergence = 0.5 * (std**2 + mu**2 - 1) - np.log(std)
    expected = np.float64((x - recon) ** 2).sum() + np.float64(divergence).sum()
    loss = ELBO()(tuple(map(Tensor, (recon, x, mu, std))), Tensor([0, 0, 0]))
    np.testing.assert_allclose(loss.asnumpy(), expected, rtol=1e-6)
    with pytest.raises(ValueError, match="latent_prior now only support Normal"):
        ELBO("Bernoulli")


def test_an_auto_encoder_has_the_layers_of_its_release():
    network = VAE(Encoder(), Decoder(), 6, 2)
    assert [(p.name, p.shape) for p in network.get_parameters()][4:] == [
        ("dense1.weight", (2, 6)), ("dense1.bias", (2,)), ("dense2.weight", (2, 6)), ("dense2.bias", (2,)),
        ("dense3.weight", (6, 2)), ("dense3.bias", (6,))]
    x = Tensor(floats(5, 1, 4, 4))
    recon, same, mu, std = network(x)
    assert same is x and recon.shape == x.shape
    hidden = network.encoder(x)
    np.testing.assert_allclose(mu.asnumpy(), network.dense1(hidden).asnumpy(), rtol=1e-6)
    np.testing.assert_allclose(std.asnumpy(), np.exp(0.5 * network.dense2(hidden).asnumpy()), rtol=1e-6)
    assert network.generate_sample(3, (-1, 1, 4, 4)).shape == (3, 1, 4, 4)
    assert network.reconstruct_sample(x).shape == x.shape
    for shape in ([3, 1, 4, 4], (3, 16), (4, 1, 4, 4)):
        with pytest.raises(ValueError, match="The shape should be"):
            network.generate_sample(3, shape)
    with pytest.raises(ValueError, match="less than or equal to the hidden_size"):
        VAE(Encoder(), Decoder(), 2, 3)
    with pytest.raises(TypeError, match="should be Cell type"):
        VAE(Encoder(), None, 6, 2)


def test_a_latent_sample_is_the_mean_and_the_deviation_times_a_standard_one():
    network = VAE(Encoder(), Decoder(), 6, 2)
    network._decode = lambda z: z
    x = Tensor(np.repeat(floats(1, 1, 4, 4), 40000, 0))
    z, _, mu, std = (np.float64(v.asnumpy()) for v in network(x))
    standard = (z - mu) / std
    assert abs(standard.mean()) < 0.02 and abs(standard.std() - 1) < 0.02


def test_a_conditional_auto_encoder_decodes_the_label_too():
    network = ConditionalVAE(Encoder(3), Decoder(), 6, 2, 3)
    assert network.dense3.weight.shape == (6, 5)
    x, y = Tensor(floats(4, 1, 4, 4)), Tensor([0, 2, 1, 0], ms.int32)
    network._decode = lambda z: z
    np.testing.assert_array_equal(network(x, y)[0].asnumpy()[:, 2:], np.eye(3)[[0, 2, 1, 0]])
    del network._decode
    assert network.reconstruct_sample(x, y).shape == x.shape
    assert network.generate_sample(y, 4, (4, 1, 4, 4)).shape == (4, 1, 4, 4)


def test_variational_inference_trains():
    ms.set_seed(1)
    rows, x, _ = pictures()
    network = VAE(Encoder(), Decoder(), 6, 2)
    before = float(ELBO()(network(Tensor(x)), None)) / len(x)
    inference = SVI(nn.WithLossCell(network, ELBO()), nn.Adam(network.trainable_params(), 0.02))
    assert inference.run(rows, 60) is network
    assert inference.get_train_loss() < 0.2 * before
    with pytest.raises(TypeError, match="should be ELBO"):
        SVI(nn.WithLossCell(network, nn.MSELoss()), None)


def test_outliers_are_far_from_their_reconstruction():
    ms.set_seed(1)
    rows, x, _ = pictures()
    found = VAEAnomalyDetection(Encoder(), Decoder(), 6, 2)
    found.train(rows, 300)
    usual, odd = Tensor(x[:1]), Tensor(-5 * x[:1])
    found.vae.reconstruct_sample = lambda sample: ops.zeros_like(sample)
    np.testing.assert_allclose(found.predict_outlier_score(odd), 5 * np.linalg.norm(x[:1]), rtol=1e-5)
    del found.vae.reconstruct_sample
    assert found.predict_outlier(odd, 4.0) and not found.predict_outlier(usual, 4.0)


class Classifier(nn.Cell):
    def __init__(self, dropout=False):
        super().__init__()
        self.flatten = nn.Flatten()
        if dropout:
            self.drop = nn.Dropout(p=0.5)
        self.fc = nn.SequentialCell([nn.Dense(16, 5, activation="relu"), nn.Dense(5, 3)])

    def construct(self, x):
        x = self.flatten(x)
        return self.fc(self.drop(x) if hasattr(self, "drop") else x)


def test_uncertainty_of_a_classifier(tmp_path):
    rows, x, _ = pictures()
    found = UncertaintyEvaluation(Classifier(), rows, "classification", 3, 2, str(tmp_path / "e"),
                                  str(tmp_path / "a"), save_model=True)
    epistemic = found.eval_epistemic_uncertainty(Tensor(x))
    assert epistemic.shape == (24, 3) and (epistemic > 0).all()
    aleatoric = found.eval_aleatoric_uncertainty(Tensor(x))
    deviation = found.ale_uncer_model(Tensor(x))[1].asnumpy()
    np.testing.assert_allclose(aleatoric, (deviation**2).sum(1), rtol=1e-5)
    saved = {kind: sorted((tmp_path / kind[0]).glob(f"checkpoint_{kind}_uncer_model-*.ckpt"))[-1]
             for kind in ("epi", "ale")}
    again = UncertaintyEvaluation(Classifier(), rows, "classification", 3, 2, *map(str, saved.values()))
    np.testing.assert_allclose(again.eval_aleatoric_uncertainty(Tensor(x)), aleatoric, rtol=1e-5)


def test_a_network_with_dropout_is_not_trained_again():
    network = Classifier(dropout=True)
    found = UncertaintyEvaluation(network, None, "classification", 3)
    weights = network.fc[0].weight.asnumpy().copy()
    assert (found.eval_epistemic_uncertainty(Tensor(floats(4, 1, 4, 4))).max(1) > 0).all()
    np.testing.assert_array_equal(found.epi_model.fc[0].weight.asnumpy(), weights)
    with pytest.raises(ValueError, match="train dataset should not be None"):
        found.eval_aleatoric_uncertainty(None)


def test_uncertainty_of_a_regression_is_learned_by_its_likelihood():
    class Line(nn.Cell):
        def __init__(self):
            super().__init__()
            self.fc = nn.Dense(2, 4)
            self.out = nn.Dense(4, 1)

        def construct(self, x):
            return self.out(self.fc(x))

    x, y = floats(16, 2), floats(16, 1)
    rows = dataset.NumpySlicesDataset({"data": x, "label": y}, shuffle=False).batch(8)
    found = UncertaintyEvaluation(Line(), rows, "regression")
    found.eval_aleatoric_uncertainty(Tensor(x))
    network = found.ale_uncer_model
    assert isinstance(network.ale_model.out, nn.Flatten) and network.var_layer.weight.shape == (1, 4)
    prediction, v = (np.float64(part.asnumpy()) for part in network(Tensor(x)))
    expected = (0.5 * np.exp(-v) * (y - prediction) ** 2 + 0.5 * v).mean()
    loss = _DeviationLoss("regression")(network(Tensor(x)), Tensor(y))
    np.testing.assert_allclose(loss.asnumpy(), expected, rtol=1e-5)
    usual = {"model": Line(), "train_dataset": rows, "task_type": "regression"}
    for wrong, error in (({"task_type": "ranking"}, ValueError), ({"model": 3}, TypeError),
                         ({"save_model": True}, ValueError)):
        with pytest.raises(error):
            UncertaintyEvaluation(**{**usual, **wrong})


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.c = nn.Conv2d(1, 2, 3, has_bias=True)
        self.f = nn.Flatten()
        self.d = nn.SequentialCell([nn.Dense(32, 5, activation="relu"), nn.Dense(5, 3)])

    def construct(self, x):
        return self.d(self.f(self.c(x)))


def transformed(make, factors=(1, 1), **settings):
    network = Net()
    optimizer = make(network.trainable_params(), weight_decay=0.01, **settings)
    step = nn.TrainOneStepCell(nn.WithLossCell(network, nn.MSELoss()), optimizer)
    return network, TransformToBNN(step, *factors)


def test_a_network_made_bayesian():
    """Names of parameters, and which of the optimizer's arguments go on, are MindSpore 1.0.0's."""
    network, made = transformed(nn.Momentum, (2, 0.5), learning_rate=0.1, momentum=0.8)
    step = made.transform_to_bnn_model()
    parts = [f"{layer}.{what}_posterior.{part}" for layer in ("c", "d.0", "d.1")
             for what in ("weight", "bias") for part in ("mean", "untransformed_std")]
    assert [p.name for p in step.optimizer.parameters] == parts
    optimizer = step.optimizer
    assert [float(v) for v in (optimizer.weight_decay, optimizer.momentum, optimizer.learning_rate)] == (
        pytest.approx([0.0, 0.8, 0.1]))
    for p in optimizer.parameters[1::2]:         # deviations of 1e-6: draws are the means
        p.set_data(ops.zeros_like(p) - 30)
    x, y = Tensor(floats(4, 1, 4, 4)), Tensor(floats(4, 3))
    loss = step.network
    assert (loss.dnn_factor, loss.bnn_factor) == (2, 0.5)
    loss.bnn_factor = 0
    assert float(loss(x, y)) == pytest.approx(2 * float(nn.MSELoss()(network(x), y)), rel=1e-5)
    loss.dnn_factor, loss.bnn_factor = 0, 0.5
    for p in optimizer.parameters[1::2]:         # deviations of 0.1, the prior's
        p.set_data(ops.zeros_like(p) + np.log(np.exp(0.1) - 1))
    divergence = sum((np.float64(p.asnumpy()) ** 2).sum() / (2 * 0.1**2) for p in optimizer.parameters[::2])
    assert float(loss(x, y)) == pytest.approx(0.5 * divergence, rel=1e-4)
    _, made = transformed(nn.Adam, learning_rate=0.02, beta1=0.8)
    optimizer = made.transform_to_bnn_layer(nn.Dense, nn.probability.bnn_layers.DenseReparam).optimizer
    assert [p.name for p in optimizer.parameters] == ["c.weight", "c.bias", *parts[4:]]
    assert [float(v) for v in (optimizer.weight_decay, optimizer.beta1, optimizer.learning_rate)] == (
        pytest.approx([0.0, 0.9, 0.02]))
    assert float(made.transform_to_bnn_model()(x, y)) > 0
    with pytest.raises(ValueError, match="should be one of values in"):
        made.transform_to_bnn_layer(nn.ReLU, nn.probability.bnn_layers.DenseReparam)
    with pytest.raises(TypeError, match="`bnn_factor` should be `int` or `float`"):
        transformed(nn.Adam, (1, True))


def test_bayesian_networks_and_their_bound():
    class Posterior(BayesianNet):
        def __init__(self):
            super().__init__()
            self.fc = nn.Dense(4, 2)

        def construct(self, x, z, y):
            return self.Normal("z", observation=z, mean=self.fc(x), std=ops.ones((3, 2)) * 0.5)

    class Model(BayesianNet):
        def __init__(self):
            super().__init__()
            self.fc = nn.Dense(2, 4)

        def construct(self, x, z, y):
            z, of_z = self.Normal("z", z, ops.zeros_like(z), ops.ones_like(z))
            x, of_x = self.Bernoulli("x", x, ops.sigmoid(self.fc(z)))
            return x, of_x, z, of_z

    x = Tensor(np.array([[0, 1, 1, 0], [1, 1, 0, 0], [0, 0, 0, 1]], np.float32))
    posterior, model = Posterior(), Model()
    z, density = posterior(x, None, None)
    mean = posterior.fc(x).asnumpy()
    off = (z.asnumpy() - mean) / 0.5
    normal = -0.5 * off**2 - np.log(0.5) - 0.5 * np.log(2 * np.pi)
    np.testing.assert_allclose(density.asnumpy(), normal.sum(1, keepdims=True), rtol=1e-4)
    p = 1 / (1 + np.exp(-np.float64(model.fc(z).asnumpy())))
    of_x = np.where(x.asnumpy() > 0, np.log(p), np.log(1 - p)).sum(1)
    np.testing.assert_allclose(model(x, z, None)[1].asnumpy()[:, 0], of_x, rtol=1e-4)
    of_z = (-0.5 * z.asnumpy() ** 2 - 0.5 * np.log(2 * np.pi)).sum(1)
    posterior.construct = lambda *inputs: (z, density)
    bound = NetworksELBO(model, posterior)(x)
    np.testing.assert_allclose(float(bound), -(of_x.mean() + of_z.mean() - normal.sum(1).mean()), rtol=1e-4)
    del posterior.construct
    step = ms.grad(NetworksELBO(model, posterior), None, [posterior.fc.weight])(x)
    assert np.abs(step[0].asnumpy()).max() > 0
