"""A graph as a network: its Parameters, and a run with values for them."""

from __future__ import annotations

from collections.abc import Iterator

from ms2torch._core.tensor.tensor import Tensor, wrap
from ms2torch.common.parameter import Parameter

from .graph import FuncGraph, Unread
from .operators import refusal
from .running import Run


def parameters(graph, params_init) -> Iterator[tuple[str, Parameter]]:
    """The Parameters of a graph by their names, with the values of ``params_init`` where it has some."""
    if not isinstance(graph, FuncGraph):
        raise TypeError(
            "For 'GraphCell', the argument 'graph' must be a FuncGraph loaded from MindIR, but got type "
            f"{type(graph)}."
        )
    if params_init is not None and not isinstance(params_init, dict):
        raise TypeError(
            f"For 'GraphCell', the argument 'params_init' must be a dict, but got {type(params_init)}."
        )
    for name, value in (params_init or {}).items():
        if not isinstance(name, str) or not isinstance(value, Tensor):
            raise TypeError(
                "For 'GraphCell', the key of the 'params_init' must be str, and the value must be Tensor or "
                f"Parameter, but got the key type: {type(name)}, and the value type: {type(value)}"
            )
    seen = set()
    for name, tensor in graph.parameters.values():
        if name in seen:
            continue
        seen.add(name)
        if isinstance(tensor, Unread):
            raise refusal(f"Parameter {name} of type {tensor.kind}")
        given = (params_init or {}).get(name)
        yield name, Parameter(wrap(tensor.clone()) if given is None else given, name=name)


def run(graph: FuncGraph, values: dict, inputs: tuple):
    """The outputs of the graph; ``values``: Parameters by name."""
    count = sum(1 for name in graph.main.inputs if name not in graph.parameters)
    if len(inputs) != count:
        raise RuntimeError(
            "The input number of parameters is not Compatible.\n"
            f"Mindir:{count} inputs: {len(inputs)} FuncGraph:{graph.main.name}"
        )
    return Run(graph, {place: values[name] for place, (name, _) in graph.parameters.items()}).main(
        list(inputs)
    )
