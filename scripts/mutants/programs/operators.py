"""One Cell for each operator whose meaning differs between MindSpore and torch."""
import mindspore as ms
import numpy as np
from mindspore import Tensor, nn, ops

ms.set_seed(4)
random = np.random.RandomState(4)
X = random.randn(6, 4, 6).astype(np.float32)
HIGH, LOW = Tensor(0.9, ms.float32), Tensor(0.1, ms.float32)
INTS = random.randint(-7, 8, (6, 4)).astype(np.int32)


class Op(nn.Cell):
    def __init__(self, function):
        super().__init__()
        self.function = function

    def construct(self, *args):
        return self.function(*args)


def unary():
    split = ops.Split(1, 2)
    tile, cumsum = ops.Tile(), ops.CumSum()
    return {
        "std": lambda x: x.std(1),
        "var": lambda x: ops.var(x, 1),
        "max_pair": lambda x: ops.max(x, 1)[0],
        "max_method": lambda x: x.max(axis=1),
        "argmax": lambda x: ops.argmax(x, 1),
        "argmin": lambda x: ops.argmin(x, 1),
        "topk": lambda x: ops.topk(x, 2)[0] + ops.topk(x, 2)[1],
        "sort": lambda x: ops.sort(x, axis=1)[0],
        "flatten": lambda x: ops.flatten(x),
        "split": lambda x: split(x)[1],
        "split_size": lambda x: ops.split(x, 3, 2)[1],
        "transpose": lambda x: x.transpose(2, 0, 1),
        "swapaxes": lambda x: ops.swapaxes(x, 0, 2),
        "median": lambda x: ops.median(x, 2)[0],
        "tile": lambda x: tile(x, (1, 2, 1)),
        "cumsum": lambda x: cumsum(x, 1),
        "norm": lambda x: ops.norm(x, dim=1),
        "normalize": lambda x: ops.L2Normalize(axis=1)(x),
        "clamp": lambda x: ops.clamp(x, -0.5, 0.8),
        "round": lambda x: ops.round(x * 2) / 2,
        "floor_div": lambda x: x // 0.3,
        "mod": lambda x: ops.Mod()(x, Tensor(0.4, ms.float32)),
        "remainder": lambda x: x % 0.4,
        "pow": lambda x: ops.pow(ops.abs(x), 1.7),
        "rsqrt": lambda x: ops.rsqrt(ops.abs(x) + 0.1),
        "erf": lambda x: ops.erf(x),
        "tanh": lambda x: ops.tanh(x),
        "sigmoid": lambda x: ops.sigmoid(x),
        "softplus": lambda x: ops.softplus(x),
        "logsumexp": lambda x: ops.logsumexp(x, 1),
        "reduce_sum": lambda x: ops.ReduceSum(keep_dims=True)(x, 1),
        "reduce_prod": lambda x: ops.prod(x, 1),
        "gelu": lambda x: ops.gelu(x),
        "leaky": lambda x: ops.leaky_relu(x),
        "one_hot": lambda x: ops.one_hot(ops.argmax(x, 1), 4, HIGH, LOW),
        "pad": lambda x: ops.pad(x, (1, 0, 0, 2), value=0.5),
        "flip": lambda x: ops.flip(x, (1,)),
        "tril": lambda x: ops.tril(x, 1),
        "diff": lambda x: x[:, 1:] - x[:, :-1],
        "strided": lambda x: x[::2, 1:, ::-1] if False else x[::2, 1:],
        "interpolate": lambda x: ops.interpolate(x.expand_dims(0), size=(5, 9), mode="bilinear"),
        "clip_norm": lambda x: ops.clip_by_norm(x, 0.5),
        "global_norm": lambda x: ops.clip_by_global_norm((x, x * 2), 0.5)[1],
        "expand": lambda x: ops.broadcast_to(x[:, :1], (6, 4, 6)),
        "where": lambda x: ops.where(x > 0, x * 3, x),
        "masked": lambda x: ops.masked_fill(x, x > 1, -1.0),
        "stop": lambda x: ops.stop_gradient(x) * x,
        "stack": lambda x: ops.stack((x, x * x), 1),
        "concat": lambda x: ops.concat((x, x * x), 1),
        "log_softmax": lambda x: ops.log_softmax(x, 1),
        "atan2": lambda x: ops.atan2(x, x + 0.5),
        "cast": lambda x: ops.cast(ops.cast(x, ms.float16), ms.float32),
        "unsqueeze": lambda x: ops.expand_dims(x, 1),
    }


