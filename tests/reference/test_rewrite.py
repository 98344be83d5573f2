"""Networks read as statements, changed, and made networks again."""

import mindspore as ms
import numpy as np
from mindspore import Tensor, nn, ops
from mindspore.rewrite import (
    Node,
    NodeType,
    PatternEngine,
    PatternNode,
    Replacement,
    ScopedValue,
    SymbolTree,
    ValueType,
    VarNode,
)

from tests.reference.judge import case
from tests.reference.test_mindrecord import said


class Plain(nn.Cell):
    def __init__(self, whole=True):
        super().__init__()
        self.conv = nn.Conv2d(1, 2, 3, pad_mode="valid", weight_init="ones")
        self.relu = nn.ReLU()
        self.pool = nn.MaxPool2d(2, 2)
        self.whole = whole
        self.flatten = nn.Flatten()
        self.fc = nn.Dense(8, 3, "ones", "ones")

    def construct(self, x):
        x = self.conv(x)
        x = self.relu(x)
        x = self.pool(x)
        if not self.whole:
            return x
        x = self.flatten(x)
        x = self.relu(self.fc(x))
        return x


class Inner(nn.Cell):
    def __init__(self):
        super().__init__()
        self.relu = nn.ReLU()
        self.more = 3

    def construct(self, x, y=2):
        return self.relu(x) * y + self.more


class Outer(nn.Cell):
    def __init__(self):
        super().__init__()
        self.inner = Inner()
        self.layers = nn.SequentialCell(nn.ReLU(), nn.Tanh())
        self.add = ops.Add()

    def construct(self, x, y=None):
        a, b = x, x + 1
        s = self.inner(x, y=3)
        t = self.layers(s)
        u = self.add(t, b)
        return u, a


def shifted(x, by=2):
    x = x.abs()
    return x * by + 1


def scaled(x):
    return shifted(x, by=3) / 2


class Wide(nn.Cell):
    def __init__(self):
        super().__init__()
        self.inner = Inner()
        self.blocks = nn.CellList([nn.ReLU(), Inner()])
        self.layers = nn.SequentialCell(nn.Tanh(), Inner(), nn.ReLU())
        self.count = 2
        self.table = {"a": 1.5}

    def construct(self, x, y=None):
        a, (b, self.rest) = x, (x + 1, y)
        x = self.layers(self.inner(a)) - scaled(b)
        for block in self.blocks:
            x = block(x)
        for i in range(self.count):
            x = self.own(x) + i
        while self.count > 3:
            x = -x
        else:
            x = x * self.table["a"]
        if self.count == 2 and x.ndim > 0:
            x = ops.Neg()(x)
        elif self.count == 3:
            x = [x, b][0]
        x = a.reshape(-1).astype(ms.float32) + x
        p = q = x
        return p, q

    def own(self, x: Tensor) -> Tensor:
        return shifted(x)


class Two(nn.Cell):
    def __init__(self):
        super().__init__()
        self.conv1, self.conv2 = nn.Conv2d(1, 1, 1, weight_init="ones"), nn.Conv2d(1, 1, 1, weight_init="ones")
        self.relu, self.add = nn.ReLU(), ops.Add()

    def construct(self, x, y):
        x = self.relu(self.conv1(x))
        y = self.relu(self.conv2(y))
        z = self.add(x, y)
        return self.relu(z)


def image():
    return Tensor(np.linspace(-1, 1, 36, dtype=np.float32).reshape(1, 1, 6, 6))


def told(node):
    return (node.get_name(), str(node.get_node_type()), str(node.get_targets()), str(node.get_args()),
            str(node.get_kwargs()), [one.get_name() for one in node.get_inputs()],
            [one.get_name() for one in node.get_users()], node.get_instance_type().__name__)


NETWORKS = {"plain": Plain, "inner": Inner, "outer": Outer}


@case(each={"name": list(NETWORKS)})
def test_statements(name):
    tree = SymbolTree.create(NETWORKS[name]())
    return [told(node) for node in tree.nodes()], [node.get_name() for node in tree.get_inputs()]


