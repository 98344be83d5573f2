"""What Python does in a body (prints, lists, iterators, random draws) and what its hooks do happens once,
under every gradient function and train cell.
"""
import mindspore as ms
import numpy as np

from tests.reference.judge import case, printed
from tests.reference.test_effects_everywhere import GRADIENTS, TRAIN_CELLS, Body, everywhere

SEEN = []


class Prints(Body):
    def effect(self, x, h):
        print("ran", x.shape)
        return (h * h).sum()


class Appends(Body):
    def effect(self, x, h):
        SEEN.append(h.shape)
        return (h * h).sum()


class Iterates(Body):
    def __init__(self):
        super().__init__()
        self.numbers = iter(range(1, 100))

    def effect(self, x, h):
        return (h * h).sum() * next(self.numbers)


class Counts(Body):
    def __init__(self):
        super().__init__()
        self.calls = 0

    def effect(self, x, h):
        self.calls += 1
        h[0] = float(self.calls)
        return (h * h).sum()


class DrawsInNumpy(Body):
    def effect(self, x, h):
        return (h * ms.Tensor(np.random.rand(3).astype(np.float32))).sum()


class ForwardHooked(Body):
    def __init__(self):
        super().__init__()
        self.dense.register_forward_pre_hook(lambda cell, inputs: SEEN.append(("before", len(inputs))))
        self.dense.register_forward_hook(lambda cell, inputs, output: SEEN.append(("after", output.shape)))

    def effect(self, x, h):
        return (h * self.dense(h)).sum()


class ForwardChanged(Body):
    def __init__(self):
        super().__init__()
        self.dense.register_forward_pre_hook(lambda cell, inputs: (inputs[0] * 2.0,))
        self.dense.register_forward_hook(lambda cell, inputs, output: output + 1.0)

    def effect(self, x, h):
        h[0] = 1.0
        return (h * h).sum()


def shapes(gradients):
    return [None if g is None else g.shape for g in gradients]


class BackwardHooked(Body):
    def __init__(self):
        super().__init__()
        self.bn.register_backward_hook(
            lambda cell, given, came: SEEN.append(("backward", shapes(given), shapes(came))))

    def effect(self, x, h):
        return (self.bn(h) * x).sum()


class BackwardChanged(Body):
    def __init__(self):
        super().__init__()
        self.bn.register_backward_hook(lambda cell, given, came: (given[0] * 2.0,))
        self.bn.register_backward_pre_hook(lambda cell, came: SEEN.append(shapes(came)))

    def effect(self, x, h):
        h = h * 1.0
        h[:, 0] = 0.5
        return (self.bn(h) * x).sum()


class TensorHooked(Body):
    def effect(self, x, h):
        y = h * 2.0
        y.register_hook(lambda gradient: SEEN.append(gradient.shape))
        y[0] = 0.0
        return (y * y).sum()


class WeightHooked(Body):
    def __init__(self):
        super().__init__()
        self.dense.weight.register_hook(lambda gradient: SEEN.append(gradient.shape))

    def effect(self, x, h):
        return (h * h).sum()


PYTHON = [Prints, Appends, Iterates, Counts, DrawsInNumpy, ForwardHooked, ForwardChanged, BackwardHooked,
          BackwardChanged, TensorHooked, WeightHooked]


@case(each={"kind": PYTHON})
def test_effects_of_python_happen_once(kind):
    told = {}
    for how in [*GRADIENTS, *TRAIN_CELLS, "vjp"]:
        SEEN.clear()
        found = []
        text = printed(lambda how=how, found=found: found.append(everywhere(kind, [how])))
        told[how] = found, text, list(SEEN)
    return told, float(np.random.rand())
