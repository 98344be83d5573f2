"""jvp, vjp, jacfwd, jacrev, vmap, and one inside the other."""
import mindspore as ms
from mindspore import Tensor, nn, ops

from tests.reference.judge import case, data
from tests.reference.networks import t


def cubic(x, y):
    return x * x * x + y * y


def several(x, y):
    return x * x * y, x + y * y


def cube(x):
    return x * x * x


def cube_sum(x):
    return (x * x * x).sum()


def square_with_aux(x):
    return x * x, x * 5


def matrix_square(x):
    return ops.matmul(x, x)


def add(x, y):
    return x + y


def times(x, y):
    return x * y


@case
def test_jvp_of_one_input():
    return ms.jvp(cube, t(2.0, 3.0), t(1.0, 10.0))


@case(each={"fn": [cubic, several]})
def test_jvp_of_tuples(fn):
    return ms.jvp(fn, (t(2.0, 3.0), t(4.0, 5.0)), (t(1.0, 10.0), t(100.0, 1000.0)))


@case
def test_jvp_has_aux():
    return ms.jvp(square_with_aux, t(2.0, 3.0), t(1.0, 10.0), has_aux=True)


@case(raises="but got")
def test_jvp_with_a_tangent_of_another_shape():
    ms.jvp(cube, t(2.0, 3.0), t(1.0, 2.0, 3.0))


@case(each={"fn": [cubic, several]})
def test_vjp(fn):
    out, pull = ms.vjp(fn, t(2.0, 3.0), t(4.0, 5.0))
    cotangent = t(1.0, 10.0)
    return out, pull(cotangent) if fn is cubic else pull((cotangent, t(100.0, 1000.0)))


@case
def test_vjp_of_one_input():
    out, pull = ms.vjp(cube, t(2.0, 3.0))
    return out, pull(t(1.0, 10.0))


@case
def test_vjp_with_weights():
    net = nn.Dense(2, 2, weight_init=t([[1.0, 2.0], [3.0, 4.0]]), bias_init=t(5.0, 6.0))
    out, pull = ms.vjp(net, t([[1.0, 2.0]]), weights=net.trainable_params())
    return out, pull(t([[1.0, 10.0]]))


@case
def test_vjp_has_aux():
    out, pull, aux = ms.vjp(square_with_aux, t(2.0, 3.0), has_aux=True)
    return out, pull(t(1.0, 10.0)), aux


@case(each={"transform": ["jacfwd", "jacrev"], "position": [0, 1, (0, 1)]})
def test_jacobian(transform, position):
    x, y = ms.Tensor(data((2,), seed=1)), ms.Tensor(data((2,), seed=2))
    return getattr(ms, transform)(cubic, position)(x, y)


@case(each={"transform": ["jacfwd", "jacrev"]})
def test_jacobian_of_a_matrix_function(transform):
    return getattr(ms, transform)(matrix_square)(ms.Tensor(data((2, 2))))


@case(each={"transform": ["jacfwd", "jacrev"]})
def test_jacobian_has_aux(transform):
    return getattr(ms, transform)(square_with_aux, has_aux=True)(t(2.0, 3.0))


@case
def test_hessian_forward_over_reverse():
    return ms.jacfwd(ms.jacrev(cube_sum))(t(2.0, 3.0))


@case(each={"in_axes": [0, 1, (0, None), (None, 1), (1, 0)], "out_axes": [0, 1]})
def test_vmap_axes(in_axes, out_axes):
    x, y = ms.Tensor(data((3, 3))), ms.Tensor(data((3, 3), seed=1))
    return ms.vmap(times, in_axes, out_axes)(x, y)


@case
def test_vmap_of_a_matrix_product():
    x, w = ms.Tensor(data((4, 2, 3))), ms.Tensor(data((3, 5), seed=1))
    return ms.vmap(ops.matmul, (0, None))(x, w)


@case
def test_nested_vmap():
    x, y = ms.Tensor(data((3,))), ms.Tensor(data((4,), seed=1))
    return ms.vmap(ms.vmap(times, (None, 0)), (0, None))(x, y)


@case
def test_vmap_of_grad():
    return ms.vmap(ms.grad(cube))(t(2.0, 3.0, 4.0))


