"""THOR: what becomes of networks, and steps of training.

MindSpore's CPU lacks three kernels of it; there the cases put their mathematics in, in numpy.
"""

from importlib import import_module

import mindspore as ms
import numpy as np
from mindspore import Tensor, nn, ops

from tests.reference.judge import case, data

module = import_module("mindspore.nn.optim.thor")
REAL = module.__name__.startswith("mindspore")


class Net(nn.Cell):
    """A layer of every kind that THOR knows."""

    def __init__(self, width=3, batch_norm=True):
        super().__init__()
        self.conv = nn.Conv2d(2, width, 3, has_bias=True, weight_init=Tensor(data((width, 2, 3, 3))))
        self.norm = nn.BatchNorm2d(width) if batch_norm else nn.ReLU()
        self.flat = nn.Flatten()
        self.dense = nn.SequentialCell(
            nn.Dense(width * 16, 4, Tensor(data((4, width * 16))), activation="relu"),
            nn.LayerNorm((4,)), nn.Dense(4, 3, Tensor(data((3, 4)))))

    def construct(self, x):
        return self.dense(self.flat(self.norm(self.conv(x))))


class Rows(nn.Cell):
    def __init__(self):
        super().__init__()
        self.table = nn.Embedding(7, 4, embedding_table=Tensor(data((7, 4))))
        self.head = nn.CellList([nn.Dense(4, 3), nn.Dense(3, 2, has_bias=False)])

    def construct(self, ids):
        return self.head[1](self.head[0](self.table(ids).mean(1)))


def whole(params):
    return {p.name: p for p in params}


