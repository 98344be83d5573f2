"""r1.0 style: Wide & Deep; two optimizers in one train cell, FTRL for the wide half and Adam for the deep."""

import argparse

import mindspore.common.dtype as mstype
import mindspore.dataset as ds
import numpy as np
from mindspore import context, nn
from mindspore.common import set_seed
from mindspore.common.initializer import Uniform, initializer
from mindspore.common.parameter import Parameter, ParameterTuple
from mindspore.nn import Dropout
from mindspore.nn.optim import FTRL, Adam
from mindspore.ops import composite as C
from mindspore.ops import functional as F
from mindspore.ops import operations as P
from mindspore.train.callback import Callback
from mindspore.train.model import Model

FIELDS, VOCAB, WIDTH, BATCH = 6, 60, 8, 32


def init_method(method, shape, name, max_val=0.02):
    if method in ["random", "uniform"]:
        return Parameter(initializer(Uniform(max_val), shape, mstype.float32), name=name)
    if method == "one":
        return Parameter(initializer("ones", shape, mstype.float32), name=name)
    if method == "zero":
        return Parameter(initializer("zeros", shape, mstype.float32), name=name)
    return Parameter(initializer("normal", shape, mstype.float32), name=name)


class DenseLayer(nn.Cell):
    def __init__(self, input_dim, output_dim, act_str, use_activation=True, keep_prob=1.0, scale_coef=1.0):
        super(DenseLayer, self).__init__()
        self.weight = init_method("normal", [input_dim, output_dim], name="weight")
        self.bias = init_method("zero", [output_dim], name="bias")
        self.act_func = P.ReLU() if act_str == "relu" else P.Tanh()
        self.matmul = P.MatMul(transpose_b=False)
        self.bias_add = P.BiasAdd()
        self.mul = P.Mul()
        self.realDiv = P.RealDiv()
        self.scale_coef = scale_coef
        self.use_activation = use_activation
        self.dropout = Dropout(keep_prob=keep_prob)

    def construct(self, x):
        if self.training:
            x = self.dropout(x)
        x = self.mul(x, self.scale_coef)
        x = self.realDiv(self.matmul(x, self.weight), self.scale_coef)
        x = self.bias_add(x, self.bias)
        if self.use_activation:
            x = self.act_func(x)
        return x


class WideDeepModel(nn.Cell):
    def __init__(self):
        super(WideDeepModel, self).__init__()
        self.wide_w = init_method("normal", [VOCAB, 1], name="Wide_w")
        self.V_l2 = init_method("normal", [VOCAB, WIDTH], name="V_l2")
        self.wide_b = init_method("zero", [1], name="wide_b")
        self.dense_layer_1 = DenseLayer(FIELDS * WIDTH, 16, "relu")
        self.dense_layer_2 = DenseLayer(16, 8, "tanh")
        self.dense_layer_3 = DenseLayer(8, 1, "relu", use_activation=False)
        self.gather_v2 = P.GatherV2()
        self.mul = P.Mul()
        self.reduce_sum = P.ReduceSum(keep_dims=False)
        self.reshape = P.Reshape()
        self.tile = P.Tile()
        self.concat = P.Concat(axis=1)
        self.cast = P.Cast()

    def construct(self, id_hldr, wt_hldr):
        mask = self.reshape(wt_hldr, (BATCH, FIELDS, 1))
        wx = self.mul(self.gather_v2(self.wide_w, id_hldr, 0), mask)
        wide_out = self.reshape(self.reduce_sum(wx, 1) + self.wide_b, (-1, 1))
        vx = self.mul(self.gather_v2(self.V_l2, id_hldr, 0), mask)
        deep_in = self.reshape(vx, (-1, FIELDS * WIDTH))
        deep_in = self.dense_layer_1(deep_in)
        deep_in = self.dense_layer_2(deep_in)
        deep_out = self.dense_layer_3(deep_in)
        return wide_out + deep_out, self.V_l2


class NetWithLossClass(nn.Cell):
    def __init__(self, network, l2_coef):
        super(NetWithLossClass, self).__init__(auto_prefix=False)
        self.loss = P.SigmoidCrossEntropyWithLogits()
        self.network = network
        self.l2_coef = l2_coef
        self.square = P.Square()
        self.reduceMean_false = P.ReduceMean(keep_dims=False)
        self.reduceSum_false = P.ReduceSum(keep_dims=False)

    def construct(self, batch_ids, batch_wts, label):
        predict, embedding_table = self.network(batch_ids, batch_wts)
        log_loss = self.loss(predict, label)
        wide_loss = self.reduceMean_false(log_loss)
        l2_loss_v = self.reduceSum_false(self.square(embedding_table)) / 2
        deep_loss = self.reduceMean_false(log_loss) + self.l2_coef * l2_loss_v
        return wide_loss, deep_loss


class IthOutputCell(nn.Cell):
    def __init__(self, network, output_index):
        super(IthOutputCell, self).__init__()
        self.network = network
        self.output_index = output_index

    def construct(self, x1, x2, x3):
        return self.network(x1, x2, x3)[self.output_index]


