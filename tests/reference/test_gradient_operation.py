"""The class forms: GradOperation, ForwardValueAndGrad, Cell.bprop, hooks, InsertGradientOf."""
import mindspore as ms
from mindspore import nn, ops

from tests.reference.judge import case
from tests.reference.networks import t


class Quadratic(nn.Cell):
    def __init__(self):
        super().__init__()
        self.w = ms.Parameter(t(3.0, 5.0), name="w")
        self.v = ms.Parameter(t(7.0, 11.0), name="v")

    def construct(self, x, y):
        return self.w * x * x + self.v * y


@case(each={"get_all": [False, True], "get_by_list": [False, True], "sens_param": [False, True]}, mode="BOTH")
def test_grad_operation_flags(get_all, get_by_list, sens_param):
    net = Quadratic()
    operation = ops.GradOperation(get_all=get_all, get_by_list=get_by_list, sens_param=sens_param)
    made = operation(net, ms.ParameterTuple(net.trainable_params())) if get_by_list else operation(net)
    sens = (t(1.0, 10.0),) if sens_param else ()
    return made(t(2.0, 3.0), t(4.0, 5.0), *sens)


@case
def test_grad_operation_without_weights_takes_all_trainable_ones():
    net = Quadratic()
    return ops.GradOperation(get_by_list=True)(net)(t(2.0, 3.0), t(4.0, 5.0))


@case
def test_grad_operation_with_one_weight():
    net = Quadratic()
    return ops.GradOperation(get_by_list=True)(net, net.v)(t(2.0, 3.0), t(4.0, 5.0))


@case(each={"get_all": [False, True]}, mode="BOTH")
def test_grad_operation_without_tensor_inputs(get_all):
    net = Quadratic()

    class Inner(nn.Cell):
        def __init__(self):
            super().__init__()
            self.net = net

        def construct(self):
            return self.net(t(2.0, 3.0), t(4.0, 5.0))

    inner = Inner()
    return ops.GradOperation(get_all=get_all, get_by_list=True)(inner, inner.trainable_params())()


@case
def test_grad_operation_of_one_input_with_get_all():
    return ops.GradOperation(get_all=True)(lambda x: x * x)(t(2.0, 3.0))


@case
def test_sens_of_several_outputs_is_a_tuple():
    def fn(x):
        return x * x, x * 3

    return ops.GradOperation(sens_param=True)(fn)(t(2.0, 3.0), (t(1.0, 10.0), t(100.0, 1000.0)))


@case
def test_sens_as_a_keyword():
    return ops.GradOperation(sens_param=True)(Quadratic())(t(2.0, 3.0), t(4.0, 5.0), sens=t(1.0, 10.0))


@case(each={"sens": [2.0, 2]})
def test_sens_as_a_number(sens):
    class Mean(nn.Cell):
        def construct(self, x):
            return (x * x).mean()

    return ops.GradOperation(sens_param=True)(Mean())(t(2.0, 3.0), sens)


@case(raises="The dtype should be Float32, but got Float16")
def test_sens_of_another_dtype():
    def fn(x):
        return x * x

    return ops.GradOperation(sens_param=True)(fn)(t(2.0, 3.0), ms.Tensor([1.0, 10.0], ms.float16))


@case(each={"shape": [(1,), (1, 1)]}, mode="BOTH")
def test_sens_of_one_element_for_a_loss_without_shape(shape):
    def loss(x):
        return (x * x).sum()

    sens = ms.ops.full(shape, 2.0, dtype=ms.float32)
    return ops.GradOperation(sens_param=True)(loss)(t(2.0, 3.0), sens)


@case(mode="GRAPH")
def test_sens_without_shape_for_a_loss_of_shape_1():
    def loss(x):
        return (x * x).sum(keepdims=True)

    return ops.GradOperation(sens_param=True)(loss)(t(2.0, 3.0), ms.Tensor(2.0))


@case(raises="The shape should be ")
def test_sens_of_another_shape():
    def fn(x):
        return x * x

    return ops.GradOperation(sens_param=True)(fn)(t(2.0, 3.0), t(1.0, 2.0, 3.0)).asnumpy()


@case(raises=True, each={"flag": ["get_all", "get_by_list", "sens_param"]})
def test_grad_operation_flag_of_a_wrong_kind(flag):
    ops.GradOperation(**{flag: 1})


