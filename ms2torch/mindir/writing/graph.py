"""A MindIR graph while it is written: nodes, constants and primitives as the messages of the file.

A primitive that MindSpore generates has all its arguments as inputs, choices among them by their numbers; an
older one keeps what it is made with as attributes.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import torch

from ms2torch._core.errors import unsupported
from ms2torch._core.protobuf import content, float32, integer

from ..graph import DTYPES

_NUMBERS = {dtype: number for number, dtype in reversed(DTYPES.items())}
_INT, _STRING, _BOOL, _FLOAT, _TENSORS, _TUPLE, _NONE = 7, 8, 9, 1, 19, 20, 25
_OLDER, _GENERATED = 1, 2  # kinds of primitives
OPEN = -1  # a size that a run gives


@dataclass(frozen=True)
class Value:
    """What a node gives: its name in the file, and what is known of the tensor."""

    name: str
    shape: tuple[int, ...]
    dtype: torch.dtype


class Graph:
    """The messages of one graph, in the order in which they are made."""

    def __init__(self, name: str) -> None:
        self.name = name
        self._parts: list[bytes] = []  # of the graph, but for its nodes
        self._nodes: list[bytes] = []
        self._primitives: dict[tuple, tuple[str, bytes]] = {}
        self._constants: dict[tuple, str] = {}
        self._count = 0

    # ---- what the graph takes and gives

    def parameter(self, name: str, t: torch.Tensor) -> Value:
        t = t.detach().cpu().contiguous()
        own = f"{self.name}:{name}"
        self._parts.append(content(3, _tensor(t.shape, t.dtype, own, _bytes(t)) + content(13, name)))
        return Value(own, tuple(t.shape), t.dtype)

    def input(self, name: str, shape, dtype) -> Value:
        own = f"{self.name}:{name}"
        self._parts.append(content(5, content(1, own) + content(2, _tensor(shape, dtype))))
        return Value(own, tuple(shape), dtype)

    def output(self, value: Value | list[Value]) -> None:
        if isinstance(value, Value):
            told = content(1, value.name) + content(2, _tensor(value.shape, value.dtype))
        else:
            made = self.tuple(value)
            told = content(1, made) + content(4, "Tuple") + content(5, _shapes(value))
        self._parts.append(content(6, told))

    # ---- nodes

    def op(self, primitive: str, *inputs, like, shape=None, dtype=None, **attributes) -> Value:
        """A node of a primitive; ``like`` is a tensor or Value whose shape and dtype the result has, unless
        they are given. ``inputs`` may be Values, lists of them, tensors, numbers and words."""
        out = self._named(primitive)
        value = Value(out, sizes(like.shape) if shape is None else tuple(shape), dtype or like.dtype)
        self._node(out, primitive, inputs, attributes, _attribute("shape", value))
        return value

    def several(self, primitive: str, *inputs, like, **attributes) -> list[Value]:
        """A node that gives a tuple of tensors ``like`` these: its parts."""
        out, parts = self._named(primitive), [Value("", sizes(t.shape), t.dtype) for t in like]
        self._node(out, primitive, inputs, attributes, content(1, "shape") + _shapes(parts))
        found = []
        for k, part in enumerate(parts):
            item = self._named("TupleGetItem")
            value = replace(part, name=item)
            self._node(
                item,
                "TupleGetItem",
                (Value(out, (), torch.int64), k),
                {"_older": True},
                _attribute("shape", value),
            )
            found.append(value)
        return found

    def tuple(self, values) -> str:
        out = self._named("MakeTuple")
        self._node(out, "MakeTuple", values, {"_older": True}, content(1, "shape") + _shapes(values))
        return out

    def _node(self, out: str, primitive: str, inputs, attributes, shape: bytes) -> None:
        names = [self._input(v) for v in inputs]
        parts = [
            *(content(1, n) for n in names),
            content(2, out),
            content(3, out),
            content(4, f"REF::{self._primitive(primitive, attributes)}"),
            content(5, shape),
            content(7, f"Default/{primitive}-op{self._count}"),
        ]
        self._nodes.append(b"".join(parts))

    def _named(self, primitive: str) -> str:
        self._count += 1
        return f"{self.name}:{primitive}:{self._count}"

    def _input(self, value) -> str:
        if isinstance(value, Value):
            return value.name
        if isinstance(value, list):
            return self.tuple(value)
        return self._constant(value)

    def _constant(self, value) -> str:
        key = (type(value), str(value))
        if key in self._constants:
            return self._constants[key]
        self._count += 1
        name = f"{self.name}:ValueNode:{self._count}"
        self._nodes.append(
            content(2, name)
            + content(3, name)
            + content(4, "Constant")
            + content(5, _attribute("value", value))
        )
        if not isinstance(value, torch.Tensor):
            self._constants[key] = name
        return name

    def _primitive(self, name: str, attributes: dict) -> str:
        older = bool(attributes)
        attributes = {k: v for k, v in attributes.items() if not k.startswith("_")}
        key = (name, *attributes.items())
        if key not in self._primitives:
            own = f"{name}:{len(self._primitives)}"
            told = b"".join(content(3, _attribute(k, v)) for k, v in attributes.items())
            kind = integer(5, _OLDER if older else _GENERATED)
            self._primitives[key] = own, content(1, own) + content(2, name) + told + kind
        return self._primitives[key][0]

    # ---- the file

    def model(self, version: str) -> bytes:
        """The bytes of the whole file."""
        graph = b"".join([*(content(1, n) for n in self._nodes), content(2, self.name), *self._parts])
        primitives = b"".join(content(12, told) for _, told in self._primitives.values())
        return b"".join(
            [
                content(1, "1.1"),
                content(2, "MindSpore"),
                content(5, version),
                content(7, graph),
                integer(10, 1),
                primitives,
                integer(13, 3),
            ]
        )


def sizes(shape) -> tuple[int, ...]:
    """A traced shape with `OPEN` for the sizes that a run gives."""
    return tuple(n if isinstance(n, int) else int(str(n)) if str(n).isdigit() else OPEN for n in shape)


def _tensor(shape, dtype, name: str = "", raw: bytes | None = None) -> bytes:
    if dtype not in _NUMBERS:
        raise unsupported("mindspore.export", f"{dtype} has no number in a MindIR file.")
    told = b"".join(integer(1, n) for n in sizes(shape)) + integer(2, _NUMBERS[dtype])
    return told + (content(7, name) if name else b"") + (b"" if raw is None else content(9, raw))


def _bytes(t: torch.Tensor) -> bytes:
    return t.reshape(-1).view(torch.uint8).numpy().tobytes() if t.numel() else b""


def _shapes(values) -> bytes:
    """The shapes of the parts of a tuple, as an attribute without a name."""
    return integer(16, _TUPLE) + b"".join(content(17, _plain(v, True)) for v in values)


def _attribute(name: str, value) -> bytes:
    return content(1, name) + _plain(value)


def _plain(value, inside: bool = False) -> bytes:
    """An attribute's value and its type. Inside a tuple one number stands where several could."""
    if isinstance(value, Value):
        return content(12, _tensor(value.shape, value.dtype)) + integer(16, _TENSORS)
    if isinstance(value, torch.Tensor):
        t = value.detach().cpu().contiguous()
        return content(12, _tensor(t.shape, t.dtype, "value0", _bytes(t))) + integer(16, _TENSORS)
    if value is None:
        return integer(16, _NONE)
    if isinstance(value, bool):
        return integer(10 if inside else 3, value) + integer(16, _BOOL)
    if isinstance(value, int):
        return integer(10 if inside else 3, value) + integer(16, _INT)
    if isinstance(value, float):
        return float32(8 if inside else 2, value) + integer(16, _FLOAT)
    if isinstance(value, str):
        return content(11 if inside else 5, value) + integer(16, _STRING)
    return b"".join(content(17, _plain(v, True)) for v in value) + integer(16, _TUPLE)
