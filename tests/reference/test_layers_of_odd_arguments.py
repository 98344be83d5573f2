"""Layers of odd arguments: which MindSpore makes, what it says when they are called, and which it computes."""

import mindspore as ms
import numpy as np
from mindspore import Model, Parameter, Tensor, mint, nn, ops

from tests.reference.judge import case
from tests.reference.test_wrong_calls import T, said


def outcome(make, *inputs):
    """What a layer computes, or what it says where it is made or called."""
    ms.set_context(pynative_synchronize=True)

    def run():
        return make()(*inputs)

    answer = said(run, (), {})
    return run() if answer == "value" else answer


def loss_scale(scale, factor=2, window=3, overflow=True):
    cell = nn.DynamicLossScaleUpdateCell(1024, factor, window)
    answer = outcome(lambda: cell, scale, overflow if isinstance(overflow, Tensor) else Tensor(overflow))
    return answer, scale


@case()
def test_loss_scales_in_tensors():
    return (loss_scale(Tensor(1024.0)), loss_scale(Tensor(1024.0), window=1, overflow=False), loss_scale(T(2)),
            loss_scale(Tensor([1024.0])), loss_scale(Tensor(8.0), 0.0))


@case()
def test_loss_scales_of_other_shapes():
    return [loss_scale(Tensor(1024.0), *given) for given in (([],), ([2.0],), ((0.5, 0.2),), (2, [3]), (2, []),
                                                            (2, [3, 4]), (2, 3, Tensor([True, False])))] + [
        loss_scale(Parameter(Tensor(1024.0)), [2.0])[0]]


@case(each={"size": [-1, -2, (2, -1), (2, -2), 0, (0, 2), (2,), [], ["a"], "ab", None, (None, 2), True, (True, 2)]})
def test_sizes_of_adaptive_pooling(size):
    x = T(2, 3, 6, 6)
    return (outcome(lambda: nn.AdaptiveMaxPool2d(size), x), outcome(lambda: nn.AdaptiveMaxPool2d(size, True), x),
            outcome(lambda: lambda x: ops.adaptive_max_pool2d(x, size), x))


@case()
def test_adaptive_pooling_of_other_numbers():
    x = T(2, 3, 6, 6)
    return [outcome(lambda size=size: nn.AdaptiveMaxPool2d(size), x) for size in (Tensor([2, 2]), np.array([2, 2]))] + [
        mint.nn.functional.adaptive_max_pool2d(x, -1)]


def fractional(kernel, size, samples, *shape):
    return outcome(lambda: nn.FractionalMaxPool2d(kernel, size, _random_samples=samples), T(*shape))


@case()
def test_pooling_at_random_places():
    samples = Tensor(np.full((2, 3, 2), 0.3, np.float32))
    return (fractional(2, (2, 3), samples, 2, 5, 6, 6), fractional(2, 255, samples, 2, 3, 6, 6),
            fractional(2, (2, 255), samples, 2, 3, 6, 6), fractional(9, (2, 2), samples, 2, 3, 6, 6),
            fractional(2, (2, 2), 255, 2, 3, 6, 6), fractional(2, (2, 2), samples, 2, 3))


@case(each={"layer": [nn.ReplicationPad1d, nn.ReplicationPad2d, nn.ReplicationPad3d]})
def test_ranks_of_padding_by_edges(layer):
    return [outcome(lambda padding=padding: layer(padding), T(*range(2, 2 + rank)))
            for padding in (1, (1, 1)) for rank in (2, 3, 4, 5)]


@case()
def test_padding_that_takes_away():
    x = T(2, 3, 6, 6)
    return ([outcome(lambda n=n: nn.ReplicationPad2d(n), x) for n in (-7, -3, -2, (-7, 8, 0, 0))],
            outcome(lambda: nn.ZeroPad2d(-7), x), outcome(lambda: nn.ConstantPad1d(-7, 1), x))


@case()
def test_padding_by_bools():
    x = T(2, 3, 6)
    return [outcome(lambda layer=layer, given=given: layer(*given), x) for layer, given in (
        (nn.ReplicationPad2d, (True,)), (nn.ReplicationPad2d, ((1, True),)), (nn.ZeroPad2d, (True,)),
        (nn.ConstantPad1d, ((1, False), 1)), (nn.ReflectionPad1d, (True,)), (nn.ReflectionPad1d, ((True, 1),)))]


