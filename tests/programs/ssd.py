"""r1.3 style: boxes around bright rectangles; default boxes, focal loss, smooth L1, its own train cell."""

import argparse
import itertools

import mindspore
import mindspore.common.dtype as mstype
import mindspore.dataset as de
import mindspore.nn as nn
import numpy as np
from mindspore import Tensor, context
from mindspore.common.initializer import initializer
from mindspore.communication.management import get_group_size, get_rank, init
from mindspore.context import ParallelMode
from mindspore.ops import composite as C
from mindspore.ops import functional as F
from mindspore.ops import operations as P
from mindspore.parallel._auto_parallel_context import auto_parallel_context
from mindspore.train import Model
from mindspore.train.callback import LossMonitor

NUM_CLASSES = 3
STEPS = (8, 4)
SCALES = (0.3, 0.6)


def default_boxes():
    """Centre, height and width of two boxes in every place of both grids."""
    boxes = []
    for grid, scale in zip(STEPS, SCALES):
        for i, j in itertools.product(range(grid), repeat=2):
            for h, w in ((scale, scale), (scale * 1.3, scale / 1.3)):
                boxes.append([(i + 0.5) / grid, (j + 0.5) / grid, h, w])
    return np.array(boxes, dtype="float32")


DEFAULT = default_boxes()
CORNERS = np.concatenate([DEFAULT[:, :2] - DEFAULT[:, 2:] / 2, DEFAULT[:, :2] + DEFAULT[:, 2:] / 2], axis=1)


def ssd_bboxes_encode(box, label):
    """Offsets and class for every default box from one true box (ymin, xmin, ymax, xmax)."""
    low = np.maximum(CORNERS[:, :2], box[:2])
    high = np.minimum(CORNERS[:, 2:], box[2:])
    inter = np.prod(np.maximum(high - low, 0), axis=1)
    union = np.prod(CORNERS[:, 2:] - CORNERS[:, :2], axis=1) + np.prod(box[2:] - box[:2]) - inter
    jaccard = inter / union
    positive = jaccard > 0.4
    positive[jaccard.argmax()] = True
    centre, size = (box[:2] + box[2:]) / 2, box[2:] - box[:2]
    loc = np.zeros((len(DEFAULT), 4), np.float32)
    loc[:, :2] = (centre - DEFAULT[:, :2]) / DEFAULT[:, 2:] / 0.1
    loc[:, 2:] = np.log(size / DEFAULT[:, 2:]) / 0.2
    loc[~positive] = 0
    return loc, np.where(positive, label, 0).astype(np.int32), np.array([positive.sum()], np.int32)


def _bn(channel):
    return nn.BatchNorm2d(channel, eps=1e-3, momentum=0.97, gamma_init=1, beta_init=0)


def _conv2d(in_channel, out_channel, kernel_size=3, stride=1):
    return nn.Conv2d(
        in_channel,
        out_channel,
        kernel_size=kernel_size,
        stride=stride,
        padding=0,
        pad_mode="same",
        has_bias=True,
        weight_init="XavierUniform",
    )


class FlattenConcat(nn.Cell):
    def __init__(self, num_default):
        super(FlattenConcat, self).__init__()
        self.num_ssd_boxes = num_default
        self.concat = P.Concat(axis=1)
        self.transpose = P.Transpose()

    def construct(self, inputs):
        output = ()
        batch_size = F.shape(inputs[0])[0]
        for x in inputs:
            x = self.transpose(x, (0, 2, 3, 1))
            output += (F.reshape(x, (batch_size, -1)),)
        res = self.concat(output)
        return F.reshape(res, (batch_size, self.num_ssd_boxes, -1))


