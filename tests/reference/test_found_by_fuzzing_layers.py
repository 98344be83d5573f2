"""What the fuzzer (scripts/fuzz_ops.py) found to differ in layers, losses and optimizers."""

import mindspore as ms
import numpy as np
from mindspore import Parameter, Tensor, mint, nn, ops

from tests.reference.judge import case, data
from tests.reference.test_found_by_fuzzing import F16, stated, tensor

UPDATES = {
    "Adam": lambda p: nn.Adam(p, 0.1), "LazyAdam": lambda p: nn.LazyAdam(p, 0.1),
    "AdaMax": lambda p: nn.AdaMax(p, 0.1), "Adadelta": lambda p: nn.Adadelta(p),
    "Adagrad": lambda p: nn.Adagrad(p), "ProximalAdagrad": lambda p: nn.ProximalAdagrad(p),
    "Momentum": lambda p: nn.Momentum(p, 0.1, 0.9), "FTRL": lambda p: nn.FTRL(p),
}


@case(each={"optimizer": list(UPDATES)}, raises=True)
def test_wide_gradients_of_narrow_parameters(optimizer):
    UPDATES[optimizer]([Parameter(tensor([1.0], F16), name="w")])((tensor([1.0]),))


@case(each={"beta1": [0.9, 0.0], "slopes": [[[0.0, 0.0], [0.5, 1.0]], [[0.0, 1.0], [0.0, 1.0]], [[0.0, 0.0], [0.0, 0.0]],
                                            [[1e-5, 1e-4], [1.0, 1.0]], [[1e-5, 2e-5], [1e-5, 1e-4]]]})
def test_rows_of_halves_too_small_for_their_squares(beta1, slopes):
    weight = Parameter(tensor([[1.0, 2.0], [3.0, 4.0]], F16), name="w")
    optimizer = nn.AdaFactor([weight], 0.1, relative_step=False, scale_parameter=False, beta1=beta1)
    for _ in range(2):
        optimizer((tensor(slopes, F16),))
    return weight, optimizer.exp_avg_sq_row[0], optimizer.exp_avg_sq_col[0]


@case(each={"dtype": [ms.float16, ms.bfloat16], "reduction": ["none", "mean", "sum"]})
def test_logits_of_halves_are_rounded_once(dtype, reduction):
    logits, *others = (Tensor(np.abs(data((40,), seed=i)) % 1 if i else 2 * data((40,)), dtype) for i in range(4))
    return (ops.binary_cross_entropy_with_logits(logits, *others, reduction).astype(ms.float32),
            ops.BCEWithLogitsLoss(reduction)(logits, *others).astype(ms.float32),
            nn.BCEWithLogitsLoss(reduction)(logits, others[0]).astype(ms.float32))


@case
def test_group_norm_of_two_dtypes():
    ms.set_context(pynative_synchronize=True)
    half, one = Tensor(np.ones((1, 2, 2)), ms.float16), Tensor([1.0, 2.0])
    return [stated(lambda f=f: f(half, 1, one, one)) for f in (ops.group_norm, mint.nn.functional.group_norm)] + [
        stated(lambda: mint.nn.GroupNorm(1, 2)(half)), stated(lambda: ops.group_norm(half, 1, one.half(), one))]


@case
def test_slopes_that_are_drawn():
    x, found = Tensor([0, -1, -2, 3, -4], ms.float32), []
    for call in (nn.RReLU(0.1, 2.5), lambda x: ops.rrelu(x, 0.1, 2.5)):
        ms.set_seed(5)
        found += [call(x), call(x.half()), call(x.double()), call(x.int()), call(x.long()), ms.grad(call)(x)]
        found += [stated(lambda d=d, call=call: call(x.astype(d))).split(":")[0] for d in (ms.int8, ms.uint8, ms.bool_, ms.complex64)]
    even, odd = nn.RReLU(0.3, 0.3), Tensor([0.0, -0.0, 1, -1, float("nan"), float("inf"), float("-inf")], ms.float32)
    return found, even(odd), ms.grad(even)(odd)


@case(each={"mode": [ms.GRAPH_MODE, ms.PYNATIVE_MODE]})
def test_slopes_that_are_drawn_in_a_network(mode):
    class Twice(nn.Cell):
        def __init__(self):
            super().__init__()
            self.layer = nn.RReLU()

        def construct(self, x):
            return self.layer(x) + ops.rrelu(x)

    ms.set_context(mode=mode)
    ms.set_seed(5)
    net, x = Twice(), Tensor([-1, -2, 3], ms.float32)
    return net(x), net(x), ms.grad(net)(x)


@case
def test_leaks_of_another_dtype():
    x, weight = Tensor([[[1, -4.5], [0.5, -0.9]], [[0.001, -1.5], [-2.7, 0.75]]], ms.float32), Tensor([0.1, 0.3], ms.float32)
    layers = nn.PReLU(2, 0.1), mint.nn.PReLU(2, 0.1)
    calls = ops.prelu, ops.PReLU(), mint.nn.functional.prelu
    pairs = (x.half(), weight), (x, weight.half()), (x.half(), weight.half())
    derived = [ms.ops.GradOperation(get_all=True, get_by_list=True)(layer, layer.trainable_params())(x.half())
               for layer in layers]
    return ([(f(*p), ms.grad(lambda *a, f=f: f(*a), (0, 1))(*p)) for f in calls for p in pairs],
            [f(x.half()) for f in layers], derived)


@case
def test_mirrored_edges_of_any_dtype():
    layer, x = nn.Pad(((1, 1), (0, 1)), "SYMMETRIC"), Tensor([[1, 2], [3, 4]], ms.int32)
    return [stated(lambda d=d: layer(x.astype(d))) for d in (ms.float16, ms.bfloat16, ms.int8, ms.uint32, ms.bool_, ms.complex64)]
