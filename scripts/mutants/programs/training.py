"""Model.train over a shuffled pipeline: transforms, batches, dropout, a schedule, BatchNorm, evaluation."""
import mindspore as ms
import mindspore.dataset as ds
import mindspore.dataset.transforms as transforms
import mindspore.dataset.vision as vision
import numpy as np
from mindspore import nn

ms.set_context(mode=ms.GRAPH_MODE)
ms.set_seed(8)
random = np.random.RandomState(8)
IMAGES = random.randint(0, 255, (40, 10, 10, 3)).astype(np.uint8)
LABELS = random.randint(0, 5, 40).astype(np.int64)


class Network(nn.Cell):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 6, 3, stride=2)
        self.bn = nn.BatchNorm2d(6)
        self.relu = nn.ReLU()
        self.pool = nn.MaxPool2d(2, 2)
        self.drop = nn.Dropout(p=0.2)
        self.flatten = nn.Flatten()
        self.head = nn.Dense(24, 5)

    def construct(self, x):
        return self.head(self.drop(self.flatten(self.pool(self.relu(self.bn(self.conv(x)))))))


data = ds.GeneratorDataset(list(zip(IMAGES, LABELS, strict=True)), ["image", "label"], shuffle=True)
data = data.map([vision.Rescale(1 / 255.0, 0.0),
                 vision.Normalize([0.4, 0.5, 0.6], [0.2, 0.3, 0.4]), vision.HWC2CHW()], "image",
                num_parallel_workers=1)
data = data.map(transforms.TypeCast(ms.int32), "label").batch(8, drop_remainder=True)
network = Network()
rates = nn.warmup_lr(0.2, 10, 5, 1) + nn.cosine_decay_lr(0.01, 0.2, 10, 5, 1)
optimizer = nn.Momentum(network.trainable_params(), rates, 0.9, weight_decay=1e-3)
loss = nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")
model = ms.Model(network, loss, optimizer, metrics={"acc"}, amp_level="O0",
                 loss_scale_manager=ms.FixedLossScaleManager(1.0, drop_overflow_update=False))
model.train(2, data, dataset_sink_mode=False)
print(model.eval(data, dataset_sink_mode=False))