@case()
def test_padding_of_nothing():
    return ([outcome(lambda layer=layer: layer(1), T(0, 3, 4)) for layer in (
        nn.ReflectionPad1d, nn.ReflectionPad2d, nn.ReplicationPad2d)], outcome(lambda: nn.ReplicationPad1d(1), T(0, 3)))


class Scaled(nn.Cell):
    def __init__(self):
        super().__init__()
        self.w = Parameter(T(2, 3), name="w")

    def construct(self, x):
        return (x * self.w).sum()


@case()
def test_missing_inputs_are_those_of_the_network_inside():
    def trained():
        net = Scaled()
        return nn.TrainOneStepCell(net, nn.SGD(net.trainable_params(), 0.1))

    return (outcome(trained), outcome(trained, T(2, 3), T(2, 3)), outcome(lambda: nn.ForwardValueAndGrad(Scaled())),
            outcome(lambda: nn.WithGradCell(Scaled())), outcome(lambda: nn.MicroBatchInterleaved(nn.ReLU(), 2)),
            outcome(lambda: nn.PipelineCell(nn.ReLU(), 2)), outcome(lambda: nn.WithLossCell(nn.ReLU(), nn.MSELoss())),
            outcome(lambda: nn.InstanceNorm2d(3)), outcome(lambda: nn.TrainOneStepCell(Scaled(), nn.ReLU())))


@case(each={"dtype": [ms.bool_, ms.int32, ms.float16, ms.float32]})
def test_parts_of_a_batch_become_floats(dtype):
    return outcome(lambda: nn.MicroBatchInterleaved(nn.ReLU(), 2), T(4, 3).astype(dtype))


@case()
def test_axes():
    x = T(2, 3)
    return ([outcome(lambda a=a: nn.Moments(a), x) for a in ((3, 3), (1, 1), 2**40, (0, 1))],
            [outcome(lambda a=a, layer=layer: layer(a), x) for layer in (nn.Softmax, nn.Softmin)
             for a in ((1, 2), (-3,), None, [1])], [outcome(lambda a=a: nn.GLU(a), T(2, 4)) for a in (2**31, -3, 0)])


@case()
def test_numbers_of_numpy_and_tensors():
    x = T(2, 3)
    return [outcome(make, x) for make in (
        lambda: nn.LayerNorm((3,), epsilon=np.float32(1e-5)), lambda: nn.LayerNorm((3,), epsilon=np.int64(1)),
        lambda: nn.Hardtanh(-1.0, np.float64(0.5)), lambda: nn.Hardtanh(-1.0, np.float32(0.5)),
        lambda: nn.Threshold(0.1, np.float64(0.5)), lambda: nn.ELU(T(2)), lambda: nn.CELU(T(2)))]


@case()
def test_bounds_that_have_no_order():
    return [said(nn.Hardtanh, given, {}) for given in ((nn.ReLU(),), (None, 1), (-1.0, range(3)), (2, 1), ("a", 1))] + [
        outcome(lambda given=given: nn.Hardtanh(*given), T(2, 3)) for given in (("a", "b"), ([1], [2]))]


@case()
def test_inputs_that_are_no_tensors():
    x = np.ones((2, 3), np.float32)
    return ([outcome(lambda layer=layer: layer(3, 2), x) for layer in (nn.RNN, nn.LSTM, nn.GRU)],
            outcome(lambda: nn.LSTM(3, 2), T(2, 3), T(2, 3)), outcome(nn.RReLU, x), outcome(lambda: nn.Roll(1, 0), [1, 2]),
            outcome(lambda: nn.Conv1d(3, 2, 2), [1, 2]))


