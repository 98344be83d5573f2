"""Initializers and seeds: the bits of weights, the order of draws, subclasses, errors."""
import random

import mindspore as ms
import numpy as np
from mindspore import Parameter, Tensor, nn
from mindspore.common import initializer as module
from mindspore.common.initializer import (
    Constant,
    Dirac,
    HeNormal,
    HeUniform,
    Identity,
    Initializer,
    Normal,
    One,
    Orthogonal,
    Sparse,
    TruncatedNormal,
    Uniform,
    VarianceScaling,
    XavierNormal,
    XavierUniform,
    Zero,
    initializer,
)
from mindspore.common.seed import _get_graph_seed

from tests.reference.judge import case

FIXED = ("zeros", "Zero", "ones", "one", 3, 2.5, True)
NAMED = ("normal", "Normal", "uniform", "truncatedNormal", "xavier_uniform", "XavierUniform", "xavier_normal",
         "he_uniform", "HeNormal", "varianceScaling")


def bits(values):
    """Float32 values as integers, which are compared exactly."""
    array = values.asnumpy() if isinstance(values, Tensor) else values
    return array.view({2: np.int16, 4: np.int32}[array.itemsize])


def drawn(init, shape=(3, 4), dtype=ms.float32, seed=1):
    ms.set_seed(seed)
    return initializer(init, shape, dtype).init_data()


# values

@case
def test_fixed_values():
    return [drawn(init) for init in FIXED] + [
        drawn(3.7, dtype=ms.int32), drawn(Constant(-1), (2,), ms.float16), drawn(Zero(), (2,)),
        drawn(One(), (2,), ms.bool_)]


@case
def test_named_initializers_have_the_same_bits():
    return [bits(drawn(name, (20, 30))) for name in NAMED]


@case
def test_parameters_of_the_distributions():
    return [bits(drawn(init, (6, 4, 3, 3))) for init in (
        Normal(0.5), Normal(sigma=2, mean=1.0), Uniform(), Uniform(scale=1.5), TruncatedNormal(),
        TruncatedNormal(1.0), TruncatedNormal(0.3, 0.1, -0.2, 0.9), XavierUniform(2), XavierNormal(gain=0.5),
        HeUniform(), HeUniform(np.sqrt(5)), HeUniform(mode="fan_out", nonlinearity="relu"),
        HeUniform(0.2, "FAN_OUT"), HeNormal(), HeNormal(nonlinearity="tanh"),
        HeNormal(nonlinearity="sigmoid"), HeNormal(mode="fan_out", nonlinearity="linear"))]


@case(each={"distribution": ["uniform", "truncated_normal", "untruncated_normal"]})
def test_variance_scaling(distribution):
    return [bits(drawn(VarianceScaling(scale, mode, distribution), (5, 7, 2)))
            for scale, mode in ((1.0, "fan_in"), (2.0, "fan_out"), (0.3, "fan_avg"))]


@case
def test_structured_values():
    return [drawn(Identity(), (3, 5)), drawn("identity", (4, 4), ms.float16), drawn(Dirac(), (4, 3, 3)),
            drawn(Dirac(groups=2), (6, 4, 3, 2)), drawn("dirac", (2, 3, 1, 2, 3)),
            bits(drawn(Sparse(0.4), (7, 5))),
            drawn(Orthogonal(), (4, 4)), drawn(Orthogonal(2.0), (3, 2, 4)), drawn("orthogonal", (7, 2))]


@case
def test_other_dtypes_round_the_same_draws():
    return [bits(drawn(Normal(1.0), (50,), ms.float16)), drawn(Uniform(3.0), (5,), ms.float64),
            drawn(Normal(50.0), (6,), ms.int32), drawn("xavier_uniform", (3, 3), ms.bfloat16)]


@case
def test_shapes_of_one_number_and_none():
    return bits(drawn("normal", 3)), bits(drawn("normal", [2, 2])), drawn("normal", ()).shape


# order of draws

@case
def test_draws_go_on_from_one_another_and_from_numpy():
    ms.set_seed(7)
    first = initializer("normal", (3,)).init_data()
    between = np.random.rand()
    second = initializer("normal", (3,)).init_data()
    return bits(first), between, bits(second)


