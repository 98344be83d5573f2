"""Networks that the real MindSpore exports (``scripts/record_mindir.py``): layers, operators, branches."""

from collections.abc import Callable
from typing import NamedTuple

import mindspore as ms
import numpy as np
from mindspore import Tensor, mint, nn, ops
from mindspore.ops import operations as P
from networks_with_flow import Branch, Early, Growing, Left, Loop, Nested, Returned, Unrolled


def floats(*shapes):
    """Inputs of given shapes, the same each time."""
    return lambda: [
        np.random.default_rng(i).standard_normal(s).astype(np.float32) for i, s in enumerate(shapes)
    ]


def words(*shape, below=9):
    return lambda: [np.random.default_rng(3).integers(0, below, shape).astype(np.int32)]


class Network(NamedTuple):
    make: Callable
    inputs: Callable
    # What is given to export in place of the inputs: open dimensions.
    declared: Callable | None = None


class LeNet(nn.Cell):
    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(1, 3, 5, pad_mode="valid")
        self.conv2 = nn.Conv2d(3, 4, 5, pad_mode="valid", has_bias=True)
        self.relu = nn.ReLU()
        self.pool = nn.MaxPool2d(2, 2)
        self.flatten = nn.Flatten()
        self.fc1 = nn.Dense(100, 12)
        self.fc2 = nn.Dense(12, 10)

    def construct(self, x):
        x = self.pool(self.relu(self.conv1(x)))
        x = self.pool(self.relu(self.conv2(x)))
        return self.fc2(self.relu(self.fc1(self.flatten(x))))


def mlp():
    return nn.SequentialCell(
        nn.Dense(4, 8), nn.Tanh(), nn.Dense(8, 8, activation="gelu"), nn.Dense(8, 3), nn.Softmax()
    )


class Residual(nn.Cell):
    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(3, 4, 3, stride=2)
        self.bn1 = nn.BatchNorm2d(4)
        self.conv2 = nn.Conv2d(4, 4, 3, padding=1, pad_mode="pad")
        self.bn2 = nn.BatchNorm2d(4)
        self.down = nn.Conv2d(3, 4, 1, stride=2)
        self.relu = nn.ReLU()
        self.fc = nn.Dense(4, 2)

    def construct(self, x):
        out = self.bn2(self.conv2(self.relu(self.bn1(self.conv1(x)))))
        out = self.relu(out + self.down(x))
        return self.fc(out.mean((2, 3)))


class Recurrent(nn.Cell):
    def __init__(self, layer):
        super().__init__()
        self.layer = layer
        self.fc = nn.Dense(4, 2)

    def construct(self, x):
        return self.fc(self.layer(x)[0][:, -1])


class Attention(nn.Cell):
    def __init__(self):
        super().__init__()
        self.embed = nn.Embedding(9, 8)
        self.query, self.key, self.value = nn.Dense(8, 8), nn.Dense(8, 8), nn.Dense(8, 8)
        self.norm = nn.LayerNorm((8,))
        self.up, self.down = nn.Dense(8, 16, activation="relu"), nn.Dense(16, 8)
        self.head = nn.Dense(8, 9, has_bias=False)

    def split(self, x):
        return x.reshape(x.shape[0], x.shape[1], 2, 4).swapaxes(1, 2)

    def construct(self, words):
        x = self.embed(words)
        q, k, v = self.split(self.query(x)), self.split(self.key(x)), self.split(self.value(x))
        scores = ops.matmul(q, k.swapaxes(-1, -2)) / 2.0
        mask = ops.tril(ops.ones((x.shape[1], x.shape[1]), ms.bool_))
        scores = ops.masked_fill(scores, ops.logical_not(mask), -1e9)
        y = ops.matmul(ops.softmax(scores, -1), v).swapaxes(1, 2).reshape(x.shape)
        x = self.norm(x + y)
        return self.head(x + self.down(self.up(x)))


class Encoder(nn.Cell):
    def __init__(self):
        super().__init__()
        self.layer = nn.TransformerEncoderLayer(8, 2, 16, batch_first=True)

    def construct(self, x):
        return self.layer(x)


