"""``mindspore.boost``: what it makes of networks, optimizers and steps."""

import mindspore as ms
import numpy as np
from mindspore import Parameter, Tensor, boost, nn, ops
from mindspore.boost import GradientAccumulation

from tests.reference.judge import case, data


@case(each={"mode": ["GRAPH", "PYNATIVE"]})
def test_gradient_accumulation(mode):
    ms.set_context(mode=getattr(ms, f"{mode}_MODE"))
    weight = Parameter(Tensor(np.array([[1.0, 2.0, 3.0]], np.float32)), name="w")
    optimizer = nn.Momentum([weight], 0.1, 0.9)
    accumulation = GradientAccumulation(3, optimizer)
    names = [p.name for p in accumulation.get_parameters()]
    seen = []
    for k in range(7):
        loss = accumulation(Tensor(float(k)), (Tensor(np.full((1, 3), k + 1, np.float32)),))
        total = accumulation._grad_accumulation[0]
        seen.append((loss, weight.asnumpy().copy(), total.asnumpy().copy(), accumulation._accumulation_step.value()))
    return names, seen, optimizer.global_step.value()


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(1, 2, 3, weight_init=Tensor(data((2, 1, 3, 3)) / 5))
        self.bn = nn.BatchNorm2d(2)
        self.one = nn.Dense(18, 5, Tensor(data((5, 18)) / 5), "zeros")
        self.two = nn.Dense(5, 3, Tensor(data((3, 5)) / 5), "zeros")

    def construct(self, x):
        return self.two(ops.relu(self.one(self.bn(self.conv(x)).reshape((-1, 18)))))


X, Y = Tensor(data((4, 1, 3, 3))), Tensor(data((4, 3), seed=1))


def momentum(net, grouped=False):
    params = net.trainable_params()
    return nn.Momentum([{"params": params[:3]}, {"params": params[3:], "lr": 0.2}] if grouped else params, 0.1, 0.9)


def shown(groups):
    return [{key: [p.name for p in value] if "params" in key else value for key, value in group.items()}
            for group in groups]


def weights(net):
    return {p.name: p for p in net.get_parameters()}


def chosen(level="O0", config=""):
    """An AutoBoost of this case alone: a process has one."""
    boost.AutoBoost._instance = None
    return boost.AutoBoost(level, config)


@case()
def test_what_an_optimizer_was_made_of():
    net = Net()
    made = nn.LARS(nn.SGD(net.trainable_params(), Tensor([0.1, 0.2]), 0.5, weight_decay=0.25), coefficient=0.5)
    adam = nn.Adam(net.trainable_params(), nn.ExponentialDecayLR(0.1, 0.9, 3), beta1=0.8)
    return dict(made.opt.init_args), made.opt.init_learning_rate, adam.init_learning_rate, dict(adam.init_args)["beta1"], \
        [p.name for p in made.init_params["params"]], {k: v for k, v in made.init_args.items() if k != "lars_filter"}


@case(each={"grouped": [False, True]})
def test_optimizers_made_anew(grouped):
    net = Net()
    process = boost.OptimizerProcess(momentum(net, grouped))
    process.add_grad_centralization(net)
    made = process.generate_new_optimizer()
    return process.is_lars, process.learning_rate, shown(process.origin_params) if grouped else None, \
        type(made).__name__, made.is_group, [p.name for p in made.parameters]


@case()
def test_groups_of_parameters():
    process, params = boost.ParameterProcess(), Net().trainable_params()
    generate = process.generate_group_params
    numbers = [p.comm_fusion for p in process.assign_parameter_group(params, [2, 4])]
    return numbers, [p.comm_fusion for p in process.assign_parameter_group(params)], \
        shown(generate(params[:2], params)), shown(generate(params[:4], [{"params": params[:2], "lr": 0.2}])), \
        shown(generate(params[1:], [{"params": params[:2]}, {"params": params[2:3], "weight_decay": 0.1},
                                    {"order_params": params}]))


@case(each=[{"origin": []}, {"origin": None}, {"origin": [3]}], raises=True)
def test_groups_of_nothing(origin):
    return boost.ParameterProcess.generate_group_params([], origin)


@case(each={"flag": [False, True]})
def test_less_bn(flag):
    net = Net()
    cell = boost.LessBN(net, flag)
    return str(cell), [p.name for p in cell.get_parameters()], net.get_flags(), net.bn.get_flags(), cell(X)


@case(raises=True)
def test_boost_of_another_name():
    return Net().set_boost("more_bn")


@case(each={"kind": [0, 1, 2], "groups": [1, 4]})
def test_turns_of_groups(kind, groups):
    np.random.seed(3)
    make = boost.GradientFreeze(groups, kind, 0.7, 20).generate_freeze_index_sequence
    return make(groups, kind, 0.7, 20) if kind < 2 or groups == 1 else None


