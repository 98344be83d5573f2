"""THOR where the real one can not be asked: its kernels are on a GPU. Mathematics in numpy, in float64."""

import itertools
from importlib import import_module

import numpy as np
import pytest
from ms2torch.ops.operations._thor_ops import CholeskyTrsm, ThorIm2Col, UpdateThorGradient

import ms2torch as ms
from ms2torch import Tensor, context, nn, train
from ms2torch import dataset as ds

RANDOM = np.random.RandomState(0)
TABLE = RANDOM.randn(5, 3).astype(np.float32)
IDS = np.array([[1, 2], [1, 4], [3, 3]], np.int32)


def rates(*values):
    return Tensor(np.array(values, np.float32))


def test_an_embedding_learns_by_the_natural_gradient():
    """w -= rate * inverse(count / batch + root) * g @ inverse(G + root): as documented. MindSpore's GPU form
    squares the factor of the inverse without turning it."""
    net = nn.SequentialCell(nn.Embedding(5, 3, embedding_table=Tensor(TABLE)))
    optimizer = nn.thor(net, rates(0.1), rates(0.25), 0.9, batch_size=3)
    grads = ms.grad(lambda ids: (net(ids) ** 2).sum(), None, optimizer.parameters)(Tensor(IDS))
    optimizer(grads)
    out = 2 * TABLE.astype(np.float64)[IDS].reshape(-1, 3)              # the gradient of each row read
    g = np.zeros((5, 3))
    np.add.at(g, IDS.ravel(), out)
    covariance = out.T @ out / 6 * 9 + 0.5 * np.eye(3)
    counts = np.bincount(IDS.ravel(), minlength=5) / 3 + 0.5
    natural = g / counts[:, None] @ np.linalg.inv(covariance)
    assert np.allclose(net[0].embedding_table.asnumpy(), TABLE - 0.1 * natural, rtol=1e-5, atol=1e-6)


def test_nesterov_steps_ahead():
    net = nn.SequentialCell(nn.LayerNorm((3,)))
    optimizer = nn.thor(net, rates(0.1, 0.1), rates(0.04, 0.04), 0.9, use_nesterov=True, batch_size=4)
    g, w, v = np.array([1.0, 2.0, -3.0]), np.ones(3), np.zeros(3)
    natural = g / (g * g / 4 + 0.2)
    for _ in range(2):
        optimizer((Tensor(g, ms.float32), Tensor(g, ms.float32)))
        v = 0.9 * v + natural
        w = w - 0.1 * (natural + 0.9 * v)
    assert np.allclose(net[0].gamma.asnumpy(), w, atol=1e-6)


def test_factors_of_inverses():
    m = RANDOM.randn(7, 7)
    m = m @ m.T + np.eye(7)
    whole = CholeskyTrsm()(Tensor(m)).asnumpy()
    assert np.allclose(whole.T @ whole, np.linalg.inv(m)) and np.allclose(whole, np.tril(whole))
    parts = CholeskyTrsm(split_dim=4)(Tensor(m)).asnumpy()
    assert parts.shape == (2, 4, 4)
    assert np.allclose(parts[0].T @ parts[0], np.linalg.inv(m[:4, :4]))
    assert np.allclose((parts[1].T @ parts[1])[:3, :3], np.linalg.inv(m[4:, 4:]))
    assert np.array_equal(parts[1][3], [0, 0, 0, 1])
    assert CholeskyTrsm(split_dim=8)(Tensor(m)).shape == (1, 7, 7)


def test_gradients_between_blocks():
    g, a, x = RANDOM.randn(2, 2, 2), RANDOM.randn(2, 2, 3, 3), RANDOM.randn(3, 5)
    found = UpdateThorGradient(split_dim=3)(*map(Tensor, (g, x, a))).asnumpy()
    assert np.allclose(found[:2, :3], g[0] @ x[:2, :3] @ a[0, 0])
    assert np.allclose(found[2:, 3:], g[1, :1, :1] @ x[2:, 3:] @ a[1, 1, :2, :2])