class Convolutions(nn.Cell):
    def __init__(self):
        super().__init__()
        self.depthwise = nn.Conv2d(4, 4, 3, group=4, dilation=2, pad_mode="same")
        self.up = nn.Conv2dTranspose(4, 2, 2, stride=2, has_bias=True)
        self.one = nn.Conv1d(2, 3, 3, stride=2, pad_mode="same", has_bias=True)

    def construct(self, x):
        x = self.up(self.depthwise(x))
        return x, self.one(x.mean(2))


class Volume(nn.Cell):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv3d(2, 3, 3, pad_mode="same")
        self.pool = nn.AvgPool3d(2, 2)

    def construct(self, x):
        return self.pool(self.conv(x))


class Norms(nn.Cell):
    def __init__(self):
        super().__init__()
        self.group = nn.GroupNorm(2, 4)
        self.instance = nn.BatchNorm2d(4)
        self.layer = nn.LayerNorm((5,))

    def construct(self, x):
        return self.layer(self.instance(self.group(x)))


class Activations(nn.Cell):
    def __init__(self):
        super().__init__()
        self.prelu = nn.PReLU(4)
        self.layers = nn.CellList(
            [
                nn.ReLU6(),
                nn.LeakyReLU(),
                nn.ELU(),
                nn.GELU(),
                nn.Sigmoid(),
                nn.HSwish(),
                nn.SiLU(),
                nn.Softplus() if hasattr(nn, "Softplus") else nn.Tanh(),
                nn.LogSigmoid(),
                nn.Mish(),
            ]
        )

    def construct(self, x):
        outputs = (self.prelu(x),)
        for layer in self.layers:
            outputs += (layer(x),)
        return outputs


class Pools(nn.Cell):
    def __init__(self):
        super().__init__()
        self.most = nn.MaxPool2d(3, 2, pad_mode="same")
        self.mean = nn.AvgPool2d(2, 2, pad_mode="valid")
        self.whole = nn.AdaptiveAvgPool2d(1)

    def construct(self, x):
        return self.most(x), self.mean(x), self.whole(x)


class Rounded(nn.Cell):
    """Pooling whose last windows reach out, pads that do not count, and what a LayerNorm divides by."""

    def __init__(self):
        super().__init__()
        self.most = nn.MaxPool2d(3, 2, pad_mode="pad", padding=1, ceil_mode=True)
        self.inner = nn.AvgPool2d(3, 2, pad_mode="pad", padding=1, ceil_mode=True, count_include_pad=False)
        self.outer = nn.AvgPool2d(3, 2, pad_mode="pad", padding=1, ceil_mode=True)
        self.fifth = nn.AvgPool2d(3, 2, pad_mode="pad", padding=1, divisor_override=5)
        self.norm = P.LayerNorm(-1, -1, 1e-5)
        self.gamma = ms.Parameter(Tensor([1.0] * 9), "gamma")
        self.beta = ms.Parameter(Tensor([0.0] * 9), "beta")

    def construct(self, x):
        return self.most(x), self.inner(x), self.outer(x), self.fifth(x), *self.norm(x, self.gamma, self.beta)


class Shapes(nn.Cell):
    """Indexing, joining, splitting and other arrangements."""

    def construct(self, x, y):
        a = ops.concat((x, y), axis=1)
        b = ops.stack((x, y), axis=0)
        c, d = ops.split(a, 3, axis=1)[0], ops.transpose(b, (1, 0, 2))
        e = x[:, 1:3] + y[0, ::2][:2]
        f = ops.pad(x, (1, 0), value=0.5)
        g = ops.tile(x, (1, 2)).expand_dims(0).squeeze(0)
        return a, c, d, e, f, g, ops.flip(x, (1,)), ops.cumsum(x, 1), x.view(-1)


class Picked(nn.Cell):
    """Several tensors as an index: behind a slice, around one, of shapes that spread."""

    def construct(self, x, i, j):
        return x[:, i, j], x[:, :, i, j], x[i, :, j], x[:, i[:, None], j[:3]]


class Sums(nn.Cell):
    """Reductions, comparisons, sorting."""

    def construct(self, x):
        values, places = ops.topk(x, 2)
        return (
            x.sum(0),
            x.mean(1, keep_dims=True),
            x.max(1),
            x.argmax(1),
            x.prod(1),
            x.std(),
            values,
            places,
            ops.where(x > 0, x, -x),
            ops.clamp(x, -0.5, 0.5),
            ops.sort(x)[0],
            ops.norm(x),
            (x > 0).astype(ms.int32),
        )


