"""The weights with which a program's networks are made, handed from one side's run to the other's.

A program may look at them, load others or freeze some before an optimizer has them; many never have one.
"""

from __future__ import annotations

import functools

import torch

from ms2torch.experimental.optim.optimizer import Optimizer as Experimental
from ms2torch.nn.cell import Cell
from ms2torch.nn.optim.optimizer import Optimizer

# Of all networks together, so many elements are kept.
_ELEMENTS = 1 << 28
_OPTIMIZERS = (Optimizer, Experimental)
_LIBRARIES = ("torch", "ms2torch", "mindspore")


class Networks:
    """``with Networks(given, give):`` the networks that are made of a program's own classes, each a list of
    its parameters' values, by class and in order; what lies in another is a part of that.

    ``given`` are those of another run; ``give(values, parameters)`` sets a network's parameters.
    """

    def __init__(self, given: dict[str, list] | None, give) -> None:
        self.given, self.give = given or {}, give
        self.made: dict[str, list[list[torch.Tensor]]] = {}
        self._active, self._inside, self._elements = False, 0, 0

    def __enter__(self) -> Networks:
        """Classes that are defined from now on are looked at."""
        module, watch = torch.nn.Module, self

        def __init_subclass__(cls, **kwargs):
            super(module, cls).__init_subclass__(**kwargs)
            if "__init__" in vars(cls) and cls.__module__.partition(".")[0] not in _LIBRARIES:
                cls.__init__ = watch._watching(cls.__init__)

        module.__init_subclass__ = classmethod(__init_subclass__)
        self._active = True
        return self

    def __exit__(self, *_) -> None:
        del torch.nn.Module.__init_subclass__
        self._active = False

    def _watching(self, old):
        @functools.wraps(old)
        def __init__(network, *args, **kwargs):
            self._inside += 1
            try:
                old(network, *args, **kwargs)
            finally:
                self._inside -= 1
            if self._active and not self._inside:
                self._note(network)

        return __init__

    def _note(self, network: torch.nn.Module) -> None:
        parameters = _parameters(network)
        made = self.made.setdefault(type(network).__qualname__.rstrip("_"), [])
        given = self.given.get(type(network).__qualname__.rstrip("_"), ())
        if len(made) < len(given):
            self.give(given[len(made)], parameters)
        values = [p if isinstance(p, torch.Tensor) else p._t for p in parameters]
        self._elements += sum(t.numel() for t in values)
        kept = self._elements <= _ELEMENTS
        made.append([t.detach().clone() for t in values] if kept else [])


def _parameters(network: torch.nn.Module) -> list:
    """A network's parameters; running statistics are none, and what trains is no network."""
    if "_modules" not in vars(network) or isinstance(network, _OPTIMIZERS):
        return []
    if isinstance(network, Cell):
        if any(isinstance(cell, _OPTIMIZERS) for _, cell in network.cells_and_names()):
            return []
        return [p for name, p in network.parameters_and_names() if "moving_" not in name]
    return list(torch.nn.Module.parameters(network))