@case(raises=True)
def test_grad_operation_of_what_is_not_callable():
    ops.GradOperation()(3)(t(1.0))


@case
def test_the_derived_function_can_be_reused():
    net = Quadratic()
    made = ops.GradOperation(get_all=True)(net)
    first = made(t(2.0, 3.0), t(4.0, 5.0))
    net.w.set_data(t(30.0, 50.0))
    return first, made(t(2.0, 3.0), t(4.0, 5.0))


@case(mode="BOTH")
def test_inside_a_cell():
    class Grads(nn.Cell):
        def __init__(self, net):
            super().__init__()
            self.net = net
            self.grad = ops.GradOperation(get_all=True, sens_param=True)

        def construct(self, x, y, sens):
            return self.grad(self.net)(x, y, sens)

    return Grads(Quadratic())(t(2.0, 3.0), t(4.0, 5.0), t(1.0, 10.0))


@case(each={"get_all": [False, True], "get_by_list": [False, True], "sens_param": [False, True]})
def test_forward_value_and_grad(get_all, get_by_list, sens_param):
    net = Quadratic()
    weights = ms.ParameterTuple(net.trainable_params())
    cell = nn.ForwardValueAndGrad(net, weights, get_all, get_by_list, sens_param)
    sens = (t(1.0, 10.0),) if sens_param else ()
    return cell(t(2.0, 3.0), t(4.0, 5.0), *sens)


# bprop: a Cell that says its own gradient

class Tripled(nn.Cell):
    """Computes x * y, and claims other derivatives than it has."""

    def construct(self, x, y):
        return x * y

    def bprop(self, x, y, out, dout):
        return dout * x * 3, dout + out


@case(mode="BOTH")
def test_bprop_replaces_the_gradient():
    cell = Tripled()
    cell.set_grad()
    return cell(t(2.0, 3.0), t(4.0, 5.0)), ms.grad(cell, (0, 1))(t(2.0, 3.0), t(4.0, 5.0))


@case(mode="BOTH")
def test_bprop_inside_a_chain():
    class Outer(nn.Cell):
        def __init__(self):
            super().__init__()
            self.inner = Tripled()

        def construct(self, x, y):
            return self.inner(x * x, y) * y

    return ms.value_and_grad(Outer(), (0, 1))(t(2.0, 3.0), t(4.0, 5.0))


@case(raises=True)
def test_bprop_with_too_few_gradients():
    class Short(nn.Cell):
        def construct(self, x, y):
            return x * y

        def bprop(self, x, y, out, dout):
            return (dout,)

    return [g.asnumpy() for g in ms.grad(Short(), (0, 1))(t(2.0, 3.0), t(4.0, 5.0))]


@case
def test_bprop_with_several_outputs():
    class Two(nn.Cell):
        def construct(self, x):
            return x * x, x + 1

        def bprop(self, x, out, dout):
            return (dout[0] * 10 + dout[1] * out[0],)

    return ms.grad(Two())(t(2.0, 3.0))


@case(each={"order": [1, 2]})
def test_bprop_in_higher_orders(order):
    class Squared(nn.Cell):
        def construct(self, x):
            return x * x

        def bprop(self, x, out, dout):
            return (dout * x * x * x,)

    net = Squared()

    def outer(x):
        return net(x)

    for _ in range(order):
        outer = ms.grad(outer)
    return outer(t(2.0, 3.0))


# hooks

class Hooked(nn.Cell):
    def __init__(self):
        super().__init__()
        self.relu = nn.ReLU()

    def construct(self, x, y):
        return self.relu(x * y) * x


@case
def test_backward_hook_sees_and_replaces():
    seen = []

    def hook(cell, grad_input, grad_output):
        seen.append((len(grad_input), len(grad_output), grad_output[0]))
        return (grad_input[0] * 10,)

    net = Hooked()
    handle = net.relu.register_backward_hook(hook)
    first = ms.grad(net, (0, 1))(t(2.0, -3.0), t(4.0, 5.0))
    handle.remove()
    return first, list(seen), ms.grad(net, (0, 1))(t(2.0, -3.0), t(4.0, 5.0)), len(seen)