class MultiBox(nn.Cell):
    def __init__(self, channels, num_default):
        super(MultiBox, self).__init__()
        self.multi_loc_layers = nn.layer.CellList([_conv2d(c, 2 * 4) for c in channels])
        self.multi_cls_layers = nn.layer.CellList([_conv2d(c, 2 * NUM_CLASSES) for c in channels])
        self.flatten_concat = FlattenConcat(num_default)

    def construct(self, inputs):
        loc_outputs = ()
        cls_outputs = ()
        for i in range(len(self.multi_loc_layers)):
            loc_outputs += (self.multi_loc_layers[i](inputs[i]),)
            cls_outputs += (self.multi_cls_layers[i](inputs[i]),)
        return self.flatten_concat(loc_outputs), self.flatten_concat(cls_outputs)


class SSD(nn.Cell):
    def __init__(self):
        super(SSD, self).__init__()
        self.block1 = nn.SequentialCell(_conv2d(1, 8, stride=2), _bn(8), nn.ReLU())
        self.block2 = nn.SequentialCell(_conv2d(8, 16, stride=2), _bn(16), nn.ReLU())
        self.extra = nn.SequentialCell(_conv2d(16, 16, stride=2), _bn(16), nn.ReLU())
        self.multi_box = MultiBox([16, 16], len(DEFAULT))

    def construct(self, x):
        feature = self.block2(self.block1(x))
        return self.multi_box((feature, self.extra(feature)))


class SigmoidFocalClassificationLoss(nn.Cell):
    def __init__(self, gamma=2.0, alpha=0.75):
        super(SigmoidFocalClassificationLoss, self).__init__()
        self.sigmiod_cross_entropy = P.SigmoidCrossEntropyWithLogits()
        self.sigmoid = P.Sigmoid()
        self.pow = P.Pow()
        self.onehot = P.OneHot()
        self.on_value = Tensor(1.0, mstype.float32)
        self.off_value = Tensor(0.0, mstype.float32)
        self.gamma = gamma
        self.alpha = alpha

    def construct(self, logits, label):
        label = self.onehot(label, F.shape(logits)[-1], self.on_value, self.off_value)
        sigmiod_cross_entropy = self.sigmiod_cross_entropy(logits, label)
        sigmoid = self.sigmoid(logits)
        label = F.cast(label, mstype.float32)
        p_t = label * sigmoid + (1 - label) * (1 - sigmoid)
        modulating_factor = self.pow(1 - p_t, self.gamma)
        alpha_weight_factor = label * self.alpha + (1 - label) * (1 - self.alpha)
        return modulating_factor * alpha_weight_factor * sigmiod_cross_entropy


class SSDWithLossCell(nn.Cell):
    def __init__(self, network):
        super(SSDWithLossCell, self).__init__()
        self.network = network
        self.greater = P.Greater()
        self.tile = P.Tile()
        self.reduce_sum = P.ReduceSum()
        self.expand_dims = P.ExpandDims()
        self.class_loss = SigmoidFocalClassificationLoss(2.0, 0.75)
        self.loc_loss = nn.SmoothL1Loss()

    def construct(self, x, gt_loc, gt_label, num_matched_boxes):
        pred_loc, pred_label = self.network(x)
        mask = F.cast(self.greater(gt_label, 0), mstype.float32)
        num_matched_boxes = self.reduce_sum(F.cast(num_matched_boxes, mstype.float32))
        mask_loc = self.tile(self.expand_dims(mask, -1), (1, 1, 4))
        smooth_l1 = self.loc_loss(pred_loc, gt_loc) * mask_loc
        loss_loc = self.reduce_sum(F.reduce_mean(smooth_l1, -1), -1)
        loss_cls = self.class_loss(pred_label, gt_label)
        loss_cls = self.reduce_sum(loss_cls, (1, 2))
        return self.reduce_sum((loss_cls + loss_loc) / num_matched_boxes)


grad_scale = C.MultitypeFuncGraph("grad_scale")


@grad_scale.register("Tensor", "Tensor")
def tensor_grad_scale(scale, grad):
    return grad * P.Reciprocal()(scale)


