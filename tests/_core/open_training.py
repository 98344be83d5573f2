"""A training in both modes, with what it reads of its tensors: run on the CPU and on an accelerator."""
import mindspore as ms
import numpy as np
from mindspore import Tensor, nn, ops

for mode in (ms.PYNATIVE_MODE, ms.GRAPH_MODE):
    ms.set_context(mode=mode)
    ms.set_seed(3)
    net = nn.SequentialCell(nn.Dense(8, 16), nn.ReLU(), nn.LayerNorm((16,)), nn.Dense(16, 4))
    loss = nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")
    for optimizer in (nn.Adam(net.trainable_params(), 0.01), nn.Momentum(net.trainable_params(), 0.1, 0.9)):
        step = nn.TrainOneStepCell(nn.WithLossCell(net, loss), optimizer).set_train()
        rs = np.random.RandomState(0)
        for _ in range(3):
            x, y = Tensor(rs.randn(6, 8).astype(np.float32)), Tensor(rs.randint(0, 4, 6), ms.int32)
            print(f"{float(step(x, y)):.4f}")
    x = net(x)
    print((x > 0).sum(), ops.topk(x, 2)[1], [f"{float(n):.4f}" for n in x[0, 1:3]])