@case(each={"name": ["plain", "outer"]})
def test_a_network_made_again_computes_the_same(name):
    def run():
        network = NETWORKS[name]()
        made = SymbolTree.create(network).get_network()
        given = image() if name == "plain" else Tensor(np.array([-1.0, 2], np.float32))
        return made(given), type(made).__name__.rpartition("Opt")[0], isinstance(made, NETWORKS[name])

    return said(run)


def x(name="x"):
    return ScopedValue.create_naming_value(name)


def inserted(tree):
    new = Node.create_call_cell(nn.LeakyReLU(), ["x"], [x()], name="relu")
    return tree.insert(tree.after("conv"), new)


def called(tree):
    return tree.insert(tree.before("relu"), Node.create_call_function(ops.abs, ["x"], [x()]))


def erased(tree):
    return tree.erase("relu")


def replaced(tree):
    halves = [Node.create_call_cell(nn.ReLU6(), ["y"], [x()]), Node.create_call_cell(nn.LeakyReLU(), ["x"], [x("y")])]
    return tree.replace(tree.get_node("relu"), halves)


def given_another(tree):
    new = tree.insert(tree.after("conv"), Node.create_call_cell(nn.LeakyReLU(), ["z"], [x()], name="tanh"))
    tree.get_node("pool").set_arg_by_node(0, new)
    return new


def named(tree):
    tree.get_node("relu_1").set_arg(0, "x")
    return tree.get_node("relu_1")


def settled(tree):
    tree.flatten_static_if_control_flow()
    return tree.get_node("flatten")


CHANGES = {one.__name__: one for one in (inserted, called, erased, replaced, given_another, settled)}


@case(each={"name": list(CHANGES)})
def test_changes(name):
    def run():
        tree = SymbolTree.create(Plain())
        node = CHANGES[name](tree)
        return told(node)[:5], [one.get_name() for one in tree.nodes()], tree.get_network()(image())

    return said(run)


@case
def test_an_argument_by_name():
    node = named(SymbolTree.create(Plain()))
    return node.get_name(), str(node.get_args()), [one.get_name() for one in node.get_inputs()]


@case
def test_names_and_parameters():
    def run():
        tree = SymbolTree.create(Plain())
        tree.insert(tree.after("conv"), Node.create_call_cell(nn.Conv2d(2, 2, 1), ["x"], [x()]))
        network = tree.get_network()
        return ([p.name for p in network.get_parameters()], tree.unique_name(), tree.unique_name("x"),
                tree.get_node("zz"), tree.get_node("conv").get_attribute("out_channels"),
                tree.get_node("fc").get_target_users(0)[0][1], tree.get_node("fc").get_arg_providers()[0][1])

    return said(run)


@case
def test_all_statements():
    tree = SymbolTree.create(Wide())
    found = [(node.get_name(), str(node.get_node_type()), str(node.get_targets()), str(node.get_kwargs()))
             for node in tree.nodes()]
    inside = {node.get_name(): [one.get_name() for one in node.get_handler().nodes()] for node in tree.nodes()
              if node.get_node_type() in (NodeType.ControlFlow, NodeType.CellContainer)}
    code = tree.get_code()
    text = code[code.index("    def construct(self, x, y=None):"):]
    whole = tree.get_network()(Tensor(np.array([-1.0, 2], np.float32)))
    return found, inside, [one.rstrip() for one in text[:text.rindex("#")].splitlines()], whole


@case
def test_functions():
    """MindSpore numbers the functions of all trees of a process; their statements here."""
    tree = SymbolTree.create(Wide())
    function = next(one for one in tree.nodes() if one.get_node_type() is NodeType.CallFunction
                    and one.get_instance_type() is scaled)
    own = next(one for one in tree.nodes(True) if one.get_name() == "own")
    first = function.get_handler().nodes()
    return ([one.get_node_type().name for one in first], [str(one.get_targets()) for one in first],
            [one.get_node_type().name for one in own.get_handler().nodes()])


