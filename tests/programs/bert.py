"""r1.2 style: BERT's masked words; a loss-scale train cell of its own with the NPU's overflow operators."""

import argparse

import mindspore.common.dtype as mstype
import mindspore.dataset as ds
import mindspore.nn as nn
import numpy as np
from mindspore import Tensor, context, set_seed
from mindspore.common.initializer import TruncatedNormal, initializer
from mindspore.common.parameter import Parameter
from mindspore.communication.management import get_group_size
from mindspore.context import ParallelMode
from mindspore.nn.wrap.grad_reducer import DistributedGradReducer
from mindspore.nn.wrap.loss_scale import DynamicLossScaleUpdateCell
from mindspore.ops import composite as C
from mindspore.ops import functional as F
from mindspore.ops import operations as P
from mindspore.parallel._utils import _get_parallel_mode
from mindspore.train.callback import Callback
from mindspore.train.model import Model

GRADIENT_CLIP_TYPE = 1
GRADIENT_CLIP_VALUE = 1.0
clip_grad = C.MultitypeFuncGraph("clip_grad")
grad_scale = C.MultitypeFuncGraph("grad_scale")
reciprocal = P.Reciprocal()


@clip_grad.register("Number", "Number", "Tensor")
def _clip_grad(clip_type, clip_value, grad):
    dt = F.dtype(grad)
    if clip_type == 0:
        new_grad = C.clip_by_value(
            grad, F.cast(F.tuple_to_array((-clip_value,)), dt), F.cast(F.tuple_to_array((clip_value,)), dt)
        )
    else:
        new_grad = nn.ClipByNorm()(grad, F.cast(F.tuple_to_array((clip_value,)), dt))
    return new_grad


@grad_scale.register("Tensor", "Tensor")
def tensor_grad_scale(scale, grad):
    return grad * F.cast(reciprocal(scale), F.dtype(grad))


