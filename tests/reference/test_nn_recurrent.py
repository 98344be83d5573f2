"""Recurrent layers and Transformers: outputs, states, gradients, lengths, names, errors."""
import mindspore as ms
import numpy as np
from mindspore import nn

from tests.reference.judge import case, data
from tests.reference.test_nn_layers import seeded, total, with_gradients

KINDS = {"LSTM": nn.LSTM, "GRU": nn.GRU, "RNN": nn.RNN}
CELLS = {"LSTMCell": nn.LSTMCell, "GRUCell": nn.GRUCell, "RNNCell": nn.RNNCell}
# MindSpore's CPU kernel approximates tanh; torch's is right to the last bit.
CLOSE = {"atol": 2e-3, "rtol": 1e-3, "reason": "MindSpore's tanh is an approximation"}


def x(shape=(4, 2, 3)):
    return ms.Tensor(data(shape))


@case(each={"kind": list(KINDS), "options": [{}, {"num_layers": 2, "bidirectional": True},
                                             {"batch_first": True, "has_bias": False}]}, **CLOSE)
def test_layer_and_gradients(kind, options):
    return with_gradients(seeded(lambda: KINDS[kind](3, 4, **options)), x())


@case(each={"kind": list(KINDS), "bidirectional": [False, True]}, **CLOSE)
def test_sequence_lengths_and_initial_state(kind, bidirectional):
    layer = seeded(lambda: KINDS[kind](3, 4, bidirectional=bidirectional))
    state = ms.Tensor(data((2 if bidirectional else 1, 2, 4), seed=5))
    lengths = ms.Tensor(np.array([2, 4], np.int32))
    return layer(x(), (state, state * 2) if kind == "LSTM" else state, lengths)


@case(each={"mode": ["LSTM", "GRU", "RNN_TANH", "RNN_RELU"], "lengths": [None, [2, 4]], "biased": [True, False]},
      **CLOSE)
def test_layer_over_given_weights(mode, lengths, biased):
    rows = {"LSTM": 16, "GRU": 12}.get(mode, 4)
    weights = [ms.Tensor(data(s, seed=i)) for i, s in enumerate([(rows, 3), (rows, 4), (rows,), (rows,)])]
    state = ms.Tensor(data((2, 4), seed=5))
    if not biased:
        weights[2:] = [None, None]
    steps = None if lengths is None else ms.Tensor(np.array(lengths, np.int32))
    layer = nn.layer.rnns._DynamicRNNBase(mode)
    return layer(x(), (state, state * 2) if mode == "LSTM" else state, steps, *weights)


@case(each={"kind": list(KINDS)}, **CLOSE)
def test_same_weights_under_a_seed(kind):
    ms.set_seed(5)
    net = nn.SequentialCell(KINDS[kind](3, 4, 2, bidirectional=True))
    return [(key, p.name, p) for key, p in net.parameters_and_names()]


@case(each={"kind": list(KINDS)}, **CLOSE)
def test_dropout_between_layers(kind):
    ms.set_seed(5)
    layer = seeded(lambda: KINDS[kind](3, 4, 2, dropout=0.4)).set_train()
    return layer(x())


@case(each={"kind": list(CELLS)}, **CLOSE)
def test_cell(kind):
    ms.set_seed(2)
    cell = CELLS[kind](3, 4)
    state = ms.Tensor(data((2, 4), seed=5))
    y = cell(x((2, 3)), (state, state) if kind == "LSTMCell" else state)
    return y, [(key, p) for key, p in cell.parameters_and_names()], repr(cell)


@case
def test_relu_network():
    return seeded(lambda: nn.RNN(3, 4, nonlinearity="relu"))(x())


@case(each={"kind": list(KINDS)})
def test_representation(kind):
    return repr(KINDS[kind](3, 4, 2, dropout=0.1))


WRONG = {
    "dropout": lambda: nn.LSTM(3, 4, dropout=1), "hidden": lambda: nn.LSTM(3, 0),
    "state": lambda: nn.GRU(3, 4)(x(), (x(), x())),
    "state of one": lambda: nn.LSTM(3, 4)(x(), ms.Tensor(data((1, 2, 4)))),
    "nonlinearity": lambda: nn.RNN(3, 4, nonlinearity="sine"),
    "lengths": lambda: nn.LSTM(3, 4)(x(), seq_length=ms.Tensor(np.array([1, 2, 3], np.int32))),
    "features": lambda: nn.LSTM(3, 4)(x((4, 2, 5))), "bias": lambda: nn.GRUCell(3, 4, 1),
}


@case(raises="For", each={"what": [w for w in WRONG if "state" not in w]})
def test_errors(what):
    return WRONG[what]()


@case(each={"batch_first": [False, True], "mask": [False, True]}, **CLOSE)
def test_attention(batch_first, mask):
    layer = seeded(lambda: nn.MultiheadAttention(4, 2, batch_first=batch_first))
    q, k = ms.Tensor(data((3, 3, 4))), ms.Tensor(data((3, 3, 4), seed=1))
    allowed = ms.Tensor(np.triu(np.ones((3, 3), bool), 1)) if mask else None
    padding = ms.Tensor(np.array([[False, False, True]] * 3)) if mask else None
    return layer(q, k, k, key_padding_mask=padding, attn_mask=allowed), layer(q, q, q, need_weights=False)


@case(**CLOSE)
def test_attention_of_other_widths():
    layer = seeded(lambda: nn.MultiheadAttention(4, 2, kdim=3, vdim=5, add_bias_kv=True, add_zero_attn=True))
    return layer(ms.Tensor(data((3, 2, 4))), ms.Tensor(data((5, 2, 3))), ms.Tensor(data((5, 2, 5))),
                 average_attn_weights=False)


@case(each={"norm_first": [False, True], "activation": ["relu", "gelu"]}, **CLOSE)
def test_encoder_layer(norm_first, activation):
    layer = seeded(lambda: nn.TransformerEncoderLayer(4, 2, 8, activation=activation, norm_first=norm_first))
    return with_gradients(layer, ms.Tensor(data((3, 2, 4))))


@case(**CLOSE)
def test_transformer():
    net = seeded(lambda: nn.Transformer(4, 2, 2, 2, 8, dropout=0.0))

    def forward(src, tgt):
        return total(net(src, tgt))

    src, tgt = ms.Tensor(data((3, 2, 4))), ms.Tensor(data((5, 2, 4), seed=1))
    return net(src, tgt), ms.grad(forward, (0, 1))(src, tgt), [(k, p.shape) for k,
                                                               p in net.parameters_and_names()]


@case
def test_transformer_weights_under_a_seed():
    ms.set_seed(4)
    net = nn.Transformer(4, 2, 1, 1, 8)
    return list(net.get_parameters())


@case
def test_transformer_representation():
    return repr(nn.TransformerEncoder(nn.TransformerEncoderLayer(4, 2, 8),
                                      2)), repr(nn.TransformerDecoderLayer(4, 2))
