"""Recurrent layers, attention, and a step with loss scale, clipping and groups."""
import mindspore as ms
import numpy as np
from mindspore import Tensor, nn, ops

ms.set_seed(6)
random = np.random.RandomState(6)
IDS = random.randint(0, 30, (3, 4, 7)).astype(np.int32)
LABEL = random.randint(0, 30, (3, 4)).astype(np.int32)


class Attention(nn.Cell):
    def __init__(self, width):
        super().__init__()
        self.q, self.k, self.v = (nn.Dense(width, width) for _ in range(3))
        self.softmax = nn.Softmax()
        self.scale = width ** -0.5

    def construct(self, x):
        scores = ops.matmul(self.q(x), self.k(x).swapaxes(1, 2)) * self.scale
        return ops.matmul(self.softmax(scores), self.v(x))


class Sequences(nn.Cell):
    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(30, 8)
        self.lstm = nn.LSTM(8, 6, num_layers=2, batch_first=True, bidirectional=True)
        self.gru = nn.GRU(8, 6, batch_first=True)
        self.rnn = nn.RNN(8, 6, batch_first=True)
        self.cell = nn.GRUCell(8, 6)
        self.lstm_cell = nn.LSTMCell(8, 6)
        self.attention = Attention(8)
        self.multihead = nn.MultiheadAttention(8, 2, batch_first=True)
        self.layer = nn.TransformerEncoderLayer(8, 2, 16, dropout=0.0, batch_first=True)
        self.norm = nn.LayerNorm((8,))
        self.head = nn.Dense(44, 30)

    def construct(self, ids):
        x = self.norm(self.embedding(ids))
        parts = [self.lstm(x)[0][:, -1], self.gru(x)[0][:, -1], self.rnn(x)[0][:, -1],
                 self.cell(x[:, 0], ops.zeros((4, 6), ms.float32)), self.attention(x)[:, 0],
                 self.lstm_cell(x[:, 0], (ops.ones((4, 6), ms.float32), ops.ones((4, 6), ms.float32)))[0]]
        y = self.multihead(x, x, x)[0][:, -1] + self.layer(x)[:, -1]
        parts[4] = parts[4][:, :2] + y[:, :2]
        return self.head(ops.concat((*parts, y[:, :0], x[:, 0]), 1)[:, :44] if False else
                         ops.concat((*parts[:4], parts[4], parts[5], x[:, 0, :6]), 1))


network = Sequences()
network.set_train()
loss_fn = nn.CrossEntropyLoss()
decay = [p for p in network.trainable_params() if "bias" not in p.name]
rest = [p for p in network.trainable_params() if "bias" in p.name]
optimizer = nn.AdamWeightDecay([{"params": decay, "weight_decay": 0.1}, {"params": rest}], 0.01)
scale = Tensor(16.0, ms.float32)
step = ms.value_and_grad(lambda ids, label: loss_fn(network(ids), label) * scale, None, optimizer.parameters)
for i in range(3):
    loss, gradients = step(Tensor(IDS[i]), Tensor(LABEL[i]))
    gradients = ops.clip_by_global_norm(tuple(g / scale for g in gradients), 0.7)
    optimizer(gradients)
    print(loss)
