"""r1.2 style: DeepFM with Adam and a loss scale; callbacks of its own, evaluation beside training."""

import argparse
import time

import mindspore.common.dtype as mstype
import mindspore.dataset as ds
import mindspore.nn as nn
import mindspore.ops as P
import mindspore.ops.functional as F
import numpy as np
from mindspore import Model, Parameter, ParameterTuple, context
from mindspore.common import set_seed
from mindspore.common.initializer import Uniform, initializer
from mindspore.ops import composite as C
from mindspore.train.callback import Callback

FIELDS, VOCAB, WIDTH, BATCH = 8, 80, 6, 32


class DenseLayer(nn.Cell):
    def __init__(self, input_dim, output_dim, activation=True):
        super(DenseLayer, self).__init__()
        limit = np.sqrt(6.0 / (input_dim + output_dim))
        self.weight = Parameter(
            initializer(Uniform(limit), [input_dim, output_dim], mstype.float32), name="weight"
        )
        self.bias = Parameter(initializer("zeros", [output_dim], mstype.float32), name="bias")
        self.matmul = P.MatMul(transpose_b=False)
        self.bias_add = P.BiasAdd()
        self.act = P.ReLU()
        self.activation = activation

    def construct(self, x):
        x = self.bias_add(self.matmul(x, self.weight), self.bias)
        return self.act(x) if self.activation else x


class DeepFMModel(nn.Cell):
    def __init__(self):
        super(DeepFMModel, self).__init__()
        self.fm_w = Parameter(initializer(Uniform(0.05), [VOCAB, 1], mstype.float32), name="fm_w")
        self.embedding_table = Parameter(
            initializer(Uniform(0.2), [VOCAB, WIDTH], mstype.float32), name="V_l2"
        )
        self.dense_layer_1 = DenseLayer(FIELDS * WIDTH, 16)
        self.dense_layer_2 = DenseLayer(16, 8)
        self.dense_layer_3 = DenseLayer(8, 1, activation=False)
        self.gather = P.Gather()
        self.mul = P.Mul()
        self.reduce_sum = P.ReduceSum(keep_dims=False)
        self.reshape = P.Reshape()
        self.square = P.Square()

    def construct(self, id_hldr, wt_hldr):
        mask = self.reshape(wt_hldr, (-1, FIELDS, 1))
        linear_out = self.reduce_sum(self.mul(self.gather(self.fm_w, id_hldr, 0), mask), 1)
        vx = self.mul(self.gather(self.embedding_table, id_hldr, 0), mask)
        v1 = self.square(self.reduce_sum(vx, 1))
        v2 = self.reduce_sum(self.square(vx), 1)
        fm_out = 0.5 * self.reshape(self.reduce_sum(v1 - v2, 1), (-1, 1))
        deep_in = self.reshape(vx, (-1, FIELDS * WIDTH))
        deep_out = self.dense_layer_3(self.dense_layer_2(self.dense_layer_1(deep_in)))
        return linear_out + fm_out + deep_out, self.fm_w, self.embedding_table


class NetWithLossClass(nn.Cell):
    def __init__(self, network, l2_coef=1e-4):
        super(NetWithLossClass, self).__init__(auto_prefix=False)
        self.loss = P.SigmoidCrossEntropyWithLogits()
        self.network = network
        self.l2_coef = l2_coef
        self.square = P.Square()
        self.reduce_mean = P.ReduceMean(keep_dims=False)
        self.reduce_sum = P.ReduceSum(keep_dims=False)

    def construct(self, batch_ids, batch_wts, label):
        predict, fm_w, embedding = self.network(batch_ids, batch_wts)
        mean_log_loss = self.reduce_mean(self.loss(predict, label))
        l2_loss = self.reduce_sum(self.square(fm_w)) + self.reduce_sum(self.square(embedding))
        return mean_log_loss + self.l2_coef * l2_loss * 0.5


