"""What no program would give: classes, slices, sets, numbers and arrays of numpy's among an operator's inputs, and
how MindSpore's core prints them."""

import mindspore as ms
import numpy as np
from mindspore import Tensor, nn, ops
from mindspore.experimental import optim

from tests.reference.judge import case, data
from tests.reference.test_wrong_calls import said

X = Tensor(data((2, 3)))
STRANGE = (1, True, 2.0, 1e-7, "a", b"ab", None, int, ms.float32, abs, slice(0, 2), ..., {}, {"a": 1}, {1}, range(2),
           (1, (2,)), [-3], (None,), (True, 1), 1 + 2j, np.int64(1), np.float32(2), np.bool_(True), np.array(1))


def answers(function, values):
    ms.set_context(pynative_synchronize=True)
    return [said(function, (value,), {}) for value in values]


@case(each={"name": ["Unstack", "UniformReal", "StandardLaplace"]})
def test_values_in_the_words_of_the_core(name):
    values = [v for v in STRANGE if name == "Unstack" or not isinstance(v, (tuple, list))]
    return answers(getattr(ops, name)(), values)


@case(each={"name": ["imag", "isnan", "inv", "index_fill"]})
def test_numbers_of_numpy_for_tensors_of_older_operators(name):
    """They are no Tensors, in the words for Python's numbers."""
    others = (0, Tensor([0], ms.int32), Tensor(1.0)) if name == "index_fill" else ()
    return answers(lambda v: getattr(ops, name)(v, *others), (np.int64(1), np.float32(1), np.float64("nan"),
                                                             np.bool_(True), np.array(1), np.array([1, 2])))


@case(each={"name": ["Padding", "EqualCount", "BinaryCrossEntropy", "MatrixSolve", "IOU", "SmoothL1Loss"]})
def test_arrays_for_tensors_have_no_shape(name):
    made = ops.Padding(8) if name == "Padding" else getattr(ops, name)()
    others = {"Padding": (), "BinaryCrossEntropy": (X, X)}.get(name, (X,))
    return answers(lambda v: made(v, *others), (np.ones(2, np.float32), np.array([0, 1]), np.array(1)))


@case(each={"name": ["LinearLR", "CosineAnnealingWarmRestarts", "CyclicLR", "ReduceLROnPlateau", "StepLR"]})
def test_schedules_of_strange_things(name):
    cls = getattr(optim.lr_scheduler, name)
    others = {"CosineAnnealingWarmRestarts": (2,), "CyclicLR": (0.1, 0.2), "StepLR": (2,)}.get(name, ())
    sgd = optim.SGD(nn.Dense(2, 3).trainable_params(), 0.1)
    strange = [v for v in STRANGE if not isinstance(v, np.ndarray)]
    named = {"CosineAnnealingWarmRestarts": "T_mult", "CyclicLR": "mode", "ReduceLROnPlateau": "factor",
             "StepLR": "gamma", "LinearLR": "total_iters"}[name]
    wrong = [v for v in (Tensor, ms.float32, None, "a", (1, 2), slice(1), {}) if v != "a" or named != "total_iters"]
    return answers(lambda v: cls(v, *others), strange), answers(lambda v: cls(sgd, *others, **{named: v}), wrong)


@case(each={"name": ["equal", "greater", "less_equal"]})
def test_numbers_of_numpy_beside_arrays(name):
    import mindspore.numpy as mnp

    return answers(lambda v: getattr(mnp, name)(X, v), (np.int64(1), np.float32(2), np.bool_(True), np.float64(0.5)))


class Nameless(nn.Cell):
    @ms.jit
    def construct(this, x):
        return x + 1


@case()
def test_a_marked_method_that_takes_no_self():
    return answers(Nameless(), (X,))


@case()
def test_sizes_of_random_numbers():
    return [answers(f, ("x", 1.5, {}, slice(1), ...)) for f in (ops.rand, ops.randn)], \
        said(Tensor.from_numpy, (np.ones(2), 1), {}), said(ms.from_numpy, (np.ones(2), 1), {})
