"""Cell: names and prefixes of parameters, orders, traversal, modes, what it prints."""
import mindspore as ms
import numpy as np
from mindspore import nn, ops

from tests.reference.judge import case, data
from tests.reference.networks import children, names, now, t


class Block(nn.Cell):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(2, 3, 3)
        self.bn = nn.BatchNorm2d(3)
        self.relu = nn.ReLU()

    def construct(self, x):
        return self.relu(self.bn(self.conv(x)))


class Whole(nn.Cell):
    def __init__(self):
        super().__init__()
        self.scale = ms.Parameter(t(1.0), name="scale")
        self.first = Block()
        self.rest = nn.SequentialCell([Block(), nn.Flatten()])
        self.head = nn.Dense(4, 2)
        self.tail = nn.CellList([nn.Dense(2, 2), nn.Dense(2, 2)])

    def construct(self, x):
        return x


# names

@case
def test_nested_names_in_order():
    return names(Whole())


@case
def test_names_of_a_lone_layer():
    return [names(layer) for layer in (nn.Dense(2, 3), nn.Conv2d(1, 1, 1, has_bias=True), nn.BatchNorm2d(2),
                                       nn.LayerNorm((2,)), nn.Embedding(3, 2))]


@case
def test_names_come_with_the_assignment():
    dense = nn.Dense(2, 3)
    before = names(dense)

    class Outer(nn.Cell):
        def __init__(self):
            super().__init__()
            self.inner = dense

    outer = Outer()
    return before, names(outer), names(dense)


@case
def test_unnamed_parameter_takes_the_attribute():
    class Net(nn.Cell):
        def __init__(self):
            super().__init__()
            self.alpha = ms.Parameter(t(1.0))
            self.beta = ms.Parameter(t(1.0), name="other")

    class Outer(nn.Cell):
        def __init__(self):
            super().__init__()
            self.net = Net()

    return names(Net()), names(Outer()), [n for n, _ in Outer().parameters_and_names()]


@case
def test_auto_prefix_false():
    class Net(nn.Cell):
        def __init__(self):
            super().__init__(auto_prefix=False)
            self.fc = nn.Dense(2, 2)

    class Outer(nn.Cell):
        def __init__(self):
            super().__init__()
            self.net = Net()

    class NoPrefix(nn.Cell):
        def __init__(self):
            super().__init__(auto_prefix=False)
            self.outer = Outer()

    return names(Net()), names(Outer()), names(NoPrefix())


@case
def test_with_loss_and_train_cells_add_no_prefix():
    net = nn.Dense(2, 2)

    class Outer(nn.Cell):
        def __init__(self):
            super().__init__()
            self.net = net

    outer = Outer()
    with_loss = nn.WithLossCell(outer, nn.MSELoss())
    optimizer = nn.Momentum(outer.trainable_params(), 0.1, 0.9)
    step = nn.TrainOneStepCell(with_loss, optimizer)
    return names(with_loss), names(optimizer), names(step)


@case
def test_shared_parameter_is_listed_once():
    class Tied(nn.Cell):
        def __init__(self):
            super().__init__()
            self.a = nn.Dense(2, 2)
            self.b = nn.Dense(2, 2)
            self.b.weight = self.a.weight

    net = Tied()
    return names(net), [n for n, _ in net.parameters_and_names()], list(net.parameters_dict())


@case
def test_shared_cell_is_listed_once():
    class Shared(nn.Cell):
        def __init__(self):
            super().__init__()
            self.a = nn.Dense(2, 2)
            self.b = self.a

    net = Shared()
    return names(net), children(net), [n for n, _ in net.name_cells().items()]


@case(each={"optimizer": ["SGD", "Momentum", "Adam", "AdamWeightDecay", "RMSProp", "Adagrad"]})
def test_optimizer_parameters(optimizer):
    net = nn.Dense(2, 2)
    arguments = {"Momentum": {"learning_rate": 0.1, "momentum": 0.9}}.get(optimizer, {"learning_rate": 0.1})
    made = getattr(nn, optimizer)(net.trainable_params(), **arguments)
    return names(made), [p.name for p in made.parameters], [p.requires_grad for p in made.get_parameters()]


@case
def test_update_parameters_name():
    net = Block()
    net.update_parameters_name("prefix.")
    first = names(net)
    net.update_parameters_name("again.", recurse=False)
    return first, names(net)


@case
def test_param_prefix():
    net = Whole()
    return net.first.param_prefix, net.first.conv.param_prefix, net.rest[0].bn.param_prefix, net.param_prefix


@case
def test_parameter_tuple_assigned_to_a_cell():
    class Net(nn.Cell):
        def __init__(self):
            super().__init__()
            self.pair = ms.ParameterTuple([ms.Parameter(t(1.0), name="a"), ms.Parameter(t(2.0), name="b")])

    return names(Net()), type(Net().pair)


