"""Mixed precision: the dtypes and numbers that the amp levels give, and training with them."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import Model, Parameter, Tensor, amp, nn, ops

from tests.reference.judge import case, data

HALF = "float16 arithmetic in another order"


def weight(*shape, seed=0):
    return Tensor(data(shape, seed=seed) * 0.3)


class Own(nn.Cell):
    """Operators on Parameters, constants and casts; every intermediate is returned."""

    def __init__(self):
        super().__init__()
        self.w = Parameter(weight(6), name="w")
        self.k = Parameter(weight(6, 6), name="k")
        self.t = weight(6, seed=1)
        self.relu, self.mm, self.mul = ops.ReLU(), ops.MatMul(), ops.Mul()
        self.dense = nn.Dense(6, 6, weight_init=weight(6, 6), bias_init=weight(6))
        self.norm = nn.LayerNorm((6,))
        self.embedding = nn.Embedding(5, 6, embedding_table=weight(5, 6))

    def construct(self, x, i):
        a = x * self.w
        b = self.relu(a)
        c = self.mm(b, self.k)
        d = c + self.t
        e = ops.softmax(c)
        f = self.mul(e, 2.5)
        g = ops.cast(f, ms.float32)
        h = g * self.w
        j = ops.cast(f, ms.float32) + 1
        m = self.dense(g)
        n = self.norm(ops.cast(c, ms.float32))
        p = self.embedding(i)
        q = ops.zeros((6,), ms.float32) + x
        return a, b, c, d, e, f, g, h, j, m, n, p, q, i + 1, x, self.w * 1


X, INDEX = data((4, 6), seed=2), np.array([0, 1, 2, 3], np.int32)


@case(mode="GRAPH", rtol=2e-3, atol=3e-3, reason=HALF)
def test_to_float_of_a_cell():
    return Own().to_float(ms.float16)(Tensor(X), Tensor(INDEX))


@case(each={"name": ["Sigmoid", "SiLU", "LogSigmoid", "Tanh", "ReLU6", "HSwish", "Mish"]}, rtol=2e-3, reason=HALF)
def test_to_float_of_an_activation(name):
    return getattr(nn, name)().to_float(ms.float16)(Tensor(data((2, 3))))


@case(mode="GRAPH")
def test_to_float32_of_a_cell():
    return Own().to_float(ms.float32)(Tensor(X), Tensor(INDEX))


@case(mode="GRAPH", rtol=2e-3, atol=1e-3, reason=HALF)
def test_constants_are_as_before_after_a_low_call():
    cell = Own().to_float(ms.float16)
    cell(Tensor(X), Tensor(INDEX))
    return cell.t, [str(p) for p in cell.get_parameters()]


class Net(nn.Cell):
    """Convolution, normalisation, dense layers and operators of one's own."""

    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(2, 3, 3, pad_mode="same", weight_init=weight(3, 2, 3, 3), has_bias=True,
                              bias_init=weight(3))
        self.bn = nn.BatchNorm2d(3)
        self.relu = nn.ReLU()
        self.pool = nn.MaxPool2d(2, 2)
        self.flatten = nn.Flatten()
        first = nn.Dense(12, 6, weight_init=weight(6, 12), bias_init=weight(6), activation="relu")
        self.layers = nn.SequentialCell(
            [first, nn.LayerNorm((6,)), nn.Dense(6, 6, weight_init=weight(6, 6), bias_init=weight(6))]
        )
        self.k = Parameter(weight(6, 3), name="k")
        self.matmul, self.act = ops.MatMul(), ops.ReLU()

    def construct(self, x):
        x = self.pool(self.relu(self.bn(self.conv(x))))
        x = self.layers(self.flatten(x))
        y = self.act(x)
        return self.matmul(y, self.k)


IMAGES, LABELS = data((8, 2, 4, 4), seed=3), np.arange(8, dtype=np.int32) % 3


@case(each={"level": ["O0", "O1", "O2", "O3", "auto"], "training": [False, True]}, mode="BOTH", rtol=2e-3,
      atol=2e-3, reason=HALF)  # fmt: skip
def test_levels(level, training):
    net = amp.auto_mixed_precision(Net(), level).set_train(training)
    return net(Tensor(IMAGES)), [str(p) for p in net.get_parameters()]


