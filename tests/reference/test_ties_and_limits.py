"""Results and gradients where elements tie, where a function has a kink, and where float16 overflows."""
import mindspore as ms
import numpy as np
from mindspore import mint, nn, ops

from tests.reference.judge import case

F16, F32 = ms.float16, ms.float32


def tied(*shape):
    return np.random.RandomState(len(shape)).randint(0, 4, shape).astype(np.float32)


LENGTHS = [(1, 1), (3, 1), (4, 2), (5, 2), (5, 3), (8, 4), (9, 4), (17, 5), (33, 16), (64, 40), (300, 9), (2000, 30)]


@case(each={"ordered": [True, False]})
def test_places_of_tied_elements(ordered):
    largest = ops.TopK(sorted=ordered)
    return [(largest(ms.Tensor(tied(2, n)), k), largest(ops.zeros(n, F32), k)[1]) for n, k in LENGTHS]


FORMS = {
    "ops.topk": lambda x: [ops.topk(x, 3), ops.topk(x, 3, largest=False), ops.topk(x, 2, 0),
                           ops.topk(x, 3, 1, False, False), ops.topk(x, 6, sorted=False)],
    "ops.top_k": lambda x: [ops.top_k(x, 3), ops.top_k(x, 7), ops.top_k(x, 3, False)],
    "Tensor.topk": lambda x: [x.topk(3), x.topk(3, largest=False), x.topk(2, 0), x.topk(6, sorted=False)],
    "Tensor.top_k": lambda x: [x.top_k(3), x.top_k(3, False)],
}


@case(each={"form": list(FORMS), "dtype": [F32, F16, ms.int32]})
def test_forms_of_topk_of_tied_elements(form, dtype):
    return FORMS[form](ms.Tensor(tied(6, 11), dtype))


@case(each={"dtype": [F32, F16]}, mode="BOTH")
def test_gradients_of_tied_elements(dtype):
    def largest(x):
        return (ops.topk(x, 2)[0] * weights).sum()

    def smallest(x):
        return (ops.topk(x, 3, largest=False)[0].sum(0) * x[0, 0]).sum()

    weights = ms.Tensor([[1, 2]], dtype)
    x = ms.Tensor([[1, 3, 3, 3, 0], [0, 0, 0, 0, 0]], dtype)
    return ms.grad(largest)(x), ms.grad(smallest)(x)


@case(each={"dtype": [F32, F16]}, mode="BOTH")
def test_gradients_at_the_kinks_of_hardswish(dtype):
    def function(x):
        return ops.hardswish(x).sum()

    def primitive(x):
        return ops.HSwish()(x).sum()

    def mint_function(x):
        return mint.nn.functional.hardswish(x).sum()

    cell, x = nn.HSwish(), ms.Tensor([-4, -3.0, -2.5, 0, 2.5, 3.0, 4], dtype)

    def layer(x):
        return cell(x).sum()

    return ms.grad(function)(x), ms.grad(primitive)(x), ms.grad(mint_function)(x), ms.grad(layer)(x)


POWERS = {
    "ops.pow": lambda x: ops.pow(x, 0), "ops.pow float": lambda x: ops.pow(x, 0.0), "**": lambda x: x ** 0,
    "** float": lambda x: x ** 0.0, "Pow": lambda x: ops.Pow()(x, 0), "Tensor.pow": lambda x: x.pow(0),
    "float_power": lambda x: ops.float_power(x, 0), "** zeros": lambda x: x ** ms.Tensor([0.0, 0, 0, 0]),
    "** zero": lambda x: x ** ms.Tensor(0.0), "** one": lambda x: x ** 1, "** half": lambda x: x ** 0.5,
    "** minus one": lambda x: x ** -1, "zero **": lambda x: 0 ** x, "mint.pow": lambda x: mint.pow(x, 0),
    "mint.pow float": lambda x: mint.pow(x, 0.0), "mint.pow zero": lambda x: mint.pow(x, ms.Tensor(0.0)),
    "mint.float_power": lambda x: mint.float_power(x, 0), "numpy.power": lambda x: ms.numpy.power(x, 0),
    "ops.float_power zeros": lambda x: ops.float_power(x, ms.Tensor([0.0, 0, 0, 0])),
    "zeros **": lambda x: ops.pow(ms.Tensor([0.0, 0, 0, 0]), x),
    "mixed": lambda x: ops.pow(x, ms.Tensor([0.0, 1, 0, 2])),
}


@case(each={"form": list(POWERS), "dtype": [F32, F16]})
def test_gradient_of_a_power_at_zero(form, dtype):
    def total(x):
        return POWERS[form](x).sum()

    return ms.grad(total)(ms.Tensor([0.0, 1, 2, -1], dtype))


@case(mode="BOTH")
def test_gradients_towards_base_and_exponent():
    def power(x, y):
        return (x ** y).sum()

    def squares(x):
        return (x ** 0 + x ** 2).sum()

    def slope(x):
        return ms.grad(squares)(x).sum()

    x, y = ms.Tensor([0.0, 0, 2, 3]), ms.Tensor([0.0, 1, 0, 2])
    return ms.grad(power, (0, 1))(x, y), ms.grad(squares)(x), ms.grad(slope)(x)


OPTIMIZERS = {
    "Adagrad": ("Adagrad", {}),
    "RMSProp": ("RMSProp", {}), "RMSProp, moving": ("RMSProp", {"momentum": 0.9}),
    "RMSProp, centered": ("RMSProp", {"centered": True}),
    "RMSProp, centered, moving": ("RMSProp", {"centered": True, "momentum": 0.9, "decay": 0.5}),
    "RMSProp, scaled": ("RMSProp", {"loss_scale": 1024.0}),
}


@case(each={"optimizer": list(OPTIMIZERS), "dtype": [F32, F16]})
def test_steps_of_large_gradients(optimizer, dtype):
    name, settings = OPTIMIZERS[optimizer]
    found = []
    for size in (1e-3, 1.0, 255.0, 300.0, 1e3, 6e4):
        weight = ms.Parameter(ms.Tensor([1, -1, 0.5], dtype), name="w")
        step = getattr(nn, name)([weight], learning_rate=0.1, **settings)
        for _ in range(3):
            step((ms.Tensor([size, -size, size / 2], dtype),))
            found.append(weight.asnumpy().copy())
        found.append([p.asnumpy().copy() for p in step.get_parameters() if p.name.endswith(".w")])
    return found


@case(each={"kernel": [2, 3], "strides": [1, 2], "mode": ["same", "valid"]})
def test_places_of_maxima_do_not_count_padding(kernel, strides, mode):
    x = ms.Tensor(-np.abs(np.random.RandomState(7).randn(2, 2, 6, 6).astype(np.float32)))
    return ops.operations.MaxPoolWithArgmax(kernel_size=kernel, strides=strides, pad_mode=mode)(x)
