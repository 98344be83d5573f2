"""grad and value_and_grad: positions, weights, auxiliary outputs, kinds of input, higher orders, errors."""
import mindspore as ms
from mindspore import nn, ops

from tests.reference.judge import case, data
from tests.reference.networks import t


class Quadratic(nn.Cell):
    """w * x * x + v * y: every derivative depends on every value, so a mistaken one shows."""

    def __init__(self):
        super().__init__()
        self.w = ms.Parameter(t(3.0, 5.0), name="w")
        self.v = ms.Parameter(t(7.0, 11.0), name="v")

    def construct(self, x, y):
        return self.w * x * x + self.v * y


class LossAndLogits(nn.Cell):
    """The network of the gradient guide: its first output is differentiated, the second comes along."""

    def __init__(self):
        super().__init__()
        self.fc = nn.Dense(3, 1, weight_init=t([[2.0, 3.0, 4.0]]), has_bias=False)

    def construct(self, x, y):
        logits = self.fc(x).squeeze()
        return ((logits - y) ** 2).mean(), logits


X, Y = data((2,), seed=1), data((2,), seed=2)


@case(each={"position": [0, 1, (0, 1), (1, 0), (0,), None], "weights": ["none", "one", "tuple", "list"]},
      mode="BOTH")
def test_table_of_positions_and_weights(position, weights):
    net = Quadratic()
    chosen = {"none": None, "one": net.w, "list": net.trainable_params(),
              "tuple": ms.ParameterTuple([net.w, net.v])}
    if position is None and weights == "none":
        position = 0                                             # the error has its own case
    return (ms.grad(net, position, chosen[weights])(ms.Tensor(X), ms.Tensor(Y)),
            ms.value_and_grad(net, position, chosen[weights])(ms.Tensor(X), ms.Tensor(Y)))


@case(each={"position": [0, 1, (0, 1), None], "weights": [False, True]}, mode="BOTH")
def test_has_aux_table(position, weights):
    net = LossAndLogits()
    if position is None and not weights:
        position = (0,)
    chosen = net.trainable_params() if weights else None
    x, y = t([[1.0, 2.0, 3.0]]), ms.Tensor(19, ms.float32)
    return (ms.grad(net, position, chosen, has_aux=True)(x, y),
            ms.value_and_grad(net, position, chosen, has_aux=True)(x, y))


@case(mode="BOTH")
def test_several_outputs_are_summed_unless_aux():
    net = LossAndLogits()
    x, y = t([[1.0, 2.0, 3.0]]), ms.Tensor(19, ms.float32)
    return (ms.grad(net)(x, y), ms.grad(net, None, net.trainable_params())(x, y),
            ms.value_and_grad(net, (0, 1), net.trainable_params())(x, y))


@case(mode="BOTH")
def test_aux_is_a_tuple_of_any_length():
    def fn(x):
        return x * x, x + 1, (x * 2, x * 3)

    return ms.grad(fn, has_aux=True)(t(2.0, 3.0)), ms.value_and_grad(fn, has_aux=True)(t(2.0, 3.0))


@case(mode="BOTH")
def test_has_aux_differentiates_a_nested_first_output():
    def fn(x):
        return (x * x, x), x * 5

    return ms.grad(fn, has_aux=True)(t(2.0, 3.0))


@case(mode="BOTH")
def test_nested_outputs_are_all_summed():
    def fn(x):
        return x * x, (x * 2, x * x * x)

    return ms.grad(fn)(t(2.0, 3.0))


@case
def test_dict_output_is_summed():
    return ms.grad(lambda x: {"a": x * x, "b": x})(t(2.0, 3.0))


@case
def test_an_output_that_is_not_a_tensor():
    return ms.grad(lambda x: (x * x, 3, True))(t(2.0, 3.0))


@case
def test_value_and_grad_gives_plain_values():
    return ms.value_and_grad(lambda x: (x * x, 3))(t(2.0, 3.0))


@case(mode="BOTH")
def test_non_scalar_output_takes_ones():
    def fn(x):
        return x * x * x

    return ms.grad(fn)(ms.Tensor(data((2, 3))))