@case
def test_insert_param_to_cell():
    net = nn.Cell()
    net.insert_param_to_cell("w", ms.Parameter(t(1.0), name="w"))
    return names(net), net.w


@case(raises=True, each={"name": ["", "a.b", 3, "construct"]})
def test_insert_param_to_cell_with_a_bad_name(name):
    nn.Cell().insert_param_to_cell(name, ms.Parameter(t(1.0), name="w"))


@case(raises="the argument 'param' must be 'Parameter' if not None")
def test_insert_param_to_cell_that_is_no_parameter():
    nn.Cell().insert_param_to_cell("w", t(1.0))


@case(raises="its name 'same' already exists")
def test_two_parameters_of_one_name():
    class Net(nn.Cell):
        def __init__(self):
            super().__init__()
            self.a = ms.Parameter(t(1.0), name="same")
            self.b = ms.Parameter(t(1.0), name="same")

    nn.SGD(Net().trainable_params(), 0.1)


# children

@case
def test_insert_child_to_cell():
    net = nn.Cell()
    net.insert_child_to_cell("fc", nn.Dense(2, 2))
    return names(net), children(net), str(net)


@case
def test_insert_child_of_a_name_in_use():
    net = nn.Cell()
    net.insert_child_to_cell("fc", nn.Dense(2, 2))
    net.insert_child_to_cell("fc", nn.Dense(2, 5))
    return names(net), net.fc.weight.shape


@case(raises=True, each=[{"name": "layer.0", "child": nn.ReLU}, {"name": "fc", "child": int},
                         {"name": 3, "child": nn.ReLU}])
def test_insert_child_to_cell_errors(name, child):
    nn.Cell().insert_child_to_cell(name, child())


@case
def test_cells_and_names():
    return [(n, type(c).__name__) for n, c in Whole().cells_and_names()]


@case
def test_cells_and_name_cells():
    net = Whole()
    return ([type(c).__name__ for c in net.cells()], list(net.name_cells()),
            [n for n, _ in net.cells_and_names(name_prefix="net")])


@case
def test_parameters_and_names():
    net = Whole()
    return ([n for n, _ in net.parameters_and_names()],
            [n for n, _ in net.parameters_and_names(expand=False)],
            [n for n, _ in net.parameters_and_names(name_prefix="net")])


@case
def test_trainable_and_untrainable():
    net = Whole()
    net.head.weight.requires_grad = False
    return [p.name for p in net.trainable_params()], [p.name for p in net.untrainable_params()]


@case
def test_trainable_params_without_children():
    return [p.name for p in Whole().trainable_params(recurse=False)]


@case
def test_parameters_dict():
    net = Block()
    return [(n, p.shape, p.requires_grad) for n, p in net.parameters_dict().items()]


@case
def test_replacing_a_child():
    class Net(nn.Cell):
        def __init__(self):
            super().__init__()
            self.fc = nn.Dense(2, 2)
            self.act = nn.ReLU()

    net = Net()
    net.fc = nn.Dense(2, 5)
    return names(net), net.fc.weight.shape, children(net)


@case
def test_deleting_a_child():
    net = Block()
    del net.bn
    return names(net), hasattr(net, "bn"), children(net)


@case
def test_child_set_to_none():
    net = Block()
    net.bn = None
    return names(net), net.bn, children(net)


@case
def test_assigning_a_tensor_to_a_parameter_attribute():
    net = nn.Dense(2, 2, weight_init=t([[1.0, 2.0], [3.0, 4.0]]))
    net.weight.set_data(t([[5.0, 6.0], [7.0, 8.0]]))
    return net.weight, now(net.weight)


@case(raises=True)
def test_assigning_a_number_to_a_parameter_attribute():
    net = nn.Dense(2, 2)
    net.weight = 3


@case(raises=True)
def test_missing_attribute():
    _ = Block().nothing


@case(raises=True)
def test_parameter_before_super_init():
    class Net(nn.Cell):
        def __init__(self):
            self.w = ms.Parameter(t(1.0), name="w")

    Net()


@case(raises=True)
def test_child_before_super_init():
    class Net(nn.Cell):
        def __init__(self):
            self.fc = nn.Dense(2, 2)

    Net()


@case(raises=True, each={"call": ["too many", "too few"]})
def test_wrong_number_of_inputs(call):
    net = Block()
    net(*([ms.Tensor(data((1, 2, 4, 4)))] * 2 if call == "too many" else []))


@case(raises=True)
def test_no_construct():
    class Net(nn.Cell):
        pass

    return Net()(t(1.0))


# modes

@case
def test_set_train():
    net = Whole()
    seen = [net.training, net.first.bn.training]
    net.set_train()
    seen += [net.training, net.first.bn.training, net.tail[0].training]
    net.first.set_train(False)
    return [*seen, net.training, net.first.training, net.first.bn.training, net.set_train(False) is net]


