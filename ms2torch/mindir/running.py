"""Running a MindIR graph: node by node, closures for branches, loops without Python's stack."""

from __future__ import annotations

from ms2torch._core.errors import unsupported

from . import branching, loops, operators
from .branching import Back, Choice, Closure, Stops, Tail, Untold
from .graph import CALL, PARTIAL, SWITCH, FuncGraph, Graph, U


def check(program: FuncGraph) -> None:
    """NotImplementedError for an operator that is not here, before anything runs."""
    for graph in program.functions.values():
        for node in graph.nodes:
            if node.op not in (CALL, PARTIAL, SWITCH) and not operators.known(node.op):
                raise operators.refusal(node.op)


class Run:
    """One run of a program on given values."""

    def __init__(self, program: FuncGraph, parameters: dict) -> None:
        self.program = program
        self.parameters = parameters
        self.constants: dict = {}
        self.inside = False     # a branch or a loop of an exported program

    def main(self, values: list):
        """The network's outputs."""
        try:
            return self.call(Closure(self.program.main, tuple(values)))
        except RecursionError:
            raise RuntimeError("The graphs of the file call each other too deep.") from None

    def call(self, called: Closure | Choice, stops: Stops | None = None):
        """What a closure gives; `Back` where its last call is of one of the graphs named by ``stops``."""
        stops = stops or {}
        while True:
            if isinstance(called, Choice):
                return branching.chosen(self, called, stops)
            result = self.further(called, stops)
            if not isinstance(result, Tail):
                return result
            called = result.closure

    def further(self, called: Closure, stops: Stops):
        """What one graph gives: its value, the call that takes its place, or `Back`."""
        if called.graph.name in stops:
            return Back(called.graph.name, called.given)
        result = self._graph(called.graph, called.given)
        branches = isinstance(result, Tail) and isinstance(result.closure, Choice)
        if branches and loops.goes_round(self, called.graph, result.closure, stops):
            return Tail(loops.looped(self, called, stops))
        return result

    def choice(self, header: Closure) -> Choice:
        """The branch that a loop's header ends with."""
        return self._graph(header.graph, header.given).closure

    def _graph(self, graph: Graph, values: tuple):
        if len(values) < len(graph.inputs):
            raise RuntimeError(
                f"The graph {graph.name} takes {len(graph.inputs)} inputs, but got {len(values)}."
            )
        names = dict(zip(graph.inputs, values, strict=False))
        for i, node in enumerate(graph.nodes):
            found = self._node(node, names)
            if i == graph.tail:
                return Tail(found)
            names[node.output] = self.call(found) if node.op == CALL else found
        outputs = [self._value(name, names) for name in graph.outputs]
        return outputs[0] if len(outputs) == 1 else tuple(outputs)

    def _node(self, node, names: dict):
        values = [self._value(name, names) for name in node.inputs]
        if node.op == CALL:
            called = self._value(node.callee, names)
            if not isinstance(called, (Closure, Choice)):
                raise operators.refusal(f"call of {node.callee}")
            return called.applied(values)
        if node.op in (PARTIAL, SWITCH) and len(values) < (1 if node.op == PARTIAL else 3):
            raise operators.refusal(f"{node.op} of {len(values)} inputs")
        if node.op == PARTIAL:
            if not isinstance(values[0], Closure):
                raise operators.refusal("Partial of no graph")
            return Closure(values[0].graph, (*values[0].given, *values[1:]))
        if node.op == SWITCH:
            if branching.waits(values[0]):
                return branching.choice(*values[:3])
            return values[1] if values[0] else values[2]
        if self.inside and operators.writes(node.op):
            raise Untold("a branch or a loop of it writes to a Parameter, which torch's do not")
        try:
            return operators.call(node.op, node.attributes, node.whole, values)
        except (NotImplementedError, RuntimeError, ValueError, TypeError):
            raise
        except Exception as err:
            raise RuntimeError(f"The operator {node.op} of the graph cannot run: {err!r}") from err

    def _value(self, name: str, names: dict):
        return names[name] if name in names else self.value(name)

    def value(self, name: str):
        """What the file itself calls so: a parameter, a constant, a graph."""
        if name in self.parameters:
            return self.parameters[name]
        if name in self.constants:
            return self.constants[name]
        if name in self.program.constants:
            self.constants[name] = value = operators.lifted(self.program.constants[name])
            return value
        if name in self.program.functions:
            return Closure(self.program.functions[name], ())
        if not name:
            return U
        raise unsupported("mindspore.load", f"the graph refers to {name!r}, which the file does not have.")