class Brain(nn.Cell):
    """Operators that the real one has for bfloat16 on the CPU."""

    def __init__(self):
        super().__init__()
        self.w = Parameter(weight(6), name="w")
        self.mul, self.add = ops.Mul(), ops.Add()

    def construct(self, x):
        y = self.add(self.mul(x, self.w), x)
        return y, ops.cast(y, ms.float32) * self.w


@case(each={"level": ["O1", "O2", "O3", "auto"]}, mode="BOTH", rtol=1.6e-2, atol=1e-2, reason="bfloat16")
def test_levels_in_bfloat16(level):
    y, z = amp.auto_mixed_precision(Brain(), level, ms.bfloat16)(Tensor(X))
    return y.astype(ms.float32), z.astype(ms.float32), str(y.dtype), str(z.dtype)


@case(mode="BOTH", rtol=2e-3, atol=2e-3, reason=HALF,
      each=[{"white": "Dense", "black": ""}, {"white": "Conv2d LayerNorm", "black": ""},
            {"white": "", "black": "Conv2d"}, {"white": "", "black": "BatchNorm2d Dense"}])  # fmt: skip
def test_custom_lists(white, black):
    lists = {"white_list": white, "black_list": black}
    chosen = {key: [getattr(nn, name) for name in names.split()] for key, names in lists.items() if names}
    return amp.custom_mixed_precision(Net(), **chosen)(Tensor(IMAGES))


@case(rtol=2e-3, atol=2e-3, reason=HALF, each={"level": ["O1", "O2", "auto"]})
def test_precision_that_the_user_set(level):
    net = Net()
    net.layers.to_float(ms.float32)
    return amp.auto_mixed_precision(net, level)(Tensor(IMAGES))


@case(rtol=2e-3, atol=1e-4, reason=HALF)
def test_level_o1_shares_parameters_and_lowers_the_layers_of_the_network_itself():
    net = Net()
    low = amp.auto_mixed_precision(net, "O1")
    low.conv.bias.set_data(Tensor([1.0, 2.0, 3.0]))
    return net(Tensor(IMAGES)), low(Tensor(IMAGES)), net.conv.bias, low is net, low.conv is net.conv


@case
def test_integers_pass_through_a_low_network():
    return amp.auto_mixed_precision(nn.Flatten(), "O2")(Tensor([[1, 2]]))


@case
def test_function_by_operator():
    def function(x, k):
        return ops.MatMul()(x, k), ops.exp(x), x + 1

    low = amp.auto_mixed_precision(function, "auto")
    found = low(Tensor(X), Tensor(data((6, 2))))
    return found, [str(out.dtype) for out in found]


@case
def test_lists():
    from mindspore.train import amp as train

    lists = (amp.get_white_list(), amp.get_black_list(), train.AMP_AUTO_WHITE_LIST, train.AMP_AUTO_BLACK_LIST)
    return [[kind.__name__ for kind in kinds] for kinds in lists]


@case(raises=True, each=[{"level": "O1", "dtype": ms.float32}, {"level": "O7", "dtype": ms.float16}])
def test_bad_level_or_dtype(level, dtype):
    return amp.auto_mixed_precision(nn.ReLU(), level, dtype)


@case(raises=True, each={"level": ["O1", "auto"]})
def test_no_cell(level):
    return amp.auto_mixed_precision(3, level)


@case(
    raises=True,
    each=[
        {"arguments": {}},
        {"arguments": {"white_list": [], "black_list": []}},
        {"arguments": {"white_list": 3}},
        {"arguments": {"white_list": [3]}},
        {"arguments": {"white_list": [int]}},
        {"arguments": {"black_list": ["nn.ReLU"]}},
    ],
)
def test_bad_custom_lists(arguments):
    return amp.custom_mixed_precision(nn.ReLU(), **arguments)


# Training


def parts():
    net = Net()
    return net, nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean"), nn.Momentum(
        net.trainable_params(), 0.05, 0.9)  # fmt: skip


def three_steps(train):
    losses = [train(Tensor(IMAGES), Tensor(LABELS)) for _ in range(3)]
    return losses, [p.value() for p in train.trainable_params()]


PYNATIVE = "; the real PyNative's float16 BatchNorm has other gradients than its graph"


