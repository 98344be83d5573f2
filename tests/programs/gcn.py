"""r1.3 style: a graph convolution over a normalised adjacency matrix, the whole graph in a step."""

import argparse

import numpy as np
from mindspore import Tensor, context, nn
from mindspore.common import dtype as mstype
from mindspore.common import set_seed
from mindspore.common.parameter import ParameterTuple
from mindspore.nn.layer.activation import get_activation
from mindspore.ops import composite as C
from mindspore.ops import functional as F
from mindspore.ops import operations as P

NODES, FEATURES, CLASSES = 60, 24, 4


def glorot(shape):
    init_range = np.sqrt(6.0 / (shape[0] + shape[1]))
    initial = np.random.uniform(-init_range, init_range, shape).astype(np.float32)
    return Tensor(initial)


class GraphConvolution(nn.Cell):
    def __init__(self, feature_in_dim, feature_out_dim, dropout_ratio=None, activation=None):
        super(GraphConvolution, self).__init__()
        self.in_dim = feature_in_dim
        self.out_dim = feature_out_dim
        self.weight_init = glorot([self.out_dim, self.in_dim])
        self.fc = nn.Dense(self.in_dim, self.out_dim, weight_init=self.weight_init, has_bias=False)
        self.dropout_ratio = dropout_ratio
        if self.dropout_ratio is not None:
            self.dropout = nn.Dropout(keep_prob=1 - self.dropout_ratio)
        self.dropout_flag = self.dropout_ratio is not None
        self.activation = get_activation(activation) if activation is not None else None
        self.activation_flag = self.activation is not None
        self.matmul = P.MatMul()

    def construct(self, adj, input_feature):
        dropout = input_feature
        if self.dropout_flag:
            dropout = self.dropout(dropout)
        output_feature = self.matmul(adj, self.fc(dropout))
        if self.activation_flag:
            output_feature = self.activation(output_feature)
        return output_feature


class GCN(nn.Cell):
    def __init__(self, hidden, input_dim, output_dim):
        super(GCN, self).__init__()
        self.layer0 = GraphConvolution(input_dim, hidden, activation="relu", dropout_ratio=0.0)
        self.layer1 = GraphConvolution(hidden, output_dim, dropout_ratio=None)

    def construct(self, adj, feature):
        return self.layer1(adj, self.layer0(adj, feature))


class Loss(nn.Cell):
    def __init__(self, label, mask, weight_decay, param):
        super(Loss, self).__init__(auto_prefix=False)
        self.label = Tensor(label)
        self.mask = Tensor(mask)
        self.loss = P.SoftmaxCrossEntropyWithLogits()
        self.one = Tensor(1.0, mstype.float32)
        self.zero = Tensor(0.0, mstype.float32)
        self.mean = P.ReduceMean()
        self.cast = P.Cast()
        self.l2_loss = P.L2Loss()
        self.reduce_sum = P.ReduceSum()
        self.weight_decay = weight_decay
        self.param = param

    def construct(self, preds):
        param = self.l2_loss(self.param)
        loss = self.weight_decay * param
        preds = self.cast(preds, mstype.float32)
        loss = loss + self.mean(self.loss(preds, self.label)[0] * (self.mask / self.mean(self.mask)))
        return loss


class Accuracy(nn.Cell):
    def __init__(self, label, mask):
        super(Accuracy, self).__init__(auto_prefix=False)
        self.label = Tensor(label)
        self.mask = Tensor(mask)
        self.equal = P.Equal()
        self.argmax = P.Argmax()
        self.cast = P.Cast()
        self.mean = P.ReduceMean()

    def construct(self, preds):
        correct = self.equal(self.argmax(preds), self.argmax(self.label))
        correct = self.cast(correct, mstype.float32) * (self.mask / self.mean(self.mask))
        return self.mean(correct)


class LossAccuracyWrapper(nn.Cell):
    def __init__(self, network, label, mask, weight_decay):
        super(LossAccuracyWrapper, self).__init__(auto_prefix=False)
        self.network = network
        self.loss = Loss(label, mask, weight_decay, network.trainable_params()[0])
        self.accuracy = Accuracy(label, mask)

    def construct(self, adj, feature):
        preds = self.network(adj, feature)
        return self.loss(preds), self.accuracy(preds)