@case(each={"position": [0, (0, 1), None], "weights": [False, True], "aux": [False, True]}, mode="BOTH")
def test_return_ids(position, weights, aux):
    net = LossAndLogits()
    if position is None and not weights:
        position = (0, 1)
    chosen = net.trainable_params() if weights else None
    x, y = t([[1.0, 2.0, 3.0]]), ms.Tensor(19, ms.float32)
    return (ms.grad(net, position, chosen, has_aux=aux, return_ids=True)(x, y),
            ms.value_and_grad(net, position, chosen, has_aux=aux, return_ids=True)(x, y))


@case
def test_return_ids_of_a_single_parameter():
    w = ms.Parameter(t(2.0), name="w")
    return (ms.grad(lambda x: x * x * w, 0, w, return_ids=True)(t(3.0)),
            ms.grad(lambda x: x * x * w, None, w, return_ids=True)(t(3.0)))


@case(each={"by": ["position", "parameter"]})
def test_get_grad(by):
    net = Quadratic()
    grads = ms.grad(net, (0, 1), net.trainable_params(), return_ids=True)(ms.Tensor(X), ms.Tensor(Y))
    return ms.get_grad(grads, {"position": 1, "parameter": net.v}[by])


@case(raises=True, each={"key": [5, "nothing"]})
def test_get_grad_of_what_is_not_there(key):
    net = Quadratic()
    grads = ms.grad(net, 0, net.trainable_params(), return_ids=True)(ms.Tensor(X), ms.Tensor(Y))
    return ms.get_grad(grads, key)


# what the result does not need

@case(mode="BOTH")
def test_zeros_for_unused_inputs_and_weights():
    net = Quadratic()
    unused = ms.Parameter(t([1.0, 2.0, 3.0]), name="unused")

    def fn(x, y):
        return net(x, x)

    return ms.grad(fn, (0, 1), [net.w, unused])(ms.Tensor(X), ms.Tensor(data((2, 3), "float16")))


@case
def test_zeros_for_a_constant_output():
    return ms.grad(lambda x: ops.ones((2,), ms.float32))(t(2.0, 3.0))


@case
def test_zeros_for_a_frozen_parameter():
    net = Quadratic()
    net.v.requires_grad = False
    return ms.grad(net, 0, [net.w, net.v])(ms.Tensor(X), ms.Tensor(Y))


@case
def test_identity_function():
    return ms.grad(lambda x: x)(t(2.0, 3.0)), ms.value_and_grad(lambda x: x)(t(2.0, 3.0))


@case
def test_stop_gradient():
    return (ms.grad(lambda x: ops.stop_gradient(x * x) * x)(t(2.0, 3.0)),
            ms.grad(ops.stop_gradient)(t(2.0, 3.0)),
            ms.grad(lambda x: ops.stop_gradient((x, x * x))[1] * x)(t(2.0, 3.0)))


# inputs of every kind

@case(each={"dtype": [ms.float16, ms.bfloat16, ms.float32, ms.float64]})
def test_gradient_keeps_the_dtype(dtype):
    return ms.value_and_grad(lambda x: x * x)(ms.Tensor(data((3,)), dtype))


@case(each={"dtype": [ms.int8, ms.uint8, ms.int32, ms.int64]})
def test_integer_inputs_have_integer_gradients(dtype):
    return ms.grad(lambda x: x * x)(ms.Tensor([1, 2, 3], dtype))


@case
def test_integer_input_beside_a_float_one():
    return ms.grad(lambda x, n: x * n * n, (0, 1))(t(2.0, 3.0), ms.Tensor([4, 5], ms.int32))


@case
def test_integer_input_through_a_float_operator():
    return ms.grad(lambda n: ops.cast(n, ms.float32) ** 2)(ms.Tensor([4, 5], ms.int32))


@case
def test_integer_indices():
    indices = ms.Tensor([2, 2, 0], ms.int32)
    return ms.grad(lambda x, i: ops.gather(x * x, i, 0), (0, 1))(t(2.0, 3.0, 4.0), indices)


