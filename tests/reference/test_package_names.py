"""What whole packages take from MindSpore beyond its public functions: mindone, mindformers, mindnlp."""
import mindspore as ms
import numpy as np
from mindspore import mint, nn, ops
from mindspore._c_expression.amp import AmpLevel
from mindspore.ops.function import nn_func

from tests.reference.judge import case, data
from tests.reference.networks import t


@case(each=[{"arguments": given} for given in [(3, 3, 3), (2, 2, 2)]])
def test_attention_tells_whether_its_inputs_are_batched(arguments):
    return nn_func._check_qkv_shape(*arguments)


@case(each=[{"check": "_check_qkv_shape", "arguments": given} for given in [(4, 3, 3), (3, 2, 3), (2, 2, 3)]]
      + [{"check": "_check_kpm_shape", "arguments": given} for given in [(3, 1), (2, 2)]]
      + [{"check": "_check_attn_mask_shape", "arguments": given}
         for given in [(3, (4, 2, 8), (4, 2, 8), 1, (4,), 2), (2, (4, 8), (5, 8), 1, (4,), 2),
                       (2, (4, 8), (5, 8), 3, (2, 4, 4), 2)]],
      raises=True)
def test_attention_refuses_shapes(check, arguments):
    getattr(nn_func, check)(*arguments)


@case(each={"shared": [(True, True), (True, False), (False, False)], "bias": [True, False]})
def test_packed_projection_of_attention(shared, bias):
    query = ms.Tensor(data((3, 2, 4)))
    key = query if shared[1] else ms.Tensor(data((5, 2, 4), seed=1))
    value = key if shared[0] else ms.Tensor(data((5, 2, 4), seed=2))
    weight, b = ms.Tensor(data((12, 4), seed=3)), ms.Tensor(data((12,), seed=4)) if bias else None
    return nn_func._in_projection_packed(query, key, value, weight, b, *shared)


@case(each={"width": [6, 4]})
def test_separate_projections_of_attention(width):
    query, key, value = (ms.Tensor(data((3, 2, n), seed=n)) for n in (4, width, 5))
    weights = [ms.Tensor(data((4, n), seed=9 + n)) for n in (4, width, 5)]
    return nn_func._in_projection(query, key, value, *weights, ms.Tensor(data((4,))))


@case(raises=True)
def test_separate_projections_refuse_a_weight():
    x = ms.Tensor(data((3, 2, 4)))
    nn_func._in_projection(x, x, x, *[ms.Tensor(data((5, 4)))] * 3)


@case
def test_padding_of_masks():
    return nn_func._inner_pad(ms.Tensor(np.array([[True, False]])), (0, 1)), nn_func._inner_pad(
        ms.Tensor(data((2, 2))), (1, 0), value=2.0)


@case(each={"kind": ["plain", "mask", "bool mask", "padding", "biases", "zeros", "separate", "unbatched"],
            "average": [True, False]})
def test_attention_as_a_function(kind, average):
    shape = (3, 4) if kind == "unbatched" else (3, 2, 4)
    x, y = ms.Tensor(data(shape)), ms.Tensor(data((5, *shape[1:]), seed=1))
    packed, b, out = (ms.Tensor(data(s, seed=9)) for s in [(12, 4), (12,), (4, 4)])
    more = {"mask": {"attn_mask": ms.Tensor(data((3, 5), seed=2))},
            "bool mask": {"attn_mask": ms.Tensor(data((3, 5), seed=2) > 1)},
            "padding": {"key_padding_mask": ms.Tensor(np.arange(10).reshape(2, 5) % 4 == 0)},
            "separate": {"use_separate_proj_weight": True, "q_proj_weight": out, "k_proj_weight": packed[:4],
                         "v_proj_weight": packed[4:8]}}.get(kind, {})
    ends = [ms.Tensor(data((1, 1, 4), seed=s)) for s in (5, 6)] if kind == "biases" else [None, None]
    return nn_func.multi_head_attention_forward(
        x, y, y, 4, 2, None if kind == "separate" else packed, b, *ends, kind == "zeros", 0.0, out,
        ms.Tensor(data((4,))), average_attn_weights=average, k_is_v=True, **more)


@case(each={"width": [6, 5]}, raises=True)
def test_attention_as_a_function_refuses_widths(width):
    x = ms.Tensor(data((3, 2, width)))
    nn_func.multi_head_attention_forward(x, x, x, 5, 2, x, None, None, None, False, 0.0, x, None)


@case
def test_levels_of_mixed_precision_by_their_private_name():
    return {name: level.value for name, level in AmpLevel.__members__.items()}


@case(each={"layer, part": [("ReLU", "relu"), ("Sigmoid", "sigmoid"), ("Tanh", "tanh"),
                            ("FastGelu", "fast_gelu"), ("HSwish", "hswish"), ("Softmax", "softmax"),
                            ("LogSoftmax", "log_softmax")]})
def test_operators_that_activations_keep(**layer_and_part):
    (layer, part), = layer_and_part.values()
    operator = getattr(getattr(nn, layer)(), part)
    return operator.name, operator.shard(((1, 1),)) is operator, operator(ms.Tensor(data((2, 3))))


class Positions(nn.Cell):
    """Integer parameters, an index and a factor, among the trainable ones."""

    def __init__(self):
        super().__init__()
        self.index = ms.Parameter(ms.Tensor([1, 0, 1]), name="index")
        self.table = ms.Parameter(t([[1.0, 2.0], [3.0, 4.0]]), name="table")
        self.factor = ms.Parameter(ms.Tensor([2, 3], ms.int32), name="factor")

    def construct(self, x):
        return x * self.table[self.index] * self.factor * self.factor


@case(each={"sens": [False, True], "recorded": [False, True]})
def test_gradients_of_integer_parameters(sens, recorded):
    net, x = Positions(), t(2.0, 5.0)
    if recorded:
        net.set_grad()
        net(x)
    whole = ms.Tensor(data((3, 2)).round() + 2)      # MindSpore rounds at every use of an integer
    grad = ops.GradOperation(get_all=True, get_by_list=True, sens_param=sens)
    return grad(net, ms.ParameterTuple(net.trainable_params()))(x, *[whole] * sens)


@case
def test_an_integer_parameter_alone():
    net = Positions()
    return ms.grad(net, None, net.factor)(t(2.0, 5.0)), ms.grad(net, None, net.index)(t(2.0, 5.0))


@case
def test_attributes_of_mint_convolutions_that_subclasses_use():
    around = [mint.nn.Conv1d(2, 2, 3, padding="same", dilation=3, padding_mode="reflect")._reversed_padding,
              mint.nn.Conv2d(2, 2, 3, padding=(1, 2), padding_mode="reflect")._reversed_padding]
    return callable(mint.nn.Conv2d(2, 2, 3).conv2d), [list(sides) for sides in around]


@case(raises=True)
def test_where_of_mint_wants_both_or_none():
    return mint.where(ms.Tensor([True, False]), None, ms.Tensor([1.0]))
