"""Groups of points, each with one label; a product over the members of a group."""

import mindspore as ms
import numpy as np
from mindspore import Tensor, nn, ops


class Groups(nn.Cell):
    def __init__(self):
        super().__init__()
        self.gate = nn.Dense(4, 1)

    def construct(self, x, group):
        return ops.unsorted_segment_prod(ops.sigmoid(self.gate(x)), group, 3)


random = np.random.RandomState(0)
x = Tensor(random.randn(12, 4), ms.float32)
group = Tensor(np.arange(12) % 3, ms.int32)
label = Tensor([[1.0], [0.0], [1.0]], ms.float32)

net = Groups()
for weight in net.trainable_params():
    weight.set_data(Tensor(random.randn(*weight.shape), ms.float32))
optimizer = nn.ProximalAdagrad(net.trainable_params(), learning_rate=0.5, l1=0.01)
step = ms.value_and_grad(lambda: ops.mse_loss(net(x, group), label), None, optimizer.parameters)
for i in range(5):
    loss, grads = step()
    optimizer(grads)
    print(f"step {i}: loss {float(loss):.5f}")
