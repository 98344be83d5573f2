"""Primitives that make one step of an optimizer: their results and what they write."""
import mindspore as ms
import numpy as np
from mindspore import Parameter, Tensor, ops
from mindspore.ops import operations as P

from tests.reference.judge import case, data

SHAPE = (3, 2)
ADAM = (0.81, 0.998, 0.01, 0.9, 0.999, 1e-6)
# primitive -> (its arguments, how many states, the call's arguments; G is the gradient, R the rows).
# The CPU kernels of 2.10 ignore update_slots and use_nesterov, and miscalculate l1 in ApplyAdagradDA and
# ApplyFtrl where the sum is negative; ms2torch follows the documented formulas there, which are not judged here.
STEPS = {
    "Adam": ([(), (False, True)], 3, (*ADAM, "G")),
    "AdamWeightDecay": ([()], 3, (0.01, 0.9, 0.999, 1e-6, 0.1, "G")),
    "ApplyAdamWithAmsgrad": ([(0.8, 0.99, 1e-7)], 4, (0.81, 0.998, 0.01, "G")),
    "ApplyAdamWithAmsgradV2": ([()], 4, (*ADAM, "G")),
    "ApplyAdaMax": ([()], 3, (0.9, 0.001, 0.9, 0.99, 1e-8, "G")),
    "ApplyAdadelta": ([()], 3, (0.1, 0.9, 1e-6, "G")),
    "ApplyAdagrad": ([()], 2, (0.1, "G")),
    "ApplyAdagradV2": ([(1e-3,)], 2, (0.1, "G")),
    "ApplyAdagradDA": ([()], 3, ("G", 0.1, 0.0, 0.01, 2)),
    "ApplyRMSProp": ([()], 3, (0.01, "G", 0.9, 0.8, 1e-6)),
    "ApplyCenteredRMSProp": ([()], 4, ("G", 0.01, 0.9, 0.8, 9.0)),
    "ApplyFtrl": ([()], 3, ("G", 0.1, 0.0, 0.1, -0.5)),
    "ApplyGradientDescent": ([()], 1, (0.1, "G")),
    "ApplyProximalGradientDescent": ([()], 1, (0.1, 0.5, 0.2, "G")),
    "ApplyProximalAdagrad": ([()], 2, (0.1, 0.5, 0.2, "G")),
    "ApplyAddSign": ([()], 2, (0.1, 1.0, 0.9, 0.8, "G")),
    "ApplyPowerSign": ([()], 2, (0.1, 1.5, 0.9, 0.8, "G")),
    "ApplyMomentum": ([(), (False, False, 0.5)], 2, (0.1, "G", 0.9)),
    "FusedSparseAdam": ([()], 3, (*ADAM, "G", "R")),
    "FusedSparseLazyAdam": ([(), (False, True)], 3, (*ADAM, "G", "R")),
    "FusedSparseFtrl": ([(0.1, 0.2, 0.1, -0.5)], 3, ("G", "R")),
    "FusedSparseProximalAdagrad": ([()], 2, (0.1, 0.5, 0.2, "G", "R")),
}


def states(count):
    """The weight, and states that are positive, as squares are."""
    return [Parameter(Tensor(data(SHAPE) if not i else np.abs(data(SHAPE, seed=i)) + 0.1), name=f"s{i}")
            for i in range(count)]


def filled(arguments):
    known = {"G": Tensor(data(SHAPE, seed=9)), "R": Tensor(np.array([2, 0, 2]), ms.int32)}
    return [known[a] if isinstance(a, str) else Tensor(a, ms.int32 if isinstance(a, int) else ms.float32)
            for a in arguments]


@case(each=[{"name": name, "made": made} for name, (variants, _, _) in STEPS.items() for made in variants])
def test_a_step_and_what_it_writes(name, made):
    _, count, arguments = STEPS[name]
    held = states(count)
    result = getattr(P, name)(*made)(*held, *filled(arguments))
    unfilled = name.startswith("Fused") or "Adam" in name[:5] or "RMSProp" in name      # by the CPU kernels
    return [None if unfilled else result, [state.asnumpy() for state in held]]


@case
def test_adams_change_alone():
    m, v = states(3)[1:]
    return [ops.AdamNoUpdateParam()(m, v, *filled((*ADAM, "G"))), m.asnumpy(), v.asnumpy()]


@case(each={"made": [(), (0.1, 0.05), (0.0, 0.05, True)]})
def test_sgd_starts_where_stat_is_positive(made):
    weight, moved = states(2)
    stat = Parameter(Tensor(np.array([[1, -1], [0, 2], [-3, 0.5]]), ms.float32), name="stat")
    given = Tensor(data(SHAPE, seed=9)), Tensor(0.1, ms.float32)
    ops.SGD(*made)(weight, *given, moved, Tensor(0.9, ms.float32), stat)
    return [x.asnumpy() for x in (weight, moved, stat)]
