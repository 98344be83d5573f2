"""Names outside the operator families: generators, shared memory, cached Primitives, Jacobian products."""

import mindspore as ms
import numpy as np
from mindspore import Tensor, nn, ops
from mindspore.common.api import cells_compile_cache
from mindspore.nn.layer.conv import _check_input_3d
from mindspore.nn.wrap.loss_scale import grad_scale, shard_grad_scale
from mindspore.ops._primitive_cache import _get_cache_prim
from mindspore.ops.operations import identity

from tests.reference.judge import case, data

X, Y = data((2, 3)), data((2, 3), seed=1)


@case()
def test_syntax_levels_are_numbers():
    return ms.STRICT, ms.COMPATIBLE, ms.LAX, cells_compile_cache


@case()
def test_state_of_a_generator_is_seed_and_offset():
    g = ms.Generator()
    states = [g.get_state(), g.manual_seed(2**40 + 5).get_state(), g.manual_seed(-2).get_state()]
    state = states[1]
    g.set_state(state)
    return states, g.initial_seed(), g.get_state()


@case()
def test_default_generator_is_seeded():
    given = ms.manual_seed(13)
    state = ms.get_rng_state()
    seeds = [ms.initial_seed(), given is ms.default_generator]
    ms.manual_seed(14)
    ms.set_rng_state(state)
    return seeds, ms.initial_seed(), state


@case(raises=True, each={"seed": [1.5, "a", None]})
def test_seed_is_an_int(seed):
    ms.Generator().manual_seed(seed)


@case(raises=True)
def test_state_is_a_tensor():
    ms.Generator().set_state(3)


@case()
def test_from_numpy_shares_memory():
    array = np.arange(4, dtype=np.float32)
    x = ms.from_numpy(array)
    array[0] = 9
    x[1] = 7
    return x, array


@case(raises=True, each={"value": [[1, 2], 3]})
def test_from_numpy_wants_an_array(value):
    ms.from_numpy(value)


@case(each={"axis": [0, -1]})
def test_softmax_of_a_tensor(axis):
    return Tensor(X).softmax(axis), Tensor(X).softmax(axis, dtype=ms.float16).dtype


@case()
def test_softmax_of_a_tensor_wants_its_axis():
    try:
        Tensor(X).softmax()
    except TypeError as err:
        return "axis" in str(err)


@case()
def test_cached_primitives_are_one():
    make = _get_cache_prim(ops.ReduceSum)
    again = _get_cache_prim(ops.ReduceSum)
    return make(True)(Tensor(X)), make(True) is again(True), make(True) is make(False)


@case(each={"dim": [0, 1, -1], "eps": [1e-8, 2.0]})
def test_cosine_similarity(dim, eps):
    def f(x, y):
        return ops.cosine_similarity(x, y, dim, eps)
    return f(Tensor(X), Tensor(Y)), ms.grad(f, (0, 1))(Tensor(X), Tensor(Y))


@case()
def test_cosine_similarity_takes_norms_before_it_broadcasts():
    return ops.cosine_similarity(Tensor(X), Tensor(Y[:, :1])), ops.cosine_similarity(Tensor(X) * 0, Tensor(Y))


@case(raises=True, each=[{"x": X.astype(np.int32), "dim": 1}, {"x": X, "dim": 3}])
def test_cosine_similarity_refuses(x, dim):
    ops.cosine_similarity(Tensor(x), Tensor(x), dim)


@case()
def test_eigenvalues_are_complex():
    values, vectors = ops.eig(Tensor(np.array([[2, 1], [1, 3]], np.float32)))
    return ops.sort(values.real())[0], str(values.dtype), str(vectors.dtype), vectors.shape


@case(raises=True)
def test_eig_wants_squares():
    ops.eig(Tensor(X))


@case()
def test_old_names_of_operators():
    return ops.Gelu()(Tensor(X)), identity()(Tensor(X)), str(identity())


class Product(nn.Cell):
    def construct(self, x, y):
        return x * x * y


class Cube(nn.Cell):
    def construct(self, x):
        return x * x * x


@case()
def test_jacobian_products_as_cells():
    x, y = Tensor(X), Tensor(Y)
    return (nn.Jvp(Product())(x, y, (y, x)), nn.Vjp(Product())(x, y, x), nn.Jvp(Cube())(x, y),
            nn.Vjp(Cube())(x, y))


@case()
def test_gathered_gradients_are_unscaled_and_start_anew():
    gathered = ms.Parameter(Tensor(Y), name="gathered")
    scale = Tensor(4.0, ms.float32)
    first = grad_scale(scale, Tensor(X), gathered)
    second = shard_grad_scale(scale, Tensor(X), gathered)
    return first, gathered.asnumpy(), second


@case(raises=True)
def test_check_of_three_dimensions():
    _check_input_3d((1, 2), "Conv1d")


@case(raises=True)
def test_adasum_wants_several_devices():
    nn.AdaSumByGradWrapCell(nn.SGD([ms.Parameter(Tensor(X), name="w")]))


@case(raises=True, each={"size": [0, -1, 1.5]})
def test_sink_size_is_positive(size):
    ms.data_sink(lambda x: x, None, size)
