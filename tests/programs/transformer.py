"""r1.5 style: a TrainOneStepCell subclass that clips by HyperMap, half precision, a warm-up schedule."""
import argparse

import mindspore as ms
import mindspore.common.dtype as mstype
import mindspore.dataset as ds
import mindspore.nn as nn
import numpy as np
from mindspore import Model, Tensor, context
from mindspore.common.initializer import TruncatedNormal, initializer
from mindspore.common.parameter import Parameter
from mindspore.nn.learning_rate_schedule import LearningRateSchedule, PolynomialDecayLR, WarmUpLR
from mindspore.ops import composite as C
from mindspore.ops import functional as F
from mindspore.ops import operations as P
from mindspore.train.callback import Callback

clip = C.MultitypeFuncGraph("clip")


@clip.register("Number", "Tensor")
def _clip(limit, grad):
    return nn.ClipByNorm()(grad, F.cast(F.tuple_to_array((limit,)), F.dtype(grad)))


class ClippedStep(nn.TrainOneStepCell):
    def __init__(self, network, optimizer, sens=1.0, limit=1.0):
        super(ClippedStep, self).__init__(network, optimizer, sens)
        self.cast = P.Cast()
        self.map = C.HyperMap()
        self.limit = limit

    def construct(self, tokens, mask, label):
        loss = self.network(tokens, mask, label)
        sens = self.cast(F.tuple_to_array((self.sens,)), mstype.float32)
        grads = self.grad(self.network, self.weights)(tokens, mask, label, sens)
        grads = self.map(F.partial(clip, self.limit), grads)
        self.optimizer(self.grad_reducer(grads))
        return loss


class WarmThenLinear(LearningRateSchedule):
    def __init__(self, peak, warm_steps, steps):
        super(WarmThenLinear, self).__init__()
        self.warm = WarmUpLR(peak, warm_steps)
        self.fall = PolynomialDecayLR(peak, 1e-4, steps, 1.0)
        self.warm_steps = Tensor(np.array([warm_steps], np.float32))
        self.greater = P.Greater()
        self.cast = P.Cast()

    def construct(self, global_step):
        warming = self.cast(self.greater(self.warm_steps, global_step), mstype.float32)
        return warming * self.warm(global_step) + (1.0 - warming) * self.fall(global_step)


class Attention(nn.Cell):
    def __init__(self, width, heads, precision):
        super(Attention, self).__init__()
        self.heads, self.size = heads, width // heads
        small = TruncatedNormal(0.2)
        self.query = nn.Dense(width, width, weight_init=small).to_float(precision)
        self.key = nn.Dense(width, width, weight_init=small).to_float(precision)
        self.value = nn.Dense(width, width, weight_init=small).to_float(precision)
        self.scores = P.BatchMatMul(transpose_b=True)
        self.mix = P.BatchMatMul()
        self.softmax = nn.Softmax()
        self.reshape = P.Reshape()
        self.transpose = P.Transpose()
        self.cast = P.Cast()

    def construct(self, x, mask):
        batch, length, width = x.shape
        flat = self.reshape(x, (-1, width))
        shape = (batch, length, self.heads, self.size)
        q = self.transpose(self.reshape(self.query(flat), shape), (0, 2, 1, 3))
        k = self.transpose(self.reshape(self.key(flat), shape), (0, 2, 1, 3))
        v = self.transpose(self.reshape(self.value(flat), shape), (0, 2, 1, 3))
        scores = self.scores(q, k) * (self.size**-0.5)
        hidden = (1.0 - self.cast(mask.expand_dims(1).expand_dims(1), scores.dtype)) * -10000.0
        mixed = self.mix(self.softmax(scores + hidden), v)
        return self.reshape(self.transpose(mixed, (0, 2, 1, 3)), (batch, length, width))


class Layer(nn.Cell):
    def __init__(self, width, heads, precision):
        super(Layer, self).__init__()
        self.attention = Attention(width, heads, precision)
        self.norm1 = nn.LayerNorm((width,))
        self.up = nn.Dense(width, 2 * width, activation="gelu").to_float(precision)
        self.down = nn.Dense(2 * width, width).to_float(precision)
        self.norm2 = nn.LayerNorm((width,))

    def construct(self, x, mask):
        x = self.norm1(x + self.attention(x, mask))
        return self.norm2(x + self.down(self.up(x)))


class Classifier(nn.Cell):
    """Loss of a two-class encoder over tokens."""

    def __init__(self, vocabulary, length, width, heads, layers, precision):
        super(Classifier, self).__init__()
        small = TruncatedNormal(0.2)
        self.table = Parameter(initializer(small, (vocabulary, width)), name="table")
        self.positions = Parameter(initializer(small, (length, width)), name="positions")
        self.layers = nn.CellList([Layer(width, heads, precision) for _ in range(layers)])
        self.head = nn.Dense(width, 2, weight_init=small)
        self.gather = P.Gather()
        self.loss = nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")

    def construct(self, tokens, mask, label):
        x = self.gather(self.table, tokens, 0) + self.positions.expand_dims(0)
        for layer in self.layers:
            x = layer(x, mask)
        return self.loss(self.head(P.Cast()(x[:, 0], mstype.float32)), label)


class Print(Callback):
    def step_end(self, run_context):
        params = run_context.original_args()
        print("step {}, loss {}".format(params.cur_step_num, params.net_outputs))


parser = argparse.ArgumentParser()
parser.add_argument("--device_target", default="Ascend")
parser.add_argument("--half", action="store_true")
args = parser.parse_args()
context.set_context(mode=context.GRAPH_MODE, device_target=args.device_target)
ms.set_seed(11)
random = np.random.RandomState(0)
tokens = random.randint(0, 30, (32, 8)).astype(np.int32)
mask = (np.arange(8)[None] < random.randint(4, 9, (32, 1))).astype(np.int32)
labels = (tokens[:, 3] > 15).astype(np.int32)
columns = {"tokens": tokens, "mask": mask, "label": labels}
data = ds.NumpySlicesDataset(columns, shuffle=True).batch(8, drop_remainder=True)

network = Classifier(30, 8, 16, 2, 2, mstype.float16 if args.half else mstype.float32)
params = network.trainable_params()
plain = [p for p in params if "norm" in p.name or "bias" in p.name]
decayed = [p for p in params if not ("norm" in p.name or "bias" in p.name)]
groups = [
    {"params": decayed, "weight_decay": 0.01},
    {"params": plain, "weight_decay": 0.0},
    {"order_params": params},
]
optimizer = nn.AdamWeightDecay(groups, WarmThenLinear(0.005, 3, 16), eps=1e-6)
model = Model(ClippedStep(network, optimizer, sens=16.0))
model.train(4, data, callbacks=[Print()], dataset_sink_mode=False)
for param in (params[0], params[1], params[-2], params[-1]):
    print(param.name, param.asnumpy().ravel()[:3], param.asnumpy().std())