class Letters(nn.Cell):
    """Lookups, one-hot, gathering."""

    def __init__(self):
        super().__init__()
        self.table = nn.Embedding(9, 4)
        self.fixed = ms.Parameter(
            Tensor(np.arange(9, dtype=np.float32)), name="order.fixed", requires_grad=False
        )

    def construct(self, x):
        hot = ops.one_hot(x, 9, Tensor(1.0, ms.float32), Tensor(0.0, ms.float32))
        return self.table(x), hot.sum(1), ops.gather(self.fixed, x, 0), ops.cast(x, ms.float32) / 3


class Numbers(nn.Cell):
    """Element by element."""

    def construct(self, x, y):
        z = ops.exp(-ops.abs(x)) + ops.log(ops.abs(y) + 1) * ops.sqrt(ops.abs(x)) - ops.rsqrt(y * y + 1)
        return (
            z,
            x**2,
            x / (y * y + 1),
            ops.erf(x),
            ops.sin(x) + ops.cos(y),
            ops.floor(x),
            ops.round(x),
            x // 0.3,
            ops.maximum(x, y),
            ops.minimum(x, y),
            ops.logical_and(x > 0, y > 0),
            ops.sign(x),
            ops.atan2(x, y),
        )


class Minted(nn.Cell):
    """The forms of mindspore.mint."""

    def __init__(self):
        super().__init__()
        self.fc = mint.nn.Linear(4, 4)

    def construct(self, x):
        x = mint.nn.functional.relu(self.fc(x))
        return mint.nn.functional.softmax(x, -1), mint.cat((x, x), 0), mint.max(x, 1)[0], mint.matmul(x, x.T)


class Resized(nn.Cell):
    def construct(self, x):
        return (
            ops.interpolate(x, size=(6, 8), mode="bilinear", align_corners=True),
            ops.interpolate(x, size=(6, 8), mode="nearest"),
        )


class Halves(nn.Cell):
    """Half precision."""

    def __init__(self):
        super().__init__()
        self.fc = nn.Dense(4, 3).to_float(ms.float16)

    def construct(self, x):
        return self.fc(x), x.astype(ms.bfloat16).astype(ms.float32)


class Old(nn.Cell):
    """Primitives as programs of 2020 use them."""

    def __init__(self):
        super().__init__()
        self.matmul, self.bias = P.MatMul(transpose_b=True), P.BiasAdd()
        self.weight = ms.Parameter(Tensor(np.ones((3, 4), np.float32)), name="weight")
        self.b = ms.Parameter(Tensor(np.ones(3, np.float32)), name="b")
        self.concat, self.slice, self.reduce = P.Concat(1), P.StridedSlice(), P.ReduceMean(keep_dims=True)
        self.transpose, self.reshape, self.pad = P.Transpose(), P.Reshape(), P.Pad(((0, 0), (1, 2)))
        self.tile, self.equal, self.select = P.Tile(), P.Equal(), P.Select()

    def construct(self, x):
        y = self.bias(self.matmul(x, self.weight), self.b)
        y = self.concat((y, y))
        z = self.slice(y, (0, 1), (2, 5), (1, 2))
        z = self.pad(self.transpose(self.reshape(z, (2, -1)), (1, 0)))
        return y, z, self.reduce(y, 1), self.select(self.equal(y, y), y, self.tile(y, (1, 1)))


class Waves(nn.Cell):
    """Fourier transforms, by every norm."""

    def construct(self, x):
        wave = ops.fft(x, norm="ortho")
        return (
            wave,
            ops.abs(ops.ifft2(wave, norm="forward")),
            ops.rfftn(x, norm="backward"),
            ops.fftshift(ops.fftn(x)),
        )


class Placed(nn.Cell):
    """What is written into new tensors and copies, diagonals, a padding, triangles' places."""

    def construct(self, x, index):
        z = x * 1
        z[0, 1:3] = 5.0
        return (
            z,
            x.scatter(1, index.astype(ms.int64), -x),
            ops.tensor_scatter_elements(x, index, x, 1, "add"),
            mint.scatter(x, 1, index.astype(ms.int64), 2.5),
            x.new_zeros((2,), dtype=ms.int32),
            x.new_ones((2, 1)),
            ops.diagonal(x, 1),
            x.trace(1),
            ops.renorm(x, 2, 0, 1.0),
            mint.nn.functional.pad(x, (1, 2, 0, 1), value=2.5),
            ops.tril_indices(3, 3),
        )


