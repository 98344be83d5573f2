"""A graph as torch.export's program: examples of its inputs, sizes that stay open, what was fixed."""

from __future__ import annotations

import contextlib
import io
import logging
import math
import warnings
from dataclasses import dataclass, field

import torch

from ms2torch._core.tensor.tensor import lift, lower

from .graph import SWITCH, FuncGraph, Unread
from .operators import refusal
from .running import Run

# Sizes of open dimensions to try in turn, each dimension of an input another; until the graph runs on them.
# (Small ones make sizes of 1 inside, which torch's exporter takes for fixed.)
_SIZES = ((3, 12, 64, 96, 80), (3, 5, 24, 32, 40), (3, 4, 16, 8, 24), (3, 224, 256, 288, 320), (3,) * 5)
_MULTIPLES = (1, 2, 4, 8, 16, 32, 64)
_WRITING = ("Assign", "Inplace", "Scatter", "Apply")


class _Branch(torch.nn.Module):
    """A Module that only holds what its name says."""


class GraphModule(torch.nn.Module):
    """A graph as a Module for torch's exporter: its Parameters under their own names.

    They require gradients unless the graph branches, of which torch has no derivative.
    """

    def __init__(self, graph: FuncGraph) -> None:
        super().__init__()
        self._graph_of_file, self._places = graph, {}
        nodes = [node for f in graph.functions.values() for node in f.nodes]
        written = {name for n in nodes if n.op.startswith(_WRITING) for name in n.inputs[:1]}
        seen: dict[str, tuple] = {}
        for place, (name, tensor) in graph.parameters.items():
            if isinstance(tensor, Unread):
                raise refusal(f"Parameter {name} of type {tensor.kind}")
            if name not in seen:
                *path, leaf = name.split(".")
                holder = self
                for part in path:
                    if part not in holder._modules:
                        holder.add_module(part, _Branch())
                    holder = holder._modules[part]
                trains = tensor.is_floating_point() or tensor.is_complex()
                if place in written or not trains:
                    holder.register_buffer(leaf, tensor.clone())
                else:
                    value = torch.nn.Parameter(tensor.clone(), requires_grad=not branches(graph))
                    holder.register_parameter(leaf, value)
                seen[name] = holder, leaf
            self._places[place] = seen[name]

    def forward(self, *inputs):
        """The network's outputs."""
        values = {place: lift(getattr(*at)) for place, at in self._places.items()}
        return lower(Run(self._graph_of_file, values).main(lift(list(inputs))))


@dataclass
class Exported:
    """A program, the examples that it was traced with, and which of the file's open sizes it does not take.

    ``fixed`` and ``multiples``: by (input's place, axis), the size, or what it must be a multiple of.
    """

    program: object
    module: GraphModule
    examples: list[torch.Tensor]
    fixed: dict = field(default_factory=dict)
    multiples: dict = field(default_factory=dict)


def inputs_of(graph: FuncGraph) -> list:
    """The inputs that hold tensors."""
    return [i for i in graph.inputs if i.dtype is not None]


def open_axes(graph: FuncGraph) -> list[tuple[int, int]]:
    """The inputs' open dimensions: places of the input and of the dimension."""
    return [(at, axis) for at, i in enumerate(inputs_of(graph)) for axis, n in enumerate(i.shape) if n < 0]