class TrainStepWrap(nn.Cell):
    def __init__(self, network, sens=16.0):
        super(TrainStepWrap, self).__init__()
        self.network = network
        self.network.set_train()
        self.trainable_params = network.trainable_params()
        weights_w, weights_d = [], []
        for params in self.trainable_params:
            if "wide" in params.name.lower():
                weights_w.append(params)
            else:
                weights_d.append(params)
        self.weights_w = ParameterTuple(weights_w)
        self.weights_d = ParameterTuple(weights_d)
        self.optimizer_w = FTRL(learning_rate=0.05, params=self.weights_w, l1=1e-6, l2=1e-6, loss_scale=sens)
        self.optimizer_d = Adam(self.weights_d, learning_rate=3.5e-3, eps=1e-8, loss_scale=sens)
        self.hyper_map = C.HyperMap()
        self.grad_w = C.GradOperation(get_by_list=True, sens_param=True)
        self.grad_d = C.GradOperation(get_by_list=True, sens_param=True)
        self.sens = sens
        self.loss_net_w = IthOutputCell(network, output_index=0)
        self.loss_net_d = IthOutputCell(network, output_index=1)
        self.loss_net_w.set_grad()
        self.loss_net_d.set_grad()

    def construct(self, batch_ids, batch_wts, label):
        loss_w, loss_d = self.network(batch_ids, batch_wts, label)
        sens_w = P.Fill()(P.DType()(loss_w), P.Shape()(loss_w), self.sens)
        sens_d = P.Fill()(P.DType()(loss_d), P.Shape()(loss_d), self.sens)
        grads_w = self.grad_w(self.loss_net_w, self.weights_w)(batch_ids, batch_wts, label, sens_w)
        grads_d = self.grad_d(self.loss_net_d, self.weights_d)(batch_ids, batch_wts, label, sens_d)
        return F.depend(loss_w, self.optimizer_w(grads_w)), F.depend(loss_d, self.optimizer_d(grads_d))


class PredictWithSigmoid(nn.Cell):
    def __init__(self, network):
        super(PredictWithSigmoid, self).__init__()
        self.network = network
        self.sigmoid = P.Sigmoid()

    def construct(self, batch_ids, batch_wts, labels):
        logits, _ = self.network(batch_ids, batch_wts)
        return logits, self.sigmoid(logits), labels


class AUCMetric(nn.metrics.Metric):
    def __init__(self):
        super(AUCMetric, self).__init__()
        self.clear()

    def clear(self):
        self.true_labels = []
        self.pred_probs = []

    def update(self, *inputs):
        self.true_labels.extend(inputs[2].asnumpy().flatten().tolist())
        self.pred_probs.extend(inputs[1].asnumpy().flatten().tolist())

    def eval(self):
        labels = np.array(self.true_labels)
        ranks = np.argsort(np.argsort(self.pred_probs)) + 1
        positives = int(labels.sum())
        negatives = len(labels) - positives
        return (ranks[labels == 1].sum() - positives * (positives + 1) / 2) / (positives * negatives)


class LossCallBack(Callback):
    def step_end(self, run_context):
        cb_params = run_context.original_args()
        wide_loss, deep_loss = cb_params.net_outputs[0].asnumpy(), cb_params.net_outputs[1].asnumpy()
        step = (cb_params.cur_step_num - 1) % cb_params.batch_num + 1
        print(
            "epoch: %s, step: %s, wide_loss is %s, deep_loss is %s"
            % (cb_params.cur_epoch_num, step, wide_loss, deep_loss)
        )


def clicks(count):
    random = np.random.RandomState(2)
    ids = random.randint(0, VOCAB // FIELDS, (count, FIELDS)) + np.arange(FIELDS) * (VOCAB // FIELDS)
    weights = np.where(np.arange(FIELDS) < 2, random.rand(count, FIELDS), 1.0)
    taste = random.randn(VOCAB)
    label = (taste[ids] * weights).sum(1, keepdims=True) + random.randn(count, 1) > 0
    return {
        "ids": ids.astype(np.int32),
        "weights": weights.astype(np.float32),
        "label": label.astype(np.float32),
    }


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="WideDeep")
    parser.add_argument("--device_target", default="Ascend")
    context.set_context(mode=context.GRAPH_MODE, device_target=parser.parse_args().device_target)
    set_seed(1)
    np.random.seed(1)
    net = WideDeepModel()
    train_net = TrainStepWrap(NetWithLossClass(net, 8e-5))
    eval_net = PredictWithSigmoid(net)
    eval_net.set_train(False)
    data = ds.NumpySlicesDataset(clicks(192), shuffle=True).batch(BATCH, drop_remainder=True)
    train_net.set_train()
    model = Model(train_net, eval_network=eval_net, metrics={"auc": AUCMetric()})
    model.train(4, data, callbacks=[LossCallBack()], dataset_sink_mode=False)
    print(model.eval(data, dataset_sink_mode=False))
    print([(p.name, p.asnumpy().sum()) for p in train_net.trainable_params])
