"""A MindIR file as graphs: nodes in their order, constants as values, parameters as tensors."""

from __future__ import annotations

import math
import os
from dataclasses import dataclass, field

import torch

from ms2torch._core.protobuf import Damaged
from ms2torch._core.tensor import dtype as _dtype

from .messages import parse

PARTIAL, SWITCH, CALL = "Partial", "Switch", "call"
# TensorProto's and AttributeProto's numbers of element types.
DTYPES = {
    1: torch.float32,
    2: torch.uint8,
    3: torch.int8,
    4: torch.uint16,
    5: torch.int16,
    6: torch.int32,
    7: torch.int64,
    9: torch.bool,
    10: torch.float16,
    11: torch.float64,
    12: torch.uint32,
    13: torch.uint64,
    14: torch.complex64,
    15: torch.complex128,
    16: torch.bfloat16,
    17: torch.float64,
}
(_FLOAT, _UINT8, _INT64, _STRING, _BOOL, _DOUBLE, _UINT64) = 1, 2, 7, 8, 9, 11, 13
_TENSOR, _GRAPH, _TENSORS, _TUPLE, _LIST, _DICT, _UMONAD, _IOMONAD, _NONE = range(17, 26)
_CLASS, _TYPE_NULL, _SCALAR = 33, 36, 39


class Monad:
    """MindSpore's token for the order of side effects."""

    def __repr__(self) -> str:
        return "U"


U = Monad()


@dataclass
class Node:
    """One operation: its output's name, what it is, names of its inputs, its attributes.

    ``whole``: whether its arguments are all among its inputs, and none an attribute.
    """

    output: str
    op: str
    inputs: list[str]
    attributes: dict = field(default_factory=dict)
    whole: bool = False
    callee: str = ""


@dataclass
class Graph:
    """One function: inputs and outputs by name, nodes, the place of a last call that is its result."""

    name: str
    inputs: list[str]
    nodes: list[Node]
    outputs: list[str]
    tail: int | None = None


@dataclass
class Input:
    """An input of the network: its name, shape (-1 where open) and dtype."""

    name: str
    shape: tuple[int, ...]
    dtype: torch.dtype | None


@dataclass
class FuncGraph:
    """What a file holds: the network's graph, those that it calls, constants, parameters."""

    path: str
    main: Graph
    functions: dict[str, Graph]
    constants: dict[str, object]
    # Name in the graph -> (Parameter's name, tensor)
    parameters: dict[str, tuple[str, torch.Tensor]]
    inputs: list[Input]
    producer: str = ""


def read(path: str, decrypt=None) -> FuncGraph:
    """Open a file; ``decrypt`` makes its content of its bytes.

    Raises `Damaged`, OSError; NotImplementedError for what is not read.
    """
    with open(path, "rb") as file:
        content = file.read()
    data = memoryview(content if decrypt is None else decrypt(content))
    model = parse(data)
    if model.graph is None or not (model.graph.node or model.graph.output):
        raise Damaged("it holds no graph")
    return _Reader(path, data, model).program()


def _is_dtype(t) -> bool:
    """Whether a tensor of an attribute stands for its dtype alone."""
    contents = t.raw_data, t.float_data, t.double_data, t.int32_data, t.int64_data, t.uint64_data
    return not t.dims and not any(contents) and t.external_data is None and t.data_type in DTYPES