class LossWrapper(nn.Cell):
    def __init__(self, network, label, mask, weight_decay):
        super(LossWrapper, self).__init__(auto_prefix=False)
        self.network = network
        self.loss = Loss(label, mask, weight_decay, network.trainable_params()[0])

    def construct(self, adj, feature):
        return self.loss(self.network(adj, feature))


class TrainOneStepCell(nn.Cell):
    def __init__(self, network, optimizer, sens=1.0):
        super(TrainOneStepCell, self).__init__(auto_prefix=False)
        self.network = network
        self.network.add_flags(defer_inline=True)
        self.weights = ParameterTuple(network.trainable_params())
        self.optimizer = optimizer
        self.grad = C.GradOperation(get_by_list=True, sens_param=True)
        self.sens = sens

    def construct(self, adj, feature):
        weights = self.weights
        loss = self.network(adj, feature)
        sens = P.Fill()(P.DType()(loss), P.Shape()(loss), self.sens)
        grads = self.grad(self.network, weights)(adj, feature, sens)
        return F.depend(loss, self.optimizer(grads))


class TrainNetWrapper(nn.Cell):
    def __init__(self, network, label, mask, learning_rate, weight_decay):
        super(TrainNetWrapper, self).__init__(auto_prefix=False)
        self.network = network
        loss_net = LossWrapper(network, label, mask, weight_decay)
        optimizer = nn.Adam(loss_net.trainable_params(), learning_rate=learning_rate)
        self.loss_train_net = TrainOneStepCell(loss_net, optimizer)
        self.accuracy = Accuracy(label, mask)

    def construct(self, adj, feature):
        loss = self.loss_train_net(adj, feature)
        accuracy = self.accuracy(self.network(adj, feature))
        return loss, accuracy


def communities():
    """Four groups with more edges inside, and features that hint at the group."""
    random = np.random.RandomState(9)
    group = np.arange(NODES) % CLASSES
    near = np.where(group[:, None] == group[None], 0.25, 0.03)
    upper = np.triu(random.rand(NODES, NODES) < near, 1)
    adj = (upper + upper.T + np.eye(NODES)).astype(np.float32)
    degree = adj.sum(1) ** -0.5
    feature = (
        random.rand(NODES, FEATURES) < 0.15 + 0.3 * (np.arange(FEATURES)[None] % CLASSES == group[:, None])
    ).astype(np.float32)
    feature = feature / np.maximum(feature.sum(1, keepdims=True), 1)
    return adj * degree[:, None] * degree[None], feature, np.eye(CLASSES, dtype=np.int32)[group]


def get_mask(total, begin, end):
    mask = np.zeros([total]).astype(np.float32)
    mask[begin:end] = 1
    return mask


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="GCN")
    parser.add_argument("--device_target", default="Ascend")
    context.set_context(
        mode=context.GRAPH_MODE, device_target=parser.parse_args().device_target, save_graphs=False
    )
    set_seed(123)
    adj, feature, label_onehot = communities()
    label = label_onehot.astype(np.float32)
    adj, feature = Tensor(adj), Tensor(feature)
    gcn_net = GCN(16, FEATURES, CLASSES)
    eval_net = LossAccuracyWrapper(gcn_net, label, get_mask(NODES, 20, 40), 5e-4)
    test_net = LossAccuracyWrapper(gcn_net, label, get_mask(NODES, 40, NODES), 5e-4)
    train_net = TrainNetWrapper(gcn_net, label, get_mask(NODES, 0, 20), 0.02, 5e-4)
    for epoch in range(40):
        train_net.set_train()
        train_loss, train_accuracy = train_net(adj, feature)
        if epoch % 2 == 0:
            eval_net.set_train(False)
            eval_loss, eval_accuracy = eval_net(adj, feature)
            print(
                "Epoch:",
                "%04d" % (epoch + 1),
                "train_loss=",
                "{:.8f}".format(float(train_loss.asnumpy())),
                "train_acc=",
                "{:.5f}".format(float(train_accuracy.asnumpy())),
                "val_loss=",
                "{:.8f}".format(float(eval_loss.asnumpy())),
                "val_acc=",
                eval_accuracy.asnumpy(),
            )
    test_net.set_train(False)
    print("Test set results:", *(out.asnumpy() for out in test_net(adj, feature)))