def inverse_factor(matrix, split):
    matrix = matrix.asnumpy()
    width = len(matrix)
    size = split if width > split > 0 else width
    blocks = np.tile(np.eye(size, dtype=np.float64), (-(-width // size), 1, 1))
    for i, block in enumerate(blocks):
        part = matrix[i * size:(i + 1) * size, i * size:(i + 1) * size]
        block[:len(part), :len(part)] = part
    found = np.linalg.inv(np.linalg.cholesky(blocks)).astype(np.float32)
    return Tensor(found if split else found[0])


def product(g, gradient, a):
    g, a, gradient = g.asnumpy(), a.asnumpy(), gradient.asnumpy()
    found, (high, wide) = np.zeros_like(gradient), (g.shape[-1], a.shape[-1])
    for i in range(len(g)):
        for j in range(a.shape[1]):
            place = slice(i * high, (i + 1) * high), slice(j * wide, (j + 1) * wide)
            part = gradient[place]
            found[place] = g[i, :part.shape[0], :part.shape[0]] @ part @ a[i, j, :part.shape[1], :part.shape[1]]
    return Tensor(found)


def patches(conv):
    def img2col(x):
        x, (kh, kw), (sh, sw) = x.asnumpy(), conv.kernel_size, conv.stride
        n, c, h, w = x.shape
        down, across = -(-h // sh), -(-w // sw)
        high, wide = max((down - 1) * sh + kh - h, 0), max((across - 1) * sw + kw - w, 0)
        x = np.pad(x, ((0, 0), (0, 0), (high // 2, high - high // 2), (wide // 2, wide - wide // 2)))
        found = np.zeros((c, kh, kw, n, down, across), np.float32)
        for i in range(kh):
            for j in range(kw):
                rows = x[:, :, i:i + down * sh:sh, j:j + across * sw:sw]
                found[:, i, j] = rows.transpose(1, 0, 2, 3)
        return Tensor(found)
    return img2col


def thor(net, steps=4, **options):
    """`nn.thor` with float32 layers, and on the real one with kernels."""
    options.setdefault("damping", Tensor(np.linspace(0.3, 0.1, steps).astype(np.float32)))
    rate = Tensor(np.linspace(0.1, 0.05, steps).astype(np.float32))
    optimizer = nn.thor(net, rate, momentum=0.9, **options)
    for _, cell in net.cells_and_names():
        if isinstance(cell, nn.DenseThor):
            cell.to_float(ms.float32)
        if isinstance(cell, nn.Conv2dThor) and REAL:
            cell.img2col = patches(cell)
    if REAL:
        optimizer.cholesky = lambda m: inverse_factor(m, optimizer.split_dim)
        optimizer.update_gradient = product
    return optimizer


def trained(net, optimizer, x, steps=3, first_order=()):
    """Losses, weights, inverses and the optimizer's state after some steps."""
    y = Tensor(data((x.shape[0], 3), seed=9))
    step = ms.value_and_grad(lambda x: ((net(x) - y) ** 2).mean(), None, optimizer.parameters)
    losses = []
    for i in range(steps):
        optimizer.thor = i not in first_order
        loss, grads = step(x)
        losses.append(loss)
        optimizer(grads)
    return losses, whole(net.get_parameters()), whole(optimizer.moments), optimizer.cov_step, \
        whole(optimizer.matrix_a), whole(optimizer.matrix_g)


@case()
def test_layers_are_replaced():
    net, rows = Net(), Rows()
    opt, other = thor(net), thor(rows)
    return [(p.name, p.shape, p.requires_grad) for p in (*net.get_parameters(), *rows.get_parameters())], \
        str(net), str(rows), net.cell_type, [(p.name, p.shape) for p in opt.get_parameters()], \
        [(p.name, p.shape) for p in other.get_parameters()], opt.weight_fim_idx_map, \
        opt.weight_conv_idx_map, opt.weight_layertype_idx_map, other.weight_layertype_idx_map, \
        opt.matrix_a_shape, opt.get_frequency(), str(type(opt).__name__), opt.decay_flags, opt.thor


@case(rtol=1e-3, reason="a float16 sum rounds once more or less: half a unit of its last place")
def test_half_precision_of_dense_layers():
    net = nn.SequentialCell(nn.Dense(3, 4, Tensor(data((4, 3)))), nn.Dense(4, 2, Tensor(data((2, 4)))))
    nn.thor(net, Tensor([0.1]), Tensor([0.1]), 0.9)
    loss, grads = ms.value_and_grad(lambda x: (net(x) ** 2).sum(), None, net.trainable_params())(
        Tensor(data((5, 3))))
    return loss, grads, whole(net.get_parameters())


@case(each={"batch_norm": [True, False]}, rtol=1e-4, atol=1e-5,
      reason="inverses of covariances multiply what float32 rounds by their condition, about 100 here")
def test_steps_of_a_convolution(batch_norm):
    net = Net(batch_norm=batch_norm)
    net.set_train()
    return trained(net, thor(net), Tensor(data((5, 2, 4, 4), seed=3)))


@case(each=[{"options": o} for o in ({"weight_decay": 0.1}, {"loss_scale": 4.0, "weight_decay": 0.01},
                                     {"batch_size": 5}, {"enable_clip_grad": True},
                                     {"decays": "bias", "weight_decay": 0.2})],
      rtol=1e-4, atol=1e-5, reason="inverses of covariances multiply what float32 rounds")
def test_steps_of_dense_layers(options):
    options = dict(options)
    if part := options.pop("decays", None):
        options["decay_filter"] = lambda p: part in p.name
    net = nn.SequentialCell(nn.Dense(4, 6, Tensor(data((6, 4)))), nn.LayerNorm((6,)), nn.ReLU(),
                            nn.Dense(6, 3, Tensor(data((3, 6)))))
    return trained(net, thor(net, **options), Tensor(data((5, 4), seed=3)))


@case(rtol=1e-4, atol=1e-5, reason="inverses of covariances multiply what float32 rounds")
def test_steps_between_use_the_last_inverses():
    net = nn.SequentialCell(nn.Dense(4, 6, Tensor(data((6, 4)))), nn.ReLU(), nn.Dense(6, 3, Tensor(data((3, 6)))))
    return trained(net, thor(net), Tensor(data((5, 4), seed=3)), 3, first_order=(1,))


@case(rtol=1e-4, atol=1e-5, reason="inverses of covariances multiply what float32 rounds")
def test_blocks_of_128():
    net = nn.SequentialCell(nn.Dense(130, 140, Tensor(data((140, 130)) / 10), has_bias=False),
                            nn.Dense(140, 3, Tensor(data((3, 140)) / 10)))
    found = trained(net, thor(net), Tensor(data((4, 130), seed=3)), 2)
    return found[0], found[1]["0.weight"].asnumpy()[125:133, 120:], found[4]["matrix_a_inv_0"].shape, \
        found[5]["matrix_g_inv_0"].asnumpy()[1, :14, :14]


@case(each={"kind": [0, 1, 2], "whole": [False, True]})
def test_clipping(kind, whole):
    module.GRADIENT_CLIP_TYPE, module.IS_ENABLE_GLOBAL_NORM = kind, whole
    try:
        return module.clip_gradient(True, (Tensor([3.0, -4.0]), Tensor([0.1, -0.2]))), \
            module.clip_gradient(False, (Tensor([3.0]),))
    finally:
        module.GRADIENT_CLIP_TYPE, module.IS_ENABLE_GLOBAL_NORM = 1, False


@case(each={"a": [9, 128, 130, 256], "g": [3, 128, 300]})
def test_shapes_of_blocks(a, g):
    return module.caculate_matmul_shape(a, g, 128)


RATE = Tensor([0.1, 0.05])


@case(each=[{"options": o} for o in (
    {"learning_rate": 0.1}, {"learning_rate": [0.1, 0.2]}, {"momentum": 1}, {"momentum": -1.0},
    {"frequency": 1}, {"frequency": 2.0}, {"weight_decay": -1.0}, {"weight_decay": "a"}, {"loss_scale": 0.0},
    {"use_nesterov": 1}, {"net": 3}, {"decay_filter": 3})], raises=True)
def test_what_is_refused(options):
    given = {"net": nn.SequentialCell(nn.LayerNorm((3,))), "learning_rate": RATE, "damping": RATE, "momentum": 0.9}
    return nn.thor(**{**given, **options})


@case(each=[{"kernel": 3, "group": 2}, {"kernel": (3, 5), "group": 1}], raises=True)
def test_layers_that_cannot_be_replaced(kernel, group):
    return nn.thor(nn.SequentialCell(nn.Conv2d(4, 4, kernel, group=group)), RATE, RATE, 0.9)


@case(raises=True)
def test_beyond_the_last_damping():
    net = nn.SequentialCell(nn.LayerNorm((3,)))
    optimizer = nn.thor(net, Tensor([0.1, 0.1, 0.1]), RATE, 0.9)
    for _ in range(3):
        optimizer((Tensor([1.0, 2.0, 3.0]), Tensor([1.0, 2.0, 3.0])))
    return ops.zeros(1)


@case()
def test_models():
    net = nn.SequentialCell(nn.LayerNorm((3,)))
    optimizer, loss = nn.thor(net, RATE, RATE, 0.9, frequency=2), nn.MSELoss()
    model = ms.Model(net, loss, optimizer)
    convert = ms.ConvertModelUtils.convert_to_thor_model
    made = convert(model, net, loss, optimizer, metrics={"mse"})
    of_cell = convert(model, nn.TrainOneStepCell(nn.WithLossCell(net, loss), optimizer), optimizer=optimizer)
    return type(made).__name__, made._frequency, type(of_cell).__name__, of_cell._frequency, \
        convert(model, net, loss, nn.SGD(net.trainable_params())) is model