class _Reader:
    def __init__(self, path: str, data: memoryview, model) -> None:
        self.path, self.data, self.model = path, data, model
        self.primitives = {p.name: p for p in model.primitives}
        self.names = {g.name for g in model.functions} | {model.graph.name}

    def program(self) -> FuncGraph:
        model = self.model
        constants: dict[str, object] = {}
        graphs = [self._graph(g, constants) for g in (model.graph, *model.functions)]
        parameters = {}
        for t in model.graph.parameter:
            own = t.ref_key or t.name.removeprefix(f"{model.graph.name}:")
            parameters[t.name] = own, self._tensor(t)
        if model.graph.map_parameter:
            from ms2torch._core.errors import unsupported

            raise unsupported("mindspore.load, a MapParameter", "hash-table parameters are not supported.")
        inputs = []
        for info in model.graph.input:
            t = info.tensor[0] if info.tensor else None
            dims = tuple(t.dims) if t else ()
            inputs.append(
                Input(
                    info.name.removeprefix(f"{model.graph.name}:"),
                    dims,
                    DTYPES.get(t.data_type) if t else None,
                )
            )
        main = graphs[0]
        return FuncGraph(
            self.path,
            main,
            {g.name: g for g in graphs},
            constants,
            parameters,
            inputs,
            f"{model.producer_name} {model.model_version}".strip(),
        )

    def _graph(self, g, constants: dict) -> Graph:
        nodes = []
        for n in g.node:
            if not n.output:
                raise Damaged("a node without an output")
            if n.op_type == "Constant":
                value = next((a for a in n.attribute if a.name == "value"), None)
                if value is None:
                    raise Damaged("a constant without a value")
                constants[n.output[0]] = self._value(value)
            else:
                nodes.append(self._node(n))
        graph = Graph(g.name, [v.name for v in g.input], nodes, [v.name for v in g.output])
        graph.tail = _tail(graph)
        return graph

    def _node(self, n) -> Node:
        name = n.op_type.removeprefix("REF::")
        primitive = self.primitives.get(name) if n.op_type.startswith("REF::") else None
        if primitive is not None:
            attributes = {a.name: self._value(a) for a in primitive.attribute if a.name not in _IDLE}
            return Node(n.output[0], primitive.op_type, n.input, attributes, primitive.prim_type == 2)
        if n.op_type.startswith("REF::"):
            return Node(n.output[0], CALL, n.input, callee=name)
        attributes = {a.name: self._value(a) for a in n.attribute if a.name not in ("shape", *_IDLE)}
        return Node(n.output[0], n.op_type, n.input, attributes)

    # ---- values

    def _value(self, a, depth: int = 0):
        """An attribute's value as Python's: numbers, texts, tensors, None, tuples and lists of them."""
        kind = a.type
        if kind in (_TUPLE, _LIST):
            values = [self._value(v, depth + 1) for v in a.values]
            return tuple(values) if kind == _TUPLE else values
        if kind == _DICT:
            return {v.name: self._value(v, depth + 1) for v in a.values}
        if kind == _STRING:
            return _text(a.s or (a.strings[0] if a.strings else b""))
        if kind == _BOOL:
            return bool(a.i or (a.ints and a.ints[0]))
        if kind == _FLOAT:
            return a.f or (a.floats[0] if a.floats else 0.0)
        if kind in (_DOUBLE, 10):
            return a.d or (a.doubles[0] if a.doubles else a.f)
        if _UINT8 <= kind <= _INT64 or kind in (12, _UINT64):
            if kind == _INT64 and len(a.ints) > 1:
                return tuple(a.ints)
            return a.i or (a.ints[0] if a.ints else 0)
        if kind in (_TENSOR, _TENSORS):
            tensors = [a.t] if a.t is not None else a.tensors
            if kind == _TENSORS and len(tensors) == 1 and _is_dtype(tensors[0]):
                return _dtype.from_torch(DTYPES[tensors[0].data_type])
            return self._tensor(tensors[0]) if tensors else None
        if kind in (_UMONAD, _IOMONAD):
            return U
        if kind in (_NONE, _TYPE_NULL):
            return None
        if kind == _SCALAR:
            return a.i
        return Unread(kind)

    def _tensor(self, t) -> torch.Tensor:
        """A tensor's elements, from the file or the one beside it that it names."""
        dtype, dims = DTYPES.get(t.data_type), list(t.dims)
        if dtype is None:
            return Unread(t.data_type)
        if t.compression_type:
            from ms2torch._core.errors import unsupported

            raise unsupported(
                f"mindspore.load, {t.name}",
                "compressed parameters are not supported.",
                "export the network without quantisation.",
            )
        if any(n < 0 for n in dims):
            raise Damaged(f"{t.name} has the shape {dims}")
        size = math.prod(dims) * dtype.itemsize
        content = self._content(t, size)
        if len(content) != size:
            raise Damaged(f"{t.name} of shape {dims} has {len(content)} bytes")
        if not size:
            return torch.empty([min(n, 1 << 31) for n in dims], dtype=dtype)
        return torch.frombuffer(bytearray(content), dtype=dtype).reshape(dims)

    def _content(self, t, size: int):
        if t.external_data is not None and t.external_data.location:
            return self._external(t)
        if t.raw_data is not None:
            return self.data[slice(*t.raw_data)]
        for values, dtype in (
            (t.float_data, torch.float32),
            (t.double_data, torch.float64),
            (t.int32_data, torch.int32),
            (t.int64_data, torch.int64),
            (t.uint64_data, torch.uint64),
        ):
            if values:
                try:
                    whole = torch.tensor(values, dtype=dtype).to(DTYPES[t.data_type])
                except (RuntimeError, OverflowError, ValueError):
                    raise Damaged(f"{t.name} has numbers that are none") from None
                return memoryview(whole.reshape(-1).view(torch.uint8).numpy())
        return b""

    def _external(self, t) -> bytes:
        place = t.external_data
        folder = os.path.realpath(os.path.dirname(os.path.abspath(self.path)))
        path = os.path.realpath(os.path.join(folder, place.location.replace("\\", "/")))
        if os.path.commonpath([folder, path]) != folder or not os.path.isfile(path):
            raise Damaged(f"the weights are in {place.location!r}, which is not beside it")
        if place.offset < 0 or place.length < 0 or place.offset + place.length > os.path.getsize(path):
            raise Damaged(f"{place.location} is too short")
        with open(path, "rb") as file:
            file.seek(place.offset)
            return file.read(place.length)


class Unread:
    """A value of a kind that no graph here has needed."""

    def __init__(self, kind: int) -> None:
        self.kind = kind


# Attributes that change nothing of what is computed.
_IDLE = {
    "input_names",
    "output_names",
    "side_effect_mem",
    "side_effect_propagate",
    "checkpoint",
    "cust_aicpu",
    "op_adaptation_processed",
    "primitive_target",
    "phase",
}


def _text(content: bytes) -> str:
    try:
        return content.decode()
    except UnicodeDecodeError:
        raise Damaged("a text that is none") from None


def _tail(graph: Graph) -> int | None:
    """The place of the call whose result is the graph's, with nothing but tokens after it."""
    if len(graph.outputs) != 1:
        return None
    named = {n.output: i for i, n in enumerate(graph.nodes)}
    at, seen = named.get(graph.outputs[0]), set()
    while at is not None and graph.nodes[at].op == "Depend" and graph.nodes[at].inputs and at not in seen:
        seen.add(at)
        at = named.get(graph.nodes[at].inputs[0])
    if at is None or graph.nodes[at].op != CALL:
        return None
    return at if all(n.op in ("UpdateState", "Depend") for n in graph.nodes[at + 1 :]) else None
