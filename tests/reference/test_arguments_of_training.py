"""What loss scalers, metrics and a program's own operators refuse, and a sum in double precision."""

import mindspore as ms
from mindspore import Tensor, amp, ops
from mindspore.train import Dice, MeanSurfaceDistance, RootMeanSquareDistance

from tests.reference.judge import case, data


def measured(metric, *inputs):
    metric.clear()
    metric.update(*inputs)
    return metric.eval()


def square(x):
    return x * x


def custom(**declared):
    return ops.Custom(square, func_type="pyfunc", **declared)(Tensor(data((2,))))


X = data((2, 3))
WRONG = {
    "no window": lambda: amp.DynamicLossScaler(2.0, 2, 0),
    "a window of no int": lambda: amp.DynamicLossScaleManager(2.0, 2, 1.5),
    "a window of a bool": lambda: amp.DynamicLossScaleManager(2.0, 2, True),
    "a negative window": lambda: amp.DynamicLossScaleManager(2.0, 2, -1),
    "a number": lambda: amp.all_finite(3),
    "no gradients": lambda: amp.all_finite([]),
    "a number among them": lambda: amp.all_finite([3]),
    "None": lambda: amp.all_finite(None),
    "two inputs": lambda: measured(RootMeanSquareDistance(), X, X),
    "two inputs of another": lambda: measured(MeanSurfaceDistance(), X, X),
    "a label of an array": lambda: measured(RootMeanSquareDistance(), X, X, X),
    "no shape": lambda: custom(out_dtype=ms.float32),
    "no dtype": lambda: custom(out_shape=lambda x: x),
    "a number for a shape": lambda: custom(out_shape=3, out_dtype=ms.float32),
    "a number for a dtype": lambda: custom(out_shape=(2,), out_dtype=3),
}


@case(each={"what": list(WRONG)}, raises=True)
def test_refused(what):
    WRONG[what]()


@case(rtol=1e-13, atol=0, reason="double precision")
def test_dice():
    return measured(Dice(), Tensor(abs(X)), Tensor(abs(X[::-1].copy())))
