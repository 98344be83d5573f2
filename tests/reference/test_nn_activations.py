"""Activations as layers, operators and Primitives: values, gradients (at their kinks too), dtypes, errors."""
import mindspore as ms
import numpy as np
from mindspore import nn, ops

from tests.reference.judge import case, data
from tests.reference.test_nn_layers import total

LAYERS = {
    "ReLU": nn.ReLU, "ReLU6": nn.ReLU6, "Sigmoid": nn.Sigmoid, "Tanh": nn.Tanh, "GELU": nn.GELU,
    "GELU exact": lambda: nn.GELU(False), "SiLU": nn.SiLU, "Mish": nn.Mish, "HSwish": nn.HSwish,
    "HSigmoid": nn.HSigmoid, "ELU": nn.ELU, "ELU alpha": lambda: nn.ELU(1.0), "CELU": lambda: nn.CELU(0.7),
    "SeLU": nn.SeLU, "LeakyReLU": nn.LeakyReLU, "LeakyReLU steep": lambda: nn.LeakyReLU(1.5),
    "LogSigmoid": nn.LogSigmoid, "Softsign": nn.Softsign, "Tanhshrink": nn.Tanhshrink,
    "FastGelu": nn.FastGelu, "Hardtanh": lambda: nn.Hardtanh(-0.5, 1.0), "HShrink": nn.HShrink,
    "SoftShrink": nn.SoftShrink, "Threshold": lambda: nn.Threshold(0.1, 2.0), "Softmax": nn.Softmax,
    "Softmax 0": lambda: nn.Softmax(0), "LogSoftmax": nn.LogSoftmax, "Softmin": nn.Softmin, "GLU": nn.GLU,
    "LRN": lambda: nn.LRN(2, 1.0, 0.3, 0.6)}

OPERATORS = {
    "relu": ops.relu, "relu6": ops.relu6, "sigmoid": ops.sigmoid, "gelu": ops.gelu, "silu": ops.silu,
    "mish": ops.mish, "hardswish": ops.hardswish, "hardsigmoid": ops.hardsigmoid, "elu": ops.elu,
    "celu": ops.celu, "selu": ops.selu, "leaky_relu": ops.leaky_relu, "logsigmoid": ops.logsigmoid,
    "softsign": ops.softsign, "softplus": ops.softplus, "tanhshrink": ops.tanhshrink,
    "hardtanh": ops.hardtanh, "softshrink": ops.softshrink, "hardshrink": ops.hardshrink,
    "fast_gelu": ops.fast_gelu, "softmax": ops.softmax, "log_softmax": ops.log_softmax,
    "softmin": ops.softmin, "glu": ops.glu, "Softmax": ops.Softmax(0), "LogSoftmax": ops.LogSoftmax(0),
    "ReLU": ops.ReLU(), "ReLU6": ops.ReLU6(), "Sigmoid": ops.Sigmoid(), "GeLU": ops.GeLU(), "Elu": ops.Elu(),
    "SeLU": ops.SeLU(), "HSwish": ops.HSwish(), "HSigmoid": ops.HSigmoid(), "Mish": ops.Mish(),
    "Softplus": ops.Softplus(), "Softsign": ops.Softsign(), "FastGeLU": ops.FastGeLU(),
    "L2Normalize": ops.L2Normalize(1), "LRN": ops.LRN()}

SHAPES = {"LRN": (2, 5, 2, 3)}


def both(function, x):
    def forward(x):
        return total(function(x))

    return function(x), ms.grad(forward)(x)


# MindSpore's CPU kernel approximates tanh: it is 1 from 5 on. torch's is right to the last bit.
COARSE = {"atol": 2e-4, "rtol": 1e-3, "reason": "MindSpore's tanh is an approximation"}
CLOSE = {"atol": 1e-5, "rtol": 1e-5, "reason": "exponentials of another library"}
TANH = {"Tanh", "Mish", "Tanhshrink", "mish", "tanhshrink"}
SELU = {"SeLU", "selu"}


@case(each={"name": sorted(TANH)}, **COARSE)
def test_with_tanh(name):
    return both((LAYERS[name]() if name in LAYERS else OPERATORS[name]), ms.Tensor(data((4, 6)) * 3))