@case()
def test_arguments_of_windows():
    x = T(2, 3, 6, 6)
    return ([outcome(lambda n=n: nn.AvgPool2d(2, **n), x) for n in (
        {"ceil_mode": ""}, {"ceil_mode": 1}, {"ceil_mode": "", "count_include_pad": False},
        {"ceil_mode": 0, "divisor_override": 3}, {"count_include_pad": 0}, {"count_include_pad": 3})],
        outcome(lambda: nn.MaxPool2d(2, padding=False), x), outcome(lambda: nn.MaxPool3d(2, 1, "pad", 1), T(2)),
        [said(nn.Unfold, ([1, 2, 2, 1], [1, 1, 1, 1], n), {}) for n in (1, 0.0, len)],
        [outcome(lambda n=n: nn.PixelUnshuffle(n), T(2, 3)) for n in (1, 2, 1e10)])


@case()
def test_arguments_of_powers_of_windows():
    return ([outcome(lambda: nn.LPPool2d(2, 2), T(*shape)) for shape in ((0, 3), (0, 3, 4, 4))],
            [outcome(lambda: nn.LPPool1d(2, 2), T(*shape)) for shape in ((0, 3), (0, 3, 4))],
            outcome(lambda: nn.LPPool1d(1.0, 255), T(2, 3, 6)), outcome(lambda: nn.LPPool2d(False, 2), T(2, 3, 6, 6)),
            [outcome(lambda given=given: nn.LPPool2d(2, *given), T(2, 3, 6, 6)) for given in (
                (-0.0,), ((2, 1), []), ((2, 1), ()), ((2, 1), [1, 1]))])


@case()
def test_attention():
    x = T(2, 3, 4)
    return ([outcome(lambda d=d: nn.MultiheadAttention(4, 1, dropout=d), x, x, x) for d in ((2, 2), "a", None)],
            [outcome(lambda n=n: nn.MultiheadAttention(4, 2, **n), x, x, x) for n in ({"kdim": 2}, {"vdim": 2})],
            [outcome(lambda: nn.TransformerEncoderLayer(4, 2, 8, norm_first=True), T(2, 3).astype(d))
             for d in (ms.int32, ms.bool_)])


@case()
def test_epochs_to_build_for():
    model = Model(nn.Dense(3, 2), nn.MSELoss())
    return [said(model.build, (), {"epoch": n}) for n in ("a", 0, True, -1, 1.5)]


POOLS = """
MaxPool2d((1, True), 1, "pad") MaxPool2d((1, 1), (True, 1)) MaxPool3d((1, True, 1), 1, "pad")
MaxPool3d(1, (1, 1, True), "pad", dilation=2) MaxPool3d((1, 1), 1) MaxPool3d((1, 1), 1, "pad", dilation=2)
AvgPool3d(1, (1, True, 1)) AvgPool3d((1, 1), 1) AvgPool2d((1, True), 1, "valid", 0, True) AvgPool2d((1, True), 1)
AvgPool2d((1, 2, 2), ceil_mode=True) MaxPool2d(3, 1, "pad", 1, (True, 1)) MaxPool2d(3, 1, "pad", 1, (1.5,))
MaxPool2d(3, 1, "pad", 1, (0, 1)) MaxPool2d(3, 1, "pad", 1, ((1,), 1)) MaxPool1d(3, 1, "pad", 1, (None,))
MaxPool1d(3, 1, "pad", 1, ((1, 1, 2),)) MaxPool1d(3, 1, "pad", 1, 0) MaxPool3d(3, 1, "pad", 1, (1, 1, 1.5))
MaxPool3d(3, 1, "pad", 1, (None,)) MaxPool3d(3, 1, "pad", 1, Tensor(2)) MaxPool3d(3, 1, "pad", 1, Tensor(1))
MaxPool3d(3, 1, "pad", 1, np.int64(1)) MaxPool3d(3, 1, "pad", 1, 1.0) MaxPool3d(3, 1, "pad", 1, np.int64(2))
MaxPool3d(3, 1, "pad", 1, np.int64(1), True) MaxPool3d(3, 1, "pad", 1, (1, 1, 1, 1, 1)) AvgPool3d(3, 1, "pad", -1)
AvgPool1d(3, 1, "valid", -1) AvgPool2d(3, 1, "pad", -1) AvgPool1d((1, 2)) AvgPool1d((None,)) AvgPool1d(1, ())
MaxPool1d(((1, 2),)) MaxPool1d((1, 2)) AvgPool1d((2,), (2,)) AdaptiveAvgPool2d((1, (2,)))
AdaptiveAvgPool2d((None, True)) AdaptiveAvgPool2d((None, 2)) AdaptiveAvgPool2d((1, "a"))
AdaptiveMaxPool3d((1, (2,))) AdaptiveMaxPool3d((ms.float32,)) AdaptiveMaxPool3d(slice(0, 2))
AdaptiveMaxPool3d((None, 1, 1)) AdaptiveMaxPool3d(1.5) AdaptiveMaxPool3d(None) AdaptiveMaxPool3d(Tensor)
LRN(None) LRN(1.5) LRN(5, True) LRN(-1) LRN(5, 1.0, 1.0, 1.0, "a") LRN(5, 1.0, 1.0, 1.0, 1) ELU(Tensor([1.0, 2.0]))
CELU(Tensor([1.0])) ELU(Tensor(2.0)) LayerNormExt(True) LayerNormExt(2) TransformerEncoder(nn.ReLU(), 2)
TransformerDecoder(nn.Dense(1, 1), 1)
""".replace("\n", " ").strip().replace(") ", ")\n").split("\n")