class Bytes(nn.Cell):
    """Weights of eight bits and their scale."""

    def __init__(self):
        super().__init__()
        weight = np.arange(-9, 9, dtype=np.int8).reshape(6, 3)
        self.weight = ms.Parameter(Tensor(weight), name="weight.fixed", requires_grad=False)
        self.scale = ms.Parameter(Tensor(np.float32(0.03)), name="scale")

    def construct(self, x):
        return mint.matmul(x, self.weight.astype(ms.float32)) * self.scale


def mobile():
    return nn.SequentialCell(
        nn.Conv2d(2, 4, 1), nn.BatchNorm2d(4), nn.ReLU6(),
        nn.Conv2d(4, 4, 3, group=4, pad_mode="pad", padding=1), nn.BatchNorm2d(4), nn.AdaptiveAvgPool2d(1),
        nn.Flatten(), nn.Dropout(p=0.5), nn.Dense(4, 3),
    )  # fmt: skip


def transposed():
    return nn.SequentialCell(
        nn.Conv2d(2, 4, (3, 1), stride=(2, 1), pad_mode="pad", padding=(1, 1, 0, 0)),
        nn.Conv2dTranspose(4, 2, 3, stride=2, pad_mode="same"),
        nn.Conv2dTranspose(2, 2, 3, pad_mode="pad", padding=1),
        nn.MaxPool2d(3, 2, pad_mode="pad", padding=1), nn.AvgPool2d(2, 1, pad_mode="pad", padding=1),
    )  # fmt: skip


class OpenWords(nn.Cell):
    """Causal attention over sentences of any length: sizes that the graph computes with."""

    def __init__(self):
        super().__init__()
        self.table = nn.Embedding(9, 8)
        self.norm = nn.LayerNorm((8,))
        self.qkv = nn.Dense(8, 24)
        self.out = nn.Dense(8, 9)

    def construct(self, words):
        batch, steps = words.shape
        place = ops.arange(steps).astype(ms.float32)
        x = self.table(words) + ops.sin(place / 10).reshape(1, steps, 1)
        q, k, v = ops.split(self.qkv(self.norm(x)), 8, axis=2)
        q, k, v = (t.view(batch, steps, 2, -1).swapaxes(1, 2) for t in (q, k, v))
        mask = ops.triu(ops.ones((steps, steps), ms.float32), 1) * -1e4
        score = ops.softmax(ops.matmul(q, k.swapaxes(2, 3)) / 2 + mask, -1)
        seen = ops.matmul(score, v).swapaxes(1, 2).reshape(batch, steps, 8)
        return self.out(seen), seen.sum() / (batch * steps)


class OpenImages(nn.Cell):
    """Down and up again, by a stride, a pool, a transposed convolution and a resizing."""

    def __init__(self):
        super().__init__()
        self.first = nn.Conv2d(1, 4, 3)
        self.norm = nn.BatchNorm2d(4)
        self.pool = nn.MaxPool2d(2, 2)
        self.deep = nn.Conv2d(4, 4, 3)
        self.up = nn.Conv2dTranspose(4, 4, 2, 2, pad_mode="valid")
        self.strided = nn.Conv2d(1, 4, 3, stride=2)
        self.last = nn.Conv2d(12, 2, 1)

    def construct(self, x):
        a = ops.relu(self.norm(self.first(x)))
        b = self.up(ops.relu(self.deep(self.pool(a))))
        c = ops.interpolate(self.strided(x), scale_factor=2.0, recompute_scale_factor=True, mode="bilinear")
        return self.last(ops.cat((a, b, c), 1))


class Positions(nn.Cell):
    """What only one number of steps fits."""

    def __init__(self):
        super().__init__()
        self.place = ms.Parameter(Tensor(np.ones((5, 3), np.float32)), name="place")

    def construct(self, x):
        return x + self.place


def pooled():
    """A network for images of any size."""
    return nn.SequentialCell(
        nn.Conv2d(2, 4, 3), nn.BatchNorm2d(4), nn.ReLU(),
        nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Dense(4, 3),
    )  # fmt: skip


def rows(*shape):
    """An input whose first dimension is open."""
    return lambda ms: [ms.Tensor(shape=[None, *shape[1:]], dtype=ms.float32)]