class TrainStepWrap(nn.Cell):
    def __init__(self, network, lr, eps, loss_scale=1000.0):
        super(TrainStepWrap, self).__init__(auto_prefix=False)
        self.network = network
        self.network.set_train()
        self.weights = ParameterTuple(network.trainable_params())
        self.optimizer = nn.Adam(self.weights, learning_rate=lr, eps=eps, loss_scale=loss_scale)
        self.hyper_map = C.HyperMap()
        self.grad = C.GradOperation(get_by_list=True, sens_param=True)
        self.sens = loss_scale

    def construct(self, batch_ids, batch_wts, label):
        weights = self.weights
        loss = self.network(batch_ids, batch_wts, label)
        sens = P.Fill()(P.DType()(loss), P.Shape()(loss), self.sens)
        grads = self.grad(self.network, weights)(batch_ids, batch_wts, label, sens)
        return F.depend(loss, self.optimizer(grads))


class PredictWithSigmoid(nn.Cell):
    def __init__(self, network):
        super(PredictWithSigmoid, self).__init__(auto_prefix=False)
        self.network = network
        self.sigmoid = P.Sigmoid()

    def construct(self, batch_ids, batch_wts, labels):
        logits, _, _ = self.network(batch_ids, batch_wts)
        return logits, self.sigmoid(logits), labels


class Calibration(nn.Metric):
    """Mean prediction and its distance from the mean label."""

    def __init__(self):
        super(Calibration, self).__init__()
        self.clear()

    def clear(self):
        self.labels, self.found = [], []

    def update(self, *inputs):
        self.found.extend(inputs[1].asnumpy().flatten())
        self.labels.extend(inputs[2].asnumpy().flatten())

    def eval(self):
        return {
            "mean": float(np.mean(self.found)),
            "gap": float(np.mean(np.square(np.subtract(self.found, self.labels)))),
        }


class EvalCallBack(Callback):
    def __init__(self, model, eval_dataset, metric):
        super(EvalCallBack, self).__init__()
        self.model = model
        self.eval_dataset = eval_dataset
        metric.clear()
        self.start_time = time.time()

    def epoch_end(self, run_context):
        out = self.model.eval(self.eval_dataset, dataset_sink_mode=False)
        print("eval", out["calibration"], time.time() - self.start_time < 600)


class LossCallBack(Callback):
    def __init__(self, per_print_times=1):
        super(LossCallBack, self).__init__()
        if not isinstance(per_print_times, int) or per_print_times < 0:
            raise ValueError("print_step must be in and >= 0.")
        self._per_print_times = per_print_times

    def step_end(self, run_context):
        cb_params = run_context.original_args()
        loss = cb_params.net_outputs.asnumpy()
        if self._per_print_times != 0 and cb_params.cur_step_num % self._per_print_times == 0:
            print(
                "epoch: {}, step: {}, loss is {}".format(
                    cb_params.cur_epoch_num, cb_params.cur_step_num, loss
                )
            )


def clicks(count):
    random = np.random.RandomState(3)
    ids = random.randint(0, VOCAB // FIELDS, (count, FIELDS)) + np.arange(FIELDS) * (VOCAB // FIELDS)
    weights = np.where(np.arange(FIELDS) < 3, random.rand(count, FIELDS), 1.0).astype(np.float32)
    taste = random.randn(VOCAB, 3)
    score = np.square((taste[ids] * weights[..., None]).sum(1)).sum(1) - 20
    label = (score + random.randn(count) > 0).astype(np.float32)[:, None]
    return ids.astype(np.int32), weights, label


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="CTR Prediction")
    parser.add_argument("--device_target", type=str, default="Ascend", choices=("Ascend", "GPU", "CPU"))
    args_opt = parser.parse_args()
    context.set_context(mode=context.GRAPH_MODE, device_target=args_opt.device_target)
    set_seed(1)
    data = ds.NumpySlicesDataset(clicks(256), column_names=["feat_ids", "feat_vals", "label"], shuffle=True)
    data = data.batch(BATCH, drop_remainder=True)
    deepfm_net = DeepFMModel()
    train_net = TrainStepWrap(NetWithLossClass(deepfm_net), lr=5e-3, eps=1e-8)
    eval_net = PredictWithSigmoid(deepfm_net)
    calibration = Calibration()
    model = Model(train_net, eval_network=eval_net, metrics={"calibration": calibration})
    callbacks = [LossCallBack(1), EvalCallBack(model, data, calibration)]
    model.train(4, data, callbacks=callbacks, dataset_sink_mode=False)
    print([(p.name, p.shape, float(p.asnumpy().std())) for p in train_net.weights])
