"""Training, from weights that numpy draws."""

import mindspore as ms
import numpy as np
from mindspore import Tensor, nn
from models import Score


class Task(nn.Cell):
    def __init__(self):
        super().__init__()
        self.net = Score()
        self.loss = nn.MSELoss()

    def construct(self, x, y):
        return self.loss(self.net(x), y)


random = np.random.RandomState(0)
x = random.randn(64, 8).astype(np.float32)
y = x[:, :1] * x[:, 1:2]
task = Task()
for weight in task.trainable_params():
    weight.set_data(Tensor(0.3 * random.randn(*weight.shape), ms.float32))
step = nn.TrainOneStepCell(task, nn.Momentum(task.trainable_params(), 0.05, 0.9))
step.set_train()
for epoch in range(3):
    for i in range(0, 64, 16):
        loss = step(Tensor(x[i : i + 16]), Tensor(y[i : i + 16]))
    print(f"epoch {epoch}: loss {float(loss.asnumpy()):.4f}")