@case
def test_set_grad():
    net = Whole()
    before = [net.requires_grad, net.first.requires_grad]
    back = net.set_grad()
    return before, net.requires_grad, net.first.requires_grad, net.tail[0].requires_grad, back is net


@case
def test_add_flags():
    net = Whole()
    net.add_flags(speed=3)
    net.add_flags_recursive(deep=True)
    return net.get_flags(), net.first.get_flags(), net.speed, net.first.deep


@case
def test_to_float():
    class Net(nn.Cell):
        def __init__(self):
            super().__init__()
            self.fc = nn.Dense(2, 2, weight_init=t([[1.0, 2.0], [3.0, 4.0]]), bias_init=t(5.0, 6.0))

        def construct(self, x):
            return self.fc(x)

    net = Net()
    net.to_float(ms.float16)
    return net(t([[1.0, 2.0]])), net.fc.weight.dtype


@case(raises="must be mstype.float32, mstype.float16", each={"dtype": [ms.int32, ms.float64]})
def test_to_float_of_a_wrong_dtype(dtype):
    Block().to_float(dtype)


@case
def test_apply_visits_children_first():
    order = []
    net = Whole()
    back = net.apply(lambda cell: order.append(type(cell).__name__))
    return order, back is net


@case
def test_init_parameters_data_and_check_names():
    net = Block()
    net.init_parameters_data()
    net.check_names()
    return names(net)


@case
def test_set_param_attributes():
    net = Block()
    net.set_comm_fusion(2)
    for p in net.get_parameters():
        p.requires_grad = False
    return [p.requires_grad for p in net.get_parameters()], net.trainable_params()


@case
def test_cls_name_and_instance_name():
    net = Whole()
    return net.cls_name, net.first.cls_name, net.first.conv.cls_name


@case
def test_bprop_debug_and_phase_are_readable():
    net = Block()
    return net.bprop_debug, net.phase


# what it prints

@case
def test_repr_of_nested_cells():
    return str(Whole()), repr(Block())


@case
def test_repr_of_layers():
    return [str(layer) for layer in (nn.Dense(2, 3), nn.Dense(2, 3, has_bias=False), nn.Conv2d(1, 2, 3),
                                     nn.BatchNorm2d(2), nn.ReLU(), nn.MaxPool2d(2, 2), nn.Dropout(p=0.5),
                                     nn.Flatten(), nn.Embedding(3, 2), nn.LayerNorm((2,)), nn.Cell())]


@case
def test_extend_repr():
    class Net(nn.Cell):
        def __init__(self):
            super().__init__()
            self.fc = nn.ReLU()

        def extend_repr(self):
            return "mine=1"

    class Leaf(nn.Cell):
        def extend_repr(self):
            return "mine=2"

    return str(Net()), str(Leaf())


@case
def test_batch_norm_order_and_flags():
    return [(p.name, p.requires_grad, p.shape) for p in nn.BatchNorm2d(3).get_parameters()]


# attributes that collide with a torch Module's

@case(each={"name": ["train", "type", "half", "float", "buffers", "modules", "eval", "to", "cpu", "children",
                     "share_memory", "zero_grad", "double", "forward", "dump_patches",
                     "T_destination", "call_super_init"]})
def test_any_attribute_name_can_hold_a_value(name):
    class Net(nn.Cell):
        def __init__(self):
            super().__init__()
            setattr(self, name, 3)
            self.fc = nn.Dense(2, 2)

    return getattr(Net(), name), names(Net())


@case
def test_list_of_cells_is_no_child():
    class Net(nn.Cell):
        def __init__(self):
            super().__init__()
            self.blocks = [nn.Dense(2, 2), nn.Dense(2, 2)]

    return names(Net())


@case
def test_construct_with_keyword_and_default():
    class Net(nn.Cell):
        def construct(self, x, k=2.0, *, shift=1.0):
            return x * k + shift

    return Net()(t(3.0)), Net()(t(3.0), 5.0), Net()(t(3.0), k=7.0)


@case
def test_deepcopy_is_independent():
    import copy

    net = nn.Dense(2, 2, weight_init=t([[1.0, 2.0], [3.0, 4.0]]))
    other = copy.deepcopy(net)
    other.weight.set_data(t([[9.0, 9.0], [9.0, 9.0]]))
    return net.weight, now(net.weight), other.weight, now(other.weight)


@case
def test_weights_through_load_param_into_net():
    net = nn.Dense(2, 2)
    values = {"weight": ms.Parameter(t([[1.0, 2.0], [3.0, 4.0]]), name="weight"),
              "bias": ms.Parameter(t(5.0, 6.0), name="bias")}
    left = ms.load_param_into_net(net, values)
    return left, now(net.weight), now(net.bias)


