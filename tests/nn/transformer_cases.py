"""Cases of the transformers that MindSpore had until 2.7; ``python transformer_cases.py FILE`` records
them there.

2.7.0 was the last release with them; outside automatic parallelism its gelu fails when it is told how to be
split, so the recording gives it an attribute that takes the call.
"""

import json
import sys

import mindspore as ms
import numpy as np
from mindspore import Tensor, nn
from mindspore.parallel import _transformer as T
from mindspore.parallel._transformer import layers

HALF = {
    "layernorm_compute_type": ms.float16,
    "softmax_compute_type": ms.float16,
    "param_init_type": ms.float16,
}
CASES = {}
numbers = np.random.default_rng(0)


def case(function):
    CASES[function.__name__] = function
    return function


def floats(*shape):
    return Tensor(numbers.standard_normal(shape).astype(np.float32))


def ones(*shape):
    return Tensor(np.ones(shape), ms.float32)


def lower(n, size):
    return Tensor(np.tril(np.ones((n, size, size))), ms.float32)


def encoder(**options):
    net = T.TransformerEncoder(2, 2, 8, 16, 4, 2, 0.0, 0.0, **options)
    weights = ms.ParameterTuple(net.trainable_params())
    x, mask = floats(2, 4, 8), lower(2, 4)
    gradient = ms.grad(lambda a: net(a, mask)[0].astype(ms.float32).pow(3).sum(), 0, weights)(x)
    names = [(p.name, str(p.dtype)) for p in weights]
    return names, list(weights), net(x, mask), gradient


@case
def encoder_normalised_before():
    return encoder()


@case
def encoder_normalised_after():
    return encoder(post_layernorm_residual=True)


@case
def encoder_in_half_precision():
    return encoder(hidden_act="relu", **HALF)


@case
def a_layer_that_remembers():
    net = T.TransformerEncoderLayer(2, 8, 16, 2, 4, 0.0, 0.0, use_past=True)
    first = net(floats(2, 4, 8), lower(2, 4), Tensor([False]), Tensor([2, 3], ms.int32))
    net.attention.is_first_iteration = False
    then = net(floats(2, 1, 8), ones(2, 1, 4), Tensor([True]), Tensor([3, 4], ms.int32))
    return first, then, net.key_past, net.value_past


@case
def encoder_and_decoder():
    net = T.Transformer(8, 2, 16, 5, 3, 2, 2, 2, 0.0, 0.0)
    outputs = net(floats(2, 5, 8), ones(2, 5, 5), floats(2, 3, 8), lower(2, 3), ones(2, 3, 5))
    return [(p.name, p.shape) for p in net.get_parameters()], outputs


@case
def decoder_alone():
    net = T.TransformerDecoderLayer(8, 16, 2, 2, 5, 3, 0.0, 0.0, post_layernorm_residual=True)
    return net(floats(6, 8), lower(2, 3)), net(floats(2, 3, 8), lower(2, 3), floats(2, 5, 8), ones(2, 3, 5))


@case
def dropout():
    net = T.TransformerEncoderLayer(2, 8, 16, 2, 4, 0.2, 0.3)
    net.set_train()
    x, mask = floats(2, 4, 8), ones(2, 4, 4)
    return net(x, mask)[0], net(x, mask)[0]


@case
def loss_of_tokens():
    loss, logits = T.CrossEntropyLoss(), floats(4, 7)
    label, mask = Tensor([1, 2, 6, 0], ms.int32), Tensor([1, 1, 0, 1], ms.float32)
    half = logits.astype(ms.float16)
    return loss(logits, label, mask), ms.grad(loss)(logits, label, mask), loss(half, label, mask)


