"""A training of a Llama of 7 billion weights, to be planned for many ranks; smaller by its options.

    ms2torch plan --ranks 1024 scripts/benchmarks/llama_7b.py
    ms2torch plan --ranks 1024 --strategy program scripts/benchmarks/llama_7b.py \\
        --tensor 8 --stages 8 --micro 16

The first plans data parallelism without and with optimizer parallelism (all five rows in 21 s on two quiet
cores), the second the layout that its options ask for (18 s; 22 s beside four other processes). Every layout
of the second's options, most of which fit nowhere, takes 2 1/2 minutes.
"""

import argparse

import mindspore as ms
import numpy as np
from mindspore import Parameter, Tensor, nn, ops
from mindspore.common.initializer import initializer
from mindspore.communication import get_group_size, init


def options(arguments=None):
    parser = argparse.ArgumentParser()
    for name, default in (("width", 4096), ("hidden", 11008), ("layers", 32), ("heads", 32), ("words", 32000),
                          ("length", 2048), ("batch", 1), ("tensor", 1), ("stages", 1), ("micro", 1),
                          ("zero", 0)):
        parser.add_argument(f"--{name}", type=int, default=default)
    return parser.parse_args(arguments)


def weight(*shape):
    return Parameter(initializer("normal", shape, ms.float32))


class Layer(nn.Cell):
    """Attention and a gated feed-forward layer, both after root-mean-square normalisation."""

    def __init__(self, given, dp):
        super().__init__()
        width, hidden, tensor, self.heads = given.width, given.hidden, given.tensor, given.heads
        self.q, self.k, self.v, self.o = (weight(width, width) for _ in range(4))
        self.gate, self.up, self.down = weight(width, hidden), weight(width, hidden), weight(hidden, width)
        self.before, self.between = (Parameter(initializer("ones", (width,))) for _ in range(2))
        self.by_columns, self.by_rows = ops.MatMul(), ops.MatMul()
        self.scores, self.mixed = ops.BatchMatMul(transpose_b=True), ops.BatchMatMul()
        self.softmax = ops.Softmax()
        if tensor > 1:
            heads = (dp, tensor, 1, 1)
            self.by_columns.shard(((dp, 1), (1, tensor)))
            self.by_rows.shard(((dp, tensor), (tensor, 1)))
            self.scores.shard((heads, heads))
            self.mixed.shard((heads, heads))
            self.softmax.shard((heads,))

    def normed(self, x, scale):
        return (x * ops.rsqrt(ops.square(x).mean(-1, keep_dims=True) + 1e-6) * scale).reshape(-1, x.shape[-1])

    def split(self, x, batch):
        return x.reshape(batch, -1, self.heads, x.shape[-1] // self.heads).transpose(0, 2, 1, 3)

    def rotated(self, x, cos, sin):
        a, b = ops.chunk(x, 2, -1)
        return ops.concat((a * cos - b * sin, a * sin + b * cos), -1)

    def construct(self, x, cos, sin, mask):
        batch, length, width = x.shape
        h = self.normed(x, self.before)
        q, k, v = (self.split(self.by_columns(h, w), batch) for w in (self.q, self.k, self.v))
        scores = self.scores(self.rotated(q, cos, sin), self.rotated(k, cos, sin))
        scores = scores * (width // self.heads) ** -0.5 + mask
        h = self.mixed(self.softmax(scores), v).transpose(0, 2, 1, 3).reshape(-1, width)
        x = x + self.by_rows(h, self.o).reshape(batch, length, width)
        h = self.normed(x, self.between)
        h = ops.silu(self.by_columns(h, self.gate)) * self.by_columns(h, self.up)
        return x + self.by_rows(h, self.down).reshape(batch, length, width)


class Llama(nn.Cell):
    """The loss of texts: each word from those before it."""

    def __init__(self, given, dp):
        super().__init__()
        self.table, self.head = weight(given.words, given.width), weight(given.width, given.words)
        self.scale = Parameter(initializer("ones", (given.width,)))
        self.layers = nn.CellList([Layer(given, dp) for _ in range(given.layers)])
        for i, layer in enumerate(self.layers):
            layer.pipeline_stage = i * given.stages // given.layers
        self.look_up, self.out = ops.Gather(), ops.MatMul()
        if given.tensor > 1:
            self.look_up.shard(((1, 1), (dp, 1)))
            self.out.shard(((dp, 1), (1, given.tensor)))
        half = given.width // given.heads // 2
        angle = np.outer(np.arange(given.length), 1e4 ** (-np.arange(half) / half)).astype(np.float32)
        self.cos, self.sin = Tensor(np.cos(angle)), Tensor(np.sin(angle))
        self.mask = Tensor(np.triu(np.full((given.length, given.length), -1e9, np.float32), 1))

    def construct(self, words, following):
        x = self.look_up(self.table, words, 0)
        for layer in self.layers:
            x = layer(x, self.cos, self.sin, self.mask)
        x = x * ops.rsqrt(ops.square(x).mean(-1, keep_dims=True) + 1e-6) * self.scale
        logits = self.out(x.reshape(-1, x.shape[-1]), self.head)
        return ops.cross_entropy(logits, following.reshape(-1))


def step_of(given):
    """A training step, its optimizer and what a rank is given: its rows, or with strategies everybody's."""
    init()
    ranks = get_group_size()
    if given.zero:
        config = {"parallel_optimizer_threshold": 0, "optimizer_level": f"level{given.zero}"}
        ms.set_auto_parallel_context(enable_parallel_optimizer=True, parallel_optimizer_config=config)
    if given.tensor > 1 or given.stages > 1:
        ms.set_auto_parallel_context(parallel_mode="semi_auto_parallel", pipeline_stages=given.stages,
                                     full_batch=given.tensor > 1)
    elif ranks > 1:
        ms.set_auto_parallel_context(parallel_mode="data_parallel", gradients_mean=True)
    dp = max(1, ranks // given.stages // given.tensor)
    net = Llama(given, dp)
    if given.micro > 1:
        net = nn.PipelineCell(net, given.micro)
    optimizer = nn.Adam(net.trainable_params(), 1e-4)
    rows = given.batch * given.micro * (dp if given.tensor > 1 else 1)
    words = Tensor(np.ones((rows, given.length), np.int32))
    return nn.TrainOneStepCell(net, optimizer).set_train(), optimizer, words


def main():
    step, _, words = step_of(options())
    for _ in range(3):
        print(step(words, words))


if __name__ == "__main__":
    main()
