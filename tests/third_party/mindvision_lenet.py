"""MindSpore r1.8's migration guide with mindvision's LeNet: Model, Momentum, both monitors.

What the guide leaves to src.dataset is 32 x 32 images whose class is the row of a bright band.
"""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn
from mindspore.train.callback import LossMonitor as Loss
from mindvision.classification.models import lenet
from mindvision.engine.callback import LossMonitor

ms.set_context(mode=ms.GRAPH_MODE, device_target="CPU")
ms.set_seed(1)
lr = 0.01
momentum = 0.9

# define forward network
network = lenet(num_classes=10, pretrained=False)

# define loss
net_loss = nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")
# define optimizer
net_opt = nn.Momentum(network.trainable_params(), lr, momentum)

# define model
model = ms.Model(network, net_loss, net_opt, metrics={"acc"})

random = np.random.RandomState(0)
label = random.randint(0, 10, 128).astype(np.int32)
image = random.rand(128, 1, 32, 32).astype(np.float32)
for picture, row in zip(image, label, strict=True):
    picture[0, 3 * row : 3 * row + 3] += 2
data = ds.NumpySlicesDataset({"image": image, "label": label}, shuffle=True).batch(16)
model.train(8, data, callbacks=[LossMonitor(lr, 8), Loss(1)], dataset_sink_mode=False)
print(model.eval(data, dataset_sink_mode=False))
print([(p.name, p.shape) for p in network.get_parameters()])