@pytest.mark.parametrize(("mode", "pad", "places"),
                         [("same", 0, (3, 2)), ("valid", 0, (2, 2)), ("pad", 1, (3, 3))])
def test_patches_are_what_a_convolution_reads(mode, pad, places):
    x, kernel = RANDOM.randn(2, 3, 5, 4), RANDOM.randn(4, 3, 3, 2)
    found = ThorIm2Col((3, 2), mode, pad, 2)(Tensor(x, ms.float32)).asnumpy()
    assert found.shape == (3, 3, 2, 2, *places)
    conv = nn.Conv2d(3, 4, (3, 2), 2, mode, pad, weight_init=Tensor(kernel, ms.float32))
    out = np.einsum("oikl,iklnhw->nohw", kernel, found)
    assert np.allclose(conv(Tensor(x, ms.float32)).asnumpy(), out, atol=1e-5)


def test_a_covariance_without_damping_is_an_error_and_leaves_everything():
    net = nn.SequentialCell(nn.Dense(3, 2))
    optimizer = nn.thor(net, rates(0.1), rates(0.0), 0.9)
    grads = ms.grad(lambda x: net(x).sum(), None, optimizer.parameters)(Tensor(np.ones((1, 3), np.float32)))
    before = [p.asnumpy().copy() for p in optimizer.get_parameters()]
    with pytest.raises(RuntimeError, match=r"gathered for 0\.weight is not positive definite.*'damping'"):
        optimizer(grads)
    after = optimizer.get_parameters()
    assert all(np.array_equal(a, p.asnumpy()) for a, p in zip(before, after, strict=True))


def test_ascends_form_says_what_to_take():
    with pytest.raises(NotImplementedError, match=r"ThorAscend.*Ascend.*nn\.thor"):
        import_module("ms2torch.nn.optim.thor").ThorAscend(None, 0.1, 0.1, 0.9)


class Watch(train.Callback):
    def __init__(self, dense):
        self.dense, self.steps, self.covariances = dense, [], []

    def on_train_step_begin(self, run_context):
        self.covariances.append(self.dense.matrix_a.asnumpy().copy())

    def on_train_step_end(self, run_context):
        self.steps.append(run_context.original_args().cur_step_num)


@pytest.mark.parametrize(("target", "sink"), [("GPU", True), ("GPU", False), ("CPU", True)])
def test_a_model_gathers_in_every_frequency_th_step(target, sink):
    before = context.get_context("device_target")
    context.set_context(device_target=target)
    try:
        net, loss = nn.SequentialCell(nn.Dense(2, 3), nn.ReLU(), nn.Dense(3, 1)), nn.MSELoss()
        optimizer = nn.thor(net, rates(*[0.01] * 8), rates(*[0.1] * 8), 0.9, frequency=3)
        model = train.ConvertModelUtils.convert_to_thor_model(None, net, loss, optimizer)
        rows = ds.NumpySlicesDataset({"x": RANDOM.randn(16, 2).astype(np.float32),
                                      "y": RANDOM.randn(16, 1).astype(np.float32)}, shuffle=False).batch(4)
        watch = Watch(net[0])
        model.train(2, rows, callbacks=watch, dataset_sink_mode=sink)
    finally:
        context.set_context(device_target=before)
    seen = watch.covariances
    changed = [not np.array_equal(a, b) for a, b in itertools.pairwise(seen)]
    assert changed == [True, False, False, True, False, False, True]
    assert watch.steps == ([1, 3, 4, 6, 7] if target == "GPU" and sink else [*range(1, 9)])
    assert int(optimizer.cov_step.asnumpy()[0]) == 8


def test_a_model_does_not_evaluate_while_it_trains():
    net, rows = nn.SequentialCell(nn.Dense(2, 3)), ds.NumpySlicesDataset([1.0]).batch(1)
    model = train.ConvertModelUtils.convert_to_thor_model(
        None, net, nn.MSELoss(), nn.thor(net, rates(0.1), rates(0.1), 0.9), {"mse"})
    with pytest.raises(ValueError, match="second-order scenario of thor"):
        model.fit(1, rows, rows)
