"""r1.5 style: skip-gram with negative samples in PyNative mode, LazyAdam over a list of rates."""

import argparse

import mindspore as ms
import mindspore.dataset as ds
import mindspore.nn as nn
import mindspore.ops as ops
import numpy as np
from mindspore import Tensor, context
from mindspore.common.initializer import Uniform

VOCAB, WIDTH, NEGATIVE = 30, 12, 4


class SkipGram(nn.Cell):
    """Words and contexts that occur together score high, drawn ones low."""

    def __init__(self, vocab, width):
        super(SkipGram, self).__init__()
        self.center_emb = nn.Embedding(vocab, width, embedding_table=Uniform(0.5 / width))
        self.context_emb = nn.Embedding(vocab, width, embedding_table="zeros")
        self.mul = ops.Mul()
        self.sum = ops.ReduceSum(keep_dims=False)
        self.matmul = ops.BatchMatMul(transpose_b=True)
        self.squeeze = ops.Squeeze(1)
        self.expand_dims = ops.ExpandDims()
        self.clip = ops.clip_by_value
        self.log_sigmoid = nn.LogSigmoid()
        self.low, self.high = Tensor(-6.0, ms.float32), Tensor(6.0, ms.float32)

    def construct(self, center, positive, negative):
        center = self.center_emb(center)
        positive = self.context_emb(positive)
        negative = self.context_emb(negative)
        score = self.clip(self.sum(self.mul(center, positive), 1), self.low, self.high)
        drawn = self.squeeze(self.matmul(self.expand_dims(center, 1), negative))
        drawn = self.clip(drawn, self.low, self.high)
        return (-self.log_sigmoid(score) - self.sum(self.log_sigmoid(-drawn), 1)).mean()


class Pairs:
    """(centre, context, negatives) from a walk in which neighbours are near numbers."""

    def __init__(self, length):
        random = np.random.RandomState(1)
        walk = np.cumsum(random.randint(-2, 3, length)) % VOCAB
        share = np.bincount(walk, minlength=VOCAB) ** 0.75
        self.rows = [(walk[i], walk[i + k]) for i in range(2, length - 2) for k in (-2, -1, 1, 2)]
        self.drawn = random.choice(VOCAB, (len(self.rows), NEGATIVE), p=share / share.sum())

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, index):
        center, near = self.rows[index]
        return np.int32(center), np.int32(near), self.drawn[index].astype(np.int32)


def nearest(table, word):
    table = table / np.sqrt((table**2).sum(1, keepdims=True) + 1e-9)
    return np.argsort(-table @ table[word])[1:4]


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--device_target", default="CPU")
    context.set_context(mode=context.PYNATIVE_MODE, device_target=parser.parse_args().device_target)
    ms.set_seed(12)
    np.random.seed(12)
    data = ds.GeneratorDataset(Pairs(200), ["center", "positive", "negative"], shuffle=True)
    data = data.batch(49, drop_remainder=True)
    net = SkipGram(VOCAB, WIDTH)
    lr = nn.exponential_decay_lr(0.05, 0.9, 16 * 4, 16, 1)
    train = nn.TrainOneStepCell(net, nn.LazyAdam(net.trainable_params(), learning_rate=lr))
    train.set_train()
    for epoch in range(4):
        for step, (center, positive, negative) in enumerate(data.create_tuple_iterator()):
            loss = train(center, positive, negative)
            if step % 4 == 3:
                print("epoch: %d step: %d, loss is %s" % (epoch + 1, step + 1, loss.asnumpy()))
    table = net.center_emb.embedding_table.asnumpy()
    print(np.abs(table).mean(), table[3, :3], net.context_emb.embedding_table.asnumpy()[3, :3])
