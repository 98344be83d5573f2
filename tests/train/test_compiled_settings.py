"""Settings that a program changes between two steps, wherever it keeps them: a compiled step sees them."""

import argparse
import collections
import dataclasses
import sys
import types

import numpy as np
import pytest

from ms2torch import Parameter, Tensor, nn
from ms2torch._core import mode, torch_private

pytestmark = [pytest.mark.skipif(torch_private.RELEASE < (2, 5), reason="torch 2.5 compiles"),
              pytest.mark.usefixtures("traced")]


class Base(nn.Cell):
    inherited = 1.0


class Net(Base):
    """Multiplies by what ``read(self)`` finds."""

    temperature = 1.0
    calls = 0

    def __init__(self, read) -> None:
        super().__init__()
        self.read, self.held, self.kind, self.factor = read, Held(), Config, 1.0
        self.listed, self.named, self.array = [1.0], {"deep": {"scale": 1.0}}, np.ones(1)
        self.space = types.SimpleNamespace(inner=types.SimpleNamespace(scale=1.0))
        self.several = [Held(), Held()]
        self.weight, self.waiting = Parameter(Tensor([1.0, 1.0]), name="weight"), nn.CellList()
        self.layers = nn.SequentialCell(Times())

    def by(self, x):
        return x * 1.0

    def construct(self, x):
        return self.read(self, x)


class Times(nn.Cell):
    def __init__(self, factor=1.0) -> None:
        super().__init__()
        self.factor = factor

    def construct(self, x):
        return x * self.factor


class Config:
    scale = 1.0


class Derived(Config):
    pass


class Slotted:
    __slots__ = ("scale",)

    def __init__(self) -> None:
        self.scale = 1.0


@dataclasses.dataclass
class Held:
    scale: float = 1.0
    slotted: Slotted = dataclasses.field(default_factory=Slotted)

    @property
    def doubled(self):
        return 2 * self.scale


class ByAttribute(dict):
    """A dict whose items are attributes; what it lacks is a KeyError, as many programs write it."""

    def __getattr__(self, name):
        return self[name]


arguments, options = argparse.Namespace(scale=1.0), ByAttribute(scale=1.0)
ordered, module = collections.OrderedDict(scale=1.0), types.ModuleType("settings_of_a_program")
module.__file__, module.scale = __file__, 1.0


def _counted(net, x):
    type(net).calls += 1
    return x * type(net).calls


