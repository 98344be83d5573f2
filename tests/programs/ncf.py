"""r1.2 style: neural collaborative filtering with negative samples; hit rate among ten items."""

import argparse

import mindspore.dataset as ds
import mindspore.nn as nn
import numpy as np
from mindspore import Model, Parameter, ParameterTuple, Tensor, context
from mindspore.common import dtype as mstype
from mindspore.common import set_seed
from mindspore.common.initializer import initializer
from mindspore.nn.layer.activation import get_activation
from mindspore.ops import composite as C
from mindspore.ops import functional as F
from mindspore.ops import operations as P
from mindspore.train.callback import LossMonitor

USERS, ITEMS, FACTORS = 24, 30, 6


class DenseLayer(nn.Cell):
    def __init__(self, in_channels, out_channels, weight_init="normal", bias_init="zeros", activation=None):
        super(DenseLayer, self).__init__()
        self.weight = Parameter(initializer(weight_init, [out_channels, in_channels]), name="weight")
        self.bias = Parameter(initializer(bias_init, [out_channels]), name="bias")
        self.matmul = P.MatMul(transpose_b=True)
        self.bias_add = P.BiasAdd()
        self.activation = get_activation(activation)
        self.activation_flag = self.activation is not None

    def construct(self, input_x):
        output = self.bias_add(self.matmul(input_x, self.weight), self.bias)
        if self.activation_flag:
            return self.activation(output)
        return output


class NCFModel(nn.Cell):
    def __init__(self, num_users, num_items, num_factors, model_layers):
        super(NCFModel, self).__init__()
        width = num_factors + model_layers[0] // 2
        self.embedding_user = nn.Embedding(
            num_users, width, embedding_table=initializer("xavier_uniform", (num_users, width))
        )
        self.embedding_item = nn.Embedding(
            num_items, width, embedding_table=initializer("xavier_uniform", (num_items, width))
        )
        self.mlp_dense = nn.SequentialCell(
            [
                DenseLayer(i, o, "xavier_uniform", activation="relu")
                for i, o in zip(model_layers, model_layers[1:])
            ]
        )
        self.logits_dense = DenseLayer(num_factors + model_layers[-1], 1)
        self.num_factors = num_factors
        self.mul = P.Mul()
        self.concat = P.Concat(axis=1)
        self.squeeze = P.Squeeze()

    def construct(self, user, item):
        user = self.squeeze(self.embedding_user(user))
        item = self.squeeze(self.embedding_item(item))
        mf_vector = self.mul(user[:, : self.num_factors], item[:, : self.num_factors])
        mlp = self.mlp_dense(self.concat((user[:, self.num_factors :], item[:, self.num_factors :])))
        return self.logits_dense(self.concat((mf_vector, mlp)))


class NetWithLossClass(nn.Cell):
    def __init__(self, network):
        super(NetWithLossClass, self).__init__(auto_prefix=False)
        self.loss = P.SigmoidCrossEntropyWithLogits()
        self.network = network
        self.reducemean = P.ReduceMean(keep_dims=False)
        self.mul = P.Mul()
        self.squeeze = P.Squeeze()
        self.one = Tensor(1.0, mstype.float32)

    def construct(self, batch_users, batch_items, labels, valid_pt_mask):
        predict = self.network(batch_users, batch_items)
        predict = self.squeeze(predict)
        labels = F.cast(labels, mstype.float32)
        loss = self.loss(predict, self.squeeze(labels))
        loss = self.mul(loss, self.squeeze(F.cast(valid_pt_mask, mstype.float32)))
        return self.reducemean(loss)


class TrainStepWrap(nn.Cell):
    def __init__(self, network, sens=16384.0):
        super(TrainStepWrap, self).__init__(auto_prefix=False)
        self.network = network
        self.network.set_train()
        self.network.add_flags(defer_inline=True)
        self.weights = ParameterTuple(network.trainable_params())
        self.optimizer = nn.Adam(
            self.weights, learning_rate=0.01, beta1=0.9, beta2=0.999, eps=1e-8, loss_scale=sens
        )
        self.hyper_map = C.HyperMap()
        self.grad = C.GradOperation(get_by_list=True, sens_param=True)
        self.sens = sens

    def construct(self, batch_users, batch_items, labels, valid_pt_mask):
        weights = self.weights
        loss = self.network(batch_users, batch_items, labels, valid_pt_mask)
        sens = P.Fill()(P.DType()(loss), P.Shape()(loss), self.sens)
        grads = self.grad(self.network, weights)(batch_users, batch_items, labels, valid_pt_mask, sens)
        return F.depend(loss, self.optimizer(grads))


class PredictWithTopK(nn.Cell):
    def __init__(self, network, k=3):
        super(PredictWithTopK, self).__init__()
        self.network = network
        self.topk = P.TopK(sorted=True)
        self.squeeze = P.Squeeze()
        self.k = k

    def construct(self, batch_users, batch_items):
        _, places = self.topk(self.squeeze(self.network(batch_users, batch_items)), self.k)
        return P.GatherV2()(self.squeeze(batch_items), places, 0)


def taste():
    random = np.random.RandomState(6)
    return random.randn(USERS, 3) @ random.randn(3, ITEMS)


def create_dataset(batch_size):
    random = np.random.RandomState(7)
    score = taste()
    liked = [(user, item) for user in range(USERS) for item in np.argsort(-score[user])[1:6]]
    rows = {"users": [], "items": [], "labels": [], "mask": []}
    for user, item in liked:
        for k in range(3):
            rows["users"].append([user])
            rows["items"].append([item if k == 0 else random.randint(0, ITEMS)])
            rows["labels"].append([k == 0])
            rows["mask"].append([1.0])
    columns = {k: np.array(v, np.float32 if k in ("labels", "mask") else np.int32) for k, v in rows.items()}
    return ds.NumpySlicesDataset(columns, shuffle=True).batch(batch_size, drop_remainder=True)


def hit_rate(net):
    score, hits = taste(), 0
    random = np.random.RandomState(8)
    for user in range(USERS):
        best = score[user].argmax()
        others = random.permutation([i for i in range(ITEMS) if i != best])[:9]
        items = np.append(others, best).astype(np.int32)[:, None]
        found = net(Tensor(np.full((10, 1), user, np.int32)), Tensor(items)).asnumpy()
        hits += best in found
    return hits / USERS


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="NCF")
    parser.add_argument("--device_target", type=str, default="Ascend")
    context.set_context(
        mode=context.GRAPH_MODE, device_target=parser.parse_args().device_target, save_graphs=False
    )
    set_seed(1)
    ncf_net = NCFModel(USERS, ITEMS, FACTORS, [16, 8, 6])
    train_net = TrainStepWrap(NetWithLossClass(ncf_net))
    train_net.set_train()
    Model(train_net).train(5, create_dataset(60), callbacks=[LossMonitor()], dataset_sink_mode=False)
    predict = PredictWithTopK(ncf_net)
    predict.set_train(False)
    print("HR:", hit_rate(predict))
    print(ncf_net.logits_dense.weight.asnumpy())
