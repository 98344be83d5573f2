"""SequentialCell, CellList, CellDict: names, order, indexing, errors."""
from collections import OrderedDict

from mindspore import Tensor, dtype, nn

from tests.reference.judge import case
from tests.reference.networks import children, names, t


@case
def test_sequential_cell():
    made = [nn.SequentialCell(nn.Dense(2, 2), nn.ReLU()), nn.SequentialCell([nn.Dense(2, 2), nn.ReLU()]),
            nn.SequentialCell(OrderedDict([("fc", nn.Dense(2, 2)), ("act", nn.ReLU())]))]
    made[0].append(nn.Dense(2, 3))
    return [(names(s), len(s), children(s)) for s in made], type(made[1][1]).__name__


@case
def test_sequential_cell_slices_and_deletes():
    seq = nn.SequentialCell(nn.Dense(2, 3), nn.ReLU(), nn.Dense(3, 4))
    part = seq[1:]
    del seq[1]
    seq[0] = nn.Dense(2, 9)
    return len(part), names(part), names(seq), len(seq), children(seq)


@case
def test_cell_list():
    cells = nn.CellList([nn.Dense(2, 3), nn.ReLU()])
    cells.append(nn.Dense(3, 4))
    cells.insert(0, nn.Dense(1, 2))
    cells.extend([nn.ReLU(), nn.Dense(4, 5)])
    return names(cells), len(cells), children(cells), [type(c).__name__ for c in cells]


@case
def test_cell_list_indexing():
    cells = nn.CellList([nn.Dense(2, 3), nn.ReLU(), nn.Dense(3, 4)])
    del cells[1]
    return names(cells), type(cells[-1]).__name__, len(cells[:1]), names(cells[:1])


@case(raises=True, each={"what": ["call", "index", "append"]})
def test_cell_list_errors(what):
    cells = nn.CellList([nn.ReLU()])
    if what == "call":
        cells(t(1.0))
    elif what == "index":
        cells[3]
    else:
        cells.append(3)


@case
def test_cell_dict():
    cells = nn.CellDict({"one": nn.Dense(2, 3), "two": nn.ReLU()})
    cells["three"] = nn.Dense(3, 4)
    del cells["two"]
    return names(cells), list(cells.keys()), len(cells), "one" in cells, children(cells)


@case
def test_containers_inside_a_cell():
    class Net(nn.Cell):
        def __init__(self):
            super().__init__()
            self.blocks = nn.CellList([nn.SequentialCell(nn.Dense(2, 2), nn.BatchNorm1d(2)), nn.ReLU()])
            self.table = nn.CellDict({"a": nn.Dense(2, 2)})

    return names(Net()), children(Net())


class Later(nn.Cell):
    """The layers of a list but the first."""

    def __init__(self, container):
        super().__init__()
        self.layers = container([nn.Dense(2, 2, "ones") for _ in range(3)])

    def construct(self, x):
        for layer in self.layers[1:]:
            x = layer(x)
        return x


@case(mode="BOTH", each={"container": [nn.CellList, nn.SequentialCell]})
def test_names_after_a_slice_was_called(container):
    net = Later(container)
    return net(t([[1.0, -2.0]])), [p.name for p in net.get_parameters()]


class Choosing(nn.Cell):
    """One of two layers, by a Tensor's number."""

    def __init__(self, container):
        super().__init__()
        self.layers = container([nn.ReLU(), nn.Softmax()])

    def construct(self, index, x):
        return self.layers[index](x)


@case(mode="GRAPH", each={"container": [nn.CellList, list], "index": [-2, 0, 1]})
def test_graph_chooses_a_layer_by_a_tensor(container, index):
    return Choosing(container)(Tensor(index, dtype.int32), t([[1.0, -2.0]]))


@case(mode="GRAPH", raises=True, each={"container": [nn.CellList], "index": [0, 0.5]})
def test_graph_chooses_by_int32_alone(container, index):
    return Choosing(container)(Tensor(index), t([[1.0, -2.0]]))
