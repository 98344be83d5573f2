"""Attributes of layers that a program assigns after the layer was made: MindSpore's operators keep what they
were made with; what a layer reads when it is called counts from then on."""
import mindspore as ms
import numpy as np
from mindspore import Tensor, nn

from tests.reference.judge import case


def drawn(*shape):
    return Tensor(np.random.RandomState(0).randn(*shape).astype(np.float32))


def table(*shape):
    return Tensor(((np.arange(np.prod(shape)) % 7 - 3) * 0.1).reshape(shape).astype(np.float32))


def assigned(layer, inputs, values, late=False):
    """What ``layer`` gives or says after its attributes got ``values``; ``late``: after a call."""
    inputs = inputs if isinstance(inputs, tuple) else (inputs,)
    if late:
        layer(*inputs)
    for name, value in eval(f"dict({values})").items():
        setattr(layer, name, value)
    try:
        out = layer(*inputs)
        for one in out if isinstance(out, tuple) else (out,):
            if isinstance(one, Tensor):
                one.asnumpy()
        return out
    except (AttributeError, IndexError, RuntimeError, TypeError, ValueError) as err:
        return type(err).__name__, str(err).split("\n")[0]


def conv2d(**options):
    return nn.Conv2d(4, 4, 3, weight_init=table(4, 4, 3, 3), **options)


CONVOLUTIONS = ["stride=(2, 2)", "stride=2", "dilation=(2, 2)", "group=2", "padding=2",
                "pad_mode='valid'", "kernel_size=(1, 1)", "bias=table(4)"]


@case(each={"values": CONVOLUTIONS})
def test_convolution(values):
    return assigned(conv2d(), drawn(2, 4, 8, 8), values)


@case(each={"values": ["stride=(1, 2)", "dilation=(1, 2)", "group=2", "pad_mode='valid'"]})
def test_convolution_of_one_axis(values):
    return assigned(nn.Conv1d(4, 4, 3, weight_init=table(4, 4, 3)), drawn(2, 4, 8), values, late=True)


@case(each={"values": ["stride=(2, 2, 2)", "dilation=(2, 2, 2)", "pad_mode='valid'"]})
def test_convolution_of_three_axes(values):
    return assigned(nn.Conv3d(2, 2, 3, weight_init=table(2, 2, 3, 3, 3)), drawn(1, 2, 4, 4, 4), values)


@case(each={"values": ["pad_mode='valid'", "dilation=(2, 2)", "group=2", "kernel_size=(4, 4)"]})
def test_transposed_convolution(values):
    layer = nn.Conv2dTranspose(4, 4, 3, weight_init=table(4, 4, 3, 3))
    return assigned(layer, drawn(2, 4, 8, 8), values)


@case(each={"values": ["stride=(2, 2, 2)", "pad_mode='valid'", "group=2", "output_padding=(1, 1, 1)"]})
def test_transposed_convolution_of_three_axes(values):
    layer = nn.Conv3dTranspose(2, 2, 3, weight_init=table(2, 2, 3, 3, 3))
    return assigned(layer, drawn(1, 2, 4, 4, 4), values)


@case(each={"values": ["has_bias=True", "has_bias=True, bias=table(4)"]})
def test_bias_where_there_was_none(values):
    return assigned(conv2d(), drawn(2, 4, 8, 8), values)


@case(each={"values": ["has_bias=False", "bias=table(4)"]})
def test_bias_where_there_was_one(values):
    return assigned(conv2d(has_bias=True, bias_init="ones"), drawn(2, 4, 8, 8), values, late=True)


@case(each={"values": ["has_bias=False", "bias=None"]})
def test_bias_of_a_dense_layer(values):
    return assigned(nn.Dense(8, 4, table(4, 8), table(4)), drawn(3, 8), values)


@case(each={"values": ["has_bias=True", "bias=table(4)"]})
def test_bias_of_a_dense_layer_that_has_none(values):
    return assigned(nn.Dense(8, 4, table(4, 8), has_bias=False), drawn(3, 8), values)


@case(each={"values": ["eps=0.5", "momentum=0.5", "use_batch_statistics=False"]})
def test_batch_normalisation(values):
    layer = nn.BatchNorm2d(4).set_train()
    out = assigned(layer, drawn(2, 4, 8, 8), values, late=True)
    return out, layer.moving_mean, layer.moving_variance


@case(each={"values": ["eps=0.5", "momentum=0.5", "use_batch_statistics=True"]})
def test_batch_normalisation_in_evaluation(values):
    return assigned(nn.BatchNorm2d(4).set_train(False), drawn(2, 4, 8, 8), values)


@case(each={"values": ["epsilon=0.5", "begin_norm_axis=0", "begin_params_axis=0", "normalized_shape=(4,)"]})
def test_layer_normalisation(values):
    return assigned(nn.LayerNorm((8,)), drawn(2, 4, 8), values)


@case(each={"values": ["eps=0.5", "num_groups=4"]})
def test_group_normalisation(values):
    return assigned(nn.GroupNorm(2, 4), drawn(2, 4, 8, 8), values)


ACTIVATIONS = {"Softmax": "axis=1", "LogSoftmax": "axis=1", "Softmin": "axis=1", "ELU": "alpha=0.5",
               "CELU": "alpha=2.0", "HShrink": "lambd=0.1", "SoftShrink": "lambd=0.1",
               "LeakyReLU": "alpha=0.5", "GLU": "dim=1", "Hardtanh": "min_val=-0.1",
               "GELU": "approximate='none'"}


@case(each={"name": list(ACTIVATIONS)})
def test_activations(name):
    return assigned(getattr(nn, name)(), drawn(2, 4, 8), ACTIVATIONS[name])


