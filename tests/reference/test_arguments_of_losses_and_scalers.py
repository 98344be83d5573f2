"""What loss scalers, some losses, distributions, clipping and drawings make of odd arguments."""

import mindspore as ms
import mindspore.nn.probability.distribution as D
import numpy as np
from mindspore import Model, Tensor, amp, mint, nn, ops
from mindspore.common.initializer import TruncatedNormal, initializer

from tests.reference.expressions import lines
from tests.reference.judge import case, data

NAMES = {"np": np, "D": D, "Model": Model, "nan": float("nan"), "nn": nn, "ops": ops, "amp": amp, "mint": mint, "ms": ms, "Tensor": Tensor, "net": nn.Dense(2, 2),
         "of": lambda *shape: Tensor(data(shape)), "target": Tensor([1, 0]), "sign": Tensor([1.0, -1.0])}

WRONG = lines("""
D.Exponential(rate=nan)
D.Exponential(rate=[None])
D.Logistic(scale=[nan])
D.Logistic(loc={})
D.Cauchy(scale=nan)
D.Cauchy(loc=["a"])
D.Poisson(rate=[nan])
D.Poisson(rate="a")
D.Geometric(probs=nan)
D.Geometric(probs=[None])
ops.clip_by_value(of(2), Tensor([0.1]), [1])
ops.clip_by_norm(["a"], 1.0)
ops.clip_by_norm([None], 1.0)
ops.clip_by_norm([1], 1.0)
ops.clip_by_norm([of(2)], {})
ops.clip_by_norm([of(2)], (1, 2))
Model(net, nn.MSELoss(), nn.SGD(net.trainable_params()), boost_level=2.5)
Model(net, nn.MSELoss(), nn.SGD(net.trainable_params()), boost_level="")
Model(net, nn.MSELoss(), nn.SGD(net.trainable_params()), boost_level=["a"])
amp.StaticLossScaler("a")
amp.StaticLossScaler(True)
amp.StaticLossScaler()
amp.StaticLossScaler(2, 3)
amp.StaticLossScaler(2).scale(1.0)
amp.StaticLossScaler(2).unscale(3)
amp.DynamicLossScaler([1], 2, 3)
amp.DynamicLossScaler(2, 2, 2).adjust(False)
amp.DynamicLossScaler(2, 2, 2).adjust(1)
amp.all_finite(Tensor([1.0]))
amp.all_finite({"a": Tensor([1.0])})
amp.all_finite(np.ones(2, "f4"))
amp.all_finite((np.ones(2, "f4"),))
ops.margin_ranking_loss(of(2), of(2), sign, False)
nn.MarginRankingLoss(margin=1)(of(2), of(2), sign)
nn.MultiMarginLoss(p=1.0)
nn.MultiMarginLoss(reduction=None)
nn.MultiMarginLoss(reduction="a")
nn.MultiMarginLoss(margin="a", reduction="a")
ops.multi_margin_loss(of(2, 3), target, 3, "a")
ops.multi_margin_loss(of(3), target, 3)
ops.multi_margin_loss(of(2, 3), target, 1, 1.0, None, "a")
mint.randperm(-1).asnumpy()
mint.randperm(3, dtype="a")
amp.build_train_network(net, nn.SGD(net.trainable_params()), loss_scale_manager=3)
""")


@case(each={"line": WRONG}, raises=True)
def test_wrong(line):
    return eval(line, NAMES)


@case
def test_lists_stay_lists():
    return amp.StaticLossScaler(2).unscale([Tensor([1.0]), Tensor([2.0])])


@case(each={"given": [(0.01, 0, 2, 3), (1, 0, 8, 9), (1, 0, -40, -39), (1, 0, 1, 1), (1, 0, 2, 1), (2, 1, 40, 41)]})
def test_normals_cut_far_out(given):
    ms.set_seed(1)
    return initializer(TruncatedNormal(*given), [50], ms.float32).init_data()


@case(raises=True)
def test_normals_without_width():
    return initializer(TruncatedNormal(0.0), [50], ms.float32).init_data()
