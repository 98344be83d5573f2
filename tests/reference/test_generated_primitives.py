"""The operators that MindSpore generates and keeps private: what libraries import from `auto_generate` and `_inner_ops`."""

import numpy as np

import mindspore as ms
from mindspore import Tensor
from mindspore.ops import auto_generate
from mindspore.ops.operations import _inner_ops

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


# name, arguments when made, arguments when called; an array is a shape, a list stays itself, or holds several.
FORMS = [
    ("AddExt", {}, [(2, 3), (3,), 2]), ("SubExt", {}, [(2, 3), (3,), 2.5]), ("SumExt", {}, [(2, 3), [1], True]),
    ("MeanExt", {}, [(2, 3), [0]]), ("ProdExt", {}, [(2, 3), 1]), ("MaxDim", {}, [(2, 3), 1]), ("MinDim", {}, [(2, 3), 0, True]),
    ("Max", {}, [(2, 3)]), ("Min", {}, [(2, 3)]), ("ArgMaxExt", {}, [(2, 3), 1]),
    ("SortExt", {}, [(2, 3), 1, True]), ("TopkExt", {}, [(2, 3), 2]), 
    ("SoftplusExt", {}, [(2, 3), 2, 1]), 
    ("Muls", {}, [(2, 3), 3]), ("Divs", {}, [(2, 3), 3]),
    ("DivMods", {}, [(2, 3), 0.3, "floor"]), ("MatMulExt", {}, [(2, 3), (3, 4)]), ("BatchMatMulExt", {}, [(2, 2, 3), (2, 3, 4)]),
    ("Narrow", {}, [(4, 3), 0, 1, 2]), ("TransposeExtView", {}, [(4, 3), 0, 1]), ("SelectExtView", {}, [(4, 3), 0, 1]),
    ("ClampScalar", {}, [(2, 3), -0.5, 0.5]),
]  # fmt: skip


def _given(value, seed=0):
    if isinstance(value, tuple):
        return Tensor(data(value, seed=seed))
    if isinstance(value, list) and value and isinstance(value[0], tuple):
        return [_given(v, seed + i) for i, v in enumerate(value)]
    return tuple(value) if isinstance(value, list) else value


@case
def test_forms_of_mint():
    return {name: getattr(auto_generate, name)(**made)(*[_given(v, i) for i, v in enumerate(given)]) for name, made, given in FORMS}


@case
def test_functions_and_instances_of_generated_operators():
    x, y = Tensor(data((2, 3))), Tensor(data((2, 3), seed=1))
    return (auto_generate.add_ext(x, y, alpha=2), auto_generate.sum_ext(x, dim=1, dtype=ms.float64), auto_generate.add_ext_op(x, y),
            auto_generate.narrow(x, 1, 0, 2), auto_generate.mean_ext(x))  # fmt: skip
