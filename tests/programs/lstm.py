"""r1.0 style: a review's mood through nn.LSTM in GRAPH_MODE, trained and evaluated by Model."""

import argparse

import mindspore.dataset as ds
import mindspore.nn as nn
import numpy as np
from mindspore import Model, Parameter, Tensor, context
from mindspore.common import dtype as mstype
from mindspore.common import set_seed
from mindspore.common.initializer import Uniform, initializer
from mindspore.nn.loss.loss import _Loss
from mindspore.nn.metrics import F1, Accuracy, Recall
from mindspore.ops import operations as P
from mindspore.train.callback import LossMonitor

WORDS, LENGTH, BATCH = 40, 10, 16


class CrossEntropyLoss(_Loss):
    """Softmax cross entropy against classes given as numbers."""

    def __init__(self, classes=2):
        super(CrossEntropyLoss, self).__init__()
        self.classes = classes
        self.cross_entropy = P.SoftmaxCrossEntropyWithLogits()
        self.mean = P.ReduceMean(False)
        self.one_hot = P.OneHot()
        self.on_value = Tensor(1.0, mstype.float32)
        self.off_value = Tensor(0.0, mstype.float32)

    def construct(self, logits, label):
        label = self.one_hot(label, self.classes, self.on_value, self.off_value)
        loss = self.cross_entropy(logits, label)[0]
        return self.mean(loss, (-1,))


class SentimentNet(nn.Cell):
    """Embedding, two LSTM layers in both directions, a dense layer over the outermost states."""

    def __init__(self, vocab_size, embed_size, num_hiddens, num_layers, num_classes, batch_size):
        super(SentimentNet, self).__init__()
        self.embedding_table = Parameter(
            initializer(Uniform(0.5), [vocab_size, embed_size]), name="embedding_table"
        )
        self.gather = P.GatherV2()
        self.trans = P.Transpose()
        self.perm = (1, 0, 2)
        self.encoder = nn.LSTM(
            input_size=embed_size,
            hidden_size=num_hiddens,
            num_layers=num_layers,
            has_bias=True,
            bidirectional=True,
            dropout=0.0,
        )
        zeros = np.zeros((num_layers * 2, batch_size, num_hiddens)).astype(np.float32)
        self.h = Tensor(zeros)
        self.c = Tensor(zeros)
        self.concat = P.Concat(1)
        self.decoder = nn.Dense(num_hiddens * 4, num_classes)

    def construct(self, inputs):
        embeddings = self.gather(self.embedding_table, inputs, 0)
        embeddings = self.trans(embeddings, self.perm)
        output, _ = self.encoder(embeddings, (self.h, self.c))
        encoding = self.concat((output[0], output[LENGTH - 1]))
        return self.decoder(encoding)


def reviews(count, seed):
    """Sentences over 40 words; the mood is whether more words come from the upper half."""
    random = np.random.RandomState(seed)
    feature = random.randint(0, WORDS, (count, LENGTH)).astype(np.int32)
    label = ((feature >= WORDS // 2).sum(1) > LENGTH // 2).astype(np.int32)
    return {"feature": feature, "label": label}


def create_dataset(count, seed, shuffle):
    data = ds.NumpySlicesDataset(reviews(count, seed), shuffle=shuffle)
    return data.batch(BATCH, drop_remainder=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="MindSpore LSTM Example")
    parser.add_argument("--device_target", type=str, default="GPU", choices=["GPU", "CPU", "Ascend"])
    args = parser.parse_args()
    context.set_context(mode=context.GRAPH_MODE, save_graphs=False, device_target=args.device_target)
    set_seed(2)

    network = SentimentNet(WORDS, 8, 12, 2, 2, BATCH)
    loss = CrossEntropyLoss()
    opt = nn.Momentum(network.trainable_params(), 0.2, 0.9)
    model = Model(network, loss, opt, {"acc": Accuracy(), "f1": F1(), "recall": Recall()})
    print("============== Starting Training ==============")
    model.train(4, create_dataset(96, 0, True), callbacks=LossMonitor(), dataset_sink_mode=False)
    print("============== Starting Testing ==============")
    print(model.eval(create_dataset(64, 1, False), dataset_sink_mode=False))
    for param in network.get_parameters():
        print(param.name, param.shape, param.asnumpy().ravel()[:3])
