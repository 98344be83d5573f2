"""Two updates by each optimizer."""
import numpy as np
from mindspore import Parameter, Tensor, nn

random = np.random.RandomState(1)
VALUES = random.randn(6, 16).astype(np.float32)
GRADS = [(random.randn(6, 16) * 10.0 ** random.randint(-8, 1, (6, 16))).astype(np.float32) for _ in range(3)]


class Named(nn.Cell):
    def __init__(self, prefix):
        super().__init__()
        self.weight = Parameter(Tensor(VALUES), name=prefix + "_weight")
        self.beta = Parameter(Tensor(VALUES[0]), name=prefix + "_beta")

    def params(self):
        return [self.weight, self.beta]


MAKERS = [
    ("momentum", lambda p: nn.Momentum(p, 0.1, 0.9, weight_decay=0.1)),
    ("scaled", lambda p: nn.Momentum(p, 0.1, 0.9, weight_decay=0.1, loss_scale=8.0)),
    ("sgd", lambda p: nn.SGD(p, 0.1, momentum=0.9, dampening=0.2, weight_decay=0.01)),
    ("nesterov", lambda p: nn.SGD(p, 0.1, momentum=0.9, nesterov=True)),
    ("adam", lambda p: nn.Adam(p, 0.01, weight_decay=0.1)),
    ("adam_nesterov", lambda p: nn.Adam(p, 0.01, use_nesterov=True)),
    ("amsgrad", lambda p: nn.Adam(p, 0.01, use_amsgrad=True)),
    ("adamw", lambda p: nn.AdamWeightDecay(p, 0.01, weight_decay=0.1)),
    ("rmsprop", lambda p: nn.RMSProp(p, 0.01, momentum=0.5)),
    ("centered", lambda p: nn.RMSProp(p, 0.01, centered=True)),
    ("adagrad", lambda p: nn.Adagrad(p, learning_rate=0.01)),
    ("adamax", lambda p: nn.AdaMax(p, 0.01)),
    ("adadelta", lambda p: nn.Adadelta(p, 0.5)),
    ("rprop", lambda p: nn.Rprop(p, 0.01)),
    ("asgd", lambda p: nn.ASGD(p, 0.01, weight_decay=0.1)),
    ("proximal", lambda p: nn.ProximalAdagrad(p, learning_rate=0.01, l1=0.01, l2=0.02)),
    ("lazy", lambda p: nn.LazyAdam(p, 0.01)),
    ("cosine", lambda p: nn.SGD(p, nn.CosineDecayLR(0.01, 1.0, 4))),
    ("exponential", lambda p: nn.SGD(p, nn.ExponentialDecayLR(0.5, 0.9, 2, is_stair=False))),
    ("warmup", lambda p: nn.SGD(p, nn.WarmUpLR(0.5, 10))),
    ("polynomial", lambda p: nn.SGD(p, nn.PolynomialDecayLR(0.5, 0.01, 8, 2.0))),
    ("piecewise", lambda p: nn.SGD(p, nn.piecewise_constant_lr([1, 3], [0.5, 0.1]))),
    ("cosine_list", lambda p: nn.SGD(p, nn.cosine_decay_lr(0.01, 1.0, 6, 2, 2))),
    ("warmup_list", lambda p: nn.SGD(p, nn.warmup_lr(0.5, 6, 2, 3))),
    ("groups", lambda p: nn.Momentum([{"params": [p[0]], "lr": 0.3, "weight_decay": 0.2},
                                      {"params": [p[1]]}], 0.1, 0.9, weight_decay=0.05)),
]
for name, make in MAKERS:
    cell = Named(name)
    optimizer = make(cell.params())
    for grad in GRADS:
        optimizer((Tensor(grad), Tensor(grad[0])))
    print(name, cell.weight.asnumpy().sum())