class TrainingWrapper(nn.Cell):
    def __init__(self, network, optimizer, sens=1.0, use_global_norm=True):
        super(TrainingWrapper, self).__init__(auto_prefix=False)
        self.network = network
        self.network.set_grad()
        self.weights = mindspore.ParameterTuple(network.trainable_params())
        self.optimizer = optimizer
        self.grad = C.GradOperation(get_by_list=True, sens_param=True)
        self.sens = sens
        self.reducer_flag = False
        self.grad_reducer = None
        self.use_global_norm = use_global_norm
        self.parallel_mode = context.get_auto_parallel_context("parallel_mode")
        if self.parallel_mode in [ParallelMode.DATA_PARALLEL, ParallelMode.HYBRID_PARALLEL]:
            self.reducer_flag = True
        if self.reducer_flag:
            mean = context.get_auto_parallel_context("gradients_mean")
            degree = get_group_size() if auto_parallel_context().get_device_num_is_set() else 1
            self.grad_reducer = nn.DistributedGradReducer(optimizer.parameters, mean, degree)
        self.hyper_map = C.HyperMap()

    def construct(self, *args):
        weights = self.weights
        loss = self.network(*args)
        sens = P.Fill()(P.DType()(loss), P.Shape()(loss), self.sens)
        grads = self.grad(self.network, weights)(*args, sens)
        if self.reducer_flag:
            grads = self.grad_reducer(grads)
        if self.use_global_norm:
            grads = self.hyper_map(F.partial(grad_scale, F.scalar_to_tensor(self.sens)), grads)
            grads = C.clip_by_global_norm(grads, clip_norm=10.0)
        self.optimizer(grads)
        return loss


def pictures(count):
    random = np.random.RandomState(5)
    for _ in range(count):
        height, width = random.randint(8, 18, 2)
        y, x = random.randint(0, 32 - height), random.randint(0, 32 - width)
        image = random.rand(1, 32, 32).astype(np.float32)
        label = random.randint(1, NUM_CLASSES)
        image[0, y : y + height, x : x + width] += 1.5 if label == 1 else -1.5
        box = np.array([y, x, y + height, x + width], np.float32) / 32
        yield (image, *ssd_bboxes_encode(box, label))


def create_ssd_dataset(batch_size, rank=0, device_num=1):
    data = de.GeneratorDataset(
        list(pictures(24)),
        ["image", "box", "label", "num"],
        shuffle=True,
        num_shards=device_num,
        shard_id=rank,
    )
    return data.batch(batch_size, drop_remainder=True)


def main():
    parser = argparse.ArgumentParser(description="SSD training")
    parser.add_argument("--run_platform", type=str, default="Ascend", choices=("Ascend", "GPU", "CPU"))
    parser.add_argument("--distribute", action="store_true")
    args_opt = parser.parse_args()
    mindspore.set_seed(3)
    context.set_context(mode=context.GRAPH_MODE, device_target=args_opt.run_platform)
    rank, device_num = 0, 1
    if args_opt.distribute:
        init()
        rank, device_num = get_rank(), get_group_size()
        context.set_auto_parallel_context(
            parallel_mode=ParallelMode.DATA_PARALLEL, gradients_mean=True, device_num=device_num
        )
    dataset = create_ssd_dataset(6, rank, device_num)
    net = SSDWithLossCell(SSD())
    for param in net.get_parameters():
        if "bias" in param.name and "cls" in param.name:
            param.set_data(initializer(-1.5, param.data.shape, param.data.dtype))
    lr = Tensor(np.linspace(0.02, 0.08, 24).astype(np.float32))
    opt = nn.Momentum(filter(lambda x: x.requires_grad, net.get_parameters()), lr, 0.9, 1.5e-4, 1.0)
    net = TrainingWrapper(net, opt, 1.0)
    Model(net).train(6, dataset, callbacks=[LossMonitor()], dataset_sink_mode=False)
    print(net.network.network.multi_box.multi_loc_layers[0].bias.asnumpy())


if __name__ == "__main__":
    main()
