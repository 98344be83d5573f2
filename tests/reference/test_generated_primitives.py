"""The operators that MindSpore generates and keeps private: what libraries import from `auto_generate` and `_grad_ops`."""

import mindspore as ms
import numpy as np
from mindspore import Tensor
from mindspore.ops import auto_generate
from mindspore.ops.operations import _grad_ops, _inner_ops

from tests.reference import generated
from tests.reference.judge import case, data


@case
def test_generator_steps_and_keeps_its_state():
    seed, offset = Tensor(5, ms.int64), Tensor(7, ms.int64)
    made = _inner_ops.Generator(seed, offset).set_device("CPU")
    facts = [made(2, (seed, offset)), made(0, (seed, offset, Tensor(10, ms.int64))), made(5, (seed, offset)), int(offset)]
    made(4, (seed, offset, Tensor(33, ms.int64)))
    facts += [int(seed), int(offset)]
    made(3, (seed, offset, Tensor(np.arange(16).astype(np.uint8))))
    return [*facts, int(seed), int(offset)]


@case(raises=True)
def test_generator_takes_tensors_alone():
    return _inner_ops.Generator(Tensor(5, ms.int64), Tensor(7, ms.int64))(0, (None, None, 12))


def _given(value):
    if isinstance(value, tuple):
        return tuple(_given(v) for v in value)
    return Tensor(value) if isinstance(value, (np.ndarray, np.generic)) else value


def _results(calls):
    found = {}

    def add(name, inputs, tag="", **made):
        module = auto_generate if hasattr(auto_generate, name) else _grad_ops
        found[name + tag] = getattr(module, name)(**made)(*[_given(v) for v in inputs])

    calls(add)
    return found


@case
def test_forms_of_mint():
    return _results(generated.forms)


@case
def test_gradients_of_elements_and_losses():
    return _results(generated.elementwise)


@case(rtol=2e-3, atol=1e-4, reason="the formulas round to half precision in different places")
def test_gradients_of_elements_in_half_precision():
    return _results(generated.halves)


@case(rtol=2e-5, atol=2e-5, reason="the two sides sum a batch in different orders")
def test_gradients_of_layers():
    return _results(generated.layers)


@case(rtol=1e-4, atol=1e-5, reason="distances are given to CdistGrad and PdistGrad, rounded, and are not needed here")
def test_gradients_of_images_and_arrays():
    return _results(generated.images)


@case
def test_functions_and_instances_of_generated_operators():
    x, y = Tensor(data((2, 3))), Tensor(data((2, 3), seed=1))
    return (auto_generate.add_ext(x, y, alpha=2), auto_generate.sum_ext(x, dim=1, dtype=ms.float64), auto_generate.add_ext_op(x, y),
            auto_generate.narrow(x, 1, 0, 2), auto_generate.mean_ext(x), auto_generate.tanh_grad_op(x, y))
