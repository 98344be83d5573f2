"""What users subclass: Initializer, LossBase, Metric, LearningRateSchedule, Optimizer, Callback."""
import argparse
import math

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import Parameter, Tensor, context, nn, ops
from mindspore.common.initializer import Initializer, _assignment, _calculate_fan_in_and_fan_out
from mindspore.nn.learning_rate_schedule import LearningRateSchedule
from mindspore.nn.optim.optimizer import Optimizer
from mindspore.ops import composite as C
from mindspore.ops import functional as F
from mindspore.ops import operations as P
from mindspore.train.callback import Callback, LossMonitor

parser = argparse.ArgumentParser()
parser.add_argument("--device_target", default="Ascend")
context.set_context(mode=context.GRAPH_MODE, device_target=parser.parse_args().device_target)
ms.set_seed(4)


class KaimingUniform(Initializer):
    def __init__(self, mode="fan_in", a=math.sqrt(5)):
        super(KaimingUniform, self).__init__()
        self.mode = mode
        self.gain = math.sqrt(2.0 / (1 + a**2))

    def _initialize(self, arr):
        fan_in, fan_out = _calculate_fan_in_and_fan_out(arr.shape)
        bound = math.sqrt(3.0) * self.gain / math.sqrt(fan_in if self.mode == "fan_in" else fan_out)
        np.random.seed(0)
        data = np.random.uniform(-bound, bound, arr.shape)
        _assignment(arr, data)


class AE(nn.Cell):
    def __init__(self):
        super().__init__()
        self.enc = nn.SequentialCell(
            nn.Conv2d(1, 4, 3, stride=2, pad_mode="pad", padding=1, weight_init=KaimingUniform()),
            nn.ReLU(),
            nn.Conv2d(4, 8, 3, stride=2, pad_mode="pad", padding=1, weight_init=KaimingUniform()),
        )
        self.dec = nn.SequentialCell(
            nn.Conv2dTranspose(
                8, 4, 2, stride=2, pad_mode="same", weight_init=KaimingUniform(), has_bias=True
            ),
            nn.ReLU(),
            nn.Conv2dTranspose(4, 1, 4, stride=2, pad_mode="pad", padding=1),
            nn.Sigmoid(),
        )

    def construct(self, x):
        return self.dec(self.enc(x))


class WMSE(nn.LossBase):
    def __init__(self, weight=1.0, reduction="mean"):
        super(WMSE, self).__init__(reduction)
        self.abs = ops.Abs()
        self.weight = weight

    def construct(self, base, target):
        x = self.abs(base - target) ** 2
        return self.get_loss(x, weights=self.weight)


class MAE(nn.Metric):
    def __init__(self):
        super(MAE, self).__init__()
        self.eps = 1
        self.clear()

    def clear(self):
        self._abs = 0.0
        self._n = 0

    def update(self, *inputs):
        if len(inputs) != 2:
            raise ValueError("need 2")
        y_pred = self._convert_data(inputs[0])
        y = self._convert_data(inputs[1])
        self._abs += np.abs(y.reshape(y_pred.shape) - y_pred).sum()
        self._n += y.shape[0]

    def eval(self):
        if self._n == 0:
            raise RuntimeError("no samples")
        return self._abs / self._n


class StepLr(LearningRateSchedule):
    def __init__(self, base, gamma, every):
        super().__init__()
        self.base, self.gamma, self.every = base, gamma, every
        self.cast = P.Cast()
        self.pow = P.Pow()
        self.floor = P.Floor()
        self.cos = nn.CosineDecayLR(0.0, 1.0, 30)

    def construct(self, global_step):
        s = self.cast(global_step, ms.float32)
        return self.base * self.pow(self.gamma, self.floor(s / self.every)) * self.cos(global_step)


_upd2 = C.MultitypeFuncGraph("rmom2")


@_upd2.register("Tensor", "Tensor", "Tensor", "Tensor", "Tensor")
def _run(lr, mom, p, g, m):
    success = True
    nm = F.assign(m, m * mom + g)
    success = F.depend(success, F.assign(p, p - lr * (g + nm * mom)))
    return success


