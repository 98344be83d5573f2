"""What MindSpore documents, where its CPU kernels compute something else (../../departures.tsv) in programs
that train: else one known kernel would hide all that comes after it.

Graph mode compiles functions of this file: MindSpore's names have to be its globals.
"""

from __future__ import annotations

import functools

from mindspore import dtype as mstype
from mindspore import nn, ops
from mindspore.ops import constexpr

from .places import class_around, module_of, replace, report_adaptation

_SELU = ("the gradient of SeLU below 0 is that of its formula: the CPU kernel's belongs to another alpha "
         "(a known departure)")
_MISH = ("the gradient of Mish from about 2.5 on is that of its formula: the CPU kernel's is up to 8e-4 off "
         "(a known departure)")
_ALPHA, _SCALE = 1.6732632423543772, 1.0507009873554805
_selu_kernel, _mish_kernel = ops.operations.SeLU(), ops.operations.Mish()


def adapt():
    """Adapt Momentum's ``use_nesterov``, RMSProp's epsilon and the gradients of SeLU and Mish."""
    _momentum()
    _rmsprop()
    _gradients()


def _momentum():
    original = nn.Momentum.__init__

    @functools.wraps(original)
    def __init__(self, *args, **kwargs):
        original(self, *args, **kwargs)
        if self.use_nesterov:
            report_adaptation("Momentum", "nn.Momentum(use_nesterov=True) takes the documented step; the CPU "
                              "kernel ignores it (a known departure)")
            self.opt = nesterov

    nn.Momentum.__init__ = __init__


def nesterov(weight, moment, rate, gradient, momentum):
    """The documented step of ``ApplyMomentum(use_nesterov=True)``."""
    moved = moment * momentum + gradient
    written = ops.assign(moment, moved)
    step = ops.depend(rate * (gradient + momentum * moved), written)
    return ops.assign(weight, weight - step)


def _rmsprop():
    original = nn.RMSProp.__init__

    @functools.wraps(original)
    def __init__(self, *args, **kwargs):
        original(self, *args, **kwargs)
        if not self.centered:
            report_adaptation("RMSProp", "nn.RMSProp takes the documented step, epsilon inside the root; the "
                              "CPU kernel adds it to the root (a known departure)")
            self.opt = root_of_sum

    nn.RMSProp.__init__ = __init__


def root_of_sum(weight, squares, moment, rate, gradient, decay, momentum, epsilon):
    """The documented step of ``ApplyRMSProp``, in float32 as the kernel's."""
    slope = ops.cast(gradient, mstype.float32)
    found = ops.cast(squares, mstype.float32) * decay + (1 - decay) * slope * slope
    moved = ops.cast(moment, mstype.float32) * momentum + rate * slope / ops.sqrt(found + epsilon)
    written = ops.assign(squares, ops.cast(found, squares.dtype))
    written = ops.depend(ops.assign(moment, ops.cast(moved, moment.dtype)), written)
    step = ops.depend(moved, written)
    return ops.assign(weight, ops.cast(ops.cast(weight, mstype.float32) - step, weight.dtype))


def _gradients():
    from mindspore.ops import operations as P

    functions = module_of("mindspore.ops.function.nn_func")
    replace(P.SeLU, class_around("SeLU", selu, _SELU))
    replace(P.Mish, class_around("Mish", mish, _MISH))
    for name, function in (("selu_", selu), ("mish_", mish)):
        if hasattr(functions, name):
            setattr(functions, name, function)


@constexpr
def _tell(name, text):
    report_adaptation(name, text)
    return 0


def selu(x):
    """The kernel's value with the gradient of the formula."""
    _tell("SeLU", _SELU)
    linear = x >= 0
    below = ops.select(linear, ops.zeros_like(x), x)  # exp of what is far above 0 has no gradient to mask
    formula = _SCALE * ops.select(linear, x, _ALPHA * (ops.exp(below) - 1))
    return ops.stop_gradient(_selu_kernel(x)) + (formula - ops.stop_gradient(formula))


def mish(x):
    """The kernel's value with the gradient of the formula, whose tanh(softplus(x)) is a ratio of powers of
    exp(x): what the kernel lacks is in its tanh."""
    _tell("Mish", _MISH)
    above = x >= 0
    nothing = ops.zeros_like(x)
    small, falling = ops.exp(ops.select(above, nothing, x)), ops.exp(-ops.select(above, x, nothing))
    odd = small * (small + 2)
    share = ops.select(above, (1 + 2 * falling) / (1 + 2 * falling + 2 * falling * falling), odd / (odd + 2))
    formula = x * share
    return ops.stop_gradient(_mish_kernel(x)) + (formula - ops.stop_gradient(formula))