def binary():
    return {
        "matmul": lambda x, y: ops.matmul(x, y.swapaxes(1, 2)),
        "bmm_t": lambda x, y: ops.BatchMatMul(transpose_b=True)(x, y),
        "einsum": lambda x, y: ops.einsum("bij,bkj->bik", x, y) if False else ops.bmm(x, y.swapaxes(1, 2)),
        "div": lambda x, y: x / (ops.abs(y) + 0.2),
        "sub": lambda x, y: x - 2 * y,
        "maximum": lambda x, y: ops.maximum(x, y),
        "squared": lambda x, y: ops.SquaredDifference()(x, y),
        "divnonan": lambda x, y: ops.DivNoNan()(x, ops.relu(y)),
        "xlogy": lambda x, y: ops.xlogy(x, ops.abs(y) + 0.1),
        "lerp": lambda x, y: ops.lerp(x, y, 0.3),
        "cdist": lambda x, y: ops.cdist(x, y),
        "cosine": lambda x, y: ops.cosine_similarity(x, y, dim=1),
    }


class Operators(nn.Cell):
    def __init__(self):
        super().__init__()
        self.dense = nn.Dense(6, 6)
        self.other = nn.Dense(6, 6)
        self.one, self.two = list(unary()), list(binary())
        for name, function in {**unary(), **binary()}.items():
            self.insert_child_to_cell(name + "_", Op(function))
        self.gather = Op(lambda x, i: ops.gather(x, i, 1))
        self.gather_d = Op(lambda x, i: ops.gather_elements(x, 1, i))
        self.scatter = Op(lambda x, i: ops.tensor_scatter_elements(x, i, x * 2, 0))
        self.int_div = Op(lambda i: i / 3)
        self.int_floor = Op(lambda i: i // 3)
        self.int_mod = Op(lambda i: i % 3)
        self.int_sum = Op(lambda i: i.sum())
        self.unique = Op(lambda i: ops.unique(i.reshape(-1))[0])
        self.mesh = Op(lambda i: ops.meshgrid(i[0], i[1])[0])

    def construct(self, x, ints):
        a, b = self.dense(x), self.other(x)
        total = ops.mean(a * b)
        for name in self.one:
            total += ops.mean(ops.square(getattr(self, name + "_")(a).astype(ms.float32) + 0.3))
        for name in self.two:
            total += ops.mean(ops.square(getattr(self, name + "_")(a, b) + 0.3))
        place = ops.abs(ints) % 4
        total += ops.mean(ops.square(self.gather(a, place[:, 0]) + 0.3))
        total += ops.mean(ops.square(self.gather_d(a, place[:, :, None].astype(ms.int64)) + 0.3))
        total += ops.mean(ops.square(self.scatter(a[:, :, 0], place.astype(ms.int64)) + 0.3))
        for cell in (self.int_div, self.int_floor, self.int_mod, self.int_sum, self.unique, self.mesh):
            total += cell(ints).astype(ms.float32).mean()
        return total


network = Operators()
network.set_train()
optimizer = nn.Adam(network.trainable_params(), 0.01)
step = ms.value_and_grad(network, None, optimizer.parameters)
for i in range(2):
    loss, gradients = step(Tensor(X + i), Tensor(INTS))
    optimizer(gradients)
    print(loss)