@case(each={"shape": [(), (3,), (1, 2), (2, 1, 2), (29,), (30,)]})
def test_shown_before_it_is_made(shape):
    made = initializer("normal", shape, ms.float32)
    return str(made), repr(made), made.init_data()


@case
def test_a_parameter_draws_when_it_is_made():
    ms.set_seed(7)
    early, late = initializer("normal", (3,)), initializer("normal", (3,))
    made_first, made_second = Parameter(late), Parameter(early)
    return bits(made_first), bits(made_second), np.random.rand()


@case
def test_fixed_values_draw_nothing():
    ms.set_seed(7)
    made = [Parameter(initializer(init, (2, 2))) for init in ("zeros", "ones", 3, Identity())]
    return len(made), np.random.rand()


@case
def test_large_weights_are_equal_throughout():
    total = drawn(Normal(0.02), (257, 1031)).asnumpy().view(np.int32).astype(np.int64)
    return total.sum().item(), np.bitwise_xor.reduce(total, axis=None).item(), total[::64, 1000].copy()


@case
def test_default_weights_of_layers():
    ms.set_seed(1)
    layers = [nn.Dense(5, 3), nn.Conv2d(2, 3, 3, has_bias=True), nn.Embedding(4, 3), nn.BatchNorm2d(2),
              nn.LayerNorm((3,)), nn.Dense(3, 2, weight_init="normal", bias_init="ones")]
    return [bits(p) for layer in layers for p in layer.get_parameters()] + [np.random.rand()]


# seeds

@case
def test_seed_is_kept_and_seeds_numpy():
    ms.set_seed(4294967295)
    return ms.get_seed(), np.random.rand()


@case
def test_seed_pairs_of_operators():
    ms.set_seed(0)
    zero = [_get_graph_seed(s, "a") for s in (0, None, 5, 5)]
    ms.set_seed(3)
    return zero, [_get_graph_seed(s, name) for name in ("a", "b") for s in (0, 5, 0, 2**40)]


@case
def test_the_dataset_and_python_have_the_seed_too():
    ms.set_seed(12)
    return ms.dataset.config.get_seed(), random.random()


@case
def test_seed_pair_of_an_initializer():
    ms.set_seed(3)
    mine = Normal()
    found = [mine.seed, mine.seed]
    mine.seed = 10
    return found, mine.seed


@case(each={"seed": [-1, 1.5, True, "a", None, 2**32]}, raises=True)
def test_seeds_that_are_refused(seed):
    ms.set_seed(seed)


@case(raises=True)
def test_a_numpy_integer_is_no_seed():
    ms.set_seed(np.int64(3))


@case(each={"seed": [-1, 1.5]}, raises=True)
def test_operator_seeds_that_are_refused(seed):
    ms.set_seed(1)
    _get_graph_seed(seed, "kernel")


# initializers of users

class Ramp(Initializer):
    def __init__(self, gain=1):
        super().__init__(gain=gain)
        self.gain = gain

    def _initialize(self, arr):
        module._assignment(arr, np.arange(arr.size).reshape(arr.shape) * self.gain)


@module._register("more_steps")
class Steps(Initializer):
    def _initialize(self, arr):
        fan_in, fan_out = module._calculate_fan_in_and_fan_out(arr.shape)
        data = module._init_random_uniform(-fan_in, fan_out, arr.shape)
        data += module._init_random_normal(0.0, 0.1, arr.shape)
        data += module._init_truncated_normal(-1, 1, 0.0, 1.0, arr.shape)
        module._assignment(arr, data)


@case
def test_a_users_initializer_fills_the_array():
    return (drawn(Ramp(), (2, 3)), drawn(Ramp(2), (4,), ms.int32),
            Parameter(initializer(Ramp(0.5), (3,)), name="w"))


@case
def test_a_users_initializer_is_found_by_its_names():
    return bits(drawn("steps", (3, 4))), bits(drawn("More_Steps", (3, 4))), sorted(module._INITIALIZER_ALIAS)


