"""A recomputed Cell draws its masks once, and its effects happen once but for BatchNorm's statistics."""
import mindspore as ms
from mindspore import nn, ops

from tests.reference.judge import case, data
from tests.reference.networks import t


class Masks(nn.Cell):
    def __init__(self):
        super().__init__()
        self.drop = nn.Dropout(p=0.5)

    def construct(self, x):
        return self.drop(x)


class Statistics(nn.Cell):
    def __init__(self):
        super().__init__()
        self.bn = nn.BatchNorm1d(3, momentum=0.5)

    def construct(self, x):
        return self.bn(x) * x


class StatisticsAtLast(Statistics):
    def construct(self, x):
        return self.bn(x)


class Counter(nn.Cell):
    def __init__(self):
        super().__init__()
        self.runs = ms.Parameter(t(0.0), name="runs", requires_grad=False)

    def construct(self, x):
        ops.assign_add(self.runs, t(1.0))
        return x * self.runs * x


class Several(Counter):
    """Reads what it writes, between writes and after them."""

    def construct(self, x):
        a = x * self.runs * x
        ops.assign_add(self.runs, t(0.5))
        b = a * self.runs * x
        ops.assign(self.runs, self.runs * 3.0)
        b = b * self.runs
        ops.assign_add(self.runs, t(-1.0))
        return b * x


class Drawn(nn.Cell):
    """Draws by functions, whose seeds are those of the program."""

    def construct(self, x):
        return ops.dropout(x, 0.5) * ops.standard_normal((4, 3)) * x


class Net(nn.Cell):
    def __init__(self, part, recomputed=True):
        super().__init__()
        self.w = ms.Parameter(t(1.0, 2.0, 3.0), name="w")
        self.part = part()
        self.after = nn.Dropout(p=0.5)
        if recomputed:
            self.part.recompute()

    def construct(self, x):
        return (self.after(self.part(x * self.w)) * self.w).sum()


def trained(part, how, recomputed=True):
    """What two steps, or two gradients, give; and the Parameters then."""
    ms.set_seed(3)
    net, x = Net(part, recomputed).set_train(), ms.Tensor(data((4, 3)))
    if how == "train":
        step = nn.TrainOneStepCell(net, nn.SGD(net.trainable_params(), 0.1)).set_train()
    else:
        step = ms.value_and_grad(net, 0, net.trainable_params())
    return [step(x) for _ in range(2)], list(net.get_parameters())


@case(each={"how": ["train", "grad"]}, mode="BOTH")
def test_a_mask_is_drawn_once(how):
    return trained(Masks, how)


@case(each={"how": ["train", "grad"]}, mode="BOTH")
def test_statistics_move_in_both_runs(how):
    return trained(Statistics, how)


@case(each={"how": ["train", "grad"]}, judge="GRAPH", reason="PyNative runs again what no gradient needs")
def test_the_last_operator_does_not_run_again(how):
    return trained(StatisticsAtLast, how)


@case(each={"how": ["train", "grad"]}, judge="GRAPH",
      reason="PyNative counts both runs, and computes with the second count")
def test_a_parameter_is_written_once(how):
    return trained(Counter, how)


@case(each={"how": ["train", "grad"]}, judge="GRAPH",
      reason="PyNative goes on with what the first run left, and leaves what both runs wrote")
def test_what_is_written_several_times_is_read_as_it_was(how):
    return trained(Several, how)


@case(each={"how": ["train", "grad"]}, judge="GRAPH", reason="PyNative draws other numbers in the second run")
def test_functions_draw_once(how):
    recomputed, kept = (trained(Drawn, how, again) for again in (True, False))
    return [bool((a == b).all()) for a, b in zip(recomputed[1], kept[1], strict=True)]


@case(raises=True, each={"keyword": [{"foo": 1}, {"foo": 1, "mp_comm_recompute": 1}, {"output_recompute": 1},
                                     {"parallel_optimizer_comm_recompute": "a"}, {"context_fn": print}]})
def test_keywords_that_recompute_does_not_take(keyword):
    nn.CellList([nn.Dense(1, 1)]).recompute(**keyword)


@case
def test_keywords_that_recompute_takes():
    return nn.Dense(1, 1).recompute(mp_comm_recompute=False, parallel_optimizer_comm_recompute=True,
                                    recompute_slice_activation=None, use_reentrant=1, early_stop=0)