@case
def test_primitives_and_functions_as_attributes():
    class Net(nn.Cell):
        def __init__(self):
            super().__init__()
            self.add = ops.Add()
            self.fn = ops.relu
            self.table = np.arange(3)

        def construct(self, x):
            return self.fn(self.add(x, x))

    return Net()(t(-1.0, 2.0)), str(Net().add), names(Net())


class Product(nn.Cell):
    def construct(self, x, y=None):
        return x if y is None else x * y


@case(each={"given": ["all", "one", "named", "unknown", "both"]}, mode="BOTH")
def test_set_inputs(given):
    net, x = Product(), ms.Tensor(shape=(None, 3), dtype=ms.float32)
    args, named = {"all": ((x, x), {}), "one": ((x,), {}), "named": ((), {"y": x}), "unknown": ((), {"z": x}),
                   "both": ((x,), {"y": x})}[given]
    try:
        net.set_inputs(*args, **named)
    except (TypeError, ValueError) as error:
        return repr(error)
    return repr(net.get_inputs())


@case(each={"many": [0, 3]}, mode="GRAPH", raises=True)
def test_set_inputs_counts(many):
    Product().set_inputs(*[ms.Tensor(shape=None, dtype=ms.float32)] * many)


class Shifted(nn.Cell):
    def construct(self, x, y, by=0):
        return x + y + by


@case(each={"named": [{"by": 1}, {"by": 2}, {}]}, mode="GRAPH")
def test_arguments_by_name_count_among_described_inputs(named):
    net, unknown, x = Shifted(), ms.Tensor(shape=[None], dtype=ms.float32), ms.Tensor(data(3))
    net.set_inputs(unknown, unknown, 1)
    try:
        return net(x, x, **named)
    except ValueError as error:
        return str(error).partition("\n")[0]


class Optional(nn.Cell):
    def construct(self, a, b=None, c=None):
        return a + 1 if b is None else a + b


@case(each={"described": ["xx-", "xx", "x--", "x"],
            "call": ["x,x", "x,b=x", "x,b=x,c=None", "x", "a=x,b=x", "x,None,None", "x,None"]}, mode="GRAPH")
def test_defaults_count_where_an_argument_is_given_by_name(described, call):
    net, unknown, x = Optional(), ms.Tensor(shape=[None], dtype=ms.float32), ms.Tensor(data(3))
    net.set_inputs(*[unknown if one == "x" else None for one in described])
    values = {"x": x, "None": None}
    parts = [part.split("=") for part in call.split(",")]
    args = [values[part[0]] for part in parts if len(part) == 1]
    named = {part[0]: values[part[1]] for part in parts if len(part) == 2}
    try:
        return net(*args, **named)
    except (TypeError, ValueError) as error:
        return type(error).__name__, str(error).partition("\n")[0]


@case(mode="BOTH")
def test_class_whose_construct_a_program_wraps():
    class Rows(nn.Cell):
        def construct(self, x):
            y = x * 2
            y[0] = 1
            return y

    first, before = Rows(), Rows.construct
    Rows.construct = lambda self, x: before(self, x) + 1
    x = ms.Tensor(data((2, 3)))
    return first(x), first(x), Rows()(x), ms.grad(Rows())(x)


@case
def test_tensor_of_a_described_tensor():
    unknown = ms.Tensor(shape=(None, 3), dtype=ms.float32)
    return [(one.shape, one.dtype) for one in (ms.Tensor(unknown), ms.Tensor(unknown, ms.float16))]


class Writing(nn.Cell):
    """Keeps what it was given, in half precision."""

    def __init__(self, how):
        super().__init__()
        self.seen = ms.Parameter(ms.Tensor(data((3,))), name="seen")
        self.weight = ms.Parameter(ms.Tensor(data((3,), seed=1)), name="weight")
        self.how = how

    def construct(self, x):
        y = (x * self.seen).sum()
        if self.how == "assign":
            ops.assign(self.seen, 0.9 * self.seen + 0.1 * x)
        elif self.how == "assign_add":
            ops.assign_add(self.seen, x)
        elif self.how == "elements":
            self.seen[1] = 3.0
        elif self.how == "held":
            seen = self.seen
            ops.assign_sub(seen, x)
            y = y + seen.sum()
        return y + (x * self.seen * self.weight).sum(), self.seen.name


@case(each={"how": ["assign", "assign_add", "elements", "held"]}, rtol=1e-3,
      reason="a float16 sum rounds once more or less")
def test_what_half_precision_writes_is_the_parameter(how):
    net = Writing(how).to_float(ms.float16)
    x = ms.Tensor(data((3,), seed=2))
    found = [net(x), net(x)]
    if how != "elements":
        found.append(ms.grad(lambda x: net(x)[0], None, [net.weight])(x))
    return found, net.seen, net.weight
