"""One Cell for each layer, all trained by one optimizer."""
import mindspore as ms
import numpy as np
from mindspore import nn, ops

ms.set_seed(5)
random = np.random.RandomState(0)
IMAGE = [(random.randn(4, 4, 9, 9) * (1 + i)).astype(np.float32) for i in range(4)]


class Layers(nn.Cell):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(4, 8, 3)
        self.conv_even = nn.Conv2d(4, 4, 4, stride=2, pad_mode="same", has_bias=True)
        self.conv_pad = nn.Conv2d(4, 4, 3, pad_mode="pad", padding=(0, 1, 2, 0), dilation=2)
        self.conv_group = nn.Conv2d(4, 8, 3, group=4, weight_init="normal")
        self.conv1d = nn.Conv1d(4, 4, 3)
        self.up = nn.Conv2dTranspose(4, 4, 3, stride=2)
        self.bn = nn.BatchNorm2d(4)
        self.bn_flat = nn.BatchNorm1d(4, eps=1e-3, momentum=0.7)
        self.bn_fixed = nn.BatchNorm2d(4, use_batch_statistics=False)
        self.ln = nn.LayerNorm((9,))
        self.ln_wide = nn.LayerNorm((9, 9), begin_norm_axis=2, begin_params_axis=2, epsilon=1e-4)
        self.gn = nn.GroupNorm(2, 4)
        self.lrn = nn.LRN(depth_radius=2)
        self.dense = nn.Dense(9, 6)
        self.dense_tanh = nn.Dense(9, 6, weight_init="normal", bias_init="ones", activation="tanh")
        self.bidense = nn.BiDense(9, 9, 3)
        self.maxpool = nn.MaxPool2d(2)
        self.maxpool_same = nn.MaxPool2d(2, 2, pad_mode="same")
        self.avgpool = nn.AvgPool2d(3, 2)
        self.avgpool_same = nn.AvgPool2d(3, 2, pad_mode="same")
        self.adaptive = nn.AdaptiveAvgPool2d((4, 2))
        self.drop = nn.Dropout(p=0.3)
        self.drop_keep = nn.Dropout(0.9)
        self.gelu = nn.GELU()
        self.gelu_exact = nn.GELU(False)
        self.leaky = nn.LeakyReLU()
        self.elu = nn.ELU()
        self.hswish = nn.HSwish()
        self.hsigmoid = nn.HSigmoid()
        self.relu6 = nn.ReLU6()
        self.softmax = nn.Softmax()
        self.logsoftmax = nn.LogSoftmax()
        self.prelu = nn.PReLU(4)
        self.celu = nn.CELU(0.7)
        self.selu = nn.SeLU()
        self.silu = nn.SiLU()
        self.mish = nn.Mish()
        self.softshrink = nn.SoftShrink()
        self.hardshrink = nn.HShrink()
        self.tanhshrink = nn.Tanhshrink()
        self.logsigmoid = nn.LogSigmoid()
        self.pad = nn.Pad(((0, 0), (0, 0), (1, 2), (0, 3)), mode="SYMMETRIC")
        self.flatten = nn.Flatten()
        self.pixel = nn.PixelShuffle(2)
        self.embedding = nn.Embedding(20, 5, padding_idx=0)
        self.norm1 = nn.L1Regularizer(0.1)

    def construct(self, x, ids):
        row = x[:, :, 0]
        wide = (self.conv, self.conv_even, self.conv_pad, self.conv_group, self.up, self.bn, self.bn_fixed,
                self.ln, self.ln_wide, self.gn, self.lrn, self.dense, self.dense_tanh,
                self.maxpool, self.maxpool_same, self.avgpool, self.avgpool_same, self.adaptive, self.drop,
                self.drop_keep, self.gelu, self.gelu_exact, self.leaky, self.elu, self.hswish,
                self.hsigmoid, self.relu6, self.softmax, self.logsoftmax, self.prelu, self.celu, self.selu,
                self.silu, self.mish, self.softshrink, self.hardshrink, self.tanhshrink, self.logsigmoid,
                self.pad, self.flatten, self.pixel)
        total = ops.mean(ops.square(self.bn_flat(row) + 0.3)) + ops.mean(ops.square(self.conv1d(row) + 0.3))
        total += ops.mean(ops.square(self.bidense(row[:, 0], row[:, 1]) + 0.3))
        total += ops.mean(ops.square(self.embedding(ids) + 0.3)) + self.norm1(self.dense.weight)
        for cell in wide:
            total += ops.mean(ops.square(cell(x) + 0.3))
        return total


network = Layers()
network.set_train()
weights = network.trainable_params()
optimizer = nn.Momentum(weights, 0.05, 0.9)
step = ms.value_and_grad(lambda x, ids: network(x, ids), None, weights)
for i in range(3):
    image, ids = ms.Tensor(IMAGE[i]), ms.Tensor((np.arange(8) * (i + 3) % 20).astype(np.int32))
    loss, gradients = step(image, ids)
    optimizer(gradients)
    print(loss)
