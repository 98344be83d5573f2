"""What a network computes, traced by torch.export and told as a MindIR graph."""

from __future__ import annotations

import operator

import torch
from torch.export import default_decompositions

from ms2torch._core import torch_private
from ms2torch._core.errors import unsupported

from ..exporting import quiet
from . import layers, operators, shapes
from .graph import OPEN, Graph, Value, sizes

RULES = operators.RULES | shapes.RULES | layers.RULES
_WHAT = "mindspore.export(file_format='MINDIR')"
_FILLED = frozenset((
    "new_zeros", "new_ones", "new_full", "zeros_like", "ones_like", "full_like", "zeros", "ones", "full",
    "arange", "scalar_tensor", "empty", "eye", "linspace", "new_empty", "empty_like", "tensor",
))  # fmt: skip
_PLACING = ("device", "layout", "memory_format", "non_blocking", "pin_memory")
# Whose result's shape says all that their sizes do.
_SHAPING = frozenset((
    "view.default", "reshape.default", "_unsafe_view.default", "unflatten.int", "_reshape_alias.default",
    "expand.default", "broadcast_to.default",
))  # fmt: skip
_ASKING = ("_assert", "sym_constrain", "_local_scalar", "_guards")


_WAYS_OUT = (
    'file_format="ONNX", torch.export.export(ms2torch.to_torch(net), inputs), or save_checkpoint for '
    "the weights."
)


def traced(module, examples, open_sizes=None) -> torch.export.ExportedProgram:
    """The program of a module, in operators that have rules where torch can take it apart so far."""
    with quiet():
        try:
            program = torch.export.export(module, tuple(examples), dynamic_shapes=open_sizes)
        except Exception as err:
            if torch_private.decided_by_data(err):
                why = "the network chooses by numbers that only a run gives."
                raise unsupported(_WHAT, why, _WAYS_OUT) from None
            if open_sizes is None:
                raise
            why = f"with these sizes open it cannot be traced ({str(err).splitlines()[0]})."
            raise unsupported(_WHAT, why, "give examples of fixed sizes.") from err
        _check_open(program, open_sizes)
        if unknown(program):
            rest = default_decompositions()
            for op in list(rest):
                if _name(op) in RULES:
                    del rest[op]
            program = program.run_decompositions(rest)
    if lacking := unknown(program):
        raise unsupported(_WHAT, f"it has no primitive for torch's {lacking[0]}.", _WAYS_OUT)
    program.graph.eliminate_dead_code()
    return program


def _check_open(program, open_sizes) -> None:
    """What the trace took for fixed may not pass for open."""
    given = [s.arg.name for s in program.graph_signature.input_specs if s.kind.name == "USER_INPUT"]
    shapes = {n.name: n.meta["val"].shape for n in program.graph.nodes if n.name in given}
    for name, axes in zip(given, (open_sizes or {}).get("args", ()), strict=False):
        if fixed := [axis for axis in axes or () if str(shapes[name][axis]).isdigit()]:
            why = f"the network fixes the size of axis {fixed[0]} of an input that is declared open."
            raise unsupported(_WHAT, why, "give examples of fixed sizes.")


def _name(target) -> str:
    return str(target).removeprefix("aten.")


def unknown(program) -> list[str]:
    """The operators of a program that have no rule."""
    called = (_name(n.target) for n in program.graph.nodes if n.op == "call_function")
    return [name for name in called if name not in RULES and not _is_known(name)]


def _is_known(name: str) -> bool:
    own = name.split(".")[0]
    return (
        own in _FILLED
        or own.startswith(_ASKING)
        or own in ("sym_size", "<built-in function getitem>")
        or name.startswith("<built-in function")
    )


