"""``_cell_graph_executor``: networks compiled by name, without being run, as checks of a network do."""

from __future__ import annotations

import contextlib

import torch

from ms2torch._core import mode
from ms2torch._core.random import random_streams
from ms2torch._core.tensor.without_data import Described


@contextlib.contextmanager
def _in_graph_mode():
    before, mode.graph = mode.graph, True
    try:
        yield
    finally:
        mode.graph = before


@contextlib.contextmanager
def _taken_back(net):
    """What the body writes to the network's Parameters, and what it draws, is undone at its end."""
    parameters = list(net.get_parameters()) if hasattr(net, "get_parameters") else []
    contents = [p._t.detach().clone() for p in parameters]
    journal, state = random_streams.begin_journal(), torch.get_rng_state()
    try:
        yield
    finally:
        torch.set_rng_state(state)
        random_streams.end_journal(journal, take_back=True)
        with torch.no_grad():
            for parameter, content in zip(parameters, contents, strict=True):
                if parameter._t.shape != content.shape or parameter._t.dtype is not content.dtype:
                    parameter._adopt(content)
                elif not torch.equal(parameter._t, content):
                    parameter._t.copy_(content)


class _CellGraphExecutor:
    """Compiles a network for some inputs, or runs it, in graph mode.

    Compiling tells what the graph refuses. There is no graph here that could be made without values, so it is
    a run whose effects are taken back; inputs of unknown shapes tell nothing.
    """

    def __init__(self) -> None:
        self._phases: set[str] = set()
        self.enable_tuple_broaden = False

    def compile(self, obj, *args, phase="predict", do_convert=True, jit_config_dict=None, **kwargs):
        """The name of the graph, and whether it is one that can be run (``do_convert``).

        AttributeError for what is neither a Cell nor a function of one.
        """
        if not hasattr(obj, "construct"):
            raise AttributeError(f"'{type(obj).__name__}' object has no attribute '__parse_method__'")
        if hasattr(obj, "check_names"):
            obj.check_names()
        name = f"{phase}.{id(obj)}"
        if not any(isinstance(given, Described) for given in (*args, *kwargs.values())):
            with _taken_back(obj), _in_graph_mode():
                obj(*args, **kwargs)
        self._phases.add(name)
        return name, bool(do_convert)

    def has_compiled(self, phase="predict") -> bool:
        """Whether ``compile`` gave this name."""
        return phase in self._phases

    def run(self, obj, *args, phase="predict"):
        """What the network computes in graph mode."""
        with _in_graph_mode():
            return obj(*args)

    __call__ = run

    def del_net_res(self, obj, net_id) -> None:
        """Forgets the network's graphs."""
        self._phases -= {name for name in self._phases if name.endswith(f".{id(obj)}")}