@case
def test_an_initializer_is_called_with_an_array():
    ms.set_seed(2)
    array = np.zeros((2, 3), np.float32)
    return Normal(1.0)(array), bits(array)


@case
def test_private_helpers():
    flat = np.zeros(())
    known = ("linear", "conv2d", "conv_transpose3d", "sigmoid", "tanh", "relu", "leaky_relu")
    return ([module._calculate_fan_in_and_fan_out(s) for s in ((2, 3), (4, 3, 2), (5, 2, 3, 3))],
            module._calculate_in_and_out(np.zeros((4, 3, 2))),
            module._calculate_correct_fan((2, 3), "Fan_Out"), [module._calculate_gain(n) for n in known],
            module._calculate_gain("leaky_relu", 0), module._calculate_gain("leaky_relu", 0.3),
            module._assignment(np.zeros((2, 2)), np.eye(2)), float(module._assignment(flat, 3)))


# lazy tensors

@case
def test_shape_and_dtype_before_the_data():
    lazy = initializer("normal", (2, 3), ms.float16)
    before = lazy.shape, lazy.dtype, lazy.has_init, type(lazy.init).__name__
    return before, lazy.init_data() is lazy, lazy.has_init


@case
def test_a_tensor_comes_back_as_it_is():
    x = Tensor([[1.0, 2.0]])
    return initializer(x, [1, 2]) is x, initializer(x, (1, 2)) is x


@case
def test_a_tensor_with_an_initializer():
    ms.set_seed(1)
    return bits(Tensor(shape=(2, 3), dtype=ms.float32, init=Normal(1.0)).init_data())


@case
def test_what_has_no_data_yet_knows_its_sizes():
    """Of an ``init`` that is no initializer too: its data is not asked for."""
    waits = Tensor(shape=(2, 3), dtype=ms.float32, init="ones")
    assert (waits.ndim, waits.dim(), waits.strides, len(waits)) == (2, 2, (12, 4), 2)
    return waits.size, waits.numel(), waits.nelement(), waits.itemsize, waits.nbytes


# errors

@case(each=[{"init": "foo", "shape": (2,)}, {"init": [1], "shape": (2,)}, {"init": 3, "shape": (2, 0)},
            {"init": 3, "shape": (2, -1)}, {"init": "ones", "shape": (2, 1.5)},
            {"init": "he_normal", "shape": (3,)},
            {"init": "identity", "shape": (3,)}, {"init": "dirac", "shape": (2, 2)},
            {"init": "orthogonal", "shape": (2,)}, {"init": "sparse", "shape": (2, 2)},
            {"init": "ones", "shape": None}], raises=True)
def test_what_initializer_refuses(init, shape):
    initializer(init, shape).init_data()


@case(each={"shape": [None, (2,), [1, 1]]}, raises=True)
def test_a_tensor_of_another_shape(shape):
    initializer(Tensor([1.0]), shape)


@case(each=[{"name": "HeUniform", "arguments": {"negative_slope": "x"}},
            {"name": "HeNormal", "arguments": {"negative_slope": True}},
            {"name": "HeUniform", "arguments": {"mode": "fan_avg"}},
            {"name": "HeNormal", "arguments": {"nonlinearity": "gelu"}},
            {"name": "VarianceScaling", "arguments": {"scale": -1}},
            {"name": "VarianceScaling", "arguments": {"mode": "fan"}},
            {"name": "VarianceScaling", "arguments": {"distribution": "truncated_norm"}},
            {"name": "Normal", "arguments": {"sigma": -1.0}},
            {"name": "TruncatedNormal", "arguments": {"sigma": -1.0}},
            {"name": "XavierNormal", "arguments": {"gain": -1}},
            {"name": "Initializer", "arguments": {}}], raises=True)
def test_arguments_that_are_refused(name, arguments):
    initializer(getattr(module, name)(**arguments), (2, 2)).init_data()


@case(raises=True)
def test_groups_that_do_not_divide():
    initializer(Dirac(3), (4, 2, 2)).init_data()


@case(raises=True)
def test_fans_of_a_vector():
    module._calculate_in_and_out(np.zeros(3))