@case
def test_grad_of_vmap():
    def fn(x):
        return ms.vmap(cube_sum)(x)

    return ms.grad(fn)(ms.Tensor(data((3, 2))))


@case(raises=True)
def test_vmap_over_unequal_axes():
    ms.vmap(add)(ms.Tensor(data((3,))), ms.Tensor(data((4,))))


@case(raises=True)
def test_vmap_with_too_many_axes():
    ms.vmap(cube, (0, 0))(ms.Tensor(data((3,))))


@case
def test_grad_of_jvp():
    def fn(x):
        return ms.jvp(cube, x, t(1.0, 1.0))[1]

    return ms.grad(fn)(t(2.0, 3.0))


class Nothing(nn.Cell):
    """A network without inputs."""

    def __init__(self):
        super().__init__()
        self.w = ms.Parameter(t(6.0), name="w")

    def construct(self):
        return self.w * self.w


x, y = t(10.0), t(20.0)
REFUSED = {
    "derivative_of_no_order": lambda: ops.derivative(cube, x, 0),
    "derivative_of_a_word": lambda: ops.derivative(cube, x, "1"),
    "jac_beyond": lambda: ms.jacrev(cube, 1)(x),
    "jac_of_nothing": lambda: ms.jacfwd(Nothing())(),
    "jet_along_a_number": lambda: ops.jet(cube, x, 1.0),
    "jet_mixed": lambda: ops.jet(cube, x, (x,)),
    "jet_lengths": lambda: ops.jet(add, (x, y), (x,)),
    "jvp_along_none": lambda: ms.jvp(cube, x, None),
    "jvp_flag": lambda: ms.jvp(cube, x, x, has_aux=1),
    "twice": lambda: ms.grad(add, (0, 0))(x, y),
    "vjp_flag": lambda: ms.vjp(cube, x, has_aux="yes"),
    "vjp_of_a_number": lambda: ms.vjp(add, 1.0, y),
    "vjp_of_one": lambda: ms.vjp(cube, x, has_aux=True),
    "vjp_pulls_a_number": lambda: ms.vjp(cube, x)[1](2.0),
    "vjp_pulls_none": lambda: ms.vjp(cube, x)[1](None),
}


@case(raises=True, each={"what": list(REFUSED)})
def test_transforms_refuse(what):
    REFUSED[what]()


@case(raises="grad_position should not be empty when grad by position", mode="BOTH", each={"weights": [None, ()]})
def test_grad_of_no_position(weights):
    ms.grad(add, (), weights)(x, y)


@case(raises=True)
def test_grad_without_gradients():
    with ms._no_grad():
        ms.grad(cube)(x)


@case(mode="BOTH")
def test_one_position_in_a_tuple():
    return ms.jacrev(add, (0,))(x, y), ms.jacfwd(add, (0,))(x, y)


@case(mode="BOTH")
def test_gradient_operation_of_a_function_without_weights():
    return (ops.GradOperation(get_by_list=True)(cube)(x),
            ops.GradOperation(get_all=True, get_by_list=True)(cube)(x))


@case
def test_grad_without_inputs():
    net = Nothing()
    return ms.grad(net)(), ms.grad(net, 0, net.trainable_params())(), ms.value_and_grad(net, (0, 1))()


@case(raises=True, each={"axes": [(2, 0), (-3, 0), (1.5, 0), (None, 0), ((None,), 0), (("a",), 0), (0, 2), (0, None),
                                  (0, (0, 0)), (0, True)]})
def test_vmap_along_axes_that_there_are_not(axes):
    ms.vmap(cube, *axes)(ms.Tensor(data((3, 4))))


@case(raises=True)
def test_vmap_of_a_number():
    ms.vmap(add)(ms.Tensor(data((3,))), 2)


@case
def test_operators_are_functions_to_transforms():
    x, v = Tensor(data((2, 3))), Tensor(data((2, 3), seed=2))
    value, pull = ops.vjp(ops.sin, x)
    return (ops.jvp(ops.sin, x, v), ops.jvp(ops.mul, (x, v), (v, x)), value, pull(v), ops.vmap(ops.abs)(x), ms.grad(ops.exp)(x),
            ms.jacrev(ops.tanh)(x), ms.jacfwd(ops.tanh)(x), ms.value_and_grad(ops.sum)(x),
            ms.jvp(ops.erf, x, v))
