"""One Cell for each loss."""
import mindspore as ms
import numpy as np
from mindspore import Tensor, nn

ms.set_seed(2)
random = np.random.RandomState(2)
INPUT = random.randn(8, 5).astype(np.float32)
TARGET = random.rand(8, 5).astype(np.float32)
LABEL = random.randint(0, 5, 8).astype(np.int32)


class Losses(nn.Cell):
    def __init__(self):
        super().__init__()
        self.dense = nn.Dense(5, 5)
        self.mse = nn.MSELoss()
        self.l1 = nn.L1Loss()
        self.mae = nn.MAELoss("sum")
        self.rmse = nn.RMSELoss()
        self.smooth = nn.SmoothL1Loss()
        self.smooth_beta = nn.SmoothL1Loss(beta=0.5, reduction="mean")
        self.huber = nn.HuberLoss(delta=0.7)
        self.softmax = nn.SoftmaxCrossEntropyWithLogits()
        self.sparse = nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")
        self.ce = nn.CrossEntropyLoss(label_smoothing=0.1, weight=Tensor(TARGET[0] + 0.5))
        self.ce_ignore = nn.CrossEntropyLoss(ignore_index=2)
        self.nll = nn.NLLLoss()
        self.bce = nn.BCELoss()
        self.bcel = nn.BCEWithLogitsLoss(pos_weight=Tensor(TARGET[1] + 0.5))
        self.kl = nn.KLDivLoss()
        self.kl_batch = nn.KLDivLoss("batchmean")
        self.cosine = nn.CosineEmbeddingLoss(margin=0.2)
        self.hinge = nn.HingeEmbeddingLoss()
        self.poisson = nn.PoissonNLLLoss()
        self.gauss = nn.GaussianNLLLoss()
        self.dice = nn.DiceLoss(smooth=1e-5)
        self.focal = nn.FocalLoss(gamma=2.0, reduction="mean")
        self.margin_ranking = nn.MarginRankingLoss(0.3)
        self.logsoftmax = nn.LogSoftmax()
        self.sigmoid = nn.Sigmoid()

    def construct(self, x, target, label, sign):
        y = self.dense(x)
        soft, prob = self.logsoftmax(y), self.sigmoid(y)
        total = self.softmax(y, target).sum() + self.smooth(y, target).sum()
        for cell in (self.mse, self.l1, self.mae, self.rmse, self.smooth_beta, self.huber):
            total += cell(y, target)
        for cell in (self.sparse, self.ce, self.ce_ignore):
            total += cell(y, label)
        total += self.nll(soft, label) + self.bce(prob, target) + self.bcel(y, target)
        total += self.kl(soft, target) + self.kl_batch(soft, target)
        total += self.cosine(y, target, sign[:, 0]) + self.hinge(y, sign)
        total += self.poisson(y, target) + self.gauss(y, target, prob) + self.dice(prob, target)
        total += self.margin_ranking(y, target, sign) + self.focal(y, target)
        return total


network = Losses()
network.set_train()
optimizer = nn.SGD(network.trainable_params(), 0.05)
step = ms.value_and_grad(network, None, optimizer.parameters)
sign = Tensor(np.where(TARGET > 0.5, 1, -1).astype(np.float32))
for _ in range(2):
    loss, gradients = step(Tensor(INPUT), Tensor(TARGET), Tensor(LABEL), sign)
    optimizer(gradients)
    print(loss)