@case
def small_parts():
    embedding = T.VocabEmbedding(5, 3)(Tensor([[1, 2], [0, 4]], ms.int32))
    mask = T.AttentionMask(4)(Tensor([[1, 1, 0, 0], [1, 2, 3, 0]], ms.float32))
    linear, norm = layers._Linear(3, 4, activation="relu"), layers._LayerNorm((3,))
    return (
        embedding,
        mask,
        linear(floats(2, 3)),
        norm(floats(2, 3)),
        T.FeedForward(4, 8, 0.1)(floats(2, 3, 4)),
    )


@case
def settings():
    given = T.TransformerOpParallelConfig(data_parallel=3, recompute=T.TransformerRecomputeConfig(True))
    given.model_parallel = 2
    return (
        str(T.OpParallelConfig(2, 1)),
        given.dp_mp_config.data_parallel,
        given.moe_parallel_config.model_parallel,
    )


def bad(function):
    """The error's type and first line."""
    try:
        function()
    except Exception as err:
        return type(err).__name__, str(err).split("\n")[0]
    return "nothing raised"


@case
def errors():
    layer = T.TransformerEncoderLayer(2, 8, 16, 2, 4)
    shapes = layers._LayerInputCheck
    return [
        bad(lambda: T.OpParallelConfig(0, 1)),
        bad(lambda: T.FeedForward(4, 8, 1.5)),
        bad(lambda: T.FeedForward(4, 8, 0.1, hidden_act=3)),
        bad(lambda: T.FeedForward(4, 8, 0.1, parallel_config=3)),
        bad(lambda: T.MultiHeadAttention(2, 3, 3, 7, 2)),
        bad(lambda: T.TransformerEncoder(2, 0, 8, 8, 8, 2)),
        bad(lambda: T.TransformerEncoder(2, 1, 8, 8, 8, 2, post_layernorm_residual=1)),
        bad(lambda: T.TransformerEncoder(2, 1, 8, 8, 8, 2, softmax_compute_type=ms.int32)),
        bad(lambda: T.TransformerEncoder(2, 1, 8, 8, 8, 2, parallel_config=T.OpParallelConfig())),
        bad(lambda: T.TransformerEncoderLayer(2, 8, 16, 2, 4, parallel_config=T.OpParallelConfig(1, 3))),
        bad(lambda: T.TransformerDecoderLayer(8, 8, 2, 2, 3, 3, use_past=True)),
        bad(lambda: T.Transformer(8, 2, 8, 3, 3, use_past=True)),
        bad(lambda: T.TransformerOpParallelConfig(recompute=3)),
        bad(lambda: T.MoEConfig(capacity_factor=0.5)),
        bad(lambda: T.AttentionMask(4)(Tensor([[1, 1]], ms.int32))),
        bad(lambda: T.VocabEmbedding(5, 3)(Tensor([1.0]))),
        bad(lambda: layer(ones(2, 4, 8), None, Tensor([True]))),
        bad(lambda: shapes.check_shape_equal((2, 3), "x", "f", [2, 4])),
        bad(lambda: shapes.check_shape_equal_without_batch((3, 4), "x", "f", (2, 4))),
    ]


def told(x):
    """Arrays as dtype, shape and three sums that tell values and places apart."""
    if isinstance(x, (list, tuple)):
        return [told(y) for y in x]
    if not isinstance(x, Tensor):
        return x
    values = x.asnumpy().astype(np.float64).ravel()
    waves = [
        np.ones_like(values),
        np.cos(np.arange(values.size)),
        np.cos(np.sqrt(2) * np.arange(values.size)),
    ]
    return [
        str(x.dtype),
        list(x.shape),
        [float(values @ wave) for wave in waves],
        float(np.abs(values).max()),
    ]


def run(name):
    global numbers
    numbers = np.random.default_rng(0)
    ms.set_seed(1)
    return told(CASES[name]())


class Splits:
    def shard(self, *strategy):
        return self


if __name__ == "__main__":
    nn.GELU.gelu = Splits()
    with open(sys.argv[1], "w") as file:
        json.dump({"version": ms.__version__, "cases": {name: run(name) for name in CASES}}, file)
