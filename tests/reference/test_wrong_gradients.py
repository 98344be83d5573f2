"""Gradients that optimizers do not take, in the words of MindSpore's graphs of them."""

import mindspore as ms
import numpy as np
from mindspore import Parameter, Tensor, nn

from tests.reference.judge import case
from tests.reference.test_wrong_calls import T, told

MORE = {"Momentum": {"momentum": 0.9}}
MAPS = ["Adam", "AdaMax", "LazyAdam", "FTRL", "Adagrad", "ProximalAdagrad"]
HYPER_MAPS = ["SGD", "Momentum", "RMSProp", "AdamWeightDecay"]


def optimizer(name, **settings):
    parameters = [Parameter(T(3, 4), name="a"), Parameter(T(4), name="b")]
    return getattr(nn, name)(parameters, learning_rate=0.1, **MORE.get(name, {}), **settings)


def refused(name, *gradients, **settings):
    return told(*((optimizer(name, **settings), g) for g in gradients))


@case(each={"name": [*MAPS, *HYPER_MAPS]})
def test_of_another_number_or_shape(name):
    a, b = T(3, 4), T(4)
    found = refused(name, [a, b], (a,), (a, b, b), {}, (a.asnumpy(), b), (a, b))
    return found if name == "SGD" else found + refused(name, (b, a), (T(3, 5), b), (T(1, 3, 4), b), (a, T()))


@case(each={"name": ["SGD", "Momentum", "Adam", "RMSProp", "AdaMax"]})
def test_beside_weight_decay(name):
    a, b = T(3, 4), T(4)
    wrong = [(a.astype(d), b) for d in (ms.float16, ms.int32, ms.float64, ms.bool_, ms.complex64)]
    return refused(name, None, 1, a, ("a", b), (None, b), (a, b), (b, a), (T(3, 5), b), *wrong, weight_decay=0.1)


@case(each={"name": ["SGD", "RMSProp", "Adam", "AdamWeightDecay"]})
def test_of_another_dtype(name):
    dtypes = (ms.float16, ms.int32, ms.float64, ms.bool_, ms.int8)
    return refused(name, *((T(3, 4).astype(d), T(4)) for d in dtypes))


@case(each={"name": ["Adam", "SGD", "Lamb"]})
def test_of_another_count_of_arguments(name):
    gradients = (T(3, 4), T(4))
    made = optimizer(name)
    return told((made,), (made, gradients, 1), (made, *gradients), (lambda g: made(grads=g), gradients),
                (lambda g: made(g, wrong=1), gradients))


@case()
def test_a_word_for_a_rate():
    return told((lambda: nn.SGD([Parameter(T(2), name="a")], learning_rate="wrong"),),
                (lambda: nn.SGD([Parameter(Tensor(np.ones(2, np.float32)), name="a")], learning_rate=None),))