@case(each={"groups": [1, 2, 3]})
def test_which_parameters_are_frozen(groups):
    return [[p.name for p in group] for group in boost.GradientFreeze(groups, 1, 0.7, 9).split_parameters_groups(Net(), groups)]


@case(each={"rate": [0.1, [0.1] * 12]})
def test_steps_of_frozen_parameters(rate):
    chosen()
    net = Net()
    optimizer = nn.Momentum(net.trainable_params(), rate, 0.9)
    _, frozen = boost.GradientFreeze(2, 0, 0.5, 12).freeze_generate(net, optimizer)
    step = boost.BoostTrainOneStepCell(nn.WithLossCell(net, nn.MSELoss()), frozen)
    losses = [step(X, Y) for _ in range(4)]
    return losses, weights(net), frozen.train_strategy, [p.name for p in frozen.opts[1].get_parameters()], \
        frozen.dynamic_learning_rate, step.step.value()


@case(each=[{"args": a} for a in ((), (None, [1]), (3,), ([3],), ([[]], 3), ([[]], ["a"]), ([[]], [1.5]))],
      raises=True)
def test_frozen_optimizers_that_are_refused(args):
    return boost.FreezeOpt(momentum(Net()) if args else 3, *args)


@case()
def test_a_step():
    chosen()
    net = Net()
    step = boost.BoostTrainOneStepCell(nn.WithLossCell(net, nn.MSELoss()), momentum(net), 2.0)
    return [step(X, Y), step(X, Y)], weights(net), [p.name for p in step.get_parameters()]


@case(each=[{"level": "O0", "config": ""}, {"level": "O1", "config": ""}, {"level": "O2", "config": {}},
            {"level": "O7", "config": ""}, {"level": "O1", "config": {"boost": {"mode": "enable_all"}}},
            {"level": "O1", "config": {"boost": {"mode": "disable_all"}, "less_bn": {"gc_flag": False}}},
            {"level": "O0", "config": {"boost": {"mode": "manual", "dim_reduce": True}, "dim_reduce": {"rho": 0.5},
                                       "common": {"device_number": 4, "gradient_split_groups": [3]}}}])
def test_what_is_chosen(level, config):
    one = chosen(level, config)
    found = one.level, one.boost_config, one._gc_flag, one.rho, one.device_number, one.gradient_groups, \
        boost.AutoBoost("O2") is one
    chosen()
    return found


@case(raises=True)
def test_a_mode_that_is_none():
    return chosen("O0", {"boost": {"mode": "x"}})


@case(each={"level": ["O1"], "config": ["", {"boost": {"mode": "manual", "less_bn": True, "grad_freeze": False}}]})
def test_a_model(level, config):
    boost.AutoBoost._instance = None
    ms.set_seed(1)
    np.random.seed(1)
    net = Net()
    params = net.trainable_params()
    optimizer = nn.Momentum([{"params": params}], 0.1, 0.9)
    model = ms.Model(net, nn.MSELoss(), optimizer, metrics={"mse"}, boost_level=level,
                     boost_config_dict=config or {"boost": {"mode": "auto"}, "grad_freeze": {"param_groups": 2}})
    losses = [model.train_network(X, Y) for _ in range(3)]
    chosen()
    return [type(model.train_network).__name__, type(model._network).__name__, type(model._optimizer).__name__], \
        weights(net), [loss for loss in losses if loss is not None and model._optimizer.cls_name == "FreezeOpt"]


@case()
def test_scales_by_groups():
    manager = boost.GroupLossScaleManager(4, [])
    manager.set_loss_scale_status(2, 8.0)
    found = [(p.name, p.asnumpy().copy()) for p in manager.dynamic_loss_scale]
    return found, manager.update_loss_scale_status(0, 0.5), manager.get_loss_scale(), \
        manager.get_update_cell() is manager, manager.dynamic_loss_scale[1].value()


@case()
def test_descent_in_few_dimensions():
    net = nn.Dense(3, 1, Tensor(data((1, 3))), "zeros")
    loss = nn.WithLossCell(net, nn.MSELoss())
    params = ms.ParameterTuple(net.trainable_params())
    optimizer = nn.SGD(params, 1.0)
    components = np.linalg.qr(data((4, 2), seed=5))[0].T.astype(np.float32)
    cell = boost.DimReduce(loss, optimizer, params, components, 2, 0.55, 0.9, 0.1, 0.4, 0, 1)
    copies = params.clone("copies", init="same")
    x, y, found = Tensor(data((6, 3), seed=2)), Tensor(data((6, 1), seed=3)), []
    for _ in range(4):
        value, grads = ms.value_and_grad(loss, None, params)(x, y)
        found.append((value, cell(value, grads, Tensor(1.0), params, copies, x, y)))
    return found, weights(net), cell.bk.value(), cell.sk.value(), whole(copies), whole(cell.grad_res_momentum)


def whole(params):
    return [p.value() for p in params]
