"""r1.8 style: words reversed by a GRU encoder and an attending GRU decoder; clipping, greedy decoding."""

import argparse

import mindspore as ms
import mindspore.dataset as ds
import mindspore.nn as nn
import mindspore.numpy as mnp
import mindspore.ops as ops
import numpy as np
from mindspore import Tensor

SOS, EOS, VOCAB, LENGTH = 1, 2, 12, 6


class Encoder(nn.Cell):
    def __init__(self, vocab_size, embed_dim, hidden_dim):
        super(Encoder, self).__init__()
        self.embedding = nn.Embedding(vocab_size, embed_dim)
        self.rnn = nn.GRU(embed_dim, hidden_dim, batch_first=True, bidirectional=True)
        self.fc = nn.Dense(hidden_dim * 2, hidden_dim)

    def construct(self, source):
        outputs, hidden = self.rnn(self.embedding(source))
        hidden = ops.tanh(self.fc(ops.concat((hidden[0], hidden[1]), 1)))
        return outputs, hidden


class Attention(nn.Cell):
    def __init__(self, hidden_dim):
        super(Attention, self).__init__()
        self.attn = nn.Dense(hidden_dim * 3, hidden_dim)
        self.v = nn.Dense(hidden_dim, 1, has_bias=False)

    def construct(self, hidden, outputs):
        hidden = ops.tile(ops.expand_dims(hidden, 1), (1, outputs.shape[1], 1))
        energy = ops.tanh(self.attn(ops.concat((hidden, outputs), 2)))
        return ops.Softmax(axis=1)(self.v(energy).squeeze(2))


class Decoder(nn.Cell):
    def __init__(self, vocab_size, embed_dim, hidden_dim):
        super(Decoder, self).__init__()
        self.embedding = nn.Embedding(vocab_size, embed_dim)
        self.attention = Attention(hidden_dim)
        self.rnn = nn.GRUCell(embed_dim + hidden_dim * 2, hidden_dim)
        self.fc = nn.Dense(hidden_dim * 3 + embed_dim, vocab_size)

    def construct(self, token, hidden, outputs):
        embedded = self.embedding(token)
        weights = ops.expand_dims(self.attention(hidden, outputs), 1)
        context = ops.BatchMatMul()(weights, outputs).squeeze(1)
        hidden = self.rnn(ops.concat((embedded, context), 1), hidden)
        return self.fc(ops.concat((hidden, context, embedded), 1)), hidden


class Seq2Seq(nn.Cell):
    """Loss with the right word given at each place; with ``target`` None the words it would say."""

    def __init__(self, encoder, decoder):
        super(Seq2Seq, self).__init__()
        self.encoder = encoder
        self.decoder = decoder
        self.loss = nn.CrossEntropyLoss()

    def construct(self, source, target):
        outputs, hidden = self.encoder(source)
        token = mnp.full((source.shape[0],), SOS, ms.int32)
        loss = 0.0
        for i in range(LENGTH):
            logits, hidden = self.decoder(token, hidden, outputs)
            loss = loss + self.loss(logits, target[:, i])
            token = target[:, i]
        return loss / LENGTH

    def translate(self, source):
        outputs, hidden = self.encoder(source)
        token = mnp.full((source.shape[0],), SOS, ms.int32)
        words = []
        for _ in range(LENGTH):
            logits, hidden = self.decoder(token, hidden, outputs)
            token = logits.argmax(1).astype(ms.int32)
            words.append(token)
        return ops.stack(words, 1)


def numbers(count):
    random = np.random.RandomState(0)
    source = random.randint(3, VOCAB, (count, LENGTH)).astype(np.int32)
    return {"source": source, "target": source[:, ::-1].copy()}


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--device_target", default="Ascend")
    ms.set_context(mode=ms.PYNATIVE_MODE, device_target=parser.parse_args().device_target)
    ms.set_seed(5)
    dataset = ds.NumpySlicesDataset(numbers(96), shuffle=True).batch(24)
    model = Seq2Seq(Encoder(VOCAB, 8, 12), Decoder(VOCAB, 8, 12))
    optimizer = nn.Adam(model.trainable_params(), learning_rate=0.02)
    grad_fn = ops.value_and_grad(model, None, optimizer.parameters)
    model.set_train()
    for epoch in range(4):
        for batch, (source, target) in enumerate(dataset.create_tuple_iterator()):
            loss, grads = grad_fn(source, target)
            grads = ops.clip_by_global_norm(grads, 1.0)
            optimizer(grads)
            print(f"epoch: {epoch + 1}, batch: {batch}, loss: {loss.asnumpy():.9f}")
    model.set_train(False)
    example = Tensor(numbers(3)["source"])
    print(model.translate(example).asnumpy().tolist())
    print([(p.name, p.shape) for p in model.trainable_params()])
    print(
        model.decoder.rnn.weight_hh.asnumpy()[0, :5], model.encoder.rnn.trainable_params()[1].asnumpy()[0, :4]
    )