class Nesterov(Optimizer):
    def __init__(self, params, learning_rate, momentum, weight_decay=0.0, loss_scale=1.0):
        super(Nesterov, self).__init__(learning_rate, params, weight_decay, loss_scale)
        if isinstance(momentum, float) and momentum < 0.0:
            raise ValueError("momentum should be at least 0.0, but got momentum {}".format(momentum))
        self.momentum = Parameter(Tensor(momentum, ms.float32), name="momentum")
        self.params = self.parameters
        self.moments = self.parameters.clone(prefix="moments", init="zeros")
        self.hyper_map = C.HyperMap()

    def construct(self, gradients):
        gradients = self.flatten_gradients(gradients) if hasattr(self, "flatten_gradients") else gradients
        gradients = self.decay_weight(gradients)
        gradients = self.scale_grad(gradients)
        lr = self.get_lr()
        self.assignadd(self.global_step, self.global_step_increase_tensor) if hasattr(
            self, "global_step_increase_tensor"
        ) else None
        if self.is_group_lr:
            success = self.hyper_map(
                F.partial(_upd2), lr, (self.momentum,) * len(lr), self.params, gradients, self.moments
            )
        else:
            success = self.hyper_map(
                F.partial(_upd2, lr, self.momentum), self.params, gradients, self.moments
            )
        return success


class History(Callback):
    def __init__(self):
        self.hist = []

    def begin(self, run_context):
        print(
            "begin",
            sorted(
                k
                for k in ("epoch_num", "batch_num", "mode", "dataset_sink_mode")
                if k in run_context.original_args()
            ),
        )

    def epoch_begin(self, run_context):
        self.losses = []

    def step_begin(self, run_context):
        pass

    def step_end(self, run_context):
        cb = run_context.original_args()
        loss = cb.net_outputs
        if isinstance(loss, (tuple, list)):
            loss = loss[0]
        if isinstance(loss, Tensor) and isinstance(loss.asnumpy(), np.ndarray):
            loss = np.mean(loss.asnumpy())
        self.losses.append(float(loss))
        if cb.cur_step_num >= 14:
            run_context.request_stop()

    def epoch_end(self, run_context):
        cb = run_context.original_args()
        print("epoch", cb.cur_epoch_num, cb.epoch_num, cb.batch_num, cb.cur_step_num, np.mean(self.losses))
        self.hist.append(np.mean(self.losses))

    def end(self, run_context):
        print("end", len(self.hist), run_context.original_args().train_network.__class__.__name__)


r = np.random.RandomState(0)
X = r.rand(20, 1, 16, 16).astype(np.float32)


class Src:
    def __getitem__(self, i):
        return X[i], X[i]

    def __len__(self):
        return 20


data = ds.GeneratorDataset(Src(), column_names=["x", "y"], shuffle=True, num_parallel_workers=1)
data = data.map(operations=[lambda a: (a - 0.0).astype(np.float32)], input_columns=["x"]).batch(5)
net = AE()
no_bias = [p for p in net.trainable_params() if len(p.shape) > 1]
bias = [p for p in net.trainable_params() if len(p.shape) == 1]
opt = Nesterov([{"params": no_bias, "weight_decay": 1e-3}, {"params": bias}], StepLr(0.5, 0.8, 4), 0.9)
print(opt.is_group, opt.is_group_lr, opt.dynamic_lr, opt.cls_name, [p.name for p in opt.get_parameters()])
h = History()
model = ms.Model(net, WMSE(0.5), opt, metrics={"mae": MAE(), "mse": nn.MSE(), "loss": nn.Loss()})
model.train(6, data, callbacks=[h, LossMonitor(3)], dataset_sink_mode=False)
print(model.eval(data, dataset_sink_mode=False))
print([(p.name, float(p.asnumpy().sum())) for p in net.trainable_params()])
opt2 = Nesterov([{"params": no_bias, "lr": 0.1}, {"params": bias, "lr": 0.05}], 0.01, 0.5)
step = nn.TrainOneStepCell(nn.WithLossCell(net, WMSE()), opt2)
step.set_train()
for i in range(3):
    print(step(Tensor(X[:4]), Tensor(X[:4])))