_READ = {
    "an attribute": (lambda net, x: x * net.factor, lambda net: setattr(net, "factor", 3.0)),
    "an item of a global": (lambda net, x: x * ordered["scale"], lambda net: ordered.update(scale=3.0)),
    "a class attribute": (lambda net, x: x * net.temperature, lambda net: setattr(Net, "temperature", 3.0)),
    "an inherited one": (lambda net, x: x * net.inherited, lambda net: setattr(Base, "inherited", 3.0)),
    "one that hides another": (lambda net, x: x * net.inherited, lambda net: setattr(Net, "inherited", 3.0)),
    "a class by its name": (lambda net, x: x * Config.scale, lambda net: setattr(Config, "scale", 3.0)),
    "what it derives from": (lambda net, x: x * Derived.scale, lambda net: setattr(Config, "scale", 3.0)),
    "a class that a Cell has": (lambda net, x: x * net.kind.scale, lambda net: setattr(Config, "scale", 3.0)),
    "a method": (lambda net, x: net.by(x), lambda net: setattr(Net, "by", lambda self, x: x * 3.0)),
    "a module": (lambda net, x: x * module.scale, lambda net: setattr(module, "scale", 3.0)),
    "argparse's result": (lambda net, x: x * arguments.scale, lambda net: setattr(arguments, "scale", 3.0)),
    "a dict with attributes": (lambda net, x: x * options.scale, lambda net: options.update(scale=3.0)),
    "an object that a Cell has": (lambda net, x: x * net.held.scale,
                                  lambda net: setattr(net.held, "scale", 3.0)),
    "its property": (lambda net, x: x * net.held.doubled / 2, lambda net: setattr(net.held, "scale", 3.0)),
    "an attribute by a name": (lambda net, x: x * getattr(net.held, "sca" + "le"),
                               lambda net: setattr(net.held, "scale", 3.0)),
    "slots": (lambda net, x: x * net.held.slotted.scale,
              lambda net: setattr(net.held.slotted, "scale", 3.0)),
    "a namespace": (lambda net, x: x * net.space.inner.scale,
                    lambda net: setattr(net.space.inner, "scale", 3.0)),
    "one of several objects": (lambda net, x: x * net.several[1].scale,
                               lambda net: setattr(net.several[1], "scale", 3.0)),
    "a list": (lambda net, x: x * net.listed[0], lambda net: net.listed.__setitem__(0, 3.0)),
    "a dict in a dict": (lambda net, x: x * net.named["deep"]["scale"],
                         lambda net: net.named["deep"].update(scale=3.0)),
    "another Parameter": (lambda net, x: x * net.weight,
                          lambda net: setattr(net, "weight", Parameter(Tensor([3.0, 3.0]), name="weight"))),
    "a layer of a sequence": (lambda net, x: net.layers(x),
                              lambda net: net.layers.__setitem__(0, Times(3.0))),
    "a layer more": (lambda net, x: net.layers(x), lambda net: net.layers.append(Times(3.0))),
    "the first layer of a list": (lambda net, x: net.waiting[0](x) if len(net.waiting) else x,
                                  lambda net: net.waiting.append(Times(3.0))),
    "a layer, by the dict of layers": (lambda net, x: net.layers(x),
                                       lambda net: net._cells.update(layers=Times(3.0))),
    "a layer's construct": (lambda net, x: net.layers(x),
                            lambda net: setattr(Times, "construct", lambda self, x: x * 3.0)),
    "an array": (lambda net, x: x * float(net.array[0]), lambda net: net.array.fill(3.0)),
}


@pytest.fixture
def restored(monkeypatch):
    """Classes, and what is global, are as before afterwards."""
    monkeypatch.setitem(sys.modules, "settings_of_a_program", module)
    for owner, name in ((Net, "temperature"), (Net, "by"), (Net, "calls"), (Base, "inherited"),
                        (Config, "scale"), (module, "scale"), (arguments, "scale"), (Times, "construct")):
        monkeypatch.setattr(owner, name, getattr(owner, name))
    monkeypatch.setitem(options, "scale", 1.0)
    monkeypatch.setitem(ordered, "scale", 1.0)
    yield
    Net.__dict__.get("inherited") and delattr(Net, "inherited")


@pytest.mark.usefixtures("restored")
@pytest.mark.parametrize("place", _READ)
def test_a_setting_that_changes_is_seen(place):
    read, write = _READ[place]
    net = Net(read).set_train(False)
    x = Tensor(np.ones(2, np.float32))
    assert [float(net(x)[0]) for _ in range(4)] == [1.0] * 4
    write(net)
    assert float(net(x)[0]) == 3.0
    assert net.__dict__["_compiled_step"].variants


@pytest.mark.usefixtures("restored")
def test_a_class_that_counts_counts_each_call_once():
    net = Net(_counted).set_train(False)
    x = Tensor(np.ones(2, np.float32))
    assert [float(net(x)[0]) for _ in range(6)] == [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]
    assert Net.calls == 6


def test_training_mode_set_once_more_changes_nothing_and_after_a_change_everything():
    net = nn.SequentialCell(nn.Dense(4, 4), nn.Dropout(p=0.999)).set_train()
    x, calls = Tensor(np.ones((8, 4), np.float32)), mode.changes
    net.set_train()
    assert mode.changes == calls            # what loops do at each epoch: a compiled step need not look again
    net[1].set_train(False)
    assert mode.changes > calls and (net(x).asnumpy() != 0).all()
    net.set_train()
    assert net[1].training and (net(x).asnumpy() == 0).mean() > 0.9