class SelfAttention(nn.Cell):
    def __init__(self, width, heads):
        super(SelfAttention, self).__init__()
        small = TruncatedNormal(0.1)
        self.shape = (-1, 12, heads, width // heads)
        self.out_shape = (-1, width)
        self.query = nn.Dense(width, width, weight_init=small)
        self.key = nn.Dense(width, width, weight_init=small)
        self.value = nn.Dense(width, width, weight_init=small)
        self.output = nn.Dense(width, width, weight_init=small)
        self.reshape = P.Reshape()
        self.transpose = P.Transpose()
        self.matmul_trans_b = P.BatchMatMul(transpose_b=True)
        self.matmul = P.BatchMatMul()
        self.multiply = P.Mul()
        self.scores_mul = Tensor([(width // heads) ** -0.5], dtype=mstype.float32)
        self.softmax = nn.Softmax()
        self.sub = P.Sub()
        self.add = P.TensorAdd()
        self.expand_dims = P.ExpandDims()
        self.multiply_data = Tensor([-10000.0], dtype=mstype.float32)

    def construct(self, tensor, mask):
        q = self.transpose(self.reshape(self.query(tensor), self.shape), (0, 2, 1, 3))
        k = self.transpose(self.reshape(self.key(tensor), self.shape), (0, 2, 1, 3))
        v = self.transpose(self.reshape(self.value(tensor), self.shape), (0, 2, 1, 3))
        scores = self.multiply(self.scores_mul, self.matmul_trans_b(q, k))
        mask = self.expand_dims(self.expand_dims(mask, 1), 1)
        adder = self.multiply(
            self.sub(F.tuple_to_array((1.0,)), P.Cast()(mask, mstype.float32)), self.multiply_data
        )
        probs = self.softmax(self.add(adder, scores))
        context_layer = self.transpose(self.matmul(probs, v), (0, 2, 1, 3))
        return self.output(self.reshape(context_layer, self.out_shape))


class EncoderCell(nn.Cell):
    def __init__(self, width, heads):
        super(EncoderCell, self).__init__()
        self.attention = SelfAttention(width, heads)
        self.layernorm1 = nn.LayerNorm([width])
        self.intermediate = nn.Dense(width, width * 2, activation="gelu", weight_init=TruncatedNormal(0.1))
        self.output = nn.Dense(width * 2, width, weight_init=TruncatedNormal(0.1))
        self.layernorm2 = nn.LayerNorm([width])
        self.add = P.TensorAdd()

    def construct(self, tensor, mask):
        tensor = self.layernorm1(self.add(tensor, self.attention(tensor, mask)))
        return self.layernorm2(self.add(tensor, self.output(self.intermediate(tensor))))


class BertPreTraining(nn.Cell):
    """Loss over the words that were hidden."""

    def __init__(self, vocab_size, width, heads, layers):
        super(BertPreTraining, self).__init__()
        self.width = width
        self.vocab_size = vocab_size
        self.embedding_table = Parameter(
            initializer(TruncatedNormal(0.1), [vocab_size, width]), name="embedding_table"
        )
        self.position = Parameter(initializer(TruncatedNormal(0.1), [12, width]), name="position")
        self.layers = nn.CellList([EncoderCell(width, heads) for _ in range(layers)])
        self.dense = nn.Dense(width, width, weight_init=TruncatedNormal(0.1), activation="gelu")
        self.layernorm = nn.LayerNorm((width,))
        self.output_bias = Parameter(initializer("zero", vocab_size), name="output_bias")
        self.gather = P.GatherV2()
        self.matmul = P.MatMul(transpose_b=True)
        self.log_softmax = nn.LogSoftmax(axis=-1)
        self.reshape = P.Reshape()
        self.shape_flat_offsets = (-1, 1)
        self.onehot = P.OneHot()
        self.on_value = Tensor(1.0, mstype.float32)
        self.off_value = Tensor(0.0, mstype.float32)
        self.reduce_sum = P.ReduceSum()
        self.cast = P.Cast()
        self.neg = P.Neg()
        self.rng = Tensor(np.arange(8).reshape(8, 1) * 12, mstype.int32)

    def construct(self, input_ids, input_mask, positions, label_ids, label_weights):
        x = self.gather(self.embedding_table, input_ids, 0) + self.position
        x = self.reshape(x, (-1, self.width))
        for layer in self.layers:
            x = layer(x, input_mask)
        flat_position = self.reshape(positions + self.rng, (-1,))
        x = self.layernorm(self.dense(self.gather(x, flat_position, 0)))
        log_probs = self.log_softmax(self.matmul(x, self.embedding_table) + self.output_bias)
        one_hot = self.onehot(self.reshape(label_ids, (-1,)), self.vocab_size, self.on_value, self.off_value)
        weights = self.cast(self.reshape(label_weights, (-1,)), mstype.float32)
        per_example = self.neg(self.reduce_sum(log_probs * one_hot, (-1,)))
        numerator = self.reduce_sum(weights * per_example, ())
        denominator = self.reduce_sum(weights, ()) + self.cast(F.tuple_to_array((1e-5,)), mstype.float32)
        return numerator / denominator


class BertTrainOneStepWithLossScaleCell(nn.Cell):
    def __init__(self, network, optimizer, scale_update_cell=None):
        super(BertTrainOneStepWithLossScaleCell, self).__init__(auto_prefix=False)
        self.network = network
        self.network.set_grad()
        self.weights = optimizer.parameters
        self.optimizer = optimizer
        self.grad = C.GradOperation(get_by_list=True, sens_param=True)
        self.reducer_flag = False
        self.parallel_mode = _get_parallel_mode()
        if self.parallel_mode in [ParallelMode.DATA_PARALLEL, ParallelMode.HYBRID_PARALLEL]:
            self.reducer_flag = True
        self.grad_reducer = F.identity
        self.degree = 1
        if self.reducer_flag:
            self.degree = get_group_size()
            self.grad_reducer = DistributedGradReducer(optimizer.parameters, False, self.degree)
        self.is_distributed = self.parallel_mode != ParallelMode.STAND_ALONE
        self.cast = P.Cast()
        self.alloc_status = P.NPUAllocFloatStatus()
        self.get_status = P.NPUGetFloatStatus()
        self.clear_before_grad = P.NPUClearFloatStatus()
        self.reduce_sum = P.ReduceSum(keep_dims=False)
        self.base = Tensor(1, mstype.float32)
        self.less_equal = P.LessEqual()
        self.hyper_map = C.HyperMap()
        self.loss_scale = None
        self.loss_scaling_manager = scale_update_cell
        if scale_update_cell:
            self.loss_scale = Parameter(
                Tensor(scale_update_cell.get_loss_scale(), dtype=mstype.float32), name="loss_scale"
            )

    def construct(self, input_ids, input_mask, positions, label_ids, label_weights):
        weights = self.weights
        loss = self.network(input_ids, input_mask, positions, label_ids, label_weights)
        scaling_sens = self.loss_scale
        init = self.alloc_status()
        self.clear_before_grad(init)
        grads = self.grad(self.network, weights)(
            input_ids,
            input_mask,
            positions,
            label_ids,
            label_weights,
            self.cast(scaling_sens, mstype.float32),
        )
        grads = self.grad_reducer(grads)
        grads = self.hyper_map(F.partial(grad_scale, scaling_sens * self.degree), grads)
        grads = self.hyper_map(F.partial(clip_grad, GRADIENT_CLIP_TYPE, GRADIENT_CLIP_VALUE), grads)
        self.get_status(init)
        flag_sum = self.reduce_sum(init, (0,))
        cond = self.less_equal(self.base, flag_sum)
        overflow = cond
        if self.loss_scaling_manager is not None:
            overflow = self.loss_scaling_manager(self.loss_scale, cond)
        if not overflow:
            self.optimizer(grads)
        return (loss, cond, scaling_sens)


class LossCallBack(Callback):
    def step_end(self, run_context):
        cb_params = run_context.original_args()
        loss, cond, scale = cb_params.net_outputs
        print(
            "epoch: {}, step: {}, outputs are ({}, {}, {})".format(
                cb_params.cur_epoch_num,
                cb_params.cur_step_num,
                loss,
                bool(cond.asnumpy().any()),
                scale.asnumpy(),
            )
        )


def sentences(count):
    """Counting words, a fifth of them hidden behind word 1."""
    random = np.random.RandomState(8)
    for _ in range(count):
        ids = (random.randint(0, 18) + np.arange(12) * random.randint(1, 3)) % 18 + 2
        length = random.randint(9, 13)
        mask = (np.arange(12) < length).astype(np.int32)
        places = np.sort(random.choice(length, 3, replace=False)).astype(np.int32)
        hidden = ids.copy()
        hidden[places] = 1
        yield (
            hidden.astype(np.int32),
            mask,
            places,
            ids[places].astype(np.int32),
            np.array([1, 1, length > 10], np.float32),
        )


def get_lr(peak, steps):
    warmup = nn.warmup_lr(peak, 4, 1, 4)
    return warmup + nn.polynomial_decay_lr(peak, peak / 10, steps - 4, 1, steps - 4, 1.0)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="bert pre_training")
    parser.add_argument("--device_target", type=str, default="Ascend", choices=["Ascend", "GPU", "CPU"])
    args_opt = parser.parse_args()
    context.set_context(mode=context.GRAPH_MODE, device_target=args_opt.device_target, save_graphs=False)
    set_seed(6)
    columns = ["input_ids", "input_mask", "positions", "label_ids", "label_weights"]
    dataset = ds.GeneratorDataset(list(sentences(40)), columns, shuffle=True).batch(8, drop_remainder=True)
    net = BertPreTraining(20, 16, 2, 2)
    params = net.trainable_params()
    def decay_filter(x):
        return "layernorm" not in x.name.lower() and "bias" not in x.name.lower()

    decay_params = list(filter(decay_filter, params))
    other_params = list(filter(lambda x: not decay_filter(x), params))
    group_params = [
        {"params": decay_params, "weight_decay": 1e-2},
        {"params": other_params},
        {"order_params": params},
    ]
    optimizer = nn.AdamWeightDecay(group_params, learning_rate=get_lr(0.02, 20), eps=1e-6)
    update_cell = DynamicLossScaleUpdateCell(loss_scale_value=2**10, scale_factor=2, scale_window=4)
    net_with_grads = BertTrainOneStepWithLossScaleCell(
        net, optimizer=optimizer, scale_update_cell=update_cell
    )
    model = Model(net_with_grads)
    model.train(4, dataset, callbacks=[LossCallBack()], dataset_sink_mode=False)
    print(net.embedding_table.asnumpy()[2:5, :2], net.layers[1].output.weight.asnumpy().sum())