def joined(tree):
    """A pattern of several statements, each of which one statement gives."""
    class Joined(Replacement):
        def build(self, pattern, is_chain_pattern, matched):
            old = matched[pattern.name()]
            first = matched[pattern.get_inputs()[0].name()]
            half = Node.create_call_cell(nn.Tanh(), ["half"], first.get_args(), name="half")
            return [half, Node.create_call_cell(nn.ReLU6(), old.get_targets(), [x("half")], name="six")]

    return PatternEngine([nn.Conv2d, nn.ReLU], Joined()).apply(tree)


def summed(tree):
    class Summed(Replacement):
        def build(self, pattern, is_chain_pattern, matched):
            return [Node.create_call_cell(ops.Sub(), matched["sum"].get_targets(), matched["sum"].get_args(),
                                          name="difference")]

    pattern = PatternNode("sum", ops.Add)
    pattern.set_inputs([VarNode(), VarNode()])
    return PatternEngine(pattern, Summed()).apply(tree)


@case(each={"change": [joined, summed]})
def test_patterns(change):
    def run():
        tree = SymbolTree.create(Two())
        change(tree)
        return [told(node) for node in tree.nodes()], tree.get_network()(image(), image() + 1)

    return said(run)


@case
def test_containers():
    def run():
        tree = SymbolTree.create(Outer())
        layers = tree.get_node("layers").get_handler()
        old = [Node(one) for one in layers.nodes()]
        tree.insert(tree.after(old[0]), Node.create_call_cell(nn.ReLU6(), ["t"], [x("t")], name="six"))
        tree.replace(old[1], [Node.create_call_cell(nn.Sigmoid(), ["t"], [x("t")], name="last")])
        network = tree.get_network()
        return ([one.get_name() for one in layers.nodes()], network(Tensor(np.array([-1.0, 2], np.float32))),
                [type(one).__name__ for one in network.layers])

    return said(run)


VALUES = [2, "a", (1, "a"), [1], {"a": 1}, None, 2.5, ms.float32]


@case
def test_values():
    made = [ScopedValue.create_variable_value(one) for one in VALUES]
    names = ScopedValue.create_name_values(["z", "z_1"], ["self", "self"])
    return ([(str(one), str(one.type)) for one in made], str(names), names[0] == x("z"),
            names[0] == ScopedValue.create_naming_value("z", "self"), [one.value for one in NodeType],
            [one.value for one in ValueType])


BAD = {
    "network": lambda: SymbolTree.create(3), "all": lambda t: list(t.nodes(3)), "name": lambda t: t.get_node(3),
    "before": lambda t: t.before(3), "position": lambda t: t.insert(3, t.get_node("conv")),
    "node": lambda t: t.insert(t.after("conv"), 3), "erase": lambda t: t.erase(3),
    "list": lambda t: t.replace(t.get_node("conv"), 3), "old": lambda t: t.replace(3, []),
    "cell": lambda: Node.create_call_cell(3, ["x"], [x()]),
    "targets": lambda: Node.create_call_cell(nn.ReLU(), "x", [x()]),
    "args": lambda: Node.create_call_cell(nn.ReLU(), ["x"], ["x"]),
    "kwargs": lambda: Node.create_call_cell(nn.ReLU(), ["x"], [x()], {"a": 3}),
    "index": lambda t: t.get_node("conv").set_arg("a", x()), "range": lambda t: t.get_node("conv").set_arg(3, x()),
    "arg": lambda t: t.get_node("conv").set_arg(0, 3), "source": lambda t: t.get_node("conv").set_arg_by_node(0, 3),
    "sub-tree": lambda t: t.get_node("conv").get_sub_tree(), "unique": lambda t: t.unique_name(3),
    "function": lambda: Node.create_call_function(3, ["x"], [x()]),
    "naming": lambda: ScopedValue.create_naming_value(3), "names": lambda: ScopedValue.create_name_values("a"),
    "scopes": lambda: ScopedValue.create_name_values(["a", "b"], ["self"]),
}


@case(raises=True, each={"what": list(BAD)})
def test_refused(what):
    call = BAD[what]
    return call(SymbolTree.create(Plain())) if call.__code__.co_argcount else call()