def exported(graph: FuncGraph, given: list[tuple[int, ...]] | None) -> Exported:
    """The graph's program; ``given`` are shapes of its inputs, else such as it runs on are looked for."""
    module = GraphModule(graph).eval()
    shapes = given or _shapes(graph, module)
    found = _traced(graph, module, shapes, {})
    if given or not found.fixed:
        return found
    several = {place: m for place in found.fixed if (m := _multiple(module, graph, shapes, place)) > 1}
    if not several:
        return found
    for (at, axis), m in several.items():
        sizes = list(shapes[at])
        sizes[axis] = m * max(2, -(-sizes[axis] // m)) + m * axis
        shapes[at] = tuple(sizes)
    with contextlib.suppress(Exception):
        found = _traced(graph, module, shapes, several)
    return found


def example(graph: FuncGraph, shapes: list[tuple[int, ...]], turn: int = 0) -> list[torch.Tensor]:
    """Inputs of these shapes, the same each time; in later turns about other means, and other counts."""
    generator = torch.Generator().manual_seed(turn)
    made = []
    for one, shape in zip(inputs_of(graph), shapes, strict=True):
        if one.dtype.is_floating_point or one.dtype.is_complex:
            middle = (0, 1.5, -1.5, 4, -4)[turn % 5]
            made.append((torch.randn(shape, generator=generator) + middle).to(one.dtype))
        elif len(shape):
            made.append(torch.randint(0, 2, shape, generator=generator).to(one.dtype))
        else:       # a number of turns, as it may be
            made.append(torch.tensor((3 + turn) % 5).to(one.dtype))
    return made


def branches(graph: FuncGraph) -> bool:
    """Whether which nodes run may depend on values."""
    return any(node.op == SWITCH for f in graph.functions.values() for node in f.nodes)


def resized(found: Exported, graph: FuncGraph, turn: int) -> list[torch.Tensor] | None:
    """Inputs of other sizes than the program was traced with, on which the graph runs, the second time a
    batch of one; None without open sizes."""
    free = [place for place in open_axes(graph) if place not in found.fixed]
    for step in _MULTIPLES if free else ():
        shapes = [list(t.shape) for t in found.examples]
        for at, axis in free:
            by = max(step, found.multiples.get((at, axis), 1)) * (1 + axis) * (1 + turn)
            shapes[at][axis] = 1 if turn and not axis else shapes[at][axis] + (by if axis else 1)
        inputs = example(graph, [tuple(s) for s in shapes])
        if runs(found.module, inputs):
            return inputs
    return None


def runs(module, inputs: list[torch.Tensor]) -> bool:
    """Whether the graph takes these inputs."""
    try:
        with torch.no_grad(), quiet():
            module(*inputs)
    except Exception:
        return False
    return True


def _shapes(graph: FuncGraph, module) -> list[tuple[int, ...]]:
    """Shapes on which the graph runs: as different as they can be, so that none is taken for another."""
    inputs = inputs_of(graph)
    for apart in (True, False):     # first dimensions: each its own, or one for all
        for sizes in _SIZES[max(len(one.shape) for one in inputs) > 4 :] if inputs else ():
            shapes = [
                tuple((sizes[axis % 5] + (7 * at if axis == 0 and apart else 0)) if n < 0 else n
                      for axis, n in enumerate(one.shape))
                for at, one in enumerate(inputs)
            ]  # fmt: skip
            if not open_axes(graph) or runs(module, example(graph, shapes)):
                return shapes
    if not inputs:
        return []
    raise ValueError("it runs on none of the sizes that were tried; --input gives them")


def _multiple(module, graph: FuncGraph, shapes, place) -> int:
    """What a dimension's size must be a multiple of for the graph to run; 0 where nothing fits."""
    at, axis = place
    for m in _MULTIPLES:
        fits = True
        for factor in (3, 5, 7):
            sizes = [list(s) for s in shapes]
            sizes[at][axis] = m * factor
            # What another open dimension must be a multiple of is not known yet.
            for other, its in open_axes(graph):
                if (other, its) != place and its > 1:
                    sizes[other][its] = 64
            if m * factor > 2048 or math.prod(sizes[at]) > 1 << 24:
                return 0
            fits = fits and runs(module, example(graph, [tuple(s) for s in sizes]))
        if fits:
            return m
    return 0


def _traced(graph: FuncGraph, module, shapes, multiples: dict) -> Exported:
    from torch.export import Dim

    examples = example(graph, shapes)
    dims = []
    for at, one in enumerate(inputs_of(graph)):
        axes = {}
        for axis, n in enumerate(one.shape):
            if n < 0:
                m = multiples.get((at, axis))
                axes[axis] = m * Dim(f"size_{at}_{axis}", min=1) if m else Dim.AUTO
        dims.append(axes)
    with quiet():
        program = torch.export.export(module, tuple(examples), dynamic_shapes={"inputs": tuple(dims)})
    names = [s.arg.name for s in program.graph_signature.input_specs if s.kind.name == "USER_INPUT"]
    kept = {n.name: n.meta["val"].shape for n in program.graph.nodes if n.op == "placeholder"}
    sizes = {(at, axis): str(kept[names[at]][axis]) for at, axis in open_axes(graph)}
    fixed = {place: int(size) for place, size in sizes.items() if size.isdigit()}
    return Exported(program, module, examples, fixed, multiples)


@contextlib.contextmanager
def quiet():
    """Without what torch's exporter writes to the log and to stderr where it fails."""
    logging.disable(logging.CRITICAL)
    try:
        with warnings.catch_warnings(), contextlib.redirect_stderr(io.StringIO()):
            warnings.simplefilter("ignore")
            yield
    finally:
        logging.disable(logging.NOTSET)