@case(mode="BOTH", judge="GRAPH", rtol=1e-2, atol=5e-3, reason=HALF + PYNATIVE, each=[
    {"level": "O0", "options": {}},
    {"level": "O1", "options": {}},
    {"level": "O2", "options": {"loss_scale_manager": None}},
    {"level": "O3", "options": {}},
    {"level": "auto", "options": {}},
    {"level": "O0", "options": {"cast_model_type": ms.float16}},
    {"level": "O0", "options": {"cast_model_type": ms.float16, "keep_batchnorm_fp32": True}},
    {"level": "O2", "options": {"keep_batchnorm_fp32": False, "loss_scale_manager": None}},
    {"level": "O2", "options": {"cast_model_type": ms.float32, "loss_scale_manager": None}},
])  # fmt: skip
def test_train_networks(level, options):
    net, loss, optimizer = parts()
    return three_steps(amp.build_train_network(net, optimizer, loss, level=level, **options))


@case(judge="GRAPH", rtol=1e-2, atol=5e-3, reason=HALF + PYNATIVE, each={"level": ["O0", "O3"]})
def test_fixed_loss_scale_without_a_check(level):
    net, loss, _ = parts()
    optimizer = nn.Momentum(net.trainable_params(), 0.05, 0.9, loss_scale=128.0)
    manager = amp.FixedLossScaleManager(128.0, drop_overflow_update=False)
    return three_steps(amp.build_train_network(net, optimizer, loss, level=level, loss_scale_manager=manager))


@case(mode="BOTH", rtol=1e-2, atol=5e-3, reason=HALF, each={"level": ["O0", "O1", "O3", "auto"]})
def test_model(level):
    net, loss, optimizer = parts()
    model = Model(net, loss, optimizer, metrics={"loss": nn.Loss()}, amp_level=level)
    model.train(2, ds.NumpySlicesDataset({"x": IMAGES, "y": LABELS}, shuffle=False).batch(4))
    loss = model.eval(ds.NumpySlicesDataset({"x": IMAGES, "y": LABELS}, shuffle=False).batch(4))["loss"]
    return float(loss), str(model.predict(Tensor(IMAGES)).dtype)


@case(raises=True, each=[
    {"options": {"level": "O7"}}, {"options": {"level": 2}}, {"options": {"boost_level": "O9"}},
    {"options": {"speed": 1}}, {"options": {"cast_model_type": ms.int32}},
    {"options": {"keep_batchnorm_fp32": 1}},
])  # fmt: skip
def test_bad_arguments_of_build_train_network(options):
    net, loss, optimizer = parts()
    return amp.build_train_network(net, optimizer, loss, **options)


@case(raises="The type of 'loss_scale_manager' should be")
def test_a_manager_that_is_none():
    net, loss, optimizer = parts()
    return amp.build_train_network(net, optimizer, loss, loss_scale_manager=3)


@case(raises="The type of 'optimizer' should be")
def test_an_optimizer_that_is_none():
    return amp.build_train_network(nn.ReLU(), 3)


@case(raises=True)
def test_amp_level_without_an_optimizer():
    return Model(nn.ReLU(), amp_level="O2")


@case(each={"name": ["addn", "concat"], "dtypes": [
    (ms.float16, ms.float32, ms.float16), (ms.float16, ms.float16, ms.float32), (ms.float16,) * 3,
    (ms.float32, ms.bfloat16, ms.float32), (ms.float16, ms.bfloat16, ms.float16)]})
def test_inputs_that_must_agree_take_the_widest(name, dtypes):
    joined = amp.auto_mixed_precision(lambda *tensors: getattr(ms.ops, name)(tensors), "auto")
    return joined(*(Tensor([1.0, number], dtype) for number, dtype in enumerate(dtypes)))


class Again(nn.Cell):
    def __init__(self):
        super().__init__()
        self.dense = nn.Dense(6, 6, weight_init=weight(6, 6), bias_init=weight(6))
        self.dense.recompute()

    def construct(self, x):
        return ops.softmax(self.dense(x)).square().sum()


@case(each={"dtype": [ms.float16, ms.float32]}, rtol=2e-3, atol=1e-4, reason=HALF)
def test_what_is_computed_again_is_cast_again(dtype):
    net = amp.auto_mixed_precision(Again(), "auto", ms.float16)
    found = ms.grad(net, 0, net.trainable_params())(Tensor(data((3, 6)), dtype))
    return found[0], [one.dtype for one in found[1]], found[1]