@case()
def test_what_layers_say_when_they_are_made():
    names = {"Tensor": Tensor, "np": np, "ms": ms, "nn": nn}
    return [(made, said(lambda made=made: eval(f"nn.{made}", names), (), {})) for made in POOLS]


@case()
def test_losses_of_numpys_numbers():
    x, rows = Tensor([1.0, 2.0]), Tensor([[1.0, 2.0]])
    given = [(x, value, x) for value in (1, np.int64(1), np.float32(1), np.array(1), np.bool_(1))]
    given += [(x, x, value) for value in (np.int64(1), np.array([1, 1]), np.array(1))] + [(np.int64(1), x, x)]
    return [(said(nn.MarginRankingLoss(), one, {}), said(ops.margin_ranking_loss, one, {})) for one in given] + [
        said(nn.MultiLabelSoftMarginLoss(), (rows, value), {}) for value in (1, np.int64(1), np.array([[1, 1]]), rows)]


@case()
def test_lengths_of_ctc_loss():
    x, labels, five, two = Tensor(np.ones((5, 1, 3), np.float32)), Tensor([[1, 2]], ms.int32), Tensor([5]), Tensor([2])
    lengths = [(five, two), ((5,), two), (five, (2,)), ((5,), range(2, 3)), ((5,), [2]), ((5,), np.array([2])),
               ((5,), (T(2),)), ((True,), (2,)), ((5,), ((2,),)), ((5,), (None,)), ((np.int64(5),), (2,))]
    return [(said(ops.ctc_loss, (x, labels, *given, 0, how), {}), said(nn.CTCLoss(0, how), (x, labels, *given), {}))
            for given in lengths for how in ("mean", "sum")]


@case()
def test_a_tensor_of_several_where_one_is_asked():
    several = Tensor([1.0, 2.0])
    hooked = nn.Dense(1, 1)
    hooked.register_parameter_forward_hook(nn.ReLU())
    return [said(*call, {}) for call in (
        (nn.LogSoftmax, (several,)), (nn.LogSoftmax, (T(0),)), (nn.get_activation, ("relu", several)),
        (nn.Dense(1, 1).init_parameters_data, (several,)), (nn.ReLU().init_parameters_data, (several,)),
        (hooked.register_parameter_forward_hook, (abs,)), (hooked.register_parameter_forward_hook, (nn.Tanh(),)))]


class Doubled(nn.TransformerEncoderLayer):
    def construct(self, src, src_mask=None, src_key_padding_mask=None):
        return src * 2


@case()
def test_a_layer_of_ones_own_lends_its_attributes_alone():
    """A Transformer makes layers of its own kind, whatever the class of the one that it is given."""
    encoder = nn.TransformerEncoder(Doubled(4, 2, 8), 2)
    decoder = nn.TransformerDecoder(Doubled(4, 2, 8), 1)
    return [type(layer).__name__ for layer in (*encoder.layers, *decoder.layers)]
