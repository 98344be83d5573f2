"""Optimizers whose Parameters get another dtype, or other content, after they were made."""
import mindspore as ms
from mindspore import nn

from tests.reference.judge import case
from tests.reference.networks import t

MADE = {
    "SGD": lambda p: nn.SGD(p, 0.1), "heavy SGD": lambda p: nn.SGD(p, 0.1, momentum=0.9),
    "Momentum": lambda p: nn.Momentum(p, 0.1, 0.9), "Adam": lambda p: nn.Adam(p, 0.1),
    "AdamWeightDecay": lambda p: nn.AdamWeightDecay(p, 0.1, weight_decay=0.1),
    "Adagrad": lambda p: nn.Adagrad(p, learning_rate=0.1), "AdaMax": lambda p: nn.AdaMax(p, 0.1),
    "Adadelta": lambda p: nn.Adadelta(p, 0.1), "FTRL": lambda p: nn.FTRL(p, learning_rate=0.1),
    "ProximalAdagrad": lambda p: nn.ProximalAdagrad(p, learning_rate=0.1),
    "RMSProp": lambda p: nn.RMSProp(p, 0.1), "Lamb": lambda p: nn.Lamb(p, 0.1),
}
SLOPES = [3.0, 18.0, 5.0], [3.0, 9.0, -5.0]


def cast_then_stepped(optimizer, dtype, which):
    """Two steps of two Parameters, of which the first, or both, were cast after the optimizer was made."""
    params = [ms.Parameter(t(1.0, 2.0, 3.0), name="w"), ms.Parameter(t(0.5, 0.5, 0.5), name="b")]
    opt = MADE[optimizer](params)
    for p in params[:which]:
        p.set_dtype(dtype)
    for _ in range(2):
        opt(tuple(ms.Tensor(g, p.dtype) for g, p in zip(SLOPES, params, strict=True)))
    return params


@case(each=[{"optimizer": o, "which": n} for o in ("SGD", "heavy SGD", "Adam", "AdamWeightDecay") for n in (1, 2)],
      mode="BOTH")
def test_a_cast_after_the_optimizer_was_made(optimizer, which):
    return cast_then_stepped(optimizer, ms.float16, which)


@case(each={"optimizer": ["Momentum", "Adagrad", "AdaMax", "Adadelta", "FTRL", "ProximalAdagrad"],
            "dtype": [ms.float16, ms.float64]}, raises=True)
def test_a_cast_that_the_update_cannot_write(optimizer, dtype):
    cast_then_stepped(optimizer, dtype, 2)


@case(each={"optimizer": ["RMSProp", "Lamb"], "dtype": [ms.float16, ms.float64]},
      raises="the input type must be same")
def test_a_cast_where_the_update_takes_one_dtype(optimizer, dtype):
    cast_then_stepped(optimizer, dtype, 2)


@case(mode="BOTH", raises=True)
def test_ftrl_takes_no_halves():
    params = [ms.Parameter(ms.Tensor([1.0, 2.0, 3.0], ms.float16), name="w")]
    nn.FTRL(params, learning_rate=0.1)((ms.Tensor(SLOPES[0], ms.float16),))


@case(each={"optimizer": [one for one in MADE if one != "Lamb"], "dtype": [ms.int64, ms.bool_]})
def test_parameters_of_integers(optimizer, dtype):
    params = [ms.Parameter(t(1.0, 2.0), name="w"), ms.Parameter(ms.Tensor([1, 2], dtype), name="i")]
    try:
        MADE[optimizer](params)((t(1.0, 2.0), ms.Tensor([1, 1], dtype)))
    except TypeError:
        return "refused"


class Squares(nn.Cell):
    def __init__(self):
        super().__init__()
        self.w = ms.Parameter(t(1.0, 2.0, 3.0), name="w")
        self.b = ms.Parameter(t(0.5, 0.5, 0.5), name="b")

    def construct(self, x):
        return ((self.w * x + self.b) ** 2).sum()


@case(each={"data": [[5.0, 5.0, 5.0], [1, 2, 3]]}, judge="GRAPH",
      reason="PyNative's compiled step goes on writing into the memory that set_data replaced")
def test_a_weight_that_got_other_content_goes_on_training(data):
    net = Squares()
    step = nn.TrainOneStepCell(net, nn.Momentum(net.trainable_params(), 0.1, 0.9))
    x = t(1.0, 2.0, -1.0)
    first = step(x)
    net.w.set_data(ms.Tensor(data))
    return first, [step(x) for _ in range(3)], net.w, net.b