@case(each={"name": sorted(SELU)}, **CLOSE)
def test_selu(name):
    return (LAYERS[name]() if name in LAYERS else OPERATORS[name])(ms.Tensor(data((4, 6))))


@case(xfail="MindSpore's CPU gradient below 0 is 1.0507 (selu(x) + 1), not selu's derivative", **CLOSE)
def test_gradient_of_selu():
    return both(ops.selu, ms.Tensor(data((4, 6))))


@case(each={"name": [n for n in LAYERS if n not in TANH | SELU]}, **CLOSE)
def test_layer(name):
    return both(LAYERS[name](), ms.Tensor(data(SHAPES.get(name, (4, 6))) * 3))


@case(each={"name": [n for n in OPERATORS if n not in TANH | SELU]}, **CLOSE)
def test_operator(name):
    return both(OPERATORS[name], ms.Tensor(data(SHAPES.get(name, (4, 6))) * 3))


@case(each={"name": ["relu", "relu6", "leaky_relu", "hardtanh", "elu", "hardsigmoid"]})
def test_gradient_at_the_kinks(name):
    return both(OPERATORS[name], ms.Tensor(np.array([-3, -1, -0.0, 0, 1, 3, 6], np.float32)))


@case(each={"name": ["ReLU", "Sigmoid", "Tanh", "GELU", "Softmax", "LeakyReLU", "SiLU", "HSwish", "ELU",
                     "SeLU"],
            "dtype": [ms.float16, ms.float64]})
def test_dtype_is_kept(name, dtype):
    return LAYERS[name]()(ms.Tensor(data((4, 6)), dtype)).dtype


@case(each={"name": ["ReLU", "LeakyReLU", "HSwish", "HSigmoid", "SeLU"]})
def test_integers(name):
    return LAYERS[name]()(ms.Tensor(np.array([-50, -3, -1, 0, 1, 2, 4, 40], np.int32)))


@case(each={"shape": [(), (0,), (2, 0, 3)], "name": ["relu", "sigmoid", "gelu", "leaky_relu"]})
def test_scalars_and_empty_tensors(shape, name):
    if 0 in shape:
        return ops.relu(ms.Tensor(np.zeros(shape, np.float32))) if name == "relu" else None
    return OPERATORS[name](ms.Tensor(np.float32(0.7)))


@case(each={"channels": [1, 3], "shape": [(2, 3), (2, 3, 4)]})
def test_prelu(channels, shape):
    weight = ms.Tensor(data((channels,), seed=1))

    def forward(x, w):
        return total(ops.prelu(x, w))

    x = ms.Tensor(data(shape))
    return ops.prelu(x, weight), ms.grad(forward, (0, 1))(x, weight)


@case
def test_get_activation():
    names = ["softmax", "logsoftmax", "relu", "relu6", "tanh", "gelu", "fast_gelu", "elu", "sigmoid", "prelu",
             "leakyrelu", "hswish", "hsigmoid", "logsigmoid", "softshrink", "hshrink", "silu", "mish",
             "softsign"]
    return [type(nn.get_activation(n)).__name__ for n in names], nn.get_activation(None)


@case(raises=True, each={"what": ["name", "axis", "log axis", "integers", "gelu", "relu6 of doubles",
                                  "prelu list"]})
def test_errors(what):
    x = ms.Tensor(data((2, 3)))
    if what == "name":
        return nn.get_activation("foo")
    if what == "axis":
        return nn.Softmax(2)(x)
    if what == "log axis":
        return nn.LogSoftmax(-3)(x)
    if what == "integers":
        return nn.Softmax()(ms.Tensor([1, 2], ms.int32))
    if what == "gelu":
        return ops.gelu(x, "foo")
    if what == "relu6 of doubles":
        return nn.ReLU6()(ms.Tensor(data((2,)), ms.float64))
    return nn.PReLU(2, [0.1])


@case
def test_primitives_show_their_arguments():
    made = [ops.ReLU(), ops.LogSoftmax(1), ops.GeLU(), ops.Dropout(0.3), ops.LayerNorm(), ops.BatchNorm(True),
            ops.Elu(), ops.PReLU(), ops.KLDivLoss(), ops.SoftmaxCrossEntropyWithLogits(),
            ops.SparseSoftmaxCrossEntropyWithLogits(), ops.ResizeNearestNeighbor((2, 2))]
    return [repr(p) for p in made]