@case
def test_backward_hook_that_returns_nothing():
    def hook(cell, grad_input, grad_output):
        return None

    net = Hooked()
    net.relu.register_backward_hook(hook)
    return ms.grad(net, (0, 1))(t(2.0, -3.0), t(4.0, 5.0))


@case
def test_backward_pre_hook_replaces_the_incoming_gradient():
    def hook(cell, grad_output):
        return grad_output[0] * 10

    net = Hooked()
    net.relu.register_backward_pre_hook(hook)
    return ms.grad(net, (0, 1))(t(2.0, -3.0), t(4.0, 5.0))


@case
def test_forward_pre_hook_replaces_the_inputs():
    def hook(cell, inputs):
        return (inputs[0] * 2,)

    net = Hooked()
    handle = net.relu.register_forward_pre_hook(hook)
    first = net(t(2.0, 3.0), t(4.0, 5.0)), ms.grad(net)(t(2.0, 3.0), t(4.0, 5.0))
    handle.remove()
    return first, net(t(2.0, 3.0), t(4.0, 5.0))


@case
def test_forward_hook_replaces_the_output():
    def hook(cell, inputs, output):
        return output * inputs[0]

    net = Hooked()
    handle = net.relu.register_forward_hook(hook)
    first = net(t(2.0, 3.0), t(4.0, 5.0)), ms.grad(net)(t(2.0, 3.0), t(4.0, 5.0))
    handle.remove()
    return first, net(t(2.0, 3.0), t(4.0, 5.0))


@case
def test_hooks_run_in_the_order_of_registration():
    order = []
    net = Hooked()
    net.relu.register_forward_hook(lambda cell, inputs, output: order.append("forward one"))
    net.relu.register_forward_hook(lambda cell, inputs, output: order.append("forward two"))
    net.relu.register_forward_pre_hook(lambda cell, inputs: order.append("before"))
    net.relu.register_backward_hook(lambda cell, grad_input, grad_output: order.append("backward"))
    ms.grad(net)(t(2.0, 3.0), t(4.0, 5.0))
    return order


@case
def test_tensor_hook():
    def fn(x):
        y = x * x
        y.register_hook(lambda grad: grad * 10)
        return y * y

    return ms.grad(fn)(t(2.0, 3.0))


@case
def test_hook_on_a_parameter():
    w = ms.Parameter(t(2.0), name="w")
    handle = w.register_hook(lambda grad: grad * 10)
    first = ms.grad(lambda x: w * w * x, None, w)(t(3.0))
    handle.remove()
    return first, ms.grad(lambda x: w * w * x, None, w)(t(3.0))


@case(mode="BOTH")
def test_insert_gradient_of():
    def clip(dx):
        return ops.clip_by_value(dx, t(-1.0), t(1.0))

    clip_gradient = ops.InsertGradientOf(clip)

    def fn(x, y):
        return clip_gradient(x * y * y) * x

    return fn(t(2.0, 0.1), t(4.0, 0.2)), ms.grad(fn, (0, 1))(t(2.0, 0.1), t(4.0, 0.2))


@case
def test_hook_backward_primitive():
    hook = ops.HookBackward(lambda grad: grad[0] * 10)

    def fn(x):
        return hook(x * x) * x

    return ms.grad(fn)(t(2.0, 3.0))


@case(raises=True, mode="GRAPH")
def test_no_function_in_a_graph():
    class Empty(nn.Cell):
        def __init__(self):
            super().__init__()
            self.grad = ops.GradOperation()

        def construct(self, x):
            return self.grad()(x)

    Empty()(ms.Tensor([1.0]))


@case(raises="does not inherit attribute from 'cell'", mode="GRAPH")
def test_a_cell_without_its_init():
    class Bare(nn.Cell):
        def __init__(self):
            self.a = 1

        def construct(self):
            return self.a

    Bare()()


@case(raises="must have parameter 'self'", mode="GRAPH")
def test_a_construct_without_self():
    class Bare(nn.Cell):
        def construct(x):
            return x

    Bare()(ms.Tensor([1.0]))


@case
def test_a_gradient_by_a_shape():
    return ms.grad(lambda size: ops.ones(size, ms.float32))(ms.Tensor([2, 3]))


@case(raises=True)
def test_cross_entropy_of_integers():
    ops.cross_entropy(ms.Tensor([[1, 2]]), ms.Tensor([1], ms.int32), ms.Tensor([1.0, 1.0]))