@case(each={"form": ["none", "tanh", "sum", True]})
def test_form_of_gelu(form):
    layer = nn.GELU(False)
    return layer.approximate, assigned(layer, drawn(2, 4), f"approximate={form!r}")


@case(each={"values": ["kernel_size=2", "stride=2", "pad_mode='SAME'", "return_indices=True"]})
def test_max_pooling(values):
    return assigned(nn.MaxPool2d(3, 1), drawn(2, 4, 8, 8), values)


@case(each={"values": ["pad_mode='VALID'", "return_indices=True", "ceil_mode=True"]})
def test_padded_max_pooling(values):
    return assigned(nn.MaxPool2d(3, 2, "pad", 1), drawn(2, 4, 8, 8), values, late=True)


@case(each={"values": ["pad_mode='SAME'", "return_indices=True"]})
def test_max_pooling_of_three_axes(values):
    return assigned(nn.MaxPool3d(2, 1), drawn(1, 2, 4, 4, 4), values)


@case(each={"values": ["pad_mode='VALID'", "ceil_mode=True", "count_include_pad=False", "divisor_override=2"]})
def test_average_pooling(values):
    return assigned(nn.AvgPool2d(3, 2, "pad", 1), drawn(2, 4, 8, 8), values)


@case(each={"values": ["kernel_size=3", "stride=3", "norm_type=1"]})
def test_power_average_pooling(values):
    return assigned(nn.LPPool2d(2, 2, 2), abs(drawn(2, 4, 8, 8)), values)


ADAPTIVE = [("AvgPool1d", "output_size=3"), ("AvgPool2d", "output_size=3"), ("AvgPool3d", "output_size=3"),
            ("MaxPool1d", "output_size=3"), ("MaxPool2d", "output_size=3"), ("MaxPool2d", "return_indices=True"),
            ("MaxPool3d", "return_indices=True")]


@case(each={"one": ADAPTIVE})
def test_adaptive_pooling(one):
    name, values = one
    return assigned(getattr(nn, f"Adaptive{name}")(2), drawn(2, 4, *[6] * int(name[-2])), values)


MODES = ["CONSTANT", "REFLECT", "SYMMETRIC"]


@case(each={"made": MODES, "then": MODES})
def test_mode_of_padding(made, then):
    return assigned(nn.Pad(((1, 1), (1, 1)), made), drawn(3, 4), f"mode={then!r}")


@case(each={"name": ["LSTM", "GRU", "RNN"]})
def test_size_of_a_recurrent_layer(name):
    return assigned(getattr(nn, name)(4, 4), drawn(5, 2, 4), "hidden_size=5")


@case(each={"values": ["reduction='sum'", "reduction='none'", "sparse=False"]})
def test_softmax_cross_entropy(values):
    labels = table(3, 4) if "sparse" in values else Tensor([0, 1, 3], ms.int32)
    return assigned(nn.SoftmaxCrossEntropyWithLogits(True, "mean"), (drawn(3, 4), labels), values)


@case(each={"values": ["beta=0.2", "reduction='sum'"]})
def test_smooth_l1_loss(values):
    return assigned(nn.SmoothL1Loss(), (drawn(3, 4), table(3, 4)), values)


LOSSES = {"MSELoss": "reduction='sum'", "L1Loss": "reduction='sum'", "HuberLoss": "delta=0.1",
          "CrossEntropyLoss": "label_smoothing=0.3", "BCEWithLogitsLoss": "reduction='sum'"}


@case(each={"name": list(LOSSES)})
def test_losses(name):
    labels = Tensor([0, 1, 3], ms.int32) if name == "CrossEntropyLoss" else abs(table(3, 4))
    return assigned(getattr(nn, name)(), (drawn(3, 4), labels), LOSSES[name])


@case(each={"name": ["Dropout1d", "Dropout2d", "Dropout3d"]})
def test_share_of_dropped_channels(name):
    x = drawn(*{"Dropout1d": (2, 4, 8), "Dropout2d": (2, 4, 8, 8), "Dropout3d": (1, 2, 4, 4, 4)}[name])
    return assigned(getattr(nn, name)(0.0).set_train(), x, "keep_prob=0.3")


OPTIMIZERS = [("Momentum", "0.1, 0.9", "use_nesterov", True), ("SGD", "0.1, 0.9", "nesterov", True),
              ("SGD", "0.1, 0.9", "dampening", 0.3), ("Adam", "0.1", "use_nesterov", True),
              ("LazyAdam", "0.1", "use_nesterov", True), ("Momentum", "0.1, 0.9, 0.01, 2.0", "loss_scale", 4.0),
              ("Momentum", "0.1, 0.9, 0.01, 2.0", "reciprocal_scale", Tensor(0.25)),
              ("Momentum", "0.1, 0.9, 0.01", "exec_weight_decay", False), ("Adam", "0.1", "init_learning_rate", 0.5),
              *[(name, "0.1", setting, Tensor(0.5)) for name in ("Adam", "LazyAdam", "AdaMax")
                for setting in ("beta1", "beta2", "eps")],
              *[(name, "0.1, weight_decay=0.01", "weight_decay", Tensor(0.05))
                for name in ("SGD", "Adam", "AdamWeightDecay", "RMSProp")]]


@case(each={"one": OPTIMIZERS})
def test_optimizers_before_their_first_step(one):
    name, arguments, setting, value = one
    weight = ms.Parameter(drawn(4), name="weight")
    optimizer = eval(f"nn.{name}([weight], {arguments})")
    setattr(optimizer, setting, value)
    for _ in range(3):
        optimizer((table(4) + 0.3,))
    return weight