@case
def test_bool_inputs_have_bool_gradients():
    return ms.grad(lambda x, b: ops.select(b, x * x, x), (0, 1))(t(2.0, 3.0), ms.Tensor([True, False]))


@case(each={"other": [3, 2.5, True, (1, 2), {"a": 2}, None, "text"]})
def test_positions_that_hold_no_tensor_are_passed_over(other):
    def fn(x, other):
        return x * x

    return ms.grad(fn, (0, 1))(t(2.0, 3.0), other), ms.grad(fn, 0)(t(2.0, 3.0), other)


@case(each={"other": [3, 2.5, (1, 2)]})
def test_no_tensor_position_at_all(other):
    return ms.grad(lambda x, other: x * x, 1)(t(2.0, 3.0), other)


@case
def test_tuple_of_tensors_as_input():
    return ms.grad(lambda pair: pair[0] * pair[1] * pair[1])((t(2.0, 3.0), t(4.0, 5.0)))


@case
def test_list_of_tensors_as_input():
    return ms.grad(lambda pair: pair[0] * pair[1] * pair[1])([t(2.0, 3.0), t(4.0, 5.0)])


@case
def test_tuple_beside_a_tensor():
    def fn(x, pair):
        return x * pair[0] * pair[0]

    return ms.grad(fn, (0, 1))(t(2.0, 3.0), (t(4.0, 5.0), t(6.0, 7.0)))


@case
def test_dict_of_tensors_as_input():
    return ms.grad(lambda d: d["a"] * d["a"])({"a": t(2.0, 3.0)})


@case(mode="BOTH")
def test_scalar_argument_takes_part_in_the_value():
    def fn(x, k):
        return x * x * k

    return ms.value_and_grad(fn)(t(2.0, 3.0), 4)


@case
def test_keyword_arguments_of_the_function():
    return ms.grad(lambda x, k=1.0: x * x * k)(t(2.0, 3.0), k=5.0)


@case
def test_default_argument_of_the_function():
    return ms.grad(lambda x, k=4.0: x * x * k)(t(2.0, 3.0))


@case
def test_a_parameter_as_input():
    p = ms.Parameter(t(2.0, 3.0), name="p")
    return ms.grad(lambda x: x * x)(p), ms.value_and_grad(lambda x: x * x, None, p)(t(1.0, 1.0))


# lexical questions: the argument alone, as in GRAPH_MODE

@case(judge="GRAPH", reason="PyNative follows tensors, not names: 6 where the argument alone gives 3")
def test_captured_tensor_is_a_constant():
    x = t(3.0)

    def fn(z):
        return z * x

    return ms.grad(fn)(x)


@case(judge="GRAPH", reason="PyNative gives the sum of both to both positions")
def test_the_same_tensor_at_two_positions():
    def fn(a, b):
        return a * a * b

    x = t(3.0)
    return ms.grad(fn, (0, 1))(x, x)


@case(judge="GRAPH", reason="PyNative gives the sum of both to both")
def test_a_weight_that_is_an_argument_too():
    w = ms.Parameter(t(2.0, 3.0), name="w")

    def fn(x):
        return (x * w).sum()

    return ms.grad(fn, 0, [w])(w)


@case
def test_equal_tensors_at_two_positions():
    return ms.grad(lambda a, b: a * a * b, (0, 1))(t(3.0), t(3.0))


@case
def test_a_parameter_reached_by_closure_is_a_weight():
    w = ms.Parameter(t(3.0), name="w")
    return ms.grad(lambda x: w * w * x, 0, w)(t(2.0))


# higher orders

@case(each={"order": [1, 2, 3]}, mode="BOTH")
def test_order(order):
    def fn(x):
        return x * x * x * x

    for _ in range(order):
        fn = ms.grad(fn)
    return fn(t(2.0, 3.0))


@case(mode="BOTH")
def test_mixed_second_derivatives():
    def fn(x, y):
        return x * x * x * y * y

    return ms.grad(ms.grad(fn, 0), 1)(t(2.0), t(3.0)), ms.grad(ms.grad(fn, (0, 1)), (0, 1))(t(2.0), t(3.0))