NETWORKS = {
    "outside": Network(mlp, floats((3, 4))),
    "lenet": Network(LeNet, floats((2, 1, 32, 32))),
    "mlp": Network(mlp, floats((3, 4))),
    "residual": Network(Residual, floats((2, 3, 8, 8))),
    "lstm": Network(lambda: Recurrent(nn.LSTM(3, 4, num_layers=2, batch_first=True)), floats((2, 5, 3))),
    "gru": Network(lambda: Recurrent(nn.GRU(3, 4, batch_first=True)), floats((2, 5, 3))),
    "attention": Network(Attention, words(2, 5)),
    "encoder": Network(Encoder, floats((2, 4, 8))),
    "convolutions": Network(Convolutions, floats((1, 4, 6, 6))),
    "volume": Network(Volume, floats((1, 2, 4, 4, 4))),
    "norms": Network(Norms, floats((2, 4, 3, 5))),
    "activations": Network(Activations, floats((3, 4))),
    "pools": Network(Pools, floats((1, 2, 7, 7))),
    "rounded": Network(Rounded, floats((1, 2, 8, 9))),
    "branch": Network(Branch, floats((2, 3))),
    "loop": Network(Loop, lambda: [*floats((2, 3))(), np.array(4, np.int32)]),
    "nested": Network(Nested, lambda: [*floats((2, 3))(), np.array(5, np.int32)]),
    "shapes": Network(Shapes, floats((2, 3), (2, 3))),
    "picked": Network(Picked, lambda: [
        *floats((2, 3, 4, 3))(), np.array([0, 1, 1], np.int32), np.array([2, 0, 1], np.int32)]),
    "sums": Network(Sums, floats((3, 4))),
    "letters": Network(Letters, words(2, 4)),
    "numbers": Network(Numbers, floats((3, 4), (3, 4))),
    "waves": Network(Waves, floats((3, 4))),
    "placed": Network(Placed, lambda: [*floats((3, 4))(), *words(3, 4, below=3)()]),
    "bytes": Network(Bytes, floats((2, 6))),
    "minted": Network(Minted, floats((4, 4))),
    "resized": Network(Resized, floats((1, 2, 3, 4))),
    "halves": Network(Halves, floats((2, 4))),
    "old": Network(Old, floats((2, 4))),
    "early": Network(Early, floats((4, 6))),
    "unrolled": Network(Unrolled, floats((4, 6))),
    "growing": Network(Growing, floats((4, 6))),
    "mobile": Network(mobile, floats((1, 2, 8, 8))),
    "transposed": Network(transposed, floats((1, 2, 8, 8))),
    "open_rows": Network(mlp, floats((5, 4)), rows(5, 4)),
    "open_images": Network(LeNet, floats((3, 1, 32, 32)), rows(3, 1, 32, 32)),
    "open_words": Network(
        OpenWords, words(2, 5), lambda ms: [ms.Tensor(shape=[None, None], dtype=ms.int32)]
    ),
    "open_steps": Network(
        lambda: Recurrent(nn.LSTM(3, 4, batch_first=True)),
        floats((2, 5, 3)),
        lambda ms: [ms.Tensor(shape=[None, None, 3], dtype=ms.float32)],
    ),
    "open_scales": Network(
        OpenImages,
        floats((2, 1, 8, 12)),
        lambda ms: [ms.Tensor(shape=[None, 1, None, None], dtype=ms.float32)],
    ),
    "open_both_ways": Network(
        lambda: Recurrent(nn.LSTM(3, 2, bidirectional=True, batch_first=True, has_bias=False)),
        floats((2, 5, 3)),
        lambda ms: [ms.Tensor(shape=[None, None, 3], dtype=ms.float32)],
    ),
    "open_places": Network(
        Positions, floats((2, 5, 3)), lambda ms: [ms.Tensor(shape=[None, None, 3], dtype=ms.float32)]
    ),
    "returned": Network(Returned, lambda: [*floats((2, 3))(), np.array(4, np.int32)]),
    "left": Network(Left, lambda: [*floats((2, 3))(), np.array(4, np.int32)]),
    "open_sizes": Network(
        pooled,
        floats((2, 2, 5, 7)),
        lambda ms: [ms.Tensor(shape=[None, 2, None, None], dtype=ms.float32)],
    ),
}
