"""Three optimizers whose step is a graph of MindSpore's own: 1 - 0.999 is another number there than Python's.

``records/stepping.trace`` is the real MindSpore's run with --refeed 1,2,3.
"""

import mindspore as ms
import numpy as np
from mindspore import Tensor, nn
from mindspore.experimental import optim

for kind in (optim.AdamW, optim.NAdam, optim.RAdam):
    net = nn.Dense(6, 5, weight_init="ones", bias_init="zeros")
    optimizer = kind(net.trainable_params(), 0.01)
    gradient = ms.value_and_grad(net, None, optimizer.parameters)
    optimizer(gradient(Tensor(np.random.RandomState(0).randn(8, 6), ms.float32))[1])