class Cubed(nn.Cell):
    def __init__(self):
        super().__init__()
        self.w = ms.Parameter(t(2.0), name="w")

    def construct(self, x):
        return self.w * self.w * x * x * x


@case(mode="BOTH")
def test_second_order_through_a_weight():
    net = Cubed()
    inner = ms.grad(net, 0)
    return ms.grad(inner, 0, net.w)(t(1.0)), ms.grad(ms.grad(net, None, net.w), 0)(t(1.0))


@case(mode="BOTH")
def test_nested_weights_belong_to_their_level():
    """w^2 x at w = 2, x = 3: 12 and, of that, 6; flipping flags on one stored tensor gives (24, 12)."""
    w = ms.Parameter(t(2.0), name="w")

    def square(x):
        return w * w * x

    def slope(x):
        return ms.grad(square, None, w)(x)

    return ms.value_and_grad(slope, None, w)(t(3.0)), ms.grad(ms.grad(square, None, w), None, w)(t(3.0))


@case
def test_value_and_grad_of_the_same_weight_inside():
    w = ms.Parameter(t(2.0), name="w")

    def inner(x):
        return w * w * x * x

    def outer(x):
        value, gradient = ms.value_and_grad(inner, 0, None)(x)
        return value + gradient

    return ms.value_and_grad(outer, 0, w)(t(3.0))


@case(mode="BOTH")
def test_gradient_of_a_gradient_penalty():
    net = nn.Dense(3, 1, weight_init=t([[0.1, 0.2, -0.3]]), bias_init=t([0.5]))

    def height(x):
        return ops.tanh(net(x)).sum()

    slope = ms.grad(height)

    def penalty(x):
        return (ops.sqrt((slope(x) ** 2).sum(1)) - 1).pow(2).mean()

    return ms.value_and_grad(penalty, None, net.trainable_params())(ms.Tensor(data((4, 3))))


# state of things

@case
def test_an_exception_inside_leaves_gradients_working():
    def broken(x):
        raise KeyError("mine")

    try:
        ms.grad(broken)(t(1.0))
    except KeyError as error:
        seen = str(error)
    return seen


@case(raises=True)
def test_the_users_exception_passes_through():
    def broken(x):
        raise ArithmeticError("mine, with its words")

    return ms.grad(broken)(t(1.0))


@case
def test_writes_to_an_intermediate_are_differentiated():
    def fn(x):
        y = x * 2
        y[0] = x[1] * x[1]
        return y * y

    return ms.grad(fn)(t(2.0, 3.0))


@case
def test_augmented_assignment_is_differentiated():
    def fn(x):
        y = x * x
        y += x
        y *= y
        return y

    return ms.grad(fn)(t(2.0, 3.0))


# errors

@case(raises=True)
def test_no_position_and_no_weights():
    ms.grad(lambda x: x, None, None)(t(1.0))


@case(raises=True)
def test_no_position_and_no_weights_value_and_grad():
    ms.value_and_grad(lambda x: x, None, None)(t(1.0))


@case(raises=True, each={"value": [False, True]})
def test_has_aux_with_one_output(value):
    (ms.value_and_grad if value else ms.grad)(lambda x: x * x, has_aux=True)(t(1.0))


@case(raises="Position index 3 is exceed input size.")
def test_position_beyond_the_inputs():
    ms.grad(lambda x: x * x, 3)(t(1.0))


@case(raises=True, each={"position": ["0", 1.5, True, -1, (0, "1"), [0]]})
def test_position_of_a_wrong_kind(position):
    ms.grad(lambda x: x * x, position)(t(1.0))


@case(raises=True, each={"flag": ["has_aux", "return_ids"]})
def test_flag_of_a_wrong_kind(flag):
    ms.grad(lambda x: (x * x, x), **{flag: 1})(t(1.0))


@case(raises=True, each={"weights": [3, "w"]})
def test_weights_of_a_wrong_kind(weights):
    ms.grad(lambda x: x * x, 0, weights)(t(1.0))


@case(raises="Can not modify tensor id of input tensor")
def test_writing_to_an_input():
    def fn(x):
        x[0] = 5.0
        return x * x

    ms.grad(fn)(t(2.0, 3.0))