def tell(program, graph: Graph, names) -> None:
    """Every node of ``program`` in ``graph``; its inputs are called ``names``."""
    known: dict = {}
    signature = program.graph_signature
    of_inputs = {s.arg.name: s for s in signature.input_specs}
    names = iter(names)
    for node in program.graph.nodes:
        if node.op == "placeholder":
            known[node] = _placeholder(program, graph, of_inputs[node.name], node, names)
        elif node.op == "call_function":
            known[node] = _call(graph, node, lambda arg: _held(known, arg))
        elif node.op == "output":
            wanted = {s.arg.name for s in signature.output_specs if s.kind.name == "USER_OUTPUT"}
            found = [
                _written(graph, known[n] if isinstance(n, torch.fx.Node) else n)
                for n in node.args[0]
                if getattr(n, "name", None) in wanted
            ]
            graph.output(found[0] if len(found) == 1 else found)


def _placeholder(program, graph: Graph, spec, node, names):
    kind = spec.kind.name
    if kind == "USER_INPUT":
        value = node.meta.get("val")
        if not isinstance(value, torch.Tensor):
            return spec.arg.value if hasattr(spec.arg, "value") else value
        return graph.input(next(names), sizes(value.shape), value.dtype)
    if kind in ("PARAMETER", "BUFFER"):
        found = program.state_dict.get(spec.target)
        return graph.parameter(spec.target, program.constants[spec.target] if found is None else found)
    if kind == "CONSTANT_TENSOR":
        return program.constants[spec.target].detach().cpu()
    raise unsupported("mindspore.export", f"a traced {kind.lower()}.")


def _held(known: dict, arg):
    if isinstance(arg, torch.fx.Node):
        if known[arg] is None and arg.target is operator.getitem:
            why = f"{arg.args[0].name} gives a result more than its primitive."
            raise unsupported(_WHAT, why, _WAYS_OUT)
        return known[arg]
    if isinstance(arg, (list, tuple)):
        return [_held(known, a) for a in arg]
    return arg


def _call(graph: Graph, node, held):
    name, out = _name(node.target), node.meta.get("val")
    args, named = [held(a) for a in node.args], {k: held(v) for k, v in node.kwargs.items()}
    if node.target is operator.getitem:
        return args[0][args[1]]
    if name.startswith("sym_size"):
        return args[0].shape[args[1]]
    own = name.split(".")[0]
    if own.startswith(_ASKING):
        return None
    if isinstance(out, (int, float, torch.SymInt, torch.SymFloat)):
        return out if isinstance(out, (int, float)) else OPEN
    if name not in _SHAPING and any(_is_open(n) for n in node.all_input_nodes):
        raise unsupported(_WHAT, f"{name} counts with an open size.", "give examples of fixed sizes.")
    if own in _FILLED or (not _values(args) and not _values(named.values())):
        return _constant(node, out, own, args, named)
    kept = {k: v for k, v in named.items() if k not in _PLACING}
    return RULES[name](graph, out, *args, **kept)


def _is_open(node) -> bool:
    return isinstance(node.meta.get("val"), (torch.SymInt, torch.SymFloat))


def _values(args) -> bool:
    """Whether one of these is given by a node of the graph."""
    return any(isinstance(a, Value) or (isinstance(a, (list, tuple)) and _values(a)) for a in args)


def _constant(node, out, own: str, args, named):
    """What no input decides, computed here."""
    if OPEN in sizes(out.shape if isinstance(out, torch.Tensor) else ()):
        raise unsupported("mindspore.export", f"{own} of an open size.", "leave no axis open that it needs.")
    if own.startswith(("new_", "zeros_like", "ones_like", "full_like", "empty_like")):
        value = 0 if "zeros" in own or "empty" in own else 1 if "ones" in own else args[-1]
        return torch.full(tuple(out.shape), value, dtype=out.dtype)
    named = {k: torch.device("cpu") if k == "device" else v for k, v in named.items()}
    return node.target(*args, **named)


def _written(graph: Graph, value) -> Value:
    """A result that no node gives is one of a node that casts it."""
    if isinstance(value, Value):
        return value
    value = torch.as_tensor(value)
    return graph.op("Cast", value, operators.DTYPE_NUMBERS[value.dtype], like=value)
