"""SequentialCell, CellList, CellDict: names, order, indexing, errors."""
from collections import OrderedDict

from mindspore import nn

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
